"""What can touch, and how far it may move: a surface with the distances at which contact begins and ends."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _stiction
from ._stiction import Contacts, StiffnessPolicy, Surface, TrustRegion

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Gaps below this part of d̂ count as touching: no solver gets away from there.
TOUCHING = 1e-6
# The part of d̂ that the first approach of things that do not touch yet keeps.
APPROACH = 0.1
# A ball of a trust region is 0.9 of the distance that it is made for.
_ROOM = 1.0 / 0.9 + 1e-6


@dataclass(frozen=True)
class ContactScene:
    """A surface, planes, and how contacts are found. Lengths in m."""

    surface: Surface
    dhat: float
    dmin: float
    planes: list[Any]
    broad_phase: Any
    contact_set: Any
    weights: Any
    ccd: Any
    barrier: Any

    def contacts(self, x: NDArray[np.float64]) -> Contacts:
        """What is in contact at positions x."""
        return Contacts(
            self.surface,
            x,
            self.dhat,
            self.planes,
            dmin=self.dmin,
            contact_set=self.contact_set,
            weights=self.weights,
            broad_phase=self.broad_phase,
        )

    def policy(self, moduli: NDArray[np.float64]) -> StiffnessPolicy:
        """How stiff contacts are, of the modulus behind each vertex, in Pa."""
        return StiffnessPolicy(
            self.surface, self.dhat, moduli, dmin=self.dmin, barrier=self.barrier, weights=self.weights
        )

    def raised(self, kappa: float, first: float, clearance: float) -> float:
        """κ after an increment that converged with this smallest clearance, in m."""
        return _stiction.raised_stiffness(kappa, first, clearance, self.dhat, dmin=self.dmin, barrier=self.barrier)

    def largest_step(self, x: NDArray[np.float64], p: NDArray[np.float64], conservative: bool) -> float:
        """The largest part of the motion x + t p, at most 1, that keeps distances beyond dmin, or beyond dmin + 0.1 d̂."""
        bounds = [self.dmin + APPROACH * self.dhat] if conservative else []
        for bound in [*bounds, self.dmin]:
            step = _stiction.largest_step(self.surface, x, p, self.planes, method=self.ccd, min_distance=bound)
            if step > 0.0:
                return step
        return 0.0

    def filter_step(self, x: NDArray[np.float64], p: NDArray[np.float64], planar: bool) -> NDArray[np.float64]:
        """The step p of each vertex, shortened so that nothing touches whatever the others do in theirs."""
        longest = float(np.sqrt((p * p).sum(axis=1).max(initial=0.0)))
        # Balls for pairs that are further apart than the step is long hold nothing back that is far from everything.
        region = TrustRegion(self.surface, max(self.dhat, _ROOM * longest), self.planes, min_distance=self.dmin)
        if planar:
            return region.planar_filter_step(x, p)[0]
        region.update(x)
        return region.filter_step(x, p)[0]

    def check_start(self, x: NDArray[np.float64]) -> None:
        """Refuses positions at which something crosses, touches, or is closer than dmin, with the place."""
        for number, (point, normal) in enumerate(self.planes):
            self._check_side(x, number, np.asarray(point, float), np.asarray(normal, float))
        if _stiction.has_crossings(self.surface, x):
            found = _stiction.describe_crossings(self.surface, x)
            listed = "; ".join(found[:3])
            more = f"; and {len(found) - 3} more" if len(found) > 3 else ""
            raise ValueError(f"u: the start intersects itself: {listed}{more}: move the bodies apart")
        contacts = self.contacts(x)
        clearance = contacts.smallest_gap(x) - self.dmin
        if clearance <= TOUCHING * self.dhat:
            where = _closest(contacts, x)
            below = f", less than dmin = {self.dmin:g} m" if clearance < 0 < self.dmin else ""
            raise ValueError(
                f"u: at the start {where} are {clearance + self.dmin:.3g} m apart{below}: they touch. Move them apart; "
                f"contact begins at {self.dmin + self.dhat:.3g} m"
            )

    def _check_side(
        self, x: NDArray[np.float64], number: int, point: NDArray[np.float64], normal: NDArray[np.float64]
    ) -> None:
        part = np.flatnonzero(self.surface.bodies >= 0)
        heights = (x[part] - point) @ (normal / np.linalg.norm(normal))
        if heights.size and heights.min() <= self.dmin + TOUCHING * self.dhat:
            node = int(part[heights.argmin()])
            where = ", ".join(f"{value:.6g}" for value in x[node])
            raise ValueError(
                f"u: at the start node {node} at ({where}) is {heights.min():.3g} m above plane {number}: move it away"
            )

    def self_contacts_at_rest(self) -> int:
        """How many contacts at rest are between primitives of the same body."""
        contacts, bodies = self.contacts(self.surface.rest), self.surface.bodies
        pairs = {kind: found for kind, found in contacts.vertices.items() if kind != "obstacle"}
        return sum(int((bodies[found] == bodies[found[:, :1]]).all(axis=1).sum()) for found in pairs.values())

    def warn_about_neighbours(self) -> int:
        """Warns if d̂ is so large that neighbours in the mesh push each other at rest, and says how many contacts do."""
        count = self.self_contacts_at_rest()
        if count:
            ends = self.surface.rest[self.surface.edges]
            shortest = float(np.sqrt(((ends[:, 1] - ends[:, 0]) ** 2).sum(axis=1)).min())
            warnings.warn(
                f"{count} contacts at rest are between parts of the same body: they push it before anything moves. Contact begins "
                f"at {self.dmin + self.dhat:.3g} m, and the shortest edge is {shortest:.3g} m: take a smaller dhat, or more "
                "excluded_rings",
                stacklevel=3,
            )
        return count


def _closest(contacts: Contacts, x: NDArray[np.float64]) -> str:
    """The closest contact in words: its nodes and its place."""
    place = int(np.argmin(_stiction.contact_distances(contacts, x)))
    for kind, vertices in contacts.vertices.items():
        if place < len(vertices):
            nodes = vertices[place]
            break
        place -= len(vertices)
    split = {"vv": 1, "ve": 1, "vf": 1, "ee": 2, "parallel": 2}.get(kind, 1)
    where = ", ".join(f"{value:.6g}" for value in x[nodes[0]])
    return f"{_words(nodes[:split])} and {_words(nodes[split:])} at ({where})"


def _words(nodes: NDArray[np.uint32]) -> str:
    if len(nodes) == 1:
        return f"node {nodes[0]}"
    kind = "edge" if len(nodes) == 2 else "face"
    return f"the {kind} of nodes {', '.join(str(node) for node in nodes)}"
