"""The reference says what the program does."""

from __future__ import annotations

import re
from pathlib import Path

from rescene_cli.core.errors import ProviderFault
from rescene_cli.llm.policy import RULES, Patience
from rescene_cli.llm.transport import Timeouts

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
