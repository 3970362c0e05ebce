"""Wrong calls of the native interface: what is called, the exception, and what its message says."""

import gc
import threading
import weakref

import numpy as np

import stiction
from test_errors import BAD

X = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 0.05], [1.2, 0.2, 0.9], [0.2, 1.2, 0.9]])
FACES = [[0, 1, 2], [3, 4, 5]]
FLAT = np.array([[0.0, 0], [1, 0], [0.5, 0.05], [0.5, 1]])
SURFACE = stiction.Surface(X, [], FACES)
FLAT_SURFACE = stiction.Surface(FLAT, [[0, 1], [2, 3]])
CONTACTS = stiction.Contacts(SURFACE, X, 0.1)
FLAT_CONTACTS = stiction.Contacts(FLAT_SURFACE, FLAT, 0.1)
BARRIER = stiction.BarrierPotential(0.1, 1e3)
SLIDES = stiction.Slides(CONTACTS, X, BARRIER, 0.5)
FRICTION = stiction.FrictionPotential(0.1)
REGION = stiction.TrustRegion(SURFACE, 0.1)
MESH = stiction.Mesh(X, triangles=FACES)
MANY = 10**9


def many(kind):
    """An array of a great many entries that takes no memory."""
    return np.broadcast_to(kind(1), (MANY, 3))


class Hostile:
    """An array whose shape is not what its data says."""

    def __init__(self, error):
        self.error = error

    def __array__(self, *_, **__):
        raise self.error


class WrongBarrier:
    """A barrier that raises or returns what is no number."""

    def __init__(self, answer):
        self.answer = answer

    def __call__(self, *_):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    first_derivative = second_derivative = units = __call__


