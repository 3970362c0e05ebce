"""Collision detection in time against ipctk, and where the two differ."""

import ipctk
import numpy as np
import pytest

import stiction

METHODS = ["additive", "tight_inclusion"]
FACES = np.array([[0, 1, 2], [3, 4, 5]])


def motions(count):
    """Two triangles that do not cross at first, and their displacements."""
    random = np.random.default_rng(3)
    while count:
        x, p = random.uniform(-0.5, 0.5, (2, 6, 3))
        surface = stiction.Surface(x, [], FACES)
        if not stiction.has_crossings(surface, x):
            count -= 1
            yield surface, x, p


def peer_mesh(x):
    fortran = np.asfortranarray
    return ipctk.CollisionMesh(fortran(x), fortran(ipctk.edges(FACES)), fortran(FACES))


@pytest.mark.parametrize("method", METHODS)
def test_free_motions(method):
    """Both of ours against its tight inclusion: its additive method wants a tenth of the distance to be kept, too."""
    free = 0
    for surface, x, p in motions(300):
        peer = ipctk.is_step_collision_free(
            peer_mesh(x), np.asfortranarray(x), np.asfortranarray(x + p), narrow_phase_ccd=ipctk.TightInclusionCCD()
        )
        own = stiction.is_free(surface, x, p, method=method)
        assert own == peer
        free += own
    assert 50 < free < 250


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("min_distance", [0.0, 1e-3])
def test_steps_are_safe_and_not_shorter_than_those_of_additive_ipctk(method, min_distance):
    part = {"additive": 0.999, "tight_inclusion": 0.9}[method]
    for surface, x, p in motions(300):
        own = stiction.largest_step(surface, x, p, method=method, min_distance=min_distance)
        assert not stiction.has_crossings(surface, x + own * p)
        assert stiction.is_free(surface, x, own * p, method=method, min_distance=min_distance) or own == 0
        peer = ipctk.compute_collision_free_stepsize(
            peer_mesh(x),
            np.asfortranarray(x),
            np.asfortranarray(x + p),
            min_distance,
            narrow_phase_ccd=ipctk.AdditiveCCD(),
        )
        assert own >= part * peer


def test_methods_by_name():
    surface, x, p = next(motions(1))
    with pytest.raises(ValueError, match="method: .*additive, tight_inclusion"):
        stiction.largest_step(surface, x, p, method="exact")
    with pytest.raises(ValueError, match="min_distance"):
        stiction.is_free(surface, x, p, min_distance=-1.0)
    with pytest.raises(ValueError, match="p: row 2 is not finite"):
        stiction.is_free(surface, x, np.where(np.arange(6)[:, None] == 2, np.nan, p))


def test_the_step_that_ipctk_allows_by_its_cfl_condition_crosses():
    """ipctk 1.6.1 takes the fastest vertex among those of candidates only. Ours is tested in `crates/stiction/tests/all/ccd.rs`."""
    x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 1], [0.3, 0.2, 1], [0.2, 0.3, 1.1]], float)
    p = np.zeros_like(x)
    p[3:, 2] = -2
    mesh, candidates = peer_mesh(x), ipctk.Candidates()
    start, end = np.asfortranarray(x), np.asfortranarray(x + p)
    candidates.build(mesh, start, 1e-2)
    assert candidates.compute_cfl_stepsize(mesh, start, end, 1e-2) == 1
    surface = stiction.Surface(x, [], FACES)
    assert not stiction.is_free(surface, x, p)
    assert 0.4 < stiction.largest_step(surface, x, p) < 0.5
