"""Arguments of an assembly, checked and made into what it works with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._mesh_input import PlainMesh, boundary, is_solid, primitives, read_surface
from ._stiction import Filter, Surface, VertexFilter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._stiction import _Psd


def surface_of(mesh: PlainMesh, surface_mesh: Any, extract: bool) -> Surface:
    """What can touch: the surface that was given, the mesh itself if it is one, or the boundary of a solid."""
    if surface_mesh is not None and extract:
        raise ValueError("surface_mesh and extract_surface: give one of them")
    if surface_mesh is not None:
        elements = read_surface(surface_mesh)
    elif not is_solid(mesh.elements, mesh.dimension):
        elements = mesh.elements
    elif extract:
        elements = boundary(mesh)
    else:
        raise ValueError("surface_mesh: is needed for a solid, or extract_surface=True")
    return Surface(mesh.nodes, *primitives(elements, mesh.dimension))


def without_rings(surface: Surface, rings: int) -> Surface:
    """The surface whose neighbours in this many rings do not touch; in one they never do."""
    if int(rings) != rings or rings < 1:
        raise ValueError(f"excluded_rings: {rings} is not a whole number of 1 or more")
    return surface if rings == 1 else surface.with_filter(Filter(VertexFilter.rings(surface, int(rings))))


def reach(dhat: float, relative: bool, surface: Surface) -> float:
    """d̂ in m."""
    part = surface.rest[surface.bodies >= 0]
    if not len(part):
        raise ValueError("surface_mesh: has no elements")
    return positive("dhat", dhat) * (float(np.linalg.norm(np.ptp(part, axis=0))) if relative else 1.0)


def psd_of(projection: bool | _Psd) -> _Psd:
    """What becomes of negative eigenvalues, by name."""
    if isinstance(projection, str):
        if projection not in ("clamp", "abs", "gauss_newton", "none"):
            raise ValueError(f'psd_projection: "{projection}" is none of "clamp", "abs", "gauss_newton" and "none"')
        return projection
    return "clamp" if projection else "none"


def displacements(source: Any, count: int) -> Any:
    """Displacements of a start: zeros, an array, or those of a problem."""
    if source is None:
        return np.zeros(count)
    if hasattr(source, "get_disp"):
        found = np.asarray(source.get_disp(), dtype=float)
        return np.zeros(count) if found.ndim == 0 else found.T
    return getattr(source, "u", source)


def positive(name: str, value: float) -> float:
    """The value, if it is positive and finite."""
    if not (np.isfinite(value) and value > 0):
        raise ValueError(f"{name}: {value} is not a positive number")
    return float(value)


def not_negative(name: str, value: float) -> float:
    """The value, if it is not negative and finite."""
    if not (np.isfinite(value) and value >= 0):
        raise ValueError(f"{name}: {value} is not a number of 0 or more")
    return float(value)


def plane_pairs(planes: Any) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Planes as pairs (point, normal)."""
    found = []
    for number, plane in enumerate(planes or []):
        try:
            point, normal = (np.asarray(part, float) for part in plane)
        except (TypeError, ValueError):
            raise ValueError(f"planes[{number}]: expected a pair (point, normal)") from None
        found.append((point, normal))
    return found
