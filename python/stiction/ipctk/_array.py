"""Arguments of the drop-in: read once, checked, and named in the error where they cannot be used.

Any type of number that becomes a float without loss, any order in memory, lists, read-only arrays. Wrong numbers and shapes are a
ValueError, wrong kinds of objects a TypeError.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from numbers import Integral
from operator import index
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
T = TypeVar("T")

_REAL = "fiu"
_INTEGER = "iu"
_PLANE_AND_SPACE = (2, 3)
# Beyond this many entries NumPy's test for finite numbers beats Python's.
_FEW = 64
_LARGEST_INDEX = np.iinfo(np.int32).max


def number(name: str, value: Any) -> float:
    """A finite real number."""
    found: float = value if type(value) is float else _converted(name, value)
    if not isfinite(found):
        raise ValueError(f"{name}: is {found}, expected a finite number")
    return found


def positive(name: str, value: Any) -> float:
    """A finite number larger than 0."""
    found = number(name, value)
    if found <= 0.0:
        raise ValueError(f"{name}: is {found}, expected a number larger than 0")
    return found


def not_negative(name: str, value: Any) -> float:
    """A finite number, 0 or larger."""
    found = number(name, value)
    if found < 0.0:
        raise ValueError(f"{name}: is {found}, expected 0 or a larger number")
    return found


def whole(name: str, value: Any, least: int = 0) -> int:
    """A whole number, `least` or larger."""
    try:
        found = index(value)
    except TypeError:
        raise TypeError(f"{name}: is of type {type(value).__name__}, expected a whole number") from None
    if found < least:
        raise ValueError(f"{name}: is {found}, expected {least} or a larger number")
    return found


def instance(name: str, value: Any, expected: type[T]) -> T:
    """An object of the class `expected` or of one derived from it."""
    if not isinstance(value, expected):
        raise TypeError(f"{name}: is of type {type(value).__name__}, expected {expected.__name__}")
    return value


def point(name: str, value: Any, sizes: Sequence[int] = _PLANE_AND_SPACE) -> Floats:
    """A vector of as many finite numbers as one of `sizes`; a column does as well."""
    vector = _as_vector(name, value)
    if len(vector) not in sizes:
        raise ValueError(f"{name}: has shape {np.shape(value)}, expected {_choice(sizes)} numbers")
    _check_finite(name, vector)
    return vector


def points(names: Sequence[str], values: Sequence[Any], sizes: Sequence[int] = _PLANE_AND_SPACE) -> Floats:
    """Points of the same size as rows, shape (N, D): fast where nothing is wrong."""
    try:
        rows = np.array(values)
    except ValueError:  # of different sizes
        rows = None
    if rows is not None and rows.ndim == 2 and rows.dtype.kind in _REAL and rows.shape[1] in sizes:
        rows = rows.astype(np.float64, copy=False)
        if all(map(isfinite, rows.ravel().tolist())):
            return rows
    return _points_one_by_one(names, values, sizes)


def vector(name: str, value: Any, size: int | None = None) -> Floats:
    """A vector of finite numbers, of any length or of `size`."""
    entries = _as_vector(name, value)
    if size is not None and len(entries) != size:
        raise ValueError(f"{name}: has shape {np.shape(value)}, expected {size} numbers")
    _check_finite(name, entries)
    return entries


def matrix(name: str, value: Any, columns: int | None = None) -> Floats:
    """A table of finite numbers, shape (n, columns)."""
    table = _as_table(name, value)
    if columns is not None and table.shape[1] != columns:
        raise ValueError(f"{name}: has shape {table.shape}, expected {columns} columns")
    _check_finite(name, table)
    return table


def positions(name: str, value: Any, rows: int | None = None, dimension: int | None = None) -> Floats:
    """Positions or displacements of vertices, shape (n, D) with D = 2 or 3, in C order."""
    table = _as_table(name, value)
    sizes = _PLANE_AND_SPACE if dimension is None else (dimension,)
    if table.shape[1] not in sizes:
        raise ValueError(f"{name}: has shape {table.shape}, expected {_choice(sizes)} columns")
    if rows is not None and len(table) != rows:
        raise ValueError(f"{name}: has {len(table)} rows, expected {rows}")
    _check_finite(name, table)
    return table


def indices(name: str, value: Any, columns: int, count: int | None = None) -> Integers:
    """Numbers of vertices, shape (n, columns), from 0 to below `count`, as int32 in C order; without entries, any shape does."""
    array = _as_array(name, value)
    if array.size == 0:
        return np.empty((0, columns), dtype=np.int32)
    if array.dtype.kind not in _INTEGER:
        raise ValueError(f"{name}: has entries of type {array.dtype}, expected integers")
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError(f"{name}: has shape {array.shape}, expected (n, {columns})")
    _check_range(name, array, _LARGEST_INDEX if count is None else count)
    return np.ascontiguousarray(array, dtype=np.int32)


def dimension(name: str, value: Any) -> int:
    """2 or 3."""
    found = whole(name, value)
    if found not in _PLANE_AND_SPACE:
        raise ValueError(f"{name}: is {found}, expected 2 or 3")
    return found


def _converted(name: str, value: Any) -> float:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__") and not isinstance(value, Integral):
        raise TypeError(f"{name}: is of type {type(value).__name__}, expected a number")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: has shape {np.shape(value)}, expected one number") from None


def _as_array(name: str, value: Any) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except ValueError:  # rows of different lengths
        raise ValueError(f"{name}: is no array: its rows have different lengths") from None


def _as_floats(name: str, value: Any) -> Floats:
    array = _as_array(name, value)
    if array.dtype.kind not in _REAL:
        raise ValueError(f"{name}: has entries of type {array.dtype}, expected real numbers")
    return np.ascontiguousarray(array, dtype=np.float64) if array.ndim else array.astype(np.float64)


def _as_vector(name: str, value: Any) -> Floats:
    array = _as_floats(name, value)
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name}: has shape {array.shape}, expected a vector")
    return array


def _as_table(name: str, value: Any) -> Floats:
    array = _as_floats(name, value)
    if array.ndim != 2:
        raise ValueError(f"{name}: has shape {array.shape}, expected rows and columns")
    return array


def _points_one_by_one(names: Sequence[str], values: Sequence[Any], sizes: Sequence[int]) -> Floats:
    """Names the first argument that cannot be used."""
    rows: list[Floats] = []
    for name, value in zip(names, values, strict=True):
        rows.append(point(name, value, sizes if not rows else (len(rows[0]),)))
    return np.array(rows)


def _check_finite(name: str, array: Floats) -> None:
    if array.size <= _FEW:
        finite = all(map(isfinite, array.ravel().tolist()))
    else:
        finite = bool(np.isfinite(array).all())
    if not finite:
        place = "row" if array.ndim == 2 else "entry"
        wrong = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise ValueError(f"{name}: {place} {wrong} is not finite: replace NaN and infinite numbers")


def _check_range(name: str, array: NDArray[Any], count: int) -> None:
    if array.min() >= 0 and array.max() < count:
        return
    row, column = np.argwhere((array < 0) | (array >= count))[0]
    raise ValueError(f"{name}: row {row} names {array[row, column]}, expected 0 to {count - 1}")


def _choice(sizes: Sequence[int]) -> str:
    return " or ".join(str(size) for size in sizes)
