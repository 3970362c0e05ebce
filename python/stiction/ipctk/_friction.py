"""Smoothed friction: f₁ rises from 0 at rest to 1 at the speed ε_v, and μ goes from μ_s to μ_k meanwhile.

Speeds y and `eps_v` in m/s (or, with displacements, both in m); y is 0 or larger, `eps_v` larger than 0.
"""

from __future__ import annotations

from math import hypot, inf
from typing import Any

from ._array import not_negative, positive, vector


def smooth_friction_f0(y: float, eps_v: float) -> float:
    """∫ f₁ with f₀ = y from ε on: y²/ε (1 − y/(3ε)) + ε/3."""
    y, eps = _speed(y, eps_v)
    if y >= eps:
        return y
    z = y / eps
    return y * z * (1.0 - z / 3.0) + eps / 3.0


def smooth_friction_f1(y: float, eps_v: float) -> float:
    """(y/ε)(2 − y/ε), 1 from ε on."""
    return _f1(*_speed(y, eps_v))


def smooth_friction_f2(y: float, eps_v: float) -> float:
    """f₁′ = (2 − 2y/ε)/ε, 0 from ε on."""
    return _f2(*_speed(y, eps_v))


def smooth_friction_f1_over_x(y: float, eps_v: float) -> float:
    """f₁/y = (2 − y/ε)/ε, 1/y from ε on."""
    return _f1_over_x(*_speed(y, eps_v))


def smooth_friction_f2_x_minus_f1_over_x3(y: float, eps_v: float) -> float:
    """(f₁′ y − f₁)/y³ = −1/(y ε²), −1/y³ from ε on; −∞ at rest."""
    return _f2_x_minus_f1_over_x3(*_speed(y, eps_v))


def smooth_mu(y: float, mu_s: float, mu_k: float, eps_v: float) -> float:
    """Coefficient μ(y): from μ_s at rest to μ_k at ε by two parabolas, with z = y/ε: μ_s + 2Δz² and μ_k − 2Δ(1 − z)²; Δ = μ_k − μ_s."""
    return _mu(*_coefficients(y, mu_s, mu_k, "eps_v", eps_v))


def smooth_mu_derivative(y: float, mu_s: float, mu_k: float, eps_v: float) -> float:
    """μ′(y) = 4Δz/ε up to ε/2, 4Δ(1 − z)/ε up to ε, 0 beyond."""
    return _mu_slope(*_coefficients(y, mu_s, mu_k, "eps_v", eps_v))


def smooth_mu_f0(y: float, mu_s: float, mu_k: float, eps_v: float) -> float:
    """∫ μ f₁, equal to μ_k y from ε on."""
    y, s, k, eps = _coefficients(y, mu_s, mu_k, "eps_v", eps_v)
    if s == k or y >= eps:
        return k * smooth_friction_f0(y, eps)
    at_rest = eps * (9.0 * k / 16.0 - 11.0 * s / 48.0)
    return at_rest + integral_below_eps(y, s, k, eps)


def smooth_mu_f1(y: float, mu_s: float, mu_k: float, eps_v: float) -> float:
    """μ f₁."""
    y, s, k, eps = _coefficients(y, mu_s, mu_k, "eps_v", eps_v)
    return _mu(y, s, k, eps) * _f1(y, eps)


def smooth_mu_f2(y: float, mu_s: float, mu_k: float, eps_v: float) -> float:
    """(μ f₁)′."""
    y, s, k, eps = _coefficients(y, mu_s, mu_k, "eps_v", eps_v)
    return _mu_slope(y, s, k, eps) * _f1(y, eps) + _mu(y, s, k, eps) * _f2(y, eps)


def smooth_mu_f1_over_x(y: float, mu_s: float, mu_k: float, eps_v: float) -> float:
    """μ f₁/y, finite at rest."""
    y, s, k, eps = _coefficients(y, mu_s, mu_k, "eps_v", eps_v)
    return _mu(y, s, k, eps) * _f1_over_x(y, eps)


