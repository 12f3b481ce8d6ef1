"""Work on a thread of its own, read by a waiter who may stop waiting at any moment."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from rescene_cli.core.runtime import Interrupt

T = TypeVar("T")
_WAKE = object()
_END = object()


class TooQuiet(Exception):  # noqa: N818 - the caller says what it means
    """Nothing came in the time allowed."""


class _Failure:
    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error


class Feed(Generic[T]):
    """What `produce` puts, in order, and then its end or its error.

    `produce` runs on a daemon thread, so that a name look-up or a connect nobody can break off does not
    hold the program. It is handed `put` and may learn from `abandoned` that nobody reads any more.
    """

    def __init__(self, produce: Callable[[Feed[T]], None]) -> None:
        self._produce = produce
        # SimpleQueue: its put is re-entrant, so an Interrupt set by a signal handler may call it.
        self._queue: SimpleQueue[object] = SimpleQueue()
        self.put: Callable[[T], None] = self._queue.put
        self.abandoned = False
        self.ended = False

    @contextmanager
    def running(self, interrupt: Interrupt) -> Iterator[None]:
        """Start; while the block runs, `interrupt` wakes the waiter."""
        with interrupt.on_set(lambda: self._queue.put(_WAKE)):
            threading.Thread(target=self._run, name="rescene-request", daemon=True).start()
            yield

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
        """Read to the end, for at most `seconds` of silence; whether it was reached."""
        while not self.ended:
            try:
                item = self._get(seconds)
            except TooQuiet:
                return False
            self.ended = item is _END or isinstance(item, _Failure)
            if isinstance(item, _Failure) or item is _WAKE:
                return False
        return True

    def _get(self, seconds: float) -> object:
        try:
            return self._queue.get(timeout=seconds)
        except Empty:
            raise TooQuiet from None

    def _run(self) -> None:
        try:
            self._produce(self)
        except Exception as error:  # noqa: BLE001 - whatever it is, the waiting thread raises it
            self._queue.put(_Failure(error))
        else:
            self._queue.put(_END)
