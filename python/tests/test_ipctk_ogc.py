"""Trust regions of `stiction.ipctk` against ipctk's: arrays are changed in place, in any order of memory."""

import both
import ipctk
import numpy as np
import pytest
import scenes
from both import each, of_scene
from test_parity_normal import WORKLOADS, from_workload

import stiction.ipctk as ours


def regions(scene, min_distance=0.0):
    """Both regions, updated at the scene's positions, with their meshes and collisions."""
    pair = []
    for module, mesh in zip((ours, ipctk), of_scene(scene)):
        region, collisions = module.ogc.TrustRegion(scene.dhat), module.NormalCollisions()
        assert region.should_update_trust_region
        region.update(mesh, scene.x, collisions, min_distance)
        pair.append((region, mesh, collisions))
    return pair


def smallest_gap(scene):
    return scene.contacts().smallest_gap(scene.x)


@each()
@pytest.mark.parametrize("part", [0.0, 0.3])
def test_radii_and_collisions(scene, part, agree):
    (mine, _, collisions), (peer, _, theirs) = regions(scene, part * smallest_gap(scene))
    agree("radii", mine.trust_region_radii / peer.trust_region_radii, np.ones(len(scene.x)), 1e-12)
    np.testing.assert_array_equal(mine.trust_region_centers, scene.x)
    assert mine.trust_region_inflation_radius == peer.trust_region_inflation_radius
    assert not mine.should_update_trust_region
    for kind in ("vv", "ev", "ee", "fv"):
        counts = [len(getattr(c, f"{kind}_collisions")) for c in (collisions, theirs)]
        assert counts[0] == counts[1], kind
    assert len(collisions) == len(theirs) > 0


@each([scenes.cubes, scenes.polygons], seeds=[0])
def test_candidates(scene):
    (mine, *_), (peer, *_) = regions(scene)
    for kind in both.PAIRS:
        found, theirs = both.numbers(mine.candidates, kind), both.numbers(peer.candidates, kind)
        # ipctk's tree rounds boxes to single precision and finds a few more.
        assert set(found) <= set(theirs) and len(theirs) - len(found) <= 0.01 * len(theirs)
    mine.candidates = ours.Candidates()
    assert mine.candidates.empty()


@pytest.mark.parametrize("name, size", WORKLOADS)
def test_radii_of_workloads(name, size, agree):
    (mine, *_), (peer, *_) = regions(from_workload(name, size))
    agree("radii", mine.trust_region_radii / peer.trust_region_radii, np.ones(len(peer.trust_region_radii)), 1e-12)


def strided(array):
    """The same numbers in a view of a larger array."""
    wide = np.full((len(array), 2 * array.shape[1]), 7.0)
    wide[:, ::2] = array
    return wide[:, ::2]


ORDERS = {"C": np.ascontiguousarray, "F": np.asfortranarray, "strided": strided}


@each([scenes.sheets, scenes.cubes, scenes.polygons], seeds=[0])
@pytest.mark.parametrize("order", ORDERS)
def test_filtered_steps(scene, order, agree):
    (mine, mesh, _), (peer, their_mesh, _) = regions(scene)
    step = np.random.default_rng(8).normal(size=scene.x.shape) * 0.2 * scene.dhat
    dx, theirs = ORDERS[order](step.copy()), np.asfortranarray(step.copy())
    assert mine.filter_step(mesh, ORDERS[order](scene.x), dx) is None
    peer.filter_step(their_mesh, scene.x, theirs)
    agree("filtered steps", dx, theirs, 1e-12)
    assert (dx != step).any() and mine.should_update_trust_region == peer.should_update_trust_region
    outside = np.linalg.norm(scene.x + dx - mine.trust_region_centers, axis=1) - mine.trust_region_radii
    assert outside.max() < 4 * np.finfo(float).eps * np.abs(scene.x).max()
    # A second step from there stays in the same balls.
    again, their_again = ORDERS[order](step.copy()), np.asfortranarray(step.copy())
    mine.filter_step(mesh, scene.x + dx, again)
    peer.filter_step(their_mesh, scene.x + theirs, their_again)
    agree("second filtered steps", dx + again, theirs + their_again, 1e-10)
    assert not ours.has_intersections(mesh, scene.x + dx + again)


