"""The frames that the command line writes, read by another program."""

import os
import subprocess
from pathlib import Path

import meshio
import numpy as np
import pytest

SCENES = Path(__file__).parents[2] / "scenes"


@pytest.fixture(scope="module", params=["rub-2d", "slide-3d"])
def run(request, tmp_path_factory):
    """A scene, run by the program that STICTION names."""
    program = os.environ.get("STICTION")
    if program is None:
        pytest.skip("set STICTION to the program stiction to test its files")
    folder = tmp_path_factory.mktemp(request.param)
    subprocess.run([program, "run", SCENES / f"{request.param}.toml", "-o", folder], check=True)
    return request.param, folder


def test_meshio_reads_every_frame(run):
    name, folder = run
    table = np.genfromtxt(folder / "steps.csv", delimiter=",", names=True, deletechars="")
    frames = sorted((folder / "frames").glob("*.vtu"))
    assert len(frames) > 10
    kind, body = ("triangle", 1) if name.endswith("2d") else ("tetra", 0)
    for path in frames:
        mesh = meshio.read(path)
        assert set(mesh.cells_dict) == {kind}
        assert mesh.point_data["velocity"].shape == mesh.points.shape
        bodies = mesh.cell_data_dict["body"][kind]
        assert set(bodies) == set(range(body + 1))
        # The centre of mass, from elements of equal size, is the one in the table.
        cells = mesh.cells_dict[kind][bodies == body]
        centre = mesh.points[cells].mean(axis=(0, 1))
        row = table[table["step"] == int(path.stem)][0]
        label = "upper" if name.endswith("2d") else "block"
        assert centre[0] == pytest.approx(row[f"{label}.x_[m]"], abs=1e-12)
        assert centre[1] == pytest.approx(row[f"{label}.y_[m]"], abs=1e-12)
