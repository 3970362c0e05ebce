"""What a run leaves, read by the programs that people use: VTK, pandas, polars, the browser page, and `Run`."""

import os
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pandas
import polars
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

import stiction

SCENES = Path(__file__).parents[2] / "scenes"


@pytest.fixture(scope="module", params=["rub-2d", "slide-3d", "drape-3d"])
def run(request, tmp_path_factory):
    """A scene, run by the program that STICTION names."""
    program = os.environ.get("STICTION")
    if program is None:
        pytest.skip("set STICTION to the program stiction to test its files")
    folder = tmp_path_factory.mktemp(request.param)
    subprocess.run([program, "run", SCENES / f"{request.param}.toml", "-o", folder, "-q"], check=True)
    return stiction.Run.load(folder)


def vtk_grid(path):
    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    assert reader.GetErrorCode() == 0
    return reader.GetOutput()


def arrays(data):
    return {data.GetArrayName(k): vtk_to_numpy(data.GetArray(k)) for k in range(data.GetNumberOfArrays()) if data.GetArray(k)}


def test_vtk_reads_every_field(run):
    names = stiction.field_names()
    assert "contact_pressure" in names and names["contact_pressure"][0] == "Pa"
    for frame in run.frames[:: max(1, len(run.frames) // 4)]:
        bodies = vtk_grid(frame._files["0"])
        points, cells = arrays(bodies.GetPointData()), arrays(bodies.GetCellData())
        assert {*points, *cells} == {*names, "body"}
        for name, values in {**points, **cells}.items():
            assert np.all(np.isfinite(values)), name
            np.testing.assert_array_equal(values, frame.fields[name])
        np.testing.assert_array_equal(vtk_to_numpy(bodies.GetPoints().GetData()), frame.positions)
        assert arrays(bodies.GetFieldData())["TimeValue"] == pytest.approx(frame.time)


def test_vtk_reads_contacts_and_obstacles(run):
    frame = run.frames[-1]
    contacts = vtk_grid(frame._files["1"])
    assert contacts.GetNumberOfPoints() == contacts.GetNumberOfCells() == len(frame.contacts["lambda"]) > 0
    forces = np.linalg.norm(frame.contacts["normal_force"], axis=1)
    np.testing.assert_allclose(forces, frame.contacts["lambda"], rtol=1e-6)
    words = contacts.GetFieldData()
    things = [words.GetAbstractArray("things").GetValue(k) for k in range(words.GetAbstractArray("things").GetNumberOfValues())]
    assert len(set(things)) == len(things) > 1
    sides = np.concatenate([frame.contacts["first"], frame.contacts["second"]])
    assert set(sides) <= set(range(len(things)))
    obstacles = vtk_grid(frame._files["2"])
    owners = arrays(obstacles.GetCellData()).get("thing", np.zeros(0))
    assert obstacles.GetNumberOfCells() == len(owners)
    assert [things[int(number)] for number in sorted(set(owners))] == [name for name in things if name.startswith("plane")]


def test_pandas_and_polars_read_the_tables(run):
    for name, table in [("steps", run.steps), ("pairs", run.pairs)]:
        of_pandas = pandas.read_parquet(run.folder / f"{name}.parquet")
        of_polars = polars.read_parquet(run.folder / f"{name}.parquet")
        assert list(of_pandas.columns) == list(of_polars.columns) == list(table)
        for column, values in table.items():
            if values.dtype == object:
                words = of_polars[column].to_list()
                assert words == list(values) and list(of_pandas[column].dropna()) == [word for word in words if word]
                continue
            np.testing.assert_array_equal(of_pandas[column].to_numpy(), values)
            np.testing.assert_array_equal(of_polars[column].to_numpy(), values)


def test_a_run_is_read_back(run):
    table = run.to_pandas()
    assert len(table) == len(run.steps["step"]) and run.units["time"] == "s"
    assert run.page().is_file() and "<iframe" in run._repr_html_()
    assert len(run.plot().axes) == 4
    # Forces of pairs, added up, are those of bodies.
    body = next(name.split(".")[0] for name in run.steps if name.endswith(".normal_y"))
    rows = run.pairs
    last = rows["step"] == run.steps["step"][-1]
    own = np.array([(first == body) != (second == body) for first, second in zip(rows["first"], rows["second"], strict=True)])
    sign = np.where(np.array([first == body for first in rows["first"]]), 1, -1)
    total = np.sum((sign * (rows["normal_y"] + rows["friction_y"]))[last & own])
    column = run.steps[f"{body}.normal_y"][-1] + run.steps[f"{body}.friction_y"][-1]
    assert total == pytest.approx(column, rel=1e-9, abs=1e-9)


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"steps\.csv"):
        stiction.Run.load(tmp_path)


def begun(name="rub-2d", steps=12):
    simulation = stiction.Simulation(stiction.Scene.load(SCENES / f"{name}.toml"))
    for _ in range(steps):
        simulation.step()
    return simulation


def test_forces_of_a_simulation_add_up():
    simulation = begun()
    report, forces, contacts = simulation.reports[-1], simulation.forces(), simulation.contacts
    for name, vertices in simulation.bodies.items():
        for k, axis in enumerate("xy"):
            for kind in ("normal", "friction"):
                assert forces[kind][vertices, k].sum() == pytest.approx(report[f"{name}.{kind}_{axis}"], rel=1e-12, abs=1e-12)
    assert contacts["normal_force"].sum() == pytest.approx(report["normal_force"], rel=1e-12)
    [pair] = simulation.pair_forces
    assert (pair["first"], pair["second"]) == ("lower", "upper")
    assert pair["normal_y"] == pytest.approx(report["lower.normal_y"], rel=1e-12)
    # The integral of the pressure over both bodies is twice the normal force.
    x, edges = simulation.positions, simulation.surface.edges
    areas = np.zeros(len(x))
    np.add.at(areas, edges.ravel(), np.repeat(0.5 * np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1), 2))
    assert (simulation.pressure() * areas).sum() == pytest.approx(2 * report["normal_force"], rel=1e-12)
    assert simulation.obstacles == {}


