"""Objects can be stored, copied and sent to other processes; what they compute has the same bits."""

import copy
import pickle

import numpy as np
import pytest

import stiction

COPIES = {"pickle": lambda it: pickle.loads(pickle.dumps(it)), "copy": copy.copy, "deepcopy": copy.deepcopy}


@pytest.fixture(params=COPIES)
def copied(request):
    return COPIES[request.param]


def cubes():
    """Two cubes on a plane that is not along an axis, close to each other."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    faces = np.array([t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])])
    x = np.concatenate([corners, 0.7 * corners + [0.1, 0.2, 1.03]])
    surface = stiction.Surface(x, [], np.concatenate([faces, faces + 8]), bodies=[3] * 8 + [5] * 8)
    return surface, x, [([0.1, 0.2, -0.12], [0.1, -0.2, 3.0])]


def contacts(**options):
    surface, x, planes = cubes()
    made = stiction.Contacts(surface, x, 0.2, planes, **options)
    assert all(made.counts[kind] for kind in ("vf", "ee", "obstacle"))
    return made, x


def test_surfaces(copied):
    surface, x, _ = cubes()
    loose = stiction.Surface(np.vstack([x, [[5, 5, 5], [6, 6, 6]]]), [[0, 16]], surface.faces, [17])
    flat = stiction.Surface(x[:4, :2] + [[0, 0], [1, 0], [2, 0], [3, 0]], [[0, 1], [3, 2]])
    for original in (surface, loose, flat):
        other = copied(original)
        for name in ("rest", "edges", "faces", "loose_vertices", "bodies", "vertex_areas", "edge_areas", "boundary_edges"):
            assert np.array_equal(getattr(other, name), getattr(original, name)), name


def test_surfaces_with_rules_areas_and_numbered_edges(copied):
    surface, x, _ = cubes()
    rules = stiction.VertexFilter.excluding([[0, 9]]) & ~stiction.VertexFilter.fixed([1, 2]) | stiction.VertexFilter.patches([0] * 8 + [-1] * 8)
    for rule in (
        stiction.Filter(rules),
        stiction.Filter(rules, every=True) & stiction.Filter.rings(surface, 1),
        ~stiction.Filter.bodies(surface) | stiction.Filter.components(surface),
    ):
        other, both = copied(rule), (copied(surface.with_filter(rule)), surface.with_filter(rule))
        for first in ([0], [1, 9], [2, 3, 4]):
            for second in ([5], [9, 10], [8, 9, 12], [1]):
                assert other.allows(first, second) == rule.allows(first, second)
        near = [stiction.candidates(surface, x, inflation=0.5) for surface in both]
        assert all(np.array_equal(near[0][kind], near[1][kind]) for kind in near[0])
    edges = surface.edges[::-1, ::-1]
    numbered = copied(stiction.Surface(x, edges, surface.faces, numbered_edges=True))
    assert np.array_equal(numbered.edges, edges)
    areas = surface.with_areas(2 * surface.vertex_areas, 3 * surface.edge_areas)
    assert np.array_equal(copied(areas).edge_areas, areas.edge_areas)


def test_laws_and_potentials(copied):
    for law in (stiction.FrictionLaw(), stiction.FrictionLaw("smooth_mu"), stiction.FrictionLaw("stribeck", speed=0.3, viscous=0.1)):
        assert repr(copied(law)) == repr(law)
        friction = copied(stiction.FrictionPotential(0.01, law, 0.1))
        assert (friction.eps_v, friction.h_hat, repr(friction.law)) == (0.01, 0.1, repr(law))
    barrier = copied(stiction.BarrierPotential(0.1, 1e5, barrier="cubic", physical_units=True))
    assert (barrier.dhat, barrier.kappa, barrier.barrier, barrier.physical_units) == (0.1, 1e5, "cubic", True)
    touching, x = contacts()
    for force in (stiction.BarrierPotential.adhesion(0.05, 0.2, 3.0), stiction.BarrierPotential.steady(4.0, 0.2)):
        assert np.array_equal(copied(force).forces(touching, x), force.forces(touching, x))
    assert copied(stiction.BarrierPotential(0.1, [1.0, 2.0])).kappa.tolist() == [1, 2]


def test_policies(copied):
    touching, x = contacts()
    policy = stiction.StiffnessPolicy(cubes()[0], 0.2, [1e6] * 8 + [1e9] * 8, dmin=0.01, barrier="cubic", weights="area")
    assert copied(policy).first == policy.first
    assert np.array_equal(copied(policy).weighed(touching).weights, policy.weighed(touching).weights)


@pytest.mark.parametrize("options", [{}, {"weights": "area", "contact_set": "improved_max", "shape_derivatives": True, "dmin": 0.01}])
def test_contacts(copied, options):
    original, x = contacts(**options)
    other = copied(original)
    assert (other.dhat, other.dmin, other.counts) == (original.dhat, original.dmin, original.counts)
    barrier = stiction.BarrierPotential(0.2, 1e3)
    assert barrier.energy(other, x) == barrier.energy(original, x) < np.inf
    assert np.array_equal(barrier.gradient(other, x), barrier.gradient(original, x))
    assert (barrier.hessian(other, x) != barrier.hessian(original, x)).nnz == 0
    if "shape_derivatives" in options:
        assert (barrier.shape_derivative(other, x) != barrier.shape_derivative(original, x)).nnz == 0


@pytest.mark.parametrize("options", [{}, {"scaling": (0.5, 2.0), "direction": [1, 2, 3]}, {"static_axes": (0.6, 0.9)}])
def test_slides(copied, options):
    touching, x = contacts()
    original = stiction.Slides(touching, x, stiction.BarrierPotential(0.2, 1e3), 0.5, 0.3, **options)
    v = np.sin(np.arange(x.size)).reshape(x.shape)
    original.refresh_anisotropy(v)
    other = copied(original)
    friction = stiction.FrictionPotential(0.1, h_hat=0.01)
    for slides in (other, original):
        slides.refresh_anisotropy(2 * v)
    assert friction.energy(other, v) == friction.energy(original, v) > 0
    assert np.array_equal(friction.gradient(other, v), friction.gradient(original, v))
    assert (friction.hessian(other, v) != friction.hessian(original, v)).nnz == 0
    assert np.array_equal(friction.force(other, x, 0 * x, v), friction.force(original, x, 0 * x, v))
    for slides in (other, original):
        slides.reset_anisotropy()
    assert np.array_equal(other.mu, original.mu) and np.array_equal(other.normal_forces, original.normal_forces)
    # A copy is a copy: what is done to it is not done to the original.
    if "static_axes" in options:
        other.refresh_anisotropy(v)
        assert not np.array_equal(other.mu, original.mu)


def test_trust_regions(copied):
    surface, x, planes = cubes()
    original = stiction.TrustRegion(surface, 0.2, planes, min_distance=1e-3, relaxation=0.8, update_threshold=0.5)
    assert copied(original).needs_update
    original.warm_start(x, x + 0.01)
    original.update(x)
    other = copied(original)
    assert np.array_equal(other.radii, original.radii) and np.array_equal(other.centers, original.centers)
    assert (other.inflation, other.needs_update) == (original.inflation, original.needs_update)
    step = 0.05 * np.cos(np.arange(x.size)).reshape(x.shape)
    assert np.array_equal(other.filter_step(x, step)[0], original.filter_step(x, step)[0])
    other.update(x + 0.001)
    assert not np.array_equal(other.centers, original.centers)


def test_functions_of_the_drop_in(copied):
    from stiction import ipctk

    assert copied(ipctk.update_barrier_stiffness) is ipctk.update_barrier_stiffness


def test_meshes_and_scenes(copied):
    mesh = stiction.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1]], [[0, 1, 2]], [[0, 1, 2, 3]])
    other = copied(mesh)
    for name in ("points", "edges", "triangles", "tetrahedra"):
        assert np.array_equal(getattr(other, name), getattr(mesh, name))
    assert repr(other) == repr(mesh)
