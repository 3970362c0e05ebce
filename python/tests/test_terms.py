"""Energies that are written in Python."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
import pytest

import stiction

SCENE = """
dimension = 2
gravity = [0.0, -9.81]
time = { step = 0.002, end = 0.5 }
contact.dhat = 1e-3
[[bodies]]
name = "block"
shape.box = { center = [0.0, 0.0508], size = [0.2, 0.1], cells = [2, 1] }
material = { young = 1e8, poisson = 0.3, density = 1000.0 }
[[planes]]
point = [0.0, 0.0]
normal = [0.0, 1.0]
"""


class Spring:
    """½ k Σ |xᵢ − Xᵢ − v t|² over all nodes."""

    name = "spring"

    def __init__(self, rest, stiffness=4000.0, velocity=(0.5, 0.0)):
        self.rest = rest
        self.k = stiffness / len(rest)
        self.velocity = np.array(velocity)
        self.stencils = np.arange(len(rest))[:, None]

    def stretch(self, x, t):
        return x - self.rest - self.velocity * t

    def energy(self, x, t):
        return 0.5 * self.k * np.sum(self.stretch(x, t) ** 2)

    def gradient(self, x, t):
        return self.k * self.stretch(x, t)

    def hessian(self, x, t):
        return np.tile(self.k * np.eye(2), (len(x), 1, 1))


def start():
    return stiction.Simulation(stiction.Scene.parse(SCENE)).positions


def test_a_spring_to_a_moving_point_draws_a_block():
    rest = start()
    simulation = stiction.Simulation(stiction.Scene.parse(SCENE), terms=[Spring(rest)])
    reports = simulation.run()
    omega = np.sqrt(4000.0 / 20.0)
    t = np.array([report["time"] for report in reports])
    way = np.array([report["block.x"] for report in reports])
    expected = 0.5 * t - 0.5 / omega * np.sin(omega * t)
    assert np.abs(way - expected).max() < 2e-4
    stored = np.array([report["spring_energy"] for report in reports])
    np.testing.assert_allclose(stored, 2000.0 * (way - 0.5 * t) ** 2, atol=1e-3)
    # Newton's method is as fast as without: it has the term's Hessian.
    assert sum(report["newton_iterations"] for report in reports) <= 2 * len(reports) + 20
    np.testing.assert_array_equal(simulation.nodes, simulation.positions)
    assert simulation.node_bodies == simulation.bodies == {"block": slice(0, 6, 1)}


def test_the_same_bits_after_a_pickle():
    one = stiction.Simulation(stiction.Scene.parse(SCENE), terms=[Spring(start())])
    one.run(until=0.02)
    other = pickle.loads(pickle.dumps(one))
    one.run(until=0.04)
    other.run(until=0.04)
    np.testing.assert_array_equal(one.positions, other.positions)
    assert one.reports[-1] == other.reports[-1]


class Broken(Spring):
    def __init__(self, rest, method, answer):
        super().__init__(rest)
        self.broken, self.answer = method, answer

    def __getattribute__(self, name):
        if name == object.__getattribute__(self, "__dict__").get("broken"):
            answer = object.__getattribute__(self, "answer")
            return lambda x, t: answer(x) if t > 0.003 else getattr(Spring(self.rest), name)(x, t)
        return object.__getattribute__(self, name)


@pytest.mark.parametrize(
    ("method", "answer", "word"),
    [
        ("energy", lambda x: 1 / 0, "division by zero"),
        ("energy", lambda x: "many", "energy"),
        ("energy", lambda x: np.nan, "no number"),
        ("gradient", lambda x: np.zeros((3, 2)), "expected"),
        ("gradient", lambda x: np.full_like(x, np.nan), "finite"),
        ("hessian", lambda x: np.zeros((len(x), 2)), "hessian"),
        ("hessian", lambda x: np.full((len(x), 2, 2), np.inf), "finite"),
    ],
)
def test_a_term_that_fails_fails_the_step(method, answer, word):
    simulation = stiction.Simulation(stiction.Scene.parse(SCENE), terms=[Broken(start(), method, answer)])
    simulation.step()
    before = simulation.positions
    with pytest.raises(stiction.StepError, match=word):
        simulation.step()
    np.testing.assert_array_equal(simulation.positions, before)
    assert simulation.steps == 1


@pytest.mark.parametrize(
    ("change", "error", "word"),
    [
        ({"name": 3}, ValueError, "string"),
        ({"name": "a b"}, ValueError, "letters"),
        ({"name": "elastic"}, ValueError, "another"),
        ({"stencils": [[99]]}, ValueError, "not from 0 to 5"),
        ({"stencils": [[-1]]}, ValueError, "not from 0 to 5"),
        ({"stencils": [[0, 1, 2, 3, 4]]}, ValueError, "from 1 to 4"),
        ({"stencils": [[0], [1, 2]]}, ValueError, "same length"),
        ({"stencils": "all"}, ValueError, "whole numbers"),
        ({"domain": "everything"}, ValueError, "surface"),
        ({"energy": 1.0}, TypeError, "no method energy"),
    ],
)
def test_wrong_terms_are_refused(change, error, word):
    term = Spring(start())
    for name, value in change.items():
        setattr(term, name, value)
    with pytest.raises(error, match=word):
        stiction.Simulation(stiction.Scene.parse(SCENE), terms=[term])


def test_a_term_cannot_make_steps():
    class Recursive(Spring):
        simulation = None

        def energy(self, x, t):
            if self.simulation is not None:
                self.simulation.step()
            return super().energy(x, t)

    term = Recursive(start())
    simulation = stiction.Simulation(stiction.Scene.parse(SCENE), terms=[term])
    for stepped in (simulation, stiction.Simulation(stiction.Scene.parse(SCENE))):
        term.simulation = stepped
        with pytest.raises(stiction.StepError, match="cannot make steps.* of any simulation"):
            simulation.step()
    assert stepped.steps == 0


def test_a_state_in_which_a_term_fails_is_not_loaded(tmp_path):
    ahead = stiction.Simulation(stiction.Scene.parse(SCENE), terms=[Spring(start())])
    ahead.run(until=0.01)
    ahead.save(tmp_path / "state.bin")
    term = Broken(start(), "energy", lambda x: 1 / 0)
    simulation = stiction.Simulation(stiction.Scene.parse(SCENE), terms=[term])
    before = simulation.positions, simulation.reports
    with pytest.raises(stiction.StepError, match='term "spring" failed .* division by zero'):
        simulation.load(tmp_path / "state.bin")
    np.testing.assert_array_equal(simulation.positions, before[0])
    assert simulation.steps == 0 and simulation.reports == before[1]
    simulation.step()
    term.broken = ""
    simulation.load(tmp_path / "state.bin")
    assert simulation.steps == 5
    assert simulation.reports[0]["spring_energy"] == ahead.reports[-1]["spring_energy"]


def test_a_term_fails_at_the_start():
    term = Spring(start())
    term.energy = lambda x, t: 1 / 0
    with pytest.raises(stiction.StepError, match="at the start.* division by zero"):
        stiction.Simulation(stiction.Scene.parse(SCENE), terms=[term])


def test_a_term_may_hold_its_simulation():
    term = Spring(start())
    term.simulation = stiction.Simulation(stiction.Scene.parse(SCENE), terms=[term])
    term.simulation.step()
    gone = weakref.ref(term)
    del term
    gc.collect()
    assert gone() is None


def test_a_term_of_pairs_is_projected():
    """A repulsive spring between two nodes has negative curvature; steps still go downhill."""

    class Repulsive:
        name = "repulsive"
        domain = "surface"
        stencils = np.array([[0, 5]])

        def energy(self, x, t):
            return -50.0 * np.sum((x[0] - x[5]) ** 2)

        def gradient(self, x, t):
            out = np.zeros_like(x)
            out[0] = -100.0 * (x[0] - x[5])
            out[5] = -out[0]
            return out

        def hessian(self, x, t):
            return -100.0 * np.block([[np.eye(2), -np.eye(2)], [-np.eye(2), np.eye(2)]])[None]

    simulation = stiction.Simulation(stiction.Scene.parse(SCENE), terms=[Repulsive()])
    report = simulation.run(until=0.02)[-1]
    assert report["repulsive_energy"] < 0.0
