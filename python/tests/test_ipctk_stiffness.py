"""Stiffness of the barrier in `stiction.ipctk` against ipctk: distances are squared here."""

import both
import ipctk as theirs
import numpy as np
import pytest
import scenes
from scipy.sparse import csc_matrix, random_array
from test_ipctk_normal import TIGHT, build, by_key

import stiction.ipctk as ours

BARRIERS = ("ClampedLogBarrier", "NormalizedClampedLogBarrier", "ClampedLogSqBarrier", "CubicBarrier", "TwoStageBarrier")


@pytest.mark.parametrize("barrier", BARRIERS)
@pytest.mark.parametrize("dmin", [0.0, 1e-3])
def test_initial_stiffness(barrier, dmin, agree):
    random = np.random.default_rng(0)
    for scale in (1e-6, 1.0, 1e6, 1e12, 0.0):
        energy, gradient = random.normal(size=30), random.normal(size=30) * scale
        arguments = (2.0, 1e-2, 0.5, energy, gradient, 1e11, dmin)
        found, expected = (
            m.initial_barrier_stiffness(arguments[0], getattr(m, barrier)(), *arguments[1:]) for m in (ours, theirs)
        )
        assert len(found) == 2
        agree("initial stiffness", np.log(found), np.log(expected), TIGHT)
    # Barriers that balance: between the bounds.
    energy = random.normal(size=30)
    found, expected = (
        m.initial_barrier_stiffness(
            bbox_diagonal=2.0,
            barrier=m.ClampedLogBarrier(),
            dhat=1e-2,
            average_mass=0.5,
            grad_energy=energy,
            grad_barrier=-energy / 3e4,
            min_barrier_stiffness_scale=1e15,
            dmin=dmin,
        )
        for m in (ours, theirs)
    )
    assert found == pytest.approx(expected, rel=1e-12)


def test_updated_stiffness():
    tiny = (1e-9 * 2.0) ** 2
    inf = float("inf")
    for before, now in [(0.5 * tiny, 0.4 * tiny), (0.4 * tiny, 0.5 * tiny), (2 * tiny, 0.5 * tiny), (0.5 * tiny, 2 * tiny), (1.0, 0.5), (inf, inf), (inf, 0.1 * tiny)]:
        for most in (10.0, 3.0, 1.0):
            for scale in (1e-9, 0.3):
                for dmin in (0.0, 0.1):
                    arguments = (before, now, most, 2.0, 2.0, scale, dmin)
                    assert ours.update_barrier_stiffness(*arguments) == pytest.approx(theirs.update_barrier_stiffness(*arguments), rel=1e-14)
    assert ours.update_barrier_stiffness(0.5 * tiny, 0.4 * tiny, 10.0, 2.0, 2.0) == 4.0


def hessian_of(scene, seed=0):
    """A sparse matrix with entries between all pairs of some vertices."""
    random = np.random.default_rng(seed)
    size = scene.x.size
    matrix = random_array((size, size), density=0.3, rng=random)
    return csc_matrix(matrix + matrix.T)


@both.each([scenes.cubes, scenes.tetrahedra, scenes.polygons], seeds=(0,))
def test_semi_implicit_stiffness(scene, agree):
    pair = both.of_scene(scene)
    sets = [build(m, mesh, scene) for m, mesh in zip((ours, theirs), pair)]
    masses, hessian = np.random.default_rng(1).uniform(0.5, 2.0, len(scene.x)), hessian_of(scene)
    dmin = 1e-4
    values = [m.semi_implicit_stiffness(mesh, scene.x, c, masses, hessian, dmin) for m, mesh, c in zip((ours, theirs), pair, sets)]
    named = []
    for collisions, mesh, found in zip(sets, pair, values):
        names = [next(iter(by_key([collisions[k]], mesh))) for k in range(len(collisions))]
        assert len(set(names)) == len(found) == len(collisions)
        named.append(dict(zip(names, found)))
    assert named[0].keys() == named[1].keys()
    for name in named[0]:
        assert named[0][name] == pytest.approx(named[1][name], rel=1e-9)


