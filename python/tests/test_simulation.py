"""The simulator and the command line from Python."""

import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import meshio
import numpy as np
import pytest

import stiction

SCENES = Path(__file__).parents[2] / "scenes"


def scene(name):
    return stiction.Scene.load(SCENES / name)


def block(**changes):
    """A block above a plane, as a dictionary."""
    values = {
        "dimension": 2,
        "gravity": (0, -9.81),
        "time": {"step": np.float64(0.01), "end": 0.1},
        "contact": {"dhat": 1e-3},
        "friction": {"mu": 0.5},
        "bodies": [
            {
                "name": "block",
                "shape": {"box": {"center": [0.0, 0.2], "size": np.array([0.2, 0.2]), "cells": np.array([2, 2])}},
                "material": {"young": 1e5, "poisson": 0.3, "density": 1000},
            }
        ],
        "planes": [{"point": [0.0, 0.09], "normal": [0.0, 1.0]}],
    }
    return values | changes


@pytest.mark.parametrize("name", ["slide-2d.toml", "rub-3d.toml"])
def test_steps_are_those_of_the_command_line(name, tmp_path):
    """The same columns in the same order, to the last bit; `steps.csv` has the units behind the names."""
    text = (SCENES / name).read_text().replace("end = 1.5", "end = 0.1").replace("end = 1.0", "end = 0.03")
    short = tmp_path / "short.toml"
    short.write_text(text)
    simulation = stiction.Simulation(stiction.Scene.load(short))
    reports = simulation.run()
    assert stiction._stiction.main(["stiction", "run", str(short), "-o", str(tmp_path / "out"), "-q"]) == 0
    header, *rows = [row.split(",") for row in (tmp_path / "out" / "steps.csv").read_text().splitlines()]
    assert header == [f"{key} [{unit}]" if unit else key for key, (unit, _) in simulation.report_columns.items()]
    assert len(rows) == len(reports) + 1 == simulation.scene.steps + 1 == len(simulation.reports)
    for report, row in zip(simulation.reports, rows, strict=True):
        assert list(report) == list(simulation.report_columns)
        for value, field in zip(report.values(), row, strict=True):
            assert says(field, value)


def says(field, value):
    """Whether a field of the table is a value of a report: a word as it is, a number of its kind to the last bit."""
    return field == (value or "") if isinstance(value, str | None) else type(value)(field) == value


def test_a_dictionary_is_a_scene():
    simulation = stiction.Simulation(stiction.Scene(block()))
    reports = simulation.run(until=0.05)
    assert [report["step"] for report in reports] == [1, 2, 3, 4, 5] and simulation.time == pytest.approx(0.05)
    assert all(isinstance(value, (float, int, str)) for value in reports[-1].values())
    again = stiction.Simulation(stiction.Scene.parse(simulation.scene.text))
    assert again.run(until=0.05) == reports
    assert np.array_equal(again.positions, simulation.positions)


def test_what_a_simulation_has():
    for name, dimension in [("rub-2d.toml", 2), ("rub-3d.toml", 3)]:
        simulation = stiction.Simulation(scene(name))
        n = len(simulation.positions)
        assert simulation.positions.shape == simulation.velocities.shape == (n, dimension)
        assert simulation.elements.shape[1] == dimension + 1 and simulation.elements.max() == n - 1
        assert simulation.surface.dimension == dimension
        # Contacts are at rest at the start: blocks lie a part of d̂ beside where they were placed.
        assert np.abs(simulation.surface.rest - simulation.positions).max() < 1e-3
        parts = list(simulation.bodies.values())
        assert parts[0].start == 0 and parts[0].stop == parts[1].start and parts[1].stop == n
        assert simulation.time == simulation.steps == 0 and simulation.reports[0]["refinement"] is None
        assert name[:3] in ("rub",) and repr(simulation).startswith("Simulation(")


def test_times_by_phase_add_up():
    simulation = stiction.Simulation(stiction.Scene(block()))
    assert simulation.timings["total"] == 0.0
    simulation.step()
    timings = simulation.timings
    total = timings.pop("total")
    assert set(timings) == {"search", "line_search", "assembly", "solve", "rest"}
    assert total > 0.0 and sum(timings.values()) == pytest.approx(total)


