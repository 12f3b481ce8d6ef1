"""Standard streams that were closed before the start."""

from __future__ import annotations

import os
import sys


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
