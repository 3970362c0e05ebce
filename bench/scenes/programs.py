"""The programs that run scenes: stiction, and its peers IPC and libuipc. Each gives the same record of a run."""

import csv
import hashlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import catalogue
import ipc_scenes
from measure import Lines, Mark, Usage, Watch, run
from scene import Scene, Settings, tolerance_of, write_scene

HERE = Path(__file__).resolve().parent
CONTACTS = ("vertex_vertex", "vertex_edge", "edge_edge", "vertex_face", "obstacle")
PHASE = re.compile(r"^(\S.*?) +([\d.]+) +[\d.]+ +[\d.]+$", re.MULTILINE)


@dataclass
class Job:
    scene: Scene
    settings: Settings
    threads: int
    limit: float  # s
    folder: Path  # for files; empty

    @property
    def steps(self) -> int:
        return self.settings.steps or self.scene.steps


@dataclass
class Run:
    """A run of a scene, as it is kept. Lists have an entry for each finished step."""

    scene: str
    program: str
    vertices: int
    elements: int
    threads: int | None
    tolerance: float | None  # of Newton's method in m/s; None: the default of stiction
    settings: str
    frames: bool
    status: str = "failed"  # or "done", "stopped"
    message: str = ""
    steps: int = 0
    steps_asked: int = 0
    substeps: int | None = None
    iterations: dict[str, float] = field(default_factory=dict)  # mean, most
    contacts: dict[str, float] = field(default_factory=dict)  # mean, most
    seconds_per_step: dict[str, float | None] = field(default_factory=dict)  # wall, cpu
    start_seconds: float | None = None  # before the first step
    phases: dict[str, float] = field(default_factory=dict)  # wall time in s, unfinished steps too
    peak_memory_mb: float | None = None
    smallest_gap: float | None = None  # in m
    sha256: dict[str, str] = field(default_factory=dict)  # of the table of steps and of the last frame
    step_wall: list[float] = field(default_factory=list)  # in s
    step_iterations: list[int] = field(default_factory=list)
    # Not kept in files:
    has_table: bool = False  # whether the program writes a table of steps
    rows: list[str] = field(default_factory=list, repr=False)  # of that table


class Program(Protocol):
    label: str
    threaded: bool

    def about(self) -> dict[str, Any]: ...
    def has(self, scene: Scene) -> bool: ...
    def run(self, job: Job) -> Run: ...


def new_run(program: Program, job: Job) -> Run:
    return Run(
        scene=job.scene.name,
        program=program.label,
        vertices=job.scene.vertices,
        elements=job.scene.elements,
        threads=job.threads if program.threaded else None,
        tolerance=tolerance_of(job.scene, job.settings),
        settings=job.settings.kind,
        frames=job.settings.frames,
        steps_asked=job.steps,
    )


def summary(values: list[int]) -> dict[str, float]:
    return {"mean": sum(values) / len(values), "most": max(values)} if values else {}


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def take_usage(out: Run, usage: Usage) -> None:
    """Status, times and memory. Steps that were seen finished together share their time."""
    out.status, out.peak_memory_mb = usage.status, round(usage.peak_memory_mb, 1)
    if usage.status == "failed":
        out.message = usage.output.strip()[-400:]
    marks = usage.marks or [Mark(0, usage.wall, usage.cpu)]
    first, last = marks[0], marks[-1]
    out.start_seconds = round(first.wall, 4)
    for a, b in pairwise(marks):
        out.step_wall += [round((b.wall - a.wall) / (b.steps - a.steps), 6)] * (b.steps - a.steps)
    out.steps = last.steps
    if last.steps > first.steps:
        cpu = None if first.cpu is None or last.cpu is None else last.cpu - first.cpu
        count = last.steps - first.steps
        out.seconds_per_step = {"wall": (last.wall - first.wall) / count, "cpu": None if cpu is None else cpu / count}


# --- stiction ---


@dataclass
class Stiction:
    label: str
    binary: Path
    commit: str | None = None
    threaded = True

    def about(self) -> dict[str, Any]:
        said = subprocess.run([self.binary, "--version"], capture_output=True, text=True, check=False).stdout
        return {"version": said.strip(), "commit": self.commit, "sha256": digest(self.binary)}

    def has(self, scene: Scene) -> bool:
        return True

    def run(self, job: Job) -> Run:
        out, results = new_run(self, job), job.folder / "out"
        out.has_table = True
        file = write_scene(job.scene, job.folder, job.settings)
        threads = str(job.threads)
        command = [str(self.binary), "run", str(file), "-o", str(results), "-q", "--timings", "--threads", threads]
        table = Lines(results / "steps.csv")
        # The first line has names, the second the start.
        usage = run(command, Watch(lambda: table.look() - 2, job.limit))
        usage.output = usage.output.replace(str(job.folder), ".")
        take_usage(out, usage)
        out.phases = {name: float(seconds) for name, seconds in PHASE.findall(usage.output)}
        if out.steps > 0:
            take_table(out, results / "steps.csv")
            take_frame(out, results / "frames")
        return out