def test_obstacles_move_and_bodies_are_damped():
    ball = {"center": [0.0, -1.0], "radius": 1.0, "motion": {"velocity": [0.0, 0.5]}}
    body = block()["bodies"][0] | {"damping": {"mass": 1.0, "stiffness": 1e-3}}
    changes = {"planes": [], "spheres": [ball], "bodies": [body], "gravity": (0, 0), "contact": {"dhat": 5e-3}, "time": {"step": 0.01, "end": 0.5}}
    simulation = stiction.Simulation(stiction.Scene(block(**changes)))
    reports = simulation.run()
    assert sum(report["prescribed_work"] for report in reports) > 0.0 and sum(report["damping_heat"] for report in reports) > 0.0
    assert max(report["obstacle_contacts"] for report in reports) > 0 and reports[-1]["block.y"] > 0.2


def test_frames_are_read_by_meshio(tmp_path):
    simulation = stiction.Simulation(scene("slide-3d.toml"))
    simulation.step()
    simulation.write_vtu(tmp_path / "frame.vtu")
    mesh = meshio.read(tmp_path / "frame.vtu")
    assert np.array_equal(mesh.points, simulation.positions)
    assert np.array_equal(mesh.cells_dict["tetra"], simulation.elements)
    assert np.array_equal(stiction.read_mesh(tmp_path / "frame.vtu").tetrahedra, simulation.elements)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        simulation.write_vtu(tmp_path / "nowhere" / "frame.vtu")


def test_callbacks_see_every_step_and_stop():
    simulation = stiction.Simulation(stiction.Scene(block()))
    seen = []

    def callback(who, report):
        assert who is simulation and who.steps == report["step"]
        seen.append(report)
        return len(seen) < 3

    assert simulation.run(callback=callback) == seen and len(seen) == 3
    with pytest.raises(ZeroDivisionError):
        simulation.run(callback=lambda *_: 1 / 0)
    assert simulation.steps == 4 == len(simulation.reports) - 1


def test_reports_make_a_data_frame():
    pandas = pytest.importorskip("pandas")
    simulation = stiction.Simulation(stiction.Scene(block()))
    frame = pandas.DataFrame(simulation.run())
    assert len(frame) == 10 and frame["total_energy"].dtype == float and frame["block.y"][:5].is_monotonic_decreasing


