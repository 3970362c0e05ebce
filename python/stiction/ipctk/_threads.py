"""How many threads are used. Results do not depend on it, to the last bit."""

from __future__ import annotations

import os

from .. import _stiction as native
from ._array import whole
from ._logger import logger


def get_num_threads() -> int:
    """How many threads are used at most."""
    return native.num_threads()


def set_num_threads(nthreads: int) -> None:
    """Uses at most `nthreads` threads; 0 or less means one for each core, and so does a number larger than that."""
    count, available = whole("nthreads", nthreads, least=-(2**31)), _available()
    if count > available:
        logger.warning("set_num_threads: there are only %d cores, not %d", available, count)
    native.set_num_threads(min(count, available) if count > 0 else available)


def _available() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
