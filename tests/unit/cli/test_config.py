"""`rescene config`, as people type it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RESCENE = (sys.executable, "-m", "rescene_cli", "config")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def config(*arguments: str) -> str:
    done = subprocess.run([*RESCENE, *arguments], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def data(*arguments: str) -> Any:
    return json.loads(config(*arguments, "--json"))["data"]


def test_set_get_unset() -> None:
    assert config("get", "limits.max_cost") == ""
    assert "is set in" in config("set", "limits.max_cost", "2.5")
    assert config("get", "limits.max_cost") == "2.5\n"
    assert data("get", "limits.max_cost") == {"key": "limits.max_cost", "value": 2.5}
    assert "is removed from" in config("unset", "limits.max_cost")
    assert "was not set in" in config("unset", "limits.max_cost")
    assert config("get", "limits.max_cost") == ""


def test_lists_and_choices() -> None:
    config("set", "fallback", "a/b,c/d")
    assert config("get", "fallback") == "a/b,c/d\n"
    assert data("get", "fallback")["value"] == ["a/b", "c/d"]
    config("set", "mode", "ask")
    assert data("get", "mode")["value"] == "ask"


def test_tables() -> None:
    config("set", "verify.rules", '[{paths = ["*.py"], command = "make"}]')
    assert data("get", "verify.rules")["value"] == [
        {"paths": ["*.py"], "command": "make", "needs": "", "containing": ""}
    ]
    assert '"command": "make"' in config("get", "verify.rules")


def test_a_wrong_value_is_not_written(project: Path) -> None:
    done = subprocess.run([*RESCENE, "set", "mode", "wild"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith("error: mode must be one of: plan, ask, auto, yolo.")
    assert not Path(data("path")["user"]).exists()


def test_explain_says_who_said_what(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config("set", "mode", "ask")
    config("set", "mode", "yolo", "--project")
    monkeypatch.setenv("RESCENE_MODE", "plan")
    user = config("path").splitlines()[0]
    lines = config("explain", "mode", "--trust-project").splitlines()
    assert lines == [
        "How much runs unasked.",
        "  auto  default",
        f"  ask  user {user}:1",
        f"  yolo  project {project}/.rescene/config.toml:1 (a project can only make it stricter)",
        "> plan  environment RESCENE_MODE",
    ]
    assert [origin["layer"] for origin in data("explain", "mode")] == ["default", "user", "environment"]


def test_list_has_every_key() -> None:
    assert len(config("list").splitlines()) == len(data("list"))


def test_path(project: Path) -> None:
    assert data("path")["project"] == f"{project}/.rescene/config.toml"


def test_the_project_is_found_from_below(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "deep").mkdir()
    monkeypatch.chdir(project / "deep")
    config("set", "mode", "ask", "--project")
    assert (project / ".rescene" / "config.toml").read_text() == 'mode = "ask"\n'
