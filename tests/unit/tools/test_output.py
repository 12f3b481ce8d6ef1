from __future__ import annotations

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rescene_cli.session.archive import OutputArchive
from rescene_cli.tools.output import HEAD, LIMIT, LINE, folded, for_model, is_binary, page, readable


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain\n", "plain\n"),
        (b"\x1b[1;31merror\x1b[0m: x\x1b[K\n", "error: x\n"),
        (b"\x1b[38:2::255:0:0mred\x1b[m", "red"),
        (b"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink"),
        (b"\x1b]52;c;unfinished\nnext", "\nnext"),
        (b"\x1bPq#0\x1b\\a\x1b(Bb\x1b7c\x1bMd\x1b=e", "abcde"),
        (b"\xc2\x9b31mred", "red"),
        (b"end\x1b", "end"),
        (b"  1%\r 50%\r100%\n", "100%\n"),
        (b" 50%\rdone\r\n", "done\n"),
        (b"a\r\nb\r\n", "a\nb\n"),
        (b"first\n 1%\r 2%\r\nlast\r", "first\n 2%\nlast"),
        (b"step 1\x1b[2K\x1b[1Gstep 2\x1b[2K\x1b[Gstep 3", "step 3"),
        (b"N\bNA\bAM\bME\bE", "NAME"),
        (b"_\bx \xc3\xa9\b\xc3\xa9", "x \u00e9"),
        (b"a\n\bb|\b/\b-\bdone\b", "a\nbdon"),
        (b"ding\x07 \x01\x7f\x0c", "ding "),
        (b"a.txt\0b.txt\0", "a.txt\\0b.txt\\0"),
        (b"gr\xfc\xdfe", "gr\ufffd\ufffde"),
        ("日本語 🎉\n".encode(), "日本語 🎉\n"),
        (b"\ttab", "\ttab"),
    ],
)
def test_text_as_it_would_stand_on_a_screen(raw: bytes, text: str) -> None:
    assert readable(raw) == text


@given(st.binary())
def test_nothing_that_steers_a_terminal_is_left(raw: bytes) -> None:
    assert not {character for character in readable(raw) if ord(character) < 0x20 or ord(character) == 0x7F} - set(
        "\n\t"
    )


@given(st.text(alphabet=string.printable.replace("\r", "").replace("\x0b", "").replace("\x0c", "")))
def test_plain_text_is_left_alone(text: str) -> None:
    assert readable(text.encode()) == text


@pytest.mark.parametrize(
    "raw",
    [
        b"\x7fELF\x02\x01\x01" + bytes(200),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x06\0\0\0\\r\xa8f",
        random.Random(1).randbytes(4000),
        "UTF-16 text".encode("utf-16"),
    ],
)
def test_binary_is_told_from_text(raw: bytes) -> None:
    assert is_binary(raw)
    assert for_model(raw, OutputArchive()) == (
        f"[binary output, {len(raw):,} bytes, not shown: write it to a file to look into it]"
    )


@pytest.mark.parametrize(
    "raw",
    [b"", b"text\n", "Grüße\n".encode("latin-1"), "привет".encode("cp1251"), b"src/main.py\0src/other.py\0",
     b"\x1b[31m\x1b[0m" * 30, b"N\bN" * 50, "日本語".encode()],
)  # fmt: skip
def test_text_is_told_from_binary(raw: bytes) -> None:
    assert not is_binary(raw)


def test_an_output_at_the_limit_is_whole() -> None:
    archive = OutputArchive()
    text = "x" * LIMIT
    assert for_model(text.encode(), archive) == text
    assert archive.count == 0


def test_a_long_output_shows_both_ends_and_says_where_the_rest_is() -> None:
    archive = OutputArchive()
    raw = b"".join(b"line %d\n" % number for number in range(1, 20_001))
    seen = for_model(raw, archive).split("\n")
    cut = next(index for index, line in enumerate(seen) if line.startswith("["))
    first, last = cut + 1, 20_000 - (len(seen) - cut - 2)
    assert seen[cut].startswith(f"[lines {first} to {last} of 20000 left out, ")
    assert seen[cut].endswith(f'read_output(id="out1", offset={first}, limit=400)]')
    assert seen[cut - 1] == f"line {first - 1}"
    assert seen[cut + 1] == f"line {last + 1}"
    assert HEAD - 20 < len("\n".join(seen[:cut])) <= HEAD
    assert LIMIT - HEAD - 20 < len("\n".join(seen[cut + 1 :])) <= LIMIT - HEAD
    assert archive.get("out1") == raw
    left_out = page(raw, first, last - first + 1)
    assert left_out.text.startswith(f"line {first}\n")


def test_one_huge_line_can_be_read_to_its_end() -> None:
    raw = "".join(random.Random(2).choices("abcdé", k=100_001)).encode()
    archive = OutputArchive()
    assert len(for_model(raw, archive)) < LIMIT + 200
    whole, offset = "", 1
    while True:
        found = page(raw, offset, 7)
        whole += found.text.replace("\n", "")
        if found.last == found.total:
            break
        offset = found.last + 1
    assert whole == raw.decode()


@given(st.lists(st.sampled_from(["\n", "x", "y" * 1999, "z" * 2000, "w" * 2001, "v" * 4321])))
def test_folding_changes_nothing_but_long_lines(pieces: list[str]) -> None:
    text = "".join(pieces)
    result = folded(text)
    assert all(len(line) <= LINE for line in result.split("\n"))
    assert result.replace("\n", "") == text.replace("\n", "")
    short = [line for line in text.split("\n") if len(line) <= LINE]
    assert [line for line in result.split("\n") if line in set(short)][: len(short)] or not short
    if all(len(line) <= LINE for line in text.split("\n")):
        assert result == text


@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 50), st.booleans())
def test_pages_hold_the_lines_asked_for(offset: int, limit: int, count: int, ended: bool) -> None:
    lines = [f"l{number}" for number in range(1, count + 1)]
    raw = "\n".join(lines).encode() + (b"\n" if ended and lines else b"")
    found = page(raw, offset, limit)
    assert found.total == count
    assert found.text.split() == lines[offset - 1 : offset - 1 + limit]
    assert (found.first, found.last) == (offset, offset - 1 + len(found.text.split()))


def test_a_page_is_bounded_too() -> None:
    raw = b"".join(b"%06d %s\n" % (number, b"x" * 100) for number in range(10_000))
    found = page(raw, 11, 2000)
    assert len(found.text) <= LIMIT
    assert found.text.startswith("000010 ")
    assert found.text.splitlines()[-1].startswith(f"{found.last - 1:06d} ")


@pytest.mark.parametrize(
    "piece", [b"a\b", b"\x1b[", b"\x1b]", b"\r", b"x\r", b"\n\b", b"\b", b"\x1bP", b"\0", b"y", b"\xc2"]
)
def test_no_output_takes_more_than_linear_time(piece: bytes) -> None:
    """Anything quadratic would take hours here."""
    raw = piece * (1 << 20)
    assert len(readable(raw)) <= 2 * len(raw)
