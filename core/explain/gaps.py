"""One gap in facts and in words: how long, whose fault, and what that lane was doing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.explain.causes import ACTIONS, CAUSES, Cause, Explanation
from core.explain.lanes import gap_at
from core.explain.run_step import explain_run_step
from core.plain import Say, plainly
from core.plan.plan import Lane, Role
from core.plan.task import Task
from core.trace.job_steps import step_at
from core.trace.trace import Trace

MOST_REASONS = 3
"""Reasons that a sentence names before it sums up the rest."""

BLOCKED = "{duration} for {blocking} on {place}: {cause}"
ACTING = "{duration} while {action} ({blocking})"
AND_MORE = "{blocking} and {n} more"
PLAIN = "{duration}: {cause}"
"""Templates of a wait, in English: for a blocking task, for the work of one lane for all
others, and neither. The window translates them."""
WHOLE = "{lane} waits {reason}"
SEVERAL = "{lane} waits {duration}: {reasons}"
REST = "{duration} for others"


@dataclass(frozen=True, slots=True)
class Reason:
    """Part of a gap: from `start` to `end` (ns) it had one cause and one blocking task.

    `blocking` is the blocking task as the plan has it (its index is the task's number in the step)
    and `place` its lane; both None between steps, for lanes that only move data, and where it is
    not known. In a reason that sums up several of one cause and place, `blocking` is the first of
    `count` blocking tasks.
    """

    cause: Cause
    start: int
    end: int
    blocking: Task | None = None
    place: Lane | None = None
    count: int = 1

    @property
    def duration(self) -> int:
        """Ns."""
        return self.end - self.start

    def action(self, say: Say = plainly) -> str:
        """The work of one lane for all others: `virtual:0 copies the model`; "" of other causes.

        `say` fills the placeholders of a text, and may translate it first.
        """
        if self.place is None or self.cause not in ACTIONS:
            return ""
        return say(ACTIONS[self.cause], lane=self.place.name)


@dataclass(frozen=True, slots=True)
class GapReport:
    """An idle interval of a lane, and its reasons in order of time; they add up to it."""

    lane: Lane
    start: int
    end: int
    reasons: tuple[Reason, ...]

    @property
    def duration(self) -> int:
        """Ns."""
        return self.end - self.start

    @property
    def cause(self) -> Cause:
        """The cause of most of the gap; of equals the first."""
        totals: dict[Cause, int] = {}
        for reason in self.reasons:
            totals[reason.cause] = totals.get(reason.cause, 0) + reason.duration
        return max(totals, key=lambda cause: totals[cause])


def gap_report(explanation: Explanation, lane: int, time_ns: int) -> GapReport | None:
    """The gap of a compute lane at a moment of a step; None if it is busy or outside the step."""
    hit = explanation.find(lane, time_ns)
    if hit is None:
        return None
    reasons = tuple(_reason(explanation, i) for i in explanation.pieces(int(explanation.gap[hit])))
    return GapReport(explanation.lanes[lane], reasons[0].start, reasons[-1].end, reasons)


def run_gap_report(
    trace: Trace,
    lane: int,
    time_ns: int,
    explained: Callable[[Trace, int], Explanation] = explain_run_step,
) -> GapReport | None:
    """The gap of any lane of a run at a moment; None if it is busy or outside the run.

    `explained` gives a step's explanation: hand in one that remembers, to ask often.
    """
    row = trace.header.lanes[lane]
    step = step_at(trace, lane, time_ns)
    if step is None:
        between = _between_steps(trace, time_ns)
        return _plain(row, Cause.BETWEEN_STEPS, *between) if between is not None else None
    if row.role is Role.COMPUTE:
        return gap_report(explained(trace, step), lane, time_ns)
    gap = gap_at(trace, lane, time_ns)
    return _plain(row, Cause.NOTHING_TO_MOVE, gap.start, gap.end) if gap is not None else None


def main_reasons(gap: GapReport) -> tuple[list[Reason], int]:
    """The longest reasons of a gap, in order of time, and the ns of all others.

    What one lane does for all others in several tasks, one after the other, is one reason.
    """
    # A long gap may have hundreds of pieces; a sentence names few, and says what is left.
    reasons = _with_actions_joined(gap.reasons)
    longest = sorted(reasons, key=lambda reason: reason.duration, reverse=True)[:MOST_REASONS]
    # Back in order of time.
    named = [reason for reason in reasons if reason in longest]
    return named, gap.duration - sum(reason.duration for reason in named)


def _with_actions_joined(reasons: Sequence[Reason]) -> list[Reason]:
    """The reasons, with neighbours joined in which one lane does the same for all others."""
    joined: list[Reason] = []
    for reason in reasons:
        last = joined[-1] if joined else None
        if (
            last is not None
            and reason.cause in ACTIONS
            and (last.cause, last.place) == (reason.cause, reason.place)
        ):
            joined[-1] = replace(last, end=reason.end, count=last.count + 1)
        else:
            joined.append(reason)
    return joined


def _reason(explanation: Explanation, piece: int) -> Reason:
    cause = CAUSES[explanation.cause[piece]]
    if cause is Cause.NOT_KNOWN:
        return Reason(cause, int(explanation.start[piece]), int(explanation.end[piece]))
    blocking = int(explanation.blocking[piece])
    return Reason(
        cause,
        int(explanation.start[piece]),
        int(explanation.end[piece]),
        explanation.columns[blocking],
        explanation.lanes[explanation.columns.lane[blocking]],
    )


def _plain(lane: Lane, cause: Cause, start: int, end: int) -> GapReport:
    return GapReport(lane, start, end, (Reason(cause, start, end),))


def _between_steps(trace: Trace, time_ns: int) -> tuple[int, int] | None:
    """The interval between two steps in which a moment lies."""
    table = trace.step_table
    if table.at(time_ns) is not None:
        return None  # a pause of one rank of a job, while other ranks are in a step
    before, behind = table.ends[table.ends <= time_ns], table.starts[table.starts > time_ns]
    if not len(before) or not len(behind):
        return None
    return int(before.max()), int(behind.min())
