"""Every event has a name and becomes one line of JSON."""

from __future__ import annotations

import json
import typing

from rescene_cli.core import events
from rescene_cli.core.llm import Usage
from rescene_cli.core.messages import CallId
from rescene_cli.session.codec import event_line


def test_every_event_has_a_name_of_its_own() -> None:
    assert set(events.KINDS) == set(typing.get_args(events.Event))
    assert len(set(events.KINDS.values())) == len(events.KINDS)


def test_nested_tuples_and_dataclasses_become_objects() -> None:
    message = events.AssistantMessage("hi", "", ("look",), "a/b", Usage(1, 2, 3), None, 0.5)
    data = json.loads(event_line(message))
    assert data["type"] == "assistant_message"
    assert data["usage"] == {"input": 1, "output": 2, "cached": 3, "cache_written": 0}
    finished = events.ToolFinished(CallId("c"), "t", "ok", "", "x", 0.1, None, (events.FileTouched("a", "created", 1),))
    assert json.loads(event_line(finished))["files"] == [{"path": "a", "change": "created", "added": 1, "removed": 0}]


def test_a_line_is_one_line_of_utf8_whatever_the_text() -> None:
    line = event_line(events.TextDelta("a\n\u2028\ud800é"))
    assert "\n" not in line
    line.encode("ascii")
