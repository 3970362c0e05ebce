"""The few vertices that a candidate or a collision is about, and what can be said of them.

Positions of a stencil are one row x0 y0 z0 x1 … in the order of `vertex_ids`: the vertex first, then the edge or the face.
Distances are squared, as everywhere in this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import _stiction
from ._array import instance, vector, whole
from ._distance import EdgeEdgeDistanceType, PointEdgeDistanceType, PointTriangleDistanceType
from ._plane import Hyperplane


class Part(NamedTuple):
    """The vertices, edges or faces of a pair that are closest to each other."""

    kind: Any
    """As the native functions call it: 'vv', 've', 'ee', 'vf'."""
    rows: tuple[int, ...]
    """Which vertices of the stencil, in the order of that kind."""
    sign: float = 1.0
    """-1 where that order has the second primitive first."""


_VERTEX_VERTEX = (Part("vv", (0, 1)),)
_VERTEX_EDGE = (Part("vv", (0, 1)), Part("vv", (0, 2)), Part("ve", (0, 1, 2)))
_EDGE_EDGE = (
    Part("vv", (0, 2)),
    Part("vv", (0, 3)),
    Part("vv", (1, 2)),
    Part("vv", (1, 3)),
    Part("ve", (2, 0, 1), -1.0),
    Part("ve", (3, 0, 1), -1.0),
    Part("ve", (0, 2, 3)),
    Part("ve", (1, 2, 3)),
    Part("ee", (0, 1, 2, 3)),
)
_VERTEX_FACE = (
    Part("vv", (0, 1)),
    Part("vv", (0, 2)),
    Part("vv", (0, 3)),
    Part("ve", (0, 1, 2)),
    Part("ve", (0, 2, 3)),
    Part("ve", (0, 3, 1)),
    Part("vf", (0, 1, 2, 3)),
)
_PARTS = {"vv": _VERTEX_VERTEX, "ve": _VERTEX_EDGE, "ee": _EDGE_EDGE, "vf": _VERTEX_FACE}

# What `closest_features` says, as numbers of the distance types.
_EDGE_FEATURES = {"start": 0, "end": 1, "inside": 2}
_TYPES = {
    "vv": {"": 0},
    "ve": _EDGE_FEATURES,
    "ee": {
        "start start": 0,
        "start end": 1,
        "end start": 2,
        "end end": 3,
        "inside start": 4,
        "inside end": 5,
        "start inside": 6,
        "end inside": 7,
        "inside inside": 8,
    },
    "vf": {**{f"vertex {k}": k for k in range(3)}, **{f"edge {k}": 3 + k for k in range(3)}, "inside": 6},
}


def closest_part(kind: Any, x: np.ndarray, dtype: Any = None) -> Part:
    """The closest part of a pair at positions x, (N, D); that of the distance type if it is known."""
    parts = _PARTS[kind]
    number = len(parts) if dtype is None else int(dtype)
    if number >= len(parts):
        number = _TYPES[kind][_stiction.closest_features(kind, x)]
    return parts[number]


def two_ids(first: tuple[str, Any], second: tuple[str, Any], both: tuple[str, Any]) -> tuple[int, int]:
    """Two numbers, given one by one or as a pair."""
    pair = both[1] if both[1] is not None else first[1] if second[1] is None else (first[1], second[1])
    if pair is None or isinstance(pair, (int, str)) or len(pair) != 2:
        raise TypeError(f"expected {first[0]} and {second[0]}, or {both[0]} as a pair of them")
    return whole(first[0], pair[0]), whole(second[0], pair[1])


def rows_of(name: str, table: Any, number: int) -> list[int]:
    """The vertices of one edge or face."""
    rows = np.asarray(table)
    if rows.ndim != 2 or rows.dtype.kind not in "iu":
        raise ValueError(f"{name}: has shape {rows.shape} and type {rows.dtype}, expected (n, 2) or (n, 3) integers")
    if not 0 <= number < len(rows):
        raise ValueError(f"{name}: has {len(rows)} rows, the stencil needs row {number}")
    return rows[number].tolist()


def flat_positions(x: Any, vertices: int) -> np.ndarray:
    """Positions of a stencil, (N, D), from one row or from such a table."""
    values = np.asarray(x, dtype=float)
    count = values.size
    if count not in (2 * vertices, 3 * vertices):
        raise ValueError(f"positions: has {count} entries, expected {2 * vertices} (2D) or {3 * vertices} (3D)")
    return values.reshape(vertices, -1)


class CollisionStencil:
    """A vertex, edge or face and another one: what candidates and collisions have in common."""

    _kind = ""
    _count = 0

    def num_vertices(self) -> int:
        """How many vertices it has."""
        return self._count

    def dim(self, ndof: int) -> int:
        """The dimension of the space, from the number of entries of the positions."""
        return int(ndof) // self._count

    def vertex_ids(self, edges: Any, faces: Any) -> list[int]:
        """The numbers of its vertices; always four, the last ones -1 where it has fewer."""
        ids = self._ids(edges, faces)
        return ids + [-1] * (4 - len(ids))

    def _ids(self, edges: Any, faces: Any) -> list[int]:
        raise TypeError("CollisionStencil: use one of its classes, such as VertexVertexCandidate")

    def vertices(self, vertices: Any, edges: Any, faces: Any) -> list[np.ndarray]:
        """The rows of `vertices` that belong to it; always four, the last ones NaN where it has fewer."""
        rows = self._rows(vertices, edges, faces)
        missing = np.full(rows.shape[1], np.nan)
        return list(rows) + [missing.copy() for _ in range(4 - len(rows))]

    def dof(self, X: Any, edges: Any, faces: Any) -> np.ndarray:
        """Its rows of X, one after the other: x0 y0 z0 x1 …"""
        return self._rows(X, edges, faces).ravel()

    def _rows(self, X: Any, edges: Any, faces: Any) -> np.ndarray:
        table, ids = np.asarray(X, dtype=float), self._ids(edges, faces)
        if table.ndim != 2:
            raise ValueError(f"vertices: has shape {table.shape}, expected (n, 2) or (n, 3)")
        if max(ids) >= len(table):
            raise ValueError(f"vertices: has {len(table)} rows, the stencil needs row {max(ids)}")
        return table[ids]

    def _local(self, positions: Any, edges: Any, faces: Any, vertices: Any = None) -> np.ndarray:
        """Its positions, (N, D), given by themselves or with those of all vertices."""
        given = positions if vertices is None else vertices
        if given is None:
            raise TypeError("expected positions, or vertices, edges and faces")
        if edges is None and faces is None and vertices is None:
            return flat_positions(given, self._count)
        return self._rows(given, edges, faces)

    def _part(self, x: np.ndarray) -> Part:
        """What is closest; collisions that know it say so in `known_dtype`."""
        known = getattr(self, "known_dtype", None)
        return closest_part(self._kind, x, None if known is None else known())

    def compute_distance(self, positions: Any = None, edges: Any = None, faces: Any = None, *, vertices: Any = None) -> float:
        """d² in m², from its own positions, or from all vertices with edges and faces."""
        x = self._local(positions, edges, faces, vertices)
        part = self._part(x)
        return _stiction.distance_squared(part.kind, x[list(part.rows)])

    def compute_distance_gradient(
        self, positions: Any = None, edges: Any = None, faces: Any = None, *, vertices: Any = None
    ) -> np.ndarray:
        """∂d²/∂x, (N·D,)."""
        x = self._local(positions, edges, faces, vertices)
        part = self._part(x)
        rows, gradient = list(part.rows), np.zeros_like(x)
        gradient[rows] = _stiction.distance_squared_gradient(part.kind, x[rows])
        return gradient.ravel()

    def compute_distance_hessian(
        self, positions: Any = None, edges: Any = None, faces: Any = None, *, vertices: Any = None
    ) -> np.ndarray:
        """∂²d²/∂x², (N·D, N·D)."""
        x = self._local(positions, edges, faces, vertices)
        part = self._part(x)
        rows, dimension = list(part.rows), x.shape[1]
        local = _stiction.distance_squared_hessian(part.kind, x[rows])
        if len(rows) == len(x) and part.sign > 0:
            return local
        at = (np.array(rows)[:, None] * dimension + np.arange(dimension)).ravel()
        hessian = np.zeros((x.size, x.size))
        hessian[np.ix_(at, at)] = local
        return hessian

    def compute_coefficients(
        self, positions: Any = None, edges: Any = None, faces: Any = None, *, vertices: Any = None
    ) -> np.ndarray:
        """c, (N,), with which Σ cᵢ xᵢ is the vector between the closest points, from the second to the first."""
        return self._coefficients(self._local(positions, edges, faces, vertices))

    def _coefficients(self, x: np.ndarray) -> np.ndarray:
        part = self._part(x)
        rows, coefficients = list(part.rows), np.zeros(len(x))
        beta = _stiction.closest_point(part.kind, x[rows])
        coefficients[rows] = part.sign * np.asarray(_stiction.relative_weights(part.kind, beta.tolist()))
        return coefficients

    def compute_distance_vector(
        self, positions: Any = None, edges: Any = None, faces: Any = None, *, vertices: Any = None
    ) -> np.ndarray:
        """The vector between the closest points, from the second to the first, (D,)."""
        x = self._local(positions, edges, faces, vertices)
        return self._vector(x)

    def _vector(self, x: np.ndarray) -> np.ndarray:
        return self._coefficients(x) @ x

    def compute_distance_vector_with_coefficients(self, positions: Any) -> tuple[np.ndarray, np.ndarray]:
        """The vector between the closest points, and its coefficients."""
        x = flat_positions(positions, self._count)
        return self._vector(x), self._coefficients(x)

    def compute_distance_vector_jacobian(self, positions: Any) -> np.ndarray:
        """Derivative of that vector with the coefficients held, (N·D, D): the blocks cᵢ I."""
        x = flat_positions(positions, self._count)
        return np.kron(self._coefficients(x)[:, None], np.eye(x.shape[1]))

    @staticmethod
    def diag_distance_vector_outer(coeffs: Any, dim: int) -> np.ndarray:
        """cᵢ², each as often as there are dimensions."""
        return np.repeat(np.square(vector("coeffs", coeffs)), whole("dim", dim))

    @staticmethod
    def diag_distance_vector_t_outer(coeffs: Any, distance_vector: Any) -> np.ndarray:
        """cᵢ² tₖ², vertex after vertex."""
        t = vector("distance_vector", distance_vector)
        return np.outer(np.square(vector("coeffs", coeffs)), np.square(t)).ravel()

    @staticmethod
    def contract_distance_vector_jacobian(coeffs: Any, p: Any, dim: int) -> np.ndarray:
        """Σ cᵢ pᵢ, (D,)."""
        coefficients, direction, dim = vector("coeffs", coeffs), vector("p", p), whole("dim", dim, least=1)
        if direction.size != coefficients.size * dim:
            raise ValueError(f"p: has {direction.size} entries, expected {coefficients.size * dim}")
        return coefficients @ direction.reshape(-1, dim)

    def ccd(
        self,
        vertices_t0: Any,
        vertices_t1: Any,
        min_distance: float = 0.0,
        tmax: float = 1.0,
        narrow_phase_ccd: Any = None,
    ) -> tuple[bool, float]:
        """Whether it comes too close before tmax on straight ways, and when."""
        from ._ccd import narrow_phase

        x0, x1 = flat_positions(vertices_t0, self._count), flat_positions(vertices_t1, self._count)
        if x0.shape != x1.shape:
            raise ValueError(f"vertices_t1: has {x1.size} entries, vertices_t0 has {x0.size}")
        query = getattr(narrow_phase(narrow_phase_ccd), self._query)
        return query(*x0, *x1, min_distance, tmax)

    _query = ""

    def print_ccd_query(self, vertices_t0: Any, vertices_t1: Any) -> None:
        """Prints the positions at the start and in the end as vertices of an OBJ file."""
        for x in (vertices_t0, vertices_t1):
            for row in flat_positions(x, self._count):
                print("v " + " ".join(f"{value:.17g}" for value in row))


class _Pair:
    """Two numbers that say what meets: names, order and equality."""

    _names: tuple[str, str]
    _symmetric = False

    @classmethod
    def _of(cls, first: int, second: int):
        """Without checks, for numbers that were checked before."""
        self = cls.__new__(cls)
        setattr(self, cls._names[0], first)
        setattr(self, cls._names[1], second)
        return self

    def _pair(self) -> tuple[int, int]:
        return getattr(self, self._names[0]), getattr(self, self._names[1])

    def _key(self) -> tuple[int, int]:
        first, second = self._pair()
        return (second, first) if self._symmetric and second < first else (first, second)

    def _is_like(self, other: object) -> bool:
        return isinstance(other, _Pair) and self._names == other._names

    def __eq__(self, other: Any) -> bool:
        if not self._is_like(other):
            return NotImplemented
        return self._key() == other._key()

    def __lt__(self, other: Any) -> bool:
        if not self._is_like(other):
            return NotImplemented
        return self._key() < other._key()

    def __hash__(self) -> int:
        return hash((self._names, self._key()))

    def __str__(self) -> str:
        return "[{}, {}]".format(*self._pair())

    def __repr__(self) -> str:
        return "{}({}, {})".format(type(self).__name__, *self._pair())


class VertexVertexCandidate(_Pair, CollisionStencil):
    """Two vertices; (i, j) and (j, i) are equal."""

    _names, _symmetric, _kind, _count, _query = ("vertex0_id", "vertex1_id"), True, "vv", 2, "point_point_ccd"

    def __init__(self, vertex0_id: Any = None, vertex1_id: Any = None, *, vertex_ids: Any = None) -> None:
        first, second, both = ("vertex0_id", vertex0_id), ("vertex1_id", vertex1_id), ("vertex_ids", vertex_ids)
        self.vertex0_id, self.vertex1_id = two_ids(first, second, both)

    def _ids(self, edges: Any, faces: Any) -> list[int]:
        return [self.vertex0_id, self.vertex1_id]


class EdgeVertexCandidate(_Pair, CollisionStencil):
    """An edge and a vertex; in the stencil the vertex comes first."""

    _names, _kind, _count, _query = ("edge_id", "vertex_id"), "ve", 3, "point_edge_ccd"

    def __init__(self, edge_id: Any = None, vertex_id: Any = None, *, edge_and_vertex_id: Any = None) -> None:
        first, second, both = ("edge_id", edge_id), ("vertex_id", vertex_id), ("edge_and_vertex_id", edge_and_vertex_id)
        self.edge_id, self.vertex_id = two_ids(first, second, both)

    def _ids(self, edges: Any, faces: Any) -> list[int]:
        return [self.vertex_id, *rows_of("edges", edges, self.edge_id)]

    def known_dtype(self) -> PointEdgeDistanceType:
        """The distance type if it is known; AUTO for a candidate."""
        return PointEdgeDistanceType.AUTO


class EdgeEdgeCandidate(_Pair, CollisionStencil):
    """Two edges; (i, j) and (j, i) are equal."""

    _names, _symmetric, _kind, _count, _query = ("edge0_id", "edge1_id"), True, "ee", 4, "edge_edge_ccd"

    def __init__(self, edge0_id: Any = None, edge1_id: Any = None, *, edge_ids: Any = None) -> None:
        first, second, both = ("edge0_id", edge0_id), ("edge1_id", edge1_id), ("edge_ids", edge_ids)
        self.edge0_id, self.edge1_id = two_ids(first, second, both)

    def _ids(self, edges: Any, faces: Any) -> list[int]:
        return [*rows_of("edges", edges, self.edge0_id), *rows_of("edges", edges, self.edge1_id)]

    def known_dtype(self) -> EdgeEdgeDistanceType:
        """The distance type if it is known; AUTO for a candidate."""
        return EdgeEdgeDistanceType.AUTO


class FaceVertexCandidate(_Pair, CollisionStencil):
    """A face and a vertex; in the stencil the vertex comes first."""

    _names, _kind, _count, _query = ("face_id", "vertex_id"), "vf", 4, "point_triangle_ccd"

    def __init__(self, face_id: Any = None, vertex_id: Any = None, *, face_and_vertex_id: Any = None) -> None:
        first, second, both = ("face_id", face_id), ("vertex_id", vertex_id), ("face_and_vertex_id", face_and_vertex_id)
        self.face_id, self.vertex_id = two_ids(first, second, both)

    def _ids(self, edges: Any, faces: Any) -> list[int]:
        return [self.vertex_id, *rows_of("faces", faces, self.face_id)]

    def known_dtype(self) -> PointTriangleDistanceType:
        """The distance type if it is known; AUTO for a candidate."""
        return PointTriangleDistanceType.AUTO


class EdgeFaceCandidate(_Pair):
    """An edge and a face that may intersect."""

    _names = ("edge_id", "face_id")

    def __init__(self, edge_id: Any = None, face_id: Any = None, *, edge_and_face_id: Any = None) -> None:
        first, second, both = ("edge_id", edge_id), ("face_id", face_id), ("edge_and_face_id", edge_and_face_id)
        self.edge_id, self.face_id = two_ids(first, second, both)


class FaceFaceCandidate(_Pair):
    """Two faces; (i, j) and (j, i) are equal."""

    _names, _symmetric = ("face0_id", "face1_id"), True

    def __init__(self, face0_id: Any = None, face1_id: Any = None, *, face_ids: Any = None) -> None:
        first, second, both = ("face0_id", face0_id), ("face1_id", face1_id), ("face_ids", face_ids)
        self.face0_id, self.face1_id = two_ids(first, second, both)


def unit_plane(name: str, plane: Hyperplane, dimension: int) -> tuple[np.ndarray, float]:
    """The plane n·x + offset = 0 in so many dimensions, with a unit normal."""
    normal, offset = plane.normal(), plane.offset()
    if len(normal) == 3 and dimension == 2 and normal[2] == 0.0:
        normal = normal[:2]
    if len(normal) != dimension:
        raise ValueError(f"{name}: is a plane in {len(normal)} dimensions, expected {dimension}")
    length = float(np.linalg.norm(normal))
    return normal / length, offset / length


def native_planes(planes: Sequence[Hyperplane], dimension: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Planes as pairs (point, unit normal), as the native module takes them."""
    parts = (unit_plane(f"planes[{place}]", plane, dimension) for place, plane in enumerate(planes))
    return [(-offset * normal, normal) for normal, offset in parts]


