"""What limits the steps of a training job: a part of one rank's work, or of all ranks'.

Ranks do the same, so what one of them takes longer for than the others is its own fault: waiting
for its data, code of the job that is not seen, its update, or a pass of one block. What that costs
is how much less a step would take if this rank took as long for it as the others do, by replay
(core.report.job_step).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.explain.noise import (
    ALWAYS,
    CHANCE,
    FEWEST,
    median_error,
    significantly_above,
    significantly_positive,
)
from core.explain.run_step import explain_run_step
from core.plain import duration_text
from core.plan.task import ABSENT, Kind
from core.report.job_step import (
    BETWEEN_STEPS,
    COMMUNICATION,
    DATA_WAIT,
    HOST_CODE,
    UPDATE,
    JobStep,
    StepPart,
)
from core.report.limits import JOB_WORDS, PASS_WORDS, RANK_WORDS, WORDS, Finding, Limit
from core.scatter import scatter
from core.trace.trace import Trace

MOST_STEPS, FEWEST_STEPS = 64, 8
MOST_NODES = 200_000
"""Of all steps together that are looked at, unless they are fewer than FEWEST_STEPS."""
MOST_REPLAYED = 15
"""Steps in which it is measured what a rank costs."""
MOST_TRIED = 16
"""Parts of a rank that are replayed: those that exceed the other ranks' most."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Excess:
    """A rank that surely takes longer for a `part` than its peers: its usual ns, and theirs."""

    rank: int
    part: StepPart
    own: float
    usual: float


