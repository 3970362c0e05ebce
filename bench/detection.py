"""Collision detection beside ipctk: the same scenes, one process, one table of ratios.

    python bench/detection.py [--workloads W1 W4] [--sizes small medium] [--threads 1 2] [--only REGEX] [--budget 2]

Every row is an operation: what ipctk needs, what we need, and the ratio (above 1: we are faster or smaller). The first
table has wall time and processor time of all threads, each the smallest of several runs that take turns, and counts
what was found; a row whose answers disagree says so, and the exit status is 1. The second table has the memory that a
call touches at its peak beyond what was there, its result included (Linux with glibc only).
"""

import argparse
import gc
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

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


# Ours and ipctk's.
NARROW = [("additive", "AdditiveCCD"), ("tight_inclusion", "TightInclusionCCD")]


def motion(scene, pushed):
    """The displacements for us, both ends for ipctk."""
    return (scene.push, scene.peer_pushed) if pushed else (scene.nudge, scene.peer_nudged)


def step_operation(pushed, ours, theirs):
    """The steps differ by what each keeps of distances; whether the whole motion is safe must agree."""

    def peer(scene):
        method = getattr(ipctk, theirs)()
        return ipctk.compute_collision_free_stepsize(
            scene.mesh, scene.peer_x, motion(scene, pushed)[1], narrow_phase_ccd=method
        )

    return Operation(
        name=f"step, {'pushed' if pushed else 'nudged'}, {ours}",
        peer=peer,
        ours=lambda scene: stiction.largest_step(scene.surface, scene.x, motion(scene, pushed)[0], method=ours),
        shown=lambda step: round(step, 4),
        agree=lambda scene, peer, own: (peer < 1) == (own < 1),
    )


def free_operation(pushed, ours, theirs):
    def peer(scene):
        method = getattr(ipctk, theirs)()
        return ipctk.is_step_collision_free(
            scene.mesh, scene.peer_x, motion(scene, pushed)[1], narrow_phase_ccd=method
        )

    return Operation(
        name=f"free, {'pushed' if pushed else 'nudged'}, {ours}",
        peer=peer,
        ours=lambda scene: stiction.is_free(scene.surface, scene.x, motion(scene, pushed)[0], method=ours),
        shown=bool,
        agree=lambda scene, peer, own: peer == own,
    )


OPERATIONS = [candidate_operation(swept, *method) for method in METHODS for swept in (False, True)]
OPERATIONS += [intersection_check()]
for make in (step_operation, free_operation):
    OPERATIONS += [make(pushed, *method) for pushed in (False, True) for method in NARROW]


@dataclass
class Cost:
    wall: float = np.inf
    cpu: float = np.inf
    spent: float = 0.0

    def run(self, function, scene):
        """Calls the function once and keeps the smallest times, in s."""
        gc.collect()
        wall, cpu = time.perf_counter(), time.process_time()
        result = function(scene)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        self.wall, self.cpu = min(self.wall, wall), min(self.cpu, cpu)
        self.spent += wall
        return result


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


def peaks_of(library, scene):
    """The peaks of all operations on a scene in a process of its own, in which free memory goes back to the system at once.

    Otherwise one call would hide its needs in what another left behind; and that costs time, so nothing is timed there.
    """
    settings = {"MALLOC_MMAP_THRESHOLD_": "4096", "MALLOC_MMAP_MAX_": "1000000"}
    which = ["--workloads", scene.workload.name, "--sizes", scene.workload.size]
    command = [sys.executable, *sys.argv, *which, "--memory", library]
    lines = subprocess.run(command, env=os.environ | settings, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [float(line.split()[-1]) for line in lines.splitlines() if line.startswith(PEAK)]


def peak(function, scene):
    """The memory that a call touches beyond what was there, in MB."""
    gc.collect()
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = status("VmRSS")
    result = function(scene)
    touched = status("VmHWM") - before
    del result
    return touched


def status(key):
    """An entry of /proc/self/status in MB; NaN where there is none."""
    try:
        with open("/proc/self/status") as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines[key].split()[0]) / 1024
    except (OSError, KeyError):
        return np.nan


PEAK = "peak"
TIMES = (
    f"{'operation':36s} {'threads':>7s} | {'ipctk':>9s} {'ours':>9s} {'ratio':>6s}"
    f" | {'ipctk cpu':>9s} {'ours cpu':>9s} {'ratio':>6s} | found"
)
MEMORY = f"{'operation':36s} {'threads':>7s} | {'ipctk':>9s} {'ours':>9s} {'ratio':>6s}"


def columns(theirs, ours):
    return f"{theirs:9.2f} {ours:9.2f} {theirs / ours if ours > 0 else np.nan:6.2f}"


def chosen(scene, options):
    """The operations to run on a scene, with numbers of threads, which are set."""
    for operation in OPERATIONS:
        if operation.fits(scene) and re.search(options.only, operation.name):
            for threads in options.threads:
                ipctk.set_num_threads(threads)
                stiction.set_num_threads(threads)
                yield operation, f"{operation.name:36s} {threads:7d}"


def times(scene, options):
    """Prints the first table of a scene; how many rows disagree."""
    wrong = 0
    print(TIMES)
    for operation, label in chosen(scene, options):
        theirs, ours, peer, own = measure(operation, scene, options.budget)
        agree = operation.agree(scene, peer, own)
        wrong += not agree
        found = f"{own}" if peer == own else f"{own}, ipctk {peer}"
        found += "" if agree else "  DISAGREE"
        wall, cpu = columns(theirs.wall * 1e3, ours.wall * 1e3), columns(theirs.cpu * 1e3, ours.cpu * 1e3)
        print(f"{label} | {wall} | {cpu} | {found}", flush=True)
    return wrong


def memory(options):
    """Prints the second table."""
    for scene in scenes(options):
        print(MEMORY)
        both = zip(peaks_of("peer", scene), peaks_of("ours", scene))
        for (_, label), (theirs, ours) in zip(chosen(scene, options), both):
            print(f"{label} | {columns(theirs, ours)}", flush=True)


def scenes(options):
    """The scenes one after the other, each with a headline."""
    for name in options.workloads:
        for size in options.sizes:
            try:
                made = workload(name, size)
            except Absent as missing:
                print(f"\n{name} {size}: skipped, {missing}")
                continue
            counts = f"{len(made.x)} vertices, {len(made.edges)} edges, {len(made.faces)} faces"
            print(f"\n{name} {size}: {counts}")
            yield Scene(made)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workloads", nargs="+", default=list(MAKERS), choices=list(MAKERS))
    parser.add_argument("--sizes", nargs="+", default=["small", "medium"], choices=SIZES)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--only", default="", help="a regular expression on the names of operations")
    parser.add_argument("--budget", type=float, default=2.0, help="seconds for an operation")
    parser.add_argument("--memory", choices=["peer", "ours"], help="only the peaks of one library")
    options = parser.parse_args()
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    if options.memory:
        for scene in scenes(options):
            for operation, _ in chosen(scene, options):
                print(PEAK, peak(getattr(operation, options.memory), scene))
        return 0
    print(f"ipctk {ipctk.__version__}, stiction {stiction.__version__}\n\nTime, in ms")
    wrong = sum(times(scene, options) for scene in scenes(options))
    if Path("/proc/self/clear_refs").exists():
        print("\nMemory at the peak, in MB")
        memory(options)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
