"""Normal collisions and their potentials of `stiction.ipctk` against ipctk, per set and per collision."""

import pickle
import subprocess
import sys
import textwrap

import both
import ipctk as theirs
import numpy as np
import pytest
import scenes
from scipy.sparse import csc_matrix

import stiction
import stiction.ipctk as ours
from stiction._stiction import drop_in

KAPPA, TIGHT = 2e3, 1e-12
ALL = [*both.EACH, scenes.on_planes]
KINDS = ("vv", "ev", "ee", "fv", "pv")
PSD = ("NONE", "CLAMP", "ABS")
BARRIERS = ("ClampedLogBarrier", "NormalizedClampedLogBarrier", "ClampedLogSqBarrier", "CubicBarrier", "TwoStageBarrier")


# ipctk crashes where a collision is dropped after its set (D12): sets stay.
KEPT = []


def build(module, mesh, scene, dmin=0.0, area=False, kind="IPC", shape=False):
    """The collisions; those of ipctk of candidates with a larger radius, since it finds planes too late (D1)."""
    collisions = module.NormalCollisions()
    if module is theirs:
        KEPT.append(collisions)
    collisions.use_area_weighting = area
    collisions.collision_set_type = getattr(module.NormalCollisions, kind)
    collisions.enable_shape_derivatives = shape
    if module is theirs and scene.planes:
        candidates = module.Candidates()
        candidates.build(mesh, scene.x, scene.dhat + dmin)
        collisions.build(candidates, mesh, scene.x, scene.dhat, dmin)
    else:
        collisions.build(mesh, scene.x, scene.dhat, dmin)
    return collisions


def key(collision, mesh):
    """What names a collision in both modules."""
    ids = [i for i in collision.vertex_ids(mesh.edges, mesh.faces) if i >= 0]
    name = type(collision).__name__
    if name.startswith("VertexVertex"):
        ids = sorted(ids)
    if name.startswith("EdgeEdge"):
        first, second = (ids[:2], ids[2:]) if collision.edge0_id < collision.edge1_id else (ids[2:], ids[:2])
        ids = first + second
    if name.startswith("Plane"):
        ids = [*ids, round(float(collision.plane.offset()), 9)]
    return name, tuple(ids)


def by_key(collisions, mesh):
    """The collisions by name; nearly parallel edges may occur several times, with different closest parts."""
    found = {}
    for k in range(len(collisions)):
        collision = collisions[k]
        part = straight_type(collision) if "EdgeEdge" in type(collision).__name__ else None
        found[(*key(collision, mesh), part)] = collision
    return found


def straight_type(collision):
    """The closest parts of two edges, the one with the smaller number first."""
    name = collision.dtype.name
    if collision.edge0_id < collision.edge1_id:
        return name
    turned = {"EA0_EB1": "EA1_EB0", "EA1_EB0": "EA0_EB1", "EA_EB0": "EA0_EB", "EA0_EB": "EA_EB0", "EA_EB1": "EA1_EB", "EA1_EB": "EA_EB1"}
    return turned.get(name, name)


def potentials(scene, **options):
    return ours.BarrierPotential(scene.dhat, KAPPA, **options), theirs.BarrierPotential(scene.dhat, KAPPA, **options)


def compare(agree, scene, pair, collisions, own, peer):
    """Everything that a potential says of a set."""
    mine, his = collisions
    arguments = [(mine, pair[0], scene.x), (his, pair[1], scene.x)]
    agree("energy", own(*arguments[0]), peer(*arguments[1]), TIGHT)
    agree("gradient", own.gradient(*arguments[0]), peer.gradient(*arguments[1]), TIGHT)
    for name in PSD:
        methods = [getattr(m.PSDProjectionMethod, name) for m in (ours, theirs)]
        found, expected = own.hessian(*arguments[0], methods[0]), peer.hessian(*arguments[1], methods[1])
        assert type(found) is csc_matrix and found.has_sorted_indices
        agree(f"Hessian {name}", found, expected, 1e-11)
    return arguments


