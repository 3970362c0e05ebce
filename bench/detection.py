"""Collision detection beside ipctk: the same scenes, one process, one table of ratios.

    python bench/detection.py [--workloads W1 W4] [--sizes small medium] [--threads 1 2] [--only REGEX] [--budget 2]

Every row is an operation: what ipctk needs, what we need, and the ratio (above 1: we are faster or smaller), of wall
time, of processor time of all threads, and of the memory that is touched at the peak beyond what was there. Times are
the smallest of several runs that take turns. The last columns count what was found; a row whose answers disagree
says so, and the exit status is 1.
"""

import argparse
import ctypes
import gc
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import ipctk
import numpy as np
from workloads import MAKERS, SIZES, Absent, Workload, workload

import stiction


@dataclass
class Scene:
    """A workload as both libraries want it; ipctk copies arrays that are not in Fortran's order."""

    workload: Workload
    surface: stiction.Surface = field(init=False)
    mesh: ipctk.CollisionMesh = field(init=False)
    exact: dict = field(default_factory=dict)

    def __post_init__(self):
        w = self.workload
        self.surface = stiction.Surface(w.rest, w.edges, w.faces if len(w.faces) else None)
        fortran = np.asfortranarray
        primitives = [fortran(w.edges), fortran(w.faces)] if len(w.faces) else [fortran(w.edges)]
        self.mesh = ipctk.CollisionMesh(fortran(w.rest), *primitives)
        self.x, self.nudge, self.push = w.x, w.nudge, w.push
        self.nudged, self.pushed = w.x + w.nudge, w.x + w.push
        self.peer_x, self.peer_nudged, self.peer_pushed = map(fortran, (w.x, self.nudged, self.pushed))
        self.inflation = w.dhat / 2

    def exact_count(self, swept):
        """How many candidates ipctk finds with boxes in double precision."""
        if swept not in self.exact:
            self.exact[swept] = len(peer_candidates(self, swept, ipctk.HashGrid()))
        return self.exact[swept]


@dataclass
class Operation:
    """One row: a callable for each library, what to show of its result, and whether the two agree."""

    name: str
    peer: Callable
    ours: Callable
    shown: Callable
    agree: Callable
    # The largest size at which it is run, in 2D and in 3D: some methods are quadratic.
    largest: tuple = ("large", "large")

    def fits(self, scene):
        largest = self.largest[scene.x.shape[1] - 2]
        return SIZES.index(scene.workload.size) <= SIZES.index(largest)


def peer_candidates(scene, swept, method):
    found = ipctk.Candidates()
    if swept:
        found.build(scene.mesh, scene.peer_x, scene.peer_pushed, 0.0, method)
    else:
        found.build(scene.mesh, scene.peer_x, scene.inflation, method)
    return found


def our_candidates(scene, swept, method):
    if swept:
        return stiction.candidates(scene.surface, scene.x, scene.pushed, method=method)
    return stiction.candidates(scene.surface, scene.x, inflation=scene.inflation, method=method)


def total(found):
    return sum(map(len, found.values())) if isinstance(found, dict) else len(found)


# Ours, ipctk's, and the largest sizes. Its spatial hash is quadratic in 2D.
METHODS = [
    ("bvh", "LBVH", ("large", "large")),
    ("hash_grid", "HashGrid", ("large", "medium")),
    ("spatial_hash", "SpatialHash", ("small", "medium")),
    ("sweep_and_prune", "SweepAndPrune", ("medium", "medium")),
    ("brute_force", "BruteForce", ("small", "small")),
]


def candidate_operation(swept, ours, theirs, largest):
    """Ours must be as many as ipctk finds in double precision; its tree finds a few more."""
    return Operation(
        name=f"candidates, {'swept' if swept else 'static'}, {ours}",
        peer=lambda scene: peer_candidates(scene, swept, getattr(ipctk, theirs)()),
        ours=lambda scene: our_candidates(scene, swept, ours),
        shown=total,
        agree=lambda scene, peer, own: own == scene.exact_count(swept) and own <= peer,
        largest=largest,
    )


def intersection_check():
    return Operation(
        name="intersection check",
        peer=lambda scene: ipctk.has_intersections(scene.mesh, scene.peer_x),
        ours=lambda scene: stiction.has_crossings(scene.surface, scene.x),
        shown=bool,
        agree=lambda scene, peer, own: peer == own,
    )


