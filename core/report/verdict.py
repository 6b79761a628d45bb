"""Verdict on a run: the largest limit of its steps, which is a fault or inherent in the work.

It is found from the trace and the model's description alone. Faults are found by comparing equal
work: the tasks of one lane with tasks of other lanes, the transfers over one link with transfers
over other links, a task with the same task in other steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from core.explain.causes import CAUSES, Cause
from core.explain.explanation import Explanation, cause_totals
from core.explain.noise import significantly_above
from core.explain.run_step import explain_run_step
from core.message import Message, join_texts
from core.order import evenly
from core.plan.lanes import shared_cause
from core.plan.plan import device_streams
from core.plan.task import ABSENT
from core.report.device_shares import device_limit, device_shares, device_text, waited_text
from core.report.even_split import EvenSplit, split_of
from core.report.hiccups import hiccups
from core.report.idling import Idling, idle_sentences
from core.report.inherent import LIMITS, host_limit, inherent_limit
from core.report.job_limits import JobTimes, job_losses, rank_faults, slow_rank
from core.report.lane_faults import factor_text, largest_fault
from core.report.limits import (
    LANES_UNEXPLAINED,
    RANK_AT_LEAST,
    RANK_SENTENCES,
    Finding,
    Limit,
)
from core.report.measured import MeasuredSteps
from core.report.named import DISTURBED_NS, NAMED
from core.report.slower import slower
from core.report.warmup_text import warmup_text
from core.trace.complete import completed_steps
from core.trace.source import Source
from core.trace.trace import Trace

MOST_EXPLAINED = 16
"""Largest number of steps over which devices' shares are summed up."""
FIXED_FIRST = 1 / 4
"""A rank's fault is named unless it costs less than this fraction of what all ranks lose by waiting
for data or by their own code: it can be fixed, and other programs slow down all ranks."""
MAINLY = 0.8
"""If one activity of a slow rank causes this fraction of its cost, the activity is named."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The largest limit of a run's steps, and its cost `loss_ns` to the median step.

    The cost of a hiccup is that to its own step. `where` is `lane 2`, `link 1-2`, `step 4 lane 2`
    (measured steps count from 1; a rank or device of another program has its name: `step 4 rank 1`)
    or empty. `text` says how long a step takes, why lanes wait (core.report.idling), and what
    limits the step: that is the main `sentence`. `even_split` divides the savings of an even job,
    if they are known.
    """

    kind: Limit
    where: str
    loss_ns: int
    text: Message
    sentence: Message
    even_split: EvenSplit | None = None

    @property
    def uneven_text(self) -> Message | None:
        """Sentences on the parts that make the job uneven; None if none is named."""
        return None if self.even_split is None else self.even_split.text

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values; the texts are English."""
        return {
            "kind": str(self.kind),
            "where": self.where,
            "loss_ns": self.loss_ns,
            "text": str(self.text),
            "even_split": None if self.even_split is None else self.even_split.to_dict(),
        }


class _Judged(NamedTuple):
    """The sentences on idle time, the largest limit, and the savings of an even job.

    `waited` is a sentence on the rank that others wait for; it follows the one on the limit.
    """

    opening: Message
    worst: Finding
    even_split: EvenSplit | None = None
    waited: Message | None = None


def verdict(trace: Trace) -> Verdict | None:
    """Return the verdict on a run or a prediction; None without a whole step.

    All times and shares are those of the median step (core.trace.median_step), except that a hiccup
    is described with the step in which it happened. Faults are searched for in all measured steps
    that have the median step's plan.
    """
    is_predicted = trace.header.source is Source.PREDICTED
    steps = trace.steps if is_predicted else completed_steps(trace)
    if not steps:
        return None
    if trace.step_table.follow:
        judged = _judge_job(trace, steps)
    elif device_streams(trace.header.lanes):
        judged = _judge_devices(trace, steps)
    else:
        judged = _judge_lanes(trace, steps)
    if judged is None:
        return None
    worst = judged.worst
    sentences = [judged.opening, worst.message]
    if judged.waited is not None:
        sentences.append(judged.waited)
    shared = shared_cause(trace.header.lanes)
    if shared is not None and worst.kind is Limit.SLOW_LANE:
        sentences.append(shared)
    warmup = warmup_text(trace)
    if warmup is not None:
        sentences.insert(1, warmup)
    text = join_texts(sentences)
    return Verdict(
        kind=worst.kind,
        where=worst.where,
        loss_ns=worst.loss_ns,
        text=text,
        sentence=worst.message,
        even_split=judged.even_split,
    )


def _judge_lanes(trace: Trace, steps: Sequence[int]) -> _Judged | None:
    """Judge lanes that start their steps together; None if no lane computes."""
    run = MeasuredSteps.of(trace, steps)
    on_compute_lanes = np.isin(run.columns.lane, run.compute_lanes)
    if not run.computes[on_compute_lanes].any():
        return None
    # If the host is late, times of tasks say little about lanes. A fault precedes other limits
    # because it can be fixed.
    worst = host_limit(run) or largest_fault(run) or inherent_limit(run)
    if worst.kind is Limit.HOST and not _is_host_known(trace, run):
        worst = replace(worst, kind=Limit.UNEXPLAINED, sentence=LANES_UNEXPLAINED)
    return _Judged(
        opening=_idle_text(trace, run),
        worst=worst,
        even_split=split_of(run),
    )


def _is_host_known(trace: Trace, run: MeasuredSteps) -> bool:
    """Return True if most idle time without another explanation is known to be the host's."""
    explanation = explain_run_step(trace, run.steps[run.median])
    idle = cause_totals(explanation).sum(axis=0)
    host_ns = idle[CAUSES.index(Cause.HOST)]
    unexplained_ns = idle[CAUSES.index(Cause.UNEXPLAINED)]
    return bool(host_ns >= unexplained_ns)


