"""Stopped in the middle, politely or by kill -9: files are whole, children are gone, a result is out."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.support import binary, trees
from tests.support.model_server import ModelServer
from tests.support.processes import eventually, runs
from tests.support.trees import Tree

FILES = 300
TEMPORARY = ".rescene-tmp-"


def script(folder: Path, *replies: dict[str, Any]) -> str:
    """The model that plays `replies`."""
    place = folder / "script.jsonl"
    place.write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    return f"scripted:{place}"


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"calls": [{"name": name, "args": arguments}]}


def numbered(text: str) -> dict[str, str]:
    """Many files of 2,000 lines that differ in their first."""
    return {f"f{place:03}.txt": f"{text} {place}\n" + "same\n" * 2000 for place in range(FILES)}


def large_patch() -> str:
    parts = [f"*** Update File: {name}\n@@\n-old {place}\n+new {place}\n" for place, name in enumerate(numbered(""))]
    return f"*** Begin Patch\n{''.join(parts)}*** End Patch"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    for name, text in numbered("old").items():
        (root / name).write_text(text)
    return root


def whole(found: Tree, *, all_or_none: bool) -> set[str]:
    """Which versions of the files there are; fails on a file that is neither old nor new."""
    old, new = numbered("old"), numbered("new")
    seen = set()
    for name in old:
        content = found[name].content.decode()
        assert content in {old[name], new[name]}, f"{name} is half written"
        seen.add(content.split(" ")[0])
    assert len(seen) == 1 or not all_or_none
    return seen


def wait_for_change(project: Path) -> None:
    """Until the patch is being written: the first temporary file is there."""
    assert eventually(lambda: sum(1 for _ in project.iterdir()) > FILES)


def wait_for_file(project: Path, place: int) -> None:
    """Until the file of that number is another one; asks without a pause, since all of it takes milliseconds."""
    file = project / f"f{place:03}.txt"
    first, until = file.stat().st_ino, time.monotonic() + binary.DEADLINE
    while file.stat().st_ino == first:
        assert time.monotonic() < until


@pytest.mark.parametrize("place", [None, 0, 50, 150, 250])
def test_kill_9_in_a_patch_of_many_files_leaves_each_old_or_new(
    place: int | None, project: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, call("apply_patch", patch=large_patch()), {"text": "Done.", "delay": binary.DEADLINE})
    process = binary.start("run", "Patch.", "--model", model, cwd=project)
    if place is None:
        wait_for_change(project)
    else:
        wait_for_file(project, place)
    process.kill()
    process.communicate()
    found = trees.snapshot(project)
    whole({name: node for name, node in found.items() if not name.startswith(TEMPORARY)}, all_or_none=False)


@pytest.mark.parametrize("place", [0, 13, 39])
def test_kill_9_while_one_file_after_the_other_is_edited(place: int, project: Path, tmp_path: Path) -> None:
    edits = [
        {
            "name": "edit_file",
            "args": {"path": f"f{at:03}.txt", "old_string": f"old {at}\n", "new_string": f"new {at}\n"},
        }
        for at in range(40)
    ]
    model = script(tmp_path, {"calls": edits}, {"text": "Done.", "delay": binary.DEADLINE})
    process = binary.start("run", "Edit.", "--model", model, cwd=project)
    wait_for_file(project, place)
    process.kill()
    process.communicate()
    found = trees.snapshot(project)
    whole({name: node for name, node in found.items() if not name.startswith(TEMPORARY)}, all_or_none=False)


@pytest.mark.parametrize(
    "signals",
    [[signal.SIGINT], [signal.SIGTERM], [signal.SIGHUP], [signal.SIGINT, signal.SIGINT]],
    ids=["ctrl-c", "terminated", "hung-up", "twice"],
)
def test_a_patch_that_is_interrupted_is_written_whole_or_not_at_all(
    signals: list[signal.Signals], project: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, call("apply_patch", patch=large_patch()), {"text": "Done.", "delay": binary.DEADLINE})
    process = binary.start("run", "Patch.", "--model", model, "--output", "json", cwd=project)
    wait_for_change(project)
    for number in signals:
        binary.interrupt(process, number)
        time.sleep(0.01)
    out, _ = process.communicate(timeout=binary.DEADLINE)
    assert process.returncode == (130 if signals[0] is signal.SIGINT else 143)
    found = trees.snapshot(project)
    assert not [name for name in found if name.startswith(TEMPORARY)]
    seen = whole(found, all_or_none=True)
    if len(signals) == 1:  # after the second Ctrl-C there is no time for a result
        data = json.loads(out)["data"]
        assert data["status"] == ("interrupted" if signals[0] is signal.SIGINT else "terminated")
        assert len(data["files"]) == (FILES if seen == {"new"} else 0)


COMMAND = "echo $$ > pid.txt; sleep 300 & echo $! >> pid.txt; echo begun; wait"


@pytest.mark.parametrize(
    ("number", "code", "status"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated"), (signal.SIGHUP, 143, "terminated")],
)
@pytest.mark.parametrize("tool", ["run_command", "run_task"])
def test_what_was_started_ends_with_the_run(
    tool: str, number: signal.Signals, code: int, status: str, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    model = script(tmp_path, call(tool, command=COMMAND), {"text": "Done.", "delay": binary.DEADLINE})
    process = binary.start("run", "Work.", "--model", model, "--output", "json", cwd=project)
    pids = project / "pid.txt"
    assert eventually(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    binary.interrupt(process, number)
    out, err = process.communicate(timeout=binary.DEADLINE)
    assert process.returncode == code
    assert json.loads(out)["data"]["status"] == status
    assert "Traceback" not in err
    assert not any(runs(int(pid)) for pid in pids.read_text().split())


def test_what_the_model_had_said_is_in_the_result(tmp_path: Path) -> None:
    text = "So far I have found that the cause is not where it was looked for."
    turns = [{"text": text, "chunk": 8, "stall": [4, binary.DEADLINE]}]
    with ModelServer(turns) as server:
        env = {"OPENAI_API_KEY": "sk-none", "OPENAI_BASE_URL": f"{server.url}/v1"}
        process = binary.start(
            "run", "Look.", "--model", "openai/gpt-4.1-mini", "--output", "stream-json", cwd=tmp_path, env=env
        )
        last: dict[str, Any] = {}
        said = ""
        for event in binary.events_of(process):
            last = event
            if event["type"] == "text_delta":
                if not said:
                    binary.interrupt(process)
                said += event["text"]
        process.communicate(timeout=binary.DEADLINE)
    assert process.returncode == 130
    assert last["data"]["message"] == said.strip()
    assert text.startswith(said)


def test_stopped_in_the_middle_of_a_tool_the_next_turn_works(tmp_path: Path) -> None:
    """Each call has its result in what is sent next: a provider refuses a conversation where one is missing."""
    calls = [{"name": "run_command", "args": {"command": "echo begun; sleep 300"}},
             {"name": "write_file", "args": {"path": "a.txt", "content": "a"}}]  # fmt: skip
    with ModelServer([{"calls": calls}, {"text": "Second turn."}]) as server:
        env = {"OPENAI_API_KEY": "sk-none", "OPENAI_BASE_URL": f"{server.url}/v1"}
        spawned = pexpect.spawn(
            str(binary.RESCENE), ["run", "-i", "--plain", "--model", "openai/gpt-4.1-mini"], cwd=str(tmp_path),
            env=binary.environment(**env), timeout=binary.DEADLINE, dimensions=(50, 200),
        )  # fmt: skip
        spawned.delaybeforesend = None
        try:
            spawned.expect("> ")
            spawned.send("Begin.\r")
            assert eventually(lambda: len(server.seen) == 1)
            assert eventually(lambda: b"sleep 300" in _children())
            spawned.sendintr()
            spawned.expect("interrupted")
            spawned.expect("> ")
            spawned.send("Go on.\r")
            spawned.expect("Second turn.")
        finally:
            spawned.close(force=True)
    messages = server.seen[1].body["messages"]
    asked = [made["id"] for message in messages for made in message.get("tool_calls") or ()]
    answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert answered == asked
    assert len(asked) == 2
    assert not (tmp_path / "a.txt").exists()


def _children() -> bytes:
    """The command lines of all processes."""
    return subprocess.run(["ps", "-eo", "args"], capture_output=True, check=True).stdout


def test_ctrl_c_at_a_question_ends_the_run_and_leaves_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    model = script(tmp_path, call("delete_file", path="a.txt"), {"text": "Done."})
    ended = binary.run_in_terminal("run", "Delete.", "--model", model, cwd=tmp_path, answers=["^C"])
    assert ended.exit == 130
    assert "Stopped" in ended.stdout
    assert (tmp_path / "a.txt").read_text() == "a\n"


@pytest.mark.skipif(shutil.which("nohup") is None, reason="nohup is not installed")
def test_nohup_keeps_its_promise(tmp_path: Path) -> None:
    waits = "touch begun; while [ ! -e go ]; do sleep 0.02; done"
    model = script(tmp_path, call("run_command", command=waits), {"text": "Done.", "expect": "exit 0"})
    process = subprocess.Popen(
        ["nohup", str(binary.RESCENE), "run", "Wait.", "--model", model], cwd=tmp_path, env=binary.environment(),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert eventually((tmp_path / "begun").exists)
    process.send_signal(signal.SIGHUP)
    (tmp_path / "go").touch()
    out, _ = process.communicate(timeout=binary.DEADLINE)
    assert (process.returncode, out) == (0, "Done.\n")
