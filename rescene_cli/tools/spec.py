"""How a tool's description is put together: the prose is a `.md` file beside the code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rescene_cli.core.tools import Effect, Targets, ToolSpec

_PROSE = Path(__file__).parent


def tool_spec(
    name: str,
    parameters: Mapping[str, Any],
    effects: Sequence[Effect],
    *,
    required: Sequence[str] = (),
    targets: Callable[[Mapping[str, Any]], Targets] = lambda _: Targets(),
    resident: bool = True,
) -> ToolSpec:
    """The spec of tool `name`: `parameters` are the schema's properties, its prose is `<name>.md`."""
    schema: dict[str, Any] = {"type": "object", "properties": dict(parameters), "additionalProperties": False}
    if required:
        schema["required"] = list(required)  # some providers reject an empty or null `required`
    prose = (_PROSE / f"{name}.md").read_text("utf-8").strip()
    return ToolSpec(name, prose, schema, frozenset(effects), targets, resident)


def at(*names: str) -> Callable[[Mapping[str, Any]], Targets]:
    """The targets of a tool that works on the paths in these arguments."""
    return lambda arguments: Targets(_given(arguments, names))


def away(*names: str) -> Callable[[Mapping[str, Any]], Targets]:
    """The targets of a tool that removes the paths in these arguments."""
    return lambda arguments: Targets(_given(arguments, names), _given(arguments, names))


def _given(arguments: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(arguments[name]) for name in names if name in arguments)
