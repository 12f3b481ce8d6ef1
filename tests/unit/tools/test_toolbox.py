"""The registry: resident and on-demand tools."""

from __future__ import annotations

import pytest

from rescene_cli.core.errors import ToolError
from rescene_cli.core.messages import CallId, ToolCall
from rescene_cli.core.runtime import Interrupt
from rescene_cli.core.tools import CallContext
from rescene_cli.tools.toolbox import LONGEST, MOST_VALUES, InvalidCallError, Toolbox
from tests.support.parts import PlainTool, call

CONTEXT = CallContext(CallId("c"), Interrupt())


def toolbox() -> Toolbox:
    return Toolbox([PlainTool("look", lambda a, c: "ok"), PlainTool("rare", lambda a, c: "rare ran", resident=False)])


def load(box: Toolbox, *names: str) -> str:
    import json

    invocation = box.check(call("load_tools", json.dumps({"names": names})))
    return box.run(invocation, CONTEXT).parts[0].text  # type: ignore[union-attr]


def test_on_demand_tools_are_named_but_not_shown() -> None:
    box = toolbox()
    assert [spec.name for spec in box.specs] == ["look", "load_tools"]
    assert "- rare: rare does it." in box.specs[-1].description


def test_loading_appends_and_answers_for_each_name() -> None:
    box = toolbox()
    before = box.specs
    said = load(box, "rare", "look", "nope")
    assert said == "Loaded: rare. Already there: look. Unknown: nope."
    assert box.specs[:2] == before
    assert box.specs[2].name == "rare"
    assert box.loaded == ("rare",)
    assert load(box, "rare") == "Already there: rare."


def test_a_known_tool_runs_before_it_is_loaded() -> None:
    box = toolbox()
    assert box.run(box.check(call("rare")), CONTEXT).parts[0].text == "rare ran"  # type: ignore[union-attr]


@pytest.mark.parametrize("arguments", ["{", "[]", '"x"', '{"names": "rare"}', '{"names": []}', "{}", '{"x": 1}'])
def test_arguments_that_do_not_fit_are_refused_with_the_schema(arguments: str) -> None:
    with pytest.raises(InvalidCallError, match='"names"'):
        toolbox().check(ToolCall(CallId("c"), "load_tools", arguments))


def test_what_a_tool_cannot_do_is_an_outcome() -> None:
    def fail(arguments: object, context: object) -> str:
        raise ToolError("no such file\nmore")

    box = Toolbox([PlainTool("fail", fail)])
    outcome = box.run(box.check(call("fail")), CONTEXT)
    assert not outcome.ok
    assert outcome.title == "no such file"


DEEP = "[" * 60 + "]" * 60
MANY = "[" + "[1]," * 9_000 + "1]"
TRIED = [
    ("[" * 50_000, "nested more than 64 levels"),
    ("[" * 300 + "]" * 300, "nested more than 64 levels"),
    (DEEP, "is not of type 'integer'"),
    (f'"{"x" * (LONGEST + 1)}"', "longer than 16,777,216 characters"),
    ("[" + "1," * MOST_VALUES + "1]", "more than 20,000 values"),
    (MANY, "is not of type 'integer'"),
    ("NaN", "not valid JSON"),
    ("1e999", "not valid JSON"),
    ("1" + "0" * 400, "not valid JSON"),
    ("1e30", "is not of type 'integer'"),
    ("9" * 17, "is not of type 'integer'"),
    ("true", "is not of type 'integer'"),
    ("1.5", "is not of type 'integer'"),
]


def counting() -> Toolbox:
    return Toolbox([PlainTool("look", lambda a, c: "ok", properties={"n": {"type": "integer"}})])


@pytest.mark.parametrize(("value", "said"), TRIED, ids=[value[:20] for value, _ in TRIED])
def test_a_value_that_no_tool_can_take_makes_the_call_invalid(value: str, said: str) -> None:
    with pytest.raises(InvalidCallError) as caught:
        counting().check(ToolCall(CallId("c"), "look", f'{{"n": {value}}}'))
    assert said in str(caught.value)
    assert len(str(caught.value)) < 2_000


def test_a_whole_number_with_a_point_is_an_integer() -> None:
    """Some models, and some languages between, write every number so; no tool counts in floats."""
    arguments = counting().check(ToolCall(CallId("c"), "look", '{"n": 3.0}')).arguments
    assert type(arguments["n"]) is int
