"""What a collision with friction shows and takes, and how one by itself gets it from a normal collision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _stiction
from ._array import Floats
from ._normal_collision import NormalCollision
from ._sparse import columns_matrix
from ._stencil import flat_positions

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix

# Of the collisions of each kind: how many coordinates their closest points have.
COORDINATES = {"pv": 0, "vv": 0, "ve": 1, "ee": 2, "vf": 2}
NUMBERS = ("normal_force_magnitude", "weight", "mu_s", "mu_k", "mu_s_effective_lagged", "mu_k_effective_lagged")
PAIRS = {"mu_aniso": 1.0, "mu_s_aniso": 0.0, "mu_k_aniso": 0.0}


def closest_weights(kind: Any, beta: Any) -> Floats:
    """Weights of the vertices in the relative velocity of closest points with coordinates β."""
    if kind == "pv":
        return np.ones(1)
    return np.asarray(_stiction.relative_weights(kind, [float(b) for b in beta]))


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
        names = (*NUMBERS, *PAIRS)
        values = {name: np.array(self.read(name)[index]) for name in names}
        more = {"closest_point": self.closest_point(index), "tangent_basis": self.tangent_basis(index)}
        return {**values, **more, "weight_gradient": self.weight_gradient(index)}


class AloneFields(Fields):
    """Of a collision that belongs to no set."""

    def __init__(self, kind: str, dimension: int, row: dict[str, Any]) -> None:
        super().__init__()
        self.kind, self.dimension = kind, dimension
        self.values = {name: np.array([row.get(name, 0.0)], dtype=float) for name in NUMBERS}
        pairs = {name: [row.get(name, [start] * 2)] for name, start in PAIRS.items()}
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


def alone(collision: Any, normal: NormalCollision, positions: Any, potential: Any) -> AloneFields:
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


def basis_at(collision: Any, normal: Any, x: Floats) -> Floats:
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
