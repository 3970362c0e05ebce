"""Sparse matrices, for which SciPy is imported when the first is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix


def columns_matrix(*args: Any, **kwargs: Any) -> csc_matrix:
    """A matrix by compressed columns, of whatever SciPy makes one of."""
    from scipy.sparse import csc_matrix

    return csc_matrix(*args, **kwargs)


_empty: csc_matrix | None = None


def square_matrix(arrays: tuple[Any, ...]) -> csc_matrix:
    """The square matrix with these data, indices and starts of columns, which are known to be in order.

    SciPy's constructor checks them once more, which takes longer than a small Hessian: a copy of an empty matrix gets them instead.
    """
    global _empty
    size = len(arrays[2]) - 1
    empty = _empty  # Another thread may replace it at any time.
    if empty is None or empty.shape[0] != size:
        _empty = empty = columns_matrix((size, size))
    matrix = object.__new__(type(empty))
    matrix.__dict__.update(empty.__dict__)
    matrix.data, matrix.indices, matrix.indptr = arrays
    return matrix
