"""What an assembly knows about friction: coefficients, law, directions, and the time that slides take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ._stiction import FrictionPotential, Slides

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._stiction import BarrierPotential, Contacts


@dataclass(frozen=True)
class FrictionMenu:
    """Coefficients as `Slides` takes them, the law as `FrictionPotential` does.

    `time_step` in s makes `eps_v` a speed in m/s; without it, velocities are slips per increment, and `eps_v` is a length in m.
    """

    mu: Any
    mu_k: Any
    eps_v: float
    law: Any
    time_step: float | None
    options: dict[str, Any]

    def __post_init__(self) -> None:
        for name, value in (("eps_v", self.eps_v), ("time_step", self.time_step)):
            if value is not None and not (np.isfinite(value) and value > 0):
                raise ValueError(f"{name}: {value} is not a positive number")
        for name, values in (("friction_coefficient", self.mu), ("kinetic_coefficient", self.mu_k)):
            if values is not None:
                _check_coefficients(name, values)

    @property
    def is_on(self) -> bool:
        """Whether any coefficient is positive."""
        axes = (self.options.get("static_axes"), self.options.get("kinetic_axes"))
        return any(values is not None and bool(np.any(np.asarray(values) > 0)) for values in (self.mu, self.mu_k, *axes))

    @property
    def depends_on_direction(self) -> bool:
        """Whether coefficients follow the direction of the slide."""
        return self.options.get("static_axes") is not None or self.options.get("kinetic_axes") is not None

    @property
    def time(self) -> float:
        """The time of an increment in s; 1 without a time step."""
        return self.time_step or 1.0

    def during(self, time_step: float | None) -> FrictionMenu:
        """The same for increments that take another time."""
        return self if time_step is None else replace(self, time_step=time_step)

    def potential(self) -> FrictionPotential:
        """The friction potential of an increment."""
        return FrictionPotential(self.eps_v, self.law, self.time)

    def lag(self, contacts: Contacts, x: NDArray[np.float64], barrier: BarrierPotential) -> Slides:
        """The contacts as friction sees them, frozen at positions x."""
        chosen = {name: value for name, value in self.options.items() if value is not None}
        return Slides(contacts, x, barrier, self.mu, self.mu_k, **chosen)


def _check_coefficients(name: str, values: Any) -> None:
    array = np.asarray(values, dtype=float)
    if array.ndim > 1 or not np.isfinite(array).all() or (array < 0).any():
        raise ValueError(f"{name}: expected a number or one for each node, all 0 or more")
