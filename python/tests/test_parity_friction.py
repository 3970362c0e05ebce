"""Friction against ipctk: laws, coefficients, anisotropy, forces and their Jacobians.

Where ipctk is wrong the tests say so, and compare with what is right instead.
"""

import ipctk
import numpy as np
import pytest
import scenes
from test_parity_ipctk import PSD, each

import stiction

KAPPA, EPS_V = 2e3, 0.05
TIGHT = 1e-12
LAW = "smooth_mu"  # ipctk's, wherever the two coefficients differ; where they do not, all laws are the same
LAGGED = stiction.FrictionPotential(EPS_V, LAW)
DIFF = ipctk.FrictionPotential.DiffWRT

BLENDS = {
    "mean": lambda a, b: (a + b) / 2,
    "product": lambda a, b: a * b,
    "minimum": min,
    "maximum": max,
    "geometric_mean": lambda a, b: np.sqrt(a * b),
}


def barrier(scene):
    return ipctk.BarrierPotential(scene.dhat, KAPPA)


def our_slides(scene, *mu, contacts=None, **choices):
    potential = stiction.BarrierPotential(scene.dhat, KAPPA)
    return stiction.Slides(contacts or scene.contacts(), scene.x, potential, *mu, **choices)


def collisions(scene, mesh):
    """The collisions of ipctk with the edges of each pair in ascending order, as ours; the first edge is the first axis."""
    candidates = ipctk.Candidates()
    candidates.build(mesh, scene.x, scene.dhat)
    pairs = [sorted((pair.edge0_id, pair.edge1_id)) for pair in candidates.ee_candidates]
    candidates.ee_candidates = [ipctk.EdgeEdgeCandidate(*pair) for pair in pairs]
    found = ipctk.NormalCollisions()
    found.build(candidates, mesh, scene.x, scene.dhat)
    return found


def theirs(scene, mesh, *mu):
    slides = ipctk.TangentialCollisions()
    slides.build(mesh, scene.x, collisions(scene, mesh), barrier(scene), *mu)
    return slides


def velocities(scene, seed=1):
    """Slow enough that some pairs stick, fast enough that others slip."""
    return np.random.default_rng(seed).normal(size=scene.x.shape) * EPS_V * 0.7


def compare(agree, what, ours, peer, mesh, v):
    """Energy, gradient and Hessians of slides at velocities v."""
    friction, own = ipctk.FrictionPotential(EPS_V), stiction.FrictionPotential(EPS_V, LAW)
    agree(f"{what}: energy", own.energy(ours, v), friction(peer, mesh, v), TIGHT)
    gradient = friction.gradient(peer, mesh, v)
    agree(f"{what}: gradient", own.gradient(ours, v).ravel(), gradient, TIGHT)
    for psd, method in PSD.items():
        hessian = friction.hessian(peer, mesh, v, method)
        agree(f"{what}: Hessian", own.hessian(ours, v, psd), hessian, TIGHT)


# --- Laws ---

SPEEDS = np.concatenate([np.linspace(0, 2, 401), np.random.default_rng(0).uniform(0, 3, 2000), [1e3, 1e8]])
PAIRS = [(0.5, 0.3), (1.0, 0.1), (0.4, 0.4), (0.3, 0.6), (0.7, 0.0), (0.0, 0.0)]


