"""Every function of stiction.ipctk that needs no mesh against the one of the same name in ipctk, to 1e-12."""

import inspect
import itertools
import logging
import math
import pickle
import re

import ipctk
import numpy as np
import pytest

import stiction.ipctk as ours

TOLERANCE = 1e-12
SAMPLES = 40

# Names of ipctk that are there but cannot be used, and why.
SMOOTH = "geometric contact potentials are another method, with neither friction in Python nor a stiffness"
NOT_HERE = dict.fromkeys(
    [
        "Edge2Point2Collision",
        "Point2Point2Collision",
        "SmoothCollision2",
        "SmoothCollisions",
        "SmoothContactParameters",
        "SmoothPotential",
    ],
    SMOOTH,
)

# Of stiction.ipctk's functions, those that have tests of their own: they need a mesh, or collisions.
ELSEWHERE = {
    "compute_collision_free_stepsize",
    "has_intersections",
    "inexact_point_edge_ccd_2D",
    "initial_barrier_stiffness",
    "is_step_collision_free",
    "make_connected_components_filter",
    "make_sparse_filter",
    "make_static_obstacle_filter",
    "make_vertex_patches_filter",
    "semi_implicit_stiffness",
    "update_barrier_stiffness",
}


# Arguments.


def well_shaped(x):
    """Points far from lines and planes through the others: no formula loses digits."""
    edges = x[1:] - x[0]
    size = np.sqrt(abs(np.linalg.det(edges @ edges.T)))
    return 0.5 < size and np.abs(edges).max() < 3


def point_sets(count, dimensions, samples=SAMPLES):
    random = np.random.default_rng(10 * count + len(dimensions))
    for dimension in dimensions:
        found = 0
        while found < samples:
            x = random.normal(size=(count, dimension))
            if well_shaped(x[: dimension + 1]):
                found += 1
                yield tuple(x)


def any_points(count, dimensions, samples=SAMPLES):
    random = np.random.default_rng(count)
    for dimension in dimensions:
        for _ in range(samples):
            yield tuple(random.normal(size=(count, dimension)))


def with_types(count, dimensions, kind):
    """Points with every distance type; the argument is made of either module's enumeration."""
    for x in point_sets(count, dimensions):
        yield x
        for value in range(len(kind.__members__)):
            yield (*x, kind(value))


def nearly_parallel(samples=SAMPLES):
    """(rest, present): edges below the threshold of the mollifier, and some above."""
    random = np.random.default_rng(6)
    for _ in range(samples):
        rest = random.normal(size=(4, 3))
        x = rest.copy()
        x[3] = x[2] + (x[1] - x[0]) * random.uniform(0.5, 1.5) + random.normal(scale=0.03, size=3)
        yield tuple(rest), tuple(x)


def edges_and_threshold():
    for rest, x in nearly_parallel():
        yield (*x, ipctk.edge_edge_mollifier_threshold(*rest))


SCALES = [0.0, 1e-9, 0.1, 0.25, 0.4999, 0.5, 0.7, 0.999, 1.0, 1.3, 1.999, 2.0, 2.5]


def speeds(least=0.0):
    for eps, scale in itertools.product([1e-3, 0.7], SCALES):
        if scale >= least:
            yield scale * eps, eps


def speeds_and_coefficients(least=0.0):
    for (y, eps), (s, k) in itertools.product(speeds(least), [(0.5, 0.3), (0.4, 0.4), (0.1, 0.6)]):
        yield y, s, k, eps


def distances_and_dhats():
    for dhat, scale in itertools.product([1e-6, 0.3], [-0.1, 0.0, 1e-8, 0.1, 0.4, 0.5, 0.51, 0.99, 1.0, 1.5]):
        yield scale * dhat, dhat


def normal_adhesion():
    for scale in [0.0, 0.2, 0.999, 1.0, 1.2, 1.999, 2.0, 5.0]:
        yield 1e-3 * scale, 1e-3, 2e-3, -7.0


def with_numbers(sets, *numbers):
    for x in sets:
        for values in itertools.product(*numbers):
            yield (*x, *values)


def boxes(count, samples=200):
    random = np.random.default_rng(3)
    for dimension in (2, 3):
        for _ in range(samples):
            yield (*random.uniform(size=(count, dimension)), random.uniform(0, 0.4))


def in_space(cases):
    return [case for case in cases if len(case[0]) == 3]


def meshes():
    random = np.random.default_rng(4)
    for dimension in (2, 3):
        start, end = random.normal(size=(2, 12, dimension))
        yield start, end, random.integers(0, 12, size=(20, 2)), random.integers(0, 12, size=(9, 3))


def symmetric(samples=20):
    random = np.random.default_rng(8)
    for size in (1, 2, 6, 12):
        for shift in (0.0, 8.0):
            a = random.normal(size=(size, size))
            yield (a + a.T + shift * np.eye(size),)


def planes(dimension=3, samples=200):
    random = np.random.default_rng(9)
    for _ in range(samples):
        yield (*random.normal(size=(4, dimension)), random.uniform(0.1, 0.99))


EITHER, PLANE, SPACE = (2, 3), (2,), (3,)


def table():
    """Function -> function that gives lists of arguments."""
    out = {}
    pairs = {"point_point": (2, EITHER), "point_line": (3, EITHER), "line_line": (4, SPACE), "point_plane": (4, SPACE)}
    for (pair, (count, dims)), what in itertools.product(pairs.items(), ["", "_gradient", "_hessian"]):
        out[f"{pair}_distance{what}"] = lambda c=count, d=dims: point_sets(c, d)
        if pair != "point_point":
            flat = PLANE if pair == "point_line" else dims
            out[f"{pair}_signed_distance{what}"] = lambda c=count, d=flat: point_sets(c, d)
    kinds = {
        "point_edge": (3, EITHER, "PointEdgeDistanceType"),
        "point_triangle": (4, SPACE, "PointTriangleDistanceType"),
        "edge_edge": (4, SPACE, "EdgeEdgeDistanceType"),
    }
    for pair, (count, dims, kind) in kinds.items():
        for what in ["", "_gradient", "_hessian"]:
            out[f"{pair}_distance{what}"] = lambda c=count, d=dims, k=kind: with_types(c, d, getattr(ipctk, k))
        out[f"{pair}_distance_type"] = lambda c=count, d=dims: any_points(c, d, 500)
        for what in ["closest_point", "closest_point_jacobian", "tangent_basis", "tangent_basis_jacobian"]:
            out[f"{pair}_{what}"] = lambda c=count, d=dims: point_sets(c, d)
        velocity = f"{pair}_relative_velocity"
        if pair == "point_edge":
            out[velocity] = lambda: with_numbers(any_points(3, EITHER), [-0.3, 0.4])
            cases = [(dim, alpha) for dim in EITHER for alpha in (-0.3, 0.4)]
        else:
            out[velocity] = lambda: [(*x, np.array([0.3, -1.2])) for x in any_points(4, SPACE)]
            cases = [(np.array([0.3, -1.2]),), (np.array([0.0, 1.0]),)]
        for what in ["_jacobian", "_dx_dbeta"]:
            out[velocity + what] = lambda c=cases: c
    out["point_point_relative_velocity"] = lambda: any_points(2, EITHER)
    for what in ["_jacobian", "_dx_dbeta"]:
        out[f"point_point_relative_velocity{what}"] = lambda: [(2,), (3,)]
        out.setdefault("point_point_tangent_basis" + what.replace("_dx_dbeta", ""), lambda: point_sets(2, EITHER))
    out["edge_edge_parallel_distance_type"] = lambda: any_points(4, SPACE, 500)
    for what in ["normal", "unnormalized_normal"]:
        out[f"point_line_{what}"] = lambda: point_sets(3, EITHER)
        for derivative in ["", "_jacobian", "_hessian"]:
            out[f"triangle_{what}{derivative}"] = lambda: point_sets(3, SPACE)
            out[f"line_line_{what}{derivative}"] = lambda: point_sets(4, SPACE)
    out["point_line_unnormalized_normal_jacobian"] = lambda: point_sets(3, EITHER)
    out |= geometry() | mollifiers() | scalars() | of_meshes()
    return out


