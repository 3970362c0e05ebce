"""Kernels of single pairs against ipctk's functions of the same meaning, to 1e-12 on well-shaped input."""

import ipctk
import numpy as np
import pytest

import stiction

TOLERANCE = 1e-12
COUNT = {"vv": 2, "ve": 3, "ee": 4, "vf": 4}
NAMES = {"vv": "point_point", "ve": "point_edge", "ee": "edge_edge", "vf": "point_triangle"}
EVERY = [("vv", 2), ("vv", 3), ("ve", 2), ("ve", 3), ("ee", 3), ("vf", 3)]
WITH_COORDINATES = EVERY[2:]
# kind, dimension, signed distance in ipctk
SIDES = [
    ("ve", 2, "point_line_signed_distance"),
    ("vf", 3, "point_plane_signed_distance"),
    ("ee", 3, "line_line_signed_distance"),
]


def samples(kind, dimension, number=300):
    """Pairs with edges at 30° or more, no edge short, no distance small: nothing is lost in any formula."""
    random = np.random.default_rng(10 * dimension + len(kind) + COUNT[kind])
    out = []
    while len(out) < number:
        x = random.normal(size=(COUNT[kind], dimension))
        if well_shaped(kind, x):
            out.append(x)
    return out


def well_shaped(kind, x):
    if stiction.distance_squared(kind, x) < 0.05:
        return False
    if kind == "vv":
        return True
    u, v = (x[1] - x[0], x[3] - x[2]) if kind == "ee" else (x[2] - x[1], x[-1] - x[1])
    lengths = np.linalg.norm(u) * np.linalg.norm(v)
    return lengths > 0.5 and (kind == "ve" or np.linalg.norm(np.cross(u, v)) > 0.5 * lengths)


def squared(kind, x, what=""):
    infinite = {"vv": "point_point", "ve": "point_line", "ee": "line_line", "vf": "point_plane"}[kind]
    return getattr(ipctk, f"{infinite}_distance{what}")(*x)


@pytest.mark.parametrize(("kind", "dimension"), EVERY)
def test_distances(kind, dimension, agree):
    for x in samples(kind, dimension):
        d2, g, h = squared(kind, x), squared(kind, x, "_gradient"), squared(kind, x, "_hessian")
        agree(f"{kind} d²", stiction.distance_squared(kind, x), d2, TOLERANCE)
        agree(f"{kind} ∇d²", stiction.distance_squared_gradient(kind, x).ravel(), g, TOLERANCE)
        agree(f"{kind} ∇²d²", stiction.distance_squared_hessian(kind, x), h, TOLERANCE)
        d = np.sqrt(d2)
        agree(f"{kind} d", stiction.distance(kind, x), d, TOLERANCE)
        agree(f"{kind} ∇d", stiction.distance_gradient(kind, x).ravel(), g / (2 * d), TOLERANCE)
        root = h / (2 * d) - np.outer(g, g) / (4 * d**3)
        agree(f"{kind} ∇²d", stiction.distance_hessian(kind, x), root, TOLERANCE)


@pytest.mark.parametrize(("kind", "dimension", "name"), SIDES)
def test_signed_distances(kind, dimension, name, agree):
    value, gradient, hessian = (getattr(ipctk, name + what) for what in ("", "_gradient", "_hessian"))
    for x in samples(kind, dimension):
        agree(f"{kind} signed distance", stiction.signed_distance(kind, x), value(*x), TOLERANCE)
        ours = stiction.signed_distance_gradient(kind, x).ravel()
        agree(f"{kind} signed distance, ∇", ours, gradient(*x), TOLERANCE)
        ours = stiction.signed_distance_hessian(kind, x)
        agree(f"{kind} signed distance, ∇²", ours, hessian(*x), TOLERANCE)


def test_normals(agree):
    for x in samples("ve", 2):
        agree("point-line normal", stiction.signed_normal("ve", x), ipctk.point_line_normal(*x), TOLERANCE)
    for x in samples("ee", 3):
        ours, jacobian = stiction.signed_normal("ee", x), stiction.signed_normal_jacobian("ee", x)
        agree("line-line normal", ours, ipctk.line_line_normal(*x), TOLERANCE)
        agree("line-line normal, Jacobian", jacobian, ipctk.line_line_normal_jacobian(*x), TOLERANCE)
    for x in samples("vf", 3):
        ours, jacobian = stiction.signed_normal("vf", x), stiction.signed_normal_jacobian("vf", x)
        agree("face normal", ours, ipctk.triangle_normal(*x[1:]), TOLERANCE)
        agree("face normal, Jacobian", jacobian[:, 3:], ipctk.triangle_normal_jacobian(*x[1:]), TOLERANCE)
        assert not jacobian[:, :3].any()


