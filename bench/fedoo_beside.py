"""fedoo on ipctk and on stiction.ipctk: its tests, its examples, and the time spent inside contact.

    python bench/fedoo_beside.py SOURCE [--tests] [--examples [REGEX]] [--control] [--budget SECONDS] [--keep FOLDER]

SOURCE is fedoo's unpacked source package, which has its tests and examples:

    pip download --no-deps --no-binary fedoo fedoo==1.1.0 && tar xf fedoo-1.1.0.tar.gz

fedoo, ipctk, stiction, pytest, gmsh, matplotlib and pyvista must be installed. Nothing of fedoo is changed or copied: its scripts run as they are, in a
process for each engine, with 1 thread, in a scratch folder.

Examples: a problem converges if its last increment does. Of those that do with ipctk, the table has the increments, the largest difference of the
displacements (by the largest displacement) and of the reactions (by the largest), the CPU seconds inside calls of the contact
library, and how often an increment ended with an intersection, by two checks that know nothing of each other:
ipctk's has_intersections and our exact one. fedoo's stiffness of the barrier, its increments and the paths of plastic bodies depend on the gaps that steps
happen to leave and on the last digits of forces: --control runs ipctk twice more, with the other of its two methods of collision detection
(AdditiveCCD), and with gradients of the barrier that are off by 1e-13 of themselves. It prints how far ipctk is from itself, and ours from these.
"""

import argparse
import importlib
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ENGINES = ("ipctk", "stiction")
CONTROLS = {"additive": "ipctk with AdditiveCCD", "noise": "ipctk with noise of 1e-13"}

# --- In the process that runs an example ---


class Meter:
    """CPU time inside calls of a module; calls inside calls count once."""

    def __init__(self):
        self.seconds, self.calls, self.inside, self.watched = {}, {}, False, {}

    def wrap(self, name, function):
        def timed(*arguments, **keywords):
            if self.inside:
                return function(*arguments, **keywords)
            self.inside = True
            before = time.process_time()
            start = time.process_time()
            try:
                return function(*arguments, **keywords)
            finally:
                end = time.process_time()
                self.inside = False
                # Reading this clock is a call of the system: what it takes is not the library's.
                self.seconds[name] = self.seconds.get(name, 0.0) + (end - start) - (start - before)
                self.calls[name] = self.calls.get(name, 0) + 1

        return timed

    def watch(self, ipctk):
        for name in FUNCTIONS:
            setattr(ipctk, name, self.wrap(name, getattr(ipctk, name)))
        for name, methods in METHODS.items():
            kind = getattr(ipctk.ogc if name == "TrustRegion" else ipctk, name)
            for method in methods:
                setattr(kind, method, self.wrap(f"{name}.{method}", getattr(kind, method)))
        for name in COLLISIONS:
            for attribute in ("weight", "num_vertices", "vertex_ids"):
                self.watch_attribute(getattr(ipctk, name), attribute)

    def watch_attribute(self, kind, name):
        """A method or a property, in the class that defines it."""
        owner = next(base for base in kind.__mro__ if name in vars(base))
        found, label = vars(owner)[name], f"collision.{name}"
        if label in self.watched.get(owner, ()):
            return
        self.watched.setdefault(owner, set()).add(label)
        if isinstance(found, property):
            setattr(owner, name, property(self.wrap(label, found.fget), found.fset and self.wrap(label, found.fset)))
        else:
            setattr(owner, name, self.wrap(label, getattr(owner, name)))


FUNCTIONS = [
    "edges",
    "compute_collision_free_stepsize",
    "initial_barrier_stiffness",
    "update_barrier_stiffness",
    "make_sparse_filter",
    "make_vertex_patches_filter",
]
METHODS = {
    "CollisionMesh": ["__init__"],
    "Candidates": ["build"],
    "NormalCollisions": ["__init__", "build", "compute_minimum_distance", "__getitem__", "__len__"],
    "BarrierPotential": ["__init__", "__call__", "gradient", "hessian"],
    "TangentialCollisions": ["__init__", "build"],
    "FrictionPotential": ["__init__", "__call__", "gradient", "hessian"],
    "TrustRegion": ["__init__", "warm_start_time_step", "filter_step", "update_if_needed"],
}

COLLISIONS = ["VertexVertexNormalCollision", "EdgeVertexNormalCollision", "EdgeEdgeNormalCollision", "FaceVertexNormalCollision"]


