"""Limits of the steps of a training job: activities of one rank, or of all ranks.

Ranks do the same work, so if one of them takes longer for an activity than the others, the fault is
its own: waiting for data, the job's own code, the update, or a pass of one block. The cost is the
time that a step would be shorter if this rank took as long as the others. The step is replayed to
find it (core.report.job_step).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.arrays import Floats
from core.explain.noise import (
    ALWAYS,
    CHANCE,
    FEWEST,
    median_error,
    significantly_above,
    significantly_positive,
)
from core.explain.run_step import explain_run_step
from core.message import Message
from core.order import evenly
from core.plain import duration_text
from core.plan.task import ABSENT, Kind
from core.report.job_graph import (
    BETWEEN_STEPS,
    COMMUNICATION,
    DATA_WAIT,
    HOST_CODE,
    UPDATE,
    StepPart,
)
from core.report.job_step import JobStep
from core.report.limits import (
    JOB_SENTENCES,
    LANE_SENTENCES,
    PASS_SENTENCES,
    RANK_SENTENCES,
    Finding,
    Limit,
)
from core.scatter import scatter
from core.trace.trace import Trace

MOST_STEPS = 64
FEWEST_STEPS = 8
MOST_NODES = 200_000
"""Largest number of tasks to examine in all steps; at least FEWEST_STEPS steps are examined."""
MOST_REPLAYED = 15
"""Largest number of steps that are replayed to measure the cost of a rank."""
MOST_TRIED = 16
"""Largest number of parts that are replayed: those with the largest excess."""


@dataclass(frozen=True, slots=True)
class Excess:
    """A rank takes significantly longer for a `part` than its peers: its usual ns, and theirs."""

    rank: int
    part: StepPart
    own: float
    usual: float


@dataclass(frozen=True)
class JobTimes:
    """Time of R ranks of a job for each part in each of S steps: ns of shape (S, R).

    `step` is the median step, of length `step_ns`. Costs of a rank are measured in the `replayed`
    steps. `blocks` has the names of the blocks by number.
    """

    step: JobStep
    step_ns: int
    replayed: tuple[JobStep, ...]
    parts: Mapping[StepPart, Floats]
    blocks: Mapping[int, str]

    @classmethod
    def of(cls, trace: Trace, steps: Sequence[int], median: int) -> JobTimes:
        """Sum up whole steps of a job's trace; `median` is one of them."""
        tasks_a_step = trace.span_count // max(1, len(trace.steps))
        fitting = MOST_NODES // max(1, tasks_a_step)
        most = min(MOST_STEPS, max(FEWEST_STEPS, fitting))
        chosen = []
        for number in evenly(steps, most):
            chosen.append(JobStep.of(explain_run_step(trace, number)))
        step = JobStep.of(explain_run_step(trace, median))
        totals = [one.totals() for one in chosen]
        none = np.zeros(step.ranks)
        parts = {}
        for part in step.parts:
            parts[part] = np.stack([of_step.get(part, none) for of_step in totals])
        # Both are code of the job. Code between steps is also examined alone, because the scatter
        # of the other code would hide it.
        parts[HOST_CODE] = parts[HOST_CODE] + parts.get(BETWEEN_STEPS, 0.0)
        start, end = trace.step_bounds(median)
        return cls(
            step=step,
            step_ns=end - start,
            replayed=tuple(evenly(chosen, MOST_REPLAYED)),
            parts=parts,
            blocks=_blocks(trace),
        )

    @property
    def computed(self) -> Floats:
        """Computing ns of each rank in each step, shape (S, R)."""
        computed = np.zeros_like(self.parts[HOST_CODE])
        for part, ns in self.parts.items():
            if part.computes:
                computed = computed + ns
        return computed

    def excesses(self, least: float) -> list[Excess]:
        """Return the parts for which ranks take significantly longer than peers.

        The excess is at least `least` ns; the largest is first.
        """
        # The probability of a false excess is divided among the ranks. It is not divided among the
        # parts, because a rank must also lose much by one.
        chance = CHANCE / max(1, self.step.ranks)
        found = []
        for part, ns in self.parts.items():
            if part.moves:
                continue
            usual = np.median(ns, axis=0)
            # Only the few ranks with a large excess are examined.
            has_excess = usual >= usual.min() + least
            for rank in np.flatnonzero(has_excess).tolist():
                excess = self._excess(part, rank, chance)
                if excess is None:
                    continue
                if excess.own >= excess.usual + least:
                    found.append(excess)
        found.sort(key=lambda one: one.usual - one.own)
        return found[:MOST_TRIED]

    def _excess(self, part: StepPart, rank: int, chance: float) -> Excess | None:
        """Compare a rank's times for a part with its peers'; None if not significantly longer."""
        every = self.parts[part]
        peers = self._peers(part, rank)
        if len(every) < FEWEST or not peers:
            return None
        others = np.median(every[:, peers], axis=1)
        excess = every[:, rank] - others
        usual = float(np.median(excess))
        # The excess is larger than its scatter, or occurs in more steps than by chance.
        is_large = usual > max(scatter(excess), median_error(excess, chance))
        is_certain = is_large or significantly_positive(excess, chance)
        is_steady = (excess > 0).mean() >= ALWAYS
        if not is_steady or not is_certain:
            return None
        return Excess(
            rank=rank,
            part=part,
            own=float(np.median(every[:, rank])),
            usual=float(np.median(others)),
        )

    def _peers(self, part: StepPart, rank: int) -> list[int]:
        """Return the other ranks; for computing parts, only those with the same blocks."""
        peers: list[int] = []
        for other in range(self.step.ranks):
            has_same_blocks = not part.computes or self._work[other] == self._work[rank]
            if other != rank and has_same_blocks:
                peers.append(other)
        return peers

    @cached_property
    def _work(self) -> list[set[StepPart]]:
        """The parts that each rank computes in its usual step."""
        work: list[set[StepPart]] = [set() for _ in range(self.step.ranks)]
        for part, ns in self.parts.items():
            if part.computes:
                usual = np.median(ns, axis=0)
                for rank in np.flatnonzero(usual > 0).tolist():
                    work[rank].add(part)
        return work

    def usual_losses(self, ways: Callable[[JobStep], Sequence[Floats]]) -> list[int]:
        """Return by how many ns a step is usually shorter in each of the `ways`.

        `ways` returns other durations of a step's nodes. The result is the median of the replayed
        steps, because in a single one something else may hide the loss.
        """
        every = [losses(step, ways(step)) for step in self.replayed]
        medians = np.median(every, axis=0)
        return [round(float(loss)) for loss in medians]