def take_table(out: Run, path: Path) -> None:
    """Numbers of the finished steps."""
    out.rows = path.read_text().splitlines()[: out.steps + 2]
    rows = list(csv.DictReader(out.rows))[1:]
    out.step_iterations = [int(row["newton_iterations"]) for row in rows]
    out.iterations = summary(out.step_iterations)
    out.contacts = summary([sum(int(row[f"{kind}_contacts"]) for kind in CONTACTS) for row in rows])
    out.substeps = sum(int(row["substeps"]) for row in rows)
    gap = min(float(row["smallest_gap [m]"]) for row in rows)
    out.smallest_gap = gap if math.isfinite(gap) else None
    out.sha256["steps.csv"] = digest(path)


def take_frame(out: Run, folder: Path) -> None:
    """The last frame, of a run that came to its end."""
    if out.status == "done":
        out.sha256["last frame"] = digest(max(folder.glob("*.vtu")))


def build_stiction(root: Path) -> Stiction:
    """Builds the program of this repository."""
    subprocess.run(["cargo", "build", "--release", "--locked", "-p", "stiction-cli"], cwd=root, check=True)
    target = root / os.environ.get("CARGO_TARGET_DIR", "target")
    described = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    commit = subprocess.run(described, cwd=root, capture_output=True, text=True, check=False).stdout.strip()
    return Stiction("stiction", target / "release" / "stiction", commit or None)


# --- IPC: the binary that the environment's IPC names ---


@dataclass
class Ipc:
    binary: Path
    label = "IPC"
    threaded = True

    def about(self) -> dict[str, Any]:
        return {"version": "ipc-sim/IPC", "commit": None, "sha256": digest(self.binary)}

    def has(self, scene: Scene) -> bool:
        return bool(scene.source)

    def run(self, job: Job) -> Run:
        """Runs IPC's own scene with its own settings; its start counts to the first step."""
        out, results = new_run(self, job), job.folder / "out"
        out.settings, out.tolerance = "peer", job.scene.tolerance
        job.folder.mkdir(parents=True, exist_ok=True)
        file = job.folder / "scene.txt"
        file.write_text(ipc_scenes.for_ipc(job.scene, job.steps))
        # 100: without a window.
        command = [str(self.binary), "100", str(file), "-o", str(results), "--numThreads", str(job.threads)]
        command += ["--logLevel", "error", "--noProgressBar"]
        take_usage(out, run(command, Watch(lambda: ipc_steps(results), job.limit, signal.SIGTERM)))
        if out.steps > 0:
            # Its second line begins with the time steps and the iterations of all of them.
            total = int((results / f"info{out.steps}.txt").read_text().splitlines()[1].split()[1])
            out.iterations = {"mean": total / out.steps}
        return out


def ipc_steps(results: Path) -> int:
    """Steps for which IPC has written what it knows."""
    found = (re.fullmatch(r"info(\d+)\.txt", path.name) for path in results.glob("info*.txt"))
    return max((int(match.group(1)) for match in found if match), default=0)


# --- libuipc, where Python finds it and there is a GPU ---


class Uipc:
    label = "libuipc"
    threaded = False

    def about(self) -> dict[str, Any]:
        code = "import uipc; print(uipc.__version__)"
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stdout
        return {"version": f"libuipc {said.strip()}", "commit": None, "sha256": None}

    def has(self, scene: Scene) -> bool:
        return catalogue.family(scene.name) is not None

    def run(self, job: Job) -> Run:
        out, file = new_run(self, job), job.folder / "result.json"
        out.settings, out.tolerance = "peer", job.settings.tolerance or job.scene.tolerance
        job.folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, str(HERE / "uipc_run.py"), job.scene.name, str(file)]
        command += [f"--steps={job.steps}", f"--limit={job.limit}", f"--tolerance={out.tolerance}"]
        # The start, which compiles for the GPU where that was never done, has as long again.
        usage = run(command, Watch(lambda: -1, 2 * job.limit))
        take_usage(out, usage)
        if file.exists():
            take_uipc(out, json.loads(file.read_text()))
        return out


def take_uipc(out: Run, result: dict[str, Any]) -> None:
    out.step_wall, out.step_iterations = result["step_wall"], result["step_iterations"]
    out.start_seconds, out.steps = result["start_seconds"], len(out.step_wall)
    out.iterations = summary(out.step_iterations)
    if out.steps > 0:
        out.seconds_per_step = {"wall": sum(out.step_wall) / out.steps, "cpu": None}
    if out.status == "done" and out.steps < out.steps_asked:
        out.status = "stopped"


def peers() -> tuple[list[Program], list[str]]:
    """The peers that are here, and a sentence for each that is not."""
    found: list[Program] = []
    missing = []
    binary = os.environ.get("IPC")
    if binary and Path(binary).is_file():
        found.append(Ipc(Path(binary)))
    else:
        missing.append("IPC: not here (set IPC to its binary)")
    if gpu_is_here() and succeeds([sys.executable, "-c", "import uipc"]):
        found.append(Uipc())
    else:
        missing.append("libuipc: not here (needs a GPU and PYTHONPATH to its package)")
    return found, missing


def gpu_is_here() -> bool:
    return shutil.which("nvidia-smi") is not None and succeeds(["nvidia-smi", "-L"])


def succeeds(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
