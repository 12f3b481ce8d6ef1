"""One search, two engines, one answer."""

from __future__ import annotations

import os
import shutil
import threading
from pathlib import Path

import pytest

from rescene_cli.core.errors import Interrupted, ToolError
from rescene_cli.core.runtime import Interrupt
from rescene_cli.workspace.grep import Hit, Query, search


@pytest.fixture(params=["ripgrep", "own"])
def engine(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> str:
    if request.param == "ripgrep" and not shutil.which("rg"):
        pytest.skip("ripgrep is not installed")
    if request.param == "own":
        only_git = tmp_path_factory.mktemp("bin")
        (only_git / "git").symlink_to(shutil.which("git") or "git")
        monkeypatch.setenv("PATH", str(only_git))
    return str(request.param)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, data in {
        "a.py": b"import os\nvalue = 1\nother = 2\nValue = 3\n",
        "sub/b.txt": "first\r\nvälue ok\r\nlast value".encode(),
        "sub/.hidden": b"value\n",
        "skip.log": b"value\n",
        "binary": b"value\0value\n",
        "latin": b"caf\xe9 value\n",
        "-dash": b"--value\n",
        "new\nline": b"other words\n",
        ".gitignore": b"*.log\n",
        "long": b"value" + b"x" * 2000 + b"\n",
        ".git/config": b"value\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    return tmp_path


def places(query: Query) -> list[tuple[str, int]]:
    return [(hit.path, hit.line) for hit in search(query).hits if hit.matches]


def test_the_same_lines_whoever_searches(project: Path, engine: str) -> None:
    expected = [("-dash", 1), ("a.py", 2), ("latin", 1), ("long", 1), ("sub/.hidden", 1), ("sub/b.txt", 3)]
    assert places(Query("value", project)) == expected
    assert places(Query("VALUE", project, "*.py", ignore_case=True)) == [("a.py", 2), ("a.py", 4)]
    assert places(Query("value", project, "sub/**")) == [("sub/.hidden", 1), ("sub/b.txt", 3)]
    assert places(Query("ok$", project)) == [("sub/b.txt", 2)]  # CRLF is an end like any other
    assert places(Query("--value", project)) == [("-dash", 1)]
    assert places(Query("other words", project)) == [("new\nline", 1)]
    assert places(Query("nothing at all", project)) == []


def test_one_file_even_an_ignored_one(project: Path, engine: str) -> None:
    assert places(Query("value", project / "skip.log")) == [("skip.log", 1)]
    assert places(Query("value", project / "-dash")) == [("-dash", 1)]


def test_context_and_gaps(project: Path, engine: str) -> None:
    (project / "a.py").write_text("".join(f"line {number}\n" for number in range(9)))
    hits = search(Query("line [17]", project / "a.py", context=1)).hits
    shown = [(hit.line, hit.matches) for hit in hits]
    assert shown == [(1, False), (2, True), (3, False), (0, False), (7, False), (8, True), (9, False)]
    assert hits[1] == Hit("a.py", 2, "line 1", matches=True)


def test_long_lines_are_cut_and_odd_bytes_can_be_sent(project: Path, engine: str) -> None:
    [cut] = search(Query("value", project / "long")).hits
    assert len(cut.text) < 600
    [odd] = search(Query("caf", project / "latin")).hits
    assert odd.text == "caf\ufffd value"


def test_patterns_of_python_work_too(project: Path, engine: str) -> None:
    assert places(Query(r"(?<=other = )\d", project)) == [("a.py", 3)]
    with pytest.raises(ToolError, match=r"'a\(' is no valid regular expression.*at character 2"):
        search(Query("a(", project))


def test_a_search_that_does_not_end_is_stopped(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "evil").write_text("a" * 200 + "!\n")
    interrupt = Interrupt()
    timer = threading.Timer(0.3, interrupt.set)
    timer.start()
    with pytest.raises(Interrupted):
        search(Query(r"(?=a)(a+)+$", project / "evil"), interrupt)
    timer.join()


def test_the_projects_own_modules_are_not_run(project: Path, engine: str) -> None:
    (project / "re.py").write_text("raise SystemExit('mine')\n")
    (project / "rescene_cli").mkdir()
    assert os.environ["PATH"]
    assert places(Query(r"(?<=other = )\d", project, "*.py")) == [("a.py", 3)]


def test_classes_have_their_names(project: Path, engine: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert places(Query("^[[:alpha:]]+ = [[:digit:]]", project, "*.py")) == [("a.py", 2), ("a.py", 3), ("a.py", 4)]
    assert places(Query(r"^[^[:space:]]+ [[:punct:]] [2-3]$", project, "*.py")) == [("a.py", 3), ("a.py", 4)]
    assert places(Query("[[]", project, "*.py")) == []
    with pytest.raises(ToolError, match=r"no class \[:foo:\]. Use one of: alnum"):
        search(Query("[[:foo:]]", project))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("pattern", ["(" * 5000, "(?:" * 3000 + "a" + ")" * 3000, "a{99999999999999999999}"])
def test_a_pattern_that_is_too_much_is_refused_in_a_sentence(project: Path, engine: str, pattern: str) -> None:
    with pytest.raises(ToolError) as raised:
        search(Query(pattern, project))
    assert "Traceback" not in str(raised.value)
    assert str(raised.value).startswith("The pattern ")


def test_pipes_and_links_are_passed_over(project: Path, engine: str) -> None:
    os.mkfifo(project / "pipe")
    (project / "away").symlink_to("a.py")
    (project / ".gitignore").unlink()
    os.mkfifo(project / ".gitignore")
    assert places(Query("value = 1", project)) == [("a.py", 2)]
