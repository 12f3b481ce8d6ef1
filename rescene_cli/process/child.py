"""One started command: its process group, its output pipe, and how both end."""

from __future__ import annotations

import atexit
import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rescene_cli.process.environment import child_environment

if TYPE_CHECKING:
    from subprocess import Popen

GRACE = 1.0  # seconds between SIGTERM and SIGKILL
PIECE = 1 << 16  # what a pipe holds on Linux

_alive: dict[int, Child] = {}  # by pid; the only memory of what was started


class Child:
    """The leader of a process group and the read end of the pipe the group writes to."""

    def __init__(self, process: Popen[bytes], output: int, started: float) -> None:
        self._process = process
        self.pid = process.pid
        self.output = output
        self.started = started
        self.exit_watch = _exit_descriptor(process.pid)
        _alive[self.pid] = self

    def exit_code(self) -> int | None:
        """The leader's exit code, 128+n when signal n ended it, None while it runs. Reaps it.

        None also while another thread is about to reap it: ask again.
        """
        code = self._process.poll()
        return code if code is None or code >= 0 else 128 - code

    def signal(self, number: int) -> None:
        """Send a signal to the whole group; a group that is gone, or not ours to signal, is left alone."""
        with suppress(ProcessLookupError, PermissionError):
            if self.exit_code() is not None:
                # The leader is reaped. Its number stays taken while its group has members, so a process
                # that has this number now belongs to somebody else.
                with suppress(ProcessLookupError):
                    os.kill(self.pid, 0)
                    return
            os.killpg(self.pid, number)

    def group_lives(self, patience: float = 0.0) -> bool:
        """Whether any process of the group still runs; one that is just ending has `patience` seconds for it."""
        until = time.monotonic() + patience
        while self._has_members():
            if time.monotonic() >= until:
                return True
            time.sleep(0.005)
        return False

    def _has_members(self) -> bool:
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return _has_running_member(self.pid)

    def close(self) -> None:
        """The command has ended and left nothing behind."""
        os.close(self.output)
        self._close_watch()
        _alive.pop(self.pid, None)

    def leave(self) -> None:
        """Something still runs: go on reading what it writes, lest it block or die of SIGPIPE, and reap the leader."""
        self._close_watch()
        threading.Thread(target=self._discard, name=f"drain-{self.pid}", daemon=True).start()

    def _discard(self) -> None:
        with suppress(OSError):
            while os.read(self.output, PIECE):
                pass
        os.close(self.output)
        self._process.wait()

    def _close_watch(self) -> None:
        if self.exit_watch is not None:
            os.close(self.exit_watch)
            self.exit_watch = None


def spawn(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None) -> Child:
    """Start `argv` in a session of its own. `env` None: this program's, as `child_environment` leaves it.

    Raises OSError (no such program or folder, arguments too long) and ValueError (a NUL in an argument).
    """
    import subprocess  # slow to load

    _end_with_the_program()
    started = time.monotonic()
    reader, writer = os.pipe()
    try:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=child_environment(os.environ) if env is None else env,
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=writer,
            start_new_session=True,
        )
    except BaseException:
        os.close(reader)
        raise
    finally:
        os.close(writer)
    return Child(process, reader, started)


def reap_all(grace: float = GRACE) -> int:
    """End every process group that is still there; returns how many. Safe to call twice and in a signal handler."""
    left = [child for child in list(_alive.values()) if child.exit_code() is None or child.group_lives()]
    for number in (signal.SIGTERM, signal.SIGKILL):
        for child in left:
            child.signal(number)
        until = time.monotonic() + grace
        while time.monotonic() < until and any(_there(child) for child in left):
            time.sleep(0.005)
    _alive.clear()
    return len(left)


def _there(child: Child) -> bool:
    return child.exit_code() is None or child.group_lives()


@cache
def _end_with_the_program() -> None:
    atexit.register(reap_all)


def _exit_descriptor(pid: int) -> int | None:
    """A descriptor that becomes readable when `pid` ends; None where the system has none (macOS, old kernels)."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _has_running_member(group: int) -> bool:
    """Whether a member of the group is more than a zombie, which nobody may reap in a container without init."""
    processes = Path("/proc")
    if not (processes / "self/stat").exists():
        return True
    return any(_runs_in(process, group) for process in processes.iterdir() if process.name.isdigit())


def _runs_in(process: Path, group: int) -> bool:
    try:
        status = (process / "stat").read_bytes()
    except OSError:  # it has just ended
        return False
    # pid (name) state parent group ...: the name may hold anything, so count from its end
    state, _, member_of = status.rpartition(b")")[2].split(maxsplit=3)[:3]
    return int(member_of) == group and state not in {b"Z", b"X"}
