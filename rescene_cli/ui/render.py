"""Reports of subcommands as text for people."""

from __future__ import annotations

from collections.abc import Sequence

from rescene_cli.core.findings import Finding, Report, Severity
from rescene_cli.ui import cells
from rescene_cli.ui.clean import one_line, visible
from rescene_cli.ui.ink import Depth, Ink


def text(report: Report, *, color: bool, width: int) -> str:
    """The report's own text, then its findings."""
    ink = Ink(Depth.COLORS if color else Depth.NONE)
    parts = [visible(report.text).rstrip("\n")] if report.text else []
    parts += ["\n".join(finding_lines(finding, ink, width)) for finding in report.findings]
    return "\n".join(parts)


def finding_lines(finding: Finding, ink: Ink, columns: int) -> list[str]:
    """A finding: how much it matters, where, what, and what to do about it."""
    paint = {Severity.OK: ink.good, Severity.WARNING: ink.warn, Severity.ERROR: ink.bad}.get(finding.severity, ink.dim)
    where = f"{one_line(finding.where)}: " if finding.where else ""
    label = f"{finding.severity.value:<8}"
    first, *more = cells.wrap(where + one_line(finding.message), max(20, columns - 8))
    lines = [paint(label) + first, *(" " * 8 + row for row in more)]
    return lines + [ink.dim(" " * 8 + row) for row in cells.wrap(one_line(finding.hint), max(20, columns - 8)) if row]


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, color: bool, columns: int) -> str:
    """Aligned columns; the last one is clipped to what is left of the width."""
    ink = Ink(Depth.COLORS if color else Depth.NONE)
    body = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(cells.width, column)) for column in zip(headers, *body, strict=True)]
    lines = []
    for place, row in enumerate([list(headers), *body]):
        padded = [cell + " " * (size - cells.width(cell)) for cell, size in zip(row, widths, strict=True)]
        line = cells.clip("  ".join(padded).rstrip(), columns)
        lines.append(ink.bold(line) if place == 0 else line)
    return "\n".join(lines)
