"""A benchmark scene: bodies, settings, and the files that `stiction run` reads."""

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Point = list[float]
Cell = list[int]
Table = dict[str, Any]


@dataclass
class Body:
    name: str
    kind: str  # "solid" (tetrahedra), "sheet" (triangles) or "static" (either)
    points: list[Point]  # where the vertices are at the start, in m
    cells: list[Cell]
    settings: Table = field(default_factory=dict)  # further keys of [[bodies]]


@dataclass
class Scene:
    name: str
    steps: int
    settings: Table  # the scene's tables, without bodies, time.end and solver
    tolerance: float  # at which the peer ends Newton's method, in m/s
    bodies: list[Body]
    source: str = ""  # the peer's own scene, where it has one

    @property
    def step(self) -> float:
        """Length of a time step in s."""
        return float(self.settings["time"]["step"])

    @property
    def vertices(self) -> int:
        """Vertices that are simulated."""
        return sum(len(body.points) for body in self.bodies if body.kind != "static")

    @property
    def elements(self) -> int:
        """Tetrahedra and triangles that are simulated."""
        return sum(len(body.cells) for body in self.bodies if body.kind != "static")


@dataclass
class Settings:
    """How a scene is solved."""

    kind: str = "peer"  # "peer": as the peer solves it; "own": with the defaults of stiction
    steps: int | None = None  # those of the scene where not given
    tolerance: float | None = None  # in m/s; that of the kind where not given
    frames: bool = False  # whether every step has a frame; otherwise only the last one


# Keys with which stiction solves as the peers do: implicit Euler, from the given positions, friction lagged once per step.
PEER_KEYS: dict[str, Table] = {
    "time": {"integrator": "implicit_euler"},
    "contact": {"settle": False},
    "friction": {"lag_iterations": 1},
}


def tolerance_of(scene: Scene, settings: Settings) -> float | None:
    """The tolerance of Newton's method in m/s; None for the default of stiction."""
    if settings.tolerance is not None:
        return settings.tolerance
    return scene.tolerance if settings.kind == "peer" else None


def tables(scene: Scene, settings: Settings) -> Table:
    """The whole scene file as nested tables."""
    out = copy.deepcopy(scene.settings)
    for name, keys in PEER_KEYS.items():
        if name in out:
            out[name] = with_peer_keys(out[name], keys, settings)
    steps = settings.steps or scene.steps
    # Half a step early: the run ends with the first step that reaches the end, however it is rounded.
    out["time"] |= {"end": (steps - 0.5) * scene.step, "frame_every": 1 if settings.frames else steps}
    tolerance = tolerance_of(scene, settings)
    if tolerance is not None:
        out["solver"] = {"tolerance": tolerance}
    out["bodies"] = [body_table(number, body) for number, body in enumerate(scene.bodies)]
    return out


def with_peer_keys(given: Table, keys: Table, settings: Settings) -> Table:
    """A table with those keys, unless the scene has its own; without them for stiction's defaults."""
    if settings.kind == "peer":
        return {**keys, **given}
    return {key: value for key, value in given.items() if key not in keys}


def body_table(number: int, body: Body) -> Table:
    table: Table = {"name": body.name, "shape": {"mesh": {"file": mesh_file(number, body)}}}
    if body.kind == "static":
        table["static"] = True
    return table | body.settings


def mesh_file(number: int, body: Body) -> str:
    return f"mesh-{number}." + ("msh" if len(body.cells[0]) == 4 else "obj")


def write_scene(scene: Scene, folder: Path, settings: Settings) -> Path:
    """Writes the scene and its meshes into the folder; gives the scene's file."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, body in enumerate(scene.bodies):
        path = folder / mesh_file(number, body)
        write = write_msh if path.suffix == ".msh" else write_obj
        write(path, body.points, body.cells)
    path = folder / "scene.toml"
    path.write_text(toml(tables(scene, settings)), encoding="utf-8")
    return path


# --- TOML ---


def toml(table: Table) -> str:
    """Tables of the first level with headings; all that is below them in one line for each key."""
    plain = {key: value for key, value in table.items() if not is_section(value)}
    lines = key_lines(plain)
    for key, value in table.items():
        if isinstance(value, dict):
            lines += ["", f"[{key}]", *key_lines(value)]
        elif is_section(value):
            for row in value:
                lines += ["", f"[[{key}]]", *key_lines(row)]
    return "\n".join(lines) + "\n"


def is_section(value: object) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(row, dict) for row in value))


def key_lines(table: Table) -> list[str]:
    return [f"{key} = {toml_value(value)}" for key, value in table.items()]


def toml_value(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case dict():
            return "{ " + ", ".join(key_lines(value)) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(toml_value, value)) + "]"
    return repr(value)


# --- Meshes: numbers are written so that reading them gives the same bits ---


def write_msh(path: Path, points: list[Point], tets: list[Cell]) -> None:
    """MSH 2.2, text."""
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(points))]
    lines += [f"{i} {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(points, 1)]
    lines += ["$EndNodes", "$Elements", str(len(tets))]
    lines += [f"{i} 4 2 0 1 {from_one(tet)}" for i, tet in enumerate(tets, 1)]
    path.write_text("\n".join([*lines, "$EndElements", ""]))


def write_obj(path: Path, points: list[Point], triangles: list[Cell]) -> None:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points]
    lines += [f"f {from_one(triangle)}" for triangle in triangles]
    path.write_text("\n".join([*lines, ""]))


def from_one(cell: Iterable[int]) -> str:
    return " ".join(str(vertex + 1) for vertex in cell)
