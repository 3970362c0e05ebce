"""stiction.ipctk beside ipctk, stage by stage, with a harness that knows ipctk's interface only.

    python bench/drop_in.py HARNESS [--workloads W1 W4] [--sizes tiny small medium] [--threads 1 2] [--ops REGEX] [--skip REGEX] [--keep FOLDER]

HARNESS is a program that times the stages of a module with ipctk's interface and writes them as JSON:

    python HARNESS --module NAME --workload W1 --size small --threads 1 --json FILE --order C --budget 0.3

Both modules run one after the other for each workload, size and number of threads; the tables have the ratios of their shortest times, ipctk
over ours: CPU time with one thread, wall time with more. A dash: ipctk has it not, or the harness left it out.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

MODULES = {"ipctk": "F", "stiction.ipctk": "C"}  # the order in memory that each prefers


def measure(arguments, module, case, folder):
    """The results of one module, by stage."""
    workload, size, threads = case
    result = Path(folder) / f"{module}-{workload}-{size}-{threads}.json"
    command = [sys.executable, str(arguments.harness), "--module", module, "--workload", workload, "--size", size]
    command += ["--threads", str(threads), "--json", str(result), "--order", MODULES[module]]
    command += ["--budget", str(arguments.budget), "--slow", "2"]
    for option in ("ops", "skip"):
        if getattr(arguments, option):
            command += [f"--{option}", getattr(arguments, option)]
    done = subprocess.run(command, capture_output=True, text=True)
    if not result.exists():
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return json.loads(result.read_text())["results"]


def ratio(peer, own, threads):
    """ipctk's time over ours, or what is in the way."""
    if own.get("status") != "ok":
        return own.get("status", "–") if peer.get("status") == "ok" else "–"
    if peer.get("status") != "ok":
        return "–"
    key = "cpu_min" if threads == 1 else "wall_min"
    found = peer[key] / max(own[key], 1e-9)
    return f"{found:.2g}" if found < 100 else f"{found:.0f}"


def table(cases, found):
    """Stages by rows, workloads by columns, ratios with all numbers of threads in a cell."""
    sizes = list(dict.fromkeys(size for _, size, _ in cases))
    workloads = list(dict.fromkeys(workload for workload, _, _ in cases))
    threads = list(dict.fromkeys(count for _, _, count in cases))
    stages = list(dict.fromkeys(stage for both in found.values() for stage in both["ipctk"]))
    for size in sizes:
        print(f"\n{size}, threads: {', '.join(map(str, threads))}\n")
        print("| stage | " + " | ".join(workloads) + " |\n| --- |" + " --- |" * len(workloads))
        for stage in stages:
            cells = []
            for workload in workloads:
                both = [found.get((workload, size, count)) for count in threads]
                cells.append(", ".join(ratio(b["ipctk"].get(stage, {}), b["stiction.ipctk"].get(stage, {}), count)
                                       for b, count in zip(both, threads) if b) or "–")
            print(f"| {stage} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("harness", type=Path)
    parser.add_argument("--workloads", nargs="+", default=["W1", "W2", "W3", "W4", "W5"])
    parser.add_argument("--sizes", nargs="+", default=["tiny", "small"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1])
    parser.add_argument("--ops")
    parser.add_argument("--skip")
    parser.add_argument("--budget", type=float, default=0.3)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    cases = [(w, s, t) for s in arguments.sizes for w in arguments.workloads for t in arguments.threads]
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(exist_ok=True, parents=True)
        for case in cases:
            found[case] = {module: measure(arguments, module, case, folder) for module in MODULES}
            print(*case, "done", file=sys.stderr, flush=True)
    table(cases, found)


if __name__ == "__main__":
    main()
