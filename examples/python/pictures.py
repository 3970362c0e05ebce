"""How the pictures of the examples look, and where they go."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Colours that people with colour-blindness tell apart (Okabe and Ito).
BLUE, ORANGE, GREEN, RED, GREY = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#666666"

plt.rcParams.update(
    {
        "figure.dpi": 100,
        "font.size": 9,
        "axes.titlesize": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.25,
        "legend.frameon": False,
        "svg.fonttype": "path",
        # The same picture gets the same bytes, whenever it is drawn.
        "svg.hashsalt": "stiction",
    }
)


def arguments(description: str | None) -> argparse.ArgumentParser:
    """The command line that all examples have."""
    parser = argparse.ArgumentParser(description=(description or "").split("\n")[0])
    parser.add_argument("--output", type=Path, default=Path("pictures"), metavar="DIR", help="where the picture goes")
    parser.add_argument("--format", choices=("svg", "png"), default="svg", help="of the picture")
    parser.add_argument("--quick", action="store_true", help="a smaller case, for tests")
    return parser


def save(figure: plt.Figure, options: argparse.Namespace, name: str) -> Path:
    """Writes a picture and says where."""
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / f"{name}.{options.format}"
    nothing = {"Date": None} if options.format == "svg" else {"Software": None}
    figure.savefig(path, metadata=nothing)
    plt.close(figure)
    print(f"picture: {path}")
    return path
