"""JSON from outside, and what is refused of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rescene_cli.core.json_text import DEEPEST, MOST_VALUES, bounded, loads

SCALARS = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=9)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner))


@given(VALUES)
def test_ordinary_values_are_what_they_were(value: object) -> None:
    assert loads(f" {json.dumps(value)}\n") == value


@pytest.mark.parametrize(
    "text", ["", "{", "1 2", "NaN", "-Infinity", '{"a": 1e999}', "1" + "0" * 400, "[" * 50_000, '{"a":' * 50_000]
)
def test_what_no_code_behind_it_could_use_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        loads(text)


def test_depth() -> None:
    assert loads("[" * DEEPEST + "]" * DEEPEST)
    for deep in ("[" * (DEEPEST + 2) + "]" * (DEEPEST + 2), '[{"a":' * DEEPEST + "1" + "}]" * DEEPEST):
        with pytest.raises(ValueError, match="nested more than 64 levels"):
            loads(deep)
    assert loads(json.dumps("[" * 500)) == "[" * 500  # brackets in a text are none


def test_the_number_of_values() -> None:
    assert len(loads(json.dumps([1] * 100), 100)) == 100
    with pytest.raises(ValueError, match="more than 100 values"):
        loads(json.dumps([1] * 101), 100)
    assert loads(json.dumps(["a,b" * 200]), 100)  # commas in a text are none
    with pytest.raises(ValueError, match="more than 1,000,000 values"):
        loads("[" + "[]," * MOST_VALUES + "1]")


@pytest.mark.parametrize(("text", "value"), [("3.0", 3), ("-2e2", -200), ("0.5", 0.5), ("9" * 15, 10**15 - 1)])
def test_numbers_are_whole_where_they_are(text: str, value: float) -> None:
    assert loads(text) == value
    assert type(loads(text)) is type(value)


@pytest.mark.parametrize("text", ["9" * 17, "1e300"])
def test_an_integer_that_is_not_exact_is_none(text: str) -> None:
    assert isinstance(loads(text), float)


def test_values_that_were_decoded_elsewhere() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested"):
        bounded(deep)
    assert bounded({"a": [1]}) == {"a": [1]}
    assert bounded(5) == 5
