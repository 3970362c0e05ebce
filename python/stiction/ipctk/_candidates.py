"""Pairs that may touch, and how far they let a surface move.

They are arrays inside; objects are made where lists are asked for. What is changed on such an object counts from then on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import chain
from math import inf
from typing import Any

import numpy as np

from .._stiction import drop_in
from ._array import instance, not_negative, positions, positive
from ._broad_phase import NATIVE_METHODS, BroadPhase, method_of, objects, pair_array, pairs_of
from ._ccd import DEFAULT_RULE, is_native, narrow_phase, rule_of_default
from ._mesh import CollisionMesh
from ._stencil import (
    CollisionStencil,
    EdgeEdgeCandidate,
    EdgeVertexCandidate,
    FaceVertexCandidate,
    PlaneVertexCandidate,
    VertexVertexCandidate,
    unit_plane,
)

_STATIC = ("vertices", "inflation_radius", "broad_phase")
_SWEPT = ("vertices_t0", "vertices_t1", "inflation_radius", "broad_phase")
_CLASSES: dict[str, Any] = {
    "vv": VertexVertexCandidate,
    "ve": EdgeVertexCandidate,
    "ee": EdgeEdgeCandidate,
    "vf": FaceVertexCandidate,
}
# Where the objects name the vertex last, the arrays have it first.
_TURNED = ("ve", "vf")


class Candidates:
    """Pairs of primitives that may touch. Without arguments, none: `build` finds them."""

    _planes: list[Any]

    def __init__(self) -> None:
        self.clear()

    def build(self, mesh: CollisionMesh, *args: Any, **kwargs: Any) -> None:
        """build(mesh, vertices, inflation_radius=0, broad_phase=None): pairs that are within twice the radius (m).
        build(mesh, vertices_t0, vertices_t1, inflation_radius=0, broad_phase=None): pairs that may come so close on their ways."""
        start, end, radius, broad_phase = _ways(mesh, args, kwargs)
        pairs = pairs_of(mesh, (start, end), radius, broad_phase)
        self.clear()
        self._arrays = pairs
        self._planes = list(mesh.planes)
        self._plane_pairs = _near_planes(mesh, (start, end), radius)

    # As a list.

    def __len__(self) -> int:
        return sum(self._count(kind) for kind in (*_CLASSES, "pv"))

    def empty(self) -> bool:
        """Whether there are none."""
        return len(self) == 0

    def clear(self) -> None:
        """Forgets all."""
        none = np.empty((0, 2), dtype=np.uint32)
        self._arrays = {kind: none for kind in _CLASSES}
        self._plane_pairs = np.empty((0, 2), dtype=np.int64)
        self._planes = []
        # Objects that were handed out: they count, since the caller may have changed them.
        self._objects: dict[str, list[Any]] = {}

    def __getitem__(self, i: int) -> CollisionStencil:
        place = int(i)
        if place < 0:
            place += len(self)
        if place >= 0:
            for kind in (*_CLASSES, "pv"):
                count = self._count(kind)
                if place < count:
                    return self._list(kind)[place]
                place -= count
        raise IndexError(f"candidate {i} of {len(self)}: Candidate index is out of range!")

    def __iter__(self) -> Iterator[CollisionStencil]:
        return chain.from_iterable(self._list(kind) for kind in (*_CLASSES, "pv"))

    def _count(self, kind: str) -> int:
        if kind in self._objects:
            return len(self._objects[kind])
        return len(self._plane_pairs if kind == "pv" else self._arrays[kind])

    def _list(self, kind: str) -> list[Any]:
        if kind not in self._objects:
            self._objects[kind] = self._planes_list() if kind == "pv" else objects(_CLASSES[kind], self._given(kind))
        return self._objects[kind]

    def _given(self, kind: str) -> np.ndarray:
        pairs = self._arrays[kind]
        return pairs[:, ::-1] if kind in _TURNED else pairs

    def _planes_list(self) -> list[PlaneVertexCandidate]:
        return [PlaneVertexCandidate._of(self._planes[p], v) for p, v in self._plane_pairs.tolist()]

    def _set(self, kind: str, items: Any) -> None:
        name = {"vv": "vv", "ve": "ev", "ee": "ee", "vf": "fv"}[kind]
        cls, items = _CLASSES[kind], list(items)
        pairs = pair_array(f"{name}_candidates", items)
        self._arrays[kind] = np.ascontiguousarray(pairs[:, ::-1]) if kind in _TURNED else pairs
        made = zip(items, pairs.tolist())
        self._objects[kind] = [item if isinstance(item, cls) else cls._of(*pair) for item, pair in made]

    def _pairs(self) -> dict[str, np.ndarray]:
        """The arrays as the native functions take them: vertices first, by kind."""
        for kind, items in self._objects.items():
            if kind != "pv":
                pairs = pair_array(f"{kind} candidates", items)
                self._arrays[kind] = np.ascontiguousarray(pairs[:, ::-1]) if kind in _TURNED else pairs
        return self._arrays

    def _heights(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The vertices of the plane candidates, and their heights over the planes at positions x in m."""
        if "pv" in self._objects:
            items = self._objects["pv"]
            planes, vertices = [c.plane for c in items], np.array([c.vertex_id for c in items], dtype=np.int64)
        else:
            planes = [self._planes[p] for p in self._plane_pairs[:, 0]]
            vertices = self._plane_pairs[:, 1]
        if vertices.size and vertices.max() >= len(x):
            raise ValueError(f"pv_candidates: name vertex {vertices.max()}, but there are {len(x)} (counted from 0)")
        parts = {id(plane): unit_plane("plane", plane, x.shape[1]) for plane in planes}
        normals = np.array([parts[id(plane)][0] for plane in planes]).reshape(-1, x.shape[1])
        offsets = np.array([parts[id(plane)][1] for plane in planes])
        return vertices, np.einsum("ij,ij->i", normals, x[vertices]) + offsets

    @property
    def vv_candidates(self) -> list[VertexVertexCandidate]:
        """Two vertices."""
        return list(self._list("vv"))

    @vv_candidates.setter
    def vv_candidates(self, candidates: Any) -> None:
        self._set("vv", candidates)

    @property
    def ev_candidates(self) -> list[EdgeVertexCandidate]:
        """An edge and a vertex."""
        return list(self._list("ve"))

    @ev_candidates.setter
    def ev_candidates(self, candidates: Any) -> None:
        self._set("ve", candidates)

    @property
    def ee_candidates(self) -> list[EdgeEdgeCandidate]:
        """Two edges."""
        return list(self._list("ee"))

    @ee_candidates.setter
    def ee_candidates(self, candidates: Any) -> None:
        self._set("ee", candidates)

    @property
    def fv_candidates(self) -> list[FaceVertexCandidate]:
        """A face and a vertex."""
        return list(self._list("vf"))

    @fv_candidates.setter
    def fv_candidates(self, candidates: Any) -> None:
        self._set("vf", candidates)

    @property
    def pv_candidates(self) -> list[PlaneVertexCandidate]:
        """A plane and a vertex."""
        return list(self._list("pv"))

    @pv_candidates.setter
    def pv_candidates(self, candidates: Any) -> None:
        items = list(candidates)
        for place, item in enumerate(items):
            if not isinstance(item, PlaneVertexCandidate):
                raise TypeError(f"pv_candidates[{place}]: is of type {type(item).__name__}, expected PlaneVertexCandidate")
        self._objects["pv"] = items

    # How far a surface may move.

    def is_step_collision_free(
        self,
        mesh: CollisionMesh,
        vertices_t0: Any,
        vertices_t1: Any,
        min_distance: float = 0.0,
        narrow_phase_ccd: Any = None,
    ) -> bool:
        """Whether no pair comes closer than `min_distance` (m) on straight ways."""
        ccd: Any = narrow_phase(narrow_phase_ccd)
        if not is_native(ccd):
            return self._first_contact(mesh, (vertices_t0, vertices_t1), min_distance, ccd, any_will_do=True) >= 1.0
        rule = ccd._rule(min_distance)
        free = drop_in.path_is_free(mesh._surface, vertices_t0, vertices_t1, rule, self._pairs())
        return free and self._plane_step(mesh, (vertices_t0, vertices_t1), min_distance, 1.0) >= 1.0

    def compute_collision_free_stepsize(
        self,
        mesh: CollisionMesh,
        vertices_t0: Any,
        vertices_t1: Any,
        min_distance: float = 0.0,
        narrow_phase_ccd: Any = None,
    ) -> float:
        """The largest part, at most 1, of the way during which every pair keeps its distance."""
        ccd: Any = narrow_phase(narrow_phase_ccd)
        if not is_native(ccd):
            return self._first_contact(mesh, (vertices_t0, vertices_t1), min_distance, ccd)
        rule = ccd._rule(min_distance)
        step = drop_in.path_step(mesh._surface, vertices_t0, vertices_t1, rule, self._pairs())
        return min(step, self._plane_step(mesh, (vertices_t0, vertices_t1), min_distance, ccd.conservative_rescaling))

    def _first_contact(
        self, mesh: CollisionMesh, ways: tuple[Any, Any], min_distance: float, ccd: Any, any_will_do: bool = False
    ) -> float:
        """The first time at which a narrow phase of Python finds a pair too close; 1 without any."""
        x0, x1 = mesh._positions("vertices_t0", ways[0]), mesh._positions("vertices_t1", ways[1])
        least, earliest = not_negative("min_distance", min_distance), 1.0
        for candidate in self:
            y0, y1 = (candidate.dof(x, mesh.edges, mesh.faces) for x in (x0, x1))
            hit, toi = candidate.ccd(y0, y1, least, earliest, ccd)
            if hit:
                earliest = min(earliest, float(toi))
                # A time of impact of 1 is an impact as well.
                if any_will_do:
                    return 0.0
        return earliest

    def _plane_step(self, mesh: CollisionMesh, ways: tuple[Any, Any], min_distance: float, used: float) -> float:
        """The part of the way until a vertex has used up so much of its distance from a plane."""
        if not self._count("pv"):
            return 1.0
        heights = [self._heights(mesh._positions(f"vertices_t{k}", x))[1] for k, x in enumerate(ways)]
        room, lost = used * (heights[0] - min_distance), heights[0] - heights[1]
        held = (room <= 0.0) | (room < lost)
        return float((np.maximum(room[held], 0.0) / np.maximum(lost[held], 1e-300)).min(initial=1.0))

    def compute_noncandidate_conservative_stepsize(self, mesh: CollisionMesh, displacements: Any, dhat: float) -> float:
        """½ d̂ / max |p|: pairs that are not among the candidates, at least d̂ apart, do not meet before.

        The maximum is over all vertices: those of candidates are in other pairs as well.
        """
        p = mesh._positions("displacements", displacements)
        largest = float(np.sqrt(np.einsum("ij,ij->i", p, p).max(initial=0.0)))
        return 0.5 * positive("dhat", dhat) / largest if largest > 0.0 else inf

    def compute_cfl_stepsize(
        self,
        mesh: CollisionMesh,
        vertices_t0: Any,
        vertices_t1: Any,
        dhat: float,
        min_distance: float = 0.0,
        broad_phase: Any = None,
        narrow_phase_ccd: Any = None,
    ) -> float:
        """A safe part of the way: that of the candidates and that of the others, or of all pairs if the latter is far less."""
        x0, x1 = mesh._positions("vertices_t0", vertices_t0), mesh._positions("vertices_t1", vertices_t1)
        listed = self.compute_collision_free_stepsize(mesh, x0, x1, min_distance, narrow_phase_ccd)
        room = positive("dhat", dhat) - not_negative("min_distance", min_distance)
        # A tenth of the room stays, as for pairs that are looked at.
        others = self.compute_noncandidate_conservative_stepsize(mesh, x1 - x0, 0.9 * room) if room > 0.0 else 0.0
        if others < 0.5 * listed:
            return compute_collision_free_stepsize(mesh, x0, x1, min_distance, broad_phase, narrow_phase_ccd)
        return min(listed, others)

    def compute_per_vertex_safe_distances(
        self, mesh: CollisionMesh, vertices: Any, inflation_radius: float, min_distance: float = 0.0
    ) -> np.ndarray:
        """For each vertex, the smallest distance of its pairs, at most the radius, less `min_distance`; in m."""
        radius, least = not_negative("inflation_radius", inflation_radius), not_negative("min_distance", min_distance)
        x = mesh._positions("vertices", vertices)
        nearest = drop_in.vertex_distances(mesh._surface, self._pairs(), x)
        if self._count("pv"):
            np.minimum.at(nearest, *self._heights(x))
        return np.maximum(np.minimum(nearest, radius) - least, 0.0)

    # Parts of pairs.

    def edge_vertex_to_vertex_vertex(
        self, mesh: CollisionMesh, vertices: Any, is_active: Callable[[float], bool] | None = None
    ) -> list[VertexVertexCandidate]:
        """The vertices of the edges with the vertex, if `is_active` of their squared distance is true."""
        return self._vertex_parts("ve", mesh, vertices, is_active)

    def face_vertex_to_vertex_vertex(
        self, mesh: CollisionMesh, vertices: Any, is_active: Callable[[float], bool] | None = None
    ) -> list[VertexVertexCandidate]:
        """The vertices of the faces with the vertex, if `is_active` of their squared distance is true."""
        return self._vertex_parts("vf", mesh, vertices, is_active)

    def face_vertex_to_edge_vertex(
        self, mesh: CollisionMesh, vertices: Any, is_active: Callable[[float], bool] | None = None
    ) -> list[EdgeVertexCandidate]:
        """The edges of the faces with the vertex, if `is_active` of their squared distance is true."""
        pairs = self._pairs()["vf"].astype(np.int64)
        edges = mesh.faces_to_edges[pairs[:, 1]]
        return _edge_parts(mesh, vertices, np.stack([edges, np.broadcast_to(pairs[:, :1], edges.shape)], -1), is_active)

    def edge_edge_to_edge_vertex(
        self, mesh: CollisionMesh, vertices: Any, is_active: Callable[[float], bool] | None = None
    ) -> list[EdgeVertexCandidate]:
        """Each edge with the vertices of the other, if `is_active` of their squared distance is true."""
        pairs = self._pairs()["ee"].astype(np.int64)
        both = np.concatenate([pairs, pairs[:, ::-1]])
        ends = mesh.edges[both[:, 1]]
        return _edge_parts(mesh, vertices, np.stack([np.broadcast_to(both[:, :1], ends.shape), ends], -1), is_active)

    def _vertex_parts(
        self, kind: str, mesh: CollisionMesh, vertices: Any, is_active: Callable[[float], bool] | None
    ) -> list[VertexVertexCandidate]:
        x = mesh._positions("vertices", vertices)
        pairs = self._pairs()[kind].astype(np.int64)
        others = (mesh.edges if kind == "ve" else mesh.faces)[pairs[:, 1]]
        parts = np.stack([np.broadcast_to(pairs[:, :1], others.shape), others], -1).reshape(-1, 2)
        # Each once, whatever the order of its vertices.
        _, first = np.unique(np.sort(parts, axis=1), axis=0, return_index=True)
        parts = parts[first]
        away = x[parts[:, 0]] - x[parts[:, 1]]
        return objects(VertexVertexCandidate, parts[_active(np.einsum("ij,ij->i", away, away), is_active)])

    def save_obj(self, filename: str, vertices: Any, edges: Any, faces: Any) -> bool:
        """Writes the pairs as an OBJ file, kind by kind; false if it cannot be written."""
        x = positions("vertices", vertices)
        path = os.fspath(filename)  # A number would be a file that somebody has open.
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(self._drawing(x, edges, faces))
        except OSError:
            return False
        return True

    def _drawing(self, x: np.ndarray, edges: Any, faces: Any) -> Any:
        count = 0
        drawn = {"vv": ((1,), (1,)), "ve": ((1,), (2,)), "ee": ((2,), (2,)), "vf": ((1,), (3,))}
        for kind, name in (("vv", "VV"), ("ve", "EV"), ("ee", "EE"), ("vf", "FV")):
            yield f"o {name}\n"
            for candidate in self._list(kind):
                for row in candidate._rows(x, edges, faces):
                    yield "v " + " ".join(f"{value:.17g}" for value in row) + "\n"
                for (size,) in drawn[kind]:
                    numbers = range(count + 1, count + size + 1)
                    yield f"{' plf'[size]} {' '.join(map(str, numbers))}\n"
                    count += size

    def __repr__(self) -> str:
        counts = ", ".join(f"{self._count(kind)} {kind}" for kind in (*_CLASSES, "pv"))
        return f"Candidates({counts})"


