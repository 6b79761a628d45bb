"""Report of a single gap: its length, its causes and the blocking tasks, with text templates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from core.explain.causes import ACTIONS, CAUSES, Cause, action_template
from core.explain.explanation import Explanation
from core.explain.lanes import gap_at
from core.explain.run_step import explain_run_step
from core.message import N_, Message, message
from core.plan.plan import Lane, Role
from core.plan.task import Task
from core.trace.job_steps import step_at
from core.trace.trace import Trace

MOST_REASONS = 3
"""Number of reasons that a sentence names; the rest is summed up."""

COMPUTING = N_("{duration} for {blocking} on {place}")
BLOCKED = N_("{duration} for {blocking} on {place} ({cause})")
ACTING = N_("{duration} while {action} ({blocking})")
AND_MORE = N_("{blocking} and {n} more")
PLAIN = N_("{duration}: {cause}")
"""English templates of a wait: for a pass on another lane, for a blocking task of another cause,
for the work of one lane for all others, for several blocking tasks, and without a task. The window
translates them."""
WHOLE = N_("{lane} waits {reason}")
SEVERAL = N_("{lane} waits {duration}: {reasons}")
REST = N_("{duration} for others")


@dataclass(frozen=True, slots=True)
class Reason:
    """Part of a gap, from `start` to `end` (ns), with one cause and one blocking task.

    `blocking` is the planned task (its index is the task number in the step) and `place` its lane.
    Both are None between steps, for lanes that only move data, and if unknown. A reason may sum up
    several of one cause and place: then `blocking` is the first of `count` blocking tasks.
    """

    cause: Cause
    start: int
    end: int
    blocking: Task | None = None
    place: Lane | None = None
    count: int = 1

    @property
    def duration(self) -> int:
        """Length in ns."""
        return self.end - self.start

    def action(self) -> Message | None:
        """Return the work of one lane for all others, such as `virtual:0 copies the model`."""
        if self.place is None or self.cause not in ACTIONS:
            return None
        kind = None if self.blocking is None else self.blocking.kind
        return message(action_template(self.cause, kind), lane=self.place.name)


@dataclass(frozen=True, slots=True)
class GapReport:
    """An idle interval of a lane, and its reasons in order of time. They add up to the gap."""

    lane: Lane
    start: int
    end: int
    reasons: tuple[Reason, ...]

    @property
    def duration(self) -> int:
        """Length in ns."""
        return self.end - self.start

    @property
    def cause(self) -> Cause:
        """The cause of the largest part of the gap; the first one on a tie."""
        totals: dict[Cause, int] = {}
        for reason in self.reasons:
            before = totals.get(reason.cause, 0)
            totals[reason.cause] = before + reason.duration
        return max(totals, key=lambda cause: totals[cause])


def gap_report(explanation: Explanation, lane: int, time_ns: int) -> GapReport | None:
    """Return the gap of a compute lane at a time, None if it is busy or outside the step."""
    hit = explanation.find(lane, time_ns)
    if hit is None:
        return None
    pieces = explanation.pieces(int(explanation.gap[hit]))
    reasons = tuple(_reason(explanation, piece) for piece in pieces)
    start = reasons[0].start
    end = reasons[-1].end
    return GapReport(
        lane=explanation.lanes[lane],
        start=start,
        end=end,
        reasons=reasons,
    )


def run_gap_report(
    trace: Trace,
    lane: int,
    time_ns: int,
    explained: Callable[[Trace, int], Explanation] = explain_run_step,
) -> GapReport | None:
    """Return the gap of any lane of a run at a time, None if it is busy or outside the run.

    `explained` returns the explanation of a step; pass a caching function for many calls.
    """
    row = trace.header.lanes[lane]
    step = step_at(trace, lane, time_ns)
    if step is None:
        pause = _pause_between_steps(trace, time_ns)
        if pause is None:
            return None
        start, end = pause
        return _one_reason(
            lane=row,
            cause=Cause.BETWEEN_STEPS,
            start=start,
            end=end,
        )
    if row.role is Role.COMPUTE:
        return gap_report(explained(trace, step), lane, time_ns)
    gap = gap_at(trace, lane, time_ns)
    if gap is None:
        return None
    return _one_reason(
        lane=row,
        cause=Cause.NOTHING_TO_MOVE,
        start=gap.start,
        end=gap.end,
    )


def longest_reasons(gap: GapReport) -> tuple[list[Reason], int]:
    """Return the longest reasons of a gap in order of time, and the ns of all others.

    Consecutive tasks that one lane runs for all others are one reason.
    """
    # A long gap may have hundreds of pieces, of which a sentence names only a few.
    reasons = _with_actions_joined(gap.reasons)
    by_duration = sorted(reasons, key=attrgetter("duration"), reverse=True)
    longest = by_duration[:MOST_REASONS]
    named = [reason for reason in reasons if reason in longest]
    named_ns = sum(reason.duration for reason in named)
    return named, gap.duration - named_ns


def _with_actions_joined(reasons: Sequence[Reason]) -> list[Reason]:
    """Join neighbouring reasons in which one lane does the same work for all others."""
    joined: list[Reason] = []
    for reason in reasons:
        if joined and _is_same_action(joined[-1], reason):
            last = joined[-1]
            joined[-1] = replace(last, end=reason.end, count=last.count + 1)
        else:
            joined.append(reason)
    return joined


def _is_same_action(one: Reason, other: Reason) -> bool:
    action = one.action()
    return action is not None and action == other.action()


def _reason(explanation: Explanation, piece: int) -> Reason:
    """Return the reason of a piece of idle time."""
    cause = CAUSES[explanation.cause[piece]]
    start = int(explanation.start[piece])
    end = int(explanation.end[piece])
    if cause is Cause.NOT_KNOWN:
        return Reason(cause, start, end)
    columns = explanation.columns
    blocking = int(explanation.blocking[piece])
    lane = explanation.lanes[columns.lane[blocking]]
    return Reason(
        cause=cause,
        start=start,
        end=end,
        blocking=columns[blocking],
        place=lane,
    )


def _one_reason(lane: Lane, cause: Cause, start: int, end: int) -> GapReport:
    reason = Reason(cause, start, end)
    return GapReport(
        lane=lane,
        start=start,
        end=end,
        reasons=(reason,),
    )


def _pause_between_steps(trace: Trace, time_ns: int) -> tuple[int, int] | None:
    """Return the interval between two steps that contains a time, None if there is none."""
    table = trace.step_table
    if table.at(time_ns) is not None:
        return None  # one rank of a job pauses while other ranks are in a step
    earlier_ends = table.ends[table.ends <= time_ns]
    later_starts = table.starts[table.starts > time_ns]
    if not len(earlier_ends) or not len(later_starts):
        return None
    return int(earlier_ends.max()), int(later_starts.min())
