"""Reads the scenes and meshes of the original IPC code (ipc-sim/IPC): what its files say, in plain data."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from scene import Cell, Point


class Untranslated(Exception):
    """A file says something that we do not translate."""


@dataclass
class Shape:
    file: str
    translate: Point
    rotate: Point  # in degrees, about x, y and z
    scale: Point
    points: list[Point] = field(default_factory=list)  # as placed at the start
    rest: list[Point] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    motions: list[dict[str, Any]] = field(default_factory=list)
    plane: dict[str, Any] | None = None  # a half-space that stands for this shape

    @property
    def solid(self) -> bool:
        return self.file.endswith(".msh")


@dataclass
class Obstacle:
    """A fixed surface, scaled so that its longest side is `scale`."""

    file: str
    origin: Point
    scale: float
    mu: float
    rotate: Point
    points: list[Point] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)


@dataclass
class HalfSpace:
    point: Point
    normal: Point
    mu: float


@dataclass
class IpcScene:
    energy: str = "NH"
    size: float = 0.0  # longest side of all shapes together; 0: as they are
    duration: float = 0.0
    step: float = 0.0
    density: float = 0.0
    young: float = 0.0
    poisson: float = 0.0
    script: str = "null"
    gravity: bool = True
    self_mu: float = 0.0
    turn: tuple[Point, float] | None = None  # axis and degrees, for all shapes
    # Of it we read: [2] d̂, [4] and [5] the first and the last ε_v, all relative to the diagonal.
    tuning: list[float] = field(default_factory=lambda: [0, 1e-3, 1e-3, 1e-9, 1e-3, 1e-3])
    tolerance: float = 1e-2  # relative to the diagonal, in 1/s
    shapes: list[Shape] = field(default_factory=list)
    obstacles: list[Obstacle] = field(default_factory=list)
    half_spaces: list[HalfSpace] = field(default_factory=list)


def parse(text: str) -> IpcScene:
    """A scene; what concerns pictures and other solvers is left out."""
    scene, lines = IpcScene(), own_lines(text)
    for words in lines:
        match words[0]:
            case "shapes":
                scene.shapes += [shape(next(lines)) for _ in range(int(words[2]))]
            case "tuning":
                scene.tuning = values(lines, words)
            case "tol":
                scene.tolerance = values(lines, words)[-1]
            case _:
                setting(scene, words)
    return scene


def own_lines(text: str) -> Iterator[list[str]]:
    """The words of each line, without sections for other solvers."""
    foreign = False
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["section"]:
            foreign = len(words) > 1 and not {"end", "IP", "interiorPoint"} & set(words)
        elif words and not foreign and not words[0].startswith("#"):
            yield words


def values(lines: Iterator[list[str]], words: list[str]) -> list[float]:
    """The first numbers of as many lines as the words say."""
    return [float(next(lines)[0]) for _ in range(int(words[1]))]


def shape(words: list[str]) -> Shape:
    if len(words) != 10:
        raise Untranslated(f"a shape with {' '.join(words[10:]) or 'too few numbers'}")
    n = numbers(words[1:])
    return Shape(words[0], n[0:3], n[3:6], n[6:9])


def setting(scene: IpcScene, words: list[str]) -> None:
    """Keeps a setting that is one line."""
    key, rest = words[0], words[1:]
    match key:
        case "energy" | "script":
            setattr(scene, key, rest[0])
        case "size" | "density":
            setattr(scene, key, float(rest[0]))
        case "time":
            scene.duration, scene.step = numbers(rest[:2])
        case "stiffness":
            scene.young, scene.poisson = numbers(rest[:2])
        case "turnOffGravity":
            scene.gravity = False
        case "selfFric":
            scene.self_mu = float(rest[0])
        case "rotateModel":
            scene.turn = (numbers(rest[:3]), float(rest[3]))
        case "halfSpace":
            scene.half_spaces.append(HalfSpace(numbers(rest[:3]), numbers(rest[3:6]), float(rest[7])))
        case "meshCO":
            scene.obstacles.append(obstacle(rest))
        case "timeIntegration" if rest[0] != "BE":
            raise Untranslated(f"timeIntegration {rest[0]}")


def obstacle(words: list[str]) -> Obstacle:
    rotate = numbers(words[8:11]) if words[7:8] == ["rotate"] else [0.0, 0.0, 0.0]
    return Obstacle(words[0], numbers(words[1:4]), float(words[4]), float(words[6]), rotate)


def numbers(words: list[str]) -> list[float]:
    return [float(word) for word in words]


# --- Meshes ---


def read_mesh(path: Path) -> tuple[list[Point], list[Cell]]:
    return read_msh(path) if path.suffix == ".msh" else read_obj(path)


def read_obj(path: Path) -> tuple[list[Point], list[Cell]]:
    """Vertices and triangles; faces with more sides are cut into fans."""
    points: list[Point] = []
    triangles: list[Cell] = []
    for words in map(str.split, path.read_text().splitlines()):
        if words[:1] == ["v"]:
            points.append(numbers(words[1:4]))
        elif words[:1] == ["f"]:
            first, *rest = (int(word.split("/")[0]) - 1 for word in words[1:])
            triangles += [[first, b, c] for b, c in pairwise(rest)]
    return points, triangles


def read_msh(path: Path) -> tuple[list[Point], list[Cell]]:
    """Vertices and tetrahedra of an MSH 4.1 file, text."""
    lines = path.read_text().splitlines()
    if not lines[lines.index("$MeshFormat") + 1].startswith("4.1 0"):
        raise Untranslated(f"{path.name}: not a text file in MSH 4.1")
    points, place = read_nodes(lines, lines.index("$Nodes") + 1)
    return points, read_tetrahedra(lines, lines.index("$Elements") + 1, place)


def read_nodes(lines: list[str], at: int) -> tuple[list[Point], dict[int, int]]:
    """The vertices, and the place of each by its tag."""
    points: list[Point] = []
    place: dict[int, int] = {}
    blocks, at = int(lines[at].split()[0]), at + 1
    for _ in range(blocks):
        count, at = int(lines[at].split()[3]), at + 1
        place |= {int(tag): len(points) + i for i, tag in enumerate(lines[at : at + count])}
        points += [numbers(line.split()[:3]) for line in lines[at + count : at + 2 * count]]
        at += 2 * count
    return points, place


def read_tetrahedra(lines: list[str], at: int, place: dict[int, int]) -> list[Cell]:
    tets: list[Cell] = []
    blocks, at = int(lines[at].split()[0]), at + 1
    for _ in range(blocks):
        kind, count = map(int, lines[at].split()[2:4])
        if kind == 4:
            tets += [[place[int(tag)] for tag in line.split()[1:5]] for line in lines[at + 1 : at + 1 + count]]
        at += 1 + count
    return tets
