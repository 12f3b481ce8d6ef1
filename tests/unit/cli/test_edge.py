"""Errors, exit codes and the JSON envelope, as a shell sees them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rescene_cli import __version__

RESCENE = (sys.executable, "-m", "rescene_cli")
# A command that fails in a way nobody foresaw, or is interrupted: put into the table of a real process.
PLANTED = """
import sys, types
from rescene_cli.cli import table
module = types.ModuleType("planted")
exec({body!r}, module.__dict__)
sys.modules["planted"] = module
table.COMMANDS["planted"] = table.Command("Planted.", "planted:planted", "More")
sys.argv = ["rescene", "planted", *{arguments!r}]
from rescene_cli.cli.app import main
main()
"""

REPORT = "from rescene_cli.core.findings import Report\ndef planted():\n    return Report('planted', None, {text})\n"


def rescene(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*RESCENE, *arguments], capture_output=True, text=True, check=False, timeout=60, **options)


def planted(body: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = PLANTED.format(body=body, arguments=list(arguments))
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)


def test_version() -> None:
    for option in ("--version", "-V"):
        done = rescene(option)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"rescene {__version__}\n", "")


def test_help_names_every_command_and_no_empty_panel() -> None:
    done = rescene("--help")
    assert done.returncode == 0
    for name in ("run", "config", "models", "doctor", "completions", "Work:", "More:"):
        assert name in done.stdout
    assert "Memory:" not in done.stdout
    assert rescene("-h").stdout == done.stdout == rescene("--debug", "--help").stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_help_of_a_command_and_of_a_group() -> None:
    assert "Usage: rescene config get" in rescene("config", "get", "--help").stdout
    assert "explain" in rescene("config", "--help").stdout


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("confg",), "error: rescene has no command 'confg'.", "Did you mean `rescene config`?"),
        (("zzz",), "error: rescene has no command 'zzz'.", "`rescene --help` lists them."),
        (("config", "gett"), "error: rescene config has no command 'gett'.", "Did you mean `rescene config get`?"),
        (("config",), "error: Missing command.", "See `rescene config --help`."),
        (("config", "get"), "error: Missing argument 'KEY'.", "See `rescene config get --help`."),
        (("config", "get", "mode", "--colour"), "error: No such option: --colour.", "See `rescene config get --help`."),
        (("--model", "x"), "error: --model needs a command before it.", "For example `rescene run --model`."),
        (("completions", "tcsh"), "error: Invalid value for 'SHELL'", "See `rescene completions --help`."),
    ],
)
def test_usage_errors_say_what_and_what_to_do(arguments: tuple[str, ...], message: str, hint: str) -> None:
    done = rescene(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    what, todo = done.stderr.splitlines()
    assert what.startswith(message)
    assert todo.strip() == hint


def test_errors_in_json() -> None:
    done = rescene("config", "get", "moed", "--json")
    assert (done.returncode, done.stderr) == (2, "")
    assert json.loads(done.stdout) == {
        "ok": False,
        "command": "config get",
        "data": None,
        "findings": [],
        "error": {"code": "config", "message": "There is no configuration key moed.", "hint": "Did you mean mode?"},
    }


def test_what_follows_two_dashes_is_no_option_of_ours() -> None:
    assert rescene("config", "get", "--", "--json").stdout == ""


def test_debug_shows_the_traceback_and_nothing_else_does() -> None:
    assert "Traceback" not in rescene("config", "get", "moed").stderr
    assert "Traceback" in rescene("config", "get", "moed", "--debug").stderr
    assert "Traceback" in rescene("--debug", "config", "get", "moed").stderr


BUG = "def planted():\n    secret = 'hunter2'\n    raise KeyError(secret)\n"


def test_a_bug_is_70_with_a_log_that_says_where_and_not_what() -> None:
    done = planted(BUG)
    assert done.returncode == 70
    assert "This is a bug in rescene (KeyError)." in done.stderr
    assert "Traceback" not in done.stderr
    (log,) = (Path(os.environ["RESCENE_DATA_DIR"]) / "logs").iterdir()
    assert str(log) in done.stderr
    text = log.read_text()
    assert "builtins.KeyError" in text
    assert "<string>:3 planted" in text
    assert __version__ in text
    assert "hunter2" not in text + done.stderr
    assert log.stat().st_mode & 0o777 == 0o600
    assert log.parent.stat().st_mode & 0o777 == 0o700


def test_a_bug_in_json() -> None:
    done = planted(BUG, "--json")
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (70, "bug")


def test_a_bug_whose_log_can_not_be_written_is_still_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RESCENE_DATA_DIR", str(tmp_path / "file"))
    done = planted(BUG)
    assert done.returncode == 70
    assert "A log could not be written" in done.stderr


@pytest.mark.parametrize(
    ("raised", "code", "message"),
    [
        ("KeyboardInterrupt", 130, "error: Stopped by the user."),
        ("typer.Abort", 130, "error: Stopped by the user."),
        ("errors.ConflictError('Changed.', 'Read it.')", 3, "error: Changed.\n  Read it."),
        ("errors.TryAgainError('Busy.')", 75, "error: Busy."),
        ("errors.Interrupted(errors.InterruptReason.TERMINATED)", 143, "error: Stopped by a signal."),
    ],
)
def test_each_error_has_its_exit_code(raised: str, code: int, message: str) -> None:
    done = planted(f"import typer\nfrom rescene_cli.core import errors\ndef planted():\n    raise {raised}\n")
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr


def test_a_command_that_prints_for_itself_returns_its_exit_code() -> None:
    assert planted("def planted() -> int:\n    return 7\n").returncode == 7


@pytest.mark.parametrize(
    ("number", "exit_code", "code"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated"), (signal.SIGHUP, 143, "terminated")],
)
def test_a_signal_is_answered_without_a_traceback(number: signal.Signals, exit_code: int, code: str) -> None:
    program = PLANTED.format(
        body="import time\ndef planted():\n    print('up', flush=True)\n    time.sleep(60)\n", arguments=["--json"]
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(number)
        answer, errors = process.communicate(timeout=30)
    assert process.returncode == exit_code
    assert json.loads(answer)["error"]["code"] == code
    assert errors == b""


FOLDERS = [["models"], ["doctor"], ["config", "list"], ["config", "path"], ["run", "go", "--model", "scripted:x"]]


@pytest.mark.parametrize("arguments", FOLDERS, ids=lambda words: " ".join(words[:2]))
def test_a_folder_that_is_gone_is_a_usage_error(arguments: list[str], tmp_path: Path) -> None:
    shell = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    command = ["sh", "-c", shell, "sh", *RESCENE, *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: The folder this runs in no longer exists.")


def unprivileged() -> list[str]:
    """What a program is started with so that closed folders are closed to it."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv") or pytest.skip("root can look everywhere")
    return [setpriv, "--bounding-set=-dac_override,-dac_read_search"]


