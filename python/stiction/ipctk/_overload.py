"""Functions that take several lists of arguments, as C++ has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def chosen(
    function: str,
    signatures: Sequence[Sequence[str]],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    defaults: Mapping[str, float] | None = None,
) -> tuple[Any, ...]:
    """The arguments in order, by the first list of names that they fill; those with defaults are single numbers."""
    for names in signatures:
        values = _filled(names, args, kwargs, defaults or {})
        if values is not None:
            return values
    choices = " or ".join(f"({', '.join(names)})" for names in signatures)
    raise TypeError(f"{function}: cannot be called with these {len(args) + len(kwargs)} arguments, expected {choices}")


def _filled(
    names: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any], defaults: Mapping[str, float]
) -> tuple[Any, ...] | None:
    given = dict(zip(names, args))
    if len(args) > len(names) or given.keys() & kwargs.keys() or not kwargs.keys() <= set(names):
        return None
    options = {name: defaults[name] for name in names if name in defaults}
    filled = options | given | dict(kwargs)
    if len(filled) < len(names) or any(np.ndim(filled[name]) for name in options):
        return None
    return tuple(filled[name] for name in names)
