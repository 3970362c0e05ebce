"""stiction in the place of IPC Toolkit."""

import importlib
import sys

_MODULES = ("", ".filib", ".ogc", ".tight_inclusion")


def use_as_ipctk() -> None:
    """Makes `import ipctk` give `stiction.ipctk`, in this process, from now on.

    Call it before anything that imports ipctk is imported. Raises RuntimeError if the real one was imported already: programs would
    have parts of both.
    """
    found = sys.modules.get("ipctk")
    ours = importlib.import_module("stiction.ipctk")
    if found is not None and found is not ours:
        raise RuntimeError(
            f"ipctk was imported already, from {getattr(found, '__file__', 'somewhere')}: "
            "call stiction.use_as_ipctk() before anything that imports ipctk"
        )
    for name in _MODULES:
        sys.modules["ipctk" + name] = importlib.import_module("stiction.ipctk" + name)
