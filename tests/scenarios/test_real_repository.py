"""Sixty calls in a repository of thousands of files: exactly the expected tree, and no half of one when interrupted."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support import binary, repository, trees
from tests.support.repository import Step
from tests.support.trees import Tree

FULL = os.environ.get("RESCENE_TEST_PROFILE") == "full"
POINTS = range(60) if FULL else (0, 10, 20, 31, 45, 59)
REFUSED = "rm docs/make.bat"  # the one removal that the person at the terminal does not want


@pytest.fixture(scope="module")
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    cache = request.config.cache
    place = cache.mkdir("sdist") if cache is not None else tmp_path_factory.mktemp("sdist")
    # Removed at the end: pytest would keep the thousands of files of each of its last runs.
    with TemporaryDirectory(prefix="rescene-test-") as folder:
        try:
            yield repository.unpacked(place, Path(folder))
        except repository.UnavailableError as error:
            pytest.skip(f"no repository to work in: {error}")


@pytest.fixture
def copy(project: Path) -> Iterator[Path]:
    """A copy to work in."""
    with TemporaryDirectory(prefix="rescene-test-") as folder:
        yield repository.linked_copy(project, Path(folder) / "copy")


@pytest.fixture(scope="module")
def before(project: Path) -> Tree:
    found = trees.snapshot(project)
    assert sum(node.kind == "file" for node in found.values()) > 2000
    return found


@pytest.fixture
def port() -> Iterator[int]:
    """A free port; nothing of the run listens there when it is over."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        number: int = listener.getsockname()[1]
    yield number
    with socket.socket() as asking, pytest.raises(ConnectionRefusedError):
        asking.connect(("127.0.0.1", number))


def answers(steps: list[Step]) -> dict[int, str]:
    """A person's answers by step."""
    return {
        place: "n" if step.arguments.get("command") == REFUSED else "y" for place, step in enumerate(steps) if step.asks
    }


def test_sixty_calls_with_a_person_at_the_terminal(
    project: Path, before: Tree, copy: Path, port: int, tmp_path: Path
) -> None:
    steps = repository.sixty(port)
    said = answers(steps)
    assert len(steps) == 60
    model = repository.write_script(tmp_path / "script.jsonl", repository.replies(steps, said))
    ended = binary.run_in_terminal("run", "Add strike.", "--model", model, cwd=copy, answers=list(said.values()))
    assert ended.exit == 0, ended.stdout[-3000:]
    assert "All sixty." in ended.stdout
    assert not trees.difference(trees.snapshot(copy), repository.states(before, steps, said)[-1])
    assert not trees.difference(trees.snapshot(project), before)  # the copy shares its files: none was written in place


@pytest.mark.parametrize("point", POINTS)
def test_interrupted_at_any_call_every_file_is_whole(
    point: int, before: Tree, copy: Path, port: int, tmp_path: Path
) -> None:
    steps = repository.sixty(port)
    script = repository.replies(steps, None, delay=binary.DEADLINE)
    model = repository.write_script(tmp_path / "script.jsonl", script)
    process = binary.start("run", "Add strike.", "--model", model, "--output", "stream-json", cwd=copy)
    done, lines, stopped = 0, [], False
    for event in binary.events_of(process):
        lines.append(event)
        if event["type"] == "tool_finished":
            done += event["status"] != "interrupted"
        if not stopped and done == point and event["type"] in {"tool_started", "request_started"}:
            time.sleep(0.004 * (point % 5))  # not always at the same moment of a call
            binary.interrupt(process)
            stopped = True
    _, complaints = process.communicate(timeout=binary.DEADLINE)
    assert process.returncode == 130, f"{lines[-2:]}\n{complaints[-2000:]}"
    assert lines[-1]["type"] == "done"
    assert lines[-1]["data"]["status"] == "interrupted"
    assert lines[-1]["error"]["code"] == "interrupted"
    # A command that was stopped may have done its work by then; a call of ours never counts as stopped when it has.
    last = [event for event in lines if event["type"] == "tool_finished"][-1:]
    stopped_command = any(event["status"] == "interrupted" and event["name"] == "run_command" for event in last)
    allowed = repository.states(before, steps, None)[done : done + 1 + stopped_command]
    found = trees.snapshot(copy)
    assert "" in [trees.difference(found, state) for state in allowed]
