"""Tangential collisions, friction and adhesion of `stiction.ipctk` against ipctk, per set and per collision."""

import pickle

import both
import ipctk as theirs
import numpy as np
import pytest
import scenes
from scipy.sparse import csc_matrix
from test_ipctk_normal import KAPPA, PSD, TIGHT, build, by_key, key, potentials

import stiction
import stiction.ipctk as ours

EPS_V = 1e-3
DIFF = "VELOCITIES", "LAGGED_DISPLACEMENTS"
# ipctk leaves nearly parallel edges without friction (D7).
WITHOUT_PARALLEL = [scenes.cubes, scenes.tetrahedra, scenes.polygons, scenes.on_planes]
KEPT = []


def velocities(scene, seed=1):
    """Slow enough that some pairs stick, fast enough that others slip."""
    return np.random.default_rng(seed).normal(size=scene.x.shape) * EPS_V * 0.7


def tangential(scene, *mu, dmin=0.0, area=True, shape=False, seed=0, **kwargs):
    """Both meshes, both potentials and both sets of collisions with friction."""
    pair = both.of_scene(scene, seed)
    if shape:
        for mesh in pair:
            mesh.init_area_jacobians()
    normal = [build(m, mesh, scene, dmin, area, shape=shape) for m, mesh in zip((ours, theirs), pair)]
    own, found = potentials(scene), []
    for module, mesh, collisions, potential in zip((ours, theirs), pair, normal, own):
        slides = module.TangentialCollisions()
        slides.build(mesh, scene.x, collisions, potential, *mu, **kwargs)
        found.append(slides)
    KEPT.append((normal, found))
    return pair, own, found


def compare(agree, what, pair, found, v, own=None):
    own = own or [m.FrictionPotential(EPS_V) for m in (ours, theirs)]
    calls = [(slides, mesh, v) for slides, mesh in zip(found, pair)]
    agree(f"{what}: energy", own[0](*calls[0]), own[1](*calls[1]), TIGHT)
    agree(f"{what}: gradient", own[0].gradient(*calls[0]), own[1].gradient(*calls[1]), TIGHT)
    for name in PSD:
        methods = [getattr(m.PSDProjectionMethod, name) for m in (ours, theirs)]
        matrices = [p.hessian(*call, method) for p, call, method in zip(own, calls, methods)]
        assert type(matrices[0]) is csc_matrix
        agree(f"{what}: Hessian", *matrices, TIGHT)


@pytest.mark.parametrize("mu", [(0.4,), (0.5, 0.3), (0.2, 0.6), (0.3, 0.0), (0.0, 0.0)])
@pytest.mark.parametrize("dmin", [0.0, 0.01])
@both.each(WITHOUT_PARALLEL, seeds=(0,))
def test_coefficients(scene, mu, dmin, agree):
    """Also mu_s < mu_k, which ipctk's law takes."""
    pair, _, found = tangential(scene, *mu, dmin=dmin)
    assert len(found[0]) == len(found[1]) > 0
    compare(agree, "friction", pair, found, velocities(scene))
    compare(agree, "at rest", pair, found, np.zeros_like(scene.x))


@pytest.mark.parametrize("blend", [None, max, min, lambda a, b: (a * b) ** 0.5])
@both.each(WITHOUT_PARALLEL, seeds=(1,))
def test_coefficients_of_vertices(scene, blend, agree):
    random = np.random.default_rng(2)
    mu = [random.uniform(0.1, 0.9, len(scene.x)) for _ in range(2)]
    pair, _, found = tangential(scene, *mu, *(() if blend is None else (blend,)))
    compare(agree, "of vertices", pair, found, velocities(scene))


def test_keywords():
    scene = scenes.tetrahedra(0)
    mesh = both.of_scene(scene)[0]
    normal, own, v = build(ours, mesh, scene), potentials(scene)[0], velocities(scene)
    slides, friction = ours.TangentialCollisions(), ours.FrictionPotential(EPS_V)
    given = {"mesh": mesh, "vertices": scene.x, "collisions": normal, "normal_potential": own}
    found = []
    each = np.full(len(scene.x), 0.5)
    for mu in [{"mu": 0.5}, {"mu_s": 0.5, "mu_k": 0.5}, {"mu_s": each, "mu_k": each},
               {"mu_s": each, "mu_k": each, "blend_mu": ours.TangentialCollisions.default_blend_mu}]:  # fmt: skip
        slides.build(**given, **mu)
        found.append(friction.gradient(collisions=slides, mesh=mesh, X=v))
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-13, atol=1e-13 * np.abs(found[0]).max())
    assert ours.TangentialCollisions.default_blend_mu(0.2, 0.4) == pytest.approx(0.3)
    with pytest.raises(TypeError, match="mu"):
        slides.build(**given)


