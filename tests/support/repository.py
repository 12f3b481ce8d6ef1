"""A real repository of thousands of files, and a task of sixty calls on it whose end is known beforehand.

The repository is Django's source distribution, fetched from the package index once and kept in pytest's cache.
What each call must do to the files is written beside it in plain Python, so that the program is compared with
something that shares no line with it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.trees import Node, Tree

NAME, VERSION = "django", "5.2.1"
_FETCH = 180  # seconds the package index may take

CRLF = ("django/utils/lorem_ipsum.py", "docs/intro/whatsnext.txt")  # as a checkout on Windows has them
LATIN1 = "tests/i18n/commands/not_utf8.sample"
BOM = "tests/i18n/commands/locale/es_AR/LC_MESSAGES/django.po"
_EMPTY = "docs/internals/strike"
_MADE = f"{_EMPTY}/made.txt"


class UnavailableError(Exception):
    """The distribution is not in the cache and can't be fetched."""


def unpacked(cache: Path, target: Path) -> Path:
    """The repository, freshly unpacked below `target`, with two files as Windows has them."""
    with tarfile.open(_archive(cache)) as archive:
        archive.extractall(target, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    root = target / f"{NAME}-{VERSION}"
    for name in CRLF:
        place = root / name
        place.write_bytes(place.read_bytes().replace(b"\n", b"\r\n"))
    return root


def _archive(cache: Path) -> Path:
    found = cache / f"{NAME}-{VERSION}.tar.gz"
    with (cache / "lock").open("w") as lock:  # several test processes may want it at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not found.exists():
            _fetch(cache)
    return found


def _fetch(cache: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", NAME]
    try:
        done = subprocess.run(
            [*command, "--dest", str(cache), f"{NAME}=={VERSION}"],
            capture_output=True, text=True, timeout=_FETCH, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        message = f"the package index took longer than {_FETCH} s"
        raise UnavailableError(message) from None
    if done.returncode:
        raise UnavailableError(done.stderr.strip()[-300:])


def linked_copy(root: Path, target: Path) -> Path:
    """A copy that costs no space: each file is a second name of the original, which a replacement leaves alone."""
    shutil.copytree(root, target, copy_function=os.link, symlinks=True)
    return target


class Step(NamedTuple):
    """One call, what it does to the files, what its result must hold, and whether a person is asked first."""

    name: str
    arguments: Mapping[str, Any]
    change: Callable[[Tree], None] | None = None
    holds: tuple[str, ...] = ()
    asks: bool = False


def replies(steps: Sequence[Step], answers: Mapping[int, str] | None, delay: float = 0) -> Iterator[dict[str, Any]]:
    """The script. `answers` by step are a person's, None when nobody is there; the last reply waits `delay` seconds."""
    expected: list[str] = []
    for place, step in enumerate(steps):
        yield {"calls": [{"name": step.name, "args": step.arguments}], "expect": expected}
        expected = list(step.holds)
        if step.asks and answers is None:
            expected = ["needs a person's approval"]
        elif step.asks and answers is not None and answers[place] == "n":
            expected = ["The user said no"]
    yield {"text": "All sixty.", "expect": expected, "delay": delay}


def write_script(path: Path, lines: Iterator[dict[str, Any]]) -> str:
    """The script as a model name."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"scripted:{path}"


def states(start: Tree, steps: Sequence[Step], answers: Mapping[int, str] | None) -> list[Tree]:
    """The tree before the first step and after each."""
    found = [dict(start)]
    for place, step in enumerate(steps):
        tree = dict(found[-1])
        allowed = not step.asks or (answers is not None and answers[place] == "y")
        if step.change and allowed:
            step.change(tree)
        found.append(tree)
    return found


def _swap(path: str, old: str, new: str, encoding: str = "utf-8", times: int = 1) -> Callable[[Tree], None]:
    def change(tree: Tree) -> None:
        before, was = tree[path], old.encode(encoding)
        assert before.content.count(was) == times, f"{path} holds {old!r} {before.content.count(was)} times"
        tree[path] = before._replace(content=before.content.replace(was, new.encode(encoding)))

    return change


def _put(path: str, text: str) -> Callable[[Tree], None]:
    def change(tree: Tree) -> None:
        for parent in Path(path).parents[:-1]:
            tree.setdefault(parent.as_posix(), Node("directory", 0o755))
        mode = tree[path].mode if path in tree else 0o644
        tree[path] = Node("file", mode, text.encode())

    return change


def _drop(path: str) -> Callable[[Tree], None]:
    def change(tree: Tree) -> None:
        for name in [name for name in tree if name == path or name.startswith(f"{path}/")]:
            del tree[name]

    return change


def _rename(source: str, target: str) -> Callable[[Tree], None]:
    def change(tree: Tree) -> None:
        tree[target] = tree.pop(source)

    return change


def _all(*changes: Callable[[Tree], None]) -> Callable[[Tree], None]:
    def change(tree: Tree) -> None:
        for one in changes:
            one(tree)

    return change


def _edit(path: str, old: str, new: str, change: Callable[[Tree], None] | None, **more: Any) -> Step:
    arguments = {"path": path, "old_string": old, "new_string": new, **more}
    return Step("edit_file", arguments, change, (f"Changed {path}",) if change else ())


def _shell(command: str, *holds: str, change: Callable[[Tree], None] | None = None, **more: Any) -> Step:
    return Step("run_command", {"command": command, **more}, change, holds)


def sixty(port: int) -> list[Step]:
    """The task. `port` is a free one on loopback, for its server."""
    return [*_looking(), *_editing(), *_making(), *_serving(port), *_removing(), *_ending()]


_TESTS = "PYTHONPATH=.. python3 -m unittest utils_tests.test_termcolors utils_tests.test_os_utils"
_ON_DEMAND = [
    "grep", "create_directory", "move_file", "delete_file", "delete_directory", "run_task", "task_status", "task_log",
    "task_kill", "read_output", "harness_status",
]  # fmt: skip
COLORS = "django/utils/termcolors.py"


def _looking() -> list[Step]:
    return [
        Step("update_todo", {"items": [{"text": "Strike through", "status": "in_progress"}]}, holds=("1 in_progress",)),
        Step("list_directory", {}, holds=("django/", "pyproject.toml")),
        Step("list_directory", {"path": "django/utils", "depth": 2}, holds=("termcolors.py", "translation/")),
        Step("glob", {"pattern": "**/test_termcolors.py"}, holds=("tests/utils_tests/test_termcolors.py",)),
        Step("load_tools", {"names": _ON_DEMAND}, holds=("Loaded: grep",)),
        Step("grep", {"pattern": r"def colorize\(", "path": "django"}, holds=(f"{COLORS}:",)),
        Step("grep", {"pattern": "LOREM IPSUM", "ignore_case": True, "glob": "*.py"}, holds=(f"{CRLF[0]}:",)),
        Step("read_file", {"path": COLORS}, holds=('"conceal": "8",',)),
        _shell(_TESTS, "OK", "exit 0", cwd="tests"),
    ]


def _editing() -> list[Step]:
    crlf, text = CRLF
    po = "This file has a UTF-8 BOM an should be rejected"
    patch = (
        f'*** Begin Patch\n*** Update File: {BOM}\n@@\n-"Language-Team: Django-I18N <team@example.com>\\n"\n'
        f'+"Language-Team: Strike <strike@example.com>\\n"\n*** Update File: {crlf}\n@@\n import random\n'
        "+import string\n"
        "*** Add File: docs/strike.txt\n+Strike\n+======\n*** End Patch"
    )
    return [
        _edit(COLORS, '    "conceal": "8",\n', '    "conceal": "8",\n    "strike": "9",\n',
              _swap(COLORS, '    "conceal": "8",\n', '    "conceal": "8",\n    "strike": "9",\n')),
        _edit(COLORS, "'conceal'\n        'noreset'", "'conceal'\n        'strike'\n        'noreset'",
              _swap(COLORS, "'conceal'\n        'noreset'", "'conceal'\n        'strike'\n        'noreset'")),
        Step("read_file", {"path": crlf, "limit": 12}, holds=("1\t\"\"\"", "CRLF")),
        _edit(crlf, 'COMMON_P = (\n    "Lorem ipsum dolor', 'COMMON_P = (\n    # First words.\n    "Lorem ipsum dolor',
              _swap(crlf, 'COMMON_P = (\r\n    "Lorem', 'COMMON_P = (\r\n    # First words.\r\n    "Lorem')),
        _edit(crlf, "random.", "RANDOM.", _swap(crlf, "random.", "RANDOM.", times=7), replace_all=True),
        Step("read_file", {"path": LATIN1}, holds=("Øyvind", "Latin-1")),
        _edit(LATIN1, "2009", "2010", _swap(LATIN1, "2009", "2010", "latin-1")),
        _edit(LATIN1, "Sean", "Séan", _swap(LATIN1, "Sean", "Séan", "latin-1")),
        _edit(LATIN1, "Kinsey", "世", None)._replace(holds=("can't hold",)),
        Step("read_file", {"path": BOM}, holds=("1\t# Copyright", "UTF-8 with BOM")),
        _edit(BOM, po, f"{po} or kept", _swap(BOM, po, f"{po} or kept")),
        Step("apply_patch", {"patch": patch}, _all(
            _swap(BOM, "Django-I18N <team@", "Strike <strike@"),
            _swap(crlf, "import random\r\n", "import random\r\nimport string\r\n"),
            _put("docs/strike.txt", "Strike\n======\n"),
        ), ("created docs/strike.txt",)),
        Step("apply_patch", {"patch": patch}, holds=("Nothing was written",)),
        _edit(COLORS, "def colorise(text='', opts=(), **kwargs):", "def x():", None)._replace(
            holds=("nearest text", "def colorize(")),
        _edit("tests/runtests.py", "#!/usr/bin/env python\n", "#!/usr/bin/env python3\n",
              _swap("tests/runtests.py", "#!/usr/bin/env python\n", "#!/usr/bin/env python3\n")),
        Step("read_file", {"path": text}, holds=("CRLF",)),
        Step("write_file", {"path": text, "content": "What next\n=========\n\nStrike.\n"},
             _put(text, "What next\r\n=========\r\n\r\nStrike.\r\n"), (f"Changed {text}",)),
    ]  # fmt: skip


def _making() -> list[Step]:
    module = "def strike(text):\n    return f'\\x1b[9m{text}\\x1b[0m'\n"
    test = (
        "import unittest\n\nfrom django.utils.strike import strike\n\n\nclass T(unittest.TestCase):\n"
        "    def test(self):\n        self.assertEqual(strike('a'), '\\x1b[9ma\\x1b[0m')\n"
    )
    diff = "--- a/docs/strike.txt\n+++ b/docs/strike.txt\n@@ -1,2 +1,3 @@\n Strike\n ======\n+Through.\n"
    return [
        Step("write_file", {"path": "django/utils/strike.py", "content": module},
             _put("django/utils/strike.py", module), ("Created",)),
        Step("write_file", {"path": "tests/utils_tests/test_strike.py", "content": test},
             _put("tests/utils_tests/test_strike.py", test), ("Created",)),
        _shell(f"{_TESTS} utils_tests.test_strike", "OK", "exit 0", cwd="tests"),
        Step("apply_patch", {"patch": diff}, _put("docs/strike.txt", "Strike\n======\nThrough.\n"), ("changed",)),
        Step("create_directory", {"path": _EMPTY}, _directory(_EMPTY), ("Created",)),
        _shell(f"printf 'made\\n' > {_MADE}", "exit 0", change=_put(_MADE, "made\n")),
        Step("read_file", {"path": _MADE}, holds=("1\tmade",)),
        _edit(_MADE, "made", "remade", _put(_MADE, "remade\n")),
    ]  # fmt: skip


def _directory(path: str) -> Callable[[Tree], None]:
    def change(tree: Tree) -> None:
        tree[path] = Node("directory", 0o755)

    return change


def _serving(port: int) -> list[Step]:
    ask = (
        "python3 -c \"import time, urllib.request as u\nfor n in range(100):\n    try:\n"
        f"        print(u.urlopen('http://127.0.0.1:{port}/strike.txt').read().decode()); break\n"
        "    except OSError: time.sleep(0.05)\""
    )  # fmt: skip
    serve = f"python3 -m http.server {port} --bind 127.0.0.1 --directory docs"
    refused = f"python3 -c \"import urllib.request as u; u.urlopen('http://127.0.0.1:{port}/')\""
    return [
        Step("run_task", {"command": serve}, holds=("Task b1 runs",)),
        _shell(ask, "Through.", "exit 0"),
        Step("task_status", {}, holds=("b1 (running",)),
        Step("task_log", {"task_id": "b1"}, holds=("GET /strike.txt",)),
        Step("task_kill", {"task_id": "b1"}, holds=("task b1: exit",)),
        _shell(refused, "ConnectionRefusedError", "exit 1"),
        _shell("seq 1 200000", "1\n2\n3\n", "left out", "200000"),
        Step("read_output", {"id": "out1", "offset": 100000, "limit": 2}, holds=("100000\n100001\n",)),
    ]


def _removing() -> list[Step]:
    patch = (
        "*** Begin Patch\n*** Delete File: docs/requirements.txt\n*** Update File: docs/contents.txt\n"
        "*** Move to: docs/all.txt\n*** End Patch"
    )
    return [
        Step("move_file", {"source": "docs/glossary.txt", "destination": "docs/terms.txt"},
             _rename("docs/glossary.txt", "docs/terms.txt"), ("Moved",), asks=True),
        Step("delete_file", {"path": "extras/README.TXT"}, _drop("extras/README.TXT"), ("Deleted",), asks=True),
        Step("delete_directory", {"path": "js_tests/gis"}, _drop("js_tests/gis"), ("Deleted",), asks=True),
        _shell("rm docs/make.bat", "exit 0", change=_drop("docs/make.bat"))._replace(asks=True),
        Step("apply_patch", {"patch": patch}, _all(
            _drop("docs/requirements.txt"), _rename("docs/contents.txt", "docs/all.txt"),
        ), ("deleted docs/requirements.txt",), asks=True),
        Step("write_file", {"path": "scratch.txt", "content": "x\n"}, _put("scratch.txt", "x\n"), ("Created",)),
        Step("move_file", {"source": "scratch.txt", "destination": "scratch2.txt"},
             _rename("scratch.txt", "scratch2.txt"), ("Moved",)),
        Step("delete_file", {"path": "scratch2.txt"}, _drop("scratch2.txt"), ("Deleted",)),
    ]  # fmt: skip


def _ending() -> list[Step]:
    return [
        Step("grep", {"pattern": "strike", "path": "django/utils"}, holds=(f'{COLORS}:16:    "strike": "9",',)),
        Step("glob", {"pattern": "*strike*"}, holds=("tests/utils_tests/test_strike.py",)),
        Step("list_directory", {"path": _EMPTY}, holds=("made.txt",)),
        Step("read_file", {"path": "docs/strike.txt"}, holds=("3\tThrough.",)),
        Step("harness_status", {}, holds=("tools loaded on demand: grep",)),
        _shell("wc -l docs/strike.txt", "3 docs/strike.txt"),
        _shell(f"{_TESTS} utils_tests.test_strike", "OK", "exit 0", cwd="tests"),
        Step("run_command", {"command": "exit 7"}, holds=("exit 7",)),
        Step("read_file", {"path": CRLF[0], "offset": 3, "limit": 4}, holds=("import string",)),
        Step("update_todo", {"items": [{"text": "Strike through", "status": "done"}]}, holds=("1 done",)),
    ]
