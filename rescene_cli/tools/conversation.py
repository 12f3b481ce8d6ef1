"""Tools that touch nothing but the conversation: the todo list, a question, the status, cut output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rescene_cli.core.errors import ToolError
from rescene_cli.core.events import TodoItem
from rescene_cli.core.tools import CallContext, Effect, Outcome
from rescene_cli.session.archive import OutputArchive
from rescene_cli.tools.output import page
from rescene_cli.tools.spec import tool_spec

Questioner = Callable[[str, tuple[str, ...]], str | None]  # question, options -> answer; None: nobody is there

_STATUSES = ("pending", "in_progress", "done")
_ITEM = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "status": {"enum": list(_STATUSES)}},
    "required": ["text", "status"],
    "additionalProperties": False,
}
_NOBODY = (
    "Nobody is there to answer. Decide yourself: take the option that is easiest to take back, "
    "and say in your final message what you assumed."
)


class TodoList:
    """The list as the model last set it; `emit` hears of each change."""

    def __init__(self, emit: Callable[[tuple[TodoItem, ...]], None]) -> None:
        self._emit = emit
        self.items: tuple[TodoItem, ...] = ()

    def set(self, items: tuple[TodoItem, ...]) -> None:
        """Replace the list."""
        self.items = items
        self._emit(items)


class UpdateTodo:
    """`update_todo(items)`."""

    spec = tool_spec(
        "update_todo",
        {"items": {"type": "array", "maxItems": 50, "items": _ITEM}},
        [Effect.CONVERSE],
        required=["items"],
    )

    def __init__(self, todo: TodoList) -> None:
        self._todo = todo

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:  # noqa: ARG002
        """Replace the list and count it."""
        self._todo.set(tuple(TodoItem(item["text"], item["status"]) for item in arguments["items"]))
        states = [item.status for item in self._todo.items]
        counts = ", ".join(f"{states.count(status)} {status}" for status in _STATUSES)
        title = f"{states.count('done')} of {len(states)} done" if states else "cleared"
        return Outcome.text(f"Todo list: {counts}." if states else "Todo list: empty.", title=title)


class AskUser:
    """`ask_user(question, options)`."""

    spec = tool_spec(
        "ask_user",
        {
            "question": {"type": "string"},
            "options": {"type": "array", "maxItems": 5, "items": {"type": "string"}},
        },
        [Effect.CONVERSE],
        required=["question"],
        resident=False,
    )

    def __init__(self, ask: Questioner) -> None:
        self._ask = ask

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:
        """Ask and wait; where nobody can answer, say what to do instead."""
        answer = self._ask(arguments["question"], tuple(arguments.get("options", ())))
        context.interrupt.check()
        if answer is None:
            return Outcome.text(_NOBODY, title="nobody there")
        return Outcome.text(f"The user answers: {answer}", title="answered")


class HarnessState(NamedTuple):
    """What `harness_status` tells. `limit` is 0 when the model's context size is not known."""

    model: str
    mode: str
    turn: int
    tokens: int
    limit: int
    loaded: tuple[str, ...]
    tasks: tuple[str, ...]
    cut_outputs: int


class HarnessStatus:
    """`harness_status()`."""

    spec = tool_spec("harness_status", {}, [Effect.CONVERSE], resident=False)

    def __init__(self, state: Callable[[], HarnessState]) -> None:
        self._state = state

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:  # noqa: ARG002
        """Every item on a line; what is not there is said to be none."""
        state = self._state()
        limit = f" of {state.limit:,}" if state.limit else ", limit not known"
        lines = (
            f"model: {state.model}",
            f"mode: {state.mode}",
            f"turn: {state.turn}",
            f"context: {state.tokens:,}{limit} tokens",
            f"tools loaded on demand: {', '.join(state.loaded) or 'none'}",
            f"running tasks: {'; '.join(state.tasks) or 'none'}",
            f"outputs cut: {state.cut_outputs or 'none'}",
        )
        return Outcome.text("\n".join(lines), title=f"{state.tokens:,} tokens in context")


class ReadOutput:
    """`read_output(id, offset, limit)`."""

    spec = tool_spec(
        "read_output",
        {
            "id": {"type": "string"},
            "offset": {"type": "integer", "minimum": 1, "default": 1},
            "limit": {"type": "integer", "minimum": 1, "maximum": 2000, "default": 400},
        },
        [Effect.CONVERSE],
        required=["id"],
        resident=False,
    )

    def __init__(self, archive: OutputArchive) -> None:
        self._archive = archive

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:  # noqa: ARG002
        """The lines asked for, and where to go on."""
        raw = self._content(arguments["id"])
        found = page(raw, arguments.get("offset", 1), arguments.get("limit", 400))
        if not found.text:
            raise ToolError(f"{arguments['id']} has {found.total} lines; offset {found.first} is behind its end.")
        more = f"; go on at offset={found.last + 1}" if found.last < found.total else ""
        between = "" if found.text.endswith("\n") else "\n"
        where = f"lines {found.first} to {found.last} of {found.total}"
        return Outcome.text(f"{found.text}{between}[{where}{more}]", title=where)

    def _content(self, name: str) -> bytes:
        content = self._archive.get(name)
        if content is not None:
            return content
        known = f"Outputs: {', '.join(self._archive.names) or 'none'}."
        if self._archive.dropped(name):
            raise ToolError(f"{name} is no longer kept: newer outputs took its place. Run the command again. {known}")
        raise ToolError(f"There is no output {name!r}. {known}")