@both.each(WITHOUT_PARALLEL, seeds=(0,))
def test_single_collisions(scene, agree):
    pair, _, found = tangential(scene, 0.5, 0.3, dmin=0.01)
    mine, his = ({key(c, mesh): c for c in (slides[k] for k in range(len(slides)))} for slides, mesh in zip(found, pair))
    assert mine.keys() == his.keys()
    own, v = [m.FrictionPotential(EPS_V) for m in (ours, theirs)], velocities(scene)
    for name in mine:
        compare_single(agree, scene, pair, (mine[name], his[name]), own, v)


def compare_single(agree, scene, pair, collisions, own, v):
    a, b = collisions
    for name in ("weight", "normal_force_magnitude", "mu_s", "mu_k", "mu_s_effective_lagged", "mu_k_effective_lagged"):
        # Forces that end at dhat: what counts is their scale.
        scale = KAPPA * scene.dhat**3 if name == "normal_force_magnitude" else 1.0
        assert abs(getattr(a, name) - getattr(b, name)) <= TIGHT * scale, name
    for name in ("mu_aniso", "mu_s_aniso", "mu_k_aniso"):
        assert np.array_equal(getattr(a, name), getattr(b, name)) and getattr(a, name).shape == (2,)
    assert (a.dim, a.ndof) == (b.dim, b.ndof)
    ids = [c.vertex_ids(m.edges, m.faces) for c, m in zip(collisions, pair)]
    if ids[0] != list(ids[1]):
        return
    slow = a.dof(v, pair[0].edges, pair[0].faces)
    scale = KAPPA * scene.dhat**3
    assert abs(own[0](a, slow) - own[1](b, slow)) <= TIGHT * scale * EPS_V
    assert np.abs(own[0].gradient(a, slow) - own[1].gradient(b, slow)).max() <= TIGHT * scale
    assert np.abs(own[0].hessian(a, slow) - own[1].hessian(b, slow)).max() <= 1e-11 * scale / EPS_V
    if not scene.planes:
        compare_geometry(agree, scene, pair[0], a, b)


def compare_geometry(agree, scene, mesh, a, b):
    x = a.dof(scene.x, mesh.edges, mesh.faces)
    agree("closest point", a.closest_point, np.ravel(b.closest_point), TIGHT)
    agree("tangents", a.tangent_basis, b.tangent_basis, TIGHT)
    agree("tangents at", a.compute_tangent_basis(x), b.compute_tangent_basis(x), TIGHT)
    agree("tangents by x", a.compute_tangent_basis_jacobian(x), b.compute_tangent_basis_jacobian(x), 1e-11)
    agree("closest point at", a.compute_closest_point(x), np.ravel(b.compute_closest_point(x)), TIGHT)
    beta = a.closest_point
    agree("closest point by x", a.compute_closest_point_jacobian(x).ravel(), b.compute_closest_point_jacobian(x).ravel(), 1e-11)
    agree("relative velocity", a.relative_velocity(x), b.relative_velocity(x), TIGHT)
    agree("its Jacobian", a.relative_velocity_jacobian(), b.relative_velocity_jacobian(), TIGHT)
    agree("its Jacobian at", a.relative_velocity_jacobian(beta), b.relative_velocity_jacobian(beta), TIGHT)
    found, expected = a.relative_velocity_dx_dbeta(beta), b.relative_velocity_dx_dbeta(beta)
    assert np.array_equal(np.asarray(found).reshape(-1), np.asarray(expected).reshape(-1))


