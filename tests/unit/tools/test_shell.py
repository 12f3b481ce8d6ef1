from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from rescene_cli import process
from rescene_cli.core.errors import Interrupted, ToolError
from rescene_cli.core.messages import CallId, plain_text
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import CallContext, Effect, Outcome
from rescene_cli.process import Finished
from rescene_cli.session.archive import OutputArchive
from rescene_cli.tools.shell import RunCommand, shell_argv, whole_output
from rescene_cli.workspace.boundary import Boundary


class Shell:
    """The tool in a folder of its own, with what it showed."""

    def __init__(self, root: Path, **changes: object) -> None:
        self.archive, self.interrupt, self.shown = OutputArchive(), Interrupt(), ""
        environment = process.child_environment(os.environ)
        self.tool = RunCommand(Boundary(root), self.archive, environment, **changes)  # type: ignore[arg-type]

    def show(self, text: str) -> None:
        self.shown += text

    def run(self, command: str, **arguments: object) -> tuple[Outcome, str]:
        context = CallContext(CallId("c1"), self.interrupt, self.show)
        outcome = self.tool.run({"command": command, **arguments}, context)
        return outcome, re.sub(r"\d+(\.\d)? m?s\b", "TIME", plain_text(outcome.parts))


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_success(shell: Shell, tmp_path: Path) -> None:
    outcome, text = shell.run("pwd; echo two >&2")
    assert text == f"{tmp_path}\ntwo\n[exit 0, TIME]"
    assert outcome.ok
    assert re.fullmatch(r"exit 0 in [\d.]+ m?s", outcome.title)
    assert shell.shown == f"{tmp_path}\ntwo\n"


def test_failure_is_an_ordinary_result(shell: Shell) -> None:
    outcome, text = shell.run("printf oops; exit 7")
    assert text == "oops\n[exit 7, TIME]"
    assert not outcome.ok
    assert outcome.title.startswith("exit 7 in ")


def test_no_output_is_said(shell: Shell) -> None:
    assert shell.run("true")[1] == "(no output)\n[exit 0, TIME]"


def test_a_command_that_is_not_there(shell: Shell) -> None:
    outcome, text = shell.run("no-such-command-at-all")
    assert "no-such-command-at-all: command not found" in text
    assert outcome.title.startswith("exit 127 in ")


def test_half_a_character_is_named(shell: Shell) -> None:
    with pytest.raises(ToolError, match=r"U\+D800"):
        shell.run("echo \ud800")


def test_a_signal_is_named(shell: Shell) -> None:
    outcome, text = shell.run("kill -SEGV $$")
    assert text == "(no output)\n[exit 139 (SIGSEGV), TIME]"
    assert outcome.title.startswith("exit 139 (SIGSEGV) in ")
    assert "[exit 255, TIME]" in shell.run("exit 255")[1]


def test_it_is_bash(shell: Shell) -> None:
    assert shell.run("[[ a < b ]] && echo <(:)")[0].ok


def test_working_directory(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "web/src").mkdir(parents=True)
    assert shell.run("pwd", cwd="web/src")[1] == f"{tmp_path}/web/src\n[exit 0, TIME, in web/src]"
    assert shell.run("pwd", cwd=str(tmp_path / "web"))[1].endswith("[exit 0, TIME, in web]")
    assert shell.run("pwd", cwd=".")[1] == f"{tmp_path}\n[exit 0, TIME]"
    (tmp_path / "file").touch()
    for wrong in ("nowhere", "file"):
        with pytest.raises(ToolError, match=f"no folder '{wrong}'"):
            shell.run("pwd", cwd=wrong)


def test_a_folder_outside_is_named_whole(tmp_path: Path) -> None:
    """Whether it may be used is the gate's to decide; the result never hides it."""
    (tmp_path / "project").mkdir()
    _, text = Shell(tmp_path / "project").run("pwd", cwd="..")
    assert text == f"{tmp_path}\n[exit 0, TIME, in {tmp_path}]"