@both.each(ALL)
@pytest.mark.parametrize("area", [False, True])
@pytest.mark.parametrize("dmin", [0.0, 0.01])
def test_sets_and_energies(scene, area, dmin, agree):
    pair = both.of_scene(scene)
    mine, his = (build(m, mesh, scene, dmin, area) for m, mesh in zip((ours, theirs), pair))
    assert len(mine) == len(his) > 0
    for kind in KINDS:
        assert len(getattr(mine, f"{kind}_collisions")) == len(getattr(his, f"{kind}_collisions"))
    own, peer = potentials(scene)
    compare(agree, scene, pair, (mine, his), own, peer)
    found = mine.compute_minimum_distance(pair[0], scene.x)
    agree("minimum distance", found, his.compute_minimum_distance(pair[1], scene.x), TIGHT)


@both.each([scenes.cubes, scenes.tetrahedra, scenes.polygons], seeds=(0,))
@pytest.mark.parametrize("kind", ["IMPROVED_MAX_APPROX", "OGC"])
def test_other_sets(scene, kind, agree):
    pair = both.of_scene(scene)
    mine, his = (build(m, mesh, scene, area=True, kind=kind) for m, mesh in zip((ours, theirs), pair))
    compare(agree, scene, pair, (mine, his), *potentials(scene))


@both.each(ALL, seeds=(0,))
def test_single_collisions(scene, agree):
    pair = both.of_scene(scene)
    sets = [build(m, mesh, scene, 0.01, True) for m, mesh in zip((ours, theirs), pair)]
    mine, his = (by_key(collisions, mesh) for collisions, mesh in zip(sets, pair))
    assert mine.keys() == his.keys()
    own, peer = potentials(scene)
    for name in mine:
        compare_single(agree, scene, pair, (mine[name], his[name]), own, peer)


def compare_single(agree, scene, pair, collisions, own, peer):
    a, b = collisions
    agree("weight", a.weight, b.weight, TIGHT)
    assert a.dmin == b.dmin == 0.01 and a.is_mollified() == b.is_mollified()
    positions = [c.dof(scene.x, m.edges, m.faces) for c, m in zip(collisions, pair)]
    rest = [c.dof(scene.rest, m.edges, m.faces) for c, m in zip(collisions, pair)]
    scale = KAPPA * scene.dhat**4
    same = np.array_equal(*positions)
    assert abs(own(a, positions[0]) - peer(b, positions[1])) <= TIGHT * scale
    if a.is_mollified():
        agree("eps_x", a.eps_x, b.eps_x, TIGHT)
        agree("threshold", a.mollifier_threshold(rest[0]), b.mollifier_threshold(rest[1]), TIGHT)
        agree("mollifier", a.mollifier(positions[0]), b.mollifier(positions[1]), TIGHT)
        if same:
            agree("mollifier gradient", a.mollifier_gradient(positions[0]), b.mollifier_gradient(positions[1]))
    if not same:
        return
    assert np.abs(own.gradient(a, positions[0]) - peer.gradient(b, positions[1])).max() <= TIGHT * scale / scene.dhat * 10
    found, expected = own.hessian(a, positions[0]), peer.hessian(b, positions[1])
    assert np.abs(found - expected).max() <= 1e-11 * scale / scene.dhat**2 * 10
    if not scene.planes:
        diagonal = own.gauss_newton_hessian_diagonal(a, positions[0])
        assert np.abs(diagonal - peer.gauss_newton_hessian_diagonal(b, positions[1])).max() <= 1e-10 * scale / scene.dhat**2
        p = np.linspace(-1, 1, len(positions[0]))
        form = own.gauss_newton_hessian_quadratic_form(a, positions[0], p)
        expected = peer.gauss_newton_hessian_quadratic_form(b, positions[1], p)
        assert abs(form - expected) <= 1e-10 * scale / scene.dhat**2


@both.each([scenes.tetrahedra], seeds=(0,))
def test_a_set_is_the_sum_of_its_collisions(scene):
    mesh = both.of_scene(scene)[0]
    collisions, own = build(ours, mesh, scene), potentials(scene)[0]
    total = sum(own(c, c.dof(scene.x, mesh.edges, mesh.faces)) for c in collisions)
    assert total == pytest.approx(own(collisions, mesh, scene.x), rel=1e-12)


