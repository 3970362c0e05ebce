"""The types that the package declares are those that it has, and every public name says what it is."""

import dataclasses
import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import stiction
import typed_user_code

ROOT = Path(__file__).parents[2]


def checked(*command, path=None):
    environment = os.environ | ({"MYPYPATH": str(path)} if path else {})
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_and_code_that_uses_it_have_consistent_types(tmp_path):
    checked("mypy", f"--cache-dir={tmp_path}")
    user = str(Path(typed_user_code.__file__).relative_to(ROOT))
    checked("mypy", "--strict", "--config-file=pyproject.toml", f"--cache-dir={tmp_path}", user)


def test_wrong_types_are_seen(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import stiction\nstiction.Surface(1j, [])\nstiction.BarrierPotential(0.1, barrier='cubist')\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}", str(wrong)],
        cwd=ROOT, env=os.environ | {"MYPYPATH": "python"}, capture_output=True, text=True,
    )
    assert done.returncode == 1 and "barrier" in done.stdout, done.stdout


def test_stubs_are_those_of_the_compiled_module(tmp_path):
    allowed = tmp_path / "allowed"
    # What belongs to storing objects, to importing everything and to operators the other way round is nothing to call.
    allowed.write_text(r"stiction\._stiction\.(.*\.)?(__all__|__(getnewargs(_ex)?|rand|ror)__)" "\n")
    options = [f"--allowlist={allowed}", "--ignore-unused-allowlist", "--ignore-disjoint-bases"]
    checked("mypy.stubtest", "stiction._stiction", "--mypy-config-file=pyproject.toml", *options, path=ROOT / "python")


def test_typed_code_runs(tmp_path):
    x = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.2, 0.05], [1.2, 0.2, 0.9], [0.2, 1.2, 0.9]])
    faces = np.array([[0, 1, 2], [3, 4, 5]])
    assert typed_user_code.contact_forces(x, faces)[3, 2] > 0
    contacts = stiction.Contacts(stiction.Surface(x, [], faces), x, 0.1)
    v = [[0.0, 0, 0]] * 3 + [[1.0, 0, 0]] * 3
    assert typed_user_code.friction_forces(contacts, x, v)[3, 0] < 0
    assert len(typed_user_code.steps(ROOT / "scenes" / "slide-2d.toml")) == 91
    assert typed_user_code.tethered(ROOT / "scenes" / "slide-2d.toml") > 0
    stiction.write_mesh(tmp_path / "m.ply", stiction.Mesh(x, triangles=faces))
    assert len(typed_user_code.surface_of_file(tmp_path / "m.ply").faces) == 2


def public():
    """All public names of the package, with the members of its classes."""
    for name in stiction.__all__:
        item = getattr(stiction, name)
        yield name, item
        if inspect.isclass(item):
            members = {member for kind in item.__mro__[:-1] if kind.__module__.startswith("stiction") for member in vars(kind)}
            for member in sorted(members):
                if not member.startswith("_") and member not in fields(item):
                    yield f"{name}.{member}", getattr(item, member)


def fields(item):
    """The fields of a dataclass, which its own docstring explains."""
    return [field.name for field in dataclasses.fields(item)] if dataclasses.is_dataclass(item) else []


def test_fields_are_explained():
    for item in (stiction.Coefficients, stiction.FrictionEntry):
        assert all(f"`{name}`" in item.__doc__ for name in fields(item))


@pytest.mark.parametrize("name", [name for name, _ in public()])
def test_every_public_name_has_a_docstring(name):
    item = dict(public())[name]
    assert isinstance(item, str) or (item.__doc__ and len(item.__doc__.strip()) > 5)


def test_documentation_is_that_of_the_compiled_module():
    assert stiction.Simulation.__doc__ == stiction._stiction.Simulation.__doc__