@pytest.mark.parametrize(("kind", "dimension"), EVERY)
def test_normals_of_pairs(kind, dimension, agree):
    """The gradient of d² by the vertices of the first primitive adds up to 2 r, since their weights add up to 1."""
    vertices = 2 if kind == "ee" else 1
    for x in samples(kind, dimension):
        r = squared(kind, x, "_gradient").reshape(-1, dimension)[:vertices].sum(axis=0)
        agree(f"{kind} r/|r|", stiction.pair_normal(kind, x), r / np.linalg.norm(r), TOLERANCE)


@pytest.mark.parametrize(("kind", "dimension"), WITH_COORDINATES)
def test_closest_points(kind, dimension, agree):
    value = getattr(ipctk, f"{NAMES[kind]}_closest_point")
    jacobian = getattr(ipctk, f"{NAMES[kind]}_closest_point_jacobian")
    for x in samples(kind, dimension):
        agree(f"{kind} α", stiction.closest_point(kind, x), np.atleast_1d(value(*x)), TOLERANCE)
        theirs = np.atleast_2d(jacobian(*x))
        agree(f"{kind} ∂α/∂x", stiction.closest_point_jacobian(kind, x), theirs, TOLERANCE)


@pytest.mark.parametrize(("kind", "dimension"), EVERY)
def test_relative_velocities(kind, dimension, agree):
    """ipctk's matrices are cᵢ(α) I, and by α stacked column after column."""
    matrix = getattr(ipctk, f"{NAMES[kind]}_relative_velocity_jacobian")
    derivative = getattr(ipctk, f"{NAMES[kind]}_relative_velocity_dx_dbeta")
    for x in samples(kind, dimension, 50):
        alpha = stiction.closest_point(kind, x)
        coordinates = {"vv": (dimension,), "ve": (dimension, *alpha), "ee": (alpha,), "vf": (alpha,)}[kind]
        c, by_alpha = stiction.relative_weights(kind, alpha), stiction.relative_weights_jacobian(kind)
        agree(f"{kind} Γ", np.kron(c, np.eye(dimension)), matrix(*coordinates), TOLERANCE)
        if kind != "vv":
            ours = [np.kron(row, np.eye(dimension)).ravel(order="F") for row in by_alpha]
            theirs = np.reshape(derivative(*coordinates), (-1, len(alpha)))
            agree(f"{kind} ∂Γ/∂α", np.transpose(ours), theirs, TOLERANCE)


@pytest.mark.parametrize(("kind", "dimension"), EVERY)
def test_tangents(kind, dimension, agree):
    basis = getattr(ipctk, f"{NAMES[kind]}_tangent_basis")
    jacobian = getattr(ipctk, f"{NAMES[kind]}_tangent_basis_jacobian")
    for x in samples(kind, dimension):
        agree(f"{kind} tangents", stiction.tangent_basis(kind, x), basis(*x), TOLERANCE)
        agree(f"{kind} ∂tangents/∂x", stiction.tangent_basis_jacobian(kind, x), jacobian(*x), TOLERANCE)


VE_TYPES = {"P_E0": "start", "P_E1": "end", "P_E": "inside"}
VF_TYPES = {"P_T0": "vertex 0", "P_T1": "vertex 1", "P_T2": "vertex 2", "P_E0": "edge 0", "P_E1": "edge 1"}
VF_TYPES |= {"P_E2": "edge 2", "P_T": "inside"}
EE_PARTS = {"EA0": "start", "EA1": "end", "EA": "inside", "EB0": "start", "EB1": "end", "EB": "inside"}


@pytest.mark.parametrize(("kind", "dimension"), WITH_COORDINATES)
def test_closest_features(kind, dimension):
    theirs = getattr(ipctk, f"{NAMES[kind]}_distance_type")
    random, met = np.random.default_rng(5), set()
    for x in random.normal(size=(3000, COUNT[kind], dimension)):
        name = theirs(*x).name
        if kind == "ee":
            name = " ".join(EE_PARTS[part] for part in name.split("_"))
        else:
            name = (VE_TYPES if kind == "ve" else VF_TYPES)[name]
        assert stiction.closest_features(kind, x) == name, x
        met.add(name)
    assert len(met) == {"ve": 3, "ee": 9, "vf": 7}[kind]


