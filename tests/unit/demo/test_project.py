"""The recorded replies are right for the sample project: replayed by hand, its failing tests pass."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rescene_cli.demo.project import demo_script, prepare


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return prepare()


def outcome(project: Path) -> str:
    command = [sys.executable, "-B", "-m", "unittest"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False).stderr


def calls(name: str) -> Iterator[dict[str, Any]]:
    for line in demo_script().read_text("utf-8").splitlines():
        for call in json.loads(line).get("calls", ()):
            if call["name"] == name:
                yield call["args"]


def test_the_sample_fails_as_the_script_expects(project: Path) -> None:
    assert "FAILED (failures=3)" in outcome(project)
    assert not (project / ".git").exists()


def test_the_recorded_changes_make_its_tests_pass(project: Path) -> None:
    for edit in calls("edit_file"):
        path = project / edit["path"]
        text = path.read_text("utf-8")
        assert text.count(edit["old_string"]) == 1
        path.write_text(text.replace(edit["old_string"], edit["new_string"]))
    (patch,) = calls("apply_patch")
    path = project / "shop" / "cart.py"
    section = patch["patch"].split("*** Update File: shop/cart.py\n@@\n")[1].split("*** Update")[0]
    old = "\n".join(line[1:] for line in section.splitlines() if line[:1] in " -")
    new = "\n".join(line[1:] for line in section.splitlines() if line[:1] in " +")
    assert path.read_text("utf-8").count(old) == 1
    path.write_text(path.read_text("utf-8").replace(old, new))
    assert outcome(project).rstrip().endswith("OK")
