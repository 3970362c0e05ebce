"""Arguments for the fuzzer: a small scene of everything in 2D and 3D, and makers of arguments by the names of parameters."""

import itertools
import warnings

import numpy as np

import stiction
import stiction.ipctk as ipctk

FLAT = np.array([[0.0, 0], [1, 0], [0.5, 0.05], [0.5, 1], [2.0, 0.03], [2.5, 0.5]])
SOLID = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 0.05], [1.2, 0.2, 0.9], [0.2, 1.2, 0.9], [0.3, 0.3, 0.08]])
TETRAHEDRA = [[0, 1, 2, 3], [0, 1, 2, 6]]
ROWS = {"vv": 2, "ve": 3, "ee": 4, "vf": 4}
KINDS = [*ROWS, "parallel", "obstacle", "ef", "v", "e", "f", "vf "]
BARRIERS = ["clamped_log", "normalized_clamped_log", "clamped_log_squared", "cubic", "two_stage", "linear_log", "linear_log_squared"]
LAWS = ["peak", "smooth_mu", "adhesion"]
BLOCK = {"box": {"center": [0.0, 0.1005], "size": [0.2, 0.2], "cells": [1, 1]}}


def scene_values():
    """A block on a plane, as a dictionary."""
    return {
        "dimension": 2,
        "gravity": [0.0, -9.81],
        "time": {"step": 0.01, "end": 0.03},
        "contact": {"dhat": 1e-3},
        "friction": {"mu": 0.5, "eps_v": 1e-3},
        "bodies": [
            {
                "name": "block",
                "shape": {"box": {"center": [0.0, 0.1005], "size": [0.2, 0.2], "cells": [1, 1]}},
                "material": {"young": 1e6, "poisson": 0.4, "density": 1000.0},
            }
        ],
        "planes": [{"point": [0.0, 0.0], "normal": [0.0, 1.0]}],
    }


class Parabola:
    """A barrier of Python."""

    def __call__(self, s, s_hat):
        return (s - s_hat) ** 2

    def first_derivative(self, s, s_hat):
        return 2 * (s - s_hat)

    def second_derivative(self, s, s_hat):
        return 2.0

    def units(self, s_hat):
        return s_hat**2


class Space:
    """Objects in one dimension that fit each other."""

    def __init__(self, dimension):
        self.dimension = dimension
        self.x = FLAT if dimension == 2 else SOLID
        self.edges = np.array([[0, 1], [2, 3]] if dimension == 2 else [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]])
        self.faces = np.zeros((0, 3), int) if dimension == 2 else np.array([[0, 1, 2], [3, 4, 5]])
        self.planes = [(np.full(dimension, -0.05), np.eye(dimension)[-1])]
        loose = [4] if dimension == 2 else [6]
        self.surface = stiction.Surface(self.x, self.edges, self.faces if dimension == 3 else None, loose)
        self.candidates = stiction.candidates(self.surface, self.x, inflation=0.1)
        self.contacts = stiction.Contacts(self.surface, self.x, 0.1, self.planes, shape_derivatives=True)
        self.barrier = stiction.BarrierPotential(0.1, 1e3)
        self.policy = stiction.StiffnessPolicy(self.surface, 0.1, np.linspace(1e6, 2e6, len(self.x)))
        self.slides = stiction.Slides(self.contacts, self.x, self.barrier, 0.5, static_axes=[0.5, 0.3], kinetic_axes=[0.4, 0.2])
        self.region = stiction.TrustRegion(self.surface, 0.1)
        self.region.update(self.x)
        self.filters = [stiction.Filter.bodies(self.surface), stiction.Filter.excluding([[0, 2]])]
        self._add_assembly()
        self._add_drop_in()

    def _add_assembly(self):
        mesh = (self.x, self.edges) if self.dimension == 2 else (self.x, self.faces)
        self.mesh = mesh
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assembly = stiction.IPCContact(mesh, dhat=0.1, dhat_is_relative=False, friction_coefficient=0.3, excluded_rings=2)
            self.assembly.initialize(stiffness=1e5)

    def _add_drop_in(self):
        self.collision_mesh = ipctk.CollisionMesh(self.x, self.edges, self.faces)
        self.collisions = ipctk.NormalCollisions()
        self.collisions.build(self.collision_mesh, self.x, 0.1)
        self.tangential = ipctk.TangentialCollisions()
        self.drop_in_barrier = ipctk.BarrierPotential(0.1, 1e3)
        self.tangential.build(self.collision_mesh, self.x, self.collisions, self.drop_in_barrier, 0.4)
        self.drop_in_candidates = ipctk.Candidates()
        self.drop_in_candidates.build(self.collision_mesh, self.x, 0.1)

    def objects(self):
        """All that have methods."""
        return [value for value in vars(self).values() if type(value).__module__.startswith("stiction")] + self.filters


