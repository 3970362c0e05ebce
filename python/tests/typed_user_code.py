"""Code as users write it, which the type checker must accept; test_types.py runs it, too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, assert_type

import numpy as np
from numpy.typing import NDArray

import stiction

if TYPE_CHECKING:
    from scipy.sparse import csc_array


def contact_forces(x: NDArray[np.float64], faces: NDArray[np.int64]) -> NDArray[np.float64]:
    surface = stiction.Surface(x, [], faces)
    contacts = stiction.Contacts(surface, x, 0.1, [([0, 0, -0.05], [0, 0, 1])])
    barrier = stiction.BarrierPotential(0.1, 1e5, barrier="cubic")
    energy: float = barrier.energy(contacts, x)
    assert energy > 0
    hessian: csc_array = barrier.hessian(contacts, x, "abs")
    assert hessian.shape == (x.size, x.size)
    return -barrier.gradient(contacts, x)


def friction_forces(contacts: stiction.Contacts, x: NDArray[np.float64], v: list[list[float]]) -> NDArray[np.float64]:
    law = stiction.FrictionLaw("stribeck", speed=0.1)
    slides = stiction.Slides(contacts, x, stiction.BarrierPotential(0.1), 0.5, 0.4)
    friction = stiction.FrictionPotential(1e-3, law, h_hat=0.01)
    return -friction.gradient(slides, v)


def steps(path: Path) -> list[float]:
    simulation = stiction.Simulation(stiction.Scene.load(path))
    assert_type(simulation.positions, NDArray[np.float64])

    def enough(simulation: stiction.Simulation, report: object) -> bool:
        return simulation.steps < 2

    reports = simulation.run(until=1.0, callback=enough)
    assert_type(reports[0]["time"], float)
    assert_type(reports[0]["fallbacks"], int)
    assert_type(reports[0]["refinement"], str | None)
    assert_type(reports[0]["block.x"], float)
    block: slice = simulation.bodies["block"]
    return [float(y) for y in simulation.positions[block][:, 1]]


def surface_of_file(path: Path) -> stiction.Surface:
    mesh = stiction.read_mesh(path)
    stiction.write_mesh(path.with_suffix(".msh"), mesh, binary=False)
    return mesh.surface()


class Tether:
    """½ k Σ |xᵢ − Xᵢ|² over all nodes: an energy as users write it."""

    def __init__(self, rest: NDArray[np.float64], stiffness: float) -> None:
        self.rest, self.stiffness = rest, stiffness
        self.stencils = np.arange(len(rest))[:, None]

    @property
    def name(self) -> str:
        return "tether"

    def energy(self, x: NDArray[np.float64], t: float) -> float:
        return 0.5 * self.stiffness * float(np.sum((x - self.rest) ** 2))

    def gradient(self, x: NDArray[np.float64], t: float) -> NDArray[np.float64]:
        return self.stiffness * (x - self.rest)

    def hessian(self, x: NDArray[np.float64], t: float) -> NDArray[np.float64]:
        return np.tile(self.stiffness * np.eye(x.shape[1]), (len(x), 1, 1))


def tethered(path: Path) -> float:
    scene = stiction.Scene.load(path)
    rest = stiction.Simulation(scene).nodes
    simulation = stiction.Simulation(scene, terms=[Tether(rest, 1e3)])
    return simulation.step()["tether_energy"]