class PlaneVertexCandidate(CollisionStencil):
    """A plane and a vertex."""

    _kind, _count = "pv", 1
    _names = ("plane", "vertex_id")

    def __init__(self, plane: Hyperplane, vertex_id: Any) -> None:
        self.plane, self.vertex_id = instance("plane", plane, Hyperplane), whole("vertex_id", vertex_id)

    @classmethod
    def _of(cls, plane: Hyperplane, vertex_id: int):
        """Without checks, for numbers that were checked before."""
        self = cls.__new__(cls)
        self.plane, self.vertex_id = plane, vertex_id
        return self

    def _ids(self, edges: Any, faces: Any) -> list[int]:
        return [self.vertex_id]

    def _unit(self, x: np.ndarray) -> tuple[np.ndarray, float]:
        """The unit normal, and the height of the vertex over the plane in m."""
        normal, offset = unit_plane("plane", self.plane, x.shape[1])
        return normal, float(normal @ x[0]) + offset

    def compute_distance(self, positions: Any = None, edges: Any = None, faces: Any = None, *, vertices: Any = None) -> float:
        """d² = (n·x + offset)² in m²."""
        return self._unit(self._local(positions, edges, faces, vertices))[1] ** 2

    def compute_distance_gradient(
        self, positions: Any = None, edges: Any = None, faces: Any = None, *, vertices: Any = None
    ) -> np.ndarray:
        """2 (n·x + offset) n."""
        normal, height = self._unit(self._local(positions, edges, faces, vertices))
        return 2.0 * height * normal

    def compute_distance_hessian(
        self, positions: Any = None, edges: Any = None, faces: Any = None, *, vertices: Any = None
    ) -> np.ndarray:
        """2 n nᵀ."""
        normal, _ = self._unit(self._local(positions, edges, faces, vertices))
        return 2.0 * np.outer(normal, normal)

    def _coefficients(self, x: np.ndarray) -> np.ndarray:
        return np.ones(1)

    def _vector(self, x: np.ndarray) -> np.ndarray:
        # The closest point of the plane is no vertex, so the vector is no sum of coefficients times positions.
        normal, height = self._unit(x)
        return height * normal

    def ccd(
        self,
        vertices_t0: Any,
        vertices_t1: Any,
        min_distance: float = 0.0,
        tmax: float = 1.0,
        narrow_phase_ccd: Any = None,
    ) -> tuple[bool, float]:
        """Whether the vertex comes closer to the plane than min_distance before tmax on a straight way, and when."""
        from ._ccd import narrow_phase, plane_ccd

        x = [flat_positions(x, 1) for x in (vertices_t0, vertices_t1)]
        rescaling = getattr(narrow_phase(narrow_phase_ccd), "conservative_rescaling", 0.8)
        return plane_ccd([self._unit(at)[1] for at in x], min_distance, tmax, rescaling)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlaneVertexCandidate):
            return NotImplemented
        return self._key() == other._key()

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, PlaneVertexCandidate):
            return NotImplemented
        return self._key() < other._key()

    def _key(self) -> tuple[int, float, tuple[float, ...]]:
        return self.vertex_id, self.plane.offset(), tuple(self.plane.normal().tolist())

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return f"[{self.plane!r}, {self.vertex_id}]"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.plane!r}, {self.vertex_id})"