def geometry():
    out = dict.fromkeys(
        ["normalization_jacobian", "normalization_hessian", "normalization_and_jacobian"],
        lambda: [(x[0] - x[1],) for x in point_sets(2, EITHER)],
    )
    out["normalization_and_jacobian_and_hessian"] = out["normalization_hessian"]
    out["cross_product_matrix"] = lambda: any_points(1, SPACE)
    out["cross_product_matrix_jacobian"] = lambda: [()]
    out["dihedral_angle"] = out["dihedral_angle_gradient"] = lambda: point_sets(4, SPACE)
    out["triangle_area_gradient"] = lambda: point_sets(3, SPACE)
    out["edge_length_gradient"] = lambda: point_sets(2, EITHER)
    out["segment_segment_intersect"] = lambda: any_points(4, PLANE, 500)
    crossing = ["is_edge_intersecting_triangle", "edge_triangle_intersection"]
    out |= dict.fromkeys(crossing, lambda: any_points(5, SPACE, 500))
    out |= {"point_edge_aabb_cd": lambda: boxes(3), "edge_edge_aabb_cd": lambda: boxes(4)}
    out |= {"point_triangle_aabb_cd": lambda: in_space(boxes(4)), "edge_triangle_aabb_cd": lambda: in_space(boxes(5))}
    out |= {"point_edge_aabb_ccd": lambda: boxes(6), "edge_edge_aabb_ccd": lambda: in_space(boxes(8))}
    out["point_triangle_aabb_ccd"] = lambda: in_space(boxes(8))
    out["point_static_plane_ccd"] = planes
    out["project_to_psd"] = lambda: [(*a, ipctk.PSDProjectionMethod(m)) for a in symmetric() for m in range(3)]
    out["project_to_pd"] = lambda: with_numbers(symmetric(), [1e-8, 0.5])
    return out


def mollifiers():
    edges = [f"edge_edge_{name}" for name in ("cross_squarednorm", "mollifier_threshold")]
    out = dict.fromkeys(
        [*edges, *(f"{name}_gradient" for name in edges), "edge_edge_cross_squarednorm_hessian"],
        lambda: point_sets(4, SPACE),
    )
    names = ["", "_gradient", "_hessian"]
    out |= dict.fromkeys([f"edge_edge_mollifier{name}" for name in names], edges_and_threshold)
    scalar = ["derivative_wrt_eps_x", "gradient_derivative_wrt_eps_x"]
    out |= dict.fromkeys([f"edge_edge_mollifier_{name}" for name in scalar], speeds)
    out["edge_edge_mollifier_gradient_wrt_x"] = lambda: [(*rest, *x) for rest, x in nearly_parallel()]
    return out


def scalars():
    out = dict.fromkeys(["barrier", "barrier_first_derivative", "barrier_second_derivative"], distances_and_dhats)
    functions = ["f0", "f1", "f2", "f1_over_x", "f2_x_minus_f1_over_x3"]
    out |= dict.fromkeys([f"smooth_friction_{name}" for name in functions], speeds)
    functions = ["", "_derivative", "_f0", "_f1", "_f2", "_f1_over_x", "_f2_x_minus_mu_f1_over_x3"]
    functions += ["_a0", "_a1", "_a2_x_minus_mu_a1_over_x3"]
    out |= dict.fromkeys([f"smooth_mu{name}" for name in functions], speeds_and_coefficients)
    out |= dict.fromkeys([f"tangential_adhesion_{name}" for name in ("f0", "f1", "f2_x_minus_f1_over_x3")], speeds)
    # At rest ipctk has 0 where the limit is another: see below.
    out |= dict.fromkeys([f"tangential_adhesion_{name}" for name in ("f2", "f1_over_x")], lambda: speeds(1e-9))
    out |= dict.fromkeys([f"smooth_mu_{name}" for name in ("a2", "a1_over_x")], lambda: speeds_and_coefficients(1e-9))
    out |= dict.fromkeys(
        [f"normal_adhesion_potential{name}" for name in ("", "_first_derivative", "_second_derivative")],
        normal_adhesion,
    )
    out["max_normal_adhesion_force_magnitude"] = lambda: [case[1:] for case in normal_adhesion()]
    random = np.random.default_rng(2)
    out["anisotropic_mu_eff_f"] = lambda: [tuple(np.abs(random.normal(size=(3, 2)))) for _ in range(20)]
    # When the distance is larger, ipctk leaves the time as it was in memory: see below.
    out["check_initial_distance"] = lambda: [(0.1, 0.5), (0.5, 0.5), (0.0, 0.0)]
    return out


def of_meshes():
    out = dict.fromkeys(
        ["mean_edge_length", "median_edge_length", "max_edge_length"], lambda: [mesh[:3] for mesh in meshes()]
    )
    lengths = [f"{kind}_displacement_length" for kind in ("mean", "median", "max")]
    out |= dict.fromkeys([*lengths, "world_bbox_diagonal_length"], lambda: [mesh[:1] for mesh in meshes()])
    out["suggest_good_voxel_size"] = lambda: [
        case
        for x, y, e, _ in meshes()
        for case in [(x, e), (x, e, 0.3), (x, y, e), (x, y, e, 0.3), (x, 100 * y, e), (x[:, :] * 0, e)]
    ]
    out["edges"] = lambda: [(f,) for f in distinct_faces()]
    out["vertex_to_min_edge"] = lambda: [(count, e) for *_, e, _ in meshes() for count in (12, 15)]
    return out


