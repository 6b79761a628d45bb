"""Predictions of all ways to run a model on some lanes, ranked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools
from core.costs.blockwise import blockwise
from core.costs.costs import STAGED, CostError, CostModel, Curve
from core.costs.covered import backward_passes
from core.costs.footprint import peak_bytes
from core.costs.plan_times import predict_times
from core.errors import PlanError
from core.explain.bubble import bubble_of
from core.message import Text, error_message
from core.models.description import ModelDescription
from core.plan.division import Stage
from core.plan.faults import NO_FAULTS, Faults
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
from core.predict.basis import range_factors
from core.predict.predict import predicted_recording
from core.predict.whatif import WhatIfResult, answer_basis, answer_of
from core.trace.header import Header
from core.trace.step import StepColumns

LEAST_SAVING = 0.05
"""Smallest predicted saving, as a fraction of a step, for which another way is advised."""
TRIED_CHUNKS = (2, 3, 4)
MOST_TRIED_MICROBATCHES = 64


@dataclass(frozen=True, slots=True)
class Advice:
    """One way to run a model: its settings, and the predicted step.

    The step takes from `low_ns` to `high_ns`, most likely `step_ns`. `known` is true if the sizes
    of its micro-batches are within the measured ones. `bubble` is the idle fraction of the compute
    lanes, 0 to 1. `memory_bytes` is the estimated peak of the lane that holds the most.
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
    """Request for advice on a run.

    `specification` has the settings that all ways share: model, devices, batch, optimizer. `lanes`
    are the compute lanes of its devices. `stages` are the stages of costs by stage, as in the plan
    that was measured; by default one stage, the whole model. `measured_ns` is the length of a step
    of the present run, None if it was not run. `own` has the costs of the present run's own tasks,
    for the prediction of its settings; by default that uses `costs` too. `faults` lengthen the
    tasks of all ways; leave out those that the costs contain.
    """

    specification: Specification
    model: ModelDescription
    lanes: tuple[Lane, ...]
    costs: CostModel
    stages: tuple[Stage, ...] = ()
    measured_ns: int | None = None
    own: CostModel | None = None
    faults: Faults = NO_FAULTS


@dataclass(frozen=True, slots=True)
class WayQuery:
    """Request for the predicted step of one way to run a model; its result is a WhatIfResult.

    `specification` has the settings of the way, or the present settings.
    """

    advice: AdviceQuery
    specification: Specification


@dataclass(frozen=True, slots=True)
class AdviceResult:
    """All ways, and the present run.

    `ways` has the known ways first, and then the others, each sorted by predicted time. `present`
    is None if the present run cannot be predicted. `alike_ns` is its step if it is predicted from
    the same costs as other ways; None if these do not cover it. If ways were left out because costs
    of their tasks are unknown, `missing` gives the reason; else it is "".
    """

    ways: list[Advice]
    present: Advice | None
    missing: Text = ""
    measured_ns: int | None = None
    alike_ns: int | None = None

    @property
    def better(self) -> Advice | None:
        """The fastest known way that saves enough of the present step; None if none does."""
        return next(iter(self.better_ways(1)), None)

    def better_ways(self, most: int) -> list[Advice]:
        """Return the fastest known ways that save enough, each of another strategy or schedule.

        A way must save LEAST_SAVING of the measured step and of both predictions of the present
        settings. If these differ, one of them is wrong for the next run with these settings: costs
        that make the present run too fast probably do so with other ways too.
        """
        if self.present is None:
            return []
        least = self.present.step_ns
        for step_ns in (self.measured_ns, self.alike_ns):
            if step_ns is not None:
                least = min(least, step_ns)
        fastest: dict[tuple[str, str | None], Advice] = {}
        for way in self.ways:
            if way.known and way.step_ns <= (1 - LEAST_SAVING) * least:
                key = (way.specification.strategy, way.specification[SCHEDULE])
                fastest.setdefault(key, way)
        return list(fastest.values())[:most]


def advise(query: AdviceQuery) -> AdviceResult:
    """Predict every strategy, schedule, number of micro-batches, chunks and replicas.

    Raises CostError as `advise_in_turns` does.
    """
    *_, advised = advise_in_turns(query)
    assert isinstance(advised, AdviceResult)
    return advised


def advise_in_turns(query: AdviceQuery) -> Iterator[tuple[int, int] | AdviceResult]:
    """Predict one way after another; yield (done, total) after each, and the result at the end.

    Ways that do not fit (PlanError) are left out. Equal times are ranked by memory. Raises
    CostError if the costs were measured for other stages, or if they cover no way at all.
    """
    specification = query.specification
    predictor = _predictor_of(query)
    every = list(choices(specification, len(query.lanes)))
    found: list[Advice] = []
    missing: list[CostError] = []
    for number, choice in enumerate(every, 1):
        try:
            advice = predictor.advice(choice)
        except CostError as error:
            missing.append(error)
        else:
            if advice is not None:
                found.append(advice)
        yield number, len(every)
    if missing and not found:
        raise missing[-1]
    try:
        present = predictor.advice(specification)
    except CostError:
        present = None
    found.sort(key=lambda advice: (not advice.known, advice.step_ns, advice.memory_bytes))
    lacking = error_message(missing[0]) if missing else ""
    yield AdviceResult(
        ways=found,
        present=present,
        missing=lacking,
        measured_ns=query.measured_ns,
        alike_ns=predictor.alike_ns,
    )


