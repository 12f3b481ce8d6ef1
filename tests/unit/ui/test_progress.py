"""One task at a terminal: the work on one stream, the answer on the other."""

from __future__ import annotations

import io

import pytest

from rescene_cli.core.events import (
    AssistantMessage,
    Event,
    ProviderRetry,
    TextDelta,
    ToolStarted,
    TurnFinished,
    UserMessage,
)
from rescene_cli.core.llm import Usage
from rescene_cli.core.messages import CallId
from rescene_cli.ui.progress import TerminalProgress


class Screen(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def message(text: str, *calls: str) -> AssistantMessage:
    return AssistantMessage(text, "", calls, "m", Usage(), None, 0.0)


WORK: list[Event] = [
    UserMessage(1, "go"),
    TextDelta("Let me look."),
    message("Let me look.", "read_file"),
    ToolStarted(CallId("c"), "read_file", {"path": "a"}),
    TextDelta("All done."),
    message("All done."),
    TurnFinished(1, "done", "All done."),
]


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")


def played(events: list[Event], result: io.StringIO) -> str:
    out = Screen()
    progress = TerminalProgress(out, result)
    for event in events:
        progress(event)
    progress.close()
    return out.getvalue()


def test_the_last_reply_alone_goes_into_a_file() -> None:
    result = io.StringIO()
    shown = played(WORK, result)
    assert result.getvalue() == "All done.\n"
    assert "Let me look." in shown
    assert "All done." not in shown


def test_at_a_terminal_everything_is_in_its_place_once() -> None:
    shown = played(WORK, Screen())
    assert shown.index("Let me look.") < shown.index("All done.")
    assert shown.count("All done.") == 1


def test_a_reply_that_is_sent_back_was_not_the_last() -> None:
    result = io.StringIO()
    shown = played([*WORK[:-1], UserMessage(1, "check failed", "verify"), *WORK[4:]], result)
    assert shown.count("All done.") == 1
    assert result.getvalue() == "All done.\n"


def test_what_a_retry_voids_is_not_shown() -> None:
    shown = played([WORK[0], TextDelta("half"), ProviderRetry("Dropped.", 2.0, 1, 3), *WORK[4:]], io.StringIO())
    assert "half" not in shown
    assert "Dropped. Trying again in 2 s." in shown
