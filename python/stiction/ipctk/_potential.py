"""Energies of collisions: barriers and adhesion, for a whole set or for one collision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _stiction
from .._stiction import drop_in
from ._array import Floats, instance, not_negative, positive, vector
from ._barrier import (
    Barrier,
    ClampedLogBarrier,
    barrier_force_magnitude,
    barrier_force_magnitude_gradient,
    native_name,
)
from ._mesh import CollisionMesh
from ._normal import NormalCollisions, renamed
from ._normal_collision import NormalCollision
from ._projection import PSDProjectionMethod
from ._sparse import columns_matrix
from ._stencil import flat_positions

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix

_PSD = {method.value: method.name.lower() for method in (PSDProjectionMethod.NONE, PSDProjectionMethod.CLAMP, PSDProjectionMethod.ABS)}


def psd_name(method: Any) -> Any:
    """What the native module calls a projection."""
    return _PSD[instance("project_hessian_to_psd", method, PSDProjectionMethod)._value_]


def dense_matrix(arrays: tuple[Any, ...]) -> Floats:
    """The same as a full matrix, for a few entries."""
    data, rows, starts = arrays
    size = len(starts) - 1
    matrix = np.zeros((size, size))
    matrix[rows, np.repeat(np.arange(size), np.diff(starts))] = data
    return matrix


class NormalPotential:
    """An energy of the distances of collisions. All methods take (collisions, mesh, X), or (collision, x) for one alone.

    X: positions of all vertices, (n, D), in m; x: those of the collision, in one row. Gradients have one row x₀ y₀ z₀ x₁ …
    """

    _native: _stiction.BarrierPotential

    def __init__(self) -> None:
        raise TypeError("NormalPotential: use BarrierPotential or NormalAdhesionPotential")

    def __call__(self, collisions: Any = None, mesh: Any = None, X: Any = None, *, collision: Any = None, x: Any = None) -> float:
        """The energy in J."""
        if isinstance(collisions, NormalCollisions):
            try:
                return self._native.energy(collisions._contacts(mesh, X), X)
            except ValueError as error:
                raise renamed(error, x="X") from None
        contacts, x = self._one(collisions, mesh, collision, x)
        return self._native.energy(contacts, x)

    def gradient(
        self, collisions: Any = None, mesh: Any = None, X: Any = None, *, collision: Any = None, x: Any = None
    ) -> Floats:
        """∂E/∂x in N, (n·D,)."""
        if isinstance(collisions, NormalCollisions):
            try:
                return drop_in.gradient_row(self._native, collisions._contacts(mesh, X), X)
            except ValueError as error:
                raise renamed(error, x="X") from None
        contacts, x = self._one(collisions, mesh, collision, x)
        return drop_in.gradient_row(self._native, contacts, x)

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
        """∂²E/∂x² in N/m, a sparse matrix (n·D, n·D); of one collision a full one. Negative eigenvalues of each collision as asked."""
        if isinstance(collisions, NormalCollisions):
            method = project_hessian_to_psd
            psd: Any = _PSD[method._value_] if type(method) is PSDProjectionMethod else psd_name(method)
            try:
                return drop_in.barrier_matrix(self._native, collisions._contacts(mesh, X), X, psd)
            except ValueError as error:
                raise renamed(error, x="X") from None
        psd = psd_name(project_hessian_to_psd if X is None else X)
        contacts, x = self._one(collisions, mesh, collision, x)
        return dense_matrix(self._native.hessian_csc(contacts, x, psd))

    def shape_derivative(self, collisions: Any, mesh: Any, vertices: Any, *more: Any) -> csc_matrix:
        """The derivative of the gradient by the positions at rest, with displacements held, in N/m, a sparse matrix (n·D, n·D).

        Collisions must have been built with `enable_shape_derivatives`.
        """
        if not isinstance(collisions, NormalCollisions):
            raise NotImplementedError("shape_derivative of a single collision, which returns triplets of Eigen")
        contacts = collisions._contacts(mesh, vertices)
        if not collisions._set.has_derivatives():
            raise RuntimeError("shape_derivative: set enable_shape_derivatives before the collisions are built")
        matrix = columns_matrix(self._of(self._native.shape_derivative, contacts, vertices))
        return matrix + self._written(collisions, mesh, np.asarray(vertices, dtype=float))

    def _written(self, collisions: NormalCollisions, mesh: CollisionMesh, x: Floats) -> Any:
        """What derivatives of weights that were written add to those that were built."""
        own, size = collisions._set, x.size
        total = columns_matrix((size, size))
        for index, gradient in own.written_gradients.items():
            collision = own.collision(index)._copy()
            collision.weight = 1.0
            ids = collision._ids(mesh.edges, mesh.faces)
            rows = (np.array(ids)[:, None] * x.shape[1] + np.arange(x.shape[1])).ravel()
            by_weight = columns_matrix((self.gradient(collision, x[ids].ravel()), (rows, 0 * rows)), shape=(size, 1))
            total = total + by_weight @ (gradient - own.built_gradient(index)).T
        return total

    def gauss_newton_hessian_diagonal(
        self, collisions: Any = None, mesh: Any = None, vertices: Any = None, *, collision: Any = None, positions: Any = None
    ) -> Floats:
        """The diagonal of the Hessian with closest points held, in N/m, (n·D,)."""
        if isinstance(collisions, NormalCollisions):
            contacts = collisions._contacts(mesh, vertices)
            return self._of(self._native.gauss_newton_diagonal, contacts, vertices).ravel()
        contacts, x = self._one(collisions, mesh, collision, positions)
        return self._native.gauss_newton_diagonal(contacts, x).ravel()

    def gauss_newton_hessian_quadratic_form(
        self,
        collisions: Any = None,
        mesh: Any = None,
        vertices: Any = None,
        p: Any = None,
        *,
        collision: Any = None,
        positions: Any = None,
    ) -> float:
        """pᵀHp of the Hessian with closest points held; p in one row."""
        if isinstance(collisions, NormalCollisions):
            contacts = collisions._contacts(mesh, vertices)
            p = vector("p", p, mesh.ndof).reshape(-1, mesh.dim)
            return self._of(self._native.gauss_newton_form, contacts, vertices, p)
        contacts, x = self._one(collisions, mesh, collision, positions)
        p = vector("p", vertices if p is None else p, x.size).reshape(x.shape)
        return self._native.gauss_newton_form(contacts, x, p)

    def force_magnitude(self, distance_squared: float, dmin: float) -> float:
        """The normal force of a collision of weight 1, in N."""
        raise NotImplementedError(f"{type(self).__name__}.force_magnitude")

    def force_magnitude_gradient(self, distance_squared: float, distance_squared_gradient: Any, dmin: float) -> Floats:
        """Its gradient, for the gradient of d² that is given."""
        raise NotImplementedError(f"{type(self).__name__}.force_magnitude_gradient")

    def _for_friction(self) -> _stiction.BarrierPotential:
        """The native potential whose forces are the normal forces of friction."""
        return self._native

    @staticmethod
    def _of(method: Any, contacts: _stiction.Contacts, vertices: Any, *more: Any) -> Any:
        try:
            return method(contacts, vertices, *more)
        except ValueError as error:
            raise renamed(error, x="vertices") from None

    @staticmethod
    def _one(first: Any, second: Any, collision: Any, x: Any) -> tuple[_stiction.Contacts, Floats]:
        """One collision by itself and its positions."""
        of = instance("collisions", first if collision is None else collision, NormalCollision)
        positions = flat_positions(second if x is None else x, of._count)
        return of._contact(positions), positions


class BarrierPotential(NormalPotential):
    """κ Σ w m b(d² − dmin², (2 dmin + d̂) d̂): infinite where something touches, 0 from dmin + d̂ on.

    `BarrierPotential(dhat, stiffness, use_physical_barrier=False)` or `BarrierPotential(barrier, dhat, stiffness, use_physical_barrier=False)`.
    `dhat`: in m. `stiffness`: κ, 0 or larger. `use_physical_barrier`: whether b is divided by its unit and multiplied by d̂, so that κ of
    collisions weighted by areas is in Pa.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        barrier = kwargs.pop("barrier", None)
        if barrier is None and args and isinstance(args[0], Barrier):
            barrier, args = args[0], args[1:]
        self._set(barrier, *args, **kwargs)

    def _set(self, barrier: Any, dhat: Any, stiffness: Any, use_physical_barrier: Any = False) -> None:
        self._barrier = ClampedLogBarrier() if barrier is None else instance("barrier", barrier, Barrier)
        self._dhat = positive("dhat", dhat)
        self._stiffness = not_negative("stiffness", stiffness)
        self._physical = bool(use_physical_barrier)
        self._renew()

    def _renew(self) -> None:
        name: Any = native_name(self._barrier)
        strict = _stiction.BarrierPotential(
            self._dhat,
            self._stiffness,
            barrier=self._barrier if name is None else name,
            physical_units=self._physical,
        )
        self._native = drop_in.lenient(strict)

    @property
    def barrier(self) -> Barrier:
        """The barrier b."""
        return self._barrier

    @barrier.setter
    def barrier(self, value: Barrier) -> None:
        self._barrier = instance("barrier", value, Barrier)
        self._renew()

    @property
    def dhat(self) -> float:
        """The distance d̂ in m beyond dmin below which it acts."""
        return self._dhat

    @dhat.setter
    def dhat(self, value: float) -> None:
        self._dhat = positive("dhat", value)
        self._renew()

    @property
    def stiffness(self) -> float:
        """κ."""
        return self._stiffness

    @stiffness.setter
    def stiffness(self, value: float) -> None:
        self._stiffness = not_negative("stiffness", value)
        self._renew()

    @property
    def use_physical_barrier(self) -> bool:
        """Whether the barrier is in physical units."""
        return self._physical

    @use_physical_barrier.setter
    def use_physical_barrier(self, value: bool) -> None:
        self._physical = bool(value)
        self._renew()

    def force_magnitude(self, distance_squared: float, dmin: float) -> float:
        """−κ ∂b/∂d of a collision of weight 1 without mollifier, in N."""
        return self._unit(dmin) * barrier_force_magnitude(distance_squared, self._barrier, self._dhat, self._stiffness, dmin)

    def force_magnitude_gradient(self, distance_squared: float, distance_squared_gradient: Any, dmin: float) -> Floats:
        """Its gradient, for the gradient of d² that is given."""
        gradient = barrier_force_magnitude_gradient(
            distance_squared, distance_squared_gradient, self._barrier, self._dhat, self._stiffness, dmin
        )
        return self._unit(dmin) * gradient

    def _unit(self, dmin: Any) -> float:
        if not self._physical:
            return 1.0
        return self._dhat / self._barrier.units((2.0 * not_negative("dmin", dmin) + self._dhat) * self._dhat)


