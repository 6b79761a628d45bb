"""All ways to run a model on some lanes, predicted in one go and ranked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.costs.blockwise import blockwise
from core.costs.costs import STAGED, CostError, CostModel, cost_at, least_cost_at, most_cost_at
from core.costs.durations import durations
from core.costs.footprint import peak_bytes
from core.costs.plan_times import predict_times
from core.errors import PlanError
from core.explain.bubble import bubble_of
from core.message import Text, error_message
from core.models.description import ModelDescription
from core.plan.division import Stage
from core.plan.pipeline.options import (
    DEFAULT_MICROBATCHES,
    MICROBATCHES,
    SCHEDULE,
    SPLIT_SIZE,
)
from core.plan.plan import Lane, Plan, Strategy
from core.plan.planning import check, job_of
from core.plan.schedules import SCHEDULES, Schedule
from core.plan.specification import STRATEGY_OPTIONS, Specification, with_defaults
from core.plan.strategies import STRATEGIES
from core.plan.strategies.dp_pp import DEFAULT_REPLICAS, REPLICAS
from core.plan.task import KIND_CODES, KINDS, Kind

WORTH = 0.05
"""The part of a step that another way must be predicted to spare."""
TRIED_CHUNKS = (2, 3, 4)
MOST_TRIED_MICROBATCHES = 64


@dataclass(frozen=True, slots=True)
class Advice:
    """One way to run a model: the run itself, and what it is predicted to take.

    The step takes from `low_ns` to `high_ns`, most likely `step_ns`. `known` says that its
    micro-batches are no smaller and no larger than those that were measured. `bubble` is the idle
    fraction of the compute lanes, 0 to 1. `memory_bytes`, an estimate, is what the fullest lane
    holds at most.
    """

    specification: Specification
    step_ns: int
    low_ns: int
    high_ns: int
    bubble: float
    memory_bytes: int
    known: bool


@dataclass(frozen=True, slots=True)
class AdviceQuery:
    """What is to be advised on.

    `specification` says all that is the same in every run: model, devices, batch, optimizer.
    `lanes` are the compute lanes of its devices. `stages` are those that costs by stage are for,
    as in the plan that they were measured with; without it the costs are taken to be for the whole
    model (one stage). `measured_ns` is what a step of this run took, None if it was not run.
    """

    specification: Specification
    model: ModelDescription
    lanes: tuple[Lane, ...]
    costs: CostModel
    stages: tuple[Stage, ...] = ()
    measured_ns: int | None = None


@dataclass(frozen=True, slots=True)
class AdviceResult:
    """All ways, those that are known first, each part quickest first, and what was asked about.

    `present` is None if that cannot be predicted. `missing` says what the costs lack for ways that
    are left out, or is empty.
    """

    ways: list[Advice]
    present: Advice | None
    missing: Text = ""
    measured_ns: int | None = None

    @property
    def better(self) -> Advice | None:
        """The quickest known way, if it spares enough of the present step; None if none does."""
        return next(iter(self.better_ways(1)), None)

    def better_ways(self, most: int) -> list[Advice]:
        """Return the quickest known ways that spare enough, each of another strategy or schedule.

        A way must spare WORTH both of the predicted and of the measured step: where the two differ,
        one of them is not what another run of the present settings will take.
        """
        if self.present is None:
            return []
        least = self.present.step_ns
        if self.measured_ns is not None:
            least = min(least, self.measured_ns)
        quickest: dict[tuple[str, str | None], Advice] = {}
        for way in self.ways:
            if way.known and way.step_ns <= (1 - WORTH) * least:
                specification = way.specification
                quickest.setdefault((specification.strategy, specification[SCHEDULE]), way)
        return list(quickest.values())[:most]


def advise(asked: AdviceQuery) -> AdviceResult:
    """Predict every strategy, schedule, number of micro-batches, chunks and replicas.

    See `advise_in_turns`, which this runs to its end.
    """
    *_, advised = advise_in_turns(asked)
    assert isinstance(advised, AdviceResult)
    return advised


def advise_in_turns(asked: AdviceQuery) -> Iterator[tuple[int, int] | AdviceResult]:
    """Predict one way after another; yield (done, total) after each, and at the end the answer.

    Ways that do not fit (PlanError) are left out. Equal times are ranked by memory. Raises
    CostError if the costs were measured for other stages, or if they suffice for no way at all.
    """
    specification, model = asked.specification, asked.model
    rows = specification.batch_rows // (specification[MICROBATCHES] or DEFAULT_MICROBATCHES)
    stages = asked.stages or (Stage(0, 0, len(model.blocks)),)
    costs = blockwise(asked.costs, model, stages, max(1, rows))
    predictor = _Predictor(model, asked.lanes, costs)
    doubt = predictor.doubt_of(specification, asked.measured_ns)
    every = list(choices(specification, len(asked.lanes)))
    found: list[Advice] = []
    missing: list[CostError] = []
    for number, choice in enumerate(every, 1):
        try:
            advice = predictor.advice(choice, doubt)
        except CostError as error:
            missing.append(error)
        else:
            if advice is not None:
                found.append(advice)
        yield number, len(every)
    if missing and not found:
        raise missing[-1]
    try:
        present = predictor.advice(specification, doubt)
    except CostError:
        present = None
    found.sort(key=lambda advice: (not advice.known, advice.step_ns, advice.memory_bytes))
    lacking = error_message(missing[0]) if missing else ""
    yield AdviceResult(found, present, lacking, asked.measured_ns)


def way_of(specification: Specification) -> Specification:
    """The way in which a run is made: two runs that differ in nothing else have equal ones.

    Defaults are written out, and what changes no task's time is left out.
    """
    s = with_defaults(specification)
    options = STRATEGIES[s.strategy].options
    if MICROBATCHES in options and s[MICROBATCHES] is None and s[SPLIT_SIZE] is None:
        schedule = SCHEDULES.get(s[SCHEDULE] or "")
        own = None if schedule is None else schedule.microbatches
        s = s.having(microbatches=own or DEFAULT_MICROBATCHES)
    if REPLICAS in options and s[REPLICAS] is None:
        s = s.having(replicas=DEFAULT_REPLICAS)
    return replace(
        s, steps=1, warmup=0, seed=0, verify=False, calibrate=True, gradients=None, speed=None
    )


def choices(specification: Specification, lanes: int) -> Iterator[Specification]:
    """Every run of the same model, devices and batch that differs in how it is divided."""
    # The present strategy's options would be refused by most of the others.
    base = specification.having(**{option.name: option.default for option in STRATEGY_OPTIONS})
    for strategy in STRATEGIES.values():
        for replicas in _replicas(strategy, lanes):
            one = base.having(strategy=strategy.name, replicas=replicas)
            if SCHEDULE not in strategy.options:
                yield one
                continue
            rows = specification.batch_rows // (replicas or 1)
            for schedule in SCHEDULES.values():
                for chunks in TRIED_CHUNKS if schedule.settable_chunks else (None,):
                    for count in _counts(schedule, rows, lanes):
                        yield one.having(schedule=schedule.name, chunks=chunks, microbatches=count)


def _replicas(strategy: Strategy, lanes: int) -> list[int | None]:
    """Numbers of replicas that leave each two lanes at least."""
    if REPLICAS not in strategy.options:
        return [None]
    return [count for count in range(2, lanes // 2 + 1) if lanes % count == 0]


def _counts(schedule: Schedule, rows: int, lanes: int) -> list[int]:
    """Numbers of micro-batches to try: powers of two, and multiples of the lanes."""
    most = min(rows, MOST_TRIED_MICROBATCHES)
    # Interleaved schedules need equal rounds, which multiples of the lanes make.
    tried = {2**power for power in range(1, 7)} | {lanes * factor for factor in (1, 2, 3, 4)}
    return sorted(count for count in tried if 2 <= count <= most)


class _Predictor:
    """Predicts runs of one model on some lanes, from costs by block and rows."""

    def __init__(self, model: ModelDescription, lanes: Sequence[Lane], costs: CostModel) -> None:
        self._model, self._lanes, self._costs = model, lanes, costs

    def doubt_of(self, specification: Specification, measured_ns: int | None) -> float:
        """By what fraction a prediction may be off: by as much as that of a run that was made.

        At least by as much as measurements of the costs differ from each other.
        """
        scatter = self._costs.scatter
        try:
            present = self.advice(specification, scatter)
        except CostError:
            return scatter
        if present is None or not measured_ns:
            return scatter
        return max(scatter, abs(present.step_ns / measured_ns - 1))

    def advice(self, choice: Specification, doubt: float) -> Advice | None:
        """Return the prediction of a run; None if it does not fit the lanes, rows or blocks.

        Raises CostError if the costs say nothing of some task.
        """
        try:
            strategy = check(choice)
            job = job_of(choice, self._model, list(self._lanes), choice.batch_rows)
            plan = strategy.plan(job)
        except PlanError:
            return None
        columns = predict_times(plan, self._costs)
        step_ns = int(columns.end.max())
        least, most = self._bounds(plan)
        memory = peak_bytes(plan, columns, self._model, choice.optimizer, strategy.kept_bytes)
        return Advice(
            choice,
            step_ns,
            round(step_ns * least * (1 - min(doubt, 1.0))),
            round(step_ns * most * (1 + doubt)),
            bubble_of(columns, plan.lanes).by_makespan,
            int(memory.max()),
            _is_known(plan, self._costs),
        )

    def _bounds(self, plan: Plan) -> tuple[float, float]:
        """The least and the most that all tasks take, over what they are predicted to take."""
        columns = plan.columns
        readers = (cost_at, least_cost_at, most_cost_at)
        likely, least, most = (
            int(durations(columns, self._costs, plan.stages, plan.lanes, read).sum())
            for read in readers
        )
        return least / max(1, likely), most / max(1, likely)


def _is_known(plan: Plan, costs: CostModel) -> bool:
    """Return True if all passes have sizes between the smallest and the largest measured."""
    columns = plan.columns
    passes = [(KINDS[code], columns.kind == code, columns.rows) for code in np.unique(columns.kind)]
    overlaps = columns.kind == KIND_CODES[Kind.OVERLAP]
    if overlaps.any():
        passes.append((Kind.FORWARD, overlaps, columns.rows))
        passes.append((Kind.BACKWARD, overlaps, columns.paired_rows))
    # A part of a layer costs what the whole layer costs for that part of the rows.
    shares = {share for stage in plan.stages for share in stage.shares if share > 0}
    if any(share < 1 for share in shares) and not costs.divided:
        return False
    for kind, tasks, rows in passes:
        curves = costs.passes.get(kind, ())
        is_free = all(cost == 0 for curve in curves for _, cost in curve)
        if kind is Kind.STEP or is_free:
            continue
        parts = shares if kind in STAGED and shares else {1.0}
        sizes = [size for size, _ in curves[0]]
        least, most = rows[tasks].min() * min(parts), rows[tasks].max() * max(parts)
        if least < sizes[0] or most > sizes[-1]:
            return False
    return True
