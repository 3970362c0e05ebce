"""What `ipctk` has and this module does not: each name raises NotImplementedError when it is used."""

from __future__ import annotations

from typing import Any


class _Missing:
    """A class that cannot be made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__} (smooth contact) is not in stiction.ipctk")


class SmoothContactParameters(_Missing):
    """Parameters of smooth contact: not here."""


class SmoothCollisions(_Missing):
    """Collisions of smooth contact: not here."""


class SmoothPotential(_Missing):
    """The potential of smooth contact: not here."""


class SmoothCollision2(_Missing):
    """A collision of smooth contact: not here."""


class Edge2Point2Collision(SmoothCollision2):
    """An edge and a vertex in smooth contact: not here."""


class Point2Point2Collision(SmoothCollision2):
    """Two vertices in smooth contact: not here."""
