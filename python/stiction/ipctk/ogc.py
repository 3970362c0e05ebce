"""Offset geometric contact: how far every vertex may move by itself, and which points belong to which part of a surface."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from .._stiction import drop_in
from ._array import instance, not_negative, number, positions, positive, vector, whole
from ._broad_phase import method_of
from ._candidates import Candidates
from ._distance import EdgeEdgeDistanceType, PointEdgeDistanceType, PointTriangleDistanceType
from ._mesh import CollisionMesh
from ._normal import NormalCollisions
from ._stencil import EdgeEdgeCandidate, EdgeVertexCandidate, FaceVertexCandidate

# How far a position may be outside its ball by rounding, in units of its distance from the origin.
_ROUNDING = 8.0 * np.finfo(float).eps


class TrustRegion:
    """A ball around every vertex: while each stays in its own, nothing touches, whatever the others do.

        ρ = ½ γ (min(distance to what is near, r) − ξ)

    γ: relaxed_radius_scaling, r: trust_region_inflation_radius, ξ: min_distance. Arrays of positions have one row for each
    vertex of the collision mesh, or of the full mesh; there, vertices that cannot touch are not held. Arrays that are said to be
    changed are changed in place: float64 arrays that can be written, in any order of memory.
    """

    def __init__(self, dhat: float) -> None:
        self.trust_region_inflation_radius = 2.0 * positive("dhat", dhat)
        self.trust_region_centers = np.empty((0, 0))
        self.trust_region_radii = np.empty(0)
        self.relaxed_radius_scaling = 0.9
        self.update_threshold = 0.01
        self.should_update_trust_region = True
        self._min_distance = 0.0
        self._candidates: Candidates | None = Candidates()
        self._built: Any = None

    @property
    def candidates(self) -> Candidates:
        """Pairs within twice the radius around the centers."""
        if self._candidates is None:
            mesh, vertices, radius, broad_phase = self._built
            self._candidates = Candidates()
            self._candidates.build(mesh, vertices, radius, broad_phase)
        return self._candidates

    @candidates.setter
    def candidates(self, candidates: Candidates) -> None:
        self._candidates = instance("candidates", candidates, Candidates)

    def warm_start_time_step(
        self,
        mesh: CollisionMesh,
        x: np.ndarray,
        pred_x: Any,
        collisions: Any,
        dhat: float,
        min_distance: float = 0.0,
        broad_phase: Any = None,
    ) -> None:
        """Moves x (changed in place) towards where it is predicted, as far as the balls around x allow."""
        y = _changed_in_place("x", x, mesh)
        ahead = positions("pred_x", pred_x, len(y), mesh.dim) - y
        lengths = np.sqrt(np.einsum("ij,ij->i", ahead, ahead))
        least = not_negative("min_distance", min_distance)
        radius = max(2.0 * positive("dhat", dhat), 2.0 * least, float(lengths.max(initial=0.0)))
        self.trust_region_inflation_radius = radius
        self.update(mesh, y, collisions, least, broad_phase)
        held = lengths > self.trust_region_radii
        parts = np.ones(len(y))
        parts[held] = self.trust_region_radii[held] / lengths[held] * (1.0 - _ROUNDING)
        y[~held] = positions("pred_x", pred_x)[~held]
        y[held] += parts[held, None] * ahead[held]
        if np.count_nonzero(held) > self.update_threshold * mesh.num_vertices:
            self.update(mesh, y, collisions, least, broad_phase)

    def update(
        self, mesh: CollisionMesh, x: Any, collisions: Any, min_distance: float = 0.0, broad_phase: Any = None
    ) -> None:
        """Puts the balls around x and builds the collisions for all that comes close while the vertices stay in them."""
        instance("mesh", mesh, CollisionMesh)
        instance("collisions", collisions, NormalCollisions)
        rows = positions("x", x, None, mesh.dim)
        vertices = _surface_rows(mesh, rows)
        least, radius = not_negative("min_distance", min_distance), self._radius()
        radii = self._radii(mesh, vertices, least, broad_phase)
        self.trust_region_centers = rows.copy()
        if vertices is rows:
            self.trust_region_radii = radii
        else:
            self.trust_region_radii = np.full(len(rows), inf)
            self.trust_region_radii[mesh.to_full_vertex_id()] = radii
        self._min_distance = least
        self._candidates, self._built = None, (mesh, vertices.copy(), radius + least, broad_phase)
        collisions.build(mesh, vertices, radius, least, broad_phase)
        self.should_update_trust_region = False

    def update_if_needed(
        self, mesh: CollisionMesh, x: Any, collisions: Any, min_distance: float = 0.0, broad_phase: Any = None
    ) -> None:
        """`update` if too many vertices were held since the last one, or there was none."""
        if self.should_update_trust_region:
            self.update(mesh, x, collisions, min_distance, broad_phase)

    def filter_step(self, mesh: CollisionMesh, x: Any, dx: np.ndarray) -> None:
        """Shortens the step of each vertex from x (dx is changed in place) so that it ends in its ball."""
        step = _changed_in_place("dx", dx, mesh)
        if len(self.trust_region_radii) != len(step):
            raise ValueError(f"the trust region has {len(self.trust_region_radii)} balls, expected {len(step)}: update it first")
        balls = self.trust_region_centers, self.trust_region_radii
        step[...], held = drop_in.shortened_to_balls(*balls, x, step)
        self._note(mesh, held)

    def planar_filter_step(self, mesh: CollisionMesh, x: Any, dx: np.ndarray) -> None:
        """Shortens the step of each vertex from x (dx is changed in place) by planes that divide near pairs.

        Only what goes towards another primitive is held back, so things slide along each other.
        """
        step = _changed_in_place("dx", dx, mesh)
        start = positions("x", x, len(step), mesh.dim)
        vertices = _surface_rows(mesh, start)
        end = vertices + (step if vertices is start else step[mesh.to_full_vertex_id()])
        rule = ("additive", self._min_distance, 1.0 - self._scaling(), inf)
        reach, planes = 2.0 * self._radius(), mesh._native_planes()
        if mesh._asks_python:
            raise NotImplementedError("planar_filter_step: filters with functions of Python; use filter_step")
        parts = drop_in.divided_steps(mesh._surface, vertices, end, reach, rule, planes)
        if vertices is not start:
            parts, of_surface = np.ones(len(step)), parts
            parts[mesh.to_full_vertex_id()] = of_surface
        self._shorten(mesh, step, parts)

    def _shorten(self, mesh: CollisionMesh, step: np.ndarray, parts: np.ndarray) -> None:
        held = parts < 1.0
        step[held] *= parts[held, None]
        self._note(mesh, int(np.count_nonzero(held)))

    def _note(self, mesh: CollisionMesh, held: int) -> None:
        if held > self.update_threshold * mesh.num_vertices:
            self.should_update_trust_region = True

    def _radii(self, mesh: CollisionMesh, vertices: np.ndarray, least: float, broad_phase: Any) -> np.ndarray:
        method, radius, scaling = method_of(broad_phase), self._radius(), self._scaling()
        if method is not None and not mesh._asks_python:
            rule, planes = ("additive", least, 1.0 - scaling, inf), mesh._native_planes()
            return drop_in.safe_distances(mesh._surface, vertices, radius, rule, method, planes)
        near = Candidates()
        near.build(mesh, vertices, 0.5 * radius, broad_phase)
        return 0.5 * scaling * near.compute_per_vertex_safe_distances(mesh, vertices, radius, least)

    def _radius(self) -> float:
        return positive("trust_region_inflation_radius", self.trust_region_inflation_radius)

    def _scaling(self) -> float:
        scaling = number("relaxed_radius_scaling", self.relaxed_radius_scaling)
        if not 0.0 < scaling < 1.0:
            raise ValueError(f"relaxed_radius_scaling: is {scaling}, expected a number between 0 and 1")
        return scaling


def _changed_in_place(name: str, array: Any, mesh: Any) -> np.ndarray:
    """An array that can be changed in place, with one row for each vertex."""
    instance("mesh", mesh, CollisionMesh)
    if not isinstance(array, np.ndarray) or array.dtype != np.float64:
        kind = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise TypeError(f"{name}: is of type {kind}, but is changed in place: expected an array of float64")
    if not array.flags.writeable:
        raise TypeError(f"{name}: cannot be written, but is changed in place")
    rows = (mesh.num_vertices, mesh.full_num_vertices)
    if array.ndim != 2 or array.shape[1] != mesh.dim or len(array) not in rows:
        raise ValueError(f"{name}: has shape {array.shape}, expected ({rows[0]}, {mesh.dim}) or ({rows[1]}, {mesh.dim})")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: row {int(np.argwhere(~np.isfinite(array))[0, 0])} is not finite")
    return array


def _surface_rows(mesh: CollisionMesh, x: np.ndarray) -> np.ndarray:
    """The rows of the vertices that take part; x itself if it has no others."""
    return x if len(x) == mesh.num_vertices else mesh.vertices(x)


def is_edge_vertex_feasible(
    mesh: CollisionMesh,
    vertices: Any,
    candidate: EdgeVertexCandidate,
    dtype: PointEdgeDistanceType = PointEdgeDistanceType.AUTO,
) -> bool:
    """Whether an edge and a vertex count as a contact: where an end is closest, each vertex belongs to the other."""
    pair = (candidate.vertex_id, candidate.edge_id)
    return _is_feasible(mesh, vertices, "ve", pair, dtype)


def is_edge_edge_feasible(
    mesh: CollisionMesh,
    vertices: Any,
    candidate: EdgeEdgeCandidate,
    dtype: EdgeEdgeDistanceType = EdgeEdgeDistanceType.AUTO,
) -> bool:
    """Whether two edges count as a contact: an end that is closest has the closest point of the other edge."""
    return _is_feasible(mesh, vertices, "ee", (candidate.edge0_id, candidate.edge1_id), dtype)


def is_face_vertex_feasible(
    mesh: CollisionMesh,
    vertices: Any,
    candidate: FaceVertexCandidate,
    dtype: PointTriangleDistanceType = PointTriangleDistanceType.AUTO,
) -> bool:
    """Whether a face and a vertex count as a contact: the vertex belongs to the part of the face that is closest."""
    return _is_feasible(mesh, vertices, "vf", (candidate.vertex_id, candidate.face_id), dtype)


def _is_feasible(mesh: CollisionMesh, vertices: Any, kind: str, pair: tuple[int, int], dtype: Any) -> bool:
    instance("mesh", mesh, CollisionMesh)
    return drop_in.is_feasible(mesh._surface, mesh._positions("vertices", vertices), kind, pair, int(dtype))


def check_vertex_feasible_region(
    mesh: CollisionMesh, vertices: Any, point: Any = None, vi: Any = None, *, xi: Any = None
) -> bool:
    """Whether a point, or the vertex `xi`, belongs to the vertex `vi`."""
    x, place = mesh._positions("vertices", vertices), point if xi is None else xi
    at = x[mesh._known("xi", place, len(x))] if np.ndim(place) == 0 else vector("point", place, mesh.dim)
    return drop_in.belongs_to(mesh._surface, x, at, "v", mesh._known("vi", vi, len(x)))


def check_edge_feasible_region(mesh: CollisionMesh, vertices: Any, xi: Any, ei: Any) -> bool:
    """Whether the vertex `xi` belongs to the inside of the edge `ei`."""
    x = mesh._positions("vertices", vertices)
    at = x[mesh._known("xi", xi, len(x))]
    return drop_in.belongs_to(mesh._surface, x, at, "e", mesh._known("ei", whole("ei", ei), mesh.num_edges))
