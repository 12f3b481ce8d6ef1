"""What the words of a shell command give away, without parsing it.

Conservative on purpose: a word that may remove or move something, anywhere in the command, counts; so does
a path that leads out. It can't see through variables, scripts and encodings (docs/limits.md says so).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

REMOVERS = frozenset({"rm", "rmdir", "unlink", "shred", "srm", "mv", "truncate", "dd", "wipefs", "gzip", "bzip2", "xz"})
REMOVING_FLAGS = frozenset({"-delete", "--delete", "--remove-source-files"})
GIT_VERBS = frozenset({"clean", "restore", "rm", "mv", "stash", "filter-branch"})
GIT_FLAGS = {
    "reset": {"--hard", "--merge", "--keep"},
    "checkout": {"--", ".", "-f", "--force", "-B", "--ours", "--theirs"},
    "switch": {"-f", "--force", "--discard-changes", "-C"},
    "branch": {"-D", "-d", "--delete", "-f", "--force", "-M"},
    "tag": {"-d", "--delete", "-f", "--force"},
    "push": {"-f", "--force", "--force-with-lease", "--mirror", "--prune", "-d", "--delete"},
    "worktree": {"remove", "prune"},
    "gc": {"--prune", "now"},
}
_HARMLESS = (
    "/dev/null",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/stdin",
    "/dev/tty",
    "/dev/zero",
    "/dev/urandom",
    "/dev/fd/",
)
_PROGRAMS = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/")


@cache
def _splitter() -> re.Pattern[str]:
    return re.compile(r"[\s;|&()<>{}`=,]+")


@cache
def _hidden() -> re.Pattern[str]:
    """Text that becomes a command only when it runs: fed to a shell, evaluated, or spelled in escapes."""
    fed_to_a_shell = r"\|\s*(?:sudo\s+|env\s+|nohup\s+)?(?:ba|da|k|z|fi)?sh\b(?=\s*(?:-\s|-$|$|[;|&)]))"
    return re.compile(rf"{fed_to_a_shell}|\beval\b|\$'|\balias\.")


def words(command: str) -> list[str]:
    """Everything in `command` that could be a word of a program; quotes are dropped as the shell drops them."""
    bare = command.replace("\\\n", " ").translate({ord(sign): None for sign in "\\\"'"})
    return [word for word in _splitter().split(bare) if word]


def removal(command: str) -> str:
    """The word by which `command` may remove, move or overwrite files, or ''."""
    if hidden := _hidden().search(command):
        return " ".join(hidden[0].split())
    found = words(command)
    for position, word in enumerate(found):
        name = word.rsplit("/", 1)[-1]
        if name in REMOVERS or word in REMOVING_FLAGS:
            return word
        if name == "git" and (reason := _git_removal(found[position + 1 :])):
            return f"git {reason}"
    return ""


def _git_removal(following: list[str]) -> str:
    known = GIT_VERBS | GIT_FLAGS.keys()
    verb = next((word for word in following if word in known), "")
    if verb in GIT_VERBS:
        return verb
    flag = next((word for word in following if word in GIT_FLAGS.get(verb, ())), "")
    return f"{verb} {flag}" if flag else ""


def outside_words(command: str) -> Iterator[str]:
    """Words that are paths and may lead out of the project: absolute, home, or with `..`."""
    program = command.split(maxsplit=1)[0] if command.strip() else ""
    for word in words(command):
        if word.startswith(_HARMLESS) or (word == program and word.startswith(_PROGRAMS)):
            continue
        if (word.startswith("/") and _starts_on_disk(word)) or word.startswith("~") or ".." in word.split("/"):
            yield word
        elif word.startswith(("$HOME", "$PWD/..", "$OLDPWD")):
            yield word.replace("$HOME", "~", 1)


def _starts_on_disk(word: str) -> bool:
    """`/foo/` in `awk '/foo/'` is no path: nothing of that name stands at the top of the file system."""
    first = word.strip("/").partition("/")[0]
    return bool(first) and (Path("/") / first).exists()
