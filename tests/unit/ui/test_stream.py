from __future__ import annotations

import pytest

from rescene_cli.core import events
from rescene_cli.core.events import FileTouched, TodoItem, Totals, TurnFinished
from rescene_cli.core.messages import CallId
from rescene_cli.ui.calls import outcome_title
from rescene_cli.ui.ink import Depth
from rescene_cli.ui.mailbox import Mailbox
from rescene_cli.ui.marks import ASCII, UNICODE, marks_for
from rescene_cli.ui.paint import Painter
from rescene_cli.ui.stream import Stream

CALL = CallId("c1")


class Time:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def stream(time: Time) -> Stream:
    return Stream(Painter(Depth.NONE, 60), UNICODE, time)


def shown(stream: Stream) -> list[str]:
    return [line for line in stream.take() if line]


def test_a_call_is_one_line_with_its_time_and_operation(stream: Stream) -> None:
    stream.feed(events.ToolStarted(CALL, "run_command", {"command": "make"}))
    stream.feed(events.ToolFinished(CALL, "run_command", "ok", "exit 0 in 3.2 s", "out", 3.2, "o7"))
    assert shown(stream) == ["✓ $ make · exit 0 in 3.2 s · o7"]


def test_a_running_call_shows_its_last_lines(stream: Stream, time: Time) -> None:
    stream.live.begin(time.now)
    stream.feed(events.ToolStarted(CALL, "run_command", {"command": "make"}))
    stream.feed(events.ToolOutput(CALL, "".join(f"line {number}\n" for number in range(100))))
    time.now += 5
    lines = stream.live.lines(stream.painter, UNICODE, time.now, 10)
    assert lines[:1] == [""]  # apart from what is final above
    assert lines[1] == "● $ make · 5 s"
    assert lines[2:7] == [f"  │ line {number}" for number in range(95, 100)]


def test_live_rows_are_bounded(stream: Stream, time: Time) -> None:
    stream.live.begin(time.now)
    stream.feed(events.TextDelta("\n".join(f"- item {number}" for number in range(50))))
    assert len(stream.live.lines(stream.painter, UNICODE, time.now, 6)) == 6


def test_a_diff_that_was_asked_about_is_not_shown_again(stream: Stream) -> None:
    diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"
    stream.show_diff("c1", diff)
    stream.feed(events.ToolStarted(CALL, "edit_file", {"path": "x"}))
    stream.feed(
        events.ToolFinished(
            CALL, "edit_file", "ok", "x  +1 -1", "", 0.1, "o1", (FileTouched("x", "modified", 1, 1),), diff
        )
    )
    lines = shown(stream)
    assert lines.count("   1 -old") == 1
    assert lines.count("   1 +new") == 1
    assert lines[-1] == "✓ edit_file x · +1 -1 · o1"


def test_void_text_is_forgotten(stream: Stream) -> None:
    stream.feed(events.TextDelta("never said"))
    stream.feed(events.ProviderRetry("overloaded", 1.0, 1, 3))
    stream.feed(events.RequestStarted("m"))
    stream.feed(events.TextDelta("said"))
    stream.feed(events.AssistantMessage("said", "", (), "m", events.Usage(), None, 1.0))
    assert shown(stream) == ["said"]


def test_the_end_of_a_turn_names_the_facts(stream: Stream) -> None:
    stream.feed(
        TurnFinished(1, "done", "", (FileTouched("a", "created", 5),), ("o1", "o3"), usage=Totals(1_500, 200, 0, 0.005),
                     seconds=65, evidence="pytest passed")
    )  # fmt: skip
    assert " ".join(shown(stream)) == (
        "1 file changed +5 -0 · o1 to o3 · pytest passed 1.5k in, 200 out · $0.0050 · 1 min 5 s"
    )


def test_a_failed_turn_says_why_and_what_to_do(stream: Stream) -> None:
    stream.feed(TurnFinished(1, "provider_error", "", error="The key is not valid.", hint="Set OPENAI_API_KEY."))
    assert shown(stream)[:2] == ["✗ The key is not valid.", "  Set OPENAI_API_KEY."]


def test_todo_is_a_live_line(stream: Stream, time: Time) -> None:
    stream.live.begin(time.now)
    stream.feed(events.TodoUpdated((TodoItem("a", "done"), TodoItem("b", "in_progress"))))
    assert "  todo 1/2 · b" in stream.live.lines(stream.painter, UNICODE, time.now, 10)
    assert shown(stream) == []


def test_signs_follow_the_encoding() -> None:
    assert marks_for("UTF-8") is UNICODE
    assert marks_for("ANSI_X3.4-1968") is ASCII
    assert marks_for(None) is ASCII


def test_the_mailbox_joins_pieces_wakes_once_and_stays_small() -> None:
    woken: list[int] = []
    box = Mailbox(lambda: woken.append(1))
    for _ in range(1000):
        box.put(events.TextDelta("ab"))
    for number in range(200_000):
        box.put(events.ToolOutput(CALL, f"{number}\n"))
    box.put(events.TextDelta("end"))
    taken = box.take()
    assert len(woken) == 1
    assert taken[0] == events.TextDelta("ab" * 1000)
    assert isinstance(taken[1], events.ToolOutput)
    assert len(taken[1].text) <= 4_000
    assert taken[1].text.endswith("199999\n")
    assert taken[2:] == [events.TextDelta("end")]
    assert box.take() == []


