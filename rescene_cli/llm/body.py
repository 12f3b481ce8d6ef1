"""The bytes of an answer, with a content encoding undone that nobody asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rescene_cli.llm.reading import Unreadable

_PIECE = 1 << 16  # bytes that come out at once: a few bytes of gzip can stand for a thousand times as many


def decoded(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """`pieces` as they were before `encoding`. Raises Unreadable where it can't be undone piece by piece."""
    encoding = encoding.strip().lower()
    if encoding in {"", "identity"}:
        yield from pieces
    elif encoding in {"gzip", "x-gzip", "deflate"}:
        yield from _inflated(pieces)
    else:
        message = f"its content encoding is {encoding[:40]!r}, which nobody asked for"
        raise Unreadable(message)


def _inflated(pieces: Iterable[bytes]) -> Iterator[bytes]:
    import zlib

    inflate = zlib.decompressobj(zlib.MAX_WBITS | 32)  # gzip or zlib, whichever header it has
    try:
        for piece in pieces:
            rest = piece
            while rest and not inflate.eof:
                if out := inflate.decompress(rest, _PIECE):
                    yield out
                rest = inflate.unconsumed_tail
        if out := inflate.flush():
            yield out
    except zlib.error:
        message = "its body is not compressed as its header says"
        raise Unreadable(message) from None
