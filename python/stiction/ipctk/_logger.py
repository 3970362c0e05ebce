"""What is worth a word goes to Python's logger "stiction.ipctk"."""

from __future__ import annotations

import logging

from ._array import instance
from ._enum import Enum


class LoggerLevel(Enum):
    """How much to say, from everything to nothing."""

    trace = 0
    debug = 1
    info = 2
    warn = 3
    error = 4
    critical = 5
    off = 6


logger = logging.getLogger("stiction.ipctk")

_LEVELS = {
    LoggerLevel.trace: 5,
    LoggerLevel.debug: logging.DEBUG,
    LoggerLevel.info: logging.INFO,
    LoggerLevel.warn: logging.WARNING,
    LoggerLevel.error: logging.ERROR,
    LoggerLevel.critical: logging.CRITICAL,
    LoggerLevel.off: logging.CRITICAL + 10,
}


def set_logger_level(level: LoggerLevel) -> None:
    """Says only what is at least as grave as `level`."""
    logger.setLevel(_LEVELS[instance("level", level, LoggerLevel)])
