"""Which pairs of vertices may touch.

Primitives may touch if any pair of their vertices may. Filters made of data run in Rust while pairs are looked for. Functions of
Python are asked afterwards, about the pairs that were found, on the thread that called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import _stiction
from ._array import indices, whole


class _Rule:
    """One part of a filter."""

    def allows(self, i: int, j: int) -> bool:
        raise NotImplementedError

    def native(self, count: int) -> _stiction.VertexFilter | None:
        """The same in Rust, for so many vertices; None if a function of Python has a say."""
        return None

    def outer(self, count: int) -> _stiction.VertexFilter | None:
        """A rule in Rust that allows no less, or None."""
        return self.native(count)


class _Everything(_Rule):
    def allows(self, i: int, j: int) -> bool:
        return True

    def native(self, count: int) -> _stiction.VertexFilter:
        return _stiction.VertexFilter.excluding(np.empty((0, 2), dtype=np.int32))


class _Function(_Rule):
    def __init__(self, function: Callable[[int, int], Any]) -> None:
        self.function = function

    def allows(self, i: int, j: int) -> bool:
        return bool(self.function(i, j))


class _Patches(_Rule):
    """Vertices with the same label never touch; those beyond the labels touch everything if that is `open`."""

    def __init__(self, labels: np.ndarray, open_end: bool = False) -> None:
        self.labels, self.open_end = labels, open_end

    def allows(self, i: int, j: int) -> bool:
        count = len(self.labels)
        if i < count and j < count:
            return bool(self.labels[i] != self.labels[j])
        if self.open_end:
            return i != j
        raise ValueError(f"vertices {i} and {j}: there are {count} patch_ids")

    def native(self, count: int) -> _stiction.VertexFilter:
        labels = self.labels
        if self.open_end and len(labels) < count:
            labels = np.concatenate([labels, np.full(count - len(labels), -1, dtype=labels.dtype)])
        elif self.open_end:
            labels = labels[:count]
        return _stiction.VertexFilter.patches(labels)


class _Static(_Rule):
    """Vertices from a number on never touch each other."""

    def __init__(self, first: int) -> None:
        self.first = first

    def allows(self, i: int, j: int) -> bool:
        return min(i, j) < self.first

    def native(self, count: int) -> _stiction.VertexFilter:
        return _stiction.VertexFilter.fixed(np.arange(min(self.first, count), count))


class _Except(_Rule):
    """All pairs of vertices but these touch."""

    def __init__(self, pairs: np.ndarray) -> None:
        self.pairs = pairs
        self.known = {tuple(sorted(pair)) for pair in pairs.tolist()}

    def allows(self, i: int, j: int) -> bool:
        return ((i, j) if i < j else (j, i)) not in self.known

    def native(self, count: int) -> _stiction.VertexFilter:
        # Pairs of vertices that do not exist exclude nothing.
        return _stiction.VertexFilter.excluding(self.pairs[(self.pairs < count).all(axis=1)])


class _Both(_Rule):
    def __init__(self, first: _Rule, second: _Rule) -> None:
        self.first, self.second = first, second

    def allows(self, i: int, j: int) -> bool:
        return self.first.allows(i, j) and self.second.allows(i, j)

    def native(self, count: int) -> _stiction.VertexFilter | None:
        first, second = self.first.native(count), self.second.native(count)
        return None if first is None or second is None else first & second

    def outer(self, count: int) -> _stiction.VertexFilter | None:
        first, second = self.first.outer(count), self.second.outer(count)
        if first is None or second is None:
            return second if first is None else first
        return first & second


class _Either(_Both):
    def allows(self, i: int, j: int) -> bool:
        return self.first.allows(i, j) or self.second.allows(i, j)

    def native(self, count: int) -> _stiction.VertexFilter | None:
        first, second = self.first.native(count), self.second.native(count)
        return None if first is None or second is None else first | second

    def outer(self, count: int) -> _stiction.VertexFilter | None:
        first, second = self.first.outer(count), self.second.outer(count)
        return None if first is None or second is None else first | second


class _Not(_Rule):
    def __init__(self, rule: _Rule) -> None:
        self.rule = rule

    def allows(self, i: int, j: int) -> bool:
        return not self.rule.allows(i, j)

    def native(self, count: int) -> _stiction.VertexFilter | None:
        rule = self.rule.native(count)
        return None if rule is None else ~rule


class CollisionFilter:
    """Whether two vertices may touch: all of them, or those for which `fn(i, j)` is true. Combine with `&`, `|` and `~`."""

    def __init__(self, fn: Callable[[int, int], Any] | None = None) -> None:
        if fn is not None and not callable(fn):
            raise TypeError(f"fn: expected a function of two vertices, found {type(fn).__name__}")
        self._rule: _Rule = _Everything() if fn is None else _Function(fn)
        if isinstance(fn, CollisionFilter):
            self._rule = fn._rule

    @classmethod
    def _of(cls, rule: _Rule) -> CollisionFilter:
        self = cls.__new__(cls)
        self._rule = rule
        return self

    def __call__(self, vi: int, vj: int) -> bool:
        return self._rule.allows(whole("vi", vi), whole("vj", vj))

    def __and__(self, other: CollisionFilter) -> CollisionFilter:
        return CollisionFilter._of(_Both(self._rule, as_filter("other", other)._rule))

    def __or__(self, other: CollisionFilter) -> CollisionFilter:
        return CollisionFilter._of(_Either(self._rule, as_filter("other", other)._rule))

    def __invert__(self) -> CollisionFilter:
        return CollisionFilter._of(_Not(self._rule))

    def __iand__(self, other: CollisionFilter) -> CollisionFilter:
        self._rule = (self & other)._rule
        return self

    def __ior__(self, other: CollisionFilter) -> CollisionFilter:
        self._rule = (self | other)._rule
        return self

    def _native(self, count: int) -> tuple[_stiction.Filter | None, bool]:
        """A rule in Rust for a surface of so many vertices, if any, and whether functions of Python are still to be asked."""
        if isinstance(self._rule, _Everything):
            return None, False
        exact = self._rule.native(count)
        rule = self._rule.outer(count) if exact is None else exact
        return (None if rule is None else _stiction.Filter(rule)), exact is None

    def _kept(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """For pairs of primitives by their vertices, shapes (k, N) and (k, M): whether any pair of vertices may touch."""
        count, width = len(first), first.shape[1] * second.shape[1]
        pairs = np.empty((count, first.shape[1], second.shape[1], 2), dtype=np.int64)
        pairs[..., 0], pairs[..., 1] = first[:, :, None], second[:, None, :]
        # Most pairs of vertices occur in several pairs of primitives: each is asked about once.
        keys, places = np.unique((pairs[..., 0] << 32 | pairs[..., 1]).ravel(), return_inverse=True)
        allows = self._rule.allows
        asked = [allows(i, j) for i, j in zip((keys >> 32).tolist(), (keys & 0xFFFFFFFF).tolist())]
        allowed: np.ndarray = np.array(asked, dtype=bool)[places].reshape(count, width)
        return np.logical_or.reduce(allowed, axis=1)


def as_filter(name: str, value: Any) -> CollisionFilter:
    """A filter, or a function as one."""
    if isinstance(value, CollisionFilter):
        return value
    if not callable(value):
        raise TypeError(f"{name}: expected a CollisionFilter or a function of two vertices, found {type(value).__name__}")
    return CollisionFilter(value)


def make_sparse_filter(explicit_values: Mapping[tuple[int, int], bool], default_value: bool) -> CollisionFilter:
    """Listed pairs of vertices, in either order, touch as their value says; all others as `default_value` says."""
    different = [pair for pair, value in explicit_values.items() if bool(value) != bool(default_value)]
    pairs = indices("explicit_values", np.array(different, dtype=np.int64).reshape(-1, 2), 2)
    rule = _Except(pairs)
    return CollisionFilter._of(rule if default_value else _Not(rule))


def make_vertex_patches_filter(patch_ids: Any) -> CollisionFilter:
    """Vertices of the same patch never touch: one number for each vertex."""
    return CollisionFilter._of(_Patches(_labels("patch_ids", patch_ids)))


def _labels(name: str, values: Any) -> np.ndarray:
    labels = np.asarray(values)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1 or labels.dtype.kind not in "iu" and labels.size:
        raise ValueError(f"{name}: has shape {labels.shape} and type {labels.dtype}, expected (n,) integers")
    # From 0 on: a negative label would mean none in Rust.
    return np.unique(labels, return_inverse=True)[1].reshape(-1).astype(np.int64)


def make_static_obstacle_filter(n_dynamic: int) -> CollisionFilter:
    """Vertices from n_dynamic on, those of obstacles at rest, never touch each other."""
    return CollisionFilter._of(_Static(whole("n_dynamic", n_dynamic)))


def make_connected_components_filter(faces: Any) -> CollisionFilter:
    """Pieces that the faces connect never touch themselves."""
    table = np.asarray(faces)
    rows = indices("faces", table, table.shape[1] if table.ndim == 2 and table.size else 3)
    return CollisionFilter._of(_Patches(_components(rows), open_end=True))


def _components(faces: np.ndarray) -> np.ndarray:
    """The smallest vertex of the piece of each vertex."""
    labels = np.arange(int(faces.max()) + 1 if faces.size else 0)
    while True:
        before = labels.copy()
        np.minimum.at(labels, faces, labels[faces].min(axis=1, keepdims=True) if faces.size else labels[faces])
        labels = labels[labels]
        if np.array_equal(labels, before):
            return labels
