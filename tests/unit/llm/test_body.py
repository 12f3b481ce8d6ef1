"""Bodies that are encoded though nobody asked for it."""

from __future__ import annotations

import gzip
import zlib

import pytest

from rescene_cli.llm.body import decoded
from rescene_cli.llm.reading import Unreadable
from tests.support.hostile import bomb

TEXT = bytes(range(256)) * 4000


@pytest.mark.parametrize("encoding", ["", "identity", "Identity "])
def test_as_it_is(encoding: str) -> None:
    assert list(decoded([b"a", b"b"], encoding)) == [b"a", b"b"]


@pytest.mark.parametrize("size", [1, 1000, 10**7])
@pytest.mark.parametrize(("encoding", "raw"), [("gzip", gzip.compress(TEXT)), ("deflate", zlib.compress(TEXT))])
def test_undone_however_it_is_cut(encoding: str, raw: bytes, size: int) -> None:
    pieces = [raw[start : start + size] for start in range(0, len(raw), size)]
    assert b"".join(decoded(pieces, encoding)) == TEXT


def test_a_bomb_comes_out_in_small_pieces() -> None:
    pieces = decoded([bomb(10_000_000)], "gzip")
    sizes = [len(piece) for piece in pieces]
    assert max(sizes) <= 1 << 16
    assert sum(sizes) == 10_000_000


def test_what_follows_the_end_is_left() -> None:
    assert b"".join(decoded([gzip.compress(b"a") + b"rest", b"more"], "gzip")) == b"a"


@pytest.mark.parametrize(("encoding", "body"), [("br", b"x"), ("gzip, gzip", b"x"), ("gzip", b"no gzip")])
def test_what_can_not_be_undone(encoding: str, body: bytes) -> None:
    with pytest.raises(Unreadable):
        list(decoded([body], encoding))