def losses(step: JobStep, ways: Sequence[Floats]) -> list[int]:
    """Return by how many ns a step is shorter with each of the ways' durations of its n nodes."""
    taken = np.stack([step.taken, *ways], axis=1)
    measured, *changed = step.periods(taken).tolist()
    return [round(measured - period) for period in changed]


def rank_faults(times: JobTimes, least: float) -> list[Finding]:
    """Return the parts for which single ranks take `least` ns longer than others, with costs."""
    found = times.excesses(least)
    if not found:
        return []

    def mended(step: JobStep) -> list[Floats]:
        return [_as_its_peers(step, one) for one in found]

    lost = times.usual_losses(mended)
    findings: list[Finding] = []
    for excess, loss in zip(found, lost, strict=True):
        findings.append(_finding(times, excess, loss))
    return findings


def slow_rank(times: JobTimes, rank: int, factor: float) -> tuple[int, float]:
    """Return the cost of a rank that computes `factor` times as long, in ns and as a share."""

    def mended(step: JobStep) -> list[Floats]:
        slower = step.computes & (step.rank == rank)
        faster = step.taken / factor
        return [np.where(slower, faster, step.taken)]

    (loss,) = times.usual_losses(mended)
    return loss, loss / max(1, times.step_ns)


def _as_its_peers(step: JobStep, one: Excess) -> Floats:
    """Return the durations of a step's nodes if the rank took as long as its peers for the part."""
    parts = [one.part]
    if one.part == HOST_CODE:
        parts.append(BETWEEN_STEPS)
    mine = step.is_part(*parts) & (step.rank == one.rank)
    ratio = one.usual / max(1.0, one.own)
    shorter = step.taken * min(1.0, ratio)
    return np.where(mine, shorter, step.taken)


