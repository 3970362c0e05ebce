"""Normals, angles, lengths and areas with their derivatives.

Derivatives of a vector: Jacobians have one row for each of its entries. In Hessians row D·i + k, column j is the second derivative of entry
k by unknowns i and j. What has no direction, such as the normal of a triangle without area, is a ValueError.
"""

from __future__ import annotations

from math import atan2
from typing import Any

import numpy as np

from ._array import Floats, point, points
from ._distance import EE, PE, SPACE

_TRIANGLE = ("a", "b", "c")
_CORNERS = ("t0", "t1", "t2")
_HINGE = ("x0", "x1", "x2", "x3")


def _levi_civita() -> Floats:
    epsilon = np.zeros((3, 3, 3))
    for k in range(3):
        epsilon[k, (k + 1) % 3, (k + 2) % 3] = 1.0
        epsilon[k, (k + 2) % 3, (k + 1) % 3] = -1.0
    return epsilon


_EPSILON = _levi_civita()


class Cross:
    """z = u × v for two differences u = Σ aᵢ xᵢ, v = Σ bᵢ xᵢ of points: a normal of length twice the area."""

    def __init__(self, a: list[float], b: list[float]) -> None:
        self.a, self.b = np.array(a), np.array(b)
        # z is bilinear: second derivatives ε_kpq (aᵢ bⱼ − bᵢ aⱼ) do not depend on the points. Axes: i p, k, j q.
        pairs = np.outer(a, b) - np.outer(b, a)
        size = 3 * len(a)
        self.second: Floats = np.einsum("kpq,ij->ipkjq", _EPSILON, pairs).reshape(size, 3, size)

    def value(self, x: Floats) -> Floats:
        """z."""
        return _skew(self.a @ x) @ (self.b @ x)

    def jacobian(self, x: Floats) -> Floats:
        """∂z/∂x, blocks bᵢ [u]× − aᵢ [v]×, shape (3, 3N)."""
        by_v, by_u = _skew(self.a @ x), -_skew(self.b @ x)
        return (self.b[:, None] * by_v[:, None] + self.a[:, None] * by_u[:, None]).reshape(3, -1)

    def unit(self, names: str, x: Floats) -> Floats:
        """z/|z|."""
        z = self.value(x)
        return z / _length(names, z)

    def unit_jacobian(self, names: str, x: Floats) -> Floats:
        """Derivative of z/|z|."""
        return _turn(names, self.value(x))[1] @ self.jacobian(x)

    def unit_hessian(self, names: str, x: Floats) -> Floats:
        """Second derivative of z/|z|, shape (9N, 3N)."""
        _, first, second = _bend(names, self.value(x))
        jacobian = self.jacobian(x)
        bent = jacobian.T @ (np.array(second) @ jacobian)  # axes k, i, j
        out: Floats = first @ self.second + bent.swapaxes(0, 1)
        return out.reshape(-1, x.size)


TRIANGLE = Cross([-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0])
LINES = Cross([-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 1.0])
_TRIANGLE_NAMES = "a, b, c"
_LINE_NAMES = "ea0, ea1, eb0, eb1"


# Unit vectors.


def normalization_and_jacobian(x: Any) -> tuple[Floats, Floats]:
    """n = x/|x|, and (I − n nᵀ)/|x|."""
    return _turn("x", point("x", x, (1, 2, 3)))


def normalization_jacobian(x: Any) -> Floats:
    """(I − n nᵀ)/|x|."""
    return normalization_and_jacobian(x)[1]


def normalization_and_jacobian_and_hessian(x: Any) -> tuple[Floats, Floats, list[Floats]]:
    """n = x/|x|, its Jacobian, and for each entry of n its Hessian: always three matrices, the third without entries in 2D."""
    unit, jacobian, hessians = _bend("x", point("x", x, (1, 2, 3)))
    return unit, jacobian, hessians + [np.empty((0, 0))] * (3 - len(unit))


def normalization_hessian(x: Any) -> list[Floats]:
    """The Hessian of every entry of x/|x|: always three matrices, the third without entries in 2D."""
    return normalization_and_jacobian_and_hessian(x)[2]


# Cross products.


def cross_product_matrix(v: Any) -> Floats:
    """[v]×, with [v]× w = v × w."""
    return _skew(point("v", v, SPACE))


