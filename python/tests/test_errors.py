"""Input that cannot be used is a ValueError that names the place; unusual but possible input works."""

import doctest

import numpy as np
import pytest
from scenes import barrier

import stiction

X = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 0.05], [1.2, 0.2, 0.9], [0.2, 1.2, 0.9]])
FACES = [[0, 1, 2], [3, 4, 5]]
BARRIER = stiction.BarrierPotential(0.1)
NAN = np.where(np.arange(6)[:, None] == 4, np.nan, X)


def surface():
    return stiction.Surface(X, [], FACES)


def contacts(dhat=0.1, **more):
    return stiction.Contacts(surface(), X, dhat, **more)


def slides(**changes):
    return stiction.Slides(contacts(), **({"x": X, "potential": BARRIER, "mu": 0.3} | changes))


def friction(v=0.1 * X, **changes):
    return stiction.FrictionPotential(**({"eps_v": 0.1} | changes)).energy(slides(), v)


def jacobian(wrt="lagged", **changes):
    arguments = {"rest": X, "u": 0 * X, "v": X}
    return stiction.FrictionPotential(0.1).force_jacobian(slides(), wrt, **(arguments | changes))


def law(**changes):
    return stiction.FrictionLaw().evaluate(**({"y": [0.1], "mu_s": 0.5} | changes))


