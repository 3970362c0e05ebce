"""`python -m stiction`: the command line."""

from __future__ import annotations

import signal
import sys

from . import _stiction


def main() -> None:
    """Runs the command line with the arguments of this process, and ends it with the exit code."""
    # Ends the run as Ctrl-C does, with the results so far.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(_stiction.main(["stiction", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
