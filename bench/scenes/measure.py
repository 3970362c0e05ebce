"""Runs a program and notes when it finishes each step, what it costs, and whether it has to be stopped."""

import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

GRACE = 20.0  # s that a program has for closing after it was told to stop


@dataclass
class Mark:
    """The moment when so many steps were seen to be finished."""

    steps: int
    wall: float  # s since the program was started
    cpu: float | None  # s of all threads


@dataclass
class Usage:
    status: str  # "done", "stopped" or "failed"
    output: str
    wall: float  # s
    cpu: float  # s of all threads
    peak_memory_mb: float
    marks: list[Mark] = field(default_factory=list)


@dataclass
class Watch:
    finished: Callable[[], int]  # steps that are finished; 0: started; -1: not even that
    limit: float  # s
    stop_signal: signal.Signals = signal.SIGINT


def run(command: list[str], watch: Watch) -> Usage:
    """Runs the command to its end or its limit."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        try:
            usage = follow(process, watch, begin)
        finally:
            if process.returncode is None:
                process.kill()
                process.wait()
        output.seek(0)
        usage.output = output.read()
    return usage


def follow(process: subprocess.Popen[bytes], watch: Watch, begin: float) -> Usage:
    usage = Usage("done", "", 0.0, 0.0, 0.0)
    while True:
        ended, status, spent = os.wait4(process.pid, os.WNOHANG)
        elapsed = time.perf_counter() - begin
        if not ended:
            usage.peak_memory_mb = max(usage.peak_memory_mb, memory_mb(process.pid))
        note(usage.marks, watch.finished(), elapsed, cpu_seconds(process.pid) if not ended else cpu_of(spent))
        if ended:
            break
        if elapsed > watch.limit:
            stop(process, usage, watch, elapsed)
        # Often enough for times to be right within a hundredth.
        time.sleep(min(max(0.01 * elapsed, 0.001), 0.05))
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 and usage.status == "done":
        usage.status = "failed"
    usage.wall, usage.cpu = elapsed, cpu_of(spent)
    usage.peak_memory_mb = usage.peak_memory_mb or largest_mb(spent)
    return usage


def note(marks: list[Mark], steps: int, wall: float, cpu: float | None) -> None:
    if steps >= 0 and (not marks or steps > marks[-1].steps):
        marks.append(Mark(steps, wall, cpu))


def stop(process: subprocess.Popen[bytes], usage: Usage, watch: Watch, elapsed: float) -> None:
    """Asks once, then insists."""
    if usage.status != "stopped":
        process.send_signal(watch.stop_signal)
        usage.status = "stopped"
    elif elapsed > watch.limit + GRACE:
        process.kill()


def cpu_seconds(pid: int) -> float | None:
    """CPU time of a running process by its clock, whose number Linux makes from the process's; None elsewhere."""
    try:
        return time.clock_gettime((~pid << 3) | 2) if sys.platform == "linux" else None
    except OSError:
        return None


def cpu_of(spent: resource.struct_rusage) -> float:
    return spent.ru_utime + spent.ru_stime


def memory_mb(pid: int) -> float:
    """Most memory of a running process; 0 where nobody knows. Unlike wait4's, it does not begin with that of the parent."""
    try:
        found = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0.0
    return int(found.group(1)) / 1024 if found else 0.0


def largest_mb(spent: resource.struct_rusage) -> float:
    return spent.ru_maxrss / (1024 if sys.platform == "linux" else 1024**2)


class Lines:
    """Counts the whole lines of a file that grows."""

    def __init__(self, path: Path) -> None:
        self.path, self.size, self.count = path, 0, 0

    def look(self) -> int:
        try:
            with self.path.open("rb") as file:
                file.seek(self.size)
                new = file.read()
        except FileNotFoundError:
            return 0
        self.size += len(new)
        self.count += new.count(b"\n")
        return self.count
