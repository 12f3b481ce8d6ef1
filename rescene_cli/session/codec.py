"""Events as JSON, for `--output stream-json` (`docs/reference/events.md`)."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from rescene_cli.core.events import KINDS, Event


def event_line(event: Event) -> str:
    """One line: `type` first, then the fields in their order. Lone surrogates are escaped, so it is always UTF-8."""
    return json.dumps({"type": KINDS[type(event)], **plain(event)}, separators=(",", ":"))


def plain(value: Any) -> Any:
    """`value` as dicts, lists and scalars; named tuples and dataclasses become objects."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
