"""All ways to run a model on some lanes, predicted in one go and ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.errors import PlanError
from core.explain.bubble import bubble_of
from core.models.description import ModelDescription
from core.plan.division import Stage
from core.plan.pipeline.options import DEFAULT_MICROBATCHES, MICROBATCHES, SCHEDULE
from core.plan.plan import Lane, Plan, Strategy
from core.plan.planning import check, job_of
from core.plan.schedules import SCHEDULES, Schedule
from core.plan.specification import STRATEGY_OPTIONS, Specification
from core.plan.strategies import STRATEGIES
from core.plan.strategies.dp_pp import REPLICAS
from core.plan.task import Kind
from core.predict.blockwise import blockwise
from core.predict.costs import CostError, CostModel
from core.predict.footprint import peak_bytes
from core.predict.predict import predict_times

CHUNKS = (2, 3, 4)
MOST_MICROBATCHES = 64


@dataclass(frozen=True, slots=True)
class Advice:
    """One way to run a model: the run itself, and what it is predicted to take.

    `bubble` is the idle fraction of the compute lanes, 0 to 1. `memory_bytes`, an estimate, is what
    the fullest lane holds at most.
    """

    specification: Specification
    step_ns: int
    bubble: float
    memory_bytes: int
    extrapolated: bool


@dataclass(frozen=True, slots=True)
class Advise:
    """What is to be advised on.

    `specification` says all that is the same in every run: model, devices, batch, optimizer.
    `lanes` are the compute lanes of its devices. `stages` are those that costs by stage are for,
    as in the plan that they were measured with; without it the costs are taken to be for the whole
    model (one stage).
    """

    specification: Specification
    model: ModelDescription
    lanes: tuple[Lane, ...]
    costs: CostModel
    stages: tuple[Stage, ...] = ()


@dataclass(frozen=True, slots=True)
class Advised:
    """All ways, quickest first, and what was asked about, None if it cannot be predicted.

    `missing` says what the costs lack for ways that are left out, or is empty.
    """

    ways: list[Advice]
    present: Advice | None
    missing: str = ""


def advise(asked: Advise, report: Callable[[int, int], None] = lambda done, total: None) -> Advised:
    """Every strategy, schedule, number of micro-batches, chunks and replicas, quickest first.

    What does not fit (a PlanError) is left out. Equal times are ranked by memory. `report` gets how
    many of how many runs are predicted. Raises CostError if the costs are for other stages than
    these, or if there are none for any run.
    """
    specification, model, lanes = asked.specification, asked.model, asked.lanes
    rows = specification.batch_rows // (specification[MICROBATCHES] or DEFAULT_MICROBATCHES)
    stages = asked.stages or (Stage(0, 0, len(model.blocks)),)
    costs = blockwise(asked.costs, model, stages, max(1, rows))
    every = list(choices(specification, len(lanes)))
    found: list[Advice] = []
    missing: list[CostError] = []
    for number, choice in enumerate(every, 1):
        try:
            advice = _advice(choice, model, lanes, costs)
            found += [] if advice is None else [advice]
        except CostError as error:
            missing.append(error)
        report(number, len(every))
    if missing and not found:
        raise missing[-1]
    try:
        present = _advice(specification, model, lanes, costs)
    except CostError:
        present = None
    found.sort(key=lambda advice: (advice.step_ns, advice.memory_bytes))
    return Advised(found, present, str(missing[0]) if missing else "")


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
                for chunks in CHUNKS if schedule.settable_chunks else (None,):
                    for count in _counts(schedule, rows, lanes):
                        yield one.having(schedule=schedule.name, chunks=chunks, microbatches=count)


def _replicas(strategy: Strategy, lanes: int) -> list[int | None]:
    """Numbers of replicas that leave each two lanes at least."""
    if REPLICAS not in strategy.options:
        return [None]
    return [count for count in range(2, lanes // 2 + 1) if lanes % count == 0]


def _counts(schedule: Schedule, rows: int, lanes: int) -> list[int]:
    """Numbers of micro-batches to try: powers of two, and multiples of the lanes."""
    most = min(rows, MOST_MICROBATCHES)
    # Interleaved schedules need equal rounds, which multiples of the lanes make.
    tried = {2**power for power in range(1, 7)} | {lanes * factor for factor in (1, 2, 3, 4)}
    return sorted(count for count in tried if 2 <= count <= most)


def _advice(
    choice: Specification, model: ModelDescription, lanes: Sequence[Lane], costs: CostModel
) -> Advice | None:
    try:
        strategy = check(choice)
        plan = strategy.plan(job_of(choice, model, list(lanes), choice.batch_rows))
    # Many of the choices do not fit these lanes, rows or blocks; whoever asked wants those that do.
    except PlanError:
        return None
    columns = predict_times(plan, costs)
    memory = peak_bytes(plan, columns, model, choice.optimizer, strategy.kept_bytes)
    return Advice(
        choice,
        int(columns.end.max()),
        bubble_of(columns, plan.lanes).by_makespan,
        int(memory.max()),
        _is_extrapolated(plan, costs),
    )


def _is_extrapolated(plan: Plan, costs: CostModel) -> bool:
    """Whether a micro-batch is smaller or larger than all that the costs are for."""
    sizes = [size for size, _ in costs.passes[Kind.FORWARD][0]]
    rows = [part.rows for part in plan.parts]
    return min(rows) < min(sizes) or max(rows) > max(sizes)
