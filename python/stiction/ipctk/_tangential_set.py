"""Collisions with friction as arrays: native slides, and what was written on single collisions.

The order is that of the normal collisions that they were made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _stiction
from ._array import Floats
from ._normal_collision import NormalCollision
from ._normal_set import KINDS, ListedSet, NormalSet, check_same_mesh
from ._single import STEADY, single_slides
from ._sparse import columns_matrix
from ._stencil import flat_positions
from ._tangential_collision import CLASSES, COORDINATES, TangentialCollision, closest_weights

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix

_NUMBERS = ("normal_force_magnitude", "weight", "mu_s", "mu_k", "mu_s_effective_lagged", "mu_k_effective_lagged")
_PAIRS = {"mu_aniso": 1.0, "mu_s_aniso": 0.0, "mu_k_aniso": 0.0}


class Fields:
    """What single collisions show and take."""

    dimension: int

    def __init__(self) -> None:
        self.values: dict[str, np.ndarray] = {}
        self.written: set[str] = set()
        self.points: dict[int, Floats] = {}
        self.bases: dict[int, Floats] = {}
        self.gradients: dict[int, Any] = {}
        # How often anything was written, and whether the native slides lack something of it.
        self.version, self.changed = 0, False

    def _note(self) -> None:
        self.version += 1
        self.changed = True

    def __len__(self) -> int:
        raise NotImplementedError

    def read(self, name: str) -> np.ndarray:
        """The values of all collisions, shape (k,) or (k, 2)."""
        found = self.values.get(name)
        if found is None:
            found = self.values[name] = self._first(name)
        return found

    def _first(self, name: str) -> np.ndarray:
        raise NotImplementedError

    def write(self, name: str, index: Any, value: Any) -> None:
        self.read(name)[index] = value
        self.written.add(name)
        self._note()

    def closest_point(self, index: int) -> Floats:
        found = self.points.get(index)
        return self._own_point(index) if found is None else found.copy()

    def write_closest_point(self, index: int, beta: Floats) -> None:
        self.points[index] = beta.copy()
        self._note()

    def closest_weights(self, index: int) -> Floats:
        """Weights of the vertices in the relative velocity."""
        return closest_weights(self._kind(index), self.closest_point(index))

    def tangent_basis(self, index: int) -> Floats:
        found = self.bases.get(index)
        return self._own_basis(index) if found is None else found.copy()

    def write_tangent_basis(self, index: int, basis: Floats) -> None:
        self.bases[index] = basis
        self._note()

    def weight_gradient(self, index: int) -> csc_matrix:
        found = self.gradients.get(index)
        return self._own_gradient(index) if found is None else found

    def write_weight_gradient(self, index: int, gradient: Any) -> None:
        self.gradients[index] = gradient

    def pair_at(self, index: int, x: Floats) -> tuple[tuple[float, tuple[int, int]] | None, float]:
        """Threshold and closest parts of two edges at positions x, and the distance that the pair may not fall below."""
        return None, 0.0

    def _kind(self, index: int) -> str:
        raise NotImplementedError

    def _own_point(self, index: int) -> Floats:
        raise NotImplementedError

    def _own_basis(self, index: int) -> Floats:
        raise NotImplementedError

    def _own_gradient(self, index: int) -> csc_matrix:
        return columns_matrix((0, 1))

    def row(self, index: int) -> dict[str, Any]:
        """All that one collision has."""
        names = (*_NUMBERS, *_PAIRS)
        values = {name: np.array(self.read(name)[index]) for name in names}
        more = {"closest_point": self.closest_point(index), "tangent_basis": self.tangent_basis(index)}
        return {**values, **more, "weight_gradient": self.weight_gradient(index)}


class AloneFields(Fields):
    """Of a collision that belongs to no set."""

    def __init__(self, kind: str, dimension: int, row: dict[str, Any]) -> None:
        super().__init__()
        self.kind, self.dimension = kind, dimension
        self.values = {name: np.array([row.get(name, 0.0)], dtype=float) for name in _NUMBERS}
        pairs = {name: [row.get(name, [start] * 2)] for name, start in _PAIRS.items()}
        self.values.update({name: np.array(value, dtype=float) for name, value in pairs.items()})
        self.points[0] = np.array(row["closest_point"], dtype=float)
        self.bases[0] = np.array(row["tangent_basis"], dtype=float)
        if "weight_gradient" in row:
            self.gradients[0] = row["weight_gradient"]

    def __len__(self) -> int:
        return 1

    def _kind(self, index: int) -> str:
        return self.kind


def restored_row(kind: str, row: dict[str, Any]) -> AloneFields:
    """A collision of no set from what it had."""
    return AloneFields(kind, len(row["tangent_basis"]), row)


def alone(collision: TangentialCollision, normal: NormalCollision, positions: Any, potential: Any) -> AloneFields:
    """What a collision has that is made of a normal one."""
    kind, row = collision._kind, {"weight": normal.weight, "weight_gradient": normal.weight_gradient}
    if positions is None:
        empty = {"closest_point": np.zeros(COORDINATES[kind]), "tangent_basis": np.zeros((3, 2))}
        return AloneFields(kind, 3, {**row, **empty})
    x = flat_positions(positions, collision._count)
    if potential is not None:
        force = potential.force_magnitude(normal.compute_distance(x.ravel()), normal.dmin)
        row["normal_force_magnitude"] = force * normal.mollifier(x.ravel())
    shape = {"closest_point": point_at(kind, normal, x), "tangent_basis": basis_at(collision, normal, x)}
    return AloneFields(kind, x.shape[1], {**row, **shape})


def point_at(kind: Any, normal: Any, x: Floats) -> Floats:
    """Coordinates of the closest points; those of nearly parallel edges may be held at an end."""
    if COORDINATES[kind] == 0:
        return np.zeros(0)
    parts = normal._parts(x) if kind == "ee" else (2, 2)
    if parts == (2, 2):
        return np.ravel(_stiction.closest_point(kind, x))
    first, second = parts
    if first == 2:
        return np.array([_stiction.closest_point("ve", x[[2 + second, 0, 1]])[0], float(second)])
    if second == 2:
        return np.array([float(first), _stiction.closest_point("ve", x[[first, 2, 3]])[0]])
    return np.array([float(first), float(second)])


def basis_at(collision: TangentialCollision, normal: Any, x: Floats) -> Floats:
    """The tangents; of edges that are closest at an end, along the first edge and across it."""
    if collision._kind != "ee" or normal._parts(x) == (2, 2):
        return collision.compute_tangent_basis(x.ravel())
    across = closest_weights("ee", point_at("ee", normal, x)) @ x
    across /= np.linalg.norm(across)
    along = x[1] - x[0]
    along = along - across * (across @ along)
    length = np.linalg.norm(along)
    if length <= 1e-9 * np.linalg.norm(x[1] - x[0]):
        return _stiction.tangent_basis("vv", np.stack([np.zeros(3), across]))
    along /= length
    return np.stack([along, np.cross(across, along)], axis=1)


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
        if name in _PAIRS:
            return np.full((len(self), 2), _PAIRS[name])
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
        return self.base.of_contacts(unweighted).normal_forces

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
            self.slides = self.base.replaced(**self._arrays())
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
        if self.written & _PAIRS.keys():
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
        slides = _stiction.Slides(contacts, x, STEADY, 0.0, law="smooth_mu").replaced(**state["base"])
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
    return base.replaced(
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