def distinct_faces():
    random = np.random.default_rng(5)
    for count in (1, 7, 60):
        yield np.array([random.choice(14, size=3, replace=False) for _ in range(count)])


TABLE = table()
# The size of the terms of which ipctk adds up a smaller value.
SCALE = {"normal_adhesion_potential": 7.0 * 2e-3**2}
# Compared in tests of their own: they take or give objects of the module, or nothing.
OBJECTS = {
    "barrier_force_magnitude",
    "barrier_force_magnitude_gradient",
    "build_edge_boxes",
    "build_face_boxes",
    "build_vertex_boxes",
    "edge_edge_mollifier_gradient_jacobian_wrt_x",
    "get_num_threads",
    "set_logger_level",
    "set_num_threads",
}


# Comparing.


def to_ours(value):
    """Members of ipctk's enumerations as ours; everything else as it is."""
    if hasattr(value, "__members__"):
        return getattr(ours, type(value).__name__)(int(value))
    return value


def same(found, expected, tolerance=TOLERANCE, scale=0.0):
    """Equal, or within the tolerance of the largest entry or of `scale`; infinite entries in the same places."""
    if isinstance(expected, (tuple, list)):
        return len(found) == len(expected) and all(same(a, b, tolerance, scale) for a, b in zip(found, expected))
    if hasattr(expected, "__members__"):
        return repr(found) == repr(expected)
    if isinstance(expected, (bool, int)):
        return type(found) is type(expected) and found == expected
    assert isinstance(found, float) == isinstance(expected, float)
    a, b = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    if a.shape != b.shape or not np.array_equal(a[~np.isfinite(b)], b[~np.isfinite(b)], equal_nan=True):
        return False
    finite = np.isfinite(b)
    scale = np.abs(b[finite]).max(initial=scale)
    return bool((np.abs(a[finite] - b[finite]) <= tolerance * scale).all())


def call_theirs(function, case):
    """ipctk wants arrays of 32-bit integers and of floats."""
    args = [x.astype(np.int32) if isinstance(x, np.ndarray) and x.dtype.kind == "i" else x for x in case]
    return getattr(ipctk, function)(*args)


def call_ours(function, case):
    return getattr(ours, function)(*[to_ours(x) for x in case])


@pytest.mark.parametrize("function", sorted(TABLE))
def test_parity(function):
    cases = list(TABLE[function]())
    assert cases
    for case in cases:
        found, expected = call_ours(function, case), call_theirs(function, case)
        if function == "point_static_plane_ccd" and not expected[0]:
            assert found == (False, math.inf)
            found, expected = found[0], expected[0]  # ipctk's time is then what was in memory
        scale = SCALE.get(function, 0.0)
        assert same(found, expected, scale=scale), f"{function}{case}: {found}, expected {expected}"


def functions_of(module):
    return {name for name in dir(module) if inspect.isroutine(getattr(module, name)) and not name.startswith("_")}


def test_every_function_is_in_the_table():
    mine = functions_of(ours) & functions_of(ipctk)
    assert mine - ELSEWHERE == set(TABLE) | OBJECTS


def test_names():
    """Every name of ipctk is there, and says so if it cannot be used."""
    assert not [name for name in dir(ipctk) if not hasattr(ours, name)]
    for name in NOT_HERE:
        with pytest.raises(NotImplementedError, match=name):
            getattr(ours, name)()


# Names of arguments.


def signatures(function):
    """Lists of argument names, from the documentation that the bindings write."""
    for line in re.findall(rf"^(?:\d+\. )?{function}\((.*)\) -> ", getattr(ipctk, function).__doc__, re.MULTILINE):
        yield re.findall(r"(\w+): ", re.sub("<.*?>", "", line))


OVERLOADED = {name for name in TABLE if "args" in inspect.signature(getattr(ours, name)).parameters}


@pytest.mark.parametrize("function", sorted((set(TABLE) | OBJECTS) - OVERLOADED - {"build_vertex_boxes"}))
def test_names_of_arguments(function):
    assert [list(inspect.signature(getattr(ours, function)).parameters)] == list(signatures(function))



@pytest.mark.parametrize("function", sorted(OVERLOADED))
def test_names_of_arguments_of_overloads(function):
    met = set()
    lists = list(signatures(function))
    extra = [speed for speed in speeds()] if "mollifier" in function else []
    extra += [(x[0], x[1], x[2] - x[1]) for x in point_sets(3, SPACE)] if "plane" in function else []
    for case in [*TABLE[function](), *extra]:
        if function == "suggest_good_voxel_size":
            names = lists[0] if case[1].dtype.kind == "i" else lists[1]
        else:
            (names,) = [names for names in lists if len(names) == len(case)]
        met.add(len(names))
        named = dict(zip(names, case))
        expected = call_theirs(function, case)
        assert same(getattr(ours, function)(**named), expected)
        assert same(getattr(ours, function)(*case), expected)
    assert len(met) == 2
    for wrong in [{}, dict.fromkeys("abc", 1.0)]:
        with pytest.raises(TypeError, match=function):
            getattr(ours, function)(**wrong)


# Forms of arguments.


def strided(x):
    """The same entries with others between them."""
    if not isinstance(x, np.ndarray):
        return x
    wide = np.repeat(x, 2, axis=x.ndim - 1)
    return wide[..., ::2]


def backwards(x):
    """The same entries, stored from the last to the first."""
    return x[::-1].copy()[::-1] if isinstance(x, np.ndarray) else x


def read_only(x):
    if isinstance(x, np.ndarray):
        x = x.copy()
        x.flags.writeable = False
    return x


def column(x):
    return x[:, None] if isinstance(x, np.ndarray) and x.ndim == 1 else x


def unaligned(x):
    """An array at an odd address."""
    if not isinstance(x, np.ndarray):
        return x
    record = np.zeros(x.shape, dtype=[("a", np.int8), ("b", x.dtype)])
    record["b"] = x
    return record["b"]


FORMS = {
    "list": lambda x: x.tolist() if isinstance(x, np.ndarray) else x,
    "tuple": lambda x: tuple(map(tuple, x.tolist())) if isinstance(x, np.ndarray) and x.ndim == 2 else x,
    "Fortran": lambda x: np.asfortranarray(x) if isinstance(x, np.ndarray) else x,
    "strided": strided,
    "backwards": backwards,
    "read-only": read_only,
    "column": column,
    "unaligned": unaligned,
    "big-endian": lambda x: x.astype(x.dtype.newbyteorder(">")) if isinstance(x, np.ndarray) else x,
    "int64": lambda x: x.astype(np.int64) if isinstance(x, np.ndarray) and x.dtype.kind == "i" else x,
    "uint8": lambda x: x.astype(np.uint8) if isinstance(x, np.ndarray) and x.dtype.kind == "i" else x,
    "0-d": lambda x: np.array(x) if type(x) is float else x,
    "float64": lambda x: np.float64(x) if type(x) is float else x,
}


