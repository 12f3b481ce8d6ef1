"""Lines that are no pattern, and files of rules that are no rules; what rules mean is compared with git elsewhere."""

from __future__ import annotations

import pytest

from rescene_cli.workspace.ignores import MOST_BYTES, Rules


@pytest.mark.parametrize("line", ["!", "foo\\", "!\\", "/", "", "  ", "[z", "[[:foo:]]", "# a", "//", "!/"])
def test_a_line_that_is_no_pattern_is_passed_over(line: str) -> None:
    rules = Rules(f"{line}\nkept\n".encode())
    assert rules.verdict("kept") is True
    assert [rules.verdict(path) for path in ("foo", "f", "z", "a", "foo\\")] == [None] * 5


def test_the_last_rule_has_the_last_word() -> None:
    rules = Rules(b"*.log\n!keep.log\nkeep.log/\n")
    assert [rules.verdict(path) for path in ("a.log", "x/keep.log", "keep.log/", "b")] == [True, False, True, None]


def test_bytes_and_line_ends_are_as_git_has_them() -> None:
    rules = Rules(b"\xef\xbb\xbfone\r\ncaf\xe9\ntwo \nthree\\ \nx\x0by\n")
    paths = ("one", "caf\udce9", "two", "three ", "x\x0by", "three", "x")
    assert [rules.verdict(path) for path in paths] == [True] * 5 + [None] * 2


def test_rules_of_any_size_are_read_and_matched() -> None:
    stars = b"*" * 400 + b"z\n" + b"*a" * 1000 + b"*b\n"
    assert Rules(stars).verdict("a" * 200) is None
    assert Rules(b"a\n" + b"x" * 5000 + b"\n").verdict("a") is True
    cut = Rules((b"a\n" + b"b*c\n" * MOST_BYTES)[:MOST_BYTES])
    assert (cut.verdict("a"), cut.verdict("bxc"), cut.verdict("b")) == (True, True, None)