class World:
    """Everything that calls are made on, made anew for every block of calls."""

    def __init__(self):
        self.spaces = {2: Space(2), 3: Space(3)}
        self.scene = stiction.Scene(scene_values())
        self.simulation = stiction.Simulation(self.scene)
        self.law = stiction.FrictionLaw("stribeck", speed=0.1)
        self.friction = stiction.FrictionPotential(0.01)
        self.mesh_file = stiction.Mesh(SOLID, triangles=[[0, 1, 2]], tetrahedra=TETRAHEDRA)
        self.vertex_filter = stiction.VertexFilter.patches([0, 0, 1, 1, 2, 2, 2])
        self.others = [ipctk.FrictionPotential(0.01), ipctk.TightInclusionCCD(), ipctk.AdditiveCCD(), ipctk.ClampedLogBarrier()]

    def objects(self):
        """All objects whose methods are called."""
        own = [self.scene, self.simulation, self.law, self.friction, self.mesh_file, self.vertex_filter, *self.others]
        return own + [thing for space in self.spaces.values() for thing in space.objects()]


def makers():
    """Makers of valid arguments by the names of parameters: functions of a random generator, the world, and what a call has chosen."""
    number = lambda *choices: lambda r, w, c: r.choice(choices)
    space = lambda name: lambda r, w, c: getattr(c["space"], name)
    table = {}
    for names, make in [
        ("x vertices rest positions points p u v du x_end start end predicted step x_start vertices_t0 vertices_t1 rest_positions "
         "lagged_displacements velocities V displacements dx centers", field),
        ("dhat min_distance dmin inflation reach inflation_radius", number(0.1, 0.05, 0.0, 1e-3)),
        ("kappa stiffness barrier_stiffness strength force peak radius mu mu_s mu_k eps_v h speed viscous h_hat mean_mass diagonal scale "
         "first gap tolerance time_step friction_coefficient kinetic_coefficient", number(0.5, 1.0, 0.1, 1e3, 1)),
        ("kind kinds", lambda r, w, c: c["kind"]),
        ("surface", space("surface")), ("contacts", space("contacts")), ("slides used again", space("slides")),
        ("mesh", lambda r, w, c: r.choice([c["space"].mesh, c["space"].collision_mesh, w.mesh_file])),
        ("collisions normal_collisions", lambda r, w, c: r.choice([c["space"].collisions, c["space"].tangential])),
        ("normal_potential", space("drop_in_barrier")), ("potential", space("barrier")),
        ("edges", space("edges")), ("faces triangles", space("faces")), ("tetrahedra", lambda r, w, c: TETRAHEDRA),
        ("obstacles planes", space("planes")), ("candidates near", space("candidates")),
        ("filter first_filter", lambda r, w, c: r.choice(c["space"].filters)), ("other", lambda r, w, c: r.choice([*c["space"].filters, w.vertex_filter])),
        ("scene", lambda r, w, c: w.scene), ("values", lambda r, w, c: values(r)), ("text", lambda r, w, c: w.scene.text),
        ("path folder", lambda r, w, c: r.choice(["m.obj", "m.vtu", "m.msh", "m.vtk", "m.stl", "none/x.obj", "state.bin"])),
        ("barrier", lambda r, w, c: r.choice([*BARRIERS, Parabola()])), ("law friction_law", lambda r, w, c: r.choice([*LAWS, w.law])),
        ("name", lambda r, w, c: r.choice([*LAWS, "stribeck"])), ("psd psd_projection project_hessian_to_psd", number("clamp", "abs", "none", "gauss_newton")),
        ("method ccd", number("bvh", "hash_grid", "brute_force", "additive", "tight_inclusion")), ("broad_phase", number("bvh", "hash_grid", "spatial_hash", "sweep_and_prune")),
        ("contact_set", number("ipc", "improved_max", "ogc")), ("weights", number("area", "count")), ("blend", number("mean", "product", "minimum")),
        ("wrt", number("velocities", "lagged", "rest")), ("compute", number("all", "vector", "matrix", "none")), ("part", number("inside", "all", "normal", None)),
        ("count rounds rings excluded_rings nthreads dimension space dim", number(1, 2, 3)), ("index i number vertex edge a b", number(0, 1, 2, 5)),
        ("alpha coords", lambda r, w, c: [r.random()] * r.choice([0, 1, 2])), ("d2 y distance_squared s", lambda r, w, c: [0.0, 1e-3, 0.01, 4.0]),
        ("masses radii areas moduli", lambda r, w, c: np.ones(len(c["space"].x))), ("hessian", lambda r, w, c: np.eye(c["space"].x.size)),
        ("point normal center axis velocity direction about spin", lambda r, w, c: [r.choice([0.0, 1.0, -0.5]) for _ in range(c["space"].dimension)]),
        ("scaling static_axes kinetic_axes", lambda r, w, c: [r.choice([0.5, 1.0]), 0.3]), ("materials names bodies", lambda r, w, c: ["a"] * len(c["space"].x)),
        ("labels loose_vertices", lambda r, w, c: [0, 0, 1, 1, 2, 2, 2][: len(c["space"].x)]), ("pairs", lambda r, w, c: [[0, 2], [1, 3]]), ("pair", lambda r, w, c: (0, 1)),
        ("rule", lambda r, w, c: ("additive", 0.0, 0.1, np.inf)), ("solve relag", lambda r, w, c: lambda: None), ("measure", lambda r, w, c: lambda: (0.0, 1.0)),
        ("callback", lambda r, w, c: lambda *_: False), ("energy", lambda r, w, c: lambda u: 0.0), ("until", number(None, 0.01, 0.0)),
        ("weight_factor", lambda r, w, c: lambda places: np.ones(len(places))), ("gradient barrier_gradient grad_energy grad_barrier", lambda r, w, c: np.ones(c["space"].x.size)),
        ("every physical_units numbered_edges shape_derivatives binary converged keep_shape_derivatives", number(True, False)),
    ]:  # fmt: skip
        table.update(dict.fromkeys(names.split(), make))
    return table


