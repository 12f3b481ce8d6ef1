"""What the interactive program is told when it starts."""

from __future__ import annotations

from typing import NamedTuple

from rescene_cli.ui.desk import Desk


class UiOptions(NamedTuple):
    """`desk` is where the approver and the questioner ask; `task` is a first message to begin with."""

    version: str
    desk: Desk
    plain: bool = False
    task: str = ""
    notes: tuple[str, ...] = ()  # lines to show under the first one