def from_threads(call, count=8):
    """The exception of a call that several threads make at once: each must raise one."""
    raised = []

    def catch():
        try:
            call()
        except Exception as error:
            raised.append(error)

    threads = [threading.Thread(target=catch) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(raised) == count, f"{count - len(raised)} threads raised nothing"
    raise raised[0]


def unmade(kind):
    """An object that never was initialised."""
    return kind.__new__(kind)


OWN = {
    # Objects of another kind
    "a surface that is an array": (lambda: stiction.Contacts(X, X, 0.1), TypeError, "surface"),
    "contacts that are a surface": (lambda: BARRIER.energy(SURFACE, X), TypeError, "contacts"),
    "contacts that are None": (lambda: BARRIER.gradient(None, X), TypeError, "contacts"),
    "slides that are contacts": (lambda: FRICTION.energy(CONTACTS, X), TypeError, "slides"),
    "a barrier that is a number": (lambda: stiction.Slides(CONTACTS, X, 1.0, 0.5), TypeError, "potential"),
    "a mesh that is an array": (lambda: stiction.write_mesh("m.obj", X), TypeError, "mesh"),
    "a scene that is a path": (lambda: stiction.Simulation("scene.toml"), TypeError, "scene"),
    "a state of no path": (lambda: simulation().load(3), TypeError, "path"),
    "a state saved nowhere": (lambda: simulation().save(None), TypeError, "path"),
    "a region of no surface": (lambda: stiction.TrustRegion(None, 0.1), TypeError, "surface"),
    "dhat that is a word": (lambda: stiction.Contacts(SURFACE, X, "0.1"), TypeError, "dhat"),
    "dhat that is complex": (lambda: stiction.BarrierPotential(1j), TypeError, "dhat"),
    "psd that is a number": (lambda: BARRIER.hessian(CONTACTS, X, 1), TypeError, "psd"),
    "kind that is a number": (lambda: stiction.distance(4, X[:2]), TypeError, "kind"),
    "threads that are a word": (lambda: stiction.set_num_threads("two"), TypeError, "count"),
    "threads below zero": (lambda: stiction.set_num_threads(-1), ValueError, "count: is -1, expected 1 to 1024"),
    "threads that take the machine down": (lambda: stiction.set_num_threads(10**6), ValueError, "threads = 1000000.*1 to 1024"),
    "threads without end": (lambda: stiction.set_num_threads(10**30), ValueError, "count: .*too large"),
    "threads that are true": (lambda: stiction.set_num_threads(True), TypeError, "count: .*bool"),
    "threads that are a float": (lambda: stiction.set_num_threads(2.0), TypeError, "count: .*float"),
    "no threads": (lambda: stiction.set_num_threads(0), ValueError, "threads = 0"),
    "an argument that does not exist": (lambda: stiction.Contacts(SURFACE, X, 0.1, barrier="cubic"), TypeError, "barrier"),
    "an argument too few": (lambda: stiction.Contacts(SURFACE, X), TypeError, "dhat"),
    "an argument twice": (lambda: stiction.Contacts(SURFACE, X, 0.1, dhat=0.1), TypeError, "dhat"),
    # Arrays of other shapes and kinds
    "positions in three dimensions of array": (lambda: BARRIER.energy(CONTACTS, X[None]), ValueError, r"x: has shape \[1, 6, 3\]"),
    "positions flat": (lambda: BARRIER.energy(CONTACTS, X.ravel()), ValueError, r"x: has shape \[18\]"),
    "positions transposed": (lambda: BARRIER.energy(CONTACTS, X.T), ValueError, r"x: has shape \(3, 6\)"),
    "no positions": (lambda: BARRIER.energy(CONTACTS, np.zeros((0, 3))), ValueError, "x: positions has 0 entries, expected 6"),
    "positions of a scalar": (lambda: BARRIER.energy(CONTACTS, 1.0), ValueError, r"x: has shape \[\]"),
    "positions of None": (lambda: BARRIER.energy(CONTACTS, None), ValueError, "x: "),
    "positions of dates": (lambda: BARRIER.energy(CONTACTS, X.astype("M8[s]")), ValueError, "x: .*datetime64"),
    "positions of booleans": (lambda: BARRIER.energy(CONTACTS, X > 0), ValueError, "x: .*bool"),
    "positions of records": (lambda: BARRIER.energy(CONTACTS, np.zeros((6, 3), "i4,f8")), ValueError, "x: "),
    "positions that raise": (lambda: BARRIER.energy(CONTACTS, Hostile(ValueError("no array here"))), ValueError, "x: .*no array here"),
    "positions of another dimension": (lambda: BARRIER.energy(FLAT_CONTACTS, X), ValueError, r"x: has shape \(6, 3\), expected 2"),
    "positions of another surface": (lambda: BARRIER.energy(FLAT_CONTACTS, FLAT[:3]), ValueError, "x: positions has 3"),
    "positions without end": (lambda: stiction.Surface(np.full((3, 3), np.inf), []), ValueError, "vertices: row 0 is not finite"),
    "a billion vertex numbers of floats": (lambda: stiction.Surface(X, [], many(np.float32)), ValueError, "faces: .*repeats"),
    "a billion vertex numbers in one row too many": (
        lambda: stiction.Surface(X, np.broadcast_to(np.int8(1), (MANY, 3))),
        ValueError,
        r"edges: has shape \[1000000000, 3\]",
    ),
    "a billion vertex numbers that are one": (lambda: stiction.Surface(X, [], many(np.int8)), ValueError, r"faces: has shape \[1000000000, 3\], which repeats"),
    "a billion positions that are one": (lambda: stiction.Contacts(SURFACE, many(np.float64), 0.1), ValueError, "x: .*repeats"),
    "a billion numbers that are one": (lambda: stiction.BarrierPotential(0.1, many(np.float64)[:, 0]), ValueError, "kappa: .*repeats"),
    "a filter of a billion": (lambda: stiction.Filter.fixed([0]).allows(many(np.int64)[:, 0], [1]), ValueError, "first: .*repeats"),
    "a choice that is a billion numbers": (lambda: stiction.IPCContact((FLAT, [[0, 1], [2, 3]]), use_ogc=many(np.float64)), ValueError, "use_ogc: "),
    "coordinates of a billion": (lambda: stiction.relative_weights("ve", many(np.float64)[:, 0]), ValueError, "alpha: .*repeats"),
    "positions that are masked": (lambda: BARRIER.energy(CONTACTS, np.ma.masked_greater(X, 1)), ValueError, "x: has masked entries"),
    "positions whose squares overflow": (lambda: BARRIER.hessian(CONTACTS, X * 1e200), ValueError, "x: row 1 has a number larger than 1e75"),
    "a distance that overflows": (lambda: stiction.closest_distance_squared("vf", X[:4] * 1e150), ValueError, "x: row 1 .*1e75"),
    "loose vertices in a table": (lambda: stiction.Surface(X, [], FACES, [[0, 1]]), ValueError, r"loose_vertices: has shape \[1, 2\]"),
    "a loose vertex that is none": (lambda: stiction.Surface(X, [], FACES, [6]), ValueError, "loose_vertices: .*6"),
    "bodies of too few": (lambda: stiction.Surface(X, [], FACES, bodies=[0, 1]), ValueError, "bodies: .*2 entries, expected 6"),
    "bodies below zero": (lambda: stiction.Surface(X, [], FACES, bodies=[-1] * 6), ValueError, "bodies: entry 0 is -1"),
    "a face twice": (lambda: stiction.Surface(X, [], [[0, 1, 2], [2, 0, 1]]), ValueError, "face 1"),
    "a face without area": (lambda: stiction.Surface([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [], [[0, 1, 2]]), ValueError, "face 0"),
    # Contacts
    "negative dmin": (lambda: stiction.Contacts(SURFACE, X, 0.1, dmin=-0.1), ValueError, "dmin = -0.1"),
    "unknown contact set": (lambda: stiction.Contacts(SURFACE, X, 0.1, contact_set="all"), ValueError, "contact_set.*all"),
    "unknown weights": (lambda: stiction.Contacts(SURFACE, X, 0.1, weights="mass"), ValueError, "weights.*mass"),
    "unknown broad phase": (lambda: stiction.Contacts(SURFACE, X, 0.1, broad_phase="octree"), ValueError, "broad_phase.*octree"),
    "candidates without a kind": (lambda: stiction.Contacts(SURFACE, X, 0.1, candidates={"vv": []}), ValueError, 'candidates\\["ve"\\]: is missing'),
    "candidates that are a list": (lambda: stiction.Contacts(SURFACE, X, 0.1, candidates=[1]), ValueError, "candidates"),
    "candidates out of range": (
        lambda: stiction.Contacts(SURFACE, X, 0.1, candidates={"vv": [], "ve": [], "ee": [], "vf": [[0, 99]]}),
        ValueError,
        "99",
    ),
    "weight factors of too few": (
        lambda: stiction.Contacts(SURFACE, X, 0.1, weight_factor=lambda places: places[:0, 0]),
        ValueError,
        "weight_factor",
    ),
    "a weight factor that fails": (
        lambda: stiction.Contacts(SURFACE, X, 0.1, weight_factor=lambda places: 1 / 0),
        ZeroDivisionError,
        "division",
    ),
    "weights of too few": (lambda: CONTACTS.with_weights([1.0, 2.0]), ValueError, "weights"),
    "a weight that is NaN": (lambda: CONTACTS.with_weights([np.nan]), ValueError, "weights: entry 0 is not finite"),
    "listed pairs of vertices that do not exist": (
        lambda: stiction.Contacts.of(SURFACE, 0.1, vf=[[3, 0, 1, 77]]),
        ValueError,
        "vf, row 0.*77",
    ),
    "listed planes that do not exist": (
        lambda: stiction.Contacts.of(SURFACE, 0.1, obstacle=[0], numbers=[0]),
        ValueError,
        "numbers",
    ),
    # Things that touch, and barriers that reach too far
    "a gradient at contact": (lambda: BARRIER.gradient(*touching()), ValueError, r"vertex 3 and face \(0, 1, 2\) are 0.0 m apart"),
    "a product at contact": (lambda: BARRIER.product(*touching(), X), ValueError, "vertex 3 and face"),
    "a form at contact": (lambda: BARRIER.gauss_newton_form(*touching(), X), ValueError, "vertex 3 and face"),
    "a gradient inside an obstacle": (lambda: BARRIER.gradient(*inside(0.02)), ValueError, "vertex 3 and obstacle 0 are -0.0"),
    "a Hessian inside an obstacle": (lambda: BARRIER.hessian(*inside(0.02)), ValueError, "vertex 3 and obstacle 0 are -0.0"),
    "forces inside an obstacle": (lambda: stiction.BarrierPotential(0.1, barrier="cubic").forces(*inside(0.02)), ValueError, "obstacle 0"),
    "a gradient below the minimum distance": (
        lambda: BARRIER.gradient(stiction.Contacts(SURFACE, X, 0.1, dmin=0.06), X),
        ValueError,
        "are 0.0[45].* m apart, expected more than 0.06 m",
    ),
    "friction at contact": (lambda: stiction.Slides(*touching(), BARRIER, 0.5), ValueError, "vertex 3 and face"),
    "friction inside an obstacle": (lambda: stiction.Slides(*inside(0.02), BARRIER, 0.5), ValueError, "obstacle 0"),
    "friction lagged at contact": (lambda: SLIDES.at(touching()[1]), ValueError, "vertex 3 and face"),
    "an energy without stiffness at contact": (lambda: stiction.BarrierPotential(0.1, 0.0).energy(*touching()), ValueError, "vertex 3"),
    "a barrier beyond its contacts": (
        lambda: stiction.BarrierPotential(0.2).energy(CONTACTS, X),
        ValueError,
        "contacts: were collected up to 0.1 m, but the barrier acts up to .* 0.2 m",
    ),
    "friction beyond its contacts": (lambda: stiction.Slides(CONTACTS, X, stiction.BarrierPotential(0.2), 0.5), ValueError, "contacts: were collected"),
    "forces beyond another minimum distance": (
        lambda: FRICTION.force(SLIDES, X, 0 * X, X, dmin=0.01),
        ValueError,
        "contacts: were collected",
    ),
    "a step from an intersection": (
        lambda: stiction.largest_step(SURFACE, crossing(), 1e-3 * X),
        ValueError,
        r"x: intersects itself at the start: edge .* crosses face \(0, 1, 2\)",
    ),
    # Potentials
    "negative dhat of a barrier": (lambda: stiction.BarrierPotential(-1.0), ValueError, "dhat = -1"),
    "stiffness NaN": (lambda: stiction.BarrierPotential(0.1, np.nan), ValueError, "kappa = NaN"),
    "stiffness of one contact too many": (
        lambda: stiction.BarrierPotential(0.1, [1.0, 1.0]).energy(CONTACTS, X),
        ValueError,
        "kappa",
    ),
    "unknown barrier": (lambda: stiction.BarrierPotential(0.1, barrier="wall"), ValueError, "barrier.*wall"),
    "a barrier that raises": (
        lambda: stiction.BarrierPotential(0.1, barrier=WrongBarrier(KeyError("lost"))).energy(CONTACTS, X),
        KeyError,
        "lost",
    ),
    "a barrier that returns a word": (
        lambda: stiction.BarrierPotential(0.1, barrier=WrongBarrier("much")).hessian(CONTACTS, X),
        (ValueError, TypeError),
        "",
    ),
    "shape derivatives that were not kept": (
        lambda: BARRIER.shape_derivative(CONTACTS, X),
        ValueError,
        "shape_derivatives=True",
    ),
    "a product with too few": (lambda: BARRIER.product(CONTACTS, X, X[:2]), ValueError, "p: positions has 2"),
    "masses below zero": (lambda: CONTACTS.semi_implicit_stiffness(X, -np.ones(6), np.eye(18)), ValueError, "masses: entry 0"),
    "masses of too few": (lambda: CONTACTS.semi_implicit_stiffness(X, np.ones(2), np.eye(18)), ValueError, "masses"),
    "a Hessian that is too small": (lambda: CONTACTS.semi_implicit_stiffness(X, np.ones(6), np.eye(17)), ValueError, "hessian"),
    "velocities of too few": (lambda: FRICTION.gradient(SLIDES, X[:2]), ValueError, "v: positions has 2"),
    "velocities to refresh with": (lambda: SLIDES.refresh_anisotropy(X * np.nan), ValueError, "v: row 0"),
    "speed of sticking NaN": (lambda: stiction.FrictionPotential(np.nan), ValueError, "eps_v = NaN"),
    "a law that is a list": (lambda: stiction.FrictionPotential(0.1, ["peak"]), ValueError, "law: expected"),
    # Motion, order of calls
    "a region before its first update": (lambda: REGION.filter_step(X, X), ValueError, ""),
    "relaxation above one": (lambda: stiction.TrustRegion(SURFACE, 0.1, relaxation=1.5), ValueError, "relaxation .* = 1.5"),
    "negative minimum distance": (lambda: stiction.TrustRegion(SURFACE, 0.1, min_distance=-1), ValueError, "minimum distance = -1"),
    "negative reach": (lambda: REGION.contact_inflation(-1.0), ValueError, "reach = -1"),
    "unknown collision detection": (lambda: stiction.largest_step(SURFACE, X, X, method="guess"), ValueError, "method.*guess"),
    "negative inflation": (lambda: stiction.candidates(SURFACE, X, inflation=-1.0), ValueError, "inflation = -1"),
    "stiffness of no diagonal": (lambda: stiction.initial_stiffness(0.0, 1.0, X, X, 0.1), ValueError, "diagonal = 0"),
    "stiffness of unlike gradients": (lambda: stiction.initial_stiffness(1.0, 1.0, X, X[:2], 0.1), ValueError, "gradient: has 18"),
    "stiffness that is negative": (lambda: stiction.updated_stiffness(-1.0, 1.0, 0.1, 0.1, 1.0), ValueError, "kappa = -1"),
    "a policy of too few moduli": (lambda: stiction.StiffnessPolicy(SURFACE, 0.1, [1e6]), ValueError, "moduli: .*1"),
    "a policy of a negative modulus": (lambda: stiction.StiffnessPolicy(SURFACE, 0.1, [-1.0] * 6), ValueError, "modulus = -1"),
    "a policy of moduli that are all zero": (lambda: stiction.StiffnessPolicy(SURFACE, 0.1, [0.0] * 6), ValueError, "modulus = 0"),
    "a policy that is no number": (lambda: stiction.StiffnessPolicy(SURFACE, 1e-70, [1e300] * 6), ValueError, "barrier stiffness"),
    "a policy with a negative dhat": (lambda: stiction.StiffnessPolicy(SURFACE, -0.1, [1.0] * 6), ValueError, "dhat = -0.1"),
    "a policy with a wrong barrier": (
        lambda: stiction.StiffnessPolicy(SURFACE, 0.1, [1.0] * 6, barrier=WrongBarrier(KeyError("steep"))),
        KeyError,
        "steep",
    ),
    "a policy of other weights": (lambda: stiction.StiffnessPolicy(SURFACE, 0.1, [1.0] * 6, weights="mass"), ValueError, "weights: .*mass"),
    "a policy for another surface": (
        lambda: stiction.StiffnessPolicy(SURFACE, 0.1, [1.0] * 6).weighed(FLAT_CONTACTS),
        ValueError,
        "contacts: are of 4 vertices, expected 6",
    ),
    "a stiffness raised from nothing": (lambda: stiction.raised_stiffness(1.0, 0.0, 0.01, 0.1), ValueError, "first = 0"),
    "a stiffness raised for no clearance": (lambda: stiction.raised_stiffness(1.0, 1.0, np.nan, 0.1), ValueError, "clearance: is NaN"),
    # Files and scenes
    "a path that is a number": (lambda: stiction.read_mesh(3), TypeError, "path"),
    "a path with a zero": (lambda: stiction.read_mesh("a\0.obj"), OSError, "NUL"),
    "a file that is a folder": (lambda: stiction.read_mesh("/.obj/.."), ValueError, "must end with"),
    "boundary of pairs": (lambda: stiction.boundary_faces([[0, 1]]), ValueError, r"tetrahedra: has shape \[1, 2\]"),
    "boundary of floats": (lambda: stiction.boundary_edges([[0.0, 1.0, 2.0]]), ValueError, "triangles: .*float64"),
    "a mesh of NaN": (lambda: stiction.Mesh(X * np.nan), ValueError, "points: row 0"),
    "a scene that is a list": (lambda: stiction.Scene([]), ValueError, "values"),
    "a scene of nothing": (lambda: stiction.Scene.parse(""), ValueError, "missing"),
    "a scene of nonsense": (lambda: stiction.Scene.parse("dimension = = 2"), ValueError, "line 1"),
    "a scene in a folder that is a number": (lambda: stiction.Scene.parse("", folder=3), TypeError, "folder"),
    "arguments that are no words": (lambda: stiction._stiction.main([1, 2]), TypeError, "args"),
    # Objects that were not made
    "a surface of nothing": (lambda: unmade(stiction.Surface), TypeError, "vertices"),
    "contacts of nothing": (lambda: unmade(stiction.Contacts), TypeError, "surface"),
    "slides of nothing": (lambda: unmade(stiction.Slides), TypeError, "contacts"),
    "a simulation of nothing": (lambda: unmade(stiction.Simulation), TypeError, "scene"),
    "an attribute that is set": (lambda: setattr(SURFACE, "rest", X), AttributeError, ""),
    "an attribute that is new": (lambda: setattr(CONTACTS, "colour", 3), AttributeError, "colour"),
    # Stored objects that were tampered with
    "stored slides of another surface": (
        lambda: stiction._stiction._restore_slides(FLAT_CONTACTS, BARRIER, FLAT, SLIDES.__reduce__()[1][3]),
        ValueError,
        "slides",
    ),
    "a stored simulation of another scene": (
        lambda: simulation().__setstate__((0.0, 1, (None, 0.0), [X, X, [], [], [], [], [], [], [], []], None, [])),
        ValueError,
        "q: ",
    ),
    "a stored simulation without fields": (lambda: simulation().__setstate__((0.0, 1, (None, 0.0), [], None, [])), ValueError, "state: "),
    "a stored simulation with a negative stiffness": (
        lambda: simulation().__setstate__((0.0, 1, (-1.0, 0.0), [X, X, [], [], [], []], None, [])),
        ValueError,
        "kappa = -1",
    ),
    "a stored simulation with a reserve that is no number": (
        lambda: simulation().__setstate__((0.0, 1, (None, float("nan")), [X, X, [], [], [], []], None, [])),
        ValueError,
        "reserve",
    ),
    "a stored region with a radius missing": (lambda: REGION.__setstate__((X, np.ones(5), 0.2, False)), ValueError, "radii"),
    "a stored filter of nonsense": (lambda: stiction._stiction._restore_filter(("sometimes", 1)), ValueError, "filter: .*sometimes"),
    "a stored surface with a vertex missing": (
        lambda: stiction._stiction._restore_surface((X, [[0, 9]], [], [], None), None, None),
        ValueError,
        "edge 0",
    ),
    # Threads
    "wrong positions from many threads": (lambda: from_threads(lambda: BARRIER.hessian(CONTACTS, X[:2])), ValueError, "x: positions has 2"),
    "a failing barrier from many threads": (
        lambda: from_threads(
            lambda: stiction.BarrierPotential(0.1, barrier=WrongBarrier(KeyError("lost"))).gradient(CONTACTS, X)
        ),
        KeyError,
        "lost",
    ),
    "a failing blend from many threads": (
        lambda: from_threads(lambda: stiction.Slides(CONTACTS, X, BARRIER, np.ones(6), blend=lambda a, b: 1 / 0)),
        ZeroDivisionError,
        "division",
    ),
}


def touching():
    """Contacts at positions where vertex 3 is on a face, and the positions."""
    x = X.copy()
    x[3, 2] = 0.0
    return stiction.Contacts(SURFACE, x, 0.1), x


def inside(depth):
    """Contacts with a plane at positions where vertex 3 is behind it, and the positions."""
    x = X.copy() + [0, 0, 1]
    x[3, 2] = -depth
    plane = stiction.Plane([0, 0, 0], [0, 0, 1])
    return stiction.Contacts.of(SURFACE, 0.1, [plane], obstacle=[3], numbers=[0]), x


def crossing():
    """Positions at which vertex 3 is below a face that its edges pass through, further away than anything moves."""
    x = X.copy()
    x[3, 2] = -0.3
    return x


def simulation():
    return stiction.Simulation(
        stiction.Scene(
            {
                "dimension": 2,
                "time": {"step": 0.01, "end": 0.1},
                "bodies": [
                    {
                        "name": "block",
                        "shape": {"box": {"center": [0, 0], "size": [1, 1], "cells": [1, 1]}},
                        "material": {"young": 1e5, "poisson": 0.3, "density": 1e3},
                    }
                ],
            }
        )
    )


CALLS = {f"errors: {name}": (call, ValueError, message) for name, (call, message) in BAD.items()} | OWN


def works_with_barriers_that_reach_less_far():
    """Contacts beyond the reach of a barrier do nothing, so a shorter one is possible."""
    few, many = stiction.Contacts(SURFACE, X, 0.06), stiction.Contacts(SURFACE, X, 0.5)
    short = stiction.BarrierPotential(0.06)
    assert len(many) > len(few) and short.energy(many, X) == short.energy(few, X) > 0


def works_with_particles_that_pass_each_other():
    """Loose vertices touch each other, unless a filter says that they do not."""
    rest = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 0.05], [0.2, 0.25, 0.05]])
    labels = stiction.VertexFilter.patches([0, 1, 2, 3, 3])
    for filter, count in ((None, 1), (stiction.Filter(labels), 0)):
        surface = stiction.Surface(rest, [], [[0, 1, 2]], [3, 4], filter=filter)
        found = stiction.Contacts(surface, rest, 0.1).counts
        assert (found["vv"], found["vf"]) == (count, 2)