@pytest.mark.parametrize("mu_s, mu_k", PAIRS)
@pytest.mark.parametrize("eps", [1e-3, 0.3])
def test_smooth_mu_is_ipctks_law(mu_s, mu_k, eps, agree):
    y = SPEEDS * eps
    found = stiction.FrictionLaw(LAW).evaluate(y, mu_s, mu_k, eps)

    def of(function):
        return np.array([function(speed, mu_s, mu_k, eps) for speed in y])

    agree("smooth mu: value", found["value"], of(ipctk.smooth_mu_f1), 1e-15)
    # Without kinetic friction the integral is a difference that ends at zero: what counts is its terms.
    error = np.abs(found["integral"] - of(ipctk.smooth_mu_f0)) / np.maximum(y, eps)
    assert error.max() <= 1e-15 * max(mu_s, mu_k)
    agree("smooth mu: slope", found["slope"], of(ipctk.smooth_mu_f2), 2e-15)
    agree("smooth mu: ratio", found["ratio"], of(ipctk.smooth_mu_f1_over_x), 1e-15)
    moving = y > 0  # ipctk divides by y³ there
    bend = [ipctk.smooth_mu_f2_x_minus_mu_f1_over_x3(speed, mu_s, mu_k, eps) * speed for speed in y[moving]]
    agree("smooth mu: slope of the ratio", found["ratio_slope"][moving], bend, 2e-15)


@pytest.mark.parametrize("eps", [1e-3, 0.3])
@pytest.mark.parametrize("law", ["peak", LAW])
def test_equal_coefficients_are_the_smoothed_step(law, eps, agree):
    y = SPEEDS * eps
    found = stiction.FrictionLaw(law).evaluate(y, 0.4, eps_v=eps)
    for key, function in {
        "value": ipctk.smooth_friction_f1,
        "integral": ipctk.smooth_friction_f0,
        "slope": ipctk.smooth_friction_f2,
        "ratio": ipctk.smooth_friction_f1_over_x,
    }.items():
        agree(f"step: {key}", found[key], 0.4 * np.array([function(speed, eps) for speed in y]), 1e-15)


def test_the_peak_is_the_static_coefficient():
    """ipctk's law stays below it; at mu_s <= 1.5 mu_k it has no peak at all."""
    y = np.linspace(0, 1.2e-3, 100_001)
    for mu_s, mu_k in [(0.5, 0.3), (0.45, 0.3), (1.0, 0.1)]:
        peak = stiction.FrictionLaw("peak").evaluate(y, mu_s, mu_k)["value"].max()
        smooth = stiction.FrictionLaw(LAW).evaluate(y, mu_s, mu_k)["value"].max()
        assert mu_s - 1e-8 < peak <= mu_s * (1 + 1e-15)
        assert smooth < 0.66 * mu_s + 0.01


# --- Coefficients ---


@each(scenes.WITHOUT_PARALLEL)
def test_one_coefficient(scene, agree):
    mesh, v = scene.ipc_mesh(), velocities(scene)
    ours = our_slides(scene, 0.4)
    speeds = v - v.mean(axis=0)
    assert np.linalg.norm(speeds, axis=1).min() < EPS_V < np.linalg.norm(speeds, axis=1).max()
    for law in ("peak", LAW):
        friction = ipctk.FrictionPotential(EPS_V)
        peer = theirs(scene, mesh, 0.4)
        own = stiction.FrictionPotential(EPS_V, law)
        agree("isotropic: energy", own.energy(ours, v), friction(peer, mesh, v), TIGHT)
        agree("isotropic: gradient", own.gradient(ours, v).ravel(), friction.gradient(peer, mesh, v), TIGHT)
        agree("isotropic: Hessian", own.hessian(ours, v), friction.hessian(peer, mesh, v), TIGHT)


@each(scenes.WITHOUT_PARALLEL)
def test_at_rest(scene, agree):
    mesh, v = scene.ipc_mesh(), np.zeros_like(scene.x)
    ours = our_slides(scene, 0.5, 0.3)
    compare(agree, "at rest", ours, theirs(scene, mesh, 0.5, 0.3), mesh, v)
    assert not np.any(stiction.FrictionPotential(EPS_V).gradient(ours, v))


@each(scenes.WITHOUT_PARALLEL)
def test_static_and_kinetic(scene, agree):
    mesh = scene.ipc_mesh()
    for mu in [(0.5, 0.3), (1.0, 0.1)]:
        ours = our_slides(scene, *mu)
        compare(agree, "static-kinetic", ours, theirs(scene, mesh, *mu), mesh, velocities(scene))


