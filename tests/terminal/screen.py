"""A terminal for tests: a real process on a real pty, drawn by pyte."""
# ruff: noqa: RUF001 - the prompt sign

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pyte

ROOT = Path(__file__).parents[2]
DEADLINE = 10.0  # seconds until a test gives up; nothing here depends on how fast things are
TURN_END = "1.2k out"  # of the last line of a scripted turn
SIZES = ((60, 20), (200, 50))


class Screen:
    """What a person would see of a program."""

    def __init__(self, process: pexpect.spawn, columns: int, rows: int) -> None:
        self.process = process
        self._screen = pyte.HistoryScreen(columns, rows, history=5_000)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""

    def type(self, keys: str) -> None:
        self.process.send(keys)

    def send(self, text: str) -> None:
        """A line, with Enter."""
        self.process.send(text + "\r")

    def turn(self, text: str) -> None:
        """A message, and all that comes of it."""
        self.send(text)
        self.wait(TURN_END)

    def paste(self, text: str) -> None:
        self.process.send(f"\x1b[200~{text}\x1b[201~")

    def peak_memory(self) -> int:
        """KiB, of the program alone: rusage would count what its parent had when it was started. 0 without /proc."""
        status = Path(f"/proc/{self.process.pid}/status")
        lines = status.read_text().splitlines() if status.exists() else []
        return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)

    def resize(self, columns: int, rows: int) -> None:
        self.read()
        self._screen.resize(rows, columns)
        self.process.setwinsize(rows, columns)

    def read(self, seconds: float = 0.05) -> bool:
        """Draw what has arrived; returns whether the program is still there."""
        try:
            data = self.process.read_nonblocking(65_536, seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += data
        self._stream.feed(data)
        return True

    def wait(self, what: str | Callable[[], bool]) -> None:
        """Until text is on the screen, or a condition holds."""
        seen = (lambda: what in self.text) if isinstance(what, str) else what
        end = time.monotonic() + DEADLINE
        while not seen():
            before = len(self.raw)
            alive = self.read()
            while alive and len(self.raw) == before and time.monotonic() < end:
                alive = self.read()
            if (not alive and not seen()) or time.monotonic() > end:
                message = f"waited in vain for {what!r}; on the screen:\n{self.everything}"
                raise AssertionError(message)

    def rest(self, seconds: float) -> None:
        """Do nothing for a while, as a person who reads."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)

    def wait_idle(self) -> None:
        """Until the program has nothing more to say for a moment."""
        quiet = 0
        while quiet < 6:
            before = len(self.raw)
            alive = self.read(0.05)
            quiet = quiet + 1 if len(self.raw) == before else 0
            if not alive:
                return

    def exit_code(self) -> int:
        while self.read():
            pass
        self.process.wait()
        return self.process.exitstatus if self.process.exitstatus is not None else -(self.process.signalstatus or 0)

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def everything(self) -> str:
        """The scrollback and the screen."""
        width = self._screen.columns
        history = ["".join(line[place].data for place in range(width)).rstrip() for line in self._screen.history.top]
        return "\n".join([*history, *self.lines])

    @property
    def caret(self) -> tuple[int, int]:
        """Column and row of the cursor."""
        return self._screen.cursor.x, self._screen.cursor.y

    def row_of(self, text: str) -> int:
        return next(place for place, line in enumerate(self.lines) if text in line)


@contextmanager
def talk(
    size: tuple[int, int] = (60, 20), *arguments: str, cwd: Path | None = None, **environment: str
) -> Iterator[Screen]:
    """The interactive program on a scripted conversation; ends with the block."""
    columns, rows = size
    # A terminal that does not wrap old rows anew, as pyte does not.
    env = {**os.environ, "TERM": "xterm-256color", "XTERM_VERSION": "XTerm(390)", "PYTHONPATH": str(ROOT),
           "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8", **environment}  # fmt: skip
    env.pop("TMUX", None)
    process = pexpect.spawn(
        sys.executable, ["-m", "tests.support.fake_conversation", *arguments],
        dimensions=(rows, columns), env=env, cwd=str(cwd or ROOT), timeout=DEADLINE,
        use_poll=True,  # a test run may hold more than 1,023 descriptors
    )  # fmt: skip
    process.delaybeforesend = None
    screen = Screen(process, columns, rows)
    try:
        screen.wait(lambda: any(line.lstrip().startswith(("›", ">")) for line in screen.lines))
        yield screen
    finally:
        process.close(force=True)