def works_when_a_start_follows_from_the_last_motion():
    """The exact check of a start is made again after motions that were not bounded."""
    p = np.zeros_like(X)
    p[3:, 2] = -0.2
    step = stiction.largest_step(SURFACE, X, p)
    assert 0 < step < 1
    again = stiction.largest_step(SURFACE, X + step * p, p)
    assert 0 < again < 1
    assert not stiction.is_free(SURFACE, crossing(), 1e-3 * X)
    try:
        stiction.largest_step(SURFACE, X + 2.5 * p, 1e-3 * X)
    except ValueError as error:
        assert "intersects" in str(error)
    else:
        raise AssertionError("an intersection was not seen")


def works_after_owners_are_gone():
    """What objects and arrays need of others they keep; arrays are the caller's own."""
    surface = stiction.Surface(X.copy(), [], FACES)
    contacts = stiction.Contacts(surface, X.copy(), 0.1)
    slides = stiction.Slides(contacts, X.copy(), stiction.BarrierPotential(0.1, 1e3), 0.5)
    rest, weights, normals = surface.rest, contacts.weights, slides.normals
    expected = FRICTION.energy(SLIDES, X)
    del surface, contacts
    gc.collect()
    assert FRICTION.energy(slides, X) == expected > 0
    rest[:] = np.nan
    weights[:] = np.nan
    normals[:] = np.nan
    assert FRICTION.energy(slides, X) == expected and np.isfinite(slides.normals).all()


