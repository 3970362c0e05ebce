#!/usr/bin/env python3
"""Writes the meshes that the gallery's scenes read. Needs NumPy; the same files on every machine.

Every mesh is a structured grid that a formula bends into shape, so no mesh generator is needed:

    python3 docs/gallery/meshes/make.py
"""

from itertools import permutations
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent


def text(x):
    """A coordinate with six digits after the point and no negative zero."""
    return f"{round(float(x), 6) + 0.0:.6f}".rstrip("0").rstrip(".")


def write_obj(name, what, vertices, faces):
    """A surface, or a solid in 2D."""
    vertices = np.asarray(vertices, float)
    if vertices.shape[1] == 2:
        vertices = np.column_stack([vertices, np.zeros(len(vertices))])
    lines = [f"# {what}"]
    lines += ["v " + " ".join(map(text, v)) for v in vertices]
    lines += ["f " + " ".join(str(i + 1) for i in face) for face in faces]
    (HERE / f"{name}.obj").write_text("\n".join(lines) + "\n")
    print(f"{name}.obj: {len(vertices)} vertices, {len(faces)} triangles")


def write_msh(name, vertices, cells, kind):
    """Gmsh's format 2.2: kind 1 is a line, 4 a tetrahedron."""
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(vertices))]
    lines += [f"{i + 1} " + " ".join(map(text, v)) for i, v in enumerate(vertices)]
    lines += ["$EndNodes", "$Elements", str(len(cells))]
    lines += [f"{i + 1} {kind} 2 1 1 " + " ".join(str(v + 1) for v in cell) for i, cell in enumerate(cells)]
    lines += ["$EndElements"]
    (HERE / f"{name}.msh").write_text("\n".join(lines) + "\n")
    print(f"{name}.msh: {len(vertices)} vertices, {len(cells)} cells")


def grid(counts, wrap=()):
    """Points of a grid in [0, 1]^d, cut into triangles or tetrahedra; axes in `wrap` are closed."""
    counts = list(counts)
    dimension = len(counts)
    ends = [n if k in wrap else n + 1 for k, n in enumerate(counts)]
    axes = [np.arange(end) / n for end, n in zip(ends, counts)]
    points = np.stack([a.ravel() for a in np.meshgrid(*axes, indexing="ij")], axis=1)

    def number(place):
        index = 0
        for k in range(dimension):
            index = index * ends[k] + place[k] % ends[k]
        return index

    cells = []
    for cell in np.ndindex(*counts):
        for path in permutations(range(dimension)):
            place = list(cell)
            corners = [number(place)]
            for axis in path:
                place[axis] += 1
                corners.append(number(place))
            cells.append(corners)
    return points, np.array(cells)


def square_to_disc(p):
    """Maps [-1, 1]² to the unit disc; squares around the centre become circles."""
    size = np.maximum(np.abs(p).max(axis=1), 1e-12)
    length = np.maximum(np.linalg.norm(p, axis=1), 1e-12)
    blend = size**2
    return p * ((1 - blend) * 0.9 + blend * size / length)[:, None]


def cube_to_ball(p):
    """Maps [-1, 1]³ to the unit ball."""
    size = np.maximum(np.abs(p).max(axis=1), 1e-12)
    length = np.maximum(np.linalg.norm(p, axis=1), 1e-12)
    bent = np.tan(p / size[:, None] * np.pi / 4) * size[:, None]
    bent_length = np.maximum(np.linalg.norm(bent, axis=1), 1e-12)
    blend = (size**2)[:, None]
    return (1 - blend) * p * 0.75 + blend * bent * (size / bent_length)[:, None] + 0 * length[:, None]


