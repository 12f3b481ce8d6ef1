"""Work on a thread of its own, read by a waiter who may stop waiting at any moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from rescene_cli.core.runtime import Interrupt

T = TypeVar("T")
_WAKE = object()
_END = object()
BATCH = 128  # things; two batches may wait to be read, which of a network's come to at most 16 MiB


class TooQuiet(Exception):  # noqa: N818 - the caller says what it means
    """Nothing came in the time allowed."""


class _Abandoned(Exception):  # noqa: N818 - ends a producer, nobody sees it
    """Nobody reads any more."""


class _Failure:
    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error


class Feed(Generic[T]):
    """What `produce` puts, in order, and then its end or its error.

    `produce` runs on a daemon thread, so that a name look-up or a connect nobody can break off does not
    hold the program. It is handed the feed; its `put` waits while the reader is behind, and ends it when nobody
    reads any more.
    """

    def __init__(self, produce: Callable[[Feed[T]], None]) -> None:
        self._produce = produce
        # SimpleQueue: its put is re-entrant, so an Interrupt set by a signal handler may call it.
        self._queue: SimpleQueue[object] = SimpleQueue()
        # Leave for one batch each. For each thing, the two threads would hand the interpreter to each other every time.
        self._leave: SimpleQueue[None] = SimpleQueue()
        self._leave.put(None)
        self._leave.put(None)
        self._left = 0  # of the producer's batch
        self._taken = 0  # of the reader's
        self._abandoned = False
        self.ended = False

    def put(self, item: T) -> None:
        """Hand over the next thing; called by `produce`."""
        if self._left == 0:
            self._leave.get()
            self._left = BATCH
        if self._abandoned:
            raise _Abandoned
        self._left -= 1
        self._queue.put(item)

    @contextmanager
    def running(self, interrupt: Interrupt) -> Iterator[None]:
        """Start; while the block runs, `interrupt` wakes the waiter."""
        with interrupt.on_set(lambda: self._queue.put(_WAKE)):
            threading.Thread(target=self._run, name="rescene-request", daemon=True).start()
            try:
                yield
            finally:
                self._abandoned = True
                self._leave.put(None)

    def take(self, interrupt: Interrupt, seconds: float) -> T | None:
        """The next thing put, or None at the end. Raises `Interrupted`, `TooQuiet`, or what `produce` raised."""
        while not self.ended:
            interrupt.check()
            item = self._get(seconds)
            if item is _WAKE:
                continue
            if item is _END:
                self.ended = True
            elif isinstance(item, _Failure):
                self.ended = True
                raise item.error
            else:
                return item  # type: ignore[return-value]  # put() takes T alone
        return None

    def drain(self, seconds: float) -> bool:
        """Read to the end, for at most `seconds`; whether it was reached."""
        until = time.monotonic() + seconds
        while not self.ended:
            try:
                item = self._get(max(0.0, until - time.monotonic()))
            except TooQuiet:
                return False
            self.ended = item is _END or isinstance(item, _Failure)
            if isinstance(item, _Failure) or item is _WAKE or time.monotonic() > until:
                return False
        return True

    def _get(self, seconds: float) -> object:
        try:
            item = self._queue.get(timeout=seconds)
        except Empty:
            raise TooQuiet from None
        if item is not _WAKE:
            self._taken += 1
            if self._taken == BATCH:
                self._taken = 0
                self._leave.put(None)
        return item

    def _run(self) -> None:
        try:
            self._produce(self)
        except Exception as error:  # noqa: BLE001 - whatever it is, the waiting thread raises it
            self._queue.put(_Failure(error))
        else:
            self._queue.put(_END)
