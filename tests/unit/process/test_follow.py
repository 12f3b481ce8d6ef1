from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from rescene_cli.core.errors import Interrupted
from rescene_cli.core.runtime import Interrupt
from rescene_cli.process import Finished, reap_all, run, spawn
from rescene_cli.process.follow import CAP, follow
from tests.support.processes import descriptors, eventually, runs

DAEMON = """
import os, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
print(os.getpid(), flush=True)
time.sleep(300)
"""

ZOMBIE = """
import os, time
if os.fork(): os._exit(0)
zombie = os.fork()
if zombie == 0: os._exit(0)
os.waitid(os.P_PID, zombie, os.WEXITED | os.WNOWAIT)
os.setsid()
os.dup2(os.open("/dev/null", os.O_RDWR), 1)
os.dup2(1, 2)
time.sleep(3)
"""

NOBODY = """
import os, subprocess
from pathlib import Path
from rescene_cli.process import follow, run, spawn
roots = spawn(["sleep", "6"], cwd=Path("/"))
os.setgid(65534); os.setuid(65534)
done = run(["bash", "-c", "id -u; sleep 60"], cwd=Path("/"), timeout=1)
assert (done.output, done.timed_out, done.exit) == (b"65534\\n", True, 143), done
done = follow(roots, timeout=0.2)
assert (done.timed_out, done.left_over, done.exit) == (True, True, 137), done
os._exit(0)
"""


def bash(command: str, cwd: Path = Path("/"), **more: object) -> Finished:
    return run(["bash", "-c", command], cwd=cwd, **more)  # type: ignore[arg-type]


def test_both_streams_in_the_order_they_were_written() -> None:
    finished = bash("echo one; echo two >&2; echo three; exit 3")
    assert finished.output == b"one\ntwo\nthree\n"
    assert finished.exit == 3
    assert not (finished.timed_out or finished.interrupted or finished.left_over or finished.omitted)


def test_a_signal_is_128_plus_its_number() -> None:
    assert bash("kill -SEGV $$").exit == 128 + signal.SIGSEGV


def test_standard_input_is_at_its_end() -> None:
    reader, writer = os.pipe()
    ours = os.dup(0)
    os.dup2(reader, 0)  # an input of this program that never ends
    try:
        assert bash("cat; read line; echo read: $?", timeout=20).output == b"read: 1\n"
    finally:
        os.dup2(ours, 0)
        for descriptor in (reader, writer, ours):
            os.close(descriptor)


def test_it_leads_a_session_of_its_own() -> None:
    finished = bash("ps -o sid= -p $$ 2>/dev/null || cut -d' ' -f6 /proc/$$/stat")
    assert int(finished.output) == finished.pid != os.getsid(0)


def test_no_terminal_can_be_asked() -> None:
    assert bash("exec 3</dev/tty && echo asked").exit != 0


def test_working_directory_and_environment(tmp_path: Path) -> None:
    finished = bash("pwd; echo $COLOUR", tmp_path, env={"COLOUR": "green", "PATH": os.environ["PATH"]})
    assert finished.output == f"{tmp_path}\ngreen\n".encode()


def test_without_an_environment_it_still_gets_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert bash("echo [$OPENAI_API_KEY]").output == b"[]\n"


def test_what_can_not_be_started_leaves_nothing_open() -> None:
    before = descriptors()
    for argv, cwd in ((["/nowhere/at/all"], "/"), (["true"], "/nowhere/at/all")):
        with pytest.raises(FileNotFoundError):
            run(argv, cwd=Path(cwd))
    with pytest.raises(OSError):
        run(["true", "x" * (1 << 23)], cwd=Path("/"))
    assert descriptors() <= before


def test_output_is_shown_as_it_comes_with_characters_whole() -> None:
    shown: list[str] = []
    finished = bash(r"printf '\xe2\x82'; sleep 0.1; printf '\xac!'; sleep 0.1; printf '\xff\xe2'", show=shown.append)
    assert "".join(shown) == "€!\ufffd\ufffd"
    assert finished.output == b"\xe2\x82\xac!\xff\xe2"


def test_a_long_output_arrives_whole() -> None:
    finished = bash("seq 1 200000")
    assert finished.output == b"".join(b"%d\n" % number for number in range(1, 200_001))


def test_output_beyond_the_cap_loses_its_middle() -> None:
    finished = bash(f"printf start; head -c {CAP} /dev/zero; printf end")
    assert finished.omitted == 8
    assert len(finished.output) == CAP
    assert finished.output.startswith(b"start\0")
    assert finished.output.endswith(b"\0end")
    assert finished.gap == CAP // 2


def test_timeout_keeps_what_was_said() -> None:
    finished = bash("echo said; sleep 100", timeout=1)
    assert (finished.output, finished.timed_out, finished.exit) == (b"said\n", True, 128 + signal.SIGTERM)
    assert not finished.left_over


def test_a_group_may_clean_up_before_it_ends() -> None:
    finished = bash("(trap 'sleep 0.4; echo cleaned; exit' TERM; while :; do sleep 0.05; done) & wait", timeout=1)
    assert finished.output.endswith(b"cleaned\n")


def test_who_ignores_the_request_is_killed() -> None:
    finished = bash("trap '' TERM; echo stubborn $BASHPID; while :; do sleep 0.05; done", timeout=1)
    assert (finished.timed_out, finished.exit) == (True, 128 + signal.SIGKILL)
    assert not runs(int(finished.output.split()[1]))


