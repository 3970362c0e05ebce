"""Contacts from lists, with other weights, and barriers written in Python."""

import threading

import numpy as np
import pytest
import scenes
from scenes import barrier
from test_parity_ipctk import each

import stiction

KAPPA = 2e3


def from_lists(scene, contacts, **changes):
    """The same contacts, made anew from their lists."""
    lists = contacts.vertices | {
        "obstacle": contacts.vertices["obstacle"].ravel(),
        "numbers": contacts.obstacle_numbers,
        "parts": contacts.parts,
        "thresholds": contacts.thresholds,
        "weights": contacts.weights,
    }
    return stiction.Contacts.of(scene.surface(), scene.dhat, scene.planes, **(lists | changes))


@each(scenes.ALL)
def test_contacts_from_lists_are_the_same(scene):
    contacts = scene.contacts()
    again, potential = from_lists(scene, contacts), barrier(contacts, KAPPA)
    assert again.counts == contacts.counts and again.smallest_gap(scene.x) == contacts.smallest_gap(scene.x)
    assert np.array_equal(again.parts, contacts.parts) and np.array_equal(again.thresholds, contacts.thresholds)
    for psd in ("none", "clamp"):
        bits = [potential.hessian(c, scene.x, psd).data.tobytes() for c in (again, contacts)]
        assert bits[0] == bits[1]
    assert potential.gradient(again, scene.x).tobytes() == potential.gradient(contacts, scene.x).tobytes()


@each(scenes.ALL)
def test_weights_can_be_replaced(scene):
    contacts, random = scene.contacts(), np.random.default_rng(3)
    weights = random.uniform(0.5, 2, len(contacts))
    other, potential = contacts.with_weights(weights), barrier(contacts, KAPPA)
    assert np.array_equal(other.weights, weights) and not np.array_equal(contacts.weights, weights)
    by_kappa = barrier(contacts, KAPPA * weights / contacts.weights)
    assert potential.energy(other, scene.x) == pytest.approx(by_kappa.energy(contacts, scene.x), rel=1e-12)
    slides = stiction.Slides(other, scene.x, potential, 0.3)
    assert np.allclose(slides.normal_forces, by_kappa.forces(contacts, scene.x), rtol=1e-12)


BAD_LISTS = {
    "out of range": ({"vv": [[0, 10_000]]}, "vv, row 0: 10000 is out of range"),
    "twice": ({"ve": [[1, 2, 1]]}, "ve: row 0 names vertex 1 twice"),
    "wrong width": ({"ee": [[0, 1, 2]]}, "ee: has shape .* expected \\(n, 4\\)"),
    "no parts": ({"parallel": [[0, 1, 2, 3]]}, "parts: has 0 entries, expected 1"),
    "bad part": ({"parallel": [[0, 1, 2, 3]], "parts": [[0, 3]], "thresholds": [1.0]}, "parts: row 0 has 3"),
    "bad threshold": ({"parallel": [[0, 1, 2, 3]], "parts": [[0, 1]], "thresholds": [-1.0]}, "thresholds: entry 0"),
    "no plane": ({"obstacle": [0], "numbers": [0]}, "numbers: 0 is out of range: there are 0 obstacles"),
    "fractions": ({"vf": [[0.5, 1, 2, 3]]}, "vf: has entries of type float64"),
    "weights": ({"vv": [[0, 1]], "weights": [1.0, 2.0]}, "weights: .*2"),
    "infinite weight": ({"vv": [[0, 1]], "weights": [np.inf]}, "weights: entry 0 is not finite"),
}


@pytest.mark.parametrize("lists, message", BAD_LISTS.values(), ids=BAD_LISTS)
def test_bad_lists(lists, message):
    with pytest.raises(ValueError, match=message):
        stiction.Contacts.of(scenes.cubes(0).surface(), 0.1, **lists)


class Parabola:
    """b(s) = (s - s_hat)², which is finite at contact."""

    def __call__(self, s, s_hat):
        return (s - s_hat) ** 2

    def first_derivative(self, s, s_hat):
        return 2 * (s - s_hat)

    def second_derivative(self, s, s_hat):
        return 2.0

    def units(self, s_hat):
        return s_hat**2


class Failing(Parabola):
    def first_derivative(self, s, s_hat):
        raise KeyError("my own")