@pytest.mark.parametrize("blend", [*BLENDS, "own"])
@each(scenes.WITHOUT_PARALLEL)
def test_per_vertex(scene, blend, agree):
    mesh, random = scene.ipc_mesh(), np.random.default_rng(2)
    mu_k = random.uniform(0.1, 0.5, len(scene.x))
    mu_s = mu_k + random.uniform(0, 0.5, len(scene.x))
    # Which vertex of two is the first is up to each library, so the function must not care.
    own = lambda a, b: np.hypot(a, b) / 2  # noqa: E731
    ours = our_slides(scene, mu_s, mu_k, blend=own if blend == "own" else blend)
    rule = own if blend == "own" else BLENDS[blend]
    if blend == "mean":
        compare(agree, "per vertex, default", our_slides(scene, mu_s, mu_k),
                theirs(scene, mesh, mu_s, mu_k), mesh, velocities(scene))  # fmt: skip
    compare(agree, f"per vertex, {blend}", ours, theirs(scene, mesh, mu_s, mu_k, rule), mesh, velocities(scene))


# --- Anisotropy ---


def with_axes(slides, scene, mesh, v, **axes):
    """The slides of ipctk with the same axes in every contact, refreshed at velocities v."""
    for k in range(len(slides)):
        for name, value in axes.items():
            setattr(slides[k], name, np.array(value))
    slides.update_lagged_anisotropic_friction_coefficients(mesh, scene.rest, scene.x - scene.rest, v)
    return slides


@each(scenes.WITHOUT_PARALLEL)
def test_matchstick(scene, agree):
    mesh, v = scene.ipc_mesh(), velocities(scene)
    ours = our_slides(scene, 0.5, 0.3, static_axes=(0.8, 0.4), kinetic_axes=(0.6, 0.3)
    )
    before = LAGGED.energy(ours, v)
    compare(agree, "matchstick, not refreshed", ours, theirs(scene, mesh, 0.5, 0.3), mesh, v)
    ours.refresh_anisotropy(v)
    axes = {"mu_s_aniso": (0.8, 0.4), "mu_k_aniso": (0.6, 0.3)}
    peer = with_axes(theirs(scene, mesh, 0.5, 0.3), scene, mesh, v, **axes)
    compare(agree, "matchstick", ours, peer, mesh, v)
    compare(agree, "matchstick, other velocities", ours, peer, mesh, velocities(scene, 5))
    assert (LAGGED.energy(ours, v) == before) == (scene.x.shape[1] == 2)
    ours.reset_anisotropy()
    assert LAGGED.energy(ours, v) == before


@each([scenes.tetrahedra])
def test_matchstick_with_kinetic_axes_only(scene, agree):
    """ipctk ignores kinetic axes unless there are static ones; static axes that are all mu_s say the same."""
    mesh, v = scene.ipc_mesh(), velocities(scene)
    ours = our_slides(scene, 0.7, 0.3, kinetic_axes=(0.6, 0.3))
    ours.refresh_anisotropy(v)
    peer = with_axes(
        theirs(scene, mesh, 0.7, 0.3), scene, mesh, v, mu_s_aniso=(0.7, 0.7), mu_k_aniso=(0.6, 0.3)
    )
    compare(agree, "matchstick, kinetic axes", ours, peer, mesh, v)
    ignored = with_axes(theirs(scene, mesh, 0.7, 0.3), scene, mesh, v, mu_k_aniso=(0.6, 0.3))
    isotropic = theirs(scene, mesh, 0.7, 0.3)
    friction = ipctk.FrictionPotential(EPS_V)
    # The last bits of ipctk depend on its threads.
    energies = [friction(slides, mesh, v) for slides in (ignored, isotropic, peer)]
    assert energies[0] == pytest.approx(energies[1], rel=1e-12) and energies[2] != pytest.approx(energies[1], rel=1e-3)


