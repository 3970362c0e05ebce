"""How stiff the barrier of an assembly is: as stiff as the bodies ask for, whatever their units.

A contact of two bodies should carry a pressure of a tenth of their modulus at half its reach:

    κ w |b′(dmin + d̂/2)| = ε E* A          ε = 0.1,   1/E* = 1/E₁ + 1/E₂

b′ is the slope of the barrier in m³ (clamped_log), w the weight of the contact, A the area of the surface that it stands for (w itself where contacts
are weighted by area). The modulus E of a body, in Pa, is the median over the vertices of its surface of

    E = k ℓ/A           k: mean of the diagonal entries of the stiffness matrix there, in N/m;   ℓ = A^(1/(D−1))

So κ follows the stiffness, hardly depends on the mesh, and not at all on how increments were cut. The forces at first contact,
which nearly vanish, have no part in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from . import Contacts, Surface

# The part of the modulus that a contact carries as pressure at half its reach.
REFERENCE_STRAIN = 0.1
# Gaps below this part of d̂ ask for a stiffer barrier, one that carries the same force at the second part.
DEEP, COMFORTABLE = 0.1, 0.25
# By how much κ grows at most at a time: a larger change would be a blow.
LARGEST_RISE = 10.0
# A vertex of each of the two primitives of a contact, by its place in the list of vertices.
_SIDES = {"vv": (0, 1), "ve": (0, 1), "ee": (0, 2), "vf": (0, 1), "parallel": (0, 2), "obstacle": (0, 0)}


@dataclass(frozen=True)
class BarrierSlope:
    """|∂b/∂d| of a barrier at κ = 1 and weight 1, by the gap beyond dmin, in m."""

    dhat: float
    dmin: float
    barrier: Any

    def at(self, gap: float) -> float:
        """The slope at a gap, in m³ for the clamped logarithm."""
        d = self.dmin + gap
        return abs(2.0 * d * self._by_squared(d * d))

    def _by_squared(self, d2: float) -> float:
        from . import barrier_derivatives

        if isinstance(self.barrier, str):
            name: Any = self.barrier
            return float(barrier_derivatives(np.array([d2]), self.dhat, self.dmin, name)[0][0])
        s_hat = (2.0 * self.dmin + self.dhat) * self.dhat
        return float(self.barrier.first_derivative(d2 - self.dmin**2, s_hat))


@dataclass(frozen=True)
class BodyModuli:
    """Modulus E in Pa and typical area A of a vertex, of each body, by the labels of the vertices' bodies."""

    labels: NDArray[np.int64]
    moduli: dict[int, float]
    areas: dict[int, float]

    @classmethod
    def of(cls, surface: Surface, stiffness: NDArray[np.float64] | float) -> BodyModuli:
        """Of a surface and the diagonal of the stiffness matrix, shape (n, D), in N/m, or one modulus in Pa for all."""
        labels, areas = surface.bodies, surface.vertex_areas
        taking_part = (labels >= 0) & (areas > 0)
        each = _vertex_moduli(stiffness, areas, surface.dimension)
        bodies = np.unique(labels[taking_part])
        members = {int(body): taking_part & (labels == body) for body in bodies}
        moduli = {body: float(np.median(each[member])) for body, member in members.items()}
        if not any(value > 0 for value in moduli.values()):
            raise ValueError("stiffness: is zero at the surface of every body, so it says nothing about the barrier's")
        return cls(labels, moduli, {body: float(np.median(areas[member])) for body, member in members.items()})

    def kappa(self, contacts: Contacts, slope: BarrierSlope, by_area: bool) -> float:
        """The κ for the stiffest pair of bodies among the contacts; 0 without contacts."""
        pairs = {pair for kind, vertices in contacts.vertices.items() for pair in self._pairs(kind, vertices)}
        reference = slope.at(0.5 * slope.dhat)
        return max((self._force(pair, by_area) / reference for pair in pairs), default=0.0)

    def _pairs(self, kind: str, vertices: NDArray[np.uint32]) -> set[tuple[int, int]]:
        first, second = _SIDES[kind]
        bodies = np.stack([self.labels[vertices[:, first]], self.labels[vertices[:, second]]], axis=1)
        return {(int(a), int(b)) for a, b in np.unique(bodies, axis=0)}

    def _force(self, pair: tuple[int, int], by_area: bool) -> float:
        """The force (by area: the pressure) of a contact of two bodies at half its reach."""
        # A body without stiffness is one that is driven: as good as rigid. So is a plane, whose body is the vertex's own.
        softness = [1.0 / self.moduli[body] for body in set(pair) if self.moduli[body] > 0]
        if not softness:
            return 0.0
        area = 1.0 if by_area else min(self.areas[body] for body in pair)
        return REFERENCE_STRAIN * area / sum(softness)


def risen(kappa: float, gap: float, slope: BarrierSlope) -> float:
    """κ after a converged increment with this smallest gap, in m: larger if the gap is below 0.1 d̂.

    It then carries the same force at 0.25 d̂, if that takes no more than ten times as much at once.
    """
    if not 0.0 < gap < DEEP * slope.dhat:
        return kappa
    rise = slope.at(gap) / slope.at(COMFORTABLE * slope.dhat)
    return kappa * min(max(rise, 1.0), LARGEST_RISE)


def _vertex_moduli(
    stiffness: NDArray[np.float64] | float, areas: NDArray[np.float64], dimension: int
) -> NDArray[np.float64]:
    if np.ndim(stiffness) == 0:
        if not (np.isfinite(stiffness) and stiffness > 0):
            raise ValueError(f"stiffness: {stiffness} is no modulus: expected a positive number of Pa")
        return np.full(len(areas), float(stiffness))
    diagonal = np.asarray(stiffness)
    if not np.isfinite(diagonal).all() or (diagonal < 0).any():
        node = int(np.flatnonzero(~(np.isfinite(diagonal) & (diagonal >= 0)).all(axis=1))[0])
        raise ValueError(f"stiffness: the diagonal entries of node {node} are {diagonal[node]}, expected 0 or more")
    safe = np.where(areas > 0, areas, 1.0)
    out: NDArray[np.float64] = diagonal.mean(axis=1) * safe ** (1.0 / (dimension - 1) - 1.0)
    return out
