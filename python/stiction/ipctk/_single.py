"""One collision by itself, as native contacts of as many vertices as it has."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .. import _stiction
from .._stiction import drop_in
from ._stencil import unit_plane

# A potential whose normal forces are 1 at any distance.
STEADY = drop_in.lenient(_stiction.BarrierPotential.steady(1.0, 1e60))
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
    surface = _loose(count, dimension)
    options: dict[str, Any] = {"dmin": dmin, "weights": [weight]}
    if kind == "pv":
        normal, offset = unit_plane("plane", plane, dimension)
        planes = [(-offset * normal, normal)]
        return _stiction.Contacts.of(surface, 1.0, planes, obstacle=[0], numbers=[0], **options)
    if edges is not None:
        threshold, parts = edges
        return _stiction.Contacts.of(
            surface, 1.0, parallel=_rows(4), parts=[parts], thresholds=[threshold], **options
        )
    options[kind] = _rows(count)
    return _stiction.Contacts.of(surface, 1.0, **options)


_PAIRS = {
    "vv": [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    "ve": [[0.5, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
    "ee": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, -0.5, 1.0], [0.5, 0.5, 1.0]],
    "vf": [[0.2, 0.2, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
}


def single_slides(kind: str, dimension: int, plane: Any) -> _stiction.Slides:
    """A slide of one pair at any place, whose numbers are yet to be replaced."""
    if kind != "pv":
        return _any_slides(kind, dimension)
    normal, offset = unit_plane("plane", plane, dimension)
    contacts = single_contact(kind, dimension, 1.0, 0.0, plane=plane)
    return _stiction.Slides(contacts, [(1.0 - offset) * normal], STEADY, 0.0)


@cache
def _any_slides(kind: str, dimension: int) -> _stiction.Slides:
    x = np.array(_PAIRS[kind])[:, :dimension]
    edges = (0.0, (2, 2)) if kind == "ee" else None
    return _stiction.Slides(single_contact(kind, dimension, 1.0, 0.0, edges=edges), x, STEADY, 0.0)
