"""How stiff a barrier should be. Distances are squared, as everywhere in this module."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._stiction import drop_in
from ._array import Floats, instance, matrix, not_negative, positive, vector
from ._barrier import Barrier, native_name
from ._candidates import Candidates
from ._mesh import CollisionMesh
from ._normal import NormalCollisions, renamed
from ._stencil import CollisionStencil, flat_positions

_LARGEST = 100.0

# What compares with itself as a number.
_PLAIN = {float, int, np.float64}


def initial_barrier_stiffness(
    bbox_diagonal: float,
    barrier: Barrier,
    dhat: float,
    average_mass: float,
    grad_energy: Any,
    grad_barrier: Any,
    min_barrier_stiffness_scale: float = 1e11,
    dmin: float = 0,
) -> tuple[float, float]:
    """The stiffness κ that balances the barrier with all other energies, and the largest that it may grow to.

        κ = −g_b·g_E/|g_b|²  within κ_min … 100 κ_min        κ_min = scale · m̄ / (4 s₀ b″(s₀))        s₀ = (10⁻⁸ diagonal)² + 2·10⁻⁸ diagonal dmin

    `bbox_diagonal`, `dhat`, `dmin` in m; `average_mass` of a vertex in kg; gradients in N, that of the barrier at κ = 1.
    """
    numbers = bbox_diagonal, dhat, average_mass, min_barrier_stiffness_scale, dmin
    least = _known_least(type(barrier), numbers) or _least(barrier, *numbers)
    balance = drop_in.force_balance(grad_energy, grad_barrier)
    if balance is None:
        balance = _checked_balance(grad_energy, grad_barrier)
    return min(max(balance, least), _LARGEST * least), _LARGEST * least


# The last smallest stiffness of a barrier of this module, which has no state: solvers ask for the same again and again.
_last: tuple[type[Barrier], tuple[Any, ...], float] | None = None


def _known_least(kind: type, numbers: tuple[Any, ...]) -> float | None:
    """The smallest stiffness, if it is the one that was asked for last."""
    last = _last  # Another thread may replace it at any time.
    if last is None or last[0] is not kind or not _PLAIN.issuperset(map(type, numbers)):
        return None
    return last[2] if last[1] == numbers else None


def _checked_balance(grad_energy: Any, grad_barrier: Any) -> float:
    others = vector("grad_energy", grad_energy)
    own = vector("grad_barrier", grad_barrier, len(others))
    square = float(own @ own)
    return 1.0 if square == 0.0 else -float(own @ others) / square


def _least(barrier: Barrier, *numbers: Any) -> float:
    """The smallest stiffness: such that pairs a tiny distance apart still move their masses."""
    names = "bbox_diagonal", "dhat", "average_mass", "min_barrier_stiffness_scale"
    diagonal, dhat, mass, scale = map(positive, names, numbers)
    dmin = not_negative("dmin", numbers[4])
    instance("barrier", barrier, Barrier)
    tiny, s_hat = 1e-8 * diagonal + dmin, (2.0 * dmin + dhat) * dhat
    bend = barrier.second_derivative(tiny * tiny - dmin * dmin, s_hat)
    if not bend > 0.0:
        raise ValueError(f"bbox_diagonal: is {diagonal}, too large for this dhat: the barrier does not act at 1e-8 of it")
    least = scale * mass / (4.0 * tiny * tiny * bend)
    if native_name(barrier):
        global _last
        _last = type(barrier), (diagonal, dhat, mass, scale, dmin), least
    return least


update_barrier_stiffness = drop_in.update_barrier_stiffness


def semi_implicit_stiffness(*args: Any, **kwargs: Any) -> Any:
    """κ from the mass, the gap and what is behind a collision.

        κ = m̄/(d − dmin)² + wᵀHw        w = c⊗n/|c| ,  m̄ = cᵀMc/|c|²

    semi_implicit_stiffness(stencil, vertices, mass, local_hess, dmin): of one, with positions, masses and Hessian of its vertices.
    semi_implicit_stiffness(mesh, vertices, collisions, vertex_masses, hess, dmin): of all collisions or candidates, (k,).
    """
    first = args[0] if args else kwargs.get("stencil", kwargs.get("mesh"))
    if isinstance(first, CollisionMesh):
        return _of_all(*args, **kwargs)
    return _of_one(*args, **kwargs)


def _of_one(stencil: CollisionStencil, vertices: Any, mass: Any, local_hess: Any, dmin: float) -> float:
    count = instance("stencil", stencil, CollisionStencil)._count
    x = flat_positions(vertices, count)
    m, h = vector("mass", mass, count), matrix("local_hess", local_hess, x.size)
    if len(h) != x.size:
        raise ValueError(f"local_hess: has shape {h.shape}, expected {(x.size, x.size)}")
    c, r = stencil.compute_coefficients(x.ravel()), stencil.compute_distance_vector(x.ravel())
    return _stiffness(c, r, m, h, not_negative("dmin", dmin))


def _stiffness(c: Floats, r: Floats, mass: Floats, hessian: Floats, dmin: float) -> float:
    distance = float(np.linalg.norm(r))
    if not distance > dmin:
        raise ValueError(f"vertices: are {distance} apart, expected more than dmin, which is {dmin}")
    square = float(c @ c)
    w = np.kron(c, r / distance) / np.sqrt(square)
    return float(mass @ (c * c)) / square / (distance - dmin) ** 2 + float(w @ hessian @ w)


def _of_all(mesh: CollisionMesh, vertices: Any, collisions: Any, vertex_masses: Any, hess: Any, dmin: float) -> Floats:
    if isinstance(collisions, NormalCollisions):
        return _of_collisions(mesh, vertices, collisions, vertex_masses, hess, dmin)
    instance("collisions", collisions, Candidates)
    from scipy.sparse import csr_matrix

    x, masses = mesh._positions("vertices", vertices), vector("vertex_masses", vertex_masses, mesh.num_vertices)
    rows, found = csr_matrix(hess), []
    if rows.shape != (x.size, x.size):
        raise ValueError(f"hess: has shape {rows.shape}, expected {(x.size, x.size)}")
    for candidate in (collisions[i] for i in range(len(collisions))):
        ids = candidate._ids(mesh.edges, mesh.faces)
        places = (np.array(ids)[:, None] * mesh.dim + np.arange(mesh.dim)).ravel()
        local = rows[places][:, places].toarray()
        found.append(_of_one(candidate, x[ids].ravel(), masses[ids], local, dmin))
    return np.array(found)


def _of_collisions(mesh: Any, vertices: Any, collisions: NormalCollisions, masses: Any, hess: Any, dmin: float) -> Floats:
    contacts = collisions._contacts(mesh, vertices)
    masses, dmin = vector("vertex_masses", masses, mesh.num_vertices), not_negative("dmin", dmin)
    try:
        native = contacts.semi_implicit_stiffness(vertices, masses, hess, dmin=dmin)
    except ValueError as error:
        raise renamed(error, x="vertices", hessian="hess") from None
    return np.array(collisions._set.from_native(native))
