"""All collisions with friction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import index as whole_index
from typing import Any

import numpy as np

from .. import _stiction
from ._array import instance, number
from ._mesh import CollisionMesh
from ._normal import NormalCollisions, renamed
from ._normal_set import KINDS
from ._potential import NormalPotential
from ._tangential_collision import CLASSES, TangentialCollision
from ._tangential_set import TangentialSet, frozen


def _list_of(kind: str) -> Any:
    """The list of one kind of collisions."""

    def read(self: TangentialCollisions) -> list[TangentialCollision]:
        return self._of_kind(kind)

    def write(self: TangentialCollisions, collisions: Any) -> None:
        found = [instance(f"{kind}_collisions[{k}]", c, CLASSES[kind]) for k, c in enumerate(collisions)]
        others = {other: self._of_kind(other) for other in KINDS if other != kind}
        self._set, self._lists = None, {**others, kind: found}

    return property(read, write, doc=f"The {kind} collisions; may be assigned.")


class TangentialCollisions:
    """The collisions of a `NormalCollisions` with friction: normal forces, tangents and closest points held fixed at given positions.

    `collisions[i]` is a view of one: what is written on it counts in all potentials. Nearly parallel edges have friction, too, with the
    normal force that their mollifier leaves.
    """

    def __init__(self) -> None:
        self._set: TangentialSet | None = None
        self._lists: dict[str, list[TangentialCollision]] | None = None

    @staticmethod
    def default_blend_mu(mu0: float, mu1: float) -> float:
        """The mean of two coefficients."""
        return (number("mu0", mu0) + number("mu1", mu1)) / 2.0

    def build(
        self,
        mesh: CollisionMesh,
        vertices: Any,
        collisions: NormalCollisions,
        normal_potential: NormalPotential,
        mu: Any = None,
        mu_k: Any = None,
        blend_mu: Callable[[float, float], float] | None = None,
        *,
        mu_s: Any = None,
    ) -> None:
        """Holds the collisions fixed at positions `vertices`, (n, D), in m.

        Coefficients: `mu`, or `mu_s, mu_k`, numbers or one for each vertex; those of vertices are taken at the closest points, and
        `blend_mu` makes one of two, by default their mean. `normal_potential` gives the normal forces.
        """
        instance("collisions", collisions, NormalCollisions)
        potential = instance("normal_potential", normal_potential, NormalPotential)._for_friction()
        if (mu is None) == (mu_s is None) or (mu_s is not None and mu_k is None):
            raise TypeError("build: expected mu, or mu_s and mu_k")
        mu = mu_s if mu is None else mu
        blend = None if blend_mu is None or blend_mu is self.default_blend_mu else blend_mu
        contacts = collisions._contacts(mesh, vertices)
        try:
            slides = _stiction.Slides(contacts, vertices, potential, mu, mu_k, blend=blend, law="smooth_mu")
        except ValueError as error:
            raise renamed(error, x="vertices") from None
        x = np.array(vertices, dtype=float)
        self._set, self._lists = TangentialSet(mesh, x, frozen(collisions._set), slides, contacts), None

    def reset_lagged_anisotropic_friction_coefficients(self) -> None:
        """Makes mu_s and mu_k the coefficients that count, in all directions: as after `build`."""
        if self._lists is not None:
            for collision in self:
                collision.mu_s_effective_lagged, collision.mu_k_effective_lagged = collision.mu_s, collision.mu_k
        elif self._set is not None:
            self._set.reset()

    def update_lagged_anisotropic_friction_coefficients(
        self, mesh: CollisionMesh, rest_positions: Any, lagged_displacements: Any, velocities: Any
    ) -> None:
        """Takes the coefficients that count anew from `mu_s_aniso` and `mu_k_aniso`, in the directions of the slides.

            μ = √((μ₀t₀)² + (μ₁t₁)²)        t: direction of the slide in the tangents at rest_positions + lagged_displacements

        Collisions without `mu_s_aniso` have mu_s and mu_k.
        """
        mesh = instance("mesh", mesh, CollisionMesh)
        x = mesh._positions("rest_positions", rest_positions)
        x = x + mesh._positions("lagged_displacements", lagged_displacements)
        v = mesh._positions("velocities", velocities)
        if self._lists is not None:
            raise NotImplementedError("update_lagged_anisotropic_friction_coefficients for lists of collisions that were assigned")
        if self._set is not None:
            self._set.update(mesh, x, v)

    # --- What there is ---

    def _all(self) -> list[TangentialCollision]:
        return [collision for kind in KINDS for collision in (self._lists or {}).get(kind, ())]

    def __len__(self) -> int:
        if self._lists is not None:
            return sum(map(len, self._lists.values()))
        return 0 if self._set is None else len(self._set)

    def empty(self) -> bool:
        """Whether there are none."""
        return len(self) == 0

    def clear(self) -> None:
        """Forgets all; collisions in the hands of others stay as they are."""
        self._set = self._lists = None

    def __getitem__(self, i: int) -> TangentialCollision:
        i = whole_index(i)
        if not 0 <= i < len(self):
            raise IndexError(f"i: is {i}, there are {len(self)} collisions")
        return self._all()[i] if self._set is None else self._set.collision(i)

    def __iter__(self) -> Iterator[TangentialCollision]:
        if self._lists is not None or self._set is None:
            return iter(self._all())
        own = self._set
        return (own.collision(i) for i in range(len(own)))

    def _of_kind(self, kind: str) -> list[TangentialCollision]:
        if self._lists is not None:
            return list(self._lists[kind])
        return [] if self._set is None else self._set.of_kind(kind)

    vv_collisions = _list_of("vv")
    ev_collisions = _list_of("ev")
    ee_collisions = _list_of("ee")
    fv_collisions = _list_of("fv")
    pv_collisions = _list_of("pv")

    def __repr__(self) -> str:
        return f"<TangentialCollisions of {len(self)} collisions>"