def icosphere(times):
    """A sphere of radius 1 whose triangles are nearly equal."""
    t = (1 + 5**0.5) / 2
    v = [
        (-1, t, 0),
        (1, t, 0),
        (-1, -t, 0),
        (1, -t, 0),
        (0, -1, t),
        (0, 1, t),
        (0, -1, -t),
        (0, 1, -t),
        (t, 0, -1),
        (t, 0, 1),
        (-t, 0, -1),
        (-t, 0, 1),
    ]
    v = [np.array(x) / np.linalg.norm(x) for x in v]
    faces = [
        (0, 11, 5),
        (0, 5, 1),
        (0, 1, 7),
        (0, 7, 10),
        (0, 10, 11),
        (1, 5, 9),
        (5, 11, 4),
        (11, 10, 2),
        (10, 7, 6),
        (7, 1, 8),
        (3, 9, 4),
        (3, 4, 2),
        (3, 2, 6),
        (3, 6, 8),
        (3, 8, 9),
        (4, 9, 5),
        (2, 4, 11),
        (6, 2, 10),
        (8, 6, 7),
        (9, 8, 1),
    ]
    for _ in range(times):
        middles, finer = {}, []
        for a, b, c in faces:
            new = []
            for i, j in ((a, b), (b, c), (c, a)):
                key = (min(i, j), max(i, j))
                if key not in middles:
                    middle = v[i] + v[j]
                    middles[key] = len(v)
                    v.append(middle / np.linalg.norm(middle))
                new.append(middles[key])
            ab, bc, ca = new
            finer += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = finer
    return np.array(v), np.array(faces)


def revolve(profile, around):
    """The surface that a profile of (radius, height) makes when it turns about the y axis; it begins and ends on the axis."""
    profile = np.asarray(profile, float)
    rings = profile[1:-1]
    angles = 2 * np.pi * np.arange(around) / around
    v = [[0, profile[0, 1], 0]]
    v += [[r * np.cos(a), y, r * np.sin(a)] for r, y in rings for a in angles]
    v += [[0, profile[-1, 1], 0]]
    faces = []
    last = len(v) - 1
    for k in range(around):
        n = (k + 1) % around
        faces.append((0, 1 + k, 1 + n))
        for j in range(len(rings) - 1):
            a, b = 1 + j * around + k, 1 + j * around + n
            c, d = a + around, b + around
            faces += [(a, c, b), (b, c, d)]
        top = 1 + (len(rings) - 1) * around
        faces.append((top + k, last, top + n))
    return np.array(v), np.array(faces)


def frames(curve, closed):
    """For each point of a curve two normals that turn as little as possible along it."""
    n = len(curve)
    if closed:
        tangent = np.roll(curve, -1, 0) - np.roll(curve, 1, 0)
    else:
        tangent = np.gradient(curve, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1)[:, None]
    normal = np.zeros_like(curve)
    start = np.eye(3)[np.argmin(np.abs(tangent[0]))]
    normal[0] = start - start @ tangent[0] * tangent[0]
    for k in range(1, n):
        normal[k] = normal[k - 1] - normal[k - 1] @ tangent[k] * tangent[k]
        normal[k] /= np.linalg.norm(normal[k])
    normal[0] /= np.linalg.norm(normal[0])
    second = np.cross(tangent, normal)
    if closed:
        # What the normals miss after one turn is spread over the curve.
        end = normal[-1] - normal[-1] @ tangent[0] * tangent[0]
        miss = np.arctan2(end @ second[0], end @ normal[0])
        for k in range(n):
            a = -miss * k / n
            normal[k], second[k] = (
                np.cos(a) * normal[k] + np.sin(a) * second[k],
                -np.sin(a) * normal[k] + np.cos(a) * second[k],
            )
    return normal, second


def tube(curve, radius, around, closed):
    """The surface of a round tube along a curve, with flat ends where it is open."""
    normal, second = frames(curve, closed)
    n = len(curve)
    angles = 2 * np.pi * (np.arange(around) + 0.5) / around
    v = [curve[k] + radius * (np.cos(a) * normal[k] + np.sin(a) * second[k]) for k in range(n) for a in angles]
    faces = []
    for k in range(n if closed else n - 1):
        for j in range(around):
            a, b = k * around + j, k * around + (j + 1) % around
            c, d = (k + 1) % n * around + j, (k + 1) % n * around + (j + 1) % around
            faces += [(a, b, c), (b, d, c)]
    if not closed:
        for k, flip in ((0, True), (n - 1, False)):
            centre = len(v)
            v.append(curve[k])
            for j in range(around):
                a, b = k * around + j, k * around + (j + 1) % around
                faces.append((centre, b, a) if flip else (centre, a, b))
    return np.array(v), np.array(faces)