def _ways(mesh: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, float, Any]:
    """Positions at the start and in the end (the same array at rest), radius and broad phase."""
    if not isinstance(mesh, CollisionMesh):
        raise TypeError(f"mesh: is of type {type(mesh).__name__}, expected CollisionMesh")
    swept = bool({"vertices_t0", "vertices_t1"} & kwargs.keys()) or len(args) > 1 and np.ndim(args[1]) == 2
    names = _SWEPT if swept else _STATIC
    given = dict(zip(names, args))
    wrong = [name for name in kwargs if name not in names or name in given]
    if len(args) > len(names) or wrong:
        raise TypeError(f"build: cannot use {wrong or 'so many arguments'}; they are mesh, {', '.join(names)}")
    given |= kwargs
    if names[0] not in given or swept and names[1] not in given:
        raise TypeError(f"build: expected mesh, {', '.join(names)}")
    start = mesh._positions(names[0], given[names[0]])
    end = mesh._positions(names[1], given[names[1]]) if swept else start
    radius = not_negative("inflation_radius", given.get("inflation_radius", 0.0))
    return start, end, radius, given.get("broad_phase")


def _near_planes(mesh: CollisionMesh, ways: tuple[np.ndarray, np.ndarray], radius: float) -> np.ndarray:
    """Planes and vertices within twice the radius, as for any other pair, by their numbers."""
    found = [np.empty((0, 2), dtype=np.int64)]
    for place, (point, normal) in enumerate(mesh._native_planes() or ()):
        height = np.minimum(*((x - point) @ normal for x in ways))
        vertices = np.flatnonzero(height < 2.0 * radius) if radius else np.flatnonzero(height <= 0.0)
        found.append(np.stack([np.full(len(vertices), place), vertices], axis=1))
    return np.concatenate(found)


