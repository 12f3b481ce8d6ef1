"""One task at a terminal: the work on one stream, the answer on the other."""

from __future__ import annotations

import io
import time

import pytest

from rescene_cli.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    AssistantMessage,
    Event,
    ProviderRetry,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    UserMessage,
)
from rescene_cli.core.llm import Usage
from rescene_cli.core.messages import CallId
from rescene_cli.ui.progress import TerminalProgress

ERASE = "\r\x1b[K"


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


def test_the_first_line_is_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert not played(WORK, Screen()).startswith("\n")


def seen(out: Screen, text: str) -> None:
    end = time.monotonic() + 10
    while text not in out.getvalue() and time.monotonic() < end:
        time.sleep(0.005)
    assert text in out.getvalue()


def test_the_last_row_says_what_goes_on_and_leaves_the_screen_to_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    out = Screen()
    progress = TerminalProgress(out, Screen(), tick=0.01)
    progress(WORK[0])
    seen(out, "waiting for the model")
    progress(ApprovalRequested("i", CallId("c"), "run_command", {"command": "rm x"}, "mode", "", "h"))
    asked = out.getvalue()
    assert asked.endswith(ERASE)
    time.sleep(0.05)
    assert out.getvalue() == asked
    progress(ApprovalAnswered("i", "yes"))
    progress(ToolStarted(CallId("c"), "run_command", {"command": "rm x"}))
    seen(out, "$ rm x")
    progress(ToolStarted(CallId("q"), "ask_user", {"question": "Which?"}))
    assert out.getvalue().endswith(ERASE)
    progress(ToolFinished(CallId("q"), "ask_user", "ok", "answered", "a", 0.1))
    progress(WORK[-1])
    progress.close()


def test_without_control_codes_there_is_no_last_row() -> None:
    out = Screen()
    progress = TerminalProgress(out, Screen(), tick=0.01)
    progress(WORK[0])
    time.sleep(0.05)
    progress.close()
    assert "\x1b" not in out.getvalue()


def test_a_change_that_a_question_showed_is_not_shown_again() -> None:
    out = Screen()
    progress = TerminalProgress(out, Screen())
    progress(ApprovalRequested("i", CallId("c"), "edit_file", {"path": "x"}, "mode", "", "h"))
    progress(
        ToolFinished(
            CallId("c"), "edit_file", "ok", "x  +1 -1", "", 0.1, diff="--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"
        )
    )
    assert "edit_file x · +1 -1" in out.getvalue()
    assert "new" not in out.getvalue()