@both.each([scenes.tetrahedra, scenes.on_planes, scenes.polygons], seeds=(0,))
def test_made_by_hand(scene, agree):
    """A collision from a normal one, its positions and a potential."""
    pair, own, found = tangential(scene, 0.5, 0.3)
    mesh, v = pair[0], velocities(scene)
    normal = build(ours, mesh, scene, area=True)
    friction = ours.FrictionPotential(EPS_V)
    for k in range(len(normal)):
        x = normal[k].dof(scene.x, mesh.edges, mesh.faces)
        made = type(found[0][k])(normal[k], x, own[0])
        made.mu_s_effective_lagged, made.mu_k_effective_lagged = 0.5, 0.3
        slow = made.dof(v, mesh.edges, mesh.faces)
        expected = friction.gradient(found[0][k], slow)
        assert np.abs(friction.gradient(made, slow) - expected).max() <= TIGHT * KAPPA * scene.dhat**3
    empty = ours.VertexVertexTangentialCollision(ours.VertexVertexNormalCollision(0, 1))
    assert empty.weight == 1.0 and empty.normal_force_magnitude == 0.0 and empty.closest_point.shape == (0,)


# --- What is written ---


def write(slides, mesh, **values):
    """Writes values that depend on which collision it is."""
    for k in range(len(slides)):
        collision = slides[k]
        place = sum(int(i) for i in collision.vertex_ids(mesh.edges, mesh.faces) if i >= 0) % 5
        for name, value in values.items():
            setattr(collision, name, value(place))


@pytest.mark.parametrize(
    "values",
    [
        {"weight": lambda k: 1.0 + k},
        {"normal_force_magnitude": lambda k: 2.0 + k},
        {"mu_s_effective_lagged": lambda k: 0.1 * k, "mu_k_effective_lagged": lambda k: 0.2 * k},
        {"mu_s": lambda k: 0.1 * k, "mu_k": lambda k: 0.2 * k},
        {"mu_aniso": lambda k: np.array([1.0 + 0.1 * k, 0.5])},
        {"weight": lambda k: 1.0 + k, "normal_force_magnitude": lambda k: 2.0 + k, "mu_s_effective_lagged": lambda k: 0.1 * k},
    ],
    ids=lambda values: "+".join(values),
)
@both.each(WITHOUT_PARALLEL, seeds=(0,))
def test_writes_count(scene, values, agree):
    pair, _, found = tangential(scene, 0.5, 0.3)
    # Which edge is the first, and so the first axis, must be the same.
    if "mu_aniso" in values and scene.x.shape[1] == 3:
        found = [ours_in_their_order(scene, pair), found[1]]
    for slides, mesh in zip(found, pair):
        write(slides, mesh, **values)
    compare_same_axes(agree, scene, pair, found, "mu_aniso" in values)
    for slides in found:
        slides.reset_lagged_anisotropic_friction_coefficients()
    compare_same_axes(agree, scene, pair, found, "mu_aniso" in values)


def ours_in_their_order(scene, pair):
    slides = ours.TangentialCollisions()
    slides.build(pair[0], scene.x, build(ours, pair[0], scene, area=True), potentials(scene)[0], 0.5, 0.3)
    return slides


def compare_same_axes(agree, scene, pair, found, anisotropic):
    if not anisotropic:
        compare(agree, "written", pair, found, velocities(scene))
        return
    # Collision by collision, those whose edges come in the same order and whose tangents are no matter of taste.
    mine, his = ({key(c, mesh): c for c in (slides[k] for k in range(len(slides)))} for slides, mesh in zip(found, pair))
    own, v, count = [m.FrictionPotential(EPS_V) for m in (ours, theirs)], velocities(scene), 0
    for name in mine:
        a, b = mine[name], his[name]
        if a.vertex_ids(pair[0].edges, pair[0].faces) == list(b.vertex_ids(pair[1].edges, pair[1].faces)):
            slow = a.dof(v, pair[0].edges, pair[0].faces)
            error = np.abs(own[0].gradient(a, slow) - own[1].gradient(b, slow)).max()
            assert error <= TIGHT * KAPPA * scene.dhat**3 or "Plane" in type(a).__name__
            count += 1
    assert count > 5
    # And the set is the sum of its collisions.
    total = np.zeros(scene.x.size)
    mesh = pair[0]
    for collision in found[0]:
        ids = [i for i in collision.vertex_ids(mesh.edges, mesh.faces) if i >= 0]
        rows = (np.array(ids)[:, None] * scene.x.shape[1] + np.arange(scene.x.shape[1])).ravel()
        total[rows] += own[0].gradient(collision, collision.dof(v, mesh.edges, mesh.faces))
    found_total = own[0].gradient(found[0], mesh, v)
    np.testing.assert_allclose(found_total, total, atol=1e-12 * np.abs(total).max())


