"""Friction of pairs of materials, along grain, on obstacles that move; forces between bodies, what friction did, refinement."""

import copy
import pickle

import numpy as np
import pytest

import stiction

EPS_V = 1e-3


def stack(obstacles=(), bodies=None):
    """A large triangle with a small one 0.05 m above it, and a tiny one 0.05 m above that; the first 0.05 m above the plane z = −0.05."""
    large = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0]])
    small = np.array([[1.0, 1, 0.05], [1.3, 1, 0.05], [1, 1.3, 0.05]])
    # So far inside that only vertices are near faces.
    tiny = np.array([[1.08, 1.08, 0.1], [1.1, 1.08, 0.1], [1.08, 1.1, 0.1]])
    x = np.concatenate([large, small, tiny])
    surface = stiction.Surface(x, [], [[0, 1, 2], [3, 4, 5], [6, 7, 8]], bodies=bodies)
    return stiction.Contacts(surface, x, 0.08, obstacles), x


PLANE = stiction.Plane([0, 0, -0.05], [0, 0, 2.0])
BARRIER = stiction.BarrierPotential(0.08, 1e4)
FRICTION = stiction.FrictionPotential(EPS_V)


def slides(mu, obstacles=(PLANE,), **more):
    contacts, x = stack(obstacles)
    return stiction.Slides(contacts, x, BARRIER, mu, **more), x


def sliding(x, *velocities):
    """Velocities of the three bodies."""
    return np.repeat(np.array(velocities, float), 3, axis=0)


def between(coefficients, v, **more):
    found, _ = slides(coefficients, **more)
    forces = FRICTION.forces_between(found, v)
    return {(f["first"], f["second"]): np.linalg.norm(f["friction"]) / f["normal_force"] for f in forces}


BODIES = [("body", 0), ("body", 1), ("body", 2), ("obstacle", 0)]


def test_pairs_of_materials():
    pairs = {("steel", "rubber"): (1.0, 0.8), ("rubber", "wood"): 0.3, ("steel", "ice"): 0.05}
    v = sliding(None, [1, 0, 0], [2, 0, 0], [4, 0, 0])
    by_body = stiction.Coefficients(0.6, pairs, bodies=["steel", "rubber", "wood"], obstacles=["ice"])
    by_vertex = stiction.Coefficients(0.6, pairs, ["steel"] * 3 + ["rubber"] * 3 + ["wood"] * 3, obstacles=["ice"])
    for coefficients in (by_body, by_vertex, pickle.loads(pickle.dumps(by_body))):
        found = between(coefficients, v)
        assert found[BODIES[0], BODIES[1]] == pytest.approx(0.8)  # kinetic
        assert found[BODIES[1], BODIES[2]] == pytest.approx(0.3)
        assert found[BODIES[0], BODIES[3]] == pytest.approx(0.05)
    assert between(stiction.Coefficients(0.6, pairs, bodies=["steel", "rubber", "wood"]), v)[BODIES[0], BODIES[3]] == pytest.approx(0.6)
    # The same numbers as without a table.
    assert between(stiction.Coefficients(0.6), v) == between(0.6, v)
    assert between(stiction.Coefficients((0.6, 0.4)), v) == between(0.6, v, mu_k=0.4)


def test_vertices_with_two_coefficients():
    v = sliding(None, [0, 0, 0], [1, 0, 0], [2, 0, 0])
    one, two = np.full(9, 0.4), np.tile([0.4, 0.25], (9, 1))
    assert between(stiction.Coefficients(vertices=one, blend="maximum"), v)[BODIES[0], BODIES[1]] == pytest.approx(0.4)
    assert between(stiction.Coefficients(vertices=two), v)[BODIES[0], BODIES[1]] == pytest.approx(0.25)


