from __future__ import annotations

import io
import threading

from rescene_cli.core import events
from rescene_cli.core.events import TurnFinished
from rescene_cli.core.messages import CallId
from rescene_cli.ui.plain import PlainStream

CALL = CallId("c1")


def test_each_event_is_a_line_without_control_codes() -> None:
    out = io.StringIO()
    stream = PlainStream(out)
    stream(events.SessionStarted("s", "m", "auto", "/p", "plain"))
    stream(events.UserMessage(1, "go"))
    stream(events.RequestStarted("m"))
    stream(events.TextDelta("not shown"))
    stream(events.ToolStarted(CALL, "run_command", {"command": "make\x1b[2J all"}))
    stream(events.ToolOutput(CALL, "noise\n" * 1000))
    stream(events.ToolFinished(CALL, "run_command", "error", "", "make: no rule\nmore", 2.0, "o1"))
    stream(events.ProviderRetry("overloaded", 4.0, 1, 5))
    stream(events.TurnFinished(1, "done", "bye", seconds=3.0))
    stream.close()
    assert out.getvalue().splitlines() == [
        "model m, mode auto, root /p",
        "error: $ make\\x1b[2J all (2.0 s, o1)",
        "make: no rule",
        "overloaded; trying again in 4.0 s (1 of 5)",
        "took 3.0 s",
    ]


def test_replies_come_in_whole_lines() -> None:
    out = io.StringIO()
    stream = PlainStream(out, replies=True)
    for piece in ("first li", "ne\nsecond", " line"):
        stream(events.TextDelta(piece))
    assert out.getvalue() == "first line\n"
    stream(TurnFinished(1, "done", ""))
    assert out.getvalue().startswith("first line\nsecond line\n")


class Out(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.beaten = threading.Event()

    def write(self, text: str) -> int:
        if "still working" in text:
            self.beaten.set()
        return super().write(text)


def test_silence_is_broken_by_a_heartbeat_until_the_turn_ends() -> None:
    out = Out()
    stream = PlainStream(out, heartbeat=0.02)
    stream(events.ToolStarted(CALL, "run_command", {"command": "sleep 60"}))
    assert out.beaten.wait(10)
    assert "still working: $ sleep 60 for" in out.getvalue()
    stream(TurnFinished(1, "done", ""))
    said = out.getvalue()
    assert not threading.Event().wait(0.1)
    assert out.getvalue() == said


def test_a_reader_that_has_gone_does_not_stop_the_work() -> None:
    tried: list[str] = []

    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            tried.append(text)
            raise BrokenPipeError

    stream = PlainStream(Gone())
    stream(events.Notice("info", "one"))
    stream(events.Notice("info", "two"))
    assert len(tried) == 1
    PlainStream(None)(events.Notice("info", "nobody"))
