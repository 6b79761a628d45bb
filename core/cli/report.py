"""Plain-text tables for standard output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, median

from core.explain.causes import Cause
from core.explain.verified import Verified
from core.models.description import ModelDescription
from core.plain import counted, digits, plain, size_text
from core.plan.devices import HOST, Hardware, kind_of
from core.plan.division import Stage
from core.plan.grid import grid
from core.plan.plan import Plan
from core.predict.compare import Comparison
from core.report.summary import CollectiveSummary, LaneSummary, StepSummary, Summary
from core.report.waterfall import BAR_WORDS

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
    kinds = [kind_of(device) for device in hardware.devices]
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
    """What `run` prints: makespan, and for each lane its mean over the measured steps."""
    if not summary.steps:
        return "No measured step was completed."
    spans = [step.makespan_ns for step in summary.steps]
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
    count = counted(len(spans), "measured step")
    lines.append(
        f"step: {milliseconds(median(spans))} ms median of {count}, "
        f"{milliseconds(sum(spans) / len(spans))} mean, {milliseconds(min(spans))} shortest, "
        f"{milliseconds(max(spans))} longest"
    )
    lines.append(f"loss: {_number(summary.steps[0].loss)} to {_number(summary.steps[-1].loss)}")
    clock = max((step.clock_uncertainty_ns or 0 for step in summary.steps), default=0)
    lines.append(f"clock: times are known to {digits(clock / 1e3)} µs")
    whole = [step for step in summary.steps if step.complete]
    if whole:
        lines += [_bubble_line(whole), _waterfall_line(whole), _path_line(whole)]
    # From steps of lanes to lanes of steps: a row of the table is a lane, its cells are means over
    # the steps.
    lanes = [[step.lanes[i] for step in summary.steps] for i in range(len(summary.steps[0].lanes))]
    header = ("lane", "busy ms", "comm ms", "idle ms", "idle %", "peak", "spans", "idle most for")
    tables = [table(header, [_lane_row(lane) for lane in lanes])]
    if summary.collectives:
        tables.append(_collectives_table(summary.collectives))
    return "\n\n".join(["\n".join(lines), *tables])


def _collectives_table(collectives: Sequence[CollectiveSummary]) -> str:
    """Who came last to each collective of ranks, the longest waits first."""
    header = ("collective", "times", "came last", "wait ms", "transfer ms")
    first = sorted(collectives, key=lambda one: one.wait_ns, reverse=True)
    rows = [
        (_collective_name(one), one.times, _last(one), milliseconds(one.wait_ns),
         milliseconds(one.transfer_ns))
        for one in first[:MOST_COLLECTIVES]
    ]  # fmt: skip
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


def _bubble_line(steps: Sequence[StepSummary]) -> str:
    """Both definitions of the bubble, and the formula where there is one, as means."""
    forms = [step.closed_form for step in steps if step.closed_form is not None]
    return bubble_text(
        fmean([step.bubble_by_makespan for step in steps]),
        fmean([step.bubble_by_lane_span for step in steps]),
        fmean(forms) if forms else None,
    )


def bubble_text(by_makespan: float, by_lane_span: float, form: float | None) -> str:
    """Both definitions of the bubble, and the formula if there is one; all of them fractions."""
    return (
        f"bubble: {_percent(by_makespan)} of the makespan, {_percent(by_lane_span)} of the longest "
        f"lane, {'no closed form' if form is None else f'{_percent(form)} by the closed form'}"
    )


def _waterfall_line(steps: Sequence[StepSummary]) -> str:
    """From the ideal step to the measured one, in ms: means of each bar."""
    bars = _means([step.ladder for step in steps])
    parts = [
        f"{'-' if ns < 0 else '+'} {BAR_WORDS[name]} {milliseconds(abs(ns))}" for name, ns in bars
    ]
    # A sum begins without a sign.
    return f"ladder in ms: {' '.join(parts).removeprefix('+ ')} = step"


def _path_line(steps: Sequence[StepSummary]) -> str:
    """What the critical path is made of, largest first."""
    shares = sorted(_means([s.critical_path for s in steps]), key=lambda pair: -pair[1])
    total = sum(ns for _, ns in shares)
    parts = [f"{_percent(ns / total)} {name}" for name, ns in shares if ns]
    return f"critical path: {', '.join(parts)}"


def _means(steps: Sequence[dict[str, int]]) -> list[tuple[str, float]]:
    """The mean of each name over steps; a step without the name counts as 0."""
    names = dict.fromkeys(name for step in steps for name in step)
    return [(name, fmean([step.get(name, 0) for step in steps])) for name in names]


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.3g} %"


def _lane_row(steps: Sequence[LaneSummary]) -> tuple[object, ...]:
    count = len(steps)
    busy = sum(step.busy_ns for step in steps) / count
    communication = sum(step.communication_ns for step in steps) / count
    idle = sum(step.idle_ns for step in steps) / count
    return (
        steps[0].name,
        *time_cells(busy, communication, idle),
        size_text(max(step.peak_bytes for step in steps)),
        sum(step.spans for step in steps),
        _main_cause(steps),
    )


def time_cells(busy: float, communication: float, idle: float) -> list[str]:
    """A lane's times in ms, and its idle time as a share of all three."""
    total = busy + communication + idle
    share = f"{100 * idle / total:.1f}" if total else "0.0"
    return [*map(milliseconds, (busy, communication, idle)), share]


def _main_cause(steps: Sequence[LaneSummary]) -> str:
    """The cause of most of a lane's idle time, with its share of it."""
    totals = dict(_means([step.idle_by_cause for step in steps]))
    if not totals:
        return "-"
    cause = max(totals, key=lambda name: totals[name])
    return f"{Cause(cause).label} ({100 * totals[cause] / sum(totals.values()):.0f} %)"


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
    """The predicted step beside the measured one, and how far each lane's busy time is off."""
    measured, predicted = map(milliseconds, comparison.makespans_ns)
    lanes = ", ".join(f"{lane.name} {_error(lane.error)}" for lane in comparison.lanes)
    return (
        f"predicted: {predicted} ms for {measured} ms "
        f"({_error(comparison.makespan_error)}, medians; busy time {lanes})\n"
        f"costs: {comparison.source}"
    )


def _error(error: float | None) -> str:
    return "unknown" if error is None else f"{100 * error:+.1f} %"