@pytest.mark.parametrize("physical", [False, True])
@pytest.mark.parametrize("barrier", BARRIERS)
@both.each([scenes.tetrahedra, scenes.polygons], seeds=(0,))
def test_barriers(scene, barrier, physical, agree):
    pair = both.of_scene(scene)
    collisions = [build(m, mesh, scene, 0.01) for m, mesh in zip((ours, theirs), pair)]
    own, peer = (m.BarrierPotential(getattr(m, barrier)(), scene.dhat, KAPPA, physical) for m in (ours, theirs))
    compare(agree, scene, pair, collisions, own, peer)
    d2 = (0.5 * scene.dhat) ** 2
    agree("force", own.force_magnitude(d2, 0.01), peer.force_magnitude(d2, 0.01), TIGHT)
    gradients = [p.force_magnitude_gradient(d2, np.arange(3.0), 0.01) for p in (own, peer)]
    agree("force gradient", *gradients, TIGHT)


def test_a_barrier_of_ones_own(agree):
    class Own(ours.ClampedLogBarrier):
        def __call__(self, d, dhat):
            return 2.0 * super().__call__(d, dhat)

        def first_derivative(self, d, dhat):
            return 2.0 * super().first_derivative(d, dhat)

        def second_derivative(self, d, dhat):
            return 2.0 * super().second_derivative(d, dhat)

    scene = scenes.tetrahedra(0)
    pair = both.of_scene(scene)
    collisions = [build(m, mesh, scene) for m, mesh in zip((ours, theirs), pair)]
    own = ours.BarrierPotential(Own(), scene.dhat, 0.5 * KAPPA)
    compare(agree, scene, pair, collisions, own, potentials(scene)[1])
    assert isinstance(own.barrier, Own)


@both.each([scenes.sheets, scenes.polygons], seeds=(0,))
def test_adhesion(scene, agree):
    pair = both.of_scene(scene)
    collisions = [build(m, mesh, scene, 0.01) for m, mesh in zip((ours, theirs), pair)]
    own, peer = (m.NormalAdhesionPotential(0.4 * scene.dhat, scene.dhat, 1e3, 0.1) for m in (ours, theirs))
    compare(agree, scene, pair, collisions, own, peer)
    assert own(collisions[0], pair[0], scene.x) < 0.0


def test_adhesion_force_is_modulus_times_strain():
    """D8: ipctk lacks the factor 2d of the chain rule."""
    own, peer = (m.NormalAdhesionPotential(1e-3, 2e-3, 1e3, 0.1) for m in (ours, theirs))
    assert own.force_magnitude(1e-6, 0.0) == 100.0 and peer.force_magnitude(1e-6, 0.0) == pytest.approx(50_000.0)
    # By differences: two vertices at the distance of the largest force.
    pair = ours.VertexVertexNormalCollision(0, 1)
    gradient = own.gradient(pair, np.array([0.0, 0, 0, 1e-3, 0, 0]))
    assert gradient[3] == pytest.approx(100.0, rel=1e-12)
    assert not own.force_magnitude_gradient(1e-6, np.ones(3), 0.0).any()


@both.each([scenes.cubes, scenes.tetrahedra, scenes.polygons], seeds=(0,))
@pytest.mark.parametrize("area", [False, True])
def test_shape_derivatives(scene, area, agree):
    pair = both.of_scene(scene)
    for mesh in pair:
        mesh.init_area_jacobians()
    mine, his = (build(m, mesh, scene, area=area, shape=True) for m, mesh in zip((ours, theirs), pair))
    own, peer = potentials(scene)
    agree("shape", own.shape_derivative(mine, pair[0], scene.x), peer.shape_derivative(his, pair[1], scene.x), 1e-11)
    if area:
        named, peers = by_key(mine, pair[0]), by_key(his, pair[1])
        for name in named:
            agree("weight gradient", named[name].weight_gradient, peers[name].weight_gradient, TIGHT)


def test_shape_derivatives_must_be_asked_for():
    scene = scenes.cubes(0)
    mesh = both.of_scene(scene)[0]
    with pytest.raises(RuntimeError, match="enable_shape_derivatives"):
        potentials(scene)[0].shape_derivative(build(ours, mesh, scene), mesh, scene.x)