def _parameter(name: str, check: Any, doc: str) -> Any:
    """A number of an adhesion potential that may be set."""

    def read(self: NormalAdhesionPotential) -> float:
        return getattr(self, f"_{name}")

    def write(self: NormalAdhesionPotential, value: float) -> None:
        before = read(self)
        setattr(self, f"_{name}", check(name, value))
        try:
            self._renew()
        except ValueError:
            setattr(self, f"_{name}", before)
            raise

    return property(read, write, doc=doc)


class NormalAdhesionPotential(NormalPotential):
    """A force that pulls, Y ε_c at the distance d̂_p and none from d̂_a on, both beyond dmin. To be added to a barrier.

    `dhat_p`, `dhat_a`: in m, 0 < d̂_p < d̂_a. `Y`: Young's modulus in Pa, and `eps_c`: critical strain, for collisions weighted by areas.
    """

    def __init__(self, dhat_p: float, dhat_a: float, Y: float, eps_c: float) -> None:
        self._dhat_p, self._dhat_a = positive("dhat_p", dhat_p), positive("dhat_a", dhat_a)
        self._Y, self._eps_c = not_negative("Y", Y), not_negative("eps_c", eps_c)
        self._renew()

    dhat_p = _parameter("dhat_p", positive, "The distance in m beyond dmin where the force is Y ε_c.")
    dhat_a = _parameter("dhat_a", positive, "The distance in m beyond dmin from which on there is none.")
    Y = _parameter("Y", not_negative, "Young's modulus in Pa.")
    eps_c = _parameter("eps_c", not_negative, "The critical strain.")

    def _renew(self) -> None:
        if self._dhat_a <= self._dhat_p:
            raise ValueError(f"dhat_a: is {self._dhat_a}, expected more than dhat_p, which is {self._dhat_p}")
        self._native = drop_in.lenient(_stiction.BarrierPotential.adhesion(self._dhat_p, self._dhat_a, self._Y * self._eps_c))

    def force_magnitude(self, distance_squared: float, dmin: float) -> float:
        """Y ε_c: that which tangential adhesion holds with, at any distance."""
        not_negative("distance_squared", distance_squared), not_negative("dmin", dmin)
        return self._Y * self._eps_c

    def force_magnitude_gradient(self, distance_squared: float, distance_squared_gradient: Any, dmin: float) -> Floats:
        """Zeros."""
        self.force_magnitude(distance_squared, dmin)
        return np.zeros(len(vector("distance_squared_gradient", distance_squared_gradient)))

    def _for_friction(self) -> _stiction.BarrierPotential:
        # Not beyond a number whose fourth power is one; collisions end before anyway.
        return drop_in.lenient(_stiction.BarrierPotential.steady(self._Y * self._eps_c, 1e60))
