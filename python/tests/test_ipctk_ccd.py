"""Continuous collision detection of `stiction.ipctk` against ipctk's."""

import subprocess
import sys
from fractions import Fraction

import ipctk
import numpy as np
import pytest
import scenes
from both import each, of_scene, soup
from test_parity_normal import WORKLOADS, from_workload

import stiction
import stiction.ipctk as ours

QUERIES = {
    "point_point_ccd": (2, (2, 3)),
    "point_edge_ccd": (3, (2, 3)),
    "point_triangle_ccd": (4, (3,)),
    "edge_edge_ccd": (4, (3,)),
}
KIND = {"point_point_ccd": "vv", "point_edge_ccd": "ve", "point_triangle_ccd": "vf", "edge_edge_ccd": "ee"}


def queries(name, count=150):
    """Motions of a pair, most of which bring it close."""
    vertices, dimensions = QUERIES[name]
    random = np.random.default_rng(len(name))
    for k in range(count):
        dimension = dimensions[k % len(dimensions)]
        start = random.normal(size=(vertices, dimension))
        if k % 3 == 0:
            end = start + random.normal(size=start.shape)
        elif vertices == 2:
            end = start[::-1] + 1e-5 * random.normal(size=start.shape)
        else:
            end = start.mean(axis=0) + 0.3 * random.normal(size=start.shape)
        yield start, end


def distance(name, x):
    return np.sqrt(stiction.closest_distance_squared(KIND[name], x))


def closest_until(name, start, end, until=1.0):
    """The smallest of many distances on the way."""
    return min(distance(name, start + t * (end - start)) for t in np.linspace(0.0, until, 400))


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("min_distance", [0.0, 0.05])
def test_pairs(name, min_distance):
    """What is kept is kept exactly, and found wherever ipctk finds it.

    ipctk encloses the vector between two points in cubes, not balls: it stops earlier, or where nothing comes too close. Where
    cubes meet at the start it starts again with another rule, and may then come closer than the minimum distance.
    """
    mine, peer = (getattr(module.TightInclusionCCD(), name) for module in (ours, ipctk))
    hits = 0
    for start, end in queries(name):
        hit, toi = mine(*start, *end, min_distance)
        theirs, their_toi = peer(*start, *end, min_distance)
        room = distance(name, start) - min_distance
        kept = min_distance + min(0.2 * room, 1e-4)
        assert theirs or not hit
        if not hit:
            assert toi == np.inf and closest_until(name, start, end) > kept
        elif room <= 0:
            assert toi == their_toi == 0.0
        else:
            hits += 1
            assert distance(name, start + toi * (end - start)) == pytest.approx(kept, rel=2e-3)
            assert closest_until(name, start, end, toi) > (1 - 1e-9) * kept
            assert toi >= their_toi - 1e-6 or distance(name, start + their_toi * (end - start)) < min_distance
    assert hits > 10


@pytest.mark.parametrize("name", QUERIES)
def test_additive(name):
    """A tenth of the distance is kept; ipctk may find no contact where less is left in the end."""
    mine, peer = (getattr(module.AdditiveCCD(), name) for module in (ours, ipctk))
    hits = 0
    for start, end in queries(name):
        hit, toi = mine(*start, *end)
        theirs, their_toi = peer(*start, *end)
        kept = 0.1 * distance(name, start)
        if hit:
            hits += 1
            assert not theirs or toi >= their_toi * (1 - 1e-6)
            assert distance(name, start + toi * (end - start)) == pytest.approx(kept, rel=2e-3)
        else:
            assert toi == np.inf and closest_until(name, start, end) > kept
    assert hits > 10


def test_limits_of_time():
    ccd = ours.TightInclusionCCD()
    far, near = np.array([0.0, 0]), np.array([1.0, 0])
    assert ccd.point_point_ccd(far, near, near, near) == (True, pytest.approx(0.9999, abs=1e-6))
    assert ccd.point_point_ccd(far, near, near, near, tmax=0.5) == (False, np.inf)
    assert ccd.point_point_ccd(far, near, near, near, 2.0) == (True, 0.0)
    assert ccd.point_point_ccd(far, near, far, near) == (False, np.inf)
    assert ccd.point_point_ccd(far, far, near, near) == (True, 0.0)
    ccd.conservative_rescaling = 0.99999
    assert ccd.point_point_ccd(far, near, near, near)[1] == pytest.approx(0.99999, abs=1e-6)


