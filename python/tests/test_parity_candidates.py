"""Candidates against ipctk, for all methods of ours: the same pairs.

ipctk's tree rounds its boxes to single precision and finds a few more, so the comparison is with its other methods.
"""

import ipctk
import numpy as np
import pytest

import stiction

METHODS = ["brute_force", "hash_grid", "spatial_hash", "sweep_and_prune", "bvh"]
KINDS = ["vv", "ve", "ee", "vf"]
SEEDS = range(3)


def soup(dimension, seed, loose, count=150):
    """Random triangles (in 2D: their sides); if `loose`, also edges and vertices by themselves."""
    random = np.random.default_rng(seed)
    parts = count if not loose else count // 2
    x = random.uniform(-1, 1, (count, 1, dimension)) + random.uniform(-0.2, 0.2, (count, 3, dimension))
    x = x.reshape(-1, dimension)
    corners = np.arange(3 * count).reshape(-1, 3)
    faces, rest = corners[:parts], corners[parts:]
    edges, single = rest[:, :2], rest[:, 2]
    if dimension == 2:
        edges = np.concatenate([edges, faces[:, :2], faces[:, 1:], faces[:, [2, 0]]])
        faces = faces[:0]
    return stiction.Surface(x, edges, faces, single), x


def peer_mesh(surface):
    return ipctk.CollisionMesh(surface.rest, surface.edges.astype(np.int32), surface.faces.astype(np.int32))


def peer_pairs(mesh, x, x_end, inflation, method):
    """Ours by name of the kind, sorted: ipctk's order depends on threads."""
    candidates = ipctk.Candidates()
    if x_end is None:
        candidates.build(mesh, x, inflation, method)
    else:
        candidates.build(mesh, x, x_end, inflation, method)
    pairs = {
        "vv": [sorted((c.vertex0_id, c.vertex1_id)) for c in candidates.vv_candidates],
        "ve": [(c.vertex_id, c.edge_id) for c in candidates.ev_candidates],
        "ee": [sorted((c.edge0_id, c.edge1_id)) for c in candidates.ee_candidates],
        "vf": [(c.vertex_id, c.face_id) for c in candidates.fv_candidates],
    }
    return {kind: sorted(map(tuple, found)) for kind, found in pairs.items()}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("loose", [False, True], ids=["closed", "loose"])
@pytest.mark.parametrize("moving", [False, True], ids=["static", "swept"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_the_same_pairs(dimension, moving, loose, seed):
    surface, x = soup(dimension, seed, loose)
    x_end = x + np.random.default_rng(9).normal(size=x.shape) * 0.05 if moving else None
    mesh = peer_mesh(surface)
    for inflation in [0.0, 0.03]:
        theirs = peer_pairs(mesh, x, x_end, inflation, ipctk.BruteForce())
        assert theirs == peer_pairs(mesh, x, x_end, inflation, ipctk.HashGrid())
        assert len(theirs["ve"] + theirs["ee"]) > 50
        if loose and inflation > 0:
            assert theirs["ve"]
        for method in METHODS:
            ours = stiction.candidates(surface, x, x_end, inflation, method)
            assert list(ours) == KINDS
            for kind in KINDS:
                assert ours[kind].dtype == np.uint32 and ours[kind].shape == (len(theirs[kind]), 2)
                assert [tuple(pair) for pair in ours[kind].tolist()] == theirs[kind], (method, kind)


def test_loose_vertices_meet_each_other():
    x = np.random.default_rng(0).uniform(size=(200, 3))
    surface = stiction.Surface(x, np.zeros((0, 2), int), None, np.arange(200))
    theirs = peer_pairs(ipctk.CollisionMesh(x), x, None, 0.05, ipctk.BruteForce())
    ours = stiction.candidates(surface, x, inflation=0.05)
    assert len(ours["vv"]) > 20
    assert [tuple(pair) for pair in ours["vv"].tolist()] == theirs["vv"]


def test_the_number_of_threads_can_change():
    surface, x = soup(3, 5, True, count=3000)
    first = None
    before = stiction.num_threads()
    try:
        for count in [1, 2, 1, 8]:
            stiction.set_num_threads(count)
            assert stiction.num_threads() == count
            found = stiction.candidates(surface, x, inflation=0.01)
            first = first or found
            assert all(np.array_equal(found[kind], first[kind]) for kind in KINDS)
    finally:
        stiction.set_num_threads(before)
    with pytest.raises(ValueError, match="number of threads = 0"):
        stiction.set_num_threads(0)


@pytest.mark.parametrize("method", METHODS)
def test_bad_input(method):
    surface, x = soup(3, 0, False, count=4)
    bad = x.copy()
    bad[5, 1] = np.nan
    with pytest.raises(ValueError, match="x: row 5 is not finite"):
        stiction.candidates(surface, bad, method=method)
    with pytest.raises(ValueError, match="x_end: row 5 is not finite"):
        stiction.candidates(surface, x, bad, method=method)
    with pytest.raises(ValueError, match="x: positions has 11 entries, expected 12"):
        stiction.candidates(surface, x[1:], method=method)
    for inflation in [-1.0, np.nan, np.inf]:
        with pytest.raises(ValueError, match="inflation"):
            stiction.candidates(surface, x, inflation=inflation, method=method)


def test_an_unknown_method_is_named_with_those_that_exist():
    surface, x = soup(3, 0, False, count=4)
    with pytest.raises(ValueError, match="octree.*brute_force, hash_grid, spatial_hash, sweep_and_prune, bvh"):
        stiction.candidates(surface, x, method="octree")
