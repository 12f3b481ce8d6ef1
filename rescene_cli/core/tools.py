"""What a tool is, what it may do, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from rescene_cli.core.changes import Operation
from rescene_cli.core.messages import CallId, Part, Text, ToolCall
from rescene_cli.core.runtime import Interrupt


class Effect(StrEnum):
    """What a call may do; guards and modes judge by this, never by a tool's name alone."""

    READ = "read"
    WRITE = "write"
    REMOVE = "remove"
    EXECUTE = "execute"
    NETWORK = "network"
    CONVERSE = "converse"  # touches nothing but this conversation: the todo list, a question, the status


class Targets(NamedTuple):
    """The paths a call works on, as its arguments spell them, and those of them that are gone or empty afterwards."""

    named: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class ToolSpec(NamedTuple):
    """A tool as the model sees it, and what its calls work on. `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    effects: frozenset[Effect]
    targets: Callable[[Mapping[str, Any]], Targets] = lambda _: Targets()
    resident: bool = True

    @property
    def only_reads(self) -> bool:
        """Whether calls may run beside each other: what converses, as a question does, has its turn."""
        return self.effects == {Effect.READ}


class Invocation(NamedTuple):
    """A call whose arguments fit the tool's schema."""

    call: ToolCall
    spec: ToolSpec
    arguments: Mapping[str, Any]

    @property
    def targets(self) -> Targets:
        """The paths it works on."""
        return self.spec.targets(self.arguments)


class Outcome(NamedTuple):
    """What a call did.

    `parts` goes to the model. `title` is the line a person sees; `diff` (unified) and `operation` are
    there when files changed.
    """

    parts: tuple[Part, ...]
    ok: bool = True
    title: str = ""
    diff: str = ""
    operation: Operation | None = None

    @classmethod
    def text(cls, text: str, *, ok: bool = True, title: str = "") -> Outcome:
        """An outcome that is only text."""
        return cls((Text(text),), ok=ok, title=title)


def _silent(_: str) -> None:
    """Nobody watches."""


class CallContext(NamedTuple):
    """What a running call may use: a way to show output as it comes, and the request to stop."""

    call_id: CallId
    interrupt: Interrupt
    show: Callable[[str], None] = _silent


class Tool(Protocol):
    """A tool: its description and its action."""

    @property
    def spec(self) -> ToolSpec:
        """How the model sees it."""
        ...

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
        """Act. Raises `ToolError` with a text for the model, or `Interrupted`."""
        ...
