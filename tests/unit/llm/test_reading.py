"""The readers: what is missing, null or empty reads as empty, everything else of a wrong type is unreadable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rescene_cli.core.errors import ProviderError, ProviderFault
from rescene_cli.llm.reading import Unreadable, count, member, members, parse, place, text, told

Reader = Callable[[dict[str, Any], str], object]


@pytest.mark.parametrize(
    ("read", "good", "empty"),
    [
        (text, "a", ""),
        (member, {"b": 1}, {}),
        (members, [{"b": 1}], ()),
        (count, 7, 0),
    ],
)
def test_each(read: Reader, good: object, empty: object) -> None:
    assert read({"a": good}, "a") == good
    for holder in ({}, {"a": None}, {"a": ""}, {"a": []}, {"a": {}}, {"a": 0}):
        assert read(holder, "a") == empty
    for value in ("a", 5, [5], ["a"], {"b": 1}, True, float("nan"), float("inf"), 1e17):
        if type(value) is not type(good) and not (read is count and value is True):
            with pytest.raises(Unreadable, match="a "):
                read({"a": value}, "a")


def test_a_list_that_holds_something_else() -> None:
    with pytest.raises(Unreadable):
        members({"a": [{}, 5]}, "a")


def test_counts_are_never_below_0() -> None:
    assert count({"a": -1}, "a") == 0
    assert count({"a": 12.0}, "a") == 12


def test_places() -> None:
    assert [place({"a": value}, "a") for value in (0, "x", None)] == [0, "x", None]
    with pytest.raises(Unreadable):
        place({"a": [1]}, "a")


@pytest.mark.parametrize("data", ["5", "[5]", '"x"', "true", "{oops", "[" * 50_000, '{"a": NaN}'])
def test_events_that_are_no_objects(data: str) -> None:
    with pytest.raises(Unreadable):
        parse(data)


def test_an_empty_event_says_nothing() -> None:
    assert [parse(data) for data in ("null", "[]", '""', "{}")] == [{}] * 4


def test_told_names_the_provider_and_hides_its_key() -> None:
    with pytest.raises(ProviderError) as caught, told("acme", "hunter2-key"):
        parse("{hunter2-key")
    assert caught.value.fault is ProviderFault.MALFORMED
    assert caught.value.message.startswith("acme sent a reply that can't be understood: an event begins '{[key]'")