def _finding(times: JobTimes, one: Excess, loss: int) -> Finding:
    rank = one.rank
    values: dict[str, object] = {
        "rank": rank,
        "own": duration_text(round(one.own)),
        "usual": duration_text(round(one.usual), like=one.own),
    }
    kind = one.part.kind
    limit = _LIMITS.get(kind, Limit.BLOCK)
    sentence = RANK_SENTENCES[limit]
    if limit is Limit.BLOCK and kind is not None:
        values["work"] = Message(str(kind))
        stage = str(one.part.stage)
        values["block"] = times.blocks.get(one.part.block, stage)
        sentence = PASS_SENTENCES.get(kind, sentence)
    share = loss / max(1, times.step_ns)
    return Finding(
        kind=limit,
        where=f"rank {rank}",
        loss_ns=loss,
        share=share,
        values=values,
        sentence=sentence,
    )


_LIMITS: dict[Kind | None, Limit] = {
    None: Limit.HOST,
    Kind.DATA: Limit.DATA,
    Kind.STEP: Limit.UPDATE,
}


def job_losses(times: JobTimes) -> Iterator[Finding]:
    """Yield by how much the median step is shorter without one limit of all ranks."""
    step = times.step
    taken = step.taken
    computes = step.computes
    work = np.where(computes, taken, 0.0)
    totals = np.bincount(step.rank, work, step.ranks)
    mean = float(totals.mean())
    scales = mean / np.maximum(totals, 1.0)
    scaled = taken * scales[step.rank]
    even = np.where(computes, scaled, taken)

    def without(*parts: StepPart) -> Floats:
        return np.where(step.is_part(*parts), 0.0, taken)

    of_loss = [part for part in step.parts if part.kind is Kind.LOSS]
    ways = (
        without(DATA_WAIT),
        without(HOST_CODE, BETWEEN_STEPS),
        without(UPDATE),
        without(*of_loss),
        without(COMMUNICATION),
        even,
        work,
    )
    data, host, update, loss, moving, uneven, idle = losses(step, ways)
    # Without communication, data and other code, a step is longer than the computing of the busiest
    # rank only because of dependencies.
    (measured,) = step.periods(taken[:, np.newaxis]).tolist()
    busiest = float(totals.max())
    schedule = round(measured - idle - busiest)
    yield _whole_finding(times, Limit.DATA, data)
    yield _whole_finding(times, Limit.HOST, host)
    yield _whole_finding(times, Limit.UPDATE, update)
    yield _whole_finding(times, Limit.LOSS, loss)
    longer = significantly_above(times.computed) & (totals > mean)
    if longer.any():
        rank = int(np.where(longer, totals, 0.0).argmax())
        most = float(totals[rank])
        values: dict[str, object] = {
            "lane": rank,
            "most": duration_text(round(most)),
            "mean": duration_text(round(mean), like=most),
        }
        yield _whole_finding(
            times=times,
            limit=Limit.IMBALANCE,
            loss=uneven,
            where=f"rank {rank}",
            values=values,
        )
    else:
        yield _whole_finding(times, Limit.NOISE, uneven)
    yield _whole_finding(times, Limit.SCHEDULE, schedule)
    yield _whole_finding(times, Limit.COMMUNICATION, moving)


def _whole_finding(
    times: JobTimes,
    limit: Limit,
    loss: int,
    where: str = "",
    values: Mapping[str, object] | None = None,
) -> Finding:
    share = loss / max(1, times.step_ns)
    sentence = JOB_SENTENCES.get(limit) or LANE_SENTENCES[limit]
    return Finding(
        kind=limit,
        where=where,
        loss_ns=loss,
        share=share,
        values=values or {},
        sentence=sentence,
    )


def _blocks(trace: Trace) -> dict[int, str]:
    """Return the names of the blocks of a job's model, by number."""
    rows = trace.table.rows
    has_block = rows["block"] != ABSENT
    has_name = rows["name"] != ABSENT
    named = np.flatnonzero(has_block & has_name)
    _, first = np.unique(rows["block"][named], return_index=True)
    chosen = named[first]
    blocks = rows["block"][chosen].tolist()
    names = rows["name"][chosen].tolist()
    found: dict[int, str] = {}
    for block, name in zip(blocks, names, strict=True):
        found[block] = trace.table.names[name]
    return found
