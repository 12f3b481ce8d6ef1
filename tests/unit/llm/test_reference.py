"""The reference says what the program does."""

from __future__ import annotations

import re
from pathlib import Path

from rescene_cli.core.errors import ProviderFault
from rescene_cli.core.json_text import DEEPEST
from rescene_cli.llm.assembly import LONGEST_NAME, MOST_CALLS, MOST_TEXT
from rescene_cli.llm.lane import LONGEST_HEAD
from rescene_cli.llm.policy import RULES, Patience
from rescene_cli.llm.reading import MOST_VALUES
from rescene_cli.llm.sse import LARGEST_EVENT
from rescene_cli.llm.transport import LONGEST_LIST, LONGEST_REFUSAL, LONGEST_STREAM, REFUSAL, Timeouts
from rescene_cli.tools import toolbox

PAGE = (Path(__file__).parents[3] / "docs/reference/models.md").read_text("utf-8")
TRIES = {"no": 0, "twice": 2, **{f"{number} times": number for number in range(3, 9)}}


def test_the_table_of_faults() -> None:
    rows = re.findall(r"^\|[^|]+\| `(\w+)` \| ([\w ]+?) \| (yes|no) \|$", PAGE, re.MULTILINE)
    told = {ProviderFault(name): (TRIES[tries], switch == "yes") for name, tries, switch in rows}
    assert told == {fault: (rule.retries, rule.switch) for fault, rule in RULES.items()}


def test_the_times() -> None:
    patience, timeouts = Patience(), Timeouts()
    assert f"The first wait is {patience.first:g} s" in PAGE
    assert f"up to {patience.longest:g} s" in PAGE
    assert f"more than {patience.asked_limit:g} s" in PAGE
    assert f"no first byte in {timeouts.quiet(streaming=False):g} s" in PAGE
    assert f"`network.stall_timeout` ({timeouts.stall:g} s)" in PAGE
    assert (patience.away, patience.before_switch) == (300.0, 2)  # "five minutes", "at most twice"


def test_the_bounds() -> None:
    for row in (
        f"| text, reasoning and arguments of one reply | {MOST_TEXT >> 20} Mi characters |",
        f"| one reply as it is sent, comments included | {LONGEST_STREAM >> 20} MiB |",
        f"| one event | {LARGEST_EVENT >> 20} MiB, {MOST_VALUES:,} values, {DEEPEST} levels of nesting |",
        f"| calls in one reply | {MOST_CALLS:,} |",
        f"| the name of a tool | {LONGEST_NAME:,} characters |",
        f"run | {toolbox.LONGEST >> 20} Mi characters, {toolbox.MOST_VALUES:,} values, {DEEPEST} levels of nesting |",
        f"| {LONGEST_REFUSAL >> 10} KiB and {REFUSAL:g} s are read of it |",
        f"| what comes before an answer | {LONGEST_HEAD >> 20} MiB |",
        f"| a local server's list of models | {LONGEST_LIST >> 20} MiB |",
    ):
        assert row in PAGE
