"""Which primitives may be close: those whose boxes, grown by a radius, meet.

All methods find the same pairs, in the same order. A class derived in Python that overrides what is found is asked instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _stiction
from .._stiction import drop_in
from ._array import indices, not_negative, positions
from ._filter import CollisionFilter, as_filter
from ._overload import chosen
from ._stencil import (
    EdgeEdgeCandidate,
    EdgeFaceCandidate,
    EdgeVertexCandidate,
    FaceFaceCandidate,
    FaceVertexCandidate,
    VertexVertexCandidate,
    _Pair,
)

if TYPE_CHECKING:
    from ._candidates import Candidates
    from ._mesh import CollisionMesh

Pairs = dict[str, np.ndarray]
_STATIC = ("vertices", "edges", "faces", "inflation_radius")
_SWEPT = ("vertices_t0", "vertices_t1", "edges", "faces", "inflation_radius")


class BroadPhase:
    """A way to find pairs: derive from it and override the methods `detect_…_candidates` that are asked for.

    They return candidates, or pairs of numbers in the order of the name.
    """

    _method = ""
    # The class Candidates, which is above this one and sets it.
    _new_candidates: Any
    _built: Any
    _surface_cache: Any

    def __init__(self) -> None:
        self._can_vertices_collide = CollisionFilter()
        self.clear()

    @property
    def can_vertices_collide(self) -> CollisionFilter:
        """Which pairs of vertices may touch."""
        return self._can_vertices_collide

    @can_vertices_collide.setter
    def can_vertices_collide(self, rule: Any) -> None:
        self._can_vertices_collide = as_filter("can_vertices_collide", rule)

    def name(self) -> str:
        """The name of the method."""
        return type(self).__name__

    def build(self, *args: Any, **kwargs: Any) -> None:
        """build(vertices, edges, faces, inflation_radius=0) at rest,
        build(vertices_t0, vertices_t1, edges, faces, inflation_radius=0) on straight ways."""
        values = list(chosen("build", (_STATIC, _SWEPT), args, kwargs, {"inflation_radius": 0.0}))
        if len(values) == len(_STATIC):
            values.insert(1, values[0])
        start = positions(_SWEPT[0], values[0])
        end = positions(_SWEPT[1], values[1], len(start), start.shape[1])
        edges, faces = indices("edges", values[2], 2, len(start)), indices("faces", values[3], 3, len(start))
        self._built = (start, end, edges, faces, not_negative("inflation_radius", values[4]))
        self._surface_cache = None

    def clear(self) -> None:
        """Forgets what was built."""
        self._built = None
        self._surface_cache = None

    def _pairs(self, kinds: str) -> np.ndarray:
        """Pairs of two kinds of primitives, such as "ef", as the native function finds them."""
        if not self._method:
            raise NotImplementedError(f"{type(self).__name__}: override the method that finds pairs, or use LBVH")
        if self._built is None:
            return np.empty((0, 2), dtype=np.uint32)
        start, end, edges, faces, radius = self._built
        surface, asks = self._surface()
        found = drop_in.primitive_pairs(surface, kinds, start, end, radius, self._method)
        if asks:
            vertices = {"v": np.arange(len(start))[:, None], "e": edges, "f": faces}
            first, second = vertices[kinds[0]][found[:, 0]], vertices[kinds[1]][found[:, 1]]
            found = found[self._can_vertices_collide._kept(first, second)]
        return found

    def _surface(self) -> tuple[_stiction.Surface, bool]:
        start, end, edges, faces, _ = self._built
        native, asks = self._can_vertices_collide._native(len(start))
        if self._surface_cache is None:
            loose = np.setdiff1d(np.arange(len(start)), edges)
            self._surface_cache = _plain_surface(start, edges, faces, loose)
        return self._surface_cache.with_filter(native), asks

    def detect_vertex_vertex_candidates(self) -> list[VertexVertexCandidate]:
        """Pairs of vertices."""
        return objects(VertexVertexCandidate, self._pairs("vv"))

    def detect_edge_vertex_candidates(self) -> list[EdgeVertexCandidate]:
        """Edges and vertices."""
        return objects(EdgeVertexCandidate, self._pairs("ev"))

    def detect_edge_edge_candidates(self) -> list[EdgeEdgeCandidate]:
        """Pairs of edges."""
        return objects(EdgeEdgeCandidate, self._pairs("ee"))

    def detect_face_vertex_candidates(self) -> list[FaceVertexCandidate]:
        """Faces and vertices."""
        return objects(FaceVertexCandidate, self._pairs("fv"))

    def detect_edge_face_candidates(self) -> list[EdgeFaceCandidate]:
        """Edges and faces."""
        return objects(EdgeFaceCandidate, self._pairs("ef"))

    def detect_face_face_candidates(self) -> list[FaceFaceCandidate]:
        """Pairs of faces."""
        return objects(FaceFaceCandidate, self._pairs("ff"))

    def detect_collision_candidates(self) -> Candidates:
        """What can touch: edges and vertices in 2D, pairs of edges, faces and vertices in 3D."""
        candidates = self._new_candidates()
        if self._built is not None and self._built[0].shape[1] == 2:
            candidates.ev_candidates = self.detect_edge_vertex_candidates()
        else:
            candidates.ee_candidates = self.detect_edge_edge_candidates()
            candidates.fv_candidates = self.detect_face_vertex_candidates()
        return candidates


def _plain_surface(x: np.ndarray, edges: np.ndarray, faces: np.ndarray, loose: np.ndarray) -> _stiction.Surface:
    """A surface for boxes alone: positions at rest are not known, and need not be those of any proper surface."""
    space = faces if x.shape[1] == 3 else None
    # Any shape without flat faces will do: points on the moment curve.
    t = np.arange(len(x), dtype=float) / max(len(x), 1)
    rest = np.stack([t, t * t, t * t * t][: x.shape[1]], axis=1)
    return _stiction.Surface(rest, edges, space, loose, numbered_edges=True)


class BruteForce(BroadPhase):
    """Every box against every other."""

    _method = "brute_force"


class HashGrid(BroadPhase):
    """Boxes entered into all cells of one grid."""

    _method = "hash_grid"

    @property
    def cell_size(self) -> float:
        """Not available."""
        raise NotImplementedError("HashGrid.cell_size: the grid inside is not shown")

    @property
    def grid_size(self) -> np.ndarray:
        """Not available."""
        raise NotImplementedError("HashGrid.grid_size: the grid inside is not shown")

    @property
    def domain_min(self) -> np.ndarray:
        """Not available."""
        raise NotImplementedError("HashGrid.domain_min: the grid inside is not shown")

    @property
    def domain_max(self) -> np.ndarray:
        """Not available."""
        raise NotImplementedError("HashGrid.domain_max: the grid inside is not shown")


class SpatialHash(BroadPhase):
    """Boxes entered into a hash table of cells."""

    _method = "spatial_hash"

    def build(self, *args: Any, **kwargs: Any) -> None:
        """As for BroadPhase; `voxel_size` is taken but not used: cells have the size that suits each box."""
        kwargs.pop("voxel_size", None)
        swept = "vertices_t0" in kwargs or "vertices_t1" in kwargs or len(args) > 3 and np.ndim(args[3]) == 2
        super().build(*args[: len(_SWEPT if swept else _STATIC)], **kwargs)


class SweepAndPrune(BroadPhase):
    """Boxes sorted along the axis on which they are spread most."""

    _method = "sweep_and_prune"


class LBVH(BroadPhase):
    """A tree of boxes in the order of a space-filling curve: the default."""

    _method = "bvh"

    @property
    def vertex_nodes(self) -> list[Any]:
        """Not available."""
        raise NotImplementedError("LBVH.vertex_nodes: the tree inside is not shown")

    @property
    def edge_nodes(self) -> list[Any]:
        """Not available."""
        raise NotImplementedError("LBVH.edge_nodes: the tree inside is not shown")

    @property
    def face_nodes(self) -> list[Any]:
        """Not available."""
        raise NotImplementedError("LBVH.face_nodes: the tree inside is not shown")


class LBVH_Node:  # noqa: N801 (the name that callers use)
    """Not available."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("LBVH_Node: the tree inside is not shown")


