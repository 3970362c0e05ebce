"""Contacts whose Hessians are SciPy matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _stiction

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from scipy.sparse import csc_array, sparray, spmatrix

    from ._stiction import _Psd


class Contacts(_stiction.Contacts):
    __doc__ = _stiction.Contacts.__doc__

    def barrier_hessian(self, x: ArrayLike, kappa: float | ArrayLike, psd: _Psd = "clamp") -> csc_array:
        """Hessian of `barrier_energy` in N/m, shape (n·D, n·D), entries in the order x₀ y₀ z₀ x₁ …

        `psd`: 'clamp' replaces the negative eigenvalues of each contact by zero, 'abs' by their absolute
        values; 'gauss_newton' keeps only first derivatives of the distance; 'none' is the exact Hessian.
        """
        return _square(self.barrier_hessian_csc(x, kappa, psd))

    def shape_derivative(self, x: ArrayLike, kappa: float | ArrayLike) -> csc_array:
        """The derivative of `barrier_gradient` by the positions at rest X, with displacements u held and x = X + u.

        In N/m, shape (n·D, n·D): rows belong to x, columns to X. Areas and mollifiers depend on X, too. Contacts must have
        been made with shape_derivatives=True.
        """
        from scipy.sparse import coo_array

        data, rows, columns = self.shape_derivative_coo(x, kappa)
        size = np.size(x)
        return coo_array((data, (rows, columns)), shape=(size, size)).tocsc()

    def semi_implicit_stiffness(
        self, x: ArrayLike, masses: ArrayLike, hessian: ArrayLike | sparray | spmatrix
    ) -> NDArray[np.float64]:
        """One stiffness for each contact, from its mass, its gap and what is behind it; to be used as `kappa`.

            κ = m̄/(d − dmin)² + wᵀHw        w = c⊗n/|c|,  m̄ = cᵀMc/|c|²

        c are the weights of the contact's vertices in the vector between the closest points, n its direction.

        `masses`: of the vertices, shape (n,). `hessian`: of all other energies, shape (n·D, n·D), dense or sparse.
        """
        from scipy.sparse import csc_array

        matrix = csc_array(hessian)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()  # Its arrays may be those of the caller.
            matrix.sum_duplicates()
        return self.semi_implicit_csc(x, masses, matrix.data, matrix.indices, matrix.indptr)


def _square(arrays: tuple[NDArray[np.float64], NDArray[np.integer], NDArray[np.integer]]) -> csc_array:
    from scipy.sparse import csc_array  # Only Hessians need SciPy.

    size = len(arrays[2]) - 1
    return csc_array(arrays, shape=(size, size))