def field(r, w, c):
    """Vectors of all vertices; of as many as the kind of pair has where there is no surface."""
    x = c["space"].x
    if c["rows"] is not None:
        x = np.resize(x, (c["rows"], x.shape[1])) + (np.arange(c["rows"])[:, None] > len(x) - 1)
    return x + r.choice([0.0, 0.0, 1e-3, 0.01]) * np.sin(np.arange(x.size).reshape(x.shape))


def values(r):
    """The values of a scene, of which one is another than it should be."""
    root = scene_values()
    place, key = root, None
    while True:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        key = r.choice(keys)
        if not isinstance(place[key], (dict, list)) or not place[key] or r.random() < 0.15:
            break
        place = place[key]
    if r.random() < 0.7:
        place[key] = r.choice([0, -1, 1e-3, 2, 3, 0.5, 1e9, nan(), np.inf, "x", None, [], {}, [1, 2], [0.0, 0.0, 0.0], True, 2**70, 1e-300, [[]]])
    elif isinstance(place, dict):
        del place[key]
    return root


def nan():
    return float("nan")


def nonsense():
    """What nobody should give."""
    loop: list = []
    loop.append(loop)
    table: dict = {}
    table["a"] = table
    deep: list = []
    for _ in range(3000):
        deep = [deep]
    return [
        None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63), 10**30, 1e308, -1e308, 1e-308, 5e-324, nan(), np.inf, -np.inf, 1j, "", "x", "\0", "é" * 300,
        b"bytes", (), [], {}, {1}, loop, table, deep, object(), int, len, lambda *a, **k: None, lambda *a, **k: 1 / 0, itertools.count(), range(3),
        np.zeros(0), np.zeros((0, 3)), np.zeros((0, 2), int), np.zeros((3, 0)), np.zeros((2, 2, 2)), np.array(1.0), np.array(None), np.array("x"), np.array([1, "a", None], object),
        np.full((6, 2), np.nan), np.full((7, 3), np.inf), np.full((6, 2), 1e308), np.zeros((6, 2)), np.zeros((7, 3)), np.ones((7, 3), np.float16), np.ones((6, 2), bool),
        np.ones((7, 3), "M8[s]"), np.ones((6, 2), complex), np.broadcast_to(1.0, (10**9, 3)), np.broadcast_to(np.int8(1), (10**9, 2)), np.broadcast_to(0, (10**9,)),
        np.array([[0, -1]]), np.array([[0, 2**40]]), np.array([[0, 2**32]], np.uint64), np.array([[0, 1], [1, 0]]), np.array([[0, 0]]), [[0, 1], [2]], [[0.0, 1.0]],
        np.ma.masked_array([[1.0, 2.0]], [[True, False]]), np.matrix([[1.0, 2.0]]), np.zeros((7, 3), ">f8"), np.zeros((6, 2), np.longdouble), memoryview(b"12345678"),
        np.float32(0.1), np.int8(-1), np.bool_(True), Exception("x"), type, NotImplemented, Ellipsis, slice(None),
    ]  # fmt: skip


