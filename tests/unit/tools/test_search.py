"""list_directory, glob and grep."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from rescene_cli.core.errors import ToolError
from rescene_cli.tools.search import Glob, Grep, ListDirectory
from tests.support.tools import Call, calls, said, workspace


@pytest.fixture
def tools(tmp_path: Path) -> dict[str, Call]:
    root = tmp_path / "root"
    for name in ("src/app.py", "src/deep/util.py", "README.md", "build/out.py", ".env", "src/new\nline.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"# {name.split('/')[-1]!r}\nvalue = 1\n")
    (root / ".gitignore").write_text("build\n.env\n")
    (root / "link").symlink_to("src")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return calls(workspace(root), ListDirectory, Glob, Grep)


def test_a_directory(tools: dict[str, Call]) -> None:
    outcome = tools["list_directory"]()
    assert said(outcome).splitlines() == [
        ".git/", "build/ (ignored)", "src/", ".env (ignored)", ".gitignore", "README.md", "link -> src",
    ]  # fmt: skip
    assert outcome.title == ".  7 entries"
    assert said(tools["list_directory"](path="src", depth=2)) == "deep/\n  util.py\napp.py\nnew\\nline.py"


def test_ignored_directories_are_not_opened(tools: dict[str, Call]) -> None:
    text = said(tools["list_directory"](depth=3))
    assert "util.py" in text
    assert "out.py" not in text
    assert said(tools["list_directory"](path="build")) == "out.py (ignored)"


def test_long_listings_say_that_there_is_more(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "root/many").mkdir()
    for number in range(600):
        (tmp_path / f"root/many/{number:04}").touch()
    lines = said(tools["list_directory"](path="many")).splitlines()
    assert len(lines) == 501
    assert lines[-1].startswith("[the first 500 entries")
    found = said(tools["glob"](pattern="many/*")).splitlines()
    assert len(found) == 201
    assert found[-1] == "[the first 200 of 600 files; use a narrower pattern]"


def test_an_empty_directory(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "root/empty").mkdir()
    assert said(tools["list_directory"](path="empty")) == "empty is empty."


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("list_directory", {"path": "README.md"}, "no directory"),
        ("list_directory", {"path": "sr"}, "Did you mean"),
        ("glob", {"pattern": "*", "path": "README.md"}, "no directory"),
        ("grep", {"pattern": "x", "path": "src/ap.py"}, "Did you mean src/app.py"),
        ("grep", {"pattern": "a\nb"}, "line break"),
        ("grep", {"pattern": "a\0b"}, "line break"),
        ("grep", {"pattern": "\ud800"}, "line break"),
    ],
)
def test_refusals(tools: dict[str, Call], tool: str, arguments: dict[str, str], expected: str) -> None:
    with pytest.raises(ToolError, match=expected):
        tools[tool](**arguments)


def test_globs(tmp_path: Path, tools: dict[str, Call]) -> None:
    outcome = tools["glob"](pattern="*.py")
    assert said(outcome).splitlines() == ["src/app.py", "src/deep/util.py", "src/new\\nline.py"]
    assert outcome.title == "*.py  3 files"
    assert said(tools["glob"](pattern="*.py", path="src/deep")) == "src/deep/util.py"
    assert said(tools["glob"](pattern=f"{tmp_path}/root/src/*.py")).splitlines()[0] == "src/app.py"
    assert "No file fits *.rs" in said(tools["glob"](pattern="*.rs"))


def test_a_deleted_tracked_file_is_not_found(tmp_path: Path, tools: dict[str, Call]) -> None:
    root = tmp_path / "root"
    subprocess.run(["git", "add", "README.md"], cwd=root, check=True)
    (root / "README.md").unlink()
    assert "No file fits" in said(tools["glob"](pattern="README.md"))


def test_lines(tools: dict[str, Call]) -> None:
    outcome = tools["grep"](pattern="value", glob="src/**/*.py")
    assert said(outcome).splitlines() == [
        "src/app.py:2:value = 1", "src/deep/util.py:2:value = 1", "src/new\\nline.py:2:value = 1",
    ]  # fmt: skip
    assert outcome.title == "value  3 matches in 3 files"
    assert said(tools["grep"](pattern="VALUE", path="src/app.py", ignore_case=True)) == "src/app.py:2:value = 1"
    context = said(tools["grep"](pattern="value", path="src/app.py", context=1))
    assert context == "src/app.py-1-# 'app.py'\nsrc/app.py:2:value = 1"
    assert "No line matches -v" in said(tools["grep"](pattern="-v"))


def test_many_lines_are_capped(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "root/big").write_text("needle\n" * 500)
    lines = said(tools["grep"](pattern="needle")).splitlines()
    assert len(lines) == 201
    assert lines[-1].startswith("[500 matches in 1 file; the first 200 lines")


def test_names_that_are_not_utf_8_can_be_sent(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "root" / os.fsdecode(b"caf\xe9.txt")).write_text("value\n")
    for outcome in (
        tools["list_directory"](),
        tools["glob"](pattern="*.txt"),
        tools["grep"](pattern="value", glob="*.txt"),
    ):
        assert "caf\\xe9.txt" in said(outcome)
        said(outcome).encode()


def test_a_pattern_that_leads_out_says_so(tmp_path: Path, tools: dict[str, Call]) -> None:
    (tmp_path / "root/out").symlink_to(tmp_path)
    for pattern in ("../*", "/etc/*", "out/*", "src/../../*", "~/*", f"{tmp_path}/*"):
        with pytest.raises(ToolError, match="leads out of the project"):
            tools["glob"](pattern=pattern)
    for call in (lambda: tools["glob"](pattern="*/../../x"), lambda: tools["grep"](pattern="x", glob="../*")):
        with pytest.raises(ToolError, match="climbs"):
            call()


def test_a_pattern_may_go_round(tools: dict[str, Call]) -> None:
    assert said(tools["glob"](pattern="../*.md", path="src")) == "README.md"
    assert said(tools["glob"](pattern="link/*.py")).splitlines()[0] == "src/app.py"
    assert said(tools["glob"](pattern="src/../*.md")) == "README.md"
    assert said(tools["glob"](pattern="/src/deep/*.py")) == "src/deep/util.py"


def test_what_is_no_file_is_not_searched(tmp_path: Path, tools: dict[str, Call]) -> None:
    os.mkfifo(tmp_path / "root/pipe")
    with pytest.raises(ToolError, match="pipe is a pipe, socket or device"):
        tools["grep"](pattern="x", path="pipe")


def test_one_is_no_many(tools: dict[str, Call]) -> None:
    assert tools["list_directory"](path="build").title == "build  1 entry"