def test_weight_gradients_that_are_written_count():
    scene = scenes.cubes(0)
    mesh = both.of_scene(scene)[0]
    mesh.init_area_jacobians()
    collisions, own = build(ours, mesh, scene, area=True, shape=True), potentials(scene)[0]
    before = own.shape_derivative(collisions, mesh, scene.x)
    collision = collisions[3]
    collision.weight_gradient = 3.0 * collision.weight_gradient
    change = own.shape_derivative(collisions, mesh, scene.x) - before
    single = collision._copy()
    single.weight = 1.0
    ids = [i for i in single.vertex_ids(mesh.edges, mesh.faces) if i >= 0]
    gradient = np.zeros(scene.x.shape)
    gradient[ids] = own.gradient(single, scene.x[ids].ravel()).reshape(-1, 3)
    expected = np.outer(gradient, (2.0 / 3.0 * collision.weight_gradient).toarray())
    np.testing.assert_allclose(change.toarray(), expected, atol=1e-12 * np.abs(expected).max())


@both.each([scenes.tetrahedra, scenes.twins], seeds=(0,))
def test_gauss_newton(scene, agree):
    pair = both.of_scene(scene)
    collisions = [build(m, mesh, scene) for m, mesh in zip((ours, theirs), pair)]
    p = np.random.default_rng(0).normal(size=scene.x.size)
    own, peer = potentials(scene)
    agree("diagonal", *(q.gauss_newton_hessian_diagonal(c, m, scene.x) for q, c, m in zip((own, peer), collisions, pair)), 1e-11)
    agree("form", *(q.gauss_newton_hessian_quadratic_form(c, m, scene.x, p) for q, c, m in zip((own, peer), collisions, pair)), 1e-11)


def test_gauss_newton_of_planes():
    """D2: ipctk takes the position for the distance vector; with the point of the plane held, 2f′ + 4f″ d² nₖ² is on the diagonal."""
    scene = scenes.on_planes(0)
    mesh = both.of_scene(scene)[0]
    collisions, own, barrier = build(ours, mesh, scene), potentials(scene)[0], ours.ClampedLogBarrier()
    assert collisions.pv_collisions
    for collision in collisions.pv_collisions:
        x = collision.dof(scene.x, mesh.edges, mesh.faces)
        d2, n, s_hat = collision.compute_distance(x), collision.plane.normal(), scene.dhat**2
        expected = 2 * barrier.first_derivative(d2, s_hat) + 4 * barrier.second_derivative(d2, s_hat) * d2 * n * n
        np.testing.assert_allclose(own.gauss_newton_hessian_diagonal(collision, x), KAPPA * expected, rtol=1e-10)
        form = own.gauss_newton_hessian_quadratic_form(collision, x, n)
        assert form == pytest.approx(n @ own.hessian(collision, x) @ n, rel=1e-10)


# --- What is written ---


@pytest.mark.parametrize("way", ["index", "list"])
@both.each([scenes.twins, scenes.tetrahedra, scenes.on_planes], seeds=(0,))
def test_weights_that_are_written_count(scene, way, agree):
    pair = both.of_scene(scene)
    sets = [build(m, mesh, scene) for m, mesh in zip((ours, theirs), pair)]
    for collisions, mesh in zip(sets, pair):
        each = by_key(collisions, mesh).items()
        if way == "list":
            lists = [getattr(collisions, f"{kind}_collisions") for kind in KINDS]
            flat = [c for group in lists for c in group]
            each = [((*key(c, mesh), None), c) for c in flat]
        for name, collision in each:
            collision.weight = 1.0 + (sum(name[1][:2]) % 7)
    own, peer = potentials(scene)
    compare(agree, scene, pair, sets, own, peer)
    slides = [m.TangentialCollisions() for m in (ours, theirs)]
    for tangential, mesh, collisions, potential in zip(slides, pair, sets, (own, peer)):
        tangential.build(mesh, scene.x, collisions, potential, 0.3)
    if scene.name != "twins":
        v = np.random.default_rng(1).normal(size=scene.x.shape)
        friction = [m.FrictionPotential(0.7).gradient(t, mesh, v) for m, t, mesh in zip((ours, theirs), slides, pair)]
        agree("friction of written weights", *friction, TIGHT)


