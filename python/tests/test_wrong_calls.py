"""A hundred wrong calls and more: an exception each that names the argument, never a crash.

All calls of a table are made in one process of its own, so that a crash is seen, with the call that made it.
"""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

# Modules with CALLS: name → (call, exception, pattern of its message), and WORKS: functions that must raise nothing.
TABLES = ["wrong_calls_native"]


def outcomes(table):
    """Makes the calls and writes down how each ended, line by line."""
    module = importlib.import_module(table)
    for name, (call, _, _) in module.CALLS.items():
        print(json.dumps({"begun": name}), flush=True)
        try:
            call()
        except BaseException as error:  # Also the one that a panic would be.
            kinds = [kind.__name__ for kind in type(error).__mro__]
            message = "\n".join([str(error), *getattr(error, "__notes__", [])])
            print(json.dumps({"name": name, "kinds": kinds, "message": message}), flush=True)
    for function in module.WORKS:
        print(json.dumps({"begun": function.__name__}), flush=True)
        function()
    print(json.dumps({"end": True}), flush=True)


@pytest.fixture(scope="module", params=TABLES)
def made(request):
    command = [sys.executable, __file__, request.param]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=Path(__file__).parent)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    last = lines[-1] if lines else None
    assert done.returncode == 0 and last == {"end": True}, f"ended with {done.returncode} at {last}\n{done.stderr}"
    return importlib.import_module(request.param), {line["name"]: line for line in lines if "name" in line}


def test_every_wrong_call_is_an_exception(made):
    module, found = made
    wrong = {name: why for name, row in module.CALLS.items() if (why := complaint(found.get(name), *row[1:]))}
    assert not wrong, json.dumps(wrong, indent=1, ensure_ascii=False)


def complaint(found, expected, pattern):
    """What is wrong with how a call ended."""
    if found is None:
        return "no exception"
    names = [kind.__name__ for kind in (expected if isinstance(expected, tuple) else (expected,))]
    if not set(names) & set(found["kinds"]):
        return f"{found['kinds'][0]} rather than {names}: {found['message']}"
    if not re.search(pattern, found["message"]):
        return f"{pattern!r} is not in the message: {found['message']}"
    return None


def test_there_are_a_hundred():
    assert sum(len(importlib.import_module(table).CALLS) for table in TABLES) > 150


if __name__ == "__main__":
    outcomes(sys.argv[1])
