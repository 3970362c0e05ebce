"""The names of all scenes, and how to get them."""

from fnmatch import fnmatchcase
from pathlib import Path

import generated
import ipc_scenes
from scene import Scene

FAMILIES = {"blocks": generated.blocks, "cloth": generated.cloth}
GENERATED = [f"blocks-{n}" for n in generated.BLOCKS] + [f"cloth-{n}" for n in generated.CLOTHS]
NAMES = [*GENERATED, *ipc_scenes.SCENES]


class Absent(Exception):
    """A scene that is not here, and why."""


def family(name: str) -> str | None:
    """The family of a generated scene; None for others."""
    kind, _, size = name.rpartition("-")
    return kind if kind in FAMILIES and size.isdigit() and int(size) > 0 else None


def chosen(patterns: list[str]) -> list[str]:
    """The names that match; generated scenes may have any size. ValueError where a pattern matches nothing."""
    out: list[str] = []
    for pattern in patterns or ["*"]:
        found = [name for name in NAMES if fnmatchcase(name, pattern)] or [pattern] * bool(family(pattern))
        if not found:
            raise ValueError(f"no scene is called {pattern}: see --list")
        out += [name for name in found if name not in out]
    return out


def load(name: str, ipc_root: Path | None) -> Scene:
    """The scene of that name; Absent where it needs files that are not here."""
    kind = family(name)
    if kind:
        return FAMILIES[kind](int(name.rpartition("-")[2]))
    if ipc_root is None:
        raise Absent("needs a checkout of ipc-sim/IPC: give --ipc-root")
    try:
        return ipc_scenes.load(name, ipc_root)
    except FileNotFoundError as error:
        raise Absent(f"the folder of --ipc-root has no {Path(error.filename).name}") from error