def nearly_parallel(number=200):
    """(x, rest): edges under the threshold of the mollifier, with lengths that changed since rest."""
    random, out = np.random.default_rng(6), []
    while len(out) < number:
        rest = random.normal(size=(4, 3))
        x = rest.copy()
        x[3] = x[2] + (x[1] - x[0]) * random.uniform(0.5, 1.5) + random.normal(scale=0.01, size=3)
        if 0.05 < stiction.edge_edge_mollifier(x, rest) < 0.95:
            out.append((x, rest))
    return out


def test_mollifier(agree):
    for x, rest in nearly_parallel():
        eps = stiction.edge_edge_threshold(rest)
        agree("threshold", eps, ipctk.edge_edge_mollifier_threshold(*rest), TOLERANCE)
        agree("m", stiction.edge_edge_mollifier(x, rest), ipctk.edge_edge_mollifier(*x, eps), TOLERANCE)
        ours = stiction.edge_edge_mollifier_gradient(x, rest).ravel()
        agree("∂m/∂x", ours, ipctk.edge_edge_mollifier_gradient(*x, eps), TOLERANCE)
        ours = stiction.edge_edge_mollifier_hessian(x, rest)
        agree("∂²m/∂x²", ours, ipctk.edge_edge_mollifier_hessian(*x, eps), TOLERANCE)
        ours = stiction.edge_edge_mollifier_rest_gradient(x, rest).ravel()
        agree("∂m/∂X", ours, ipctk.edge_edge_mollifier_gradient_wrt_x(*rest, *x), TOLERANCE)


def gradient_by_rest(x, rest, h=1e-6):
    """Differences of ∂m/∂x by X where x = X + u with u held."""
    columns = []
    for k in range(12):
        step = np.zeros(12)
        step[k] = h
        step = step.reshape(4, 3)
        plus = stiction.edge_edge_mollifier_gradient(x + step, rest + step)
        minus = stiction.edge_edge_mollifier_gradient(x - step, rest - step)
        columns.append(((plus - minus) / (2 * h)).ravel())
    return np.transpose(columns)


def test_mollifier_by_the_rest_shape_where_ipctk_is_wrong():
    """∂²m/∂x² + ∂²m/∂x∂X is what differences give; ipctk leaves out m″∇s∇sᵀ."""
    worst_ours, theirs = 0.0, []
    for x, rest in nearly_parallel(50):
        truth = gradient_by_rest(x, rest)
        scale = np.abs(truth).max()
        ours = stiction.edge_edge_mollifier_hessian(x, rest)
        ours = ours + stiction.edge_edge_mollifier_mixed_hessian(x, rest)
        worst_ours = max(worst_ours, np.abs(ours - truth).max() / scale)
        other = ipctk.edge_edge_mollifier_gradient_jacobian_wrt_x(*rest, *x)
        theirs.append(np.abs(other - truth).max() / scale)
    print(f"ours within {worst_ours:.1e}; ipctk off by {np.median(theirs):.0%} (median)")
    assert worst_ours < 1e-5
    assert np.median(theirs) > 0.05


def test_gauss_newton_is_the_positive_part_of_theirs(agree):
    """Theirs holds c and keeps 2b′(I − nnᵀ), which is negative: without it, it is ours."""
    dhat, kappa = 0.1, 3.0
    x = np.array([[0.3, 0.25, 0.05], [0, 0, 0], [1, 0.1, 0], [0, 1, 0], [0.3, 0.3, 3], [0.4, 0.2, 3]])
    faces = [[1, 2, 3], [0, 4, 5]]
    surface = stiction.Surface(x, [], faces)
    contacts = stiction.Contacts(surface, x, dhat)
    ours = stiction.BarrierPotential(dhat, kappa).hessian(contacts, x, "gauss_newton").toarray()
    mesh = ipctk.CollisionMesh(x, ipctk.edges(faces), faces)
    collisions = ipctk.NormalCollisions()
    collisions.build(mesh, x, dhat)
    assert len(collisions) == 1
    potential = ipctk.BarrierPotential(dhat, kappa)

    def form(p):
        return potential.gauss_newton_hessian_quadratic_form(collisions, mesh, x, p)

    unit = np.eye(x.size)
    squares = [form(p) for p in unit]
    pairs = list(zip(unit, squares))
    theirs = np.array([[(form(p + q) - a - b) / 2 for q, b in pairs] for p, a in pairs])
    w, v = np.linalg.eigh(theirs)
    assert w.min() < 0
    agree("Gauss-Newton", ours, v @ np.diag(np.maximum(w, 0)) @ v.T, TOLERANCE)
