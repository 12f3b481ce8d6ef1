"""The generated pages agree with the code, and the event schema with real events."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rescene_cli.cli.reference import generated
from rescene_cli.cli.schema import events_schema
from rescene_cli.core.events import (
    KINDS,
    AssistantMessage,
    Event,
    Evidence,
    FileTouched,
    Notice,
    TodoItem,
    TodoUpdated,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    Verification,
)
from rescene_cli.core.llm import Usage
from rescene_cli.core.messages import CallId
from rescene_cli.session.codec import event_line

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"
PAGES = generated()


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_up_to_date(name: str) -> None:
    assert (REFERENCE / name).read_text("utf-8") == PAGES[name], "run: python docs/generate.py"


def test_every_event_is_described() -> None:
    assert set(events_schema()["$defs"]) == {*KINDS.values(), "done"}


EVENTS: list[Event] = [
    ToolStarted(CallId("c1"), "grep", {"pattern": "x", "context": 2}),
    ToolFinished(CallId("c1"), "edit_file", "ok", "a.py", "done", 0.5, "o1", (FileTouched("a.py", "modified", 1, 2),)),
    AssistantMessage("text", "", ("c1",), "a/b", Usage(1, 2, 3, 4), None, 1.5),
    TodoUpdated((TodoItem("write", "pending"),)),
    Verification("pass", "", Evidence("make", 0, 1.0, "ok")),
    Verification("skipped", "nothing changed", None),
    Notice("info", "text"),
    TurnFinished(1, "done", "text"),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_events_fit_the_schema(event: Event) -> None:
    import jsonschema

    jsonschema.validate(json.loads(event_line(event)), events_schema())


def test_the_schema_refuses_what_is_not_described() -> None:
    import jsonschema

    line = json.loads(event_line(Notice("info", "text")))
    for wrong in ({**line, "more": 1}, {**line, "message": 5}, {"type": "notice"}, {**line, "type": "news"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, events_schema())
