from __future__ import annotations

import threading

import pytest

from rescene_cli.core.decisions import Answer, ApprovalRequest, Decision, Reason, Verdict
from rescene_cli.core.messages import CallId, ToolCall
from rescene_cli.core.tools import Effect, Invocation, ToolSpec
from rescene_cli.ui.approve import TerminalApprover, TerminalQuestioner, approval_facts, approval_keys, chosen
from rescene_cli.ui.desk import Desk, OpenQuestion, Pending
from rescene_cli.ui.ink import Depth, Ink
from rescene_cli.ui.marks import UNICODE
from rescene_cli.ui.screen.asking import LONG, QUIET, Asking


def command(text: str, effect: str, grant: str = "") -> ApprovalRequest:
    spec = ToolSpec("run_command", "", {}, frozenset({Effect.EXECUTE}))
    invocation = Invocation(ToolCall(CallId("c"), "run_command", "{}"), spec, {"command": text})
    return ApprovalRequest("s::c", invocation, Decision(Verdict.ASK, Reason.OUTSIDE, "t", effect, grant), "h")


def request(grant: str = "") -> ApprovalRequest:
    spec = ToolSpec("delete_file", "", {}, frozenset({Effect.REMOVE}))
    invocation = Invocation(ToolCall(CallId("c"), "delete_file", "{}"), spec, {"path": "a.txt"})
    return ApprovalRequest(
        "s::c", invocation, Decision(Verdict.ASK, Reason.IRREVERSIBLE, "t", "Removes a.txt", grant), "h"
    )


@pytest.mark.parametrize(
    ("typed", "answer"), [("yes", Answer.YES), ("always", Answer.ALWAYS), ("no", Answer.NO), (None, Answer.NO)]
)
def test_only_a_given_yes_is_a_yes(typed: str | None, answer: Answer) -> None:
    desk = Desk()
    desk.attach(lambda pending: pending.answer(typed))
    assert TerminalApprover(desk)(request()) is answer


def test_nobody_at_the_desk_is_a_no() -> None:
    desk = Desk()
    assert TerminalApprover(desk)(request()) is Answer.NO
    assert TerminalQuestioner(desk)("name?", ()) is None


def test_closing_the_desk_answers_what_waits() -> None:
    desk = Desk()
    shown = threading.Event()
    desk.attach(lambda _: shown.set())
    answers: list[Answer] = []
    thread = threading.Thread(target=lambda: answers.append(TerminalApprover(desk)(request())))
    thread.start()
    assert shown.wait(10)
    desk.close()
    thread.join(10)
    assert answers == [Answer.NO]


def test_a_key_right_after_typing_is_no_answer() -> None:
    asking = Asking()
    pending = Pending(request())
    asking.typed(9.5)
    asking.show(pending, 10.0, keys_waiting=False)
    assert not asking.key("y", 10.1)
    assert not asking.key("y", 10.1 + QUIET - 0.01)
    assert asking.key("y", 12.0)
    assert pending.wait() == "yes"


def test_a_key_counts_at_once_for_somebody_who_was_not_typing() -> None:
    for key, answer in (("y", "yes"), ("N", "no")):
        asking = Asking()
        pending = Pending(request())
        asking.show(pending, 10.0, keys_waiting=False)
        assert asking.key(key, 10.0)
        assert pending.wait() == answer


def test_keys_that_wait_unread_are_older_than_the_question() -> None:
    asking = Asking()
    asking.show(Pending(request()), 10.0, keys_waiting=True)
    assert not asking.key("y", 10.0)


def test_a_word_is_no_answer_even_if_it_has_the_letters() -> None:
    asking = Asking()
    asking.show(Pending(request("all")), 10.0, keys_waiting=False)
    assert not asking.key("w", 10.0)
    assert not asking.key("a", 10.1)


def test_always_is_offered_only_with_a_grant() -> None:
    assert approval_keys(request()) == ["[y] yes, once  [n] no, go on  [Ctrl-C] no, stop the turn"]
    assert approval_keys(request("rm in build/"))[1].endswith("rm in build/")
    asking = Asking()
    asking.show(Pending(request()), 10.0, keys_waiting=False)
    assert not asking.key("a", 10.0)


def test_a_question_about_a_command_always_shows_the_command() -> None:
    assert approval_facts(command("cat /x", "run a command that names /x")) == (
        "Run a command that names /x: cat /x",
        "it leaves the project",
    )
    assert approval_facts(command("cat /x", "run `cat /x`"))[0] == "Run `cat /x`"
    assert approval_facts(command("cat /x", ""))[0] == "Run cat /x"


def test_the_lines_of_a_command_stay_lines_and_a_long_one_leaves_room_for_the_keys() -> None:
    asking = Asking()
    asking.show(Pending(command("if true\nthen\n  rm x\nfi", "run it")), 0.0, keys_waiting=False)
    rows = asking.lines(60, Ink(Depth.NONE), UNICODE, 1.0)
    assert rows[:5] == ["? Run it:", "  if true", "  then", "    rm x", "  fi"]
    asking.show(Pending(command("echo\n" * 300, "run it")), 0.0, keys_waiting=False)
    rows = asking.lines(60, Ink(Depth.NONE), UNICODE, 1.0)
    assert len(rows) == LONG + 2
    assert "294 more lines, all of it is above" in rows[LONG - 1]


def test_a_grant_of_the_command_that_is_shown_does_not_repeat_it() -> None:
    keys = approval_keys(command("make all", "run `make all`", "the command `make all`"))
    assert keys[1] == "[a] yes, and from now on in this session: this same command"


def test_the_options_of_a_question_stand_below_each_other() -> None:
    asking = Asking()
    asking.show(Pending(OpenQuestion("Which?", ("one of several words", "two"))), 0.0, keys_waiting=False)
    rows = asking.lines(20, Ink(Depth.NONE), UNICODE, 1.0)
    assert rows[1:4] == ["  1. one of several", "     words", "  2. two"]


@pytest.mark.parametrize(("text", "answer"), [("1", "red"), ("3", "3"), ("blue", "blue"), ("", None), ("²", "²")])
def test_a_number_chooses(text: str, answer: str | None) -> None:
    assert chosen(OpenQuestion("?", ("red", "green")), text) == answer