@both.each([scenes.tetrahedra, scenes.polygons], seeds=(0,))
def test_tangents_and_closest_points_that_are_written_count(scene, agree):
    pair, _, found = tangential(scene, 0.5, 0.3)
    dimension = scene.x.shape[1]
    for slides, mesh in zip(found, pair):
        for k in range(len(slides)):
            collision = slides[k]
            if len(np.ravel(collision.closest_point)):
                collision.closest_point = 0.25 * np.ones(len(np.ravel(collision.closest_point)))
            collision.tangent_basis = np.eye(dimension)[:, : dimension - 1]
    compare(agree, "written tangents", pair, found, velocities(scene))
    with pytest.raises(ValueError, match="tangent_basis"):
        found[0][0].tangent_basis = np.ones((dimension, dimension - 1))
    with pytest.raises(ValueError, match="closest_point"):
        found[0][0].closest_point = np.ones(7)


@both.each([scenes.tetrahedra, scenes.on_planes, scenes.polygons], seeds=(0,))
@pytest.mark.parametrize("elsewhere", [False, True])
def test_ellipses(scene, elsewhere, agree):
    """Coefficients in the direction of the slide, at the positions of the build and at others."""
    pair, _, found = tangential(scene, 0.5, 0.3)
    v, u = velocities(scene), scene.x - scene.rest
    if elsewhere:
        u = u + np.random.default_rng(5).uniform(-1e-3, 1e-3, u.shape)
    for slides, mesh in zip(found, pair):
        for k in range(0, len(slides), 2):
            slides[k].mu_s_aniso, slides[k].mu_k_aniso = np.array([0.8, 0.8]), np.array([0.6, 0.6])
        for k in range(1, len(slides), 2):
            # Without static axes these do not count.
            slides[k].mu_k_aniso = np.array([0.9, 0.9])
        slides.update_lagged_anisotropic_friction_coefficients(mesh, scene.rest, u, v)
    for slides in found:
        effective = {(slides[k].mu_s_effective_lagged, slides[k].mu_k_effective_lagged) for k in range(len(slides))}
        expected = {(0.5, 0.3)} if scene.x.shape[1] == 2 else {(0.8, 0.6), (0.5, 0.3)}
        assert {tuple(np.round(pair, 12)) for pair in effective} == expected
    for slides in found:
        slides.reset_lagged_anisotropic_friction_coefficients()
    compare(agree, "reset", pair, found, v)


def test_ellipses_of_single_collisions():
    """μ = √((μ₀t₀)² + (μ₁t₁)²) with t in the tangents of the collision."""
    scene = scenes.tetrahedra(0)
    pair, _, found = tangential(scene, 0.5, 0.3)
    mesh, slides, v = pair[0], found[0], velocities(scene)
    for collision in slides:
        collision.mu_s_aniso, collision.mu_k_aniso = np.array([0.8, 0.4]), np.array([0.6, 0.1])
    slides.update_lagged_anisotropic_friction_coefficients(mesh, scene.rest, scene.x - scene.rest, v)
    for collision in slides:
        t = collision.tangent_basis.T @ collision.relative_velocity(collision.dof(v, mesh.edges, mesh.faces))
        t /= np.linalg.norm(t)
        expected = ours.anisotropic_mu_eff_f(t, collision.mu_s_aniso, collision.mu_k_aniso)
        assert (collision.mu_s_effective_lagged, collision.mu_k_effective_lagged) == pytest.approx(expected, rel=1e-12)
    his = found[1]
    for k in range(len(his)):
        his[k].mu_s_aniso, his[k].mu_k_aniso = np.array([0.8, 0.4]), np.array([0.6, 0.1])
    his.update_lagged_anisotropic_friction_coefficients(pair[1], scene.rest, scene.x - scene.rest, v)
    named, peers = ({key(c, m): c for c in (s[k] for k in range(len(s)))} for s, m in zip(found, pair))
    same = 0
    for name in named:
        a, b = named[name], peers[name]
        if a.vertex_ids(mesh.edges, mesh.faces) == list(b.vertex_ids(pair[1].edges, pair[1].faces)):
            assert a.mu_s_effective_lagged == pytest.approx(b.mu_s_effective_lagged, rel=1e-12)
            assert a.mu_k_effective_lagged == pytest.approx(b.mu_k_effective_lagged, rel=1e-12)
            same += 1
    assert same > 20