class Watch:
    """What fedoo's problems come to, and whether anything intersects after an increment."""

    def __init__(self, peer, stiction, meter):
        self.peer, self.stiction, self.meter = peer, stiction, meter
        self.problems, self.crossings = [], {"checked": 0, "ipctk": 0, "stiction": 0}
        self.meshes = {}

    def attach(self, fedoo, ipctk):
        self.keep_positions(ipctk.NormalCollisions)
        kind, watch = fedoo.problem.NonLinear, self
        solve, increment = kind.nlsolve, kind.solve_time_increment

        def solved(problem, *arguments, **keywords):
            watch.problems.append({"increments": 0, "failed": 0, "iterations": 0, "converged": False})
            found = solve(problem, *arguments, **keywords)
            watch.problems[-1]["converged"] = True
            return found

        def incremented(problem, *arguments, **keywords):
            found = increment(problem, *arguments, **keywords)
            watch.note(problem, *found)
            return found

        kind.nlsolve, kind.solve_time_increment = solved, incremented

    def keep_positions(self, kind):
        """The positions that contacts were last built at are those of the last iteration."""
        build, watch = kind.build, self

        def built(collisions, mesh, vertices, *arguments, **keywords):
            watch.meshes[id(mesh)] = mesh, np.array(vertices)
            return build(collisions, mesh, vertices, *arguments, **keywords)

        kind.build = built

    def note(self, problem, converged, iterations, error):
        record = self.problems[-1] if self.problems else {}
        if not record:
            return
        record["iterations"] += int(iterations)
        record["increments" if converged else "failed"] += 1
        if converged:
            record["time"] = float(problem.time + problem.dtime)
            record["displacement"] = np.asarray(problem.get_disp()).tolist()
            record["reaction"] = np.asarray(problem.get_ext_forces("Disp")).tolist()
            self.meter.inside = True  # What the checks take is not the contact library's.
            for mesh, x in self.meshes.values():
                self.check(mesh, x)
            self.meter.inside = False

    def check(self, mesh, x):
        rest, edges, faces = (np.asarray(array) for array in (mesh.rest_positions, mesh.edges, mesh.faces))
        mine = self.stiction.Surface(rest, edges, faces.reshape(-1, 3))
        theirs = self.peer.CollisionMesh(rest, edges.astype(np.int32), faces.astype(np.int32).reshape(-1, 3))
        self.crossings["checked"] += 1
        self.crossings["stiction"] += bool(self.stiction.has_crossings(mine, x))
        self.crossings["ipctk"] += bool(self.peer.has_intersections(theirs, np.asfortranarray(x)))


def choose(engine):
    """The real ipctk, stiction, and whichever of them is now called ipctk."""
    peer = importlib.import_module("ipctk")
    import stiction

    peer.set_num_threads(1)
    stiction.set_num_threads(1)
    if engine == "additive":
        step = peer.compute_collision_free_stepsize
        other = peer.AdditiveCCD()
        peer.compute_collision_free_stepsize = lambda *a, **k: step(*a, **(k | {"narrow_phase_ccd": other}))
    if engine == "noise":
        gradient, random = peer.BarrierPotential.gradient, np.random.default_rng(1)
        peer.BarrierPotential.gradient = lambda *a, **k: (g := gradient(*a, **k)) * (1.0 + 1e-13 * random.standard_normal(g.shape))
    if engine == "stiction":
        for name in [name for name in sys.modules if name.split(".")[0] == "ipctk"]:
            del sys.modules[name]
        stiction.use_as_ipctk()
    return peer, stiction, importlib.import_module("ipctk")


def run_example(engine, script, result):
    os.environ["MPLBACKEND"] = "Agg"
    peer, stiction, ipctk = choose(engine)
    meter, error = Meter(), None
    watch = Watch(peer, stiction, meter)
    meter.watch(ipctk)
    import fedoo

    watch.attach(fedoo, ipctk)
    start = time.process_time()
    try:
        runpy.run_path(script, run_name="__main__")
    except BaseException as trouble:  # Whatever a script ends with, also sys.exit, is part of the answer.
        error = f"{type(trouble).__name__}: {trouble}"[:200]
    found = {
        "error": error,
        "problems": watch.problems,
        "crossings": watch.crossings,
        "cpu": time.process_time() - start,
        "contact": meter.seconds,
        "calls": meter.calls,
    }
    Path(result).write_text(json.dumps(found))
    # A window or a plotter may wait for ever at the end.
    os._exit(0)


# --- In the process that compares ---


def run_tests(source, folder):
    """fedoo's tests that need ipctk, with each engine."""
    tests = sorted(path for path in (source / "tests").glob("test_*.py") if "ipctk" in path.read_text())
    for engine in ENGINES:
        command = [sys.executable, str(Path(__file__)), "--pytest", engine, "-q", "-p", "no:cacheprovider", *map(str, tests)]
        start = time.monotonic()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        lines = done.stdout.strip().splitlines()
        print(f"{engine:9s} {lines[-1] if lines else done.stderr[-300:]}   ({time.monotonic() - start:.0f} s)")
        for line in lines:
            if line.startswith(("FAILED", "ERROR")):
                print(f"          {line[:200]}")


