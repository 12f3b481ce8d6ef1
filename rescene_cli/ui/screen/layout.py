"""How the program's rows are arranged: what runs, the question, the prompt, its menu, the status."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from prompt_toolkit.application.current import get_app
from prompt_toolkit.filters import Condition, is_searching
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText, to_formatted_text
from prompt_toolkit.formatted_text.base import StyleAndTextTuples
from prompt_toolkit.layout import BufferControl, ConditionalContainer, FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.processors import (
    HighlightIncrementalSearchProcessor,
    Processor,
    Transformation,
    TransformationInput,
)
from prompt_toolkit.layout.utils import explode_text_fragments
from prompt_toolkit.widgets import SearchToolbar

from rescene_cli.ui.clusters import boundaries, is_cluster, replaced, stand_in

if TYPE_CHECKING:
    from prompt_toolkit.buffer import Buffer

Lines = Callable[[], list[str]]


class Clustered(Processor):
    """Shows each emoji made of several code points as one character, and maps the caret around it."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """Replace the clusters of a line."""
        letters = explode_text_fragments(transformation_input.fragments)
        text = "".join(letter[1] for letter in letters)
        if text.isascii():
            return Transformation(transformation_input.fragments)
        shown: StyleAndTextTuples = []
        to_display: list[int] = []
        to_source: list[int] = []
        for begin, end in pairwise(boundaries(text)):
            part = text[begin:end]
            sign = stand_in(part) if is_cluster(part) else part
            one = len(sign) == 1
            to_display += [len(to_source) + (0 if one else offset) for offset in range(end - begin)]
            to_source += [begin] if one else range(begin, end)
            shown.append((letters[begin][0], sign))
        return Transformation(shown, _lookup(to_display, len(to_source)), _lookup(to_source, len(to_display)))


def _lookup(places: list[int], beyond: int) -> Callable[[int], int]:
    """A mapping of positions; those behind the text lie behind it on the other side too."""
    return lambda place: places[place] if place < len(places) else beyond + place - len(places)


def build_layout(
    buffer: Buffer, prompt_sign: Callable[[], AnyFormattedText], above: Lines, menu: Lines, status: Lines
) -> Layout:
    """The rows, from what runs down to the status."""
    search = SearchToolbar(forward_search_prompt="search: ", backward_search_prompt="search back: ", ignore_case=True)
    control = BufferControl(
        buffer,
        input_processors=[HighlightIncrementalSearchProcessor(), Clustered()],
        search_buffer_control=search.control,
        include_default_input_processors=False,
        preview_search=True,
    )
    prompt = Window(
        control,
        wrap_lines=True,
        get_line_prefix=lambda line, wrap: prompt_sign() if not line and not wrap else [("", "  ")],
        height=lambda: Dimension(min=1, max=max(3, get_app().output.get_size().rows // 3)),
        dont_extend_height=True,
    )
    quiet = ~is_searching
    return Layout(
        HSplit(
            [
                _lines(above),
                _lines(lambda: [""]),
                prompt,
                search,
                ConditionalContainer(_lines(menu), quiet),
                ConditionalContainer(_lines(status), quiet & Condition(lambda: not menu())),
            ]
        ),
        focused_element=prompt,
    )


def _lines(lines: Lines) -> Any:
    """A window as high as its lines; it takes no room without any."""

    def text() -> AnyFormattedText:
        return to_formatted_text(ANSI(replaced("\n".join(lines()))))

    return ConditionalContainer(
        Window(FormattedTextControl(text), dont_extend_height=True, wrap_lines=False, always_hide_cursor=True),
        Condition(lambda: bool(lines())),
    )
