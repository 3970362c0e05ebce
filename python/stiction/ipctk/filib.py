"""Interval arithmetic, which is not available: names exist so that they can be imported, and say so when they are used."""

from __future__ import annotations

from typing import Any

_FUNCTIONS = frozenset(
    "acos acosh acot acoth asin asinh atan atanh cos cosh cot coth disjoint erf erfc exp exp10 exp2 expm1 log log10 log1p log2 max min "
    "sin sinh sqr sqrt tan tanh".split()
)


class Interval:
    """Not available."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("filib.Interval: interval arithmetic is not available in stiction.ipctk")


def __getattr__(name: str) -> Any:
    if name in _FUNCTIONS:
        raise NotImplementedError(f"filib.{name}: interval arithmetic is not available in stiction.ipctk")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
