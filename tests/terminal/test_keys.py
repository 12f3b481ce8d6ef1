"""The prompt on a real pty: keys, pastes, menus, history, and how the program is left."""
# ruff: noqa: RUF001 - the prompt sign

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.terminal.screen import SIZES, talk


@pytest.mark.parametrize("size", SIZES)
def test_the_first_lines_say_what_runs_where(size: tuple[int, int], tmp_path: Path) -> None:
    with talk(size, cwd=tmp_path) as screen:
        assert screen.lines[0].startswith("rescene 0.1.0 · scripted/fix-the-cart · auto")
        assert tmp_path.name in "".join(screen.lines[:2])
        assert "/help" in screen.text


@pytest.mark.parametrize("newline", ["\x1b\r", "\n", "\\\r"], ids=["alt-enter", "ctrl-j", "backslash"])
def test_three_ways_to_a_new_line(newline: str) -> None:
    with talk() as screen:
        screen.type(f"first{newline}second\r")
        screen.wait("1.2k out")
        assert "You said:" in screen.everything
        assert "first\\" not in screen.everything
        assert screen.everything.count("second") == 2


@pytest.mark.parametrize("size", SIZES)
def test_a_paste_of_5000_lines_is_folded_and_sent_whole(size: tuple[int, int]) -> None:
    with talk(size) as screen:
        screen.paste("".join(f"pasted line {number}\r\n" for number in range(5_000)))
        screen.wait("[pasted 5,000 lines #1]")
        assert "pasted line 7" not in screen.everything
        screen.type("\r")
        screen.wait("You said 5000 lines up to pasted line 4999")


def test_backspace_takes_the_sign_of_a_paste_whole() -> None:
    with talk() as screen:
        screen.paste("x\n" * 20)
        screen.wait("[pasted 20 lines #1]")
        screen.type("\x7f")
        screen.wait(lambda: "[pasted" not in screen.text)


def test_history_comes_back_with_up_and_with_search() -> None:
    with talk() as screen:
        screen.turn("alpha one")
        screen.send("beta two")
        screen.wait(lambda: screen.text.count("beta two") == 2)
        screen.type("\x1b[A\x1b[A")
        screen.wait("› alpha one\n")
        screen.type("\x15")
        screen.type("\x12bet")
        screen.wait("search back: bet")
        screen.wait("› beta two")
        screen.type("\r")
        screen.wait(lambda: "search back" not in screen.text)


def test_files_complete_after_an_at_sign() -> None:
    with talk() as screen:
        screen.type("look at @crt")
        screen.wait("shop/cart.py")
        screen.type("\t")
        screen.wait("look at @shop/cart.py")


def test_the_slash_menu_lists_describes_and_completes() -> None:
    with talk() as screen:
        screen.type("/")
        screen.wait("what fills the context")
        screen.type("mod")
        screen.wait(lambda: "what fills the context" not in screen.text)
        screen.type("\x1b[B\t")
        screen.wait("› /mode")
        screen.wait("yolo")
        screen.type("pl\r\r")
        screen.wait("Mode plan: reads only")


def test_an_unknown_command_is_named_with_the_nearest() -> None:
    with talk() as screen:
        screen.send("/modle")
        screen.wait("Did you mean /mode or /model?")


def test_the_menu_goes_with_the_text() -> None:
    with talk() as screen:
        screen.type("/status")
        screen.wait("where the session stands")
        screen.type("\r")
        screen.wait("last operation")
        screen.wait("% context")
        assert "where the session stands" not in screen.text


def test_a_command_of_the_person_shows_its_output() -> None:
    with talk() as screen:
        screen.send("!make all")
        screen.wait("✓ $ make all")
        screen.wait("ran: make all")


def test_ctrl_c_stops_the_turn_and_a_second_one_leaves() -> None:
    with talk() as screen:
        screen.send("slow")
        screen.wait("tick 20")
        screen.type("\x03")
        screen.wait("Stopped. What was done until then is kept.")
        screen.type("still here")
        screen.wait("› still here")
    with talk() as screen:
        screen.send("slow")
        screen.wait("tick")
        screen.type("\x03\x03")
        assert screen.exit_code() == 130


def test_ctrl_c_at_rest_clears_then_leaves_and_says_so() -> None:
    with talk() as screen:
        screen.type("words")
        screen.wait("› words")
        screen.type("\x03")
        screen.wait("Ctrl-C again leaves")
        assert "words" not in screen.text
        screen.type("\x03")
        assert screen.exit_code() == 130


