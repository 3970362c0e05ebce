"""All pairs that are close."""

from __future__ import annotations

from collections.abc import Iterator
from operator import index as whole_index
from typing import Any

import numpy as np

from .. import _stiction
from .._stiction import drop_in
from ._array import instance, not_negative, positive
from ._broad_phase import NATIVE_METHODS, method_of
from ._candidates import Candidates
from ._enum import Enum
from ._mesh import CollisionMesh
from ._normal_collision import NormalCollision
from ._normal_set import CLASSES, KINDS, PLANE_CLASSES, ListedSet, NormalSet, empty_set
from ._stencil import native_planes


class CollisionSetType(Enum):
    """Which close pairs are collisions."""

    IPC = 0
    """All."""
    IMPROVED_MAX_APPROX = 1
    """All, without counting shared edges and vertices twice."""
    OGC = 2
    """Those whose direction is normal to both surfaces."""


CollisionSetType.__qualname__ = "NormalCollisions.CollisionSetType"
_SETS: dict[CollisionSetType, Any] = {CollisionSetType.IPC: "ipc", CollisionSetType.IMPROVED_MAX_APPROX: "improved_max", CollisionSetType.OGC: "ogc"}


def _list_of(kind: str) -> Any:
    """The list of one kind of collisions; a list that is assigned is copied."""

    def read(self: NormalCollisions) -> list[NormalCollision]:
        return self._set.of_kind(kind)

    def write(self: NormalCollisions, collisions: Any) -> None:
        name = f"{kind}_collisions"
        found = [instance(f"{name}[{k}]", c, CLASSES[kind])._copy() for k, c in enumerate(collisions)]
        lists = {other: [c._copy() for c in self._set.of_kind(other)] for other in KINDS if other != kind}
        self._set = ListedSet({**lists, kind: found})

    return property(read, write, doc=f"The {kind} collisions; a list that is assigned is copied.")


