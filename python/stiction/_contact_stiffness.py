"""What the barrier of an assembly follows: the modulus behind each vertex of a surface, from the solver's stiffness.

    E = k ℓ/A           k: mean of the diagonal entries of the stiffness matrix there, in N/m;   ℓ = A^(1/(D−1))

with the area A of the surface that the vertex stands for. `StiffnessPolicy` makes the barrier's stiffness of these moduli.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._stiction import Surface


def vertex_moduli(surface: Surface, stiffness: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Moduli in Pa, shape (n,), of the diagonal of the stiffness matrix, shape (n, D), in N/m, or of one modulus in Pa for all."""
    areas = surface.vertex_areas
    if np.ndim(stiffness) == 0:
        if not (np.isfinite(stiffness) and stiffness > 0):
            raise ValueError(f"stiffness: {stiffness} is no modulus: expected a positive number of Pa")
        return np.full(len(areas), float(stiffness))
    diagonal = np.asarray(stiffness)
    if not np.isfinite(diagonal).all() or (diagonal < 0).any():
        node = int(np.flatnonzero(~(np.isfinite(diagonal) & (diagonal >= 0)).all(axis=1))[0])
        raise ValueError(f"stiffness: the diagonal entries of node {node} are {diagonal[node]}, expected 0 or more")
    if not diagonal[(surface.bodies >= 0) & (areas > 0)].any():
        raise ValueError("stiffness: is zero at the surface of every body, so it says nothing about the barrier's")
    safe = np.where(areas > 0, areas, 1.0)
    out: NDArray[np.float64] = diagonal.mean(axis=1) * safe ** (1.0 / (surface.dimension - 1) - 1.0)
    return out
