"""Edges of triangles, and of vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import Integers, indices, whole


def edges(F: Any) -> Integers:  # noqa: N803
    """The edges of triangles, shape (n, 2): each once, the smaller vertex first, in the order of the larger one."""
    f = indices("F", F, 3)
    pairs = np.sort(np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]]), axis=1)
    # As one number each they sort and compare at once.
    keys = np.unique(pairs[:, 1].astype(np.int64) << 32 | pairs[:, 0])
    return np.column_stack([keys & 0xFFFFFFFF, keys >> 32]).astype(np.int32)


def vertex_to_min_edge(num_vertices: int, edges: Any) -> list[int]:
    """The first edge at each vertex; the number of edges plus 1 at vertices without any."""
    count = whole("num_vertices", num_vertices)
    e = indices("edges", edges, 2, count)
    out = np.full(count, len(e) + 1)
    # Later writes win: from the last edge to the first.
    for column in e.T:
        first = np.full(count, len(e) + 1)
        first[column[::-1]] = np.arange(len(e))[::-1]
        out = np.minimum(out, first)
    return out.tolist()