def square_tube(curve, half, cells, closed):
    """Tetrahedra of a bar of square section along a curve: the coarse mesh that carries a tube."""
    normal, second = frames(curve, closed)
    n = len(curve)
    along = n if closed else n - 1
    points, tetrahedra = grid([along, cells, cells], wrap=(0,) if closed else ())
    place = np.rint(points[:, 0] * along).astype(int)
    offset = (points[:, 1:] * 2 - 1) * half
    v = curve[place] + offset[:, :1] * normal[place] + offset[:, 1:] * second[place]
    return v, tetrahedra


def circle(radius, n):
    a = 2 * np.pi * np.arange(n) / n
    return radius * np.column_stack([np.cos(a), np.sin(a), 0 * a])


def disc():
    points, cells = grid([32, 32])
    write_obj("disc", "A disc of radius 1.", square_to_disc(points * 2 - 1), cells)


def grain():
    """A rounded hexagon: six sectors of a fan."""
    v, f = [[0.0, 0.0]], []
    n = 24
    for ring in (1, 2):
        for k in range(n):
            a = 2 * np.pi * k / n
            edge = np.cos(np.pi / 6) / np.cos((a + np.pi / 6) % (np.pi / 3) - np.pi / 6)
            r = (0.55 * edge + 0.45 * 0.93) * ring / 2
            v.append([r * np.cos(a), r * np.sin(a)])
    for k in range(n):
        n1 = (k + 1) % n
        f += [(0, 1 + k, 1 + n1), (1 + k, 1 + n + k, 1 + n1), (1 + n1, 1 + n + k, 1 + n + n1)]
    write_obj("grain", "A rounded hexagon of radius 1.", v, f)


def tyre():
    points, cells = grid([4, 160], wrap=(1,))
    r, a = 0.8 + 0.2 * points[:, 0], 2 * np.pi * points[:, 1]
    write_obj("tyre", "A ring of radii 0.8 and 1.", np.column_stack([r * np.cos(a), r * np.sin(a)]), cells)


def pinion(teeth=18, bore=4.5, pressure_deg=20.0):
    """An involute gear of module 1: its tooth flanks are sampled at equal steps of the radius."""
    alpha = np.radians(pressure_deg)
    pitch, base = teeth / 2, teeth / 2 * np.cos(alpha)
    root, tip = pitch - 1.2, pitch + 1.0

    def involute(r):
        x = np.arccos(min(1.0, base / r))
        return np.tan(x) - x

    half = np.pi / (2 * teeth) - 0.003  # half a tooth at the pitch circle, less some backlash
    outline = []
    radii = np.linspace(base, tip, 8)
    flank = [(-half - involute(pitch) + involute(r), r) for r in radii]
    for k in range(teeth):
        turn = 2 * np.pi * k / teeth
        foot = flank[0][0]
        gap = np.pi / teeth
        outline += [(turn - gap, root), (turn + (foot - gap) * 0.5, root), (turn + foot - 0.012, root + 0.05)]
        outline += [(turn + a, r) for a, r in flank]
        outline += [(turn, tip)]
        outline += [(turn - a, r) for a, r in flank[::-1]]
        outline += [(turn - foot + 0.012, root + 0.05), (turn + (gap - foot) * 0.5, root)]
    angles = np.array([a for a, _ in outline])
    radii = np.array([r for _, r in outline])
    layers = 5
    _, cells = grid([layers, len(outline)], wrap=(1,))
    # Angles become regular towards the bore.
    regular = angles[0] + 2 * np.pi * np.arange(len(outline)) / len(outline)
    v = []
    for layer in range(layers + 1):
        s = layer / layers
        r = bore + (radii - bore) * s
        a = regular * (1 - s) + angles * s
        v += list(np.column_stack([r * np.cos(a), r * np.sin(a)]))
    write_obj("pinion", "An involute gear of module 1 with 18 teeth.", v, cells)