@each([scenes.polygons, scenes.cubes])
def test_a_barrier_of_ones_own(scene):
    contacts, x, step = scene.contacts(), scene.x, 1e-6 * scene.dhat
    own = barrier(contacts, KAPPA, barrier=Parabola())
    p = np.random.default_rng(0).normal(size=x.shape)
    slope = (own.energy(contacts, x + step * p) - own.energy(contacts, x - step * p)) / (2 * step)
    assert slope == pytest.approx(np.sum(own.gradient(contacts, x) * p), rel=1e-5)
    bend = (own.gradient(contacts, x + step * p) - own.gradient(contacts, x - step * p)) / (2 * step)
    product = own.product(contacts, x, p, "none")
    assert np.abs(bend - product).max() < 1e-5 * np.abs(product).max()


def test_errors_of_a_barrier_are_raised():
    scene = scenes.cubes(0)
    contacts = scene.contacts()
    with pytest.raises(KeyError, match="my own"):
        barrier(contacts, barrier=Failing()).gradient(contacts, scene.x)
    barrier(contacts, barrier=Failing()).energy(contacts, scene.x)


def test_a_barrier_of_ones_own_on_many_threads():
    """Worker threads ask Python while it is free; nobody waits for anybody for ever."""
    import workloads

    made = workloads.workload("W1", "tiny")
    contacts = stiction.Contacts(stiction.Surface(made.rest, made.edges, made.faces), made.x, made.dhat)
    own = barrier(contacts, barrier=Parabola())
    stiction.set_num_threads(2)
    found = []
    workers = [threading.Thread(target=lambda: found.append(own.energy(contacts, made.x))) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=60)
    assert len(found) == 3 and len(set(found)) == 1


def bits(contacts):
    """All numbers of some contacts."""
    return [array.tobytes() for array in (*contacts.vertices.values(), contacts.weights, contacts.parts, contacts.thresholds)]


@each(scenes.ALL)
def test_a_surface_that_remembers_says_the_same(scene):
    """Solvers ask after small motions, sometimes twice: each answer must be that of a surface that was never asked."""
    used, random, x = scene.surface(), np.random.default_rng(5), scene.x
    for step in range(40):
        p = random.normal(size=x.shape) * scene.dhat * 10.0 ** random.uniform(-6, 0)
        way = [stiction.largest_step(s, x, p) for s in (used, scene.surface())]
        assert way[0] == way[1], step
        x = x + way[0] * p
        for choice in ({}, {}, {"weights": "area"}, {"contact_set": "ogc"}, {"dmin": 0.0}, {"shape_derivatives": True}):
            kept = stiction.Contacts(used, x, scene.dhat, **choice)
            assert bits(kept) == bits(stiction.Contacts(scene.surface(), x, scene.dhat, broad_phase="brute_force", **choice)), step
            assert kept.has_shape_derivatives == ("shape_derivatives" in choice)


@each(scenes.ALL)
def test_what_is_remembered_is_not_changed_by_others(scene):
    surface = scene.surface()
    first = stiction.Contacts(surface, scene.x, scene.dhat)
    before = bits(first)
    first.with_weights(2.0 * first.weights)
    moved = scene.x.copy()
    same = stiction.Contacts(surface, moved, scene.dhat)
    moved += 1.0
    assert bits(same) == before == bits(stiction.Contacts(surface, scene.x, scene.dhat))
    # A filter and other distances are other questions.
    held = surface.with_filter(stiction.Filter.fixed(np.arange(len(scene.x))))
    assert len(first) > 0 and len(stiction.Contacts(held, scene.x, scene.dhat)) == 0
    assert len(stiction.Contacts(surface, scene.x, 0.01 * scene.dhat)) < len(first)


def test_a_barrier_may_ask_for_a_hessian_in_the_same_place():
    """Contacts of one place are shared, and so is their matrix: nobody may wait for it who holds it."""
    scene = scenes.polygons(0)
    surface = scene.surface()
    contacts = stiction.Contacts(surface, scene.x, scene.dhat)
    plain = barrier(contacts, KAPPA)

    class Asking(Parabola):
        def second_derivative(self, d, dhat):
            again = stiction.Contacts(surface, scene.x, scene.dhat)
            assert plain.hessian(again, scene.x).shape[0] == scene.x.size
            return super().second_derivative(d, dhat)

    found = stiction.BarrierPotential(scene.dhat, KAPPA, barrier=Asking()).hessian(contacts, scene.x)
    assert np.isfinite(found.data).all()
