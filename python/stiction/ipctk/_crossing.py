"""Whether segments and triangles share a point: decided exactly, touching included, whatever the positions."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np

from .._stiction import drop_in
from ._array import Floats, points
from ._distance import PLANE, SPACE

_SEGMENTS = ("A", "B", "C", "D")
_EDGE_AND_TRIANGLE = ("e0", "e1", "t0", "t1", "t2")


def segment_segment_intersect(A: Any, B: Any, C: Any, D: Any) -> bool:  # noqa: N803
    """Whether the segments from A to B and from C to D in 2D share a point."""
    return drop_in.segments_meet(points(_SEGMENTS, (A, B, C, D), PLANE))


def is_edge_intersecting_triangle(e0: Any, e1: Any, t0: Any, t1: Any, t2: Any) -> bool:
    """Whether an edge and a triangle in 3D share a point."""
    return drop_in.segment_meets_triangle(points(_EDGE_AND_TRIANGLE, (e0, e1, t0, t1, t2), SPACE))


def edge_triangle_intersection(e0: Any, e1: Any, t0: Any, t1: Any, t2: Any) -> tuple[bool, float, float, float]:
    """(whether they share a point, u, v, t): it is at t₀ + u (t₁ − t₀) + v (t₂ − t₀) and e₀ + t (e₁ − e₀).

    u, v, t are nan where there is no such point, and where there are many: an edge in the plane of the triangle.
    """
    x = points(_EDGE_AND_TRIANGLE, (e0, e1, t0, t1, t2), SPACE)
    if not drop_in.segment_meets_triangle(x):
        return False, nan, nan, nan
    return True, *_place(x)


def _place(x: Floats) -> tuple[float, float, float]:
    directions = np.array([x[3] - x[2], x[4] - x[2], x[0] - x[1]]).T
    try:
        u, v, t = np.linalg.solve(directions, x[0] - x[2]).tolist()
    except np.linalg.LinAlgError:
        return nan, nan, nan
    return u, v, t