def test_elliptic_friction_follows_grain_and_directions():
    along = sliding(None, [0, 0, 0], [1, 0, 0], [1, 0, 0])
    across = sliding(None, [0, 0, 0], [0, 1, 0], [0, 1, 0])
    pair = BODIES[0], BODIES[1]
    for direction in ([2, 0, 0], "grain"):
        entry = stiction.FrictionEntry(ellipse=(0.2, 0.7), direction=direction)
        grain = np.tile([3.0, 0, 0], (9, 1))
        for options in ({"grain": grain}, {"face_grain": grain[:3]}):
            coefficients = stiction.Coefficients(entry, **options)
            assert between(coefficients, along)[pair] == pytest.approx(0.2)
            assert between(coefficients, across)[pair] == pytest.approx(0.7)
    scaled = stiction.Coefficients(stiction.FrictionEntry(0.5, scaling=(1.0, 0.4), direction=[1, 0, 0]))
    assert between(scaled, across)[pair] == pytest.approx(between(0.5, across, scaling=(1.0, 0.4), direction=[1, 0, 0])[pair])
    matches = stiction.FrictionEntry(0.5, static_axes=(0.5, 0.9), direction=[1, 0, 0])
    found, _ = slides(stiction.Coefficients(matches))
    found.refresh_anisotropy(across)
    assert found.mu[:3, 0] == pytest.approx(0.9)  # of the slides that move: vertices of the second triangle


def test_obstacles_that_move():
    still = sliding(None, [0, 0, 0], [0, 0, 0], [0, 0, 0])
    belt = stiction.Plane([0, 0, -0.05], [0, 0, 1], velocity=[0, 2, 0])
    found, _ = slides(0.5, [belt])
    (force,) = [f for f in FRICTION.forces_between(found, still) if f["second"][0] == "obstacle"]
    assert force["friction"] == pytest.approx([0, 0.5 * force["normal_force"], 0])
    # A turntable: friction on each vertex is along ω × (p − o).
    table = stiction.Plane([0, 0, -0.05], [0, 0, 1], spin=[0, 0, 3.0], about=[1, 1, 0])
    found, x = slides(0.5, [table])
    forces = -FRICTION.gradient(found, still)[:3]
    expected = np.cross([0, 0, 3.0], x[:3] - [1, 1, 0])
    assert np.cross(forces, expected) == pytest.approx(0, abs=1e-9) and (np.sum(forces * expected, axis=1) > 0).all()
    disc = stiction.Surface([[0.0, 0.05], [1, 0.05]], [[0, 1]])
    wheel = stiction.Sphere([0, -1], 1.0, spin=2.0, about=[0, -1])
    contacts = stiction.Contacts(disc, disc.rest, 0.1, [wheel])
    assert contacts.counts["obstacle"] == 1 and contacts.smallest_gap(disc.rest) == pytest.approx(0.05)
    flat = stiction.Slides(contacts, disc.rest, BARRIER, 0.5)
    assert -FRICTION.gradient(flat, np.zeros((2, 2)))[0, 0] < 0


def test_cylinders_and_step_bounds():
    roller = stiction.Cylinder([0, 0, -1], [1, 0, 0], 0.9)
    contacts, x = stack([roller])
    assert contacts.obstacle_numbers.tolist() == [] and roller.dimension == 3
    step = np.tile([0, 0, -0.2], (9, 1))
    bound = stiction.largest_step(contacts_surface(), x, step, [roller])
    assert 0.4 < bound < 0.51
    region = stiction.TrustRegion(contacts_surface(), 0.2, [roller])
    region.update(x)
    assert region.radii[0] < 0.05
    near = stiction.candidates(contacts_surface(), x, inflation=1.0)
    distance, (kind, vertex, face) = stiction.smallest_distance(contacts_surface(), x, near, [roller])
    assert distance == pytest.approx(0.05) and kind == "vf" and (vertex, face) in [(3, 0), (6, 1)]
    distance, pair = stiction.smallest_distance(contacts_surface(), x - [0, 0, 0.08], near, [roller])
    assert (distance, pair[0]) == (pytest.approx(0.02), "obstacle")
    empty = {kind: [] for kind in ("vv", "ve", "ee", "vf")}
    assert stiction.smallest_distance(contacts_surface(), x, empty) is None


