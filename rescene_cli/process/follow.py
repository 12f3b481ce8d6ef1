"""Waiting for a command: its output as it comes, its end, and what ends it early."""

from __future__ import annotations

import codecs
import select
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from os import read
from pathlib import Path
from typing import NamedTuple, Protocol

from rescene_cli.core.runtime import Interrupt
from rescene_cli.process.capture import Capture
from rescene_cli.process.child import GRACE, PIECE, Child, spawn

CAP = 1 << 24  # bytes of output that are kept, half from the start and half from the end
QUIET = 0.2  # what still says nothing, or still runs, so long after its command ended is left over
LINGER = 2.0  # and what still speaks so long after it, too
_EXIT_POLL = 0.02  # where no descriptor tells of an exit


class Finished(NamedTuple):
    """How a command ended.

    `exit` is 128+n after signal n. `omitted` bytes are missing at `gap` in `output`. `left_over`: something
    it started still runs, or holds its output open.
    """

    exit: int
    output: bytes
    seconds: float
    omitted: int = 0
    gap: int = 0
    timed_out: bool = False
    interrupted: bool = False
    left_over: bool = False
    pid: int = 0


class StopSource(Protocol):
    """What can ask to stop: an `Interrupt`, or anything with a descriptor that becomes readable."""

    def fileno(self) -> int:
        """Readable from the moment on when the command shall end."""
        ...


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    interrupt: Interrupt | None = None,
    show: Callable[[str], None] | None = None,
) -> Finished:
    """Run `argv` to its end. `show` gets the output as it comes; `timeout` is in seconds.

    At the timeout, and on an interrupt, the group gets SIGTERM, then SIGKILL, and what it said until then is
    returned, marked. Raises `Interrupted` only if asked to stop before the start; else as `spawn`.
    """
    if interrupt:
        interrupt.check()
    child = spawn(argv, cwd=cwd, env=env)
    return follow(child, timeout=timeout, stop=interrupt, show=show)


def follow(
    child: Child,
    *,
    timeout: float | None = None,
    stop: StopSource | None = None,
    show: Callable[[str], None] | None = None,
    capture: Capture | None = None,
) -> Finished:
    """Wait for `child`; as `run`. `capture` decides what is kept: by default `CAP` bytes, half from each end."""
    watch = _Watch(child, stop, capture or Capture(CAP // 2, CAP // 2), show)
    try:
        return watch.to_the_end(timeout)
    except BaseException:
        child.signal(signal.SIGKILL)
        child.leave()
        raise


class _Stage(IntEnum):
    """How far the ending of a command has gone; each step has a grace of its own."""

    RUNNING = 0
    ASKED = 1  # SIGTERM
    KILLED = 2  # SIGKILL
    GIVEN_UP = 3  # in uninterruptible sleep, or another user's: can't be waited for


class _Watch:
    """One wait: what was heard, and when the next step is due."""

    def __init__(
        self, child: Child, stop: StopSource | None, capture: Capture, show: Callable[[str], None] | None
    ) -> None:
        self._child, self._capture, self._show = child, capture, show
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._stage = _Stage.RUNNING
        self._due: float | None = None  # when the stage ends
        self._exit: int | None = None
        self._exited = self._heard = 0.0
        self._pipe_open = True
        self._timed_out = self._interrupted = False
        self._poll = select.poll()
        for descriptor in (child.output, child.exit_watch, stop.fileno() if stop else None):
            if descriptor is not None:
                self._poll.register(descriptor, select.POLLIN)

    def to_the_end(self, timeout: float | None) -> Finished:
        if timeout is not None:
            self._due = self._child.started + timeout
        while not self._over():
            wake = self._wake_at()
            wait = None if wake is None else max(0.0, wake - time.monotonic()) * 1000
            for descriptor, _ in self._poll.poll(wait):
                self._ready(descriptor)
            self._notice_exit()
            self._keep_time()
        return self._finish()

    def _ready(self, descriptor: int) -> None:
        if descriptor == self._child.output:
            self._drain()
        elif descriptor != self._child.exit_watch:
            self._poll.unregister(descriptor)  # the request to stop stays readable
            self._interrupted = True
            if self._stage is _Stage.RUNNING:
                self._escalate()

    def _notice_exit(self) -> None:
        if self._exit is None and (code := self._child.exit_code()) is not None:
            self._exit, self._exited = code, time.monotonic()
            if self._child.exit_watch is not None:
                self._poll.unregister(self._child.exit_watch)

    def _drain(self) -> None:
        piece = read(self._child.output, PIECE)
        if not piece:
            self._poll.unregister(self._child.output)
            self._pipe_open = False
        self._heard = time.monotonic()
        self._capture.add(piece)
        if self._show and (text := self._decode(piece, not piece)):
            self._show(text)

    def _keep_time(self) -> None:
        if self._due is None or time.monotonic() < self._due:
            return
        if self._exit is None or self._stage is _Stage.ASKED:
            self._timed_out = self._timed_out or self._stage is _Stage.RUNNING
            self._escalate()

    def _escalate(self) -> None:
        self._stage = _Stage(self._stage + 1)
        self._due = time.monotonic() + GRACE
        if self._stage is not _Stage.GIVEN_UP:
            self._child.signal(signal.SIGTERM if self._stage is _Stage.ASKED else signal.SIGKILL)

    def _wake_at(self) -> float | None:
        """The next moment at which something is to be done although nothing was heard."""
        if self._exit is not None and self._stage is not _Stage.ASKED:
            return self._patience()
        if self._child.exit_watch is not None or self._exit is not None:
            return self._due
        soon = time.monotonic() + (_EXIT_POLL if self._pipe_open else _EXIT_POLL / 10)
        return soon if self._due is None else min(soon, self._due)

    def _patience(self) -> float:
        """Until when a pipe is read that outlived its command."""
        return min(max(self._heard, self._exited) + QUIET, self._exited + LINGER)

    def _over(self) -> bool:
        if self._exit is None:
            return self._stage is _Stage.GIVEN_UP
        # Asked to end, the group may still be cleaning up: it has its grace, whether it speaks or not.
        return not self._pipe_open or (self._stage is not _Stage.ASKED and time.monotonic() >= self._patience())

    def _finish(self) -> Finished:
        child, capture, stopped = self._child, self._capture, self._stage is not _Stage.RUNNING
        if stopped:
            child.signal(signal.SIGKILL)  # members that outlived their leader
        left_over = self._pipe_open or self._exit is None or (not stopped and child.group_lives(QUIET))
        seconds = time.monotonic() - child.started
        if left_over:
            child.leave()
        else:
            child.close()
        return Finished(
            exit=128 + signal.SIGKILL if self._exit is None else self._exit,
            output=capture.output(),
            seconds=seconds,
            omitted=capture.omitted,
            gap=capture.gap,
            timed_out=self._timed_out,
            interrupted=self._interrupted,
            left_over=left_over,
            pid=child.pid,
        )
