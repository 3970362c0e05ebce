"""One pair that is close: a collision, with its weight and its edge-edge mollifier.

A collision of a `NormalCollisions` is a view: its weight is that of the set, and a weight that is written counts in every potential. Vertices, edges
and faces of a view are not those of the set: to change them, assign a list.
It keeps the set alive that it is of, so it may outlive the `NormalCollisions`, another build, or a clear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _stiction
from ._array import Floats, instance, not_negative, number
from ._distance import EdgeEdgeDistanceType, PointEdgeDistanceType, PointTriangleDistanceType
from ._mollifier import (
    edge_edge_mollifier,
    edge_edge_mollifier_gradient,
    edge_edge_mollifier_gradient_jacobian_wrt_x,
    edge_edge_mollifier_gradient_wrt_x,
    edge_edge_mollifier_hessian,
    edge_edge_mollifier_threshold,
)
from ._single import single_contact
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

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix

# Which parts of two edges are closest, by distance type: 0 the first vertex, 1 the second, 2 the inside.
PARTS = ((0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (0, 2), (1, 2), (2, 2))
_TYPE_OF_PARTS = {parts: EdgeEdgeDistanceType(number) for number, parts in enumerate(PARTS)}


def type_of_parts(first: int, second: int) -> EdgeEdgeDistanceType:
    """The distance type of two edges whose closest parts are these."""
    return _TYPE_OF_PARTS[first, second]


class Alone:
    """What a collision has that belongs to no set."""

    __slots__ = ("changed", "dmin", "gradient", "weights")

    def __init__(self, weight: float = 1.0, dmin: float = 0.0, gradient: Any = None) -> None:
        self.weights, self.dmin, self.gradient, self.changed = [weight], dmin, gradient, False

    def write_dmin(self, dmin: float) -> None:
        self.dmin = dmin

    def kept_gradient(self, index: int) -> Any:
        """The derivative of the weight, or None."""
        return self.gradient

    def weight_gradient(self, index: int) -> Any:
        return columns_matrix((0, 1)) if self.gradient is None else self.gradient

    def write_weight_gradient(self, index: int, gradient: Any) -> None:
        self.gradient = gradient


class NormalCollision(CollisionStencil):
    """A pair that is close. Its energy is weight · mollifier · κ b(d² − dmin², (2 dmin + d̂) d̂)."""

    _set: Any
    _index = 0
    _kept_key: Any = None
    _kept: Any = None

    def _start(self, weight: float = 1.0, dmin: float = 0.0, gradient: Any = None) -> None:
        self._set = Alone(weight, dmin, gradient)

    @property
    def weight(self) -> float:
        """How much it counts: how often it occurs, or the area that it stands for in m²."""
        return self._set.weights[self._index]

    @weight.setter
    def weight(self, value: float) -> None:
        own = self._set
        own.weights[self._index] = number("weight", value)
        own.changed = True

    @property
    def dmin(self) -> float:
        """The distance in m that it may not fall below; of a set, the same for all."""
        return self._set.dmin

    @dmin.setter
    def dmin(self, value: float) -> None:
        self._set.write_dmin(not_negative("dmin", value))

    @property
    def weight_gradient(self) -> csc_matrix:
        """The derivative of the weight by the positions at rest, shape (n·D, 1); empty without shape derivatives."""
        return self._set.weight_gradient(self._index)

    @weight_gradient.setter
    def weight_gradient(self, value: Any) -> None:
        self._set.write_weight_gradient(self._index, columns_matrix(value))

    def is_mollified(self) -> bool:
        """Whether it has a mollifier: two edges do."""
        return False

    def mollifier_threshold(self, rest_positions: Any) -> float:
        """NaN: only two edges have one."""
        flat_positions(rest_positions, self._count)
        return float("nan")

    def mollifier(self, positions: Any, eps_x: Any = None) -> float:
        """1."""
        flat_positions(positions, self._count)
        return 1.0

    def mollifier_gradient(self, positions: Any, eps_x: Any = None) -> Floats:
        """Zeros, (N·D,)."""
        return np.zeros(flat_positions(positions, self._count).size)

    def mollifier_hessian(self, positions: Any, eps_x: Any = None) -> Floats:
        """Zeros, (N·D, N·D)."""
        size = flat_positions(positions, self._count).size
        return np.zeros((size, size))

    def mollifier_gradient_wrt_x(self, rest_positions: Any, positions: Any) -> Floats:
        """Zeros, (12,)."""
        return np.zeros(12)

    def mollifier_gradient_jacobian_wrt_x(self, rest_positions: Any, positions: Any) -> Floats:
        """Zeros, (12, 12)."""
        return np.zeros((12, 12))

    def _contact(self, x: Floats) -> _stiction.Contacts:
        """It alone, as native contacts of vertices 0, 1, … with positions x."""
        key = (x.shape[1], self.weight, self.dmin)
        if self._kept_key != key:
            self._kept = single_contact(self._kind, x.shape[1], self.weight, self.dmin)
            self._kept_key = key
        return self._kept

    def _copy(self) -> Any:
        """The same, of no set."""
        copy = type(self).__new__(type(self))
        copy.__dict__.update({name: value for name, value in self.__dict__.items() if not name.startswith("_")})
        copy._start(self.weight, self.dmin, self._set.kept_gradient(self._index))
        return copy

    def __reduce__(self) -> tuple[Any, ...]:
        copy = self._copy()
        state = {name: value for name, value in copy.__dict__.items() if name != "_set"}
        return _restored, (type(self), state, self.weight, self.dmin, copy._set.gradient)


def _restored(kind: type[NormalCollision], state: dict[str, Any], weight: float, dmin: float, gradient: Any) -> NormalCollision:
    collision = kind.__new__(kind)
    collision.__dict__.update(state)
    collision._start(weight, dmin, gradient)
    return collision


class VertexVertexNormalCollision(VertexVertexCandidate, NormalCollision):
    """Two vertices: of their numbers, or of a candidate."""

    def __init__(self, vertex0_id: Any = None, vertex1_id: Any = None, *, vv_candidate: Any = None) -> None:
        candidate = _candidate(VertexVertexCandidate, vertex0_id, vv_candidate, "vv_candidate")
        super().__init__(*((vertex0_id, vertex1_id) if candidate is None else candidate._pair()))
        self._start()


class EdgeVertexNormalCollision(EdgeVertexCandidate, NormalCollision):
    """An edge and a vertex that is closest to its inside: of their numbers, or of a candidate."""

    def __init__(self, edge_id: Any = None, vertex_id: Any = None, *, candidate: Any = None) -> None:
        candidate = _candidate(EdgeVertexCandidate, edge_id, candidate, "candidate")
        super().__init__(*((edge_id, vertex_id) if candidate is None else candidate._pair()))
        self._start()

    def known_dtype(self) -> PointEdgeDistanceType:
        """The inside of the edge."""
        return PointEdgeDistanceType.P_E



class EdgeEdgeNormalCollision(EdgeEdgeCandidate, NormalCollision):
    """Two edges, whose energy fades out as they become parallel.

    `eps_x`: threshold of the mollifier, in m⁴. `dtype`: which parts of them are closest.
    """

    # Of a collision of a set: found when they are asked for.
    _eps_x: float | None = None
    _dtype: EdgeEdgeDistanceType | None = None

    def __init__(
        self,
        edge0_id: Any = None,
        edge1_id: Any = None,
        eps_x: Any = None,
        dtype: EdgeEdgeDistanceType = EdgeEdgeDistanceType.AUTO,
        *,
        candidate: Any = None,
    ) -> None:
        found = _candidate(EdgeEdgeCandidate, edge0_id, candidate, "candidate")
        if found is not None and candidate is None and edge1_id is not None:
            # (candidate, eps_x[, dtype]): everything is one place further to the front.
            eps_x, dtype = edge1_id, dtype if eps_x is None else eps_x
        if eps_x is None:
            raise TypeError("eps_x: is missing, the threshold of the mollifier")
        super().__init__(*((edge0_id, edge1_id) if found is None else found._pair()))
        self._eps_x = not_negative("eps_x", eps_x)
        self._dtype = instance("dtype", dtype, EdgeEdgeDistanceType)
        self._start()

    @property
    def eps_x(self) -> float:
        """Threshold of the mollifier, in m⁴."""
        if self._eps_x is None:
            self._eps_x = self._set.threshold(self._index)
        return self._eps_x

    @eps_x.setter
    def eps_x(self, value: float) -> None:
        _only_alone(self, "eps_x")
        self._eps_x = not_negative("eps_x", value)

    @property
    def dtype(self) -> EdgeEdgeDistanceType:
        """Which parts of the two are closest."""
        if self._dtype is None:
            self._dtype = self._set.type(self._index)
        return self._dtype

    @dtype.setter
    def dtype(self, value: EdgeEdgeDistanceType) -> None:
        _only_alone(self, "dtype")
        self._dtype = instance("dtype", value, EdgeEdgeDistanceType)

    def known_dtype(self) -> EdgeEdgeDistanceType:
        """`dtype`."""
        return self.dtype


    def is_mollified(self) -> bool:
        """Whether it has a mollifier: two edges do."""
        return True

    def mollifier_threshold(self, rest_positions: Any) -> float:
        """ε = 10⁻³ |a|² |b|² of the edges at rest, in m⁴."""
        return edge_edge_mollifier_threshold(*flat_positions(rest_positions, 4))

    def mollifier(self, positions: Any, eps_x: Any = None) -> float:
        """m = (2 − s/ε) s/ε with s = |a × b|², 1 from ε on."""
        return edge_edge_mollifier(*self._edges(positions), self.eps_x if eps_x is None else eps_x)

    def mollifier_gradient(self, positions: Any, eps_x: Any = None) -> Any:
        """∂m/∂x, (12,)."""
        return edge_edge_mollifier_gradient(*self._edges(positions), self.eps_x if eps_x is None else eps_x)

    def mollifier_hessian(self, positions: Any, eps_x: Any = None) -> Any:
        """∂²m/∂x², (12, 12)."""
        return edge_edge_mollifier_hessian(*self._edges(positions), self.eps_x if eps_x is None else eps_x)

    def mollifier_gradient_wrt_x(self, rest_positions: Any, positions: Any) -> Floats:
        """∂m/∂X: by the positions at rest, through ε."""
        return edge_edge_mollifier_gradient_wrt_x(*self._edges(rest_positions), *self._edges(positions))

    def mollifier_gradient_jacobian_wrt_x(self, rest_positions: Any, positions: Any) -> Floats:
        """∂²m/∂x∂X with displacements held: as the functions of that name."""
        return edge_edge_mollifier_gradient_jacobian_wrt_x(*self._edges(rest_positions), *self._edges(positions))

    def _edges(self, positions: Any) -> Floats:
        return flat_positions(positions, 4)

    def _parts(self, x: Floats) -> tuple[int, int]:
        number = int(self.dtype)
        return PARTS[closest_type(x) if number >= len(PARTS) else number]

    def _contact(self, x: Floats) -> _stiction.Contacts:
        key = (self.weight, self.dmin, self.eps_x, self._parts(x))
        if self._kept_key != key:
            self._kept = single_contact("ee", 3, self.weight, self.dmin, edges=(self.eps_x, key[3]))
            self._kept_key = key
        return self._kept

    def _copy(self) -> Any:
        copy = super()._copy()
        copy._eps_x, copy._dtype = self.eps_x, self.dtype
        return copy

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EdgeEdgeNormalCollision):
            return super().__eq__(other)
        return self._key() == other._key() and self.dtype == other.dtype

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, EdgeEdgeNormalCollision):
            return super().__lt__(other)
        return (self._key(), int(self.dtype)) < (other._key(), int(other.dtype))

    __hash__ = EdgeEdgeCandidate.__hash__


def closest_type(x: Floats) -> int:
    """The number of the distance type of two edges at positions x, (4, 3)."""
    from ._stencil import _TYPES

    return _TYPES["ee"][_stiction.closest_features("ee", x)]


class FaceVertexNormalCollision(FaceVertexCandidate, NormalCollision):
    """A face and a vertex that is closest to its inside: of their numbers, or of a candidate."""

    def __init__(self, face_id: Any = None, vertex_id: Any = None, *, candidate: Any = None) -> None:
        candidate = _candidate(FaceVertexCandidate, face_id, candidate, "candidate")
        super().__init__(*((face_id, vertex_id) if candidate is None else candidate._pair()))
        self._start()

    def known_dtype(self) -> PointTriangleDistanceType:
        """The inside of the face."""
        return PointTriangleDistanceType.P_T



class PlaneVertexNormalCollision(PlaneVertexCandidate, NormalCollision):
    """A plane and a vertex."""

    def __init__(self, plane: Any, vertex_id: Any) -> None:
        super().__init__(plane, vertex_id)
        self._start()

    def _contact(self, x: Floats) -> _stiction.Contacts:
        key = (x.shape[1], self.weight, self.dmin)
        if self._kept_key != key:
            self._kept = single_contact("pv", x.shape[1], self.weight, self.dmin, plane=self.plane)
            self._kept_key = key
        return self._kept


def _candidate(kind: type, first: Any, given: Any, name: str) -> Any:
    """The candidate that a collision is made of, if there is one."""
    if given is not None:
        return instance(name, given, kind)
    return first if isinstance(first, kind) else None


def _only_alone(collision: NormalCollision, name: str) -> None:
    if not isinstance(collision._set, Alone):
        raise NotImplementedError(
            f"{name}: cannot be changed on a collision of a NormalCollisions; assign a list of collisions of your own to ee_collisions"
        )