@pytest.mark.parametrize("closed", [".", "deep"])
@pytest.mark.parametrize(
    "arguments", [*FOLDERS, ["run", "go", "--add-dir", "."]], ids=lambda words: " ".join(words[:3])
)
def test_a_folder_that_is_closed_is_a_usage_error(arguments: list[str], closed: str, tmp_path: Path) -> None:
    folder = tmp_path / "outer" / "deep"
    folder.mkdir(parents=True)
    before = f"cd {folder} && chmod 0 {(folder / '..' / closed).resolve()} && exec "
    command = [*unprivileged(), "sh", "-c", before + '"$@"', "sh", *RESCENE, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    (tmp_path / "outer").chmod(0o700)
    folder.chmod(0o700)
    assert (done.returncode, done.stdout) == (2, "")
    assert "can't be looked at: Permission denied" in done.stderr


def test_nothing_before_two_dashes() -> None:
    done = rescene("--", "foo")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    code = PLANTED.format(body=REPORT.format(text="'x\\n' * 200_000"), arguments=[])
    # Unbuffered, Python itself drops what a pipe does not take.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdout=pipe, stderr=pipe, env=environment) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_closed_descriptors_do_no_harm() -> None:
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        done = subprocess.run(["sh", "-c", f'"$0" -m rescene_cli config path {closed}', sys.executable], check=False)
        assert done.returncode == 0


def test_text_that_the_locale_can_not_print_is_escaped() -> None:
    code = PLANTED.format(body=REPORT.format(text="'x/\\xfc'"), arguments=[])
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (0, "x/\\xfc\n")


def test_no_colours_in_a_pipe() -> None:
    assert "\x1b" not in rescene("confg").stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["config", "list"], ["config", "list", "--json"]])
def test_a_result_that_cannot_be_written_is_said_once(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*RESCENE, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60
        )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.count("No space left") == (arguments != ["--version"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_messages_that_cannot_be_written_change_nothing() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*RESCENE, "models", "--json"], stdout=subprocess.PIPE, stderr=full, text=True, check=False, timeout=60
        )
    assert done.returncode == 0
    assert json.loads(done.stdout)["ok"]


@pytest.mark.parametrize("words", [["-o", "json"], ["-ojson"], ["--output", "json"], ["--output=json"], ["--json"]])
def test_a_wrong_option_is_answered_in_the_shape_that_was_asked_for(words: list[str]) -> None:
    done = rescene("run", *words, "--no-such-option")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "usage"
    assert done.stderr == ""


def test_an_error_before_a_stream_is_its_last_line() -> None:
    done = rescene("run", "go", "-o", "stream-json", "--model", "none")
    assert json.loads(done.stdout)["type"] == "done"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nothing can be made")
def test_what_the_system_refuses_is_no_bug() -> None:
    done = rescene("config", "set", "mode", "ask", env={**os.environ, "XDG_CONFIG_HOME": "/proc/none"})
    assert done.returncode == 1
    assert "The system refused (/proc/none" in done.stderr
