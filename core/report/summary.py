"""Summary of a run: its steps, how each lane spent them, and how the batch was split."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from core.errors import PlanError
from core.explain.arrivals import Arrivals, sum_by_collective
from core.explain.balance import lane_balances
from core.explain.lanes import entering_rows
from core.explain.ranks import RankTime, imported_rank_times
from core.explain.run_step import explain_run_step
from core.message import message
from core.plan.faults import faults_given
from core.plan.pipeline.options import SCHEDULE
from core.plan.plan import computing_lanes, lane_indices, rank_names, working_lanes
from core.predict.replan import RunPlans
from core.report.step_figures import StepFigures, figures_of_step
from core.report.verdict import Verdict, verdict
from core.trace.complete import completed_steps, ended_steps, run_faults
from core.trace.event_rows import clock_disagreement, clock_uncertainty
from core.trace.import_issue import issue_sentence
from core.trace.median_step import median_step
from core.trace.step import StepSpans
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class LaneSummary:
    """A lane in a step; its times in ns add up to the makespan.

    `peak_bytes` is the memory held. `idle_by_cause` has the ns of every cause by name
    (core.explain.causes.Cause). They add up to `idle_ns`, except in traces of other programs whose
    next step begins before this one's last task has ended: that idle time belongs to the next step.
    """

    name: str
    device: str
    role: str
    busy_ns: int
    communication_ns: int
    idle_ns: int
    idle_fraction: float
    peak_bytes: int
    spans: int
    idle_by_cause: dict[str, int]


@dataclass(frozen=True, slots=True)
class StepSummary:
    """A measured step; `loss` and the errors are None if they are not known.

    `step` is the step's number in the recording (from 0), `number` that among the measured ones
    (from 1).

    The bubbles are fractions: `bubble_by_makespan` of the compute lanes' makespan,
    `bubble_by_lane_span` of the longest lane's own span, and `closed_form` the schedule's formula
    with the step's mean costs, by makespan; None without a formula. `ladder` and `critical_path`
    hold ns that add up to the makespan (core.report.waterfall, core.explain.critical).

    A step is `complete` if every planned task has exactly one span; `missing` counts tasks without
    one. An incomplete step is not analysed: causes, ladder and path are empty, and the bubbles are
    NaN.
    """

    step: int
    makespan_ns: int
    loss: float | None
    lanes: tuple[LaneSummary, ...]
    gradient_error: float | None = None
    loss_error: float | None = None
    clock_uncertainty_ns: float | None = None
    bubble_by_makespan: float = 0.0
    bubble_by_lane_span: float = 0.0
    closed_form: float | None = None
    ladder: dict[str, int] = field(default_factory=dict)
    critical_path: dict[str, int] = field(default_factory=dict)
    complete: bool = True
    missing: int = 0
    number: int = 0


@dataclass(frozen=True, slots=True)
class CollectiveSummary:
    """A collective in which ranks met, over all measured steps (core.explain.arrivals).

    It happened `times` times. `last` counts how often each rank, by its lane's name, was certain to
    be the last to arrive. `group` is the name of its process group, None for all ranks.
    `mean_wait_ns` is the mean time from the first arrival to the last, `mean_transfer_ns` that from
    the last arrival to the end. If the wait is shorter than the clocks' disagreement, `certain` is
    false: neither the last rank nor the wait is known.
    """

    kind: str
    stage: int | None
    block: int | None
    bucket: int | None
    times: int
    last: dict[str, int]
    mean_wait_ns: int
    mean_transfer_ns: int
    certain: bool
    group: str | None = None


@dataclass(frozen=True, slots=True)
class RankSummary:
    """Figures of a rank of another program's trace: ns, and their shares of `span_ns`.

    See core.explain.ranks. `overlap_fraction` is the share of the rank's communication that is
    hidden by computing.
    """

    place: str
    span_ns: int
    idle_ns: int
    compute_ns: int
    moving_ns: int
    communication_ns: int
    overlap_ns: int
    idle_fraction: float
    compute_fraction: float
    communication_fraction: float
    overlap_fraction: float

    @classmethod
    def of(cls, time: RankTime) -> RankSummary:
        """Add the shares to a rank's times."""
        span = max(1, time.span_ns)
        return cls(
            **asdict(time),
            idle_fraction=time.idle_ns / span,
            compute_fraction=time.compute_ns / span,
            communication_fraction=time.communication_ns / span,
            overlap_fraction=time.overlap_fraction,
        )


@dataclass(frozen=True, slots=True)
class IssueSummary:
    """An irregularity of another program's file: its id, its count, and an English sentence."""

    kind: str
    count: int
    text: str


