"""Nothing in between."""

from __future__ import annotations

import signal

import pytest

from rescene_cli.store import atomic


def test_ctrl_c_waits_for_the_end_of_a_block() -> None:
    reached = []
    with pytest.raises(KeyboardInterrupt), atomic.undisturbed():
        signal.raise_signal(signal.SIGINT)
        reached.append("the end")
    assert reached == ["the end"]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
