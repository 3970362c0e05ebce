"""Stencils, candidates and broad phases of `stiction.ipctk` against ipctk's."""

import both
import ipctk
import numpy as np
import pytest
import scenes
from both import each, numbers, of_scene, soup

import stiction.ipctk as ours

F = np.asfortranarray
STENCILS = {
    "VertexVertexCandidate": (0, 5),
    "EdgeVertexCandidate": (0, 5),
    "EdgeEdgeCandidate": (0, 1),
    "FaceVertexCandidate": (0, 5),
}
QUANTITIES = "distance distance_gradient distance_hessian coefficients distance_vector".split()
EDGES, FACES = np.array([[0, 1], [6, 7]], np.int32), np.array([[2, 3, 4]], np.int32)


@pytest.mark.parametrize("name", STENCILS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_stencils(name, dimension, agree):
    if dimension == 2 and name in ("EdgeEdgeCandidate", "FaceVertexCandidate"):
        return
    random = np.random.default_rng(0)
    mine, peer = (getattr(module, name)(*STENCILS[name]) for module in (ours, ipctk))
    for _ in range(60):
        x = random.normal(size=(8, dimension))
        assert mine.vertex_ids(EDGES, FACES) == peer.vertex_ids(EDGES, FACES)
        np.testing.assert_array_equal(mine.dof(x, EDGES, FACES), peer.dof(x, EDGES, FACES))
        np.testing.assert_array_equal(mine.vertices(x, EDGES, FACES), peer.vertices(x, EDGES, FACES))
        local = mine.dof(x, EDGES, FACES)
        for quantity in QUANTITIES:
            call, expected = getattr(mine, f"compute_{quantity}"), getattr(peer, f"compute_{quantity}")(local)
            agree(quantity, call(local), expected, 1e-11)
            agree(quantity, call(x, EDGES, FACES), expected, 1e-11)
            agree(quantity, call(vertices=x, edges=EDGES, faces=FACES), expected, 1e-11)
            agree(quantity, call(positions=local), expected, 1e-11)
        jacobian = peer.compute_distance_vector_jacobian(local)
        agree("vector jacobian", mine.compute_distance_vector_jacobian(local), jacobian, 1e-11)
        for one, other in zip(*(c.compute_distance_vector_with_coefficients(local) for c in (mine, peer))):
            agree("vector with coefficients", one, other, 1e-11)
    assert mine.num_vertices() == peer.num_vertices() and mine.dim(len(local)) == dimension


def test_products_of_coefficients():
    c, t, p = np.array([1.0, -0.25, -0.75]), np.array([1.0, 2.0, -3.0]), np.arange(9.0)
    for name, args in [
        ("diag_distance_vector_outer", (c, 3)),
        ("diag_distance_vector_t_outer", (c, t)),
        ("contract_distance_vector_jacobian", (c, p, 3)),
    ]:
        mine, peer = (getattr(module.CollisionStencil, name)(*args) for module in (ours, ipctk))
        np.testing.assert_allclose(mine, peer, rtol=1e-15)


def test_planes_and_vertices():
    """Defect D2 of ipctk: its vector to a plane is the position of the vertex."""
    candidate = ours.PlaneVertexCandidate(ours.Hyperplane([0, 0, 1.0], [0, 0, 1.0]), 3)
    peer = ipctk.PlaneVertexCandidate(ipctk.Hyperplane(np.array([0, 0, 1.0]), np.array([0, 0, 1.0])), 3)
    x = np.array([0.2, 0.3, 1.5])
    for quantity in QUANTITIES[:4]:
        mine = getattr(candidate, f"compute_{quantity}")(x)
        np.testing.assert_allclose(mine, getattr(peer, f"compute_{quantity}")(x), atol=1e-15)
    np.testing.assert_allclose(candidate.compute_distance_vector(x), [0, 0, 0.5], atol=1e-15)
    # A normal of another length is the same plane.
    longer = ours.PlaneVertexCandidate(ours.Hyperplane([0, 0, 7.0], [0, 0, 1.0]), 3)
    assert longer.compute_distance(x) == pytest.approx(0.25)
    assert candidate.ccd(x, x - [0, 0, 1]) == (True, pytest.approx(0.4))
    assert candidate.ccd(x, x - [0, 0, 0.3]) == (False, np.inf)
    assert candidate.ccd(x, x - [0, 0, 1], min_distance=0.25) == (True, pytest.approx(0.2))


@pytest.mark.parametrize("name", [*STENCILS, "EdgeFaceCandidate", "FaceFaceCandidate"])
def test_order_and_names(name):
    mine, peer = getattr(ours, name), getattr(ipctk, name)
    pairs = [(0, 1), (1, 0), (2, 3), (0, 3), (3, 0), (1, 1)]
    for a in pairs:
        assert str(mine(*a)) == str(peer(*a)) and repr(mine(*a)) == repr(peer(*a)) == repr(mine(a))
        for b in pairs:
            assert (mine(*a) == mine(*b)) == (peer(*a) == peer(*b))
            assert (mine(*a) != mine(*b)) == (peer(*a) != peer(*b))
            assert (mine(*a) < mine(*b)) == (peer(*a) < peer(*b))
            assert mine(*a) != mine(*b) or hash(mine(*a)) == hash(mine(*b))
    assert mine(0, 1) != (0, 1)


def build(module, mesh, *args, **kwargs):
    candidates = module.Candidates()
    candidates.build(mesh, *args, **kwargs)
    return candidates


def near_pairs(scene, mine, peer):
    """The pairs within 0.6 d̂, of both."""
    radius = 0.3 * scene.dhat
    return build(ours, mine, scene.x, radius), build(ipctk, peer, scene.x, radius, ipctk.BruteForce())


def check_same_pairs(mine, peer):
    for kind in both.PAIRS:
        assert numbers(mine, kind) == numbers(peer, kind), kind
    assert len(mine) == len(peer) and mine.empty() == peer.empty()


@pytest.mark.parametrize("swept", [False, True], ids=["static", "swept"])
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("method", ["BruteForce", "HashGrid", "SpatialHash", "SweepAndPrune", "LBVH", None])
def test_the_same_pairs(dimension, swept, method):
    (mine, peer), x = soup(dimension, 5)
    ends = (x + np.random.default_rng(6).normal(size=x.shape) * 0.05,) if swept else ()
    chosen = None if method is None else getattr(ours, method)()
    found = build(ours, mine, x, *ends, 0.1, chosen)
    check_same_pairs(found, build(ipctk, peer, x, *ends, 0.1, ipctk.BruteForce()))
    assert all(numbers(found, kind) for kind in (("vv", "ev") if dimension == 2 else both.PAIRS))


@each()
def test_pairs_of_scenes(scene):
    mine, peer = of_scene(scene)
    check_same_pairs(*near_pairs(scene, mine, peer))


def test_all_ways_to_build():
    scene = scenes.cubes(0)
    mesh, _ = of_scene(scene)
    end = scene.x + 0.1
    wanted = [str(c) for c in build(ours, mesh, scene.x, 0.1)]
    for found in (
        build(ours, mesh, vertices=F(scene.x), inflation_radius=0.1),
        build(ours, mesh, scene.x.tolist(), 0.1, None),
        build(ours, mesh, scene.x, broad_phase=ours.LBVH(), inflation_radius=0.1),
        build(ours, mesh, scene.x, scene.x, 0.1),
    ):
        assert [str(c) for c in found] == wanted
    swept = [str(c) for c in build(ours, mesh, scene.x, end, 0.1)]
    assert swept != wanted
    for found in (
        build(ours, mesh, vertices_t0=scene.x, vertices_t1=end, inflation_radius=0.1),
        build(ours, mesh, scene.x, vertices_t1=end, inflation_radius=0.1),
    ):
        assert [str(c) for c in found] == swept


def test_planes_are_found_as_far_as_anything_else():
    """Defect D1 of ipctk: it finds planes within the radius only, all else within twice the radius."""
    scene = scenes.on_planes(0)
    mine, peer = of_scene(scene)
    found = build(ours, mine, scene.x, 0.1).pv_candidates
    within = {(c.vertex_id, c.plane.offset()) for c in found if c.compute_distance(scene.x, mine.edges, mine.faces) < 0.1**2}
    theirs = {(c.vertex_id, c.plane.offset()) for c in build(ipctk, peer, scene.x, 0.1).pv_candidates}
    assert {(v, round(o, 12)) for v, o in within} == {(v, round(o, 12)) for v, o in theirs}
    assert len(found) > len(theirs) > 0
    assert all(c.compute_distance(scene.x, mine.edges, mine.faces) < 0.2**2 for c in found)


def test_lists():
    scene = scenes.tetrahedra(0)
    mesh, _ = of_scene(scene)
    candidates = build(ours, mesh, scene.x, 0.1)
    count = len(candidates)
    lists = [candidates.vv_candidates, candidates.ev_candidates, candidates.ee_candidates, candidates.fv_candidates]
    assert [c for items in lists for c in items] == list(candidates) and count == sum(map(len, lists)) > 10
    assert candidates[-1] == candidates[count - 1]
    for wrong in (count, -count - 1):
        with pytest.raises(IndexError, match="out of range"):
            candidates[wrong]
    # What is changed on a candidate counts.
    step = lambda: candidates.compute_collision_free_stepsize(mesh, scene.x, scene.x * 0.5)  # noqa: E731
    before = step()
    candidates.ee_candidates = candidates.ee_candidates[:1]
    candidates.fv_candidates = []
    assert len(candidates) == 1 and step() >= before
    other = build(ours, mesh, scene.x, 0.1).ee_candidates[5]
    candidates[0].edge0_id, candidates[0].edge1_id = other.edge0_id, other.edge1_id
    assert candidates.ee_candidates == [other] and candidates._pairs()["ee"].tolist() == [list(other._pair())]
    candidates.ev_candidates = [(3, 4), ours.EdgeVertexCandidate(1, 2)]
    assert [str(c) for c in candidates.ev_candidates] == ["[3, 4]", "[1, 2]"]
    candidates.clear()
    assert candidates.empty() and len(candidates) == 0


def test_a_candidate_outlives_its_owner():
    """Defect D12 of ipctk: reading it there is reading freed memory."""
    scene = scenes.cubes(0)
    mesh, _ = of_scene(scene)
    one = build(ours, mesh, scene.x, 0.2)[0]
    wanted = one.compute_distance(scene.x, mesh.edges, mesh.faces)
    assert one.compute_distance(scene.x, mesh.edges, mesh.faces) == wanted > 0


CONVERSIONS = [
    ("edge_vertex", "vertex_vertex"),
    ("face_vertex", "vertex_vertex"),
    ("face_vertex", "edge_vertex"),
    ("edge_edge", "edge_vertex"),
]


@each()
def test_conversions(scene):
    mine, peer = of_scene(scene)
    candidates = near_pairs(scene, mine, peer)
    names = [f"{whole}_to_{part}" for whole, part in CONVERSIONS]
    for name in names:
        for active in (None, lambda d2: d2 < (0.8 * scene.dhat) ** 2):
            pairs = []
            for found, mesh in zip(candidates, (mine, peer)):
                parts = getattr(found, name)(mesh, scene.x, active) if active else getattr(found, name)(mesh, scene.x)
                pairs.append(sorted(sorted(eval(str(c))) if name.endswith("vertex_vertex") else eval(str(c)) for c in parts))
            assert pairs[0] == pairs[1], name
    assert sum(len(getattr(candidates[0], name)(mine, scene.x)) for name in names) > 0


@each(seeds=[0])
@pytest.mark.parametrize("min_distance", [0.0, 1e-3])
def test_safe_distances(scene, min_distance, agree):
    mine, peer = of_scene(scene)
    found, theirs = near_pairs(scene, mine, peer)
    args = (scene.x, 0.6 * scene.dhat, min_distance)
    agree(
        "safe distances",
        found.compute_per_vertex_safe_distances(mine, *args),
        theirs.compute_per_vertex_safe_distances(peer, *args),
        1e-12,
    )


def test_steps_by_few_candidates_are_safe():
    """Defect D5 of ipctk: its bound for all other pairs looks at the vertices of the candidates."""
    x = np.array([[0, 0], [1, 0], [0.5, 1.0], [0.5, 2.0], [3, 0], [4, 0], [3.5, 0.05], [3.5, 1.0]])
    edges = [[0, 1], [2, 3], [4, 5], [6, 7]]
    mine, peer = ours.CollisionMesh(x, edges), ipctk.CollisionMesh(x, np.array(edges, np.int32))
    end = x.copy()
    end[2:4, 1] -= 2.0  # not among the candidates: it falls through an edge
    dhat = 0.1
    near, theirs = build(ours, mine, x, dhat / 2), build(ipctk, peer, x, dhat / 2)
    assert theirs.compute_cfl_stepsize(peer, x, end, dhat) == 1.0
    assert not ipctk.is_step_collision_free(peer, x, end)
    step = near.compute_cfl_stepsize(mine, x, end, dhat)
    assert step < 0.5 and ours.is_step_collision_free(mine, x, x + step * (end - x))
    assert step == ours.compute_collision_free_stepsize(mine, x, end)
    assert near.compute_noncandidate_conservative_stepsize(mine, end - x, dhat) == 0.5 * dhat / 2.0
    # Small steps need no other pairs.
    small = x + 0.02 * (end - x)
    assert near.compute_cfl_stepsize(mine, x, small, dhat) == 1.0
    assert near.compute_noncandidate_conservative_stepsize(mine, 0 * x, dhat) == np.inf


@each(seeds=[0, 1, 2])
def test_steps_by_few_candidates_on_scenes(scene):
    mesh, _ = of_scene(scene)
    random = np.random.default_rng(3)
    near = build(ours, mesh, scene.x, scene.dhat / 2)
    for size in (0.01, 0.1, 1.0):
        end = scene.x + size * random.normal(size=scene.x.shape)
        step = near.compute_cfl_stepsize(mesh, scene.x, end, scene.dhat)
        assert 0 < step <= 1 and ours.is_step_collision_free(mesh, scene.x, scene.x + step * (end - scene.x))


def test_obj_files(tmp_path):
    (mine, _), x = soup(3, 5)
    candidates = build(ours, mine, x, 0.04)
    path = tmp_path / "pairs.obj"
    assert candidates.save_obj(str(path), x, mine.edges, mine.faces)
    lines = path.read_text().splitlines()
    count = lambda start: sum(line.startswith(start) for line in lines)  # noqa: E731
    vv, ev, ee, fv = (len(numbers(candidates, kind)) for kind in both.PAIRS)
    assert count("v ") == 2 * vv + 3 * ev + 4 * ee + 4 * fv
    assert (count("p "), count("l "), count("f "), count("o ")) == (2 * vv + ev + fv, ev + 2 * ee, fv, 4)
    assert max(int(n) for line in lines if line[0] in "plf" for n in line.split()[1:]) == count("v ")
    assert not candidates.save_obj(str(tmp_path / "no" / "such"), x, mine.edges, mine.faces)
    with pytest.raises(TypeError):
        candidates.save_obj(1, x, mine.edges, mine.faces)


DETECTED = "vertex_vertex edge_vertex edge_edge face_vertex edge_face face_face".split()


@pytest.mark.parametrize("method", ["BruteForce", "HashGrid", "SpatialHash", "SweepAndPrune", "LBVH"])
@pytest.mark.parametrize("swept", [False, True], ids=["static", "swept"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_broad_phases(method, dimension, swept):
    (mesh, _), x = soup(dimension, 8)
    ends = (x, x + 0.1) if swept else (x,)
    found = []
    for module, name in ((ours, method), (ipctk, "BruteForce")):
        broad_phase = getattr(module, name)()
        assert broad_phase.name() == name
        broad_phase.build(*map(F, ends), F(mesh.edges), F(mesh.faces.reshape(-1, 3)), 0.05)
        lists = {}
        for kind in DETECTED:
            if dimension == 2 and "face" in kind:
                continue
            pairs = [eval(str(c)) for c in getattr(broad_phase, f"detect_{kind}_candidates")()]
            first, _, second = kind.partition("_")
            lists[kind] = sorted(sorted(pair) if first == second else pair for pair in pairs)
        found.append(lists)
    assert found[0] == found[1]
    assert all(found[0].values())


def test_broad_phases_with_filters_and_without_a_mesh():
    (mesh, _), x = soup(3, 8)
    for rule in (ours.make_static_obstacle_filter(0), ours.CollisionFilter(lambda i, j: False)):
        broad_phase = ours.HashGrid()
        broad_phase.can_vertices_collide = rule
        broad_phase.build(x, mesh.edges, mesh.faces, 0.05)
        assert not any(getattr(broad_phase, f"detect_{kind}_candidates")() for kind in DETECTED)
        assert broad_phase.detect_collision_candidates().empty()
    broad_phase = ours.SpatialHash()
    broad_phase.build(x, mesh.edges, mesh.faces, 0.05, voxel_size=0.3)
    assert broad_phase.detect_edge_edge_candidates()
    broad_phase.clear()
    assert broad_phase.detect_edge_edge_candidates() == []


def test_a_broad_phase_of_the_caller():
    """Classes of Python may return candidates or pairs; what they do not override is found as ever."""
    (mesh, _), x = soup(3, 5)
    wanted = build(ours, mesh, x, 0.1)

    class Half(ours.SweepAndPrune):
        asked = 0

        def detect_face_vertex_candidates(self):
            Half.asked += 1
            return [(c.face_id, c.vertex_id) for c in super().detect_face_vertex_candidates()[::2]]

    found = build(ours, mesh, x, 0.1, Half())
    assert Half.asked == 1 and numbers(found, "fv") == numbers(wanted, "fv")[::2]
    for kind in ("vv", "ev", "ee"):
        assert numbers(found, kind) == numbers(wanted, kind) and numbers(found, kind)
    swept = build(ours, mesh, x, x + 0.05, 0.04, type("Mine", (ours.LBVH,), {})())
    check_same_pairs(swept, build(ours, mesh, x, x + 0.05, 0.04))

    class Fails(ours.LBVH):
        def detect_edge_edge_candidates(self):
            raise ArithmeticError("no edges")

    with pytest.raises(ArithmeticError, match="no edges"):
        build(ours, mesh, x, 0.04, Fails())


M = ours.CollisionMesh(np.eye(3), [[0, 1], [1, 2]])


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda: ours.VertexVertexCandidate(-1, 0), ValueError, "vertex0_id"),
        (lambda: ours.EdgeVertexCandidate(0, "a"), TypeError, "vertex_id"),
        (lambda: ours.EdgeEdgeCandidate(0), TypeError, "edge0_id and edge1_id"),
        (lambda: ours.FaceVertexCandidate((1, 2, 3)), TypeError, "face_and_vertex_id"),
        (lambda: ours.PlaneVertexCandidate(3, 0), TypeError, "plane"),
        (lambda: ours.CollisionStencil().vertex_ids([], []), TypeError, "CollisionStencil"),
        (lambda: ours.EdgeVertexCandidate(5, 0).vertex_ids(EDGES, FACES), ValueError, "edges: has 2 rows"),
        (lambda: ours.VertexVertexCandidate(0, 9).dof(np.eye(3), EDGES, FACES), ValueError, "needs row 9"),
        (lambda: ours.VertexVertexCandidate(0, 1).compute_distance(np.ones(5)), ValueError, "positions: has 5"),
        (lambda: ours.VertexVertexCandidate(0, 1).compute_distance(), TypeError, "expected positions"),
        (lambda: ours.Candidates().build(3, np.eye(3)), TypeError, "mesh"),
        (lambda: ours.Candidates().build(M), TypeError, "vertices"),
        (lambda: ours.Candidates().build(M, np.eye(3), 0.1, None, 5), TypeError, "build"),
        (lambda: ours.Candidates().build(M, np.eye(3)[:2]), ValueError, "vertices: has 2 rows, expected 3"),
        (lambda: ours.Candidates().build(M, np.eye(3) * np.nan), ValueError, "vertices: row 0 is not finite"),
        (lambda: ours.Candidates().build(M, np.eye(3), -0.1), ValueError, "inflation_radius"),
        (lambda: ours.Candidates().build(M, np.eye(3), 0.1, "LBVH"), TypeError, "broad_phase"),
        (lambda: ours.Candidates().build(M, np.eye(3), radius=1), TypeError, "radius"),
        (lambda: setattr(ours.Candidates(), "ee_candidates", [(0, 1, 2)]), ValueError, "ee_candidates"),
        (lambda: setattr(ours.Candidates(), "ee_candidates", [(0, -1)]), ValueError, "ee_candidates"),
        (lambda: setattr(ours.Candidates(), "pv_candidates", [(0, 1)]), TypeError, "pv_candidates"),
        (lambda: ours.BroadPhase().detect_edge_edge_candidates(), NotImplementedError, "BroadPhase"),
        (lambda: ours.LBVH().build(np.eye(3), EDGES), TypeError, "build"),
        (lambda: ours.LBVH().build(np.eye(3), EDGES, FACES), ValueError, "edges: row 1 names 6"),
        (lambda: ours.LBVH().vertex_nodes, NotImplementedError, "vertex_nodes"),
        (lambda: ours.HashGrid().cell_size, NotImplementedError, "cell_size"),
        (lambda: ours.HashItem(0, 1), NotImplementedError, "HashItem"),
        (lambda: ours.LBVH_Node(), NotImplementedError, "LBVH_Node"),
    ],
)
def test_wrong_input(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_candidates_of_another_mesh_are_refused():
    (mesh, _), x = soup(3, 5)
    candidates = build(ours, mesh, x, 0.04)
    with pytest.raises(ValueError, match="candidate"):
        candidates.compute_collision_free_stepsize(M, np.eye(3), np.eye(3))
    with pytest.raises(ValueError, match="candidate"):
        candidates.compute_per_vertex_safe_distances(M, np.eye(3), 1.0)
