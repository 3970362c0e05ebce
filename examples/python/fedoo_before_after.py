"""The same fedoo model with ipctk and with `stiction.ipctk` in its place: displacements, reactions and time.

A disk is pressed into a block and dragged along it, with friction. fedoo (https://fedoo.readthedocs.io) is licensed under the GPL and no part of this
package: install it yourself to run this (`pip install fedoo ipctk`). Each engine runs in a process of its own; all that changes is one line before
`import fedoo`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import time
from pathlib import Path

ENGINES = ("ipctk", "stiction.ipctk")


def main(arguments_given: list[str] | None = None) -> dict[str, float] | None:
    from pictures import arguments, save

    options = arguments(__doc__).parse_args(arguments_given)
    missing = [name for name in ("fedoo", "ipctk") if not is_there(name)]
    if missing:
        print(f"skipped: {' and '.join(missing)} not installed; to run this: pip install fedoo ipctk")
        return None
    before, after = (run(engine, options.quick) for engine in ENGINES)
    result = compare(before, after)
    for name, value in result.items():
        print(f"{name}: {value:.3g}")
    draw(before, after, options, save)
    return result


def is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ValueError:  # somebody has put nothing in its place
        return False


def run(engine: str, quick: bool) -> dict:
    """What the model gives in a process where this engine is `ipctk`."""
    command = [sys.executable, str(Path(__file__).resolve()), "--engine", engine] + ["--quick"] * quick
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"fedoo on {engine} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def compare(before: dict, after: dict) -> dict[str, float]:
    """Differences relative to the largest value, and how much less time the calls took."""
    import numpy as np

    difference = {}
    for name, key in (("displacement difference", "displacements"), ("reaction difference", "reactions")):
        one, other = np.array(before[key]), np.array(after[key])
        difference[name] = float(np.abs(one - other).max() / np.abs(one).max()) if one.shape == other.shape else float("inf")
    return {**difference, "time in calls, ipctk (s)": before["seconds"], "time in calls, stiction (s)": after["seconds"]}


def draw(before: dict, after: dict, options: argparse.Namespace, save) -> None:
    import matplotlib.pyplot as plt
    import numpy as np
    from pictures import BLUE, GREY, ORANGE

    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.4), width_ratios=[2, 1], layout="constrained")
    for run_of, colour, mark, label in ((before, GREY, "o", "ipctk"), (after, BLUE, ".", "stiction.ipctk")):
        reactions = np.array(run_of["reactions"])
        left.plot(run_of["times"], -reactions[:, 1], mark, color=colour, mfc="none", label=f"normal, {label}")
        left.plot(run_of["times"], reactions[:, 0], mark, color=ORANGE if colour == BLUE else GREY, mfc="none", label=f"tangential, {label}")
    left.set(xlabel="time of the model", ylabel="force on the disk (N/mm)", title="reactions")
    left.legend(fontsize=8)
    bars = right.bar(["ipctk", "stiction"], [before["seconds"], after["seconds"]], color=[GREY, BLUE], width=0.6)
    right.bar_label(bars, fmt="%.2f s")
    right.set(title="processor time in calls", ylabel="s")
    right.grid(axis="x", visible=False)
    save(figure, options, "fedoo-before-after")


# ---- in the process of one engine


def model(quick: bool) -> dict:
    """A disk of radius 1 mm on a block of 6 × 2 mm, pressed down by 0.1 mm and then dragged by 0.2 mm; E = 1000 MPa, μ = 0.3."""
    import fedoo as fd
    import numpy as np

    fd.ModelingSpace("2D")
    fine = 1 if quick else 2
    block = fd.mesh.rectangle_mesh(12 * fine + 1, 4 * fine + 1, -3, 3, 0, 2, elm_type="quad4")
    disk = fd.mesh.disk_mesh(radius=1.0, nr=3 * fine + 1, nt=8 * fine, elm_type="quad4")
    disk.nodes += np.array([-1.0, 3.02])
    mesh = fd.Mesh.stack(block, disk)
    # A fixed stiffness: an adaptive one doubles or not by the last bit of a gap, and then the two runs are not the same model.
    stiffness = {"barrier_stiffness": 5e5, "adaptive_barrier_stiffness": False}
    friction = {"friction_coefficient": 0.3, "eps_v": 1e-3, "line_search_energy": False}
    surface = fd.mesh.extract_surface(mesh)
    contact = fd.constraint.IPCContact(mesh, surface, dhat=0.02, dhat_is_relative=False, **stiffness, **friction)
    solid = fd.Assembly.create(fd.weakform.StressEquilibrium(fd.constitutivelaw.ElasticIsotrop(1e3, 0.3), nlgeom=False), mesh)
    problem = fd.problem.NonLinear(fd.Assembly.sum(solid, contact))
    bottom, top = mesh.find_nodes("Y", 0), np.flatnonzero(mesh.nodes[:, 1] > 3.5)
    problem.bc.add("Dirichlet", bottom, "Disp", 0)
    problem.bc.add("Dirichlet", top, "DispY", -0.1, time_func=lambda t: min(2 * t, 1.0))
    problem.bc.add("Dirichlet", top, "DispX", 0.2, time_func=lambda t: max(2 * t - 1, 0.0))
    problem.set_nr_criterion("Displacement", tol=1e-6, max_subiter=60)
    history: dict[str, list] = {"times": [], "reactions": []}

    def track(problem):
        history["times"].append(float(problem.time))
        history["reactions"].append(problem.get_ext_forces("Disp")[:, top].sum(axis=1).tolist())

    problem.nlsolve(dt=0.05, tmax=1, update_dt=True, print_info=0, callback=track)
    return {**history, "displacements": np.asarray(problem.get_disp()).tolist()}


def measured(engine: str, quick: bool) -> dict:
    """The model, and the processor time of calls from fedoo into the engine.

    In a model this small it is mostly the cost of calls, of which the profiler adds more to those written in Python.
    """
    import cProfile

    if engine == "stiction.ipctk":
        import stiction

        stiction.use_as_ipctk()  # the one line
    import ipctk  # noqa: F401

    profile = cProfile.Profile(time.process_time)
    found = profile.runcall(model, quick)
    entries = [entry for entry in profile.getstats() if is_of_fedoo(entry.code)]
    calls = [call for entry in entries for call in entry.calls or () if is_of_engine(call.code)]
    return {**found, "seconds": sum(call.totaltime for call in calls)}


def is_of_fedoo(code) -> bool:
    return not isinstance(code, str) and "fedoo" in Path(code.co_filename).parts


def is_of_engine(code) -> bool:
    if isinstance(code, str):
        return "ipctk." in code
    parts = Path(code.co_filename).parts
    return "ipctk" in parts or "stiction" in parts


if __name__ == "__main__":
    if "--engine" in sys.argv:
        parser = argparse.ArgumentParser()
        parser.add_argument("--engine", choices=ENGINES)
        parser.add_argument("--quick", action="store_true")
        given = parser.parse_args()
        print(json.dumps(measured(given.engine, given.quick)))
    else:
        main()
