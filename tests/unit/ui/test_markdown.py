from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rescene_cli.ui.markdown import Block, Blocks

TEXT = """\
A paragraph
of two lines.

- one

  still one
- two

```python
x = 1

y = 2
```
after
"""


def whole(text: str, size: int) -> list[Block]:
    blocks = Blocks()
    done = []
    for start in range(0, len(text), size):
        done += blocks.feed(text[start : start + size])
    return done + blocks.close()


def test_blocks_end_at_blank_lines_lists_hold_together_and_code_is_code() -> None:
    assert whole(TEXT, len(TEXT)) == [
        Block("A paragraph\nof two lines."),
        Block("- one\n\n  still one\n- two"),
        Block("x = 1\n\ny = 2", "python"),
        Block("after"),
    ]


@given(st.integers(1, 30))
def test_the_size_of_the_pieces_does_not_matter(size: int) -> None:
    assert whole(TEXT, size) == whole(TEXT, len(TEXT))


def test_a_long_code_block_comes_in_parts_that_know_what_was_before() -> None:
    done = whole("```py\n" + "".join(f"v{number}\n" for number in range(45)) + "```\n", 7)
    assert [len(block.text.split("\n")) for block in done] == [20, 20, 5]
    assert [block.first for block in done] == [True, False, False]
    assert "\n".join([*done[0].text.split("\n"), *done[1].text.split("\n")]) == done[2].context


def test_the_rest_is_what_is_not_finished() -> None:
    blocks = Blocks()
    blocks.feed("done\n\nnot do")
    assert blocks.rest == Block("not do")
    blocks.feed("ne\n\n```\ncode")
    assert blocks.rest == Block("code", "")


@given(st.text(st.sampled_from("a \n`-1."), max_size=120), st.integers(1, 9))
def test_no_word_is_lost_or_said_twice(text: str, size: int) -> None:
    numbered = "".join(f"{letter}{place}" if letter == "a" else letter for place, letter in enumerate(text))
    shown = " ".join(f"{block.text}" for block in whole(numbered, size))
    wanted = [f"a{place}" for place, letter in enumerate(text) if letter == "a"]
    fences = [line for line in numbered.split("\n") if line.strip().startswith("```")]
    for word in wanted:
        assert shown.count(word) >= (0 if any(word in line for line in fences) else 1)


def test_text_without_any_break_is_bounded() -> None:
    blocks = Blocks()
    done = blocks.feed("word " * 10_000)
    done += blocks.feed("word " * 10_000)
    assert all(len(block.text) <= 8_000 for block in done)
    assert blocks.rest is not None
    assert len(blocks.rest.text) < 100_000
