"""One collision by itself, as native contacts of as many vertices as it has."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .. import _stiction

_COUNTS = {"pv": 1, "vv": 2, "ve": 3, "ee": 4, "vf": 4}
# Any positions will do: contacts that are given as lists do not look at them.
_CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


@cache
def _loose(count: int, dimension: int) -> _stiction.Surface:
    """So many vertices without edges."""
    rest = np.array([_CORNERS[k, :dimension] + k for k in range(count)])
    return _stiction.Surface(rest, np.empty((0, 2), int), None, np.arange(count))


@cache
def _rows(count: int) -> np.ndarray:
    return np.arange(count)[None]


def single_contact(
    kind: str,
    dimension: int,
    weight: float,
    dmin: float,
    *,
    edges: tuple[float, tuple[int, int]] | None = None,
    plane: Any = None,
) -> _stiction.Contacts:
    """The contact of one pair; `edges`: threshold of the mollifier and the closest parts; `plane`: that of a vertex."""
    count = _COUNTS[kind]
    surface, options = _loose(count, dimension), {"dmin": dmin, "weights": [weight]}
    if kind == "pv":
        planes = [(plane.origin()[:dimension], plane.normal()[:dimension])]
        return _stiction.Contacts.of(surface, 1.0, planes, obstacle=[0], numbers=[0], **options)
    if edges is not None:
        threshold, parts = edges
        return _stiction.Contacts.of(
            surface, 1.0, parallel=_rows(4), parts=[parts], thresholds=[threshold], **options
        )
    return _stiction.Contacts.of(surface, 1.0, **{kind: _rows(count)}, **options)
