"""One writer at a time among programs that ask."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rescene_cli.core.errors import TryAgainError

PATIENCE = 10.0  # seconds; a writer holds it for milliseconds, unless it was suspended
_PAUSE = 0.002


@contextmanager
def exclusive(directory: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold `directory` against others that do the same; nothing is written for it, and a dead holder holds nothing.

    Raises TryAgainError when somebody else holds it for longer than `patience`. A file system without locks,
    or a folder that may not be read, gives none: then this does nothing.
    """
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        _wait(descriptor, patience)
        yield
    finally:
        os.close(descriptor)


def _wait(descriptor: int, patience: float) -> None:
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                message = "Another session is changing files in this folder. Nothing was written."
                raise TryAgainError(message, "Try again.") from None
            time.sleep(_PAUSE)
        except OSError:  # no locks here
            return
        else:
            return
