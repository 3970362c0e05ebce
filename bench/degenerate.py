"""Degenerate pairs beside ipctk, both against exact fractions.

    python bench/degenerate.py [--count 2000]

First table: errors of distances, in units of ε L, where ε = 2⁻⁵² and L is the largest distance between two vertices of a pair.
Second table: relative errors of the derivatives of d² between two lines. Third table, where the queries with exact truth are at
hand (STICTION_CCD_QUERIES, or ../shared/data/ccd-queries beside the repository): what ipctk says of them.
"""

import argparse
import os
from fractions import Fraction
from math import sqrt
from pathlib import Path

import ipctk
import numpy as np

import stiction

EPSILON = 2.0**-52
random = np.random.default_rng(0)


# --- Exact distances ---


def exact(points):
    return [[Fraction(float(c)) for c in point] for point in points]


def minus(a, b):
    return [p - q for p, q in zip(a, b)]


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def plus(a, factor, b):
    return [p + factor * q for p, q in zip(a, b)]


def vertex_edge(p, a, b):
    edge, w = minus(b, a), minus(p, a)
    length2, along = dot(edge, edge), dot(w, edge)
    s = Fraction(0) if along <= 0 else min(Fraction(1), along / length2)
    r = plus(w, -s, edge)
    return dot(r, r)


def inside(u, v, w):
    """The coordinates of the closest points of two lines, or of a point and a plane: the minimum of |w + s u + t v|²."""
    uu, uv, vv, wu, wv = dot(u, u), dot(u, v), dot(v, v), dot(w, u), dot(w, v)
    det = uu * vv - uv * uv
    return ((uv * wv - vv * wu) / det, (uv * wu - uu * wv) / det) if det > 0 else (Fraction(-1), Fraction(-1))


def edge_edge(x):
    a, b, c, d = exact(x)
    u, v, w = minus(b, a), minus(c, d), minus(a, c)
    s, t = inside(u, v, w)
    if 0 < s < 1 and 0 < t < 1:
        r = plus(plus(w, s, u), t, v)
        return dot(r, r)
    return min(vertex_edge(a, c, d), vertex_edge(b, c, d), vertex_edge(c, a, b), vertex_edge(d, a, b))


def vertex_face(x):
    p, a, b, c = exact(x)
    u, v, w = minus(a, b), minus(a, c), minus(p, a)
    s, t = inside(u, v, w)
    if s > 0 and t > 0 and s + t < 1:
        r = plus(plus(w, s, u), t, v)
        return dot(r, r)
    return min(vertex_edge(p, a, b), vertex_edge(p, b, c), vertex_edge(p, c, a))


# --- Degenerate pairs ---


def turned(x):
    rotation, _ = np.linalg.qr(random.normal(size=(3, 3)))
    return np.asarray(x) @ rotation.T


def edges(angle, gap):
    """Unit edges at an angle, one shifted along the other."""
    along, part = random.uniform(-0.8, 0.8), random.uniform(0, 1)
    direction = np.array([np.cos(angle), np.sin(angle), 0])
    middle = np.array([along, 0, gap])
    return turned([[-0.5, 0, 0], [0.5, 0, 0], middle - part * direction, middle + (1 - part) * direction])


def sliver(aspect, gap):
    """A point above the inside of a thin triangle."""
    face = np.array([[0, 0, 0], [1, 0, 0], [random.uniform(0.1, 0.9), aspect, 0]])
    point = random.dirichlet([1, 1, 1]) @ face + [0, 0, gap]
    return turned([point, *np.roll(face, random.integers(3), axis=0)])


def size(x):
    return max(np.linalg.norm(a - b) for a in x for b in x)


def compare(name, kind, pairs, truth, peer):
    ours, theirs = [], []
    for x in pairs:
        distance, unit = sqrt(truth(x)), EPSILON * size(x)
        ours.append(abs(sqrt(stiction.closest_distance_squared(kind, x)) - distance) / unit)
        theirs.append(abs(sqrt(peer(*x)) - distance) / unit)
    print(f"{name:34s} | {max(ours):8.1f} | {np.median(theirs):9.2g} {max(theirs):9.2g}", flush=True)


def distances(count):
    print(f"{'distance, errors in ε L':34s} | {'ours max':>8s} | {'ipctk median':>9s} {'max':>6s}")
    for angle in (1e-2, 1e-4, 1e-6, 1e-7, 1e-8, 1e-9, 1e-12):
        for gap in (1e-1, 1e-6, 0.0):
            pairs = [edges(angle, gap) for _ in range(count)]
            compare(f"edges at {angle:g} rad, gap {gap:g}", "ee", pairs, edge_edge, ipctk.edge_edge_distance)
    for aspect in (1e-2, 1e-4, 1e-6, 1e-8):
        for gap in (1e-1, 1e-6, 0.0):
            pairs = [sliver(aspect, gap) for _ in range(count)]
            name = f"slivers of aspect {aspect:g}, gap {gap:g}"
            compare(name, "vf", pairs, vertex_face, ipctk.point_triangle_distance)