@each([scenes.sheets, scenes.cubes, scenes.polygons], seeds=[0])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("size", [0.05, 3.0])
def test_warm_starts(scene, order, size, agree):
    ahead = scene.x + np.random.default_rng(9).normal(size=scene.x.shape) * size * scene.dhat
    moved = []
    for module, mesh, arrange in zip((ours, ipctk), of_scene(scene), (ORDERS[order], np.asfortranarray)):
        region, collisions = module.ogc.TrustRegion(scene.dhat), module.NormalCollisions()
        x = arrange(scene.x.copy())
        region.warm_start_time_step(mesh, x, ahead, collisions, scene.dhat)
        moved.append((x, region, len(collisions)))
    (x, mine, count), (theirs, peer, their_count) = moved
    agree("warm starts", x, theirs, 1e-12)
    agree("radii after warm starts", mine.trust_region_radii, peer.trust_region_radii, 1e-10)
    assert mine.trust_region_inflation_radius == pytest.approx(peer.trust_region_inflation_radius, rel=1e-14)
    assert count == their_count and (x != scene.x).any()
    assert not ours.has_intersections(of_scene(scene)[0], x)


@each([scenes.sheets, scenes.twins, scenes.cubes, scenes.tetrahedra, scenes.polygons, scenes.on_planes], seeds=[0])
def test_planar_steps_are_free(scene):
    (mine, mesh, _), _ = regions(scene)
    random = np.random.default_rng(5)
    for size in (0.1, 1.0):
        step = random.normal(size=scene.x.shape) * size * scene.dhat
        dx = np.asfortranarray(step.copy())
        mine.planar_filter_step(mesh, scene.x, dx)
        assert size < 1 or (dx != step).any() and np.abs(dx).max() > 0
        parts = np.linalg.norm(dx, axis=1) / np.linalg.norm(step, axis=1)
        np.testing.assert_allclose(dx, step * parts[:, None], atol=1e-14)
        assert ours.is_step_collision_free(mesh, scene.x, scene.x + dx)


