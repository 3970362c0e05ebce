"""How the parity tests compare, and a table of what they reached."""

import os
from pathlib import Path

import numpy as np
import pytest

import stiction

TOLERANCE = 1e-10
WORST = pytest.StashKey[dict]()


def pytest_configure(config):
    config.stash[WORST] = {}
    check_installed()


def check_installed():
    """The package under test is the one that people install, unless STICTION_TREE=1 says otherwise."""
    place = Path(stiction.__file__)
    if "site-packages" not in place.parts and os.environ.get("STICTION_TREE") != "1":
        message = f"stiction is imported from {place.parent}, not from an installed wheel: see scripts/wheel, or set STICTION_TREE=1"
        raise pytest.UsageError(message)


@pytest.fixture
def agree(request):
    """agree(quantity, ours, theirs): equal to 1e-10, or the tolerance given, of the largest entry."""
    worst = request.config.stash[WORST]

    def check(quantity, ours, theirs, tolerance=TOLERANCE):
        error = relative_error(ours, theirs)
        worst[quantity] = max(error, worst.get(quantity, 0.0))
        assert error < tolerance, f"{quantity} differs by {error:.1e}"

    return check


def relative_error(ours, theirs):
    """The largest difference over the largest entry; 0 where both are zero."""
    ours, theirs = dense(ours), dense(theirs)
    assert ours.shape == theirs.shape
    difference, scale = np.abs(ours - theirs).max(initial=0), np.abs(theirs).max(initial=0)
    return difference / scale if scale > 0 else difference


def dense(values):
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values)


def pytest_terminal_summary(terminalreporter, config):
    worst = config.stash[WORST]
    if worst:
        terminalreporter.section("largest relative difference to ipctk")
    for quantity, error in worst.items():
        terminalreporter.write_line(f"{quantity:32} {error:.1e}")
