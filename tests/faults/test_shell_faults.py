"""Commands that behave badly: each call comes back, with what was said, and leaves nothing behind."""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from rescene_cli import process
from rescene_cli.core.messages import CallId, plain_text
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import CallContext
from rescene_cli.session.archive import OutputArchive
from rescene_cli.tools.shell import RunCommand
from rescene_cli.workspace.boundary import Boundary
from tests.support.processes import descriptors, eventually


class Shell:
    """`run_command` in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.archive, self.interrupt = OutputArchive(), Interrupt()
        self.tool = RunCommand(Boundary(root), self.archive, process.child_environment(os.environ))

    def __call__(self, command: str, timeout: int = 60) -> str:
        context = CallContext(CallId("c1"), self.interrupt)
        return plain_text(self.tool.run({"command": command, "timeout": timeout}, context).parts)


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    yield Shell(tmp_path)
    process.reap_all()


def test_a_full_pipe_both_ways(shell: Shell) -> None:
    """The child reads to the end of its input and writes more than any pipe holds, on both streams."""
    text = shell("cat; (head -c 3000000 /dev/zero | tr '\\0' o) & (head -c 3000000 /dev/zero | tr '\\0' e) >&2; wait")
    kept = shell.archive.get("out1")
    assert kept is not None
    assert (kept.count(b"o"), kept.count(b"e")) == (3_000_000, 3_000_000)
    assert "[exit 0, " in text


def test_a_stopped_process_is_ended_all_the_same(shell: Shell) -> None:
    assert "exit 137 (SIGKILL)" in shell("echo before; kill -STOP $$; echo after", timeout=1)


def test_a_command_that_ends_its_own_group(shell: Shell) -> None:
    assert shell("echo last words; sleep 300 & kill 0; wait").startswith("last words\n[exit 143 (SIGTERM), ")


def test_many_writers_at_once(shell: Shell) -> None:
    text = shell("for i in $(seq 50); do (for j in $(seq 20); do echo line $i $j; done) & done; wait")
    lines = text.splitlines()
    assert sorted(lines[:-1]) == sorted(f"line {i} {j}" for i in range(1, 51) for j in range(1, 21))


def test_one_line_without_end(shell: Shell) -> None:
    text = shell("head -c 5000000 /dev/zero | tr '\\0' x")
    assert len(text) < 31_000
    assert 'read_output(id="out1", offset=' in text


def test_a_hundred_daemons(shell: Shell) -> None:
    text = shell("for i in $(seq 100); do setsid sleep 2 & done; echo started")
    assert text.startswith("started\n")
    assert "still runs" in text


def test_when_descriptors_run_out_nothing_is_left_open(shell: Shell) -> None:
    shell("true")
    before = descriptors()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken: list[int] = []
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before + 40, hard))
        with pytest.raises(OSError, match="Too many open files"):
            while True:
                taken.append(os.open("/dev/null", os.O_RDONLY))
        for free in range(6):  # with each number of free descriptors: refused or run, never half
            for descriptor in taken[:free]:
                os.close(descriptor)
            try:
                assert "[exit 0, " in shell("true")
            except OSError as error:
                assert "Too many open files" in str(error)
            taken[:free] = [os.open("/dev/null", os.O_RDONLY) for _ in range(free)]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for descriptor in taken:
            os.close(descriptor)
    assert eventually(lambda: descriptors() <= before)
    assert "[exit 0, " in shell("true")


def test_git_waits_for_no_editor_and_no_password(shell: Shell, tmp_path: Path) -> None:
    class Locked(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Quiet."""

    shell("git init -q . && git config user.name n && git config user.email e@example.invalid")
    assert "empty commit message" in shell("EDITOR='sleep 300' git commit --allow-empty")
    shell("git commit -q --allow-empty -m first")
    assert "[exit 0, " in shell("git commit --allow-empty --amend && git --paginate log")
    server = HTTPServer(("127.0.0.1", 0), Locked)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        text = shell(f"git -c credential.helper= ls-remote http://127.0.0.1:{server.server_port}/x.git")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert "terminal prompts disabled" in text
    assert "[exit 128, " in text


def test_a_folder_that_goes_away_while_the_command_runs(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    context = CallContext(CallId("c1"), Interrupt())
    outcome = shell.tool.run({"command": "rmdir ../gone; echo on", "cwd": "gone"}, context)
    assert plain_text(outcome.parts).startswith("on\n[exit 0, ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter every folder")
def test_a_folder_that_may_not_be_entered(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    with pytest.raises(PermissionError):
        shell.tool.run({"command": "true", "cwd": "closed"}, CallContext(CallId("c1"), Interrupt()))
