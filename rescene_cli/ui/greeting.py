"""The first lines of an interactive session."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from rescene_cli.core.conversation import Conversation
from rescene_cli.ui.cells import clip, clip_left, width, wrap
from rescene_cli.ui.clean import one_line
from rescene_cli.ui.ink import Ink, depth_for
from rescene_cli.ui.marks import Marks, marks_for
from rescene_cli.ui.options import UiOptions


def greet(conversation: Conversation, options: UiOptions) -> None:
    """Write the first lines to the terminal."""
    columns = os.get_terminal_size(sys.stdout.fileno()).columns or 80
    lines = greeting(conversation, options, Ink(depth_for()), marks_for(sys.stdout.encoding), columns)
    sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode(sys.stdout.encoding or "utf-8", "replace"))
    sys.stdout.flush()


def greeting(conversation: Conversation, options: UiOptions, ink: Ink, marks: Marks, columns: int) -> list[str]:
    """Who is here: version, model, mode and root; then one line of hints."""
    status = conversation.status()
    name = f"rescene {options.version}"
    model = one_line(status.model)
    if width(f"{name} {marks.dot} {model} {marks.dot} {status.mode}") > columns:
        model = model.rpartition("/")[2]
    facts = f" {marks.dot} {model} {marks.dot} {status.mode}"
    root = clip_left(_short(conversation.root), columns - 3, marks.more)
    first = f"{ink.bold(name)}{ink.dim(clip(facts, columns - width(name), marks.more))}"
    where = f" {marks.dot} {root}"
    fits = width(name + facts + where) <= columns
    lines = [first + ink.dim(where)] if fits else [first, ink.dim(root)]
    hints = f" {marks.dot} ".join(("/help", "@file", "!command", "Alt-Enter new line", "Ctrl-C stops"))
    notes = [ink.dim(row) for note in options.notes for row in wrap(one_line(note), columns)]
    return [*lines, ink.dim(clip(hints, columns, marks.more)), *notes]


def _short(path: Path) -> str:
    """A path with the home folder as `~`."""
    text = one_line(str(path))
    home = str(Path.home())
    return "~" + text[len(home) :] if text == home or text.startswith(home + "/") else text
