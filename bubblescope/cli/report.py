"""Plain-text tables and summaries for standard output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from core.counts import lanes_text, steps_text
from core.explain.causes import Cause
from core.message import counted
from core.plain import digits, duration_text, duration_unit, plain, size_text
from core.plan.devices import HOST, Hardware, device_kind
from core.predict.compare import Comparison
from core.report.summary import CollectiveSummary, LaneSummary, StepSummary, Summary
from core.report.waterfall import BAR_WORDS

MOST_COLLECTIVES = 12
"""Largest number of collectives in a table."""


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return an aligned table, with a line for the header and one for each row.

    A column is right-aligned if any of its cells begins with a digit, and left-aligned otherwise.
    """
    texts: list[list[str]] = []
    for row in rows:
        texts.append([plain(str(cell)) for cell in row])
    columns = []
    for name, *cells in zip(header, *texts, strict=True):
        columns.append(_aligned(name, cells))
    lines = []
    for padded in zip(*columns, strict=True):
        line = "  ".join(padded)
        lines.append(line.rstrip())
    return "\n".join(lines)


def _aligned(name: str, cells: Sequence[str]) -> list[str]:
    """Return the header and the cells of a column, padded to equal width."""
    column = [name, *cells]
    width = max(map(len, column))
    is_numeric = any(cell[:1].isdigit() for cell in cells)
    if is_numeric:
        return [text.rjust(width) for text in column]
    return [text.ljust(width) for text in column]


def milliseconds(ns: float) -> str:
    """Format nanoseconds as milliseconds with three significant digits."""
    return digits(ns / 1e6)


def devices_text(hardware: Hardware) -> str:
    """Return the table that `devices` prints."""
    cores = f"{hardware.cores} cores"
    memory = size_text(hardware.memory)
    host = device_kind(HOST.name)
    lanes = f"2x{HOST.name}"
    rows = [(HOST.name, cores, memory, lanes, host.title, host.abilities)]
    for found in hardware.accelerators:
        name = found.device
        kind = device_kind(name)
        memory = size_text(found.memory) if found.memory else "unknown"
        rows.append((name, found.name, memory, name, kind.title, kind.abilities))
    header = ("device", "name", "memory", "as lanes", "kind", "abilities")
    text = table(header, rows)
    if not hardware.accelerators:
        text += "\nThere is no accelerator: runs use CPU lanes."
    return text


def summary_text(summary: Summary) -> str:
    """Return the text that `run` prints: the median step, its lanes and collectives."""
    if not summary.steps:
        return "No measured step was completed."
    name = summary.model
    if summary.strategy:
        schedule = f" {summary.schedule}" if summary.schedule else ""
        name = f"{summary.strategy}{schedule} of {summary.model}"
    lanes = lanes_text(len(summary.devices))
    lines = [f"{plain(name)} on {lanes}"]
    lines += injected_lines(summary.injected_faults)
    verdict = summary.verdict
    if verdict is not None:
        lines.append(f"verdict: {verdict.text}")
        if verdict.uneven_text is not None:
            lines.append(f"uneven work: {verdict.uneven_text}")
    if summary.timing_note:
        including = ": times include the sharing" if summary.sharing else ""
        lines.append(f"{summary.timing_note}{including}")
    lines.append(f"rows: {_splits(summary)}")
    lines += _steps_lines(summary)
    step = summary.median
    if step.complete:
        lines.append(_bubble_line(step))
        lines.append(_waterfall_line(step))
        lines.append(_path_line(step))
    header = (
        "lane",
        "busy ms",
        "comm ms",
        "idle ms",
        "idle %",
        "peak",
        "spans",
        "main cause of idle time",
    )
    rows = [_lane_row(lane) for lane in step.lanes]
    blocks = ["\n".join(lines)]
    blocks.append(table(header, rows))
    collectives = summary.collectives_over_steps
    if collectives:
        blocks.append(_collectives_table(collectives, len(summary.steps)))
    return "\n\n".join(blocks)


def _steps_lines(summary: Summary) -> list[str]:
    """Return the lines about the median step and about all measured steps."""
    steps = summary.steps
    median = summary.median
    if len(steps) == 1:
        which = "1 measured step"
    else:
        which = f"step {median.number}, the median of {len(steps)}"
    makespans = [step.makespan_ns for step in steps]
    unit_ns, unit = duration_unit(median.makespan_ns)
    mean = digits(fmean(makespans) / unit_ns)
    shortest = digits(min(makespans) / unit_ns)
    longest = digits(max(makespans) / unit_ns)
    lengths = f"{mean} {unit} mean, {shortest} shortest, {longest} longest"
    first_loss = _number(steps[0].loss)
    last_loss = _number(steps[-1].loss)
    losses = f"loss {first_loss} to {last_loss}"
    uncertainty_ns = max(step.clock_uncertainty_ns or 0 for step in steps)
    uncertainty = digits(uncertainty_ns / 1e3)
    makespan = duration_text(median.makespan_ns)
    count = steps_text(len(steps))
    return [
        f"step: {makespan} ({which})",
        f"over {count}: {lengths}; {losses}; times known to {uncertainty} µs",
    ]


