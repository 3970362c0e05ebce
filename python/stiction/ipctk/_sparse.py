"""Sparse matrices, for which SciPy is imported when the first is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix


def columns_matrix(*args: Any, **kwargs: Any) -> csc_matrix:
    """A matrix by compressed columns, of whatever SciPy makes one of."""
    from scipy.sparse import csc_matrix

    return csc_matrix(*args, **kwargs)