def works_while_an_argument_is_changed():
    """Arguments are read once, before the interpreter is left to others: a change during a call is not seen by halves."""
    x, stop = X.copy(), threading.Event()

    def disturb():
        while not stop.is_set():
            x[:] = X

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for _ in range(50):
            assert np.isfinite(BARRIER.energy(CONTACTS, x))
    finally:
        stop.set()
        thread.join()


def works_with_functions_of_python_in_threads():
    """Functions of Python are called from our threads without a deadlock."""
    slides = []

    def lag():
        slides.append(stiction.Slides(CONTACTS, X, BARRIER, np.ones(6), blend=lambda a, b: (a + b) / 2))

    threads = [threading.Thread(target=lag) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(slides) == 8 and all(np.array_equal(s.mu, slides[0].mu) for s in slides)


def works_without_leaks_of_arrays():
    """Arrays that were arguments are let go."""

    class Owned(np.ndarray):
        pass

    x = X.view(Owned)
    gone = weakref.ref(x)
    BARRIER.energy(CONTACTS, x)
    del x
    gc.collect()
    assert gone() is None


WORKS = [
    works_with_barriers_that_reach_less_far,
    works_with_particles_that_pass_each_other,
    works_when_a_start_follows_from_the_last_motion,
    works_after_owners_are_gone,
    works_while_an_argument_is_changed,
    works_with_functions_of_python_in_threads,
    works_without_leaks_of_arrays,
]
