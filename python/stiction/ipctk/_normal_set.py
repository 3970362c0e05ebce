"""Collisions as arrays: native contacts with their weights, and lists of collisions made by hand.

The order is that of `ipctk`: vertex-vertex, edge-vertex, edge-edge (nearly parallel ones last), face-vertex, plane-vertex. Native
contacts have nearly parallel edges behind the faces.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _stiction
from .._stiction import drop_in
from ._array import instance
from ._distance import EdgeEdgeDistanceType
from ._mesh import CollisionMesh
from ._mollifier import edge_edge_mollifier_threshold
from ._normal_collision import (
    EdgeEdgeNormalCollision,
    EdgeVertexNormalCollision,
    FaceVertexNormalCollision,
    NormalCollision,
    PlaneVertexNormalCollision,
    VertexVertexNormalCollision,
    type_of_parts,
)
from ._sparse import columns_matrix
from ._stencil import native_planes

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix

KINDS = ("vv", "ev", "ee", "fv", "pv")
CLASSES: dict[str, Any] = {
    "vv": VertexVertexNormalCollision,
    "ev": EdgeVertexNormalCollision,
    "ee": EdgeEdgeNormalCollision,
    "fv": FaceVertexNormalCollision,
    "pv": PlaneVertexNormalCollision,
}
_NATIVE_KINDS: dict[str, Any] = {"vv": "vv", "ev": "ve", "ee": "ee"}
_CLASSES = tuple(CLASSES[kind] for kind in KINDS)
# Those that there are in 2D, which the native module makes.
PLANE_CLASSES = _CLASSES[:2]


class FaceIds:
    """Numbers of faces, by their vertices."""

    def __init__(self, primitives: np.ndarray, vertices: int) -> None:
        self._vertices = vertices
        keys = self._keys(primitives)
        self._order = np.argsort(keys, kind="stable")
        self._sorted = keys[self._order]

    def _keys(self, primitives: np.ndarray) -> np.ndarray:
        """One number for each set of vertices."""
        rows = np.sort(primitives.astype(np.int64), axis=1)
        keys = rows[:, 0]
        for column in rows.T[1:]:
            keys = keys * self._vertices + column
        return keys

    def of(self, primitives: np.ndarray) -> np.ndarray:
        """The numbers of these, which must exist."""
        if len(primitives) == 0:
            return np.empty(0, dtype=np.int64)
        return self._order[np.searchsorted(self._sorted, self._keys(primitives))]


def face_ids(mesh: Any) -> FaceIds:
    """The numbers of the faces of a mesh, kept with it."""
    found = mesh.__dict__.get("_face_ids")
    if found is None:
        found = mesh.__dict__["_face_ids"] = FaceIds(np.asarray(mesh.faces), mesh.num_vertices)
    return found


class NormalSet:
    """The collisions that were built at once."""

    def __init__(self, mesh: Any, contacts: _stiction.Contacts, planes: Sequence[Any]) -> None:
        self.mesh, self.contacts, self.planes = mesh, contacts, planes

    # Whether a weight was written that the native contacts lack.
    changed = False

    def _take(self, mesh: Any, contacts: _stiction.Contacts, planes: Sequence[Any]) -> None:
        self.__dict__.clear()
        self.mesh, self.contacts, self.planes = mesh, contacts, planes

    def __len__(self) -> int:
        return len(self.contacts)

    @cached_property
    def _gradients(self) -> dict[int, Any]:
        return {}

    @cached_property
    def _ids(self) -> list[tuple[list[Any], list[Any]] | None]:
        return [None] * len(KINDS)

    # --- Numbers: most sets are only summed over, so they are counted by those who ask ---

    @property
    def dmin(self) -> float:
        """The distance in m that no pair may fall below."""
        return self.contacts.dmin

    @cached_property
    def native_counts(self) -> tuple[int, int, int, int, int, int]:
        """How many there are of each kind of native contacts."""
        return drop_in.kind_counts(self.contacts)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """How many there are of each kind."""
        vv, ve, ee, vf, parallel, obstacle = self.native_counts
        return vv, ve, ee + parallel, vf, obstacle

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The number behind the last of each kind."""
        vv, ve, ee, vf, parallel, obstacle = self.native_counts
        edges, faces = vv + ve + ee + parallel, vv + ve + ee + parallel + vf
        return vv, vv + ve, edges, faces, faces + obstacle

    # --- Order ---

    def to_native(self, values: np.ndarray) -> np.ndarray:
        """Rows in the order of the native contacts."""
        return self._swapped(values, self.native_counts[4], self.native_counts[3])

    def from_native(self, values: np.ndarray) -> np.ndarray:
        """Rows in the order of the collisions."""
        return self._swapped(values, self.native_counts[3], self.native_counts[4])

    def _swapped(self, values: np.ndarray, first: int, second: int) -> np.ndarray:
        """Nearly parallel edges and faces, of which so many come first, change places."""
        if first == 0 or second == 0:
            return values
        start = sum(self.native_counts[:3])
        middle, end = start + first, start + first + second
        return np.concatenate([values[:start], values[middle:end], values[start:middle], values[end:]])

    def native_index(self, index: int) -> int:
        """The place of a collision among the native contacts."""
        edges = sum(self.native_counts[:3])
        faces, parallel = self.native_counts[3:5]
        if edges <= index < edges + parallel:
            return index + faces
        return index - parallel if edges + parallel <= index < edges + parallel + faces else index

    # --- What single collisions show ---

    @cached_property
    def weights(self) -> list[float]:
        """One for each collision, as numbers of Python; whoever changes one says so with `changed`."""
        return self.from_native(self.contacts.weights).tolist()

    def write_dmin(self, dmin: float) -> None:
        if dmin != self.dmin:
            raise NotImplementedError("dmin: of one collision of a NormalCollisions cannot differ from that of the others; build with it")

    def weight_gradient(self, index: int) -> csc_matrix:
        if index in self._gradients:
            return self._gradients[index]
        return self.built_gradient(index)

    def kept_gradient(self, index: int) -> Any:
        """The derivative of a weight, or None."""
        known = index in self._gradients or self.has_derivatives()
        return self.weight_gradient(index) if known else None

    def built_gradient(self, index: int) -> csc_matrix:
        """The derivative of a weight as it was built."""
        vertices, slopes = self.contacts.weight_gradient(self.native_index(index))
        size = slopes.shape[1] * self.mesh.num_vertices
        if len(vertices) == 0:
            return columns_matrix((size if self.has_derivatives() else 0, 1))
        rows = (vertices.astype(np.int64)[:, None] * slopes.shape[1] + np.arange(slopes.shape[1])).ravel()
        return columns_matrix((slopes.ravel(), (rows, np.zeros(len(rows), dtype=int))), shape=(size, 1))

    def write_weight_gradient(self, index: int, gradient: Any) -> None:
        self._gradients[index] = gradient

    @property
    def written_gradients(self) -> dict[int, Any]:
        """Derivatives of weights that were written, by the number of the collision."""
        return self._gradients

    def has_derivatives(self) -> bool:
        return self.contacts.has_shape_derivatives

    def threshold(self, index: int) -> float:
        """ε of the mollifier of two edges, in m⁴."""
        place = self._parallel_place(index)
        if place >= 0:
            return float(self.contacts.thresholds[place])
        first, second = (numbers[index - self.ends[1]] for numbers in self._named(KINDS.index("ee")))
        rest, edges = self.mesh._rest, self.mesh._edges
        return edge_edge_mollifier_threshold(*rest[edges[first]], *rest[edges[second]])

    def type(self, index: int) -> EdgeEdgeDistanceType:
        """Which parts of two edges are closest."""
        place = self._parallel_place(index)
        if place < 0:
            return EdgeEdgeDistanceType.EA_EB
        return type_of_parts(*map(int, self.contacts.parts[place]))

    def _parallel_place(self, index: int) -> int:
        """The number of a pair among the nearly parallel edges; negative for others."""
        return index - sum(self.native_counts[:3])

    # --- Collisions ---

    def _named(self, kind: int) -> tuple[list[Any], list[Any]]:
        """The two numbers that name each collision of a kind."""
        found = self._ids[kind]
        if found is None:
            found = self._ids[kind] = self._names_of(KINDS[kind])
        return found

    def _names_of(self, kind: str) -> tuple[list[Any], list[Any]]:
        if kind in ("vv", "ev", "ee"):
            return drop_in.primitives(self.contacts, _NATIVE_KINDS[kind])
        vertices = self.contacts.vertices
        if kind == "fv":
            rows = vertices["vf"]
            return face_ids(self.mesh).of(rows[:, 1:]).tolist(), rows[:, 0].tolist()
        numbers = self.contacts.obstacle_numbers.tolist()
        return [self.planes[number] for number in numbers], vertices["obstacle"][:, 0].tolist()

    def kind_of(self, index: int) -> str:
        """Which kind of collision has this number."""
        return kind_at(self.ends, index)

    def collision(self, index: int) -> NormalCollision:
        """The collision with this number."""
        kind = bisect_right(self.ends, index)
        first, second = self._ids[kind] or self._named(kind)
        place = index - self.ends[kind - 1] if kind else index
        cls = _CLASSES[kind]
        names, found = cls._names, cls.__new__(cls)
        # At once: solvers that write weights ask for every collision.
        found.__dict__ = {names[0]: first[place], names[1]: second[place], "_set": self, "_index": index}
        return found

    def of_kind(self, kind: str) -> list[NormalCollision]:
        """All collisions of a kind."""
        end, count = self.ends[KINDS.index(kind)], self.counts[KINDS.index(kind)]
        return [self.collision(index) for index in range(end - count, end)]

    def all(self) -> list[NormalCollision]:
        """All collisions."""
        return [self.collision(index) for index in range(len(self))]

    # --- Bytes ---

    def __getstate__(self) -> dict[str, Any]:
        contacts = self.native(self.mesh, None)
        return {"mesh": self.mesh, "planes": self.planes, "contacts": contacts, "gradients": self._gradients}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._take(state["mesh"], state["contacts"], state["planes"])
        self._gradients = state["gradients"]

    # --- Native contacts ---

    def keep_planes(self, pairs: np.ndarray) -> None:
        """Leaves out vertices near planes that are not among these pairs of plane and vertex."""
        if self.counts[4] == 0:
            return
        size, contacts = self.mesh.num_vertices, self.contacts
        vertices, numbers = contacts.vertices["obstacle"][:, 0].astype(np.int64), contacts.obstacle_numbers.astype(np.int64)
        kept = np.isin(numbers * size + vertices, pairs[:, 0] * size + pairs[:, 1])
        if kept.all():
            return
        others = {kind: rows for kind, rows in contacts.vertices.items() if kind != "obstacle"}
        fewer = _stiction.Contacts.of(
            self.mesh._surface,
            contacts.dhat,
            native_planes(self.planes, self.mesh.dim),
            dmin=contacts.dmin,
            **others,
            parts=contacts.parts,
            thresholds=contacts.thresholds,
            obstacle=vertices[kept],
            numbers=numbers[kept],
            weights=np.concatenate([contacts.weights[: -len(kept)], contacts.weights[-len(kept) :][kept]]),
        )
        self._take(self.mesh, fewer, self.planes)

    def native(self, mesh: Any, x: Any) -> _stiction.Contacts:
        """The contacts with all that was written."""
        if mesh is not self.mesh:
            check_same_mesh(mesh, self.mesh)
        if self.changed:
            mixed = self.native_counts[3] and self.native_counts[4]
            weights: Any = self.to_native(np.array(self.weights)) if mixed else self.weights
            self.contacts = self.contacts.with_weights(weights, keep_shape_derivatives=True)
            self.changed = False
        return self.contacts


