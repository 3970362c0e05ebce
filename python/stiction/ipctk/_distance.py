"""Squared distances in m² between points, edges, triangles, and the lines and planes through them; signed distances in m.

Gradients are vectors x₀ y₀ z₀ x₁ … in the order of the arguments; Hessians have rows and columns in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np

from .. import _stiction as native
from .._stiction import drop_in
from ._array import Floats, instance, points
from ._enum import Enum
from ._overload import chosen


class PointEdgeDistanceType(Enum):
    """Which part of an edge is closest to a point."""

    P_E0 = 0
    P_E1 = 1
    P_E = 2
    AUTO = 3


class PointTriangleDistanceType(Enum):
    """Which part of a triangle is closest to a point; edge k goes from vertex k to k + 1."""

    P_T0 = 0
    P_T1 = 1
    P_T2 = 2
    P_E0 = 3
    P_E1 = 4
    P_E2 = 5
    P_T = 6
    AUTO = 7


class EdgeEdgeDistanceType(Enum):
    """Which parts of two edges are closest to each other."""

    EA0_EB0 = 0
    EA0_EB1 = 1
    EA1_EB0 = 2
    EA1_EB1 = 3
    EA_EB0 = 4
    EA_EB1 = 5
    EA0_EB = 6
    EA1_EB = 7
    EA_EB = 8
    AUTO = 9


T = TypeVar("T")
Kind: TypeAlias = Literal["vv", "ve", "ee", "vf"]

PP = ("p0", "p1")
PE = ("p", "e0", "e1")
PT = ("p", "t0", "t1", "t2")
EE = ("ea0", "ea1", "eb0", "eb1")
_PLANE = ("p", "origin", "normal")
PLANE, SPACE, EITHER = (2,), (3,), (2, 3)


class Stencil(NamedTuple):
    """A kind of pair: what the compiled module calls it, names of its points as arguments, and how many coordinates they may have."""

    kind: Kind
    names: tuple[str, ...]
    sizes: tuple[int, ...]


POINT_POINT = Stencil("vv", PP, EITHER)
POINT_EDGE = Stencil("ve", PE, EITHER)
POINT_TRIANGLE = Stencil("vf", PT, SPACE)
EDGE_EDGE = Stencil("ee", EE, SPACE)
_POINT_LINE = Stencil("ve", PE, PLANE)

_PET, _PTT, _EET = PointEdgeDistanceType, PointTriangleDistanceType, EdgeEdgeDistanceType
# Parts in the words of the compiled module.
_POINT_EDGE_TYPES = {"start": _PET.P_E0, "end": _PET.P_E1, "inside": _PET.P_E}
_POINT_TRIANGLE_TYPES = {
    **{f"vertex {k}": _PTT(k) for k in range(3)},
    **{f"edge {k}": _PTT(3 + k) for k in range(3)},
    "inside": _PTT.P_T,
}
_PARTS = {"0": "start", "1": "end", "": "inside"}
_EDGE_EDGE_TYPES = {
    f"{a} {b}": _EET[f"EA{i}_EB{j}"] for i, a in _PARTS.items() for j, b in _PARTS.items()
}

_WORDS: dict[Enum, str | None] = {
    **{kind: words for types in (_POINT_EDGE_TYPES, _POINT_TRIANGLE_TYPES, _EDGE_EDGE_TYPES) for words, kind in types.items()},
    **dict.fromkeys((_PET.AUTO, _PTT.AUTO, _EET.AUTO)),
}
# Squared sine of the angle below which two edges count as parallel.
_PARALLEL = 2.5e-16


def of_points(function: Callable[..., T], stencil: Stencil, values: Sequence[Any], *rest: Any) -> T:
    """A function of the compiled module: at once where it takes the points as they are, else with the argument named that is wrong."""
    kind, names, sizes = stencil
    try:
        if len(values[0]) in sizes:
            return function(kind, values, *rest)
    except (TypeError, ValueError):
        pass
    return function(kind, points(names, values, sizes), *rest)


# Points and lines and planes without end.


def point_point_distance(p0: Any, p1: Any) -> float:
    """|p₀ − p₁|²."""
    return of_points(native.distance_squared, POINT_POINT, (p0, p1))


def point_point_distance_gradient(p0: Any, p1: Any) -> Floats:
    """Gradient of `point_point_distance`, 2D entries."""
    return of_points(native.distance_squared_gradient, POINT_POINT, (p0, p1)).ravel()


def point_point_distance_hessian(p0: Any, p1: Any) -> Floats:
    """Hessian of `point_point_distance`."""
    return of_points(native.distance_squared_hessian, POINT_POINT, (p0, p1))


def point_line_distance(p: Any, e0: Any, e1: Any) -> float:
    """Squared distance of a point from the line through an edge."""
    return of_points(native.distance_squared, POINT_EDGE, (p, e0, e1))


def point_line_distance_gradient(p: Any, e0: Any, e1: Any) -> Floats:
    """Gradient of `point_line_distance`, 3D entries."""
    return of_points(native.distance_squared_gradient, POINT_EDGE, (p, e0, e1)).ravel()


def point_line_distance_hessian(p: Any, e0: Any, e1: Any) -> Floats:
    """Hessian of `point_line_distance`."""
    return of_points(native.distance_squared_hessian, POINT_EDGE, (p, e0, e1))


def line_line_distance(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> float:
    """Squared distance of the lines through two edges in 3D."""
    return of_points(native.distance_squared, EDGE_EDGE, (ea0, ea1, eb0, eb1))


def line_line_distance_gradient(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """Gradient of `line_line_distance`, 12 entries."""
    return of_points(native.distance_squared_gradient, EDGE_EDGE, (ea0, ea1, eb0, eb1)).ravel()


def line_line_distance_hessian(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """Hessian of `line_line_distance`."""
    return of_points(native.distance_squared_hessian, EDGE_EDGE, (ea0, ea1, eb0, eb1))


def point_plane_distance(*args: Any, **kwargs: Any) -> float:
    """Squared distance of a point from a plane: (p, origin, normal) or (p, t0, t1, t2), the plane through a triangle."""
    values = chosen("point_plane_distance", (_PLANE, PT), args, kwargs)
    if len(values) == 4:
        return of_points(native.distance_squared, POINT_TRIANGLE, values)
    height, _ = _over_plane(values)
    return height * height


def point_plane_distance_gradient(*args: Any, **kwargs: Any) -> Floats:
    """Gradient of `point_plane_distance`: by p alone for (p, origin, normal), else by all four points."""
    values = chosen("point_plane_distance_gradient", (_PLANE, PT), args, kwargs)
    if len(values) == 4:
        return of_points(native.distance_squared_gradient, POINT_TRIANGLE, values).ravel()
    height, normal = _over_plane(values)
    return 2.0 * height * normal


def point_plane_distance_hessian(*args: Any, **kwargs: Any) -> Floats:
    """Hessian of `point_plane_distance`: by p alone for (p, origin, normal), else by all four points."""
    values = chosen("point_plane_distance_hessian", (_PLANE, PT), args, kwargs)
    if len(values) == 4:
        return of_points(native.distance_squared_hessian, POINT_TRIANGLE, values)
    normal = _over_plane(values)[1]
    return np.outer(2.0 * normal, normal)


# Primitives that end at their vertices.


def point_edge_distance(p: Any, e0: Any, e1: Any, dtype: PointEdgeDistanceType = _PET.AUTO) -> float:
    """Squared distance of a point from an edge, or from that part of it that `dtype` names."""
    return _distance(POINT_EDGE, (p, e0, e1), instance("dtype", dtype, _PET))


def point_edge_distance_gradient(p: Any, e0: Any, e1: Any, dtype: PointEdgeDistanceType = _PET.AUTO) -> Floats:
    """Gradient of `point_edge_distance`, 3D entries."""
    part = _WORDS[instance("dtype", dtype, _PET)]
    return of_points(drop_in.part_distance_squared_gradient, POINT_EDGE, (p, e0, e1), part)


def point_edge_distance_hessian(p: Any, e0: Any, e1: Any, dtype: PointEdgeDistanceType = _PET.AUTO) -> Floats:
    """Hessian of `point_edge_distance`."""
    part = _WORDS[instance("dtype", dtype, _PET)]
    return of_points(drop_in.part_distance_squared_hessian, POINT_EDGE, (p, e0, e1), part)


def point_triangle_distance(p: Any, t0: Any, t1: Any, t2: Any, dtype: PointTriangleDistanceType = _PTT.AUTO) -> float:
    """Squared distance of a point from a triangle, or from that part of it that `dtype` names."""
    return _distance(POINT_TRIANGLE, (p, t0, t1, t2), instance("dtype", dtype, _PTT))


def point_triangle_distance_gradient(
    p: Any, t0: Any, t1: Any, t2: Any, dtype: PointTriangleDistanceType = _PTT.AUTO
) -> Floats:
    """Gradient of `point_triangle_distance`, 12 entries."""
    part = _WORDS[instance("dtype", dtype, _PTT)]
    return of_points(drop_in.part_distance_squared_gradient, POINT_TRIANGLE, (p, t0, t1, t2), part)


def point_triangle_distance_hessian(
    p: Any, t0: Any, t1: Any, t2: Any, dtype: PointTriangleDistanceType = _PTT.AUTO
) -> Floats:
    """Hessian of `point_triangle_distance`."""
    part = _WORDS[instance("dtype", dtype, _PTT)]
    return of_points(drop_in.part_distance_squared_hessian, POINT_TRIANGLE, (p, t0, t1, t2), part)


def edge_edge_distance(ea0: Any, ea1: Any, eb0: Any, eb1: Any, dtype: EdgeEdgeDistanceType = _EET.AUTO) -> float:
    """Squared distance of two edges in 3D, or of those parts of them that `dtype` names."""
    return _distance(EDGE_EDGE, (ea0, ea1, eb0, eb1), instance("dtype", dtype, _EET))


def edge_edge_distance_gradient(
    ea0: Any, ea1: Any, eb0: Any, eb1: Any, dtype: EdgeEdgeDistanceType = _EET.AUTO
) -> Floats:
    """Gradient of `edge_edge_distance`, 12 entries."""
    x = points(EE, (ea0, ea1, eb0, eb1), SPACE)
    return drop_in.part_distance_squared_gradient("ee", x, _edge_edge_part(x, dtype))


def edge_edge_distance_hessian(
    ea0: Any, ea1: Any, eb0: Any, eb1: Any, dtype: EdgeEdgeDistanceType = _EET.AUTO
) -> Floats:
    """Hessian of `edge_edge_distance`."""
    x = points(EE, (ea0, ea1, eb0, eb1), SPACE)
    return drop_in.part_distance_squared_hessian("ee", x, _edge_edge_part(x, dtype))


# Which parts are closest.


def point_edge_distance_type(p: Any, e0: Any, e1: Any) -> PointEdgeDistanceType:
    """The part of an edge that is closest to a point."""
    return _POINT_EDGE_TYPES[of_points(native.closest_features, POINT_EDGE, (p, e0, e1))]


def point_triangle_distance_type(p: Any, t0: Any, t1: Any, t2: Any) -> PointTriangleDistanceType:
    """The part of a triangle that is closest to a point."""
    return _POINT_TRIANGLE_TYPES[of_points(native.closest_features, POINT_TRIANGLE, (p, t0, t1, t2))]


def edge_edge_distance_type(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> EdgeEdgeDistanceType:
    """The parts of two edges that are closest to each other; of parallel edges, never both insides."""
    x = points(EE, (ea0, ea1, eb0, eb1), SPACE)
    return _parallel_type(x) if _are_parallel(x) else _EDGE_EDGE_TYPES[native.closest_features("ee", x)]


def edge_edge_parallel_distance_type(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> EdgeEdgeDistanceType:
    """The parts of two parallel edges that are closest to each other: a vertex of one, and a part of the other."""
    return _parallel_type(points(EE, (ea0, ea1, eb0, eb1), SPACE))


# Signed distances.


def point_line_signed_distance(p: Any, e0: Any, e1: Any) -> float:
    """Distance in m of a point from a line in 2D, positive to the left of e₀ → e₁."""
    return of_points(native.signed_distance, _POINT_LINE, (p, e0, e1))


def point_line_signed_distance_gradient(p: Any, e0: Any, e1: Any) -> Floats:
    """Gradient of `point_line_signed_distance`, 6 entries."""
    return of_points(native.signed_distance_gradient, _POINT_LINE, (p, e0, e1)).ravel()


def point_line_signed_distance_hessian(p: Any, e0: Any, e1: Any) -> Floats:
    """Hessian of `point_line_signed_distance` in 1/m."""
    return of_points(native.signed_distance_hessian, _POINT_LINE, (p, e0, e1))


def point_plane_signed_distance(p: Any, t0: Any, t1: Any, t2: Any) -> float:
    """Distance in m of a point from the plane through a triangle, positive where (t₁ − t₀) × (t₂ − t₀) points."""
    return of_points(native.signed_distance, POINT_TRIANGLE, (p, t0, t1, t2))


def point_plane_signed_distance_gradient(p: Any, t0: Any, t1: Any, t2: Any) -> Floats:
    """Gradient of `point_plane_signed_distance`, 12 entries."""
    return of_points(native.signed_distance_gradient, POINT_TRIANGLE, (p, t0, t1, t2)).ravel()


def point_plane_signed_distance_hessian(p: Any, t0: Any, t1: Any, t2: Any) -> Floats:
    """Hessian of `point_plane_signed_distance` in 1/m."""
    return of_points(native.signed_distance_hessian, POINT_TRIANGLE, (p, t0, t1, t2))


def line_line_signed_distance(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> float:
    """Distance in m of two lines along (ea₁ − ea₀) × (eb₁ − eb₀)."""
    return of_points(native.signed_distance, EDGE_EDGE, (ea0, ea1, eb0, eb1))


def line_line_signed_distance_gradient(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """Gradient of `line_line_signed_distance`, 12 entries."""
    return of_points(native.signed_distance_gradient, EDGE_EDGE, (ea0, ea1, eb0, eb1)).ravel()


def line_line_signed_distance_hessian(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """Hessian of `line_line_signed_distance` in 1/m."""
    return of_points(native.signed_distance_hessian, EDGE_EDGE, (ea0, ea1, eb0, eb1))


def _over_plane(values: Sequence[Any]) -> tuple[float, Floats]:
    """The height of a point over a plane, and the unit normal."""
    p, origin, normal = points(_PLANE, values, SPACE)
    length = np.linalg.norm(normal)
    if length == 0.0:
        raise ValueError("normal: has no length, expected the direction across the plane")
    normal = normal / length
    return float(normal @ (p - origin)), normal


def _distance(stencil: Stencil, values: Sequence[Any], dtype: Enum) -> float:
    part = _WORDS[dtype]
    if part is None:
        return of_points(native.closest_distance_squared, stencil, values)
    return of_points(drop_in.part_distance_squared, stencil, values, part)


def _edge_edge_part(x: Floats, dtype: EdgeEdgeDistanceType) -> str | None:
    """The part that `dtype` names; of parallel edges, where several are closest, the one that ipctk takes."""
    if instance("dtype", dtype, _EET) is _EET.AUTO and _are_parallel(x):
        return _WORDS[_parallel_type(x)]
    return _WORDS[dtype]


def _are_parallel(x: Floats) -> bool:
    """sin² of the angle is below the threshold. In Python's floats: a quarter of the time of NumPy's."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz), (dx, dy, dz) = x.tolist()
    u0, u1, u2, v0, v1, v2 = bx - ax, by - ay, bz - az, dx - cx, dy - cy, dz - cz
    n0, n1, n2 = u1 * v2 - u2 * v1, u2 * v0 - u0 * v2, u0 * v1 - u1 * v0
    lengths = (u0 * u0 + u1 * u1 + u2 * u2) * (v0 * v0 + v1 * v1 + v2 * v2)
    return bool(0.0 < lengths and n0 * n0 + n1 * n1 + n2 * n2 < _PARALLEL * lengths)


def _parallel_type(x: Floats) -> EdgeEdgeDistanceType:
    """From the coordinates of b's vertices along a, which goes from 0 to 1."""
    along = x[1] - x[0]
    length2 = float(along @ along)
    if length2 == 0.0:
        raise ValueError("ea1: is where ea0 is: the edge has no direction")
    start, end = ((x[2:] - x[0]) @ along / length2).tolist()
    if 0.0 <= start <= 1.0:
        return _EET.EA_EB0
    if 0.0 <= end <= 1.0:
        return _EET.EA_EB1
    first = start < 0.0
    if first != (end < 0.0):  # b covers a
        return _EET.EA0_EB if first else _EET.EA1_EB
    start_is_closer = start >= end if first else start <= end
    return _EET(2 * (not first) + (not start_is_closer))
