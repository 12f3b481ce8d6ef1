"""What a face (terminal, headless run) may ask of a running session."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from rescene_cli.core.decisions import Mode
from rescene_cli.core.events import TodoItem, TurnFinished
from rescene_cli.core.llm import Effort
from rescene_cli.core.messages import Image
from rescene_cli.core.runtime import Interrupt


class Status(NamedTuple):
    """A snapshot for the status line. Tokens are of the last request; `context` is 0 when the limit is unknown."""

    model: str
    mode: Mode
    effort: Effort | None
    tokens: int
    context: int
    cost_usd: float | None
    operation: str  # the last one, "" when nothing changed yet
    turns: int
    running_tasks: int
    todo: tuple[TodoItem, ...]


class Conversation(Protocol):
    """One session with a model. `turn` blocks and reports through the observers; the rest returns at once."""

    root: Path
    session: str
    interrupt: Interrupt

    def turn(self, text: str, images: Sequence[Image] = ()) -> TurnFinished:
        """Carry out one turn. Never raises for what can go wrong in it: `status` and `error` say so."""
        ...

    def steer(self, text: str) -> bool:
        """Hand the model a message while it works; it sees it with the next tool results.

        False when no turn runs: then it is the caller's to begin one. What a turn ends without taking is not kept,
        it is in `TurnFinished.unread`.
        """
        ...

    def shell(self, command: str) -> None:
        """Run a person's own command; its output goes to the screen and into the next request."""
        ...

    def set_model(self, model: str) -> None:
        """Use another model from the next request on. Raises ConfigError or ProviderError when it can't be."""
        ...

    def set_effort(self, effort: Effort | None) -> None:
        """Use another effort from the next request on."""
        ...

    def set_mode(self, mode: Mode) -> None:
        """Change how much runs unasked."""
        ...

    def new(self) -> None:
        """Forget what was said; files stay as they are."""
        ...

    def status(self) -> Status:
        """Where the session stands."""
        ...

    def context(self) -> tuple[tuple[str, int], ...]:
        """What fills the context, as (section, estimated tokens)."""
        ...

    def files(self) -> Sequence[str]:
        """The project's files for completion, relative to the root; may be slow the first time."""
        ...

    def close(self) -> tuple[str, ...]:
        """End the session: tasks are stopped; returns what was still running."""
        ...
