"""A deterministic fuzzer of everything public: random valid, nearly valid and nonsense arguments.

    python python/tests/fuzz_calls.py CASES [SEED]        makes CASES calls and prints how many a second, and what failed
    python python/tests/fuzz_calls.py --show SEED CASE    makes one call, after those of its block before it, and prints it
    python python/tests/fuzz_calls.py --accepted N SEED   prints N random calls that were accepted, with their results

Calls are made in a process of their own. A failure is a crash, a panic, an exception that means a mistake of ours, no end within
10 s, or a result that is not a number though all arguments were. Memory is limited, so that a call that asks for too much is seen, too.
"""

import inspect
import os
import random
import resource
import select
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

# Calls with the same world: state that one leaves is seen by the next ones.
BLOCK = 250
PATIENCE = 10.0
MEMORY = 6 << 30
# Not called: they change the process, or wait for a person.
SKIPPED = {"use_as_ipctk", "main", "set_logger", "__init_subclass__", "__subclasshook__", "__reduce__", "__reduce_ex__", "__sizeof__"}
SPECIAL = {"__call__", "__and__", "__or__", "__invert__", "__len__", "__getitem__", "__repr__", "__setstate__", "__getstate__", "__eq__", "__hash__"}
# Mistakes of ours, whatever the arguments.
WRONG = {"PanicException", "SystemError", "AssertionError", "UnboundLocalError", "NameError", "BufferError"}


def targets(world):
    """Everything that can be called: name, function, and whether it is a property."""
    import stiction
    import stiction.ipctk as ipctk

    found = []
    for module in (stiction, ipctk, stiction._stiction, stiction._stiction.drop_in):
        for name in sorted(set(dir(module)) - SKIPPED):
            value = getattr(module, name)
            public = not name.startswith("_") or name.startswith("_restore")
            if public and callable(value) and getattr(value, "__module__", "") is not None and not _is_error(value):
                found.append((f"{module.__name__}.{name}", value))
                found += [(f"{module.__name__}.{name}.{method}", call) for method, call in _static(value)]
    for thing in world.objects():
        found += _methods(thing)
    return found


def _is_error(value):
    return isinstance(value, type) and issubclass(value, BaseException)


def _static(kind):
    if not isinstance(kind, type):
        return []
    names = [name for name in dir(kind) if not name.startswith("_")]
    return [(name, getattr(kind, name)) for name in names if isinstance(inspect.getattr_static(kind, name), staticmethod)]


def _methods(thing):
    kind = type(thing)
    found = []
    for name in sorted(set(dir(kind)) - SKIPPED):
        if name.startswith("_") and name not in SPECIAL:
            continue
        label = f"{kind.__module__}.{kind.__name__}().{name}"
        if isinstance(getattr(kind, name, None), property) or inspect.isdatadescriptor(getattr(kind, name, None)):
            found.append((label, lambda thing=thing, name=name: getattr(thing, name)))
        else:
            found.append((label, getattr(thing, name)))
    return found


def parameters(function):
    """Parameters with a name each; a few without a name where there is no signature."""
    try:
        known = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return [inspect.Parameter("x", inspect.Parameter.VAR_POSITIONAL)]
    return list(known)


