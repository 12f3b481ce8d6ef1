"""Which evidence is gathered, and what it means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rescene_cli.agent.verify import Verifier, summary
from rescene_cli.core.events import Event, Evidence, Verification
from rescene_cli.core.evidence import VerifyMode, VerifyRule
from rescene_cli.core.runtime import SystemClock


def verifier(root: Path, run=lambda c: (0, ""), **more: object) -> tuple[Verifier, list[Event]]:
    events: list[Event] = []
    return Verifier(root, run, events.append, SystemClock(), **more), events  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("files", "changed", "expected"),
    [
        ({"go.mod": ""}, ["a/b.go"], ["go build ./..."]),
        ({}, ["a/b.go"], []),
        ({"Cargo.toml": ""}, ["src/lib.rs"], ["cargo check --quiet"]),
        ({"package.json": '{"scripts": {"build": "x"}}'}, ["web/a.tsx", "b.css"], ["npm run build"]),
        ({"package.json": '{"scripts": {}}'}, ["a.ts"], []),
        ({"go.mod": ""}, ["README.md"], []),
        ({"go.mod": ""}, [], []),
    ],
)
def test_built_in_rules_follow_what_changed(
    tmp_path: Path, files: dict[str, str], changed: list[str], expected: list[str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    made, events = verifier(tmp_path)
    assert [item.command for item in made.check(changed)] == expected
    statuses = [event.status for event in events if isinstance(event, Verification)]
    assert statuses == (["pass"] if expected else ["skipped"])


def test_configured_commands_replace_the_built_in_ones_and_skip_documentation(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("")
    made, _ = verifier(tmp_path, commands=("make check",), rules=(VerifyRule(("docs/*",), "make docs"),))
    assert [item.command for item in made.check(["a.go"])] == ["make check"]
    assert [item.command for item in made.check(["docs/a.md"])] == ["make docs"]


@pytest.mark.parametrize(
    ("pattern", "changed", "fits"),
    [
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/b/c/a.py", True),
        ("tests/**", "tests/unit/a.py", True),
        ("*.py", "deep/down/a.py", True),
        ("src/*.py", "src/b/a.py", False),
        ("docs/*.{md,rst}", "docs/a.rst", True),
    ],
)
def test_paths_of_a_rule_are_patterns_as_those_of_glob(tmp_path: Path, pattern: str, changed: str, fits: bool) -> None:
    made, _ = verifier(tmp_path, rules=(VerifyRule((pattern,), "check"),))
    assert bool(made.check([changed])) is fits


def test_off_runs_only_the_persons_own_criterion(tmp_path: Path) -> None:
    made, _ = verifier(tmp_path, commands=("make check",), accept=("mine",), mode=VerifyMode.OFF)
    assert [item.command for item in made.check(["a.py"])] == ["mine"]


def test_a_command_that_is_not_there_is_skipped_and_never_blocks(tmp_path: Path) -> None:
    made, events = verifier(
        tmp_path, lambda c: (127, "bash: line 1: go: command not found"), commands=("go vet",), mode=VerifyMode.BLOCK
    )
    evidence = made.check(["a.go"])
    assert made.blocks(evidence) == ()
    assert [event.status for event in events if isinstance(event, Verification)] == ["skipped"]
    assert "not installed" in summary(evidence, changed=True)


def test_a_check_that_crashes_is_recorded(tmp_path: Path) -> None:
    def run(command: str) -> tuple[int, str]:
        raise OSError("no shell")

    made, _ = verifier(tmp_path, run, commands=("x",), mode=VerifyMode.BLOCK)
    evidence = made.check(["a.py"])
    assert evidence[0].exit is None
    assert made.blocks(evidence) == evidence


def test_record_mode_never_blocks_but_the_persons_criterion_does(tmp_path: Path) -> None:
    made, _ = verifier(tmp_path, lambda c: (1, "no"), commands=("x",), accept=("mine",))
    assert [item.command for item in made.blocks(made.check(["a.py"]))] == ["mine"]


def test_summary_says_how_it_came_out() -> None:
    evidence = [Evidence("make", 0, 3.25, ""), Evidence("x" * 80, 2, 0.1, "")]
    text = summary(evidence, changed=True)
    assert text.startswith("make passed in 3.2 s, xxx")
    assert text.endswith("FAILED (exit 2)")
    assert summary([], changed=False) == ""
    assert summary([], changed=True).startswith("not checked")


def test_a_pipe_in_the_place_of_a_needed_file_needs_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "package.json")
    made, _ = verifier(tmp_path)
    assert made.check(["a.ts"]) == ()
