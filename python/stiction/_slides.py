"""Slides whose matrices are SciPy matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _stiction
from ._contacts import _square

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from scipy.sparse import csc_array

    from ._stiction import FrictionLaw, _LawName, _Psd, _Wrt


class Slides(_stiction.Slides):
    __doc__ = _stiction.Slides.__doc__

    def hessian(
        self,
        v: ArrayLike,
        eps_v: float,
        law: FrictionLaw | _LawName | None = None,
        h_hat: float = 1.0,
        psd: _Psd = "clamp",
    ) -> csc_array:
        """Hessian of `energy` by positions in N/m, shape (n·D, n·D), entries in the order x₀ y₀ z₀ x₁ …

        `psd`: what becomes of negative eigenvalues, which only laws that descend and negative weights have: 'clamp' and 'gauss_newton'
        make them zero, 'abs' positive, 'none' keeps them.
        """
        return _square(self.hessian_csc(v, eps_v, law, h_hat, psd))

    def force_jacobian(
        self,
        wrt: _Wrt,
        rest: ArrayLike,
        u: ArrayLike,
        v: ArrayLike,
        eps_v: float,
        law: FrictionLaw | _LawName | None = None,
    ) -> csc_array:
        """Derivative of `force`, shape (n·D, n·D), rows are those of the forces.

        `wrt`: 'velocities' in N s/m; 'lagged', by displacements u, or 'rest', by positions at rest with displacements held, in N/m.
        With 'rest' areas and mollifiers move, too; contacts must have been made with shape_derivatives=True.
        """
        return _square(self.force_jacobian_csc(wrt, rest, u, v, eps_v, law))
