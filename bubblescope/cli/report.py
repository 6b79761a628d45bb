"""Plain-text tables for standard output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from core.explain.causes import Cause
from core.models.description import ModelDescription
from core.plain import counted, digits, plain, size_text
from core.plan.devices import HOST, Hardware, device_kind
from core.plan.division import Stage
from core.plan.grid import grid
from core.plan.plan import Plan
from core.predict.compare import Comparison
from core.report.summary import CollectiveSummary, LaneSummary, StepSummary, Summary
from core.report.waterfall import BAR_WORDS
from core.trace.verified import Verified

MOST_COLLECTIVES = 12


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Columns aligned: text to the left, everything else to the right; a line for each row."""
    texts = [[plain(str(cell)) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *texts, strict=True)]
    # A column of numbers begins with digits in every row; one name in it makes it text.
    left = [all(not row[i][:1].isdigit() for row in texts) for i in range(len(header))]
    lines = [
        "  ".join(
            cell.ljust(width) if to_left else cell.rjust(width)
            for cell, width, to_left in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in [list(header), *texts]
    ]
    return "\n".join(lines)


def milliseconds(ns: float) -> str:
    """Nanoseconds as milliseconds with three digits that count."""
    return digits(ns / 1e6)


def devices_text(hardware: Hardware) -> str:
    """What `devices` prints."""
    rows = [(HOST.name, f"{hardware.cores} cores", size_text(hardware.memory), f"2x{HOST.name}")]
    for found in hardware.accelerators:
        memory = size_text(found.memory) if found.memory else "not told"
        rows.append((found.device, found.name, memory, found.device))
    header = ("device", "what", "memory", "as lanes", "kind", "can")
    kinds = [device_kind(device) for device in hardware.devices]
    text = table(
        header,
        [(*row, kind.title, kind.abilities) for row, kind in zip(rows, kinds, strict=True)],
    )
    if not hardware.accelerators:
        text += "\nThere is no accelerator: runs use CPU lanes."
    return text


def plan_text(plan: Plan, model: ModelDescription, title: str, tasks: bool) -> str:
    """What `plan` prints: the split, the stages, the textbook grid, and if asked every task."""
    blocks = [title, f"rows: {_parts(plan)}"]
    stage_rows = [
        (f"stage {stage.index}",
         f"blocks {stage.first} to {stage.last - 1}" + _over_lanes(stage),
         size_text(stage.parameter_bytes(model)))
        for stage in plan.stages
    ]  # fmt: skip
    blocks.append(table(("stage", "blocks", "parameters"), stage_rows))
    blocks.append(_grid_text(plan))
    if tasks:
        rows = [
            (task.index, str(task), f"{task.kind} {task.payload}".strip(),
             plan.lanes[task.lane].name, task.rows, size_text(task.bytes),
             " ".join(map(str, task.after)))
            for task in plan.tasks
        ]  # fmt: skip
        blocks.append(table(("task", "action", "kind", "lane", "rows", "bytes", "after"), rows))
    moved = sum(task.bytes for task in plan.tasks)
    blocks.append(f"{len(plan.tasks)} tasks, {size_text(moved)} moved a step")
    return "\n\n".join(blocks)


def summary_text(summary: Summary) -> str:
    """Return the text that `run` prints: the median step's figures, and a table of its lanes."""
    if not summary.steps:
        return "No measured step was completed."
    schedule = f" {summary.schedule}" if summary.schedule else ""
    how = f"{summary.strategy}{schedule} of " if summary.strategy else ""
    lines = [plain(f"{how}{summary.model} on ") + counted(len(summary.devices), "lane")]
    lines += injected_lines(summary.injected_faults)
    if summary.verdict is not None:
        lines.append(f"verdict: {summary.verdict.text}")
    if summary.timing_note:
        including = ": times include the sharing" if summary.sharing else ""
        lines.append(f"{summary.timing_note}{including}")
    lines.append(f"rows: {_splits(summary)}")
    lines += _steps_lines(summary)
    step = summary.median
    if step.complete:
        lines += [_bubble_line(step), _waterfall_line(step), _path_line(step)]
    header = ("lane", "busy ms", "comm ms", "idle ms", "idle %", "peak", "spans", "idle most for")
    tables = [table(header, [_lane_row(lane) for lane in step.lanes])]
    if summary.collectives_over_steps:
        tables.append(_collectives_table(summary.collectives_over_steps, len(summary.steps)))
    return "\n\n".join(["\n".join(lines), *tables])


def _steps_lines(summary: Summary) -> list[str]:
    """Lines on the median step and on all measured steps."""
    steps, median = summary.steps, summary.median
    if len(steps) == 1:
        lines = [f"step: {milliseconds(median.makespan_ns)} ms (1 measured step)"]
    else:
        which = f"step {median.number}, the median of {len(steps)}"
        lines = [f"step: {milliseconds(median.makespan_ns)} ms ({which})"]
    spans = [step.makespan_ns for step in steps]
    clock = max((step.clock_uncertainty_ns or 0 for step in steps), default=0)
    lines.append(
        f"over {counted(len(steps), 'step')}: {milliseconds(fmean(spans))} ms mean, "
        f"{milliseconds(min(spans))} shortest, {milliseconds(max(spans))} longest; "
        f"loss {_number(steps[0].loss)} to {_number(steps[-1].loss)}; "
        f"times known to {digits(clock / 1e3)} µs"
    )
    return lines


def _collectives_table(collectives: Sequence[CollectiveSummary], steps: int) -> str:
    """Return a table of the ranks that arrived last at each collective, the longest waits first."""
    name = f"collective, over {counted(steps, 'step')}"
    header = (name, "times", "came last", "mean wait ms", "mean transfer ms")
    first = sorted(collectives, key=lambda one: one.mean_wait_ns, reverse=True)
    rows = []
    for one in first[:MOST_COLLECTIVES]:
        times = (milliseconds(one.mean_wait_ns), milliseconds(one.mean_transfer_ns))
        rows.append((_collective_name(one), one.times, _last(one), *times))
    left = len(first) - len(rows)
    more = f"\nand {counted(left, 'collective')} with shorter waits" if left else ""
    return table(header, rows) + more


def _collective_name(one: CollectiveSummary) -> str:
    number = one.bucket if one.bucket is not None else one.block
    return one.kind if number is None else f"{one.kind} {number}"


def _last(one: CollectiveSummary) -> str:
    """Who came last how often, where the clocks are good enough to tell."""
    if not one.certain:
        return "not certain: the wait is within the clocks' error"
    return ", ".join(f"{lane} ({count})" for lane, count in one.last.items())


def injected_lines(faults: Mapping[str, object]) -> list[str]:
    """What was put in on purpose, in a line; none without faults."""
    listed = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in faults.items())
    return [f"faults put in on purpose: {listed}"] if listed else []


