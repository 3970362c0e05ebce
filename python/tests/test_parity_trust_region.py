"""Trust regions against ipctk, on random scenes and meshes of thousands of vertices."""

import ipctk
import numpy as np
import pytest
import scenes
from test_parity_normal import WORKLOADS, each, from_workload

import stiction


def peer_region(scene, min_distance=0.0):
    region = ipctk.ogc.TrustRegion(scene.dhat)
    region.update(scene.ipc_mesh(), scene.x, ipctk.NormalCollisions(), min_distance)
    return region


def check_radii(scene, min_distance, agree):
    region = stiction.TrustRegion(scene.surface(), scene.dhat, min_distance=min_distance)
    assert region.needs_update and len(region.radii) == 0
    region.update(scene.x)
    theirs = peer_region(scene, min_distance).trust_region_radii
    agree("radii", region.radii / theirs, np.ones_like(theirs), 1e-12)
    np.testing.assert_array_equal(region.centers, scene.x)
    assert not region.needs_update


@each([scenes.sheets, scenes.twins, scenes.cubes, scenes.tetrahedra, scenes.polygons])
@pytest.mark.parametrize("kept", [0.0, 0.3])
def test_radii(scene, kept, agree):
    check_radii(scene, kept * scene.contacts().smallest_gap(scene.x), agree)


@pytest.mark.parametrize("name, size", WORKLOADS)
def test_radii_of_workloads(name, size, agree):
    check_radii(from_workload(name, size), 0.0, agree)


@each([scenes.sheets, scenes.cubes, scenes.polygons])
@pytest.mark.parametrize("order", ["C", "F"])
def test_filtered_steps(scene, order, agree):
    """ipctk wants arrays in Fortran's order and changes them; ours may be in any and are not changed."""
    surface, mesh = scene.surface(), scene.ipc_mesh()
    region, theirs = stiction.TrustRegion(surface, scene.dhat), peer_region(scene)
    region.update(scene.x)
    step = np.random.default_rng(8).normal(size=scene.x.shape) * 0.2 * scene.dhat
    filtered = np.asfortranarray(step.copy())
    theirs.filter_step(mesh, scene.x, filtered)
    given = np.asarray(step, order=order)
    ours, held = region.filter_step(np.asarray(scene.x, order=order), given)
    agree("filtered steps", ours, filtered, 1e-12)
    np.testing.assert_array_equal(given, step)
    assert held == np.any(ours != step, axis=1).sum() > 0
    assert region.needs_update == theirs.should_update_trust_region
    # A second step from there stays in the same balls.
    again = np.asfortranarray(step.copy())
    theirs.filter_step(mesh, scene.x + filtered, again)
    ours_again, _ = region.filter_step(scene.x + ours, step)
    agree("second filtered steps", ours + ours_again, filtered + again, 1e-10)
    assert not stiction.has_crossings(surface, scene.x + ours + ours_again)


@each([scenes.sheets, scenes.cubes, scenes.polygons])
def test_warm_start(scene, agree):
    surface, mesh = scene.surface(), scene.ipc_mesh()
    predicted = scene.x + np.random.default_rng(9).normal(size=scene.x.shape) * scene.dhat
    theirs, moved = ipctk.ogc.TrustRegion(scene.dhat), np.asfortranarray(scene.x.copy())
    theirs.warm_start_time_step(mesh, moved, np.asfortranarray(predicted), ipctk.NormalCollisions(), scene.dhat)
    region = stiction.TrustRegion(surface, scene.dhat)
    x, held = region.warm_start(scene.x, predicted)
    agree("warm start", x, moved, 1e-12)
    agree("radii after the warm start", region.radii, theirs.trust_region_radii, 1e-11)
    assert held > 0 and region.inflation == pytest.approx(theirs.trust_region_inflation_radius, rel=1e-14)
    assert not stiction.has_crossings(surface, x)


@each([scenes.sheets, scenes.cubes, scenes.polygons])
def test_planes_let_things_slide(scene):
    """Nothing crosses, and motion along the surfaces is kept where balls would stop it."""
    surface = scene.surface()
    region = stiction.TrustRegion(surface, scene.dhat)
    step = np.random.default_rng(13).normal(size=scene.x.shape) * 0.5 * scene.dhat
    planar, held = region.planar_filter_step(scene.x, step)
    assert held > 0 and region.needs_update
    assert not stiction.has_crossings(surface, scene.x + planar)
    region.update(scene.x)
    balls, _ = region.filter_step(scene.x, step)
    assert np.linalg.norm(planar) > 1.5 * np.linalg.norm(balls)


def test_vertices_inside_are_free():
    """A solid: the vertex in the middle of a cube is not on its surface."""
    x = np.concatenate([scenes.CUBE_CORNERS, [[0.5, 0.5, 0.5]], scenes.CUBE_CORNERS + [0, 0, 1.1]])
    faces = np.concatenate([scenes.CUBE_FACES, scenes.CUBE_FACES + 9])
    surface = stiction.Surface(x, scenes.NO_EDGES, faces)
    region = stiction.TrustRegion(surface, 0.2)
    region.update(x)
    assert np.isinf(region.radii[8]) and np.isfinite(np.delete(region.radii, 8)).all()
    step = np.zeros_like(x)
    step[8] = [3.0, 4.0, 5.0]
    filtered, held = region.filter_step(x, step)
    np.testing.assert_array_equal(filtered, step)
    assert held == 0


def test_planes_hold_vertices():
    x = np.array([[0.0, 0.0, 0.1], [1.0, 0.0, 0.3], [0.0, 1.0, 0.3]])
    surface = stiction.Surface(x, scenes.NO_EDGES, [[0, 1, 2]])
    region = stiction.TrustRegion(surface, 0.5, [([0, 0, 0], [0, 0, 1])])
    region.update(x)
    assert region.radii[0] == pytest.approx(0.45 * 0.1, rel=1e-12)


def test_it_describes_itself():
    scene = scenes.cubes(0)
    region = stiction.TrustRegion(scene.surface(), scene.dhat)
    assert repr(region) == "TrustRegion(0 balls, needs_update=true)"
    region.update(scene.x)
    assert repr(region) == f"TrustRegion({len(scene.x)} balls, needs_update=false)"


def test_bad_input_is_refused():
    scene = scenes.cubes(0)
    surface, x = scene.surface(), scene.x
    for message, options in [
        ("dhat", {"dhat": 0.0}),
        ("minimum distance|min_distance", {"min_distance": -1.0}),
        ("relax", {"relaxation": 1.0}),
        ("held", {"update_threshold": 2.0}),
    ]:
        with pytest.raises(ValueError, match=message):
            stiction.TrustRegion(surface, **({"dhat": 0.1} | options))
    region = stiction.TrustRegion(surface, 0.1)
    with pytest.raises(ValueError, match="update"):
        region.filter_step(x, np.zeros_like(x))
    region.update(x)
    with pytest.raises(ValueError, match="step"):
        region.filter_step(x, np.full_like(x, np.nan))
    with pytest.raises(ValueError, match="update where"):
        region.filter_step(x + 1.0, np.zeros_like(x))