def kind_at(ends: tuple[int, ...], index: int) -> str:
    """The kind whose numbers end after this one."""
    return KINDS[bisect_right(ends, index)]


def check_same_mesh(mesh: Any, own: Any) -> None:
    """That a mesh is like the one that collisions are of."""
    same = instance("mesh", mesh, CollisionMesh).num_vertices == own.num_vertices
    for name in ("edges", "faces"):
        same = same and np.array_equal(np.asarray(getattr(mesh, name)), np.asarray(getattr(own, name)))
    if not same:
        raise ValueError("mesh: is not the mesh that the collisions were built with")


class ListedSet:
    """Collisions of lists that were assigned."""

    contacts = None
    written_gradients: dict[int, Any] = {}

    def __init__(self, lists: dict[str, list[Any]]) -> None:
        self.lists = lists

    def __len__(self) -> int:
        return sum(map(len, self.lists.values()))

    @property
    def ends(self) -> tuple[int, ...]:
        return tuple(accumulate(len(self.lists[kind]) for kind in KINDS))

    def kind_of(self, index: int) -> str:
        return kind_at(self.ends, index)

    def has_derivatives(self) -> bool:
        return False

    def collision(self, index: int) -> NormalCollision:
        kind, ends = self.kind_of(index), self.ends
        group = self.lists[kind]
        return group[index - ends[KINDS.index(kind)] + len(group)]

    def of_kind(self, kind: str) -> list[NormalCollision]:
        return list(self.lists[kind])

    def all(self) -> list[NormalCollision]:
        """All collisions."""
        return [collision for kind in KINDS for collision in self.lists[kind]]

    @property
    def dmin(self) -> float:
        """The minimum distance of all."""
        found = {collision.dmin for group in self.lists.values() for collision in group}
        if len(found) > 1:
            raise NotImplementedError("dmin: collisions with different minimum distances in one set")
        return found.pop() if found else 0.0

    def native_order(self) -> list[NormalCollision]:
        """The collisions in the order of the native contacts: all edge-edge ones are among the nearly parallel ones."""
        return [collision for kind in ("vv", "ev", "fv", "ee", "pv") for collision in self.lists[kind]]

    def to_native(self, values: np.ndarray) -> np.ndarray:
        start, edges, faces = (self.ends[k] for k in (1, 2, 3))
        return np.concatenate([values[:start], values[edges:faces], values[start:edges], values[faces:]])

    def from_native(self, values: np.ndarray) -> np.ndarray:
        start, faces = self.ends[1], len(self.lists["fv"])
        middle, end = start + faces, self.ends[3]
        return np.concatenate([values[:start], values[middle:end], values[start:middle], values[end:]])

    def native_index(self, index: int) -> int:
        return int(self.to_native(np.arange(len(self))).tolist().index(index))

    def native(self, mesh: Any, x: Any) -> _stiction.Contacts:
        """Native contacts of the collisions as they are now."""
        instance("mesh", mesh, CollisionMesh)
        edges, faces = np.asarray(mesh.edges), np.asarray(mesh.faces)
        positions = mesh._positions("X", x)

        def rows(kind: str) -> list[list[int]]:
            return [collision._ids(edges, faces) for collision in self.lists[kind]]

        ee, planes = rows("ee"), [collision.plane for collision in self.lists["pv"]]
        return _stiction.Contacts.of(
            mesh._surface,
            1.0,
            native_planes(planes, mesh.dim),
            dmin=self.dmin,
            vv=rows("vv"),
            ve=rows("ev"),
            vf=rows("fv"),
            parallel=ee,
            parts=[c._parts(positions[ids]) for c, ids in zip(self.lists["ee"], ee)],
            thresholds=np.array([collision.eps_x for collision in self.lists["ee"]], dtype=float),
            obstacle=[collision.vertex_id for collision in self.lists["pv"]],
            numbers=list(range(len(planes))),
            weights=np.array([collision.weight for collision in self.native_order()], dtype=float),
        )


def empty_set() -> ListedSet:
    """No collisions."""
    return ListedSet({kind: [] for kind in KINDS})
