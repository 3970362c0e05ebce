"""The factor m that takes contacts of nearly parallel edges out smoothly.

    m = (2 − s/ε) s/ε  for s = |(ea₁ − ea₀) × (eb₁ − eb₀)|² < ε ,  1 beyond          s, ε in m⁴

ε = 10⁻³ |U|² |V|² is of the edges at rest. `eps_x` must be larger than 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _stiction as native
from .._stiction import drop_in
from ._array import Floats, not_negative, points, positive
from ._distance import EE, SPACE
from ._overload import chosen

_SCALAR = ("x", "eps_x")
_EDGES = (*EE, "eps_x")
_REST = tuple(f"{name}_rest" for name in EE)


def edge_edge_cross_squarednorm(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> float:
    """s = |(ea₁ − ea₀) × (eb₁ − eb₀)|² in m⁴."""
    return drop_in.edge_edge_cross_squared(_edges(ea0, ea1, eb0, eb1))


def edge_edge_cross_squarednorm_gradient(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """Gradient of `edge_edge_cross_squarednorm`, 12 entries in m³."""
    return _gradient(_edges(ea0, ea1, eb0, eb1))


def edge_edge_cross_squarednorm_hessian(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """Hessian of `edge_edge_cross_squarednorm`, shape (12, 12), in m²."""
    return drop_in.edge_edge_cross_squared_hessian(_edges(ea0, ea1, eb0, eb1))


def edge_edge_mollifier(*args: Any, **kwargs: Any) -> float:
    """m, of (x, eps_x) with x the s above, or of (ea0, ea1, eb0, eb1, eps_x)."""
    values = chosen("edge_edge_mollifier", (_SCALAR, _EDGES), args, kwargs)
    s, eps, _ = _read(values)
    q = s / eps
    return (2.0 - q) * q if s < eps else 1.0


def edge_edge_mollifier_gradient(*args: Any, **kwargs: Any) -> float | Floats:
    """∂m/∂s of (x, eps_x), or ∂m by the 12 coordinates of (ea0, ea1, eb0, eb1, eps_x)."""
    values = chosen("edge_edge_mollifier_gradient", (_SCALAR, _EDGES), args, kwargs)
    s, eps, x = _read(values)
    return _slope(s, eps) if x is None else _slope(s, eps) * _gradient(x)


def edge_edge_mollifier_hessian(*args: Any, **kwargs: Any) -> float | Floats:
    """∂²m/∂s² of (x, eps_x), or ∂²m by the 12 coordinates of (ea0, ea1, eb0, eb1, eps_x)."""
    values = chosen("edge_edge_mollifier_hessian", (_SCALAR, _EDGES), args, kwargs)
    s, eps, x = _read(values)
    if x is None:
        return _bend(s, eps)
    if s >= eps:
        return np.zeros((12, 12))
    gradient = _gradient(x)
    hessian = drop_in.edge_edge_cross_squared_hessian(x)
    return _slope(s, eps) * hessian + _bend(s, eps) * np.outer(gradient, gradient)


def edge_edge_mollifier_derivative_wrt_eps_x(x: float, eps_x: float) -> float:
    """∂m/∂ε = 2 (s/ε)(s/ε − 1)/ε at s = x."""
    s, eps = not_negative("x", x), positive("eps_x", eps_x)
    q = s / eps
    return 2.0 * q * (q - 1.0) / eps if s < eps else 0.0


def edge_edge_mollifier_gradient_derivative_wrt_eps_x(x: float, eps_x: float) -> float:
    """∂²m/∂s∂ε = 2 (2s/ε − 1)/ε² at s = x."""
    s, eps = not_negative("x", x), positive("eps_x", eps_x)
    return 2.0 * (2.0 * (s / eps) - 1.0) / eps / eps if s < eps else 0.0


def edge_edge_mollifier_gradient_wrt_x(
    ea0_rest: Any, ea1_rest: Any, eb0_rest: Any, eb1_rest: Any, ea0: Any, ea1: Any, eb0: Any, eb1: Any
) -> Floats:
    """∂m by the 12 coordinates at rest, with the positions at present held."""
    rest = points(_REST, (ea0_rest, ea1_rest, eb0_rest, eb1_rest), SPACE)
    return native.edge_edge_mollifier_rest_gradient(_edges(ea0, ea1, eb0, eb1), rest).ravel()


def edge_edge_mollifier_gradient_jacobian_wrt_x(
    ea0_rest: Any, ea1_rest: Any, eb0_rest: Any, eb1_rest: Any, ea0: Any, ea1: Any, eb0: Any, eb1: Any
) -> Floats:
    """Derivative of ∂m/∂u (rows) by the 12 coordinates X at rest (columns) where positions are X + u with u held.

        m′ ∇²s + m″ ∇s ∇sᵀ + ∂²m/∂s∂ε ∇s (∇_X ε)ᵀ

    ipctk 1.6.1 leaves out the second term and transposes the third; differences of ∂m/∂u agree with this one.
    """
    rest = points(_REST, (ea0_rest, ea1_rest, eb0_rest, eb1_rest), SPACE)
    x = _edges(ea0, ea1, eb0, eb1)
    return native.edge_edge_mollifier_hessian(x, rest) + native.edge_edge_mollifier_mixed_hessian(x, rest)


def edge_edge_mollifier_threshold(ea0_rest: Any, ea1_rest: Any, eb0_rest: Any, eb1_rest: Any) -> float:
    """ε = 10⁻³ |U|² |V|² in m⁴."""
    return native.edge_edge_threshold(points(_REST, (ea0_rest, ea1_rest, eb0_rest, eb1_rest), SPACE))


def edge_edge_mollifier_threshold_gradient(ea0_rest: Any, ea1_rest: Any, eb0_rest: Any, eb1_rest: Any) -> Floats:
    """Gradient of `edge_edge_mollifier_threshold`, 12 entries in m³."""
    x = points(_REST, (ea0_rest, ea1_rest, eb0_rest, eb1_rest), SPACE)
    u, v = x[1] - x[0], x[3] - x[2]
    by_u, by_v = 2e-3 * (v @ v) * u, 2e-3 * (u @ u) * v
    return np.concatenate([-by_u, by_u, -by_v, by_v])


def _edges(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    return points(EE, (ea0, ea1, eb0, eb1), SPACE)


def _read(values: Sequence[Any]) -> tuple[float, float, Floats | None]:
    """s, ε, and the edges if s was not given itself."""
    eps = positive("eps_x", values[-1])
    if len(values) == 2:
        return not_negative("x", values[0]), eps, None
    x = _edges(*values[:4])
    return drop_in.edge_edge_cross_squared(x), eps, x


def _gradient(x: Floats) -> Floats:
    return drop_in.edge_edge_cross_squared_gradient(x).ravel()


def _slope(s: float, eps: float) -> float:
    return 2.0 * (1.0 - s / eps) / eps if s < eps else 0.0


def _bend(s: float, eps: float) -> float:
    return -2.0 / eps / eps if s < eps else 0.0
