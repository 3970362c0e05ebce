"""Contact and friction in the course of one increment: where the nodes are, what touches, how stiff, and what friction holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ._stiction import BarrierPotential, Contacts

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csc_array

    from ._contact_friction import FrictionMenu
    from ._contact_scene import ContactScene
    from ._stiction import Slides, StiffnessPolicy, _Psd


@dataclass(frozen=True)
class Start:
    """All that an increment begins with, so that it can be begun again."""

    u: NDArray[np.float64]
    x: NDArray[np.float64]
    kappa: float | None
    friction: FrictionMenu
    contacts: Contacts
    slides: Slides | None


class ContactIncrement:
    """Energies of contact and friction at positions x, shape (n, D), in m; `u` are the unknowns that x comes from."""

    def __init__(self, scene: ContactScene, friction: FrictionMenu, kappa: float | None) -> None:
        self.scene, self.friction, self.kappa = scene, friction, kappa
        # Without a policy κ is a number that was given, that of every contact.
        self._given = kappa
        self.policy: StiffnessPolicy | None = None
        self._last_policy: StiffnessPolicy | None = None
        self._moduli: NDArray[np.float64] | None = None
        self.x = scene.surface.rest
        self.u = np.zeros(self.x.size)
        self.contacts = Contacts.of(scene.surface, scene.dhat, scene.planes, dmin=scene.dmin)
        self.slides: Slides | None = None
        self.start: Start | None = None
        self.has_changed = False
        self._last_velocity: NDArray[np.float64] | None = None

    def follow(self, moduli: NDArray[np.float64]) -> None:
        """Takes the modulus behind each vertex, in Pa; bodies count as stiff as they ever were, so that no contact becomes softer."""
        self._moduli = moduli if self._moduli is None else np.maximum(self._moduli, moduli)
        self.policy = self.scene.policy(self._moduli)

    def begin(self, u: NDArray[np.float64], x: NDArray[np.float64], adaptive: bool) -> None:
        """A new increment, from where the last one has converged."""
        before = self.start
        moved = before is not None and not np.array_equal(before.x, x)
        if before is not None and moved:
            self._last_velocity = (x - before.x) / self.friction.time
        self.u, self.x, contacts = u, x, self.scene.contacts(x)
        # Gaps here are in balance with the stiffness they came from: with a larger one, normal forces of friction would be too large.
        balanced = self._weighed(contacts, self._last_policy or self.policy), self.kappa
        self.contacts = self._weighed(contacts, self.policy)
        self._take_policy()
        # Without a motion there was no increment that the gap could be the result of.
        self._settle_kappa(adaptive and moved)
        self.slides, self.has_changed = None, False
        if self.friction.is_on:
            self._lag(self._last_velocity, *balanced)
        # Kept last: a second try begins with what the first one did, the κ of now included.
        self.start = Start(u, x, self.kappa, self.friction, self.contacts, self.slides)

    def go_back(self, start: Start) -> None:
        """To the start of the increment."""
        self.u, self.x, self.contacts, self.slides = start.u, start.x, start.contacts, start.slides
        self.kappa, self.friction, self.has_changed = start.kappa, start.friction, False

    def place(self, u: NDArray[np.float64], x: NDArray[np.float64]) -> None:
        """Positions of an iteration; κ begins with the first contact."""
        before = self.contacts
        self.u, self.x, self.contacts = u, x, self._contacts_at(x)
        self.has_changed = not _same(before, self.contacts)
        if self.kappa is None and len(self.contacts):
            self.kappa = self.first_kappa()

    def lag(self, velocity: NDArray[np.float64] | None) -> None:
        """Freezes friction where the nodes are, with the normal forces of now.

        Coefficients that depend on the direction take that of the velocity.
        """
        self._lag(velocity, self.contacts, self.kappa)

    def _lag(self, velocity: NDArray[np.float64] | None, contacts: Contacts, kappa: float | None) -> None:
        self.slides = None
        if not len(contacts):
            return
        self.slides = self.friction.lag(contacts, self.x, self.barrier(self.kappa if kappa is None else kappa))
        if velocity is not None and self.friction.depends_on_direction:
            self.slides.refresh_anisotropy(velocity)

    @property
    def smallest_clearance(self) -> float:
        """The smallest distance less dmin, in m; infinite without contacts."""
        return self.contacts.smallest_gap(self.x) - self.scene.dmin

    def velocity(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of the nodes that are at x now, since the start of the increment."""
        return np.zeros_like(x) if self.start is None else (x - self.start.x) / self.friction.time

    def barrier(self, kappa: float | None) -> BarrierPotential:
        """The barrier with a stiffness."""
        return BarrierPotential(self.scene.dhat, kappa, barrier=self.scene.barrier)

    def energy(self, x: NDArray[np.float64]) -> float:
        """κ B + P at any positions, in J."""
        contacts, total = self._contacts_at(x), 0.0
        if len(contacts):
            kappa = self.kappa if self.kappa is not None else self.first_kappa()
            total += self.barrier(kappa).energy(contacts, x)
        if self.slides is not None:
            total += self.friction.potential().energy(self.slides, self.velocity(x))
        return total

    def normal_gradient(self) -> NDArray[np.float64]:
        """Of κ B, in N, shape (n, D)."""
        if not len(self.contacts):
            return np.zeros_like(self.x)
        return self.barrier(self.kappa).gradient(self.contacts, self.x)

    def friction_gradient(self) -> NDArray[np.float64]:
        """Of P, in N, shape (n, D)."""
        if self.slides is None:
            return np.zeros_like(self.x)
        return self.friction.potential().gradient(self.slides, self.velocity(self.x))

    def friction_forces(self) -> NDArray[np.float64]:
        """The magnitude of the friction force of each slide, in N."""
        if self.slides is None:
            return np.zeros(0)
        forces = self.friction.potential().slide_forces(self.slides, self.velocity(self.x))
        out: NDArray[np.float64] = np.linalg.norm(forces, axis=1)
        return out

    def hessian(self, psd: _Psd) -> csc_array:
        """Of κ B + P, in N/m, in the order x₀ y₀ z₀ x₁ …"""
        from scipy.sparse import csc_array

        total = csc_array((self.x.size, self.x.size))
        if len(self.contacts):
            total = self.barrier(self.kappa).hessian(self.contacts, self.x, psd)
        if self.slides is not None:
            total = total + self.friction.potential().hessian(self.slides, self.velocity(self.x), psd)
        return total

    def first_kappa(self) -> float:
        """The κ that contact begins with."""
        if self.policy is not None:
            return self.policy.first
        if self._given is None:
            raise RuntimeError("there is neither a barrier_stiffness nor a stiffness to follow")
        return self._given

    def _contacts_at(self, x: NDArray[np.float64]) -> Contacts:
        """What is in contact at positions x; contacts of soft bodies weigh less."""
        return self._weighed(self.scene.contacts(x), self.policy)

    @staticmethod
    def _weighed(contacts: Contacts, policy: StiffnessPolicy | None) -> Contacts:
        return contacts if policy is None else policy.weighed(contacts)

    def _take_policy(self) -> None:
        """Keeps how often κ is what it began with, where that has become another."""
        last, now = self._last_policy, self.policy
        self._last_policy = now
        if self.kappa is not None and last is not None and now is not None and last.first != now.first:
            self.kappa *= now.first / last.first

    def _settle_kappa(self, adaptive: bool) -> None:
        if not len(self.contacts):
            return
        first = self.first_kappa()
        kappa = first if self.kappa is None else max(self.kappa, first)
        self.kappa = self.scene.raised(kappa, first, self.smallest_clearance) if adaptive else kappa


def _same(a: Contacts, b: Contacts) -> bool:
    one, other = a.vertices, b.vertices
    return all(np.array_equal(one[kind], other[kind]) for kind in one)