@each([scenes.tetrahedra])
def test_matchstick_with_coefficients_of_vertices(scene):
    """Where there are no static axes, coefficients of the vertices stand for them."""
    v, mu = velocities(scene), np.full(len(scene.x), 0.7)
    one = our_slides(scene, 0.7, 0.3, kinetic_axes=(0.6, 0.3))
    each = our_slides(scene, mu, 0.3, kinetic_axes=(0.6, 0.3))
    for slides in (one, each):
        slides.refresh_anisotropy(v)
    np.testing.assert_allclose(one.mu, each.mu, rtol=1e-14)
    assert np.ptp(one.mu[:, 1]) > 0.1 and np.ptp(one.mu[:, 0]) < 1e-12


@each([scenes.tetrahedra, scenes.polygons])
def test_forces_by_mu(scene):
    """Of ipctk only by differences; ours against differences."""
    v, step = velocities(scene), 1e-6

    def force(mu_s, mu_k):
        return -stiction.FrictionPotential(EPS_V).gradient(our_slides(scene, mu_s, mu_k), v)

    found = stiction.FrictionPotential(EPS_V).force_by_mu(our_slides(scene, 0.5, 0.3), v)
    for k, (ds, dk) in enumerate([(step, 0), (0, step)]):
        difference = (force(0.5 + ds, 0.3 + dk) - force(0.5 - ds, 0.3 - dk)) / (2 * step)
        np.testing.assert_allclose(found[k], difference, atol=1e-6 * np.abs(difference).max())


@each(scenes.WITHOUT_PARALLEL)
def test_scaling(scene, agree):
    mesh, v = scene.ipc_mesh(), velocities(scene)
    for more in [{}, {"mu_s_aniso": (0.8, 0.4), "mu_k_aniso": (0.6, 0.3)}]:
        keys = {"mu_s_aniso": "static_axes", "mu_k_aniso": "kinetic_axes"}
        ours = our_slides(scene, 0.5, 0.3, scaling=(1.5, 0.6), **{keys[k]: a for k, a in more.items()}
        )
        ours.refresh_anisotropy(v)
        peer = with_axes(theirs(scene, mesh, 0.5, 0.3), scene, mesh, v, mu_aniso=(1.5, 0.6), **more)
        compare(agree, "scaling", ours, peer, mesh, v)


@each([scenes.tetrahedra, scenes.polygons])
def test_scaled_forces_are_minus_the_gradient(scene, agree):
    """Not in ipctk, where forces lack a factor (D3)."""
    mesh, v, u = scene.ipc_mesh(), velocities(scene), scene.x - scene.rest
    ours = our_slides(scene, 0.4, scaling=(1.5, 0.6))
    own = stiction.FrictionPotential(EPS_V)
    gradient = own.gradient(ours, v)
    agree("scaling: force = -gradient", own.force(ours, scene.rest, u, v), -gradient, TIGHT)
    jacobian = own.force_jacobian(ours, "velocities", scene.rest, u, v)
    agree("scaling: Jacobian = -Hessian", jacobian, -own.hessian(ours, v, "none").toarray(), TIGHT)
    peer = with_axes(theirs(scene, mesh, 0.4), scene, mesh, v, mu_aniso=(1.5, 0.6))
    friction = ipctk.FrictionPotential(EPS_V)
    force = friction.force(peer, mesh, scene.rest, u, v, barrier(scene))
    assert np.abs(force + friction.gradient(peer, mesh, v)).max() > 0.1 * np.abs(force).max()


# --- Forces and their Jacobians ---


@each(scenes.WITHOUT_PARALLEL)
def test_forces_and_jacobians(scene, agree):
    mesh, v = scene.ipc_mesh(), velocities(scene)
    friction, arguments = ipctk.FrictionPotential(EPS_V), (scene.rest, scene.x - scene.rest, v)
    for mu in [(0.4,), (0.5, 0.3)]:
        ours, peer = our_slides(scene, *mu), theirs(scene, mesh, *mu)
        force = friction.force(peer, mesh, *arguments, barrier(scene))
        agree("force", LAGGED.force(ours, *arguments).ravel(), force, TIGHT)
        for wrt, name in {DIFF.VELOCITIES: "velocities", DIFF.LAGGED_DISPLACEMENTS: "lagged"}.items():
            jacobian = friction.force_jacobian(peer, mesh, *arguments, barrier(scene), wrt)
            agree(f"Jacobian by {name}", LAGGED.force_jacobian(ours, name, *arguments), jacobian, TIGHT)


