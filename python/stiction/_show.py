"""Pages and plots for notebooks."""

from __future__ import annotations

import html
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike


def inline(page: str, height: int = 600) -> str:
    """A page as a frame within another one."""
    source = html.escape(page, quote=True)
    return f'<iframe srcdoc="{source}" style="width:100%;height:{height}px;border:0" allowfullscreen></iframe>'


def show(page: str, height: int) -> Any:
    """Displays a page in a notebook, or in the browser where there is none."""
    try:
        from IPython import get_ipython
        from IPython.display import HTML
    except ImportError:
        notebook = None
    else:
        notebook = get_ipython()
    if notebook is not None:
        return HTML(inline(page, height))
    with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
        file.write(page)
    webbrowser.open(Path(file.name).as_uri())
    return None


def plot(steps: Mapping[str, ArrayLike]) -> Any:
    """Energies, normal force, smallest gap and iterations of every step, as a figure of Matplotlib."""
    from matplotlib.figure import Figure

    columns = {name: np.asarray(values) for name, values in steps.items()}
    time = columns["time"]
    figure = Figure(figsize=(10, 7), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True)
    energies = [name for name in columns if name.endswith("_energy") and name not in ("total_energy", "numerical_energy")]
    for name in energies:
        axes[0, 0].plot(time, columns[name], label=name.removesuffix("_energy"))
    axes[0, 0].plot(time, np.cumsum(columns["friction_heat"]), "--", label="friction heat")
    axes[0, 0].set_ylabel("energy [J]")
    axes[0, 0].legend(fontsize="small")
    axes[0, 1].plot(time, columns["normal_force"])
    axes[0, 1].set_ylabel("sum of normal forces [N]")
    gap = np.where(np.isfinite(columns["smallest_gap"]), columns["smallest_gap"], np.nan)
    if np.any(gap > 0):
        axes[1, 0].semilogy(time, gap)
    axes[1, 0].set_ylabel("smallest gap [m]")
    axes[1, 1].bar(time, columns["newton_iterations"], width=np.diff(time).min() if len(time) > 1 else 1.0)
    axes[1, 1].set_ylabel("Newton iterations")
    for axis in axes[1]:
        axis.set_xlabel("time [s]")
    return figure