def test_forces_of_each_pair_have_its_own_stiffness():
    """Contacts of soft and of stiff pairs: the sum of forces carries the weight, pair by pair."""
    block = {"shape": {"box": {"center": [0, 0.0512], "size": [0.1, 0.1], "cells": [4, 4]}}, "name": "stiff"}
    soft = {"shape": {"box": {"center": [0, 0.1524], "size": [0.1, 0.1], "cells": [4, 4]}}, "name": "soft"}
    material = {"poisson": 0.3, "density": 1000.0}
    scene = stiction.Scene(
        {
            "dimension": 2,
            "gravity": [0.0, -9.81],
            "time": {"step": 0.01, "end": 2.0},
            "contact": {"dhat": 1e-3},
            "bodies": [
                {**block, "material": {**material, "young": 1e8}, "damping": {"mass": 20.0}},
                {**soft, "material": {**material, "young": 1e5}, "damping": {"mass": 20.0}},
            ],
            "planes": [{"name": "table", "point": [0.0, 0.0], "normal": [0.0, 1.0]}],
        }
    )
    simulation = stiction.Simulation(scene)
    for _ in range(150):
        simulation.step()
    carried = {(pair["first"], pair["second"]): pair["normal_y"] for pair in simulation.pair_forces}
    weight = 0.1 * 0.1 * 1000.0 * 9.81
    assert carried["stiff", "soft"] == pytest.approx(-weight, rel=1e-3)
    assert carried["stiff", "table"] == pytest.approx(2 * weight, rel=1e-3)
    assert simulation.obstacles["table"]["kind"] == "plane"
    assert simulation.fields(["von_mises"])["von_mises"].max() > 0
    with pytest.raises(ValueError, match="von_mises"):
        simulation.fields(["nothing"])


def test_forces_survive_files_and_copies(tmp_path):
    simulation = begun()
    simulation.save(tmp_path / "a.state")
    again = stiction.Simulation(simulation.scene)
    again.load(tmp_path / "a.state")
    copy = pickle.loads(pickle.dumps(simulation))
    for other in (again, copy):
        for name, values in simulation.contacts.items():
            np.testing.assert_array_equal(other.contacts[name], values)
        np.testing.assert_array_equal(other.forces()["friction"], simulation.forces()["friction"])
        assert other.pair_forces == simulation.pair_forces != []
        for name, values in simulation.fields().items():
            np.testing.assert_array_equal(other.fields()[name], values)


def test_a_simulation_has_a_page_a_plot_and_a_table():
    simulation = begun("drape-3d", 8)
    page = simulation.page("cloth & box")
    assert "<title>cloth &amp; box" in page and len(page) > 500_000
    assert len(simulation.to_pandas()) == 9
    figure = simulation.plot()
    assert [axis.get_ylabel() for axis in figure.axes][0] == "energy [J]"


def render(folder, *options):
    program = os.environ["STICTION"]
    return subprocess.run([program, "render", folder, *options], capture_output=True, text=True, check=False)


def test_render_makes_every_format(run, tmp_path):
    small = ["--size", "160x120", "-q"]
    for name in ["a.png", "a.gif", "a.glb", "a.html"]:
        done = render(run.folder, "-o", tmp_path / name, *small)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / name).stat().st_size > 500
    for kind in ["apng", "frames", "obj", "ply"]:
        done = render(run.folder, "--format", kind, "-o", tmp_path / kind, *small)
        assert done.returncode == 0, done.stderr
        made = tmp_path / kind
        assert made.is_file() if kind == "apng" else len(list(made.iterdir())) == len(run.frames)


def test_render_says_what_is_wrong(run, tmp_path):
    for options, words in [
        (["--color", "colour"], "contact_pressure"),
        (["--camera", "sideways"], "azimuth"),
        (["--size", "big"], "1200x900"),
        (["--range", "1:0", "--color", "velocity"], "range"),
        (["--frame", "2"], "from 0 to 1"),
    ]:
        done = render(run.folder, "-o", tmp_path / "a.png", *options)
        assert done.returncode == 1 and words in done.stderr, done.stderr
        assert not (tmp_path / "a.png").exists()
    done = render(tmp_path)
    assert done.returncode == 1 and "frames.pvd" in done.stderr
