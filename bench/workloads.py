"""Scenes to measure with, made from a seed: numpy only, without any contact library.

workload(name, size) gives positions free of intersections whose typical gap is half of dhat, and two displacements:
`nudge`, small and almost always free of collisions, as near the end of a solve, and `push`, into real collisions.

W1  two wavy cloths, one turned by 7°          W2  a pile of spheres on a grid
W3  a sheet rolled up                          W4  a honeycomb in 2D
W5  meshes from the folder STICTION_DATA (by default ../shared/data/meshes beside the repository): two thick cloths,
    a bunny on its mirror image, cloth falling on a ball, three times that. The last two intersect themselves: a load
    for broad phases and step bounds only.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SIZES = ("tiny", "small", "medium", "large")
REPOSITORY = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("STICTION_DATA", REPOSITORY.parent / "shared" / "data" / "meshes"))


class Absent(Exception):
    """The workload needs files that are not there."""


@dataclass
class Workload:
    name: str
    size: str
    rest: np.ndarray  # (n, D), in m
    x: np.ndarray  # (n, D), in m
    edges: np.ndarray  # (m, 2)
    faces: np.ndarray  # (k, 3), none in 2D
    dhat: float  # in m
    nudge: np.ndarray  # (n, D), in m
    push: np.ndarray  # (n, D), in m


def workload(name, size, seed=0):
    """The workload of that name; Absent if it needs files that are not there."""
    rest, x, edges, faces, dhat, nudge, push = MAKERS[name](SIZES.index(size), seed)
    edges = edges_of(faces) if edges is None else edges
    floats = (np.ascontiguousarray(a, float) for a in (rest, x, nudge, push))
    rest, x, nudge, push = floats
    return Workload(name, size, rest, x, edges.astype(np.int32), faces.astype(np.int32), dhat, nudge, push)


def edges_of(faces):
    """The edges of the faces, each once, ascending."""
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    return np.unique(edges, axis=0)


def grid(rows, columns):
    """Integer coordinates of the vertices of a grid, and its triangles with alternating diagonals."""
    i, j = np.meshgrid(np.arange(rows + 1), np.arange(columns + 1), indexing="ij")
    number = np.arange(i.size).reshape(i.shape)
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    odd = ((i + j)[:-1, :-1] % 2 == 1)[..., None]
    first = np.where(odd, np.stack([a, b, c], -1), np.stack([a, b, d], -1))
    second = np.where(odd, np.stack([a, c, d], -1), np.stack([b, c, d], -1))
    faces = np.stack([first, second], axis=2).reshape(-1, 3)
    return np.stack([i.ravel(), j.ravel()], axis=1).astype(float), faces


def cloths(size, seed):
    """Two parallel wavy cloths; dhat is half an edge, the gap half of dhat."""
    cells = (11, 35, 112, 274)[size]
    random = np.random.default_rng(seed + 101)
    h = 1 / cells
    dhat, gap = h / 2, h / 4
    flat, faces = grid(cells, cells)
    jitter = lambda amount, shape: random.uniform(-amount, amount, shape)  # noqa: E731
    turn = np.deg2rad(7)
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    low, low_normal = on_wave((flat + jitter(0.1, flat.shape)) * h)
    high = ((flat + jitter(0.1, flat.shape)) * h - 0.5) @ rotation + 0.5 + np.array([0.37, 0.21]) * h
    high, high_normal = on_wave(high)
    low = low + low_normal * jitter(0.05, (len(low), 1)) * gap
    high = high + high_normal * (1 + jitter(0.05, (len(high), 1))) * gap
    x, normal = np.concatenate([low, high]), np.concatenate([low_normal, high_normal])
    upper = np.repeat([0.0, 1.0], len(low))[:, None]
    nudge = random.normal(size=x.shape) * 0.1 * gap
    push = upper * ([1.0, 0.3, 0] - 3 * normal) * gap + random.normal(size=x.shape) * 0.3 * gap
    return x, x, None, np.concatenate([faces, faces + len(low)]), dhat, nudge, push


def on_wave(p, height=0.05, k=3 * np.pi):
    """Points of the plane lifted onto z = height sin(kx) cos(ky), and the normals there."""
    (sin_x, sin_y), (cos_x, cos_y) = np.sin(k * p.T), np.cos(k * p.T)
    slope = height * k * np.stack([cos_x * cos_y, -sin_x * sin_y], axis=1)
    normal = np.column_stack([-slope, np.ones(len(p))])
    return np.column_stack([p, height * sin_x * cos_y]), normal / np.linalg.norm(normal, axis=1)[:, None]


def pile(size, seed):
    """Layers of closely packed spheres of radius 1 m on a grid; dhat is 0.1 m."""
    refined, columns, rows, layers, cells = (
        (1, 2, 2, 1, 9),
        (2, 2, 2, 3, 24),
        (3, 4, 3, 3, 45),
        (3, 7, 8, 4, 85),
    )[size]
    random = np.random.default_rng(seed + 202)
    dhat, gap = 0.1, 0.05
    ball, ball_faces = sphere(refined)
    d = 2 + gap
    layer, j, i = (a.ravel() for a in np.indices((layers, rows, columns)))
    # Inscribed polyhedra are inside their spheres, so they are apart by the gap at least.
    middles = np.stack(
        [
            d * (i + 0.5 * ((j + layer) % 2)),
            d * np.sqrt(3) / 2 * (j + (layer % 2) / 3),
            1 + gap + d * np.sqrt(2 / 3) * layer,
        ],
        axis=1,
    )
    balls = [ball @ random_rotation(random).T + middle for middle in middles]
    low, high = middles[:, :2].min(axis=0) - 1.5, middles[:, :2].max(axis=0) + 1.5
    flat, ground_faces = grid(cells, cells)
    ground = low + (high - low) * flat / cells
    ground += random.uniform(-0.1, 0.1, ground.shape) * (high - low).min() / cells
    x = np.concatenate([*balls, np.column_stack([ground, np.zeros(len(ground))])])
    faces = [ball_faces + k * len(ball) for k in range(len(middles))]
    faces = np.concatenate([*faces, ground_faces + len(middles) * len(ball)])
    drift = random.normal(size=(len(middles), 3)) * 2 * gap - [0, 0, 2 * gap]
    drift = np.concatenate([np.repeat(drift, len(ball), axis=0), np.zeros((len(ground), 3))])
    nudge = random.normal(size=x.shape) * 0.1 * gap
    return x, x, None, faces, dhat, nudge, drift + random.normal(size=x.shape) * 0.2 * gap


def sphere(refined):
    """An icosahedron in the unit sphere, each triangle cut into four `refined` times."""
    t = (1 + np.sqrt(5)) / 2
    x = np.array([[0, a, b * t] for a in (-1, 1) for b in (-1, 1)])
    x = np.concatenate([x, x[:, [1, 2, 0]], x[:, [2, 0, 1]]])
    near = np.isclose(np.linalg.norm(x[:, None] - x, axis=2), 2)
    faces = [(a, b, c) for a in range(12) for b in range(a) for c in range(b) if near[a, b] and near[b, c] and near[c, a]]
    x, faces = x / np.linalg.norm(x[0]), np.array(faces)
    for _ in range(refined):
        sides = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
        sides, which = np.unique(sides, axis=0, return_inverse=True)
        middle = x[sides].sum(axis=1)
        ab, bc, ca = len(x) + which.reshape(3, -1)
        x = np.concatenate([x, middle / np.linalg.norm(middle, axis=1)[:, None]])
        a, b, c = faces.T
        parts = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = np.concatenate([np.stack(part, axis=1) for part in parts])
    return x, faces


def random_rotation(random):
    """A rotation in 3D from a random unit quaternion."""
    w, x, y, z = (q := random.normal(size=4)) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def roll(size, seed):
    """A sheet rolled into an Archimedean spiral whose layers are half of dhat apart; flat at rest."""
    rows = (8, 25, 79, 194)[size]
    random = np.random.default_rng(seed + 303)
    h = 1 / rows
    dhat, gap = h / 2, h / 4
    flat, faces = grid(4 * rows, rows)
    s, w = ((flat + random.uniform(-0.1, 0.1, flat.shape)) * h).T
    # r(θ) = r0 + a θ; θ of an arc length from a fine sum.
    r0, a = 3 * h, gap / (2 * np.pi)
    last = (np.sqrt(r0**2 + 2 * a * (4 * rows + 1) * h * 1.05) - r0) / a + 10
    theta = np.linspace(0, last, 400_000)
    speed = np.hypot(r0 + a * theta, a)
    arc = np.concatenate([[0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(theta))])
    angle = np.interp(s - s.min(), arc, theta)
    radius = r0 + a * angle + random.uniform(-0.05, 0.05, len(angle)) * gap
    normal = np.column_stack([np.cos(angle), np.zeros(len(angle)), np.sin(angle)])
    x = normal * radius[:, None] + np.column_stack([0 * w, w, 0 * w])
    nudge = random.normal(size=x.shape) * 0.1 * gap
    wave = np.sin(2 * np.pi * s / (9.7 * h)) * np.cos(2 * np.pi * w / (11.3 * h))
    push = normal * (1.5 * gap * wave)[:, None] + random.normal(size=x.shape) * 0.2 * gap
    return np.column_stack([s, w, 0 * s]), x, None, faces, dhat, nudge, push


def honeycomb(size, seed):
    """Hexagons of 24 edges in 2D; dhat is 0.3 of an edge, the gap half of dhat."""
    count = (20, 208, 2084, 12500)[size]
    random = np.random.default_rng(seed + 404)
    h = 0.25
    dhat, gap = 0.3 * h, 0.15 * h
    angle = np.deg2rad(60 * np.arange(6) + 30)
    corner = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    side = np.roll(corner, -1, axis=0) - corner
    hexagon = (corner[:, None] + np.arange(4)[:, None] * h * side[:, None]).reshape(-1, 2)
    columns = int(np.ceil(np.sqrt(count)))
    i, j = (a.ravel()[:count] for a in np.indices((columns, columns)))
    middle = (np.sqrt(3) + gap) * np.stack([i + 0.5 * (j % 2), np.sqrt(3) / 2 * j], axis=1)
    # Vertices slide along their sides, except corners, and move a little: contacts are then generic.
    inner = np.arange(24) % 4 != 0
    slide = (random.uniform(-0.25, 0.25, (count, 24)) * h * inner)[..., None] * np.repeat(side, 4, axis=0)
    x = hexagon + middle[:, None] + slide + random.uniform(-0.1, 0.1, (count, 24, 2)) * gap
    x = x.reshape(-1, 2)
    ring = np.stack([np.arange(24), (np.arange(24) + 1) % 24], axis=1)
    edges = (ring + 24 * np.arange(count)[:, None, None]).reshape(-1, 2)
    nudge = random.normal(size=x.shape) * 0.1 * gap
    drift = np.repeat(random.normal(size=(count, 2)) * 1.5 * gap, 24, axis=0)
    push = drift + random.normal(size=x.shape) * 0.2 * gap
    return x, x, edges, np.zeros((0, 3), int), dhat, nudge, push


def meshes(size, seed):
    """Meshes from files."""
    random = np.random.default_rng(seed + 505)
    if size == 0:
        (x, faces), (end, _) = read_ply("thick-cloth/t0.ply"), read_ply("thick-cloth/t1.ply")
        dhat, push = 0.01 * np.linalg.norm(np.ptp(x, axis=0)), end - x
    elif size == 1:
        bunny, faces = read_ply("bunny.ply")
        dhat = 0.5 * np.linalg.norm(bunny[faces[:, 0]] - bunny[faces[:, 1]], axis=1).mean()
        mirrored = bunny * [1, -1, 1] + [0, 2 * bunny[:, 1].min() - 0.5 * dhat, 0]
        x = np.concatenate([bunny, mirrored])
        faces = np.concatenate([faces, faces[:, ::-1] + len(bunny)])
        upper = np.repeat([0.0, 1.0], len(bunny))[:, None]
        push = upper * np.array([0.3, 1.5, 0.1]) * dhat + random.normal(size=x.shape) * 0.05 * dhat
    else:
        (one, one_faces), (end, _) = read_ply("cloth_ball92.ply"), read_ply("cloth_ball93.ply")
        dhat, copies = 0.01, 1 if size == 2 else 3
        step = np.array([1.1 * np.ptp(one[:, 0]), 0, 0])
        x = np.concatenate([one + k * step for k in range(copies)])
        faces = np.concatenate([one_faces + k * len(one) for k in range(copies)])
        push = np.tile(end - one, (copies, 1))
    return x, x, None, faces, dhat, random.normal(size=x.shape) * 0.01 * dhat, push


def read_ply(name):
    """Vertices and triangles of a PLY file."""
    import meshio

    if not (DATA / name).is_file():
        raise Absent(f"{DATA / name} is not there: set STICTION_DATA to the folder of the meshes")
    mesh = meshio.read(DATA / name)
    return mesh.points.astype(float), mesh.cells_dict["triangle"].astype(int)


MAKERS = {"W1": cloths, "W2": pile, "W3": roll, "W4": honeycomb, "W5": meshes}
