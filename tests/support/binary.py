"""The installed program, started as a person or a script starts it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pexpect

RESCENE = Path(sys.executable).with_name("rescene")
DEADLINE = 60.0  # seconds after which a run counts as hanging; no run of these tests takes a tenth of it
CLOSED = None  # standard input is not there at all, as after `<&-`
_QUESTION = re.compile(rb"(?:\[y\] yes[^\r\n]*|answer): \Z")  # the end of what was printed: a person is waited for


@dataclass(frozen=True)
class Ended:
    """A run that is over. In a terminal both streams are in `stdout`, as the person saw them."""

    exit: int
    stdout: str
    stderr: str = ""

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Standard output as JSON lines; a line that is no object fails the test."""
        return [json.loads(line) for line in self.stdout.splitlines()]

    @property
    def envelope(self) -> dict[str, Any]:
        """The result: the only line of `json`, the last of `stream-json`."""
        return self.lines[-1]

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Events of one kind."""
        return [line for line in self.lines if line["type"] == kind]


def environment(**more: str) -> dict[str, str]:
    """What programs of these tests are told: the own world of the test, and no bytecode beside the sources."""
    python = f"{RESCENE.parent}{os.pathsep}{os.environ['PATH']}"  # `python3` is the one that runs the tests
    return {**os.environ, "PATH": python, "PYTHONDONTWRITEBYTECODE": "1", "TERM": "xterm-256color", **more}


def start(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, stdin: int = subprocess.DEVNULL
) -> subprocess.Popen[str]:
    """The program, running; its output is read by whoever wants it."""
    return subprocess.Popen(
        [str(RESCENE), *arguments], cwd=cwd, env=environment(**(env or {})), stdin=stdin,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, umask=0o022,
    )  # fmt: skip


def run(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, stdin: bytes | None = b"", text: str = ""
) -> Ended:
    """Run the program to its end. `stdin` is what is piped in, or CLOSED."""
    command = [str(RESCENE), *arguments]
    if stdin is CLOSED:
        command = ["sh", "-c", 'exec "$@" <&-', "sh", *command]
    done = subprocess.run(
        command, cwd=cwd, env=environment(**(env or {})), input=stdin or text.encode(), capture_output=True,
        timeout=DEADLINE, check=False, umask=0o022,
    )  # fmt: skip
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def run_in_terminal(
    *arguments: str, cwd: Path, answers: Sequence[str] = (), env: Mapping[str, str] | None = None
) -> Ended:
    """Run the program in a terminal, with a person who gives `answers` to its questions, in order."""
    seen = bytearray()
    spawned = pexpect.spawn(
        str(RESCENE), list(arguments), cwd=str(cwd), env=environment(**(env or {})), timeout=DEADLINE,
        dimensions=(50, 200), preexec_fn=lambda: os.umask(0o022) and None,
    )  # fmt: skip
    spawned.delaybeforesend = None
    try:
        for answer in answers:
            place = spawned.expect([_QUESTION, pexpect.EOF])
            assert place == 0, (
                f"it ended before it asked:\n{(seen + spawned.before).decode('utf-8', 'replace')[-4000:]}"
            )
            seen += spawned.before + spawned.after
            if answer == "^C":
                spawned.sendintr()
            else:
                spawned.send(f"{answer}\r")
        spawned.expect(pexpect.EOF)
        seen += spawned.before
        spawned.wait()
    finally:
        spawned.close(force=True)
    code = spawned.exitstatus if spawned.exitstatus is not None else 128 + (spawned.signalstatus or 0)
    return Ended(code, seen.decode("utf-8", "replace"))


def events_of(process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    """The events of a run with `--output stream-json`, as they come."""
    assert process.stdout is not None
    for line in process.stdout:
        event = json.loads(line)
        assert "type" in event, line  # an error before the session was there
        yield event


def interrupt(process: subprocess.Popen[str], number: int = signal.SIGINT) -> None:
    """Ctrl-C, as `kill -INT` does it: one process is told, not its group."""
    process.send_signal(number)
