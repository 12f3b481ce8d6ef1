"""The agents that are measured: how each is started, and what its tools are called."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench import project

Turn = dict[str, Any]
KINDS = ("shell", "read", "edit")
TASK = "Do what the script says."


class Call(NamedTuple):
    """One step of a script, whatever an agent calls it."""

    kind: str  # shell, read or edit
    path: str = ""
    old: str = ""
    new: str = ""


class Agent(NamedTuple):
    """How to run one.

    `command` makes the arguments of a headless run, `settle` writes what it wants to find in its home;
    `tools` turns a call into a tool call; `streams` is false for one that asks for whole replies.
    """

    name: str
    program: Path
    command: Callable[[Path, str], Sequence[str]]
    environment: Callable[[str], Mapping[str, str]]
    tools: Callable[[Call], dict[str, Any]]
    settle: Callable[[Path, str], None] = lambda home, url: None
    streams: bool = True


def script(count: int) -> list[Call]:
    """`count` calls: one read, then shell, read and edit in turn; each edit is of the file read before it."""
    calls = [Call("read", project.module(0))]
    edits = 0
    while len(calls) < count:
        path = project.edited_module(edits)
        edit = Call("edit", path, project.line(100), project.edit_line(edits))
        calls += [Call("shell"), Call("read", path), edit]
        edits += 1
    return calls[:count]


def turns(agent: Agent, calls: Sequence[Call]) -> list[Turn]:
    """What the model server plays for `agent`."""
    called = [{"calls": [{"id": f"call_{number}", **agent.tools(call)}]} for number, call in enumerate(calls)]
    return called if agent.streams else [_whole(turn["calls"][0]) for turn in called]


def final(agent: Agent) -> Turn:
    """The last reply, and every further one."""
    if agent.streams:
        return {"text": "Done."}
    finish = {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}
    return _whole({"id": "call_last", "name": "bash", "args": finish})


def _whole(call: dict[str, Any]) -> Turn:
    """A chat completion that is not streamed."""
    function = {"name": call["name"], "arguments": json.dumps(call["args"])}
    message = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": call["id"], "type": "function", "function": function}],
    }
    reply = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "mock",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }
    return {"raw": json.dumps(reply), "type": "application/json"}


def _named(shell: str, read: str, edit: str, path: str, pair: tuple[str, str]) -> Callable[[Call], dict[str, Any]]:
    """Tools that take a command, a path, and the old and new text."""

    def call(wanted: Call) -> dict[str, Any]:
        match wanted.kind:
            case "shell":
                return {"name": shell, "args": {"command": "true"}}
            case "read":
                return {"name": read, "args": {path: wanted.path}}
            case _:
                return {"name": edit, "args": {path: wanted.path, pair[0]: wanted.old, pair[1]: wanted.new}}

    return call


def rescene(program: Path) -> Agent:
    """This project."""
    return Agent(
        "rescene",
        program,
        lambda root, url: ["run", TASK, "--model", "openai/mock"],
        lambda url: {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "not-a-key"},
        _named("run_command", "read_file", "edit_file", "path", ("old_string", "new_string")),
    )