@pytest.mark.parametrize("weights", ["count", "area"])
@each([scenes.cubes, scenes.tetrahedra, scenes.polygons])
def test_jacobian_by_positions_at_rest(scene, weights, agree):
    mesh, v = scene.ipc_mesh(), velocities(scene)
    mesh.init_area_jacobians()
    collisions = ipctk.NormalCollisions()
    collisions.use_area_weighting = weights == "area"
    collisions.enable_shape_derivatives = True
    collisions.build(mesh, scene.x, scene.dhat)
    peer = ipctk.TangentialCollisions()
    peer.build(mesh, scene.x, collisions, barrier(scene), 0.4)
    contacts = stiction.Contacts(scene.surface(), scene.x, scene.dhat, weights=weights, shape_derivatives=True)
    ours = our_slides(scene, 0.4, contacts=contacts)
    arguments = (scene.rest, scene.x - scene.rest, v)
    expected = ipctk.FrictionPotential(EPS_V).force_jacobian(peer, mesh, *arguments, barrier(scene), DIFF.REST_POSITIONS)
    agree("Jacobian by rest", stiction.FrictionPotential(EPS_V).force_jacobian(ours, "rest", *arguments), expected, TIGHT)


@each([scenes.twins])
def test_nearly_parallel_edges_have_friction(scene):
    """ipctk has none there at all (D7); ours must be the derivative of its own energy."""
    slides, v = our_slides(scene, 0.5, 0.3), velocities(scene)
    direction = np.random.default_rng(3).normal(size=v.shape)
    step = 1e-6 * EPS_V
    ahead, back = v + step * direction, v - step * direction
    own = stiction.FrictionPotential(EPS_V)
    slope = (own.energy(slides, ahead) - own.energy(slides, back)) / (2 * step)
    assert slope == pytest.approx(np.sum(own.gradient(slides, v) * direction), rel=1e-6)
    bend = (own.gradient(slides, ahead) - own.gradient(slides, back)) / (2 * step)
    product = own.hessian(slides, v, "none") @ direction.ravel()
    np.testing.assert_allclose(bend.ravel(), product, atol=1e-6 * np.abs(product).max())


def crossed_edges(sine):
    """Two edges of length 1 with centres 0.05 apart, at a given sine of their angle."""
    along = np.array([np.sqrt(1 - sine**2), sine, 0.0])
    x = np.array([[-0.5, 0, 0], [0.5, 0, 0], -0.5 * along, 0.5 * along])
    x[2:] += [0.01, 0.002, 0.05]
    return scenes.Scene("crossed", x, x, np.array([[0, 1], [2, 3]]), scenes.NO_FACES, 0.1)


def test_friction_is_continuous_when_edges_turn():
    """In ipctk it jumps from nothing to everything where the edges stop being nearly parallel (D7)."""
    ours, peers = [], []
    v = np.array([[0.1, 0, 0]] * 2 + [[0, 0, 0]] * 2)
    for sine in np.sqrt(1e-3) * np.array([1 - 1e-6, 1 + 1e-6]):
        scene = crossed_edges(sine)
        ours.append(stiction.FrictionPotential(EPS_V).energy(our_slides(scene, 0.4), v))
        mesh = scene.ipc_mesh()
        peers.append(ipctk.FrictionPotential(EPS_V)(theirs(scene, mesh, 0.4), mesh, v))
    assert peers[0] == 0 < peers[1]
    assert ours == pytest.approx([peers[1]] * 2, rel=1e-5)
