"""Planes that do not move, and what comes into contact with them when."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from ._array import Floats, not_negative, number, point, points, positive
from ._logger import logger

_CCD = ("p_t0", "p_t1", "plane_origin", "plane_normal")


class Hyperplane:
    """The plane n·x + offset = 0: Hyperplane(normal, point), or Hyperplane(normal, offset); without arguments z = 0.

    The normal is taken as it is; distances are in m where its length is 1.
    """

    __slots__ = ("_normal", "_offset")

    def __init__(self, normal: Any = (0.0, 0.0, 1.0), point_or_offset: Any = 0.0) -> None:
        self._normal = point("normal", normal).copy()
        if not self._normal.any():
            raise ValueError("normal: has no length, expected the direction across the plane")
        if np.ndim(point_or_offset):
            through = point("point", point_or_offset, (len(self._normal),))
            self._offset = -float(self._normal @ through)
        else:
            self._offset = number("offset", point_or_offset)

    def normal(self) -> Floats:
        """n."""
        return self._normal.copy()

    def offset(self) -> float:
        """−n·x for every x in the plane."""
        return self._offset

    def origin(self) -> Floats:
        """−offset n: for a normal of length 1, the point of the plane that is closest to 0."""
        return -self._offset * self._normal

    def __repr__(self) -> str:
        return f"Hyperplane(normal={self._normal.tolist()}, offset={self._offset})"


def point_static_plane_ccd(
    p_t0: Any, p_t1: Any, plane_origin: Any, plane_normal: Any, conservative_rescaling: float = 0.8
) -> tuple[bool, float]:
    """(whether a point on a straight way comes close to a plane, when): it has then covered `conservative_rescaling` of its distance.

    The time is from 0 at `p_t0` to 1 at `p_t1`, and infinite if it does not come that close.
    """
    start, end, origin, normal = points(_CCD, (p_t0, p_t1, plane_origin, plane_normal))
    rescaling = positive("conservative_rescaling", conservative_rescaling)
    if rescaling > 1.0:
        raise ValueError(f"conservative_rescaling: is {rescaling}, expected at most 1")
    if not normal.any():
        raise ValueError("plane_normal: has no length, expected the direction across the plane")
    height, after = float(normal @ (start - origin)), float(normal @ (end - origin))
    if height == 0.0:
        logger.warning("point_static_plane_ccd: the point is in the plane at the start")
        return True, 0.0
    # Of the height, the part that is left behind: less than 0 on the way up.
    lost = 1.0 - after / height
    toi = rescaling / lost if lost > 0.0 else inf
    return (True, toi) if toi <= 1.0 else (False, inf)


def check_initial_distance(initial_distance: float, min_distance: float) -> tuple[bool, float]:
    """(whether the distance is not larger than `min_distance` already, the time of impact: 0 if so, else infinite)."""
    distance = number("initial_distance", initial_distance)
    least = not_negative("min_distance", min_distance)
    if distance > least:
        return False, inf
    logger.warning("check_initial_distance: %g is not larger than the least distance %g", distance, least)
    return True, 0.0
