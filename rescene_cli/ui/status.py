"""The status line: as many facts as fit, the most important ones first to stay."""

from __future__ import annotations

from rescene_cli.core.conversation import Status
from rescene_cli.core.text import plural
from rescene_cli.ui.cells import clip, width
from rescene_cli.ui.clean import one_line
from rescene_cli.ui.marks import Marks
from rescene_cli.ui.words import dollars


def status_parts(status: Status, marks: Marks, columns: int) -> list[str]:
    """The parts that fit into `columns` with ` · ` between them, in the order they are shown."""
    model = one_line(status.model)
    effort = f" {status.effort}" if status.effort else ""
    context = f"{min(999, status.tokens * 100 // status.context)}% context" if status.context else ""
    tasks = plural(status.running_tasks, "task") if status.running_tasks else ""
    # (importance, text): the least important part goes first when the line is too long
    parts = [
        (6, str(status.mode)),
        (5, model + effort),
        (4, context),
        (3, dollars(status.cost_usd)),
        (1, status.operation),
        (2, tasks),
    ]
    kept = [(rank, text) for rank, text in parts if text]
    between = 3
    while len(kept) > 1 and sum(width(text) + between for _, text in kept) - between > columns:
        short = model.rpartition("/")[2]
        if (5, model + effort) in kept and short != model:
            kept[kept.index((5, model + effort))] = (5, short)
            model, effort = short, ""
            continue
        kept.remove(min(kept))
    return [clip(text, columns, marks.more) for _, text in kept]


def status_line(status: Status, marks: Marks, columns: int) -> str:
    """The whole line."""
    return f" {marks.dot} ".join(status_parts(status, marks, columns))
