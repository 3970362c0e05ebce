"""Barriers b(d, d̂) and the force that they give.

In the potentials, d and d̂ are squared distances in m²; the functions themselves take any unit. `dhat` must be larger than 0.
"""

from __future__ import annotations

from math import inf, isfinite, isnan, log, sqrt
from typing import Any

from ._array import Floats, instance, not_negative, number, positive, vector


class Barrier:
    """A barrier: derive from it and write `__call__`, `first_derivative`, `second_derivative` and `units`."""

    def __call__(self, d: float, dhat: float) -> float:
        """b(d, d̂)."""
        raise NotImplementedError(f"{type(self).__name__}.__call__")

    def first_derivative(self, d: float, dhat: float) -> float:
        """∂b/∂d."""
        raise NotImplementedError(f"{type(self).__name__}.first_derivative")

    def second_derivative(self, d: float, dhat: float) -> float:
        """∂²b/∂d²."""
        raise NotImplementedError(f"{type(self).__name__}.second_derivative")

    def units(self, dhat: float) -> float:
        """The unit of b as a power of that of d̂: b divided by it has none."""
        raise NotImplementedError(f"{type(self).__name__}.units")


class ClampedLogBarrier(Barrier):
    """b = −(d − d̂)² ln(d/d̂), 0 beyond d̂. Infinite for d ≤ 0, with derivatives 0 there."""

    def __call__(self, d: float, dhat: float) -> float:
        d, dhat = _read(d, dhat)
        if d >= dhat:
            return 0.0
        ratio = d / dhat
        if ratio <= 0.0:
            return inf
        return -(d - dhat) * (d - dhat) * log(ratio)

    def first_derivative(self, d: float, dhat: float) -> float:
        """(d̂ − d)(2 ln(d/d̂) − d̂/d + 1)."""
        d, dhat = _read(d, dhat)
        ratio = d / dhat
        if ratio <= 0.0 or d >= dhat:
            return 0.0
        return (dhat - d) * (2.0 * log(ratio) - dhat / d + 1.0)

    def second_derivative(self, d: float, dhat: float) -> float:
        """(d̂/d + 2) d̂/d − 2 ln(d/d̂) − 3."""
        d, dhat = _read(d, dhat)
        ratio = d / dhat
        if ratio <= 0.0 or d >= dhat:
            return 0.0
        inverse = dhat / d
        return (inverse + 2.0) * inverse - 2.0 * log(ratio) - 3.0

    def units(self, dhat: float) -> float:
        """d̂²."""
        return _square(dhat)


class NormalizedClampedLogBarrier(ClampedLogBarrier):
    """b = −(d/d̂ − 1)² ln(d/d̂), 0 beyond d̂: `ClampedLogBarrier` without a unit."""

    def __call__(self, d: float, dhat: float) -> float:
        d, dhat = _read(d, dhat)
        return super().__call__(d / dhat, 1.0)

    def first_derivative(self, d: float, dhat: float) -> float:
        """That of `ClampedLogBarrier` by d/d̂, over d̂."""
        d, dhat = _read(d, dhat)
        return super().first_derivative(d / dhat, 1.0) / dhat

    def second_derivative(self, d: float, dhat: float) -> float:
        """That of `ClampedLogBarrier` by d/d̂, over d̂²."""
        d, dhat = _read(d, dhat)
        return super().second_derivative(d / dhat, 1.0) / dhat / dhat

    def units(self, dhat: float) -> float:
        """1."""
        positive("dhat", dhat)
        return 1.0


class ClampedLogSqBarrier(Barrier):
    """b = (d − d̂)² ln²(d/d̂), 0 beyond d̂. Infinite for d ≤ 0, with derivatives 0 there."""

    def __call__(self, d: float, dhat: float) -> float:
        d, dhat = _read(d, dhat)
        if d >= dhat:
            return 0.0
        ratio = d / dhat
        if ratio <= 0.0:
            return inf
        root = (d - dhat) * log(ratio)
        return root * root

    def first_derivative(self, d: float, dhat: float) -> float:
        """2 (d − d̂) L (L + (d − d̂)/d) with L = ln(d/d̂)."""
        d, dhat = _read(d, dhat)
        ratio = d / dhat
        if ratio <= 0.0 or d >= dhat:
            return 0.0
        logarithm, gap = log(ratio), d - dhat
        return 2.0 * gap * logarithm * (logarithm + gap / d)

    def second_derivative(self, d: float, dhat: float) -> float:
        """2 (L² − (L − 1) g² − 4 L g) with L = ln(d/d̂), g = (d̂ − d)/d."""
        d, dhat = _read(d, dhat)
        ratio = d / dhat
        if ratio <= 0.0 or d >= dhat:
            return 0.0
        logarithm, gap = log(ratio), (dhat - d) / d
        return 2.0 * (logarithm * logarithm - (logarithm - 1.0) * gap * gap - 4.0 * logarithm * gap)

    def units(self, dhat: float) -> float:
        """d̂²."""
        return _square(dhat)


class CubicBarrier(Barrier):
    """b = ⅔ (d̂ − d)³/d̂, 0 beyond d̂. Finite at and below 0: not a barrier that nothing passes."""

    def __call__(self, d: float, dhat: float) -> float:
        d, dhat = _read(d, dhat)
        gap = max(dhat - d, 0.0)
        return 2.0 / 3.0 * (gap / dhat) * gap * gap

    def first_derivative(self, d: float, dhat: float) -> float:
        """−2 (d̂ − d)²/d̂."""
        d, dhat = _read(d, dhat)
        gap = max(dhat - d, 0.0)
        return -2.0 * (gap / dhat) * gap if gap > 0.0 else 0.0

    def second_derivative(self, d: float, dhat: float) -> float:
        """4 (1 − d/d̂)."""
        d, dhat = _read(d, dhat)
        return 4.0 * (1.0 - d / dhat) if d < dhat else 0.0

    def units(self, dhat: float) -> float:
        """d̂²."""
        return _square(dhat)