@pytest.mark.parametrize("name", QUERIES)
def test_ccd_of_stencils(name):
    stencil = {
        "point_point_ccd": ours.VertexVertexCandidate,
        "point_edge_ccd": ours.EdgeVertexCandidate,
        "point_triangle_ccd": ours.FaceVertexCandidate,
        "edge_edge_ccd": ours.EdgeEdgeCandidate,
    }[name](0, 1)
    for start, end in queries(name, 10):
        for ccd in (ours.TightInclusionCCD(), ours.AdditiveCCD()):
            assert stencil.ccd(start.ravel(), end.ravel(), 0.01, 0.9, ccd) == getattr(ccd, name)(*start, *end, 0.01, 0.9)
    assert stencil.ccd(start.ravel(), end.ravel()) == getattr(ours.TightInclusionCCD(), name)(*start, *end)


def check_steps(mine, peer, x, size, method="TightInclusionCCD"):
    """Our step is that of ipctk or longer, and leaves no crossing."""
    end = x + size * np.random.default_rng(1).normal(size=x.shape)
    narrow = [getattr(module, method)() for module in (ours, ipctk)]
    step = ours.compute_collision_free_stepsize(mine, x, end, narrow_phase_ccd=narrow[0])
    theirs = ipctk.compute_collision_free_stepsize(peer, x, end, narrow_phase_ccd=narrow[1])
    assert 0 < step <= 1
    assert step == 1 == theirs or step >= theirs * (1 - 1e-9)
    reached = x + step * (end - x)
    assert ours.is_step_collision_free(mine, x, reached, narrow_phase_ccd=narrow[0])
    assert not ours.has_intersections(mine, reached) and not ipctk.has_intersections(peer, reached)
    if step < 1:
        assert not ours.is_step_collision_free(mine, x, end) or theirs < 1
    return step, theirs


@each()
@pytest.mark.parametrize("method", ["TightInclusionCCD", "AdditiveCCD"])
def test_steps_of_scenes(scene, method):
    mine, peer = of_scene(scene)
    steps = [check_steps(mine, peer, scene.x, size, method) for size in (0.01, 0.1, 1.0)]
    assert min(step for step, _ in steps) < 1
    if method == "TightInclusionCCD":
        # The same rule for what is kept: the difference is what boxes of ipctk are too large.
        assert all(step - theirs < 0.05 * step for step, theirs in steps)


@pytest.mark.parametrize("name, size", WORKLOADS)
def test_steps_of_workloads(name, size):
    scene = from_workload(name, size)
    mine, peer = of_scene(scene)
    check_steps(mine, peer, scene.x, 2 * scene.dhat)


@pytest.mark.parametrize("dimension", [2, 3])
def test_steps_with_loose_vertices_and_edges(dimension):
    (mine, peer), x = soup(dimension, 0, 20 if dimension == 2 else 30)
    if ipctk.has_intersections(peer, x):
        pytest.skip("crosses from the start")
    check_steps(mine, peer, x, 0.1)


def test_steps_towards_planes():
    scene = scenes.on_planes(0)
    mine, _ = of_scene(scene)
    for end in (scene.x - [0, 0, 1.0], scene.x - [1.0, 0, 0]):
        step = ours.compute_collision_free_stepsize(mine, scene.x, end)
        assert 0 < step < 0.2 and not ours.is_step_collision_free(mine, scene.x, end)
        candidates = ours.Candidates()
        candidates.build(mine, scene.x, end, 0.01)
        assert candidates.compute_collision_free_stepsize(mine, scene.x, end) == pytest.approx(step, rel=1e-2)
        assert not candidates.is_step_collision_free(mine, scene.x, end)
        reached = scene.x + step * (end - scene.x)
        assert ours.is_step_collision_free(mine, scene.x, reached)
        assert all(((reached - point) @ np.array(normal) > 0).all() for point, normal in scene.planes)


@each([scenes.sheets, scenes.cubes, scenes.polygons], seeds=[0])
def test_all_broad_phases_give_the_same_step(scene):
    mesh, _ = of_scene(scene)
    end = scene.x + 0.1 * np.random.default_rng(1).normal(size=scene.x.shape)
    methods = [None, *(getattr(ours, name)() for name in ("LBVH", "BruteForce", "HashGrid", "SpatialHash", "SweepAndPrune"))]
    methods.append(type("Mine", (ours.BruteForce,), {})())
    steps = {ours.compute_collision_free_stepsize(mesh, scene.x, end, 1e-3, method) for method in methods}
    assert len(steps) == 1
    assert len({ours.has_intersections(mesh, end, method) for method in methods}) == 1
    candidates = ours.Candidates()
    candidates.build(mesh, scene.x, end, 0.5e-3)
    assert steps == {candidates.compute_collision_free_stepsize(mesh, scene.x, end, 1e-3)}


