"""Single queries of tight inclusion, in 3D."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from .._stiction import drop_in
from ._array import Floats, not_negative, point, points, positive
from ._ccd import found
from ._enum import Enum

_VF = ("v_t0", "f0_t0", "f1_t0", "f2_t0", "v_t1", "f0_t1", "f1_t1", "f2_t1")
_EE = ("ea0_t0", "ea1_t0", "eb0_t0", "eb1_t0", "ea0_t1", "ea1_t1", "eb0_t1", "eb1_t1")
# Rounding of a coordinate between primitives, in units of the largest coordinate cubed, by (vertex and face, minimum distance).
_ROUNDINGS = {(True, True): 34, (True, False): 30, (False, True): 32, (False, False): 28}


class CCDRootFindingMethod(Enum):
    """In which order boxes are looked at. Here always the earliest first, whichever is chosen."""

    DEPTH_FIRST_SEARCH = 0
    BREADTH_FIRST_SEARCH = 1


DEPTH_FIRST_SEARCH = CCDRootFindingMethod.DEPTH_FIRST_SEARCH
BREADTH_FIRST_SEARCH = CCDRootFindingMethod.BREADTH_FIRST_SEARCH


def edge_edge_ccd(
    ea0_t0: Any,
    ea1_t0: Any,
    eb0_t0: Any,
    eb1_t0: Any,
    ea0_t1: Any,
    ea1_t1: Any,
    eb0_t1: Any,
    eb1_t1: Any,
    min_distance: float = 0.0,
    tmax: float = 1.0,
    tolerance: float = 1e-6,
    max_iterations: int = 10_000_000,
    filter: Any = None,  # noqa: A002 (the name that callers use)
    no_zero_toi: bool = False,
    ccd_method: CCDRootFindingMethod = BREADTH_FIRST_SEARCH,
) -> tuple[bool, float, float]:
    """(whether two edges come closer than `min_distance` before `tmax`, when, the tolerance in m).

    `max_iterations`, `filter`, `no_zero_toi` and `ccd_method` change nothing: the search ends by itself, knows its rounding, and
    returns 0 only if the edges are too close from the start.
    """
    x = points(_EE, (ea0_t0, ea1_t0, eb0_t0, eb1_t0, ea0_t1, ea1_t1, eb0_t1, eb1_t1), (3,))
    return _asked("ee", x, (min_distance, tmax, tolerance))


def point_triangle_ccd(
    v_t0: Any,
    f0_t0: Any,
    f1_t0: Any,
    f2_t0: Any,
    v_t1: Any,
    f0_t1: Any,
    f1_t1: Any,
    f2_t1: Any,
    min_distance: float = 0.0,
    tmax: float = 1.0,
    tolerance: float = 1e-6,
    max_iterations: int = 10_000_000,
    filter: Any = None,  # noqa: A002 (the name that callers use)
    no_zero_toi: bool = False,
    ccd_method: CCDRootFindingMethod = BREADTH_FIRST_SEARCH,
) -> tuple[bool, float, float]:
    """(whether a vertex and a face come closer than `min_distance` before `tmax`, when, the tolerance in m); see `edge_edge_ccd`."""
    x = points(_VF, (v_t0, f0_t0, f1_t0, f2_t0, v_t1, f0_t1, f1_t1, f2_t1), (3,))
    return _asked("vf", x, (min_distance, tmax, tolerance))


def _asked(kind: str, x: Floats, limits: tuple[float, float, float]) -> tuple[bool, float, float]:
    least, tolerance = not_negative("min_distance", limits[0]), positive("tolerance", limits[2])
    # Half of what is left is kept, at most half of the tolerance.
    step = drop_in.pair_step(kind, x[:4], x[4:], ("tight_inclusion", least, 0.5, 0.5 * tolerance))
    hit, toi = found(step, limits[1])
    return hit, toi if hit else inf, tolerance


def compute_ccd_filters(
    min_corner: Any, max_corner: Any, is_vertex_face: bool, using_minimum_separation: bool
) -> Floats:
    """Bounds of the rounding of coordinates of points in a box, in m."""
    corners = points(("min_corner", "max_corner"), (point("min_corner", min_corner, (3,)), max_corner), (3,))
    largest = np.maximum(np.abs(corners).max(axis=0), 1.0)
    ulps = _ROUNDINGS[bool(is_vertex_face), bool(using_minimum_separation)]
    return ulps * np.finfo(float).eps * largest**3
