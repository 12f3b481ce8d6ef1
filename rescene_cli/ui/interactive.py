"""The interactive program for a conversation."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from rescene_cli.core.conversation import Conversation
from rescene_cli.core.events import Observer
from rescene_cli.ui.greeting import greet
from rescene_cli.ui.options import UiOptions

__all__ = ["UiOptions", "run"]


def run(conversation: Conversation, subscribe: Callable[[Observer], None], options: UiOptions) -> int:
    """Talk with the person until they leave; closes the conversation and returns the exit code.

    `subscribe` adds an observer of the conversation's events, which come on the thread that works.
    Draws where standard input and output are a terminal that can be drawn on, else works by lines.
    """
    if options.plain or not _can_draw():
        from rescene_cli.ui.lines import run_lines

        return run_lines(conversation, subscribe, options)
    greet(conversation, options)  # before the slow imports: something is there at once
    from rescene_cli.ui.screen.terminal import run_terminal

    return run_terminal(conversation, subscribe, options)


def _can_draw() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") not in {None, "", "dumb", "unknown"}
