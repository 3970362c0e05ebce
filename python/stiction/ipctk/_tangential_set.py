"""Collisions with friction as arrays: native slides, and what was written on single collisions.

The order is that of the normal collisions that they were made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _stiction
from .._stiction import drop_in
from ._array import Floats
from ._normal_collision import NormalCollision
from ._normal_set import KINDS, ListedSet, NormalSet, check_same_mesh
from ._single import STEADY, single_slides
from ._tangential_collision import CLASSES, TangentialCollision
from ._tangential_fields import PAIRS, Fields, basis_at, point_at

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix


class TangentialSet(Fields):
    """The collisions that were built at once."""

    def __init__(self, mesh: Any, x: Floats, source: Any, slides: _stiction.Slides, contacts: _stiction.Contacts) -> None:
        super().__init__()
        self._take(mesh, x, source, slides, contacts)

    def _take(self, mesh: Any, x: Floats, source: Any, slides: _stiction.Slides, contacts: _stiction.Contacts) -> None:
        self.mesh, self.x, self.source, self.contacts = mesh, x, source, contacts
        self.base = self.slides = slides
        self.dimension = x.shape[1]

    def __len__(self) -> int:
        return len(self.source)

    def _first(self, name: str) -> np.ndarray:
        if name in PAIRS:
            return np.full((len(self), 2), PAIRS[name])
        if name == "weight":
            return np.array(self.source.from_native(self.contacts.weights))
        if name == "normal_force_magnitude":
            return np.array(self.source.from_native(self._forces()))
        column = 0 if name.startswith("mu_s") else 1
        return np.array(self.source.from_native(self.base.mu[:, column]))

    def _forces(self) -> np.ndarray:
        """Normal forces by weight, in the order of the native contacts."""
        weights = self.contacts.weights
        if weights.all():
            return self.base.normal_forces / weights
        # What weighs nothing has a force by weight, too.
        unweighted = self.contacts.with_weights(np.ones(len(weights)))
        return drop_in.of_contacts(self.base, unweighted).normal_forces

    # --- Collisions ---

    def _kind(self, index: int) -> str:
        return CLASSES[self.source.kind_of(index)]._kind

    def collision(self, index: int) -> TangentialCollision:
        """The collision with this number."""
        normal = self.source.collision(index)
        kind = CLASSES[self.source.kind_of(index)]
        found = kind._of(*(getattr(normal, name) for name in kind._names))
        found._set, found._index = self, index
        return found

    def of_kind(self, kind: str) -> list[TangentialCollision]:
        """All collisions of a kind."""
        ends = self.source.ends
        place = KINDS.index(kind)
        return [self.collision(index) for index in range(ends[place - 1] if place else 0, ends[place])]

    def _at(self, index: int) -> tuple[NormalCollision, Floats]:
        normal = self.source.collision(index)
        return normal, self.x[normal._ids(self.mesh.edges, self.mesh.faces)]

    def pair_at(self, index: int, x: Floats) -> tuple[tuple[float, tuple[int, int]] | None, float]:
        normal = self.source.collision(index)
        return ((normal.eps_x, normal._parts(x)) if self._kind(index) == "ee" else None), normal.dmin

    def _own_point(self, index: int) -> Floats:
        return point_at(self._kind(index), *self._at(index))

    def _own_basis(self, index: int) -> Floats:
        return basis_at(self.collision(index), *self._at(index))

    def _own_gradient(self, index: int) -> csc_matrix:
        return self.source.collision(index).weight_gradient

    # --- Native slides ---

    def native(self, mesh: Any) -> _stiction.Slides:
        """The slides with all that was written."""
        if mesh is not self.mesh:
            check_same_mesh(mesh, self.mesh)
        if self.changed:
            self.slides = drop_in.replaced(self.base, **self._arrays())
            self.changed = False
        return self.slides

    def _arrays(self) -> dict[str, np.ndarray]:
        """What was written, in the order of the native contacts."""
        order, arrays = self.source.to_native, {}
        if self.written & {"normal_force_magnitude", "weight"}:
            arrays["forces"] = order(self.read("normal_force_magnitude") * self.read("weight"))
        if "weight" in self.written:
            arrays["weights"] = order(self.read("weight"))
        arrays["mu"] = order(self.columns("mu_s_effective_lagged", "mu_k_effective_lagged"))
        arrays["own_mu"] = order(self.columns("mu_s", "mu_k"))
        if self.written & PAIRS.keys():
            arrays.update(self._ellipses())
        if self.points:
            arrays["closest"] = order(self._closest())
        if self.bases:
            arrays["normals"], arrays["axes"] = (order(part) for part in self._planes())
        return arrays

    def columns(self, *names: str) -> np.ndarray:
        """Numbers of all collisions side by side."""
        return np.stack([self.read(name) for name in names], axis=1)

    def _ellipses(self) -> dict[str, np.ndarray]:
        order, static = self.source.to_native, self.read("mu_s_aniso")
        # Without static axes kinetic ones do not count.
        kinetic = np.where(static.any(axis=1, keepdims=True), self.read("mu_k_aniso"), 0.0)
        return {
            "scaling": order(self.read("mu_aniso")),
            "static_axes": order(static),
            "kinetic_axes": order(kinetic),
        }

    def _closest(self) -> Floats:
        weights = np.array(self.source.from_native(self.base.closest))
        for index in self.points:
            own = self.closest_weights(index)
            weights[index, : len(own)] = own
        return weights

    def _planes(self) -> tuple[Floats, Floats]:
        """Normals, and first tangents where they were written."""
        normals = np.array(self.source.from_native(self.base.normals))
        axes = np.zeros_like(normals)
        for index, basis in self.bases.items():
            normals[index], axes[index] = normal_of(basis), basis[:, 0]
        return normals, axes

    # --- Bytes ---

    def __getstate__(self) -> dict[str, Any]:
        names = ("mesh", "x", "source", "values", "written", "points", "bases", "gradients")
        state = {name: getattr(self, name) for name in names}
        base = self.base
        of = {"forces": base.normal_forces, "mu": base.mu, "own_mu": base.mu}
        return {**state, "weights": self.contacts.weights, "base": of}

    def __setstate__(self, state: dict[str, Any]) -> None:
        source, mesh, x = state["source"], state["mesh"], state["x"]
        contacts = source.native(mesh, x).with_weights(state["weights"])
        slides = drop_in.replaced(_stiction.Slides(contacts, x, STEADY, 0.0, law="smooth_mu"), **state["base"])
        super().__init__()
        self._take(mesh, x, source, slides, contacts)
        for name in ("values", "written", "points", "bases", "gradients"):
            setattr(self, name, state[name])
        self.changed = True

    # --- Lagged coefficients ---

    def reset(self) -> None:
        """mu_s and mu_k count in all directions."""
        for name in ("mu_s", "mu_k"):
            self.write(f"{name}_effective_lagged", slice(None), self.read(name))

    def update(self, mesh: Any, x: Floats, velocities: Floats) -> None:
        """Coefficients in the directions of the slides at positions x."""
        self.reset()
        if not self.read("mu_s_aniso").any():
            return
        moved = self.native(mesh).at(x)
        moved.refresh_anisotropy(velocities)
        for name, column in (("mu_s", 0), ("mu_k", 1)):
            self.write(f"{name}_effective_lagged", slice(None), self.source.from_native(moved.mu[:, column]))


def normal_of(basis: Floats) -> Floats:
    """The unit vector across the tangents."""
    if len(basis) == 2:
        return np.array([-basis[1, 0], basis[0, 0]])
    return np.cross(basis[:, 0], basis[:, 1])


def slides_of(collision: TangentialCollision) -> _stiction.Slides:
    """One collision by itself, as native slides of vertices 0, 1, …"""
    if collision._kept_version != collision._set.version:
        collision._kept, collision._kept_version = _new_slides(collision), collision._set.version
    return collision._kept


def _new_slides(collision: TangentialCollision) -> _stiction.Slides:
    fields, index, kind = collision._set, collision._index, collision._kind
    basis, own = fields.tangent_basis(index), fields.closest_weights(index)
    closest = np.zeros((1, 4))
    closest[0, : len(own)] = own
    base = single_slides(kind, fields.dimension, getattr(collision, "plane", None))
    arrays = {}
    if (collision.mu_aniso != 1.0).any():
        arrays["scaling"] = [collision.mu_aniso]
    return drop_in.replaced(
        base,
        forces=[collision.weight * collision.normal_force_magnitude],
        mu=[[collision.mu_s_effective_lagged, collision.mu_k_effective_lagged]],
        normals=[normal_of(basis)],
        axes=[basis[:, 0]],
        closest=closest,
        **arrays,
    )


def frozen(source: Any) -> Any:
    """A normal set as it is now, for collisions made of it."""
    if isinstance(source, NormalSet):
        return source
    return ListedSet({kind: [collision._copy() for collision in source.of_kind(kind)] for kind in KINDS})
