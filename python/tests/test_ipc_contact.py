"""The assembly for anybody's solver: what goes in, what a solver gets, and that its safeguards work."""

import inspect
import warnings

import meshio
import numpy as np
import pytest
from elastic import Elastic, block, joined, solve_increment
from scipy.sparse import csr_array

import stiction
from stiction import IPCContact, IPCSelfContact

GAP = 0.005
KINDS = ("vector", "matrix")


def two_blocks(cells=((8, 4), (7, 4)), gap=GAP, scale=1.0):
    nodes, triangles = joined(block([0, 0], [1.2, 0.5], cells[0]), block([0.1, 0.5 + gap], [1.0, 0.5], cells[1]))
    return scale * nodes, triangles


def ends(nodes):
    """The lowest and the highest nodes."""
    heights = nodes[:, 1]
    return np.flatnonzero(heights == heights.min()), np.flatnonzero(heights == heights.max())


def plain_contact(gap=0.002, **options):
    """Two blocks that are in contact at rest, and the assembly between them."""
    nodes, triangles = two_blocks(gap=gap)
    options = {"dhat": 0.01, "dhat_is_relative": False, "barrier_stiffness": 1e6, **options}
    return nodes, IPCContact((nodes, triangles), extract_surface=True, **options)


def random_step(nodes, size, seed=1):
    return size * np.random.default_rng(seed).uniform(-1, 1, nodes.size)


class Pressed:
    """The upper block pressed down by `depth` and then dragged by `drag`, both as parts of a length of about 1."""

    def __init__(self, young=1e3, scale=1.0, cells=((8, 4), (7, 4)), hard=1.0, **options):
        self.nodes, triangles = two_blocks(cells, scale=scale)
        is_lower = self.nodes[triangles[:, 0], 1] < 0.5 * scale
        self.elastic = Elastic(self.nodes, triangles, np.where(is_lower, hard * young, young))
        self.contact = IPCContact((self.nodes, triangles), extract_surface=True, **options)
        self.u = np.zeros(self.nodes.size)
        self.contact.initialize(self.u, stiffness=self.elastic.hessian(self.u))
        self.bottom, self.top = ends(self.nodes)
        self.driven = np.concatenate([2 * self.bottom, 2 * self.bottom + 1, 2 * self.top, 2 * self.top + 1])
        self.iterations, self.scale, self.tolerance = 0, scale, 1e-8 / hard

    def go(self, across, down):
        target = np.zeros(len(self.driven))
        target[2 * len(self.bottom) : -len(self.top)] = across * self.scale
        target[-len(self.top) :] = down * self.scale
        self.contact.set_start(self.u)
        increment = self.solve(target)
        self.iterations += increment.iterations
        assert increment.converged, (increment, self.contact.report())
        assert not stiction.has_crossings(self.contact.surface, self.nodes + self.u.reshape(-1, 2))
        return increment

    def solve(self, target):
        problem = (self.elastic, self.contact, self.u, target, self.driven)
        self.u, increment = solve_increment(*problem, tolerance=self.tolerance)
        return increment

    def press(self, depth=0.1, increments=10):
        for k in range(1, increments + 1):
            self.go(0.0, -depth * k / increments)
        return self.contact.report()

    def reaction(self):
        """The force of the ground on the lower block, in N."""
        return self.elastic.gradient(self.u).reshape(-1, 2)[self.bottom].sum(axis=0)


# ---- what goes in


def test_arguments_are_those_of_the_class_people_know():
    names = (
        "mesh surface_mesh extract_surface dhat dhat_is_relative barrier_stiffness friction_coefficient eps_v broad_phase "
        "adaptive_barrier_stiffness use_ccd line_search_energy use_ogc space name"
    ).split()
    defaults = [None, False, 1e-3, True, None, 0.0, 1e-3, "hash_grid", True, None, None, False, None, "IPC Contact"]
    parameters = [p for p in inspect.signature(IPCContact).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert [p.name for p in parameters] == names
    assert [p.default for p in parameters[1:]] == defaults
    assert all(hasattr(IPCContact, name) for name in ("assemble_global_mat", "delete_global_mat", "reset", "name", "space"))


def cube_mesh():
    axis = np.linspace(0, 1, 3)
    nodes = np.array([[x, y, z] for z in axis for y in axis for x in axis])
    number = np.arange(27).reshape(3, 3, 3)
    corner = [number[k : k + 2, j : j + 2, i : i + 2] for k in range(2) for j in range(2) for i in range(2)]
    bricks = np.array([[c[0, 0, 0], c[0, 0, 1], c[0, 1, 1], c[0, 1, 0], c[1, 0, 0], c[1, 0, 1], c[1, 1, 1], c[1, 1, 0]] for c in corner])
    return nodes, bricks


def test_surfaces_of_every_kind_of_mesh():
    nodes, triangles = block([0, 0], [1, 1], (3, 2))
    outline = {tuple(sorted(edge)) for edge in np.asarray(IPCContact((nodes, triangles), extract_surface=True).surface.edges).tolist()}
    assert len(outline) == 10
    number = np.arange(12).reshape(3, 4)
    quads = np.stack([number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]], axis=-1).reshape(-1, 4)

    class Named:
        def __init__(self):
            self.nodes, self.elements = nodes, quads

    class Transposed:
        def __init__(self):
            self.p, self.t = nodes.T, triangles.T

    flat = np.column_stack([nodes, np.full(len(nodes), 2.0)])
    mixed = meshio.Mesh(flat, [("vertex", [[0]]), ("triangle", triangles[:0]), ("quad", quads)])
    for mesh, space in (((nodes, quads), None), (Named(), None), (Transposed(), None), (mixed, 2)):
        surface = IPCContact(mesh, extract_surface=True, space=space).surface
        assert {tuple(sorted(edge)) for edge in surface.edges.tolist()} == outline
    given = IPCContact((nodes, quads), surface_mesh=np.array(sorted(outline)))
    assert given.surface.edges.tolist() == sorted(map(list, outline))