@pytest.mark.parametrize(
    ("name", "started", "outcome", "line"),
    [
        ("read_file", "read_file a.py", "a.py  11 lines", "read_file a.py · 11 lines"),
        ("run_command", "$ make", "exit 1 in 4 ms", "$ make · exit 1 in 4 ms"),
        ("apply_patch", "apply_patch", "2 files  +3 -1", "apply_patch 2 files · +3 -1"),
        ("glob", "glob *.py", "", "glob *.py"),
        ("delete_file", "delete_file a", "not run", "delete_file a · not run"),
    ],
)
def test_a_line_says_what_it_was_and_how_it_came_out(name: str, started: str, outcome: str, line: str) -> None:
    assert outcome_title(name, started, outcome, "·") == line


def test_a_long_command_is_cut_but_not_how_it_came_out(stream: Stream) -> None:
    stream.feed(events.ToolStarted(CALL, "run_command", {"command": "x" * 100}))
    stream.feed(events.ToolFinished(CALL, "run_command", "error", "exit 1 in 2 ms", "", 0.1))
    assert shown(stream) == ["✗ $ " + "x" * 38 + "… · exit 1 in 2 ms"]


def test_a_refused_call_says_what_it_was(stream: Stream) -> None:
    stream.feed(events.ApprovalRequested("s::c1", CALL, "delete_file", {"path": "a.txt"}, "irreversible", "", "h"))
    stream.feed(events.ToolFinished(CALL, "delete_file", "denied", "not run", "The user said no.", 0.0))
    assert shown(stream) == ["■ delete_file a.txt · not run"]


def ended(name: str, status: str, title: str, text: str, **more: object) -> events.ToolFinished:
    return events.ToolFinished(CALL, name, status, title, text, 0.1, **more)  # type: ignore[arg-type]


def test_an_error_that_fits_is_in_the_line_of_its_call(stream: Stream) -> None:
    stream.feed(events.ToolStarted(CALL, "read_file", {"path": "a"}))
    stream.feed(ended("read_file", "error", "There is no a.", "There is no a."))
    assert shown(stream) == ["✗ read_file a · There is no a."]
    assert stream.folds.unfold() is None  # all of it is there


def test_an_error_that_does_not_fit_is_below_its_call_from_its_beginning(stream: Stream) -> None:
    text = "Not found. " + "The nearest text is this one. " * 20
    stream.feed(events.ToolStarted(CALL, "edit_file", {"path": "a"}))
    stream.feed(ended("edit_file", "error", text, text))
    first, *rows = shown(stream)
    assert first == "✗ edit_file a"
    assert rows[0].startswith("  │ Not found. The nearest text")
    assert rows[2] == "  │ 10 more lines, Ctrl-O shows them"
    assert stream.folds.unfold() is not None


def test_an_invalid_call_says_why_and_not_more(stream: Stream) -> None:
    stream.feed(ended("foo", "invalid", "invalid arguments", "There is no tool named 'foo'."))
    assert shown(stream) == ["✗ foo · invalid", "  │ There is no tool named 'foo'."]


def test_a_refusal_nobody_was_asked_about_says_why(stream: Stream) -> None:
    stream.feed(ended("edit_file", "denied", "not run", "Not run: this is plan mode."))
    assert shown(stream) == ["■ edit_file · denied", "  │ Not run: this is plan mode."]
    stream.feed(events.ApprovalRequested("i", CALL, "edit_file", {"path": "a"}, "mode", "", "h"))
    stream.feed(ended("edit_file", "denied", "not run", "The user said no."))
    assert shown(stream) == ["■ edit_file a · not run"]


def test_a_diff_that_is_whole_on_the_screen_is_not_folded_too(stream: Stream) -> None:
    long = "--- a/x\n+++ b/x\n@@ -0,0 +1,60 @@\n" + "+line\n" * 60
    stream.feed(ended("write_file", "ok", "", "", diff="--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"))
    assert stream.folds.unfold() is None
    stream.feed(ended("write_file", "ok", "", "", diff=long))
    assert stream.folds.unfold() is not None


def test_lines_are_counted_once(stream: Stream) -> None:
    files = (FileTouched("a", "deleted", 0, 3),)
    stream.feed(ended("delete_file", "ok", "a  deleted, -3", "", files=files))
    assert shown(stream) == ["✓ delete_file a · deleted, -3"]


def test_a_question_is_not_a_call_that_runs(stream: Stream, time: Time) -> None:
    stream.live.begin(time.now)
    stream.feed(events.ToolStarted(CALL, "ask_user", {"question": "Which?"}))
    assert stream.live.calls == {}
    stream.feed(ended("ask_user", "ok", "answered", "sqlite"))
    assert shown(stream) == ["✓ ask_user Which? · answered"]


def test_the_countdown_is_in_front_where_nothing_cuts_it_off(stream: Stream, time: Time) -> None:
    stream.live.begin(time.now)
    stream.feed(events.ProviderRetry("A very long reason. " * 10, 9.0, 2, 5))
    (_, row) = stream.live.lines(stream.painter, UNICODE, time.now, 5)
    assert row.startswith("● trying again in 9 s (2 of 5): A very")


def test_one_row_for_all_that_runs(stream: Stream, time: Time) -> None:
    assert stream.live.row(stream.painter, UNICODE, time.now) == ""
    stream.live.begin(time.now)
    time.now += 3
    assert stream.live.row(stream.painter, UNICODE, time.now) == "● waiting for the model · 3 s"
    for name in "abc":
        stream.feed(events.ToolStarted(CallId(name), "grep", {"pattern": name * 100}))
    row = stream.live.row(stream.painter, UNICODE, time.now)
    assert len(row) <= 60
    assert row.endswith("… · and 2 more calls")