BAD = {
    "unknown kind": (
        lambda: stiction.distance_squared("ef", X[:4]),
        "kind: \"ef\".*'vv', 've', 'ee' or 'vf'",
    ),
    "unknown kind, closest": (lambda: stiction.closest_distance_squared("", X[:4]), "kind"),
    "too few vertices": (lambda: stiction.distance_squared("vf", X[:3]), "x: has 3 rows, expected 4"),
    "too many vertices": (lambda: stiction.closest_distance_squared("ve", X), "x: has 6 rows, expected 3"),
    "signed distance of vertices": (lambda: stiction.signed_distance("vv", X[:2]), "kind: .*no sides"),
    "signed distance from an edge in 3D": (lambda: stiction.signed_normal("ve", X[:3]), "'ve' in 2D"),
    "tangents of edges in 2D": (lambda: stiction.tangent_basis("ee", X[:4, :2]), "kind: has no tangents in 2D"),
    "tangents in 1D": (lambda: stiction.tangent_basis("vv", [[1], [2]]), "x: has 1 columns"),
    "coordinates of vertices": (
        lambda: stiction.relative_weights("vv", [0.5]),
        "alpha: has 1 numbers, expected 0",
    ),
    "features of too few": (lambda: stiction.closest_features("ee", X[:3]), "x: has 3 rows, expected 4"),
    "mollifier of a face": (lambda: stiction.edge_edge_mollifier(X[:3], X[:4]), "x: has 3 rows, expected 4"),
    "mollifier in 2D": (lambda: stiction.edge_edge_threshold(X[:4, :2]), "rest: .*expected 3 columns"),
    "distance in 4D": (lambda: stiction.distance_squared("vv", np.zeros((2, 4))), "x: has 4 columns"),
    "closest in 1D": (lambda: stiction.closest_distance_squared("vv", [[1], [2]]), "x: has 1 columns"),
    "distance of NaN": (lambda: stiction.distance_squared_gradient("vv", NAN[3:5]), "x: row 1 is not finite"),
    "flat array": (lambda: stiction.distance_squared_hessian("vv", [1, 2]), r"x: has shape \[2\]"),
    "vertices in 4D": (lambda: stiction.Surface(np.zeros((3, 4)), []), "vertices: has 4 columns"),
    "vertices without shape": (lambda: stiction.Surface([], []), "vertices: has shape"),
    "vertices of complex numbers": (lambda: stiction.Surface(X + 0j, []), "vertices: .*complex128"),
    "vertices of strings": (lambda: stiction.Surface([["a", "b"]], []), "vertices: .*real numbers"),
    "vertices of objects": (lambda: stiction.Surface([[None, 1.0]], []), "vertices: .*object"),
    "ragged vertices": (lambda: stiction.Surface([[1.0, 2.0], [3.0]], []), "vertices: "),
    "vertex NaN": (lambda: stiction.Surface(NAN, [], FACES), "vertices: row 4 is not finite"),
    "edges of three": (lambda: stiction.Surface(X, FACES), r"edges: has shape \[2, 3\], expected \(n, 2\)"),
    "edges of floats": (lambda: stiction.Surface(X, [[0.0, 1.0]]), "edges: .*float64, expected integers"),
    "edges of bools": (lambda: stiction.Surface(X, [[False, True]]), "edges: .*bool, expected integers"),
    "negative index": (lambda: stiction.Surface(X, [[0, 1], [-1, 2]]), "edges: row 1 names vertex -1"),
    "huge index": (lambda: stiction.Surface(X, np.array([[0, 2**64 - 1]], np.uint64)), f"vertex {2**64 - 1}"),
    "edge out of range": (lambda: stiction.Surface(X, [[0, 1], [6, 2]]), "edge 1 names vertex 6"),
    "face out of range": (lambda: stiction.Surface(X, [], [[0, 1, 9]]), "face 0 names vertex 9"),
    "repeated vertex": (lambda: stiction.Surface(X, [], [[0, 1, 1]]), "face 0 names vertex 1 twice"),
    "edge without length": (lambda: stiction.Surface([[0, 0], [0, 0]], [[0, 1]]), "edge 0 has no length"),
    "faces in 2D": (lambda: stiction.Surface(X[:, :2], [], FACES), "faces of a surface in 2D"),
    "negative dhat": (lambda: contacts(-0.1), "dhat = -0.1"),
    "zero dhat": (lambda: contacts(0), "dhat = 0"),
    "NaN dhat": (lambda: contacts(float("nan")), "dhat = NaN"),
    "positions too short": (
        lambda: stiction.Contacts(surface(), X[:5], 0.1),
        "x: positions has 5 entries, expected 6",
    ),
    "positions in 2D": (lambda: stiction.Contacts(surface(), X[:, :2], 0.1), r"x: has shape \(6, 2\)"),
    "positions NaN": (lambda: stiction.Contacts(surface(), NAN, 0.1), "x: row 4 is not finite"),
    "planes is a number": (lambda: contacts(obstacles=3), "obstacles: expected a sequence"),
    "plane without normal": (lambda: contacts(obstacles=[[[0, 0, 0]]]), r"obstacles\[0\]: expected a Plane"),
    "plane of 2D": (lambda: contacts(obstacles=[([0, 0, 0], [0, 1])]), "normal: has 2 numbers, expected 3"),
    "zero normal": (lambda: contacts(obstacles=[([0, 0, 0], [0, 0, 0])]), r"obstacles\[0\]: normal"),
    "plane NaN": (lambda: contacts(obstacles=[([0, 0, np.nan], [0, 0, 1])]), r"obstacles\[0\]: point"),
    "gap positions": (lambda: contacts().smallest_gap(X[:5]), "x: positions has 5"),
    "energy positions": (lambda: barrier(contacts(), 1.0).energy(contacts(), NAN), "x: row 4"),
    "negative kappa": (lambda: barrier(contacts(), -1.0).energy(contacts(), X), "kappa = -1"),
    "infinite kappa": (lambda: barrier(contacts(), np.inf).gradient(contacts(), X), "kappa = inf"),
    "unknown psd": (
        lambda: barrier(contacts(), 1.0).hessian(contacts(), X, "abs."),
        "psd: \"abs.\".*'clamp', 'abs', 'gauss_newton' or 'none'",
    ),
    "lagged positions": (lambda: slides(x=X[:5]), "x: positions has 5"),
    "lagged NaN": (lambda: slides(x=NAN), "x: row 4"),
    "negative mu": (lambda: slides(mu=-0.1), "mu_s = -0.1"),
    "infinite mu_k": (lambda: slides(mu_k=np.inf), "mu_k = inf"),
    "mu_k above mu_s": (lambda: slides(mu_k=0.4), "mu_s.*0.3"),
    "mu of too few vertices": (lambda: slides(mu=[0.1, 0.2]), "^mu: has 2 entries, expected 6"),
    "mu of a vertex": (lambda: slides(mu=[0.1, 0.1, 0.1, -1, 0.1, 0.1]), "mu_s of vertex 3 is -1"),
    "mu_k of a vertex above": (lambda: slides(mu_k=[0.1, 0.1, 0.5, 0.1, 0.1, 0.1]), "mu_s of vertex 2 is 0.3.*mu_k"),
    "mu_k of too few vertices": (lambda: slides(mu_k=[0.1, 0.2]), "^mu_k: has 2 entries, expected 6"),
    "unknown blend": (lambda: slides(mu=np.ones(6), blend="sum"), "blend.*sum.*mean"),
    "blend of one number": (lambda: slides(blend="mean"), "blend: means nothing"),
    "blend that is no function": (lambda: slides(mu=np.ones(6), blend=3), "blend: expected"),
    "blend that fails": (lambda: slides(mu=np.ones(6), blend=lambda a, b: int("many")), "invalid literal.*many"),
    "blend below zero": (lambda: slides(mu=np.ones(6), blend=lambda a, b: -a), "blend: returned -1"),
    "scaling": (lambda: slides(scaling=(1.0, -1.0)), "scaling .* axis 1 is -1"),
    "three factors": (lambda: slides(scaling=(1, 2, 3)), r"scaling: has shape \[3\], expected 2"),
    "axes": (lambda: slides(static_axes=(np.nan, 1.0)), "mu_s .* axis 0 is NaN"),
    "static axes below mu_k": (lambda: slides(static_axes=(0.2, 0.5)), "mu_s .* axis 0 is 0.2.*at least mu_k"),
    "static axes below mu_k of a vertex": (
        lambda: slides(mu=np.full(6, 0.7), static_axes=(0.2, 0.9)),
        "mu_s .* axis 0 is 0.2.*at least mu_k",
    ),
    "direction without length": (lambda: slides(scaling=(1, 2), direction=[0, 0, 0]), "direction"),
    "direction in 2D": (lambda: slides(scaling=(1, 2), direction=[0, 1]), "direction: has shape"),
    "direction without anisotropy": (lambda: slides(direction=[0, 0, 1]), "direction: .*scaling"),
    "velocities": (lambda: friction(v=X[:, :2]), "v: has shape"),
    "velocities NaN": (lambda: friction(v=NAN), "v: row 4"),
    "zero eps_v": (lambda: friction(eps_v=0.0), "eps_v = 0"),
    "zero h_hat": (lambda: friction(h_hat=0.0), "h_hat = 0"),
    "unknown law": (lambda: friction(law="coulomb"), "coulomb.*peak, smooth_mu"),
    "law that is none": (lambda: friction(law=3), "law: expected a FrictionLaw"),
    "law without its speed": (lambda: friction(law="stribeck"), "stribeck.*speed"),
    "speed of a law without": (lambda: stiction.FrictionLaw("peak", speed=1.0), "speed: .*stribeck"),
    "negative speed": (lambda: stiction.FrictionLaw("stribeck", speed=-1.0), "speed = -1"),
    "negative viscosity": (lambda: stiction.FrictionLaw("stribeck", speed=1.0, viscous=-1.0), "viscous = -1"),
    "backward": (lambda: law(y=[0.1, -0.1]), "y: entry 1 is -0.1"),
    "law with mu NaN": (lambda: law(mu_s=np.nan), "mu_s = NaN"),
    "jacobian by what": (lambda: jacobian("time"), "wrt: .*time.*'velocities', 'lagged' or 'rest'"),
    "jacobian at rest": (lambda: jacobian(rest=X[:5]), "rest: positions has 5"),
    "jacobian at displacements": (lambda: jacobian(u=NAN), "u: row 4"),
    "jacobian by rest": (lambda: jacobian("rest"), "shape_derivatives=True"),
    "jacobian by another rest": (lambda: jacobian("rest", rest=2 * X), "rest: must be the positions"),
    "peak below": (lambda: law(mu_k=0.6), "mu_s = 0.5.*at least mu_k"),
    "displacements too short": (lambda: stiction.largest_step(surface(), X, X[:5]), "p: positions has 5"),
    "displacements NaN": (lambda: stiction.largest_step(surface(), X, NAN), "p: row 4"),
    "crossing positions": (lambda: stiction.crossings(surface(), X[:5]), "x: positions has 5"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_names_the_place(name):
    call, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("dimension", [2, 3])
def test_nothing_is_a_scene(dimension):
    x = np.zeros((0, dimension))
    empty = stiction.Surface(x, [])
    assert empty.edges.shape == (0, 2) and empty.faces.shape == (0, 3)
    pairs = stiction.Contacts(empty, x, 0.1)
    assert len(pairs) == 0 and not any(pairs.counts.values())
    assert pairs.smallest_gap(x) == np.inf and barrier(pairs, 1.0).energy(pairs, x) == 0
    assert barrier(pairs, 1.0).gradient(pairs, x).shape == x.shape
    assert barrier(pairs, 1.0).hessian(pairs, x).shape == (0, 0)
    none, potential = stiction.Slides(pairs, x, BARRIER, 0.3), stiction.FrictionPotential(0.1)
    assert len(none) == 0 and potential.energy(none, x) == 0 and potential.gradient(none, x).shape == x.shape
    assert potential.hessian(none, x).shape == potential.force_jacobian(none, "lagged", x, x, x).shape == (0, 0)
    assert stiction.largest_step(empty, x, x) == 1
    assert stiction.crossings(empty, x).shape == (0, 2)


def test_no_friction_coefficient_is_no_friction():
    assert friction() > 0
    none = slides(mu=0)
    v = X[::-1]
    potential = stiction.FrictionPotential(0.1)
    assert len(none) > 0 == potential.energy(none, v) and not np.any(potential.gradient(none, v))
    viscous = stiction.FrictionLaw("stribeck", speed=0.1, viscous=0.5)
    assert np.any(stiction.FrictionPotential(0.1, viscous).gradient(none, v))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble, np.int8, np.uint16, np.int64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_real_numbers_in_any_order(dtype, order):
    x = np.array(X * 20, dtype=dtype, order=order)
    faces = np.array(FACES, dtype=np.int16, order=order)
    found = stiction.Contacts(stiction.Surface(x, [], faces), x, 2.0)
    energy = barrier(found, 1.0).energy(found, x)
    expected = stiction.Contacts(stiction.Surface(np.float64(x), [], FACES), np.float64(x), 2.0)
    assert energy == barrier(expected, 1.0).energy(expected, np.float64(x)) > 0


def test_views_and_lists():
    padded = np.zeros((12, 6))
    padded[::2, ::2] = X
    assert barrier(contacts(), 1.0).energy(contacts(), padded[::2, ::2]) == barrier(contacts(), 1.0).energy(contacts(), X.tolist()) > 0


def test_touching_is_infinite_energy():
    x = X.copy()
    x[3, 2] = 0.0
    pairs = stiction.Contacts(surface(), x, 0.1)
    assert barrier(pairs, 1.0).energy(pairs, x) == np.inf and pairs.smallest_gap(x) == 0
    methods = [getattr(stiction.BarrierPotential, name) for name in ("gradient", "hessian", "hessian_csc", "forces", "gauss_newton_diagonal")]
    drop_in = stiction._stiction.drop_in
    for method in (*methods, drop_in.gradient_row, lambda *arguments: drop_in.barrier_matrix(*arguments, "clamp")):
        with pytest.raises(ValueError, match=r"^vertex 3 and face \(0, 1, 2\) are 0.0 m apart.*collision detection"):
            method(barrier(pairs, 1.0), pairs, x)
    assert stiction.largest_step(surface(), x, x) == 0


def test_extreme_numbers_do_not_break_anything():
    for scale in (1e-300, 1e-150, 1e150, 1e300):
        try:
            other = stiction.Surface(X * scale, [], FACES)
        except ValueError as error:
            assert scale == 1e300 and "overflows" in str(error)
            continue
        with pytest.raises(ValueError, match=r"dhat = [0-9.]+e[-+]?\d+ is not possible: .* fourth power"):
            stiction.Contacts(other, X * scale, 0.1 * scale)
        assert 0 <= stiction.largest_step(other, X * scale, -X * scale) <= 1
        stiction.crossings(other, X * scale)


def test_small_and_large_scenes_have_contacts():
    for scale in (1e-60, 1e-30, 1e30, 1e60):
        other = stiction.Surface(X * scale, [], FACES)
        pairs = stiction.Contacts(other, X * scale, 0.1 * scale)
        assert np.isfinite(barrier(pairs, 1.0).energy(pairs, X * scale))
        for psd in ("clamp", "abs", "none"):
            assert np.isfinite(barrier(pairs, 1.0).hessian_csc(pairs, X * scale, psd)[0]).all()


def test_surface_and_contacts_describe_themselves():
    assert repr(surface()) == "Surface(3D, 6 vertices, 6 edges, 2 faces)"
    assert surface().dimension == 3 and surface().rest.tolist() == X.tolist()
    assert surface().edges.tolist()[0] == [0, 1] and surface().faces.tolist() == FACES
    assert repr(contacts()) == "Contacts(1 pairs closer than 0.1)" and contacts().dhat == 0.1


def test_the_package_is_documented():
    assert stiction.version == stiction.__version__
    for name in stiction.__all__:
        assert getattr(stiction, name).__doc__
    assert doctest.testmod(stiction).failed == 0