def identical(a, b):
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(identical, a, b))
    return np.array_equal(a, b, equal_nan=True) if isinstance(a, (float, np.ndarray)) else a == b


@pytest.mark.parametrize("function", sorted(TABLE))
def test_forms_of_arguments(function):
    """Same bits from any form of the same numbers, and no argument changes."""
    for case in itertools.islice(TABLE[function](), 0, None, 17):
        case = [to_ours(x) for x in case]
        kept = [x.copy() if isinstance(x, np.ndarray) else x for x in case]
        expected = getattr(ours, function)(*case)
        for name, form in FORMS.items():
            found = getattr(ours, function)(*[form(x) for x in case])
            assert identical(found, expected), name
        assert identical(case, kept)


@pytest.mark.parametrize("function", sorted(TABLE))
def test_single_precision(function):
    """float32 is taken without further loss."""
    for case in itertools.islice(TABLE[function](), 0, None, 17):
        case = [to_ours(x) for x in case]
        single = [np.float32(x) if type(x) is float else x for x in case]
        single = [x.astype(np.float32) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x for x in single]
        double = [x.astype(float) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x for x in single]
        double = [float(x) if isinstance(x, np.float32) else x for x in double]
        assert identical(getattr(ours, function)(*single), getattr(ours, function)(*double))


# Wrong arguments.


def wrong_values(value):
    """What cannot stand in the place of an argument."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        bad = value.copy()
        bad.flat[-1] = np.nan
        yield from [bad, np.full_like(value, np.inf), value.astype(complex), value.astype(str), value[..., :1][..., 0:0]]
        yield from ["xyz", None, 7.0, np.ones((2, 2, 2)), [[1.0], [2.0, 3.0]]]
        if value.ndim == 1:
            yield np.append(value, [1.0, 2.0])
    elif isinstance(value, np.ndarray):
        yield from [value.astype(float), -1 - value, value + 10**6, value[:, :1], np.ones((3, 4), dtype=int), "xyz", None]
    elif isinstance(value, float):
        yield from [np.nan, "1.0", None, [1.0, 2.0], 1j]
    elif isinstance(value, int):
        yield from [-1, 2.5, "2", None, [2]]
    else:
        yield from [1, "AUTO", None]


@pytest.mark.parametrize("function", sorted(set(TABLE) - {"cross_product_matrix_jacobian"}))
def test_wrong_arguments(function):
    case = [to_ours(x) for x in next(iter(TABLE[function]()))]
    lists = {len(names): names for names in signatures(function)}
    names = lists.get(len(case)) or next(iter(lists.values()))
    tried = 0
    for place, value in enumerate(case):
        for wrong in wrong_values(value):
            if function == "edges" and isinstance(wrong, np.ndarray) and (wrong.shape[1:] == (3,)) and wrong.min() > 0:
                continue  # any vertex number will do
            if isinstance(wrong, float) and function.startswith("barrier") and names[place] == "d":
                assert math.isnan(wrong)
            args = [*case[:place], wrong, *case[place + 1 :]]
            with pytest.raises((ValueError, TypeError)) as caught:
                getattr(ours, function)(*args)
            if function not in OVERLOADED:
                # Where sizes differ, the first argument may be the odd one out.
                assert re.match(rf"({'|'.join(names)})[:\[,]", str(caught.value)), caught.value
            tried += 1
    assert tried >= 3
    with pytest.raises(TypeError):
        getattr(ours, function)(*case, 1, 2, 3)


NEGATIVE = [
    *[(name, ("y", "eps_v")) for name in TABLE if name.startswith("smooth_friction")],
    *[(name, ("y", "mu_s", "mu_k", "eps_v")) for name in TABLE if re.match(r"smooth_mu(_d|_f|$)", name)],
    *[(name, ("y", "mu_s", "mu_k", "eps_a")) for name in TABLE if name.startswith("smooth_mu_a")],
    *[(name, ("y", "eps_a")) for name in TABLE if name.startswith("tangential")],
    *[(name, ("d", "dhat_p", "dhat_a")) for name in TABLE if name.startswith("normal_adhesion")],
    *[(name, ("dhat",)) for name in ("barrier", "barrier_first_derivative", "barrier_second_derivative")],
    *[(name, ("dist",)) for name in TABLE if "aabb" in name],
    ("edge_edge_mollifier_derivative_wrt_eps_x", ("x", "eps_x")),
    ("check_initial_distance", ("min_distance",)),
    ("project_to_pd", ("eps",)),
    ("point_static_plane_ccd", ("conservative_rescaling",)),
    ("max_normal_adhesion_force_magnitude", ("dhat_p", "dhat_a")),
]


@pytest.mark.parametrize(("function", "parameters"), NEGATIVE)
def test_negative_parameters(function, parameters):
    case = next(iter(TABLE[function]()))
    (names,) = signatures(function)
    for parameter in parameters:
        named = dict(zip(names, case)) | {parameter: -0.5}
        with pytest.raises(ValueError, match=f"^{parameter}: is -0.5"):
            getattr(ours, function)(**named)


def test_wrong_numbers_of_vertices():
    with pytest.raises(ValueError, match="^edges: row 1 names 4, expected 0 to 3"):
        ours.mean_edge_length(np.zeros((4, 3)), np.zeros((4, 3)), [[0, 1], [2, 4]])
    with pytest.raises(ValueError, match="^vertices_t1: has 5 rows, expected 4"):
        ours.max_edge_length(np.zeros((4, 3)), np.zeros((5, 3)), [[0, 1]])
    with pytest.raises(ValueError, match="^edges: row 0 names -1"):
        ours.vertex_to_min_edge(4, [[-1, 0]])
    with pytest.raises(ValueError, match="^vertices: row 2 is not finite"):
        ours.world_bbox_diagonal_length([[0, 0], [1, 1], [np.nan, 0]])


def test_what_has_no_direction():
    zero, one = np.zeros(3), np.ones(3)
    cases = [
        (ours.triangle_normal, (zero, one, 2 * one)),
        (ours.triangle_area_gradient, (zero, one, 2 * one)),
        (ours.line_line_normal_hessian, (zero, one, one, 3 * one)),
        (ours.normalization_jacobian, (zero,)),
        (ours.edge_length_gradient, (one, one)),
        (ours.dihedral_angle, (zero, one, 2 * one, [1, 0, 0])),
        (ours.point_line_normal, (one, zero, 2 * one)),
        (ours.point_plane_distance, (one, zero, zero)),
        (ours.Hyperplane, (zero, one)),
        (ours.edge_edge_parallel_distance_type, (zero, zero, one, one)),
    ]
    for function, args in cases:
        with pytest.raises(ValueError):
            function(*args)


# Where ipctk is wrong or undefined.


def differences(function, x, h=1e-6):
    """Central differences of a function of a vector, one column per entry."""
    steps = h * np.eye(len(x))
    return np.transpose([(function(x + step) - function(x - step)) / (2 * h) for step in steps])


def test_mollifier_by_the_rest_shape():
    """D4: by differences of ∂m/∂u where positions are X + u, ours is right and ipctk's is not."""
    errors, theirs = [], []
    for rest, x in nearly_parallel(60):
        rest, x = np.array(rest), np.array(x)
        if not 0.05 < ours.edge_edge_mollifier(*x, ours.edge_edge_mollifier_threshold(*rest)) < 0.95:
            continue
        u = x - rest

        def gradient(flat, u=u):
            at_rest = flat.reshape(4, 3)
            eps = ours.edge_edge_mollifier_threshold(*at_rest)
            return ours.edge_edge_mollifier_gradient(*(at_rest + u), eps)

        truth = differences(gradient, rest.ravel())
        scale = np.abs(truth).max()
        errors.append(np.abs(ours.edge_edge_mollifier_gradient_jacobian_wrt_x(*rest, *x) - truth).max() / scale)
        theirs.append(np.abs(ipctk.edge_edge_mollifier_gradient_jacobian_wrt_x(*rest, *x) - truth).max() / scale)
    assert len(errors) > 15
    assert max(errors) < 1e-5
    assert np.median(theirs) > 0.05
    assert not ours.edge_edge_mollifier_gradient_jacobian_wrt_x(*np.eye(4, 3), *np.eye(4, 3)).any()


