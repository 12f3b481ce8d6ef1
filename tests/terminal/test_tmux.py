"""The same in tmux, which wraps old rows anew when its window changes: nothing repeated, nothing lost."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TMUX = shutil.which("tmux")
pytestmark = pytest.mark.skipif(TMUX is None, reason="tmux is not installed")


class Pane:
    def __init__(self, socket: Path) -> None:
        self._command = [str(TMUX), "-S", str(socket), "-f", "/dev/null"]

    def tmux(self, *words: str) -> str:
        return subprocess.run([*self._command, *words], capture_output=True, text=True, timeout=20, check=True).stdout

    def start(self, columns: int, rows: int) -> None:
        program = f"exec {sys.executable} -m tests.support.fake_conversation --pace 0.02"
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), f"cd {ROOT}; {program}")
        self.wait(lambda: "›" in self.text())  # noqa: RUF001 - the prompt sign

    def text(self) -> str:
        """The scrollback and the screen, wrapped rows joined."""
        return self.tmux("capture-pane", "-p", "-J", "-S", "-")

    def wait(self, seen: Callable[[], bool]) -> None:
        end = time.monotonic() + 20
        while not seen():
            assert time.monotonic() < end, self.text()
            time.sleep(0.05)


@pytest.fixture
def pane(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pane]:
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("PYTHONPATH", os.fspath(ROOT))
    pane = Pane(tmp_path / "tmux")
    yield pane
    pane.tmux("kill-server")


def test_resizes_in_mid_stream(pane: Pane) -> None:
    pane.start(60, 20)
    pane.tmux("send-keys", "lines", "Enter")
    pane.wait(lambda: "line 005" in pane.text())
    for columns, rows in ((40, 20), (100, 30), (50, 15), (30, 24), (120, 18)):
        pane.tmux("resize-window", "-x", str(columns), "-y", str(rows))
        time.sleep(0.15)
    pane.wait(lambda: "1.2k out" in pane.text())
    text = pane.text()
    assert [int(found) for found in re.findall(r"line (\d{3}) of the reply", text)] == list(range(80))
    assert text.count("answering") == 0
    assert text.count("% context") == 1


def test_resizes_at_rest_with_a_long_text_in_the_prompt(pane: Pane) -> None:
    pane.start(80, 24)
    pane.tmux("send-keys", "lines", "Enter")  # the screen is full: tmux moves what is at its top out of reach
    pane.wait(lambda: "1.2k out" in pane.text())
    pane.tmux("send-keys", "-l", "words that are long enough to wrap when the window becomes narrow, and again")
    pane.wait(lambda: "and again" in pane.text())
    for columns in (30, 100, 25, 80):
        pane.tmux("resize-window", "-x", str(columns), "-y", "24")
        time.sleep(0.2)
    pane.wait(lambda: pane.text().count("% context") == 1)
    assert pane.text().count("words that") == 1


def test_clearing_the_screen_keeps_the_scrollback_free_of_the_prompt(pane: Pane) -> None:
    pane.start(60, 20)
    pane.tmux("send-keys", "hello", "Enter")
    pane.wait(lambda: "1.2k out" in pane.text())
    pane.tmux("send-keys", "C-l")
    pane.tmux("send-keys", "work", "Enter")
    pane.wait(lambda: pane.text().count("1.2k out") == 2)
    assert pane.text().count("All six tests pass.") == 1
