"""Texts for an idle gap: a sentence, its tooltip, and its reasons as table rows."""

from __future__ import annotations

from typing import NamedTuple

from core.explain.causes import Cause
from core.explain.gaps import (
    ACTING,
    AND_MORE,
    BLOCKED,
    COMPUTING,
    PLAIN,
    REST,
    SEVERAL,
    WHOLE,
    GapReport,
    Reason,
    longest_reasons,
)
from core.explain.lanes import Gap
from core.trace.trace import Trace
from gui.look.core_texts import translated
from gui.look.text import duration_text, join_clauses, percent_text, tr
from gui.timeline.interact.describe import Card, bar_name


class ReasonRow(NamedTuple):
    """Table row of a reason; `share` is its part of the gap, `task` the blocking task's number."""

    cause: str
    duration: str
    share: str
    blocking: str
    task: int | None


def gap_sentence(trace: Trace, step: int, report: GapReport) -> str:
    """Return why a lane is idle: `cpu:1 waits 12.1 ms for 0F0 on cpu:0: pipeline fills`."""
    lane = report.lane.name
    words = _main_words(trace, step, report)
    if len(words) == 1:
        return tr(WHOLE, lane=lane, reason=words[0])
    reasons = join_clauses(words)
    return tr(SEVERAL, lane=lane, duration=duration_text(report.duration), reasons=reasons)


def gap_card(trace: Trace, gap: Gap, report: GapReport | None, problem: str = "") -> Card:
    """Return title and lines of a gap's tooltip; without a report, its length and the `problem`."""
    then = gap_end_words(trace, gap)
    lane = trace.header.lanes[gap.lane].name
    length = duration_text(gap.end - gap.start)
    if report is None:
        title = tr("{lane} is idle for {time}", lane=lane, time=length)
        return title, [then, problem or tr("Click to see why.")]
    words = _main_words(trace, gap.step, report)
    if len(words) == 1:
        return tr(WHOLE, lane=lane, reason=words[0]), [then]
    title = tr("{lane} waits {time}", lane=lane, time=length)
    return title, [*words, then]


def between_card(report: GapReport) -> Card:
    """Return title and lines of the tooltip for the time between two steps."""
    reason = _plain_words(report.cause, report.duration, report.duration)
    title = tr(WHOLE, lane=report.lane.name, reason=reason)
    return title, [tr("It belongs to no step.")]


def reason_rows(trace: Trace, step: int, report: GapReport) -> list[ReasonRow]:
    """Return all reasons of a gap, in order of time."""
    rows = []
    for reason in report.reasons:
        row = ReasonRow(
            _reason_name(reason),
            duration_text(reason.duration, like=report.duration),
            percent_text(reason.duration / report.duration),
            _blocking_task_words(trace, step, reason),
            None if reason.blocking is None else reason.blocking.index,
        )
        rows.append(row)
    return rows


def _reason_name(reason: Reason) -> str:
    action = reason.action()
    if action is None:
        return tr(reason.cause.label)
    return translated(action)


def gap_end_words(trace: Trace, gap: Gap) -> str:
    """Return a sentence about the task after a gap."""
    if gap.before is None:
        return tr("It has nothing more to do in this step.")
    following = trace.span(gap.lane, gap.before)
    task = bar_name(trace, following)
    return tr("Then {task} starts.", task=task)


def _main_words(trace: Trace, step: int, report: GapReport) -> list[str]:
    named, left = longest_reasons(report)
    whole_ns = report.duration
    words = [_reason_words(trace, step, reason, whole_ns) for reason in named]
    if left:
        rest = duration_text(left, like=whole_ns)
        words.append(tr(REST, duration=rest))
    return words


def _reason_words(trace: Trace, step: int, reason: Reason, whole_ns: int) -> str:
    if reason.place is None:
        return _plain_words(reason.cause, reason.duration, whole_ns)
    duration = duration_text(reason.duration, like=whole_ns)
    blocking = _blocking_task(trace, step, reason)
    action = reason.action()
    if action is not None:
        if reason.count > 1:
            blocking = tr(AND_MORE, blocking=blocking, n=reason.count - 1)
        return tr(ACTING, duration=duration, action=translated(action), blocking=blocking)
    values = {"duration": duration, "blocking": blocking, "place": reason.place.name}
    if reason.cause is Cause.COMPUTE:
        return tr(COMPUTING, **values)
    return tr(BLOCKED, cause=tr(reason.cause.label), **values)


def _plain_words(cause: Cause, duration: int, whole_ns: int) -> str:
    length = duration_text(duration, like=whole_ns)
    return tr(PLAIN, duration=length, cause=tr(cause.label))


def _blocking_task_words(trace: Trace, step: int, reason: Reason) -> str:
    if reason.place is None:
        return tr("nothing")
    task = _blocking_task(trace, step, reason)
    return tr("{task} on {lane}", task=task, lane=reason.place.name)


def _blocking_task(trace: Trace, step: int, reason: Reason) -> str:
    """Return the name of the blocking task, as in its tooltip."""
    if reason.blocking is None:
        return ""
    span = trace.find(step, reason.blocking.index)
    if span is None:
        return str(reason.blocking)
    return bar_name(trace, span)
