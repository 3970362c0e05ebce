"""Types of the compiled module; its documentation is in help(stiction)."""

from collections.abc import Iterable
from typing import Literal, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

_Kind: TypeAlias = Literal["vv", "ve", "ee", "vf"]
_BroadPhase: TypeAlias = Literal["brute_force", "hash_grid", "spatial_hash", "sweep_and_prune", "bvh"]
_Ccd: TypeAlias = Literal["additive", "tight_inclusion"]
_Psd: TypeAlias = Literal["clamp", "abs", "none"]
_Planes: TypeAlias = Iterable[tuple[ArrayLike, ArrayLike]]
_Csc: TypeAlias = tuple[NDArray[np.float64], NDArray[np.integer], NDArray[np.integer]]

version: str

def set_num_threads(count: int) -> None: ...
def num_threads() -> int: ...
def candidates(
    surface: Surface,
    x: ArrayLike,
    x_end: ArrayLike | None = None,
    inflation: float = 0.0,
    method: _BroadPhase = "bvh",
) -> dict[_Kind, NDArray[np.uint32]]: ...

def distance_squared(kind: _Kind, x: ArrayLike) -> float: ...
def distance_squared_gradient(kind: _Kind, x: ArrayLike) -> NDArray[np.float64]: ...
def distance_squared_hessian(kind: _Kind, x: ArrayLike) -> NDArray[np.float64]: ...
def closest_distance_squared(kind: _Kind, x: ArrayLike) -> float: ...
def largest_step(
    surface: Surface,
    x: ArrayLike,
    p: ArrayLike,
    planes: _Planes | None = None,
    *,
    method: _Ccd = "additive",
    min_distance: float = 0.0,
) -> float: ...
def is_free(
    surface: Surface,
    x: ArrayLike,
    p: ArrayLike,
    planes: _Planes | None = None,
    *,
    method: _Ccd = "additive",
    min_distance: float = 0.0,
) -> bool: ...
def crossings(
    surface: Surface, x: ArrayLike, kind: Literal["vv", "ve", "ee", "vf", "ef"] | None = None
) -> NDArray[np.uint32]: ...
def describe_crossings(surface: Surface, x: ArrayLike) -> list[str]: ...
def has_crossings(surface: Surface, x: ArrayLike) -> bool: ...

@final
class Surface:
    def __new__(
        cls,
        vertices: ArrayLike,
        edges: ArrayLike,
        faces: ArrayLike | None = None,
        loose_vertices: ArrayLike | None = None,
        bodies: ArrayLike | None = None,
    ) -> Self: ...
    @property
    def dimension(self) -> int: ...
    @property
    def rest(self) -> NDArray[np.float64]: ...
    @property
    def edges(self) -> NDArray[np.uint32]: ...
    @property
    def faces(self) -> NDArray[np.uint32]: ...
    @property
    def faces_to_edges(self) -> NDArray[np.uint32]: ...
    @property
    def loose_vertices(self) -> NDArray[np.uint32]: ...
    @property
    def loose_edges(self) -> NDArray[np.uint32]: ...
    @property
    def vertex_areas(self) -> NDArray[np.float64]: ...
    @property
    def edge_areas(self) -> NDArray[np.float64]: ...
    @property
    def boundary_vertices(self) -> NDArray[np.bool_]: ...
    @property
    def boundary_edges(self) -> NDArray[np.bool_]: ...
    @property
    def bodies(self) -> NDArray[np.int64]: ...

class Contacts:
    def __new__(cls, surface: Surface, x: ArrayLike, dhat: float, planes: _Planes | None = None) -> Self: ...
    def __len__(self) -> int: ...
    @property
    def dhat(self) -> float: ...
    @property
    def counts(self) -> dict[str, int]: ...
    def smallest_gap(self, x: ArrayLike) -> float: ...
    def barrier_energy(self, x: ArrayLike, kappa: float) -> float: ...
    def barrier_gradient(self, x: ArrayLike, kappa: float) -> NDArray[np.float64]: ...
    def barrier_hessian_csc(self, x: ArrayLike, kappa: float, psd: _Psd = "clamp") -> _Csc: ...
    def friction_energy(
        self,
        x_lagged: ArrayLike,
        x_start: ArrayLike,
        x: ArrayLike,
        kappa: float,
        mu: float,
        eps_v: float,
        h: float,
    ) -> float: ...
    def friction_gradient(
        self,
        x_lagged: ArrayLike,
        x_start: ArrayLike,
        x: ArrayLike,
        kappa: float,
        mu: float,
        eps_v: float,
        h: float,
    ) -> NDArray[np.float64]: ...
    def friction_hessian_csc(
        self,
        x_lagged: ArrayLike,
        x_start: ArrayLike,
        x: ArrayLike,
        kappa: float,
        mu: float,
        eps_v: float,
        h: float,
    ) -> _Csc: ...
