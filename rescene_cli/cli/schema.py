"""JSON schemas of what `rescene run` prints, made from the types themselves."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from rescene_cli.core.events import KINDS, Denied, Evidence, FileTouched, Totals

_SCALARS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}

RUN_DATA: dict[str, Any] = {
    "status": str,
    "session": str,
    "message": str,
    "files": tuple[FileTouched, ...],
    "operations": tuple[str, ...],
    "verify": tuple[Evidence, ...],
    "evidence": str,
    "denied": tuple[Denied, ...],
    "approvals_requested": int,
    "usage": Totals,
    "requests": int,
    "seconds": float,
    "model": str,
    "mode": str,
    "tier": str,
    "not_covered": tuple[str, ...],
}


def events_schema() -> dict[str, Any]:
    """The schema of a line of `--output stream-json`."""
    kinds = {kind: _tagged(kind, fields(event)) for event, kind in KINDS.items()}
    kinds["done"] = envelope_schema({"type": {"const": "done"}})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of rescene run --output stream-json",
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in kinds],
        "$defs": kinds,
    }


def envelope_schema(first: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The schema of what `rescene run --output json` prints. `data` is null when no turn came about."""
    finding = _closed({name: _schema(str) for name in ("severity", "where", "message", "hint")})
    error = _closed({name: _schema(str) for name in ("code", "message", "hint")})
    return _closed(
        {
            **(first or {}),
            "ok": {"type": "boolean"},
            "command": {"const": "run"},
            "data": {"anyOf": [_closed({name: _schema(hint) for name, hint in RUN_DATA.items()}), {"type": "null"}]},
            "findings": {"type": "array", "items": finding},
            "error": {"anyOf": [error, {"type": "null"}]},
        }
    )


def fields(kind: type) -> dict[str, Any]:
    """The fields of a named tuple or dataclass, with their types."""
    return get_type_hints(kind)


def type_name(hint: Any) -> str:
    """A type as the reference names it."""
    return _name(_schema(hint))


def _name(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_name(option) for option in schema["anyOf"])
    if schema["type"] == "array":
        return f"list of {_name(schema['items'])}"
    if schema.get("properties"):
        return f"{{{', '.join(schema['properties'])}}}"
    return str(schema["type"])


def _tagged(kind: str, hints: Mapping[str, Any]) -> dict[str, Any]:
    return _closed({"type": {"const": kind}, **{name: _schema(hint) for name, hint in hints.items()}})


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _schema(hint: Any) -> dict[str, Any]:
    hint = getattr(hint, "__supertype__", hint)  # a NewType is its base on the wire
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if get_origin(hint) in (Union, UnionType):
        return {"anyOf": [_schema(option) for option in get_args(hint)]}
    if get_origin(hint) is tuple:
        return {"type": "array", "items": _schema(get_args(hint)[0])}
    if dataclasses.is_dataclass(hint) or hasattr(hint, "_fields"):
        return _closed({name: _schema(field) for name, field in fields(hint).items()})
    return {"type": "object"}