@dataclass(frozen=True, slots=True)
class Summary:
    """A whole run without its warm-up.

    - `median_step`: the step whose figures represent the run (core.trace.median_step); None
      without a measured step. Fields named `over_steps` are of all measured steps
    - `splits`: the rows of each replica or rank for each step, 0 for idle ones
    - `microbatch_rows`: the rows of each micro-batch of the first measured step
    - `faults`: sentences on incomplete steps, including warm-up (core.trace.complete); `missing`
      counts tasks without a span. The run is `complete` if it has finished without a fault
    - `injected_faults`: faults injected on purpose, by the names of options (core.plan.faults)
    - `verdict`: the limit of a step, found without the injected faults; None without a whole step
    - `ranks`, `odd`, `part_ns`: for a trace of another program, the figures of each rank, the
      irregularities of its file, and the range that was taken as its only step
    """

    strategy: str | None
    schedule: str | None
    model: str
    devices: tuple[str, ...]
    sharing: str
    timing_note: str
    splits: tuple[tuple[int, ...], ...]
    microbatch_rows: tuple[int, ...]
    steps: tuple[StepSummary, ...]
    median_step: int | None = None
    complete: bool = True
    missing: int = 0
    faults: tuple[str, ...] = ()
    injected_faults: dict[str, str | float] = field(default_factory=dict)
    verdict: Verdict | None = None
    collectives_over_steps: tuple[CollectiveSummary, ...] = ()
    ranks: tuple[RankSummary, ...] = ()
    odd: tuple[IssueSummary, ...] = ()
    part_ns: tuple[int, int] | None = None

    @property
    def median(self) -> StepSummary:
        """The median step. Raises ValueError without a measured step."""
        for step in self.steps:
            if step.step == self.median_step:
                return step
        raise ValueError("the run has no measured step")

    @property
    def gradient_error(self) -> float | None:
        """Largest gradient error of the steps, None if none was verified."""
        return _largest(step.gradient_error for step in self.steps)

    @property
    def loss_error(self) -> float | None:
        """Largest loss error of the steps, None if none was verified."""
        return _largest(step.loss_error for step in self.steps)

    def to_json(self) -> str:
        """Return JSON; numbers that are not finite become null."""
        return json.dumps(_finite(self.to_dict()), indent=1, allow_nan=False)

    def to_dict(self) -> dict[str, object]:
        """Return plain JSON values; errors of gradients and losses only if they were verified."""
        values = asdict(self)
        if self.verdict is not None:
            values["verdict"] = self.verdict.to_dict()
        for name in ("gradient_error", "loss_error"):
            value = getattr(self, name)
            if value is not None:
                values[name] = value
            else:
                for step in values["steps"]:
                    del step[name]
        return values


def summarise(trace: Trace) -> Summary:
    """Sum up a run, finished or not. Raises PlanError for a run without compute lanes."""
    header = trace.header
    has_plan = header.source.has_plan
    if trace.steps and has_plan and not computing_lanes(header.lanes):
        raise PlanError(message("the run has no lanes that compute: there is nothing to sum up"))
    steps = ended_steps(trace)
    faults = run_faults(trace)
    plans = RunPlans(trace)
    summaries = []
    arrivals: list[Arrivals] = []
    for step in steps:
        summary, met = _step(trace, step, plans)
        summaries.append(summary)
        arrivals += met
    whole = completed_steps(trace) or steps
    devices: list[str] = []
    sharing = ""
    for lane in header.lanes:
        if lane.serves == lane.index:
            devices.append(lane.device)
        sharing = sharing or lane.sharing
    collectives = [_collective(trace, one) for one in sum_by_collective(arrivals)]
    return Summary(
        strategy=header.specification.strategy if has_plan else None,
        schedule=header.specification[SCHEDULE],
        model=header.model.name,
        devices=tuple(devices),
        sharing=sharing,
        timing_note=str(header.timing_note),
        splits=tuple(rows_by_replica(trace, step) for step in steps),
        microbatch_rows=rows_by_microbatch(trace, steps[0]) if steps else (),
        steps=tuple(summaries),
        median_step=median_step(trace, whole) if whole else None,
        complete=trace.outcome == "finished" and not faults,
        missing=sum(fault.missing for fault in faults),
        faults=tuple(str(fault.text) for fault in faults),
        injected_faults=faults_given(header.specification),
        verdict=verdict(trace),
        collectives_over_steps=tuple(collectives),
        ranks=tuple(RankSummary.of(time) for time in imported_rank_times(trace)),
        odd=tuple(_issues(trace)),
        part_ns=trace.part,
    )


