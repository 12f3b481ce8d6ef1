from __future__ import annotations

import pytest

from rescene_cli.config.keys import BY_NAME, KEYS, from_text
from rescene_cli.core.decisions import Mode
from rescene_cli.core.evidence import VerifyRule
from rescene_cli.core.llm import Effort
from rescene_cli.llm.provider import Format


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("model", "openai/gpt-5.6", "openai/gpt-5.6"),
        ("model", "5", "5"),
        ("mode", "plan", Mode.PLAN),
        ("effort", "high", Effort.HIGH),
        ("plain", "true", True),
        ("limits.max_turns", "7", 7),
        ("limits.max_cost", "2", 2.0),
        ("fallback", "a/b, c/d", ("a/b", "c/d")),
        ("fallback", "a/b", ("a/b",)),
        ("fallback", '["a/b", "c,d"]', ("a/b", "c,d")),
        ("verify.rules", '[{paths = ["*.py"], command = "make"}]', (VerifyRule(("*.py",), "make"),)),
    ],
)
def test_values_as_people_write_them(name: str, text: str, value: object) -> None:
    assert from_text(BY_NAME[name], text) == value


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("mode", "wild", "must be one of: plan, ask, auto, yolo"),
        ("plain", "yes", "must be true or false"),
        ("limits.max_turns", "0", "must be a whole number of 1 or more"),
        ("limits.max_turns", "true", "must be a whole number of 1 or more"),
        ("limits.max_cost", "-1", "must be a number above 0"),
        ("limits.max_cost", "inf", "must be a number above 0"),
        ("fallback", "5", "must be a list of texts"),
        ("instructions.files", "../secret", "must be a list of file names without folders"),
        ("verify.rules", '[{command = "make"}]', "must be tables with paths, command, needs, containing"),
        ("providers", '[{name = "x", base_url = "y", fomat = "chat"}]', "must be tables with name, base_url, key_env"),
        ("providers", '[{name = "x", base_url = "y", format = "soap"}]', "must be one of: chat, responses, anthropic"),
    ],
)
def test_wrong_values_say_what_they_must_be(name: str, text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        from_text(BY_NAME[name], text)


def test_a_provider_of_ones_own() -> None:
    (provider,) = from_text(BY_NAME["providers"], '[{name = "x", base_url = "y", format = "responses"}]')
    assert (provider.name, provider.base_url, provider.format) == ("x", "y", Format.RESPONSES)


def test_defaults_are_values_that_a_file_could_hold() -> None:
    for key in KEYS:
        if key.default is not None:
            raw = list(key.default) if isinstance(key.default, tuple) else key.default
            assert key.parse(raw) == key.default
