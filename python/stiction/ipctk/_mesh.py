"""The surface that can touch, taken from a larger mesh.

Inside, it is a native `Surface` whose edges keep the numbers that the caller gave them. Every vertex of no edge takes part by
itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _stiction
from ._array import indices, positions, vector, whole
from ._filter import CollisionFilter, as_filter
from ._plane import Hyperplane
from ._stencil import native_planes

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix

_FULL = ("include_vertex", "orient_vertex", "full_rest_positions", "edges", "faces", "displacement_map")
_PLAIN = ("rest_positions", "edges", "faces", "displacement_map")


class CollisionMesh:
    """What can touch: vertices, edges and faces (3D).

    `CollisionMesh(rest_positions, edges=[], faces=[], displacement_map=None)`: all vertices take part.
    `CollisionMesh(include_vertex, orient_vertex, full_rest_positions, edges=[], faces=[], displacement_map=None)`: those with a
    true flag; edges and faces name vertices of the full mesh. `orient_vertex` may be left out.

    The edges of a face must all be in `edges`. `displacement_map`: a sparse matrix that takes displacements of other degrees of
    freedom to those of the full mesh.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        given = _arguments(args, kwargs)
        full = positions("full_rest_positions" if "include_vertex" in given else "rest_positions", given["rest_positions"])
        self._full_rest = full.copy()
        include = _flags("include_vertex", given.get("include_vertex"), len(full), True)
        self._oriented = _flags("orient_vertex", given.get("orient_vertex"), len(full), False)
        self._to_full = np.flatnonzero(include).astype(np.int32)
        self._rest = self._full_rest[self._to_full]
        self._edges = self._renumbered("edges", given.get("edges"), 2)
        self._faces = self._renumbered("faces", given.get("faces"), 3)
        self._faces_to_edges = self.construct_faces_to_edges(self._faces, self._edges)
        self._map = _selected(given.get("displacement_map"), len(full), self._to_full)
        self._dof_map_cache: Any = None
        self._filter, self._asks_python = CollisionFilter(), False
        self._areas_given = self._has_jacobians = False
        self.planes = []
        self._surface = self._new_surface()

    def _renumbered(self, name: str, rows: Any, columns: int) -> np.ndarray:
        """Edges or faces by the numbers of the vertices that take part."""
        full = indices(name, () if rows is None else rows, columns, len(self._full_rest))
        if len(self._to_full) == len(self._full_rest):
            return full.copy()
        number = np.full(len(self._full_rest), -1, dtype=np.int32)
        number[self._to_full] = np.arange(len(self._to_full), dtype=np.int32)
        selected = number[full]
        if selected.size and selected.min() < 0:
            row, column = np.argwhere(selected < 0)[0]
            raise ValueError(f"{name}: row {row} names vertex {full[row, column]}, which include_vertex leaves out")
        return selected

    def _new_surface(self) -> _stiction.Surface:
        unused = np.ones(len(self._rest), dtype=bool)
        unused[self._edges] = False
        loose = np.flatnonzero(unused)
        # In 2D faces are only kept: there edges are what touches.
        faces = self._faces if self.dim == 3 else None
        return _stiction.Surface(self._rest, self._edges, faces, loose, numbered_edges=True)

    @staticmethod
    def build_from_full_mesh(full_rest_positions: Any, edges: Any, faces: Any = ()) -> CollisionMesh:
        """The mesh of those vertices that an edge uses."""
        flags = CollisionMesh.construct_is_on_surface(len(np.asarray(full_rest_positions)), edges)
        return CollisionMesh(flags, [False] * len(flags), full_rest_positions, edges, faces)

    @staticmethod
    def construct_is_on_surface(num_vertices: int, edges: Any, codim_vertices: Any = ()) -> list[bool]:
        """For each vertex, whether an edge uses it or it is listed."""
        count = whole("num_vertices", num_vertices)
        flags = np.zeros(count, dtype=bool)
        flags[indices("edges", edges, 2, count)] = True
        flags[indices("codim_vertices", np.reshape(codim_vertices, (-1, 1)), 1, count)] = True
        return flags.tolist()

    @staticmethod
    def construct_faces_to_edges(faces: Any, edges: Any) -> np.ndarray:
        """For each face, the rows of its edges in `edges`, shape (k, 3): from its first vertex to its second, and so on."""
        faces, edges = indices("faces", faces, 3), indices("edges", edges, 2)
        if not len(faces):
            return faces
        known = _keys(edges)
        order = np.argsort(known, kind="stable")
        wanted = _keys(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1))
        places = np.searchsorted(known[order], wanted)
        found = np.take(order, places, mode="clip") if len(order) else np.zeros_like(places)
        if wanted.size and (not len(order) or (known[found] != wanted).any()):
            raise RuntimeError("Unable to find edge!")
        return found.astype(np.int32)

    # Sizes.

    @property
    def num_vertices(self) -> int:
        """How many vertices take part."""
        return len(self._rest)

    @property
    def num_edges(self) -> int:
        """How many edges there are."""
        return len(self._edges)

    @property
    def num_faces(self) -> int:
        """How many faces there are."""
        return len(self._faces)

    @property
    def num_codim_vertices(self) -> int:
        """How many vertices no edge uses."""
        return len(self.codim_vertices)

    @property
    def num_codim_edges(self) -> int:
        """How many edges no face uses."""
        return len(self.codim_edges)

    @property
    def dim(self) -> int:
        """2 or 3."""
        return self._rest.shape[1]

    @property
    def ndof(self) -> int:
        """num_vertices times dim."""
        return self._rest.size

    @property
    def full_num_vertices(self) -> int:
        """How many vertices the full mesh has."""
        return len(self._full_rest)

    @property
    def full_ndof(self) -> int:
        """full_num_vertices times dim."""
        return self._full_rest.size

    # What it is made of.

    @property
    def rest_positions(self) -> np.ndarray:
        """Positions at rest in m, shape (n, D)."""
        return self._rest.copy()

    @property
    def edges(self) -> np.ndarray:
        """The edges as they were given, shape (m, 2)."""
        return _read_only(self._edges)

    @property
    def faces(self) -> np.ndarray:
        """The faces, shape (k, 3)."""
        return _read_only(self._faces)

    @property
    def faces_to_edges(self) -> np.ndarray:
        """For each face, the rows of its edges, shape (k, 3)."""
        return _read_only(self._faces_to_edges)

    @property
    def codim_vertices(self) -> np.ndarray:
        """The vertices of no edge."""
        return self._surface.loose_vertices.astype(np.int32)

    @property
    def codim_edges(self) -> np.ndarray:
        """The edges of no face."""
        return np.setdiff1d(np.arange(self.num_edges, dtype=np.int32), self._faces_to_edges)

    def face_normals(self, vertices: Any) -> np.ndarray:
        """Unit normals of the faces at positions `vertices`, shape (k, 3); zero where a face has no area."""
        x = positions("vertices", vertices, self.num_vertices, 3)[self._faces]
        normals = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        return np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)

    # From the full mesh and back.

    def vertices(self, full_positions: Any) -> np.ndarray:
        """Positions of the vertices that take part, from those of the full mesh, in m."""
        if self._map is None:
            return positions("full_positions", full_positions, self.full_num_vertices, self.dim)[self._to_full]
        full = positions("full_positions", full_positions, self.full_num_vertices, self.dim)
        if self._map.shape[1] != len(full):
            raise ValueError(f"full_positions: has {len(full)} rows, the displacement map has {self._map.shape[1]} columns")
        return self._rest + self._map @ (full - self._full_rest)

    def displace_vertices(self, full_displacements: Any) -> np.ndarray:
        """Positions of the vertices that take part, from displacements of the full mesh, in m."""
        return self._rest + self.map_displacements(full_displacements)

    def map_displacements(self, full_displacements: Any) -> np.ndarray:
        """Displacements of the vertices that take part, from those of the full mesh, in m."""
        rows = self.full_num_vertices if self._map is None else self._map.shape[1]
        full = positions("full_displacements", full_displacements, rows, self.dim)
        return full[self._to_full] if self._map is None else self._map @ full

    def to_full_vertex_id(self, id: Any = None) -> Any:  # noqa: A002 (the name that callers use)
        """The number in the full mesh of a vertex, or of all of them."""
        if id is None:
            return self._to_full.copy()
        return int(self._to_full[self._known("id", id, self.num_vertices)])

    def to_full_dof(self, x: Any = None, *, X: Any = None) -> Any:
        """A gradient (vector) or a Hessian (sparse matrix) by the full mesh, from that by the vertices that take part."""
        from scipy import sparse

        value = X if x is None else x
        if sparse.issparse(value):
            return self._full_matrix(value)
        return self._full_vector(vector("x", value, self.ndof))

    def _full_vector(self, x: np.ndarray) -> np.ndarray:
        if self._map is not None:
            return (self._map.T @ x.reshape(self._rest.shape)).ravel()
        full = np.zeros(self._full_rest.shape)
        full[self._to_full] = x.reshape(self._rest.shape)
        return full.ravel()

    def _full_matrix(self, X: Any) -> csc_matrix:
        from scipy import sparse

        if X.shape != (self.ndof, self.ndof):
            raise ValueError(f"X: has shape {X.shape}, expected {(self.ndof, self.ndof)}")
        if self._map is not None:
            by = self._dof_map()
            return sparse.csc_matrix(by.T @ X @ by)
        local = sparse.csc_matrix(X, copy=True)
        if self.full_ndof == self.ndof:
            return local
        # Vertices keep their order, so rows and columns only move apart.
        at = (self._to_full[:, None].astype(np.int64) * self.dim + np.arange(self.dim)).ravel()
        counts = np.zeros(self.full_ndof + 1, dtype=local.indptr.dtype)
        counts[at + 1] = np.diff(local.indptr)
        rows = at.astype(local.indices.dtype)[local.indices]
        return sparse.csc_matrix((local.data, rows, np.cumsum(counts)), shape=(self.full_ndof, self.full_ndof))

    def _dof_map(self) -> csc_matrix:
        from scipy import sparse

        if self._dof_map_cache is None:
            self._dof_map_cache = sparse.csc_matrix(sparse.kron(self._map, sparse.identity(self.dim)))
        return self._dof_map_cache

    # Neighbours.

    @property
    def vertex_vertex_adjacencies(self) -> list[list[int]]:
        """For each vertex, the others on its edges, ascending."""
        both = np.concatenate([self._edges, self._edges[:, ::-1]])
        return _lists(both[:, 0], both[:, 1], self.num_vertices)

    @property
    def vertex_edge_adjacencies(self) -> list[list[int]]:
        """For each vertex, its edges, ascending."""
        return _lists(self._edges.ravel(), np.repeat(np.arange(self.num_edges), 2), self.num_vertices)

    @property
    def edge_vertex_adjacencies(self) -> list[list[int]]:
        """For each edge, the vertices opposite to it in its faces, ascending."""
        return _lists(self._faces_to_edges.ravel(), np.roll(self._faces, 1, axis=1).ravel(), self.num_edges)

    def init_adjacencies(self) -> None:
        """Nothing: neighbours are always known."""

    def are_adjacencies_initialized(self) -> bool:
        """True: neighbours are always known."""
        return True

    def is_vertex_on_boundary(self, vi: int) -> bool:
        """Whether the surface ends at a vertex: one of its edges has fewer than two faces, or in 2D it has fewer than two edges."""
        return bool(self._surface.boundary_vertices[self._known("vi", vi, self.num_vertices)])

    # Areas.

    @property
    def vertex_areas(self) -> np.ndarray:
        """How much of the surface each vertex stands for, in m² (faces), m (edges) or 1; may be set."""
        return self._surface.vertex_areas

    @vertex_areas.setter
    def vertex_areas(self, areas: Any) -> None:
        self._set_areas("vertex", _areas("vertex_areas", areas, self.num_vertices), self._surface.edge_areas)

    @property
    def edge_areas(self) -> np.ndarray:
        """How much of the surface each edge stands for, in m² (faces) or m; may be set."""
        return self._surface.edge_areas

    @edge_areas.setter
    def edge_areas(self, areas: Any) -> None:
        self._set_areas("edge", self._surface.vertex_areas, _areas("edge_areas", areas, self.num_edges))

    def _set_areas(self, what: str, vertices: np.ndarray, edges: np.ndarray) -> None:
        if self._has_jacobians:
            raise RuntimeError(f"Cannot set custom {what} areas after init_area_jacobians(): their derivatives are not known.")
        self._surface, self._areas_given = self._surface.with_areas(vertices, edges), True

    def vertex_area(self, vi: int) -> float:
        """The area of one vertex."""
        return float(self._surface.vertex_areas[self._known("vi", vi, self.num_vertices)])

    def edge_area(self, ei: int) -> float:
        """The area of one edge."""
        return float(self._surface.edge_areas[self._known("ei", ei, self.num_edges)])

    def init_area_jacobians(self) -> None:
        """Allows for derivatives of areas, which shape derivatives need."""
        if self._areas_given:
            raise RuntimeError("Cannot initialize area Jacobians after setting custom areas: their derivatives are not known.")
        self._has_jacobians = True

    def are_area_jacobians_initialized(self) -> bool:
        """Whether `init_area_jacobians` was called."""
        return self._has_jacobians

    def vertex_area_gradient(self, vi: int) -> csc_matrix:
        """The derivative of the area of a vertex by the positions at rest, shape (ndof, 1)."""
        self._check_jacobians("Vertex")
        return self._column(self._surface.vertex_area_gradient(self._known("vi", vi, self.num_vertices)))

    def edge_area_gradient(self, ei: int) -> csc_matrix:
        """The derivative of the area of an edge by the positions at rest, shape (ndof, 1)."""
        self._check_jacobians("Edge")
        return self._column(self._surface.edge_area_gradient(self._known("ei", ei, self.num_edges)))

    def _check_jacobians(self, what: str) -> None:
        if not self._has_jacobians:
            raise RuntimeError(f"{what} area Jacobian not initialized. Call init_area_jacobians() first.")

    def _column(self, gradient: tuple[np.ndarray, np.ndarray]) -> csc_matrix:
        from scipy import sparse

        vertices, by_each = gradient
        rows = (vertices.astype(np.int32)[:, None] * self.dim + np.arange(self.dim, dtype=np.int32)).ravel()
        starts = np.array([0, len(rows)], dtype=np.int32)
        return sparse.csc_matrix((by_each.ravel(), rows, starts), shape=(self.ndof, 1))

    # What touches what.

    @property
    def can_collide(self) -> CollisionFilter:
        """Which pairs of vertices may touch; may be set, also to a function of two vertices."""
        return CollisionFilter(self._filter)

    @can_collide.setter
    def can_collide(self, rule: Any) -> None:
        # A copy: the caller's filter may change later.
        kept = CollisionFilter(as_filter("can_collide", rule))
        native, asks_python = kept._native(self.num_vertices)
        self._surface = self._surface.with_filter(native)
        self._filter, self._asks_python = kept, asks_python

    @property
    def planes(self) -> list[Hyperplane]:
        """Planes that nothing enters; free space is where their normals point to. May be set and changed."""
        return self._planes

    @planes.setter
    def planes(self, planes: Sequence[Hyperplane]) -> None:
        planes = list(planes)
        for place, plane in enumerate(planes):
            if not isinstance(plane, Hyperplane):
                raise TypeError(f"planes[{place}]: is of type {type(plane).__name__}, expected Hyperplane")
        self._planes = planes

    # For the rest of this package.

    def _native_planes(self) -> list[tuple[np.ndarray, np.ndarray]] | None:
        """The planes as pairs (point, unit normal), if there are any."""
        return native_planes(self._planes, self.dim) if self._planes else None

    def _positions(self, name: str, value: Any) -> np.ndarray:
        """One position for each vertex."""
        return positions(name, value, self.num_vertices, self.dim)

    def _known(self, name: str, value: Any, count: int) -> int:
        number = whole(name, value)
        if number >= count:
            raise ValueError(f"{name}: is {number}, but there are {count} (counted from 0)")
        return number

    def _filtered(self, pairs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The pairs (as the native `candidates` has them) that functions of Python in the filter allow."""
        if not self._asks_python:
            return pairs
        return {kind: found[self._kept(kind, found)] for kind, found in pairs.items()}

    def _kept(self, kind: str, pairs: np.ndarray) -> np.ndarray:
        """For pairs of primitives of a kind such as "vf", whether the filter allows them."""
        vertices = {"v": lambda ids: ids[:, None], "e": lambda ids: self._edges[ids], "f": lambda ids: self._faces[ids]}
        return self._filter._kept(vertices[kind[0]](pairs[:, 0]), vertices[kind[1]](pairs[:, 1]))

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_surface"], state["_dof_map_cache"]
        if self._areas_given:
            state["_given_areas"] = (self.vertex_areas, self.edge_areas)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        areas = state.pop("_given_areas", None)
        self.__dict__.update(state)
        self._dof_map_cache = None
        self._surface = self._new_surface()
        if areas is not None:
            self._surface = self._surface.with_areas(*areas)
        self.can_collide = self._filter

    def __repr__(self) -> str:
        return f"CollisionMesh({self.dim}D, {self.num_vertices} vertices, {self.num_edges} edges, {self.num_faces} faces)"


def _arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name, whichever way the mesh is made; positions as `rest_positions`."""
    full = bool({"include_vertex", "orient_vertex", "full_rest_positions"} & kwargs.keys()) or _are_flags(args)
    names: tuple[str, ...] = _FULL if full else _PLAIN
    if full and len(args) > 1 and np.ndim(args[1]) == 2:
        names = tuple(name for name in names if name != "orient_vertex")
    if len(args) > len(names):
        raise TypeError(f"CollisionMesh: got {len(args)} arguments, expected at most {len(names)}: {', '.join(names)}")
    given = dict(zip(names, args))
    for name, value in kwargs.items():
        if name not in names or name in given:
            raise TypeError(f"CollisionMesh: cannot use the argument {name} here; they are {', '.join(names)}")
        given[name] = value
    key = "full_rest_positions" if full else "rest_positions"
    if key not in given:
        raise TypeError(f"CollisionMesh: {key} is missing")
    given["rest_positions"] = given.pop(key)
    return given


def _are_flags(args: tuple[Any, ...]) -> bool:
    return len(args) > 1 and np.ndim(args[0]) == 1 and np.asarray(args[0]).dtype.kind == "b"


def _flags(name: str, values: Any, count: int, default: bool) -> np.ndarray:
    if values is None:
        return np.full(count, default)
    flags = np.asarray(values)
    if flags.shape != (count,):
        raise ValueError(f"{name}: has shape {flags.shape}, expected one flag for each of {count} vertices")
    return flags.astype(bool)


def _selected(displacement_map: Any, rows: int, to_full: np.ndarray) -> Any:
    """The rows of the map for vertices that take part; None without a map."""
    if displacement_map is None or np.prod(np.shape(displacement_map)) == 0:
        return None
    from scipy import sparse

    matrix = sparse.csr_matrix(displacement_map, dtype=float)
    if matrix.shape[0] != rows:
        raise ValueError(f"displacement_map: has {matrix.shape[0]} rows, expected {rows}, one for each vertex")
    if not np.isfinite(matrix.data).all():
        raise ValueError("displacement_map: has an entry that is not finite")
    return matrix[to_full]


def _areas(name: str, values: Any, count: int) -> np.ndarray:
    areas = vector(name, values, count)
    if areas.size and areas.min() < 0:
        raise ValueError(f"{name}: entry {int(areas.argmin())} is {areas.min()}, expected 0 or a larger number")
    return areas


def _keys(edges: np.ndarray) -> np.ndarray:
    """A number for each pair of vertices (along the last axis), whatever their order."""
    wide = edges.astype(np.int64)
    return wide.min(axis=-1, initial=1 << 31) << 32 | wide.max(axis=-1, initial=0)


def _lists(items: np.ndarray, numbers: np.ndarray, count: int) -> list[list[int]]:
    """For each of `count` items, its numbers, ascending and once each."""
    pairs = np.unique(items.astype(np.int64) << 32 | numbers.astype(np.int64))
    starts = np.searchsorted(pairs, np.arange(count + 1, dtype=np.int64) << 32)
    values = (pairs & 0xFFFFFFFF).tolist()
    return [values[start:end] for start, end in zip(starts[:-1].tolist(), starts[1:].tolist())]


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
