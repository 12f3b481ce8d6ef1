"""Time, identity and interruption: what the program must not take from thin air."""

from __future__ import annotations

import os
import secrets
import select
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rescene_cli.core.errors import Interrupted, InterruptReason


class Clock(Protocol):
    """Where time comes from."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()


def new_session_id() -> str:
    """Sortable by start time, unguessable behind it."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


class Interrupt:
    """A request to stop, seen by everything that waits.

    Code that waits on descriptors adds `fileno()` to its selector; code that waits on anything else
    registers a callback with `on_set`; everything else calls `check` between steps.
    """

    def __init__(self) -> None:
        # A pipe and a plain flag, no threading.Event: a signal handler may run while its own thread waits,
        # and an Event's inner lock is not reentrant.
        self._lock = threading.RLock()
        self._callbacks: list[Callable[[], None]] = []
        self._set = False
        self._reader, self._writer = os.pipe()
        weakref.finalize(self, _close, self._reader, self._writer)
        self.reason = InterruptReason.USER

    def set(self, reason: InterruptReason = InterruptReason.USER) -> None:
        """Ask everything to stop; the first reason counts."""
        with self._lock:
            if self._set:
                return
            self.reason = reason
            self._set = True
            os.write(self._writer, b"!")
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback()

    def clear(self) -> None:
        """Make ready for the next turn."""
        with self._lock:
            if self._set:
                os.read(self._reader, 1)
                self._set = False

    def is_set(self) -> bool:
        """Whether somebody asked to stop."""
        return self._set

    def check(self) -> None:
        """Raise `Interrupted` if somebody asked to stop."""
        if self._set:
            raise Interrupted(self.reason)

    def wait(self, seconds: float) -> None:
        """Sleep, but no longer than until somebody asks to stop; then raise `Interrupted`."""
        poll = select.poll()  # select() itself knows no descriptor above 1,023
        poll.register(self._reader, select.POLLIN)
        poll.poll(max(0.0, seconds) * 1000)
        self.check()

    def wait_for(self, descriptor: int, seconds: float | None = None) -> None:
        """Sleep until `descriptor` can be read, or that long; raise `Interrupted` when somebody asks to stop."""
        poll = select.poll()
        poll.register(self._reader, select.POLLIN)
        poll.register(descriptor, select.POLLIN)
        poll.poll(None if seconds is None else seconds * 1000)
        self.check()

    def fileno(self) -> int:
        """A descriptor that is readable exactly while the request to stop stands."""
        return self._reader

    @contextmanager
    def on_set(self, callback: Callable[[], None]) -> Iterator[None]:
        """Call `callback`, from whichever thread asks to stop, while the block runs."""
        with self._lock:
            self._callbacks.append(callback)
            already = self._set
        if already:
            callback()
        try:
            yield
        finally:
            with self._lock:
                self._callbacks.remove(callback)


@contextmanager
def deadline(interrupt: Interrupt, seconds: float | None) -> Iterator[None]:
    """Ask to stop when the block has run for `seconds`; None is for ever."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, interrupt.set, (InterruptReason.TIMEOUT,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
