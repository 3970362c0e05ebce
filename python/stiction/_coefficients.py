"""Friction coefficients that say where they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias, Union

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._stiction import _Blend


@dataclass(frozen=True, eq=False)
class FrictionEntry:
    """Friction between two surfaces, with what depends on the direction of the slide.

    `mu`, `mu_k`: static and kinetic coefficient, the latter by default the same.
    `ellipse`: coefficients along the first axis and across it, instead of `mu`: an elliptic cone.
    `scaling`: two factors of the slide along the axes; along axis i friction is that of mu times factor i.
    `static_axes`, `kinetic_axes`: coefficients along the axes, of which `Slides.refresh_anisotropy` makes those of the slide.
    `direction`: of the first axis, projected to the sliding plane: a vector, or "grain" for that of `Coefficients`; by default the
    tangent of the contact.
    """

    mu: float = 0.0
    mu_k: float | None = None
    ellipse: ArrayLike | None = None
    scaling: ArrayLike | None = None
    static_axes: ArrayLike | None = None
    kinetic_axes: ArrayLike | None = None
    direction: ArrayLike | Literal["grain"] | None = None


Friction: TypeAlias = Union[float, tuple[float, float], FrictionEntry]


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Friction coefficients of all contacts, to be given to `Slides` as `mu`.

    What is said of a contact, the first that there is: the entry of its pair of materials, the coefficients of its vertices, the default.
    Friction is a number, a pair (mu_s, mu_k) or a `FrictionEntry`.

    `default`: friction where nothing else is said.
    `pairs`: friction between materials, {("steel", "rubber"): (1.0, 0.8), ("steel", "steel"): 0.2}; the order of two names does not matter.
    `materials`: of every vertex, or `bodies`: of every body (see `Surface.bodies`). `obstacles`: materials of the obstacles; without, they
    have none. `names`: of materials without an entry.
    `vertices`: coefficients of the vertices, shape (n,), or static and kinetic ones, shape (n, 2); `blend`: as for `Slides`.
    `grain`: directions of the first axis at rest, shape (n, D), or `face_grain`, shape (k, D), of any length, zero for none. They turn with the
    surface; entries with direction="grain" follow them.
    """

    default: Friction = 0.0
    pairs: Mapping[tuple[str, str], Friction] = field(default_factory=dict)
    materials: Sequence[str] | None = None
    bodies: Sequence[str] | None = None
    obstacles: Sequence[str] | None = None
    names: Sequence[str] | None = None
    vertices: ArrayLike | None = None
    blend: _Blend | Callable[[float, float], float] | None = None
    grain: ArrayLike | None = None
    face_grain: ArrayLike | None = None
