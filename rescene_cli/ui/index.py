"""The project's files, read in the background and read again when they may have changed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from rescene_cli.ui.finder import Finder

_FRESH = 15.0  # seconds after which the list is read again, the old one serving meanwhile


class FileIndex:
    """Gives the newest finder there is; `ready` is called, on another thread, when a new one is there."""

    def __init__(self, files: Callable[[], Sequence[str]], ready: Callable[[], None]) -> None:
        self._files = files
        self._ready = ready
        self._finder: Finder | None = None
        self._read_at = 0.0
        self._reading = threading.Lock()

    def get(self) -> Finder | None:
        """The finder, `None` while the first one is built."""
        if time.monotonic() - self._read_at > _FRESH or self._finder is None:
            self.refresh()
        return self._finder

    def refresh(self) -> None:
        """Begin to read the list, unless that goes on already."""
        if self._reading.acquire(blocking=False):
            threading.Thread(target=self._read, name="file-index", daemon=True).start()

    def _read(self) -> None:
        try:
            self._finder = Finder(self._files())
        except OSError:
            self._finder = self._finder or Finder(())  # a folder that can't be read is no reason to stop typing
        finally:
            self._read_at = time.monotonic()
            self._reading.release()
        self._ready()