def test_surfaces_of_solids():
    nodes, bricks = cube_mesh()
    contact = IPCContact((nodes, bricks), extract_surface=True)
    faces = nodes[contact.surface.faces]
    areas = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    assert len(faces) == 48 and contact.space == 3
    # Outwards, and closed: areas add up to that of the cube, and as vectors to nothing.
    assert np.linalg.norm(areas, axis=1).sum() == pytest.approx(12) and np.abs(areas.sum(axis=0)).max() < 1e-12
    assert (np.einsum("ij,ij->i", areas, faces.mean(axis=1) - 0.5) > 0).all()
    tets = np.concatenate([bricks[:, [0, 1, 3, 4]], bricks[:, [1, 2, 3, 6]], bricks[:, [1, 6, 4, 5]], bricks[:, [3, 4, 6, 7]], bricks[:, [1, 3, 4, 6]]])
    assert len(IPCContact((nodes, tets[:8]), extract_surface=True).surface.faces) == 32
    # A shell is a surface already.
    assert len(IPCContact((nodes, contact.surface.faces)).surface.faces) == 48


def test_bricks_of_scikit_fem():
    skfem = pytest.importorskip("skfem")
    mesh = skfem.MeshHex.init_tensor(*[np.linspace(0, 1, 3)] * 3)
    surface = IPCContact(mesh, extract_surface=True).surface
    assert len(surface.faces) == 2 * len(mesh.boundary_facets()) == 48
    corners = surface.rest[surface.faces]
    sizes = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    assert sizes.sum() == pytest.approx(6)


