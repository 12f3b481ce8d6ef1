"""Markdown as rows."""

from __future__ import annotations

from rescene_cli.ui.ink import Depth
from rescene_cli.ui.markdown import Block
from rescene_cli.ui.paint import Painter


def rows(text: str, columns: int = 40) -> list[str]:
    return Painter(Depth.NONE, columns).block(Block(text))


def test_numbers_keep_their_dot_and_their_text_hangs() -> None:
    assert rows("9. nine words that do not fit into one row\n10. *ten*") == [
        "  9. nine words that do not fit into one",
        "     row",
        " 10. ten",
    ]


def test_nothing_in_a_table_is_cut_off() -> None:
    text = "| a | b |\n|---|---|\n| 中文字符中文字符中文字符中文字符 | " + "x" * 60 + " |"
    whole = "".join("".join(rows(text)).split())
    assert whole.count("x") == 60
    assert whole.count("中") == 4
    assert "…" not in whole