def test_writing_twice_and_after_evaluation():
    scene = scenes.tetrahedra(0)
    mesh = both.of_scene(scene)[0]
    collisions, own = build(ours, mesh, scene), potentials(scene)[0]
    first = own(collisions, mesh, scene.x)
    for factor in (2.0, 5.0):
        for collision in collisions:
            collision.weight = factor
        assert [c.weight for c in collisions] == [factor] * len(collisions)
        ones = own(collisions, mesh, scene.x) / factor
    for collision in collisions:
        collision.weight = 0.0
    assert own(collisions, mesh, scene.x) == 0.0 and ones > 0.0 and first > 0.0


def test_lists_from_python(agree):
    scene = scenes.twins(0)
    pair = both.of_scene(scene)
    built = build(ours, pair[0], scene, 0.01, area=True)
    his = build(theirs, pair[1], scene, 0.01, area=True)
    own, peer = potentials(scene)
    copy = ours.NormalCollisions()
    for kind in KINDS:
        setattr(copy, f"{kind}_collisions", getattr(built, f"{kind}_collisions"))
    assert len(copy) == len(built)
    compare(agree, scene, pair, (copy, his), own, peer)
    copy.ev_collisions = []
    assert len(copy) == len(built) - len(built.ev_collisions) and copy.ev_collisions == []
    copy[0].weight = 3.0
    assert copy[0].weight == 3.0
    with pytest.raises(TypeError, match=r"vv_collisions\[0\]"):
        copy.vv_collisions = [ours.EdgeVertexNormalCollision(0, 5)]


def test_constructors():
    candidate = ours.EdgeEdgeCandidate(3, 4)
    one = ours.EdgeEdgeNormalCollision(3, 4, 1e-3)
    for other in [
        ours.EdgeEdgeNormalCollision(candidate, 1e-3),
        ours.EdgeEdgeNormalCollision(candidate, eps_x=1e-3),
        ours.EdgeEdgeNormalCollision(candidate=candidate, eps_x=1e-3),
        ours.EdgeEdgeNormalCollision(3, 4, 1e-3, ours.EdgeEdgeDistanceType.AUTO),
        ours.EdgeEdgeNormalCollision(candidate, 1e-3, ours.EdgeEdgeDistanceType.AUTO),
    ]:
        assert other == one and other.eps_x == 1e-3 and other.weight == 1.0 and other.dmin == 0.0
    assert ours.EdgeEdgeNormalCollision(3, 4, 1e-3, ours.EA_EB) != one
    assert ours.VertexVertexNormalCollision(ours.VertexVertexCandidate(1, 2)).vertex1_id == 2
    assert ours.EdgeVertexNormalCollision(ours.EdgeVertexCandidate(1, 2)).vertex_id == 2
    assert ours.FaceVertexNormalCollision(candidate=ours.FaceVertexCandidate(1, 2)).face_id == 1
    plane = ours.PlaneVertexNormalCollision(ours.Hyperplane([0, 0, 1.0], [0, 0, 0.5]), 3)
    assert plane.compute_distance(np.array([1.0, 2.0, 0.75])) == pytest.approx(0.0625)
    assert isinstance(plane, (ours.NormalCollision, ours.CollisionStencil))
    plane.dmin, plane.weight = 0.1, 2.0
    assert (plane.dmin, plane.weight) == (0.1, 2.0)


def test_dmin_is_one_for_all():
    scene = scenes.tetrahedra(0)
    mesh = both.of_scene(scene)[0]
    collisions = build(ours, mesh, scene, 0.01)
    collisions[0].dmin = 0.01
    with pytest.raises(NotImplementedError, match="dmin"):
        collisions[0].dmin = 0.02


# --- Planes ---