def _edge_parts(
    mesh: CollisionMesh, vertices: Any, parts: np.ndarray, is_active: Callable[[float], bool] | None
) -> list[EdgeVertexCandidate]:
    """Edges with vertices, each once, ascending."""
    x = mesh._positions("vertices", vertices)
    parts = np.unique(parts.reshape(-1, 2), axis=0)
    a, b = (x[mesh.edges[parts[:, 0], k]] for k in (0, 1))
    p, along = x[parts[:, 1]], b - a
    part = np.einsum("ij,ij->i", p - a, along) / np.einsum("ij,ij->i", along, along)
    away = p - a - np.clip(part, 0.0, 1.0)[:, None] * along
    return objects(EdgeVertexCandidate, parts[_active(np.einsum("ij,ij->i", away, away), is_active)])


def _active(distances: np.ndarray, is_active: Callable[[float], bool] | None) -> np.ndarray:
    if is_active is None:
        return np.ones(len(distances), dtype=bool)
    return np.array([bool(is_active(distance)) for distance in distances.tolist()], dtype=bool)


BroadPhase._new_candidates = Candidates


def compute_collision_free_stepsize(
    mesh: CollisionMesh,
    vertices_t0: Any,
    vertices_t1: Any,
    min_distance: float = 0.0,
    broad_phase: Any = None,
    narrow_phase_ccd: Any = None,
) -> float:
    """The largest part, at most 1, of the way from `vertices_t0` to `vertices_t1` during which nothing touches."""
    method = NATIVE_METHODS.get(type(broad_phase))
    if method and narrow_phase_ccd is None and type(mesh) is CollisionMesh and not (mesh._asks_python or mesh._planes):
        # What solvers do, with caches that were emptied since: as few calls as possible.
        rule = DEFAULT_RULE if type(min_distance) is float and min_distance == 0.0 else rule_of_default(min_distance)
        return drop_in.path_step(mesh._surface, vertices_t0, vertices_t1, rule, method)
    ways, how = (vertices_t0, vertices_t1), (min_distance, broad_phase, narrow_phase_ccd)
    return _asked(drop_in.path_step, Candidates.compute_collision_free_stepsize, mesh, ways, how)


