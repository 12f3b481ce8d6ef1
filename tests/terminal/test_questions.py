"""Approvals and questions on a real pty."""
# ruff: noqa: RUF001 - the prompt sign

from __future__ import annotations

import pytest

from tests.terminal.screen import SIZES, talk


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("key", "answer"), [("y", "yes"), ("n", "no"), ("\x1b", "no")])
def test_y_and_n_answer_an_approval(size: tuple[int, int], key: str, answer: str) -> None:
    with talk(size) as screen:
        screen.send("approval")
        screen.wait("[y] yes, once  [n] no")
        text = screen.everything
        assert "Overwrites shop/cart.py, which was there before." in text
        assert "what it removes or overwrites does not come back" in " ".join(text.split())
        assert "line.price * line.quantity" in text
        assert "[a]" not in text
        screen.type(key)
        screen.wait(f"the answer was {answer}")
        assert "[y] yes" not in screen.text


def test_a_needs_a_grant_and_says_what_it_covers() -> None:
    with talk() as screen:
        screen.send("approval")
        screen.wait("[y] yes")
        screen.type("a")
        screen.wait("› a")
        screen.rest(1.0)
        screen.type("y")
        screen.wait("the answer was yes")
    with talk() as screen:
        screen.send("approval with grant")
        screen.wait("[a] yes, and from now on in this session: edits")
        screen.type("a")
        screen.wait("the answer was always")


def test_keys_typed_before_the_question_are_no_answer() -> None:
    with talk() as screen:
        screen.send("slow approval")
        screen.wait("waiting for the model")
        screen.rest(0.9)
        screen.type("yyy")
        screen.wait("[y] yes")
        screen.wait_idle()
        assert "› yyy" in screen.text
        assert "the answer was" not in screen.everything
        screen.rest(1.0)
        screen.type("n")
        screen.wait("the answer was no")
        screen.wait("› yyy")


def test_somebody_who_goes_on_typing_does_not_answer() -> None:
    with talk() as screen:
        screen.send("slow approval")
        screen.wait("waiting for the model")
        for letter in "please say yes and any more":
            screen.type(letter)
            screen.rest(0.08)
        screen.wait("[y] yes")
        screen.wait("› please say yes and any more")
        assert "the answer was" not in screen.everything


def test_ctrl_c_at_an_approval_is_a_no_and_stops_the_turn() -> None:
    with talk() as screen:
        screen.send("approval")
        screen.wait("[y] yes")
        screen.type("\x03")
        screen.wait("Stopped.")
        assert "[y] yes" not in screen.text


@pytest.mark.parametrize(("typed", "answer"), [("2", "basket"), ("trolley", "trolley")])
def test_a_question_takes_a_number_or_words(typed: str, answer: str) -> None:
    with talk() as screen:
        screen.send("question")
        screen.wait("2. basket")
        screen.send(typed)
        screen.wait(f"you chose {answer}")


def test_esc_leaves_a_question_unanswered_and_the_draft_comes_back() -> None:
    with talk() as screen:
        screen.type("question\rmy draft")
        screen.wait("2. basket")
        screen.type("\x1b")
        screen.wait("you chose None")