# --- Derivatives of d² between lines ---

BASE, DIRECTIONS = [1, 0, -1, 0], [[-1, 1, 0, 0], [0, 0, 1, -1]]


def exact_derivatives(points):
    """∂d²/∂xᵢ = 2 cᵢ r and ∇²d² = 2 ccᵀ⊗I − Fᵀ(2G)⁻¹F, as in the documentation of `stiction::distance`."""
    x = exact(points)

    def combined(c):
        return [sum(c[i] * x[i][k] for i in range(4)) for k in range(3)]

    a, r0 = [combined(c) for c in DIRECTIONS], combined(BASE)
    g = [[dot(p, q) for q in a] for p in a]
    det = g[0][0] * g[1][1] - g[0][1] ** 2
    inverse = [[g[1][1] / det, -g[0][1] / det], [-g[0][1] / det, g[0][0] / det]]
    alpha = [-dot(row, [dot(p, r0) for p in a]) for row in inverse]
    c = [BASE[i] + alpha[0] * DIRECTIONS[0][i] + alpha[1] * DIRECTIONS[1][i] for i in range(4)]
    r = combined(c)
    f = [[d[i] * r[k] + c[i] * p[k] for i in range(4) for k in range(3)] for d, p in zip(DIRECTIONS, a)]
    gradient = np.array([float(2 * c[i] * r[k]) for i in range(4) for k in range(3)])
    hessian = np.zeros((12, 12))
    for i in range(12):
        for j in range(12):
            value = c[i // 3] * c[j // 3] if i % 3 == j % 3 else Fraction(0)
            value -= sum(f[p][i] * inverse[p][q] * f[q][j] for p in range(2) for q in range(2))
            hessian[i, j] = float(2 * value)
    return gradient, hessian


def lines(angle):
    """Two lines at an angle, with vertices on a grid of 2⁻⁴⁰ so that their differences are exact."""
    u, turn = np.array([1, *random.uniform(-1, 1, 2)]), random.uniform(0, 6)
    v, w = u + angle * np.array([0, np.cos(turn), np.sin(turn)]), random.uniform(-0.5, 0.5, 3)
    return np.round(np.array([0 * u, u, w, w + v]) * 2.0**40) * 2.0**-40


def error(value, truth):
    return np.abs(value - truth).max() / np.abs(truth).max()


def derivatives():
    print(f"\n{'d² between lines, relative':34s} | {'gradient: ours':>14s} {'ipctk':>8s} | {'Hessian: ours':>13s} {'ipctk':>8s}")
    for exponent in range(1, 10):
        worst = np.zeros(4)
        for _ in range(40):
            x = lines(10.0**-exponent)
            if stiction.distance_squared("ee", x) < 1e-2:
                continue
            gradient, hessian = exact_derivatives(x)
            found = [
                error(stiction.distance_squared_gradient("ee", x).ravel(), gradient),
                error(ipctk.line_line_distance_gradient(*x), gradient),
                error(stiction.distance_squared_hessian("ee", x), hessian),
                error(ipctk.line_line_distance_hessian(*x), hessian),
            ]
            worst = np.maximum(worst, found)
        a, b, c, d = worst
        print(f"{f'lines at 1e-{exponent} rad':34s} | {a:14.1e} {b:8.1e} | {c:13.1e} {d:8.1e}", flush=True)


# --- Published queries of collision detection in time ---


def read(path):
    """Queries of eight points each, and whether they collide."""
    rows = [[int(n) for n in line.split(",")] for line in path.read_text().split()]
    points = np.array([[r[0] / r[1], r[2] / r[3], r[4] / r[5]] for r in rows]).reshape(-1, 8, 3)
    return zip(points, [bool(r[6]) for r in rows[::8]])


def queries():
    here = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("STICTION_CCD_QUERIES", here.parent / "shared/data/ccd-queries"))
    if not folder.is_dir():
        print(f"\nqueries: skipped, there is no {folder.name} folder (set STICTION_CCD_QUERIES)")
        return
    print("\nqueries with exact truth, ipctk; ours: cargo test -p stiction --test all ccd_exact:: -- --nocapture")
    for method in (ipctk.AdditiveCCD(), ipctk.TightInclusionCCD()):
        missed = alarms = free = 0
        for kind, ask in (("edge-edge", method.edge_edge_ccd), ("vertex-face", method.point_triangle_ccd)):
            for path in sorted(folder.glob(f"*/{kind}/*.csv")):
                for x, collides in read(path):
                    hit = ask(*x)[0]
                    missed += collides and not hit
                    alarms += hit and not collides
                    free += not collides
        print(f"{type(method).__name__:34s} | {missed} missed, {alarms} false alarms of {free} free", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="pairs of each kind")
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    distances(parser.parse_args().count)
    derivatives()
    queries()


if __name__ == "__main__":
    main()
