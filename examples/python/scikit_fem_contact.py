"""Two hyperelastic blocks pressed onto each other and dragged, with scikit-fem and `stiction.IPCContact`.

scikit-fem has meshes, elements and forms, the Newton solver is the one below, and contact and friction are one more assembly in it: a vector, a
matrix, an energy and a bound of the step. Every increment is checked: forces are in balance, nothing crosses (exactly), and at the end friction is μ
times the normal force.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import skfem
from pictures import BLUE, GREY, ORANGE, RED, arguments, save
from scipy.sparse.linalg import spsolve
from skfem.helpers import ddot, det, grad, identity, inv, transpose

import stiction

MU = 0.3


class Elasticity:
    """ψ = G/2 (tr FᵀF − 2 − 2 ln J) + λ/2 ln²J, in J/m², of a mesh with one modulus for each element, 1 m thick."""

    def __init__(self, mesh, young, poisson=0.3):
        self.basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementTriP1()), intorder=1)
        spread = np.ones((1, self.basis.X.shape[-1]))
        self.constants = {
            "shear": (young / (2 * (1 + poisson)))[:, None] * spread,
            "bulk": (young * poisson / ((1 + poisson) * (1 - 2 * poisson)))[:, None] * spread,
        }

    def energy(self, u):
        """In J; infinite where an element has turned inside out."""
        found = self.density(u)
        return float(found.sum()) if np.isfinite(found).all() else np.inf

    def density(self, u):
        """The energy of each element, in J."""
        with np.errstate(invalid="ignore"):
            found = energy_form.elemental(self.basis, displacement=u, **self.constants)
        return np.where(np.isnan(found), np.inf, found)

    def gradient(self, u):
        """In N, for each unknown."""
        return gradient_form.assemble(self.basis, displacement=u, **self.constants)

    def hessian(self, u):
        """In N/m."""
        return hessian_form.assemble(self.basis, displacement=u, **self.constants).tocsc()


@skfem.Functional
def energy_form(w):
    F = grad(w.displacement) + identity(grad(w.displacement))
    log = np.log(det(F))
    return 0.5 * w.shear * (ddot(F, F) - 2 - 2 * log) + 0.5 * w.bulk * log**2


@skfem.LinearForm
def gradient_form(v, w):
    F = grad(w.displacement) + identity(grad(w.displacement))
    inverse = transpose(inv(F))
    stress = w.shear * (F - inverse) + w.bulk * np.log(det(F)) * inverse
    return ddot(stress, grad(v))


@skfem.BilinearForm
def hessian_form(u, v, w):
    F = grad(w.displacement) + identity(grad(w.displacement))
    G, A, B = inv(F), grad(u), grad(v)
    trace_a, trace_b = ddot(transpose(G), A), ddot(transpose(G), B)
    crossed = ddot(transpose(matrix_product(matrix_product(G, A), G)), B)
    return w.shear * ddot(A, B) + (w.shear - w.bulk * np.log(det(F))) * crossed + w.bulk * trace_a * trace_b


def matrix_product(A, B):
    return np.einsum("ij...,jk...->ik...", A, B)


@dataclass
class Problem:
    """Elastic bodies, contact, and the unknowns whose displacements are given."""

    elasticity: Elasticity
    contact: stiction.IPCContact
    driven: np.ndarray

    def solve(self, u, target, tolerance=1e-6, limit=80):
        """Newton's method for an increment: u in which no force is out of balance, with the driven unknowns at their targets."""
        free = np.setdiff1d(np.arange(u.size), self.driven)
        for iteration in range(limit):
            self.contact.update(u)
            force = -self.elasticity.gradient(u) + self.contact.get_global_vector()
            missing = target - u[self.driven]
            scale = np.abs(self.contact.get_global_vector()).max() + 1e-3
            balanced = np.abs(force[free]).max() < tolerance * scale
            if self.contact.may_stop(balanced and np.abs(missing).max() < 1e-14):
                return u, iteration
            du, step = self.direction(u, force, missing, free)
            u = u + step * du
            if step == 1.0:
                u[self.driven] = target
        raise RuntimeError(f"not converged after {limit} iterations: {self.contact.report()}")

    def direction(self, u, force, missing, free):
        """A step of Newton's method and the part of it to take: with the exact Hessian of contact if that goes downhill, else with the projected one."""
        for projection in ("none", "clamp"):
            self.contact.psd_projection = projection
            matrix = (self.elasticity.hessian(u) + self.contact.get_global_matrix()).tocsc()
            du = np.zeros(u.size)
            du[self.driven] = missing
            du[free] = spsolve(matrix[free][:, free], force[free] - matrix[free][:, self.driven] @ missing)
            step = self.contact.line_search(u, du, self.elasticity.energy, prescribed=self.driven)
            if step > 1e-3:
                break
        while not np.isfinite(self.elasticity.energy(u + step * du)):  # driven unknowns may move too far for an element
            step *= 0.5
        return du, step


def blocks(fine):
    """A hard ground and a soft block with a crowned bottom above it; the modulus of each element in Pa."""
    ground = skfem.MeshTri.init_tensor(np.linspace(0, 2.0, 16 * fine + 1), np.linspace(0, 0.3, 2 * fine + 1))
    block = skfem.MeshTri.init_tensor(np.linspace(0.3, 1.2, 9 * fine + 1), np.linspace(0.305, 0.705, 4 * fine + 1))
    # Sharp edges would dig into the ground: the stress there has no bound.
    crown = 0.04 * np.abs((block.p[0] - 0.75) / 0.45) ** 4 * (0.705 - block.p[1]) / 0.4
    mesh = ground + skfem.MeshTri(block.p + np.stack([0 * crown, crown]), block.t)
    is_block = mesh.p[1, mesh.t].min(axis=0) > 0.3
    return mesh, np.where(is_block, 1e5, 2e6)


