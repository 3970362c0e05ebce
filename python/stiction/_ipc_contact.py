"""Contact and friction as one more assembly of anybody's solver.

An increment of a solver goes like this:

    contact = IPCContact(mesh, extract_surface=True, friction_coefficient=0.3)
    contact.initialize(u, stiffness=K)
    for each increment:
        contact.set_start(u)
        while not contact.may_stop(converged):
            contact.update(u)
            du = solve(K(u) + contact.get_global_matrix(), f(u) + contact.get_global_vector())
            u = u + contact.line_search(u, du, energy) * du
        (or, if it failed: u = contact.to_start(), and a smaller increment)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _stiction
from ._contact_friction import FrictionMenu
from ._contact_report import ContactReport
from ._contact_scene import ContactScene
from ._contact_stiffness import BarrierSlope, BodyModuli, risen
from ._dof_order import DofOrder, Order
from ._mesh_input import PlainMesh, boundary, is_solid, primitives, read_mesh, read_surface
from ._stiction import BarrierPotential, Contacts, Slides, Surface

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray
    from scipy.sparse import csc_array

    from ._stiction import FrictionLaw, _Barrier, _Blend, _BroadPhase, _Ccd, _LawName, _Planes, _Psd

# Gaps below these parts of d̂ ask for one and for three more iterations.
CLOSE, DANGEROUS = 0.1, 0.01
# How often the energy line search halves a step.
HALVINGS = 40
# Energies are told apart down to this part of their magnitude.
ROUNDING = 1e-13


@dataclass(frozen=True)
class _Start:
    """All that an increment begins with, so that it can be begun again."""

    u: NDArray[np.float64]
    x: NDArray[np.float64]
    kappa: float | None
    friction: FrictionMenu
    contacts: Contacts
    slides: Slides | None


class IPCContact:
    """Contact by barriers, with friction, that keeps every configuration free of intersections.

    Adds the energy κ B(x) + P(x) to that of a solver: a barrier B that grows without bound as distances go to zero and vanishes beyond
    dhat, and the friction potential P of the increment. Works on plain arrays; see the module's head for how a solver uses it.

    `mesh`: the solver's mesh: (nodes, elements), a meshio mesh, or anything with `.nodes` and `.elements` or with `.p` and `.t`; nodes in m.
    `surface_mesh`: what can touch, numbered as the nodes of `mesh`: edges in 2D, triangles in 3D. `extract_surface`: find it by itself.
    `dhat`: distance below which contact acts, in m, or, with `dhat_is_relative`, as a part of the diagonal of the surface's bounding box.
    `barrier_stiffness`: κ; by default it follows the stiffness given to `initialize`. `adaptive_barrier_stiffness`: κ grows after converged
    increments whose smallest gap is below 0.1 dhat.
    `friction_coefficient`: μ, one number or one for each node. `eps_v`: speed below which contacts stick, in m/s with a `time_step`, otherwise
    slip per increment in m.
    `broad_phase`: "hash_grid", "brute_force", "spatial_hash", "sweep_and_prune" or "bvh"; all give the same.
    `use_ccd`: steps are bounded by continuous collision detection (`largest_step`), the default; `use_ogc`: vertices are bounded one by one
    (`filter_step`), by balls (True) or by dividing planes ("planar"). One excludes the other.
    `line_search_energy`: `line_search` also halves steps until the energy falls; by default where use_ccd is.
    `space`: 2 or 3; by default as many as nodes have coordinates. `name`: for reports.

    Only by name: `dof_order`: "interleaved" (x₀ y₀ z₀ x₁ …), "blocked" (all x, then all y …) or a sparse matrix P of shape (unknowns, n·D).
    `dmin`: distance that is never fallen below, in m. `excluded_rings`: neighbours that never touch, in rings of edges. `psd_projection`: True
    ("clamp"), False ("none"), "abs" or "gauss_newton". `use_area_weighting`: contacts count by area, not by number. `ccd`: "additive" or
    "tight_inclusion". `barrier`: as for BarrierPotential. `planes`: fixed (point, normal), free space is where the normal points to.
    `kinetic_coefficient`: μ_k where it differs, one or one for each node. `friction_law`: "peak", "smooth_mu" or a FrictionLaw. `blend`,
    `scaling`, `static_axes`, `kinetic_axes`, `direction`: as for Slides. `time_step`: of an increment, in s.
    """

    def __init__(
        self,
        mesh: Any,
        surface_mesh: Any = None,
        extract_surface: bool = False,
        dhat: float = 1e-3,
        dhat_is_relative: bool = True,
        barrier_stiffness: float | None = None,
        friction_coefficient: float | ArrayLike = 0.0,
        eps_v: float = 1e-3,
        broad_phase: _BroadPhase = "hash_grid",
        adaptive_barrier_stiffness: bool = True,
        use_ccd: bool | None = None,
        line_search_energy: bool | None = None,
        use_ogc: bool | Literal["planar"] = False,
        space: int | None = None,
        name: str = "IPC Contact",
        *,
        dof_order: Order | Any = "interleaved",
        dmin: float = 0.0,
        excluded_rings: int = 1,
        psd_projection: bool | _Psd = True,
        use_area_weighting: bool = False,
        ccd: _Ccd = "additive",
        barrier: _Barrier | Any = "clamped_log",
        planes: _Planes | None = None,
        kinetic_coefficient: float | ArrayLike | None = None,
        friction_law: FrictionLaw | _LawName = "peak",
        blend: _Blend | Callable[[float, float], float] | None = None,
        scaling: ArrayLike | None = None,
        static_axes: ArrayLike | None = None,
        kinetic_axes: ArrayLike | None = None,
        direction: ArrayLike | None = None,
        time_step: float | None = None,
    ) -> None:
        self._set_step_bound(use_ccd, use_ogc, line_search_energy)
        plain = read_mesh(mesh, space)
        self._order = DofOrder(dof_order, len(plain.nodes), plain.dimension)
        if use_ogc and not self._order.is_one_to_one:
            raise ValueError("use_ogc: bounds nodes one by one, which a matrix as dof_order does not: use CCD")
        surface = _surface(plain, surface_mesh, extract_surface)
        self._scene = ContactScene(
            _without_rings(surface, excluded_rings),
            _reach(dhat, dhat_is_relative, surface),
            _not_negative("dmin", dmin),
            list(planes or []),
            broad_phase,
            "improved_max" if use_area_weighting else "ipc",
            use_area_weighting,
            ccd,
        )
        options = {
            "blend": blend,
            "scaling": scaling,
            "static_axes": static_axes,
            "kinetic_axes": kinetic_axes,
            "direction": direction,
        }
        self._menu = FrictionMenu(
            friction_coefficient, kinetic_coefficient, eps_v, friction_law, time_step, options
        )
        self._slope = BarrierSlope(self._scene.dhat, self._scene.dmin, barrier)
        self._given_kappa = None if barrier_stiffness is None else _positive("barrier_stiffness", barrier_stiffness)
        self._adaptive = bool(adaptive_barrier_stiffness)
        self._psd: _Psd = _psd_of(psd_projection)
        self._name, self._space = str(name), plain.dimension
        self.reset()

    def _set_step_bound(self, use_ccd: bool | None, use_ogc: Any, line_search_energy: bool | None) -> None:
        if use_ogc not in (True, False, "planar"):
            raise ValueError(f'use_ogc: {use_ogc!r} is none of True, False and "planar"')
        if use_ccd and use_ogc:
            raise ValueError("use_ccd and use_ogc: exclude each other; choose one of them")
        self._use_ogc = use_ogc
        self._use_ccd = not use_ogc if use_ccd is None else bool(use_ccd)
        self._use_energy = self._use_ccd if line_search_energy is None else bool(line_search_energy)

    # ---- what it is

    @property
    def name(self) -> str:
        """Name of the assembly."""
        return self._name

    @property
    def space(self) -> int:
        """2 or 3."""
        return self._space

    @property
    def surface(self) -> Surface:
        """What can touch, on all nodes of the mesh."""
        return self._scene.surface

    @property
    def dhat(self) -> float:
        """The distance below which contact acts, in m."""
        return self._scene.dhat

    @property
    def dmin(self) -> float:
        """The distance that is never fallen below, in m."""
        return self._scene.dmin

    @property
    def kappa(self) -> float | None:
        """Barrier stiffness; none before the first contact."""
        return self._kappa

    @property
    def contacts(self) -> Contacts:
        """What is in contact at the last update."""
        return self._contacts

    @property
    def slides(self) -> Slides | None:
        """The contacts as friction sees them in this increment, frozen; none without friction."""
        return self._slides

    # ---- the life of an increment

    def initialize(self, u: Any = None, *, stiffness: Any = None) -> None:
        """Begins with displacements u, by default none; or with a problem that has them as `.u` or `.get_disp()`.

        `stiffness`: what the barrier's stiffness follows: the solver's matrix, its diagonal (of a dynamic step: with mass over h²) in N/m, or
        one modulus in Pa. Needed unless barrier_stiffness was given: forces cannot replace it, they vanish when contact begins.

        Raises ValueError if the start intersects, touches or is closer than dmin, with the place. Warns if neighbours in the mesh are in
        contact at rest.
        """
        start = np.array(_displacements(u, self._order.count), dtype=float)
        x = self._scene.surface.rest + self._order.field("u", start)
        self._scene.check_start(x)
        self._self_contacts = self._scene.warn_about_neighbours()
        self._kappa, self._moduli = self._given_kappa, None
        if self._given_kappa is None:
            if stiffness is None:
                stiffness = getattr(u, "stiffness", None)
            if stiffness is None:
                raise ValueError(
                    "stiffness: is needed for the barrier to follow: the stiffness matrix, its diagonal, or a modulus in Pa; or give "
                    "IPCContact a barrier_stiffness"
                )
            self._take_stiffness(stiffness)
        self._u = start
        self._begin(x)

    def set_start(self, u: Any = None, *, stiffness: Any = None, time_step: float | None = None) -> None:
        """Begins an increment at displacements u, by default those of the last update: the last increment has converged.

        κ is brought up to date, friction is frozen, and all of it kept for `to_start`.
        `stiffness`: as for `initialize`, where it has changed much. `time_step`: of this increment and the next ones, in s.
        """
        if u is not None:
            self._u = np.array(_displacements(u, self._order.count), dtype=float)
        x = self._positions("u", self._u)
        if stiffness is not None and self._given_kappa is None:
            self._take_stiffness(stiffness)
        self._menu = self._menu.during(time_step)
        self._begin(x)

    def to_start(self) -> NDArray[np.float64]:
        """Goes back to the start of the increment, with the κ, friction and contacts it had. Returns its displacements."""
        start = self._begun()
        self._kappa, self._menu, self._slides = start.kappa, start.friction, start.slides
        self._u, self._x, self._contacts, self._changed, self._extra = start.u, start.x, start.contacts, False, 0
        self.assemble_global_mat()
        return start.u.copy()

    def update(self, u: ArrayLike, compute: Literal["all", "vector", "matrix", "none"] = "all") -> None:
        """Takes displacements u of an iteration: finds contacts, and computes the vector and the matrix."""
        self._begun()
        before = self._contacts
        self._u = np.array(u, dtype=float)
        self._place(self._positions("u", self._u))
        self._changed = not _same(before, self._contacts)
        if self._kappa is None and len(self._contacts):
            self._kappa = self._kappa_for(self._contacts)
        self.assemble_global_mat(compute)

    def refine_friction(self) -> float:
        """Freezes friction anew where the bodies are now, and says by how much its forces changed, relative to them.

        Solve again while that is too much; the slide still counts from the start of the increment.
        """
        if self._slides is None:
            return 0.0
        before = self._friction_gradient()
        self._lag(self._velocity(self._x))
        after = self._friction_gradient()
        self.assemble_global_mat()
        size = max(float(np.linalg.norm(before)), float(np.linalg.norm(after)))
        return float(np.linalg.norm(after - before)) / size if size > 0 else 0.0

    def reset(self) -> None:
        """Forgets everything but the arguments of the constructor: to be initialized again."""
        self._u, self._x = np.zeros(self._order.count), self._scene.surface.rest
        self._contacts = Contacts.of(self._scene.surface, self._scene.dhat, self._scene.planes, dmin=self._scene.dmin)
        self._kappa, self._moduli = self._given_kappa, None
        self._slides: Slides | None = None
        self._start: _Start | None = None
        self._last_velocity: NDArray[np.float64] | None = None
        self._held: NDArray[np.int64] = np.zeros(0, np.int64)
        self._changed, self._extra, self._self_contacts = False, 0, 0
        self.delete_global_mat()

    # ---- what a solver takes

    def get_global_vector(self) -> NDArray[np.float64]:
        """Forces of contact and friction on the unknowns in N: minus the gradient of the energy."""
        if self._vector is None:
            self.assemble_global_mat("vector")
        return self._vector  # type: ignore[return-value]

    def get_global_matrix(self) -> csc_array:
        """Hessian of the energy by the unknowns in N/m: to be added to the stiffness matrix."""
        if self._matrix is None:
            self.assemble_global_mat("matrix")
        return self._matrix  # type: ignore[return-value]

    def assemble_global_mat(self, compute: Literal["all", "vector", "matrix", "none"] = "all") -> None:
        """Computes vector and matrix at the last update anew."""
        if compute not in ("all", "vector", "matrix", "none"):
            raise ValueError(f'compute: "{compute}" is none of "all", "vector", "matrix" and "none"')
        self._begun()
        self.delete_global_mat()
        if compute in ("all", "vector"):
            self._vector = -self._order.vector(self._normal_gradient() + self._friction_gradient())
        if compute in ("all", "matrix"):
            self._matrix = self._order.matrix(self._hessian())

    def delete_global_mat(self) -> None:
        """Drops vector and matrix; they are computed again when asked for."""
        self._vector: NDArray[np.float64] | None = None
        self._matrix: csc_array | None = None

    def energy(self, u: ArrayLike) -> float:
        """κ B + P at displacements u, in J; infinite where something touches."""
        self._begun()
        x = self._positions("u", u)
        contacts, total = self._scene.contacts(x), 0.0
        if len(contacts):
            kappa = self._kappa if self._kappa is not None else self._kappa_for(contacts)
            total += self._barrier(kappa).energy(contacts, x)
        if self._slides is not None:
            total += self._menu.potential().energy(self._slides, self._velocity(x))
        return total

    # ---- how far a solver may go

    def largest_step(self, u: ArrayLike, du: ArrayLike) -> float:
        """The largest part of the step from u to u + du, at most 1, during which nothing touches.

        Where nothing was in contact at the start of the increment, nor is at the last update, distances stay beyond dmin + 0.1 dhat, so that
        the barrier is not entered deeply at once; beyond dmin if that leaves no step at all.
        """
        start, p = self._begun(), self._order.field("du", du)
        if not self._use_ccd:
            return 1.0
        conservative = not len(start.contacts) and not len(self._contacts)
        return self._scene.largest_step(self._positions("u", u), p, conservative)

    def filter_step(self, u: ArrayLike, du: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The step du with that of each node shortened so that nothing touches, and the nodes that were held back.

        Prescribed motion may be among what is held back: it is then still to be done, in the next iterations.
        """
        self._begun()
        if not self._order.is_one_to_one:
            raise ValueError("filter_step: bounds nodes one by one, which a matrix as dof_order does not: use largest_step")
        p = self._order.field("du", du)
        found = self._scene.filter_step(self._positions("u", u), p, self._use_ogc == "planar")
        self._held = np.flatnonzero((found != p).any(axis=1))
        return (found if np.shape(du) == found.shape else self._order.vector(found)), self._held

    def line_search(
        self,
        u: ArrayLike,
        du: ArrayLike,
        energy: Callable[[NDArray[np.float64]], float] | None = None,
        *,
        prescribed: ArrayLike | None = None,
    ) -> float:
        """The part of the step du to take: `largest_step`, halved until the energy does not rise.

        `energy`: of everything but this assembly, as a function of u, in J: elastic energy of all bodies, minus the work of loads, inertia. What
        contact and friction add is added here. Without it, or with line_search_energy=False, only collision detection counts.
        `prescribed`: unknowns whose motion is given, by number or mask. While du moves them the energy may well rise, and is not looked at.

        0 if no part of du lowers the energy: then du is no direction of descent.
        """
        step = self.largest_step(u, du)
        if energy is None or not self._use_energy or step == 0.0 or self._moves(du, prescribed):
            return step
        here, direction = np.asarray(u, dtype=float), np.asarray(du, dtype=float)
        parts = (energy(here), self.energy(here))
        bound = sum(parts) + ROUNDING * sum(abs(part) for part in parts)
        for _ in range(HALVINGS):
            there = here + step * direction
            if energy(there) + self.energy(there) <= bound:  # False for NaN, too
                return step
            step *= 0.5
        return 0.0

    @property
    def min_extra_iterations(self) -> int:
        """How many iterations an increment takes after its criterion is met: 3 if a gap is below 0.01 dhat, 1 if one is below 0.1 dhat or the
        contacts changed in the last update, otherwise 0."""
        gap = self.smallest_gap
        if gap < DANGEROUS * self.dhat:
            return 3
        return int(self._changed or gap < CLOSE * self.dhat)

    def may_stop(self, converged: bool) -> bool:
        """Whether an increment may end whose criterion is met or not: it is, and was for `min_extra_iterations` iterations before.

        To be asked once in every iteration, after `update`.
        """
        if not converged:
            self._extra = 0
            return False
        if self._extra >= self.min_extra_iterations:
            return True
        self._extra += 1
        return False

    # ---- reports

    @property
    def smallest_gap(self) -> float:
        """The smallest distance of a contact beyond dmin, in m; infinite without contacts."""
        return self._contacts.smallest_gap(self._x) - self.dmin

    @property
    def self_contacts_at_rest(self) -> int:
        """How many contacts at rest are between parts of the same body; known after `initialize`."""
        return self._self_contacts

    def gaps(self) -> NDArray[np.float64]:
        """The distance of each contact beyond dmin, in m, in the order of `contacts.vertices`."""
        return _stiction.contact_distances(self._contacts, self._x) - self.dmin

    def forces(self) -> NDArray[np.float64]:
        """The normal force of each contact in N, in the order of `contacts.vertices`."""
        return self._barrier(self._kappa).forces(self._contacts, self._x) if len(self._contacts) else np.zeros(0)

    def nodal_forces(self, part: Literal["all", "normal", "friction"] = "all") -> NDArray[np.float64]:
        """Forces on the nodes in N, shape (n, D), of the contacts' normal forces, of friction, or of both."""
        if part not in ("all", "normal", "friction"):
            raise ValueError(f'part: "{part}" is none of "all", "normal" and "friction"')
        total = np.zeros_like(self._x)
        if part != "friction":
            total -= self._normal_gradient()
        return total - self._friction_gradient() if part != "normal" else total

    def pressure(self) -> NDArray[np.float64]:
        """Contact pressure at each node, normal force by area of the surface at rest, shape (n,), in Pa; 0 off the surface."""
        sizes = np.linalg.norm(self._normal_gradient(), axis=1)
        areas = self._scene.surface.vertex_areas
        return np.divide(sizes, areas, out=np.zeros_like(sizes), where=areas > 0)

    def slip_speeds(self) -> NDArray[np.float64]:
        """How fast each slide moves, in m/s, or in m per increment without a time step."""
        return np.zeros(0) if self._slides is None else _stiction.slip_speeds(self._slides, self._velocity(self._x))

    def report(self) -> ContactReport:
        """The state at the last update."""
        speeds, gap = self.slip_speeds(), self.smallest_gap
        sticking = int((speeds < self._menu.eps_v).sum())
        return ContactReport(
            contacts=len(self._contacts),
            counts=self._contacts.counts,
            smallest_gap=gap,
            relative_gap=gap / self.dhat,
            kappa=self._kappa,
            normal_force=float(self.forces().sum()),
            friction_force=float(np.linalg.norm(self._friction_gradient(), axis=1).max(initial=0.0)),
            sticking=sticking,
            slipping=len(speeds) - sticking,
            fastest_slip=float(speeds.max(initial=0.0)),
            held=tuple(int(node) for node in self._held),
            min_extra_iterations=self.min_extra_iterations,
        )

    # ---- inside

    def _begun(self) -> _Start:
        if self._start is None:
            raise RuntimeError(f"{self._name}: call initialize first")
        return self._start

    def _positions(self, name: str, u: Any) -> NDArray[np.float64]:
        self._begun()
        return self._scene.surface.rest + self._order.field(name, u)

    def _place(self, x: NDArray[np.float64]) -> None:
        self._x, self._contacts = x, self._scene.contacts(x)

    def _begin(self, x: NDArray[np.float64]) -> None:
        before = self._start
        moved = before is not None and not np.array_equal(before.x, x)
        if before is not None and moved:
            self._last_velocity = (x - before.x) / self._menu.time
        self._place(x)
        self._settle_kappa(moved)
        self._start = _Start(self._u, x, self._kappa, self._menu, self._contacts, None)
        self._slides, self._changed, self._extra = None, False, 0
        if self._menu.is_on and len(self._contacts):
            self._lag(self._last_velocity)
        # Kept last: a second try begins with what the first one did, the κ of now included.
        self._start = _Start(self._u, x, self._kappa, self._menu, self._contacts, self._slides)
        self.assemble_global_mat()

    def _settle_kappa(self, moved: bool) -> None:
        if not len(self._contacts):
            return
        kappa = self._kappa or 0.0
        if self._moduli is not None:
            kappa = max(kappa, self._kappa_for(self._contacts))
        # Without a motion there was no increment that the gap could be the result of.
        self._kappa = risen(kappa, self.smallest_gap, self._slope) if self._adaptive and moved else kappa

    def _kappa_for(self, contacts: Contacts) -> float:
        if self._moduli is None:
            raise RuntimeError(f"{self._name}: there is neither a barrier_stiffness nor a stiffness to follow")
        return self._moduli.kappa(contacts, self._slope, self._scene.by_area)

    def _take_stiffness(self, stiffness: Any) -> None:
        known = stiffness if np.ndim(stiffness) == 0 and not hasattr(stiffness, "diagonal") else None
        diagonal = float(known) if known is not None else self._order.diagonal(stiffness)
        self._moduli = BodyModuli.of(self._scene.surface, diagonal)

    def _lag(self, velocity: NDArray[np.float64] | None) -> None:
        if not len(self._contacts):
            self._slides = None
            return
        self._slides = self._menu.lag(self._contacts, self._x, self._barrier(self._kappa))
        if velocity is not None and self._menu.depends_on_direction:
            self._slides.refresh_anisotropy(velocity)

    def _barrier(self, kappa: float | None) -> BarrierPotential:
        return BarrierPotential(self._scene.dhat, kappa, barrier=self._slope.barrier)

    def _velocity(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        return (x - self._begun().x) / self._menu.time

    def _normal_gradient(self) -> NDArray[np.float64]:
        if not len(self._contacts):
            return np.zeros_like(self._x)
        return self._barrier(self._kappa).gradient(self._contacts, self._x)

    def _friction_gradient(self) -> NDArray[np.float64]:
        if self._slides is None:
            return np.zeros_like(self._x)
        return self._menu.potential().gradient(self._slides, self._velocity(self._x))

    def _hessian(self) -> csc_array:
        from scipy.sparse import csc_array

        total = csc_array((self._x.size, self._x.size))
        if len(self._contacts):
            total = self._barrier(self._kappa).hessian(self._contacts, self._x, self._psd)
        if self._slides is not None:
            total = total + self._menu.potential().hessian(self._slides, self._velocity(self._x), self._psd)
        return total

    def _moves(self, du: ArrayLike, prescribed: ArrayLike | None) -> bool:
        if prescribed is None:
            return False
        step = np.asarray(du, dtype=float)
        flat = step if step.ndim == 1 else self._order.vector(step)
        return bool(np.any(flat[np.asarray(prescribed)] != 0))


class IPCSelfContact(IPCContact):
    """Contact of a mesh with itself, on the surface that is found by itself; further arguments as for IPCContact."""

    def __init__(self, mesh: Any, *arguments: Any, **options: Any) -> None:
        for name in ("surface_mesh", "extract_surface"):
            if name in options:
                raise TypeError(f"IPCSelfContact: finds the surface by itself and takes no {name}")
        super().__init__(mesh, None, True, *arguments, **options)


def _surface(mesh: PlainMesh, surface_mesh: Any, extract: bool) -> Surface:
    if surface_mesh is not None and extract:
        raise ValueError("surface_mesh and extract_surface: give one of them")
    if surface_mesh is not None:
        elements = read_surface(surface_mesh, mesh.dimension)
    elif not is_solid(mesh.elements, mesh.dimension):
        elements = mesh.elements
    elif extract:
        elements = boundary(mesh)
    else:
        raise ValueError("surface_mesh: is needed for a solid, or extract_surface=True")
    return Surface(mesh.nodes, *primitives(elements, mesh.dimension))


def _without_rings(surface: Surface, rings: int) -> Surface:
    if int(rings) != rings or rings < 1:
        raise ValueError(f"excluded_rings: {rings} is not a whole number of 1 or more")
    return surface if rings == 1 else _stiction.exclude_rings(surface, int(rings))


def _reach(dhat: float, relative: bool, surface: Surface) -> float:
    part = surface.rest[surface.bodies >= 0]
    if not len(part):
        raise ValueError("surface_mesh: has no elements")
    return _positive("dhat", dhat) * (float(np.linalg.norm(np.ptp(part, axis=0))) if relative else 1.0)


def _psd_of(projection: bool | _Psd) -> _Psd:
    if isinstance(projection, str):
        if projection not in ("clamp", "abs", "gauss_newton", "none"):
            raise ValueError(f'psd_projection: "{projection}" is none of "clamp", "abs", "gauss_newton" and "none"')
        return projection
    return "clamp" if projection else "none"


def _displacements(source: Any, count: int) -> Any:
    if source is None:
        return np.zeros(count)
    if hasattr(source, "get_disp"):
        found = np.asarray(source.get_disp(), dtype=float)
        return np.zeros(count) if found.ndim == 0 else found.T
    return getattr(source, "u", source)


def _same(a: Contacts, b: Contacts) -> bool:
    one, other = a.vertices, b.vertices
    return all(np.array_equal(one[kind], other[kind]) for kind in one)


def _positive(name: str, value: float) -> float:
    if not (np.isfinite(value) and value > 0):
        raise ValueError(f"{name}: {value} is not a positive number")
    return float(value)


def _not_negative(name: str, value: float) -> float:
    if not (np.isfinite(value) and value >= 0):
        raise ValueError(f"{name}: {value} is not a number of 0 or more")
    return float(value)