@pytest.mark.parametrize("eps", [1e-3, 0.7])
def test_tangential_adhesion_at_rest(eps):
    """D6: at rest f₁/y and f₁′ are their limits 2/ε, where ipctk has 0."""
    for name in ("f1_over_x", "f2"):
        function = getattr(ours, f"tangential_adhesion_{name}")
        assert function(0.0, eps) == pytest.approx(function(1e-12 * eps, eps), rel=1e-9) == pytest.approx(2 / eps)
        assert getattr(ipctk, f"tangential_adhesion_{name}")(0.0, eps) == 0
    for name in ("a1_over_x", "a2"):
        function = getattr(ours, f"smooth_mu_{name}")
        assert function(0.0, 0.5, 0.3, eps) == pytest.approx(2 * 0.5 / eps)


def test_derivatives_of_adhesion():
    """f₀′ = f₁, f₁′ = f₂, and the same with μ, on both sides of every threshold."""
    eps, h = 0.1, 1e-7
    for y in [0.01, 0.04, 0.06, 0.09, 0.11, 0.15, 0.19, 0.25]:
        for a, b, rest in [
            (ours.tangential_adhesion_f0, ours.tangential_adhesion_f1, ()),
            (ours.tangential_adhesion_f1, ours.tangential_adhesion_f2, ()),
            (ours.smooth_mu_a0, ours.smooth_mu_a1, (0.5, 0.3)),
            (ours.smooth_mu_a1, ours.smooth_mu_a2, (0.5, 0.3)),
            (ours.smooth_mu_f0, ours.smooth_mu_f1, (0.5, 0.3)),
            (ours.smooth_mu_f1, ours.smooth_mu_f2, (0.5, 0.3)),
            (ours.smooth_mu, ours.smooth_mu_derivative, (0.5, 0.3)),
        ]:
            slope = (a(y + h, *rest, eps) - a(y - h, *rest, eps)) / (2 * h)
            assert slope == pytest.approx(b(y, *rest, eps), abs=1e-6)


def test_normal_adhesion_force_is_by_the_argument():
    """D8: the function gives max ∂a/∂d by its own argument; the factor 2d belongs to whoever puts in d²."""
    p, a, a2 = 1e-3, 2e-3, -7.0
    slopes = [ours.normal_adhesion_potential_first_derivative(d, p, a, a2) for d in np.linspace(0, a, 2001)]
    assert max(slopes) == pytest.approx(ours.max_normal_adhesion_force_magnitude(p, a, a2))
    for d in [2e-4, 1.5e-3, 3e-3]:
        h = 1e-9
        ends = [ours.normal_adhesion_potential(d + s, p, a, a2) for s in (h, -h)]
        slope = ours.normal_adhesion_potential_first_derivative(d, p, a, a2)
        assert (ends[0] - ends[1]) / (2 * h) == pytest.approx(slope, abs=1e-9)


def test_numbers_at_the_ends_of_their_range():
    """No function divides by zero or overflows with an exception."""
    tiny, huge = 5e-324, 1e300
    for barrier in every_barrier():
        for d, dhat in itertools.product([0.0, tiny, 1e-160, 1.0, huge, math.inf], [tiny, 1e-160, 1.0, huge]):
            values = barrier(d, dhat), barrier.first_derivative(d, dhat), barrier.second_derivative(d, dhat)
            assert values[0] >= 0 or math.isnan(values[0])
    for name in [name for name in TABLE if re.match("smooth_friction|tangential_adhesion", name)]:
        for y, eps in itertools.product([0.0, tiny, 1e-160, 1.0, huge], [tiny, 1e-160, 1.0, huge]):
            assert isinstance(getattr(ours, name)(y, eps), float)
    for name in [name for name in TABLE if name.startswith("smooth_mu")]:
        for y, eps in itertools.product([0.0, tiny, 1e-160, 1.0, huge], [tiny, 1e-160, 1.0, huge]):
            for s, k in [(0.0, 0.0), (0.0, 0.5), (0.5, 0.0), (0.5, 0.3)]:
                assert isinstance(getattr(ours, name)(y, s, k, eps), float)


def test_edges_of_parallel_pairs():
    """Where edges are parallel to the last bit, the types are ipctk's, and distances are finite in every type."""
    random = np.random.default_rng(11)
    met = set()
    for _ in range(500):
        a0, along = random.integers(-4, 5, size=(2, 3)).astype(float)
        if not along.any():
            continue
        b0 = a0 + along * random.integers(-8, 9) / 4 + random.integers(-3, 4, size=3)
        b1 = b0 + along * random.choice([-2, -1, -0.5, 0.25, 1, 3])
        edges = (a0, a0 + along, b0, b1)
        kind = ours.edge_edge_distance_type(*edges)
        assert kind.name == ipctk.edge_edge_distance_type(*edges).name
        assert kind is ours.edge_edge_parallel_distance_type(*edges)
        assert same(ours.edge_edge_distance(*edges), ipctk.edge_edge_distance(*edges), 1e-9)
        assert np.isfinite(ours.line_line_distance_hessian(*edges)).all()
        met.add(kind.name)
    assert met == set(ours.EdgeEdgeDistanceType.__members__) - {"EA_EB", "AUTO"}