def contacts_surface():
    contacts, x = stack()
    return stiction.Surface(x, [], [[0, 1, 2], [3, 4, 5], [6, 7, 8]])


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_obstacles_are_stored(copied):
    obstacles = [
        stiction.Plane([0.1, 0.2, -0.05], [0.01, -0.02, 3], velocity=[1, 2, 3], spin=[0, 0, 1], about=[1, 1, 1]),
        stiction.Sphere([5, 5, -5], 4.9),
        stiction.Cylinder([0, 0, -1], [1, 0.1, 0], 0.95, spin=[1, 0, 0]),
    ]
    assert [repr(copied(obstacle)) for obstacle in obstacles] == [repr(obstacle) for obstacle in obstacles]
    contacts, x = stack(obstacles)
    v = np.sin(np.arange(27.0)).reshape(9, 3)
    other = copied(contacts)
    expected = FRICTION.gradient(stiction.Slides(contacts, x, BARRIER, 0.5), v)
    assert np.array_equal(FRICTION.gradient(stiction.Slides(other, x, BARRIER, 0.5), v), expected)
    assert np.array_equal(FRICTION.gradient(copied(stiction.Slides(contacts, x, BARRIER, 0.5)), v), expected)


def test_forces_of_slides_add_up():
    found, x = slides(0.5)
    v = sliding(x, [1, 0, 0], [2, 1, 0], [4, -1, 0])
    each = FRICTION.slide_forces(found, v)
    assert each.shape == (len(found), 3)
    sizes = np.linalg.norm(each, axis=1) / found.normal_forces
    assert sizes == pytest.approx(0.5)
    total = sum(f["friction"] for f in FRICTION.forces_between(found, v) if ("obstacle", 0) == f["second"])
    assert total == pytest.approx(-FRICTION.gradient(found, v).sum(axis=0))


def test_what_friction_did():
    found, x = slides(0.5)
    v, h = sliding(x, [0, 0, 0], [2, 0, 0], [2, 0, 0]), 0.01
    account = stiction.FrictionPotential(EPS_V, h_hat=h).account(found, v, x - h * v, x, h)
    middle = [f for f in FRICTION.forces_between(found, v) if f["first"] == ("body", 0) and f["second"] == ("body", 1)]
    assert account["dissipation"] == pytest.approx(0.5 * middle[0]["normal_force"] * 2 * h)
    assert account["slip"] == middle[0]["slides"] and account["stick"] + account["slip"] == len(found)
    assert account["separated"] == 0 and account["cone_excess"] == 0
    gone = stiction.FrictionPotential(EPS_V).account(found, v, x, x + sliding(x, [0, 0, 1], [0, 0, 2], [0, 0, 3]), h)
    assert gone["separated"] == len(found) and gone["cone_excess"] > 0


class Halving:
    """A problem whose friction changes by half as much every time."""

    def __init__(self, factor=0.5):
        self.factor, self.solved, self.relagged = factor, 0, 0

    def solve(self):
        self.solved += 1

    def measure(self):
        return self.factor**self.solved, 1.0

    def relag(self):
        self.relagged += 1


def test_refinement():
    problem = Halving()
    found = stiction.refine(problem.solve, problem.measure, problem.relag, tolerance=0.1)
    assert found == {
        "outcome": "converged", "rounds": 4, "residual": 0.0625, "changes": [0.5, 0.25, 0.125, 0.0625], "contraction": 0.5,
    }
    assert (problem.solved, problem.relagged) == (4, 3)
    assert stiction.refine(*parts(Halving()), rounds=2)["outcome"] == "exhausted"
    assert stiction.refine(*parts(Halving(2.0)), rounds=50)["outcome"] == "diverged"
    problem = Halving()
    with pytest.raises(ZeroDivisionError):
        stiction.refine(problem.solve, problem.measure, lambda: 1 / 0)
    assert problem.solved == 1
    with pytest.raises(TypeError):
        stiction.refine(problem.solve, lambda: None, problem.relag)
    with pytest.raises(ValueError, match="rounds"):
        stiction.refine(*parts(problem), rounds=0)


def parts(problem):
    return problem.solve, problem.measure, problem.relag


def test_changes_of_slides():
    contacts, x = stack((PLANE,))
    v = sliding(x, [0, 0, 0], [2, 0, 0], [2, 0, 0])
    used = stiction.Slides(contacts, x, BARRIER, 0.5)
    again = stiction.Slides(contacts, x, BARRIER, 0.75)
    change, scale = FRICTION.change(used, again, v)
    assert change / scale == pytest.approx(1 / 3) and FRICTION.change(used, used, v)[0] == 0


