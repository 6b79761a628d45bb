"""A preview of a run in a few lines below the form."""

from __future__ import annotations

from collections.abc import Sequence

from core.explain.batch_rows import LanePart
from core.plan.division import Part
from core.plan.lanes import timing_note
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.predict.whatif import WhatIfResult
from gui.app.check import Checked
from gui.look.text import NO_BREAK, percent_text, rows_text, sentence, tr

MOST_NUMBERS = 8


def preview_text(
    specification: Specification, checked: Checked, answer: WhatIfResult | None = None
) -> str:
    """Return the split of the batch, the number of tasks of a step, and notes on timing.

    `answer` is a pipeline's step with equal durations for all passes; None for other runs.
    """
    lines = [split_text(plan.parts) for plan in checked.plans.values()]
    if checked.plans:
        plan = next(iter(checked.plans.values()))
        values = {"count": len(plan.tasks), "lanes": len(checked.lanes)}
        if plan.expected:
            tasks = tr("{count} tasks a step on {lanes} lanes (expected)", **values)
        else:
            tasks = tr("{count} tasks a step on {lanes} lanes", **values)
        lines.append(tasks)
    note = timing_note(checked.lanes, specification.link)
    if answer is not None:
        bubble = percent_text(answer.bubble_by_makespan)
        lines.append(tr("Bubble {bubble} with equal passes", bubble=bubble))
    if note:
        lines.append(sentence(note))
    idle = idle_lanes(specification, checked)
    if idle:
        lines.append(
            tr("{count} of {lanes} lanes get no rows.", count=idle, lanes=len(checked.lanes))
        )
    # Steps of different sizes may have the same split: show each line once.
    return "\n".join(dict.fromkeys(lines))


def idle_lanes(specification: Specification, checked: Checked) -> int:
    """Return the number of compute lanes without a task in the largest step."""
    if not checked.plans or specification.strategy not in STRATEGIES:
        return 0
    plan = checked.plans[max(checked.plans)]
    lanes = len(checked.lanes)
    working = {task.lane for task in plan.tasks if task.lane < lanes}
    return lanes - len(working)


def split_text(parts: Sequence[Part | LanePart]) -> str:
    """Return `64 rows in 8 micro-batches of 8`, with the replicas if there are several.

    A micro-batch that several lanes process counts once.
    """
    rows_of = {(part.replica, part.microbatch): part.rows for part in parts}
    pieces = sorted(rows_of.items())
    replicas: dict[int, int] = {}
    for (replica, _), rows in pieces:
        replicas[replica] = replicas.get(replica, 0) + rows
    sizes = [rows for _, rows in pieces]
    total = rows_text(sum(sizes))
    over = ""
    if len(replicas) > 1:
        each = numbers(list(replicas.values()))
        over = tr(" over {n} replicas: {sizes}", n=len(replicas), sizes=each)
        if len(sizes) == len(replicas):
            return total + over
    return _pieces_text(total, sizes, over)


def _pieces_text(total: str, sizes: list[int], over: str) -> str:
    """Return `64 rows in 8 micro-batches of 8`, followed by `over`, the text about replicas."""
    count = len(sizes)
    if count < 2:
        return tr("{total} in one piece", total=total)
    if len(set(sizes)) == 1:
        return tr(
            "{total} in {n} micro-batches of {size}{over}",
            total=total,
            n=count,
            size=sizes[0],
            over=over,
        )
    return tr(
        "{total} in {n} micro-batches: {sizes}{over}",
        total=total,
        n=count,
        sizes=numbers(sizes),
        over=over,
    )


def numbers(values: list[int]) -> str:
    """Return numbers separated by commas; from more than MOST_NUMBERS, omit the middle ones."""
    separator = f",{NO_BREAK}"  # keeps the numbers on one line when the text wraps
    if len(values) <= MOST_NUMBERS:
        return separator.join(map(str, values))
    first = [str(value) for value in values[: MOST_NUMBERS - 2]]
    last = str(values[-1])
    return separator.join([*first, "…", last])
