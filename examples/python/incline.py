"""A block on an incline: at which angle does it slide, how fast, and how much does it creep before?

The block of `newton.py`, made stiff, is laid on a plane that is then tilted (gravity turns instead, which is the same). With a coefficient of 0.5 it should stick
up to atan 0.5 = 26.6°, creeping no faster than the smoothed friction asks for, and beyond that slide with g (sin θ − μ cos θ).
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from newton import World, block_of_springs, step
from pictures import BLUE, GREY, ORANGE, RED, arguments, save

import stiction

MU, EPS_V, G = 0.5, 1e-3, 9.81


def main(arguments_given: list[str] | None = None) -> dict[str, float]:
    options = arguments(__doc__).parse_args(arguments_given)
    angles = np.array([10.0, 24.0, 30.0] if options.quick else [*range(0, 25, 3), 25.5, 26.0, 26.4, 26.8, *range(28, 46, 2)])
    found = np.array([study(np.radians(angle)) for angle in angles])
    critical = np.degrees(np.arctan(MU))
    sticks = angles < critical
    theta = np.radians(angles)
    expected = np.where(sticks, creep(theta), G * (np.sin(theta) - MU * np.cos(theta)))
    result = {
        "acceleration error": float(np.max(np.abs(found[~sticks, 1] / expected[~sticks] - 1))),
        "creep error": float(np.max(np.abs(found[sticks, 0] - expected[sticks])) / EPS_V),
    }
    draw(angles, found, critical, options)
    print(f"largest relative error of the acceleration of sliding blocks: {result['acceleration error']:.1e}")
    print(f"largest error of the creep of sticking blocks: {result['creep error']:.1e} eps_v")
    return result


def creep(theta):
    """Speed at which smoothed friction carries the load: μ f₁(y) = tan θ."""
    return EPS_V * (1 - np.sqrt(np.maximum(1 - np.tan(theta) / MU, 0)))


def study(theta):
    """Speed at the end in m/s and mean acceleration in m/s², both along the incline."""
    dhat = 1e-3
    body, _ = block_of_springs((0.2, 0.1), (2, 1), 1000.0, 1e8, (0.0, 0.9 * dhat))
    world = World(np.array([0.0, -G * np.cos(theta)]), [([0, 0], [0, 1])], dhat, 1e14, MU, EPS_V, 0.01)
    x, v = body.rest, np.zeros_like(body.rest)
    for _ in range(40):  # It settles first.
        x, v, _ = step(body, world, x, v)
    world.gravity = G * np.array([np.sin(theta), -np.cos(theta)])
    speeds = []
    for _ in range(60):
        x, v, contacts = step(body, world, x, v, tolerance=1e-6)
        assert not stiction.has_crossings(body.surface, x) and contacts.smallest_gap(x) > 0
        speeds.append(float(body.mass @ v[:, 0] / body.mass.sum()))
    return speeds[-1], (speeds[-1] - speeds[29]) / (30 * world.h)


def draw(angles, found, critical, options):
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.6), layout="constrained")
    fine = np.linspace(0, 45, 400)
    theta = np.radians(fine)
    left.plot(fine, np.maximum(G * (np.sin(theta) - MU * np.cos(theta)), 0), color=GREY, lw=1, label="Coulomb")
    left.plot(angles, found[:, 1], "o", ms=4, color=BLUE, label="simulated")
    left.set(xlabel="angle of the incline (°)", ylabel="acceleration (m/s²)", title="sliding")
    right.plot(fine[fine < critical], creep(theta[fine < critical]) / EPS_V, color=GREY, lw=1, label="smoothed friction")
    sticks = angles < critical
    right.plot(angles[sticks], found[sticks, 0] / EPS_V, "o", ms=4, color=ORANGE, label="simulated")
    right.set(xlabel="angle of the incline (°)", ylabel="creep  (speed / $\\varepsilon_v$)", title="sticking", ylim=(-0.03, 1.05))
    for axis in (left, right):
        axis.axvline(critical, color=RED, lw=0.8, ls=":")
        axis.legend(loc="upper left")
    left.annotate("atan μ", (critical, 0.55), xycoords=("data", "axes fraction"), color=RED, ha="right", rotation=90, fontsize=8)
    save(figure, options, "incline")


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
