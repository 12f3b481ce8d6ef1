"""Are edits exact? Real one-file changes in four forms, and patches that must apply or be refused, through our tools.

    python tests/bench/edits.py --data DIR [--json FILE] [--rows FILE]

DIR holds `edits.jsonl` (pre, post and diff in base64) and `apply_patch_scenarios.jsonl`. Every row is written to a
temporary folder, the tool is run on it, and the folder is compared byte for byte. The forms are what a model may send:

    diff           the exact unified diff
    model_diff     the same without CR and byte order mark
    search_replace edit_file with the old and new lines of each hunk
    apply_patch    the *** Begin Patch format made from the hunks, with a bare @@ for each
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rescene_cli.core.errors import ToolError
from rescene_cli.core.messages import CallId
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import CallContext
from rescene_cli.history.tree import VersionedTree
from rescene_cli.tools.files import EditFile
from rescene_cli.tools.patch import ApplyPatch
from rescene_cli.workspace import unified
from rescene_cli.workspace.boundary import Boundary
from rescene_cli.workspace.files import Workspace
from rescene_cli.workspace.text import decode, split

CONTEXT = CallContext(CallId("bench"), Interrupt())
Files = dict[str, bytes]


class Verdict(NamedTuple):
    """One row in one form; `error` is what the tool answered."""

    id: str
    form: str
    group: str
    right: bool
    error: str = ""


class Edit(NamedTuple):
    """A row of edits.jsonl, decoded."""

    id: str
    path: str
    pre: bytes
    post: bytes
    diff: str
    group: str

    @property
    def model_diff(self) -> str:
        """The diff as somebody writes it who saw LF and no byte order mark."""
        return self.diff.replace("\r", "").replace("\ufeff", "")


def read_edits(path: Path) -> Iterator[Edit]:
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        pre, post, diff = (base64.b64decode(row[key]) for key in ("pre", "post", "diff"))
        encoding = "latin-1" if row["encoding"] == "latin-1" else "utf-8"
        group = row["derived"] or ("crlf as committed" if row["eol"] == "crlf" else "as committed")
        yield Edit(row["id"], row["path"], pre, post, diff.decode(encoding), group)


def workspace(root: Path) -> Workspace:
    boundary = Boundary(root)
    return Workspace(VersionedTree(root, boundary.inside), boundary)


def on_disk(files: Mapping[str, bytes], act: Callable[[Workspace], object]) -> tuple[Files, str]:
    """The files after `act`, and the error if it was refused."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, data in files.items():
            place = root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        error = ""
        try:
            act(workspace(root))
        except ToolError as refused:
            error = str(refused)
        return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}, error


def patched(patch: str) -> Callable[[Workspace], object]:
    return lambda place: ApplyPatch(place).run({"patch": patch}, CONTEXT)


def replaced(edit: Edit) -> Callable[[Workspace], object]:
    """edit_file once a hunk: old lines for new lines, as LF text, with lines above where that alone is ambiguous."""
    seen = decode(edit.pre, edit.path).text

    def act(place: Workspace) -> None:
        for hunk in unified.parse(edit.model_diff)[0].hunks:
            old, new = (
                "".join(line.text + ("" if line.open_end else "\n") for line in hunk.lines if line.tag != other)
                for other in "+-"
            )
            above = list(split(seen)[: hunk.start - 1])
            while seen.count(old) > 1 and above:
                line = above.pop()
                old, new = line + old, line + new
            EditFile(place).run({"path": edit.path, "old_string": old, "new_string": new}, CONTEXT)

    return act


def begin_patch(edit: Edit) -> str:
    """The diff in the other format: file and hunk headers rewritten, lines as they are."""
    body = ("@@" if line.startswith("@@ ") else line for line in edit.model_diff.split("\n")[2:])
    return "\n".join(["*** Begin Patch", f"*** Update File: {edit.path}", *body, "*** End Patch"])


def edit_verdicts(edit: Edit) -> Iterator[Verdict]:
    forms = {
        "diff": patched(edit.diff),
        "model_diff": patched(edit.model_diff),
        "search_replace": replaced(edit),
        "apply_patch": patched(begin_patch(edit)),
    }
    for form, act in forms.items():
        files, error = on_disk({edit.path: edit.pre}, act)
        yield Verdict(edit.id, form, edit.group, files == {edit.path: edit.post}, error)


def scenario_verdict(row: Mapping[str, Any]) -> Verdict:
    before = {name: content.encode() for name, content in row["input"].items()}
    files, error = on_disk(before, patched(row["patch"]))
    if row["fails"]:
        return Verdict(row["name"], "scenario", "must be refused", bool(error) and files == before, error)
    expected = {name: content.encode() for name, content in row["expected"].items()}
    return Verdict(row["name"], "scenario", "must apply", files == expected, error)


def measure(data: Path) -> list[Verdict]:
    verdicts = [verdict for edit in read_edits(data / "edits.jsonl") for verdict in edit_verdicts(edit)]
    scenarios = (data / "apply_patch_scenarios.jsonl").read_text("utf-8").splitlines()
    return verdicts + [scenario_verdict(json.loads(line)) for line in scenarios]


def figures(verdicts: list[Verdict]) -> dict[str, dict[str, dict[str, int]]]:
    """Right and n by form and group; the group `all` is their sum."""
    table: dict[str, dict[str, dict[str, int]]] = {}
    for verdict in verdicts:
        for group in ("all", verdict.group):
            cell = table.setdefault(verdict.form, {}).setdefault(group, {"right": 0, "n": 0})
            cell["right"] += verdict.right
            cell["n"] += 1
    return table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--rows", type=Path, metavar="FILE")
    options = parser.parse_args()
    absent = [n for n in ("edits.jsonl", "apply_patch_scenarios.jsonl") if not (options.data / n).is_file()]
    if absent:
        print(f"Not measured: {options.data} has no {' and no '.join(absent)}.", file=sys.stderr)
        return 2
    verdicts = measure(options.data)
    table = figures(verdicts)
    for form, groups in table.items():
        for group, cell in groups.items():
            print(f"{form:15} {group:18} {cell['right']:4} of {cell['n']:4}")
    for verdict in verdicts:
        if not verdict.right:
            print(f"miss: {verdict.form} {verdict.id} {verdict.error.splitlines()[:1]}")
    if options.json:
        options.json.write_text(json.dumps(table, indent=2) + "\n")
    if options.rows:
        options.rows.write_text("".join(json.dumps(verdict._asdict()) + "\n" for verdict in verdicts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
