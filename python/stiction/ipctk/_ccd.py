"""When primitives on their ways come too close.

The step of a pair ends where it has come as close as
    ξ + min((1 − s)(d₀ − ξ), 0.1 mm)        tight inclusion, s = 0.8
    ξ + (1 − s)(d₀ − ξ)                     additive, s = 0.9
for ξ the minimum distance and d₀ the distance at the start, in m; s is `conservative_rescaling`. Both methods are those of
stiction: they prove that nothing is closer before, also in rounded arithmetic, and their work is bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from .._stiction import drop_in
from ._array import Floats, not_negative, number, points, positive, whole
from ._distance import edge_edge_distance, point_edge_distance, point_point_distance, point_triangle_distance

_IN_SPACE = (3,)
_PP = ("p0_t0", "p1_t0", "p0_t1", "p1_t1")
_PE = ("p_t0", "e0_t0", "e1_t0", "p_t1", "e0_t1", "e1_t1")
_PT = ("p_t0", "t0_t0", "t1_t0", "t2_t0", "p_t1", "t0_t1", "t1_t1", "t2_t1")
_EE = ("ea0_t0", "ea1_t0", "eb0_t0", "eb1_t0", "ea0_t1", "ea1_t1", "eb0_t1", "eb1_t1")

# Tight inclusion keeps at most this much of a distance, in m.
_MOST_KEPT = 1e-4

Rule = tuple[str, float, float, float]
Found = tuple[bool, float]


class NarrowPhaseCCD:
    """A way to find when a pair comes too close: derive from it and override the four methods.

    Each returns whether the pair comes too close before `tmax`, and when, as a part of the motion from 0 to 1.
    """

    conservative_rescaling: float = 0.8

    def point_point_ccd(
        self, p0_t0: Any, p1_t0: Any, p0_t1: Any, p1_t1: Any, min_distance: float = 0.0, tmax: float = 1.0
    ) -> Found:
        """Of two points."""
        raise NotImplementedError(f"{type(self).__name__}.point_point_ccd: override it, or use TightInclusionCCD")

    def point_edge_ccd(
        self,
        p_t0: Any,
        e0_t0: Any,
        e1_t0: Any,
        p_t1: Any,
        e0_t1: Any,
        e1_t1: Any,
        min_distance: float = 0.0,
        tmax: float = 1.0,
    ) -> Found:
        """Of a point and an edge."""
        raise NotImplementedError(f"{type(self).__name__}.point_edge_ccd: override it, or use TightInclusionCCD")

    def point_triangle_ccd(
        self,
        p_t0: Any,
        t0_t0: Any,
        t1_t0: Any,
        t2_t0: Any,
        p_t1: Any,
        t0_t1: Any,
        t1_t1: Any,
        t2_t1: Any,
        min_distance: float = 0.0,
        tmax: float = 1.0,
    ) -> Found:
        """Of a point and a triangle."""
        raise NotImplementedError(f"{type(self).__name__}.point_triangle_ccd: override it, or use TightInclusionCCD")

    def edge_edge_ccd(
        self,
        ea0_t0: Any,
        ea1_t0: Any,
        eb0_t0: Any,
        eb1_t0: Any,
        ea0_t1: Any,
        ea1_t1: Any,
        eb0_t1: Any,
        eb1_t1: Any,
        min_distance: float = 0.0,
        tmax: float = 1.0,
    ) -> Found:
        """Of two edges."""
        raise NotImplementedError(f"{type(self).__name__}.edge_edge_ccd: override it, or use TightInclusionCCD")


class _NativeCCD(NarrowPhaseCCD):
    """A method of stiction."""

    _method = ""
    _most_kept = inf

    @property
    def conservative_rescaling(self) -> float:
        """s, the part of a distance that may be used up."""
        return self._rescaling

    @conservative_rescaling.setter
    def conservative_rescaling(self, rescaling: float) -> None:
        self._rescaling = between_0_and_1("conservative_rescaling", rescaling)

    def _rule(self, min_distance: float) -> Rule:
        """What to keep, as the native functions take it."""
        return self._method, not_negative("min_distance", min_distance), 1.0 - self._rescaling, self._most_kept

    def _ask(self, kind: str, names: tuple[str, ...], x: tuple[Any, ...], limits: tuple[float, float]) -> Found:
        table = points(names, x, _IN_SPACE if kind in ("ee", "vf") else (2, 3))
        half = len(table) // 2
        return found(drop_in.pair_step(kind, table[:half], table[half:], self._rule(limits[0])), limits[1])

    def point_point_ccd(
        self, p0_t0: Any, p1_t0: Any, p0_t1: Any, p1_t1: Any, min_distance: float = 0.0, tmax: float = 1.0
    ) -> Found:
        """Whether two points come too close before `tmax`, and when; infinite if they do not."""
        return self._ask("vv", _PP, (p0_t0, p1_t0, p0_t1, p1_t1), (min_distance, tmax))

    def point_edge_ccd(
        self,
        p_t0: Any,
        e0_t0: Any,
        e1_t0: Any,
        p_t1: Any,
        e0_t1: Any,
        e1_t1: Any,
        min_distance: float = 0.0,
        tmax: float = 1.0,
    ) -> Found:
        """Whether a point and an edge come too close before `tmax`, and when; infinite if they do not."""
        return self._ask("ve", _PE, (p_t0, e0_t0, e1_t0, p_t1, e0_t1, e1_t1), (min_distance, tmax))

    def point_triangle_ccd(
        self,
        p_t0: Any,
        t0_t0: Any,
        t1_t0: Any,
        t2_t0: Any,
        p_t1: Any,
        t0_t1: Any,
        t1_t1: Any,
        t2_t1: Any,
        min_distance: float = 0.0,
        tmax: float = 1.0,
    ) -> Found:
        """Whether a point and a triangle come too close before `tmax`, and when; infinite if they do not."""
        x = (p_t0, t0_t0, t1_t0, t2_t0, p_t1, t0_t1, t1_t1, t2_t1)
        return self._ask("vf", _PT, x, (min_distance, tmax))

    def edge_edge_ccd(
        self,
        ea0_t0: Any,
        ea1_t0: Any,
        eb0_t0: Any,
        eb1_t0: Any,
        ea0_t1: Any,
        ea1_t1: Any,
        eb0_t1: Any,
        eb1_t1: Any,
        min_distance: float = 0.0,
        tmax: float = 1.0,
    ) -> Found:
        """Whether two edges come too close before `tmax`, and when; infinite if they do not."""
        x = (ea0_t0, ea1_t0, eb0_t0, eb1_t0, ea0_t1, ea1_t1, eb0_t1, eb1_t1)
        return self._ask("ee", _EE, x, (min_distance, tmax))


class TightInclusionCCD(_NativeCCD):
    """Boxes around all points and times, discarded until the earliest is small.

    `tolerance` and `max_iterations` are kept but change nothing: the search ends by itself, at most a thousandth of the kept
    distance early.
    """

    DEFAULT_TOLERANCE = 1e-6
    DEFAULT_MAX_ITERATIONS = 10_000_000
    DEFAULT_CONSERVATIVE_RESCALING = 0.8
    SMALL_TOI = 1e-6
    _method, _most_kept = "tight_inclusion", _MOST_KEPT

    def __init__(
        self, tolerance: float = 1e-6, max_iterations: int = 10_000_000, conservative_rescaling: float = 0.8
    ) -> None:
        self.tolerance = positive("tolerance", tolerance)
        self.max_iterations = whole("max_iterations", max_iterations, -1)
        self.conservative_rescaling = conservative_rescaling


class AdditiveCCD(_NativeCCD):
    """Advances that are proven to be safe, added up. `max_iterations` is kept but changes nothing: the search ends by itself."""

    DEFAULT_MAX_ITERATIONS = 10_000_000
    UNLIMITTED_ITERATIONS = -1
    DEFAULT_CONSERVATIVE_RESCALING = 0.9
    _method = "additive"

    def __init__(self, max_iterations: float = 10_000_000, conservative_rescaling: float = 0.9) -> None:
        self.max_iterations = int(number("max_iterations", max_iterations))
        self.conservative_rescaling = conservative_rescaling


def between_0_and_1(name: str, value: Any) -> float:
    """A number larger than 0 and smaller than 1."""
    value = number(name, value)
    if not 0.0 < value < 1.0:
        raise ValueError(f"{name}: is {value}, expected a number between 0 and 1")
    return value


def found(step: float, tmax: float) -> Found:
    """The answer for a pair that may go so far."""
    limit = number("tmax", tmax)
    if not 0.0 <= limit <= 1.0:
        raise ValueError(f"tmax: is {limit}, expected a number from 0 to 1")
    return (True, step) if step < limit else (False, inf)


def narrow_phase(ccd: Any) -> NarrowPhaseCCD:
    """The narrow phase that was given, or tight inclusion."""
    if ccd is None:
        return _DEFAULT
    if not isinstance(ccd, NarrowPhaseCCD):
        raise TypeError(f"narrow_phase_ccd: is of type {type(ccd).__name__}, expected NarrowPhaseCCD")
    return ccd


def is_native(ccd: NarrowPhaseCCD) -> bool:
    """Whether whole motions can be handed to Rust: not with methods overridden in Python."""
    return type(ccd) in (TightInclusionCCD, AdditiveCCD)


_DEFAULT = TightInclusionCCD()
DEFAULT_RULE = _DEFAULT._rule(0.0)


def rule_of_default(min_distance: float) -> Rule:
    """What to keep where no narrow phase was given."""
    return _DEFAULT._rule(min_distance)


def plane_ccd(heights: tuple[float, float] | list[float], min_distance: float, tmax: float, rescaling: float) -> Found:
    """Whether a vertex that goes from one height over a plane to another comes too close, and when."""
    room = heights[0] - not_negative("min_distance", min_distance)
    lost = heights[0] - heights[1]
    if room <= 0.0:
        return found(0.0, tmax)
    return found(rescaling * room / lost if rescaling * room < lost else 1.0, tmax)


def inexact_point_edge_ccd_2D(
    p_t0: Any, e0_t0: Any, e1_t0: Any, p_t1: Any, e0_t1: Any, e1_t1: Any, conservative_rescaling: float
) -> Found:
    """Whether a point meets an edge in 2D, and `conservative_rescaling` times when; infinite if it does not."""
    rescaling = positive("conservative_rescaling", conservative_rescaling)
    x = points(_PE, (p_t0, e0_t0, e1_t0, p_t1, e0_t1, e1_t1), (2,))
    meets, toi = found(drop_in.pair_step("ve", x[:3], x[3:], ("additive", 0.0, 1e-9, inf)), 1.0)
    return (True, rescaling * toi) if meets else (False, inf)


class NonlinearTrajectory:
    """The way of a point: derive from it and override both methods."""

    def __call__(self, t: float) -> Any:
        """The position at time t, from 0 to 1."""
        raise NotImplementedError(f"{type(self).__name__}.__call__: override it to return the position at time t")

    def max_distance_from_linear(self, t0: float, t1: float) -> float:
        """How far in m the way from time t0 to t1 is from the straight one at most."""
        raise NotImplementedError(f"{type(self).__name__}.max_distance_from_linear: override it")


class IntervalNonlinearTrajectory(NonlinearTrajectory):
    """Ways in interval arithmetic are not available: bound the distance yourself with a NonlinearTrajectory."""

    def __init__(self) -> None:
        raise NotImplementedError("IntervalNonlinearTrajectory: use NonlinearTrajectory with max_distance_from_linear")


class NonlinearCCD:
    """When points on curved ways meet: straight pieces, with the distance from them added to the one that is kept."""

    # Pieces that a way is cut into at most, once anything has been gained.
    _MOST_PIECES = 1000

    def __init__(
        self, tolerance: float = 1e-6, max_iterations: int = 10_000_000, conservative_rescaling: float = 0.8
    ) -> None:
        self.tolerance = positive("tolerance", tolerance)
        self.max_iterations = whole("max_iterations", max_iterations, -1)
        self.conservative_rescaling = between_0_and_1("conservative_rescaling", conservative_rescaling)

    def point_point_ccd(self, p0: Any, p1: Any, min_distance: float = 0.0, tmax: float = 1.0) -> Found:
        """Whether two points come too close before `tmax`, and when."""
        return self._search("vv", ((p0,), (p1,)), point_point_distance, (min_distance, tmax))

    def point_edge_ccd(self, p: Any, e0: Any, e1: Any, min_distance: float = 0.0, tmax: float = 1.0) -> Found:
        """Whether a point and an edge come too close before `tmax`, and when."""
        return self._search("ve", ((p,), (e0, e1)), point_edge_distance, (min_distance, tmax))

    def edge_edge_ccd(
        self, ea0: Any, ea1: Any, eb0: Any, eb1: Any, min_distance: float = 0.0, tmax: float = 1.0
    ) -> Found:
        """Whether two edges come too close before `tmax`, and when."""
        return self._search("ee", ((ea0, ea1), (eb0, eb1)), edge_edge_distance, (min_distance, tmax))

    def point_triangle_ccd(
        self, p: Any, t0: Any, t1: Any, t2: Any, min_distance: float = 0.0, tmax: float = 1.0
    ) -> Found:
        """Whether a point and a triangle come too close before `tmax`, and when."""
        return self._search("vf", ((p,), (t0, t1, t2)), point_triangle_distance, (min_distance, tmax))

    def _search(
        self,
        kind: str,
        sides: tuple[tuple[Any, ...], tuple[Any, ...]],
        squared: Callable[..., float],
        limits: tuple[float, float],
    ) -> Found:
        ways = sides[0] + sides[1]

        def at(t: float) -> Floats:
            return np.array([np.asarray(way(t), dtype=float) for way in ways])

        def deviation(t0: float, t1: float) -> float:
            return sum(max(float(way.max_distance_from_linear(t0, t1)) for way in side) for side in sides)

        def straight(t0: float, t1: float, distance: float, _no_zero: bool, _toi: float) -> Found:
            # Half of what is left, at most a tenth of the tolerance.
            rule = ("tight_inclusion", distance, 0.5, 0.1 * self.tolerance)
            return found(drop_in.pair_step(kind, at(t0), at(t1), rule), 1.0)

        return self.conservative_piecewise_linear_ccd(
            lambda t: float(np.sqrt(squared(*at(t)))), deviation, straight, *limits, self.conservative_rescaling
        )

    @staticmethod
    def conservative_piecewise_linear_ccd(
        distance: Callable[[float], float],
        max_distance_from_linear: Callable[[float, float], float],
        linear_ccd: Callable[[float, float, float, bool, float], Any],
        min_distance: float = 0.0,
        tmax: float = 1.0,
        conservative_rescaling: float = 0.8,
    ) -> Found:
        """Whether curved ways come closer than `min_distance` before `tmax`, and when, from straight pieces.

        `linear_ccd(t0, t1, min_distance, no_zero_toi, toi)` returns whether the straight piece from t0 to t1 comes too close, and
        when, from 0 to 1. Pieces are halved until they are within a part of the distance, or 1 cm, of the way.
        """
        least, kept = not_negative("min_distance", min_distance), 1.0 - conservative_rescaling
        at_first = distance(0.0)
        if at_first <= least:
            return True, 0.0
        start, ends, pieces = 0.0, [number("tmax", tmax)], 1
        while ends:
            now, end = distance(start), ends[-1]
            if now < kept * at_first and start > 0.0:
                return True, start
            bend = max_distance_from_linear(start, end)
            may_halve = pieces < NonlinearCCD._MOST_PIECES or start == 0.0
            if bend >= min(kept * now, 0.01) and may_halve and start < 0.5 * (start + end) < end:
                ends.append(0.5 * (start + end))
                pieces += 1
                continue
            meets, part = _answer(linear_ccd(start, end, bend + least, start == 0.0, 0.0))
            if meets:
                return True, start + (end - start) * part
            start = ends.pop()
        return False, inf


def _answer(result: Any) -> Found:
    """Whether and when; without a time, at once."""
    return (bool(result[0]), float(result[1])) if isinstance(result, tuple) else (bool(result), 0.0)
