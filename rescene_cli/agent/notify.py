"""A person's own command, run when work waits for them or has ended: they need not look at the terminal."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from rescene_cli.core.events import ApprovalRequested, Event, TurnFinished

PATIENCE = 5.0  # seconds that the end of a session waits for a notice to go out
WORTH_TELLING = 20.0  # seconds; whoever waited less than that is still looking


class Notifier:
    """An observer. `run` carries the notice out; it may take its time, the work goes on meanwhile."""

    def __init__(self, run: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._run = run
        self._clock = clock
        self._under_way: list[threading.Thread] = []

    def __call__(self, event: Event) -> None:
        """Tell of a question, of a turn that failed, and of one that took long."""
        match event:
            case ApprovalRequested():
                self._tell(f"rescene asks: {event.effect}")
            case TurnFinished() if event.status not in {"done", "interrupted"}:
                self._tell(f"rescene stopped: {event.error or event.status}")
            case TurnFinished(status="done") if event.seconds >= WORTH_TELLING:
                self._tell(f"rescene is done after {event.seconds:.0f} s")
            case _:
                pass

    def close(self) -> None:
        """Let what is under way go out."""
        until = self._clock() + PATIENCE
        for thread in self._under_way:
            thread.join(max(0.0, until - self._clock()))

    def _tell(self, notice: str) -> None:
        thread = threading.Thread(target=self._run, args=(notice,), daemon=True)
        self._under_way = [earlier for earlier in self._under_way if earlier.is_alive()] + [thread]
        thread.start()
