"""Names of files that live for a moment beside those they replace, and what becomes of them when their owner is killed.

A name says whose it is, so that what a dead process left can be told from what a living one works on.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import time
from contextlib import suppress
from enum import StrEnum
from functools import cache
from pathlib import Path

PREFIX = ".rescene-tmp-"
_FOREIGN_SECONDS = 86_400.0  # after which what another machine's process left is left over: commits take moments


class Role(StrEnum):
    """What is under the name."""

    NEW = "new"  # what shall stand there: of no use to anybody once its writer is dead
    COPY = "copy"  # a second name of what stood there, until the change is whole
    OLD = "old"  # what stood there, and stands nowhere else


def beside(path: Path, role: Role = Role.NEW) -> Path:
    """An unused name in the same directory, so that a rename stays on one device."""
    pid = os.getpid()
    return path.with_name(f"{PREFIX}{role}-{_machine()}-{pid}-{_own_life(pid)}-{secrets.token_hex(6)}")


def sweep(directory: Path) -> None:
    """Remove what dead processes left in `directory`, but for the last copy of anything that stood there."""
    with suppress(OSError):
        for name in os.listdir(directory):  # noqa: PTH208 - half the time of iterdir, in folders of any size
            if name.startswith(PREFIX):
                _remove_if_left(directory / name)


def _remove_if_left(path: Path) -> None:
    parts = path.name.removeprefix(PREFIX).split("-")
    if len(parts) != 5 or parts[0] not in {Role.NEW, Role.COPY} or not parts[2].isdecimal():
        return
    role, machine, pid, life, _ = parts
    with suppress(OSError):
        found = path.lstat()
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
            return
        if role == Role.COPY and found.st_nlink < 2:
            return
        here = machine == _machine()
        if not _lives(int(pid), life) if here else time.time() - found.st_ctime > _FOREIGN_SECONDS:
            path.unlink()


@cache
def _machine() -> str:
    """Where process numbers mean the same processes: the machine's name and the kernel's space of numbers."""
    space = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - `pid:[4026531836]` is no path
    return _short(f"{os.uname().nodename} {space}")


def _lives(pid: int, life: str) -> bool:
    """Whether the process of this number and life still runs."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # somebody else's; whether it is the same one can't always be seen
        return True
    return _life(pid) in {life, ""}


@cache
def _own_life(pid: int) -> str:
    return _life(pid) or "unknown"


def _life(pid: int) -> str:
    """What tells a process from others that had its number: when it started, and in which run of the system.

    "" where that can't be seen; "ended" for one that only waits for its parent.
    """
    try:
        status = Path(f"/proc/{pid}/stat").read_bytes()
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
    except OSError:
        return ""
    fields = status.rpartition(b")")[2].split()  # state parent ..., start the 20th of them
    return "ended" if fields[0] in {b"Z", b"X"} else _short(f"{boot} {fields[19].decode()}")


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]
