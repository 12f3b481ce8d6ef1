"""The rows around the prompt: what runs and what is asked above it, the menu or the status below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rescene_cli.ui.cells import clip, clip_left, width
from rescene_cli.ui.clean import one_line
from rescene_cli.ui.status import status_line

if TYPE_CHECKING:
    from rescene_cli.ui.screen.terminal import Terminal

_QUEUED = 3  # messages in the queue that are shown


class Rows:
    """Makes the rows for the size the terminal has now."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def above(self) -> list[str]:
        """What runs, the question, and the messages that wait."""
        terminal = self._terminal
        columns, rows = terminal.size
        painter, marks, now = terminal.stream.painter, terminal.marks, terminal.clock()
        asked = terminal.asking.lines(columns, painter.ink, marks, now)
        height = max(2, min(rows // 2 - 2, 16, rows - 8 - len(self.menu())) - len(asked))
        live = (
            [] if asked and not terminal.stream.live.calls else terminal.stream.live.lines(painter, marks, now, height)
        )
        gap = [""] if asked else []
        queued = [
            painter.ink.dim(clip(f"queued: {one_line(text)}", columns, marks.more))
            for text in terminal.queued[-_QUEUED:]
        ]
        return [*live, *gap, *asked, *queued]

    def menu(self) -> list[str]:
        """The choices for what is being typed."""
        terminal = self._terminal
        menu, ink, columns = terminal.editor.menu, terminal.stream.painter.ink, terminal.size[0]
        if not menu.choices:
            return [ink.dim(menu.note)] if menu.note else []
        widest = max(width(choice.label) for choice in menu.choices)
        lines = []
        for place, choice in enumerate(menu.choices):
            label = clip_left(one_line(choice.label), columns - 2, terminal.marks.more)
            room = columns - widest - 4
            note = clip(choice.note, room, terminal.marks.more) if choice.note and room > 8 else ""
            padded = label + " " * (widest - width(label)) if note else label
            if place == menu.place:
                lines.append(f"{ink.accent(terminal.marks.prompt)} {ink.bold(padded)}  {ink.dim(note)}".rstrip())
            else:
                lines.append(f"  {padded}  {ink.dim(note)}".rstrip())
        return lines

    def status(self) -> list[str]:
        """The status line, or what the next key would do."""
        terminal = self._terminal
        columns = terminal.size[0]
        ink = terminal.stream.painter.ink
        if terminal.leaving:
            return [ink.dim("  Ctrl-C again leaves")]
        line = status_line(terminal.conversation_status(), terminal.marks, columns - 2)
        return [ink.dim(f"  {line}")]
