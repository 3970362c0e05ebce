"""How far a mesh may move, and whether it intersects itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _stiction
from ._array import instance, not_negative
from ._broad_phase import NATIVE_METHODS, method_of, pair_array
from ._candidates import Candidates
from ._ccd import DEFAULT_RULE, is_native, narrow_phase, rule_of_default
from ._crossing import is_edge_intersecting_triangle, segment_segment_intersect
from ._mesh import CollisionMesh


def compute_collision_free_stepsize(
    mesh: CollisionMesh,
    vertices_t0: Any,
    vertices_t1: Any,
    min_distance: float = 0.0,
    broad_phase: Any = None,
    narrow_phase_ccd: Any = None,
) -> float:
    """The largest part, at most 1, of the way from `vertices_t0` to `vertices_t1` during which nothing touches."""
    method = NATIVE_METHODS.get(type(broad_phase))
    if method and narrow_phase_ccd is None and type(mesh) is CollisionMesh and not (mesh._asks_python or mesh._planes):
        # What solvers do, with caches that were emptied since: as few calls as possible.
        rule = DEFAULT_RULE if type(min_distance) is float and min_distance == 0.0 else rule_of_default(min_distance)
        return _stiction.path_step(mesh._surface, vertices_t0, vertices_t1, rule, method)
    ways, how = (vertices_t0, vertices_t1), (min_distance, broad_phase, narrow_phase_ccd)
    return _asked(_stiction.path_step, Candidates.compute_collision_free_stepsize, mesh, ways, how)


def is_step_collision_free(
    mesh: CollisionMesh,
    vertices_t0: Any,
    vertices_t1: Any,
    min_distance: float = 0.0,
    broad_phase: Any = None,
    narrow_phase_ccd: Any = None,
) -> bool:
    """Whether nothing comes closer than `min_distance` (m) on the way from `vertices_t0` to `vertices_t1`."""
    ways, how = (vertices_t0, vertices_t1), (min_distance, broad_phase, narrow_phase_ccd)
    return _asked(_stiction.path_is_free, Candidates.is_step_collision_free, mesh, ways, how)


def _asked(native: Any, of_candidates: Any, mesh: CollisionMesh, ways: tuple[Any, Any], how: tuple[float, Any, Any]) -> Any:
    """What a native function says of a way, or candidates where a search, a filter or a narrow phase is written in Python."""
    min_distance, broad_phase, narrow_phase_ccd = how
    instance("mesh", mesh, CollisionMesh)
    ccd: Any = narrow_phase(narrow_phase_ccd)
    method = method_of(broad_phase)
    if method is None or not is_native(ccd) or mesh._asks_python:
        return of_candidates(_candidates(mesh, ways, min_distance, broad_phase), mesh, *ways, min_distance, ccd)
    return native(mesh._surface, *ways, ccd._rule(min_distance), method, mesh._native_planes())


def _candidates(mesh: CollisionMesh, ways: tuple[Any, Any], min_distance: float, broad_phase: Any) -> Candidates:
    candidates = Candidates()
    radius = 0.5 * not_negative("min_distance", min_distance)
    candidates.build(mesh, vertices_t0=ways[0], vertices_t1=ways[1], inflation_radius=radius, broad_phase=broad_phase)
    return candidates


def has_intersections(mesh: CollisionMesh, vertices: Any, broad_phase: Any = None) -> bool:
    """Whether edges cross edges (2D) or faces (3D), or vertices and edges of nothing else lie on something; decided exactly."""
    instance("mesh", mesh, CollisionMesh)
    if method_of(broad_phase) is None:
        return _crosses_among(mesh, mesh._positions("vertices", vertices), broad_phase)
    if not mesh._asks_python:
        return _stiction.has_crossings(mesh._surface, mesh._positions("vertices", vertices))
    x = mesh._positions("vertices", vertices)
    kinds = ("vv", "ve", "ee") if mesh.dim == 2 else ("ef", "ee", "vv", "ve", "vf")
    return any(_crosses(mesh, x, kind) for kind in kinds)


def _crosses(mesh: CollisionMesh, x: np.ndarray, kind: Any) -> bool:
    """Whether pairs of a kind cross that the filter, with functions of Python, lets touch."""
    found = _stiction.crossings(mesh._surface, x, kind)
    return bool(len(found) and mesh._kept(kind, found).any())


def _crosses_among(mesh: CollisionMesh, x: np.ndarray, broad_phase: Any) -> bool:
    """Whether one of the pairs that a class of Python finds crosses."""
    broad_phase.can_vertices_collide = mesh.can_collide
    broad_phase.build(x, mesh.edges, mesh.faces)
    if mesh.dim == 2:
        pairs = pair_array("edge-edge candidates", broad_phase.detect_edge_edge_candidates())
        return any(segment_segment_intersect(*x[mesh.edges[e]], *x[mesh.edges[f]]) for e, f in pairs)
    pairs = pair_array("edge-face candidates", broad_phase.detect_edge_face_candidates())
    return any(is_edge_intersecting_triangle(*x[mesh.edges[e]], *x[mesh.faces[f]]) for e, f in pairs)
