"""The text a person is writing: its buffer, folded pastes, history, and the menu that belongs to it."""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory

from rescene_cli.ui.clusters import after, before
from rescene_cli.ui.menu import Menu
from rescene_cli.ui.pastes import Pastes


class Editor:
    """What stands in the prompt. `sent` gets the whole text when Enter ends it."""

    def __init__(self, menu: Menu, sent: Callable[[str], None], changed: Callable[[], None]) -> None:
        self.menu = menu
        self.pastes = Pastes()
        self._sent = sent
        self._changed = changed
        self.buffer = Buffer(
            multiline=True, history=InMemoryHistory(), name="prompt", on_text_changed=self._on_change,
            on_cursor_position_changed=self._on_change,
        )  # fmt: skip

    @property
    def text(self) -> str:
        """The text as it stands, pastes folded."""
        return self.buffer.text

    def set(self, text: str) -> None:
        """Put `text` into the prompt, with the caret at its end."""
        self.buffer.set_document(Document(text, len(text)), bypass_readonly=True)

    def send(self) -> None:
        """Enter: a new line after a backslash, else the text goes out."""
        if self.buffer.document.current_line_before_cursor.endswith("\\"):
            self.buffer.delete_before_cursor()
            self.buffer.insert_text("\n")
            return
        text = self.text
        if not text.strip():
            return
        self.buffer.append_to_history()
        self.empty()
        self._sent(self.pastes.expand(text).strip("\n"))

    def clear(self) -> None:
        """Empty the prompt; Up brings the text back."""
        if self.text.strip():
            self.buffer.append_to_history()
        self.empty()

    def empty(self) -> None:
        """Nothing is in the prompt any more."""
        self.buffer.reset()
        self._on_change(self.buffer)  # `reset` tells nobody

    def paste(self, text: str) -> None:
        """Insert pasted text, folded when it is big."""
        self.buffer.insert_text(self.pastes.fold(text))

    def unfold_pastes(self) -> None:
        """Put the whole pasted text into the prompt, for the editor."""
        self.set(self.pastes.expand(self.text))

    def move(self, step: int) -> None:
        """One character left or right."""
        document = self.buffer.document
        if step < 0:
            line = document.current_line_before_cursor
            self.buffer.cursor_position -= before(line, len(line)) if line else min(1, document.cursor_position)
        else:
            line = document.current_line_after_cursor
            self.buffer.cursor_position += after(line, 0) if line else int(not document.is_cursor_at_the_end)

    def backspace(self) -> None:
        """Delete what stands before the caret: a character, or the whole sign of a paste."""
        line = self.buffer.document.current_line_before_cursor
        self.buffer.delete_before_cursor(self.pastes.sign_before(line) or (before(line, len(line)) if line else 1))

    def delete(self) -> None:
        """Delete the character at the caret."""
        line = self.buffer.document.current_line_after_cursor
        self.buffer.delete(after(line, 0) if line else 1)

    def complete(self) -> None:
        """Take the chosen line of the menu."""
        choice = self.menu.chosen
        if choice is None:
            return
        self.buffer.delete_before_cursor(choice.replaces)
        self.buffer.insert_text(choice.text)

    def _on_change(self, _: Buffer) -> None:
        document = self.buffer.document
        self.menu.update(document.text_before_cursor, document.text_after_cursor)
        self._changed()
