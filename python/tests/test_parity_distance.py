"""Distances of single pairs against ipctk, whose distances are squared, too."""

import ipctk
import numpy as np
import pytest

import stiction

# kind, dimension, lines and planes in ipctk, primitives in ipctk
PAIRS = [
    ("vv", 2, "point_point", "point_point"),
    ("vv", 3, "point_point", "point_point"),
    ("ve", 2, "point_line", "point_edge"),
    ("ve", 3, "point_line", "point_edge"),
    ("ee", 3, "line_line", "edge_edge"),
    ("vf", 3, "point_plane", "point_triangle"),
]
COUNT = {"vv": 2, "ve": 3, "ee": 4, "vf": 4}


def samples(kind, dimension, number=300):
    random = np.random.default_rng(dimension)
    candidates = random.normal(size=(number, COUNT[kind], dimension))
    return [x for x in candidates if well_shaped(kind, x)]


def well_shaped(kind, x):
    """Nearly parallel lines lose digits in every formula: keep angles above a degree or so."""
    if COUNT[kind] < 4:
        return True
    u, v = (x[1] - x[0], x[3] - x[2]) if kind == "ee" else (x[2] - x[1], x[3] - x[1])
    return np.linalg.norm(np.cross(u, v)) > 0.03 * np.linalg.norm(u) * np.linalg.norm(v)


@pytest.mark.parametrize(("kind", "dimension", "infinite", "_"), PAIRS)
def test_lines_and_planes(kind, dimension, infinite, _, agree):
    value = getattr(ipctk, f"{infinite}_distance")
    gradient = getattr(ipctk, f"{infinite}_distance_gradient")
    hessian = getattr(ipctk, f"{infinite}_distance_hessian")
    for x in samples(kind, dimension):
        agree(f"{kind} distance squared", stiction.distance_squared(kind, x), value(*x))
        agree(f"{kind} gradient", stiction.distance_squared_gradient(kind, x).ravel(), gradient(*x))
        agree(f"{kind} Hessian", stiction.distance_squared_hessian(kind, x), hessian(*x))


@pytest.mark.parametrize(("kind", "dimension", "_", "bounded"), PAIRS)
def test_primitives(kind, dimension, _, bounded, agree):
    value = getattr(ipctk, f"{bounded}_distance")
    for x in samples(kind, dimension):
        agree(f"{kind} closest distance squared", stiction.closest_distance_squared(kind, x), value(*x))


def test_lines_in_a_plane_meet():
    x = np.random.default_rng(0).normal(size=(4, 2))
    assert stiction.distance_squared("ee", x) == pytest.approx(0, abs=1e-14)
    assert stiction.closest_distance_squared("ee", [[0, 0], [1, 0], [0, 2], [1, 3]]) == 4
