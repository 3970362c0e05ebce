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

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from . import _stiction
from ._contact_arguments import displacements, not_negative, plane_pairs, positive, psd_of, reach, surface_of, without_rings
from ._contact_friction import FrictionMenu
from ._contact_increment import ContactIncrement, Start
from ._contact_report import ContactReport
from ._contact_scene import ContactScene
from ._contact_stiffness import vertex_moduli
from ._dof_order import DofOrder, Order
from ._mesh_input import read_mesh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import ArrayLike, NDArray
    from scipy.sparse import csc_array

    from ._stiction import Contacts, FrictionLaw, Slides, Surface, _Barrier, _Blend, _BroadPhase, _Ccd, _LawName, _Psd

_Compute: TypeAlias = Literal["all", "vector", "matrix", "none"]
# Gaps below these parts of d̂ ask for one and for three more iterations.
CLOSE, DANGEROUS = 0.1, 0.01
# How often the energy line search halves a step.
HALVINGS = 24
# Energies are told apart down to this part of their magnitude.
ROUNDING = 1e-13


class IPCContact:
    """Contact by barriers, with friction; `dhat` is by default relative, a part of the diagonal of the surface's bounding box.

    Every configuration stays free of intersections.
    Adds the energy κ B(x) + P(x) to that of a solver: a barrier B that grows without bound as distances go to zero and vanishes beyond
    dhat, and the friction potential P of the increment. Works on plain arrays; see the module's head for how a solver uses it.

    `mesh`: the solver's mesh: (nodes, elements), a meshio mesh, or anything with `.nodes` and `.elements` or with `.p` and `.t`; nodes in m.
    `surface_mesh`: what can touch, numbered as the nodes of `mesh`: edges in 2D, triangles in 3D. `extract_surface`: find it by itself.
    `dhat`: distance below which contact acts, as a part of the diagonal of the surface's bounding box; with `dhat_is_relative=False`, in m.
    `barrier_stiffness`: κ of all contacts; by default it follows the stiffness given to `initialize`, by the rule of `StiffnessPolicy`.
    `adaptive_barrier_stiffness`: κ grows after converged increments whose smallest clearance (distance less dmin) is below 0.1 dhat, as `raised_stiffness` says.
    `friction_coefficient`: μ, one number or one for each node. `eps_v`: speed below which contacts stick, in m/s with a `time_step`, otherwise
    slip per increment in m.
    `broad_phase`: "hash_grid", "brute_force", "spatial_hash", "sweep_and_prune" or "bvh"; all give the same.
    `use_ccd`: steps are bounded by continuous collision detection (`largest_step`), the default; `use_ogc`: vertices are bounded one by one
    (`filter_step`), by balls (True) or by dividing planes ("planar"). One excludes the other.
    Without either, only the energy keeps bodies from passing through each other, and does not always.
    `line_search_energy`: `line_search` also halves steps until the energy falls; by default where use_ccd is, never with use_ogc.
    `space`: 2 or 3; by default as many as nodes have coordinates. `name`: for reports.

    Only by name: `dof_order`: "interleaved" (x₀ y₀ z₀ x₁ …), "blocked" (all x, then all y …) or a sparse matrix P of shape (unknowns, n·D).
    `dmin`: distance that is never fallen below, in m. `excluded_rings`: neighbours that never touch, in rings of edges. `psd_projection`: True
    ("clamp"), False ("none"), "abs" or "gauss_newton". `use_area_weighting`: contacts count by area, not by number. `ccd`: "additive" or
    "tight_inclusion". `barrier`: as for BarrierPotential. `planes`: fixed (point, normal), free space is where the normal points to.
    `kinetic_coefficient`: μ_k where it differs, one or one for each node. `friction_law`: "peak", "smooth_mu" or a FrictionLaw. `blend`,
    `scaling`, `static_axes`, `kinetic_axes`, `direction`: as for Slides. `time_step`: of an increment, in s.
    """

    _vector: NDArray[np.float64] | None
    _matrix: csc_array | None

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
        planes: Iterable[tuple[ArrayLike, ArrayLike]] | None = None,
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
        surface = surface_of(plain, surface_mesh, extract_surface)
        self._scene = ContactScene(
            without_rings(surface, excluded_rings),
            reach(dhat, dhat_is_relative, surface),
            not_negative("dmin", dmin),
            plane_pairs(planes),
            broad_phase,
            "improved_max" if use_area_weighting else "ipc",
            "area" if use_area_weighting else "count",
            ccd,
            barrier,
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
        self._given_kappa = None if barrier_stiffness is None else positive("barrier_stiffness", barrier_stiffness)
        self._adaptive = bool(adaptive_barrier_stiffness)
        self._psd: _Psd = psd_of(psd_projection)
        self._name, self._space = str(name), plain.dimension
        self.reset()

    def _set_step_bound(self, use_ccd: bool | None, use_ogc: Any, line_search_energy: bool | None) -> None:
        if not isinstance(use_ogc, (bool, np.bool_)) and not (isinstance(use_ogc, str) and use_ogc == "planar"):
            raise ValueError(f'use_ogc: {use_ogc!r} is none of True, False and "planar"')
        if use_ccd and use_ogc:
            raise ValueError("use_ccd and use_ogc: exclude each other; choose one of them")
        self._use_ogc = use_ogc
        self._use_ccd = not use_ogc if use_ccd is None else bool(use_ccd)
        self._use_energy = (self._use_ccd if line_search_energy is None else bool(line_search_energy)) and not use_ogc

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
        """Barrier stiffness, that of the stiffest pair of bodies (see `StiffnessPolicy`); none before the first contact."""
        return self._now.kappa

    @property
    def psd_projection(self) -> _Psd:
        """What becomes of negative eigenvalues of contacts in the matrix; may be set between iterations."""
        return self._psd

    @psd_projection.setter
    def psd_projection(self, projection: bool | _Psd) -> None:
        self._psd, self._matrix = psd_of(projection), None

    @property
    def contacts(self) -> Contacts:
        """What is in contact at the last update."""
        return self._now.contacts

    @property
    def slides(self) -> Slides | None:
        """The contacts as friction sees them in this increment, frozen; none without friction."""
        return self._now.slides

    # ---- the life of an increment

    def initialize(self, u: Any = None, *, stiffness: Any = None) -> None:
        """Begins with displacements u, by default none; or with a problem that has them as `.u` or `.get_disp()`.

        `stiffness`: what the barrier's stiffness follows: the solver's matrix, its diagonal (of a dynamic step: with mass over h²) in N/m, or
        one modulus in Pa. Needed unless barrier_stiffness was given: forces cannot replace it, they vanish when contact begins.

        Raises ValueError if the start intersects, touches or is closer than dmin, with the place. Warns if neighbours in the mesh are in
        contact at rest.
        """
        begin = np.array(displacements(u, self._order.count), dtype=float)
        x = self._scene.surface.rest + self._order.field("u", begin)
        self._scene.check_start(x)
        self.reset()
        self._self_contacts = self._scene.warn_about_neighbours()
        self._take_stiffness(getattr(u, "stiffness", None) if stiffness is None else stiffness, needed=True)
        self._now.begin(begin, x, adaptive=False)
        self.assemble_global_mat()

    def set_start(self, u: Any = None, *, stiffness: Any = None, time_step: float | None = None) -> None:
        """Begins an increment at displacements u, by default those of the last update: the last increment has converged.

        κ is brought up to date, friction is frozen, and all of it kept for `to_start`.
        `stiffness`: as for `initialize`, where it has changed much; what has become softer counts as before. `time_step`: of this increment and the next ones, in s.
        """
        self._begun()
        begin = self._now.u if u is None else np.array(displacements(u, self._order.count), dtype=float)
        x = self._positions("u", begin)
        self._take_stiffness(stiffness, needed=False)
        self._now.friction = self._now.friction.during(time_step)
        self._now.begin(begin, x, self._adaptive)
        self._extra = 0
        self.assemble_global_mat()

    def to_start(self) -> NDArray[np.float64]:
        """Goes back to the start of the increment, with the κ, friction and contacts it had. Returns its displacements."""
        start = self._begun()
        self._now.go_back(start)
        self._extra = 0
        self.assemble_global_mat()
        return start.u.copy()

    def update(self, u: ArrayLike, compute: _Compute = "all") -> None:
        """Takes displacements u of an iteration: finds contacts, and computes the vector and the matrix."""
        self._begun()
        now = np.array(u, dtype=float)
        self._now.place(now, self._positions("u", now))
        self.assemble_global_mat(compute)

    def refine_friction(self) -> float:
        """Freezes friction anew where the bodies are now, and says by how much its forces changed, relative to them.

        Solve again while that is too much; slides still count from the start of the increment.
        """
        self._begun()
        if not self._now.friction.is_on:
            return 0.0
        before = self._now.friction_gradient()
        self._now.lag(self._now.velocity(self._now.x))
        after = self._now.friction_gradient()
        self.assemble_global_mat()
        size = max(float(np.linalg.norm(before)), float(np.linalg.norm(after)))
        return float(np.linalg.norm(after - before)) / size if size > 0 else 0.0

    def reset(self) -> None:
        """Forgets everything but the arguments of the constructor: to be initialized again."""
        self._now = ContactIncrement(self._scene, self._menu, self._given_kappa)
        self._held: NDArray[np.int64] = np.zeros(0, np.int64)
        self._extra = self._self_contacts = 0
        self.delete_global_mat()

    # ---- what a solver takes

    def get_global_vector(self) -> NDArray[np.float64]:
        """Forces of contact and friction on the unknowns in N: minus the gradient of the energy."""
        if self._vector is None:
            self.assemble_global_mat("vector")
        assert self._vector is not None
        return self._vector.copy()  # Solvers change what they get, for prescribed unknowns.

    def get_global_matrix(self) -> csc_array:
        """Hessian of the energy by the unknowns in N/m: to be added to the stiffness matrix."""
        if self._matrix is None:
            self.assemble_global_mat("matrix")
        assert self._matrix is not None
        return self._matrix.copy()

    def assemble_global_mat(self, compute: _Compute = "all") -> None:
        """Computes vector and matrix at the last update anew."""
        if compute not in ("all", "vector", "matrix", "none"):
            raise ValueError(f'compute: "{compute}" is none of "all", "vector", "matrix" and "none"')
        self._begun()
        self.delete_global_mat()
        if compute in ("all", "vector"):
            self._vector = -self._order.vector(self._now.normal_gradient() + self._now.friction_gradient())
        if compute in ("all", "matrix"):
            self._matrix = self._order.matrix(self._now.hessian(self._psd))

    def delete_global_mat(self) -> None:
        """Drops vector and matrix; they are computed again when asked for."""
        self._vector = self._matrix = None

    def energy(self, u: ArrayLike) -> float:
        """κ B + P at displacements u, in J; infinite where something touches."""
        return self._now.energy(self._positions("u", u))

    # ---- how far a solver may go

    def largest_step(self, u: ArrayLike, du: ArrayLike) -> float:
        """The largest part of the step from u to u + du, at most 1, during which nothing touches.

        Where nothing was in contact at the start of the increment, nor is at the last update, distances stay beyond dmin + 0.1 dhat, so that
        the barrier is not entered deeply at once; beyond dmin if that leaves no step at all.
        """
        start, p = self._begun(), self._order.field("du", du)
        if not self._use_ccd:
            return 1.0
        conservative = not len(start.contacts) and not len(self._now.contacts)
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
        """How many iterations an increment takes after its criterion is met: 3 if a clearance is below 0.01 dhat, 1 if one is below 0.1 dhat or the
        contacts changed in the last update, otherwise 0."""
        clearance = self.smallest_clearance
        if clearance < DANGEROUS * self.dhat:
            return 3
        return int(self._now.has_changed or clearance < CLOSE * self.dhat)

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
    def smallest_clearance(self) -> float:
        """The smallest distance of a contact less dmin, in m; infinite without contacts."""
        return self._now.smallest_clearance

    @property
    def self_contacts_at_rest(self) -> int:
        """How many contacts at rest are between parts of the same body; known after `initialize`."""
        return self._self_contacts

    def clearances(self) -> NDArray[np.float64]:
        """The distance of each contact less dmin, in m, in the order of `contacts.vertices`."""
        return _stiction.contact_distances(self._now.contacts, self._now.x) - self.dmin

    def forces(self) -> NDArray[np.float64]:
        """The normal force of each contact in N, in the order of `contacts.vertices`."""
        now = self._now
        return now.barrier(now.kappa).forces(now.contacts, now.x) if len(now.contacts) else np.zeros(0)

    def friction_forces(self) -> NDArray[np.float64]:
        """The magnitude of the friction force of each slide in N, in the order of `slides`."""
        return self._now.friction_forces()

    def nodal_forces(self, part: Literal["all", "normal", "friction"] = "all") -> NDArray[np.float64]:
        """Forces on the nodes in N, shape (n, D), of the contacts' normal forces, of friction, or of both."""
        if part not in ("all", "normal", "friction"):
            raise ValueError(f'part: "{part}" is none of "all", "normal" and "friction"')
        total = np.zeros_like(self._now.x)
        if part != "friction":
            total -= self._now.normal_gradient()
        return total - self._now.friction_gradient() if part != "normal" else total

    def pressure(self) -> NDArray[np.float64]:
        """Contact pressure at each node, normal force by area of the surface at rest, shape (n,), in Pa; 0 off the surface."""
        sizes = np.linalg.norm(self._now.normal_gradient(), axis=1)
        areas = self._scene.surface.vertex_areas
        out: NDArray[np.float64] = np.divide(sizes, areas, out=np.zeros_like(sizes), where=areas > 0)
        return out

    def slip_speeds(self) -> NDArray[np.float64]:
        """How fast each slide moves, in m/s, or in m per increment without a time step."""
        now = self._now
        return np.zeros(0) if now.slides is None else _stiction.slip_speeds(now.slides, now.velocity(now.x))

    def report(self) -> ContactReport:
        """The state at the last update."""
        speeds, clearance = self.slip_speeds(), self.smallest_clearance
        normal, friction = self.forces(), self.friction_forces()
        sticking = int((speeds < self._now.friction.eps_v).sum())
        return ContactReport(
            contacts=len(self._now.contacts),
            counts=self._now.contacts.counts,
            smallest_clearance=clearance,
            relative_clearance=clearance / self.dhat,
            kappa=self._now.kappa,
            total_normal_force=float(normal.sum()),
            total_friction_force=float(friction.sum()),
            largest_normal_force=float(normal.max(initial=0.0)),
            largest_friction_force=float(friction.max(initial=0.0)),
            sticking=sticking,
            slipping=len(speeds) - sticking,
            fastest_slip=float(speeds.max(initial=0.0)),
            held=tuple(int(node) for node in self._held),
            min_extra_iterations=self.min_extra_iterations,
        )

    # ---- inside

    def _begun(self) -> Start:
        if self._now.start is None:
            raise RuntimeError(f"{self._name}: call initialize first")
        return self._now.start

    def _positions(self, name: str, u: ArrayLike) -> NDArray[np.float64]:
        return self._scene.surface.rest + self._order.field(name, u)

    def _take_stiffness(self, stiffness: Any, needed: bool) -> None:
        if self._given_kappa is not None or (stiffness is None and not needed):
            return
        if stiffness is None:
            raise ValueError(
                "stiffness: is needed for the barrier to follow: the stiffness matrix, its diagonal, or a modulus in Pa; or give "
                "IPCContact a barrier_stiffness"
            )
        diagonal = float(stiffness) if np.shape(stiffness) == () else self._order.diagonal(stiffness)
        self._now.follow(vertex_moduli(self._scene.surface, diagonal))

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