def _bubble_line(step: StepSummary) -> str:
    """Return both definitions of the bubble, and the formula if there is one."""
    return bubble_text(step.bubble_by_makespan, step.bubble_by_lane_span, step.closed_form)


def bubble_text(by_makespan: float, by_lane_span: float, form: float | None) -> str:
    """Both definitions of the bubble, and the formula if there is one; all of them fractions."""
    return (
        f"bubble: {_percent(by_makespan)} of the makespan, {_percent(by_lane_span)} of the longest "
        f"lane, {'no closed form' if form is None else f'{_percent(form)} by the closed form'}"
    )


def _waterfall_line(step: StepSummary) -> str:
    """Return the bars from the ideal step to the measured one, in ms."""
    parts = [
        f"{'-' if ns < 0 else '+'} {BAR_WORDS[name]} {milliseconds(abs(ns))}"
        for name, ns in step.ladder.items()
    ]
    # A sum begins without a sign.
    return f"ladder in ms: {' '.join(parts).removeprefix('+ ')} = step"


def _path_line(step: StepSummary) -> str:
    """Return the shares of the critical path, largest first."""
    shares = sorted(step.critical_path.items(), key=lambda pair: -pair[1])
    total = sum(ns for _, ns in shares)
    parts = [f"{_percent(ns / total)} {name}" for name, ns in shares if ns]
    return f"critical path: {', '.join(parts)}"


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.3g} %"


