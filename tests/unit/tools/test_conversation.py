from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from rescene_cli.core.errors import Interrupted, ToolError
from rescene_cli.core.events import TodoItem
from rescene_cli.core.messages import CallId, ToolCall, plain_text
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import CallContext, Effect, Outcome, Tool
from rescene_cli.session.archive import OutputArchive
from rescene_cli.tools.conversation import AskUser, HarnessState, HarnessStatus, ReadOutput, TodoList, UpdateTodo
from rescene_cli.tools.output import for_model
from rescene_cli.tools.toolbox import InvalidCallError, Toolbox


def run(tool: Tool, arguments: Mapping[str, Any], interrupt: Interrupt | None = None) -> Outcome:
    return tool.run(arguments, CallContext(CallId("c1"), interrupt or Interrupt()))


def text(tool: Tool, **arguments: Any) -> str:
    return plain_text(run(tool, arguments).parts)


def test_the_todo_list_is_replaced_shown_and_counted() -> None:
    heard: list[tuple[TodoItem, ...]] = []
    todo = TodoList(heard.append)
    tool = UpdateTodo(todo)
    items = [{"text": "read", "status": "done"}, {"text": "write", "status": "in_progress"}]
    outcome = run(tool, {"items": items})
    assert plain_text(outcome.parts) == "Todo list: 0 pending, 1 in_progress, 1 done."
    assert outcome.title == "1 of 2 done"
    assert todo.items == (TodoItem("read", "done"), TodoItem("write", "in_progress"))
    assert text(tool, items=[]) == "Todo list: empty."
    assert todo.items == ()
    assert heard == [(TodoItem("read", "done"), TodoItem("write", "in_progress")), ()]


def test_a_todo_item_of_another_kind_is_refused_by_the_schema() -> None:
    toolbox = Toolbox([UpdateTodo(TodoList(lambda _: None))])
    for wrong in ('{"text": "x", "status": "started"}', '{"text": "x"}', '{"text": "x", "status": "done", "id": 1}'):
        with pytest.raises(InvalidCallError):
            toolbox.check(ToolCall(CallId("c1"), "update_todo", f'{{"items": [{wrong}]}}'))


def test_a_question_is_answered() -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    def answer(question: str, options: tuple[str, ...]) -> str:
        asked.append((question, options))
        return options[0] if options else "free"

    tool = AskUser(answer)
    assert text(tool, question="Which?", options=["one", "two"]) == "The user answers: one"
    assert text(tool, question="What?") == "The user answers: free"
    assert asked == [("Which?", ("one", "two")), ("What?", ())]


def test_where_nobody_is_there_the_model_decides_and_says_so() -> None:
    outcome = run(AskUser(lambda *_: None), {"question": "Which?"})
    assert outcome.ok
    assert plain_text(outcome.parts).startswith("Nobody is there to answer. Decide yourself")


def test_an_interrupt_at_the_question_is_no_answer() -> None:
    interrupt = Interrupt()

    def leave(*_: object) -> None:
        interrupt.set()

    with pytest.raises(Interrupted):
        run(AskUser(leave), {"question": "Which?"}, interrupt)


def test_the_status_names_what_is_not_there() -> None:
    bare = HarnessState("scripted/x", "auto", 1, 1200, 0, (), (), 0)
    assert text(HarnessStatus(lambda: bare)).splitlines() == [
        "model: scripted/x",
        "mode: auto",
        "turn: 1",
        "context: 1,200, limit not known tokens",
        "tools loaded on demand: none",
        "running tasks: none",
        "outputs cut: none",
    ]
    full = bare._replace(limit=128_000, loaded=("run_task",), tasks=("b1: make", "b2: npm run dev"), cut_outputs=2)
    assert text(HarnessStatus(lambda: full)).splitlines()[3:] == [
        "context: 1,200 of 128,000 tokens",
        "tools loaded on demand: run_task",
        "running tasks: b1: make; b2: npm run dev",
        "outputs cut: 2",
    ]


def test_cut_output_is_read_on_from_where_it_was_cut() -> None:
    archive = OutputArchive()
    raw = b"".join(b"line %d\n" % number for number in range(1, 20_001))
    for_model(raw, archive)
    tool = ReadOutput(archive)
    outcome = run(tool, {"id": "out1", "offset": 9000, "limit": 2})
    assert plain_text(outcome.parts) == "line 9000\nline 9001\n[lines 9000 to 9001 of 20000; go on at offset=9002]"
    assert text(tool, id="out1", offset=19_999).endswith("line 20000\n[lines 19999 to 20000 of 20000]")
    assert text(tool, id="out1").startswith("line 1\n")
    with pytest.raises(ToolError, match="out1 has 20000 lines; offset 20001 is behind its end"):
        text(tool, id="out1", offset=20_001)


def test_outputs_that_are_not_there() -> None:
    archive = OutputArchive(limit=5)
    tool = ReadOutput(archive)
    with pytest.raises(ToolError, match=r"There is no output 'out1'. Outputs: none\."):
        text(tool, id="out1")
    archive.keep(b"first")
    archive.keep(b"second"[:5])
    with pytest.raises(ToolError, match=r"out1 is no longer kept: .* Outputs: out2\."):
        text(tool, id="out1")


def test_how_the_model_sees_them() -> None:
    todo = UpdateTodo(TodoList(lambda _: None)).spec
    others = [AskUser(lambda *_: None).spec, HarnessStatus(lambda: None).spec, ReadOutput(OutputArchive()).spec]  # type: ignore[arg-type, return-value]
    assert todo.resident
    assert len(todo.description) + len(str(todo.parameters)) < 900
    assert not any(spec.resident for spec in others)
    assert all(spec.effects == {Effect.CONVERSE} for spec in (todo, *others))
