"""The closest positive (semi)definite matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import Floats, instance, matrix, positive
from ._enum import Enum

# An assembled Hessian is symmetric to rounding only.
_ROUNDING = 1e-8


class PSDProjectionMethod(Enum):
    """What to do with negative eigenvalues: leave them, set them to 0, or change their sign."""

    NONE = 0
    CLAMP = 1
    ABS = 2


def project_to_psd(A: Any, method: PSDProjectionMethod = PSDProjectionMethod.CLAMP) -> Floats:  # noqa: N803
    """A symmetric matrix without its negative eigenvalues."""
    a = _symmetric(A)
    if instance("method", method, PSDProjectionMethod) is PSDProjectionMethod.NONE or a.size == 0:
        return a
    values, vectors = np.linalg.eigh(a)
    if values[0] >= 0.0:
        return a
    values = np.abs(values) if method is PSDProjectionMethod.ABS else np.maximum(values, 0.0)
    projected: Floats = vectors * values @ vectors.T
    return projected


def project_to_pd(A: Any, eps: float = 1e-8) -> Floats:  # noqa: N803
    """A symmetric matrix with `eps` in place of its eigenvalues that are not larger than 0."""
    a, eps = _symmetric(A), positive("eps", eps)
    if a.size == 0:
        return a
    values, vectors = np.linalg.eigh(a)
    if values[0] > 0.0:
        return a
    projected: Floats = vectors * np.where(values > 0.0, values, eps) @ vectors.T
    return projected


def _symmetric(value: Any) -> Floats:
    """A copy, so that what is returned is never the argument."""
    a = matrix("A", value).copy()
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"A: has shape {a.shape}, expected as many rows as columns")
    if np.abs(a - a.T).max(initial=0.0) > _ROUNDING * np.abs(a).max(initial=0.0):
        raise ValueError("A: is not symmetric")
    return a