def _collectives_table(collectives: Sequence[CollectiveSummary], steps: int) -> str:
    """Return a table of collectives with the ranks that arrived last, longest wait first."""
    name = f"collective, over {steps_text(steps)}"
    header = (name, "times", "arrived last", "mean wait ms", "mean transfer ms")
    longest_first = sorted(collectives, key=lambda one: one.mean_wait_ns, reverse=True)
    rows = []
    for one in longest_first[:MOST_COLLECTIVES]:
        row = (
            _collective_name(one),
            one.times,
            _last_text(one),
            milliseconds(one.mean_wait_ns),
            milliseconds(one.mean_transfer_ns),
        )
        rows.append(row)
    text = table(header, rows)
    omitted = len(longest_first) - len(rows)
    if omitted:
        others = counted("{n:,} collective", "{n:,} collectives", omitted)
        text += f"\nand {others} with shorter waits"
    return text


def _collective_name(one: CollectiveSummary) -> str:
    number = one.block
    if one.bucket is not None:
        number = one.bucket
    return one.kind if number is None else f"{one.kind} {number}"


def _last_text(one: CollectiveSummary) -> str:
    """Return how often each rank arrived last, or why that is not certain."""
    if not one.certain:
        return "not certain: the wait is within the clocks' error"
    if not one.last:
        return "not certain: several at once, within the clocks' error"
    words = [f"{lane} ({count})" for lane, count in one.last.items()]
    return ", ".join(words)


def injected_lines(faults: Mapping[str, object]) -> list[str]:
    """Return a line that lists the injected faults; no line if there are none."""
    if not faults:
        return []
    words = []
    for name, value in faults.items():
        option = name.replace("_", " ")
        words.append(f"{option} {value}")
    listed = ", ".join(words)
    return [f"injected faults: {listed}"]


def _bubble_line(step: StepSummary) -> str:
    """Return the bubble of a step by both definitions and by the formula, if there is one."""
    return bubble_text(step.bubble_by_makespan, step.bubble_by_lane_span, step.closed_form)


def bubble_text(by_makespan: float, by_lane_span: float, form: float | None) -> str:
    """Return the bubble by both definitions and by the closed form, given as fractions."""
    of_makespan = f"{_percent(by_makespan)} of the makespan"
    of_lane = f"{_percent(by_lane_span)} of the longest lane"
    closed_form = "no closed form"
    if form is not None:
        closed_form = f"{_percent(form)} by the closed form"
    return f"bubble: {of_makespan}, {of_lane}, {closed_form}"


def _waterfall_line(step: StepSummary) -> str:
    """Return the bars from the ideal step to the measured one, in ms."""
    parts = []
    for name, ns in step.ladder.items():
        sign = "-" if ns < 0 else "+"
        length = milliseconds(abs(ns))
        parts.append(f"{sign} {BAR_WORDS[name]} {length}")
    total = " ".join(parts).removeprefix("+ ")
    return f"waterfall in ms: {total} = step"


def _path_line(step: StepSummary) -> str:
    """Return the shares of the critical path, largest first."""
    shares = sorted(step.critical_path.items(), key=lambda pair: -pair[1])
    total = sum(ns for _, ns in shares)
    parts = []
    for name, ns in shares:
        if ns:
            percent = _percent(ns / total)
            parts.append(f"{percent} {name}")
    path = ", ".join(parts)
    return f"critical path: {path}"


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.3g} %"


def _lane_row(lane: LaneSummary) -> tuple[object, ...]:
    times = time_cells(lane.busy_ns, lane.communication_ns, lane.idle_ns)
    return (
        lane.name,
        *times,
        size_text(lane.peak_bytes),
        lane.spans,
        _main_cause(lane.idle_by_cause),
    )


def time_cells(busy: float, communication: float, idle: float) -> list[str]:
    """Return a lane's times in ms, and its idle time in percent of their sum."""
    total = busy + communication + idle
    percent = 100 * idle / total if total else 0.0
    return [
        milliseconds(busy),
        milliseconds(communication),
        milliseconds(idle),
        f"{percent:.1f}",
    ]


def _main_cause(idle_by_cause: Mapping[str, int]) -> str:
    """Return the cause of most of a lane's idle time, with its share of it."""
    if not idle_by_cause:
        return "-"
    cause = max(idle_by_cause, key=lambda name: idle_by_cause[name])
    idle = sum(idle_by_cause.values())
    share = idle_by_cause[cause] / idle
    label = Cause(cause).label
    return f"{label} ({100 * share:.0f} %)"


def _splits(summary: Summary) -> str:
    texts = []
    for split in dict.fromkeys(summary.splits):
        rows = ",".join(map(str, split))
        texts.append(f"[{rows}]")
    text = ", then ".join(texts)
    microbatches = summary.microbatch_rows
    if len(microbatches) > 1:
        rows = ",".join(map(str, microbatches))
        text += f" in {len(microbatches)} micro-batches of {rows}"
    return text


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.6g}"


def incomplete_text(faults: Sequence[str]) -> str:
    """Return the first reason why a recording is incomplete, and the number of others, or ""."""
    if not faults:
        return ""
    first, *others = faults
    if not others:
        return first
    return f"{first} (and {len(others)} more)"


def comparison_text(comparison: Comparison) -> str:
    """Return the predicted and measured makespan of the median step, and each lane's error."""
    step = comparison.median
    measured = duration_text(step.makespan_ns)
    predicted = duration_text(step.predicted_ns, like=step.makespan_ns)
    error = _error(step.error)
    errors = []
    for lane in step.lanes:
        errors.append(f"{lane.name} {_error(lane.error)}")
    of_lanes = ", ".join(errors)
    about = f"{error}, the median step; busy time {of_lanes}"
    lines = [
        f"predicted: {predicted} for {measured} ({about})",
        f"costs: {comparison.source}",
    ]
    return "\n".join(lines)


def _error(error: float | None) -> str:
    if error is None:
        return "unknown"
    return f"{100 * error:+.1f} %"
