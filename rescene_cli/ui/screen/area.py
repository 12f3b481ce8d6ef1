"""The program's own rows at the end of the scrollback, drawn so that nothing flickers and nothing is repeated.

prompt_toolkit draws the rows; this module writes final lines above them in one piece with the redraw, and knows
how far up the rows begin after the terminal has changed its width.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from prompt_toolkit.application import Application
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.renderer import Renderer

from rescene_cli.ui.clusters import drawn

if TYPE_CHECKING:
    from prompt_toolkit.layout import Layout

_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"  # synchronized update; terminals that don't know it ignore it


class AreaOutput(Vt100_Output):
    """Writes each update as one piece, and grapheme clusters with the cursor where it belongs."""

    _held = 0

    def write(self, data: str) -> None:
        """Queue text."""
        self.write_raw(drawn(data.replace("\x1b", "?")))

    def flush(self) -> None:
        """Write what is queued, unless an update is under way."""
        if not self._held and self._buffer:
            if self.term != "linux":
                self._buffer = [_BEGIN, *self._buffer, _END]
            super().flush()

    def erase_down(self) -> None:
        """Erase to the end of the screen; never in one stroke from its first cell: tmux keeps what that removes."""
        self.write_raw("\x1b7\x1b[K\x1b[B\x1b[J\x1b8")

    @contextmanager
    def one_update(self) -> Iterator[None]:
        """Hold everything back until the end of the block."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1
            self.flush()


class AreaRenderer(Renderer):
    """Erases exactly its own rows, also after a resize: most terminals wrap rows that have become too long."""

    def __init__(self, application: Application[Any], output: AreaOutput, *, rewraps: bool) -> None:
        super().__init__(application.renderer.style, output)
        self._rewraps = rewraps

    def erase(self, leave_alternate_screen: bool = True) -> None:
        """Take the rows off the screen."""
        extra = self._rows_gained() if self._rewraps else 0
        if extra:
            self.output.cursor_up(extra)
        super().erase(leave_alternate_screen)

    def render(self, app: Application[Any], layout: Layout, is_done: bool = False) -> None:
        """Draw; when fewer rows are needed than before the rest is given back."""
        assert isinstance(self.output, AreaOutput)
        with self.output.one_update():
            last = self.last_rendered_screen
            if last is not None and not is_done:
                size = self.output.get_size()
                wanted = layout.container.preferred_height(size.columns, size.rows).preferred
                if wanted < last.height:
                    self.erase()
            super().render(app, layout, is_done)

    def _rows_gained(self) -> int:
        """How many rows the terminal has made of ours, beyond what they were, down to the cursor."""
        screen, size = self._last_screen, self._last_size
        columns = self.output.get_size().columns
        if screen is None or size is None or columns >= size.columns:
            return 0
        cursor = self._cursor_pos
        gained = cursor.x // columns
        for row in range(cursor.y):
            cells = screen.data_buffer[row]
            used = max((place + cell.width for place, cell in cells.items() if cell.char.strip()), default=1)
            gained += (used - 1) // columns
        return gained


def rewraps(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether this terminal wraps old rows anew when it changes its width: all but a few do."""
    term = environment.get("TERM", "")
    if environment.get("TMUX"):
        return True
    return not (environment.get("XTERM_VERSION") or environment.get("STY") or term.startswith(("linux", "vt")))


def print_above(application: Application[Any], lines: list[str]) -> None:
    """Write `lines` above the program's rows. For the thread that draws, while the application has the terminal."""
    output = application.output
    assert isinstance(output, AreaOutput)
    with output.one_update():
        application.renderer.erase()
        output.write_raw("".join(f"{line}\r\n" for line in lines))
        application._redraw()  # `invalidate` would draw a moment later, with nothing on the screen until then
