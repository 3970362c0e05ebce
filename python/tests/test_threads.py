"""Many threads of Python on the same objects: nobody waits for ever, nobody gets what belongs to another.

Each case runs in a process of its own, which says where it hangs if it does.
"""

import subprocess
import sys

import pytest

START = """
import faulthandler, sys, threading, time
import numpy as np
import stiction
faulthandler.dump_traceback_later(40, exit=True)
sys.setswitchinterval(1e-5)
stiction.set_num_threads(2)
stop = time.time() + 2

def together(*functions):
    def repeat(function):
        while time.time() < stop:
            function()
    workers = [threading.Thread(target=repeat, args=(function,)) for function in functions]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print("done")

class Parabola:
    def __call__(self, s, s_hat): return (s - s_hat) ** 2
    def first_derivative(self, s, s_hat): return 2 * (s - s_hat)
    def second_derivative(self, s, s_hat): return 2.0
    def units(self, s_hat): return s_hat**2

rows = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0), [0.0, 0.05], indexing="ij"), -1).reshape(-1, 3)
surface = stiction.Surface(rows, np.empty((0, 2), int), None, np.arange(len(rows)))
contacts = stiction.Contacts(surface, rows, 0.1)
own = stiction.BarrierPotential(0.1, barrier=Parabola())
"""

CASES = {
    "hessians of different sizes": """
import stiction.ipctk as ipctk
barrier = ipctk.BarrierPotential(0.05, 1e3)
def hessians(count):
    x = np.array([[0.02 * i, 0, 0] for i in range(count)])
    mesh, collisions = ipctk.CollisionMesh(x), ipctk.NormalCollisions()
    collisions.build(mesh, x, 0.05)
    def check():
        found = barrier.hessian(collisions, mesh, x)
        assert found.shape == (x.size, x.size) and len(found.indptr) == x.size + 1
    return check
failures = []
threading.excepthook = lambda failure: failures.append(failure)
together(hessians(3), hessians(8))
assert not failures, failures
""",
    "a barrier and weights of Python": """
def weighted():
    stiction.Contacts(surface, rows, 0.1, weight_factor=lambda places: np.ones(len(places)))
together(lambda: own.energy(contacts, rows), weighted, weighted)
""",
    "slides that are read, changed and replaced": """
slides = stiction.Slides(contacts, rows, own, 0.5, static_axes=[0.5, 0.3], kinetic_axes=[0.4, 0.2])
friction, v = stiction.FrictionPotential(1e-3), np.random.default_rng(0).normal(size=rows.shape)
replace = lambda: stiction._stiction.drop_in.replaced(slides, mu=np.full((len(slides), 2), 0.1))
force = lambda: friction.force(slides, rows, 0 * rows, v)
together(force, force, lambda: slides.refresh_anisotropy(v), replace, replace, lambda: friction.change(slides, slides, v))
""",
    "reports while finalisers run": """
import gc
box = {"shape": {"box": {"center": [0.0, 0.101], "size": [0.2, 0.2], "cells": [2, 2]}}, "name": "block",
       "material": {"young": 1e6, "poisson": 0.4, "density": 1000.0}}
scene = stiction.Scene({"dimension": 2, "gravity": [0.0, -9.81], "time": {"step": 0.01, "end": 1.0}, "contact": {"dhat": 1e-3},
                        "friction": {"mu": 0.5, "eps_v": 1e-3}, "bodies": [box],
                        "planes": [{"point": [0.0, 0.0], "normal": [0.0, 1.0]}]})
simulation = stiction.Simulation(scene)
for _ in range(20):
    simulation.step()
class Loop:
    def __init__(self): self.me = self
    def __del__(self):
        time.sleep(0)
        simulation.reports[:1]
gc.set_threshold(20)
def read():
    Loop()
    simulation.reports
together(read, read)
""",
}


@pytest.mark.parametrize("case", CASES)
def test_threads_do_not_wait_for_each_other_for_ever(case):
    done = subprocess.run([sys.executable, "-c", START + CASES[case]], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.strip() == "done", done.stdout + done.stderr[-3000:]