def test_parts_by_name():
    """The compiled module names the parts that it does not know, and takes rows in a tuple as well as in an array."""
    from stiction import _stiction as native
    from stiction._stiction import drop_in

    for kind, count in [("vv", 2), ("ve", 3), ("ee", 4), ("vf", 4)]:
        for x in any_points(count, SPACE):
            closest = native.closest_distance_squared(kind, np.array(x))
            part = native.closest_features(kind, x)
            for rows in (x, np.array(x), list(x), tuple(p.tolist() for p in x)):
                assert same(drop_in.part_distance_squared(kind, rows, part), closest)
                assert same(drop_in.part_distance_squared(kind, rows), closest)
        for wrong in ["", "middle", "inside "]:
            if (kind, wrong) != ("vv", ""):
                with pytest.raises(ValueError, match=f"^part: {wrong!r}".replace("'", '"')):
                    drop_in.part_distance_squared_gradient(kind, x, wrong)
        for rows in [x[:-1], (), (*x[:-1], x[0][:2]), (*x[:-1], np.full(3, np.nan)), (*x[:-1], x[0].astype(complex))]:
            with pytest.raises(ValueError, match="^x: "):
                drop_in.part_distance_squared_hessian(kind, rows)


# Crossings.


def fractions_meet(x):
    """Whether a segment and a triangle of small whole numbers share a point, from the equations, exactly."""
    from fractions import Fraction

    e0, e1, t0, t1, t2 = [[Fraction(int(v)) for v in p] for p in x]
    matrix = [[t1[k] - t0[k], t2[k] - t0[k], e0[k] - e1[k]] for k in range(3)]
    right = [e0[k] - t0[k] for k in range(3)]

    def det(m):
        (a, b, c), (d, e, f), (g, h, i) = m
        return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)

    whole = det(matrix)
    if whole == 0:
        return None
    u, v, t = (
        det([[*row[:k], r, *row[k + 1 :]] for row, r in zip(matrix, right)]) / whole for k in range(3)
    )
    return u >= 0 and v >= 0 and u + v <= 1 and 0 <= t <= 1


def test_crossings_are_exact():
    """On a small lattice, where edges touch vertices, edges and insides, ours is what the equations say."""
    random, counts, wrong = np.random.default_rng(12), [0, 0], 0
    for _ in range(4000):
        x = random.integers(0, 4, size=(5, 3)).astype(float)
        truth = fractions_meet(x)
        if truth is None:
            continue
        assert ours.is_edge_intersecting_triangle(*x) == truth
        found, u, v, t = ours.edge_triangle_intersection(*x)
        assert found == truth
        if truth:
            assert np.allclose(x[2] + u * (x[3] - x[2]) + v * (x[4] - x[2]), x[0] + t * (x[1] - x[0]), atol=1e-12)
        counts[truth] += 1
        wrong += ipctk.is_edge_intersecting_triangle(*x) != truth
    assert min(counts) > 200
    assert wrong > 0  # ipctk rounds


def test_crossings_in_one_plane_and_without_extent():
    triangle = [[0, 0, 0], [4, 0, 0], [0, 4, 0]]
    inside, beside = ([1, 1, 0], [2, 1, 0]), ([3, 3, 0], [5, 1, 0])
    assert ours.is_edge_intersecting_triangle(*inside, *triangle)
    assert not ours.is_edge_intersecting_triangle(*beside, *triangle)
    hit = ours.edge_triangle_intersection(*inside, *triangle)
    assert hit[0] is True
    assert all(math.isnan(x) for x in hit[1:])
    assert ours.is_edge_intersecting_triangle([1, 1, 0], [1, 1, 0], *triangle)
    assert ours.segment_segment_intersect([0, 0], [2, 2], [1, 1], [1, 1])
    assert not ours.segment_segment_intersect([0, 0], [2, 2], [3, 3], [4, 4])
    assert ours.segment_segment_intersect([0, 0], [2, 2], [1, 1], [4, 4])
    assert not ours.segment_segment_intersect([0, 0], [1, 0], [0, 1e-300], [1, 1e-300])


# Enumerations.

ENUMS = ["PointEdgeDistanceType", "PointTriangleDistanceType", "EdgeEdgeDistanceType", "PSDProjectionMethod", "LoggerLevel"]


@pytest.mark.parametrize("name", ENUMS)
def test_enumerations(name):
    mine, theirs = getattr(ours, name), getattr(ipctk, name)
    assert list(mine.__members__) == list(theirs.__members__)
    for member, value in theirs.__members__.items():
        found = getattr(mine, member)
        assert (found.name, found.value, int(found), hash(found)) == (member, value.value, int(value), hash(value))
        assert (repr(found), str(found)) == (repr(value), str(value))
        assert mine(value.value) is mine(np.int32(value.value)) is mine(found) is found
        assert found == found and found != int(found) and found is not None
        assert list(range(20))[found] == int(value)
        assert pickle.loads(pickle.dumps(found)) is found
        assert repr(getattr(ours, member)) == repr(getattr(ipctk, member))
        with pytest.raises(TypeError):
            found < found  # noqa: B015
    for wrong in [99, "a", None]:
        with pytest.raises((ValueError, TypeError)):
            mine(wrong)


# Barriers.

BARRIERS = ["ClampedLogBarrier", "NormalizedClampedLogBarrier", "ClampedLogSqBarrier", "CubicBarrier", "TwoStageBarrier"]


def every_barrier():
    return [getattr(ours, name)() for name in BARRIERS]


@pytest.mark.parametrize("name", BARRIERS)
def test_barriers(name):
    mine, theirs = getattr(ours, name)(), getattr(ipctk, name)()
    for d, dhat in distances_and_dhats():
        if d < 0 and name == "TwoStageBarrier":
            # ipctk: nan, and derivatives of the wrong sign.
            assert (mine(d, dhat), mine.first_derivative(d, dhat), mine.second_derivative(d, dhat)) == (
                math.inf,
                -math.inf,
                math.inf,
            )
            continue
        assert same(mine(d, dhat), theirs(d, dhat)), (d, dhat)
        assert same(mine.first_derivative(d, dhat), theirs.first_derivative(d, dhat)), (d, dhat)
        assert same(mine.second_derivative(d, dhat), theirs.second_derivative(d, dhat)), (d, dhat)
        assert same(mine.units(dhat), theirs.units(dhat))
    assert mine(d=0.1, dhat=0.2) == mine(0.1, 0.2) == mine(np.float32(0.1).astype(float) * 0 + 0.1, 0.2)
    assert mine(math.inf, 0.2) == mine(1, 0.2) == 0
    for wrong in [(math.nan, 1.0), (0.1, 0.0), (0.1, -1.0), (0.1, math.inf), ("0.1", 1.0), (None, 1.0), ([0.1], 1.0)]:
        for function in (mine, mine.first_derivative, mine.second_derivative):
            with pytest.raises((ValueError, TypeError), match="^d"):
                function(*wrong)


