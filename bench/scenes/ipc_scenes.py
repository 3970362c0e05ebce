"""Translates scenes of the original IPC code into ours.

Shapes are placed as IPC places them (scaled, turned, moved, brought to `size`, shifted by its script) and written as placed:
both programs start from the same vertices. Lengths and tolerances that IPC gives relative to the diagonal of the tetrahedra
at rest become absolute.
"""

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ipc_format import HalfSpace, IpcScene, Shape, Untranslated, parse, read_mesh
from scene import Body, Point, Scene

# Name here: (file under input/paperExamples, steps)
SCENES = {
    "mat-on-knives": ("2_matKnives.txt", 50),
    "mat-twist-40": ("21_scalability/mat40x40_twist.txt", 150),
    "mat-twist-100": ("21_scalability/mat100x100_twist.txt", 20),
    "roller-ball": ("8_rollerBall.txt", 100),
    "dolphin-funnel": ("13_dolphinFunnel.txt", 50),
    "trash-compactor": ("15_trashComp_shapes.txt", 28),
    "card-house": ("5_hitCardHouse.txt", 60),
    "pencil": ("20_pencilStickSlip.txt", 100),
}
MATERIALS = {"NH": "neo_hookean", "FCR": "fixed_corotated"}
GRAVITY = 9.80665  # that of IPC, in m/s²
HANDLES = 0.01  # part of the length that IPC drives at each end
FROZEN_STEP = 0.025  # IPC multiplies ε_v by this step, in s, whatever the scene's


def load(name: str, root: Path) -> Scene:
    """A scene of SCENES from a checkout of IPC; FileNotFoundError if its files are not there."""
    file, steps = SCENES[name]
    text = (root / "input" / "paperExamples" / file).read_text()
    return translate(name, text, root, steps)


def translate(name: str, text: str, root: Path, steps: int) -> Scene:
    """The scene that an IPC scene file describes; its meshes are found from `root`."""
    ipc = parse(text)
    diagonal = place(ipc, root)
    if ipc.script not in SCRIPTS:
        raise Untranslated(f"script {ipc.script}")
    SCRIPTS[ipc.script](ipc)
    source = text.replace("input/", f"{root.resolve()}/input/")
    return Scene(name, steps, settings_of(ipc, diagonal), ipc.tolerance * diagonal, bodies_of(ipc), source)


def for_ipc(scene: Scene, steps: int) -> str:
    """IPC's own scene, ended after so many steps."""
    lines = scene.source.splitlines()
    at = next(i for i, line in enumerate(lines) if line.split()[:1] == ["time"])
    lines[at] = f"time {(steps - 0.5) * scene.step!r} {scene.step!r}"
    return "\n".join(lines) + "\n"


# --- Places ---


def place(ipc: IpcScene, root: Path) -> float:
    """Puts all shapes where IPC has them before its script begins; gives the diagonal of the tetrahedra at rest, in m."""
    for shape in ipc.shapes:
        points, shape.cells = read_mesh(root / shape.file)
        turn = euler(shape.rotate)
        scaled = ([x * s for x, s in zip(point, shape.scale)] for point in points)
        shape.rest = [plus(apply(turn, point), shape.translate) for point in scaled]
        shape.points = shape.rest
    if ipc.turn:
        turn_all(ipc.shapes, *ipc.turn)
    if ipc.size > 0.0:
        bring_to_size(ipc.shapes, ipc.size)
    for obstacle in ipc.obstacles:
        points, obstacle.cells = read_mesh(root / obstacle.file)
        obstacle.points = placed_obstacle(points, euler(obstacle.rotate), obstacle.scale, obstacle.origin)
    low, high = bounds(point for shape in ipc.shapes if shape.solid for point in shape.rest)
    return math.dist(low, high)


def turn_all(shapes: list[Shape], axis: Point, degrees: float) -> None:
    """Turns all shapes, but not their rest, about half the extent of their box, as IPC does."""
    turn = rotation(axis, math.radians(degrees))
    low, high = bounds(all_points(shapes))
    middle = [(h - l) / 2 for l, h in zip(low, high)]
    for shape in shapes:
        shape.points = [plus(apply(turn, minus(point, middle)), middle) for point in shape.points]


def bring_to_size(shapes: list[Shape], size: float) -> None:
    """Scales all shapes together to a longest side, then moves their lowest corner to the origin."""
    low, high = bounds(all_points(shapes))
    factor = size / max(minus(high, low))
    corner = [factor * x for x in low]
    for shape in shapes:
        shape.points = [minus([factor * x for x in point], corner) for point in shape.points]
        shape.rest = [minus([factor * x for x in point], corner) for point in shape.rest]


