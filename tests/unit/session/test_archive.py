from __future__ import annotations

import threading

from rescene_cli.session.archive import OutputArchive


def test_what_is_kept_comes_back_byte_for_byte() -> None:
    archive = OutputArchive()
    first, second = archive.keep(b"\x1b[31mred\r\n\xff"), archive.keep(b"")
    assert (first, second) == ("out1", "out2")
    assert archive.get(first) == b"\x1b[31mred\r\n\xff"
    assert archive.get(second) == b""
    assert archive.names == (first, second)


def test_the_oldest_are_dropped_and_known_to_be() -> None:
    archive = OutputArchive(limit=10)
    for content in (b"1234", b"5678", b"90123"):
        archive.keep(content)
    assert archive.names == ("out2", "out3")
    assert archive.get("out1") is None
    assert archive.dropped("out1")
    assert not archive.dropped("out2")
    assert archive.count == 3


def test_an_output_that_is_too_big_alone_is_dropped_alone() -> None:
    archive = OutputArchive(limit=3)
    assert archive.dropped(archive.keep(b"1234"))
    archive.keep(b"123")
    assert archive.names == ("out2",)


def test_ids_that_were_never_given() -> None:
    archive = OutputArchive()
    archive.keep(b"")
    for name in ("out0", "out2", "out", "1", "", "out-1", "o1"):
        assert archive.get(name) is None
        assert not archive.dropped(name)


def test_keeping_from_several_threads_gives_each_its_own_id() -> None:
    archive, names = OutputArchive(limit=1000), []
    threads = [
        threading.Thread(target=lambda: names.extend(archive.keep(b"x" * 10) for _ in range(500))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(names)) == 2000
    assert len(archive.names) == 100