def rows_by_replica(trace: Trace, step: int) -> tuple[int, ...]:
    """Return the rows of each replica in a step, 0 for idle ones.

    The ranks of a job or of another program's trace may be stages of one replica.
    """
    replicas = trace.header.replicas
    if not trace.header.source.has_plan:
        highest = int(trace.table.rows["replica"].max(initial=0))
        replicas = highest + 1
    rows = [0] * replicas
    for (replica, _), count in _forward_rows(trace, step).items():
        rows[replica] += count
    return tuple(rows)


def rows_by_microbatch(trace: Trace, step: int) -> tuple[int, ...]:
    """Return the rows of each micro-batch in a step, in order of the micro-batches."""
    rows: dict[int, int] = {}
    for (_, microbatch), count in _forward_rows(trace, step).items():
        rows[microbatch] = rows.get(microbatch, 0) + count
    return tuple(count for _, count in sorted(rows.items()))


def _issues(trace: Trace) -> Iterator[IssueSummary]:
    """Yield the irregularities of another program's file."""
    issues = {} if trace.imported is None else trace.imported.issues
    for issue, count in issues.items():
        yield IssueSummary(
            kind=str(issue),
            count=count,
            text=str(issue_sentence(issue, count)),
        )


def _collective(trace: Trace, met: Arrivals) -> CollectiveSummary:
    wait = met.wait_ns // met.times
    names = rank_names(trace.header.lanes)
    disagreement = clock_disagreement(trace.clocks)
    group = None if met.group is None else trace.table.names[met.group]
    return CollectiveSummary(
        kind=str(met.kind),
        stage=met.stage,
        block=met.block,
        bucket=met.bucket,
        times=met.times,
        last={names[lane]: count for lane, count in met.last},
        mean_wait_ns=wait,
        mean_transfer_ns=met.transfer_ns // met.times,
        certain=wait >= disagreement,
        group=group,
    )


def _step(trace: Trace, step: int, plans: RunPlans) -> tuple[StepSummary, tuple[Arrivals, ...]]:
    start, end = trace.step_bounds(step)
    figures = figures_of_step(plans, step, explain_run_step(trace, step))
    faults = [fault for fault in run_faults(trace) if fault.step == step]
    if faults:
        no_causes: list[dict[str, int]] = [{}] * len(trace.header.lanes)
        figures = replace(figures, idle_by_cause=tuple(no_causes), ladder={}, critical_path={})
    summary = StepSummary(
        step=step,
        makespan_ns=end - start,
        loss=_value(trace, "loss", step),
        lanes=_lanes(trace, step, figures),
        gradient_error=_value(trace, "gradient_error", step),
        loss_error=_value(trace, "loss_error", step),
        clock_uncertainty_ns=clock_uncertainty(trace.clocks, step),
        bubble_by_makespan=figures.bubble_by_makespan,
        bubble_by_lane_span=figures.bubble_by_lane_span,
        closed_form=figures.closed_form,
        ladder=figures.ladder,
        critical_path=figures.critical_path,
        complete=not faults,
        missing=faults[0].missing if faults else 0,
        number=step - trace.header.specification.warmup + 1,
    )
    return summary, figures.collectives


def _lanes(trace: Trace, step: int, figures: StepFigures) -> tuple[LaneSummary, ...]:
    """Return the figures in a step of all lanes that work."""
    found = []
    working = working_lanes(trace.header.lanes)
    indices = lane_indices(working)
    balances = lane_balances(trace, indices, [step])
    for lane, balance in zip(working, balances, strict=True):
        time = balance.time
        summary = LaneSummary(
            name=lane.name,
            device=lane.device,
            role=str(lane.role),
            busy_ns=time.busy_ns,
            communication_ns=time.communication_ns,
            idle_ns=time.idle_ns,
            idle_fraction=time.idle_fraction,
            peak_bytes=balance.peak_bytes,
            spans=time.spans,
            idle_by_cause=figures.idle_by_cause[lane.index],
        )
        found.append(summary)
    return tuple(found)


def _value(trace: Trace, name: str, step: int) -> float | None:
    counter = trace.counter(name)
    hits = np.flatnonzero(counter.steps == step)
    if not len(hits):
        return None
    return float(counter.values[hits[-1]])


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _largest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _forward_rows(trace: Trace, step: int) -> dict[tuple[int, int], int]:
    """Return the rows that enter the first stage or block, by replica and micro-batch.

    If it is divided among lanes, the same rows enter on each of them.
    """
    spans = StepSpans.of(trace, step).spans
    # Tasks of blocks have the stage -1, and tasks of stages the block -1.
    in_first_stage = spans["stage"] <= 0
    in_first_block = spans["block"] <= 0
    first = spans[in_first_stage & in_first_block]
    found: dict[tuple[int, int], int] = {}
    for replica, microbatch, count in entering_rows(first):
        found[replica, microbatch] = count
    return found
