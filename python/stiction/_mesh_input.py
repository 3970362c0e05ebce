"""Meshes of other programs as plain arrays, and the surface of a solid.

A mesh may be a pair (nodes, elements), a meshio mesh, or anything that has `.nodes` and `.elements`, or `.p` and `.t` as in
scikit-fem. Elements are one array or a list of arrays, one for each type; only the corners of elements of higher order count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

# The sides of an element by the number of its nodes, in 2D and in 3D. Corners come first in the order of nodes, everywhere.
_TRIANGLE = ((0, 1), (1, 2), (2, 0))
_QUAD = ((0, 1), (1, 2), (2, 3), (3, 0))
_TET = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))
_HEX = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
_WEDGE = ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))
_SIDES: dict[int, dict[int, tuple[tuple[int, ...], ...]]] = {
    2: {3: _TRIANGLE, 6: _TRIANGLE, 7: _TRIANGLE, 4: _QUAD, 8: _QUAD, 9: _QUAD},
    3: {4: _TET, 10: _TET, 8: _HEX, 20: _HEX, 27: _HEX, 6: _WEDGE, 15: _WEDGE, 18: _WEDGE},
}
# How many nodes of an element of a surface are corners: edges in 2D, triangles and quads in 3D.
_CORNERS = {2: {2: 2, 3: 2}, 3: {3: 3, 6: 3, 7: 3}}
# scikit-fem numbers the corners of a brick by their coordinates.
_SKFEM_HEX = [0, 3, 6, 2, 1, 5, 7, 4]
_MESHIO_POINTS = ("vertex",)


@dataclass(frozen=True)
class PlainMesh:
    """Positions at rest in m, shape (n, D), and elements, one array for each type."""

    nodes: NDArray[np.float64]
    elements: list[NDArray[np.int64]]

    @property
    def dimension(self) -> int:
        """D."""
        return int(self.nodes.shape[1])


def read_mesh(mesh: Any, space: int | None) -> PlainMesh:
    """A mesh of any of the kinds above; `space` is D, by default the number of coordinates."""
    nodes, elements = _parts(mesh)
    return PlainMesh(_positions(nodes, space), [_table("elements", part) for part in elements])


def read_surface(surface: Any) -> list[NDArray[np.int64]]:
    """Elements of a surface: an array, a list of arrays, or a mesh (or pair of nodes and elements) whose nodes are numbered as those of the solid."""
    is_pair = isinstance(surface, tuple) and len(surface) == 2
    elements = _parts(surface)[1] if is_pair or _is_mesh(surface) else _listed(surface)
    return [_table("surface_mesh", part) for part in elements]


def boundary(mesh: PlainMesh) -> list[NDArray[np.int64]]:
    """The sides of elements that belong to one element only: edges in 2D; triangles, of which quads are made two, in 3D."""
    sides: dict[int, list[NDArray[np.int64]]] = {}
    for part in mesh.elements:
        for side in _sides(part, mesh.dimension):
            sides.setdefault(side.shape[1], []).append(side)
    return [_once(np.concatenate(parts)) for _, parts in sorted(sides.items())]


def primitives(elements: list[NDArray[np.int64]], dimension: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Edges, shape (m, 2), and faces, shape (k, 3), of the elements of a surface."""
    edges, faces = [np.zeros((0, 2), np.int64)], [np.zeros((0, 3), np.int64)]
    for part in elements:
        width = part.shape[1]
        if width in _CORNERS[dimension]:
            (edges if dimension == 2 else faces).append(part[:, : _CORNERS[dimension][width]])
        elif dimension == 3 and width in (4, 8, 9):
            faces += [part[:, [0, 1, 2]], part[:, [0, 2, 3]]]
        elif dimension == 3 and width == 2:
            edges.append(part)
        else:
            raise ValueError(f"surface_mesh: elements with {width} nodes are no part of a surface in {dimension}D")
    return np.concatenate(edges), np.concatenate(faces)


def is_solid(elements: list[NDArray[np.int64]], dimension: int) -> bool:
    """Whether elements fill space rather than are a surface already; 4 and 8 nodes in 3D count as tetrahedra and bricks."""
    surface = (2,) if dimension == 2 else (2, 3, 7)
    return any(part.shape[1] not in surface for part in elements)


def _is_mesh(mesh: Any) -> bool:
    pairs = (("points", "cells"), ("nodes", "elements"), ("p", "t"))
    return any(all(hasattr(mesh, name) for name in pair) for pair in pairs)


def _parts(mesh: Any) -> tuple[Any, list[Any]]:
    """Nodes with a row each, and a list of arrays of elements with a row each."""
    if hasattr(mesh, "points") and hasattr(mesh, "cells"):
        return mesh.points, [block.data for block in mesh.cells if block.type not in _MESHIO_POINTS]
    if hasattr(mesh, "nodes") and hasattr(mesh, "elements"):
        return mesh.nodes, _listed(mesh.elements)
    if hasattr(mesh, "p") and hasattr(mesh, "t"):
        return np.asarray(mesh.p).T, [_of_scikit_fem(np.asarray(mesh.t).T, len(mesh.p))]
    if isinstance(mesh, (tuple, list)) and len(mesh) == 2:
        return mesh[0], _listed(mesh[1])
    raise TypeError(
        f"mesh: a {type(mesh).__name__} is no mesh: give (nodes, elements), a meshio mesh, or an object with "
        ".nodes and .elements or with .p and .t"
    )


def _listed(elements: Any) -> list[Any]:
    if isinstance(elements, (tuple, list)) and elements and all(np.ndim(part) == 2 for part in elements):
        return list(elements)
    return [elements]


def _of_scikit_fem(elements: NDArray[Any], dimension: int) -> NDArray[Any]:
    return elements[:, _SKFEM_HEX] if dimension == 3 and elements.shape[1] == 8 else elements


def _positions(nodes: Any, space: int | None) -> NDArray[np.float64]:
    array = np.asarray(nodes, dtype=float)
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ValueError(f"mesh: nodes have shape {array.shape}, expected (n, 2) or (n, 3)")
    if space not in (None, 2, 3):
        raise ValueError(f"space: {space!r} is neither 2 nor 3 (nor None, for as many as nodes have coordinates)")
    if space == 3 and array.shape[1] == 2:
        raise ValueError("space: is 3, but nodes have two coordinates")
    if space == 2 and array.shape[1] == 3 and np.ptp(array[:, 2]) != 0:
        node = int(np.argmax(array[:, 2] != array[0, 2]))
        raise ValueError(f"space: is 2, but nodes do not lie in one plane: z of node {node} differs from that of node 0")
    return np.ascontiguousarray(array[:, : space or array.shape[1]])


def _table(name: str, elements: Any) -> NDArray[np.int64]:
    array = np.asarray(elements)
    if array.ndim != 2 or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name}: expected whole numbers of shape (k, m), found {array.dtype} of shape {array.shape}")
    return array.astype(np.int64)


def _sides(elements: NDArray[np.int64], dimension: int) -> Iterator[NDArray[np.int64]]:
    width = elements.shape[1]
    if width not in _SIDES[dimension]:
        more = ": for a flat model give space=2" if dimension == 3 and width in _SIDES[2] else ""
        raise ValueError(f"mesh: elements with {width} nodes are not known in {dimension}D{more}")
    for side in _SIDES[dimension][width]:
        yield elements[:, list(side)]


def _once(sides: NDArray[np.int64]) -> NDArray[np.int64]:
    _, first, count = np.unique(np.sort(sides, axis=1), axis=0, return_index=True, return_counts=True)
    out: NDArray[np.int64] = sides[np.sort(first[count == 1])]
    return out
