"""Energies of sliding: friction and tangential adhesion, for a whole set or for one collision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _stiction
from .._stiction import drop_in
from ._array import Floats, instance, not_negative, positive
from ._enum import Enum
from ._mesh import CollisionMesh
from ._normal import renamed
from ._potential import NormalPotential, dense_matrix, psd_name
from ._projection import PSDProjectionMethod
from ._single import STEADY, single_contact
from ._sparse import columns_matrix
from ._stencil import flat_positions
from ._tangential import TangentialCollisions
from ._tangential_collision import TangentialCollision
from ._tangential_set import slides_of

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix


class DiffWRT(Enum):
    """What a derivative of the force is by."""

    REST_POSITIONS = 0
    LAGGED_DISPLACEMENTS = 1
    VELOCITIES = 2


DiffWRT.__qualname__ = "TangentialPotential.DiffWRT"
_WRT = {DiffWRT.REST_POSITIONS: "rest", DiffWRT.LAGGED_DISPLACEMENTS: "lagged", DiffWRT.VELOCITIES: "velocities"}


class TangentialPotential:
    """An energy of the velocities of collisions. Its methods take (collisions, mesh, X), or (collision, x) for one alone.

        Σ w N G(|τ|)        τ = PᵀΓv

    X: velocities of all vertices, (n, D), in m/s; x: those of the collision, in one row. Gradients are by velocities.
    """

    DiffWRT = DiffWRT
    REST_POSITIONS = DiffWRT.REST_POSITIONS
    LAGGED_DISPLACEMENTS = DiffWRT.LAGGED_DISPLACEMENTS
    VELOCITIES = DiffWRT.VELOCITIES

    _law: Any = ""
    _native: _stiction.FrictionPotential

    def __init__(self) -> None:
        raise TypeError("TangentialPotential: use FrictionPotential or TangentialAdhesionPotential")

    def _take(self, name: str, speed: Any) -> None:
        """Notes the speed that the law is scaled by."""
        self._eps = positive(name, speed)
        self._native = _stiction.FrictionPotential(self._eps, self._law)

    def __call__(self, collisions: Any = None, mesh: Any = None, X: Any = None, *, collision: Any = None, x: Any = None) -> float:
        """The energy by time, in W (N m/s)."""
        if isinstance(collisions, TangentialCollisions):
            if collisions._set is not None:
                return self._of(self._native.energy, collisions._set.native(mesh), X)
            return sum(self(one, v) for one, v, _ in self._each(collisions, mesh, X))
        slides, v = self._one(collisions, mesh, collision, x)
        return self._native.energy(slides, v)

    def gradient(
        self, collisions: Any = None, mesh: Any = None, X: Any = None, *, collision: Any = None, x: Any = None
    ) -> Floats:
        """Its derivative by the velocities in N, (n·D,): minus the friction forces."""
        if isinstance(collisions, TangentialCollisions):
            if collisions._set is not None:
                return self._of(self._native.gradient, collisions._set.native(mesh), X).ravel()
            return self._summed(collisions, mesh, X)
        slides, v = self._one(collisions, mesh, collision, x)
        return self._native.gradient(slides, v).ravel()

    def hessian(
        self,
        collisions: Any = None,
        mesh: Any = None,
        X: Any = None,
        project_hessian_to_psd: PSDProjectionMethod = PSDProjectionMethod.NONE,
        *,
        collision: Any = None,
        x: Any = None,
    ) -> Any:
        """The second derivative by the velocities in N s/m, a sparse matrix (n·D, n·D); of one collision a full one."""
        if isinstance(collisions, TangentialCollisions):
            psd = psd_name(project_hessian_to_psd)
            if collisions._set is not None:
                slides = collisions._set.native(mesh)
                try:
                    return drop_in.friction_matrix(self._native, slides, X, psd)
                except ValueError as error:
                    raise renamed(error, v="X") from None
            return self._assembled(collisions, mesh, X, project_hessian_to_psd)
        psd = psd_name(project_hessian_to_psd if X is None else X)
        slides, v = self._one(collisions, mesh, collision, x)
        return dense_matrix(self._native.hessian_csc(slides, v, psd))

    # --- Forces of positions and velocities ---

    def force(
        self,
        collisions: Any,
        mesh: Any = None,
        rest_positions: Any = None,
        lagged_displacements: Any = None,
        velocities: Any = None,
        normal_potential: Any = None,
        dmin: Any = None,
        no_mu: bool = False,
        **more: Any,
    ) -> Floats:
        """The friction forces in N, (n·D,), of collisions held fixed at rest_positions + lagged_displacements.

        Normal forces, tangents and closest points are taken anew there; weights and coefficients are those of the collisions. `dmin`:
        in m, by default that of the collisions. `no_mu`: with coefficients 1.
        For one collision: force(collision, rest_positions, lagged_displacements, velocities, normal_potential, dmin, no_mu).
        """
        if isinstance(collisions, TangentialCollision):
            given = (mesh, rest_positions, lagged_displacements, velocities, normal_potential, dmin)
            return self._force_of_one(collisions, *_shifted(given, no_mu), **more)
        slides = self._slides(collisions, mesh)
        if slides is None:
            return np.zeros(instance("mesh", mesh, CollisionMesh).ndof)
        if no_mu:
            slides = drop_in.replaced(slides, mu=np.ones((len(slides), 2)))
        arguments = (slides, rest_positions, lagged_displacements, velocities)
        return self._lagged(self._native.force, arguments, normal_potential, dmin).ravel()

    def force_jacobian(
        self,
        collisions: Any,
        mesh: Any = None,
        rest_positions: Any = None,
        lagged_displacements: Any = None,
        velocities: Any = None,
        normal_potential: Any = None,
        wrt: Any = None,
        dmin: Any = None,
        **more: Any,
    ) -> Any:
        """The derivative of `force` by positions at rest, lagged displacements (N/m) or velocities (N s/m), a sparse matrix (n·D, n·D)."""
        if isinstance(collisions, TangentialCollision):
            given = (mesh, rest_positions, lagged_displacements, velocities, normal_potential, wrt)
            return self._jacobian_of_one(collisions, *_shifted(given, dmin), **more)
        name = _WRT[instance("wrt", wrt, DiffWRT)]
        slides = self._slides(collisions, mesh)
        if slides is None:
            return columns_matrix((instance("mesh", mesh, CollisionMesh).ndof,) * 2)
        own = collisions._set
        if name == "rest" and not own.contacts.has_shape_derivatives:
            raise RuntimeError("force_jacobian: set enable_shape_derivatives before the collisions are built")
        arguments = (slides, name, rest_positions, lagged_displacements, velocities)
        matrix = columns_matrix(self._lagged(self._native.force_jacobian, arguments, normal_potential, dmin))
        if name == "rest" and own.gradients:
            matrix = matrix + self._written(own, mesh, arguments, normal_potential, dmin)
        return matrix

    def _slides(self, collisions: Any, mesh: Any) -> _stiction.Slides | None:
        """The native slides; None where there are none."""
        instance("collisions", collisions, TangentialCollisions)
        if collisions._lists is not None and len(collisions):
            raise NotImplementedError("forces of lists of collisions that were assigned; build them")
        return None if collisions._set is None else collisions._set.native(mesh)

    @staticmethod
    def _lagged(method: Any, arguments: tuple[Any, ...], potential: Any, dmin: Any) -> Any:
        native = instance("normal_potential", potential, NormalPotential)._for_friction()
        dmin = None if dmin is None else not_negative("dmin", dmin)
        try:
            return method(*arguments, potential=native, dmin=dmin)
        except ValueError as error:
            raise renamed(error, rest="rest_positions", u="lagged_displacements", v="velocities") from None

    def _written(self, own: Any, mesh: Any, arguments: tuple[Any, ...], potential: Any, dmin: Any) -> Any:
        """What derivatives of weights that were written add to those that were built: forces are proportional to weights."""
        _, _, rest, displacements, velocities = arguments
        tables = [np.asarray(table, dtype=float) for table in (rest, displacements, velocities)]
        size, total = tables[0].size, columns_matrix((tables[0].size,) * 2)
        for index, gradient in own.gradients.items():
            one = own.collision(index)
            ids = one._ids(mesh.edges, mesh.faces)
            rows = (np.array(ids)[:, None] * own.dimension + np.arange(own.dimension)).ravel()
            local = [table[ids].ravel() for table in tables]
            rest_of, moved, v = local
            least = own.contacts.dmin if dmin is None else dmin
            force = self._force_of_one(one, rest_of, moved, v, potential, least, weight=1.0)
            total = total + columns_matrix((force, (rows, 0 * rows)), shape=(size, 1)) @ (gradient - own._own_gradient(index)).T
        return total

    # --- One collision ---

    def _force_of_one(
        self,
        collision: TangentialCollision,
        rest_positions: Any,
        lagged_displacements: Any,
        velocities: Any,
        normal_potential: Any,
        dmin: Any = None,
        no_mu: bool = False,
        weight: float | None = None,
    ) -> Floats:
        slides, x = self._at(collision, rest_positions, lagged_displacements, no_mu, weight)
        arguments = (slides, x, np.zeros_like(x), flat_positions(velocities, collision._count))
        return self._lagged(self._native.force, arguments, normal_potential, dmin).ravel()

    def _jacobian_of_one(
        self,
        collision: TangentialCollision,
        rest_positions: Any,
        lagged_displacements: Any,
        velocities: Any,
        normal_potential: Any,
        wrt: Any,
        dmin: Any = None,
    ) -> Floats:
        name = _WRT[instance("wrt", wrt, DiffWRT)]
        if name == "rest":
            raise NotImplementedError("force_jacobian of a single collision by REST_POSITIONS")
        slides, x = self._at(collision, rest_positions, lagged_displacements)
        arguments = (slides, name, x, np.zeros_like(x), flat_positions(velocities, collision._count))
        return self._lagged(self._native.force_jacobian, arguments, normal_potential, dmin).toarray()

    @staticmethod
    def _at(
        collision: TangentialCollision, rest: Any, displacements: Any, no_mu: bool = False, weight: float | None = None
    ) -> tuple[_stiction.Slides, Floats]:
        """One collision by itself, as slides of vertices 0, 1, … at positions rest + displacements."""
        count, kind = collision._count, collision._kind
        x = flat_positions(rest, count) + flat_positions(displacements, count)
        weight = collision.weight if weight is None else weight
        edges, dmin = collision._set.pair_at(collision._index, x)
        contacts = single_contact(kind, x.shape[1], weight, dmin, edges=edges, plane=getattr(collision, "plane", None))
        mu = (1.0, 1.0) if no_mu else (collision.mu_s_effective_lagged, collision.mu_k_effective_lagged)
        slides = _stiction.Slides(contacts, x, STEADY, *mu, law="smooth_mu")
        if (collision.mu_aniso != 1.0).any():
            slides = drop_in.replaced(slides, scaling=[collision.mu_aniso])
        return slides, x

    @staticmethod
    def _one(first: Any, second: Any, collision: Any, x: Any) -> tuple[_stiction.Slides, Floats]:
        """One collision by itself and its velocities."""
        of = instance("collisions", first if collision is None else collision, TangentialCollision)
        return slides_of(of), flat_positions(second if x is None else x, of._count)

    # --- Lists that were assigned ---

    @staticmethod
    def _each(collisions: TangentialCollisions, mesh: Any, X: Any) -> Any:
        """The collisions with their velocities and rows."""
        v = instance("mesh", mesh, CollisionMesh)._positions("X", X)
        for one in collisions:
            ids = one._ids(mesh.edges, mesh.faces)
            rows = (np.array(ids)[:, None] * v.shape[1] + np.arange(v.shape[1])).ravel()
            yield one, v[ids].ravel(), rows

    def _summed(self, collisions: TangentialCollisions, mesh: Any, X: Any) -> Floats:
        total = np.zeros(instance("mesh", mesh, CollisionMesh).ndof)
        for one, v, rows in self._each(collisions, mesh, X):
            total[rows] += self.gradient(one, v)
        return total

    def _assembled(self, collisions: TangentialCollisions, mesh: Any, X: Any, psd: PSDProjectionMethod) -> csc_matrix:
        size = instance("mesh", mesh, CollisionMesh).ndof
        data, places = [np.zeros(0)], [np.zeros((2, 0), dtype=int)]
        for one, v, rows in self._each(collisions, mesh, X):
            data.append(self.hessian(one, v, psd).ravel())
            places.append(np.stack([np.repeat(rows, len(rows)), np.tile(rows, len(rows))]))
        return columns_matrix((np.concatenate(data), np.concatenate(places, axis=1)), shape=(size, size))

    @staticmethod
    def _of(method: Any, slides: _stiction.Slides, v: Any, *more: Any) -> Any:
        try:
            return method(slides, v, *more)
        except ValueError as error:
            raise renamed(error, v="X") from None


def _shifted(given: tuple[Any, ...], last: Any) -> tuple[Any, ...]:
    """Positional arguments after the collision, without those at the end that were not given."""
    values = [*given, last]
    while values and (values[-1] is None or values[-1] is False):
        values.pop()
    return tuple(values)


class FrictionPotential(TangentialPotential):
    """Smoothed Coulomb friction: G′ = μ(y) f₁(y), 2y/ε − y²/ε² up to ε = eps_v and 1 beyond.

    `eps_v`: speed in m/s below which a slide counts as sticking.
    """

    _law: Any = "smooth_mu"

    def __init__(self, eps_v: float) -> None:
        self.eps_v = eps_v

    @property
    def eps_v(self) -> float:
        """The speed in m/s below which a slide counts as sticking."""
        return self._eps

    @eps_v.setter
    def eps_v(self, value: float) -> None:
        self._take("eps_v", value)


class TangentialAdhesionPotential(TangentialPotential):
    """Adhesion that resists sliding and lets go: G′ = μ(y) (2y/ε − y²/ε²) up to 2ε, ε = eps_a, and nothing beyond."""

    _law: Any = "adhesion"

    def __init__(self, eps_a: float) -> None:
        self.eps_a = eps_a

    @property
    def eps_a(self) -> float:
        """The speed in m/s (or displacement in m) of the largest resistance."""
        return self._eps

    @eps_a.setter
    def eps_a(self, value: float) -> None:
        self._take("eps_a", value)
