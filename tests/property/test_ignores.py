"""The rules of `.gitignore` against git itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rescene_cli.workspace.ignores import Rules

_PIECES = [
    *"ab/*?[]!^-\\ #", "**", "/**", "**/", "***", "[ab]", "[!a]", "[]a]", "[a-b]", "[b-a]", "[[:alpha:]]", "[[:foo:]]",
    "[^b]", "\\*", "\\ ", "a/b",
]  # fmt: skip
lines = st.lists(st.sampled_from(_PIECES), max_size=6).map("".join)
PATHS = [
    "a", "b", "ab", "ba", "a/a", "a/b", "b/a", "a/b/a", "b/a/b", "a/a/a/b", "aa", "*", "a b", "a ", "-", "[", "]",
    "\\a", "#a", "!a", "ab/ab", "a/ab", "c", "a/c/b", "^",
]  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def by_git(root: Path, data: bytes, paths: list[str]) -> dict[str, bool | None]:
    """What the last rule that speaks of each path says, as git tells it for a path of no file."""
    (root / ".gitignore").write_bytes(data)
    command = ["git", "check-ignore", "-z", "--no-index", "--verbose", "--non-matching", "--stdin"]
    asked = "".join(f"{path}\0" for path in paths).encode()
    done = subprocess.run(command, cwd=root, input=asked, capture_output=True, check=False)
    fields = done.stdout.decode().split("\0")
    found = zip(fields[1::4], fields[2::4], fields[3::4], strict=False)
    return {path: None if not number else not rule.startswith("!") for number, rule, path in found}


def by_us(data: bytes, path: str) -> bool | None:
    """A path below something ignored is ignored, as git has it."""
    rules = Rules(data)
    parts = path.split("/")
    for depth in range(1, len(parts)):
        if rules.verdict("/".join(parts[:depth]) + "/"):
            return True
    return rules.verdict(path)


@given(st.lists(lines, min_size=1, max_size=3), st.sampled_from(["\n", "\r\n"]))
def test_a_path_is_ignored_when_git_says_so(repository: Path, rules: list[str], end: str) -> None:
    data = end.join(rules).encode() + end.encode()
    assert {path: by_us(data, path) or False for path in PATHS} == {
        path: found or False for path, found in by_git(repository, data, PATHS).items()
    }