def rack(teeth=22, pressure_deg=20.0):
    """The rack of the pinion: the pitch line is y = 0."""
    t = np.tan(np.radians(pressure_deg))
    depth, top, bottom = -1.25, 0.95, -3.2
    quarter = np.pi / 4 - 0.05
    outline = []
    for k in range(teeth):
        x = np.pi * k
        for s in np.linspace(0, 1, 4)[:-1]:
            outline.append((x - np.pi / 2 + s * (np.pi / 2 - quarter + depth * t), depth))
        for y in np.linspace(depth, top, 7):
            outline.append((x - quarter + y * t, y))
        outline.append((x, top))
        for y in np.linspace(top, depth, 7):
            outline.append((x + quarter - y * t, y))
        for s in np.linspace(0, 1, 4)[1:-1]:
            outline.append((x + quarter - depth * t + s * (np.pi / 2 - quarter + depth * t), depth))
    outline.append((np.pi * (teeth - 0.5), depth))
    outline = np.array(outline)
    layers = 4
    _, cells = grid([layers, len(outline) - 1])
    v = []
    regular = np.linspace(outline[0, 0], outline[-1, 0], len(outline))
    for layer in range(layers + 1):
        s = layer / layers
        v += list(np.column_stack([regular * (1 - s) + outline[:, 0] * s, bottom + (outline[:, 1] - bottom) * s]))
    write_obj("rack", "A rack of module 1 with 22 teeth.", v, cells)


