"""The time that a perfectly even job would save, divided among workers, stages and steps.

In a perfectly even job all passes of one kind take equally long. The parts are found by replaying
the steps (core.costs.replay). First, slow workers take as long as the other workers of their
stages; then, all stages take as long as the median stage; then, within each step all passes of a
kind take their mean. The saving of each change is its part, so the parts add up to the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from core.arrays import Floats
from core.costs.replay import Replay
from core.errors import PlanError
from core.message import N_, Message, join_texts, message
from core.order import groups
from core.plan.lanes import shared_cause
from core.report.measured import MeasuredSteps
from core.report.work_effects import WorkEffects
from core.trace.trace import Trace

NAMED = 0.05
"""Least share of the steps' time that a part saves to be named."""


class Uneven(StrEnum):
    """Parts of the savings of an even job."""

    WORKER = "worker"
    STAGE = "stage"
    STEPS = "steps"


@dataclass(frozen=True, slots=True)
class EvenSplit:
    """Savings of an even job: ns of a mean step by part, in the order of Uneven.

    `step_ns` is the mean step. `usual_share` is the median over the steps of a part's savings, as
    fractions of the step: it is 0 for a hiccup of one step. `lane` is the name of the slowest
    worker, `place` its name in the verdict (core.report.place_names) and `worker_factor` its
    effect; "", "" and 1 if no worker is slow.
    `stage` is the stage that takes longest and `stage_factor` its effect; -1 and 1 if there is no
    stage. `stage_lane` is the name of the only lane of this stage if it has no other stage: then
    either may be slow; else "". `sharing` says that lanes share hardware, if they do.
    """

    step_ns: float
    saved_ns: dict[Uneven, float]
    usual_share: dict[Uneven, float]
    lane: str
    place: str
    worker_factor: float
    stage: int
    stage_factor: float
    stage_lane: str
    sharing: Message | None = None

    @property
    def shares(self) -> dict[Uneven, float]:
        """Savings as fractions of the mean step."""
        step_ns = max(1.0, self.step_ns)
        return {part: ns / step_ns for part, ns in self.saved_ns.items()}

    @property
    def named(self) -> list[Uneven]:
        """Parts of at least NAMED of the mean and of the median step, the largest first; at most 2.

        The mean alone does not suffice: one long hiccup can be NAMED of the mean step.
        """
        shares = self.shares
        found = []
        for part in Uneven:
            if min(shares[part], self.usual_share[part]) >= NAMED:
                found.append(part)
        return sorted(found, key=lambda part: -shares[part])[:2]

    @property
    def where(self) -> str:
        """Place of the largest part: `lane 2`, `rank 2` or `stage 3`; "" if it has none."""
        if not self.named or self.named[0] is Uneven.STEPS:
            return ""
        is_worker = self.named[0] is Uneven.WORKER
        return self.place if is_worker else f"stage {self.stage}"

    @property
    def text(self) -> Message | None:
        """One sentence with the largest part, and one with the second; None if none is named."""
        if not self.named:
            return None
        first, *others = self.named
        template = _FIRST[first]
        if first is Uneven.STAGE and self.stage_lane:
            template = _ALONE
        sentences = [message(template, **self._values(first))]
        for part in others:
            sentences.append(message(_SECOND[part], **self._values(part)))
        # Shared hardware does not make one stage slow: a stage has more work wherever it runs.
        if self.sharing is not None and self.named != [Uneven.STAGE]:
            sentences.append(self.sharing)
        return join_texts(sentences)

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values; the text is English, and "" if no part is named."""
        return {
            "step_ns": round(self.step_ns),
            "saved_ns": {str(part): round(ns) for part, ns in self.saved_ns.items()},
            "where": self.where,
            "text": "" if self.text is None else str(self.text),
        }

    def _values(self, part: Uneven) -> dict[str, object]:
        cost = f"{100 * self.shares[part]:.0f} %"
        if part is Uneven.WORKER:
            return {"lane": self.lane, "more": _more(self.worker_factor), "cost": cost}
        more = _more(self.stage_factor)
        return {"stage": self.stage, "lane": self.stage_lane, "more": more, "cost": cost}


_FIRST = {
    Uneven.WORKER: N_(
        "Worker {lane} takes {more} longer than the other workers of its stage, which costs {cost} "
        "of a step."
    ),
    Uneven.STAGE: N_(
        "Stage {stage} has {more} more work than the median stage, which costs {cost} of a step."
    ),
    Uneven.STEPS: N_(
        "The work differs from one micro-batch or step to the next, which costs {cost} of a step."
    ),
}
_ALONE = N_(
    "Stage {stage}, or its only worker {lane}, takes {more} longer than the median stage, which "
    "costs {cost} of a step."
)
_SECOND = {
    Uneven.WORKER: N_("Also, worker {lane} takes {more} longer than its peers ({cost})."),
    Uneven.STAGE: N_("Also, stage {stage} has {more} more work than the median stage ({cost})."),
    Uneven.STEPS: N_("Also, the work differs between micro-batches or steps ({cost})."),
}


def even_split(trace: Trace, steps: Sequence[int]) -> EvenSplit | None:
    """Return the savings of an even job in whole `steps` of a trace.

    None if the waits for tasks on other lanes are not known (streams of a device, ranks of a job),
    and if no replica has passes on two lanes.
    """
    if trace.step_table.follow:
        return None
    return split_of(MeasuredSteps.of(trace, steps))


def split_of(run: MeasuredSteps) -> EvenSplit | None:
    """Return the savings of an even job in measured steps; None as in `even_split`."""
    effects = WorkEffects.of(run) if run.has_waits else None
    if effects is None:
        return None
    try:
        replay = Replay.of(run.columns, run.meets)
    except PlanError:
        return None
    even_workers = effects.taken / effects.of_worker
    even_stages = even_workers / effects.of_stage
    even_steps = _even(effects, even_stages)
    lengths = []
    for passes in (effects.taken, even_workers, even_stages, even_steps):
        taken = run.taken.astype(np.float64)
        taken[:, effects.passes] = passes
        lengths.append(replay.makespans(taken))
    # A row for each part, with the ns that each step saves.
    saved = -np.diff(lengths, axis=0)
    usual = np.median(saved / np.maximum(1, run.spans), axis=1)
    slowest = int(np.argmax(effects.of_worker))
    worker_factor = float(effects.of_worker[slowest])
    place = ""
    lane = ""
    if worker_factor > 1:
        lane_index = int(effects.lane[slowest])
        lane = run.lanes[lane_index].name
        place = run.places[lane_index]
    factors = _stage_factors(effects)
    stage = max(factors, key=lambda one: factors[one])
    of_stage = effects.stage == stage
    mean_saved = saved.mean(axis=1)
    stage_lane = ""
    if effects.alone[of_stage].all():
        only_lane = int(effects.lane[of_stage][0])
        stage_lane = run.lanes[only_lane].name
    return EvenSplit(
        step_ns=float(run.spans.mean()),
        saved_ns=dict(zip(Uneven, mean_saved.tolist(), strict=True)),
        usual_share=dict(zip(Uneven, usual.tolist(), strict=True)),
        lane=lane,
        place=place,
        worker_factor=worker_factor,
        stage=stage,
        stage_factor=factors[stage],
        stage_lane=stage_lane,
        sharing=shared_cause(run.lanes),
    )


def _even(effects: WorkEffects, taken: Floats) -> Floats:
    """Return the durations (S, n) with equal ones for all passes of one work within each step."""
    even = np.empty_like(taken)
    for mine in groups(effects.work):
        means = taken[:, mine].mean(axis=1, keepdims=True)
        even[:, mine] = means
    return even


def _stage_factors(effects: WorkEffects) -> dict[int, float]:
    """Return the effect of each stage over all its passes."""
    usual = effects.taken.mean(axis=0) / effects.of_worker
    factors: dict[int, float] = {}
    for mine in groups(effects.stage):
        stage = int(effects.stage[mine[0]])
        even = usual[mine] / effects.of_stage[mine]
        factors[stage] = float(usual[mine].sum() / even.sum())
    return factors


def _more(factor: float) -> str:
    return f"{100 * (factor - 1):.0f} %"
