"""Input without end: dictionaries in themselves, arrays and distances that no memory is enough for. An exception each, never a crash.

Each case runs in a process of its own with little memory.
"""

import os
import subprocess
import sys

import pytest

START = """
import resource
import numpy as np
import stiction
from fuzz_world import scene_values

def raises(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error) and len(str(error)) < 2000, str(error)[:2000]
    else:
        raise AssertionError("no exception")

def nested(depth, start, wrap):
    for _ in range(depth):
        start = wrap(start)
    return start
"""

CASES = {
    "a dictionary in itself": """
d = {}
d["a"] = d
raises(ValueError, "a.a.a", lambda: stiction.Scene(d))
raises(ValueError, "more than 64 deep", lambda: stiction.Scene(d))
""",
    "a list in itself": """
l = []
l.append(l)
raises(ValueError, "gravity[0][0]", lambda: stiction.Scene({"gravity": l}))
""",
    "deep lists, tuples and dictionaries": """
for wrap in (lambda x: [x], lambda x: (x,), lambda x: {"a": x}):
    raises(ValueError, "more than 64 deep", lambda: stiction.Scene({"dimension": nested(100_000, 1, wrap)}))
""",
    "an array that is a list of itself": """
class Endless:
    def tolist(self): return self
raises(ValueError, "more than 64 deep", lambda: stiction.Scene({"dimension": Endless()}))
""",
    "a list without end": """
import itertools
raises(ValueError, "gravity: count is no value", lambda: stiction.Scene({"gravity": itertools.count()}))
""",
    "text with many brackets": """
n = 100_000
for text in ("a = " + "[" * n + "]" * n, "[" * n, "a = " + "{a = " * n + "1" + "}" * n, ".".join(["a"] * n) + " = 1", "[" + ".".join(["a"] * n) + "]"):
    raises(ValueError, "", lambda: stiction.Scene.parse(text))
""",
    "as deep as scenes are": """
stiction.Simulation(stiction.Scene(scene_values()))
""",
    "an array for which there is no memory": """
x = np.zeros((20_000_000, 3))
# Room for the interpreter, not for a copy of the array.
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 200_000_000, used + 200_000_000))
raises(MemoryError, "vertices: no memory for 60000000 entries", lambda: stiction.Surface(x, []))
raises(MemoryError, "", lambda: stiction.Surface(x[:2], np.zeros((20_000_000, 2), np.int8)))
""",
    "threads that the system cannot start": """
stiction.set_num_threads(2)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 400_000_000, used + 400_000_000))
raises(ValueError, "as many as the system can start", lambda: stiction.set_num_threads(1024))
assert stiction.num_threads() == 2
""",
    "a distance at which everything touches": """
x = np.random.default_rng(0).random((300_000, 3))
surface = stiction.Surface(x, [], None, np.arange(len(x)))
raises(MemoryError, "pairs are within", lambda: stiction.Contacts(surface, x, 1e3))
raises(MemoryError, "is the distance in the unit", lambda: stiction.candidates(surface, x, inflation=1e3))
assert len(stiction.Contacts(surface, x, 1e-3)) > 0
""",
}


@pytest.mark.parametrize("case", CASES)
def test_limits(case):
    command = [sys.executable, "-c", START + CASES[case] + "\nprint('done')"]
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(__file__), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0 and done.stdout.strip() == "done", done.stdout + done.stderr[-3000:]
