"""Contacts whose Hessians are SciPy matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _stiction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
    from scipy.sparse import csc_array

    from ._stiction import _Psd


class Contacts(_stiction.Contacts):
    __doc__ = _stiction.Contacts.__doc__

    def barrier_hessian(self, x: ArrayLike, kappa: float | ArrayLike, psd: _Psd = "clamp") -> csc_array:
        """Hessian of `barrier_energy` in N/m, shape (n·D, n·D), entries in the order x₀ y₀ z₀ x₁ …

        `psd`: 'clamp' replaces the negative eigenvalues of each contact by zero, 'abs' by their absolute
        values; 'gauss_newton' keeps only first derivatives of the distance; 'none' is the exact Hessian.
        """
        return _square(self.barrier_hessian_csc(x, kappa, psd))

    def friction_hessian(
        self,
        x_lagged: ArrayLike,
        x_start: ArrayLike,
        x: ArrayLike,
        kappa: float,
        mu: float,
        eps_v: float,
        h: float,
    ) -> csc_array:
        """Hessian of `friction_energy` with respect to `x` in N/m, shape (n·D, n·D). It has no negative
        eigenvalues.
        """
        return _square(self.friction_hessian_csc(x_lagged, x_start, x, kappa, mu, eps_v, h))


def _square(arrays: tuple[NDArray[np.float64], NDArray[np.integer], NDArray[np.integer]]) -> csc_array:
    from scipy.sparse import csc_array  # Only Hessians need SciPy.

    size = len(arrays[2]) - 1
    return csc_array(arrays, shape=(size, size))