def placed_obstacle(points: list[Point], turn: "Matrix", scale: float, origin: Point) -> list[Point]:
    mean = [sum(axis) / len(points) for axis in zip(*points)]
    low, high = bounds(points)
    factor = scale / max(minus(high, low))
    return [plus([factor * x for x in apply(turn, minus(point, mean))], origin) for point in points]


# --- Scripts: what IPC moves ---


def fall(ipc: IpcScene) -> None:
    """Shifts all shapes up by half the diagonal of their box."""
    low, high = bounds(all_points(ipc.shapes))
    up = [0.0, 0.5 * math.dist(low, high), 0.0]
    for shape in ipc.shapes:
        shape.points = [plus(point, up) for point in shape.points]


def twist(ipc: IpcScene) -> None:
    """Turns the left and the right end against each other."""
    (shape,) = ipc.shapes
    low, high = bounds(shape.points)
    handle = HANDLES * (high[0] - low[0])
    middle = [(l + h) / 2 for l, h in zip(low, high)]
    for region, speed in (
        (left_of(shape.points, low[0] + handle), -72.0),
        (right_of(shape.points, high[0] - handle), 72.0),
    ):
        shape.motions.append({"region": region, "rotation": turning(middle, [1.0, 0.0, 0.0], speed)})


def drag_right(ipc: IpcScene) -> None:
    """Pulls the right end."""
    fall(ipc)
    (shape,) = ipc.shapes
    low, high = bounds(shape.points)
    region = right_of(shape.points, high[0] - 0.04 * (high[0] - low[0]))
    shape.motions = [{"region": region, "velocity": [0.5, 0.0, 0.0]}]


def push_rightmost(ipc: IpcScene) -> None:
    """Pushes the first vertex at the right end to the left."""
    (shape,) = ipc.shapes
    low, high = bounds(shape.points)
    point = next(p for p in shape.points if p[0] > high[0] - 1e-3 * (high[0] - low[0]))
    near = min(math.dist(point, other) for other in shape.points if other is not point) / 4
    region = {"min": [x - near for x in point], "max": [x + near for x in point]}
    shape.motions = [{"region": region, "velocity": [-0.15, 0.0, 0.0]}]


def squash(ipc: IpcScene) -> None:
    """Six walls approach each other. IPC's cross; as we refuse bodies that do, they become half-spaces."""
    steps = round(ipc.duration / ipc.step)
    gap = bounds(ipc.shapes[1].points)[0][0] - bounds(ipc.shapes[0].points)[1][0]
    path = wall_path(gap, ipc.step, steps)
    turn = path.index(max(path))
    times = sorted({0, turn, steps})
    for i, wall in enumerate(ipc.shapes[:6]):
        normal = [0.0, 0.0, 0.0]
        normal[i // 2] = 1.0 if i % 2 == 0 else -1.0
        rows = [[k * ipc.step, *(path[k] * x for x in normal)] for k in times]
        wall.plane = {"point": wall.points[0], "normal": normal, "motion": {"keyframes": rows}}


def wall_path(gap: float, step: float, steps: int) -> list[float]:
    """How far each wall has come after each step, at 1 m/s; both turn back where the gap is below 0.1 m when a step begins."""
    path, speed = [0.0], 1.0
    for _ in range(steps):
        if gap - 2 * path[-1] < 0.1:
            speed = -speed
        path.append(path[-1] + speed * step)
    return path


def roll(ipc: IpcScene) -> None:
    """Turns four cylinders about their axes."""
    x, z = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]
    for shape, axis, speed in zip(ipc.shapes, (x, x, z, z), (90.0, -90.0, -90.0, 90.0)):
        low, high = bounds(shape.points)
        shape.motions = [{"rotation": turning([(l + h) / 2 for l, h in zip(low, high)], axis, speed)}]


SCRIPTS: dict[str, Callable[[IpcScene], None]] = {
    "DCOFix": lambda ipc: None,
    "fall": fall,
    "twist": twist,
    "dragright": drag_right,
    "pushRightMost1": push_rightmost,
    "DCOSquash6": squash,
    "DCORotCylinders": roll,
}


def turning(point: Point, axis: Point, degrees_per_second: float) -> dict[str, Any]:
    return {"point": point, "axis": axis, "degrees_per_second": degrees_per_second}


def left_of(points: list[Point], cut: float) -> dict[str, Point]:
    """The region of all points with x < cut, bounded midway to the others."""
    low, high = wide_bounds(points)
    high[0] = (max(p[0] for p in points if p[0] < cut) + min(p[0] for p in points if p[0] >= cut)) / 2
    return {"min": low, "max": high}


