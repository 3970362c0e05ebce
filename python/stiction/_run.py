"""Results of `stiction run`, read back."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _stiction

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    import pandas
    from numpy.typing import NDArray


class Frame:
    """A frame of a run: positions and fields of all vertices, cells, and contacts. Files are read when they are asked for."""

    __slots__ = ("_bodies", "_contacts", "_files", "_time")

    def __init__(self, time: float, files: dict[str, Path]) -> None:
        self._time = time
        self._files = files
        self._bodies: dict[str, Any] | None = None
        self._contacts: dict[str, Any] | None = None

    def _read(self) -> dict[str, Any]:
        if self._bodies is None:
            self._bodies = _stiction.read_frame(self._files["0"])
        return self._bodies

    @property
    def time(self) -> float:
        """The time in s."""
        return self._time

    @property
    def positions(self) -> NDArray[np.float64]:
        """Positions in m of all vertices, shape (n, 3)."""
        positions: NDArray[np.float64] = self._read()["points"]
        return positions

    @property
    def cells(self) -> dict[str, NDArray[np.uint32]]:
        """`edges`, `triangles` and `tetrahedra`, by vertices; data in cells has this order."""
        cells: dict[str, NDArray[np.uint32]] = self._read()["cells"]
        return cells

    @property
    def fields(self) -> dict[str, NDArray[np.float64]]:
        """Fields by name, on vertices or in cells; `stiction.field_names()` says what they are. Vectors have 3 columns, tensors 9."""
        data = self._read()
        fields: dict[str, NDArray[np.float64]] = {**data["point_data"], **data["cell_data"]}
        return fields

    @property
    def contacts(self) -> dict[str, NDArray[np.float64]]:
        """Contacts by column: `place`, `normal_force` and `friction_force` (on `first`, in N), `lambda`, `slip`, `heat` and more."""
        if self._contacts is None:
            path = self._files.get("1")
            data: dict[str, Any] = _stiction.read_frame(path) if path else {"points": np.zeros((0, 3)), "point_data": {}}
            self._contacts = {"place": data["points"], **data["point_data"]}
        return self._contacts

    def __repr__(self) -> str:
        return f"Frame(t = {self.time} s)"


class Run:
    """The results in the folder of a run: `Run.load("out/slide-2d")`.

    `steps` and `pairs` are tables, dictionaries with an array for each column; `frames` are the configurations.
    """

    __slots__ = ("_folder", "_frames", "_pairs", "_steps", "_units")

    def __init__(self, folder: Path, steps: tuple[_Table, _Units], pairs: _Table, frames: list[Frame]) -> None:
        self._folder = folder
        self._steps, self._units = steps
        self._pairs = pairs
        self._frames = frames

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Run:
        """Reads the tables of a run, and finds its frames.

        Raises `FileNotFoundError` if the folder has no run.
        """
        place = Path(folder)
        table = place / "steps.csv"
        if not table.is_file():
            raise FileNotFoundError(f"{place}: there is no steps.csv: name the folder that `stiction run -o` wrote")
        pairs = place / "pairs.csv"
        return cls(place, _table(table), _table(pairs)[0] if pairs.is_file() else {}, list(_frames(place)))

    @property
    def folder(self) -> Path:
        """Where the results are."""
        return self._folder

    @property
    def frames(self) -> list[Frame]:
        """The configurations, in order."""
        return self._frames

    @property
    def pairs(self) -> _Table:
        """What each two things did to each other, a row for each pair that touches in each step."""
        return self._pairs

    @property
    def steps(self) -> _Table:
        """Numbers of every step by name, an array each, with the start at 0."""
        return self._steps

    @property
    def units(self) -> _Units:
        """The SI unit of every column of `steps`; empty where it has none."""
        return self._units

    def to_pandas(self) -> pandas.DataFrame:
        """`steps` as a data frame."""
        import pandas

        return pandas.DataFrame(self._steps)

    def page(self) -> Path:
        """The page that plays the run in a browser."""
        return self.folder / "view.html"

    def _repr_html_(self) -> str:
        from ._show import inline

        return inline(self.page().read_text(encoding="utf-8"))

    def plot(self) -> Any:
        """Energies, normal force, smallest gap and iterations over time, as a figure of Matplotlib."""
        from ._show import plot

        return plot(self._steps)

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r}, {len(self._steps['step']) - 1} steps, {len(self.frames)} frames)"


_Table = dict[str, "NDArray[Any]"]
_Units = dict[str, str]


def _table(path: Path) -> tuple[_Table, _Units]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    if not rows:
        raise ValueError(f"{path}: the table is empty")
    # A run that was killed may have begun a row.
    if len(rows) > 1 and len(rows[-1]) < len(rows[0]):
        rows.pop()
    for line, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise ValueError(f"{path}: line {line} has {len(row)} fields, expected {len(rows[0])}")
    columns: _Table = {}
    units: _Units = {}
    for k, title in enumerate(rows[0]):
        name, _, unit = title.removesuffix("]").partition(" [") if title.endswith("]") else (title, "", "")
        columns[name] = _array(name, [row[k] for row in rows[1:]])
        units[name] = unit
    return columns, units


_WORDS = ("first", "second", "refinement")


def _array(name: str, fields: list[str]) -> NDArray[Any]:
    for kind in () if name in _WORDS else (np.int64, np.float64):
        try:
            return np.array(fields, dtype=kind)
        except ValueError:
            continue
    return np.array([field or None for field in fields], dtype=object)


def _frames(folder: Path) -> Iterator[Frame]:
    index = folder / "frames.pvd"
    if not index.is_file():
        return
    files: dict[float, dict[str, Path]] = {}
    for entry in ElementTree.parse(index).getroot().iter("DataSet"):
        of_time = files.setdefault(float(entry.attrib["timestep"]), {})
        of_time[entry.attrib.get("part", "0")] = folder / entry.attrib["file"]
    for time, parts in files.items():
        yield Frame(time, parts)