def test_planes_act_up_to_dhat():
    """D1: ipctk finds vertices near planes only up to d̂/2."""
    x = np.array([[0.0, 0, 0.75e-2]])
    found = []
    for module in (ours, theirs):
        mesh = module.CollisionMesh(x, np.zeros((0, 2), np.int32), np.zeros((0, 3), np.int32))
        mesh.planes = [module.Hyperplane(np.array([0, 0, 1.0]), np.zeros(3))]
        collisions = module.NormalCollisions()
        collisions.build(mesh, x, 1e-2)
        found.append(len(collisions))
        if module is ours:
            assert collisions.is_plane_vertex(0) and not collisions.is_vertex_vertex(0)
            assert ours.BarrierPotential(1e-2, 1.0)(collisions, mesh, x) > 0.0
    assert found == [1, 0]


def test_a_barrier_may_reach_less_far_than_its_collisions():
    """Built with 2 d̂ + dmin and evaluated with d̂: no force beyond d̂."""
    x = np.array([[0.0, 0, 1.5e-2]])
    mesh = ours.CollisionMesh(x, np.zeros((0, 2), int), np.zeros((0, 3), int))
    mesh.planes = [ours.Hyperplane(np.array([0, 0, 1.0]), np.zeros(3))]
    collisions = ours.NormalCollisions()
    collisions.build(mesh, x, 2e-2)
    own = ours.BarrierPotential(1e-2, 1.0)
    assert len(collisions) == 1 and own(collisions, mesh, x) == 0.0
    assert not own.gradient(collisions, mesh, x).any() and not own.hessian(collisions, mesh, x).data.any()
    low = x - [0, 0, 1e-2]
    assert own(collisions, mesh, low) > 0.0


def test_planes_of_candidates():
    scene = scenes.on_planes(0)
    mesh = both.of_scene(scene)[0]
    whole = build(ours, mesh, scene)
    candidates = ours.Candidates()
    candidates.build(mesh, scene.x, 0.5 * scene.dhat)
    collisions = ours.NormalCollisions()
    collisions.build(candidates, mesh, scene.x, scene.dhat)
    assert len(collisions) == len(whole) and len(collisions.pv_collisions) > 1
    candidates.pv_candidates = candidates.pv_candidates[:1]
    collisions.build(candidates, mesh, scene.x, scene.dhat)
    assert len(collisions.pv_collisions) <= 1 and len(collisions) < len(whole)


# --- Ways to call ---


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32])
def test_any_array(dtype, order):
    scene = scenes.sheets(0)
    surface = scene.surface()
    edges, faces = (np.asarray(a, dtype=dtype, order=order) for a in (surface.edges, surface.faces))
    mesh = ours.CollisionMesh(np.asarray(scene.rest, order=order), edges, faces)
    x = np.asarray(scene.x, order=order)
    x.flags.writeable = False
    collisions = build(ours, mesh, scene)
    own = potentials(scene)[0]
    assert own(collisions, mesh, x) == own(collisions, mesh, scene.x.tolist()) == own(collisions=collisions, mesh=mesh, X=x)
    assert np.array_equal(own.gradient(collisions, mesh, x), own.gradient(collisions, mesh, scene.x))
    single = scene.x.astype(np.float32)
    assert own(collisions, mesh, single) == own(collisions, mesh, single.astype(float))
    collisions.build(candidates_of(mesh, x, scene.dhat), mesh, x, scene.dhat)
    assert len(collisions) == len(build(ours, mesh, scene))


def candidates_of(mesh, x, dhat):
    candidates = ours.Candidates()
    candidates.build(mesh, x, 0.5 * dhat)
    return candidates


@pytest.mark.parametrize("name", ["BruteForce", "HashGrid", "SpatialHash", "SweepAndPrune", "LBVH"])
def test_broad_phases(name):
    scene = scenes.cubes(0)
    mesh = both.of_scene(scene)[0]
    collisions = ours.NormalCollisions()
    collisions.build(mesh=mesh, vertices=scene.x, dhat=scene.dhat, broad_phase=getattr(ours, name)())
    own = potentials(scene)[0]
    assert own(collisions, mesh, scene.x) == own(build(ours, mesh, scene), mesh, scene.x)


