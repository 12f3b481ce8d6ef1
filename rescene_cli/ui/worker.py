"""The thread on which turns and commands run, one after the other."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable


class Worker:
    """Runs jobs in their order. `busy` is true from the moment a job is given until it has ended."""

    def __init__(self, ended: Callable[[BaseException | None], None]) -> None:
        self._ended = ended
        self._jobs: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self._open = 0
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="turns", daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether a job runs or waits."""
        return self._open > 0

    def do(self, job: Callable[[], object]) -> None:
        """Run `job` as soon as those before it are done."""
        with self._lock:
            self._open += 1
        self._jobs.put(job)

    def close(self, seconds: float) -> bool:
        """Wait for the jobs that were given; returns whether they ended in time."""
        self._jobs.put(None)
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            error: BaseException | None = None
            try:
                job()
            except BaseException as caught:  # noqa: BLE001 - a bug of a turn is shown at the prompt, which lives on
                error = caught
            with self._lock:
                self._open -= 1
            self._ended(error)
