"""Boxes along the axes, and tests whether those around primitives meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._array import Floats, indices, instance, not_negative, point, points, positions
from ._distance import EE, EITHER, PE, PT, SPACE
from ._overload import chosen

_RADIUS = {"inflation_radius": 0.0}
_NO_VERTICES = (-1, -1, -1)
_MOVING_PE = tuple(f"{name}_{time}" for time in ("t0", "t1") for name in PE)
_MOVING_PT = tuple(f"{name}_{time}" for time in ("t0", "t1") for name in PT)
_MOVING_EE = tuple(f"{name}_{time}" for time in ("t0", "t1") for name in EE)
_ET = ("e0", "e1", "t0", "t1", "t2")


class AABB:
    """A box from `min` to `max` in m, with three coordinates also in 2D, where the third is 0.

    AABB(), AABB(min, max), or the box around two or three others: AABB(aabb1, aabb2[, aabb3]).
    """

    __slots__ = ("_max", "_min", "vertex_ids")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.vertex_ids = list(_NO_VERTICES)
        if not args and not kwargs:
            self._min, self._max = np.zeros(3), np.zeros(3)
        elif kwargs.keys() & {"aabb1", "aabb2", "aabb3"} or args and isinstance(args[0], AABB):
            names = ("aabb1", "aabb2", "aabb3")
            given = chosen("AABB", (names[:2], names), args, kwargs)
            boxes = [instance(name, box, AABB) for name, box in zip(names, given)]
            self._min = np.min([box.min for box in boxes], axis=0)
            self._max = np.max([box.max for box in boxes], axis=0)
        else:
            low, high = _corners(*chosen("AABB", (("min", "max"),), args, kwargs))
            self._min, self._max = _in_space(low), _in_space(high)

    @classmethod
    def _of(cls, low: Floats, high: Floats, vertex_ids: Sequence[int]) -> AABB:
        """From corners that have been checked, with three coordinates."""
        box = cls.__new__(cls)
        box._min, box._max, box.vertex_ids = low, high, list(vertex_ids)
        return box

    @property
    def min(self) -> Floats:
        """The corner with the smallest coordinates."""
        return self._min

    @min.setter
    def min(self, value: Any) -> None:
        self._min = _in_space(point("min", value))

    @property
    def max(self) -> Floats:
        """The corner with the largest coordinates."""
        return self._max

    @max.setter
    def max(self, value: Any) -> None:
        self._max = _in_space(point("max", value))

    @staticmethod
    def from_point(*args: Any, **kwargs: Any) -> AABB:
        """The box around a point, (p, inflation_radius=0), or around its way, (p_t0, p_t1, inflation_radius=0)."""
        still, moving = ("p", "inflation_radius"), ("p_t0", "p_t1", "inflation_radius")
        *ends, radius = chosen("AABB.from_point", (still, moving), args, kwargs, _RADIUS)
        x = points(still[:1] if len(ends) == 1 else moving[:2], ends)
        low, high = _inflated(x.min(axis=0), x.max(axis=0), not_negative("inflation_radius", radius))
        return AABB._of(_in_space(low), _in_space(high), _NO_VERTICES)

    @staticmethod
    def conservative_inflation(min: Any, max: Any, inflation_radius: float) -> tuple[Floats, Floats]:  # noqa: A002
        """Both corners moved outwards by `inflation_radius` and to the next number beyond."""
        return _inflated(*_corners(min, max), not_negative("inflation_radius", inflation_radius))

    def intersects(self, other: AABB) -> bool:
        """Whether the closed boxes share a point."""
        other = instance("other", other, AABB)
        return bool((self._min <= other._max).all() and (other._min <= self._max).all())

    def __repr__(self) -> str:
        return f"AABB(min={_written(self._min)}, max={_written(self._max)})"

    def __str__(self) -> str:
        return f"{_written(self._min)}×{_written(self._max)}"

    def __reduce__(self) -> tuple[Any, ...]:
        return AABB._of, (self._min, self._max, self.vertex_ids)


def build_vertex_boxes(*args: Any, **kwargs: Any) -> list[AABB]:
    """One box per vertex: (vertices, inflation_radius=0), or around its way, (vertices_t0, vertices_t1, inflation_radius=0)."""
    still, moving = ("vertices", "inflation_radius"), ("vertices_t0", "vertices_t1", "inflation_radius")
    *ends, radius = chosen("build_vertex_boxes", (still, moving), args, kwargs, _RADIUS)
    start = positions(still[0] if len(ends) == 1 else moving[0], ends[0])
    end = start if len(ends) == 1 else positions(moving[1], ends[1], *start.shape)
    low, high = np.minimum(start, end), np.maximum(start, end)
    low, high = _inflated(low, high, not_negative("inflation_radius", radius))
    corners = zip(_in_space(low), _in_space(high), strict=True)
    return [AABB._of(*pair, (vertex, -1, -1)) for vertex, pair in enumerate(corners)]


def build_edge_boxes(vertex_boxes: Sequence[AABB], edges: Any) -> list[AABB]:
    """One box per edge, around those of its vertices."""
    return _around("edges", edges, 2, vertex_boxes)


def build_face_boxes(vertex_boxes: Sequence[AABB], faces: Any) -> list[AABB]:
    """One box per face, around those of its vertices."""
    return _around("faces", faces, 3, vertex_boxes)


# Whether boxes around primitives, grown by `dist` in m, meet: at one time, and on straight ways from t0 to t1.


def point_edge_aabb_cd(p: Any, e0: Any, e1: Any, dist: float) -> bool:
    """Whether a point is within `dist` of the box around an edge, axis by axis."""
    x = points(PE, (p, e0, e1))
    return _meet(x[:1], x[1:], dist)


def edge_edge_aabb_cd(ea0: Any, ea1: Any, eb0: Any, eb1: Any, dist: float) -> bool:
    """Whether the boxes around two edges are within `dist`, axis by axis."""
    x = points(EE, (ea0, ea1, eb0, eb1))
    return _meet(x[:2], x[2:], dist)


def point_triangle_aabb_cd(p: Any, t0: Any, t1: Any, t2: Any, dist: float) -> bool:
    """Whether a point is within `dist` of the box around a triangle, axis by axis."""
    x = points(PT, (p, t0, t1, t2), SPACE)
    return _meet(x[:1], x[1:], dist)


def edge_triangle_aabb_cd(e0: Any, e1: Any, t0: Any, t1: Any, t2: Any, dist: float) -> bool:
    """Whether the boxes around an edge and a triangle are within `dist`, axis by axis."""
    x = points(_ET, (e0, e1, t0, t1, t2), SPACE)
    return _meet(x[:2], x[2:], dist)


def point_edge_aabb_ccd(p_t0: Any, e0_t0: Any, e1_t0: Any, p_t1: Any, e0_t1: Any, e1_t1: Any, dist: float) -> bool:
    """`point_edge_aabb_cd` of the boxes around the ways of the points."""
    x = points(_MOVING_PE, (p_t0, e0_t0, e1_t0, p_t1, e0_t1, e1_t1), EITHER)
    return _meet(x[[0, 3]], x[[1, 2, 4, 5]], dist)


def edge_edge_aabb_ccd(
    ea0_t0: Any, ea1_t0: Any, eb0_t0: Any, eb1_t0: Any, ea0_t1: Any, ea1_t1: Any, eb0_t1: Any, eb1_t1: Any, dist: float
) -> bool:
    """`edge_edge_aabb_cd` of the boxes around the ways of the points."""
    ends = (ea0_t0, ea1_t0, eb0_t0, eb1_t0, ea0_t1, ea1_t1, eb0_t1, eb1_t1)
    x = points(_MOVING_EE, ends, SPACE)
    return _meet(x[[0, 1, 4, 5]], x[[2, 3, 6, 7]], dist)


def point_triangle_aabb_ccd(
    p_t0: Any, t0_t0: Any, t1_t0: Any, t2_t0: Any, p_t1: Any, t0_t1: Any, t1_t1: Any, t2_t1: Any, dist: float
) -> bool:
    """`point_triangle_aabb_cd` of the boxes around the ways of the points."""
    ends = (p_t0, t0_t0, t1_t0, t2_t0, p_t1, t0_t1, t1_t1, t2_t1)
    x = points(_MOVING_PT, ends, SPACE)
    return _meet(x[[0, 4]], x[[1, 2, 3, 5, 6, 7]], dist)


def _meet(first: Floats, second: Floats, dist: Any) -> bool:
    dist = not_negative("dist", dist)
    apart = (first.min(axis=0) > second.max(axis=0) + dist) | (second.min(axis=0) > first.max(axis=0) + dist)
    return not apart.any()


def _around(name: str, value: Any, columns: int, vertex_boxes: Sequence[AABB]) -> list[AABB]:
    boxes = [instance(f"vertex_boxes[{i}]", box, AABB) for i, box in enumerate(vertex_boxes)]
    primitives = indices(name, value, columns, len(boxes))
    if not len(primitives):
        return []
    low = np.array([box.min for box in boxes])[primitives].min(axis=1)
    high = np.array([box.max for box in boxes])[primitives].max(axis=1)
    rest = [-1] * (3 - columns)
    rows = zip(low, high, primitives.tolist(), strict=True)
    return [AABB._of(one, other, vertices + rest) for one, other, vertices in rows]


def _inflated(low: Floats, high: Floats, radius: float) -> tuple[Floats, Floats]:
    return np.nextafter(low - radius, -np.inf), np.nextafter(high + radius, np.inf)


def _corners(low: Any, high: Any) -> tuple[Floats, Floats]:
    low = point("min", low)
    high = point("max", high, (len(low),))
    if (low > high).any():
        raise ValueError(f"max: is {high}, expected nothing below min, which is {low}")
    return low, high


def _in_space(corner: Floats) -> Floats:
    """With three coordinates; always a copy."""
    out = np.zeros((*corner.shape[:-1], 3))
    out[..., : corner.shape[-1]] = corner
    return out


def _written(corner: Floats) -> str:
    return f"[{', '.join(repr(x).removesuffix('.0') for x in corner.tolist())}]"