class Maker:
    """Makes the calls of a seed, each from the seed and its number alone."""

    def __init__(self, seed):
        self.seed, self.block = seed, None

    def call(self, number):
        """The call of this number: its name, the function and its arguments."""
        self._enter(number // BLOCK)
        r = random.Random(f"{self.seed}:{number}")
        name, function = r.choice(self.targets)
        # There, plain arithmetic meets what should be a number: a billion entries only take time.
        self.nonsense = self.small if ".ipctk." in name else self.all_nonsense
        choice = {"space": self.world.spaces[r.choice([2, 3])], "kind": r.choice(self.kinds), "rows": None}
        known = parameters(function)
        names = {parameter.name for parameter in known}
        if not names & {"surface", "contacts", "slides", "mesh", "collisions"} and (names & {"kind"} or "edge_edge" in name):
            choice["rows"] = self.rows.get(choice["kind"], 4) if "kind" in names else 4
        wildness = r.choice([0.0, 0.1, 0.1, 0.4])
        positional, named = [], {}
        for parameter in known:
            self._add(r, parameter, (choice, wildness), positional, named)
        return name, function, positional, named

    def _enter(self, block):
        if block == self.block:
            return
        import fuzz_world

        self.world, self.table, self.block = fuzz_world.World(), fuzz_world.makers(), block
        self.targets, self.all_nonsense, self.nearly = targets(self.world), fuzz_world.nonsense(), fuzz_world.nearly
        self.small = [value for value in self.all_nonsense if getattr(value, "size", 0) < 10**6]
        self.kinds, self.rows = fuzz_world.KINDS[:4] * 5 + fuzz_world.KINDS, fuzz_world.ROWS

    def _add(self, r, parameter, chosen, positional, named):
        if parameter.kind is parameter.VAR_KEYWORD:
            return
        if parameter.kind is parameter.VAR_POSITIONAL:
            names = ["mesh", "vertices", "dhat", "collisions", "x", "kind", "p", "dmin"]
            positional += [self._value(r, r.choice(names), chosen) for _ in range(r.choice([0, 1, 2, 3, 3, 4, 5]))]
            return
        if parameter.default is not parameter.empty and (r.random() < 0.6 or parameter.name == "self"):
            # What follows must be named.
            named.setdefault("", None)
            return
        value = self._value(r, parameter.name, chosen)
        if parameter.kind is parameter.KEYWORD_ONLY or ("" in named and parameter.kind is not parameter.POSITIONAL_ONLY):
            named[parameter.name] = value
        elif "" not in named:
            positional.append(value)

    def _value(self, r, name, chosen):
        choice, wildness = chosen
        make = self.table.get(name)
        if r.random() < 0.4 * wildness or make is None and r.random() < 0.8:
            return r.choice(self.nonsense)
        value = make(r, self.world, choice) if make else r.choice([0.1, 1, "x", choice["space"].x, choice["space"].surface])
        return self.nearly(r, value) if r.random() < wildness else value


def limited():
    """Makes the process one of which a call cannot take the machine down."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    os.chdir(tempfile.mkdtemp(prefix="fuzz"))


def has_nan(value, depth=0):
    """Whether there is a number that is none."""
    import numpy as np

    if isinstance(value, dict):
        return depth < 4 and any(has_nan(part, depth + 1) for part in value.values())
    if isinstance(value, (tuple, list)):
        return depth < 4 and any(has_nan(part, depth + 1) for part in value)
    data = getattr(value, "data", value) if hasattr(value, "indptr") else value
    if isinstance(data, (float, np.floating, np.ndarray)):
        array = np.asarray(data)
        return array.dtype.kind == "f" and array.size < 10**6 and bool(np.isnan(array).any())
    return False


def has_huge(values):
    """Whether there is a number whose powers overflow; nothing says what ipctk makes of it."""
    import numpy as np

    numbers = [np.asarray(value) for value in values if isinstance(value, (int, float, np.ndarray))]
    return any(array.dtype.kind in "iuf" and array.size and not np.abs(array.astype(float)).max() < 1e75 for array in numbers)


def outcome(name, function, positional, named):
    """How a call ended: nothing if well, otherwise what is wrong; and the result, if there is one."""
    named = {key: value for key, value in named.items() if key}
    if name.endswith(".run"):
        named["callback"] = lambda *_: False
    try:
        result = function(*positional, **named)
    except BaseException as error:
        kind = type(error).__name__
        return (f"{kind}: {str(error)[:200]}" if kind in WRONG else None), error
    asked = has_nan(positional) or has_nan(named) or ".ipctk." in name and has_huge([*positional, *named.values()])
    return ("NaN in the result" if has_nan(result) and not asked else None), result


def work(seed, start, stop, pipe):
    """The calls of a worker: the number of each is written before it is made, and after it what is wrong."""
    limited()
    maker = Maker(seed)
    for number in range(start, stop):
        call = maker.call(number)
        os.write(pipe, f"{number} {call[0]}\n".encode())
        wrong, _ = outcome(*call)
        if wrong:
            os.write(pipe, f"! {wrong}".replace("\n", " ").encode("utf-8", "replace") + b"\n")
    os.write(pipe, b"end\n")


class Worker:
    """A process that makes calls, watched."""

    def __init__(self, seed, start, stop):
        read, write = os.pipe()
        command = [sys.executable, __file__, "--worker", str(seed), str(start), str(stop), str(write)]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "2", "PYTHONPATH": str(Path(__file__).parent)}
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command, pass_fds=[write], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors, env=environment
        )
        os.close(write)
        self.pipe, self.rest = read, b""

    def lines(self):
        """What it says, until it ends or says nothing for too long."""
        patience = 60.0  # to begin with
        while select.select([self.pipe], [], [], patience)[0]:
            patience = PATIENCE
            found = os.read(self.pipe, 1 << 16)
            if not found:
                return
            *whole, self.rest = (self.rest + found).split(b"\n")
            yield from (line.decode() for line in whole)
        yield "hangs"

    def close(self):
        """How it ended, and what it said last."""
        self.process.kill() if self.process.poll() is None else None
        os.close(self.pipe)
        code = self.process.wait()
        self.errors.seek(0)
        return code, self.errors.read()[-600:].decode(errors="replace")


def fuzz(cases, seed, most=50):
    """Makes so many calls; a list of what failed: the number of the call, its name and what is wrong."""
    failures, start = [], 0
    while start < cases and len(failures) < most:
        worker, last, ended = Worker(seed, start, cases), (start, "the start"), None
        for line in worker.lines():
            if line in ("end", "hangs"):
                ended = line
                break
            if line.startswith("! "):
                failures.append((*last, line[2:]))
            else:
                number, name = line.split(" ", 1)
                last = (int(number), name)
        code, said = worker.close()
        if ended == "hangs":
            failures.append((*last, f"no end within {PATIENCE} s"))
        elif ended is None:
            failures.append((*last, f"the process ended with {code}: {said}"))
        start = cases if ended == "end" else last[0] + 1
    return failures


def show(seed, case):
    """Makes one call, after those of its block, and says how it ended."""
    limited()
    maker = Maker(seed)
    for number in range(case - case % BLOCK, case):
        outcome(*maker.call(number))
    name, function, positional, named = maker.call(case)
    print(name, brief(positional), {key: brief(value) for key, value in named.items() if key}, flush=True)
    wrong, result = outcome(name, function, positional, named)
    print("->", wrong or "", brief(result))


def brief(value):
    return str(value).replace("\n", " ")[:400] if not isinstance(value, list) else "[" + ", ".join(brief(part) for part in value) + "]"


def accepted(count, seed):
    """Prints random calls that were accepted."""
    limited()
    maker, left, r = Maker(seed), count, random.Random(seed)
    number = 0
    while left:
        number += 1
        name, function, positional, named = maker.call(number)
        wrong, result = outcome(name, function, positional, named)
        given = [*positional, *(value for key, value in named.items() if key)]
        if given and not isinstance(result, BaseException) and r.random() < 0.1:
            print(f"{number}: {name}", brief(positional), {key: brief(value) for key, value in named.items() if key}, "->", brief(result)[:200])
            left -= 1


def main(arguments):
    if arguments[0] == "--worker":
        work(arguments[1], *(int(argument) for argument in arguments[2:]))
    elif arguments[0] == "--show":
        show(arguments[1], int(arguments[2]))
    elif arguments[0] == "--accepted":
        accepted(int(arguments[1]), arguments[2])
    else:
        cases, seed = int(arguments[0]), arguments[1] if len(arguments) > 1 else "0"
        begin = time.monotonic()
        failures = fuzz(cases, seed)
        for number, name, wrong in failures:
            print(f"--show {seed} {number}: {name}: {wrong}")
        print(f"{cases} calls, {cases / (time.monotonic() - begin):.0f} a second, {len(failures)} failures")
        sys.exit(bool(failures))


if __name__ == "__main__":
    main(sys.argv[1:])
