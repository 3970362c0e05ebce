"""Enumerations as C++ bindings make them: `int(member)`, no order, no equality with numbers."""

from __future__ import annotations

import enum


class Enum(enum.Enum):
    """Members have `name`, `value`, `int()` and can be indices; `Class(2)` is the member with value 2."""

    _value_: int

    def __int__(self) -> int:
        return self._value_

    def __index__(self) -> int:
        return self._value_

    def __hash__(self) -> int:
        return self._value_

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}: {self.value}>"

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"
