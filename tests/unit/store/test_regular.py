from __future__ import annotations

import os
from pathlib import Path

import pytest

from rescene_cli.store.regular import pieces, read_regular, read_start
from tests.support.processes import descriptors


def test_a_file_is_read_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("a")
    assert read_regular(tmp_path / "link", 5) == b"12345"


def test_a_longer_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    with pytest.raises(OSError, match="Larger than 4 bytes"):
        read_regular(tmp_path / "a", 4)


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_regular_file_is_refused_at_once(kind: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    before = descriptors()
    with pytest.raises(OSError, match="Not a regular file"):
        read_regular(tmp_path / kind, 1 << 20)
    assert descriptors() == before


def test_the_start_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_start(tmp_path / "a", 3) == b"123"
    assert read_start(tmp_path / "a", 9) == b"12345"
    assert read_start(tmp_path / "a", 0) == b""
    assert b"".join(pieces(tmp_path / "a")) == b"12345"


def test_a_link_is_not_followed_where_it_must_not(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        read_regular(tmp_path / "link", 9, follow=False)
