"""Contacts and barrier against ipctk on random scenes.

Where ipctk is wrong the tests say so, and compare with what is right instead.
"""

from collections import Counter

import ipctk
import numpy as np
import pytest
import scenes
from scenes import barrier

import stiction

KAPPA = 2e3
SEEDS = range(4)

PSD = {
    "none": ipctk.PSDProjectionMethod.NONE,
    "clamp": ipctk.PSDProjectionMethod.CLAMP,
    "abs": ipctk.PSDProjectionMethod.ABS,
}


def each(makers):
    """The test once for every scene and seed."""
    return pytest.mark.parametrize(
        "scene", [pytest.param(make(seed), id=f"{make.__name__}-{seed}") for make in makers for seed in SEEDS]
    )


def ipc_counts(collisions, mesh, x):
    counts = {
        "vv": len(collisions.vv_collisions),
        "ve": len(collisions.ev_collisions),
        "vf": len(collisions.fv_collisions),
        "obstacle": len(collisions.pv_collisions),
    }
    edges = collisions.ee_collisions
    parallel = sum(c.mollifier(c.dof(x, mesh.edges, mesh.faces)) < 1 for c in edges)
    return counts | {"ee": len(edges) - parallel, "parallel": parallel}


def test_the_scenes_have_contacts_of_every_kind():
    counts = {make: Counter() for make in scenes.ALL}
    for make in scenes.ALL:
        for seed in SEEDS:
            counts[make].update(make(seed).contacts().counts)
    for make in scenes.ALL:
        kinds = {"vv", "ve"} if make is scenes.polygons else {"vv", "ve", "ee", "vf"}
        assert all(counts[make][kind] >= 4 for kind in kinds), make
    assert counts[scenes.sheets]["parallel"] > 10
    assert counts[scenes.twins]["parallel"] > 100
    assert counts[scenes.on_planes]["obstacle"] > 10
    assert all(counts[make]["parallel"] == 0 for make in scenes.WITHOUT_PARALLEL)


@each(scenes.ALL)
def test_contacts(scene, agree):
    contacts, mesh = scene.contacts(), scene.ipc_mesh()
    collisions = scene.ipc_collisions(mesh)
    assert contacts.counts == ipc_counts(collisions, mesh, scene.x)
    assert len(contacts) == sum(contacts.counts.values())
    squared = collisions.compute_minimum_distance(mesh, scene.x)
    agree("smallest gap", contacts.smallest_gap(scene.x), np.sqrt(squared))


@each(scenes.ALL)
def test_barrier(scene, agree):
    contacts, mesh, x = scene.contacts(), scene.ipc_mesh(), scene.x
    collisions = scene.ipc_collisions(mesh)
    peer, own = ipctk.BarrierPotential(scene.dhat, KAPPA), barrier(contacts, KAPPA)
    agree("barrier energy", own.energy(contacts, x), peer(collisions, mesh, x))
    gradient = peer.gradient(collisions, mesh, x)
    agree("barrier gradient", own.gradient(contacts, x).ravel(), gradient)
    for psd, method in PSD.items():
        hessian = peer.hessian(collisions, mesh, x, method)
        agree(f"barrier Hessian, {psd}", own.hessian(contacts, x, psd), hessian)


def cube_above_floor(gap):
    corners = scenes.CUBE_CORNERS + [0, 0, gap]
    return scenes.Scene(
        "cube", corners, corners, scenes.NO_EDGES, scenes.CUBE_FACES, 0.1, [([0, 0, 0], [0, 0, 1])]
    )


def test_planes_act_below_dhat():
    """ipctk finds them only below d̂/2, so that its energy jumps there."""
    scene = cube_above_floor(0.075)
    mesh, collisions = scene.ipc_mesh(), ipctk.NormalCollisions()
    collisions.build(mesh, scene.x, scene.dhat)
    assert len(collisions) == 0
    contacts = scene.contacts()
    assert contacts.counts["obstacle"] == 4
    s, limit = 0.075**2, 0.1**2
    energy = -4 * KAPPA * (s - limit) ** 2 * np.log(s / limit)
    assert barrier(contacts, KAPPA).energy(contacts, scene.x) == pytest.approx(energy, rel=1e-14)
    assert len(cube_above_floor(0.1).contacts()) == 0


def test_a_plane_in_2d():
    x = np.array([[0.0, 0.03], [1.0, 0.5]])
    surface = stiction.Surface(x, [[0, 1]])
    contacts = stiction.Contacts(surface, x, 0.1, [([7, 0], [0, 3])])
    assert contacts.counts["obstacle"] == 1
    assert contacts.smallest_gap(x) == pytest.approx(0.03)
    gradient = barrier(contacts, 1.0).gradient(contacts, x)
    assert gradient[0, 0] == 0 and gradient[0, 1] < 0 and not np.any(gradient[1])


@each(scenes.ALL)
def test_hessians_are_symmetric_and_projected_ones_positive(scene):
    contacts = scene.contacts()
    for psd in PSD:
        hessian = barrier(contacts, KAPPA).hessian(contacts, scene.x, psd)
        assert hessian.has_canonical_format and hessian.shape == (scene.x.size, scene.x.size)
        largest = np.abs(hessian.data).max()
        assert np.abs(hessian - hessian.T).max() < 1e-12 * largest
        if psd != "none":
            assert np.linalg.eigvalsh(hessian.toarray())[0] > -1e-11 * largest


@each([scenes.twins])
def test_results_are_the_same_every_time(scene):
    first, second = scene.contacts(), scene.contacts()
    assert barrier(first, KAPPA).energy(first, scene.x) == barrier(second, KAPPA).energy(second, scene.x)
    for psd in PSD:
        bits = [barrier(c, KAPPA).hessian(c, scene.x, psd).data.tobytes() for c in (first, second)]
        assert bits[0] == bits[1]


@each([scenes.cubes, scenes.tetrahedra, scenes.polygons])
def test_largest_step(scene):
    """Nothing touches on the way, and not much less of it is used than ipctk finds safe."""
    surface, mesh = scene.surface(), scene.ipc_mesh()
    p = np.random.default_rng(4).normal(size=scene.x.shape) * 0.5
    step = stiction.largest_step(surface, scene.x, p)
    theirs = ipctk.compute_collision_free_stepsize(mesh, scene.x, scene.x + p)
    assert 0.5 * theirs < step <= 1
    for t in np.linspace(0, step, 9):
        assert not ipctk.has_intersections(mesh, scene.x + t * p)
        assert len(stiction.crossings(surface, scene.x + t * p)) == 0


@each([scenes.cubes, scenes.tetrahedra, scenes.polygons])
def test_crossings(scene):
    surface, mesh = scene.surface(), scene.ipc_mesh()
    p = np.random.default_rng(5).normal(size=scene.x.shape)
    found = []
    for t in np.linspace(0, 1, 20):
        x = scene.x + t * p
        found.append(len(stiction.crossings(surface, x)) > 0)
        assert found[-1] == ipctk.has_intersections(mesh, x)
    assert True in found and False in found


def test_a_plane_limits_the_step():
    scene = cube_above_floor(0.5)
    p = np.zeros_like(scene.x)
    p[:, 2] = -1
    assert stiction.largest_step(scene.surface(), scene.x, p) == 1
    assert 0.4 < stiction.largest_step(scene.surface(), scene.x, p, scene.planes) < 0.5