@dataclass(frozen=True)
class JobTimes:
    """What R ranks of a job spend on each part in each of S steps, in ns: shapes (S, R).

    `step` is the median step, which lasts `step_ns`; `replayed` are steps in which losses of a rank
    are measured. `blocks` are the names of the blocks, by number.
    """

    step: JobStep
    step_ns: int
    replayed: tuple[JobStep, ...]
    parts: Mapping[StepPart, Floats]
    blocks: Mapping[int, str]

    @classmethod
    def of(cls, trace: Trace, steps: Sequence[int], median: int) -> JobTimes:
        """From whole steps of a job's trace; `median` is one of them."""
        tasks = trace.span_count // max(1, len(trace.steps))
        most = min(MOST_STEPS, max(FEWEST_STEPS, MOST_NODES // max(1, tasks)))
        places = np.linspace(0, len(steps) - 1, min(len(steps), most)).astype(int)
        chosen = [JobStep.of(explain_run_step(trace, steps[at])) for at in places.tolist()]
        step = JobStep.of(explain_run_step(trace, median))
        totals = [one.totals() for one in chosen]
        none = np.zeros(step.ranks)
        parts = {
            part: np.stack([of_step.get(part, none) for of_step in totals]) for part in step.parts
        }
        # Both are code of the job. What lies between steps is also looked at alone: what the rest
        # of the code scatters by would hide it.
        parts[HOST_CODE] = parts[HOST_CODE] + parts.get(BETWEEN_STEPS, 0.0)
        start, end = trace.step_bounds(median)
        some = np.linspace(0, len(chosen) - 1, min(len(chosen), MOST_REPLAYED)).astype(int)
        replayed = tuple(chosen[at] for at in some.tolist())
        return cls(step, end - start, replayed, parts, _blocks(trace))

    @property
    def computed(self) -> Floats:
        """Ns for which each rank computes in each step, shape (S, R)."""
        computed: Floats = sum(
            (ns for part, ns in self.parts.items() if part.computes),
            np.zeros_like(self.parts[HOST_CODE]),
        )
        return computed

    def excesses(self, least: float) -> list[Excess]:
        """Return what ranks surely take `least` ns longer for than their peers, most first."""
        wanted = [part for part in self.parts if not part.moves]
        # Of each part the ranks are looked at one by one. Parts are not counted: a rank must also
        # lose much by one.
        chance = CHANCE / max(1, self.step.ranks)
        found = []
        for part in wanted:
            usual = np.median(self.parts[part], axis=0)
            # It is no more than a few ranks that surely take longer: these alone are looked at.
            for rank in np.flatnonzero(usual >= usual.min() + least).tolist():
                times = self._longer(part, rank, chance)
                if times is not None and times[0] >= times[1] + least:
                    found.append(Excess(rank, part, *times))
        return sorted(found, key=lambda one: one.usual - one.own)[:MOST_TRIED]

    def _longer(self, part: StepPart, rank: int, chance: float) -> tuple[float, float] | None:
        """Return a rank's usual ns for a part and its peers', if it surely takes longer."""
        every = self.parts[part]
        peers = self._peers(part, rank)
        if len(every) < FEWEST or not peers:
            return None
        others = np.median(every[:, peers], axis=1)
        excess = every[:, rank] - others
        usual = float(np.median(excess))
        # It exceeds what it scatters by, or is there in so many steps as does not happen by chance.
        is_large = usual > max(scatter(excess), median_error(excess, chance))
        is_steady = (excess > 0).mean() >= ALWAYS
        if not is_steady or not (is_large or significantly_positive(excess, chance)):
            return None
        return float(np.median(every[:, rank])), float(np.median(others))

    def _peers(self, part: StepPart, rank: int) -> list[int]:
        """Return the ranks that have the same to do: of what computes, those with equal blocks."""
        others = [other for other in range(self.step.ranks) if other != rank]
        if not part.computes:
            return others
        return [other for other in others if self._work[other] == self._work[rank]]

    @cached_property
    def _work(self) -> list[frozenset[StepPart]]:
        """The parts that each rank computes in its usual step."""
        usual = {part: np.median(ns, axis=0) for part, ns in self.parts.items() if part.computes}
        return [
            frozenset(part for part, ns in usual.items() if ns[rank] > 0)
            for rank in range(self.step.ranks)
        ]

    def usual_losses(self, ways: Callable[[JobStep], Sequence[Floats]]) -> list[int]:
        """Return by how many ns the usual step is shorter in each of the `ways`.

        These say for a step how long its nodes would take. The median of the steps counts: in one
        alone something else may happen to hide the loss.
        """
        every = [losses(step, ways(step)) for step in self.replayed]
        return [round(float(loss)) for loss in np.median(every, axis=0)]


def losses(step: JobStep, ways: Sequence[Floats]) -> list[int]:
    """Return by how many ns a step is shorter if its n nodes take so long, in each of the ways."""
    periods = step.periods(np.stack([step.taken, *ways], axis=1))
    return [round(float(periods[0] - period)) for period in periods[1:]]


def rank_faults(times: JobTimes, least: float) -> list[Finding]:
    """Return what single ranks take `least` ns longer for than others, with what that costs."""
    found = times.excesses(least)
    if not found:
        return []
    lost = times.usual_losses(lambda step: [_as_its_peers(step, one) for one in found])
    return [_finding(times, *one) for one in zip(found, lost, strict=True)]


def slow_rank(times: JobTimes, rank: int, factor: float) -> tuple[int, float]:
    """Return what it costs that a rank computes `factor` times as long: in ns, and as a share."""

    def mended(step: JobStep) -> list[Floats]:
        slower = step.computes & (step.rank == rank)
        return [np.where(slower, step.taken / factor, step.taken)]

    (loss,) = times.usual_losses(mended)
    return loss, loss / max(1, times.step_ns)


def _as_its_peers(step: JobStep, one: Excess) -> Floats:
    parts = (HOST_CODE, BETWEEN_STEPS) if one.part == HOST_CODE else (one.part,)
    mine = step.is_part(*parts) & (step.rank == one.rank)
    return np.where(mine, step.taken * min(1.0, one.usual / max(1.0, one.own)), step.taken)


def _finding(times: JobTimes, one: Excess, loss: int) -> Finding:
    rank = one.rank
    values: dict[str, object] = {
        "rank": rank,
        "own": duration_text(round(one.own)),
        "usual": duration_text(round(one.usual)),
    }
    kind = one.part.kind
    limit = _LIMITS.get(kind, Limit.BLOCK)
    sentence = RANK_WORDS[limit]
    if limit is Limit.BLOCK and kind is not None:
        values["work"] = kind
        values["block"] = times.blocks.get(one.part.block, str(one.part.stage))
        sentence = PASS_WORDS.get(kind, sentence)
    share = loss / max(1, times.step_ns)
    return Finding(limit, f"rank {rank}", loss, share, values, sentence=sentence)


_LIMITS: dict[Kind | None, Limit] = {
    None: Limit.HOST,
    Kind.DATA: Limit.DATA,
    Kind.STEP: Limit.UPDATE,
}


def job_losses(times: JobTimes) -> Iterator[Finding]:
    """Yield what the steps would take less without one thing alone, on all ranks."""
    step, taken = times.step, times.step.taken
    computes = step.computes
    work = np.where(computes, taken, 0.0)
    totals = np.bincount(step.rank, work, step.ranks)
    mean = float(totals.mean())
    even = np.where(computes, taken * (mean / np.maximum(totals, 1.0))[step.rank], taken)
    parts = (DATA_WAIT,), (HOST_CODE, BETWEEN_STEPS), (UPDATE,), (COMMUNICATION,)
    without = [np.where(step.is_part(*some), 0.0, taken) for some in parts]
    data, host, update, moving, uneven, order = losses(step, [*without, even, work])
    # Without communication, data and other code a step lasts as long as the rank with the most
    # to compute, but for the order of the tasks.
    whole = float(step.periods(taken[:, None])[0])
    schedule = round(whole - order - float(totals.max()))
    longer = significantly_above(times.computed) & (totals > mean)
    values: dict[str, object] = {
        "lane": int(np.where(longer, totals, 0.0).argmax()),
        "most": duration_text(round(float(np.where(longer, totals, 0.0).max()))),
        "mean": duration_text(round(mean)),
    }
    where = f"rank {values['lane']}"
    balance = (Limit.IMBALANCE, where, uneven, values)
    if not longer.any():
        balance = (Limit.NOISE, "", uneven, {})
    for limit, place, loss, more in (
        (Limit.DATA, "", data, {}),
        (Limit.HOST, "", host, {}),
        (Limit.UPDATE, "", update, {}),
        balance,
        (Limit.SCHEDULE, "", schedule, {}),
        (Limit.COMMUNICATION, "", moving, {}),
    ):
        sentence = JOB_WORDS.get(limit) or WORDS[limit]
        share = loss / max(1, times.step_ns)
        yield Finding(limit, place, loss, share, more, sentence=sentence)


def _blocks(trace: Trace) -> dict[int, str]:
    """Return the name of each block of a job's model, by its number."""
    rows = trace.table.rows
    named = np.flatnonzero((rows["block"] != ABSENT) & (rows["name"] != ABSENT))
    _, first = np.unique(rows["block"][named], return_index=True)
    return {
        int(rows["block"][row]): trace.table.names[int(rows["name"][row])]
        for row in named[first].tolist()
    }
