"""The same mesh in `stiction.ipctk` and in ipctk, with edges in an order and direction of the caller's own."""

import ipctk as theirs
import numpy as np
import pytest
import scenes

import stiction.ipctk as ours

PAIRS = {
    "vv": ("vv_candidates", "vertex0_id", "vertex1_id"),
    "ev": ("ev_candidates", "edge_id", "vertex_id"),
    "ee": ("ee_candidates", "edge0_id", "edge1_id"),
    "fv": ("fv_candidates", "face_id", "vertex_id"),
}
EACH = [scenes.sheets, scenes.twins, scenes.cubes, scenes.tetrahedra, scenes.polygons]


def each(makers=EACH, seeds=(0, 1)):
    """Runs a test for every scene."""
    cases = [pytest.param(maker(seed), id=f"{maker.__name__}-{seed}") for maker in makers for seed in seeds]
    return pytest.mark.parametrize("scene", cases)


def mixed(edges, random):
    """The same edges in another order, some of them turned round."""
    edges = random.permutation(edges)
    turned = random.integers(0, 2, len(edges)).astype(bool)
    edges[turned] = edges[turned][:, ::-1]
    return edges.astype(np.int32)


def meshes(rest, edges, faces, seed=0):
    """The mesh of ours and of theirs."""
    edges = mixed(np.asarray(edges), np.random.default_rng(seed))
    faces = np.asarray(faces, dtype=np.int32)
    return ours.CollisionMesh(rest, edges, faces), theirs.CollisionMesh(rest, edges, faces)


def of_scene(scene, seed=0):
    """Both meshes of a scene."""
    surface = scene.surface()
    pair = meshes(scene.rest, surface.edges, surface.faces, seed)
    for mesh, module in zip(pair, (ours, theirs)):
        planes = [module.Hyperplane(scenes.unit(n), np.array(p, float)) for p, n in scene.planes]
        mesh.planes = planes
    return pair


def soup(dimension, seed, count=60):
    """Triangles (in 2D: their sides), edges and vertices by themselves, strewn; some vertices are used by nothing."""
    random = np.random.default_rng(seed)
    x = random.uniform(-1, 1, (count, 1, dimension)) + random.uniform(-0.2, 0.2, (count, 3, dimension))
    x = x.reshape(-1, dimension)
    corners = np.arange(3 * count).reshape(-1, 3)
    faces, rest = corners[: count // 2], corners[count // 2 :]
    sides = np.concatenate([faces[:, :2], faces[:, 1:], faces[:, [2, 0]]])
    return meshes(x, np.concatenate([rest[:, :2], sides]), faces if dimension == 3 else faces[:0], seed), x


def numbers(candidates, kind):
    """The candidates of a kind as sorted pairs, whatever their order."""
    name, first, second = PAIRS[kind]
    pairs = [(getattr(c, first), getattr(c, second)) for c in getattr(candidates, name)]
    return sorted(tuple(sorted(pair)) if kind in ("vv", "ee") else pair for pair in pairs)