BAD = {
    "no dictionary": (3, "values: expected a dictionary"),
    "nothing": ({}, "dimension"),
    "no time": ({"dimension": 2}, "^time: is missing"),
    "negative friction": (block(friction={"mu": -0.5}), "^friction.mu: -0.5 is not possible"),
    "unknown key": (block(friction={"mu_static": 0.5}), "friction.*mu_static"),
    "None": (block(gravity=None), "^gravity: NoneType is no value of a scene"),
    "None inside": (block(gravity=[0, None]), r"^gravity\[1\]: NoneType"),
    "key that is a number": ({1: 2}, "values: has a key that is not a word"),
    "huge number": (block(dimension=10**30), "^dimension: "),
    "wrong kind": (block(dimension="two"), "dimension"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_dictionaries_name_the_key(name):
    values, message = BAD[name]
    with pytest.raises(ValueError, match=message) as caught:
        stiction.Scene(values)
    assert "line" not in str(caught.value)


def test_bad_files_name_the_line(tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text((SCENES / "slide-2d.toml").read_text().replace("mu = 0.5", "mu = -0.5"))
    with pytest.raises(ValueError, match=r"bad\.toml: line 15: friction\.mu: -0\.5(.|\n)*mu = -0.5"):
        stiction.Scene.load(bad)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        stiction.Scene.load(tmp_path / "nowhere.toml")
    planes = [{"point": [0.0, 0.2], "normal": [0.0, 1.0]}]
    with pytest.raises(ValueError, match=r"^bodies\[0\]\.shape: vertex 0 .* is not outside obstacle 0"):
        stiction.Simulation(stiction.Scene(block(planes=planes)))
    text = stiction.Scene(block(planes=planes)).text
    with pytest.raises(ValueError, match="^line .*bodies"):
        stiction.Simulation(stiction.Scene.parse(text))


def test_a_failed_step_changes_nothing():
    simulation = stiction.Simulation(stiction.Scene(block(solver={"max_iterations": 1, "retries": 0})))
    for _ in range(10):
        before = simulation.positions, simulation.velocities, simulation.reports
        try:
            simulation.step()
        except stiction.StepError as error:
            assert isinstance(error, RuntimeError) and "no solution after 1 Newton" in str(error)
            break
    else:
        pytest.fail("every step was solved in one iteration")
    after = simulation.positions, simulation.velocities, simulation.reports
    assert np.array_equal(before[0], after[0]) and np.array_equal(before[1], after[1]) and before[2] == after[2]


@pytest.mark.parametrize("until", [np.nan, np.inf])
def test_until_is_a_time(until):
    simulation = stiction.Simulation(stiction.Scene(block()))
    with pytest.raises(ValueError, match="until: "):
        simulation.run(until=until)
    assert simulation.run(until=-1.0) == []


@pytest.mark.parametrize("steps", [0, 1, 6])
@pytest.mark.parametrize("integrator", ["implicit_euler", "bdf2", "newmark"])
@pytest.mark.parametrize("name", ["slide-2d.toml", "rub-2d.toml", "rub-3d.toml"])
def test_a_stored_simulation_goes_on_to_the_last_bit(name, integrator, steps):
    text = scene(name).text.replace("[time]", f"[time]\nintegrator = \"{integrator}\"")
    simulation = stiction.Simulation(stiction.Scene.parse(text))
    half = 6 * simulation.scene.time_step
    simulation.run(until=steps * simulation.scene.time_step)
    stored = pickle.dumps(simulation)
    simulation.run(until=2 * half)
    restored = pickle.loads(stored)
    assert type(restored) is stiction.Simulation and restored.steps == steps and len(restored.reports) == steps + 1
    restored.run(until=2 * half)
    assert restored.reports == simulation.reports
    assert np.array_equal(restored.positions, simulation.positions)
    assert np.array_equal(restored.velocities, simulation.velocities)


@pytest.mark.parametrize("integrator", ["implicit_euler", "bdf2", "newmark"])
@pytest.mark.parametrize("name", ["slide-2d.toml", "rub-3d.toml"])
def test_a_saved_state_goes_on_to_the_last_bit(name, integrator, tmp_path):
    text = scene(name).text.replace("[time]", f"[time]\nintegrator = \"{integrator}\"")
    simulation = stiction.Simulation(stiction.Scene.parse(text))
    simulation.run(until=4 * simulation.scene.time_step)
    simulation.save(tmp_path / "state.bin")
    simulation.run(until=8 * simulation.scene.time_step)
    loaded = stiction.Simulation(stiction.Scene.parse(text))
    loaded.step()
    loaded.load(tmp_path / "state.bin")
    assert loaded.steps == 4 and [report["step"] for report in loaded.reports] == [4]
    loaded.run(until=8 * simulation.scene.time_step)
    assert loaded.reports[1:] == simulation.reports[5:]
    assert np.array_equal(loaded.positions, simulation.positions)
    assert np.array_equal(loaded.velocities, simulation.velocities)


def test_states_of_the_command_line_are_loaded(tmp_path):
    short = tmp_path / "short.toml"
    short.write_text((SCENES / "slide-2d.toml").read_text().replace("end = 1.5", "end = 0.07"))
    assert stiction._stiction.main(["stiction", "run", str(short), "-o", str(tmp_path / "out"), "-q"]) == 0
    expected, loaded = (stiction.Simulation(stiction.Scene.load(short)) for _ in range(2))
    expected.run()
    loaded.load(tmp_path / "out" / "state.bin")
    assert loaded.steps == 7 and loaded.run() == [] and np.array_equal(loaded.positions, expected.positions)
    again = ["stiction", "run", str(short), "-o", str(tmp_path / "out"), "-q", "--resume"]
    assert stiction._stiction.main(again) == 0


def test_bad_states_are_refused_and_change_nothing(tmp_path):
    path = tmp_path / "state.bin"
    simulation = stiction.Simulation(scene("slide-2d.toml"))
    simulation.step()
    simulation.save(path)
    good, before = path.read_bytes(), (simulation.positions, simulation.reports)
    for bad, message in [
        (b"", "no state that stiction saved"),
        (b"X" * 99, "no state that stiction saved"),
        (good[:-9], "cut short"),
        (good[:78] + b"?" + good[79:], "checksum"),
        (good[:8] + b"9" + good[9:], "version"),
    ]:
        path.write_bytes(bad)
        with pytest.raises(ValueError, match=f"state.bin: byte .*{message}"):
            simulation.load(path)
    path.write_bytes(good)
    for other in ["stick-3d.toml", "rub-2d.toml"]:
        with pytest.raises(ValueError, match="3D|other bodies"):
            stiction.Simulation(scene(other)).load(path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        simulation.load(tmp_path / "nowhere.bin")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        simulation.save(tmp_path / "nowhere" / "state.bin")
    assert np.array_equal(simulation.positions, before[0]) and simulation.reports == before[1]


def test_a_hard_step_is_made_in_substeps():
    text = scene("rub-2d.toml").text.replace("[contact]", "[contact]\nsettle = false")
    text = text.replace("[friction]", "[friction]\nlag_iterations = 1")
    hard = stiction.Simulation(stiction.Scene.parse(text + "\n[solver]\nmax_iterations = 4\n"))
    reports = hard.run(until=20 * hard.scene.time_step)
    assert max(report["substeps"] for report in reports) > 1 and hard.steps == 20
    assert [report["time"] for report in reports] == [(k + 1) * hard.scene.time_step for k in range(20)]
    restored = pickle.loads(pickle.dumps(stiction.Simulation(hard.scene)))
    assert restored.run(until=20 * hard.scene.time_step) == reports


def test_other_threads_run_and_read_during_steps():
    simulation = stiction.Simulation(scene("rub-3d.toml"))
    expected = stiction.Simulation(scene("rub-3d.toml"))
    workers = [threading.Thread(target=simulation.step) for _ in range(4)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        assert np.isfinite(simulation.positions).all() and len(simulation.reports) >= 1
    expected.run(until=4 * expected.scene.time_step)
    assert simulation.reports == expected.reports and np.array_equal(simulation.positions, expected.positions)


LONG = """
import signal, sys, stiction
signal.signal(signal.SIGINT, signal.default_int_handler)
scene = stiction.Scene.parse(open({scene!r}).read().replace("end = 1.0", "end = 1000.0"))
simulation = stiction.Simulation(scene)
print("begun", flush=True)
try:
    simulation.run()
except KeyboardInterrupt:
    assert simulation.steps == len(simulation.reports) - 1 == simulation.reports[-1]["step"]
    simulation.step()
    print("whole steps", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
def test_an_interrupt_leaves_whole_steps():
    code = LONG.format(scene=str(SCENES / "rub-3d.toml"))
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    begun = time.monotonic()
    assert child.communicate(timeout=60)[0] == "whole steps\n" and child.returncode == 0
    assert time.monotonic() - begun < 30


def stiction_command(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "stiction", *arguments], capture_output=True, text=True, **options)


def test_the_command_line(tmp_path):
    assert stiction_command("--version").stdout == f"stiction {stiction.__version__}\n"
    done = stiction_command("walk")
    assert done.returncode == 2 and "walk" in done.stderr
    done = stiction_command("run", "nowhere.toml", "-o", str(tmp_path))
    assert done.returncode == 1 and "nowhere.toml" in done.stderr
    script = Path(sys.executable).with_name("stiction")
    if script.exists():
        assert subprocess.run([script, "--version"], capture_output=True, text=True).stdout.startswith("stiction ")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_keeps_its_results(tmp_path, number):
    long = tmp_path / "long.toml"
    long.write_text((SCENES / "rub-3d.toml").read_text().replace("end = 1.0", "end = 1000.0"))
    command = [sys.executable, "-m", "stiction", "run", str(long), "-o", str(tmp_path / "out"), "-q"]
    # A shell that starts a job in the background lets it ignore Ctrl-C; Python gives no handler then.
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=default_interrupt)
    table = tmp_path / "out" / "steps.csv"
    begun = time.monotonic()
    while not table.exists() or len(table.read_text().splitlines()) < 4:
        assert time.monotonic() - begun < 60, "no steps after a minute"
        time.sleep(0.02)
    child.send_signal(number)
    assert "interrupted after step" in child.communicate(timeout=60)[1]
    assert child.returncode == 130 and (tmp_path / "out" / "picture.svg").is_file()


def default_interrupt():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
