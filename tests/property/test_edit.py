"""Whatever a file holds: an edit changes what it says and not a byte more."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from rescene_cli.core.errors import ToolError
from rescene_cli.workspace.edit import replace, rewrite
from rescene_cli.workspace.text import decode

WORDS = st.sampled_from(
    ["", "a", "b", "  a", "\tb", "a ", "é", "文", "\r", "\x0c", "long line of words", "\ufeff", "}"]
)
ENDINGS = st.sampled_from(["\n", "\r\n"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Bytes of a text file in some encoding, with some mix of endings."""
    encoding, mark = draw(st.sampled_from([("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe")]))
    uniform = draw(st.sampled_from(["\n", "\r\n", ""]))
    lines = draw(st.lists(WORDS, max_size=12))
    text = "".join(line + (uniform or draw(ENDINGS)) for line in lines) + draw(WORDS)
    return mark + text.encode(encoding)


@given(st.one_of(files(), st.binary(max_size=40)))
def test_bytes_survive(data: bytes) -> None:
    try:
        document = decode(data, "f")
    except ToolError:
        assume(False)
    assert document.encode() == data
    if "\r" not in document.text and not document.text.startswith("\ufeff"):
        assert rewrite(document, document.text).encode() == data


@given(files(), st.data(), st.text(alphabet="ab \n\té", max_size=8))
def test_an_exact_edit_is_the_text_replaced(data: bytes, choice: st.DataObject, new: str) -> None:
    document = decode(data, "f")
    text = document.text
    start = choice.draw(st.integers(0, len(text)))
    old = text[start : choice.draw(st.integers(start, len(text)))]
    assume(old and old != new and "\r" not in text and not old.startswith("\ufeff") and text.count(old) == 1)
    edited = replace(document, old, new)
    assert edited.document.text == text.replace(old, new)
    _unchanged_around(data, edited.document.encode(), document.encoding, len(document.mark))


def _unchanged_around(before: bytes, after: bytes, encoding: str, mark: int) -> None:
    """Every line that both texts begin or end with has the same bytes."""
    old, new = (data[mark:].decode(encoding).split("\n") for data in (before, after))
    for one, two in zip(old[:-1], new[:-1], strict=False):
        if one.removesuffix("\r") != two.removesuffix("\r"):
            break
        assert one == two


@given(files(), st.text(alphabet="ab \n", min_size=1, max_size=3), st.text(alphabet="abc\n", max_size=3))
def test_replace_all_is_str_replace(data: bytes, old: str, new: str) -> None:
    document = decode(data, "f")
    assume(old != new and old in document.text and "\r" not in document.text)
    edited = replace(document, old, new, everywhere=True)
    assert edited.document.text == document.text.replace(old, new)
    assert edited.places == document.text.count(old)
