"""Whatever a run waits for, its deadline and a polite kill end it, with a result."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.support import binary
from tests.support.processes import eventually

DELETE = {"calls": [{"name": "delete_file", "args": {"path": "a.txt"}}]}
ASK = {"calls": [{"name": "ask_user", "args": {"question": "Which?"}}]}
DONE = {"text": "Done."}


def script(folder: Path, *replies: dict[str, Any]) -> str:
    place = folder / "script.jsonl"
    place.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    return f"scripted:{place}"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    return root


@pytest.mark.parametrize("reply", [DELETE, ASK], ids=["approval", "open"])
def test_a_question_that_nobody_answers_is_over_at_the_deadline(
    reply: dict[str, Any], project: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, reply, DONE)
    ended = binary.run_in_terminal("run", "Delete.", "--model", model, "--timeout", "1", cwd=project)
    assert ended.exit == 7
    assert "The time limit is reached" in ended.stdout
    assert (project / "a.txt").exists()


def test_a_terminated_question_ends_the_run(project: Path, tmp_path: Path) -> None:
    with conversation("run", "Delete.", "--model", script(tmp_path, DELETE, DONE), cwd=project) as spawned:
        spawned.expect(r"\[y\] yes.*: ")
        spawned.kill(signal.SIGTERM)
        spawned.expect(pexpect.EOF)
        spawned.wait()
        assert spawned.exitstatus == 143
    assert (project / "a.txt").exists()


@contextmanager
def conversation(*arguments: str, cwd: Path) -> Iterator[pexpect.spawn]:
    spawned = pexpect.spawn(
        str(binary.RESCENE), list(arguments), cwd=str(cwd), env=binary.environment(), timeout=binary.DEADLINE,
        dimensions=(50, 200),
    )  # fmt: skip
    spawned.delaybeforesend = None
    try:
        yield spawned
    finally:
        spawned.close(force=True)


@pytest.mark.parametrize("face", [["--plain"], []], ids=["lines", "screen"])
@pytest.mark.parametrize("reply", [DELETE, {"text": "Never said.", "delay": 60}], ids=["question", "model"])
def test_the_deadline_holds_for_each_turn_of_a_conversation(
    reply: dict[str, Any], face: list[str], project: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, reply, {"text": "Second turn."})
    arguments = ["run", "-i", *face, "Begin.", "--timeout", "1", "--model", model]
    with conversation(*arguments, cwd=project) as spawned:
        spawned.expect("time limit is reached")
        spawned.expect([b"> ", "\u203a".encode()])
        spawned.send("Go on.\r")
        spawned.expect("Second turn")


@pytest.mark.parametrize("arguments", [["-"], ["go", "-f", "../pipe"]], ids=["input", "file"])
@pytest.mark.parametrize(
    ("number", "code", "status"),
    [(None, 7, "limit"), (signal.SIGTERM, 143, "terminated"), (signal.SIGINT, 130, "interrupted")],
    ids=["deadline", "terminated", "ctrl-c"],
)
def test_a_task_that_never_ends_is_given_up_with_an_answer(
    number: signal.Signals | None, code: int, status: str, arguments: list[str], project: Path, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    keeps = os.open(tmp_path / "pipe", os.O_RDWR)
    limit = [] if number else ["--timeout", "0.2"]
    process = binary.start(
        "run", *arguments, "-o", "json", *limit, "--model", script(tmp_path, DONE), cwd=project, stdin=subprocess.PIPE
    )
    if number:
        wait_until_it_reads(process)
        process.send_signal(number)
    assert process.stdout is not None
    out = process.stdout.read()
    assert process.wait(binary.DEADLINE) == code
    os.close(keeps)
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.close()
    process.stderr.close()
    process.stdout.close()
    assert json.loads(out)["error"]["code"] == status


def wait_until_it_reads(process: subprocess.Popen[str]) -> None:
    """Until it waits in `poll`: the task is the first thing a run polls for."""
    place = Path(f"/proc/{process.pid}/wchan")
    if not place.exists():
        pytest.skip("needs /proc to see what a process waits for")
    assert eventually(lambda: "poll" in place.read_text())


def test_a_signal_that_comes_before_the_session_is_answered(project: Path) -> None:
    """While a local server is asked for its models, nothing of the session is there yet."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        env = {"OLLAMA_HOST": f"127.0.0.1:{listener.getsockname()[1]}"}
        process = binary.start("run", "Work.", "-o", "json", cwd=project, env=env)
        asked, _ = listener.accept()
        with asked:
            process.send_signal(signal.SIGTERM)
            out, _ = process.communicate(timeout=binary.DEADLINE)
    answer = json.loads(out)
    assert process.returncode == 143
    assert answer["error"]["code"] == "terminated"
