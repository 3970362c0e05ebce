"""A collision as friction sees it: normal force, tangents and closest points, held fixed, and coefficients.

A collision of a `TangentialCollisions` is a view: what is written on it counts in every potential. The relative velocity of the
closest points is Γv, its part across the normal τ = PᵀΓv, with the tangents as the columns of P.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _stiction
from ._array import Floats, instance, not_negative, number, vector
from ._normal_collision import (
    EdgeEdgeNormalCollision,
    EdgeVertexNormalCollision,
    FaceVertexNormalCollision,
    NormalCollision,
    PlaneVertexNormalCollision,
    VertexVertexNormalCollision,
)
from ._sparse import columns_matrix
from ._stencil import (
    CollisionStencil,
    EdgeEdgeCandidate,
    EdgeVertexCandidate,
    FaceVertexCandidate,
    PlaneVertexCandidate,
    VertexVertexCandidate,
    flat_positions,
)
from ._tangent import _blocks, _stacked, point_point_relative_velocity_dx_dbeta
from ._tangential_fields import COORDINATES, alone, closest_weights, restored_row

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix

ORTHONORMAL = 1e-9


def _field(name: str, check: Any, doc: str) -> Any:
    """A number that every collision has."""

    def read(self: TangentialCollision) -> float:
        return float(self._set.read(name)[self._index])

    def write(self: TangentialCollision, value: Any) -> None:
        self._set.write(name, self._index, check(name, value))

    return property(read, write, doc=doc)


def _pair(name: str, doc: str) -> Any:
    """Two numbers that every collision has, one for each tangent."""

    def read(self: TangentialCollision) -> Floats:
        return self._set.read(name)[self._index].copy()

    def write(self: TangentialCollision, value: Any) -> None:
        pair = vector(name, value, 2)
        if (pair < 0.0).any():
            raise ValueError(f"{name}: is {pair.tolist()}, expected numbers that are 0 or larger")
        self._set.write(name, self._index, pair)

    return property(read, write, doc=doc)


class TangentialCollision(CollisionStencil):
    """A collision with friction. `weight · normal_force_magnitude` is the normal force in N."""

    _set: Any
    _index = 0
    _names: Any
    _kind: Any
    _kept_version = -1
    _kept: Any = None
    _normal_class: type[NormalCollision]

    def __init__(self, collision: Any, positions: Any = None, normal_potential: Any = None) -> None:
        of = instance("collision", collision, self._normal_class)
        self._take_ids(of)
        self._set = alone(self, of, positions, normal_potential)

    def _take_ids(self, collision: Any) -> None:
        for name in self._names:
            setattr(self, name, getattr(collision, name))

    normal_force_magnitude = _field(
        "normal_force_magnitude", number, "The normal force by weight, in N; of nearly parallel edges with their mollifier."
    )
    weight = _field("weight", number, "How much it counts.")
    mu_s = _field("mu_s", not_negative, "The static coefficient; it counts from the next reset or update of the lagged ones on.")
    mu_k = _field("mu_k", not_negative, "The kinetic coefficient; it counts from the next reset or update of the lagged ones on.")
    mu_s_effective_lagged = _field("mu_s_effective_lagged", not_negative, "The static coefficient that counts.")
    mu_k_effective_lagged = _field("mu_k_effective_lagged", not_negative, "The kinetic coefficient that counts.")
    mu_aniso = _pair("mu_aniso", "Factors of the slide along the tangents; ones are no anisotropy.")
    mu_s_aniso = _pair("mu_s_aniso", "Static coefficients along the tangents; zeros stand for mu_s.")
    mu_k_aniso = _pair("mu_k_aniso", "Kinetic coefficients along the tangents; zeros stand for mu_k.")

    # --- Held fixed ---

    @property
    def dim(self) -> int:  # type: ignore[override]
        """2 or 3."""
        return self._set.dimension

    @property
    def ndof(self) -> int:
        """Number of vertices times dimension."""
        return self._set.dimension * self._count

    @property
    def closest_point(self) -> Floats:
        """Coordinates β of the closest points: none for vertices, one on an edge, two for faces and edges."""
        return self._set.closest_point(self._index)

    @closest_point.setter
    def closest_point(self, value: Any) -> None:
        self._set.write_closest_point(self._index, vector("closest_point", value, COORDINATES[self._kind]))

    @property
    def tangent_basis(self) -> Floats:
        """The tangents as columns, (D, D − 1)."""
        return self._set.tangent_basis(self._index)

    @tangent_basis.setter
    def tangent_basis(self, value: Any) -> None:
        basis, dimension = np.array(value, dtype=float), self._set.dimension
        if basis.shape != (dimension, dimension - 1):
            raise ValueError(f"tangent_basis: has shape {basis.shape}, expected {(dimension, dimension - 1)}")
        if not np.abs(basis.T @ basis - np.eye(dimension - 1)).max() <= ORTHONORMAL:
            raise ValueError("tangent_basis: its columns are no unit vectors at right angles")
        self._set.write_tangent_basis(self._index, basis)

    @property
    def weight_gradient(self) -> csc_matrix:
        """The derivative of the weight by the positions at rest, shape (n·D, 1)."""
        return self._set.weight_gradient(self._index)

    @weight_gradient.setter
    def weight_gradient(self, value: Any) -> None:
        self._set.write_weight_gradient(self._index, columns_matrix(value))

    # --- At any positions ---

    def compute_tangent_basis(self, positions: Any) -> Floats:
        """The tangents at these positions as columns, (D, D − 1)."""
        return _stiction.tangent_basis(self._kind, flat_positions(positions, self._count))

    def compute_tangent_basis_jacobian(self, positions: Any) -> Floats:
        """Its derivative: of the columns, one below the other, (D (D − 1), N D)."""
        return _stiction.tangent_basis_jacobian(self._kind, flat_positions(positions, self._count))

    def compute_closest_point(self, positions: Any) -> Floats:
        """Coordinates of the closest points at these positions."""
        return np.asarray(_stiction.closest_point(self._kind, flat_positions(positions, self._count)))

    def compute_closest_point_jacobian(self, positions: Any) -> Floats:
        """Their derivative."""
        x = flat_positions(positions, self._count)
        return np.asarray(_stiction.closest_point_jacobian(self._kind, x)).reshape(-1, x.size)

    def relative_velocity(self, velocities: Any) -> Floats:
        """Γv, (D,), in m/s: first primitive minus second."""
        return self._weights() @ flat_positions(velocities, self._count)

    def relative_velocity_jacobian(self, closest_point: Any = None) -> Floats:
        """Γ, (D, N D)."""
        return _blocks(self._weights(closest_point).tolist(), self._set.dimension)

    def relative_velocity_dx_dbeta(self, closest_point: Any) -> Floats:
        """The derivative of Γ by the coordinates β: of its columns, one below the other."""
        self._weights(closest_point)
        return _stacked(self._kind, self._set.dimension)

    def _weights(self, closest_point: Any = None) -> Floats:
        if closest_point is None:
            return self._set.closest_weights(self._index)
        return closest_weights(self._kind, vector("closest_point", closest_point, COORDINATES[self._kind]))

    def __reduce__(self) -> tuple[Any, ...]:
        ids = {name: getattr(self, name) for name in self._names}
        return _restored, (type(self), ids, self._set.row(self._index))


def _restored(kind: type[TangentialCollision], ids: dict[str, Any], row: dict[str, Any]) -> TangentialCollision:
    collision = kind.__new__(kind)
    collision.__dict__.update(ids)
    collision._set = restored_row(kind._kind, row)
    return collision


class VertexVertexTangentialCollision(TangentialCollision, VertexVertexCandidate):
    """Two vertices."""

    _normal_class = VertexVertexNormalCollision

    def relative_velocity_dx_dbeta(self, closest_point: Any) -> Floats:
        """Zeros: there are no coordinates."""
        vector("closest_point", closest_point, 0)
        return point_point_relative_velocity_dx_dbeta(self._set.dimension)


class EdgeVertexTangentialCollision(TangentialCollision, EdgeVertexCandidate):
    """An edge and a vertex."""

    _normal_class = EdgeVertexNormalCollision


class EdgeEdgeTangentialCollision(TangentialCollision, EdgeEdgeCandidate):
    """Two edges."""

    _normal_class = EdgeEdgeNormalCollision


class FaceVertexTangentialCollision(TangentialCollision, FaceVertexCandidate):
    """A face and a vertex."""

    _normal_class = FaceVertexNormalCollision


class PlaneVertexTangentialCollision(TangentialCollision, PlaneVertexCandidate):
    """A plane and a vertex."""

    _normal_class, _names = PlaneVertexNormalCollision, ("plane", "vertex_id")

    def compute_tangent_basis(self, positions: Any) -> Floats:
        """Two tangents of the plane as columns."""
        x = flat_positions(positions, 1)
        return _stiction.tangent_basis("vv", np.stack([np.zeros(x.shape[1]), self._unit_normal(x.shape[1])]))

    def compute_tangent_basis_jacobian(self, positions: Any) -> Floats:
        """Zeros: the plane does not turn."""
        dimension = flat_positions(positions, 1).shape[1]
        return np.zeros((dimension * (dimension - 1), dimension))

    def compute_closest_point(self, positions: Any) -> Floats:
        """None."""
        flat_positions(positions, 1)
        return np.zeros(0)

    def compute_closest_point_jacobian(self, positions: Any) -> Floats:
        """Nothing."""
        return np.zeros((0, flat_positions(positions, 1).size))

    def relative_velocity_dx_dbeta(self, closest_point: Any) -> Floats:
        """Nothing."""
        vector("closest_point", closest_point, 0)
        return np.zeros((self._set.dimension**2, 0))

    def _unit_normal(self, dimension: int) -> Floats:
        from ._stencil import unit_plane

        return unit_plane("plane", self.plane, dimension)[0]


CLASSES: dict[str, Any] = {
    "vv": VertexVertexTangentialCollision,
    "ev": EdgeVertexTangentialCollision,
    "ee": EdgeEdgeTangentialCollision,
    "fv": FaceVertexTangentialCollision,
    "pv": PlaneVertexTangentialCollision,
}
