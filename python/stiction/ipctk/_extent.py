"""Sizes of a mesh and of its motion, in m."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._array import Floats, indices, not_negative, positions
from ._overload import chosen

_RADIUS = {"inflation_radius": 0.0}


def world_bbox_diagonal_length(vertices: Any) -> float:
    """The diagonal of the box around all vertices."""
    x = _some("vertices", vertices)
    return float(np.linalg.norm(x.max(axis=0) - x.min(axis=0)))


def mean_edge_length(vertices_t0: Any, vertices_t1: Any, edges: Any) -> tuple[float, float]:
    """Mean and standard deviation of the lengths of edges at both times; 0 without edges."""
    lengths = _edge_lengths(vertices_t0, vertices_t1, edges)
    return (float(lengths.mean()), float(lengths.std())) if lengths.size else (0.0, 0.0)


def median_edge_length(vertices_t0: Any, vertices_t1: Any, edges: Any) -> float:
    """Median of the lengths of edges at both times; 0 without edges."""
    lengths = _edge_lengths(vertices_t0, vertices_t1, edges)
    return float(np.median(lengths)) if lengths.size else 0.0


def max_edge_length(vertices_t0: Any, vertices_t1: Any, edges: Any) -> float:
    """The largest of the lengths of edges at both times; −∞ without edges."""
    return float(_edge_lengths(vertices_t0, vertices_t1, edges).max(initial=-np.inf))


def mean_displacement_length(displacements: Any) -> tuple[float, float]:
    """Mean and standard deviation of the lengths of displacements."""
    lengths = np.linalg.norm(_some("displacements", displacements), axis=1)
    return float(lengths.mean()), float(lengths.std())


def median_displacement_length(displacements: Any) -> float:
    """Median of the lengths of displacements."""
    return float(np.median(np.linalg.norm(_some("displacements", displacements), axis=1)))


def max_displacement_length(displacements: Any) -> float:
    """The largest of the lengths of displacements."""
    return float(np.linalg.norm(_some("displacements", displacements), axis=1).max())


def suggest_good_voxel_size(*args: Any, **kwargs: Any) -> float:
    """Twice the median length of edges, or of displacements if that is larger, plus `inflation_radius`; the largest number if that is 0.

    (vertices, edges, inflation_radius=0) or (vertices_t0, vertices_t1, edges, inflation_radius=0).
    """
    still, moving = ("vertices", "edges"), ("vertices_t0", "vertices_t1", "edges")
    signatures = [(*names, "inflation_radius") for names in (still, moving)]
    *arrays, radius = chosen("suggest_good_voxel_size", signatures, args, kwargs, _RADIUS)
    if len(arrays) == 2:
        start = end = _some("vertices", arrays[0])
    else:
        start = _some("vertices_t0", arrays[0])
        end = positions("vertices_t1", arrays[1], *start.shape)
    size = max(median_edge_length(start, end, arrays[-1]), median_displacement_length(end - start))
    size = 2.0 * size + not_negative("inflation_radius", radius)
    return size if size > 0.0 else sys.float_info.max


def _edge_lengths(vertices_t0: Any, vertices_t1: Any, edges: Any) -> Floats:
    start = positions("vertices_t0", vertices_t0)
    end = positions("vertices_t1", vertices_t1, *start.shape)
    ends = indices("edges", edges, 2, len(start)).T
    lengths: Floats = np.linalg.norm([x[ends[0]] - x[ends[1]] for x in (start, end)], axis=2)
    return lengths


def _some(name: str, value: Any) -> Floats:
    x = positions(name, value)
    if not len(x):
        raise ValueError(f"{name}: has no rows")
    return x