# --- Forces ---


@pytest.mark.parametrize("mu", [(0.4,), (0.2, 0.6)])
@both.each(WITHOUT_PARALLEL, seeds=(0,))
def test_forces_and_jacobians(scene, mu, agree):
    pair, own, found = tangential(scene, *mu, dmin=0.01)
    friction, arguments = [m.FrictionPotential(EPS_V) for m in (ours, theirs)], (scene.rest, scene.x - scene.rest, velocities(scene))
    for no_mu in (False, True):
        forces = [f.force(s, m, *arguments, p, 0.01, no_mu) for f, s, m, p in zip(friction, found, pair, own)]
        agree("force", *forces, TIGHT)
    own_dmin = friction[0].force(found[0], pair[0], *arguments, own[0])
    with_dmin = friction[0].force(found[0], pair[0], *arguments, own[0], dmin=0.01)
    assert np.array_equal(own_dmin, with_dmin)
    for name in DIFF:
        matrices = [
            f.force_jacobian(s, m, *arguments, p, getattr(module.FrictionPotential.DiffWRT, name), 0.01)
            for f, s, m, p, module in zip(friction, found, pair, own, (ours, theirs))
        ]
        assert type(matrices[0]) is csc_matrix
        agree(f"Jacobian {name}", *matrices, 1e-11)


@both.each([scenes.tetrahedra, scenes.on_planes, scenes.polygons], seeds=(0,))
def test_forces_of_single_collisions(scene):
    pair, own, found = tangential(scene, 0.5, 0.3, dmin=0.01)
    mesh, friction, v, u = pair[0], ours.FrictionPotential(EPS_V), velocities(scene), scene.x - scene.rest
    total = np.zeros(scene.x.size)
    for collision in found[0]:
        local = [collision.dof(a, mesh.edges, mesh.faces) for a in (scene.rest, u, v)]
        ids = [i for i in collision.vertex_ids(mesh.edges, mesh.faces) if i >= 0]
        rows = (np.array(ids)[:, None] * scene.x.shape[1] + np.arange(scene.x.shape[1])).ravel()
        total[rows] += friction.force(collision, *local, own[0], 0.01)
        jacobian = friction.force_jacobian(collision, *local, own[0], ours.FrictionPotential.DiffWRT.VELOCITIES, 0.01)
        hessian = friction.hessian(collision, local[2])
        assert np.abs(jacobian + hessian).max() <= 1e-11 * max(np.abs(hessian).max(), 1e-9)
    whole = friction.force(found[0], mesh, scene.rest, u, v, own[0], 0.01)
    np.testing.assert_allclose(total, whole, atol=1e-12 * np.abs(whole).max())


@both.each([scenes.cubes, scenes.polygons], seeds=(0,))
def test_jacobian_by_rest_positions(scene, agree):
    pair, own, found = tangential(scene, 0.4, shape=True)
    arguments = (scene.rest, scene.x - scene.rest, velocities(scene))
    matrices = [
        m.FrictionPotential(EPS_V).force_jacobian(s, mesh, *arguments, p, m.FrictionPotential.DiffWRT.REST_POSITIONS)
        for m, s, mesh, p in zip((ours, theirs), found, pair, own)
    ]
    agree("Jacobian by rest", *matrices, 1e-11)
    _, _, without = tangential(scene, 0.4)
    with pytest.raises(RuntimeError, match="enable_shape_derivatives"):
        ours.FrictionPotential(EPS_V).force_jacobian(
            without[0], pair[0], *arguments, own[0], ours.FrictionPotential.DiffWRT.REST_POSITIONS
        )


