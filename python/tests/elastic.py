"""Blocks of neo-Hookean triangles and a quasi-static Newton solver, for tests of the assembly."""

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import coo_array, csc_array
from scipy.sparse.linalg import spsolve


def block(corner, size, cells):
    """Nodes and triangles of a rectangle."""
    nx, ny = cells
    xs, ys = np.linspace(0, size[0], nx + 1), np.linspace(0, size[1], ny + 1)
    nodes = np.array([[x, y] for y in ys for x in xs]) + corner
    number = np.arange((nx + 1) * (ny + 1)).reshape(ny + 1, nx + 1)
    a, b, c, d = number[:-1, :-1].ravel(), number[:-1, 1:].ravel(), number[1:, 1:].ravel(), number[1:, :-1].ravel()
    return nodes, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def joined(*meshes):
    """One mesh of several."""
    offsets = np.cumsum([0] + [len(nodes) for nodes, _ in meshes[:-1]])
    nodes = np.concatenate([nodes for nodes, _ in meshes])
    return nodes, np.concatenate([elements + offset for (_, elements), offset in zip(meshes, offsets, strict=True)])


@dataclass
class Elastic:
    """ψ = G/2 (tr FᵀF − 2 − 2 ln J) + λ/2 ln²J on triangles of unit thickness; `young` is one or one for each triangle."""

    nodes: np.ndarray
    triangles: np.ndarray
    young: float | np.ndarray
    poisson: float = 0.3
    loads: np.ndarray | None = None
    inverse: np.ndarray = field(init=False)

    def __post_init__(self):
        corners = self.nodes[self.triangles]
        edges = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)
        self.inverse, self.area = np.linalg.inv(edges), 0.5 * np.abs(np.linalg.det(edges))
        young = np.broadcast_to(self.young, len(self.triangles))
        self.shear = young / (2 * (1 + self.poisson))
        self.bulk = young * self.poisson / ((1 + self.poisson) * (1 - 2 * self.poisson))
        grad = np.array([[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]])
        # dF[e, n, J]: by how much the displacement of node n, in any direction, changes column J of F.
        self.shape = np.einsum("nk,ekJ->enJ", grad, self.inverse)
        self.dofs = (2 * self.triangles[:, :, None] + np.arange(2)).reshape(-1, 6)
        self.loads = np.zeros(self.nodes.size) if self.loads is None else self.loads

    def _deformed(self, u):
        x = self.nodes + u.reshape(-1, 2)
        F = np.einsum("eni,enJ->eiJ", x[self.triangles], self.shape)
        J = np.linalg.det(F)
        return F, J

    def energy(self, u):
        F, J = self._deformed(u)
        if (J <= 0).any():
            return np.inf
        log = np.log(J)
        psi = 0.5 * self.shear * ((F**2).sum((1, 2)) - 2 - 2 * log) + 0.5 * self.bulk * log**2
        return float(self.area @ psi - self.loads @ u)

    def gradient(self, u):
        F, J = self._deformed(u)
        inverse = np.linalg.inv(F).transpose(0, 2, 1)
        P = self.shear[:, None, None] * (F - inverse) + (self.bulk * np.log(J))[:, None, None] * inverse
        forces = np.einsum("e,eiJ,enJ->eni", self.area, P, self.shape)
        out = np.zeros(u.size)
        np.add.at(out, self.dofs.ravel(), forces.ravel())
        return out - self.loads

    def hessian(self, u):
        F, J = self._deformed(u)
        G = np.linalg.inv(F)
        eye = np.eye(2)
        A = np.einsum("e,ik,JL->eiJkL", self.shear, eye, eye)
        A += np.einsum("e,eJk,eLi->eiJkL", self.shear - self.bulk * np.log(J), G, G)
        A += np.einsum("e,eJi,eLk->eiJkL", self.bulk, G, G)
        local = np.einsum("e,eiJkL,enJ,emL->enimk", self.area, A, self.shape, self.shape).reshape(-1, 6, 6)
        local = 0.5 * (local + local.transpose(0, 2, 1))
        values, vectors = np.linalg.eigh(local)
        local = np.einsum("eij,ej,ekj->eik", vectors, np.maximum(values, 0), vectors)
        rows, columns = np.repeat(self.dofs, 6, axis=1).ravel(), np.tile(self.dofs, (1, 6)).ravel()
        return csc_array(coo_array((local.ravel(), (rows, columns)), shape=(u.size, u.size)))


@dataclass
class Increment:
    """How an increment went."""

    converged: bool
    iterations: int
    residual: float


def solve_increment(elastic, contact, u, target, driven, tolerance=1e-8, limit=100):
    """Newton's method for the increment in which the driven unknowns go to their targets; u and how it went.

    The driven unknowns go with the rest, by the same part of the step, until they are there.
    """
    free = np.setdiff1d(np.arange(u.size), driven)
    scale = float(np.max(np.abs(elastic.hessian(0 * u).diagonal()))) * np.ptp(elastic.nodes)
    for iteration in range(1, limit + 1):
        contact.update(u)
        residual = -elastic.gradient(u) + contact.get_global_vector()
        missing = target - u[driven]
        error = np.max(np.abs(residual[free])) / scale
        arrived = np.max(np.abs(missing), initial=0.0) <= 1e-14
        if contact.may_stop(arrived and error < tolerance):
            return u, Increment(True, iteration, error)
        matrix = (elastic.hessian(u) + contact.get_global_matrix()).tocsc()
        du = np.zeros(u.size)
        du[driven] = missing
        du[free] = spsolve(matrix[free][:, free], residual[free] - matrix[free][:, driven] @ missing)
        step = contact.line_search(u, du, elastic.energy, prescribed=driven)
        while not np.isfinite(elastic.energy(u + step * du)):
            step *= 0.5
        if step == 1.0 and not arrived:
            u = u + du
            u[driven] = target
        else:
            u = u + step * du
        if step == 0.0:
            break
    return u, Increment(False, iteration, error)
