"""The numbers of a step have the same names in reports, in their types, in help() and in the documents."""

import re
from pathlib import Path

import pytest

import stiction

ROOT = Path(__file__).parents[2]
STUB = (ROOT / "python" / "stiction" / "_stiction" / "__init__.pyi").read_text()
DOCUMENT = (ROOT / "scenes" / "REPORT.md").read_text()


@pytest.fixture(scope="module", params=["rub-2d.toml", "stick-3d.toml"])
def simulation(request):
    simulation = stiction.Simulation(stiction.Scene.load(ROOT / "scenes" / request.param))
    simulation.step()
    return simulation


def expanded(names, simulation):
    """Names of a document, with those of bodies, their motions and obstacles in place of `BODY`, `motion1` and `OBSTACLE`."""
    names = [name for name in (in_dimension(name, simulation.positions.shape[1]) for name in names) if name]
    fixed = [name for name in names if "." not in name]
    of_motion = [name for name in names if name.startswith("BODY.motion1.")]
    of_body = [name for name in names if name.startswith("BODY.") and name not in of_motion]
    of_obstacle = [name for name in names if name.startswith("OBSTACLE.")]
    for body in simulation.bodies:
        fixed += [name.replace("BODY", body) for name in of_body]
        for motion in motions(body, simulation):
            fixed += [name.replace("BODY.motion1", f"{body}.{motion}") for name in of_motion]
    return fixed + [name.replace("OBSTACLE", obstacle) for obstacle in simulation.obstacles for name in of_obstacle]


def in_dimension(name, dimension):
    """A name as scenes of a dimension have it, if they do: without z in 2D, where a moment is one number."""
    if dimension == 3 or "." not in name or not re.search(r"(\.|_|v)[xyz]$", name):
        return name
    if "moment" in name:
        return name[:-2] if name.endswith("_z") else None
    return None if name.endswith("z") else name


def motions(body, simulation):
    found = [re.fullmatch(rf"{body}\.((?:fixed|motion)\d+)\.power", name) for name in simulation.report_columns]
    return [match[1] for match in found if match]


def typed(kind):
    """The keys that the stub says to have values of a kind."""
    return re.findall(r'"(\w+)"', re.search(rf"^_Report{kind}: TypeAlias = Literal\[(.*?)\]", STUB, re.S | re.M)[1])


def test_reports_have_the_keys_of_the_document(simulation):
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \| (.+) \|$", DOCUMENT, re.M)
    names = expanded([name for name, _, _ in rows], simulation)
    assert len(names) == len(set(names)) and "fallbacks" in names
    assert list(simulation.report_columns) == names
    assert all(list(report) == names for report in simulation.reports) and len(simulation.reports) == 2
    for name, unit, meaning in rows:
        if "." not in name:
            assert simulation.report_columns[name] == (unit.replace("–", ""), meaning.replace("\\|", "|"))


def test_help_has_the_keys_and_units_of_reports(simulation):
    keys = re.findall(r"^- `([^`]+)`(?: \(([^)]+)\))?: ", stiction.Simulation.step.__doc__, re.M)
    assert expanded([key for key, _ in keys], simulation) == list(simulation.report_columns)
    assert all(simulation.report_columns[key][0] == unit for key, unit in keys if "." not in key)


def test_values_have_the_types_of_the_stub(simulation):
    kinds = {"Count": int, "Number": float, "Text": (str, type(None))}
    for report in simulation.reports:
        fixed = [key for key in report if "." not in key]
        assert sorted(fixed) == sorted(key for kind in kinds for key in typed(kind))
        assert all(isinstance(report[key], types) for kind, types in kinds.items() for key in typed(kind))
        own = {key: value for key, value in report.items() if "." in key}
        assert all(isinstance(value, int if key.endswith(".contacts") else float) for key, value in own.items())


def test_names_that_differ_are_seen(simulation):
    assert "fallbacks" in typed("Count") and "refinement" in typed("Text") and "fallback" not in typed("Count")
    assert expanded(["time", "BODY.x"], simulation) == ["time", *(f"{body}.x" for body in simulation.bodies)]
    flat = [in_dimension(f"BODY.{name}", 2) for name in ("y", "vz", "normal_z", "moment_x", "moment_z", "power")]
    assert flat == ["BODY.y", None, None, None, "BODY.moment", "BODY.power"]


def test_the_start_has_no_refinement_and_its_step_has(simulation):
    start, step = simulation.reports
    assert start["refinement"] is None and step["refinement"] in ("converged", "exhausted", "stalled", "diverged")
    assert start["substeps"] == 0 < step["substeps"] and start["step"] + 1 == step["step"]


@pytest.mark.parametrize("linear", ["cg", "direct"])
def test_fallbacks_are_counted(linear, tmp_path):
    """Conjugate gradients do not converge for a slender body that is almost incompressible: table and reports say how often."""
    body = {
        "name": "block",
        "shape": {"box": {"center": [0.0, 0.2], "size": [2.0, 0.02], "cells": [200, 4]}},
        "material": {"young": 1e9, "poisson": 0.49999, "density": 1000.0},
    }
    plane = {"point": [0.0, 0.09], "normal": [0.0, 1.0]}
    time, contact, solver = {"step": 0.01, "end": 0.02}, {"dhat": 1e-3}, {"linear": linear}
    scene = {"dimension": 2, "gravity": [0.0, -9.81], "time": time, "contact": contact, "solver": solver, "bodies": [body], "planes": [plane]}
    simulation = stiction.Simulation(stiction.Scene(scene))
    counts = [report["fallbacks"] for report in simulation.run()]
    assert (sum(counts) > 0) == (linear == "cg")
    path = tmp_path / "scene.toml"
    path.write_text(simulation.scene.text)
    assert stiction._stiction.main(["stiction", "run", str(path), "-o", str(tmp_path / "out"), "-q"]) == 0
    header, _, *rows = [row.split(",") for row in (tmp_path / "out" / "steps.csv").read_text().splitlines()]
    assert [int(row[header.index("fallbacks")]) for row in rows] == counts