OPERATIONS = [candidate_operation(swept, *method) for method in METHODS for swept in (False, True)]
OPERATIONS += [intersection_check()]


@dataclass
class Cost:
    wall: float = np.inf
    cpu: float = np.inf
    memory: float = 0.0
    spent: float = 0.0

    def run(self, function, scene):
        """Calls the function once and keeps the smallest times and the largest memory, in MB."""
        gc.collect()
        before = release_memory()
        wall, cpu = time.perf_counter(), time.process_time()
        result = function(scene)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        self.wall, self.cpu = min(self.wall, wall), min(self.cpu, cpu)
        self.memory = max(self.memory, status("VmHWM") - before)
        self.spent += wall
        return result


def release_memory():
    """Gives free memory back to the system and forgets the peak so far; what is in use then, in MB."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except (OSError, AttributeError):
        pass  # Not Linux with glibc: memory is not measured.
    return status("VmRSS")


def status(key):
    """An entry of /proc/self/status in MB; NaN where there is none."""
    try:
        with open("/proc/self/status") as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines[key].split()[0]) / 1024
    except (OSError, KeyError):
        return np.nan


def measure(operation, scene, budget):
    """Both costs and both results; runs take turns, so that both meet the same machine."""
    theirs, ours = Cost(), Cost()
    for count in range(1, 51):
        peer = operation.shown(theirs.run(operation.peer, scene))
        own = operation.shown(ours.run(operation.ours, scene))
        spent = theirs.spent + ours.spent
        if (count >= 3 and spent > budget) or spent > 3 * budget:
            break
    return theirs, ours, peer, own


HEADER = (
    f"{'operation':36s} {'threads':>7s} | {'ipctk':>9s} {'ours':>9s} {'ratio':>6s} | {'cpu':>9s} {'ours':>9s} {'ratio':>6s}"
    f" | {'MB':>8s} {'ours':>8s} {'ratio':>6s} | found"
)


def row(operation, threads, theirs, ours):
    def columns(a, b, scale, width, digits):
        ratio = f"{a / b:6.2f}" if b > 0 else f"{'-':>6s}"
        return f"{a * scale:{width}.{digits}f} {b * scale:{width}.{digits}f} {ratio}"

    wall = columns(theirs.wall, ours.wall, 1e3, 9, 2)
    cpu = columns(theirs.cpu, ours.cpu, 1e3, 9, 2)
    memory = columns(theirs.memory, ours.memory, 1, 8, 1)
    return f"{operation.name:36s} {threads:7d} | {wall} | {cpu} | {memory}"


def bench(scene, options):
    """Prints the rows of a scene; how many of them disagree."""
    wrong = 0
    for operation in OPERATIONS:
        if not operation.fits(scene) or not re.search(options.only, operation.name):
            continue
        for threads in options.threads:
            ipctk.set_num_threads(threads)
            stiction.set_num_threads(threads)
            theirs, ours, peer, own = measure(operation, scene, options.budget)
            agree = operation.agree(scene, peer, own)
            wrong += not agree
            found = f"{own}" if peer == own else f"{own}, ipctk {peer}"
            found += "" if agree else "  DISAGREE"
            print(f"{row(operation, threads, theirs, ours)} | {found}", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workloads", nargs="+", default=list(MAKERS), choices=list(MAKERS))
    parser.add_argument("--sizes", nargs="+", default=["small", "medium"], choices=SIZES)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--only", default="", help="a regular expression on the names of operations")
    parser.add_argument("--budget", type=float, default=2.0, help="seconds for an operation")
    options = parser.parse_args()
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    print(f"ipctk {ipctk.__version__}, stiction {stiction.__version__}; wall and cpu time in ms")
    wrong = 0
    for name in options.workloads:
        for size in options.sizes:
            try:
                made = workload(name, size)
            except Absent as missing:
                print(f"\n{name} {size}: skipped, {missing}")
                continue
            counts = f"{len(made.x)} vertices, {len(made.edges)} edges, {len(made.faces)} faces"
            print(f"\n{name} {size}: {counts}\n{HEADER}", flush=True)
            wrong += bench(Scene(made), options)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