def main(arguments_given: list[str] | None = None) -> dict[str, float]:
    options = arguments(__doc__).parse_args(arguments_given)
    mesh, young = blocks(1 if options.quick else 2)
    elasticity = Elasticity(mesh, young)
    # Vector elements of scikit-fem number their unknowns x₀ y₀ x₁ y₁ …, which is the order that IPCContact expects.
    # Contacts weighted by area and slips below dhat in an increment keep sliding over the vertices of the meshes smooth.
    contact = stiction.IPCContact(mesh, extract_surface=True, dhat=2e-3, friction_coefficient=MU, eps_v=1e-4, use_area_weighting=True)
    bottom, top = mesh.p[1] == 0, mesh.p[1] == mesh.p[1].max()
    dofs = elasticity.basis.nodal_dofs
    driven = np.concatenate([dofs[0, bottom], dofs[1, bottom], dofs[0, top], dofs[1, top]])
    problem = Problem(elasticity, contact, driven)
    u = np.zeros(elasticity.basis.N)
    contact.initialize(u, stiffness=elasticity.hessian(u))

    press, drag = (5, 50)
    history = []
    for down, across in [(k / press, 0.0) for k in range(1, press + 1)] + [(1.0, k / drag) for k in range(1, drag + 1)]:
        target = np.zeros(len(driven))
        target[2 * bottom.sum() : 2 * bottom.sum() + top.sum()] = 0.2 * across
        target[-top.sum() :] = -0.04 * down
        contact.set_start(u)
        u, iterations = problem.solve(u, target)
        assert not stiction.has_crossings(contact.surface, mesh.p.T + u.reshape(-1, 2))
        history.append({"across": 0.2 * across, "iterations": iterations, **forces(problem, u, bottom, top)})
    draw(mesh, u, problem, history, options)
    last, report = history[-1], contact.report()
    assert last["imbalance"] < 1e-5, last
    print(f"friction / normal force = {last['ratio']:.4f} (μ = {MU}); {report.slipping} contacts slide, {report.sticking} stick")
    print(f"smallest clearance {report.relative_clearance:.2f} dhat; {sum(h['iterations'] for h in history)} iterations in {len(history)} increments")
    return {"ratio": last["ratio"], "imbalance": last["imbalance"], "clearance": report.relative_clearance}


def forces(problem, u, bottom, top):
    """Friction and normal force on the block, and how far the forces on it and on the ground are from balance, relative to them."""
    contact = problem.contact
    outer = problem.elasticity.gradient(u).reshape(-1, 2)
    upper = contact.surface.rest[:, 1] > 0.3
    normal, friction = (contact.nodal_forces(part)[upper].sum(axis=0) for part in ("normal", "friction"))
    imbalance = np.abs(outer[top].sum(axis=0) + normal + friction).max() + np.abs(outer[bottom].sum(axis=0) - normal - friction).max()
    size = np.linalg.norm(normal)
    return {"ratio": float(np.linalg.norm(friction) / size), "normal": float(size), "imbalance": float(imbalance / size)}


def draw(mesh, u, problem, history, options):
    figure, (above, below) = plt.subplots(2, 1, figsize=(8.0, 5.6), layout="constrained")
    x = mesh.p + u.reshape(-1, 2).T
    sides = mesh.p[:, mesh.t[1:]] - mesh.p[:, mesh.t[:1]]
    density = problem.elasticity.density(u) / (0.5 * np.abs(sides[0, 0] * sides[1, 1] - sides[0, 1] * sides[1, 0])) / 1e3
    looks = {"cmap": "Blues", "vmin": 0.0, "vmax": np.percentile(density, 99), "edgecolors": GREY, "linewidth": 0.15}
    colours = above.tripcolor(x[0], x[1], mesh.t.T, facecolors=density, **looks)
    figure.colorbar(colours, ax=above, label="elastic energy (kJ/m³)", shrink=0.8, extend="max", pad=0.02)
    pushed = np.flatnonzero((problem.contact.pressure() > 0) & (mesh.p[1] > 0.3))
    arrows = problem.contact.nodal_forces()[pushed]
    above.quiver(x[0, pushed], x[1, pushed], arrows[:, 0], arrows[:, 1], color=RED, width=0.003, scale=8e3, zorder=3)
    above.set(aspect="equal", xlabel="x (m)", ylabel="y (m)", title="a block pressed and dragged; arrows: contact forces on it")
    above.grid(False)
    across = [entry["across"] for entry in history]
    below.plot(across, [entry["ratio"] for entry in history], color=BLUE, marker=".", label="friction / normal force")
    below.axhline(MU, color=GREY, lw=0.8, ls="--", label=f"μ = {MU}")
    below.set(xlabel="displacement of the top (m)", ylabel="friction / normal force", ylim=(0, 0.36))
    right = below.twinx()
    right.plot(across, [entry["iterations"] for entry in history], ".", color=ORANGE, ms=4)
    right.set(ylabel="Newton iterations", ylim=(0, None))
    right.yaxis.label.set_color(ORANGE)
    right.spines["right"].set_visible(True)
    right.grid(False)
    below.legend(loc="lower right")
    save(figure, options, "scikit-fem-contact")


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
