"""A command that goes on while other work is done."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from rescene_cli.core.runtime import Interrupt
from rescene_cli.process.capture import Capture
from rescene_cli.process.child import Child, spawn
from rescene_cli.process.follow import Finished, follow

TAIL = 1 << 18  # bytes of output that are kept, from the end


class Background:
    """A running command, followed by one thread. Two pipes carry "stop" to it and "it has ended" back."""

    def __init__(self, child: Child) -> None:
        self.pid = child.pid
        self._child = child
        self._capture = Capture(0, TAIL)
        self._finished: Finished | None = None
        self._lock = threading.Lock()
        self._asked, self._stop = os.pipe()
        self._ended, self._end = os.pipe()
        self._open = {self._stop, self._ended}  # the ends on this side; the thread closes its own
        threading.Thread(target=self._follow, name=f"follow-{child.pid}", daemon=True).start()

    def fileno(self) -> int:
        """Becomes readable once `kill` was called."""
        return self._asked

    def poll(self) -> Finished | None:
        """How it ended, None while it runs. `output` is what `tail` gives."""
        if self._finished is not None:
            self._close(self._stop, self._ended)
        return self._finished

    def wait(self, seconds: float, interrupt: Interrupt | None = None) -> Finished | None:
        """As `poll`, after at most `seconds`. Returns early when asked to stop, which does not stop the command."""
        if self._finished is None:
            poll = select.poll()
            poll.register(self._ended, select.POLLIN)
            if interrupt:
                poll.register(interrupt.fileno(), select.POLLIN)
            poll.poll(max(0.0, seconds) * 1000)
        return self.poll()

    def kill(self) -> None:
        """Have the group ended, with SIGTERM and then SIGKILL; `wait` tells when it has."""
        self._close(self._stop)

    def tail(self) -> bytes:
        """The last 256 KiB of its output."""
        return self._capture.output()

    @property
    def total(self) -> int:
        """Bytes it has written so far."""
        return self._capture.total

    @property
    def age(self) -> float:
        """Seconds since its start."""
        return time.monotonic() - self._child.started

    def _follow(self) -> None:
        try:
            self._finished = follow(self._child, stop=self, capture=self._capture)
        finally:
            os.close(self._asked)
            os.close(self._end)

    def _close(self, *descriptors: int) -> None:
        with self._lock:
            for descriptor in self._open.intersection(descriptors):
                self._open.remove(descriptor)
                os.close(descriptor)


def start(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None) -> Background:
    """Start `argv` and let it run; raises as `spawn`."""
    child = spawn(argv, cwd=cwd, env=env)
    try:
        return Background(child)
    except BaseException:  # no descriptor or no thread is left to follow it with
        child.signal(signal.SIGKILL)
        child.leave()
        raise
