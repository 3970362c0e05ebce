"""Friction laws: how friction by normal force depends on the speed of a slide.

Top: the smoothed step f₁ from stick to slip, its integral f₀, which is the potential of friction, and the smooth coefficient μ(y) that goes from static
to kinetic friction. Bottom: what becomes of a static coefficient of 1 and a kinetic one of 0.1 with three laws. `smooth_mu`, the product μ(y) f₁(y), stays
far below the static coefficient; `peak` reaches it; `stribeck` falls slowly and has a viscous part.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from pictures import BLUE, GREEN, GREY, ORANGE, RED, arguments, save

from stiction import FrictionLaw

EPS_V = 1e-3  # m/s
MU_S, MU_K = 1.0, 0.1


def main(arguments_given: list[str] | None = None) -> dict[str, float]:
    options = arguments(__doc__).parse_args(arguments_given)
    y = np.linspace(0.0, 2.0 * EPS_V, 201 if options.quick else 801)
    figure, axes = plt.subplots(2, 3, figsize=(9.6, 5.4), layout="constrained")
    draw_step(axes[0], y)
    laws = {
        "peak": FrictionLaw("peak"),
        "smooth_mu": FrictionLaw("smooth_mu"),
        "stribeck": FrictionLaw("stribeck", speed=1e-3, viscous=20.0),
    }
    largest = draw_laws(axes[1], 3.0 * y, laws)
    for axis in axes.ravel():
        axis.axvline(1.0, color=GREY, lw=0.8, ls=":")
        axis.set_xlim(0, None)
    save(figure, options, "friction-laws")
    for name, value in largest.items():
        print(f"{name:9s} largest friction by normal force: {value:.3f}")
    return largest


def draw_step(axes: np.ndarray, y: np.ndarray) -> None:
    """f₁, f₀ and μ(y); one coefficient of 1 is the step itself."""
    step = FrictionLaw("peak").evaluate(y, 1.0, eps_v=EPS_V)
    smooth = FrictionLaw("smooth_mu").evaluate(y[1:], MU_S, MU_K, EPS_V)["ratio"]
    curves = (
        ("smoothed step  $f_1(y)$", "friction by $\\mu\\lambda$", y, step["value"]),
        ("its integral  $f_0(y)$", "$f_0$  (mm/s)", y, 1e3 * step["integral"]),
        ("smooth coefficient  $\\mu(y)$", "$\\mu$", y[1:], smooth / step["ratio"][1:]),
    )
    for axis, (title, label, speed, values) in zip(axes, curves, strict=True):
        axis.plot(speed / EPS_V, values, color=BLUE)
        axis.set(title=title, xlabel="speed  $y/\\varepsilon_v$", ylabel=label, ylim=(0, 1.08 * values.max()))
    axes[1].plot(y / EPS_V, 1e3 * y, color=GREY, lw=0.8, ls="--", label="Coulomb")
    axes[1].legend(loc="upper left")


def draw_laws(axes: np.ndarray, y: np.ndarray, laws: dict[str, FrictionLaw]) -> dict[str, float]:
    """Friction, its potential and its slope, for μ_s = 1 and μ_k = 0.1; and the largest friction of each law."""
    titles = (
        ("friction  $g(y)$", "$g$", "value", 1.0),
        ("potential  $G(y)$, $G' = g$", "$G$  (mm/s)", "integral", 1e3),
        ("slope  $g'(y)$", "$\\varepsilon_v\\,g'$", "slope", EPS_V),
    )
    colours = {"peak": RED, "smooth_mu": ORANGE, "stribeck": GREEN}
    largest = {}
    for name, law in laws.items():
        found = law.evaluate(y, MU_S, MU_K, EPS_V)
        largest[name] = float(found["value"].max())
        for axis, (_, _, key, unit) in zip(axes, titles, strict=True):
            axis.plot(y / EPS_V, unit * found[key], color=colours[name], label=name)
    for axis, (title, label, _, _) in zip(axes, titles, strict=True):
        axis.set(title=title, xlabel="speed  $y/\\varepsilon_v$", ylabel=label)
    axes[0].axhline(MU_S, color=GREY, lw=0.8, ls="--")
    axes[0].axhline(MU_K, color=GREY, lw=0.8, ls="--")
    axes[0].set_ylim(0, 1.15)
    axes[0].annotate("$\\mu_s$", (5.9, MU_S), va="bottom", ha="right", color=GREY)
    axes[0].annotate("$\\mu_k$", (5.9, MU_K), va="top", ha="right", color=GREY)
    axes[0].legend(loc="center right", bbox_to_anchor=(1.0, 0.62))
    return largest


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