def run_pytest(engine, *arguments):
    choose(engine)
    import pytest

    sys.exit(pytest.main(list(arguments)))


def examples(source, chosen):
    """The scripts that use IPC contact."""
    for path in sorted((source / "examples").rglob("*.py")):
        if re.search(r"IPC(Self)?Contact|add_ipc|set_static_obstacle|ipctk", path.read_text()) and re.search(chosen, str(path)):
            yield path


def run_all(script, folder, engines, budget):
    found = {}
    for engine in engines:
        result = Path(folder) / f"{engine}.json"
        result.unlink(missing_ok=True)
        work = Path(folder) / engine
        work.mkdir(exist_ok=True)
        command = [sys.executable, str(Path(__file__).resolve()), "--child", engine, str(script), str(result)]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYVISTA_OFF_SCREEN": "true"}
        try:
            subprocess.run(command, cwd=work, env=environment, capture_output=True, timeout=budget)
        except subprocess.TimeoutExpired:
            found[engine] = {"error": f"stopped after {budget:g} s"}
            continue
        found[engine] = json.loads(result.read_text()) if result.exists() else {"error": "ended without a result"}
    return found


def difference(first, second, key):
    """The largest difference of the last states of all problems, by the largest entry."""
    worst = 0.0
    for a, b in zip(first["problems"], second["problems"]):
        a, b = np.array(a[key]), np.array(b[key])
        worst = max(worst, np.abs(a - b).max() / max(np.abs(a).max(), 1e-300))
    return worst


def converged(found):
    problems = found.get("problems") or []
    return bool(problems) and all(problem["converged"] for problem in problems)


def show(script, found):
    name = f"{script.parent.name}/{script.stem}"
    peer, own = (found[engine] for engine in ENGINES)
    states = ["yes" if converged(result) else "no" for result in (peer, own)]
    if not converged(peer):
        print(f"{name:42s} {states[0]:>4s} {states[1]:>4s}   {str(peer.get('error'))[:60]} | {str(own.get('error'))[:60]}", flush=True)
        return
    if not converged(own):
        print(f"{name:42s} {states[0]:>4s} {states[1]:>4s}   {own.get('error')}", flush=True)
        return
    seconds = [sum(result["contact"].values()) for result in (peer, own)]
    increments = [sum(problem["increments"] for problem in result["problems"]) for result in (peer, own)]
    checks = own["crossings"]
    print(
        f"{name:42s} {states[0]:>4s} {states[1]:>4s} {increments[0]:5d} {increments[1]:5d} "
        f"{difference(peer, own, 'displacement'):9.1e} {difference(peer, own, 'reaction'):9.1e} "
        f"{seconds[0]:9.3f} {seconds[1]:9.3f} {seconds[0] / max(seconds[1], 1e-9):7.1f} "
        f"{peer['cpu']:8.1f} {own['cpu']:8.1f} {checks['stiction'] + checks['ipctk']:4d}/{checks['checked']}",
        flush=True,
    )
    for engine, name in CONTROLS.items():
        control = found.get(engine, {})
        if converged(control):
            for what, other in (("ipctk", peer), ("ours", own)):
                u, force = (difference(control, other, key) for key in ("displacement", "reaction"))
                print(f"  {what + ' from ' + name:40s} {'':21s} {u:9.1e} {force:9.1e}", flush=True)


HEAD = (
    f"{'example':42s} {'conv':>4s} {'erge':>4s} {'incr':>5s} {'incr':>5s} {'u':>9s} {'F':>9s} {'ipctk s':>9s} {'ours s':>9s} "
    f"{'ratio':>7s} {'all s':>8s} {'all s':>8s} cross"
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--examples", nargs="?", const="", default=None, metavar="REGEX")
    parser.add_argument("--control", action="store_true")
    parser.add_argument("--budget", type=float, default=600.0)
    parser.add_argument("--keep", type=Path, help="a folder for all results, as JSON")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.tests:
            run_tests(arguments.source.resolve(), folder)
        if arguments.examples is None:
            return
        engines = (*ENGINES, *CONTROLS) if arguments.control else ENGINES
        print(HEAD)
        for script in examples(arguments.source.resolve(), arguments.examples):
            found = run_all(script, folder, engines, arguments.budget)
            show(script, found)
            if arguments.keep:
                arguments.keep.mkdir(exist_ok=True, parents=True)
                (arguments.keep / f"{script.parent.name}-{script.stem}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    modes = {"--child": run_example, "--pytest": run_pytest}
    if sys.argv[1:2] and sys.argv[1] in modes:
        modes[sys.argv[1]](*sys.argv[2:])
    else:
        main()
