"""Unified diffs, as `git diff` and `diff -u` write them and as models imitate them."""

from __future__ import annotations

import re
from functools import cache

from rescene_cli.core.errors import ToolError
from rescene_cli.workspace.hunks import Action, FilePatch, Hunk, HunkLine

_NULL = "/dev/null"
_HEADERS = (
    "new file mode", "deleted file mode", "old mode", "new mode", "rename from", "rename to", "copy to",
)  # fmt: skip
_MODES = ("mode", *_HEADERS[:4])
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", '"': '"', "\\": "\\"}


def parse(text: str) -> list[FilePatch]:
    """The file patches of `text`. Raises ToolError for what can't be applied as text."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if all(line.endswith("\r") for line in lines if line.startswith(("--- ", "+++ ", "@@ "))):
        lines = [line.removesuffix("\r") for line in lines]  # the whole diff was sent with CRLF
    reader = _Reader(lines)
    patches = reader.read()
    if not patches:
        message = "The patch changes no file. Send a unified diff, or *** Begin Patch ... *** End Patch."
        raise ToolError(f"{message} Nothing was written.")
    return patches


def hunk_start(line: str) -> int | None:
    """The old line number of an `@@ -a,b +c,d @@` line; None where it holds none."""
    match = _ranges().match(line)
    return int(match[1]) if match else None


@cache
def _ranges() -> re.Pattern[str]:
    return re.compile(r"@@+ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))?")


class _Reader:
    """Reads file sections one after the other; `at` is the next line."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def read(self) -> list[FilePatch]:
        patches: list[FilePatch] = []
        while self._at < len(self._lines):
            if self._line().startswith("diff --git ") or self._names_follow():
                patches.append(self._section())
            elif self._line().startswith("@@ "):
                message = "A hunk has no file: put '--- a/path' and '+++ b/path' lines before it. Nothing was written."
                raise ToolError(message)
            else:
                self._at += 1  # a mail header, a fence, `Index:`
        return patches

    def _line(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._lines[at] if at < len(self._lines) else ""

    def _names_follow(self) -> bool:
        """Whether a `---`/`+++` pair starts here, and not a removed `-- x` above an added `++ y`."""
        if not (self._line().startswith("--- ") and self._line(1).startswith("+++ ")):
            return False
        return not self._line(2) or self._line(2).startswith(("@@", "diff "))

    def _section(self) -> FilePatch:
        facts: dict[str, str] = {}
        if self._line().startswith("diff --git "):
            facts["git"] = self._line()[len("diff --git ") :]
            self._at += 1
            while self._at < len(self._lines) and not self._names_follow() and not self._line().startswith("diff "):
                if not self._extended(facts):
                    break
                self._at += 1
        if self._names_follow():
            facts["old"], facts["new"] = (_name(self._line(ahead)[4:]) for ahead in (0, 1))
            self._at += 2
        hunks = self._hunks()
        return _file_patch(facts, tuple(hunks))

    def _extended(self, facts: dict[str, str]) -> bool:
        """Note one extended header line of git; False when the line is none."""
        line = self._line()
        if line.startswith(("GIT binary patch", "Binary files ")):
            message = f"The patch holds binary content ({facts['git']}); only text can be patched. Nothing was written."
            raise ToolError(message)
        for key in _HEADERS:
            if line.startswith(key + " "):
                facts[key] = line[len(key) + 1 :]
                return True
        if line.startswith("index "):
            facts["mode"] = line.partition(" ")[2].partition(" ")[2]
            return True
        return line.startswith(("similarity index ", "dissimilarity index ", "copy from "))

    def _hunks(self) -> list[Hunk]:
        hunks: list[Hunk] = []
        while self._line().startswith("@@"):
            match = _ranges().match(self._line())
            start = hunk_start(self._line())
            counts = [int(match[group] or 1) if match else 0 for group in (2, 4)]
            self._at += 1
            lines = self._hunk_lines(*counts)
            if lines:
                hunks.append(Hunk(lines, start))
        return hunks

    def _hunk_lines(self, old: int, new: int) -> tuple[HunkLine, ...]:
        """The lines of a hunk. Its counts only help where a line could be read in two ways."""
        lines: list[HunkLine] = []
        while self._at < len(self._lines):
            line = self._line()
            due = old > 0 or new > 0
            tag = line[:1] or " "
            if self._names_follow() or tag not in " +-\\" or (not due and line in {"-- ", ""} and self._ends()):
                break
            if tag == "\\":
                lines[-1:] = [last._replace(open_end=True) for last in lines[-1:]]
            else:
                lines.append(HunkLine(tag, line[1:]))
                old -= tag != "+"
                new -= tag != "-"
            self._at += 1
        return tuple(lines)

    def _ends(self) -> bool:
        """Whether the hunk ends at this empty line or mail signature: nothing of it follows."""
        following = next((line for line in self._lines[self._at + 1 :] if line), "")
        return self._line() == "-- " or not following.startswith((" ", "+", "-"))


def _file_patch(facts: dict[str, str], hunks: tuple[Hunk, ...]) -> FilePatch:
    old, new = _paths(facts)
    if "copy to" in facts:
        message = (
            f"The patch copies a file to {new}; copies are not supported. Add the file whole. Nothing was written."
        )
        raise ToolError(message)
    _refuse_modes(facts, new if new != _NULL else old)
    mode = _mode(facts.get("new file mode") or facts.get("new mode", ""))
    if old == _NULL or "new file mode" in facts:
        return FilePatch(Action.ADD, new, hunks, mode=mode)
    if new == _NULL or "deleted file mode" in facts:
        return FilePatch(Action.DELETE, old, hunks)
    if not hunks and mode is None and old == new:
        message = f"The patch for {old} has no hunks. Nothing was written."
        raise ToolError(message)
    return FilePatch(Action.UPDATE, old, hunks, new if new != old else "", mode)


def _refuse_modes(facts: dict[str, str], name: str) -> None:
    """Content is all that a patch can put somewhere: what is no file in it would become one."""
    for mode in (facts[key].strip() for key in _MODES if key in facts):
        if re.fullmatch("[0-7]{6}", mode) and not mode.startswith("10"):
            what = {"12": "a symlink", "16": "a submodule", "04": "a directory"}.get(mode[:2], "no file")
            message = f"{name} is {what} in the patch (mode {mode}), and a patch changes files only."
            raise ToolError(f"{message} Use a command for it, such as ln -s. Nothing was written.")


def _mode(text: str) -> int | None:
    """Permission bits of `100755`."""
    return int(text, 8) & 0o777 if re.fullmatch("[0-7]{6}", text.strip()) else None


def _paths(facts: dict[str, str]) -> tuple[str, str]:
    """Old and new path; `a/` and `b/` go when both sides have them."""
    if {"rename from", "rename to"} <= facts.keys():
        return _unquote(facts["rename from"]), _unquote(facts["rename to"])
    old, new = (facts["old"], facts["new"]) if "old" in facts else _git_names(facts["git"])
    marked = (old.startswith("a/") or old == _NULL) and (new.startswith("b/") or new == _NULL)
    return (old.removeprefix("a/"), new.removeprefix("b/")) if marked else (old, new)


def _git_names(text: str) -> tuple[str, str]:
    """The two names of a `diff --git` line, which are equal but for their prefixes where nothing else names them."""
    if text.startswith('"'):
        half = text.find('" ') + 1
        return _unquote(text[:half]), _unquote(text[half + 1 :])
    half = len(text) // 2
    return text[:half], text[half + 1 :]


def _name(text: str) -> str:
    return _unquote(text.rstrip("\r").partition("\t")[0].rstrip())


def _unquote(text: str) -> str:
    """A path as git quotes it: `"caf\\303\\251"`."""
    if not (len(text) > 1 and text.startswith('"') and text.endswith('"')):
        return text
    plain = re.sub(r"\\([0-7]{3}|.)", _unescape, text[1:-1])
    return plain.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) == 3:
        return bytes([int(code, 8) & 0xFF]).decode("ascii", "surrogateescape")
    return _ESCAPES.get(code, code)