NODES, TRIANGLES = two_blocks()
WRONG = {
    "no mesh": (TypeError, {"mesh": 3}, "is no mesh"),
    "nodes of one coordinate": (ValueError, {"mesh": (np.zeros((4, 1)), TRIANGLES)}, "nodes have shape"),
    "elements that are no numbers of nodes": (ValueError, {"mesh": (NODES, TRIANGLES + 0.5)}, "whole numbers"),
    "a node that is not there": (ValueError, {"mesh": (NODES, TRIANGLES + 9)}, "(?i)vert|node|range"),
    "no surface": (ValueError, {"extract_surface": False}, "extract_surface=True"),
    "two surfaces": (ValueError, {"surface_mesh": [[0, 1]]}, "one of them"),
    "a surface of volumes": (ValueError, {"surface_mesh": [[0, 1, 2, 3]], "extract_surface": False}, "no part of a surface"),
    "both bounds": (ValueError, {"use_ccd": True, "use_ogc": True}, "exclude each other"),
    "unknown trust region": (ValueError, {"use_ogc": "balls"}, "planar"),
    "no reach": (ValueError, {"dhat": 0.0}, "dhat"),
    "negative dmin": (ValueError, {"dmin": -1.0}, "dmin"),
    "stiffness that is not one": (ValueError, {"barrier_stiffness": -1.0}, "barrier_stiffness"),
    "half a ring": (ValueError, {"excluded_rings": 1.5}, "excluded_rings"),
    "no ring": (ValueError, {"excluded_rings": 0}, "excluded_rings"),
    "unknown order": (ValueError, {"dof_order": "mixed"}, "dof_order"),
    "a matrix of another size": (ValueError, {"dof_order": csr_array((3, 4))}, "expected \\(unknowns"),
    "trust region of a matrix": (ValueError, {"use_ogc": True, "dof_order": csr_array((3, NODES.size))}, "one by one"),
    "unknown projection": (ValueError, {"psd_projection": "some"}, "psd_projection"),
    "negative friction": (ValueError, {"friction_coefficient": -0.1}, "friction_coefficient"),
    "no eps_v": (ValueError, {"eps_v": 0.0}, "eps_v"),
    "no time": (ValueError, {"time_step": 0.0}, "time_step"),
    "a space of four": (ValueError, {"space": 4}, "neither 2 nor 3"),
    "a space too many": (ValueError, {"space": 3}, "two coordinates"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_named(case):
    error, options, words = WRONG[case]
    with pytest.raises(error, match=words):
        IPCContact(**{"mesh": (NODES, TRIANGLES), "extract_surface": True, **options})


def test_wrong_calls_are_named():
    nodes, contact = plain_contact()
    with pytest.raises(RuntimeError, match="initialize first"):
        contact.update(np.zeros(nodes.size))
    with pytest.raises(ValueError, match="stiffness: is needed"):
        IPCContact((NODES, TRIANGLES), extract_surface=True).initialize()
    with pytest.raises(ValueError, match="is zero at the surface"):
        IPCContact((NODES, TRIANGLES), extract_surface=True).initialize(stiffness=np.zeros(NODES.size))
    contact.initialize()
    with pytest.raises(ValueError, match="u: has shape"):
        contact.update(np.zeros(nodes.size + 1))
    spoilt = np.zeros(nodes.size)
    spoilt[7] = np.nan
    with pytest.raises(ValueError, match="node 3 is not finite"):
        contact.update(spoilt)
    with pytest.raises(ValueError, match="compute"):
        contact.update(np.zeros(nodes.size), "everything")
    with pytest.raises(ValueError, match="part"):
        contact.nodal_forces("some")


def test_self_contact_finds_its_surface():
    nodes, triangles = two_blocks(gap=0.002)
    contact = IPCSelfContact((nodes, triangles), 0.01, False, 1e6, name="inner")
    assert contact.name == "inner" and contact.dhat == 0.01
    contact.initialize()
    assert contact.kappa == 1e6 and len(contact.contacts) > 5
    with pytest.raises(TypeError, match="surface_mesh"):
        IPCSelfContact((nodes, triangles), surface_mesh=triangles)


# ---- what a solver gets


@pytest.mark.parametrize("mu", [0.0, 0.4])
def test_vector_and_matrix_are_derivatives_of_the_energy(mu):
    nodes, contact = plain_contact(friction_coefficient=mu, eps_v=1e-3, time_step=0.5, psd_projection=False)
    contact.initialize()
    u = random_step(nodes, 2e-4)
    contact.update(u)
    vector, matrix = contact.get_global_vector(), contact.get_global_matrix()
    p, h = random_step(nodes, 1.0, 2), 1e-8
    slope = (contact.energy(u + h * p) - contact.energy(u - h * p)) / (2 * h)
    assert slope == pytest.approx(-vector @ p, rel=1e-6)
    contact.update(u + h * p)
    plus = contact.get_global_vector()
    contact.update(u - h * p)
    change = (plus - contact.get_global_vector()) / (2 * h)
    assert np.abs(change + matrix @ p).max() < 1e-6 * np.abs(matrix @ p).max()
    assert bool((contact.nodal_forces("friction") != 0).any()) == (mu > 0)


def test_derivatives_in_three_dimensions():
    nodes, bricks = joined(cube_mesh(), cube_mesh())
    turn = np.linalg.qr(np.random.default_rng(7).normal(size=(3, 3)))[0]
    nodes[27:] = (nodes[27:] - 0.5) @ turn.T
    nodes[27:] += [0.4, 0.6, 1.03] - nodes[27 + nodes[27:, 2].argmin()]  # a corner above the middle of a face
    options = {"dhat": 0.05, "dhat_is_relative": False, "barrier_stiffness": 1e4, "psd_projection": False, "time_step": 0.1}
    contact = IPCContact((nodes, bricks), None, True, friction_coefficient=0.4, eps_v=0.1, planes=[([0, 0, -0.02], [0, 0, 1])], **options)
    contact.initialize()
    assert contact.report().counts["vf"] > 0 and contact.report().counts["obstacle"] == 9
    u, p, h = random_step(nodes, 3e-3), random_step(nodes, 1.0, 2), 1e-8
    contact.update(u)
    vector, matrix = contact.get_global_vector(), contact.get_global_matrix()
    assert (contact.energy(u + h * p) - contact.energy(u - h * p)) / (2 * h) == pytest.approx(-vector @ p, rel=1e-5)
    contact.update(u + h * p)
    plus = contact.get_global_vector()
    contact.update(u - h * p)
    change = (plus - contact.get_global_vector()) / (2 * h)
    assert np.abs(change + matrix @ p).max() < 1e-5 * np.abs(matrix @ p).max()


def test_what_a_solver_changes_is_its_own():
    _, contact = plain_contact()
    contact.initialize()
    vector, matrix = contact.get_global_vector(), contact.get_global_matrix()
    vector[:], matrix.data[:] = 0.0, 0.0
    assert np.any(contact.get_global_vector()) and np.any(contact.get_global_matrix().data)


def test_planes_are_pairs():
    nodes, triangles = two_blocks()
    with pytest.raises(ValueError, match=r"planes\[0\]: expected a pair"):
        IPCContact((nodes, triangles), extract_surface=True, planes=[stiction.Plane([0, -1], [0, 1])])


def test_orders_of_unknowns_are_the_same_assembly():
    nodes, contact = plain_contact(friction_coefficient=0.3)
    contact.initialize()
    u = random_step(nodes, 2e-4)
    n = len(nodes)
    blocked = np.arange(2 * n).reshape(n, 2).T.ravel()  # where the unknowns of the blocked order are in the interleaved one
    rows = np.arange(2 * n)
    weights = np.random.default_rng(3).uniform(0.5, 2, 2 * n)
    extra = csr_array((weights, (rows, rows)), shape=(2 * n + 5, 2 * n))
    for order, way in (("blocked", csr_array((np.ones(2 * n), (rows, blocked)))), (extra, extra)):
        other = plain_contact(friction_coefficient=0.3, dof_order=order)[1]
        other.initialize()
        unknowns = np.zeros(way.shape[0])
        unknowns[: 2 * n] = u[blocked] if order is not extra else u / weights
        contact.update(u)
        other.update(unknowns)
        assert np.allclose(other.get_global_vector(), way @ contact.get_global_vector(), rtol=1e-9, atol=1e-12)
        expected = (way @ contact.get_global_matrix() @ way.T).toarray()
        assert np.allclose(other.get_global_matrix().toarray(), expected, rtol=1e-7, atol=1e-6)
        assert other.energy(unknowns) == pytest.approx(contact.energy(u), rel=1e-9)


def test_fields_of_two_columns_are_taken_as_displacements():
    nodes, contact = plain_contact(dof_order="blocked")
    contact.initialize()
    u = random_step(nodes, 2e-4).reshape(-1, 2)
    contact.update(u)
    vector = contact.get_global_vector()
    contact.update(u.T.ravel())
    assert (vector == contact.get_global_vector()).all()


def test_options_change_what_they_say():
    base = plain_contact()[1]
    base.initialize()
    assert plain_contact(use_area_weighting=True)[1].dhat == base.dhat
    energies = {}
    for name, options in {
        "plain": {},
        "area": {"use_area_weighting": True},
        "barrier": {"barrier": "cubic"},
        "dmin": {"dmin": 1e-3},
        "plane": {"planes": [([0, -1e-3], [0, 1])]},
        "stiffer": {"barrier_stiffness": 2e6},
        "broad phase": {"broad_phase": "bvh"},
    }.items():
        nodes, contact = plain_contact(**options)
        contact.initialize()
        energies[name] = contact.energy(np.zeros(nodes.size))
    assert energies["plain"] == energies["broad phase"] > 0
    assert energies["stiffer"] == pytest.approx(2 * energies["plain"])
    assert len(set(energies.values())) == len(energies) - 1
    exact, projected = (plain_contact(psd_projection=psd)[1] for psd in (False, True))
    for contact in (exact, projected):
        contact.initialize()
    lowest = [np.linalg.eigvalsh(contact.get_global_matrix().toarray()).min() for contact in (exact, projected)]
    assert lowest[0] < -1e-3 < -1e-9 * np.abs(exact.get_global_matrix()).max() < lowest[1]


def test_a_problem_is_taken_for_its_displacements():
    nodes, contact = plain_contact()
    u = random_step(nodes, 1e-4)

    class Problem:
        def __init__(self, **values):
            self.__dict__.update(values)

    contact.initialize(u)
    vector = contact.get_global_vector()
    for problem in (Problem(u=u), Problem(get_disp=lambda: u.reshape(-1, 2).T)):
        contact.initialize(problem)
        assert (contact.get_global_vector() == vector).all()
    automatic = IPCContact((NODES, TRIANGLES), extract_surface=True)
    automatic.initialize(Problem(u=np.zeros(NODES.size), stiffness=1e6))


# ---- stiffness


def test_stiffness_follows_the_bodies():
    runs = {young: Pressed(young) for young in (1.0, 1e3, 1e6, 2e11)}
    gaps = {young: run.press().relative_clearance for young, run in runs.items()}
    assert all(0.2 < gap < 0.8 for gap in gaps.values()), gaps
    assert max(gaps.values()) - min(gaps.values()) < 1e-6, gaps
    assert len({run.iterations for run in runs.values()}) == 1
    scaled = {young: run.contact.kappa / young for young, run in runs.items()}
    assert np.ptp(list(scaled.values())) < 1e-9 * scaled[1.0]


def test_stiffness_does_not_depend_on_units_of_length_or_on_increments():
    base = Pressed()
    gap = base.press().relative_clearance
    for run, increments in ((Pressed(scale=1e-3), 10), (Pressed(scale=1e3), 10), (Pressed(), 3), (Pressed(), 25)):
        assert run.press(increments=increments).relative_clearance == pytest.approx(gap, rel=1e-4)
        assert run.contact.kappa * run.scale**2 == pytest.approx(base.contact.kappa, rel=1e-9)


def test_stiffness_hardly_depends_on_the_mesh_or_the_weights():
    gap = Pressed().press().relative_clearance
    assert 0.7 * gap < Pressed(cells=((24, 8), (21, 8))).press().relative_clearance < 1.4 * gap
    assert 0.2 < Pressed(use_area_weighting=True).press().relative_clearance < 0.8


def test_stiffness_is_that_of_the_softer_body_and_may_be_a_modulus():
    nodes, triangles = two_blocks(gap=0.001)
    options = {"extract_surface": True, "dhat": 0.01, "dhat_is_relative": False}
    stiffnesses = []
    for young in (np.full(len(triangles), 1e3), np.where(triangles.max(axis=1) < 45, 1e3, 1e9)):
        elastic = Elastic(nodes, triangles, young)
        contact = IPCContact((nodes, triangles), **options)
        contact.initialize(stiffness=elastic.hessian(np.zeros(nodes.size)))
        stiffnesses.append(contact.kappa * contact.contacts.weights.max())
    # 1/E* is 1/E for one soft body, and twice as much for two.
    assert stiffnesses[1] == pytest.approx(2 * stiffnesses[0], rel=0.2)
    soft = IPCContact((nodes, triangles), **options)
    soft.initialize(stiffness=1e3)
    assert soft.kappa * soft.contacts.weights.max() == pytest.approx(stiffnesses[0], rel=0.5)


def test_stiffness_does_not_depend_on_which_contacts_begin_first():
    """κ is that of the stiffest pair of bodies, whether it is in contact or not; what a contact feels is its own pair's."""
    soft, triangles = two_blocks(gap=0.001)
    nodes = np.concatenate([soft, soft[soft[:, 1] > 0.5] + [0.0, 5.0]])
    upper = triangles[soft[triangles[:, 0], 1] > 0.5]
    triangles = np.concatenate([triangles, upper + len(soft) - int((soft[:, 1] <= 0.5).sum())])
    far = np.arange(len(nodes)) >= len(soft)
    options = {"extract_surface": True, "dhat": 0.01, "dhat_is_relative": False}
    felt = []
    for modulus in (1e3, 1e9):
        contact = IPCContact((nodes, triangles), **options)
        diagonal = np.where(far, modulus, 1e3)
        contact.initialize(stiffness=np.repeat(diagonal, 2))
        felt.append((contact.kappa, contact.kappa * contact.contacts.weights))
    assert felt[1][0] > 9e5 * felt[0][0] and np.allclose(felt[0][1], felt[1][1], rtol=1e-12)


def test_stiffness_is_that_of_simulations():
    """The same bodies have the same κ in a simulation and by the policy."""
    bodies = [
        {"name": "soft", "shape": {"box": {"center": [0.0, 0.1], "size": [0.2, 0.2], "cells": [4, 4]}}, "material": {"young": 1e5, "poisson": 0.3, "density": 1e3}},
        {"name": "hard", "shape": {"box": {"center": [0.0, 0.301], "size": [0.2, 0.2], "cells": [3, 4]}}, "material": {"young": 2e7, "poisson": 0.3, "density": 1e3}},
    ]  # fmt: skip
    values = {"dimension": 2, "gravity": [0.0, -9.81], "time": {"step": 0.01, "end": 0.01}, "contact": {"dhat": 2e-3}, "bodies": bodies}
    simulation = stiction.Simulation(stiction.Scene(values))
    moduli = np.zeros(len(simulation.positions))
    for name, young in (("soft", 1e5), ("hard", 2e7)):
        moduli[simulation.bodies[name]] = young
    policy = stiction.StiffnessPolicy(simulation.surface, 2e-3, moduli)
    assert simulation.step()["kappa"] == pytest.approx(policy.first, rel=1e-12)


def test_stiffness_rises_by_fours_as_in_simulations():
    slope = lambda gap: abs(2 * gap * stiction.barrier_derivatives([gap**2], 0.01)[0][0])
    assert stiction.raised_stiffness(3.0, 3.0, 1.1e-3, 0.01) == stiction.raised_stiffness(3.0, 3.0, np.inf, 0.01) == 3.0
    assert stiction.raised_stiffness(3.0, 3.0, 9e-4, 0.01) == 12.0
    for gap in (1e-4, 1e-6):
        ratio = slope(gap) / slope(1e-3)
        assert ratio / 4 < stiction.raised_stiffness(1.0, 1.0, gap, 0.01) <= max(ratio, 4.0)
    assert stiction.raised_stiffness(1.0, 1.0, 1e-9, 0.01) == 4.0**8 and stiction.raised_stiffness(8e8, 1.0, 1e-9, 0.01) == 1e9


def test_stiffness_grows_where_gaps_become_small_and_only_if_it_may():
    results = {}
    for adaptive in (False, True):
        run = Pressed(barrier_stiffness=1e5, adaptive_barrier_stiffness=adaptive)
        results[adaptive] = (run.press().relative_clearance, run.contact.kappa)
    assert results[False][1] == 1e5 and results[False][0] < 0.1
    assert results[True][1] > 1e5 and results[True][0] > 0.1


def test_friction_keeps_the_normal_forces_that_are_in_balance_when_the_stiffness_grows():
    run = Pressed(barrier_stiffness=1e5, friction_coefficient=0.3, eps_v=1e-4)
    for k in range(1, 11):
        run.go(0.0, -0.01 * k)
        forces, kappa = run.contact.forces(), run.contact.kappa
        run.contact.set_start(run.u)
        if run.contact.kappa > kappa:
            break
    growth = run.contact.kappa / kappa
    assert np.log2(growth) / 2 == int(np.log2(growth) / 2) >= 1
    assert np.allclose(run.contact.slides.normal_forces, forces, rtol=1e-12)
    assert np.allclose(run.contact.forces(), growth * forces, rtol=1e-12)


def test_friction_keeps_the_normal_forces_that_are_in_balance_when_another_stiffness_is_given():
    run = Pressed(hard=100.0, friction_coefficient=0.3, eps_v=1e-4)
    run.press(0.05, 3)
    forces, kappa = run.contact.forces(), run.contact.kappa
    diagonal, upper = run.elastic.hessian(run.u).diagonal(), np.repeat(run.nodes[:, 1] > 0.5, 2)
    # κ never falls.
    run.contact.set_start(run.u, stiffness=0.1 * diagonal)
    assert run.contact.kappa == kappa and np.allclose(run.contact.forces(), forces, rtol=1e-12)
    # Of the soft body 10 times as much: 1/E* is 1/10 + 1/100 instead of 1/1 + 1/100; κ is that of the hard one.
    run.contact.set_start(run.u, stiffness=diagonal * np.where(upper, 10.0, 1.0))
    assert np.allclose(run.contact.slides.normal_forces, forces, rtol=1e-12)
    assert np.allclose(run.contact.forces(), 1.01 / 0.11 * forces, rtol=0.1) and run.contact.kappa == pytest.approx(kappa, rel=0.1)
    # Of both: every contact feels 10 times as much.
    before = run.contact.forces()
    run.contact.set_start(run.u, stiffness=10 * diagonal * np.where(upper, 10.0, 1.0))
    assert np.allclose(run.contact.forces(), 10 * before, rtol=1e-2)


# ---- starts


def test_a_start_that_touches_or_intersects_is_refused_with_the_place():
    for gap, words in ((0.0, "touch|intersect"), (-0.01, "intersects itself.*edge"), (1e-10, "node.*they touch")):
        nodes, triangles = two_blocks(gap=gap)
        contact = IPCContact((nodes, triangles), extract_surface=True, barrier_stiffness=1.0)
        with pytest.raises(ValueError, match=words):
            contact.initialize()
    nodes, contact = plain_contact(gap=0.004, dmin=0.005)
    with pytest.raises(ValueError, match=r"0.004 m apart, less than dmin"):
        contact.initialize()
    nodes, contact = plain_contact(planes=[([0, 0.1], [0, 1])])
    with pytest.raises(ValueError, match=r"node \d+ at .* plane 0"):
        contact.initialize()


def test_a_reach_beyond_the_edges_is_reported_with_the_number_of_contacts():
    nodes, triangles = block([0, 0], [1, 1], (20, 20))
    contact = IPCSelfContact((nodes, triangles), 0.12, False, 1.0)
    with pytest.warns(UserWarning, match=r"\d+ contacts at rest .* shortest edge is 0.05 m") as caught:
        contact.initialize()
    assert contact.self_contacts_at_rest == len(contact.contacts) > 50
    assert str(contact.self_contacts_at_rest) in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiet = IPCSelfContact((nodes, triangles), 0.12, False, 1.0, excluded_rings=4)
        quiet.initialize()
        assert len(quiet.contacts) == 0
        IPCSelfContact((nodes, triangles), 0.03, False, 1.0).initialize()


# ---- increments


def test_an_increment_can_be_begun_again():
    run = Pressed(friction_coefficient=0.3, eps_v=1e-4)
    run.press(0.05, 3)
    contact, before = run.contact, run.u.copy()
    contact.set_start(run.u)
    kept = (contact.kappa, contact.get_global_vector(), contact.get_global_matrix().toarray(), contact.report())
    run.go(0.02, -0.1)
    contact.refine_friction()
    assert contact.report() != kept[3]
    # Begun at `before` by set_start inside `go`: back there, bit for bit.
    again = contact.to_start()
    assert (again == before).all() and contact.kappa == kept[0]
    assert (contact.get_global_vector() == kept[1]).all() and (contact.get_global_matrix().toarray() == kept[2]).all()
    assert contact.report() == kept[3]


def test_going_back_forgets_a_stiffness_that_began_later():
    run = Pressed()
    contact = run.contact
    assert contact.kappa is None and len(contact.contacts) == 0
    contact.set_start(run.u)
    down = run.u.copy()
    down[2 * np.flatnonzero(run.nodes[:, 1] > 0.5) + 1] = -0.004
    contact.update(down)
    assert contact.kappa is not None
    contact.to_start()
    assert contact.kappa is None
    # A second try of an increment has the κ that the first one began with, after it was brought up to date.
    contact.update(down)
    contact.set_start()
    kappa = contact.kappa
    contact.to_start()
    assert contact.kappa == kappa


def test_reset_forgets_everything():
    nodes, contact = plain_contact()
    contact.initialize()
    vector = contact.get_global_vector()
    contact.update(random_step(nodes, 1e-4))
    contact.reset()
    with pytest.raises(RuntimeError, match="initialize first"):
        contact.get_global_vector()
    contact.initialize()
    assert (contact.get_global_vector() == vector).all()
    contact.delete_global_mat()
    assert (contact.get_global_vector() == vector).all() and contact.get_global_matrix().nnz > 0


# ---- steps


def test_the_first_approach_keeps_a_tenth_of_the_reach():
    nodes, triangles = two_blocks(gap=0.2)
    for dmin in (0.0, 0.05):
        contact = IPCContact((nodes, triangles), extract_surface=True, dhat=0.02, dhat_is_relative=False, barrier_stiffness=1.0, dmin=dmin)
        contact.initialize()
        du = np.zeros(nodes.size)
        du[2 * np.flatnonzero(nodes[:, 1] > 0.5) + 1] = -0.3
        step = contact.largest_step(np.zeros(nodes.size), du)
        gap = 0.2 - 0.3 * step
        assert dmin + 0.002 <= gap < dmin + 0.1 * (0.2 - dmin) + 0.0021
        # Once in contact, the plain bound: closer than a tenth of the reach is allowed.
        near = step * du
        near[du != 0] = -(0.2 - dmin - 0.004)
        contact.update(near)
        further = contact.largest_step(near, du)
        left = 0.004 - 0.3 * further
        assert 0 < left < 0.002


def test_a_step_that_the_careful_bound_forbids_falls_back_to_the_plain_one():
    # Two parts of one body 0.05 dhat apart, with no contact because rings exclude it, as far as the scene knows: the bound alone sees them.
    nodes, contact = plain_contact(gap=0.002)
    contact.initialize()
    scene = contact._scene
    du = np.zeros((len(nodes), 2))
    du[nodes[:, 1] > 0.5, 1] = -0.01
    close = nodes.copy()
    close[nodes[:, 1] > 0.5, 1] -= 0.0015  # 0.0005 left of a bound of 0.001
    assert stiction.largest_step(scene.surface, close, du, min_distance=0.1 * scene.dhat) == 0.0
    assert 0 < scene.largest_step(close, du, True) == scene.largest_step(close, du, False) < 0.05


@pytest.mark.parametrize("bound", [True, "planar"])
def test_the_trust_region_says_what_it_holds_back(bound):
    nodes, triangles = two_blocks(gap=0.1)
    contact = IPCContact((nodes, triangles), extract_surface=True, dhat=0.02, dhat_is_relative=False, barrier_stiffness=1.0, use_ogc=bound)
    contact.initialize()
    assert contact.largest_step(np.zeros(nodes.size), np.ones(nodes.size)) == 1.0  # CCD is off
    upper = np.flatnonzero(nodes[:, 1] > 0.5)
    free = np.zeros(nodes.size)
    free[2 * upper + 1] = 0.04
    for direction in (free, -free):
        step, held = contact.filter_step(np.zeros(nodes.size), direction)
        # Less than half the distance to anything: nothing is lost of what is prescribed, of inner nodes or others.
        assert (step == direction).all() and len(held) == 0
    free[2 * upper + 1] = 0.5
    step, held = contact.filter_step(np.zeros(nodes.size), -free)
    lowest = np.flatnonzero(nodes[:, 1] == nodes[upper, 1].min())
    assert set(lowest) <= set(held.tolist()) <= set(np.flatnonzero(contact.surface.bodies >= 0))
    assert contact.report().held == tuple(held.tolist())
    moved = np.flatnonzero((step != -free).reshape(-1, 2).any(axis=1))
    assert set(moved) == set(held.tolist())
    assert not stiction.has_crossings(contact.surface, nodes + step.reshape(-1, 2))


def test_a_solver_by_the_trust_region_reaches_what_is_prescribed():
    nodes, triangles = two_blocks()
    elastic = Elastic(nodes, triangles, 1e3)
    contact = IPCContact((nodes, triangles), extract_surface=True, dhat=0.01, dhat_is_relative=False, use_ogc="planar")
    u = np.zeros(nodes.size)
    contact.initialize(u, stiffness=elastic.hessian(u))
    bottom, top = ends(nodes)
    driven = np.concatenate([2 * bottom, 2 * bottom + 1, 2 * top, 2 * top + 1])
    target = np.zeros(len(driven))
    target[-len(top) :] = -0.02
    free = np.setdiff1d(np.arange(u.size), driven)
    contact.set_start(u)
    from scipy.sparse.linalg import spsolve

    for _ in range(200):
        contact.update(u)
        residual = -elastic.gradient(u) + contact.get_global_vector()
        missing = target - u[driven]
        if contact.may_stop(np.abs(residual[free]).max() < 1e-6 and np.abs(missing).max() < 1e-14):
            break
        matrix = (elastic.hessian(u) + contact.get_global_matrix()).tocsc()
        du = np.zeros(u.size)
        du[driven] = missing
        du[free] = spsolve(matrix[free][:, free], residual[free] - matrix[free][:, driven] @ missing)
        step, held = contact.filter_step(u, du)
        u = u + step
        assert not stiction.has_crossings(contact.surface, nodes + u.reshape(-1, 2))
    else:
        raise AssertionError(f"not converged, {held} held")
    assert (u[driven] == target).all() or np.abs(u[driven] - target).max() < 1e-14
    assert contact.report().total_normal_force > 1.0


def test_the_energy_line_search_counts_everything():
    """A dead load: its work is part of the energy. And a step that is no descent is refused."""
    nodes, triangles = two_blocks(gap=0.005)
    loads = np.zeros(nodes.size)
    bottom, top = ends(nodes)
    loads[2 * top + 1] = -20.0
    elastic = Elastic(nodes, triangles, 1e3, loads=loads)
    contact = IPCContact((nodes, triangles), extract_surface=True, dhat=5e-3)
    u = np.zeros(nodes.size)
    contact.initialize(u, stiffness=elastic.hessian(u))
    # Nothing but contact carries the upper block; it is guided sideways.
    guide = 2 * top[:2]
    driven = np.concatenate([2 * bottom, 2 * bottom + 1, guide])
    weight = loads.copy()
    for part in (0.25, 0.5, 0.75, 1.0):
        elastic.loads = part * weight
        contact.set_start(u)
        u, increment = solve_increment(elastic, contact, u, np.zeros(len(driven)), driven, limit=60)
        assert increment.converged
    reaction = elastic.gradient(u).reshape(-1, 2)[bottom].sum(axis=0)
    assert reaction[1] == pytest.approx(-weight.sum(), rel=1e-6)
    # Against the load: collision detection has nothing to say, but the energy rises.
    elastic.loads = 2 * weight
    contact.update(u)
    du = 1e-4 * (elastic.gradient(u) - contact.get_global_vector())
    assert contact.line_search(u, -du, elastic.energy) > 0.0
    assert contact.line_search(u, du, elastic.energy) == 0.0
    assert contact.line_search(u, du) == 1.0
    assert contact.line_search(u, du, elastic.energy, prescribed=np.ones(u.size, bool)) == 1.0


def test_safeguards_ask_for_more_iterations_and_get_them():
    nodes, contact = plain_contact(gap=0.02)
    contact.initialize()
    zero, upper = np.zeros(nodes.size), 2 * np.flatnonzero(nodes[:, 1] > 0.5) + 1

    def at(gap):
        u = zero.copy()
        u[upper] = gap - 0.02
        contact.update(u)

    at(0.02)
    assert contact.min_extra_iterations == 0 and contact.may_stop(True)
    at(0.005)  # contacts appear
    assert contact.min_extra_iterations == 1 and not contact.may_stop(True)
    at(0.005)  # and stay
    assert contact.min_extra_iterations == 0 and contact.may_stop(True)
    for gap, more in ((0.0009, 1), (0.00009, 3)):
        at(gap)
        assert contact.min_extra_iterations == more
        assert not contact.may_stop(False)
        assert [contact.may_stop(True) for _ in range(more + 1)] == [False] * more + [True]
        assert not contact.may_stop(False)


# ---- friction


def dragged(**options):
    """On a hard ground: on a soft one normal forces, too, have a part along the motion."""
    run = Pressed(**{"eps_v": 1e-5, "friction_coefficient": 0.3, "dhat": 2e-3, "hard": 1e3, **options})
    run.press(0.05, 3)
    for k in range(1, 9):
        run.go(0.0125 * k, -0.05)
    return run


def ratio(run):
    """Friction over normal force on the upper block."""
    upper = run.nodes[:, 1] > 0.5
    friction, normal = (run.contact.nodal_forces(part)[upper].sum(axis=0) for part in ("friction", "normal"))
    # Both act on the ground in the end.
    assert -(friction + normal) == pytest.approx(-run.reaction(), rel=1e-5, abs=1e-3)
    return np.linalg.norm(friction) / np.linalg.norm(normal)


def test_a_dragged_block_slides_with_its_coefficient():
    run = dragged()
    assert run.contact.report().sticking == 0
    # Friction is frozen at the start of an increment. What freezing it anew changes is small in steady sliding.
    assert ratio(run) == pytest.approx(0.3, rel=5e-3)
    residuals = []
    for _ in range(4):
        residuals.append(run.contact.refine_friction())
        assert run.solve(run.u[run.driven]).converged
    assert residuals[-1] < 0.1 * residuals[0] and ratio(run) == pytest.approx(0.3, rel=1e-3)
    forces = run.contact.nodal_forces("friction")
    lower = run.nodes[:, 1] <= 0.5
    assert forces[lower].sum(axis=0) == pytest.approx(-forces[~lower].sum(axis=0), abs=1e-9)


def test_kinetic_friction_and_coefficients_of_vertices():
    # What sticks again in some increment has up to the static friction, what slides the kinetic one.
    run = dragged(kinetic_coefficient=0.1)
    assert 0.1 < ratio(run) < 0.25 and run.contact.report().slipping > 0
    each = np.where(np.arange(len(NODES)) < 45, 0.0, 0.3)
    for blend, mu in (("minimum", 0.0), ("mean", 0.15), ("maximum", 0.3)):
        run = dragged(friction_coefficient=each, blend=blend)
        assert ratio(run) == pytest.approx(mu, rel=5e-3)


def slider(time_step, **options):
    """A particle-like brick above a plane in 3D, pressed on it, that moves along the plane."""
    nodes, bricks = cube_mesh()
    contact = IPCContact(
        (nodes, bricks), extract_surface=True, dhat=0.1, dhat_is_relative=False, barrier_stiffness=1e3, planes=[([0, 0, -0.05], [0, 0, 1])],
        time_step=time_step, eps_v=1e-3, **options,
    )
    contact.initialize()
    return nodes, contact


def test_eps_v_is_a_speed_with_a_time_step_and_a_length_without():
    for time_step, slip, sticks in ((None, 0.9e-3, True), (None, 1.1e-3, False), (0.01, 0.9e-5, True), (0.01, 1.1e-5, False)):
        nodes, contact = slider(time_step, friction_coefficient=0.5)
        u = np.zeros(nodes.shape)
        u[:, 0] = slip
        contact.update(u)
        report = contact.report()
        assert (report.sticking, report.slipping) == ((9, 0) if sticks else (0, 9))
        assert report.fastest_slip == pytest.approx(slip / (time_step or 1.0))
        force = contact.nodal_forces("friction").sum(axis=0)
        normal = contact.nodal_forces("normal").sum(axis=0)
        y = min(slip / (time_step or 1.0) / 1e-3, 1.0)
        assert -force[0] / normal[2] == pytest.approx(0.5 * (2 * y - y * y), rel=1e-9)
    contact.set_start(time_step=1.0)
    contact.update(u + [2e-5, 0, 0])
    assert contact.report().sticking == 9


def test_every_entry_of_the_menu_acts():
    forces = {}
    for name, options in {
        "peak": {},
        "smooth": {"friction_law": "smooth_mu"},
        "stribeck": {"friction_law": stiction.FrictionLaw("stribeck", speed=1e-2)},
        "scaled": {"scaling": (1.0, 0.5), "direction": (1, 0, 0)},
        "matchstick": {"static_axes": (0.5, 0.1), "kinetic_axes": (0.2, 0.04), "direction": (1, 0, 0)},
    }.items():
        nodes, contact = slider(0.01, friction_coefficient=0.5, kinetic_coefficient=0.2, **options)
        u = np.zeros(nodes.shape)
        u[:] = [4e-6, 3e-6, 0]  # half of eps_v
        contact.update(u)
        if name == "matchstick":
            contact.refine_friction()
        forces[name] = contact.nodal_forces("friction").sum(axis=0)[:2]
        p, h = np.random.default_rng(5).uniform(-1, 1, nodes.shape), 1e-8
        slope = (contact.energy(u + h * p) - contact.energy(u - h * p)) / (2 * h)
        assert slope == pytest.approx(-contact.get_global_vector() @ p.ravel(), rel=1e-5), name
    angles = {name: np.arctan2(force[1], force[0]) for name, force in forces.items()}
    straight = np.arctan2(-3, -4)
    for name in ("peak", "smooth", "stribeck", "matchstick"):
        assert angles[name] == pytest.approx(straight)
    assert abs(angles["scaled"] - straight) > 0.1
    sizes = {name: np.linalg.norm(force) for name, force in forces.items()}
    assert len({round(size, 9) for size in sizes.values()}) == len(sizes)


# ---- reports


def test_reports_agree_with_each_other():
    nodes, contact = plain_contact(friction_coefficient=0.2)
    contact.initialize()
    contact.update(random_step(nodes, 3e-4))
    report = contact.report()
    clearances, forces = contact.clearances(), contact.forces()
    assert len(clearances) == len(forces) == report.contacts == len(contact.contacts) == sum(report.counts.values())
    assert clearances.min() == report.smallest_clearance == contact.smallest_clearance and report.relative_clearance == clearances.min() / 0.01
    assert report.total_normal_force == pytest.approx(forces.sum()) and (forces > 0).all()
    normal = contact.nodal_forces("normal")
    pressure = contact.pressure()
    areas = contact.surface.vertex_areas
    assert np.allclose(pressure * areas, np.linalg.norm(normal, axis=1)) and (pressure[areas == 0] == 0).all()
    both = contact.nodal_forces()
    assert np.allclose(both.ravel(), contact.get_global_vector())
    assert np.allclose(both, normal + contact.nodal_forces("friction"))
    assert len(contact.slip_speeds()) == len(contact.slides) == report.sticking + report.slipping
    friction = contact.friction_forces()
    assert report.total_friction_force == pytest.approx(friction.sum()) and report.largest_friction_force == friction.max() > 0
    assert report.largest_normal_force == forces.max() and (friction <= 0.2 * contact.slides.normal_forces * (1 + 1e-12)).all()


def test_a_sliding_contact_reports_its_coefficient():
    """Both forces of a report are sums over contacts, so that their ratio is the coefficient that is in use."""
    nodes, contact = plain_contact(friction_coefficient=0.2, eps_v=1e-9)
    contact.initialize()
    u = np.zeros_like(nodes)
    upper = nodes[:, 1] > 0.501
    u[upper, 0] = 1e-5
    contact.update(u.ravel())
    contact.refine_friction()
    report = contact.report()
    assert report.slipping == report.contacts > 0
    assert report.total_friction_force / report.total_normal_force == pytest.approx(0.2, rel=1e-3)


def test_the_first_line_says_that_dhat_is_relative():
    assert "`dhat` is by default relative" in IPCContact.__doc__.splitlines()[0]


def test_distances_of_the_native_module():
    nodes, contact = plain_contact()
    contacts = stiction.Contacts(contact.surface, nodes, 0.01)
    each = stiction.contact_distances(contacts, nodes)
    assert each.min() == contacts.smallest_gap(nodes) and len(each) == len(contacts)
    with pytest.raises(ValueError, match="x"):
        stiction.contact_distances(contacts, nodes[:3])
