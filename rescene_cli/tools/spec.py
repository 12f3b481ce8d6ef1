"""How a tool's description is put together: the prose is a `.md` file beside the code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rescene_cli.core.tools import Effect, ToolSpec

_PROSE = Path(__file__).parent


def tool_spec(
    name: str,
    parameters: Mapping[str, Any],
    effects: Sequence[Effect],
    *,
    required: Sequence[str] = (),
    paths: Sequence[str] = (),
    resident: bool = True,
) -> ToolSpec:
    """The spec of tool `name`: `parameters` are the schema's properties, its prose is `<name>.md`."""
    schema: dict[str, Any] = {"type": "object", "properties": dict(parameters), "additionalProperties": False}
    if required:
        schema["required"] = list(required)  # some providers reject an empty or null `required`
    prose = (_PROSE / f"{name}.md").read_text("utf-8").strip()
    return ToolSpec(name, prose, schema, frozenset(effects), tuple(paths), resident)
