"""Terminals that can do less: no colours, no drawing, no UTF-8."""

from __future__ import annotations

import re

import pytest

from tests.terminal.screen import talk

COLOUR = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-7]|4[0-7]|9[0-7]|10[0-7]|38|48)(?:;[0-9;]*)?m")


def test_colours_are_used_where_they_are_welcome() -> None:
    with talk((200, 50)) as screen:
        screen.turn("work")
        assert COLOUR.search(screen.raw)


def test_no_color_means_no_colour_anywhere() -> None:
    with talk((200, 50), NO_COLOR="1") as screen:
        screen.turn("work")
        assert not COLOUR.search(screen.raw)


@pytest.mark.parametrize(("arguments", "term"), [((), "dumb"), (("--plain",), "xterm-256color")], ids=["dumb", "plain"])
def test_without_drawing_there_are_only_lines(arguments: tuple[str, ...], term: str) -> None:
    with talk((60, 20), *arguments, TERM=term) as screen:
        screen.send("work")
        screen.wait("All six tests pass.")
        screen.send("approval")
        screen.wait("[y] yes, once  [n] no")
        screen.send("y")
        screen.wait("the answer was yes")
        screen.send("trouble")
        screen.wait("trying again in 2.0 s (1 of 3)")
        screen.wait("after the trouble")
        screen.send("/status")
        screen.wait("last operation")
        screen.type("\x04")
        assert screen.exit_code() == 0
        assert b"\x1b" not in screen.raw
        assert screen.raw.count(b"All six tests pass.") == 1


def test_plain_ctrl_c_stops_the_turn_and_at_the_prompt_leaves() -> None:
    with talk((60, 20), "--plain") as screen:
        screen.send("deaf")
        screen.wait(lambda: "deaf" in screen.text)
        screen.rest(0.5)
        screen.process.sendintr()
        screen.wait("interrupted")
        screen.rest(2.2)
        screen.process.sendintr()
        assert screen.exit_code() == 130


def test_a_locale_without_utf8_gets_ascii_signs() -> None:
    with talk((60, 20), LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING="ascii") as screen:
        screen.send("work")
        screen.wait("All six tests pass.")
        screen.wait("1.2k out")
        assert screen.raw.isascii()
        assert "+ edit_file shop/cart.py - +2 -1" in screen.everything
