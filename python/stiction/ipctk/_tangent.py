"""Closest points, tangents across the normal of a pair, and relative velocities.

Coordinates of closest points: along an edge from 0 to 1; of a triangle, the weights of t₁ and t₂. They belong to the lines and planes
without end, and may lie outside the primitives.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from .. import _stiction as native
from ._array import Floats, dimension, number, point, points
from ._distance import EDGE_EDGE, POINT_EDGE, POINT_POINT, POINT_TRIANGLE, SPACE, Kind, of_points


# Closest points.


def point_edge_closest_point(p: Any, e0: Any, e1: Any) -> float:
    """The coordinate along the edge."""
    return float(of_points(native.closest_point, POINT_EDGE, (p, e0, e1))[0])


def point_edge_closest_point_jacobian(p: Any, e0: Any, e1: Any) -> Floats:
    """The gradient of the coordinate, 3D entries in 1/m."""
    return of_points(native.closest_point_jacobian, POINT_EDGE, (p, e0, e1)).ravel()


def edge_edge_closest_point(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """The coordinates along both edges."""
    return of_points(native.closest_point, EDGE_EDGE, (ea0, ea1, eb0, eb1))


def edge_edge_closest_point_jacobian(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """The Jacobian of the coordinates, shape (2, 12), in 1/m."""
    return of_points(native.closest_point_jacobian, EDGE_EDGE, (ea0, ea1, eb0, eb1))


def point_triangle_closest_point(p: Any, t0: Any, t1: Any, t2: Any) -> Floats:
    """The weights of t₁ and t₂."""
    return of_points(native.closest_point, POINT_TRIANGLE, (p, t0, t1, t2))


def point_triangle_closest_point_jacobian(p: Any, t0: Any, t1: Any, t2: Any) -> Floats:
    """The Jacobian of the weights, shape (2, 12), in 1/m."""
    return of_points(native.closest_point_jacobian, POINT_TRIANGLE, (p, t0, t1, t2))


# Tangents.


def point_point_tangent_basis(p0: Any, p1: Any) -> Floats:
    """Unit vectors across p₁ − p₀ as columns, shape (D, D − 1)."""
    return of_points(native.tangent_basis, POINT_POINT, (p0, p1))


def point_point_tangent_basis_jacobian(p0: Any, p1: Any) -> Floats:
    """Derivatives of the entries of the basis, column after column, shape (D(D − 1), 2D), in 1/m."""
    return of_points(native.tangent_basis_jacobian, POINT_POINT, (p0, p1))


def point_edge_tangent_basis(p: Any, e0: Any, e1: Any) -> Floats:
    """Unit vectors along the edge and, in 3D, across it and p − e₀, as columns."""
    return of_points(native.tangent_basis, POINT_EDGE, (p, e0, e1))


def point_edge_tangent_basis_jacobian(p: Any, e0: Any, e1: Any) -> Floats:
    """Derivatives of the entries of the basis, column after column, shape (D(D − 1), 3D), in 1/m."""
    return of_points(native.tangent_basis_jacobian, POINT_EDGE, (p, e0, e1))


def edge_edge_tangent_basis(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """Unit vectors along the first edge, and across it and the normal, as columns, shape (3, 2)."""
    return of_points(native.tangent_basis, EDGE_EDGE, (ea0, ea1, eb0, eb1))


def edge_edge_tangent_basis_jacobian(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """Derivatives of the entries of the basis, column after column, shape (6, 12), in 1/m."""
    return of_points(native.tangent_basis_jacobian, EDGE_EDGE, (ea0, ea1, eb0, eb1))


def point_triangle_tangent_basis(p: Any, t0: Any, t1: Any, t2: Any) -> Floats:
    """Unit vectors along t₁ − t₀, and across it and the normal, as columns, shape (3, 2)."""
    return of_points(native.tangent_basis, POINT_TRIANGLE, (p, t0, t1, t2))


def point_triangle_tangent_basis_jacobian(p: Any, t0: Any, t1: Any, t2: Any) -> Floats:
    """Derivatives of the entries of the basis, column after column, shape (6, 12), in 1/m."""
    return of_points(native.tangent_basis_jacobian, POINT_TRIANGLE, (p, t0, t1, t2))


# Relative velocities: of the point of the first primitive minus that of the second. The matrix Γ has blocks cᵢ I.


def point_point_relative_velocity(dp0: Any, dp1: Any) -> Floats:
    """v₀ − v₁."""
    v = points(("dp0", "dp1"), (dp0, dp1))
    difference: Floats = v[0] - v[1]
    return difference


def point_point_relative_velocity_jacobian(dim: int) -> Floats:
    """Γ = [I, −I], shape (D, 2D)."""
    return _blocks([1.0, -1.0], dimension("dim", dim))


def point_point_relative_velocity_dx_dbeta(dim: int) -> Floats:
    """∂Γ/∂β, of which there is none: 2D² zeros."""
    return np.zeros(2 * dimension("dim", dim) ** 2)


def point_edge_relative_velocity(dp: Any, de0: Any, de1: Any, alpha: float) -> Floats:
    """v_p − (1 − α) v_e₀ − α v_e₁."""
    velocities = points(("dp", "de0", "de1"), (dp, de0, de1))
    return _weights("ve", [number("alpha", alpha)]) @ velocities


def point_edge_relative_velocity_jacobian(dim: int, alpha: float) -> Floats:
    """Γ, shape (D, 3D)."""
    return _blocks(_weights("ve", [number("alpha", alpha)]), dimension("dim", dim))


def point_edge_relative_velocity_dx_dbeta(dim: int, alpha: float) -> Floats:
    """∂Γ/∂α, its entries column after column, 3D² of them. It does not depend on α."""
    number("alpha", alpha)
    return _stacked("ve", dimension("dim", dim))[:, 0].copy()


def edge_edge_relative_velocity(dea0: Any, dea1: Any, deb0: Any, deb1: Any, coords: Any) -> Floats:
    """(1 − α) v_a₀ + α v_a₁ − (1 − β) v_b₀ − β v_b₁."""
    velocities = points(("dea0", "dea1", "deb0", "deb1"), (dea0, dea1, deb0, deb1), SPACE)
    return _weights("ee", point("coords", coords, (2,)).tolist()) @ velocities


def edge_edge_relative_velocity_jacobian(coords: Any) -> Floats:
    """Γ, shape (3, 12)."""
    return _blocks(_weights("ee", point("coords", coords, (2,)).tolist()), 3)


def edge_edge_relative_velocity_dx_dbeta(coords: Any) -> Floats:
    """∂Γ/∂(α, β), the entries of Γ column after column, shape (36, 2). It does not depend on the coordinates."""
    point("coords", coords, (2,))
    return _stacked("ee", 3).copy()


def point_triangle_relative_velocity(dp: Any, dt0: Any, dt1: Any, dt2: Any, coords: Any) -> Floats:
    """v_p − (1 − α − β) v_t₀ − α v_t₁ − β v_t₂."""
    velocities = points(("dp", "dt0", "dt1", "dt2"), (dp, dt0, dt1, dt2), SPACE)
    return _weights("vf", point("coords", coords, (2,)).tolist()) @ velocities


def point_triangle_relative_velocity_jacobian(coords: Any) -> Floats:
    """Γ, shape (3, 12)."""
    return _blocks(_weights("vf", point("coords", coords, (2,)).tolist()), 3)


def point_triangle_relative_velocity_dx_dbeta(coords: Any) -> Floats:
    """∂Γ/∂(α, β), the entries of Γ column after column, shape (36, 2). It does not depend on the coordinates."""
    point("coords", coords, (2,))
    return _stacked("vf", 3).copy()


def _weights(kind: Kind, coordinates: Sequence[float]) -> Floats:
    return native.relative_weights(kind, coordinates)


def _blocks(weights: Sequence[float] | Floats, dim: int) -> Floats:
    """[w₀ I, w₁ I, …]."""
    out = np.zeros((dim, len(weights), dim))
    for k in range(dim):
        out[k, :, k] = weights
    return out.reshape(dim, -1)


@cache
def _stacked(kind: Kind, dim: int) -> Floats:
    """∂Γ/∂α with one column for each coordinate."""
    return np.transpose([_blocks(row, dim).ravel(order="F") for row in native.relative_weights_jacobian(kind)])
