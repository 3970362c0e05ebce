"""A Newton solver of one's own with contact and friction: `step`, in 40 lines.

A soft block of springs is thrown onto the ground, bounces, slides and stops. All that contact adds to an ordinary solver is marked: contacts, their gradient
and Hessian, friction frozen at the start of the step, and a bound of the step. While the block slides, it slows down with μ g.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from pictures import BLUE, GREY, RED, arguments, save
from scipy.sparse import coo_array, diags_array
from scipy.sparse.linalg import spsolve

import stiction


@dataclass
class Body:
    """Springs between vertices: rest positions, masses, pairs of vertices, lengths, stiffness; and what can touch."""

    rest: np.ndarray
    mass: np.ndarray
    springs: np.ndarray
    stiffness: float
    surface: stiction.Surface

    def energy(self, x):
        """½ k Σ (l − L)², in J."""
        return 0.5 * self.stiffness * ((self.lengths(x) - self.lengths(self.rest)) ** 2).sum()

    def lengths(self, x):
        return np.linalg.norm(x[self.springs[:, 1]] - x[self.springs[:, 0]], axis=1)

    def derivatives(self, x):
        """Gradient, shape (n, 2), and Hessian without the negative curvature of springs under compression."""
        n = (x[self.springs[:, 1]] - x[self.springs[:, 0]]) / self.lengths(x)[:, None]
        force = self.stiffness * (self.lengths(x) - self.lengths(self.rest))
        gradient = np.zeros_like(x)
        np.add.at(gradient, self.springs, np.stack([-force[:, None] * n, force[:, None] * n], axis=1))
        along = np.einsum("si,sj->sij", n, n)
        across = np.maximum(1 - self.lengths(self.rest) / self.lengths(x), 0)[:, None, None]
        block = self.stiffness * (along + across * (np.eye(2) - along))
        block = np.einsum("ab,sij->saibj", [[1.0, -1.0], [-1.0, 1.0]], block).reshape(-1, 4, 4)
        dof = (2 * self.springs[:, :, None] + np.arange(2)).reshape(-1, 4)
        rows, columns = np.repeat(dof, 4, axis=1).ravel(), np.tile(dof, 4).ravel()
        return gradient, coo_array((block.ravel(), (rows, columns)), shape=(x.size, x.size)).tocsc()


@dataclass
class World:
    """What acts on a body: gravity in m/s², the ground (point, normal), distances, stiffness of contact, friction, time step."""

    gravity: np.ndarray
    planes: list
    dhat: float
    kappa: float
    mu: float
    eps_v: float
    h: float


def step(body, world, x_start, v_start, tolerance=1e-3):
    """One step of implicit Euler: positions and velocities at its end, and the contacts there."""
    h, planes, mass = world.h, world.planes, np.repeat(body.mass, 2)
    predicted = x_start + h * v_start + h * h * world.gravity
    barrier = stiction.BarrierPotential(world.dhat, world.kappa)  # contact
    friction = stiction.FrictionPotential(world.eps_v, "peak", h)  # contact
    contacts = stiction.Contacts(body.surface, x_start, world.dhat, planes)  # contact
    slides = stiction.Slides(contacts, x_start, barrier, world.mu)  # contact: friction is frozen here

    def energy(x):
        inertia = 0.5 * (mass @ (x - predicted).ravel() ** 2) / h**2
        contacts = stiction.Contacts(body.surface, x, world.dhat, planes)
        return inertia + body.energy(x) + barrier.energy(contacts, x) + friction.energy(slides, (x - x_start) / h)

    x = x_start
    for _ in range(100):
        contacts = stiction.Contacts(body.surface, x, world.dhat, planes)  # contact
        v = (x - x_start) / h
        gradient, hessian = body.derivatives(x)
        gradient = gradient + (mass * (x - predicted).ravel() / h**2).reshape(x.shape)
        gradient = gradient + barrier.gradient(contacts, x) + friction.gradient(slides, v)  # contact
        hessian = hessian + diags_array(mass / h**2)
        hessian = hessian + barrier.hessian(contacts, x) + friction.hessian(slides, v)  # contact
        p = -spsolve(hessian.tocsc(), gradient.ravel()).reshape(x.shape)
        if np.abs(p).max() < tolerance * world.eps_v * h:  # no vertex moves at a speed that matters
            break
        t, before = stiction.largest_step(body.surface, x, p, planes), energy(x)  # contact
        while energy(x + t * p) > before + 1e-13 * abs(before):
            t *= 0.5
        x = x + t * p
    return x, (x - x_start) / h, contacts


def block_of_springs(size, cells, density, modulus, corner=(0.0, 0.0)):
    """A rectangle of springs along the sides and the diagonals of its cells; modulus in Pa, 1 m thick."""
    nx, ny = cells
    rest = np.array([[x, y] for y in np.linspace(0, size[1], ny + 1) for x in np.linspace(0, size[0], nx + 1)]) + corner
    number = np.arange(len(rest)).reshape(ny + 1, nx + 1)
    pairs = [(number[:, :-1], number[:, 1:]), (number[:-1], number[1:])]
    pairs += [(number[:-1, :-1], number[1:, 1:]), (number[:-1, 1:], number[1:, :-1])]
    springs = np.concatenate([np.stack([a.ravel(), b.ravel()], 1) for a, b in pairs])
    outline = np.concatenate([number[0], number[1:, -1], number[-1, -2::-1], number[-2:0:-1, 0]])
    surface = stiction.Surface(rest, np.stack([outline, np.roll(outline, -1)], 1))
    mass = np.full(len(rest), density * size[0] * size[1] / len(rest))
    return Body(rest, mass, springs, modulus, surface), outline


def main(arguments_given: list[str] | None = None) -> dict[str, float]:
    options = arguments(__doc__).parse_args(arguments_given)
    body, outline = block_of_springs((0.4, 0.2), (8, 4), 1000.0, 3e4, (0.0, 0.1))
    world = World(np.array([0.0, -9.81]), [([0, 0], [0, 1])], 2e-3, 1e12, 0.15, 1e-3, 0.01)
    x, v = body.rest, np.zeros_like(body.rest) + [2.0, 0.0]
    frames, speed = [(0.0, x)], [2.0]
    steps = 80 if options.quick else 160
    for k in range(1, steps + 1):
        x, v, contacts = step(body, world, x, v)
        assert not stiction.has_crossings(body.surface, x) and x[:, 1].min() > 0
        frames.append((k * world.h, x))
        speed.append(float(body.mass @ v[:, 0] / body.mass.sum()))
    draw(frames, np.array(speed), outline, world, options)
    times = np.arange(len(speed)) * world.h
    sliding = (times > 0.35) & (np.array(speed) > 0.1)
    result = {"stopped": abs(speed[-1]), "gap": contacts.smallest_gap(x)}
    if sliding.sum() > 5:
        result["slowing"] = float(-np.polyfit(times[sliding], np.array(speed)[sliding], 1)[0])
        print(f"slows down with {result['slowing']:.3f} m/s² (Coulomb: {world.mu * 9.81:.3f})")
    print(f"speed at the end: {speed[-1]:.2e} m/s, gap {1e3 * result['gap']:.3f} mm")
    return result


def draw(frames, speed, outline, world, options):
    figure, (above, below) = plt.subplots(2, 1, figsize=(8.0, 5.2), height_ratios=[1, 1], layout="constrained")
    for time, x in apart(frames):
        ring = x[np.append(outline, outline[0])]
        above.fill(ring[:, 0], ring[:, 1], color=BLUE, alpha=0.2, lw=0)
        above.plot(ring[:, 0], ring[:, 1], color=BLUE, lw=0.9)
        above.annotate(f"{time:.2f} s", (ring[:-1, 0].mean(), ring[:, 1].max() + 0.01), ha="center", va="bottom", fontsize=8)
    above.axhline(0, color=GREY, lw=2)
    above.set(aspect="equal", xlabel="x (m)", ylabel="y (m)", ylim=(-0.03, 0.36), title="a soft block, thrown at 2 m/s onto the ground")
    times = np.arange(len(speed)) * world.h
    below.plot(times, speed, color=BLUE, label="mean speed of the block")
    below.axhline(0, color=GREY, lw=0.6)
    start = np.searchsorted(times, 0.35)
    if start < len(times):
        coulomb = speed[start] - world.mu * 9.81 * (times - times[start])
        shown = (coulomb > 0) & (times >= times[start])
        below.plot(times[shown], coulomb[shown], color=RED, ls="--", lw=1, label="slope $\\mu g$")
    below.set(xlabel="time (s)", ylabel="speed (m/s)", ylim=(-0.15, 2.7))
    below.legend()
    save(figure, options, "newton")


def apart(frames, distance=0.42):
    """The first frame, then each that is so far from the one before that both are seen, and the last."""
    shown = [frames[0]]
    for frame in frames:
        if frame[1][:, 0].mean() - shown[-1][1][:, 0].mean() > distance:
            shown.append(frame)
    last = frames[-1]
    return shown if last[1][:, 0].mean() - shown[-1][1][:, 0].mean() < 0.5 * distance else [*shown, last]


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