def test_ctrl_d_leaves_on_an_empty_line_only() -> None:
    with talk() as screen:
        screen.type("x\x04")
        screen.wait("› x")
        screen.type("\x7f\x04")
        assert screen.exit_code() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_program_and_restores_the_terminal(number: signal.Signals) -> None:
    with talk() as screen:
        screen.send("slow")
        screen.wait("tick")
        screen.process.kill(number)
        assert screen.exit_code() == 143
        assert screen.raw.rstrip().endswith(b"\x1b[?25h") or b"\x1b[?2004l" in screen.raw


def test_messages_are_queued_while_a_turn_runs_and_shown_when_they_are_read() -> None:
    with talk(SIZES[0], "--pace", "0.05") as screen:
        screen.send("slow")
        screen.wait("tick")
        screen.send("and the readme")
        screen.wait("message received")
        screen.wait("1.2k out")
        assert screen.everything.count("› and the readme") == 1
        assert "queued" not in screen.text


def test_a_message_that_was_not_read_comes_back_to_the_prompt() -> None:
    with talk() as screen:
        screen.send("deaf")
        screen.wait("waiting for the model")
        screen.send("hear me")
        screen.wait("queued: hear me")
        screen.type("\x03")
        screen.wait("Stopped.")
        screen.wait("› hear me")
        assert "queued" not in screen.text


def test_suspend_and_foreground() -> None:
    with talk() as screen:
        screen.send("lines")
        screen.wait("line 003")
        screen.type("\x1a")
        screen.wait_idle()
        assert b"\x1b[?2004l" in screen.raw  # bracketed paste is off while the shell has the terminal
        screen.process.kill(signal.SIGCONT)
        screen.wait("1.2k out")
        screen.type("back again")
        screen.wait("› back again")
        for number in range(80):
            assert screen.everything.count(f"line {number:03} of the reply") == 1


def test_ctrl_g_opens_the_text_in_the_editor(tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f"#!{sys.executable}\nimport sys\nopen(sys.argv[1], 'a').write(' and more')\n")
    editor.chmod(0o755)
    with talk(VISUAL=str(editor)) as screen:
        screen.type("some text\x07")
        screen.wait("› some text and more")


def test_shift_tab_goes_through_the_modes_without_yolo() -> None:
    with talk() as screen:
        for mode in ("plan", "ask", "auto", "plan"):
            screen.type("\x1b[Z")
            screen.wait(lambda mode=mode: screen.lines[screen.row_of("context")].strip().startswith(mode))


def test_ctrl_l_clears_the_screen() -> None:
    with talk() as screen:
        screen.type("\x0c")
        screen.wait(lambda: "rescene 0.1.0" not in screen.text)
        screen.wait("›")


@pytest.mark.parametrize(
    ("typed", "cells"),
    [
        ("中文", 4),
        ("日本語テキスト", 14),
        ("e\u0301a", 2),
        ("👍", 2),
        ("👨\u200d👩\u200d👧", 2),
        ("❤\ufe0f", 2),
        ("🇯🇵x", 3),
    ],
    ids=["chinese", "japanese", "combining", "emoji", "family", "heart", "flag"],
)
def test_the_cursor_is_at_the_caret(typed: str, cells: int) -> None:
    with talk() as screen:
        start = screen.caret[0]
        screen.type(typed)
        screen.wait(lambda: screen.caret[0] == start + cells)
        screen.wait_idle()
        assert screen.caret[0] == start + cells
        screen.type("\x7f" * sum(1 for _ in _characters(typed)))
        screen.wait(lambda: screen.caret[0] == start)


def _characters(text: str) -> list[str]:
    import wcwidth

    return list(wcwidth.iter_graphemes(text))


def test_left_and_right_move_by_whole_characters() -> None:
    with talk() as screen:
        start = screen.caret[0]
        screen.type("a👨\u200d👩\u200d👧中")
        screen.wait(lambda: screen.caret[0] == start + 5)
        for column in (3, 1, 0):
            screen.type("\x1b[D")
            screen.wait(lambda column=column: screen.caret[0] == start + column)
        for column in (1, 3, 5):
            screen.type("\x1b[C")
            screen.wait(lambda column=column: screen.caret[0] == start + column)
