"""What the interactive program is told when it starts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rescene_cli.core.errors import ResceneError
from rescene_cli.ui.desk import Desk


class UiOptions(NamedTuple):
    """`desk` is where the approver and the questioner ask; `as_error` makes an error for people of a bug, without
    what was said or worked on; `task` is a first message to begin with.
    """

    version: str
    desk: Desk
    as_error: Callable[[BaseException], ResceneError]
    plain: bool = False
    task: str = ""
    notes: tuple[str, ...] = ()  # lines to show under the first one