def way_answer(query: WayQuery) -> WhatIfResult:
    """Predict one way, as the advice does.

    Raises PlanError if it does not fit the lanes, rows or blocks, and CostError if the costs do not
    cover it.
    """
    return _predictor_of(query.advice).answer(query.specification)


def way_recording(query: WayQuery) -> bytes:
    """Return the predicted step of a way as a recording. Raises the errors of `way_answer`."""
    return _predictor_of(query.advice).recording(query.specification)


def _predictor_of(query: AdviceQuery) -> _Predictor:
    """Return the predictor with the costs of a request by block. Raises CostError."""
    specification = query.specification
    model = query.model
    microbatches = specification[MICROBATCHES] or DEFAULT_MICROBATCHES
    rows = specification.batch_rows // microbatches
    stages = query.stages or (Stage(0, 0, len(model.blocks)),)
    costs = blockwise(query.costs, model, stages, max(1, rows))
    return _Predictor(query, costs)


def way_of(specification: Specification) -> Specification:
    """Return the settings that determine the tasks and their times, with explicit defaults.

    Two runs with equal ones are predicted alike. Other settings have a fixed value.
    """
    complete = with_defaults(specification)
    options = STRATEGIES[complete.strategy].options
    is_default = complete[MICROBATCHES] is None and complete[SPLIT_SIZE] is None
    if MICROBATCHES in options and is_default:
        schedule = SCHEDULES.get(complete[SCHEDULE] or "")
        own = None if schedule is None else schedule.microbatches
        complete = complete.having(microbatches=own or DEFAULT_MICROBATCHES)
    if REPLICAS in options and complete[REPLICAS] is None:
        complete = complete.having(replicas=DEFAULT_REPLICAS)
    return replace(
        complete,
        steps=1,
        warmup=0,
        seed=0,
        verify=False,
        calibrate=True,
        gradients=None,
    )


def choices(specification: Specification, lanes: int) -> Iterator[Specification]:
    """Yield every way to divide the work of a run, with the same model, devices and batch."""
    # Most other strategies would refuse the options of the present one.
    defaults = {option.name: option.default for option in STRATEGY_OPTIONS}
    base = specification.having(**defaults)
    for strategy in STRATEGIES.values():
        for replicas in _replicas(strategy, lanes):
            one = base.having(strategy=strategy.name, replicas=replicas)
            if SCHEDULE not in strategy.options:
                yield one
                continue
            rows = specification.batch_rows // (replicas or 1)
            for schedule in SCHEDULES.values():
                tried_chunks: Sequence[int | None] = (None,)
                if schedule.settable_chunks:
                    tried_chunks = TRIED_CHUNKS
                for chunks, count in product(tried_chunks, _counts(schedule, rows, lanes)):
                    yield one.having(schedule=schedule.name, chunks=chunks, microbatches=count)