def is_step_collision_free(
    mesh: CollisionMesh,
    vertices_t0: Any,
    vertices_t1: Any,
    min_distance: float = 0.0,
    broad_phase: Any = None,
    narrow_phase_ccd: Any = None,
) -> bool:
    """Whether nothing comes closer than `min_distance` (m) on the way from `vertices_t0` to `vertices_t1`."""
    ways, how = (vertices_t0, vertices_t1), (min_distance, broad_phase, narrow_phase_ccd)
    return _asked(drop_in.path_is_free, Candidates.is_step_collision_free, mesh, ways, how)


def _asked(native: Any, of_candidates: Any, mesh: CollisionMesh, ways: tuple[Any, Any], how: tuple[float, Any, Any]) -> Any:
    """What a native function says of a way, or candidates where a search, a filter or a narrow phase is written in Python."""
    min_distance, broad_phase, narrow_phase_ccd = how
    instance("mesh", mesh, CollisionMesh)
    ccd: Any = narrow_phase(narrow_phase_ccd)
    method = method_of(broad_phase)
    if method is None or not is_native(ccd) or mesh._asks_python:
        return of_candidates(_candidates_on(mesh, ways, min_distance, broad_phase), mesh, *ways, min_distance, ccd)
    return native(mesh._surface, *ways, ccd._rule(min_distance), method, mesh._native_planes())


def _candidates_on(mesh: CollisionMesh, ways: tuple[Any, Any], min_distance: float, broad_phase: Any) -> Candidates:
    candidates = Candidates()
    radius = 0.5 * not_negative("min_distance", min_distance)
    candidates.build(mesh, vertices_t0=ways[0], vertices_t1=ways[1], inflation_radius=radius, broad_phase=broad_phase)
    return candidates
