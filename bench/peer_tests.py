"""Runs IPC Toolkit's own Python tests against `stiction.ipctk`, from a checkout of it.

    git clone https://github.com/ipc-sim/ipc-toolkit && git clone https://github.com/ipc-sim/ipc-toolkit-tests-data
    python bench/peer_tests.py ipc-toolkit ipc-toolkit-tests-data

Tests that yield cases are run case by case, which pytest no longer does. Prints a table, and exits with 1 if a test fails that is not
about interval arithmetic, which `stiction.ipctk` does not have.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

# The module by which the tests look for the package.
_FINDER = "import stiction\nstiction.use_as_ipctk()\nimport ipctk\n"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("checkout", type=Path, help="a checkout of ipc-toolkit, or a folder with its python/tests")
    arguments.add_argument("data", type=Path, help="a checkout of ipc-toolkit-tests-data, or a folder with its meshes")
    arguments.add_argument("-v", "--verbose", action="store_true", help="print the traceback of every failure")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = laid_out(Path(folder), options.checkout, options.data)
        sys.path[:0] = [str(place), str(place.parent)]
        results = [result for module in modules(place) for result in run(module, options.verbose)]
    print_table(results)
    return 1 if any(outcome == "failed" for _, outcome, *_ in results) else 0


def laid_out(folder: Path, checkout: Path, data: Path) -> Path:
    """The tests in a scratch folder, with the data and the finder where they look for them."""
    tests = shutil.copytree(checkout / "python" / "tests", folder / "python" / "tests")
    (folder / "python" / "_find_ipctk.py").write_text(_FINDER)
    (folder / "tests").mkdir()
    (folder / "tests" / "data").symlink_to(data.resolve(), target_is_directory=True)
    return tests


def modules(place: Path) -> Iterator[ModuleType]:
    for path in sorted(place.glob("test_*.py")):
        yield importlib.import_module(path.stem)


def run(module: ModuleType, verbose: bool) -> Iterator[tuple[str, str, str, float]]:
    """(name, outcome, reason, seconds) of every test and every case of one."""
    for name, test in vars(module).items():
        if name.startswith("test_") and callable(test) and test.__module__ == module.__name__:
            for case, call in cases(f"{module.__name__}.{name}", test):
                yield (case, *outcome(call, verbose))


def cases(name: str, test: Callable[[], object]) -> Iterator[tuple[str, Callable[[], object]]]:
    if not inspect.isgeneratorfunction(test):
        yield name, test
        return
    generator = test()
    for number in range(sys.maxsize):
        try:
            function, *arguments = next(generator)
        except StopIteration:
            return
        except Exception as error:
            # What fails between two cases.
            yield f"{name}[{number}]", raising(error)
            return
        yield f"{name}[{number}]", lambda function=function, arguments=arguments: function(*arguments)


def raising(error: Exception) -> Callable[[], object]:
    def call() -> None:
        raise error

    return call


def outcome(call: Callable[[], object], verbose: bool) -> tuple[str, str, float]:
    start = time.perf_counter()
    try:
        call()
    except NotImplementedError as error:
        if not str(error).startswith(("filib", "IntervalNonlinearTrajectory")):
            return "failed", f"NotImplementedError: {error}", time.perf_counter() - start
        return "not available", str(error), time.perf_counter() - start
    except Exception as error:
        if verbose:
            traceback.print_exc()
        return "failed", f"{type(error).__name__}: {error}".splitlines()[0], time.perf_counter() - start
    return "passed", "", time.perf_counter() - start


def print_table(results: list[tuple[str, str, str, float]]) -> None:
    tests: dict[str, list[tuple[str, str, str, float]]] = {}
    for result in results:
        tests.setdefault(result[0].split("[")[0], []).append(result)
    print("| test | cases | passed | s | otherwise |\n| --- | ---: | ---: | ---: | --- |")
    for name, group in tests.items():
        others = sorted({f"{outcome}: {reason}" for _, outcome, reason, _ in group if outcome != "passed"})
        passed = sum(outcome == "passed" for _, outcome, *_ in group)
        print(f"| {name} | {len(group)} | {passed} | {sum(seconds for *_, seconds in group):.2f} | {'; '.join(others)} |")
    print(f"\n{sum(outcome == 'passed' for _, outcome, *_ in results)} of {len(results)} cases pass.")


if __name__ == "__main__":
    sys.exit(main())
