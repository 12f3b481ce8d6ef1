"""What each key does, where that differs from an ordinary line editor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from prompt_toolkit.filters import Condition, FilterOrBool, is_searching
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

if TYPE_CHECKING:
    from rescene_cli.ui.screen.terminal import Terminal

Keystroke = tuple[str, ...]
Table = list[tuple[tuple[Keystroke, ...], Callable[[], object]]]


def key_bindings(terminal: Terminal) -> KeyBindings:
    """All keys. Later entries win over earlier ones while their condition holds."""
    bindings = KeyBindings()
    editor, menu = terminal.editor, terminal.editor.menu
    free = ~is_searching
    empty = free & Condition(lambda: not editor.text)
    menu_open = free & Condition(lambda: menu.open and terminal.asking.pending is None)
    unfinished = menu_open & Condition(lambda: menu.completes(editor.buffer.document.text_before_cursor))

    _add(bindings, free, _text_keys(terminal))
    _add(bindings, free, _program_keys(terminal))
    _add(bindings, empty, [((("c-d",),), lambda: terminal.leave(0))])
    _add(bindings, menu_open, [
        ((("down",), ("c-n",)), lambda: menu.move(1)),
        ((("up",), ("c-p",)), lambda: menu.move(-1)),
        ((("tab",),), editor.complete),
    ])  # fmt: skip
    _add(bindings, unfinished, [((("enter",),), editor.complete)])
    bindings.add(Keys.BracketedPaste, filter=free)(lambda event: editor.paste(event.data))
    _bind_answers(bindings, terminal)
    return bindings


def _text_keys(terminal: Terminal) -> Table:
    editor = terminal.editor
    return [
        ((("enter",),), editor.send),
        ((("escape", "enter"), ("c-j",)), lambda: editor.buffer.insert_text("\n")),
        ((("left",),), lambda: editor.move(-1)),
        ((("right",),), lambda: editor.move(1)),
        ((("backspace",),), editor.backspace),
        ((("delete",),), editor.delete),
    ]


def _program_keys(terminal: Terminal) -> Table:
    return [
        ((("c-c",), ("<sigint>",)), terminal.stop_key),
        ((("c-g",),), terminal.edit_outside),
        ((("c-l",),), terminal.clear_screen),
        ((("c-o",),), terminal.unfold),
        ((("s-tab",),), terminal.next_mode),
        ((("c-z",),), terminal.suspend),
        ((("escape",),), terminal.escape),
    ]


def _bind_answers(bindings: KeyBindings, terminal: Terminal) -> None:
    """While a call waits for approval its keys come first; what is no answer goes on into the text."""
    approving = Condition(lambda: terminal.asking.approval is not None)

    def letter(event: KeyPressEvent) -> None:
        if not terminal.answer_key(event.data) and event.data.isprintable():
            terminal.editor.buffer.insert_text(event.data)

    bindings.add(Keys.Any, filter=approving)(letter)
    _add(bindings, approving, [((("enter",),), lambda: terminal.answer_key("enter"))])


def _add(bindings: KeyBindings, condition: FilterOrBool, table: Table) -> None:
    for strokes, action in table:
        for stroke in strokes:
            bindings.add(*stroke, filter=condition)(lambda _, action=action: action())