class TwoStageBarrier(Barrier):
    """b = ½ (d̂ − d)² down to d̂/2, −(d̂²/4)(ln(2d/d̂) − ½) below, 0 beyond d̂.

    For d ≤ 0 infinite, and so are its derivatives: −∞ and +∞.
    """

    def __call__(self, d: float, dhat: float) -> float:
        d, dhat = _read(d, dhat)
        if d >= 0.5 * dhat:
            gap = max(dhat - d, 0.0)
            return 0.5 * gap * gap
        ratio = 2.0 * (d / dhat)
        return -0.25 * dhat * dhat * (log(ratio) - 0.5) if ratio > 0.0 else inf

    def first_derivative(self, d: float, dhat: float) -> float:
        """d − d̂ ; below d̂/2, −d̂²/(4d)."""
        d, dhat = _read(d, dhat)
        if d >= 0.5 * dhat:
            return min(d - dhat, 0.0)
        return -0.25 * dhat * (dhat / d) if d > 0.0 else -inf

    def second_derivative(self, d: float, dhat: float) -> float:
        """1 ; below d̂/2, d̂²/(4d²)."""
        d, dhat = _read(d, dhat)
        if d >= 0.5 * dhat:
            return 1.0 if d < dhat else 0.0
        inverse = dhat / d if d > 0.0 else inf
        return 0.25 * inverse * inverse

    def units(self, dhat: float) -> float:
        """d̂²."""
        return _square(dhat)


_NATIVE_NAMES: dict[type[Barrier], str] = {
    ClampedLogBarrier: "clamped_log",
    NormalizedClampedLogBarrier: "normalized_clamped_log",
    ClampedLogSqBarrier: "clamped_log_squared",
    CubicBarrier: "cubic",
    TwoStageBarrier: "two_stage",
}
_CLAMPED_LOG = ClampedLogBarrier()


def native_name(barrier: Barrier) -> str | None:
    """What the compiled module calls this barrier; None for one that was written in Python."""
    # Classes derived from these may compute something else.
    return _NATIVE_NAMES.get(type(barrier))


def barrier(d: float, dhat: float) -> float:
    """b(d, d̂) of `ClampedLogBarrier`."""
    return _CLAMPED_LOG(d, dhat)


def barrier_first_derivative(d: float, dhat: float) -> float:
    """∂b/∂d of `ClampedLogBarrier`."""
    return _CLAMPED_LOG.first_derivative(d, dhat)


def barrier_second_derivative(d: float, dhat: float) -> float:
    """∂²b/∂d² of `ClampedLogBarrier`."""
    return _CLAMPED_LOG.second_derivative(d, dhat)


def barrier_force_magnitude(
    distance_squared: float, barrier: Barrier, dhat: float, barrier_stiffness: float, dmin: float = 0
) -> float:
    """Force −κ ∂b/∂d = −2 κ d b′(d² − dmin², (2 dmin + d̂) d̂) of a contact of weight 1, in N if κ b is in J.

    `distance_squared` in m², `dhat` and `dmin` in m.
    """
    d2, of, kappa = _contact(distance_squared, barrier, barrier_stiffness)
    s, s_hat = _shifted(d2, dhat, dmin)
    # Nothing times an infinite slope is nothing: without a distance there is no direction.
    return -2.0 * kappa * sqrt(d2) * of.first_derivative(s, s_hat) if d2 > 0.0 else 0.0


def barrier_force_magnitude_gradient(
    distance_squared: float,
    distance_squared_gradient: Floats,
    barrier: Barrier,
    dhat: float,
    barrier_stiffness: float,
    dmin: float = 0,
) -> Floats:
    """Gradient −κ (2 d b″ + b′/d) ∇d² of `barrier_force_magnitude`, for the gradient of d² that is given."""
    d2, of, kappa = _contact(distance_squared, barrier, barrier_stiffness)
    gradient = vector("distance_squared_gradient", distance_squared_gradient)
    s, s_hat = _shifted(d2, dhat, dmin)
    if d2 == 0.0:
        raise ValueError("distance_squared: is 0, where the force has no gradient")
    d = sqrt(d2)
    slope = 2.0 * d * of.second_derivative(s, s_hat) + of.first_derivative(s, s_hat) / d
    if not isfinite(slope):
        raise ValueError(f"distance_squared: is {d2}, where the force is infinite")
    return -kappa * slope * gradient


def _read(d: Any, dhat: Any) -> tuple[float, float]:
    if type(d) is not float:
        d = number("d", d) if d != inf else inf
    elif isnan(d):
        raise ValueError("d: is nan, expected a number")
    return d, positive("dhat", dhat)


def _square(dhat: Any) -> float:
    length = positive("dhat", dhat)
    return length * length


def _contact(distance_squared: Any, barrier: Any, stiffness: Any) -> tuple[float, Barrier, float]:
    d2 = not_negative("distance_squared", distance_squared)
    return d2, instance("barrier", barrier, Barrier), not_negative("barrier_stiffness", stiffness)


def _shifted(d2: float, dhat: Any, dmin: Any) -> tuple[float, float]:
    """d² − dmin² and (2 dmin + d̂) d̂, which are what barriers take."""
    dhat, dmin = positive("dhat", dhat), not_negative("dmin", dmin)
    return d2 - dmin * dmin, (2.0 * dmin + dhat) * dhat
