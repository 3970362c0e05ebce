"""Functions that take several lists of arguments, as C++ has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def chosen(
    function: str, signatures: Sequence[Sequence[str]], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> list[Any]:
    """The arguments in order, by the first list of names that they fill."""
    for names in signatures:
        given = dict(zip(names, args))
        if len(args) + len(kwargs) != len(names) or given.keys() & kwargs.keys():
            continue
        given |= kwargs
        if given.keys() == set(names):
            return [given[name] for name in names]
    choices = " or ".join(f"({', '.join(names)})" for names in signatures)
    raise TypeError(f"{function}: got {len(args) + len(kwargs)} arguments, expected {choices}")
