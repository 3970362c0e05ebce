"""Filters of `stiction.ipctk` against ipctk's, and where functions of Python are asked."""

import itertools
import pickle
import subprocess
import sys

import both
import ipctk
import numpy as np
import pytest
import scenes
from both import numbers, of_scene, soup

import stiction
import stiction.ipctk as ours

LABELS = np.array([3, -1, -1, 3, 0, 0, 7])
FACES = np.array([[0, 1, 2], [2, 3, 1], [4, 5, 6]])
SPARSE = {(0, 1): False, (2, 5): False, (3, 3): True}


def made(module):
    """Filters of every kind, from one of the two modules."""
    patches = module.make_vertex_patches_filter(LABELS.astype(np.int32))
    fixed = module.make_static_obstacle_filter(4)
    listed = module.make_sparse_filter(SPARSE, True)
    only = module.make_sparse_filter({pair: not value for pair, value in SPARSE.items()}, False)
    pieces = module.make_connected_components_filter(FACES.astype(np.int32))
    function = module.CollisionFilter(lambda i, j: (i + j) % 3 != 0)
    changed = module.CollisionFilter()
    changed &= patches
    changed |= function
    return [
        module.CollisionFilter(), patches, fixed, listed, only, pieces, function, changed,
        patches & fixed, patches | only, ~patches, ~(fixed & listed) | pieces, function & patches,
        function | fixed, ~function & listed,
    ]  # fmt: skip


@pytest.mark.parametrize("k", range(len(made(ours))))
def test_the_same_pairs_of_vertices(k):
    mine, peer = made(ours)[k], made(ipctk)[k]
    for i, j in itertools.product(range(7), repeat=2):
        if i != j:
            assert mine(i, j) == peer(i, j), (i, j)


@pytest.mark.parametrize("k", range(len(made(ours))))
def test_native_rules_are_the_rules(k):
    """What Rust is told allows no less than the filter, and the same if no function of Python has a say."""
    mine = made(ours)[k]
    native, asks = mine._native(7)
    for i, j in itertools.permutations(range(7), 2):
        if native is not None:
            assert native.allows([i], [j]) >= mine(i, j)
        if not asks:
            assert mine(i, j) == (native is None or native.allows([i], [j]))


def test_pairs_have_no_order():
    """ipctk forgets those that are listed with the larger number first."""
    rule = ours.make_sparse_filter({(5, 2): False}, True)
    assert not rule(2, 5) and not rule(5, 2) and rule(2, 4)