def nearly(r, value):
    """A valid value with something wrong, or something unusual that is allowed."""
    if isinstance(value, np.ndarray) and value.size:
        return _nearly_array(r, value)
    if isinstance(value, bool) or value is None:
        return r.choice([0, 1, "yes", None, 2])
    if isinstance(value, (int, float)):
        return r.choice([-value, value * 1e12, value * 1e-12, nan(), np.inf, 0, str(value), [value], np.float32(value), value + 0.5, 2**31, -1])
    if isinstance(value, str):
        return r.choice([value.upper(), value + " ", value.encode(), "", [value], value * 100])
    if isinstance(value, (list, tuple)) and value:
        return r.choice([value[:-1], list(value) + [value[0]], tuple(value), list(reversed(value)), [value], value[0], np.array(value, object), {}])
    if isinstance(value, dict):
        return r.choice([{}, list(value), dict(list(value.items())[1:]), {**value, "x": 1}])
    return r.choice([None, type(value), [value], str(value), (value, value)])


def _nearly_array(r, value):
    other = value.copy()
    spot = tuple(r.randrange(size) for size in value.shape)
    if value.dtype.kind == "f":
        other[spot] = r.choice([nan(), np.inf, -np.inf, 1e308, 1e-308, 1e200, -1e12, other.flat[0]])
    else:
        other[spot] = r.choice([-1, 2**31 - 1, 0, 10**6])
    locked = value.copy()
    locked.flags.writeable = False
    wide = np.repeat(value, 2, axis=0)[::2]
    return r.choice([
        other, other, other, value[:-1], np.concatenate([value, value[:1]]), value.T, value[None], value.ravel(), np.asfortranarray(value), locked, wide, value[::-1],
        value.astype(np.float32), value.astype(object), value.astype(str), value.astype(complex), value.astype(">f8"), value * 0, value * 1e150, value * 1e-200, value.tolist(),
        [list(row) if np.ndim(row) else row for row in value][:-1] + [[]], np.ma.masked_array(value, value > 0.5), value.view(np.recarray) if False else value,
    ])  # fmt: skip
