"""Adhesion: a normal force that pulls within a distance, and a tangential one that lets go beyond twice the threshold.

The normal functions take any unit of d; in the potentials d, d̂_p and d̂_a are squared distances in m², so that derivatives
by the distance itself have a further factor 2√d.
"""

from __future__ import annotations

from math import inf
from typing import Any

from ._array import not_negative, number, positive
from ._friction import bend_below_eps, integral_below_eps, smooth_mu, smooth_mu_derivative


def normal_adhesion_potential(d: float, dhat_p: float, dhat_a: float, a2: float) -> float:
    """a(d): a₁d² + c₁ up to d̂_p, a₂(d − d̂_a)² up to d̂_a, 0 beyond; a₁ = a₂(1 − d̂_a/d̂_p), a₂ < 0, and c₁ makes it continuous."""
    d, p, a, a2 = _normal(d, dhat_p, dhat_a, a2)
    if d >= a:
        return 0.0
    if d >= p:
        return a2 * (d - a) * (d - a)
    a1 = a2 * (1.0 - a / p)
    return a1 * d * d + a2 * (a - p) * (a - p) - a1 * p * p


def normal_adhesion_potential_first_derivative(d: float, dhat_p: float, dhat_a: float, a2: float) -> float:
    """∂a/∂d: 2a₁d up to d̂_p, 2a₂(d − d̂_a) up to d̂_a, 0 beyond."""
    d, p, a, a2 = _normal(d, dhat_p, dhat_a, a2)
    if d >= a:
        return 0.0
    return 2.0 * a2 * (d - a) if d >= p else 2.0 * a2 * (1.0 - a / p) * d


def normal_adhesion_potential_second_derivative(d: float, dhat_p: float, dhat_a: float, a2: float) -> float:
    """∂²a/∂d²: 2a₁ up to d̂_p, 2a₂ up to d̂_a, 0 beyond."""
    d, p, a, a2 = _normal(d, dhat_p, dhat_a, a2)
    if d >= a:
        return 0.0
    return 2.0 * a2 if d >= p else 2.0 * a2 * (1.0 - a / p)


def max_normal_adhesion_force_magnitude(dhat_p: float, dhat_a: float, a2: float) -> float:
    """The largest ∂a/∂d, at d̂_p: 2a₂(d̂_p − d̂_a). By the argument of a: with squared distances, the force is 2√d̂_p times that."""
    _, p, a, a2 = _normal(0.0, dhat_p, dhat_a, a2)
    return 2.0 * a2 * (p - a)


def tangential_adhesion_f0(y: float, eps_a: float) -> float:
    """∫₀ʸ f₁ = (y²/ε)(1 − y/(3ε)), 4ε/3 from 2ε on."""
    return _f0(*_slide(y, eps_a))


def tangential_adhesion_f1(y: float, eps_a: float) -> float:
    """(y/ε)(2 − y/ε), 0 from 2ε on."""
    return _f1(*_slide(y, eps_a))


def tangential_adhesion_f2(y: float, eps_a: float) -> float:
    """f₁′ = (2 − 2y/ε)/ε, 0 from 2ε on; 2/ε at rest, where sliding begins."""
    return _f2(*_slide(y, eps_a))


def tangential_adhesion_f1_over_x(y: float, eps_a: float) -> float:
    """f₁/y = (2 − y/ε)/ε, 0 from 2ε on; 2/ε at rest."""
    return _f1_over_x(*_slide(y, eps_a))


def tangential_adhesion_f2_x_minus_f1_over_x3(y: float, eps_a: float) -> float:
    """(f₁′ y − f₁)/y³ = −1/(y ε²), 0 from 2ε on; −∞ at rest."""
    return _f2_x_minus_f1_over_x3(*_slide(y, eps_a))


def smooth_mu_a0(y: float, mu_s: float, mu_k: float, eps_a: float) -> float:
    """∫₀ʸ μ f₁ with the f₁ of tangential adhesion."""
    y, s, k, eps = _coefficients(y, mu_s, mu_k, eps_a)
    if s == k or y >= eps:
        return k * _f0(y, eps) - 11.0 / 48.0 * eps * (k - s)
    return integral_below_eps(y, s, k, eps)


def smooth_mu_a1(y: float, mu_s: float, mu_k: float, eps_a: float) -> float:
    """μ f₁."""
    y, s, k, eps = _coefficients(y, mu_s, mu_k, eps_a)
    return smooth_mu(y, s, k, eps) * _f1(y, eps)


def smooth_mu_a2(y: float, mu_s: float, mu_k: float, eps_a: float) -> float:
    """(μ f₁)′."""
    y, s, k, eps = _coefficients(y, mu_s, mu_k, eps_a)
    return smooth_mu_derivative(y, s, k, eps) * _f1(y, eps) + smooth_mu(y, s, k, eps) * _f2(y, eps)


def smooth_mu_a1_over_x(y: float, mu_s: float, mu_k: float, eps_a: float) -> float:
    """μ f₁/y; 2μ_s/ε at rest."""
    y, s, k, eps = _coefficients(y, mu_s, mu_k, eps_a)
    return smooth_mu(y, s, k, eps) * _f1_over_x(y, eps)


def smooth_mu_a2_x_minus_mu_a1_over_x3(y: float, mu_s: float, mu_k: float, eps_a: float) -> float:
    """((μ f₁)′ y − μ f₁)/y³; −∞ at rest unless μ_s = 0."""
    y, s, k, eps = _coefficients(y, mu_s, mu_k, eps_a)
    if s == k or y >= eps:
        return k * _f2_x_minus_f1_over_x3(y, eps) if k > 0.0 else 0.0
    return bend_below_eps(y, s, k, eps)


def _f0(y: float, eps: float) -> float:
    z = min(y / eps, 2.0)
    return eps * z * z * (1.0 - z / 3.0)


def _f1(y: float, eps: float) -> float:
    z = min(y / eps, 2.0)
    return z * (2.0 - z)


def _f2(y: float, eps: float) -> float:
    return (2.0 - 2.0 * (y / eps)) / eps if y < 2.0 * eps else 0.0


def _f1_over_x(y: float, eps: float) -> float:
    return (2.0 - y / eps) / eps if y < 2.0 * eps else 0.0


def _f2_x_minus_f1_over_x3(y: float, eps: float) -> float:
    if y >= 2.0 * eps:
        return 0.0
    return -1.0 / y / eps / eps if y > 0.0 else -inf


def _normal(d: Any, dhat_p: Any, dhat_a: Any, a2: Any) -> tuple[float, float, float, float]:
    d, p, a, a2 = not_negative("d", d), positive("dhat_p", dhat_p), positive("dhat_a", dhat_a), number("a2", a2)
    if a <= p:
        raise ValueError(f"dhat_a: is {a}, expected more than dhat_p, which is {p}")
    if a2 > 0.0:
        raise ValueError(f"a2: is {a2}, expected a negative number: the potential pulls")
    return d, p, a, a2


def _slide(y: Any, eps_a: Any) -> tuple[float, float]:
    return not_negative("y", y), positive("eps_a", eps_a)


def _coefficients(y: Any, mu_s: Any, mu_k: Any, eps_a: Any) -> tuple[float, float, float, float]:
    return not_negative("y", y), not_negative("mu_s", mu_s), not_negative("mu_k", mu_k), positive("eps_a", eps_a)