def cross_product_matrix_jacobian() -> Floats:
    """Derivatives of the entries of [v]×, column after column, by v, shape (9, 3)."""
    # [v]× has the entries ε_kpq v_p in row k, column q.
    return _EPSILON.transpose(2, 0, 1).reshape(9, 3)


# Normals.


def point_line_unnormalized_normal(p: Any, e0: Any, e1: Any) -> Floats:
    """2D: e = e₁ − e₀ turned by 90° to the left. 3D: e × (d × e) with d = p − e₀, from the line to the point."""
    x = points(PE, (p, e0, e1))
    if x.shape[1] == 2:
        along = x[2] - x[1]
        return np.array([-along[1], along[0]])
    along, over = x[2] - x[1], x[0] - x[1]
    normal: Floats = (along @ along) * over - (along @ over) * along
    return normal


def point_line_unnormalized_normal_jacobian(p: Any, e0: Any, e1: Any) -> Floats:
    """Jacobian of `point_line_unnormalized_normal`, shape (D, 3D)."""
    x = points(PE, (p, e0, e1))
    if x.shape[1] == 2:
        left = np.array([[0.0, -1.0], [1.0, 0.0]])
        return np.kron([0.0, -1.0, 1.0], left)
    along, over = x[2] - x[1], x[0] - x[1]
    by_point = (along @ along) * np.eye(3) - np.outer(along, along)
    by_end = np.outer(2.0 * over, along) - np.outer(along, over) - (along @ over) * np.eye(3)
    return np.hstack([by_point, -by_point - by_end, by_end])


def point_line_normal(p: Any, e0: Any, e1: Any) -> Floats:
    """`point_line_unnormalized_normal` with length 1."""
    normal = point_line_unnormalized_normal(p, e0, e1)
    return normal / _length("p, e0, e1", normal)


def triangle_unnormalized_normal(a: Any, b: Any, c: Any) -> Floats:
    """(b − a) × (c − a), twice the area long."""
    return TRIANGLE.value(points(_TRIANGLE, (a, b, c), SPACE))


def triangle_unnormalized_normal_jacobian(a: Any, b: Any, c: Any) -> Floats:
    """Jacobian of `triangle_unnormalized_normal`, shape (3, 9)."""
    return TRIANGLE.jacobian(points(_TRIANGLE, (a, b, c), SPACE))


def triangle_unnormalized_normal_hessian(a: Any, b: Any, c: Any) -> Floats:
    """Hessian of `triangle_unnormalized_normal`, shape (27, 9): the same for all triangles."""
    points(_TRIANGLE, (a, b, c), SPACE)
    return TRIANGLE.second.reshape(27, 9).copy()


def triangle_normal(a: Any, b: Any, c: Any) -> Floats:
    """Unit normal of a triangle."""
    return TRIANGLE.unit(_TRIANGLE_NAMES, points(_TRIANGLE, (a, b, c), SPACE))


def triangle_normal_jacobian(a: Any, b: Any, c: Any) -> Floats:
    """Jacobian of `triangle_normal`, shape (3, 9), in 1/m."""
    return TRIANGLE.unit_jacobian(_TRIANGLE_NAMES, points(_TRIANGLE, (a, b, c), SPACE))


def triangle_normal_hessian(a: Any, b: Any, c: Any) -> Floats:
    """Hessian of `triangle_normal`, shape (27, 9), in 1/m²."""
    return TRIANGLE.unit_hessian(_TRIANGLE_NAMES, points(_TRIANGLE, (a, b, c), SPACE))


