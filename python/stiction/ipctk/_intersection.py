"""Whether a mesh intersects itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _stiction
from ._array import instance
from ._broad_phase import method_of, pair_array
from ._crossing import is_edge_intersecting_triangle, segment_segment_intersect
from ._mesh import CollisionMesh


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
