"""What a session's tools share: what a person allowed outside, the look ahead, commands of one's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from rescene_cli.core.messages import CallId, ToolCall
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import CallContext, Effect, Invocation, Outcome
from rescene_cli.tools.kit import Kit
from rescene_cli.workspace.boundary import Boundary

ENVIRONMENT = {"PATH": os.environ.get("PATH", "/usr/bin:/bin")}


def kit(root: Path) -> Kit:
    return Kit(Boundary(root), ENVIRONMENT, Interrupt(), lambda _: None)


def invoke(made: Kit, name: str, **arguments: Any) -> Invocation:
    tools = made.tools(lambda question, options: None, lambda: None)  # type: ignore[arg-type,return-value]
    spec = next(tool.spec for tool in tools if tool.spec.name == name)
    return Invocation(ToolCall(CallId("c1"), name, ""), spec, arguments)


def run(made: Kit, invocation: Invocation) -> Outcome:
    tools = made.tools(lambda question, options: None, lambda: None)  # type: ignore[arg-type,return-value]
    tool = next(tool for tool in tools if tool.spec.name == invocation.spec.name)
    return tool.run(invocation.arguments, CallContext(CallId("c1"), Interrupt()))


def lowest_free_descriptor() -> int:
    free = os.dup(0)
    os.close(free)
    return free


def test_each_call_that_is_permitted_may_write_outside(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    made = kit(tmp_path / "root")
    for name in ("one/a.txt", "one/b.txt"):
        wanted = invoke(made, "write_file", path=f"../{name}", content="x\n")
        made.permit(wanted)
        assert run(made, wanted).ok
        assert (tmp_path / name).read_text() == "x\n"


def test_a_look_ahead_shows_the_diff_and_changes_and_holds_nothing(tmp_path: Path) -> None:
    made = kit(tmp_path)
    wanted = invoke(made, "write_file", path="a.txt", content="x\n")
    free = lowest_free_descriptor()
    diffs = {made.preview(wanted) for _ in range(20)}
    assert [diff.count("+x") for diff in diffs] == [1]
    assert not (tmp_path / "a.txt").exists()
    assert lowest_free_descriptor() == free


def test_what_stands_at_a_path_is_named_with_all_below_it(tmp_path: Path) -> None:
    (tmp_path / "d/e").mkdir(parents=True)
    (tmp_path / "d/e/f").touch()
    (tmp_path / "link").symlink_to("d")
    made = kit(tmp_path)
    assert set(made.standing("d")) == {"d", "d/e", "d/e/f"}
    assert list(made.standing("d/e/f")) == ["d/e/f"]
    assert list(made.standing("link")) == ["link"]
    assert list(made.standing("gone")) == ["gone"]


def test_a_look_ahead_at_what_can_not_run_shows_nothing(tmp_path: Path) -> None:
    assert Effect.WRITE in invoke(kit(tmp_path), "edit_file").spec.effects
    made = kit(tmp_path)
    assert made.preview(invoke(made, "edit_file", path="gone", old_string="a", new_string="b")) == ""


@pytest.mark.parametrize("notice", ["rescene asks: a\0b", "rescene asks: " + "x" * 300_000, "\ud800"])
def test_a_notice_of_any_text_is_carried_out(notice: str, tmp_path: Path) -> None:
    kit(tmp_path).notify('printf %s "$RESCENE_NOTICE" > said', notice)
    said = (tmp_path / "said").read_bytes()
    assert 0 < len(said) < 1000


@pytest.mark.parametrize("command", [" ", "exit 3", "no-such-program-anywhere"])
def test_a_notice_that_can_not_go_out_stops_nothing(command: str, tmp_path: Path) -> None:
    kit(tmp_path).notify(command, "rescene is done")