class Counting(ours.NarrowPhaseCCD):
    """A narrow phase of Python that asks another one."""

    def __init__(self):
        super().__init__()
        self.inner, self.asked = ours.TightInclusionCCD(), 0

    def point_point_ccd(self, *args, **kwargs):
        self.asked += 1
        return self.inner.point_point_ccd(*args, **kwargs)

    def point_edge_ccd(self, *args, **kwargs):
        self.asked += 1
        return self.inner.point_edge_ccd(*args, **kwargs)

    def point_triangle_ccd(self, *args, **kwargs):
        self.asked += 1
        return self.inner.point_triangle_ccd(*args, **kwargs)

    def edge_edge_ccd(self, *args, **kwargs):
        self.asked += 1
        return self.inner.edge_edge_ccd(*args, **kwargs)


@each([scenes.cubes, scenes.polygons], seeds=[0])
def test_a_narrow_phase_of_the_caller(scene):
    mesh, _ = of_scene(scene)
    end = scene.x + 0.1 * np.random.default_rng(1).normal(size=scene.x.shape)
    ccd = Counting()
    step = ours.compute_collision_free_stepsize(mesh, scene.x, end, narrow_phase_ccd=ccd)
    native = ours.compute_collision_free_stepsize(mesh, scene.x, end)
    # Pairs by themselves keep a part of their own distance, all together of the smallest one.
    assert ccd.asked > 10 and 0 < step <= native
    assert not ours.is_step_collision_free(mesh, scene.x, end, narrow_phase_ccd=ccd)

    class Fails(ours.TightInclusionCCD):
        def edge_edge_ccd(self, *args):
            raise ArithmeticError("asked")

        point_edge_ccd = edge_edge_ccd

    with pytest.raises(ArithmeticError, match="asked"):
        ours.compute_collision_free_stepsize(mesh, scene.x, end, narrow_phase_ccd=Fails())


def exactly_crossing(e0, e1, f0, f1, f2):
    """Whether an edge and a face share a point, in fractions."""
    points = [[Fraction(value) for value in point] for point in (e0, e1, f0, f1, f2)]

    def volume(a, b, c, d):
        u, v, w = ([q - p for p, q in zip(a, r)] for r in (b, c, d))
        return (
            u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0])
        )

    p, q, a, b, c = points
    if volume(p, a, b, c) * volume(q, a, b, c) > 0:
        return False
    signs = [volume(p, q, *pair) for pair in ((a, b), (b, c), (c, a))]
    return all(s >= 0 for s in signs) or all(s <= 0 for s in signs)


@pytest.mark.parametrize("seed", range(6))
def test_crossings(seed):
    random = np.random.default_rng(seed)
    (mesh, peer), x = soup(3, seed, 40)
    x = x + 0.1 * random.normal(size=x.shape)
    wanted = any(
        not set(e) & set(f) and exactly_crossing(*x[e], *x[f]) for e in mesh.edges.tolist() for f in mesh.faces.tolist()
    )
    assert ours.has_intersections(mesh, x) == wanted == ipctk.has_intersections(peer, x)
    assert ours.has_intersections(mesh, x, type("Mine", (ours.BruteForce,), {})()) == wanted


