"""One measured session: an agent, a model server in another process, and what the two clocks say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from threading import Timer
from typing import Any, NamedTuple

from tests.bench import machine, project
from tests.bench.agents import Agent, Call, final, script, turns

LIMIT = 300  # seconds a session may take
_PAGE = 4_000  # bytes that reading 200 lines adds to a request, at least
_SOURCES = Path(__file__).parents[2]


class Failed(Exception):  # noqa: N818 - a session that can't be measured
    """The agent did not do what the script says; the text is the end of what it said."""


class Session(NamedTuple):
    """Times in milliseconds, `cpu` in seconds, `memory` in MB (10^6 bytes, of the largest process)."""

    agent: str
    calls: tuple[str, ...]
    first: float
    gaps: tuple[float, ...]  # own share of each turn, beside `calls`
    wall: float
    cpu: float
    memory: float
    body: int
    connections: int
    requests: int
    foreign: float | None

    @property
    def quiet(self) -> bool:
        """Whether others left the machine alone."""
        return self.foreign is not None and self.foreign <= machine.QUIET

    def of(self, kind: str) -> list[float]:
        """The own share of each turn with this kind of call."""
        return [gap for called, gap in zip(self.calls, self.gaps, strict=True) if called == kind]

    def between(self, first: int, last: int) -> float:
        """The median own share of turns `first` to `last`, counted from 1."""
        return median(self.gaps[first - 1 : last])


def measure(agent: Agent, root: Path, count: int) -> Session:
    """Run a script of `count` calls in the repository at `root`; its edits are undone afterwards. Raises Failed."""
    calls = script(count)
    kept = {path: (root / path).read_bytes() for path in {call.path for call in calls if call.kind == "edit"}}
    with tempfile.TemporaryDirectory(prefix="bench-home-") as home:
        try:
            return _measured(agent, root, calls, Path(home))
        finally:
            for path, content in kept.items():
                (root / path).write_bytes(content)


def _measured(agent: Agent, root: Path, calls: Sequence[Call], home: Path) -> Session:
    log = home / "requests.jsonl"
    with _server(home, log, agent, calls) as (url, server):
        agent.settle(home, url)
        start = machine.moment(server)
        status, usage, said = _run(agent, root, home, url)
        wall = time.monotonic() - start.at
        end = machine.moment(server)
    seen = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    if status != 0 or len(seen) < len(calls) + 1:
        raise Failed(f"{agent.name}: exit {status}, {len(seen)} requests for {len(calls)} calls. {said[-500:]}")
    if problem := _not_done(root, calls, [request["size"] for request in seen]):
        raise Failed(f"{agent.name}: {problem}")
    return Session(
        agent.name,
        tuple(call.kind for call in calls),
        (seen[0]["arrived"] - start.at) * 1000,
        tuple((after["arrived"] - before["end"]) * 1000 for before, after in pairwise(seen[: len(calls) + 1])),
        wall * 1000,
        usage.ru_utime + usage.ru_stime,
        _megabytes(usage.ru_maxrss),
        seen[0]["size"],
        len({request["connection"] for request in seen}),
        len(seen),
        machine.foreign(start, end),
    )


def _not_done(root: Path, calls: Sequence[Call], sizes: Sequence[int]) -> str:
    """What a session left out: one that was fast because it failed is no result."""
    if not project.edited(root, sum(call.kind == "edit" for call in calls)):
        return "an edit is not in its file"
    grown = [after - before for before, after in pairwise(sizes)]
    if any(call.kind == "read" and more < _PAGE for call, more in zip(calls, grown, strict=False)):
        return "a file that was read did not reach the model"
    return ""


def _run(agent: Agent, root: Path, home: Path, url: str) -> tuple[int, Any, str]:
    output = home / "output"
    environment = plain_environment(home) | dict(agent.environment(url))
    with output.open("wb") as out:
        process = subprocess.Popen(
            [str(agent.program), *agent.command(root, url)],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        status, usage = _ended(process)
    return status, usage, output.read_text(errors="replace")


def _ended(process: subprocess.Popen[bytes]) -> tuple[int, Any]:
    """Wait with wait4, which alone tells what the process used."""
    timer = Timer(LIMIT, process.kill)
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage


def plain_environment(home: Path) -> Mapping[str, str]:
    """What every program is started with: a home of its own, no colour, no proxies."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_PROXY": "127.0.0.1,localhost",
        "RESCENE_DATA_DIR": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
    }


@contextmanager
def _server(home: Path, log: Path, agent: Agent, calls: Sequence[Call]) -> Iterator[tuple[str, int]]:
    file = home / "turns.json"
    file.write_text(json.dumps([*turns(agent, calls), *[final(agent)] * 20]))
    words = [sys.executable, "-m", "tests.support.model_server", "--turns", str(file), "--log", str(log)]
    server = subprocess.Popen(words, cwd=_SOURCES, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        yield f"http://127.0.0.1:{port}", server.pid
    finally:
        server.kill()
        server.wait()
        if server.stdout is not None:
            server.stdout.close()


def _megabytes(peak: int) -> float:
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def alone(program: Path, *arguments: str) -> float:
    """Milliseconds of one run of `program`, from start to end."""
    with tempfile.TemporaryDirectory(prefix="bench-home-") as home:
        environment = plain_environment(Path(home))
        started = time.perf_counter()
        done = subprocess.run(
            [str(program), *arguments],
            env=environment,
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        spent = (time.perf_counter() - started) * 1000
    if done.returncode:
        raise Failed(f"{program.name} {' '.join(arguments)}: exit {done.returncode}")
    return spent


def cpu_a_turn(long: Session, short: Session) -> float:
    """Milliseconds: start-up falls out of the difference."""
    return (long.cpu - short.cpu) * 1000 / (len(long.calls) - len(short.calls))