def test_a_stubborn_child_of_an_obedient_leader_is_killed() -> None:
    finished = bash("(trap '' TERM; exec >/dev/null 2>&1; sleep 300) & echo $!; wait", timeout=1)
    assert finished.timed_out
    assert eventually(lambda: not runs(int(finished.output)))


def test_timeout_while_output_floods() -> None:
    finished = bash("yes", timeout=1)
    assert finished.timed_out
    assert finished.output.startswith(b"y\ny\n")


def test_interrupt_keeps_what_was_said() -> None:
    interrupt = Interrupt()
    shown: list[str] = []

    def show(text: str) -> None:
        shown.append(text)
        interrupt.set()

    finished = bash("echo said; sleep 100; echo never", interrupt=interrupt, show=show)
    assert (finished.output, finished.interrupted, finished.timed_out) == (b"said\n", True, False)
    assert shown == ["said\n"]
    assert interrupt.is_set()


def test_asked_to_stop_before_the_start_nothing_is_started(tmp_path: Path) -> None:
    interrupt = Interrupt()
    interrupt.set()
    with pytest.raises(Interrupted):
        bash("touch here", tmp_path, interrupt=interrupt)
    assert not (tmp_path / "here").exists()


def test_interrupt_from_another_thread() -> None:
    interrupt = Interrupt()
    threading.Timer(0.1, interrupt.set).start()
    assert bash("sleep 100", interrupt=interrupt).interrupted


def test_a_child_that_holds_the_pipe_does_not_hold_the_call() -> None:
    finished = bash("sleep 300 & echo $!")
    assert (finished.exit, finished.left_over) == (0, True)
    assert runs(int(finished.output))
    assert reap_all() >= 1
    assert eventually(lambda: not runs(int(finished.output)))


def test_a_child_that_holds_nothing_is_noticed_too() -> None:
    finished = bash("sleep 300 >/dev/null 2>&1 & echo $!")
    assert (finished.exit, finished.left_over) == (0, True)
    reap_all()
    assert eventually(lambda: not runs(int(finished.output)))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only /proc tells a zombie from a process")
def test_a_zombie_that_nobody_reaps_does_not_run() -> None:
    assert not run([sys.executable, "-c", ZOMBIE], cwd=Path("/")).left_over


def test_a_daemon_that_holds_the_pipe_does_not_hold_the_call() -> None:
    finished = run([sys.executable, "-c", DAEMON], cwd=Path("/"))
    assert finished.left_over
    pid = int(finished.output)
    assert runs(pid)
    os.kill(pid, signal.SIGKILL)


def test_what_is_said_shortly_after_the_end_is_kept() -> None:
    finished = bash("(echo late) & exec 2>&1")
    assert (finished.output, finished.left_over) == (b"late\n", False)


def test_a_flood_behind_the_end_does_not_hold_the_call() -> None:
    assert bash("yes &").left_over
    reap_all()


def test_a_left_over_process_can_go_on_writing(tmp_path: Path) -> None:
    bash("(sleep 0.5; seq 1 100000; echo $? >done) &", tmp_path)
    assert eventually((tmp_path / "done").exists)
    assert (tmp_path / "done").read_text() == "0\n"


def test_output_closed_early_is_no_end() -> None:
    finished = bash("echo said; exec >&- 2>&-; sleep 0.3; exit 5")
    assert (finished.exit, finished.output) == (5, b"said\n")
    assert bash("exec >&- 2>&-; sleep 300", timeout=0.2).timed_out


def test_where_no_descriptor_tells_of_an_exit() -> None:
    for command, left_over in (("echo said", False), ("exec >&- 2>&-; sleep 0.1", False), ("sleep 300 &", True)):
        child = spawn(["bash", "-c", command], cwd=Path("/"))
        child._close_watch()
        finished = follow(child, timeout=20)
        assert (finished.exit, finished.left_over, finished.timed_out) == (0, left_over, False)
    reap_all()


def test_an_error_while_showing_ends_the_command() -> None:
    seen: list[str] = []

    def broken(text: str) -> None:
        seen.append(text)
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        bash("echo $$; sleep 300", show=broken)
    assert eventually(lambda: not Path(f"/proc/{int(seen[0])}").exists())  # ended, and no zombie


def test_no_zombie_and_no_descriptor_is_left() -> None:
    bash("true")
    before, threads = descriptors(), threading.active_count()
    pids = [bash("true").pid for _ in range(100)]
    assert descriptors() <= before  # fewer, when what an earlier test left behind has ended
    assert threading.active_count() <= threads
    for pid in pids:
        with pytest.raises(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def test_commands_beside_each_other() -> None:
    results: list[bytes] = []
    workers = [threading.Thread(target=lambda: results.append(bash("seq 1 20000").output)) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(set(results)) == 1
    assert len(results) == 8


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_as_an_ordinary_user_and_for_a_process_that_is_not_ours_to_end() -> None:
    """An ordinary user can't signal root's processes: the call must come back all the same."""
    finished = run([sys.executable, "-c", NOBODY], cwd=Path(__file__).parents[3], timeout=60)
    assert finished.exit == 0, finished.output.decode()


def test_time_is_measured() -> None:
    started = time.monotonic()
    finished = bash("sleep 0.2")
    assert 0.2 <= finished.seconds <= time.monotonic() - started