def test_filters_of_python(agree):
    """D11: ipctk waits for ever if a filter is a function of Python and there are two threads."""
    scene = scenes.tetrahedra(0)
    mesh, peer = both.of_scene(scene)
    before = theirs.get_num_threads()
    theirs.set_num_threads(1)
    for each in (mesh, peer):
        each.can_collide = lambda i, j: (i + j) % 3 != 0
    mine, his = build(ours, mesh, scene), build(theirs, peer, scene)
    theirs.set_num_threads(before)
    own, other = potentials(scene)
    assert 0 < len(mine) == len(his)
    agree("filtered energy", own(mine, mesh, scene.x), other(his, peer, scene.x), TIGHT)


def test_empty_sets():
    scene = scenes.sheets(0)
    mesh = both.of_scene(scene)[0]
    collisions, own = ours.NormalCollisions(), potentials(scene)[0]
    assert len(collisions) == 0 and collisions.empty() and not collisions.is_edge_edge(0)
    assert collisions.compute_minimum_distance(mesh, scene.x) == np.inf
    assert own(collisions, mesh, scene.x) == 0.0 and own.gradient(collisions, mesh, scene.x).shape == (scene.x.size,)
    assert own.hessian(collisions, mesh, scene.x).shape == (scene.x.size, scene.x.size)
    collisions = build(ours, mesh, scene)
    collisions.clear()
    assert collisions.empty()


def test_words():
    scene = scenes.on_planes(0)
    mesh = both.of_scene(scene)[0]
    collisions = build(ours, mesh, scene)
    assert str(collisions).startswith("NormalCollisions(") and "ee" in str(collisions)
    text = collisions.__str__(mesh, scene.x)
    assert text.count("\n") == len(collisions) and "fv: " in text and "w: " in text
    names = ours.NormalCollisions.CollisionSetType.__members__
    assert list(names) == ["IPC", "IMPROVED_MAX_APPROX", "OGC"] and ours.NormalCollisions.OGC is names["OGC"]
    assert [sum(getattr(collisions, f"is_{k}")(i) for i in range(len(collisions))) for k in
            ("vertex_vertex", "edge_vertex", "edge_edge", "face_vertex", "plane_vertex")] == [
        len(getattr(collisions, f"{kind}_collisions")) for kind in KINDS]  # fmt: skip


@both.each([scenes.twins, scenes.on_planes], seeds=(0,))
def test_pickles(scene):
    mesh = both.of_scene(scene)[0]
    collisions, own = build(ours, mesh, scene, 0.01, area=True), potentials(scene)[0]
    collisions[1].weight = 7.0
    mesh2, collisions2, own2 = pickle.loads(pickle.dumps((mesh, collisions, own)))
    assert len(collisions2) == len(collisions) and collisions2[1].weight == 7.0 and collisions2.use_area_weighting
    assert own2(collisions2, mesh2, scene.x) == pytest.approx(own(collisions, mesh, scene.x), rel=1e-13)
    one = pickle.loads(pickle.dumps(collisions[1]))
    assert (one.weight, one.dmin) == (7.0, 0.01) and one == collisions[1]
    adhesion = pickle.loads(pickle.dumps(ours.NormalAdhesionPotential(1e-3, 2e-3, 1e3, 0.1)))
    assert adhesion.dhat_a == 2e-3


def test_a_lenient_potential_stays_lenient():
    again = pickle.loads(pickle.dumps(drop_in.lenient(stiction.BarrierPotential(0.1, 2.0))))
    assert again.__reduce__()[0] is drop_in.lenient and (again.dhat, again.kappa) == (0.1, 2.0)


class Tagged(ours.BarrierPotential):
    """A potential of a class of one's own."""


def test_classes_of_ones_own_are_stored_with_what_they_have():
    potential = Tagged(0.1, 2.0)
    potential.tag = "mine"
    again = pickle.loads(pickle.dumps(potential))
    assert type(again) is Tagged and (again.tag, again.dhat, again.stiffness) == ("mine", 0.1, 2.0)
    assert pickle.loads(pickle.dumps(ours.TangentialAdhesionPotential(0.2))).eps_a == 0.2
    assert pickle.loads(pickle.dumps(ours.FrictionPotential(0.3))).eps_v == 0.3
    assert pickle.loads(pickle.dumps(ours.Hyperplane([0, 2, 0], [0, 1, 0]))).offset() == -2


