"""Questions about real processes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path


def runs(pid: int) -> bool:
    """Whether `pid` is there and more than a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except ProcessLookupError:  # it ended while its state was read
        return False
    except FileNotFoundError:  # the same, or a system without /proc
        return not Path("/proc/self/stat").exists()


def eventually(condition: Callable[[], object], seconds: float = 10.0) -> bool:
    """Wait until `condition` holds; False when it never does."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def descriptors() -> int:
    """How many descriptors this process has open."""
    return len(list(Path("/dev/fd").iterdir()))