def test_weight_gradients_that_are_written_count():
    scene = scenes.cubes(0)
    pair, own, found = tangential(scene, 0.4, shape=True)
    mesh, slides, friction = pair[0], found[0], ours.FrictionPotential(EPS_V)
    arguments = (scene.rest, scene.x - scene.rest, velocities(scene))
    wrt = ours.FrictionPotential.DiffWRT.REST_POSITIONS
    before = friction.force_jacobian(slides, mesh, *arguments, own[0], wrt)
    collision = slides[2]
    gradient = collision.weight_gradient
    collision.weight_gradient = 3.0 * gradient
    change = friction.force_jacobian(slides, mesh, *arguments, own[0], wrt) - before
    local = [collision.dof(a, mesh.edges, mesh.faces) for a in arguments]
    force = np.zeros(scene.x.shape)
    ids = [i for i in collision.vertex_ids(mesh.edges, mesh.faces) if i >= 0]
    force[ids] = friction.force(collision, *local, own[0]).reshape(-1, 3) / collision.weight
    expected = np.outer(force, 2.0 * gradient.toarray())
    np.testing.assert_allclose(change.toarray(), expected, atol=1e-12 * np.abs(expected).max())


def test_scaled_forces_are_minus_the_gradient():
    """D3: with mu_aniso, forces of ipctk lack a factor."""
    scene = scenes.tetrahedra(0)
    pair, own, found = tangential(scene, 0.4)
    arguments, errors = (scene.rest, scene.x - scene.rest, velocities(scene)), []
    for module, mesh, slides, potential in zip((ours, theirs), pair, found, own):
        for k in range(len(slides)):
            slides[k].mu_aniso = np.array([1.5, 0.6])
        friction = module.FrictionPotential(EPS_V)
        force, gradient = friction.force(slides, mesh, *arguments, potential), friction.gradient(slides, mesh, arguments[2])
        errors.append(np.abs(force + gradient).max() / np.abs(force).max())
    assert errors[0] < 1e-12 and errors[1] > 0.1


# --- Where ipctk is wrong ---


def test_nearly_parallel_edges_have_friction():
    """D7: ipctk has none there at all."""
    scene = scenes.twins(0)
    pair, own, found = tangential(scene, 0.5, 0.3)
    mesh, slides, v = pair[0], found[0], velocities(scene)
    normal = build(ours, mesh, scene, area=True)
    assert len(slides) == len(normal) > len(found[1])
    assert [key(a, mesh)[1] for a in slides] == [key(a, mesh)[1] for a in normal]
    friction = ours.FrictionPotential(EPS_V)
    total = sum(friction(c, c.dof(v, mesh.edges, mesh.faces)) for c in slides)
    assert total == pytest.approx(friction(slides, mesh, v), rel=1e-12)
    parts = {c.dtype for c in normal.ee_collisions}
    assert len(parts) > 2
    for slide, of in zip(slides.ee_collisions, normal.ee_collisions):
        x = of.dof(scene.x, mesh.edges, mesh.faces)
        force = own[0].force_magnitude(of.compute_distance(x), 0.0) * of.mollifier(x)
        assert slide.normal_force_magnitude == pytest.approx(force, rel=1e-10, abs=1e-9)
        assert np.abs(slide.tangent_basis.T @ of.compute_distance_vector(x)).max() < 1e-12
        # The closest point is that of the closest parts.
        weights = ours.edge_edge_relative_velocity_jacobian(slide.closest_point)
        np.testing.assert_allclose(weights @ x, of.compute_distance_vector(x), atol=1e-12)


def test_friction_is_continuous_when_edges_turn():
    """D7: in ipctk it jumps from nothing to everything where edges stop being nearly parallel."""
    energies = {ours: [], theirs: []}
    v = np.array([[0.1, 0, 0]] * 2 + [[0.0, 0, 0]] * 2)
    for sine in np.sqrt(1e-3) * np.array([1 - 1e-6, 1 + 1e-6]):
        along = np.array([np.sqrt(1 - sine**2), sine, 0.0])
        x = np.array([[-0.5, 0, 0], [0.5, 0, 0], -0.5 * along, 0.5 * along])
        x[2:] += [0.01, 0.002, 0.05]
        for module, found in energies.items():
            mesh = module.CollisionMesh(x, np.array([[0, 1], [2, 3]], np.int32), np.zeros((0, 3), np.int32))
            normal, slides, potential = module.NormalCollisions(), module.TangentialCollisions(), module.BarrierPotential(0.1, KAPPA)
            normal.build(mesh, x, 0.1)
            slides.build(mesh, x, normal, potential, 0.4)
            found.append(module.FrictionPotential(EPS_V)(slides, mesh, v))
    assert energies[theirs][0] == 0 < energies[theirs][1]
    assert energies[ours] == pytest.approx([energies[theirs][1]] * 2, rel=1e-5)


