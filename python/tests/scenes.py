"""Scenes with contacts of every kind, and the same scenes as ipctk sees them.

Every coordinate is jittered, so no two features are equally close: which of them is closest is then not a matter
of rounding.
"""

from dataclasses import dataclass, field, replace
from functools import cache

import ipctk
import numpy as np

import stiction


def barrier(contacts, kappa=1.0, **choices):
    """The barrier that acts where contacts begin."""
    return stiction.BarrierPotential(contacts.dhat, kappa, **choices)


@dataclass
class Scene:
    """Positions at rest and now, and what connects them."""

    name: str
    rest: np.ndarray
    x: np.ndarray
    edges: np.ndarray
    faces: np.ndarray
    dhat: float
    planes: list = field(default_factory=list)

    def surface(self):
        return stiction.Surface(self.rest, self.edges, self.faces)

    def contacts(self):
        return stiction.Contacts(self.surface(), self.x, self.dhat, self.planes)

    def ipc_mesh(self):
        surface = self.surface()
        mesh = ipctk.CollisionMesh(self.rest, surface.edges.astype(np.int32), surface.faces.astype(np.int32))
        mesh.planes = [
            ipctk.Hyperplane(unit(normal), np.array(point, float)) for point, normal in self.planes
        ]
        return mesh

    def ipc_collisions(self, mesh):
        """The collisions of ipctk; left to itself, it finds planes only within d̂/2."""
        collisions = ipctk.NormalCollisions()
        if self.planes:
            candidates = ipctk.Candidates()
            candidates.build(mesh, self.x, self.dhat)
            collisions.build(candidates, mesh, self.x, self.dhat)
        else:
            collisions.build(mesh, self.x, self.dhat)
        return collisions


def unit(vector):
    """The vector at length 1."""
    return np.array(vector, float) / np.linalg.norm(vector)


def rotation(random):
    """A random rotation in 3D."""
    q, r = np.linalg.qr(random.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


def merged(parts):
    """One set of positions and primitives from several."""
    starts = np.cumsum([0] + [len(x) for x, _ in parts])
    x = np.concatenate([x for x, _ in parts])
    return x, np.concatenate([primitives + start for (_, primitives), start in zip(parts, starts)])


def grid(cells, random):
    """A jittered sheet of triangles in the plane z = 0, cells of size 1."""
    n = cells + 1
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    x = np.stack([i.ravel(), j.ravel(), np.zeros(n * n)], axis=1) + random.uniform(-0.1, 0.1, (n * n, 3))
    corner = (np.arange(cells)[:, None] * n + np.arange(cells)).ravel()
    lower = np.stack([corner, corner + n, corner + n + 1], axis=1)
    upper = np.stack([corner, corner + n + 1, corner + 1], axis=1)
    return x, np.concatenate([lower, upper])


CUBE_CORNERS = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], float)
CUBE_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    + [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)
TETRAHEDRON_FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
NO_EDGES, NO_FACES = np.zeros((0, 2), int), np.zeros((0, 3), int)


@cache
def sheets(seed, cells=6):
    """Two sheets with different jitter, one above the other."""
    random = np.random.default_rng(seed)
    (low, faces), (high, _) = grid(cells, random), grid(cells, random)
    x, faces = merged([(low, faces), (high + [0.31, 0.17, 0.35], faces)])
    return solid("sheets", x, faces, 0.4, random)


@cache
def twins(seed, cells=5):
    """A sheet above itself, slightly bent: most of its edges have a nearly parallel neighbour."""
    random = np.random.default_rng(seed)
    low, faces = grid(cells, random)
    high = low + [0.11, 0.07, 0.12] + random.uniform(-0.02, 0.02, low.shape)
    x, faces = merged([(low, faces), (high, faces)])
    return solid("twins", x, faces, 0.3, random)


@cache
def cubes(seed, count=5):
    """A few cubes close to each other, each turned at random."""
    random = np.random.default_rng(seed)
    return apart("cubes", CUBE_CORNERS - 0.5, CUBE_FACES, random, count, 0.35)


@cache
def tetrahedra(seed, count=40):
    """A dense cloud of tetrahedra."""
    random = np.random.default_rng(seed)
    return apart("tetrahedra", CUBE_CORNERS[[0, 3, 5, 6]] - 0.5, TETRAHEDRON_FACES, random, count, 0.3)


def apart(name, shape, faces, random, count, dhat):
    """Copies of a convex shape, placed one by one where they touch none of those before."""
    placed = []
    while len(placed) < count:
        size = 1.3 * count ** (1 / 3)
        jittered = shape + random.uniform(-0.05, 0.05, shape.shape)
        copy = jittered @ rotation(random).T + random.uniform(0, size, 3)
        if all(separated(copy, other, 0.02) for other in placed):
            placed.append(copy)
    x, faces = merged([(copy, faces) for copy in placed])
    return solid(name, x, faces, dhat, random)


def separated(a, b, gap):
    """Whether a plane with normal along one of many directions keeps two convex shapes apart."""
    directions = np.random.default_rng(0).normal(size=(300, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return np.any((a @ directions.T).min(axis=0) - (b @ directions.T).max(axis=0) > gap)


def solid(name, x, faces, dhat, random):
    """A scene in 3D that has been deformed a little from its rest shape."""
    return Scene(name, x * 1.1 + random.uniform(-0.01, 0.01, x.shape), x, NO_EDGES, faces, dhat)


@cache
def polygons(seed, rings=6, corners=9):
    """Nested closed polygons in 2D, each inside the one before."""
    random = np.random.default_rng(seed)
    angle = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    ring = np.stack([np.arange(corners), np.roll(np.arange(corners), -1)], axis=1)
    parts = []
    for k in range(rings):
        turned = angle + random.uniform(0, 0.05, corners) + 0.02 * k
        radius = 1.0 + 0.25 * k + random.uniform(-0.08, 0.08, corners)
        parts.append((np.stack([np.cos(turned), np.sin(turned)], axis=1) * radius[:, None], ring))
    x, edges = merged(parts)
    rest = x * 1.1 + random.uniform(-0.01, 0.01, x.shape)
    return Scene("polygons", rest, x, edges, NO_FACES, 0.35)


@cache
def on_planes(seed):
    """Tetrahedra between a floor and a slanted wall."""
    scene = tetrahedra(seed)
    slanted = [2, 0.1, 0.3]
    first = scene.x[np.argmin(scene.x @ slanted)]
    floor = scene.x[:, 2].min() - 0.08
    planes = [([0, 0, floor], [0, 0, 1]), (first - 0.07 * unit(slanted), slanted)]
    return replace(scene, name="on planes", planes=planes)


ALL = [sheets, twins, cubes, tetrahedra, polygons, on_planes]
# ipctk leaves nearly parallel edges without friction; these scenes have none.
WITHOUT_PARALLEL = [cubes, tetrahedra, polygons, on_planes]