def smooth_mu_f2_x_minus_mu_f1_over_x3(y: float, mu_s: float, mu_k: float, eps_v: float) -> float:
    """((μ f₁)′ y − μ f₁)/y³; −∞ at rest unless μ_s = 0."""
    y, s, k, eps = _coefficients(y, mu_s, mu_k, "eps_v", eps_v)
    if s == k or y >= eps:
        return k * _f2_x_minus_f1_over_x3(y, eps) if k > 0.0 else 0.0
    return bend_below_eps(y, s, k, eps)


def anisotropic_mu_eff_f(tau_dir: Any, mu_s_aniso: Any, mu_k_aniso: Any) -> tuple[float, float]:
    """(μ_s, μ_k) along the unit vector t for ellipses with half axes μ₀, μ₁: √((μ₀ t₀)² + (μ₁ t₁)²)."""
    t, s, k = (
        vector(name, value, 2).tolist()
        for name, value in (("tau_dir", tau_dir), ("mu_s_aniso", mu_s_aniso), ("mu_k_aniso", mu_k_aniso))
    )
    for name, axes in (("mu_s_aniso", s), ("mu_k_aniso", k)):
        if min(axes) < 0.0:
            raise ValueError(f"{name}: is {axes}, expected no negative number")
    return hypot(s[0] * t[0], s[1] * t[1]), hypot(k[0] * t[0], k[1] * t[1])


def integral_below_eps(y: float, s: float, k: float, eps: float) -> float:
    """∫₀ʸ μ f₁ for y below ε."""
    z, change = y / eps, k - s
    if z < 0.5:
        return y * z * (z * (z * (1.0 - 0.4 * z) * change - s / 3.0) + s)
    inner = z * (z * (0.4 * z - 2.0) * change + 3.0 * k - 10.0 * s / 3.0) - k + 2.0 * s
    return y * z * inner + 3.0 / 80.0 * eps * change


def bend_below_eps(y: float, s: float, k: float, eps: float) -> float:
    """((μ f₁)′ y − μ f₁)/y³ for y below ε."""
    z, change = y / eps, k - s
    if z < 0.5:
        return (((8.0 - 6.0 * z) * change) / eps - _over(s, y)) / eps / eps
    return (((6.0 * z - 16.0) * change) / eps + (9.0 * k - 10.0 * s) / y) / eps / eps


def _over(mu: float, y: float) -> float:
    """μ/y, where nothing over nothing is nothing."""
    if y > 0.0:
        return mu / y
    return inf if mu > 0.0 else 0.0


def _f1(y: float, eps: float) -> float:
    z = y / eps
    return z * (2.0 - z) if y < eps else 1.0


def _f2(y: float, eps: float) -> float:
    return (2.0 - 2.0 * (y / eps)) / eps if y < eps else 0.0


def _f1_over_x(y: float, eps: float) -> float:
    return (2.0 - y / eps) / eps if y < eps else 1.0 / y


def _f2_x_minus_f1_over_x3(y: float, eps: float) -> float:
    if y >= eps:
        return -1.0 / y / y / y
    return -1.0 / y / eps / eps if y > 0.0 else -inf


def _mu(y: float, s: float, k: float, eps: float) -> float:
    z = y / eps
    if s == k or y >= eps:
        return k
    if z < 0.5:
        return s + 2.0 * (k - s) * z * z
    return k - 2.0 * (k - s) * (1.0 - z) * (1.0 - z)


def _mu_slope(y: float, s: float, k: float, eps: float) -> float:
    z = y / eps
    if s == k or y >= eps:
        return 0.0
    return 4.0 * (k - s) * min(z, 1.0 - z) / eps


def _speed(y: Any, eps: Any, name: str = "eps_v") -> tuple[float, float]:
    return not_negative("y", y), positive(name, eps)


def _coefficients(y: Any, mu_s: Any, mu_k: Any, name: str, eps: Any) -> tuple[float, float, float, float]:
    return not_negative("y", y), not_negative("mu_s", mu_s), not_negative("mu_k", mu_k), positive(name, eps)