def _judge_job(trace: Trace, steps: Sequence[int]) -> _Judged | None:
    """Judge a training job, whose ranks do not begin a step together; None if none computes."""
    run = MeasuredSteps.of(trace, steps)
    if not run.computes.any():
        return None
    times = JobTimes.of(trace, steps, run.steps[run.median])
    worst = _largest_job_limit(run, times)
    once = _costliest(hiccups(run))
    # A limit of every step is worse than a hiccup of one step that costs less in total.
    total_loss = worst.loss_ns * len(steps)
    if once is not None and once.loss_ns > total_loss:
        worst = once
    return _Judged(_idle_text(trace, run), worst)


def _largest_job_limit(run: MeasuredSteps, times: JobTimes) -> Finding:
    """Return the largest limit of every step of a job: a fault of one rank, if it is large."""
    # An excess of less than half of the least loss cannot cause that loss.
    least_loss = max(DISTURBED_NS, NAMED * times.step_ns)
    activities = rank_faults(times, least_loss / 2)
    candidates = [*activities, *_slow_ranks(run, times)]
    worst = _costliest([one for one in candidates if _is_named(one)])
    # Naming the activity is more useful than naming only the slow rank.
    activity = _costliest(activities)
    if worst is not None and activity is not None:
        is_main = activity.loss_ns >= MAINLY * worst.loss_ns
        if is_main:
            worst = activity
    of_all_ranks = list(job_losses(times))
    data_or_host: list[int] = []
    for one in of_all_ranks:
        if one.kind in (Limit.DATA, Limit.HOST):
            data_or_host.append(one.loss_ns)
    if worst is not None and worst.loss_ns >= max(data_or_host) * FIXED_FIRST:
        return worst
    most = max(of_all_ranks, key=lambda one: one.loss_ns)
    if most.share < LIMITS:
        return Finding(
            kind=Limit.NONE,
            where="",
            loss_ns=0,
            share=0.0,
        )
    return most


def _is_named(one: Finding) -> bool:
    return one.share >= NAMED and one.loss_ns >= DISTURBED_NS


def _costliest(findings: Iterator[Finding] | Sequence[Finding]) -> Finding | None:
    return max(findings, key=lambda one: one.loss_ns, default=None)


def _slow_ranks(run: MeasuredSteps, times: JobTimes) -> Iterator[Finding]:
    """Yield every rank of a job that computes significantly longer than its peers."""
    task = np.arange(len(run.columns))
    place = np.where(run.computes, run.columns.lane, ABSENT)
    for one in slower(
        run=run,
        task=task,
        place=place,
        count=len(run.lanes),
        cold=True,
    ):
        ns, share = slow_rank(times, one.place, one.factor)
        values = {"lane": one.place, "factor": factor_text(one.factor)}
        sentence = RANK_AT_LEAST if one.partly else RANK_SENTENCES[Limit.SLOW_LANE]
        yield Finding(
            kind=Limit.SLOW_LANE,
            where=f"rank {one.place}",
            loss_ns=ns,
            share=share,
            values=values,
            sentence=sentence,
        )


def _idle_text(trace: Trace, run: MeasuredSteps) -> Message:
    """Return the sentences on the median step's length and on the waits of its lanes."""

    def others() -> list[Explanation]:
        steps = evenly(run.steps, MOST_EXPLAINED)
        return [explain_run_step(trace, step) for step in steps]

    median = explain_run_step(trace, run.steps[run.median])
    return idle_sentences(Idling.of([median], others, trace.header.source))


def _judge_devices(trace: Trace, steps: Sequence[int]) -> _Judged | None:
    """Judge devices with streams that another program recorded, by their shares of time."""
    shares = device_shares(trace, evenly(steps, MOST_EXPLAINED))
    if shares is None:
        return None
    run = MeasuredSteps.of(trace, steps)
    longer = significantly_above(run.computed)
    slow_lanes = np.array(run.compute_lanes)[longer]
    slow = [run.places[lane] for lane in slow_lanes.tolist()]
    found = [device_limit(shares, slow), *hiccups(run)]
    worst = max(found, key=lambda one: one.share)
    waited = waited_text(shares) if worst.kind is Limit.COMMUNICATION else None
    return _Judged(device_text(shares, worst.kind), worst, waited=waited)