class NormalCollisions(drop_in.BuiltContacts):
    """The pairs closer than dmin + dhat, each as its closest vertices, edges or faces; equal ones are merged, their weights added.

    `collisions[i]` is a view of one: what is written on its `weight` counts in all potentials. The order is the same whatever
    the number of threads: vertex-vertex, edge-vertex, edge-edge, face-vertex, plane-vertex.
    """

    CollisionSetType = CollisionSetType
    IPC = CollisionSetType.IPC
    IMPROVED_MAX_APPROX = CollisionSetType.IMPROVED_MAX_APPROX
    OGC = CollisionSetType.OGC

    # What the native class makes and looks up.
    _new_set = NormalSet
    _empty_set = staticmethod(empty_set)
    _plane_classes = PLANE_CLASSES
    _methods = NATIVE_METHODS

    # Solvers make and build many, with caches emptied in between: what most never change is with the class.
    _use_area_weighting = False
    _enable_shape_derivatives = False
    _collision_set_type = CollisionSetType.IPC

    # --- How to build ---

    @property
    def use_area_weighting(self) -> bool:
        """Whether weights are areas of the surface at rest instead of numbers of pairs."""
        return self._use_area_weighting

    @use_area_weighting.setter
    def use_area_weighting(self, value: bool) -> None:
        self._use_area_weighting = bool(value)
        self._note_choices()

    @property
    def enable_shape_derivatives(self) -> bool:
        """Whether to keep the derivatives of weights by the positions at rest."""
        return self._enable_shape_derivatives

    @enable_shape_derivatives.setter
    def enable_shape_derivatives(self, value: bool) -> None:
        self._enable_shape_derivatives = bool(value)
        self._note_choices()

    @property
    def collision_set_type(self) -> Any:
        """Which close pairs are collisions."""
        return self._collision_set_type

    @collision_set_type.setter
    def collision_set_type(self, value: Any) -> None:
        self._collision_set_type = instance("collision_set_type", value, CollisionSetType)
        self._note_choices()

    def _choices(self) -> tuple[Any, Any, bool]:
        """The choices in the words of the native module."""
        return _SETS[self._collision_set_type], "area" if self._use_area_weighting else "count", self._enable_shape_derivatives

    def _note_choices(self) -> None:
        self._choose(*self._choices())

    def _build_any(self, *args: Any, **kwargs: Any) -> None:
        """`build` with whatever it may be asked for; the native one has found something unusual, or wrong."""
        if "candidates" in kwargs or args and isinstance(args[0], Candidates):
            self._build_from(*args, **kwargs)
        else:
            self._build(*args, **kwargs)

    def _build(self, mesh: CollisionMesh, vertices: Any, dhat: Any, dmin: Any = 0.0, broad_phase: Any = None) -> None:
        instance("mesh", mesh, CollisionMesh)
        method = method_of(broad_phase)
        if method is None or mesh._asks_python:
            # A search or a filter written in Python: its candidates.
            candidates = Candidates()
            candidates.build(mesh, vertices, 0.5 * (positive("dhat", dhat) + not_negative("dmin", dmin)), broad_phase)
            self._build_from(candidates, mesh, vertices, dhat, dmin)
            return
        self._set = NormalSet(mesh, self._found(mesh, vertices, (dhat, dmin), mesh._planes, broad_phase=method), list(mesh._planes))

    def _found(self, mesh: CollisionMesh, vertices: Any, distances: tuple[Any, Any], planes: list[Any], **how: Any) -> _stiction.Contacts:
        contact_set, weights, shape_derivatives = self._choices()
        dhat, dmin = distances
        try:
            return _stiction.Contacts(
                mesh._surface,
                vertices,
                dhat,
                native_planes(planes, mesh.dim) if planes else None,
                dmin=dmin,
                contact_set=contact_set,
                weights=weights,
                shape_derivatives=shape_derivatives,
                **how,
            )
        except (TypeError, ValueError) as error:
            trouble = _wrong(error, dhat, dmin)
            raise trouble from None

    def _build_from(self, candidates: Candidates, mesh: CollisionMesh, vertices: Any, dhat: Any, dmin: Any = 0.0) -> None:
        instance("candidates", candidates, Candidates)
        instance("mesh", mesh, CollisionMesh)
        planes, pairs = plane_pairs(candidates)
        own = NormalSet(mesh, self._found(mesh, vertices, (dhat, dmin), planes, candidates=candidates._pairs()), list(planes))
        if planes:
            own.keep_planes(pairs)
        self._set = own

    # --- What there is ---

    def empty(self) -> bool:
        """Whether there are none."""
        return len(self) == 0

    def clear(self) -> None:
        """Forgets all; collisions in the hands of others stay as they are."""
        self._set = empty_set()

    def _collision(self, i: Any) -> NormalCollision:
        """Collision i of many, or what is wrong with i."""
        own, place = self._set, whole_index(i)
        if not 0 <= place < len(own):
            raise IndexError(f"i: is {place}, there are {len(own)} collisions")
        return own.collision(place)

    def __iter__(self) -> Iterator[NormalCollision]:
        own = self._set
        return (own.collision(i) for i in range(len(own)))

    def is_vertex_vertex(self, i: int) -> bool:
        """Whether collision i is of two vertices."""
        return self._is(i, "vv")

    def is_edge_vertex(self, i: int) -> bool:
        """Whether collision i is of an edge and a vertex."""
        return self._is(i, "ev")

    def is_edge_edge(self, i: int) -> bool:
        """Whether collision i is of two edges."""
        return self._is(i, "ee")

    def is_face_vertex(self, i: int) -> bool:
        """Whether collision i is of a face and a vertex."""
        return self._is(i, "fv")

    def is_plane_vertex(self, i: int) -> bool:
        """Whether collision i is of a plane and a vertex."""
        return self._is(i, "pv")

    def _is(self, i: Any, kind: str) -> bool:
        i = whole_index(i)
        return 0 <= i < len(self._set) and self._set.kind_of(i) == kind

    def _minimum_distance(self, mesh: CollisionMesh, vertices: Any) -> float:
        """What `compute_minimum_distance` says, with errors that name its arguments."""
        try:
            gap = self._contacts(mesh, vertices).smallest_gap(vertices)
        except ValueError as error:
            raise renamed(error, x="vertices") from None
        return gap * gap

    vv_collisions = _list_of("vv")
    ev_collisions = _list_of("ev")
    ee_collisions = _list_of("ee")
    fv_collisions = _list_of("fv")
    pv_collisions = _list_of("pv")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.__dict__, self._set)

    # --- In words ---

    def __str__(self, mesh: CollisionMesh | None = None, vertices: Any = None) -> str:
        if mesh is None or vertices is None:
            counts = ", ".join(f"{len(self._set.of_kind(kind))} {kind}" for kind in KINDS)
            return f"NormalCollisions({counts})"
        edges, faces = np.asarray(mesh.edges), np.asarray(mesh.faces)
        lines = [
            f"\n{kind}: {c}, w: {c.weight:g}, d: {c.compute_distance(vertices, edges, faces):g}"
            for kind in KINDS
            for c in self._set.of_kind(kind)
        ]
        return "".join(lines)

    def __repr__(self) -> str:
        return f"<NormalCollisions of {len(self._set)} collisions>"


def _restored(kind: type[NormalCollisions], state: dict[str, Any], own: Any) -> NormalCollisions:
    collisions = kind()
    collisions.__dict__.update(state)
    collisions._note_choices()
    collisions._set = own
    return collisions


def plane_pairs(candidates: Candidates) -> tuple[list[Any], np.ndarray]:
    """The planes of candidates, and their pairs of plane and vertex by numbers."""
    if "pv" not in candidates._objects:
        return candidates._planes, candidates._plane_pairs
    items = candidates._objects["pv"]
    planes = list({id(item.plane): item.plane for item in items}.values())
    number = {id(plane): place for place, plane in enumerate(planes)}
    pairs = [(number[id(item.plane)], item.vertex_id) for item in items]
    return planes, np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _wrong(error: TypeError | ValueError, dhat: Any, dmin: Any) -> TypeError | ValueError:
    """What is wrong with a build: numbers are looked at only where something is."""
    try:
        positive("dhat", dhat), not_negative("dmin", dmin)
    except (TypeError, ValueError) as of_number:
        return of_number
    return renamed(error, x="vertices")


def renamed(error: TypeError | ValueError, **names: str) -> TypeError | ValueError:
    """An error of the native module, whose argument has another name here."""
    message = str(error)
    for native, name in names.items():
        if message.startswith(f"{native}:"):
            return ValueError(name + message[len(native) :])
    return error
