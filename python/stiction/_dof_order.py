"""How a solver numbers its unknowns, and the way between its arrays and ours.

    interleaved   x₀ y₀ z₀ x₁ y₁ z₁ …
    blocked       x₀ x₁ … y₀ y₁ … z₀ z₁ …
    a matrix P    shape (unknowns, n·D): displacements of the nodes are Pᵀu, forces on the unknowns P f, matrices P H Pᵀ
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from scipy.sparse import csc_array

Order: TypeAlias = Literal["interleaved", "blocked"]


class DofOrder:
    """The unknowns of `nodes` nodes in `dimension` dimensions."""

    def __init__(self, order: Order | Any, nodes: int, dimension: int) -> None:
        self._shape = (nodes, dimension)
        self._map: Any = None
        self._order = "matrix"
        if isinstance(order, str):
            if order not in ("interleaved", "blocked"):
                raise ValueError(f'dof_order: "{order}" is neither "interleaved" nor "blocked" nor a matrix')
            self._order = order
            self.count = nodes * dimension
        else:
            self._map = _checked_map(order, nodes * dimension)
            self.count = int(self._map.shape[0])

    @property
    def is_one_to_one(self) -> bool:
        """Whether every unknown is a displacement of a node and the other way round."""
        return self._map is None

    def field(self, name: str, u: ArrayLike) -> NDArray[np.float64]:
        """Displacements of the nodes, shape (n, D), of unknowns; an array of shape (n, D) is taken as it is."""
        array = np.asarray(u, dtype=float)
        if array.shape != self._shape:
            array = self._unpack(name, array)
        if not np.isfinite(array).all():
            node = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
            raise ValueError(f"{name}: the displacement of node {node} is not finite")
        return array

    def _unpack(self, name: str, array: NDArray[np.float64]) -> NDArray[np.float64]:
        if array.shape != (self.count,):
            why = f"expected ({self.count},) or {self._shape}; with other unknowns give dof_order a matrix"
            raise ValueError(f"{name}: has shape {array.shape}, {why}")
        if self._map is not None:
            return np.asarray(self._map.T @ array).reshape(self._shape)
        if self._order == "blocked":
            return array.reshape(self._shape[::-1]).T
        return array.reshape(self._shape)

    def vector(self, field: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values of the unknowns of forces or displacements of the nodes, shape (n, D)."""
        if self._map is not None:
            return np.asarray(self._map @ field.ravel())
        return (field.T if self._order == "blocked" else field).ravel()

    def matrix(self, hessian: csc_array) -> csc_array:
        """A matrix between nodes, in the order x₀ y₀ z₀ x₁ …, as one between unknowns."""
        from scipy.sparse import coo_array, csc_array

        if self._map is not None:
            return csc_array(self._map @ hessian @ self._map.T)
        if self._order == "interleaved":
            return hessian
        entries = coo_array(hessian)
        rows, columns = (self._place(part) for part in entries.coords)
        return coo_array((entries.data, (rows, columns)), shape=entries.shape).tocsc()

    def diagonal(self, matrix: Any) -> NDArray[np.float64]:
        """The diagonal of a matrix between unknowns, or an array with its diagonal, of each node, shape (n, D)."""
        if self._map is not None:
            return np.asarray((self._map.T @ matrix @ self._map).diagonal()).reshape(self._shape)
        values = np.asarray(matrix.diagonal() if np.ndim(matrix) != 1 else matrix, dtype=float)
        return self._unpack("stiffness", values)

    def _place(self, interleaved: NDArray[np.int64]) -> NDArray[np.int64]:
        nodes, dimension = self._shape
        return interleaved % dimension * nodes + interleaved // dimension


def _checked_map(matrix: Any, columns: int) -> Any:
    from scipy.sparse import csr_array

    out = csr_array(matrix, dtype=float)
    if out.ndim != 2 or out.shape[1] != columns:
        raise ValueError(f"dof_order: the matrix has shape {out.shape}, expected (unknowns, {columns})")
    if not np.isfinite(out.data).all():
        raise ValueError("dof_order: the matrix has entries that are not finite")
    return out
