"""The scripts in examples/python run, check themselves, and draw the same picture every time."""

import importlib
import importlib.util
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "python"
pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def examples_on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


def run(name, directory, *options):
    result = importlib.import_module(name).main(["--output", str(directory), "--quick", *options])
    pictures = list(directory.iterdir())
    assert len(pictures) == 1 and 2_000 < pictures[0].stat().st_size < 200_000
    return result, pictures[0].read_bytes()


def test_friction_laws(tmp_path):
    largest, picture = run("friction_laws", tmp_path)
    assert largest["peak"] == pytest.approx(1.0, abs=1e-3) and largest["smooth_mu"] < 0.5
    assert run("friction_laws", tmp_path)[1] == picture


def test_newton(tmp_path):
    result, _ = run("newton", tmp_path)
    assert result["gap"] > 0 and result["slowing"] == pytest.approx(0.15 * 9.81, rel=0.02)


def test_incline(tmp_path):
    result, _ = run("incline", tmp_path)
    assert result["acceleration error"] < 1e-3 and result["creep error"] < 1e-3


def test_scikit_fem_contact(tmp_path):
    pytest.importorskip("skfem")
    result, _ = run("scikit_fem_contact", tmp_path)
    assert result["ratio"] == pytest.approx(0.3, rel=5e-3)
    assert result["imbalance"] < 1e-5 and 0.1 < result["clearance"] < 1


@pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("fedoo", "ipctk")), reason="needs fedoo, which is not installed"
)
def test_fedoo_before_after(tmp_path):
    result, _ = run("fedoo_before_after", tmp_path)
    assert result["displacement difference"] < 1e-6


def test_fedoo_is_not_needed(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "fedoo", None)
    result = importlib.import_module("fedoo_before_after").main(["--output", str(tmp_path), "--quick"])
    assert result is None and "pip install fedoo" in capsys.readouterr().out