def test_what_is_stored_keeps_its_shape_derivative():
    scene = scenes.cubes(0)
    mesh, own = both.of_scene(scene)[0], potentials(scene)[0]
    collisions = ours.NormalCollisions()
    collisions.use_area_weighting = collisions.enable_shape_derivatives = True
    collisions.build(mesh, scene.x, scene.dhat)
    again = pickle.loads(pickle.dumps(collisions))
    found, expected = (own.shape_derivative(kept, mesh, scene.x) for kept in (again, collisions))
    assert np.abs(expected.data).max() > 0 and (found != expected).nnz == 0


# --- Safety ---


def run(code):
    """Runs a program by itself: a crash is a failure, not the end of the tests."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, check=False)


def test_collisions_outlive_their_owner():
    """D12: ipctk reads freed memory."""
    found = run(
        """
        import gc, numpy as np, stiction.ipctk as ipctk
        x = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 0.01], [0.2, 0.2, 1], [1.2, 0.2, 1]])
        faces = np.array([[0, 1, 2], [3, 4, 5]])
        mesh = ipctk.CollisionMesh(x, ipctk.edges(faces), faces)
        def views():
            c = ipctk.NormalCollisions()
            c.build(mesh, x, 0.1)
            t = ipctk.TangentialCollisions()
            t.build(mesh, x, c, ipctk.BarrierPotential(0.1, 1.0), 0.3)
            return [c[i] for i in range(len(c))] + [t[i] for i in range(len(t))] + c.fv_collisions
        kept = views()
        gc.collect()
        junk = [np.ones(1000) for _ in range(1000)]
        assert kept and all(v.weight == 1.0 for v in kept)
        for v in kept:
            v.weight = 2.0
            assert v.weight == 2.0
        c = ipctk.NormalCollisions()
        c.build(mesh, x, 0.1)
        first = c[0]
        c.clear()
        c.build(mesh, x + [0, 0, 5], 0.1)
        first.weight = 3.0
        assert first.weight == 3.0 and c[0].weight == 1.0
        print("alive")
        """
    )
    assert found.returncode == 0 and "alive" in found.stdout, found.stderr


def test_wrong_arguments():
    """D13: ipctk reads out of bounds, and takes NaN and negative numbers."""
    scene = scenes.tetrahedra(0)
    mesh = both.of_scene(scene)[0]
    collisions, own = build(ours, mesh, scene), potentials(scene)[0]
    nan = scene.x.copy()
    nan[3, 1] = np.nan
    for wrong, message in [(scene.x[:-1], "X"), (scene.x[:, :2], "X"), (nan, "X: row 3"), ("no", "X"), (scene.x.astype(complex), "X")]:
        with pytest.raises(ValueError, match=message):
            own(collisions, mesh, wrong)
    for dhat in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="dhat"):
            ours.BarrierPotential(dhat, 1.0)
        with pytest.raises(ValueError, match="dhat"):
            collisions.build(mesh, scene.x, dhat)
    for kappa in (-1.0, np.nan):
        with pytest.raises(ValueError, match="stiffness"):
            ours.BarrierPotential(1.0, kappa)
    with pytest.raises(IndexError):
        collisions[len(collisions)]


def bits(threads):
    """Everything as bytes, with so many threads."""
    scene, before = scenes.sheets(3, 20), stiction.num_threads()
    stiction.set_num_threads(threads)
    try:
        mesh = both.of_scene(scene)[0]
        collisions, own = build(ours, mesh, scene, area=True), potentials(scene)[0]
        names = [tuple(c.vertex_ids(mesh.edges, mesh.faces)) for c in collisions]
        hessian = own.hessian(collisions, mesh, scene.x, ours.PSDProjectionMethod.CLAMP)
        return [
            names,
            own(collisions, mesh, scene.x),
            own.gradient(collisions, mesh, scene.x).tobytes(),
            hessian.data.tobytes(),
            collisions.compute_minimum_distance(mesh, scene.x),
        ]
    finally:
        stiction.set_num_threads(before)


def test_the_same_bits_for_any_number_of_threads():
    """D14: the order and the last bits of ipctk depend on chance."""
    first = bits(1)
    assert len(first[0]) > 500
    for threads in (1, 2, 4):
        assert bits(threads) == first
