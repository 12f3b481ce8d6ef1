"""What the machine is, and whether it was quiet: figures of a busy machine mean little."""

from __future__ import annotations

import os
import platform
import sys
import time
from pathlib import Path
from typing import NamedTuple

QUIET = 0.15  # processors that others may use while something is measured
_TICKS = os.sysconf("SC_CLK_TCK")


class Moment(NamedTuple):
    """Processor seconds used so far: by everything, and by us and the children we waited for."""

    at: float
    busy: float | None
    ours: float


def moment(*processes: int) -> Moment:
    """Now; `processes` are our children that still run."""
    times = os.times()
    running = sum(_processor_seconds(process) for process in processes)
    return Moment(time.monotonic(), _busy(), sum(times[:4]) + running)


def foreign(start: Moment, end: Moment) -> float | None:
    """Processors used by others in between, None where the system does not tell."""
    if start.busy is None or end.busy is None:
        return None
    used = (end.busy - start.busy) - (end.ours - start.ours)
    return max(0.0, used) / max(end.at - start.at, 0.1)


def facts() -> dict[str, str]:
    """For the report; nothing that names the machine or a person."""
    return {
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": f"{os.cpu_count()} x {_processor()}",
        "memory": _memory(),
        "python": sys.version.split()[0],
        "load before": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "date": time.strftime("%Y-%m-%d"),
    }


def _busy() -> float | None:
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    user, nice, system, _idle, _iowait, interrupts, soft = (int(field) for field in fields[:7])
    return (user + nice + system + interrupts + soft) / _TICKS


def _processor_seconds(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "processor"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "processor")


def _memory() -> str:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{pages / 2**30:.0f} GiB"
