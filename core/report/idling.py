"""How long steps take, what part of that lanes idle, and what most of it waits for, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.explain.causes import CAUSES, Cause, Explanation
from core.explain.statistics import union_ns
from core.plain import Say, duration_text, plainly
from core.plan.plan import computing_lanes
from core.plan.task import PASSES

MOSTLY = 2 / 3
"""The part of a cause's idle time from which on one lane is said to be what it waits for."""
SEEN = 0.005
"""Less idle time than this part of all lanes' time has no main cause worth naming."""

STEP = "Step {step}."
IDLE = "Lanes idle {idle}."
WAITING = "Lanes idle {idle}: mostly {reason} ({share})."
LARGEST = "Lanes idle {idle}, the largest part {reason} ({share})."
LANE, LANES = "lane {lane}", "other lanes"
FOR_ALL = "Lane {lane} spends {share} of a step on work for all."
REASONS = {
    Cause.FILL: "while the pipeline fills",
    Cause.DRAIN: "while the pipeline drains",
    Cause.COMPUTE: "waiting for {who} to compute",
    Cause.TRANSFER: "waiting for copies between lanes",
    Cause.COLLECT: "waiting for {who} to gather and reduce",
    Cause.SLOWEST_RANK: "waiting for {who} to reach a collective",
    Cause.COLLECTIVE: "waiting for collectives to move data",
    Cause.IMBALANCE: "waiting for {who}, with more rows",
    Cause.HOST: "because the host is late",
    Cause.INCOMPLETE: "where spans are missing",
    Cause.NOT_KNOWN: "for what is not known yet",
    Cause.DATA: "waiting for the next batch of data",
}
"""Why lanes idle, by cause, with the lane or lanes that are waited for; English."""
MORE_WORK = "waiting for {who}, with more work"
"""Of an uneven split in which a lane without any pass waits too: rows say nothing of that one."""


@dataclass(frozen=True, slots=True)
class Idling:
    """Of some steps: the median `step_ns`; the idle part of all compute lanes' time, 0 to 1.

    `cause` is that of most idle time, None where hardly any is; `lane` holds the others up for most
    of it, None if several do. `cause_share` is the part of all lanes' time that is lost to both.
    `workless` says that lanes without any pass are among those that idle for that cause. `for_all`
    is the part of a step in which that lane works for all replicas, None where it does
    not.
    """

    step_ns: int
    share: float
    cause: Cause | None = None
    cause_share: float = 0.0
    lane: int | None = None
    for_all: float | None = None
    workless: bool = False

    @classmethod
    def of(cls, explanations: Sequence[Explanation]) -> Idling:
        """From explained steps, at least one, with the same lanes."""
        lanes = explanations[0].lanes
        computing = [lane.index for lane in computing_lanes(lanes)]
        makespans = [explained.makespan for explained in explanations]
        whole = max(1, sum(makespans) * len(computing))
        by_cause = np.zeros((len(CAUSES), len(lanes)), np.int64)
        serves = np.array([lane.serves for lane in lanes])
        for explained in explanations:
            mine = np.isin(explained.lane, computing)
            # What a copy lane is late with is laid to the compute lane that it works for.
            holders = serves[explained.columns.lane[explained.blocking[mine]]]
            cause = explained.cause[mine].astype(np.int64)
            # Not `+=` at these places: that would count each pair of cause and lane once.
            np.add.at(by_cause, (cause, holders), (explained.end - explained.start)[mine])
        totals = by_cause.sum(axis=1)
        most = int(totals.argmax())
        step_ns, share = int(np.median(makespans)), float(totals.sum() / whole)
        if share < SEEN:
            return cls(step_ns, share)
        blocking = int(by_cause[most].argmax())
        alone = by_cause[most, blocking] > MOSTLY * totals[most]
        for_all: float | None = None
        if alone and CAUSES[most] is Cause.COLLECT:
            ns = sum(_for_all(explained, blocking) for explained in explanations)
            for_all = ns / max(1, sum(makespans))
        lost = by_cause[most, blocking] if alone else totals[most]
        cause_share = float(lost / whole)
        workless = any(_lane_without_work_waits(explained, most) for explained in explanations)
        lane = blocking if alone else None
        return cls(step_ns, share, CAUSES[most], cause_share, lane, for_all, workless)


def idle_text(found: Idling, say: Say = plainly) -> str:
    """Such as `Step 37 ms. Lanes idle 39 %: mostly waiting for other lanes to compute (21 %)`.

    `say` fills the placeholders of a text, and may translate it first.
    """
    words = [say(STEP, step=duration_text(found.step_ns))]
    if found.cause is None:
        words.append(say(IDLE, idle=share_text(found.share)))
    else:
        who = say(LANES) if found.lane is None else say(LANE, lane=found.lane)
        more_work = found.cause is Cause.IMBALANCE and found.workless
        reason = say(MORE_WORK if more_work else REASONS[found.cause], who=who)
        share = share_text(found.cause_share)
        waiting = WAITING if 2 * found.cause_share >= found.share else LARGEST
        words.append(say(waiting, idle=share_text(found.share), reason=reason, share=share))
    if found.for_all is not None:
        words.append(say(FOR_ALL, lane=found.lane, share=share_text(found.for_all)))
    return " ".join(words)


def _lane_without_work_waits(explained: Explanation, cause: int) -> bool:
    """Whether a lane that has no pass idles for a cause (index into CAUSES)."""
    columns = explained.columns
    works = np.unique(columns.lane[PASSES[columns.kind]])
    return not np.isin(explained.lane[explained.cause == cause], works).all()


def _for_all(explained: Explanation, lane: int) -> int:
    """Ns in which a lane, or one that copies for it, does anything but passes of its own rows."""
    columns = explained.columns
    serves = np.array([one.serves for one in explained.lanes])
    mine = (serves[columns.lane] == lane) & ~PASSES[columns.kind]
    return union_ns(columns.start[mine], columns.end[mine])


def share_text(share: float) -> str:
    """A share of a step in two digits, as all of the verdict's sentences have it."""
    # With two digits `g` would write a hundred as 1e+02.
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.0f} %"