@both.each([scenes.tetrahedra, scenes.polygons], seeds=(0,))
def test_tangential_adhesion(scene, agree):
    """Where ipctk is right: energy and gradient. Its Hessian is not between ε and 2ε, nor at rest (D6)."""
    pair, _, found = tangential(scene, 0.5, 0.3)
    own = [m.TangentialAdhesionPotential(EPS_V) for m in (ours, theirs)]
    for scale in (0.1, 1.0, 2.0):
        v = scale * velocities(scene)
        agree("adhesion: energy", own[0](found[0], pair[0], v), own[1](found[1], pair[1], v), TIGHT)
        agree("adhesion: gradient", own[0].gradient(found[0], pair[0], v), own[1].gradient(found[1], pair[1], v), TIGHT)


def test_the_hessian_of_tangential_adhesion():
    """D6: against differences of the gradient."""
    scene = scenes.tetrahedra(0)
    pair, _, found = tangential(scene, 0.5, 0.3)
    mesh, slides, own = pair[0], found[0], ours.TangentialAdhesionPotential(EPS_V)
    v, direction, step = velocities(scene), np.random.default_rng(3).normal(size=scene.x.shape), 1e-7 * EPS_V
    difference = (own.gradient(slides, mesh, v + step * direction) - own.gradient(slides, mesh, v - step * direction)) / (2 * step)
    product = own.hessian(slides, mesh, v) @ direction.ravel()
    np.testing.assert_allclose(product, difference, atol=1e-5 * np.abs(difference).max())
    wrong = theirs.TangentialAdhesionPotential(EPS_V).hessian(found[1], pair[1], v) @ direction.ravel()
    assert np.abs(wrong - difference).max() > 0.1 * np.abs(difference).max()
    at_rest = own.hessian(slides, mesh, 0 * v)
    assert np.abs(at_rest).max() > 0.0
    for psd in (ours.PSDProjectionMethod.CLAMP, ours.PSDProjectionMethod.ABS):
        assert np.linalg.eigvalsh(own.hessian(slides, mesh, v, psd).toarray()).min() > -1e-9 * np.abs(at_rest).max()


def test_adhesion_as_normal_potential():
    """The normal force of tangential adhesion is Y ε_c at any distance (D8)."""
    scene = scenes.tetrahedra(0)
    mesh = both.of_scene(scene)[0]
    normal, adhesion = build(ours, mesh, scene), ours.NormalAdhesionPotential(0.3 * scene.dhat, scene.dhat, 1e3, 0.1)
    slides = ours.TangentialCollisions()
    slides.build(mesh, scene.x, normal, adhesion, 0.5)
    assert len(slides) and all(c.normal_force_magnitude == pytest.approx(100.0, rel=1e-12) for c in slides)
    own, v = ours.TangentialAdhesionPotential(EPS_V), velocities(scene)
    force = own.force(slides, mesh, scene.rest, scene.x - scene.rest, v, adhesion)
    np.testing.assert_allclose(force, -own.gradient(slides, mesh, v), atol=1e-12 * np.abs(force).max())


# --- The rest ---


def test_as_a_list():
    scene = scenes.on_planes(0)
    pair, _, found = tangential(scene, 0.5)
    slides = found[0]
    lists = [getattr(slides, f"{kind}_collisions") for kind in ("vv", "ev", "ee", "fv", "pv")]
    assert sum(map(len, lists)) == len(slides) == len(list(slides)) and not slides.empty()
    friction, v = ours.FrictionPotential(EPS_V), velocities(scene)
    before = friction.gradient(slides, pair[0], v)
    copy = ours.TangentialCollisions()
    for kind, group in zip(("vv", "ev", "ee", "fv", "pv"), lists):
        setattr(copy, f"{kind}_collisions", group)
    np.testing.assert_allclose(friction.gradient(copy, pair[0], v), before, atol=1e-12 * np.abs(before).max())
    assert friction(copy, pair[0], v) == pytest.approx(friction(slides, pair[0], v), rel=1e-12)
    difference = friction.hessian(copy, pair[0], v) - friction.hessian(slides, pair[0], v)
    assert np.abs(difference).max() < 1e-9 * np.abs(friction.hessian(slides, pair[0], v)).max()
    with pytest.raises(IndexError):
        slides[len(slides)]
    slides.clear()
    assert slides.empty() and len(slides) == 0
    assert friction(slides, pair[0], v) == 0 and not friction.gradient(slides, pair[0], v).any()
    assert friction.hessian(slides, pair[0], v).nnz == 0


