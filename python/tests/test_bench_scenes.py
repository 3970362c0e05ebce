"""The benchmark of whole scenes: it runs, records every number, and translates IPC's scenes."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import ipc_scenes
import pytest
from generated import blocks, cloth
from scene import Settings, tables, toml

SUITE = Path(__file__).parents[2] / "bench" / "scenes" / "suite.py"
ROD = """$MeshFormat
4.1 0 8
$EndMeshFormat
$Nodes
1 5 1 5
3 1 0 5
1
2
3
4
5
0 0 0
1 0 0
0 1 0
0 0 1
-1 0 0
$EndNodes
$Elements
1 2 1 2
3 1 4 2
1 1 2 3 4
2 1 3 5 4
$EndElements
"""
PULLED = """energy NH
size 4
time 2 0.05
density 500
stiffness 2e4 0.3
script dragright
# The mesh, then its place, angles and scales.
shapes input 1
input/tetMeshes/rod.msh 1 2 3  0 0 0  1 1 1
halfSpace 0 -0.1 0  0 1 0  50 0.2
selfFric 0.5
tuning 6
0
1e-3
2e-3
1e-9
2e-4
1e-4

tol 1
1e-3
section QP
time 10 5e-3
section
view perspective"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """What the suite keeps of two steps of the smallest scenes."""
    program = os.environ.get("STICTION")
    if program is None:
        pytest.skip("set STICTION to the program stiction to run the benchmark's scenes")
    folder = tmp_path_factory.mktemp("results")
    command = [sys.executable, SUITE, "--binary", f"a={program}", f"b={program}", "--results", folder, "--no-peers"]
    command += ["--only", "blocks-1", "blocks-2", "cloth-8", "pencil", "--steps", "2", "--threads", "1", "2", "--growth", "--bits"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = folder.glob("*.json")
    return json.loads(file.read_text()), done.stdout


def test_each_run_is_recorded(recorded):
    document, printed = recorded
    assert document["machine"]["cores"] >= 1
    assert document["programs"]["a"]["version"].startswith("stiction ")
    assert len(document["runs"]) == 3 * 2 * 2
    for run in document["runs"]:
        assert (run["status"], run["steps"], run["tolerance"]) == ("done", 2, 1e-3)
        assert run["iterations"]["most"] >= run["iterations"]["mean"] > 0
        assert run["contacts"]["most"] >= run["contacts"]["mean"] >= 0
        assert run["substeps"] >= 2
        assert run["peak_memory_mb"] > 1
        assert run["seconds_per_step"]["wall"] > 0
        assert {"assembly", "linear solve", "line search", "all steps"} <= set(run["phases"])
        assert len(run["step_wall"]) == len(run["step_iterations"]) == 2
        assert run["scene"] in printed
    first = document["runs"][0]
    assert (first["scene"], first["program"], first["threads"]) == ("blocks-1", "a", 1)
    assert (first["vertices"], first["elements"]) == (3 * 18, 3 * 24)


def test_programs_threads_and_sizes_are_set_side_by_side(recorded):
    document, printed = recorded
    assert document["same_bits"] == {f"{name}, {label}": True for name in ("blocks-1", "blocks-2", "cloth-8") for label in "ab"}
    assert {(fit["family"], fit["program"], fit["threads"]) for fit in document["growth"]} == {
        ("blocks", label, threads) for label in "ab" for threads in (1, 2)
    }
    assert "blocks-1, 2 threads, 2 steps: b takes" in printed
    assert "pencil" in document["skipped"]


def volume(a, b, c, d):
    (x, y, z), v, w = ([q - p for p, q in zip(a, point)] for point in (b, c, d))
    normal = (v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0])
    return (x * normal[0] + y * normal[1] + z * normal[2]) / 6


def test_generated_meshes():
    scene = blocks(2)
    for body in scene.bodies:
        volumes = [volume(*(body.points[i] for i in cell)) for cell in body.cells]
        assert min(volumes) > 0
        assert sum(volumes) == pytest.approx(0.2 * 0.1 * 0.2)
    assert [(blocks(n).vertices, blocks(n).elements) for n in (4, 8)] == [(1215, 4608), (7803, 36864)]
    assert cloth(40).vertices == 1681


@pytest.fixture
def pulled(tmp_path):
    """A scene in IPC's format, translated."""
    mesh = tmp_path / "input" / "tetMeshes" / "rod.msh"
    mesh.parent.mkdir(parents=True)
    mesh.write_text(ROD)
    return ipc_scenes.translate("pulled", PULLED, tmp_path, 7)


def test_an_ipc_scene_is_translated(pulled):
    # The longest side, 2 m, becomes 4 m; the script lifts all by half the diagonal.
    diagonal = math.sqrt(4.0**2 + 2.0**2 + 2.0**2)
    (body,) = pulled.bodies
    assert body.points[0] == pytest.approx([2.0, diagonal / 2, 0.0])
    assert body.points[1] == pytest.approx([4.0, diagonal / 2, 0.0])
    assert body.cells == [[0, 1, 2, 3], [0, 2, 4, 3]]
    made = tables(pulled, Settings())
    assert made["time"] == {"integrator": "implicit_euler", "step": 0.05, "end": 6.5 * 0.05, "frame_every": 7}
    assert made["contact"]["dhat"] == pytest.approx(2e-3 * diagonal)
    assert made["solver"]["tolerance"] == pytest.approx(1e-3 * diagonal)
    friction = made["friction"]
    # IPC multiplies its speed by a step of 0.025 s, whatever the scene's.
    assert friction["eps_v"] == pytest.approx(1e-4 * diagonal * 0.025 / 0.05)
    assert (friction["mu"], friction["lag_iterations"]) == (0.5, 2)
    assert friction["pairs"] == [{"between": ["body 0", "plane 0"], "mu": 0.2}]
    (motion,) = made["bodies"][0]["motions"]
    assert 2.0 < motion["region"]["min"][0] < 4.0 < motion["region"]["max"][0]
    assert "excluded_rings" not in made["contact"]


def test_settings_of_our_own_leave_the_choice_to_us(pulled):
    made = tables(pulled, Settings(kind="own", steps=3))
    assert "solver" not in made and "lag_iterations" not in made["friction"] and "integrator" not in made["time"]
    text = toml(made)
    assert "[time]\nstep = 0.05\n" in text
    assert '[[bodies]]\nname = "body 0"\nshape = { mesh = { file = "mesh-0.msh" } }\n' in text


def test_ipc_gets_its_own_scene_with_fewer_steps(pulled, tmp_path):
    text = ipc_scenes.for_ipc(pulled, 3)
    assert "time 0.125 0.05\n" in text
    assert f"{tmp_path}/input/tetMeshes/rod.msh 1 2 3" in text
