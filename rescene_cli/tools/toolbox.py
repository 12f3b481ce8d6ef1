"""The registry: which tools there are, which the model sees, and whether a call's arguments fit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

from rescene_cli.core.errors import ToolError
from rescene_cli.core.json_text import loads
from rescene_cli.core.messages import ToolCall
from rescene_cli.core.tools import CallContext, Effect, Invocation, Outcome, Tool, ToolSpec
from rescene_cli.tools.spec import tool_spec

LONGEST = 16 << 20  # characters of a call's arguments; the largest file that is written whole is far below it
MOST_VALUES = 20_000  # in them; each can be a finding of the schema, which costs 10 microseconds
_MOST_FINDINGS = 100  # that are sorted; three are told

Load = Callable[[Sequence[str]], tuple[list[str], list[str], list[str]]]  # names -> loaded, there already, unknown


class InvalidCallError(ToolError):
    """A call that can't be run as written; the text says what the schema wants."""


class Toolbox:
    """All tools by name. Resident ones are in every request; the others once loaded."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools: dict[str, Tool] = {tool.spec.name: tool for tool in tools}
        loader = LoadTools(self.load, [tool.spec for tool in tools if not tool.spec.resident])
        self._tools[loader.spec.name] = loader
        self._shown = [name for name, tool in self._tools.items() if tool.spec.resident]

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is shown now; loading only ever appends, so that provider caches keep the rest."""
        return tuple(self._tools[name].spec for name in self._shown)

    @property
    def hidden(self) -> tuple[ToolSpec, ...]:
        """What it could load."""
        return tuple(tool.spec for name, tool in self._tools.items() if name not in self._shown)

    @property
    def loaded(self) -> tuple[str, ...]:
        """Names that were loaded on demand."""
        return tuple(name for name in self._shown if not self._tools[name].spec.resident)

    def spec(self, name: str) -> ToolSpec | None:
        """The tool's description, shown or not."""
        tool = self._tools.get(name)
        return tool.spec if tool else None

    def load(self, names: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
        """Show more tools. Returns the names that were loaded, were there already, and are unknown."""
        new = [name for name in dict.fromkeys(names) if name in self._tools and name not in self._shown]
        present = [name for name in names if name in self._shown]
        unknown = [name for name in names if name not in self._tools]
        self._shown += new
        return new, present, unknown

    def check(self, call: ToolCall) -> Invocation:
        """The call with its arguments parsed. Raises InvalidCallError, and then the call must not run."""
        tool = self._tools.get(call.name)
        if tool is None:
            shown = ", ".join(self._shown)
            more = ", ".join(spec.name for spec in self.hidden)
            message = f"There is no tool named {call.name!r}. Tools: {shown}. To load: {more or 'none'}."
            raise InvalidCallError(message)
        arguments = _parse(call, tool.spec)
        problem = _mismatch(tool.spec, arguments)
        if problem:
            raise InvalidCallError(_explain(tool.spec, problem))
        return Invocation(call, tool.spec, arguments)

    def run(self, invocation: Invocation, context: CallContext) -> Outcome:
        """Carry out a checked call. What the tool can't do comes back as an outcome that says so."""
        try:
            return self._tools[invocation.spec.name].run(invocation.arguments, context)
        except ToolError as error:
            return Outcome.text(str(error), ok=False, title=str(error).splitlines()[0][:120])


class LoadTools:
    """`load_tools(names)`: its description lists what is on demand, and never changes: provider caches hang on it."""

    def __init__(self, load: Load, on_demand: Sequence[ToolSpec]) -> None:
        self._load = load
        names = {"type": "array", "items": {"type": "string"}, "minItems": 1}
        spec = tool_spec("load_tools", {"names": names}, [Effect.CONVERSE], required=["names"])
        lines = [f"- {tool.name}: {_first_sentence(tool.description)}" for tool in on_demand]
        self.spec = spec._replace(description="\n".join([spec.description, *(lines or ["none"])]))

    def run(self, arguments: Mapping[str, Any], context: CallContext) -> Outcome:  # noqa: ARG002
        """Load, and answer for each name."""
        new, present, unknown = self._load(arguments["names"])
        lines = [f"Loaded: {', '.join(new)}."] if new else []
        lines += [f"Already there: {', '.join(present)}."] if present else []
        lines += [f"Unknown: {', '.join(unknown)}."] if unknown else []
        return Outcome.text(" ".join(lines), ok=bool(new or present), title=", ".join(new) or "nothing new")


def _first_sentence(text: str) -> str:
    return text.split("\n", 1)[0].split(". ", 1)[0].rstrip(".") + "."


def _parse(call: ToolCall, spec: ToolSpec) -> dict[str, Any]:
    if len(call.arguments) > LONGEST:
        raise InvalidCallError(_explain(spec, f"The arguments are longer than {LONGEST:,} characters."))
    try:
        arguments = loads(call.arguments or "{}", MOST_VALUES)
    except ValueError as error:
        raise InvalidCallError(_explain(spec, f"The arguments are not valid JSON ({error}).")) from None
    if not isinstance(arguments, dict):
        raise InvalidCallError(_explain(spec, "The arguments are not a JSON object."))
    optional = set(spec.parameters["properties"]) - set(spec.parameters.get("required", ()))
    return {name: value for name, value in arguments.items() if not (value is None and name in optional)}


@cache
def _validator(schema: str) -> Any:
    from jsonschema import Draft202012Validator, validators  # 100 ms: loaded while the model is thinking, see warm()

    # An integer that is too large to be exact was read as a float; the draft would take it, and no tool can.
    types = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    strict: Any = validators.extend(Draft202012Validator, type_checker=types)  # type: ignore[no-untyped-call]
    return strict(json.loads(schema))


def warm() -> None:
    """Load the schema validator; called beside the first request."""
    _validator("{}")


def _mismatch(spec: ToolSpec, arguments: Mapping[str, Any]) -> str:
    """What is wrong with the arguments, or ''."""
    validator = _validator(json.dumps(spec.parameters))
    found = islice(validator.iter_errors(arguments), _MOST_FINDINGS)
    errors = sorted(found, key=lambda error: [str(step) for step in error.absolute_path])
    parts = []
    for error in errors[:3]:
        where = ".".join(str(step) for step in error.absolute_path)
        parts.append(f"{where}: {_brief(error.message)}" if where else _brief(error.message))
    return "; ".join(parts)


def _brief(finding: str) -> str:
    """It begins with the value, however large that is, and ends with what is wrong with it."""
    return finding if len(finding) <= 200 else f"{finding[:100]} … {finding[-100:]}"


def _explain(spec: ToolSpec, problem: str) -> str:
    schema = json.dumps(spec.parameters, separators=(",", ":"))
    return f"Not run: {problem.rstrip('.')}. The arguments of {spec.name} must fit {schema}"