def test_pickles():
    scene = scenes.on_planes(0)
    pair, _, found = tangential(scene, 0.5, 0.3)
    slides, friction, v = found[0], ours.FrictionPotential(EPS_V), velocities(scene)
    slides[0].weight = 7.0
    mesh, copy, friction2 = pickle.loads(pickle.dumps((pair[0], slides, friction)))
    assert len(copy) == len(slides) and copy[0].weight == 7.0
    assert friction2(copy, mesh, v) == pytest.approx(friction(slides, pair[0], v), rel=1e-12)
    assert pickle.loads(pickle.dumps(ours.TangentialAdhesionPotential(0.5))).eps_a == 0.5


def test_parameters():
    friction = ours.FrictionPotential(0.5)
    friction.eps_v = 0.25
    assert friction.eps_v == 0.25 and ours.FrictionPotential.VELOCITIES is ours.TangentialPotential.DiffWRT.VELOCITIES
    for wrong in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="eps_v"):
            friction.eps_v = wrong
    for name in ("SmoothCollisions", "SmoothContactParameters", "SmoothPotential", "SmoothCollision2"):
        with pytest.raises(NotImplementedError, match=name):
            getattr(ours, name)()


def bits(threads):
    scene, before = scenes.sheets(3, 20), stiction.num_threads()
    stiction.set_num_threads(threads)
    try:
        mesh = both.of_scene(scene)[0]
        slides, v = ours.TangentialCollisions(), velocities(scene)
        slides.build(mesh, scene.x, build(ours, mesh, scene, area=True), potentials(scene)[0], 0.5, 0.3)
        friction = ours.FrictionPotential(EPS_V)
        hessian = friction.hessian(slides, mesh, v, ours.PSDProjectionMethod.CLAMP)
        return friction(slides, mesh, v), friction.gradient(slides, mesh, v).tobytes(), hessian.data.tobytes()
    finally:
        stiction.set_num_threads(before)


def test_the_same_bits_for_any_number_of_threads():
    first = bits(1)
    for threads in (1, 2, 4):
        assert bits(threads) == first


def test_by_key_is_used_for_sets_of_edges():
    """Nearly parallel edges may occur several times; their names with closest parts are all different."""
    scene = scenes.twins(0)
    mesh = both.of_scene(scene)[0]
    collisions = build(ours, mesh, scene)
    assert len(by_key(collisions, mesh)) == len(collisions)


def test_forces_of_single_collisions_add_up_also_of_nearly_parallel_edges():
    """Their mollifier and their minimum distance count, for one alone as for all."""
    x = np.array([[0, 0, 0], [1, 0, 0], [0, 0.001, 0.02], [1, 0, 0.024]], dtype=float)
    mesh, collisions = ours.CollisionMesh(x, np.array([[0, 1], [2, 3]])), ours.NormalCollisions()
    collisions.build(mesh, x, 0.05, dmin=0.01)
    potential, slides, friction = ours.BarrierPotential(0.05, 100.0), ours.TangentialCollisions(), ours.FrictionPotential(1e-3)
    slides.build(mesh, x, collisions, potential, 0.4)
    assert any(isinstance(slides[i], ours.EdgeEdgeTangentialCollision) for i in range(len(slides)))
    v, still = np.random.default_rng(0).normal(0, 0.01, x.shape), np.zeros_like(x)
    total = np.zeros(x.size)
    for i in range(len(slides)):
        ids = [vertex for vertex in slides[i].vertex_ids(mesh.edges, mesh.faces) if vertex >= 0]
        rows = (np.array(ids)[:, None] * 3 + np.arange(3)).ravel()
        total[rows] += friction.force(slides[i], x[ids].ravel(), still[ids].ravel(), v[ids].ravel(), potential)
    whole = friction.force(slides, mesh, x, still, v, potential)
    assert np.abs(whole).max() > 0 and np.abs(total - whole).max() < 1e-12 * np.abs(whole).max()
