"""Big pastes: a short sign stands for them in the prompt, their text goes out when it is sent."""

from __future__ import annotations

import re

_LINES = 10  # a paste of more lines than this is folded
_CHARACTERS = 2_000


class Pastes:
    """The folded pastes of a session, by number."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """What goes into the prompt for a pasted `text`."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.count("\n") + (not text.endswith("\n"))
        if lines <= _LINES and len(text) <= _CHARACTERS:
            return text
        size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        sign = f"[pasted {size} #{len(self._texts) + 1}]"
        self._texts[sign] = text
        return sign

    def expand(self, text: str) -> str:
        """`text` with every sign replaced by what it stands for."""
        if not self._texts or "[pasted " not in text:
            return text
        return re.sub(r"\[pasted [\d,]+ \w+ #\d+\]", lambda match: self._texts.get(match[0], match[0]), text)

    def sign_before(self, text: str) -> int:
        """The length of the sign that `text` ends with, 0 if it ends with none."""
        return next((len(sign) for sign in self._texts if text.endswith(sign)), 0)
