"""Replies and tool output on a real pty: each line once, nothing lost, whatever happens to the window."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.terminal.screen import SIZES, Screen, talk


def numbers(screen: Screen, pattern: str) -> list[int]:
    return [int(found) for found in re.findall(pattern, screen.everything)]


@pytest.mark.parametrize("size", SIZES)
def test_each_line_of_a_reply_is_in_the_scrollback_once(size: tuple[int, int]) -> None:
    with talk(size) as screen:
        screen.turn("lines")
        assert numbers(screen, r"line (\d{3}) of the reply") == list(range(80))


@pytest.mark.parametrize("size", SIZES)
def test_a_long_code_block_streams_and_is_there_once(size: tuple[int, int]) -> None:
    with talk(size) as screen:
        screen.turn("code")
        assert numbers(screen, r"value_(\d{3})") == list(range(60))
        assert "```" not in screen.everything


def test_a_resize_in_mid_stream_repeats_and_loses_nothing() -> None:
    with talk((60, 20), "--pace", "0.02") as screen:
        screen.send("lines")
        screen.wait("line 005")
        for columns, rows in ((44, 20), (90, 20), (52, 20), (60, 20)):
            screen.resize(columns, rows)
            screen.rest(0.1)
        screen.wait("1.2k out")
        assert numbers(screen, r"line (\d{3}) of the reply") == list(range(80))


@pytest.mark.parametrize("size", SIZES)
def test_a_flood_of_output_leaves_one_line_and_little_memory(size: tuple[int, int]) -> None:
    with talk(size) as screen:
        screen.send("flood")
        screen.wait("flood over")
        screen.wait("1.2k out")
        assert "$ seq 1 200000 · exit 0 in 0.3 s" in screen.everything
        assert len(screen.raw) < 200_000  # the 1.3 MB of output did not go through the terminal
        # A program that had kept every line as an object would need far more than this.
        assert screen.peak_memory() < 100_000
        screen.type("\x04")
        assert screen.exit_code() == 0


def test_folded_output_unfolds() -> None:
    with talk() as screen:
        screen.turn("work")
        assert "6 passed in 0.12s" not in screen.everything
        screen.type("\x0f\x0f")  # the last one is the edit's neighbour, the command
        screen.wait("6 passed in 0.12s")


def test_thinking_is_folded_to_a_line_and_unfolds() -> None:
    with talk((200, 50)) as screen:
        screen.turn("work")
        assert "thought briefly" in screen.everything
        assert "The test multiplies" not in screen.text
        for _ in range(5):
            screen.type("\x0f")
        screen.wait("The test multiplies, the code does not.")


def test_retry_failover_errors_and_notices_are_shown() -> None:
    with talk() as screen:
        screen.send("trouble")
        screen.wait("trying again in 2 s (1 of 3)")
        screen.wait("after the trouble")
        text = screen.everything
        assert "(the reply above broke off" in text
        assert "scripted/a: still overloaded. Going on with scripted/b." in text
        assert "✗ read_file nothing.txt" in text
        assert "There is no file nothing.txt." in text
        assert "The disk is nearly full." in text
        assert "and mo" not in text


def test_control_sequences_of_others_never_reach_the_terminal() -> None:
    with talk() as screen:
        screen.turn("hostile")
        for attack in (b"\x1b]0;", b"\x1b[2J", b"\x1b[31mred", b"\x1bP", b"\xc2\x9b", "\u202e".encode(), b"\x07"):
            assert attack not in screen.raw.replace(b"\x1b[?2004", b"")
        assert "before red" in screen.everything


def test_a_bug_in_a_turn_is_logged_without_what_was_said_and_the_prompt_lives_on(tmp_path: Path) -> None:
    with talk((200, 50), RESCENE_DATA_DIR=str(tmp_path)) as screen:
        screen.send("bug")
        screen.wait("This is a bug in rescene (RuntimeError).")
        screen.wait("--debug")
        assert "boom" not in screen.everything
        screen.send("hello there")
        screen.wait("You said:")
    (log,) = (tmp_path / "logs").iterdir()
    assert " _bug\n" in log.read_text()
    assert "boom" not in log.read_text()


def test_the_todo_list_is_shown_while_it_changes_and_when_it_is_done() -> None:
    with talk() as screen:
        screen.send("todo")
        screen.wait("todo 1/3 · change")
        screen.wait("list done")
        assert screen.everything.count("✓ change") == 1


def test_keys_are_heard_while_a_huge_reply_is_drawn() -> None:
    with talk() as screen:
        screen.send("huge")
        screen.wait("A sentence of eight words")
        screen.type("\x03")
        screen.type("hello")
        screen.wait("hello")
        screen.type("\x15\x03\x03")
        assert screen.exit_code() == 130
