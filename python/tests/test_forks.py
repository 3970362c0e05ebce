"""Children of a fork, such as the workers of `multiprocessing` on Linux: they work, with the results of their parent.

Each case runs in a process of its own, which is ended if it hangs.
"""

import os
import subprocess
import sys

import pytest

START = """
import faulthandler, multiprocessing, os, threading, time
import numpy as np
import stiction
from fuzz_world import scene_values

faulthandler.dump_traceback_later(50, exit=True)
rng, n = np.random.default_rng(0), 3000
x = (rng.random((n, 1, 3)) + 0.01 * rng.random((n, 3, 3))).reshape(-1, 3)
surface = stiction.Surface(x, [], np.arange(3 * n).reshape(-1, 3))
barrier = stiction.BarrierPotential(0.002)

def bits(_=0):
    contacts = stiction.Contacts(surface, x, 0.002)
    return len(contacts), barrier.energy(contacts, x), barrier.gradient(contacts, x).tobytes(), stiction.num_threads()

def motion(_=0):
    simulation = stiction.Simulation(stiction.Scene(scene_values()))
    simulation.run()
    return simulation.positions.tobytes()

def in_children(function):
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return pool.map(function, range(4))
"""

CASES = {
    "after the threads of rayon were used": """
expected = bits()
assert in_children(bits) == [expected] * 4
assert bits() == expected
""",
    "after threads were chosen": """
stiction.set_num_threads(3)
expected = bits()
assert expected[3] == 3 and in_children(bits) == [expected] * 4
""",
    "before anything was used": """
found = in_children(bits)
assert found == [bits()] * 4
""",
    "simulations": """
expected = motion()
assert in_children(motion) == [expected] * 4
""",
    "children of children": """
stiction.set_num_threads(2)
expected = bits()
def below(depth):
    child = os.fork()
    if child == 0:
        os._exit(0 if bits()[:3] == expected[:3] and (depth == 0 or below(depth - 1)) else 1)
    return os.waitpid(child, 0)[1] == 0
assert below(40)
""",
    "while other threads compute": """
stiction.set_num_threads(2)
expected, stop = bits(), time.time() + 3
def repeat():
    while time.time() < stop:
        bits()
workers = [threading.Thread(target=repeat) for _ in range(2)]
[worker.start() for worker in workers]
while time.time() < stop:
    child = os.fork()
    if child == 0:
        os._exit(0 if bits() == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
[worker.join() for worker in workers]
""",
    "while another thread makes a step": """
# An energy that takes its time once: the fork is sure to come within the step.
class Slow:
    name, stencils, armed, begun = "slow", [[0]], False, threading.Event()
    def energy(self, x, t):
        if self.armed:
            self.armed = False
            self.begun.set()
            time.sleep(0.5)
        return 0.0
    def gradient(self, x, t):
        return np.zeros_like(x)
    def hessian(self, x, t):
        return np.zeros((1, 2, 2))
slow = Slow()
simulation = stiction.Simulation(stiction.Scene(scene_values()), terms=[slow])
before = simulation.positions
slow.armed = True
worker = threading.Thread(target=simulation.step)
worker.start()
assert slow.begun.wait(10)
child = os.fork()
if child == 0:
    try:
        # What can be read, can; the step is not waited for.
        assert np.array_equal(simulation.positions, before)
        simulation.step()
        os._exit(1)
    except RuntimeError as error:
        os._exit(0 if "forked" in str(error) else 2)
assert os.waitpid(child, 0)[1] == 0
worker.join()
assert simulation.steps == 1
""",
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.parametrize("case", CASES)
def test_children_work(case):
    command = [sys.executable, "-c", START + CASES[case] + "\nprint('done')"]
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(__file__), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0 and done.stdout.strip() == "done", done.stdout + done.stderr[-3000:]