def _lane_row(lane: LaneSummary) -> tuple[object, ...]:
    return (
        lane.name,
        *time_cells(lane.busy_ns, lane.communication_ns, lane.idle_ns),
        size_text(lane.peak_bytes),
        lane.spans,
        _main_cause(lane.idle_by_cause),
    )


def time_cells(busy: float, communication: float, idle: float) -> list[str]:
    """A lane's times in ms, and its idle time as a share of all three."""
    total = busy + communication + idle
    share = f"{100 * idle / total:.1f}" if total else "0.0"
    return [*map(milliseconds, (busy, communication, idle)), share]


def _main_cause(idle_by_cause: Mapping[str, int]) -> str:
    """Return the cause of most of a lane's idle time, with its share of it."""
    if not idle_by_cause:
        return "-"
    cause = max(idle_by_cause, key=lambda name: idle_by_cause[name])
    share = idle_by_cause[cause] / sum(idle_by_cause.values())
    return f"{Cause(cause).label} ({100 * share:.0f} %)"


def _parts(plan: Plan) -> str:
    by_replica = [
        "+".join(str(part.rows) for part in plan.parts if part.replica == replica) or "0"
        for replica in range(plan.replicas)
    ]
    return f"{plan.rows} = {' | '.join(by_replica)}"


def _splits(summary: Summary) -> str:
    distinct = list(dict.fromkeys(summary.splits))
    text = ", then ".join("[" + ",".join(map(str, split)) + "]" for split in distinct)
    if len(summary.microbatch_rows) > 1:
        pieces = ",".join(map(str, summary.microbatch_rows))
        text += f" in {len(summary.microbatch_rows)} micro-batches of {pieces}"
    return text


def _over_lanes(stage: Stage) -> str:
    """In how many parts a stage is divided; the table has the size of one."""
    return f", over {stage.shards} lanes" if stage.shards > 1 else ""


def _grid_text(plan: Plan) -> str:
    rows = [(plan.lanes[i].name, cells) for i, cells in enumerate(grid(plan)) if cells]
    widths = [max(map(len, tick)) for tick in zip(*(cells for _, cells in rows), strict=True)]
    name = max(len(name) for name, _ in rows)
    return "\n".join(
        f"{lane.ljust(name)}  {' '.join(map(str.ljust, cells, widths))}".rstrip()
        for lane, cells in rows
    )


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.6g}"


def faults_text(faults: Sequence[str]) -> str:
    """What a run lacks, in one line; nothing if that is nothing."""
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return faults[0] + more if faults else ""


def verified_text(found: Verified) -> str:
    """The verdict on a verified run."""
    errors = f"gradient error {found.gradient:.2g}, loss error {found.loss:.2g}"
    if found.agrees:
        return f"verified: the run computed what a plain step does ({errors})"
    return (
        f"NOT what a plain step computes: {errors}; rounding makes less than {found.allowed:.1g}. "
        "Is the loss a finite number and a mean over rows, and is nothing drawn at random?"
    )


def comparison_text(comparison: Comparison) -> str:
    """Return the median step's predicted and measured makespan, and each lane's error."""
    step = comparison.median
    measured, predicted = milliseconds(step.makespan_ns), milliseconds(step.predicted_ns)
    lanes = ", ".join(f"{lane.name} {_error(lane.error)}" for lane in step.lanes)
    return (
        f"predicted: {predicted} ms for {measured} ms "
        f"({_error(step.error)}, the median step; busy time {lanes})\n"
        f"costs: {comparison.source}"
    )


def _error(error: float | None) -> str:
    return "unknown" if error is None else f"{100 * error:+.1f} %"