def filters_for(module, count):
    """Filters for a mesh of so many vertices, made of data and of functions."""
    labels = (np.arange(count) // 7 % 3).astype(np.int32)
    patches = module.make_vertex_patches_filter(labels)
    function = module.CollisionFilter(lambda i, j: (i * 7 + j * 7) % 5 != 0)
    pairs = {(i, j): False for i in range(0, count, 2) for j in range(i + 1, count, 3)}
    return [patches, ~patches, module.make_static_obstacle_filter(count // 2),
            module.make_sparse_filter(pairs, True), function, patches & function, patches | function]  # fmt: skip


@pytest.mark.parametrize("k", range(7))
@both.each([scenes.sheets, scenes.cubes, scenes.polygons], seeds=[0])
def test_the_same_candidates(scene, k):
    mine, peer = of_scene(scene)
    found = []
    ipctk.set_num_threads(1)  # functions of Python and several threads stop ipctk for ever
    for module, mesh in ((ours, mine), (ipctk, peer)):
        mesh.can_collide = filters_for(module, mesh.num_vertices)[k]
        candidates = module.Candidates()
        candidates.build(mesh, scene.x, 0.5 * scene.dhat, broad_phase=module.BruteForce())
        found.append({kind: numbers(candidates, kind) for kind in both.PAIRS})
    ipctk.set_num_threads(2)
    assert found[0] == found[1] and any(found[0].values())


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("kind", ["data", "function"])
def test_pairs_of_loose_vertices_by_their_numbers(dimension, kind):
    """Defect D9 of ipctk: it asks the filter about places in the list of loose vertices."""
    rest = np.zeros((5, dimension))
    rest[:3, :2] = [[0, 0], [1, 0], [0, 1]]
    rest[3:, 0] = [3.0, 3.1]
    edges, faces = [[0, 1], [1, 2], [2, 0]], [[0, 1, 2]] if dimension == 3 else []

    def found(rule):
        mesh = ours.CollisionMesh(rest, edges, faces)
        allows = ours.make_sparse_filter({rule: False}, True)
        mesh.can_collide = allows if kind == "data" else (lambda i, j: allows(i, j))
        sets = []
        for broad_phase in (None, ours.BruteForce(), type("Mine", (ours.LBVH,), {})()):
            candidates = ours.Candidates()
            candidates.build(mesh, rest, 0.2, broad_phase)
            sets.append(numbers(candidates, "vv"))
        assert sets[0] == sets[1] == sets[2]
        return sets[0]

    assert found((3, 4)) == []
    assert found((0, 1)) == [(3, 4)]


@pytest.mark.parametrize("dimension", [2, 3])
def test_steps_and_crossings_heed_filters(dimension):
    (mesh, _), x = soup(dimension, 2, 200)
    end = x + np.random.default_rng(1).normal(size=x.shape) * 0.05
    assert ours.has_intersections(mesh, x)
    nothing = ours.make_vertex_patches_filter(np.zeros(len(x), dtype=int))
    for rule in (nothing, lambda i, j: False):
        mesh.can_collide = rule
        assert not ours.has_intersections(mesh, x)
        assert ours.compute_collision_free_stepsize(mesh, x, end) == 1.0
        assert ours.is_step_collision_free(mesh, x, end)
    mesh.can_collide = lambda i, j: True
    assert ours.has_intersections(mesh, x) and not ours.is_step_collision_free(mesh, x, end)


def test_errors_of_functions_come_through():
    (mesh, _), x = soup(3, 0)

    def fails(i, j):
        raise KeyError(f"vertices {i} and {j}")

    mesh.can_collide = fails
    for call in (
        lambda: ours.Candidates().build(mesh, x, 0.1),
        lambda: ours.compute_collision_free_stepsize(mesh, x, x + 0.1),
        lambda: ours.has_intersections(mesh, x),
    ):
        with pytest.raises(KeyError, match="vertices"):
            call()


# Defect D11 of ipctk: with more than one thread this never ends.
MANY = """
import numpy as np, stiction, stiction.ipctk as ipctk
n = 60
i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
sheet = np.stack([i.ravel() / n, j.ravel() / n, np.zeros(n * n)], axis=1)
corner = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
faces = np.concatenate([np.stack([corner, corner + n, corner + n + 1], 1), np.stack([corner, corner + n + 1, corner + 1], 1)])
x = np.concatenate([sheet, sheet + [0.003, 0.004, 0.005]])
faces = np.concatenate([faces, faces + n * n])
mesh = ipctk.CollisionMesh(x, ipctk.edges(faces), faces)
ipctk.set_num_threads(2)
mesh.can_collide = lambda a, b: (a < n * n) != (b < n * n)
candidates = ipctk.Candidates()
candidates.build(mesh, x, 0.005)
assert len(candidates) > 10000, len(candidates)
step = ipctk.compute_collision_free_stepsize(mesh, x, x * [1, 1, -1])
assert 0 < step < 1
print(len(x), "vertices", len(candidates), "candidates")
"""


def test_functions_of_python_and_two_threads_end():
    run = subprocess.run([sys.executable, "-c", MANY], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert "7200 vertices" in run.stdout


def test_a_filter_is_copied_where_it_is_set():
    mesh, _ = of_scene(scenes.cubes(0))
    rule = ours.CollisionFilter()
    mesh.can_collide = rule
    rule &= ours.CollisionFilter(lambda i, j: False)
    assert mesh.can_collide(0, 1) and not rule(0, 1)
    mesh.can_collide &= ours.make_static_obstacle_filter(1)
    assert mesh.can_collide(0, 5) and not mesh.can_collide(4, 5)


def test_filters_by_pickle():
    mine = ours.make_vertex_patches_filter(LABELS) & ~ours.make_static_obstacle_filter(3)
    copy = pickle.loads(pickle.dumps(mine))
    assert all(copy(i, j) == mine(i, j) for i, j in itertools.permutations(range(7), 2))


def test_native_filters():
    x = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [2, 1.0]])
    surface = stiction.Surface(x, [[0, 1], [2, 3], [4, 5]], bodies=[0, 0, 0, 0, 1, 1])
    vertices = stiction.VertexFilter
    cases = [
        (vertices.bodies(surface), {(0, 4): True, (0, 2): False}),
        (vertices.components(surface), {(0, 2): True, (0, 1): False}),
        (vertices.fixed([0, 4]), {(0, 4): False, (0, 1): True}),
        (vertices.rings(surface, 1), {(0, 1): False, (0, 2): True}),
        (vertices.excluding([[2, 0]]), {(0, 2): False, (1, 2): True}),
        (vertices.patches([0, 1, 0, -1, -1, 1]), {(0, 2): False, (3, 4): True, (1, 5): False}),
    ]
    for rule, answers in cases:
        for (i, j), allowed in answers.items():
            assert rule(i, j) == rule(j, i) == allowed
            assert (~rule)(i, j) != allowed and (rule & rule)(i, j) == allowed and (rule | ~rule)(i, j)
    some = stiction.Filter(vertices.excluding([[0, 2]]))
    every = stiction.Filter(vertices.excluding([[0, 2]]), every=True)
    assert some.allows([0, 1], [2, 3]) and not every.allows([0, 1], [2, 3])
    assert not (some & every).allows([0, 1], [2, 3]) and (some | every).allows([0, 1], [2, 3])
    assert (~every).allows([0], [2]) and not stiction.Filter.excluding([[0, 2]]).allows([0, 1], [2, 3])
    count = lambda surface: len(stiction.candidates(surface, x, inflation=2.0)["ve"])  # noqa: E731
    assert count(surface) == 12
    assert count(surface.with_filter(stiction.Filter.bodies(surface))) == 8
    assert count(stiction.Surface(x, surface.edges, filter=stiction.Filter.fixed([0, 1, 2, 3]))) == 8
    assert count(surface.with_filter(stiction.Filter.components(surface)).with_filter(None)) == 12
    with pytest.raises(ValueError, match="filter"):
        surface.with_filter(stiction.Filter.fixed([9]))
    with pytest.raises(ValueError, match="expected a Filter"):
        surface.with_filter(3)


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda: ours.CollisionFilter(3), TypeError, "fn"),
        (lambda: ours.CollisionFilter()(-1, 0), ValueError, "vi: is -1"),
        (lambda: ours.CollisionFilter()(0, 1.5), TypeError, "vj"),
        (lambda: ours.CollisionFilter() & 3, TypeError, "other"),
        (lambda: ours.make_vertex_patches_filter([0.5]), ValueError, "patch_ids"),
        (lambda: ours.make_vertex_patches_filter([[0, 1]]), ValueError, "patch_ids"),
        (lambda: ours.make_vertex_patches_filter([0, 1])(0, 2), ValueError, "patch_ids"),
        (lambda: ours.make_static_obstacle_filter(-1), ValueError, "n_dynamic"),
        (lambda: ours.make_sparse_filter({(0, -1): False}, True), ValueError, "explicit_values"),
        (lambda: ours.make_connected_components_filter([[0, -1, 2]]), ValueError, "faces"),
        (
            lambda: setattr(
                ours.CollisionMesh(np.eye(3), [[0, 1]]), "can_collide", ours.make_vertex_patches_filter([0, 1])
            ),
            ValueError,
            "filter: labels of the filter has 2 entries, expected 3",
        ),
    ],
)
def test_wrong_input(call, error, match):
    with pytest.raises(error, match=match):
        call()
