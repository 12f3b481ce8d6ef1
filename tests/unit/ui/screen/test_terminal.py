"""What the terminal needs of the system."""

from __future__ import annotations

import fcntl
import os
import resource

import pytest

from rescene_cli.ui.screen.terminal import readable


def test_a_descriptor_beyond_what_select_takes_can_be_asked() -> None:
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] <= 1_100:
        pytest.skip("the limit of open files is too low")
    out, into = os.pipe()
    high = fcntl.fcntl(out, fcntl.F_DUPFD_CLOEXEC, 1_050)
    try:
        assert not readable(high)
        os.write(into, b"y")
        assert readable(high)
    finally:
        for descriptor in (out, into, high):
            os.close(descriptor)