def test_classes_of_barriers():
    for name in BARRIERS:
        bases = [base.__name__ for base in getattr(ipctk, name).__mro__]
        assert [base.__name__ for base in getattr(ours, name).__mro__][:-1] == bases[: bases.index("Barrier") + 1]


def test_barriers_written_in_python():
    class Parabola(ours.Barrier):
        def __init__(self):
            super().__init__()

        def __call__(self, d, dhat):
            return (dhat - d) ** 2

        def first_derivative(self, d, dhat):
            return -2 * (dhat - d)

        def second_derivative(self, d, dhat):
            return 2.0

        def units(self, dhat):
            return dhat**2

    d, dhat, kappa, dmin = 0.02, 0.05, 3.0, 0.01
    force = ours.barrier_force_magnitude(d**2, Parabola(), dhat, kappa, dmin)
    assert force == pytest.approx(-kappa * -2 * ((2 * dmin + dhat) * dhat - d**2 + dmin**2) * 2 * d)
    for method in ("__call__", "first_derivative", "second_derivative"):
        with pytest.raises(NotImplementedError, match=method):
            getattr(ours.Barrier(), method)(0.1, 1.0)
    with pytest.raises(RuntimeError):  # as ipctk has it
        ours.Barrier().units(1.0)


@pytest.mark.parametrize("name", BARRIERS)
def test_force_of_a_barrier(name):
    mine, theirs = getattr(ours, name)(), getattr(ipctk, name)()
    gradient = np.random.default_rng(1).normal(size=12)
    for d, dmin, kappa in itertools.product([2e-3, 0.05, 0.099, 0.2], [0.0, 1e-4, 1e-3], [1.0, 2e5]):
        found = ours.barrier_force_magnitude(d**2, mine, 0.1, kappa, dmin)
        assert same(found, ipctk.barrier_force_magnitude(d**2, theirs, 0.1, kappa, dmin))
        found = ours.barrier_force_magnitude_gradient(d**2, gradient, mine, 0.1, kappa, dmin)
        assert same(found, ipctk.barrier_force_magnitude_gradient(d**2, gradient, theirs, 0.1, kappa, dmin))
    wrong = [(-1.0, mine, 0.1, 1.0, 0.0), (1e-4, mine, -0.1, 1.0, 0.0), (1e-4, mine, 0.1, -1.0, 0.0)]
    for args in [*wrong, (1e-4, mine, 0.1, 1.0, -1e-3), (math.nan, mine, 0.1, 1.0)]:
        with pytest.raises(ValueError):
            ours.barrier_force_magnitude(*args)
        with pytest.raises(ValueError):
            ours.barrier_force_magnitude_gradient(args[0], gradient, *args[1:])
    for d in (0.0, 1e-3):  # in contact or beyond: infinite forces have no gradient
        assert not math.isnan(ours.barrier_force_magnitude(d**2, mine, 0.1, 1.0, 1e-3))
    with pytest.raises(ValueError, match="^distance_squared: "):
        ours.barrier_force_magnitude_gradient(0.0, gradient, mine, 0.1, 1.0, 1e-3)
    with pytest.raises(TypeError, match="^barrier: is of type str, expected Barrier"):
        ours.barrier_force_magnitude(1e-4, "cubic", 0.1, 1.0)
    with pytest.raises(ValueError, match="^distance_squared_gradient: entry 3 is not finite"):
        ours.barrier_force_magnitude_gradient(1e-4, np.where(np.arange(12) == 3, np.nan, 0), mine, 0.1, 1.0)


def test_barriers_are_those_of_the_compiled_module():
    from stiction._stiction import barrier_derivatives, barrier_value
    from stiction.ipctk._barrier import native_name

    d, dhat, dmin = np.array([0.011, 0.02, 0.05, 0.09]), 0.1, 0.01
    for barrier in every_barrier():
        s, s_hat = d**2 - dmin**2, (2 * dmin + dhat) * dhat
        name = native_name(barrier)
        assert same([barrier(x, s_hat) for x in s], barrier_value(d**2, dhat, dmin, name).tolist())
        first, second = barrier_derivatives(d**2, dhat, dmin, name)
        assert same([barrier.first_derivative(x, s_hat) for x in s], first.tolist())
        assert same([barrier.second_derivative(x, s_hat) for x in s], second.tolist())

    class Other(ours.ClampedLogBarrier):
        pass

    assert native_name(Other()) is None


# Boxes.


def box(b):
    return np.array([b.min, b.max]), list(b.vertex_ids)


def test_boxes():
    random = np.random.default_rng(13)
    for dimension in (2, 3):
        p, q, r, s = random.normal(size=(4, dimension))
        for args in [(p,), (p, 0.3), (p, q), (p, q, 0.3)]:
            assert identical(box(ours.AABB.from_point(*args))[0], box(ipctk.AABB.from_point(*args))[0])
        low, high = np.minimum(p, q), np.maximum(p, q)
        mine, theirs = ours.AABB(low, high), ipctk.AABB(low, high)
        assert identical(box(mine)[0], box(theirs)[0])
        assert (repr(mine), str(mine)) == (repr(theirs), str(theirs))
        other = ours.AABB.from_point(r), ipctk.AABB.from_point(r)
        third = ours.AABB.from_point(s), ipctk.AABB.from_point(s)
        assert identical(box(ours.AABB(mine, other[0]))[0], box(ipctk.AABB(theirs, other[1]))[0])
        three = ours.AABB(mine, other[0], third[0]), ipctk.AABB(theirs, other[1], third[1])
        assert identical(box(three[0])[0], box(three[1])[0])
        found = ours.AABB.conservative_inflation(low, high, 0.2)
        assert identical(found, ipctk.AABB.conservative_inflation(low, high, 0.2))
    assert repr(ours.AABB()) == repr(ipctk.AABB())


def test_which_boxes_meet():
    random = np.random.default_rng(14)
    met = set()
    for _ in range(300):
        corners = np.sort(random.integers(0, 5, size=(2, 2, 3)), axis=1).astype(float)
        mine, theirs = [ours.AABB(*c) for c in corners], [ipctk.AABB(*c) for c in corners]
        found = mine[0].intersects(mine[1])
        assert found is theirs[0].intersects(theirs[1])
        met.add(found)
    assert met == {True, False}


def test_corners_can_be_written():
    b = ours.AABB([0, 0], [1, 1])
    b.min = [-1, -1]
    b.max[2] = 4
    b.vertex_ids = [3, 4, 5]
    assert box(b) == (pytest.approx(np.array([[-1, -1, 0], [1, 1, 4]])), [3, 4, 5])
    assert identical(box(pickle.loads(pickle.dumps(b))), box(b))