def drawer():
    """A tray without a lid seen from above, 0.8 wide and 0.25 long, with walls of 0.025."""
    nx, ny = 32, 10
    points, cells = grid([nx, ny])
    keep = []
    for index, cell in enumerate(cells):
        i, j = divmod(index // 2, ny)
        if i in (0, nx // 2 - 1, nx // 2, nx - 1) or j in (0, ny - 1):
            keep.append(cell)
    write_obj("drawer", "The rim of a drawer with a partition, 0.8 by 0.25.", (points - 0.5) * [0.8, 0.25], keep)


def slider():
    """A block 0.2 by 0.14 and the strip 0.8 by 0.004 to the left of it, which is its spring."""
    points, cells = grid([100, 15])
    keep = [cell for index, cell in enumerate(cells) if (index // 2) // 15 >= 80 or (index // 2) % 15 == 7]
    heights = np.concatenate([np.linspace(0, 0.068, 8), np.linspace(0.072, 0.14, 8)])
    v = np.column_stack([points[:, 0] - 0.8, heights[np.rint(points[:, 1] * 15).astype(int)]])
    write_obj("slider", "A block with a strip.", *used(v, keep))


def hook():
    """The two prongs of a snap fit and the block that joins them; they point to the right."""
    x = np.concatenate(
        [
            np.linspace(-0.1, 0, 7)[:-1],
            np.linspace(0, 0.3, 25)[:-1],
            np.linspace(0.3, 0.309, 3)[:-1],
            np.linspace(0.309, 0.46, 17),
        ]
    )
    inner = np.where(x < 0.3, 0.03, np.interp(x, [0.3, 0.46], [0.03, 0.034]))
    outer = np.interp(x, [0, 0.3, 0.309, 0.32, 0.45, 0.46], [0.06, 0.06, 0.09, 0.09, 0.055, 0.045])
    outer = np.where(x < -0.001, 0.13, outer)
    levels = 4
    rows = []
    for s in np.linspace(-1, 0, levels + 1):
        rows.append(-inner + (outer - inner) * s)
    rows += [-inner * f for f in (0.5, 0.0, -0.5)]
    for s in np.linspace(0, 1, levels + 1):
        rows.append(inner + (outer - inner) * s)
    rows = np.array(rows)
    n, m = len(x) - 1, len(rows) - 1
    _, cells = grid([n, m])
    v = np.column_stack([np.repeat(x, m + 1), rows.T.ravel()])
    keep = [
        cell for index, cell in enumerate(cells) if (index // 2) // m < 6 or not levels <= (index // 2) % m < m - levels
    ]
    write_obj("hook", "The prongs of a snap fit.", *used(v, keep))


def used(v, f):
    f = np.asarray(f)
    names, inverse = np.unique(f, return_inverse=True)
    return np.asarray(v)[names], inverse.reshape(f.shape)


def ball():
    points, cells = grid([6, 6, 6])
    write_msh("ball-mid", cube_to_ball(points * 2 - 1) * 1.045, cells, 4)
    points, cells = grid([10, 10, 10])
    write_msh("ball-fine", cube_to_ball(points * 2 - 1) * 1.016, cells, 4)
    write_obj("ball", "A sphere of radius 1.", *icosphere(4))
    write_obj("ball-3", "A sphere of radius 1, coarser.", *icosphere(3))


def ring():
    """A static torus with an inner radius of 1."""
    write_obj(
        "funnel", "A torus around the y axis, radii 1.3 and 0.3.", *tube(circle(1.3, 72)[:, [0, 2, 1]], 0.3, 24, True)
    )


def link():
    """A link of a chain, upright in the xy plane."""
    for name, n in (("link-coarse", 14), ("link", 40)):
        a = 2 * np.pi * np.arange(n) / n
        curve = np.column_stack([0.9 * np.cos(a), 1.3 * np.sin(a), 0 * a])
        if name == "link":
            v, f = tube(curve, 0.25, 12, True)
            write_obj(name, "An oval link of a chain, wire of radius 0.25.", v, f)
            write_obj("link-across", "The same link in the yz plane.", v[:, [2, 1, 0]], f)
        else:
            v, cells = square_tube(curve * 1.012, 0.285, 1, True)
            write_msh(name, v, cells, 4)
            write_msh("link-coarse-across", v[:, [2, 1, 0]], cells, 4)


def yarn():
    """A straight round strand along x, 40 long and of radius 1."""
    line = lambda n: np.column_stack([np.linspace(-20, 20, n), np.zeros(n), np.zeros(n)])
    write_msh("strand-coarse", *square_tube(line(41), 1.0, 1, False), 4)
    write_obj("strand", "A round strand along x, 40 long, of radius 0.97.", *tube(line(121) * 0.9999, 0.97, 12, False))


def finger():
    """A finger along y, 10 long and of radius 1, with a round tip at the bottom."""
    profile = (
        [(0, -1.0), (0.38, -0.92), (0.71, -0.71), (0.92, -0.38)] + [(1.0, y) for y in np.linspace(0, 9, 22)] + [(0, 9)]
    )
    write_obj("finger", "A finger along y with a round tip.", *revolve(profile, 24))
    points, cells = grid([2, 12, 2])
    flat = square_to_disc(points[:, [0, 2]] * 2 - 1) * 1.1
    size = np.abs(points[:, [0, 2]] * 2 - 1).max(axis=1) > 0.5
    flat[size] /= np.abs(np.linalg.norm(flat[size], axis=1))[:, None]
    flat[size] *= 1.09
    write_msh("finger-coarse", np.column_stack([flat[:, 0], -1.02 + 10.03 * points[:, 1], flat[:, 1]]), cells, 4)


def pin():
    """A bowling pin, 1 high, and the coarse mesh around it."""
    profile = [
        (0, 0),
        (0.075, 0.0),
        (0.09, 0.012),
        (0.115, 0.08),
        (0.142, 0.18),
        (0.155, 0.29),
        (0.150, 0.38),
        (0.128, 0.48),
        (0.098, 0.56),
        (0.07, 0.64),
        (0.06, 0.70),
        (0.062, 0.76),
        (0.076, 0.83),
        (0.084, 0.88),
        (0.08, 0.93),
        (0.064, 0.97),
        (0.035, 0.993),
        (0, 1.0),
    ]
    write_obj("pin", "A bowling pin of height 1.", *revolve(profile, 24))
    heights = np.array([-0.001, 0.09, 0.19, 0.34, 0.48, 0.58, 0.72, 0.80, 0.90, 0.97, 1.003])
    widths = np.array([0.105, 0.135, 0.163, 0.172, 0.150, 0.112, 0.078, 0.085, 0.098, 0.09, 0.055])
    points, cells = grid([2, 10, 2])
    flat = square_to_disc(points[:, [0, 2]] * 2 - 1)
    level = np.rint(points[:, 1] * 10).astype(int)
    v = np.column_stack([flat[:, 0] * widths[level] * 1.1, heights[level], flat[:, 1] * widths[level] * 1.1])
    write_msh("pin-coarse", v, cells, 4)


def cup():
    """A tumbler and the coarse mesh around it, height 1."""
    outer = [
        (0, 0),
        (0.3, 0.0),
        (0.33, 0.015),
        (0.345, 0.1),
        (0.36, 0.25),
        (0.38, 0.4),
        (0.395, 0.55),
        (0.41, 0.7),
        (0.425, 0.85),
        (0.44, 0.985),
        (0.425, 1.0),
        (0.40, 0.985),
        (0.385, 0.85),
        (0.37, 0.7),
        (0.355, 0.55),
        (0.34, 0.4),
        (0.32, 0.25),
        (0.30, 0.14),
        (0.27, 0.12),
        (0, 0.12),
    ]
    write_obj("cup", "A tumbler of height 1.", *revolve(outer, 32))
    points, cells = grid([4, 4, 4])
    keep = []
    for index, cell in enumerate(cells):
        i, rest = divmod(index // 6, 16)
        j, k = divmod(rest, 4)
        if j == 0 or i in (0, 3) or k in (0, 3):
            keep.append(cell)
    flat = points[:, [0, 2]] * 2 - 1
    size = np.abs(flat).max(axis=1)
    disc = flat / np.maximum(np.linalg.norm(flat, axis=1), 1e-12)[:, None]
    level = points[:, 1]
    height = np.interp(level, [0, 0.25, 1], [-0.004, 0.15, 1.01])
    radius = np.where(size > 0.9, 0.36 + 0.1 * height, 0.26 + 0.1 * height * (level > 0.2))
    radius = np.where(size < 0.1, 0, radius)
    v = np.column_stack([disc[:, 0] * radius, height, disc[:, 1] * radius])
    write_msh("cup-coarse", *used(v, keep), 4)


def plate():
    outer = [
        (0, 0),
        (0.5, 0.0),
        (0.55, 0.01),
        (0.75, 0.1),
        (0.98, 0.17),
        (1.0, 0.19),
        (0.97, 0.2),
        (0.75, 0.14),
        (0.5, 0.06),
        (0, 0.06),
    ]
    write_obj("plate", "A plate of radius 1.", *revolve(outer, 48))
    points, cells = grid([8, 1, 8])
    flat = points[:, [0, 2]] * 2 - 1
    size = np.abs(flat).max(axis=1)
    disc = (
        flat
        / np.maximum(np.linalg.norm(flat, axis=1), 1e-12)[:, None]
        * np.interp(size, [0, 0.25, 0.5, 0.75, 1], [0, 0.3, 0.58, 0.8, 1.03])[:, None]
    )
    r = np.linalg.norm(disc, axis=1)
    low = np.interp(r, [0, 0.3, 0.58, 0.8, 1.03], [-0.02, -0.02, -0.02, 0.06, 0.12])
    high = np.interp(r, [0, 0.3, 0.58, 0.8, 1.03], [0.09, 0.09, 0.11, 0.18, 0.25])
    write_msh(
        "plate-coarse", np.column_stack([disc[:, 0], np.where(points[:, 1] > 0.5, high, low), disc[:, 1]]), cells, 4
    )


def drum():
    """A closed cylinder around the z axis, radius 1 and length 8, turned into a surface of fine facets."""
    profile = (
        [(0, -4.0), (1.25, -4.0), (1.25, -3.8), (1.0, -3.6)]
        + [(1.0, z) for z in np.linspace(-3.2, 3.2, 9)]
        + [(1.0, 3.6), (1.25, 3.8), (1.25, 4.0), (0, 4.0)]
    )
    v, f = revolve(profile, 96)
    write_obj("drum", "A drum around the z axis, of radius 1.", v[:, [0, 2, 1]], f)


def rope(name, turns, short, long, pitch=0.5, radius=1.03, step=0.06):
    """A rope that is wound around the drum (z axis): `turns` in contact, and two straight ends that hang down."""
    angle = np.pi * 2 * turns
    n = int(np.ceil(radius * angle / step))
    a = np.pi - np.arange(n + 1) / n * angle  # from the left side over the top
    z = pitch * (np.arange(n + 1) / n - 0.5) * angle / (2 * np.pi)
    arc = np.column_stack([radius * np.cos(a), radius * np.sin(a), z])
    down = lambda length: np.arange(1, int(round(length / step)) + 1) * step
    left = np.array([[-radius, -d, arc[0, 2]] for d in down(short)])[::-1]
    right = np.array([[arc[-1, 0], -d, arc[-1, 2]] for d in down(long)])
    v = np.vstack([left, arc, right])
    write_msh(name, v, [(k, k + 1) for k in range(len(v) - 1)], 1)
    return v


if __name__ == "__main__":
    for make in (
        disc,
        grain,
        tyre,
        pinion,
        rack,
        drawer,
        slider,
        hook,
        ball,
        ring,
        link,
        yarn,
        finger,
        pin,
        cup,
        plate,
        drum,
    ):
        make()
    rope("rope-even", 0.5, 3.0, 6.0)
    rope("rope-half", 0.5, 1.0, 6.0)
    rope("rope-long", 1.5, 1.0, 6.0)
