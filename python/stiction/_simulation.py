"""Simulations that run to their end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from . import _stiction

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas

    from ._stiction import _Report


class Simulation(_stiction.Simulation):
    __doc__ = _stiction.Simulation.__doc__
    __slots__ = ()

    def run(
        self,
        until: float | None = None,
        callback: Callable[[Simulation, _Report], object] | None = None,
    ) -> list[_Report]:
        """Makes steps up to a time and returns their reports: `pandas.DataFrame(simulation.run())`.

        `until`: in s, by default the end of the scene. `callback`: called with the simulation and the report after each step; returning
        False ends the run.

        An exception, such as that of Ctrl-C or `StepError`, leaves the simulation after its last whole step; `reports` has what it did.
        """
        reports = []
        for _ in range(self._steps_until(until) - self.steps):
            report = self.step()
            reports.append(report)
            if callback is not None and callback(self, report) is False:
                break
        return reports

    def to_pandas(self) -> pandas.DataFrame:
        """The reports of the start and of all steps as a data frame."""
        import pandas

        return pandas.DataFrame(self.reports)

    def show(self, title: str = "simulation", height: int = 600) -> Any:
        """Plays the steps so far: in a notebook as an interactive view, elsewhere in the browser.

        Of long runs some steps are left out. `height`: of the view in a notebook, in pixels.
        """
        from ._show import show

        return show(self.page(title), height)

    def plot(self) -> Any:
        """Energies, normal force, smallest gap and iterations over time, as a figure of Matplotlib."""
        from ._show import plot

        reports = self.reports
        return plot({name: [report[name] for report in reports] for name in reports[0]})

    def _steps_until(self, until: float | None) -> int:
        if until is None:
            return self.scene.steps
        # Rounding of the quotient must not cost the last step.
        steps = until / self.scene.time_step * (1 + 1e-9)
        if not math.isfinite(steps):
            raise ValueError(f"until: {until} is no time: give one in s")
        return math.floor(steps)