def line_line_unnormalized_normal(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """(ea₁ − ea₀) × (eb₁ − eb₀)."""
    return LINES.value(points(EE, (ea0, ea1, eb0, eb1), SPACE))


def line_line_unnormalized_normal_jacobian(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """Jacobian of `line_line_unnormalized_normal`, shape (3, 12)."""
    return LINES.jacobian(points(EE, (ea0, ea1, eb0, eb1), SPACE))


def line_line_unnormalized_normal_hessian(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """Hessian of `line_line_unnormalized_normal`, shape (36, 12): the same for all lines."""
    points(EE, (ea0, ea1, eb0, eb1), SPACE)
    return LINES.second.reshape(36, 12).copy()


def line_line_normal(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """Unit vector across two lines."""
    return LINES.unit(_LINE_NAMES, points(EE, (ea0, ea1, eb0, eb1), SPACE))


def line_line_normal_jacobian(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """Jacobian of `line_line_normal`, shape (3, 12), in 1/m."""
    return LINES.unit_jacobian(_LINE_NAMES, points(EE, (ea0, ea1, eb0, eb1), SPACE))


def line_line_normal_hessian(ea0: Any, ea1: Any, eb0: Any, eb1: Any) -> Floats:
    """Hessian of `line_line_normal`, shape (36, 12), in 1/m²."""
    return LINES.unit_hessian(_LINE_NAMES, points(EE, (ea0, ea1, eb0, eb1), SPACE))


# Lengths, areas, angles.


def edge_length_gradient(e0: Any, e1: Any) -> Floats:
    """Gradient of |e₀ − e₁|, 2D entries."""
    x = points(("e0", "e1"), (e0, e1))
    along = x[0] - x[1]
    unit = along / _length("e0, e1", along)
    return np.concatenate([unit, -unit])


def triangle_area_gradient(t0: Any, t1: Any, t2: Any) -> Floats:
    """Gradient of the area, 9 entries in m: half the unit normal times the Jacobian of the unnormalized one."""
    x = points(_CORNERS, (t0, t1, t2), SPACE)
    return 0.5 * TRIANGLE.unit("t0, t1, t2", x) @ TRIANGLE.jacobian(x)


def dihedral_angle(x0: Any, x1: Any, x2: Any, x3: Any) -> float:
    """Angle in rad, −π to π, between the normals of the triangles (x₀, x₁, x₂) and (x₁, x₀, x₃): 0 where they are flat."""
    along, first, second = _hinge(x0, x1, x2, x3)[1:]
    sine = _skew(first) @ second @ (along / np.linalg.norm(along))
    return atan2(sine, first @ second)


def dihedral_angle_gradient(x0: Any, x1: Any, x2: Any, x3: Any) -> Floats:
    """Gradient of `dihedral_angle`, 12 entries in 1/m.

    Vertex x₂ at height h over the hinge turns its triangle by 1/h for every m along the normal; what turns x₀ and x₁ follows,
    since rigid motions change nothing.
    """
    x, along, first, second = _hinge(x0, x1, x2, x3)
    length = np.linalg.norm(along)
    by_x2 = -length * first / (first @ first)
    by_x3 = -length * second / (second @ second)
    # Where x₂ and x₃ are along the hinge, from 0 at x₀ to 1 at x₁.
    s, t = (x[2:] - x[0]) @ along / length**2
    return np.concatenate([-(1.0 - s) * by_x2 - (1.0 - t) * by_x3, -s * by_x2 - t * by_x3, by_x2, by_x3])


def _hinge(x0: Any, x1: Any, x2: Any, x3: Any) -> tuple[Floats, Floats, Floats, Floats]:
    """The points, the hinge x₁ − x₀, and the normals of both triangles."""
    x = points(_HINGE, (x0, x1, x2, x3), SPACE)
    first, second = TRIANGLE.value(x[:3]), TRIANGLE.value(x[[1, 0, 3]])
    _length("x0, x1, x2", first)
    _length("x1, x0, x3", second)
    return x, x[1] - x[0], first, second


def _skew(v: Floats) -> Floats:
    x, y, z = v.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _length(names: str, v: Floats) -> float:
    length = float(np.sqrt(v @ v))
    if length == 0.0:
        raise ValueError(f"{names}: has no length or area, and so no direction")
    return length


def _turn(names: str, v: Floats) -> tuple[Floats, Floats]:
    """v/|v| and its Jacobian."""
    length = _length(names, v)
    unit = v / length
    return unit, (np.eye(len(v)) - np.outer(unit, unit)) / length


def _bend(names: str, v: Floats) -> tuple[Floats, Floats, list[Floats]]:
    """v/|v|, its Jacobian J, and the Hessians −(nₖ J + n Jₖ + Jₖ nᵀ)/|v| of its entries."""
    unit, jacobian = _turn(names, v)
    outer = unit[:, None, None] * jacobian + jacobian[:, None, :] * unit[:, None] + jacobian[:, :, None] * unit
    return unit, jacobian, list(outer / -_length(names, v))
