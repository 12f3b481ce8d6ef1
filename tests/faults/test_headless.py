"""Runs that nobody watches, in surroundings that are not as they should be: each ends, says why, and leaves nothing."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support import binary
from tests.support.processes import eventually, runs

DONE = {"text": "Done."}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"calls": [{"name": name, "args": arguments}]}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    return root


def script(project: Path, *replies: dict[str, Any]) -> list[str]:
    """The command line that plays `replies`."""
    place = project.parent / "script.jsonl"
    place.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    return ["run", "Work.", "--model", f"scripted:{place}"]


@contextmanager
def silent_server() -> Iterator[int]:
    """A port that takes connections and all that is sent, and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_swallow, args=(listener,), daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def _swallow(listener: socket.socket) -> None:
    kept = []
    try:
        while True:
            kept.append(listener.accept()[0])
    except OSError:
        for connection in kept:
            connection.close()


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_a_post_that_is_never_answered_times_out_with_what_it_said(project: Path) -> None:
    with silent_server() as port:
        command = f"echo posting; curl -sS -d @a.txt http://127.0.0.1:{port}/"
        replies = [
            call("run_command", command=command, timeout=1),
            {"text": "Went on.", "expect": ["posting\n", "timed out"]},
        ]
        ended = binary.run(*script(project, *replies), cwd=project)
    assert (ended.exit, ended.stdout) == (0, "Went on.\n")


def test_a_daemon_that_left_its_group_does_not_hold_the_run(project: Path) -> None:
    replies = [
        call("run_command", command="setsid sleep 300 & echo $! > pid; echo started"),
        {"text": "Went on.", "expect": "started"},
    ]
    ended = binary.run(*script(project, *replies), cwd=project)
    assert (ended.exit, ended.stdout) == (0, "Went on.\n")
    os.kill(int((project / "pid").read_text()), 9)


def test_a_reader_that_goes_away_ends_the_run_and_its_tasks(project: Path) -> None:
    replies = [
        call("run_task", command="echo $$ > pid; sleep 300"),
        call("run_command", command="sleep 2; seq 1 100000"),
        DONE,
    ]
    process = binary.start(*script(project, *replies), "--output", "stream-json", cwd=project)
    assert process.stdout is not None
    assert process.stdout.readline()
    pid = project / "pid"
    assert eventually(lambda: pid.exists() and pid.read_text())
    process.stdout.close()
    assert process.wait(binary.DEADLINE) == 141
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    assert eventually(lambda: not runs(int(pid.read_text())))


