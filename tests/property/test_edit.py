"""Whatever a file holds: an edit changes what it says and not a byte more."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from rescene_cli.core.errors import ToolError
from rescene_cli.workspace.edit import replace, rewrite
from rescene_cli.workspace.text import decode, split

WORDS = st.sampled_from(["", "a", "b", "  a", "\tb", "a ", "é", "文", "\x0c", "long line of words", "a\ufeff", "}"])
ENDINGS = st.sampled_from(["\n", "\r\n"])


@st.composite
def files(draw: st.DrawFn, words: st.SearchStrategy[str] = WORDS) -> bytes:
    """Bytes of a text file in some encoding, with some mix of endings."""
    encoding, mark = draw(st.sampled_from([("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe")]))
    uniform = draw(st.sampled_from(["\n", "\r\n", ""]))
    lines = draw(st.lists(words, max_size=12))
    text = "".join(line + (uniform or draw(ENDINGS)) for line in lines) + draw(words)
    return mark + text.encode(encoding)


@given(st.one_of(files(st.one_of(WORDS, st.just("\r"))), st.binary(max_size=40)))
def test_bytes_survive(data: bytes) -> None:
    try:
        document = decode(data, "f")
    except ToolError:
        assume(False)
    assert document.encode() == data
    if "\r" not in document.text and not document.text.startswith("\ufeff"):
        assert rewrite(document, document.text).encode() == data


def piece(choice: st.DataObject, text: str, longest: int) -> str:
    """Some of `text`, which has to be there."""
    assume(text)
    start = choice.draw(st.integers(0, len(text) - 1))
    return text[start : start + choice.draw(st.integers(1, longest))]


@given(files(), st.data(), st.text(alphabet="ab \n\té", max_size=8))
def test_an_exact_edit_is_the_text_replaced(data: bytes, choice: st.DataObject, new: str) -> None:
    document = decode(data, "f")
    text = document.text
    old = piece(choice, text, 20)
    assume(old != new and text.count(old) == 1 and "\ufeff" not in old)
    edited = replace(document, old, new)
    assert edited.document.text == text.replace(old, new)
    start = text.index(old)
    above = text.count("\n", 0, start)
    below = len(split(text[start + len(old) :])) - 1
    raw, result = document.raw, edited.document.raw
    assert result[:above] == raw[:above]
    assert below <= 0 or result[-below:] == raw[-below:]


@given(files(), st.data(), st.text(alphabet="abc\n", max_size=3))
def test_replace_all_is_str_replace(data: bytes, choice: st.DataObject, new: str) -> None:
    document = decode(data, "f")
    old = piece(choice, document.text, 3)
    assume(old != new and "\ufeff" not in old)
    edited = replace(document, old, new, everywhere=True)
    assert edited.document.text == document.text.replace(old, new)
    assert edited.places == document.text.count(old)
