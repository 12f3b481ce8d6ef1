"""Markdown and code as lines of text with escape codes; the only module that knows rich."""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from rescene_cli.ui.clean import visible
from rescene_cli.ui.ink import Depth, Ink
from rescene_cli.ui.markdown import Block

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

_CODE_INDENT = 2
_LONG_CONTEXT = 400  # lines of an open code block that are read again to colour its next part


class Painter:
    """Renders for one width; lines have no trailing spaces, so that copying and narrowing leave them whole."""

    def __init__(self, depth: Depth, columns: int, *, unicode: bool = True) -> None:
        self.ink = Ink(depth)
        self.columns = max(20, columns)
        self._unicode = unicode

    def block(self, block: Block) -> list[str]:
        """A block of a reply."""
        text = visible(block.text)
        if block.code is not None:
            return self._code(text, block.code, visible(block.context))
        if _is_plain(text):
            from rescene_cli.ui.cells import wrap

            return wrap(text.replace("\n", " "), min(self.columns, 100))
        return self._render(_markdown()(text))

    def _code(self, code: str, language: str, context: str) -> list[str]:
        from rich.syntax import Syntax

        before = context.split("\n")[-_LONG_CONTEXT:] if context else []
        syntax = Syntax(
            "\n".join([*before, code]),
            _lexer(language),
            theme="ansi_dark",
            background_color="default",
            word_wrap=False,
        )
        # Every line goes out unwrapped: a person who copies code wants its lines as they are.
        lines = [_without_trailing_spaces(line) for line in self._text(syntax, 10_000).split("\n")]
        return [" " * _CODE_INDENT + line if line else "" for line in lines[len(before) :]]

    def _render(self, what: RenderableType) -> list[str]:
        text = self._text(what, min(self.columns, 100))
        return _trimmed([_without_trailing_spaces(line) for line in text.split("\n")])

    def _text(self, what: RenderableType, columns: int) -> str:
        import io

        from rich.console import Console

        out = io.StringIO()
        colors = self.ink.depth is Depth.COLORS
        Console(
            file=out,
            width=columns,
            force_terminal=self.ink.depth > Depth.NONE,
            color_system="standard" if colors else None,
            no_color=not colors,
            highlight=False,
            emoji=False,
            legacy_windows=False,
            safe_box=not self._unicode,
            _environ={},
        ).print(what, end="")
        return out.getvalue().removesuffix("\n")


def preload() -> None:
    """Load rich on another thread, while the model has not answered yet: that takes a fifth of a second."""
    threading.Thread(target=_markdown, name="preload", daemon=True).start()


def _is_plain(text: str) -> bool:
    """Whether `text` is a paragraph with no Markdown in it: then rich need not be loaded, nor do its work."""
    return not set("*_`#[]<>|~\\&") & set(text) and not any(
        line.startswith(("-", "+", " ", "\t", "=", *"0123456789")) or line.endswith("  ") for line in text.split("\n")
    )


def _trimmed(lines: list[str]) -> list[str]:
    """Without empty lines at both ends."""
    filled = [place for place, line in enumerate(lines) if visible(line).strip()]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _without_trailing_spaces(line: str) -> str:
    """Cut spaces at the end, also those in front of a closing reset."""
    if line.endswith("\x1b[0m"):
        return line[:-4].rstrip() + "\x1b[0m"
    return line.rstrip()


def _lexer(language: str) -> str:
    return {"console": "console", "shell": "bash", "sh": "bash", "py": "python", "": "text"}.get(language, language)


@cache
def _markdown() -> Any:
    """Rich's Markdown with our look."""
    from rich.markdown import Markdown

    class OurMarkdown(Markdown):
        elements: ClassVar[dict[str, Any]] = Markdown.elements | _text_elements() | _ordered_elements()

        def __init__(self, text: str) -> None:
            super().__init__(text, hyperlinks=False, code_theme="ansi_dark")

    return OurMarkdown


def _text_elements() -> dict[str, Any]:
    """Headings at the left, code without a box."""
    from rich.markdown import CodeBlock, Heading
    from rich.syntax import Syntax
    from rich.text import Text

    class LeftHeading(Heading):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            yield Text.styled(self.text.plain, "bold underline" if self.tag == "h1" else "bold")

    class BareCode(CodeBlock):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            yield Syntax(
                str(self.text).rstrip(), _lexer(self.lexer_name), theme="ansi_dark",
                background_color="default", word_wrap=True, padding=(0, _CODE_INDENT),
            )  # fmt: skip

    return {"heading_open": LeftHeading, "fence": BareCode, "code_block": BareCode}


def _ordered_elements() -> dict[str, Any]:
    """Numbers with their dot, tables whose cells are whole."""
    from rich.markdown import ListItem, TableElement
    from rich.segment import Segment
    from rich.table import Table

    class WholeTable(TableElement):
        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for table in super().__rich_console__(console, options):
                assert isinstance(table, Table)
                for column in table.columns:
                    column.overflow = "fold"  # else a long word, or a text without spaces, is cut off
                yield table

    class DottedItem(ListItem):
        def render_number(self, console: Console, options: ConsoleOptions, number: int, last: int) -> RenderResult:
            wide = len(str(last)) + 3
            style = console.get_style("markdown.item.number", default="none")
            sign = f"{number}.".rjust(wide - 1) + " "
            inner = options.update(width=options.max_width - wide)
            for line in console.render_lines(self.elements, inner, style=self.style):
                yield Segment(sign, style)
                yield from line
                yield Segment("\n")
                sign = " " * wide

    return {"table_open": WholeTable, "list_item_open": DottedItem}