def test_boxes_of_meshes():
    for start, end, edges, faces in meshes():
        for args in [(start,), (start, 0.1), (start, end), (start, end, 0.1)]:
            mine, theirs = ours.build_vertex_boxes(*args), ipctk.build_vertex_boxes(*args)
            assert identical([box(b) for b in mine], [box(b) for b in theirs])
            edges, faces = edges.astype(np.int32), faces.astype(np.int32)
            found, expected = ours.build_edge_boxes(mine, edges), ipctk.build_edge_boxes(theirs, edges)
            assert identical([box(b) for b in found], [box(b) for b in expected])
            found, expected = ours.build_face_boxes(mine, faces), ipctk.build_face_boxes(theirs, faces)
            assert identical([box(b) for b in found], [box(b) for b in expected])
        named = ours.build_vertex_boxes(vertices_t0=start, vertices_t1=end, inflation_radius=0.1)
        assert identical([box(b) for b in named], [box(b) for b in mine])
        assert ours.build_edge_boxes(mine, []) == []


@pytest.mark.parametrize(
    "call",
    [
        lambda: ours.AABB([0, 0, 0], [1, -1, 1]),
        lambda: ours.AABB([0, 0, 0], [1, 1]),
        lambda: ours.AABB([0, np.nan], [1, 1]),
        lambda: ours.AABB([0, 0]),
        lambda: ours.AABB(ours.AABB(), 3),
        lambda: ours.AABB(*[ours.AABB()] * 4),
        lambda: ours.AABB.from_point([0, 0], -0.1),
        lambda: ours.AABB.from_point([0, 0], [0, 0, 0]),
        lambda: ours.AABB.from_point(),
        lambda: ours.AABB().intersects(None),
        lambda: setattr(ours.AABB(), "min", [1, 2, np.inf]),
        lambda: ours.build_vertex_boxes(np.zeros((3, 4))),
        lambda: ours.build_vertex_boxes(np.zeros((3, 3)), np.zeros((4, 3))),
        lambda: ours.build_vertex_boxes(np.zeros((3, 3)), -1.0),
        lambda: ours.build_edge_boxes([ours.AABB()], [[0, 1]]),
        lambda: ours.build_edge_boxes([ours.AABB(), 3], [[0, 1]]),
        lambda: ours.build_face_boxes([ours.AABB()] * 3, [[0, 1]]),
    ],
)
def test_wrong_boxes(call):
    with pytest.raises((ValueError, TypeError)):
        call()


# Planes, threads, logger, matrices.


def test_planes():
    random = np.random.default_rng(15)
    for _ in range(20):
        normal, point = random.normal(size=(2, 3))
        mine, theirs = ours.Hyperplane(normal, point), ipctk.Hyperplane(normal, point)
        assert same(mine.normal(), theirs.normal())
        assert same(mine.offset(), theirs.offset())
        assert same(mine.origin(), theirs.origin())
        # Documented by ipctk, but not there.
        assert same(ours.Hyperplane(normal, mine.offset()).origin(), theirs.origin())
        copy = pickle.loads(pickle.dumps(mine))
        assert identical([copy.normal(), copy.offset()], [mine.normal(), mine.offset()])
    assert ours.Hyperplane().normal().tolist() == [0, 0, 1]
    for wrong in [([0, 0, 1], [0, 0]), ([0, 0, np.nan], [0, 0, 0]), ([1], [1]), ([0, 0, 1], None)]:
        with pytest.raises((ValueError, TypeError)):
            ours.Hyperplane(*wrong)


def test_points_and_static_planes():
    """No time is left undefined: it is infinite where ipctk gives what was in memory."""
    up, down, zero = [0, 0, 1], [0, 0, -1], [0, 0, 0]
    assert ours.point_static_plane_ccd(up, down, zero, [0, 0, 3]) == (True, pytest.approx(0.4))
    assert ours.point_static_plane_ccd(up, [0, 0, 2], zero, up) == (False, math.inf)
    assert ours.point_static_plane_ccd(up, up, zero, up) == (False, math.inf)
    assert ours.point_static_plane_ccd(up, [0, 0, 0.3], zero, up) == (False, math.inf)
    assert ours.point_static_plane_ccd(up, [0, 0, 0.1], zero, up) == (True, pytest.approx(0.8 / 0.9))
    assert ours.check_initial_distance(1.0, 0.5) == (False, math.inf)
    for wrong in [(up, down, zero, zero), (up, down, zero, up, 1.5), (up, down, zero, up, 0.0)]:
        with pytest.raises(ValueError):
            ours.point_static_plane_ccd(*wrong)


def test_points_and_static_lines():
    """In 2D ipctk may read a third coordinate that is not there: ours is what it says of the same points in 3D."""
    for *x, rescaling in planes(dimension=2):
        found = ours.point_static_plane_ccd(*x, rescaling)
        expected = ipctk.point_static_plane_ccd(*np.pad(x, [(0, 0), (0, 1)]), rescaling)
        assert found[0] == expected[0]
        assert not found[0] or same(found, expected)


def test_a_point_in_the_plane_is_worth_a_word(caplog):
    with caplog.at_level(logging.WARNING, logger="stiction.ipctk"):
        assert ours.point_static_plane_ccd([0, 0], [1, 1], [0, 0], [0, 1]) == (True, 0.0)
    assert "in the plane" in caplog.text


def test_logger_level(caplog):
    try:
        ours.set_logger_level(ours.off)
        ours.check_initial_distance(0.1, 0.5)
        assert not caplog.records
        ours.set_logger_level(level=ours.LoggerLevel.warn)
        ours.check_initial_distance(0.1, 0.5)
        assert len(caplog.records) == 1
    finally:
        logging.getLogger("stiction.ipctk").setLevel(logging.NOTSET)
    for wrong in [3, "warn", None]:
        with pytest.raises(TypeError, match="^level"):
            ours.set_logger_level(wrong)


def test_number_of_threads():
    before, theirs = ours.get_num_threads(), ipctk.get_num_threads()
    try:
        for count in (1, 2, 0, -1, 10_000):
            ours.set_num_threads(count)
            ipctk.set_num_threads(count)
            assert ours.get_num_threads() == ipctk.get_num_threads()
        for wrong in ["1", None, 1.5]:
            with pytest.raises(TypeError, match="^nthreads"):
                ours.set_num_threads(wrong)
    finally:
        ours.set_num_threads(before)
        ipctk.set_num_threads(theirs)


def test_matrices_that_are_not_symmetric():
    for wrong in [np.array([[1.0, 2.0], [0.0, 1.0]]), np.zeros((2, 3)), np.zeros(4), [[np.nan]]]:
        for function in (ours.project_to_psd, ours.project_to_pd):
            with pytest.raises(ValueError, match="^A: "):
                function(wrong)
    a = np.eye(3)
    ours.project_to_psd(a)[0, 0] = 7  # what comes back is not the argument
    assert a[0, 0] == 1