def test_timeout_keeps_the_output(shell: Shell) -> None:
    outcome, text = shell.run("echo said; sleep 100", timeout=1)
    assert text == "said\n[exit 143 (SIGTERM), TIME, timed out and was stopped]"
    assert not outcome.ok
    assert outcome.title.startswith("timed out after ")


def test_a_command_that_ends_well_when_told_to_has_still_timed_out(shell: Shell) -> None:
    outcome, text = shell.run("trap 'exit 0' TERM; while :; do sleep 0.05; done", timeout=1)
    assert not outcome.ok
    assert "[exit 0, TIME, timed out and was stopped]" in text


def test_interrupt_keeps_the_output(tmp_path: Path) -> None:
    class Stopping(Shell):
        def show(self, text: str) -> None:
            super().show(text)
            self.interrupt.set()

    shell = Stopping(tmp_path)
    outcome, text = shell.run("echo said; sleep 100")
    assert text == "said\n[exit 143 (SIGTERM), TIME, stopped early]"
    assert not outcome.ok
    assert outcome.title.startswith("stopped after ")
    with pytest.raises(Interrupted):
        shell.run("echo never")


def test_what_still_runs_is_said(shell: Shell) -> None:
    outcome, text = shell.run("sleep 300 & echo started")
    assert outcome.ok
    assert outcome.title.endswith(", something still runs")
    assert re.search(r"\[exit 0, TIME, something it started still runs \(process group \d+\)", text)
    process.reap_all()


def test_provider_keys_are_not_handed_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert "ANTHROPIC_API_KEY" not in Shell(tmp_path).run("env")[1]


def test_long_output_is_cut_and_kept(shell: Shell) -> None:
    _, text = shell.run("seq 1 200000")
    assert len(text) < 30_300
    assert 'read_output(id="out1", offset=' in text
    assert text.startswith("1\n2\n")
    assert text.endswith("\n200000\n[exit 0, TIME]")
    assert shell.archive.get("out1") == b"".join(b"%d\n" % number for number in range(1, 200_001))


def test_colours_and_progress_are_not_for_the_model(shell: Shell) -> None:
    assert shell.run(r"printf '\033[31mred\033[0m\n 1%%\r 2%%\r3%%\n'")[1] == "red\n3%\n[exit 0, TIME]"


@pytest.mark.parametrize(
    ("command", "says"), [("", "empty"), (" \n", "empty"), ("a\0b", "NUL"), ("#" * 131_072, "longer")]
)
def test_commands_no_shell_can_be_given(command: str, says: str) -> None:
    with pytest.raises(ToolError, match=says):
        shell_argv(command)


def test_the_longest_command_runs(shell: Shell) -> None:
    assert shell.run("#" + "x" * 131_070)[0].ok


def test_another_spawner_can_take_its_place(tmp_path: Path) -> None:
    seen: dict[str, object] = {}

    def spawn(argv: list[str], **how: object) -> Finished:
        seen.update(how, argv=argv)
        return Finished(0, b"head tail", 0.002, omitted=5, gap=4)

    _, text = Shell(tmp_path, spawn=spawn).run("make", timeout=7)
    assert seen["argv"][1:] == ["-c", "make"]  # type: ignore[index]
    assert (seen["cwd"], seen["timeout"]) == (tmp_path, 7)
    assert text == "head\n[5 bytes were not kept]\n tail\n[exit 0, TIME]"


def test_output_that_was_kept_whole_has_no_note() -> None:
    assert whole_output(Finished(0, b"all", 0.1, gap=3)) == b"all"


def test_how_the_model_sees_it(shell: Shell) -> None:
    spec = shell.tool.spec
    assert (spec.effects, spec.targets({"cwd": "x"}).named, spec.resident) == ({Effect.EXECUTE}, ("x",), True)
    assert spec.parameters["properties"]["timeout"]["maximum"] == 600
    assert len(spec.description) + len(str(spec.parameters)) < 900