def right_of(points: list[Point], cut: float) -> dict[str, Point]:
    """The region of all points with x > cut, bounded midway to the others."""
    low, high = wide_bounds(points)
    low[0] = (min(p[0] for p in points if p[0] > cut) + max(p[0] for p in points if p[0] <= cut)) / 2
    return {"min": low, "max": high}


# --- Settings and bodies ---


def settings_of(ipc: IpcScene, diagonal: float) -> dict[str, Any]:
    settings: dict[str, Any] = {"dimension": 3}
    if ipc.gravity:
        settings["gravity"] = [0.0, -GRAVITY, 0.0]
    settings["time"] = {"step": ipc.step}
    settings["contact"] = {"dhat": ipc.tuning[2] * diagonal}
    coefficients = [ipc.self_mu, *(item.mu for item in ipc.half_spaces), *(item.mu for item in ipc.obstacles)]
    if any(coefficients):
        settings["friction"] = friction_of(ipc, diagonal)
    planes = [plane_of(number, item) for number, item in enumerate(ipc.half_spaces)]
    planes += [shape.plane for shape in ipc.shapes if shape.plane]
    if planes:
        settings["planes"] = planes
    return settings


def plane_of(number: int, item: HalfSpace) -> dict[str, Any]:
    return {"point": item.point, "normal": item.normal, "surface": f"plane {number}"}


def friction_of(ipc: IpcScene, diagonal: float) -> dict[str, Any]:
    first, last = ipc.tuning[4:6]
    friction = {"mu": ipc.self_mu, "eps_v": last * diagonal * FROZEN_STEP / ipc.step}
    if first > last:
        # IPC approaches ε_v from above; its second solve lags friction anew.
        friction["lag_iterations"] = 2
    surfaces = [(f"plane {i}", item.mu) for i, item in enumerate(ipc.half_spaces)]
    surfaces += [(f"obstacle {i}", item.mu) for i, item in enumerate(ipc.obstacles)]
    pairs = [
        {"between": [f"body {i}", surface], "mu": mu}
        for surface, mu in surfaces
        for i, shape in enumerate(ipc.shapes)
        if mu != ipc.self_mu and shape.solid
    ]
    return friction | ({"pairs": pairs} if pairs else {})


def bodies_of(ipc: IpcScene) -> list[Body]:
    material = {"young": ipc.young, "poisson": ipc.poisson, "density": ipc.density, "kind": MATERIALS[ipc.energy]}
    bodies = []
    for number, shape in enumerate(ipc.shapes):
        keys: dict[str, Any] = {"material": material} if shape.solid else {}
        if shape.motions:
            keys["motions"] = shape.motions
        if not shape.plane:
            kind = "solid" if shape.solid else "static"
            bodies.append(Body(f"body {number}", kind, shape.points, shape.cells, keys))
    return bodies + [Body(f"obstacle {i}", "static", item.points, item.cells) for i, item in enumerate(ipc.obstacles)]


# --- Arithmetic ---

Matrix = list[Point]


def rotation(axis: Point, angle: float) -> Matrix:
    """Rodrigues' formula; the angle in radians."""
    length = math.hypot(*axis)
    x, y, z = (a / length for a in axis)
    c, s, d = math.cos(angle), math.sin(angle), 1.0 - math.cos(angle)
    return [
        [c + x * x * d, x * y * d - z * s, x * z * d + y * s],
        [y * x * d + z * s, c + y * y * d, y * z * d - x * s],
        [z * x * d - y * s, z * y * d + x * s, c + z * z * d],
    ]


def euler(degrees: Point) -> Matrix:
    """The rotation about z, then y, then x."""
    axes = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
    about_x, about_y, about_z = (rotation(axis, math.radians(angle)) for axis, angle in zip(axes, degrees))
    return multiply(multiply(about_x, about_y), about_z)


def multiply(a: Matrix, b: Matrix) -> Matrix:
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def apply(a: Matrix, point: Point) -> Point:
    return [sum(x * y for x, y in zip(row, point)) for row in a]


def plus(a: Point, b: Point) -> Point:
    return [x + y for x, y in zip(a, b)]


def minus(a: Point, b: Point) -> Point:
    return [x - y for x, y in zip(a, b)]


def all_points(shapes: list[Shape]) -> list[Point]:
    return [point for shape in shapes for point in shape.points]


def bounds(points: Iterable[Point]) -> tuple[Point, Point]:
    axes = list(zip(*points))
    return [min(axis) for axis in axes], [max(axis) for axis in axes]


def wide_bounds(points: list[Point]) -> tuple[Point, Point]:
    """A box well around the points."""
    low, high = bounds(points)
    margin = max(minus(high, low))
    return [x - margin for x in low], [x + margin for x in high]