class HashItem:
    """Not available."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("HashItem: the grid inside is not shown")


# The native names of classes whose objects have no say in the search.
NATIVE_METHODS: dict[type, str] = {kind: kind._method for kind in (LBVH, BruteForce, HashGrid, SpatialHash, SweepAndPrune)}
NATIVE_METHODS[type(None)] = "bvh"


def objects(cls: Any, pairs: np.ndarray) -> list[Any]:
    """Candidates of a class from an array of pairs."""
    return [cls._of(first, second) for first, second in pairs.tolist()]


def pair_array(name: str, items: Any) -> np.ndarray:
    """An array of pairs, shape (k, 2), from candidates, pairs of numbers, or such an array."""
    if isinstance(items, np.ndarray):
        return indices(name, items, 2).astype(np.uint32)
    rows = [item._pair() if isinstance(item, _Pair) else item for item in items]
    if not rows:
        return np.empty((0, 2), dtype=np.uint32)
    return indices(name, rows, 2).astype(np.uint32)


def method_of(broad_phase: Any) -> Any:
    """The native name of a broad phase; None where a class of Python is to be asked."""
    method = NATIVE_METHODS.get(type(broad_phase))
    if method is None and not isinstance(broad_phase, BroadPhase):
        raise TypeError(f"broad_phase: is of type {type(broad_phase).__name__}, expected BroadPhase")
    return method


def pairs_of(mesh: CollisionMesh, ways: tuple[np.ndarray, np.ndarray], radius: float, broad_phase: Any) -> Pairs:
    """The pairs of a mesh that moves, as the native `candidates` has them: vertices first, by kind."""
    method = method_of(broad_phase)
    if method is None:
        return _asked(mesh, ways, radius, broad_phase)
    end = None if ways[1] is ways[0] else ways[1]
    found: Any = _stiction.candidates(mesh._surface, ways[0], end, radius, method)
    return mesh._filtered(found)


def _asked(mesh: CollisionMesh, ways: tuple[np.ndarray, np.ndarray], radius: float, broad_phase: BroadPhase) -> Pairs:
    """The pairs that a class of Python finds."""
    none = np.empty((0, 2), dtype=np.uint32)
    pairs = {"vv": none, "ve": none, "ee": none, "vf": none}
    broad_phase.can_vertices_collide = mesh.can_collide
    _build(broad_phase, ways, (mesh.edges, mesh.faces), radius)
    if mesh.dim == 2:
        pairs["ve"] = pair_array("edge-vertex candidates", broad_phase.detect_edge_vertex_candidates())[:, ::-1]
    else:
        pairs["ee"] = pair_array("edge-edge candidates", broad_phase.detect_edge_edge_candidates())
        pairs["vf"] = pair_array("face-vertex candidates", broad_phase.detect_face_vertex_candidates())[:, ::-1]
    if mesh.num_codim_vertices:
        pairs["vv"] = _loose_vertices(mesh, ways, radius, broad_phase)
    if mesh.dim == 3 and mesh.num_codim_vertices and mesh.num_codim_edges:
        pairs["ve"] = _loose_edges(mesh, ways, radius, broad_phase)
    return {kind: np.ascontiguousarray(found) for kind, found in pairs.items()}


def _build(
    broad_phase: BroadPhase,
    ways: tuple[np.ndarray, np.ndarray],
    primitives: tuple[np.ndarray, np.ndarray],
    radius: float,
) -> None:
    start = (ways[0],) if ways[1] is ways[0] else ways
    broad_phase.build(*start, *primitives, radius)


def _loose_vertices(
    mesh: CollisionMesh, ways: tuple[np.ndarray, np.ndarray], radius: float, broad_phase: BroadPhase
) -> np.ndarray:
    """Pairs of vertices of no edge, which are found among themselves."""
    loose, none = mesh.codim_vertices, np.empty((0, 2), dtype=np.int32)
    allows = mesh.can_collide
    broad_phase.clear()
    # The filter knows vertices by their numbers in the mesh.
    broad_phase.can_vertices_collide = CollisionFilter(lambda i, j: allows(loose[i], loose[j]))
    start = ways[0][loose]
    end = start if ways[1] is ways[0] else ways[1][loose]
    _build(broad_phase, (start, end), (none, none), radius)
    found = pair_array("vertex-vertex candidates", broad_phase.detect_vertex_vertex_candidates())
    return loose[found].astype(np.uint32)


def _loose_edges(
    mesh: CollisionMesh, ways: tuple[np.ndarray, np.ndarray], radius: float, broad_phase: BroadPhase
) -> np.ndarray:
    """Vertices of no edge with edges of no face."""
    loose, edges, none = mesh.codim_vertices, mesh.codim_edges, np.empty((0, 2), dtype=np.int32)
    ends, places = np.unique(mesh.edges[edges], return_inverse=True)
    known, count = np.concatenate([loose, ends]), len(loose)
    allows = mesh.can_collide
    broad_phase.clear()
    broad_phase.can_vertices_collide = CollisionFilter(
        lambda i, j: (i < count) != (j < count) and allows(known[i], known[j])
    )
    start = ways[0][known]
    end = start if ways[1] is ways[0] else ways[1][known]
    _build(broad_phase, (start, end), (places.reshape(-1, 2) + count, none), radius)
    found = pair_array("edge-vertex candidates", broad_phase.detect_edge_vertex_candidates())
    return np.stack([known[found[:, 1]], edges[found[:, 0]]], axis=1).astype(np.uint32)
