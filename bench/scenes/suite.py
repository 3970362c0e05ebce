"""Runs whole scenes with stiction, and with peers where they are here; see bench/README.md.

    scripts/bench scenes [--only blocks-4 'cloth-*'] [--binary new=PATH old=PATH] [--threads 1 2] [--growth] [--bits]
"""

import argparse
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import catalogue
import results
from programs import Job, Program, Run, Stiction, build_stiction, peers
from scene import Scene, Settings

ROOT = Path(__file__).resolve().parents[2]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench scenes", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--only", nargs="+", default=[], metavar="NAME", help="these scenes, with * and ?; blocks-N and cloth-N in any size")
    add("--list", action="store_true", help="print the scenes and end")
    add("--ipc-root", type=Path, metavar="DIR", help="checkout of ipc-sim/IPC, for the scenes from there")
    add("--binary", nargs="+", default=[], metavar="[LABEL=]PATH", help="programs; default: STICTION, or a release build")
    add("--threads", nargs="+", type=int, default=[1], metavar="N")
    add("--steps", type=int, metavar="N", help="default: the scene's own")
    add("--limit", type=float, default=600.0, metavar="SECONDS", help="for each run; a run that takes longer is stopped")
    add("--settings", choices=("peer", "own"), default="peer", help="solve as the peers do, or with the defaults of stiction")
    add("--tolerance", type=float, metavar="SPEED", help="solver.tolerance in m/s instead of that of the settings")
    add("--frames", action="store_true", help="write a frame of every step, which stiction checks for intersections exactly")
    add("--growth", action="store_true", help="fit how the time of an iteration grows with the vertices")
    add("--bits", action="store_true", help="check that results are the same bytes for all --threads")
    add("--no-peers", action="store_true", help="run stiction only")
    add("--results", type=Path, default=ROOT / "bench" / "results", metavar="DIR")
    args = parser.parse_args()
    if args.bits and len(set(args.threads)) < 2:
        parser.error("--bits needs two numbers of --threads or more")
    if any(n is not None and n < 1 for n in (*args.threads, args.steps)):
        parser.error("--threads and --steps must be positive")
    return args


def main() -> int:
    args = arguments()
    try:
        names = catalogue.chosen(args.only)
        if args.list:
            return show(names, args.ipc_root)
        programs: list[Program] = list(stictions(args.binary))
    except ValueError as error:
        sys.exit(f"scripts/bench scenes: {error}")
    if not args.no_peers:
        found, missing = peers()
        programs += found
        print(*missing, sep="\n")
    return measure(args, names, programs)


def show(names: list[str], ipc_root: Path | None) -> int:
    for name in names:
        try:
            scene = catalogue.load(name, ipc_root)
            print(f"{name:16}{scene.vertices:9,} vertices{scene.elements:9,} elements{scene.steps:5} steps")
        except catalogue.Absent as reason:
            print(f"{name:16}{reason}")
    return 0


# --- Programs ---


def stictions(given: list[str]) -> list[Stiction]:
    """The programs of --binary; otherwise that of the environment, or a build."""
    named = given or [os.environ["STICTION"]] * ("STICTION" in os.environ)
    if not named:
        return [build_stiction(ROOT)]
    programs = [labelled(text) for text in named]
    labels = Counter(program.label for program in programs)
    for number, program in enumerate(programs, 1):
        if labels[program.label] > 1:
            program.label += f" {number}"
    return programs


def labelled(text: str) -> Stiction:
    """A program from [LABEL=]PATH."""
    label, _, path = text.rpartition("=")
    found = shutil.which(path)
    if found is None:
        raise ValueError(f"{path} is not a program")
    return Stiction(label or Path(path).stem, Path(found).resolve())


# --- Runs ---


def measure(args: argparse.Namespace, names: list[str], programs: list[Program]) -> int:
    """Runs everything, prints it and keeps it."""
    file = results.file_name(args.results)
    document = head(programs)
    runs: list[Run] = []
    print("\n" + results.HEAD)
    for name in names:
        try:
            scene = catalogue.load(name, args.ipc_root)
        except catalogue.Absent as reason:
            document["skipped"][name] = str(reason)
            print(f"{name:16} skipped: {reason}")
            continue
        for run in runs_of(scene, args, programs):
            runs.append(run)
            print(results.row(run), flush=True)
            results.save(file, document, runs)
    status = conclude(args, document, runs)
    results.save(file, document, runs)
    print(f"\nresults: {os.path.relpath(file)}")
    return status


def head(programs: list[Program]) -> dict[str, Any]:
    return {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "machine": results.machine(),
        "programs": {program.label: program.about() for program in programs},
        "skipped": {},
    }


def runs_of(scene: Scene, args: argparse.Namespace, programs: list[Program]) -> Iterator[Run]:
    """All programs in turn for each number of threads; those without threads once."""
    settings = Settings(args.settings, args.steps, args.tolerance, args.frames)
    for threads in dict.fromkeys(args.threads):
        for program in programs:
            if program.has(scene) and (program.threaded or threads == args.threads[-1]):
                with tempfile.TemporaryDirectory(prefix="stiction-bench-") as folder:
                    yield program.run(Job(scene, settings, threads, args.limit, Path(folder)))


def conclude(args: argparse.Namespace, document: dict[str, Any], runs: list[Run]) -> int:
    """Prints what follows from all runs; 1 if one of them failed, or bits differ or could not be compared."""
    lines = results.ratios(runs)
    status = int(any(run.status == "failed" for run in runs))
    if args.growth:
        document["growth"] = results.growth(runs)
        lines += results.growth_lines(document["growth"]) or ["growth: needs two sizes of blocks or of cloth"]
    if args.bits:
        document["same_bits"] = results.bits(runs)
        status |= int(not all(document["same_bits"].values()))
        lines += [results.bits_line(name, same) for name, same in document["same_bits"].items()]
    if lines:
        print("", *lines, sep="\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