def test_sliding_is_free():
    """Planes between pairs let a plate slide along another, which balls do not."""
    x, faces = scenes.merged([scenes.grid(4, np.random.default_rng(0)), scenes.grid(4, np.random.default_rng(0))])
    x[:, 2] = 0.0
    x[len(x) // 2 :, 2] = 0.01
    mesh = ours.CollisionMesh(x, ours.edges(faces), faces)
    region = ours.ogc.TrustRegion(0.2)
    region.update(mesh, x, ours.NormalCollisions())
    slide = np.zeros_like(x)
    slide[len(x) // 2 :, 0] = 0.1
    by_planes, by_balls = slide.copy(), slide.copy()
    region.planar_filter_step(mesh, x, by_planes)
    region.filter_step(mesh, x, by_balls)
    np.testing.assert_allclose(by_planes, slide, atol=1e-12)
    assert np.abs(by_balls).max() < 0.01


def test_full_meshes():
    """Rows of the full mesh may be given; vertices that cannot touch are not held."""
    scene = scenes.cubes(1)
    count = len(scene.rest)
    full = np.concatenate([scene.rest, np.random.default_rng(0).normal(size=(5, 3))])
    x = np.concatenate([scene.x, full[count:]])
    surface = scene.surface()
    edges, faces = surface.edges.astype(np.int32), surface.faces.astype(np.int32)
    results = []
    for module in (ours, ipctk):
        mesh = module.CollisionMesh.build_from_full_mesh(full, edges, faces)
        region = module.ogc.TrustRegion(scene.dhat)
        region.update(mesh, x, module.NormalCollisions())
        step = np.asfortranarray(np.full(x.shape, 0.5))
        region.filter_step(mesh, x, step)
        planar = np.asfortranarray(np.full(x.shape, -0.5))
        region.planar_filter_step(mesh, x, planar)
        moved = np.asfortranarray(x.copy())
        region.warm_start_time_step(mesh, moved, x + 0.3, module.NormalCollisions(), scene.dhat)
        results.append((region.trust_region_radii, step, moved))
        assert module is ipctk or (planar[count:] == -0.5).all() and (planar[:count] != -0.5).any()
    for mine, peer in zip(*results):
        np.testing.assert_allclose(mine, peer, rtol=1e-10)
    assert np.isinf(results[0][0][count:]).all() and (results[0][1][count:] == 0.5).all()


def test_updates_where_needed():
    scene = scenes.cubes(0)
    (region, mesh, collisions), _ = regions(scene)
    moved = scene.x + 1e-6
    region.update_if_needed(mesh, moved, collisions)
    np.testing.assert_array_equal(region.trust_region_centers, scene.x)
    region.should_update_trust_region = True
    region.update_if_needed(mesh, moved, collisions)
    np.testing.assert_array_equal(region.trust_region_centers, moved)
    assert not region.should_update_trust_region
    region.update_threshold = 1.0
    region.filter_step(mesh, moved, np.full(moved.shape, 10.0))
    assert not region.should_update_trust_region
    region.relaxed_radius_scaling = 0.45
    before = region.trust_region_radii
    region.update(mesh, moved, collisions)
    np.testing.assert_allclose(region.trust_region_radii, before / 2, rtol=1e-12)


@each([scenes.cubes, scenes.polygons], seeds=[0])
def test_filters_and_broad_phases(scene, agree):
    mesh, _ = of_scene(scene)
    wanted = ours.ogc.TrustRegion(scene.dhat)
    wanted.update(mesh, scene.x, ours.NormalCollisions())
    for broad_phase in (ours.BruteForce(), type("Mine", (ours.LBVH,), {})()):
        region = ours.ogc.TrustRegion(scene.dhat)
        region.update(mesh, scene.x, ours.NormalCollisions(), 0.0, broad_phase)
        agree("radii of other searches", region.trust_region_radii, wanted.trust_region_radii, 1e-11)
    mesh.can_collide = lambda i, j: False
    region.update(mesh, scene.x, ours.NormalCollisions())
    np.testing.assert_allclose(region.trust_region_radii, 0.9 * scene.dhat, rtol=1e-12)


@each([scenes.sheets, scenes.cubes, scenes.polygons], seeds=[0])
def test_feasible_regions(scene):
    (mine, mesh, _), (_, their_mesh, _) = regions(scene)
    answers = set()
    for kind, name in (("ev", "edge_vertex"), ("ee", "edge_edge"), ("fv", "face_vertex")):
        cls = both.PAIRS[kind]
        for candidate in getattr(mine.candidates, cls[0])[::5]:
            pair = getattr(candidate, cls[1]), getattr(candidate, cls[2])
            theirs = getattr(ipctk, type(candidate).__name__)(*pair)
            answer = getattr(ours.ogc, f"is_{name}_feasible")(mesh, scene.x, candidate)
            assert answer == getattr(ipctk.ogc, f"is_{name}_feasible")(their_mesh, scene.x, theirs)
            answers.add(answer)
    assert answers == {True, False}
    for v in range(0, mesh.num_vertices, 3):
        other = (v + 11) % mesh.num_vertices
        for args in ((scene.x, other, v), (scene.x, scene.x[other], v)):
            mine_says = ours.ogc.check_vertex_feasible_region(mesh, *args)
            assert mine_says == ipctk.ogc.check_vertex_feasible_region(their_mesh, *args)
    # In 2D edges have no neighbours that they share points with; at its ends, an edge and its vertices have the same points.
    for e in range(0, mesh.num_edges if mesh.dim == 3 else 0, 3):
        args = (scene.x, (e + 5) % mesh.num_vertices, e)
        if args[1] in mesh.edges[e]:
            continue
        mine_says = ours.ogc.check_edge_feasible_region(mesh, *args)
        assert mine_says == ipctk.ogc.check_edge_feasible_region(their_mesh, *args)


def test_feasible_regions_of_given_parts():
    scene = scenes.cubes(0)
    mesh, peer = of_scene(scene)
    checked = 0
    for e, f in [(0, 20), (3, 33), (7, 60)]:
        for dtype in range(9):
            args = [(m.EdgeEdgeCandidate(e, f), m.EdgeEdgeDistanceType(dtype)) for m in (ours, ipctk)]
            mine = ours.ogc.is_edge_edge_feasible(mesh, scene.x, *args[0])
            assert mine == ipctk.ogc.is_edge_edge_feasible(peer, scene.x, *args[1])
            checked += 1
    assert checked == 27


MESH = ours.CollisionMesh(np.eye(3), [[0, 1], [1, 2]])
X = np.eye(3)


def read_only():
    array = np.zeros((3, 3))
    array.flags.writeable = False
    return array


def updated():
    region = ours.ogc.TrustRegion(0.1)
    region.update(MESH, X, ours.NormalCollisions())
    return region


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda: ours.ogc.TrustRegion(0.0), ValueError, "dhat"),
        (lambda: ours.ogc.TrustRegion("a"), TypeError, "dhat"),
        (lambda: updated().filter_step(MESH, X, read_only()), TypeError, "dx: cannot be written"),
        (lambda: updated().filter_step(MESH, X, np.zeros((3, 3), np.float32)), TypeError, "dx: is of type float32"),
        (lambda: updated().filter_step(MESH, X, X.tolist()), TypeError, "dx: is of type list"),
        (lambda: updated().filter_step(MESH, X, np.zeros((2, 3))), ValueError, "dx: has shape"),
        (lambda: updated().filter_step(MESH, X, np.zeros((3, 3)) * np.nan), ValueError, "dx: row 0 is not finite"),
        (lambda: updated().filter_step(MESH, X[:2], np.zeros((3, 3))), ValueError, "rows|balls|entries"),
        (lambda: updated().filter_step(MESH, X + 5, np.ones((3, 3))), ValueError, "of vertex 0 is .*at most the radius"),
        (lambda: ours.ogc.TrustRegion(0.1).filter_step(MESH, X, np.zeros((3, 3))), ValueError, "update it"),
        (lambda: updated().planar_filter_step(MESH, X, read_only()), TypeError, "dx"),
        (lambda: updated().update(MESH, X[:2], ours.NormalCollisions()), ValueError, "rows"),
        (lambda: updated().update(MESH, X, ours.NormalCollisions(), -1.0), ValueError, "min_distance"),
        (lambda: updated().update(3, X, ours.NormalCollisions()), TypeError, "mesh"),
        (lambda: updated().warm_start_time_step(MESH, read_only(), X, ours.NormalCollisions(), 0.1), TypeError, "x:"),
        (lambda: updated().warm_start_time_step(MESH, X.copy(), X[:2], ours.NormalCollisions(), 0.1), ValueError, "pred_x"),
        (lambda: updated().warm_start_time_step(MESH, X.copy(), X, ours.NormalCollisions(), -0.1), ValueError, "dhat"),
        (lambda: setattr(updated(), "candidates", 3), TypeError, "candidates"),
        (lambda: ours.ogc.check_edge_feasible_region(MESH, X, 0, 2), ValueError, "ei: is 2"),
        (lambda: ours.ogc.check_vertex_feasible_region(MESH, X, 3, 0), ValueError, "xi: is 3"),
        (lambda: ours.ogc.check_vertex_feasible_region(MESH, X, X[0][:2], 0), ValueError, "point"),
        (lambda: ours.ogc.is_edge_edge_feasible(MESH, X, ours.EdgeEdgeCandidate(0, 9)), ValueError, "candidate"),
        (lambda: ours.ogc.is_edge_edge_feasible(MESH, X, ours.EdgeEdgeCandidate(0, 1)), ValueError, "twice"),
    ],
)
def test_wrong_input(call, error, match):
    with pytest.raises(error, match=match):
        call()
