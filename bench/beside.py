"""Runs operations of ipctk and of ours side by side: one process, the same scenes, tables of ratios.

Every row is an operation: what ipctk needs, what we need, and the ratio (above 1: we are faster or smaller). The first
table has wall time and processor time of all threads, each the smallest of several runs that take turns, and shows
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

# numpy's own threads would wait for work beside what is measured, and count as processor time.
ALONE = {"OPENBLAS_NUM_THREADS": "1"}

# With these, memory that a call frees stays with the process, and the next call does not wait for new pages. Much of what
# ipctk needs for its Hessians is such waiting.
TUNED = {
    "MALLOC_MMAP_THRESHOLD_": "8589934592",
    "MALLOC_TRIM_THRESHOLD_": "17179869184",
    "MALLOC_TOP_PAD_": "67108864",
}


@dataclass
class Scene:
    """A workload as both libraries want it; ipctk copies arrays that are not in Fortran's order."""

    workload: Workload
    surface: stiction.Surface = field(init=False)
    mesh: ipctk.CollisionMesh = field(init=False)
    # What operations found and want to use again.
    found: dict = field(default_factory=dict)

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


@dataclass
class Operation:
    """One row: a callable for each library, what to show of its result, and whether the two agree."""

    name: str
    peer: Callable
    ours: Callable
    shown: Callable
    agree: Callable
    # Called before each run of either, outside of what is measured.
    prepare: Callable = lambda scene: None
    # The largest size at which it is run, in 2D and in 3D: some methods are quadratic.
    largest: tuple = ("large", "large")

    def fits(self, scene):
        largest = self.largest[scene.x.shape[1] - 2]
        return SIZES.index(scene.workload.size) <= SIZES.index(largest)


@dataclass
class Cost:
    wall: float = np.inf
    cpu: float = np.inf
    spent: float = 0.0

    def run(self, function, scene):
        """Calls the function once and keeps the smallest times, in s."""
        gc.collect()
        # Threads of the other library look for work for a while before they sleep.
        time.sleep(0.05)
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
        operation.prepare(scene)
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
    f"{'operation':46s} {'threads':>7s} | {'ipctk':>9s} {'ours':>9s} {'ratio':>6s}"
    f" | {'ipctk cpu':>9s} {'ours cpu':>9s} {'ratio':>6s} | found"
)
MEMORY = f"{'operation':46s} {'threads':>7s} | {'ipctk':>9s} {'ours':>9s} {'ratio':>6s}"


def columns(theirs, ours):
    return f"{theirs:9.2f} {ours:9.2f} {theirs / ours if ours > 0 else np.nan:6.2f}"


def chosen(scene, options):
    """The operations to run on a scene, with numbers of threads, which are set."""
    for operation in options.operations:
        if operation.fits(scene) and re.search(options.only, operation.name):
            for threads in options.threads:
                ipctk.set_num_threads(threads)
                stiction.set_num_threads(threads)
                yield operation, f"{operation.name:46s} {threads:7d}"


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
            yield options.scene(made)


def run(description, operations, scene=Scene):
    """The command line of a benchmark; its exit status."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workloads", nargs="+", default=list(MAKERS), choices=list(MAKERS))
    parser.add_argument("--sizes", nargs="+", default=["small", "medium"], choices=SIZES)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--only", default="", help="a regular expression on the names of operations")
    parser.add_argument("--budget", type=float, default=2.0, help="seconds for an operation")
    parser.add_argument("--tuned", action="store_true", help="let glibc keep freed memory, for both")
    parser.add_argument("--no-memory", action="store_true", help="leave out the second table")
    parser.add_argument("--memory", choices=["peer", "ours"], help="only the peaks of one library")
    options = parser.parse_args()
    settings = ALONE | (TUNED if options.tuned else {})
    if not settings.items() <= os.environ.items():
        # They are read at the start of a process.
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | settings)
    options.operations, options.scene = operations, scene
    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    if options.memory:
        for made in scenes(options):
            for operation, _ in chosen(made, options):
                operation.prepare(made)
                print(PEAK, peak(getattr(operation, options.memory), made))
        return 0
    tuned = ", glibc keeps freed memory" if options.tuned else ""
    print(f"ipctk {ipctk.__version__}, stiction {stiction.__version__}{tuned}\n\nTime, in ms")
    wrong = sum(times(made, options) for made in scenes(options))
    if Path("/proc/self/clear_refs").exists() and not options.no_memory:
        print("\nMemory at the peak, in MB")
        memory(options)
    return 1 if wrong else 0
