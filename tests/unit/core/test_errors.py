"""The tree of errors as it is drawn, and the exit codes that follow from it."""

from __future__ import annotations

import re

from rescene_cli.core import errors


def test_the_drawing_shows_every_kind_with_its_exit_code() -> None:
    drawn = dict(re.findall(r"(\w+Error|Interrupted) +(\d[\d, ]*?) {3}", errors.__doc__ or ""))
    codes = {kind.__name__: str(kind.exit_code) for kind in errors.kinds()}
    assert drawn == codes | {"Interrupted": "130, 143"}


def test_every_way_a_turn_ends_has_its_exit_code() -> None:
    ends = [errors.Interrupted(reason) for reason in errors.InterruptReason]
    raised = [*ends, errors.LimitError(""), errors.VerificationError(""), errors.ApprovalError("")]
    assert {error.code: error.exit_code for error in raised}.items() <= errors.EXIT_CODES.items()
    assert (errors.EXIT_CODES["done"], errors.EXIT_CODES["terminated"], errors.EXIT_CODES["config"]) == (0, 143, 2)