def _replicas(strategy: Strategy, lanes: int) -> list[int | None]:
    """Return the numbers of replicas that have at least two lanes each."""
    if REPLICAS not in strategy.options:
        return [None]
    return [count for count in range(2, lanes // 2 + 1) if lanes % count == 0]


def _counts(schedule: Schedule, rows: int, lanes: int) -> list[int]:
    """Return the numbers of micro-batches to try: powers of two, and multiples of the lanes."""
    most = min(rows, MOST_TRIED_MICROBATCHES)
    powers = {2**power for power in range(1, 7)}
    # Interleaved schedules need rounds of equal length: the number must be a multiple of the lanes.
    multiples = {lanes * factor for factor in (1, 2, 3, 4)}
    tried = powers | multiples
    return sorted(count for count in tried if 2 <= count <= most)


class _Predictor:
    """Predicts runs of one model on some lanes, from costs by block and rows.

    Runs with the settings of the present run are predicted from its own costs, if they are known.
    """

    def __init__(self, query: AdviceQuery, costs: CostModel) -> None:
        self._model = query.model
        self._lanes = query.lanes
        self._faults = query.faults
        self._measured_ns = query.measured_ns
        self._present = query.specification
        self._own_way = None if query.own is None else way_of(query.specification)
        self._costs = costs
        self._own = costs if query.own is None else query.own

    def _is_own(self, choice: Specification) -> bool:
        """Return True if a run is predicted from the present run's own costs."""
        return self._own_way is not None and way_of(choice) == self._own_way

    def _doubt(self, is_own: bool) -> float:
        """Return the relative error to expect of predictions from the own costs or from `costs`.

        It is the error with which they predict the measured run, but at least their scatter.
        """
        scatter = self._own.scatter if is_own else self._costs.scatter
        present_ns = self._own_ns if is_own else self.alike_ns
        if present_ns is None or not self._measured_ns:
            return scatter
        return max(scatter, abs(present_ns / self._measured_ns - 1))

    @cached_property
    def alike_ns(self) -> int | None:
        """The step of the present settings, predicted from the costs of the other ways."""
        return self._present_ns(self._costs)

    @cached_property
    def _own_ns(self) -> int | None:
        return self._present_ns(self._own)

    def _present_ns(self, costs: CostModel) -> int | None:
        """Return the predicted step of the present settings; None if the costs do not cover it."""
        try:
            columns = predict_times(self._plan(self._present), costs, self._faults)
        except PlanError:  # also a CostError
            return None
        return int(columns.end.max())

    def advice(self, choice: Specification) -> Advice | None:
        """Return the prediction of a run; None if it does not fit the lanes, rows or blocks.

        Raises CostError if the costs do not cover a task.
        """
        try:
            plan = self._plan(choice)
        except PlanError:
            return None
        is_own = self._is_own(choice)
        costs = self._own if is_own else self._costs
        columns = predict_times(plan, costs, self._faults)
        step_ns = int(columns.end.max())
        least, most = range_factors(plan, costs, self._doubt(is_own))
        return Advice(
            specification=choice,
            step_ns=step_ns,
            low_ns=round(step_ns * least),
            high_ns=round(step_ns * most),
            bubble=bubble_of(columns, plan.lanes).by_makespan,
            memory_bytes=self._peak_bytes(choice, plan, columns),
            known=is_own or _is_known(plan, costs),
        )

    def answer(self, choice: Specification) -> WhatIfResult:
        """Return the predicted step of a run. Raises PlanError or CostError."""
        plan = self._plan(choice)
        is_own = self._is_own(choice)
        costs = self._own if is_own else self._costs
        columns = predict_times(plan, costs, self._faults)
        answer = answer_of(columns, plan.lanes, plan.pipeline)
        memory = self._peak_bytes(choice, plan, columns)
        basis = answer_basis(plan, costs, columns, self._doubt(is_own))
        return replace(answer, memory_bytes=memory, basis=basis)

    def recording(self, choice: Specification) -> bytes:
        """Return the predicted step of a run as a recording. Raises PlanError or CostError."""
        plan = self._plan(choice)
        costs = self._own if self._is_own(choice) else self._costs
        columns = predict_times(plan, costs, self._faults)
        # One step, and no warm-up: the recording has nothing else.
        specification = replace(choice, steps=1, warmup=0)
        header = Header(
            specification=specification,
            model=self._model,
            lanes=plan.lanes,
            replicas=plan.replicas,
        )
        return predicted_recording(header, plan.tasks, columns)

    def _plan(self, choice: Specification) -> Plan:
        strategy = check(choice)
        job = job_of(choice, self._model, list(self._lanes), choice.batch_rows)
        return strategy.plan(job)

    def _peak_bytes(self, choice: Specification, plan: Plan, columns: StepColumns) -> int:
        """Return the estimated peak of the lane that holds the most."""
        kept = STRATEGIES[choice.strategy].kept_bytes
        memory = peak_bytes(
            plan=plan,
            columns=columns,
            model=self._model,
            optimizer=choice.optimizer,
            kept=kept,
        )
        return int(memory.max())


def _is_known(plan: Plan, costs: CostModel) -> bool:
    """Return True if all passes have sizes between the smallest and the largest measured."""
    columns = plan.columns
    rows = columns.rows / backward_passes(columns)
    passes: list[tuple[Kind, Bools, NDArray[Any]]] = []
    for code in np.unique(columns.kind).tolist():
        passes.append((KINDS[code], columns.kind == code, rows))
    overlaps = columns.kind == KIND_CODES[Kind.OVERLAP]
    if overlaps.any():
        passes.append((Kind.FORWARD, overlaps, columns.rows))
        passes.append((Kind.BACKWARD, overlaps, columns.paired_rows))
    # A part of a layer costs as much as the whole layer for that part of the rows.
    shares: set[float] = set()
    for stage in plan.stages:
        shares.update(share for share in stage.shares if share > 0)
    if any(share < 1 for share in shares) and not costs.divided:
        return False
    for kind, tasks, rows_of_tasks in passes:
        curves = costs.passes.get(kind, ())
        if kind is Kind.STEP or _are_zero(curves):
            continue
        parts = shares if kind in STAGED and shares else {1.0}
        sizes = [size for size, _ in curves[0]]
        own_rows = rows_of_tasks[tasks]
        least = own_rows.min() * min(parts)
        most = own_rows.max() * max(parts)
        if least < sizes[0] or most > sizes[-1]:
            return False
    return True


def _are_zero(curves: Iterable[Curve]) -> bool:
    """Return True if all costs of some curves are 0."""
    points = chain.from_iterable(curves)
    return all(cost == 0 for _, cost in points)
