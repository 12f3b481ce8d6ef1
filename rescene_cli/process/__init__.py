"""Where processes are started: each leads a session of its own, reads nothing, and is ended whole.

`run` waits for a command, `start` leaves it running, `reap_all` ends whatever is left. One pipe carries
standard output and standard error in the order they were written. No terminal is attached, so nothing can
ask a question there.

A process that calls setsid() leaves the group: it is not ended with the command that started it, as a
daemon does not end with its shell. When this program is killed with SIGKILL, its processes stay.
"""

from __future__ import annotations

from rescene_cli.process.background import Background, start
from rescene_cli.process.child import reap_all, spawn
from rescene_cli.process.environment import child_environment
from rescene_cli.process.follow import Finished, follow, run

__all__ = ["Background", "Finished", "child_environment", "follow", "reap_all", "run", "spawn", "start"]