def test_the_search_ends():
    """Faces that slide along each other, touching all the time: ipctk's search does not end in reasonable time."""
    code = """
import numpy as np, stiction.ipctk as ipctk
ccd = ipctk.TightInclusionCCD()
a = np.array([[0.0, 0, 0], [1, 0, 0]]); b = np.array([[0.0, 0, 1e-12], [1, 0, 1e-12]])
for _ in range(1000):
    ccd.edge_edge_ccd(*a, *b, *(a + [0.3, 0, 0]), *b)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert run.returncode == 0, run.stderr


def test_inexact_point_edge():
    random = np.random.default_rng(0)
    hits = 0
    for _ in range(200):
        x = random.normal(size=(6, 2))
        mine, peer = (module.inexact_point_edge_ccd_2D(*x, 0.8) for module in (ours, ipctk))
        assert mine[0] == peer[0]
        if mine[0]:
            hits += 1
            assert mine[1] == pytest.approx(peer[1], rel=1e-6)
    assert hits > 10


class Straight(ours.NonlinearTrajectory):
    def __init__(self, start, end):
        super().__init__()
        self.start, self.end = np.array(start, float), np.array(end, float)

    def __call__(self, t):
        return self.start + t * (self.end - self.start)

    def max_distance_from_linear(self, t0, t1):
        return 0.0


class Turning(Straight):
    """A point at distance r that turns by an angle around 0."""

    def __init__(self, radius, start, angle):
        super(Straight, self).__init__()
        self.radius, self.first, self.angle = radius, start, angle

    def __call__(self, t):
        phi = self.first + t * self.angle
        return self.radius * np.array([np.cos(phi), np.sin(phi)])

    def max_distance_from_linear(self, t0, t1):
        return self.radius * (1 - np.cos(min(abs(self.angle) * (t1 - t0), 2 * np.pi) / 2))


def test_curved_ways():
    ccd = ours.NonlinearCCD(conservative_rescaling=0.9)
    point = Straight([0.0, 0.5], [0.0, 0.5])
    hit, toi = ccd.point_edge_ccd(point, Turning(1.0, np.pi, np.pi), Turning(1.0, 0.0, np.pi))
    assert hit and 0.49 <= toi <= 0.5
    assert ccd.point_edge_ccd(point, Turning(1.0, np.pi, 1.4), Turning(1.0, 0.0, 1.4)) == (False, np.inf)
    hit, toi = ccd.point_point_ccd(Straight([-1, 0, 0], [1, 0, 0]), Straight([0, -1, 0], [0, 1, 0]))
    assert hit and 0.5 - 1e-6 < toi < 0.5
    assert ccd.point_point_ccd(point, point) == (True, 0.0)
    edge = [Straight([-1, 0, 1], [-1, 0, -1]), Straight([1, 0, 1], [1, 0, -1])]
    other = [Straight([0, -1, 0], [0, -1, 0]), Straight([0, 1, 0], [0, 1, 0])]
    hit, toi = ccd.edge_edge_ccd(*edge, *other)
    assert hit and toi == pytest.approx(0.5, abs=1e-6)
    third = Straight([3, 3, 0], [3, 3, 0])
    hit, toi = ccd.point_triangle_ccd(Straight([0.1, 0.2, 1], [0.1, 0.2, -1]), *other, third, min_distance=0.2, tmax=0.9)
    assert hit and toi == pytest.approx(0.4, abs=1e-6)
    with pytest.raises(NotImplementedError, match="__call__"):
        ccd.point_point_ccd(ours.NonlinearTrajectory(), point)
    with pytest.raises(NotImplementedError, match="IntervalNonlinearTrajectory"):
        ours.IntervalNonlinearTrajectory()


def test_single_queries_of_tight_inclusion():
    mine, peer = ours.tight_inclusion, ipctk.tight_inclusion
    for name in ("edge_edge_ccd", "point_triangle_ccd"):
        hits = 0
        for start, end in queries(name):
            args = (*start, *end, 0.01)
            hit, toi, tolerance = getattr(mine, name)(*args)
            theirs = getattr(peer, name)(*args)
            assert tolerance == 1e-6 and (theirs[0] or not hit)
            if distance(name, start) <= 0.01:
                assert (hit, toi) == (True, 0.0)
            elif hit:
                hits += 1
                assert toi >= theirs[1] - 1e-9
                assert distance(name, start + toi * (end - start)) == pytest.approx(0.01, rel=1e-3)
            else:
                assert toi == np.inf and closest_until(name, start, end) > 0.01
        assert hits > 10
    for face in (True, False):
        for least in (True, False):
            args = (np.array([-1, -1, 0.0]), np.array([0.5, 1, 1.0]), face, least)
            np.testing.assert_allclose(mine.compute_ccd_filters(*args), peer.compute_ccd_filters(*args), rtol=1e-14)
            # In a larger box rounding is larger, which ipctk leaves out.
            assert (mine.compute_ccd_filters(2 * args[0], 2 * args[1], face, least)[1:] > 7e-15 * 7).all()
    assert int(mine.BREADTH_FIRST_SEARCH) == int(peer.BREADTH_FIRST_SEARCH)


def test_constants():
    for name in ("DEFAULT_TOLERANCE", "DEFAULT_MAX_ITERATIONS", "DEFAULT_CONSERVATIVE_RESCALING", "SMALL_TOI"):
        assert getattr(ours.TightInclusionCCD, name) == getattr(ipctk.TightInclusionCCD, name)
    assert ours.AdditiveCCD().conservative_rescaling == ipctk.AdditiveCCD().conservative_rescaling == 0.9
    assert ours.TightInclusionCCD().conservative_rescaling == ipctk.TightInclusionCCD().conservative_rescaling == 0.8
    assert ours.TightInclusionCCD().max_iterations == ipctk.TightInclusionCCD().max_iterations


def test_intervals_are_not_available():
    from stiction.ipctk.filib import Interval

    with pytest.raises(NotImplementedError, match="Interval"):
        Interval(1)
    for name in (name for name in dir(ipctk.filib) if not name.startswith("_") and name != "Interval"):
        with pytest.raises(NotImplementedError, match=name):
            getattr(ours.filib, name)
    assert not hasattr(ours.filib, "__path__")


DROP_IN = """
import sys, stiction
stiction.use_as_ipctk()
import ipctk, ipctk.ogc, ipctk.filib, ipctk.tight_inclusion
from ipctk.filib import Interval
from ipctk import CollisionMesh
assert ipctk.__name__ == "stiction.ipctk" and sys.modules["ipctk.ogc"] is stiction.ipctk.ogc
stiction.use_as_ipctk()
"""
TOO_LATE = "import ipctk, stiction\nstiction.use_as_ipctk()"


def test_use_as_ipctk():
    run = subprocess.run([sys.executable, "-c", DROP_IN], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    run = subprocess.run([sys.executable, "-c", TOO_LATE], capture_output=True, text=True)
    assert run.returncode == 1 and "RuntimeError: ipctk was imported already" in run.stderr


M, X = ours.CollisionMesh(np.eye(3), [[0, 1], [1, 2]]), np.eye(3)


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda: ours.compute_collision_free_stepsize(3, X, X), TypeError, "mesh"),
        (lambda: ours.compute_collision_free_stepsize(M, X[:2], X), ValueError, "vertices_t0"),
        (lambda: ours.compute_collision_free_stepsize(M, X, X + np.inf), ValueError, "vertices_t1"),
        (lambda: ours.compute_collision_free_stepsize(M, X, X, -1), ValueError, "min_distance"),
        (lambda: ours.compute_collision_free_stepsize(M, X, X, 0, "LBVH"), TypeError, "broad_phase"),
        (lambda: ours.compute_collision_free_stepsize(M, X, X, 0, None, 3), TypeError, "narrow_phase_ccd"),
        (lambda: ours.is_step_collision_free(M, X, X[:, :2]), ValueError, "vertices_t1"),
        (lambda: ours.has_intersections(M, X[:, :2]), ValueError, "vertices"),
        (lambda: ours.has_intersections(3, X), TypeError, "mesh"),
        (lambda: ours.TightInclusionCCD(tolerance=0), ValueError, "tolerance"),
        (lambda: ours.TightInclusionCCD(conservative_rescaling=1), ValueError, "conservative_rescaling"),
        (lambda: setattr(ours.AdditiveCCD(), "conservative_rescaling", 0), ValueError, "conservative_rescaling"),
        (lambda: ours.TightInclusionCCD().point_point_ccd(*X, X[0], tmax=2), ValueError, "tmax"),
        (lambda: ours.TightInclusionCCD().point_point_ccd(*X, X[0] * np.nan), ValueError, "p1_t1"),
        (lambda: ours.TightInclusionCCD().point_point_ccd(*X, X[0], -1), ValueError, "min_distance"),
        (lambda: ours.TightInclusionCCD().edge_edge_ccd(*np.ones((8, 2))), ValueError, "ea0_t0"),
        (lambda: ours.NarrowPhaseCCD().edge_edge_ccd(*np.ones((8, 3))), NotImplementedError, "edge_edge_ccd"),
        (lambda: ours.tight_inclusion.edge_edge_ccd(*np.ones((8, 3)), tolerance=-1), ValueError, "tolerance"),
        (lambda: ours.VertexVertexCandidate(0, 1).ccd(np.ones(6), np.ones(4)), ValueError, "vertices_t1"),
        (lambda: ours.VertexVertexCandidate(0, 1).ccd(np.ones(6), np.ones(6), narrow_phase_ccd=3), TypeError, "narrow"),
    ],
)
def test_wrong_input(call, error, match):
    with pytest.raises(error, match=match):
        call()