BAD = {
    "unknown material": (stiction.Coefficients(0, {("a", "b"): 0.5}, bodies=["a", "b", "c"]), "bodies: .*c"),
    "no materials": (stiction.Coefficients(0, {("a", "b"): 0.5}), "materials: give those"),
    "materials of too few": (stiction.Coefficients(0, {("a", "b"): 0.5}, ["a", "b"]), "materials of vertices has 2 entries, expected 9"),
    "obstacles of too many": (
        stiction.Coefficients(0, {("a", "b"): 0.5}, ["a"] * 9, obstacles=["a", "b"]),
        "materials of obstacles has 2 entries, expected 1",
    ),
    "a word for words": (stiction.Coefficients(0, {("a", "b"): 0.5}, "aaaaaaaaa"), "materials: expected a sequence of words"),
    "negative": (stiction.Coefficients(0, {("a", "b"): -0.5}, ["a"] * 9), 'pairs: .*"a" and "b".*-0.5'),
    "twice": (stiction.Coefficients(0, {("a", "b"): 0.5, ("b", "a"): 0.5}, ["a"] * 9), "pairs: .*friction between"),
    "key": (stiction.Coefficients(0, {"a": 0.5}, ["a"] * 9), "pairs: expected a dictionary"),
    "no friction": (stiction.Coefficients("much"), "default: expected a number"),
    "grain that is missing": (stiction.Coefficients(stiction.FrictionEntry(0.5, scaling=(1, 2), direction="grain")), "grain"),
    "grain of too few": (stiction.Coefficients(0.5, grain=[[1, 0, 0]]), "grain: .*1 entries, expected 9"),
    "unknown direction": (stiction.Coefficients(stiction.FrictionEntry(0.5, direction="up")), 'default: direction "up"'),
    "ellipse and scaling": (stiction.Coefficients(stiction.FrictionEntry(ellipse=(1, 1), scaling=(1, 1))), "default: ellipse"),
    "vertices of too few": (stiction.Coefficients(vertices=[0.5]), "mu of vertices has 1 entries, expected 9"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_coefficients_name_the_place(name):
    coefficients, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        slides(coefficients)


def test_coefficients_go_alone():
    for options in ({"mu_k": 0.1}, {"blend": "mean"}, {"scaling": (1, 2)}):
        with pytest.raises(ValueError, match=f"{next(iter(options))}: means nothing where mu is a Coefficients"):
            slides(stiction.Coefficients(0.5), **options)


BAD_OBSTACLES = {
    "radius": (lambda: stiction.Sphere([0, 0], -1.0), "radius of sphere = -1"),
    "one coordinate": (lambda: stiction.Plane([0], [1]), "1 coordinates, expected 2 or 3"),
    "mixed": (lambda: stiction.Plane([0, 0, 0], [1, 0]), "normal: has 2 numbers, expected 3"),
    "flat cylinder": (lambda: stiction.Cylinder([0, 0], [1, 0], 1.0), "cylinder.* = 2 .*disc"),
    "velocity": (lambda: stiction.Plane([0, 0], [1, 0], velocity=[1, 2, 3]), "velocity: has 3 numbers, expected 2"),
    "velocity NaN": (lambda: stiction.Plane([0, 0], [1, 0], velocity=[1, np.nan]), "velocity of obstacle"),
    "spin in 3D": (lambda: stiction.Sphere([0, 0, 0], 1.0, spin=1.0), "spin of obstacle has 1 entries, expected 3"),
    "of another dimension": (lambda: stack([stiction.Plane([0, 0], [1, 0])]), r"obstacles\[0\]: has 2 coordinates, expected 3"),
    "no obstacle": (lambda: stack([3]), r"obstacles\[0\]: expected a Plane"),
}


@pytest.mark.parametrize("name", BAD_OBSTACLES)
def test_bad_obstacles_name_the_place(name):
    make, message = BAD_OBSTACLES[name]
    with pytest.raises(ValueError, match=message):
        make()
    with pytest.raises(TypeError):
        stiction.Obstacle()