@pytest.mark.parametrize("closed", ["<&- 2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_closed_streams_hinder_no_work(closed: str, project: Path) -> None:
    replies = [
        call("write_file", path="b.txt", content="b\n"),
        call("run_command", command="echo c > c.txt; echo said"),
        DONE,
    ]
    command = [str(binary.RESCENE), *script(project, *replies)]
    done = subprocess.run(
        ["sh", "-c", f'"$@" {closed}; echo "code $?" > ../code', "sh", *command], cwd=project, env=binary.environment(),
        capture_output=True, check=False, timeout=binary.DEADLINE,
    )  # fmt: skip
    assert (project.parent / "code").read_text() == "code 0\n", done
    assert (project / "b.txt").read_text() == "b\n"
    assert (project / "c.txt").read_text() == "c\n"
    assert sorted(path.name for path in project.iterdir()) == ["a.txt", "b.txt", "c.txt"]


def test_without_a_usable_home_it_works_all_the_same(project: Path) -> None:
    env = {"HOME": "/dev/null/nowhere", "XDG_CONFIG_HOME": "/dev/null/nowhere", "RESCENE_DATA_DIR": "/dev/null/nowhere"}
    replies = [call("read_file", path="a.txt"), {"text": "Done.", "expect": "1\tone"}]
    ended = binary.run(*script(project, *replies), cwd=project, env=env)
    assert (ended.exit, ended.stdout) == (0, "Done.\n")


def test_without_any_model_it_says_what_to_do(project: Path) -> None:
    ended = binary.run("run", "Work.", "--output", "json", cwd=project, env={"OLLAMA_HOST": "http://127.0.0.1:1"})
    assert ended.exit == 6
    assert ended.envelope["error"]["code"] == "provider_error"
    assert "--demo" in ended.envelope["error"]["hint"]


def test_a_folder_that_was_removed_under_it(project: Path) -> None:
    command = [str(binary.RESCENE), *script(project, DONE)]
    done = subprocess.run(
        ["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && "$@"', "sh", *command], cwd=project,
        env=binary.environment(), capture_output=True, text=True, check=False, timeout=binary.DEADLINE,
    )  # fmt: skip
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("env", [{}, {"TERM": "dumb"}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}, {"LC_ALL": "C"}])
def test_logs_hold_no_control_codes(env: dict[str, str], project: Path) -> None:
    colour = "printf '\\033[31mred\\033[0m \\007 ünï\\n'"
    replies = [call("run_command", command=colour), call("edit_file", path="a.txt", old_string="one", new_string="文"),
               {"text": "Sö."}]  # fmt: skip
    ended = binary.run(*script(project, *replies), cwd=project, env=env)
    assert ended.exit == 0
    assert not set(ended.stdout + ended.stderr) & {"\x1b", "\x07", "\r"}
    assert "S" in ended.stdout


def test_file_names_that_are_no_text(project: Path) -> None:
    Path(os.fsdecode(os.fsencode(project) + b"/\xff\xfe.txt")).write_text("needle\n")
    looks = {"list_directory": {}, "glob": {"pattern": "*"}, "grep": {"pattern": "needle"},
             "run_command": {"command": "ls; cat *"}}  # fmt: skip
    calls = [{"name": name, "args": arguments} for name, arguments in looks.items()]
    replies = [{"calls": calls}, {"text": "Done.", "expect": ["a.txt", "needle"]}]
    ended = binary.run(*script(project, *replies), "--output", "stream-json", cwd=project)
    assert ended.exit == 0, ended.stderr
    assert [event["status"] for event in ended.events("tool_finished")] == ["ok"] * 4


def test_a_task_that_is_no_text(project: Path) -> None:
    command = [os.fsencode(word) for word in [str(binary.RESCENE), *script(project, DONE)]]
    command[2] = b"Fix \xff please"
    done = subprocess.run(command, cwd=project, env=binary.environment(), capture_output=True, check=False, timeout=60)
    assert done.returncode in {0, 2}
    assert b"Traceback" not in done.stderr


def test_two_runs_in_one_project_never_overwrite_each_other(project: Path) -> None:
    """Each run edits its own line a hundred times; what the other wrote in between is kept or the edit is refused."""
    lines = {name: f"{name} 0\n" for name in ("left", "right")}
    (project / "both.txt").write_text("".join(lines.values()))
    started = []
    for name in lines:
        edits = [call("edit_file", path="both.txt", old_string=f"{name} {n}\n", new_string=f"{name} {n + 1}\n")
                 for n in range(100)]  # fmt: skip
        place = project.parent / f"{name}.jsonl"
        place.write_text("".join(json.dumps(reply) + "\n" for reply in (*edits, DONE)))
        started.append(binary.start("run", "x", "--model", f"scripted:{place}", "--output", "stream-json", cwd=project))
    done = []
    for process in started:
        out, _ = process.communicate(timeout=binary.DEADLINE)
        results = binary.Ended(process.returncode, out).events("tool_finished")
        done.append(sum(event["status"] == "ok" for event in results))
    reached = [f"{name} {count}" for name, count in zip(lines, done, strict=True)]
    assert (project / "both.txt").read_text().splitlines() == reached


def test_a_run_that_stops_for_want_of_a_person_names_the_call(project: Path) -> None:
    replies = [call("delete_file", path="a.txt"), DONE]
    ended = binary.run(*script(project, *replies), "--on-ask", "fail", "--output", "json", cwd=project)
    assert ended.exit == 8
    data = ended.envelope["data"]
    assert [denied["call"] for denied in data["denied"]] == ["delete_file"]
    assert (data["status"], data["approvals_requested"]) == ("approval_needed", 1)
    assert (project / "a.txt").exists()
