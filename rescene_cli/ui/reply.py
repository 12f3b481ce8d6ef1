"""A reply as it streams: blocks that are done, the end that is not, and the thinking before it."""

from __future__ import annotations

from rescene_cli.ui.clean import visible
from rescene_cli.ui.markdown import Block, Blocks
from rescene_cli.ui.paint import Painter

_REST = 2_000  # characters of an unfinished paragraph that are rendered while it grows
_THINKING = 100_000  # characters of one stretch of thinking that can be unfolded


class Reply:
    """The reply that is being written."""

    def __init__(self) -> None:
        self._blocks = Blocks()
        self._thinking: list[str] = []
        self._size = 0
        self.thinking_since: float | None = None
        self.begun = False  # text of this reply is on the screen
        self._seen: tuple[Block | None, int] = (None, 0)
        self._rows: list[str] = []

    def think(self, text: str, now: float) -> None:
        """More thinking."""
        if self.thinking_since is None:
            self.thinking_since = now
        if self._size < _THINKING:
            self._thinking.append(text)
            self._size += len(text)

    def end_thinking(self) -> str:
        """What was thought, if anything; the thinking is over."""
        text = "".join(self._thinking)
        self._thinking, self._size, self.thinking_since = [], 0, None
        return text

    def last_thought(self) -> str:
        """The last line of the thinking."""
        lines = visible("".join(self._thinking[-20:])).strip().split("\n")
        return lines[-1].strip()

    def add(self, text: str, painter: Painter) -> list[list[str]]:
        """More text; returns the blocks that it completes, as lines."""
        return self._painted(self._blocks.feed(text), painter)

    def end(self, painter: Painter) -> list[list[str]]:
        """The text is over: the rest of it."""
        return self._painted(self._blocks.close(), painter)

    def rest(self, painter: Painter) -> list[str]:
        """The unfinished end, as lines."""
        block = self._blocks.rest
        if (block, painter.columns) != self._seen:
            self._seen = (block, painter.columns)
            self._rows = painter.block(_shortened(block)) if block else []
            if block and not block.first:
                return self._rows
            self._rows = ["", *self._rows] if self._rows else []
        return self._rows

    def _painted(self, blocks: list[Block], painter: Painter) -> list[list[str]]:
        pieces = []
        for block in blocks:
            lines = painter.block(block)
            pieces.append(["", *lines] if block.first else lines)
        self.begun = self.begun or bool(pieces)
        return pieces


def _shortened(block: Block) -> Block:
    return block._replace(text=block.text[-_REST:]) if block.code is None else block
