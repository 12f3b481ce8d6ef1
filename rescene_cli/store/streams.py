"""Standard streams that are closed, or that take nothing."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def open_missing() -> None:
    """Put the null device in their place.

    Else the next file that is opened takes the number of the missing one, and what is printed goes into it.
    `sys.stdin` stays None: a closed standard input is said to be closed, an empty one is not.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


def discard(stream: TextIO) -> None:
    """Put the null device behind `stream`; what it still holds goes there."""
    null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    os.dup2(null, stream.fileno())
    os.close(null)
    stream.flush()