@both.each([scenes.tetrahedra, scenes.polygons], seeds=(0,))
def test_semi_implicit_stiffness_of_candidates_and_of_one(scene):
    mesh = both.of_scene(scene)[0]
    masses, hessian = np.random.default_rng(1).uniform(0.5, 2.0, len(scene.x)), hessian_of(scene)
    candidates = ours.Candidates()
    candidates.build(mesh, scene.x, 0.2 * scene.dhat)
    found = ours.semi_implicit_stiffness(mesh, scene.x, candidates, masses, hessian, 0.0)
    assert len(found) == len(candidates) > 0
    dense = hessian.toarray()
    for k in (0, len(candidates) // 2, len(candidates) - 1):
        one = candidates[k]
        ids = [i for i in one.vertex_ids(mesh.edges, mesh.faces) if i >= 0]
        rows = (np.array(ids)[:, None] * mesh.dim + np.arange(mesh.dim)).ravel()
        arguments = (scene.x[ids].ravel(), masses[ids], dense[np.ix_(rows, rows)], 0.0)
        assert ours.semi_implicit_stiffness(one, *arguments) == pytest.approx(found[k], rel=1e-12)
        kind, pair = type(one).__name__, one._pair()
        peer = theirs.semi_implicit_stiffness(getattr(theirs, kind)(*pair), *arguments)
        assert found[k] == pytest.approx(peer, rel=1e-9)


def test_semi_implicit_stiffness_of_planes():
    """D2: ipctk takes the position of a vertex for its vector to the plane."""
    x = np.array([[1.0, 0.0, 0.004]])
    mesh = ours.CollisionMesh(x, np.zeros((0, 2), int), np.zeros((0, 3), int))
    mesh.planes = [ours.Hyperplane([0, 0, 1.0], [0, 0, 0.0])]
    collisions = ours.NormalCollisions()
    collisions.build(mesh, x, 0.01)
    found = ours.semi_implicit_stiffness(mesh, x, collisions, [2.0], csc_matrix(np.diag([5.0, 6.0, 7.0])), 0.0)
    assert found == pytest.approx([2.0 / 0.004**2 + 7.0], rel=1e-12)
    one = ours.semi_implicit_stiffness(collisions[0], x.ravel(), [2.0], np.diag([5.0, 6.0, 7.0]), 0.0)
    assert one == pytest.approx(found[0], rel=1e-12)


def test_numbers_of_other_types_are_numbers():
    """Sums of integers and of short floats are not those of their types."""
    whole = np.array([70_000, 70_000, 3], dtype=np.int32)
    for kind in (np.int32, np.int64, np.float32):
        gradient = whole.astype(kind)
        found, expected = (
            m.initial_barrier_stiffness(1.0, m.ClampedLogBarrier(), 1e-2, 1.0, -7.0 * whole, gradient.astype(float) if m is theirs else gradient, 1e-8)
            for m in (ours, theirs)
        )
        assert np.allclose(found, expected, rtol=1e-6)
    for diagonal in (1.0, 1, np.float16(1), np.float32(1)):
        assert ours.update_barrier_stiffness(1e-20, 1e-21, 1e3, 1.0, diagonal) == 2.0
    assert ours.update_barrier_stiffness(1e-50, 1e-51, 1e3, 1.0, np.float32(1e-15)) == 2.0


@pytest.mark.parametrize("wrong", [2 + 0j, "2", np.array([2.0]), float("nan")])
def test_what_was_asked_before_does_not_make_wrong_numbers_right(wrong):
    barrier, gradient = ours.ClampedLogBarrier(), np.ones(3)
    ours.initial_barrier_stiffness(2.0, barrier, 1e-2, 1.0, gradient, gradient)
    with pytest.raises((TypeError, ValueError), match="bbox_diagonal") if not isinstance(wrong, np.ndarray) else pytest.raises((TypeError, ValueError)):
        ours.initial_barrier_stiffness(wrong, barrier, 1e-2, 1.0, gradient, gradient)


def test_a_shorter_number_that_compares_equal_is_another():
    barrier, gradient = ours.ClampedLogBarrier(), np.ones(3)
    for kind in (np.float16, np.float32):
        short = ours.initial_barrier_stiffness(2.0, barrier, kind(0.1), 1.0, gradient, gradient)
        assert ours.initial_barrier_stiffness(2.0, barrier, 0.1, 1.0, gradient, gradient) != short
