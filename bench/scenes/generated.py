"""Scenes that are made here, in any size: `blocks(n)` and `cloth(n)`.

blocks: three blocks of 0.2 m × 0.1 m × 0.2 m slide on each other and on the ground; each has 2n × n × 2n cells of six tetrahedra.
cloth:  a sheet of 0.5 m × 0.5 m falls onto a fixed cube of 0.2 m; it has n × n cells of two triangles.
"""

import math
from itertools import product

from scene import Body, Cell, Point, Scene

BLOCKS = (4, 8, 12, 16, 20)  # 1,215 to 105,903 vertices
CLOTHS = (40, 80, 160, 320)  # 1,681 to 103,041 vertices
# The order in which the six paths from a cell's corner to the opposite one take the axes; the last three are left-handed.
PATHS = ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2))
GRAVITY = [0.0, -9.81, 0.0]
TOLERANCE = 1e-3  # in m/s, also for libuipc


def blocks(n: int) -> Scene:
    points, tets = box_mesh((0.2, 0.1, 0.2), (2 * n, n, 2 * n))
    bodies = []
    for k in range(3):
        place = (0.02 * k, 0.0508 + 0.1012 * k, 0.01 * k)
        material = {"young": 1e6, "poisson": 0.4, "density": 1000.0, "kind": "stable_neo_hookean"}
        keys = {"material": material, "velocity": [0.3 * (k + 1), 0.0, 0.0]}
        bodies.append(Body(f"block {k}", "solid", moved(points, place), tets, keys))
    settings = {
        "dimension": 3,
        "gravity": GRAVITY,
        "time": {"step": 0.01},
        "contact": {"dhat": 1e-3},
        "friction": {"mu": 0.3, "eps_v": 1e-3},
        "planes": [{"point": [0.0, 0.0, 0.0], "normal": [0.0, 1.0, 0.0]}],
    }
    return Scene(f"blocks-{n}", 30, settings, TOLERANCE, bodies)


def cloth(n: int) -> Scene:
    side = 0.5
    points, triangles = sheet_mesh(side, n, 20.0)
    corners, tets = box_mesh((0.2, 0.2, 0.2), (1, 1, 1))
    material = {"young": 1e5, "poisson": 0.3, "density": 300.0, "kind": "neo_hookean"}
    bodies = [
        Body("cloth", "sheet", moved(points, (0.02, 0.05, 0.0)), triangles, {"material": material, "thickness": 1e-3}),
        Body("box", "static", moved(corners, (0.0, -0.1, 0.0)), tets),
    ]
    settings = {
        "dimension": 3,
        "gravity": GRAVITY,
        "time": {"step": 0.02},
        "contact": {"dhat": 0.2 * side / n},
        "friction": {"mu": 0.3, "eps_v": 1e-2},
    }
    return Scene(f"cloth-{n}", 50, settings, TOLERANCE, bodies)


def moved(points: list[Point], by: tuple[float, float, float]) -> list[Point]:
    return [[x + d for x, d in zip(point, by)] for point in points]


def box_mesh(size: tuple[float, float, float], cells: tuple[int, int, int]) -> tuple[list[Point], list[Cell]]:
    """A box about the origin, cut as the scene key `shape.box` cuts it."""
    nx, ny, nz = cells
    points = [
        [(i / n - 0.5) * s for i, n, s in zip((ix, iy, iz), cells, size)]
        for iz, iy, ix in product(range(nz + 1), range(ny + 1), range(nx + 1))
    ]
    strides = (1, nx + 1, (nx + 1) * (ny + 1))
    paths = [path_offsets(strides, path, turn=k >= 3) for k, path in enumerate(PATHS)]
    tets = [
        [ix + strides[1] * iy + strides[2] * iz + offset for offset in offsets]
        for iz, iy, ix in product(range(nz), range(ny), range(nx))
        for offsets in paths
    ]
    return points, tets


def path_offsets(strides: tuple[int, int, int], path: tuple[int, int, int], turn: bool) -> list[int]:
    """The vertices of a tetrahedron, counted from its cell's first corner; turned where that makes its volume positive."""
    first, second, third = (strides[axis] for axis in path)
    a, b, c, d = 0, first, first + second, first + second + third
    return [a, b, d, c] if turn else [a, b, c, d]


def sheet_mesh(side: float, n: int, degrees: float) -> tuple[list[Point], list[Cell]]:
    """A level sheet about the origin, turned about y; diagonals alternate, normals point up."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    points = []
    for iz, ix in product(range(n + 1), repeat=2):
        x, z = (ix / n - 0.5) * side, (iz / n - 0.5) * side
        points.append([cos * x + sin * z, 0.0, cos * z - sin * x])
    triangles: list[Cell] = []
    for iz, ix in product(range(n), repeat=2):
        a = ix + (n + 1) * iz
        b, c, d = a + 1, a + n + 2, a + n + 1
        triangles += [[a, c, b], [a, d, c]] if (ix + iz) % 2 == 0 else [[a, d, b], [b, d, c]]
    return points, triangles
