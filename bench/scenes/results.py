"""What is kept of the runs, and what is printed of them: table, ratios, growth, bits."""

import json
import math
import os
import platform
import re
import statistics
from collections.abc import Iterable
from dataclasses import asdict
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

import catalogue
from programs import Run

HEAD = (
    f"{'scene':16}{'vertices':>9}{'elements':>9} {'program':14}{'threads':>8}{'steps':>9}{'s/step':>9}{'CPU s':>9}"
    f"{'Newton':>13}{'substeps':>9}{'contacts':>15}{'MB':>7}  time by phase"
)


def machine() -> dict[str, Any]:
    """The kind of machine, without its name."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {"cpu": cpu_name(), "cores": cores}


def cpu_name() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    name = found.group(1) if found else platform.processor() or platform.machine()
    return re.sub(r"\((R|TM)\)|\bCPU\b|\bProcessor\b|@.*|\d+-Core", "", name, flags=re.IGNORECASE).strip()


def file_name(folder: Path) -> Path:
    """A new file for today on this kind of machine."""
    here = machine()
    cpu = re.sub(r"[^a-z0-9]+", "-", here["cpu"].lower()).strip("-")
    stem = f"{date.today().isoformat()}-{cpu}-{here['cores']}-cores"
    path, number = folder / f"{stem}.json", 2
    while path.exists():
        path, number = folder / f"{stem}-{number}.json", number + 1
    return path


def save(path: Path, document: dict[str, Any], runs: list[Run]) -> None:
    """Writes all that is known so far."""
    kept = [{key: value for key, value in asdict(run).items() if key not in ("has_table", "rows")} for run in runs]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document | {"runs": kept}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


# --- Table ---


def row(run: Run) -> str:
    """A line of the table."""
    seconds = run.seconds_per_step
    steps = f"{run.steps}/{run.steps_asked}"
    text = (
        f"{run.scene:16}{run.vertices:9,}{run.elements:9,} {run.program:14}{run.threads or '':>8}{steps:>9}"
        f"{number(seconds.get('wall')):>9}{number(seconds.get('cpu')):>9}{pair(run.iterations, 1):>13}"
        f"{'' if run.substeps is None else run.substeps:>9}{pair(run.contacts, 0):>15}{run.peak_memory_mb or 0:7.0f}"
        f"  {shares(run)}"
    )
    return text.rstrip() + ("" if run.status == "done" else f"  {run.status} {run.message[:200]}".rstrip())


def number(value: float | None) -> str:
    """Three digits."""
    if value is None:
        return "-"
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}" if value > 0.0 else "0"


def pair(values: dict[str, float], digits: int) -> str:
    """A mean, and the most in brackets."""
    if not values:
        return "-"
    return f"{values['mean']:,.{digits}f}" + (f" ({values['most']:,.0f})" if "most" in values else "")


def shares(run: Run) -> str:
    """The parts of the phases in %."""
    whole = run.phases.get("all steps", 0.0)
    parts = [(name, seconds) for name, seconds in run.phases.items() if name != "all steps"]
    return ", ".join(f"{name} {100 * seconds / whole:.0f}" for name, seconds in parts) + " %" if whole > 0.0 else ""


# --- Ratios ---


def ratios(runs: list[Run]) -> list[str]:
    """Each program beside the first that ran the scene, over the steps that both have finished."""
    lines = []
    for _, group in groupby(runs, key=lambda run: run.scene):
        of_scene = list(group)
        first = [run for run in of_scene if run.program == of_scene[0].program]
        others = [run for run in of_scene if run.program != of_scene[0].program]
        lines += [ratio(a, b) for a in first for b in others if b.threads in (a.threads, None) and min(a.steps, b.steps) > 0]
    return lines


def ratio(a: Run, b: Run) -> str:
    common = min(len(a.step_wall), len(b.step_wall))
    seconds = sum(b.step_wall[:common]) / sum(a.step_wall[:common])
    text = f"{a.scene}, {in_words(a.threads)}, {common} steps: {b.program} takes {seconds:.2f} times the wall time of {a.program}"
    if not (a.step_iterations and b.step_iterations):
        return text
    iterations = sum(b.step_iterations[:common]), sum(a.step_iterations[:common])
    return f"{text}; iterations {iterations[0]} and {iterations[1]}"


def in_words(threads: int | None) -> str:
    if threads is None:
        return "GPU"
    return "1 thread" if threads == 1 else f"{threads} threads"


# --- Growth ---


def growth(runs: Iterable[Run]) -> list[dict[str, Any]]:
    """Exponents p of seconds per iteration ~ verticesᵖ, for each family, program and number of threads."""
    points: dict[tuple[str, str, int | None], dict[int, float]] = {}
    for run in runs:
        kind, iterations = catalogue.family(run.scene), sum(run.step_iterations)
        if kind and iterations:
            seconds = sum(run.step_wall) / iterations
            points.setdefault((kind, run.program, run.threads), {})[run.vertices] = seconds
    return [
        {"family": kind, "program": program, "threads": threads, "exponent": exponent(found), "seconds_per_iteration": found}
        for (kind, program, threads), found in points.items()
        if len(found) > 1
    ]


def exponent(points: dict[int, float]) -> float:
    """The slope of a line through the logarithms, by least squares."""
    x, y = [math.log(n) for n in points], [math.log(s) for s in points.values()]
    return statistics.linear_regression(x, y).slope


def growth_lines(fits: list[dict[str, Any]]) -> list[str]:
    lines = []
    for fit in fits:
        points = ", ".join(f"{n:,}: {1e3 * s:.3g} ms" for n, s in fit["seconds_per_iteration"].items())
        name = f"{fit['family']}, {fit['program']}, {in_words(fit['threads'])}"
        lines.append(f"{name}: time of an iteration grows as vertices^{fit['exponent']:.2f} ({points})")
    return lines


# --- Bits ---


def bits(runs: list[Run]) -> dict[str, bool | None]:
    """Whether steps.csv and the last frame are the same for all numbers of threads, for each scene and program of ours.

    None where a run has no finished step, so that nothing was compared.
    """
    found: dict[str, list[Run]] = {}
    for run in runs:
        if run.has_table:
            found.setdefault(f"{run.scene}, {run.program}", []).append(run)
    return {name: same_bits(group) for name, group in found.items()}


def same_bits(runs: list[Run]) -> bool | None:
    """Of runs that were stopped, only the steps that all have finished are compared."""
    if any(run.steps == 0 for run in runs):
        return None
    if all(run.status == "done" for run in runs):
        return all(run.sha256 == runs[0].sha256 for run in runs)
    common = min(len(run.rows) for run in runs)
    return all(run.rows[:common] == runs[0].rows[:common] for run in runs)


def bits_line(name: str, same: bool | None) -> str:
    if same is None:
        return f"{name}: bits NOT COMPARED, a run finished no step"
    return f"{name}: {'the same bits' if same else 'BITS DIFFER'}"
