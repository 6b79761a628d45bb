"""The statistics of a range as tables, for the panel, CSV and Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.explain.causes import Cause
from core.explain.lanes import LaneTime
from core.explain.name_statistics import NameStatistics, Outlier
from core.explain.percentiles import Histogram
from core.explain.range_causes import IdleCauses
from core.explain.statistics import RangeStatistics, SpanFigures
from core.plain import cell
from core.trace.complete import measured_steps
from core.trace.trace import Trace
from gui.look.text import NONE, duration_text, ntr, percent_text, time_text, tr
from gui.timeline.interact.describe import kind_title, span_title
from gui.timeline.state.scene import name_of_step, shown_steps
from gui.timeline.state.selection import TimeRange
from gui.widgets.tables import Head


@dataclass(frozen=True, slots=True)
class Table:
    """Texts of a table; `sums` is the row with the totals, None without one."""

    title: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[str, ...], ...]
    sums: int | None = None


def headline(counted: RangeStatistics) -> str:
    """Return the length and the start of the range."""
    return tr(
        "{length} from {start} since the run's start",
        length=duration_text(counted.wall_ns),
        start=time_text(counted.start),
    )


def steps_range(trace: Trace, live: bool) -> TimeRange | None:
    """Return the range of all measured steps, or of a live run's latest steps.

    Returns None while there is no step.
    """
    steps = measured_steps(trace) or trace.steps
    if live:
        steps = shown_steps(trace, live)
    if not steps:
        return None
    start, _ = trace.step_bounds(steps[0])
    _, end = trace.step_bounds(steps[-1])
    return TimeRange(start, end)


def steps_headline(trace: Trace, counted: RangeStatistics) -> str:
    """Return the names of the first and the last counted step, and the length of the range."""
    # The end of a range is exclusive, and may be the start of the next step.
    first = trace.step_table.at(counted.start)
    last = trace.step_table.at(counted.end - 1)
    if first is None or last is None:
        return headline(counted)
    return tr(
        "From {first} to {last}: {length}",
        first=name_of_step(trace, first),
        last=name_of_step(trace, last),
        length=duration_text(counted.wall_ns),
    )


def lane_table(trace: Trace, counted: RangeStatistics, causes: IdleCauses) -> Table:
    """Return busy, communication and idle time of every lane, and the idle time by cause."""
    present = causes.present
    unknown = any(causes.rest.values())
    heads = [
        Head(tr("Lane"), numeric=False),
        Head(tr("Busy"), tr("Time in which the lane computes.")),
        Head(tr("Communication"), tr("Time in which the lane communicates and does not compute.")),
        Head(tr("Idle"), tr("Time in which the lane does neither.")),
        Head(tr("Idle share"), tr("Idle time as a share of the range.")),
        Head(tr("Spans"), tr("Spans that lie wholly or partly in the range.")),
    ]
    for cause in present:
        heads.append(Head(tr(cause.label).capitalize(), tr(cause.sentence)))
    if unknown:
        tip = tr("Idle time in steps whose causes were not worked out.")
        heads.append(Head(tr("Not explained"), tip))
    lanes = trace.header.lanes
    rows = []
    for lane, time in counted.lanes.items():
        words = [lanes[lane].name]
        words += _time_words(time)
        words += _cause_words(causes.by_lane[lane], present)
        if unknown:
            words.append(duration_text(causes.rest[lane]))
        rows.append(tuple(words))
    compute_lanes = [lane.index for lane in trace.header.compute_lanes]
    computing = [lane for lane in compute_lanes if lane in counted.lanes]
    if len(computing) < 2:
        return Table(tr("Lanes"), tuple(heads), tuple(rows))
    times_together = _together(counted, computing)
    causes_together = _causes_together(causes, computing)
    words = [tr("All compute lanes")]
    words += _time_words(times_together)
    words += _cause_words(causes_together, present)
    if unknown:
        not_explained = sum(causes.rest[lane] for lane in computing)
        words.append(duration_text(not_explained))
    # At the top, so that it is visible even with many lanes.
    rows.insert(0, tuple(words))
    return Table(tr("Lanes"), tuple(heads), tuple(rows), sums=0)


def _together(counted: RangeStatistics, lanes: Sequence[int]) -> LaneTime:
    """Return the sums of several lanes' times."""
    times = [counted.lanes[lane] for lane in lanes]
    return LaneTime(
        busy_ns=sum(time.busy_ns for time in times),
        communication_ns=sum(time.communication_ns for time in times),
        idle_ns=sum(time.idle_ns for time in times),
        spans=sum(time.spans for time in times),
    )


def _causes_together(causes: IdleCauses, lanes: Sequence[int]) -> dict[Cause, int]:
    """Return the sums of several lanes' idle times by cause."""
    sums: dict[Cause, int] = {}
    for lane in lanes:
        for cause, time in causes.by_lane[lane].items():
            sums[cause] = sums.get(cause, 0) + time
    return sums


def kind_table(counted: RangeStatistics) -> Table:
    """Return count, total and durations of every kind of span."""
    rows = []
    for own in counted.kinds:
        title = kind_title(own.kind)
        rows.append(_size_words(title, own))
    heads = _size_heads(tr("Kind"), counted)
    return Table(tr("Kinds"), heads, tuple(rows))


def name_table(counted: RangeStatistics, by_name: NameStatistics | None) -> Table:
    """Return the table of names, the names with the most time first."""
    names = () if by_name is None else by_name.names
    rows = [_size_words(own.label, own) for own in names]
    heads = _size_heads(tr("Name"), counted)
    return Table(tr("Names"), heads, tuple(rows))


def outlier_table(trace: Trace, outliers: Sequence[Outlier]) -> Table:
    """Return the spans that took far longer than similar spans."""
    tip = tr("A span far longer than other spans of its kind and part of the model on its lane.")
    heads = (
        Head(tr("Outlier"), tip, numeric=False),
        Head(tr("Lane")),
        Head(tr("Step")),
        Head(tr("Duration")),
        Head(tr("Usual"), tr("The median of the other spans.")),
        Head(tr("Times usual"), tr("Its duration divided by the usual duration.")),
    )
    rows = []
    for one in outliers:
        span = trace.span(one.lane, one.index)
        times_usual = one.duration / max(1, one.usual)
        row = (
            span_title(span),
            trace.header.lanes[one.lane].name,
            name_of_step(trace, span.step),
            duration_text(one.duration),
            duration_text(one.usual),
            f"{times_usual:.1f}",
        )
        rows.append(row)
    return Table(tr("Outliers"), heads, tuple(rows))


def _size_heads(first: str, counted: RangeStatistics) -> tuple[Head, ...]:
    """Return the header of a table of durations.

    If the range cuts spans, the titles say that the durations are of whole spans.
    """
    sizes = (tr("Mean"), tr("p50"), tr("p99"), tr("Max"))
    if counted.cut:
        sizes = (tr("Whole mean"), tr("Whole p50"), tr("Whole p99"), tr("Whole max"))
    tips = (
        tr("The mean duration of whole spans."),
        tr("Half of the whole spans are no longer than this."),
        tr("Of the whole spans, 99 % are no longer than this."),
        tr("The duration of the longest span."),
    )
    return (
        Head(first, numeric=False),
        Head(tr("Count"), tr("Spans that lie wholly or partly in the range.")),
        Head(tr("In range"), tr("The sum of their parts in the range.")),
        *map(Head, sizes, tips),
    )


def _size_words(title: str, own: SpanFigures) -> tuple[str, ...]:
    return (
        title,
        f"{own.count:,}",
        duration_text(own.inside),
        duration_text(own.mean),
        duration_text(own.p50),
        duration_text(own.p99),
        duration_text(own.longest),
    )


def notes(
    trace: Trace,
    counted: RangeStatistics,
    causes: IdleCauses,
    by_name: NameStatistics | None,
    live: bool,
) -> Iterator[str]:
    """Yield the notes that are needed to understand the figures; `live` if the trace grows."""
    if by_name is None:
        yield tr("Too many spans to list names and outliers: select a shorter range.")
    elif by_name.name_count > len(by_name.names):
        yield tr(
            "Of {all} names, the {shown} with the most time are listed.",
            all=f"{by_name.name_count:,}",
            shown=f"{len(by_name.names):,}",
        )
    if by_name is not None and by_name.outlier_count > len(by_name.outliers):
        yield tr(
            "Of {all} outliers, the {shown} that lost the most time are listed.",
            all=f"{by_name.outlier_count:,}",
            shown=f"{len(by_name.outliers):,}",
        )
    open_count = 0
    for task in trace.open_tasks:
        if task.lane in counted.lanes and task.start < counted.end:
            open_count += 1
    if open_count and live:
        yield ntr(
            "{n} task still runs and is not counted.",
            "{n} tasks still run and are not counted.",
            open_count,
        )
    elif open_count:
        yield ntr(
            "{n} task did not end and is not counted.",
            "{n} tasks did not end and are not counted.",
            open_count,
        )
    if causes.explained < causes.steps:
        yield tr(
            "Causes of {explained} of {steps} steps.",
            explained=f"{causes.explained:,}",
            steps=f"{causes.steps:,}",
        )
    if counted.cut:
        words = ntr("{n} span is cut", "{n} spans are cut", counted.cut)
        yield tr(
            "{cut} by the range: times include only their parts inside; counts, means, "
            "percentiles, maxima and the histogram include them whole.",
            cut=words,
        )


def as_markdown(title: str, tables: Sequence[Table], lines: Iterable[str]) -> str:
    """Return tables in GitHub's Markdown, with numbers aligned right, and `lines` below them."""
    parts = [f"**{_escaped(title)}**"]
    for table in tables:
        numeric_columns = len(table.heads) - 1
        rule = ["---"] + ["---:"] * numeric_columns
        titles = [head.title for head in table.heads]
        lines_of_table = []
        for row in (titles, rule, *table.rows):
            cells = " | ".join(map(_escaped, row))
            lines_of_table.append(f"| {cells} |")
        parts.append("\n".join(lines_of_table))
    parts += map(_escaped, lines)
    return "\n\n".join(parts) + "\n"


def as_csv(
    trace: Trace,
    counted: RangeStatistics,
    causes: IdleCauses,
    by_name: NameStatistics | None,
    bins: Histogram,
) -> str:
    """Return the statistics of a range as CSV (RFC 4180), with times in ns.

    The sections are the range, lanes, kinds, the histogram, names and outliers. Each section has
    its own header; an empty line separates sections. Steps are counted from 0, with the warm-up.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    present = causes.present
    writer.writerow(["start_ns", "end_ns", "wall_ns", "steps", "explained_steps", "cut_spans"])
    writer.writerow(
        [
            counted.start,
            counted.end,
            counted.wall_ns,
            causes.steps,
            causes.explained,
            counted.cut,
        ]
    )
    writer.writerow([])
    reasons = [f"{cause}_ns" for cause in present]
    writer.writerow([*_LANE_HEADS, *reasons, "not_explained_ns"])
    for lane, time in counted.lanes.items():
        by_cause = [causes.by_lane[lane].get(cause, 0) for cause in present]
        # A name from a file that begins with = would be a formula to a spreadsheet.
        name = cell(trace.header.lanes[lane].name)
        writer.writerow([name, *_numbers(time), *by_cause, causes.rest[lane]])
    no_causes = [""] * (len(present) + 1)
    writer.writerow(["any lane", *_numbers(counted.any_lane), *no_causes])
    writer.writerow([])
    writer.writerow(["kind", *_SIZE_HEADS])
    for kind in counted.kinds:
        writer.writerow([str(kind.kind), *_sizes(kind)])
    writer.writerow([])
    writer.writerow(["from_ns", "below_ns", "spans"])
    bounds = pairwise(bins.edges)
    for (first, last), count in zip(bounds, bins.counts, strict=True):
        writer.writerow([float(first), float(last), int(count)])
    names = () if by_name is None else by_name.names
    writer.writerow([])
    writer.writerow(["name", *_SIZE_HEADS])
    for own in names:
        writer.writerow([cell(own.label), *_sizes(own)])
    outliers = () if by_name is None else by_name.outliers
    writer.writerow([])
    writer.writerow(["outlier", "lane", "step", "duration_ns", "usual_ns"])
    for one in outliers:
        span = trace.span(one.lane, one.index)
        lane_name = cell(trace.header.lanes[one.lane].name)
        writer.writerow([cell(span.label), lane_name, span.step, one.duration, one.usual])
    return out.getvalue()


_LANE_HEADS = ("lane", "busy_ns", "communication_ns", "idle_ns", "idle_share", "spans")
_SIZE_HEADS = ("count", "total_ns", "mean_ns", "p50_ns", "p99_ns", "max_ns")


def _sizes(own: SpanFigures) -> tuple[float, ...]:
    return (own.count, own.inside, own.mean, own.p50, own.p99, own.longest)


def _numbers(time: LaneTime) -> tuple[float, ...]:
    return (
        time.busy_ns,
        time.communication_ns,
        time.idle_ns,
        round(time.idle_fraction, 6),
        time.spans,
    )


def _time_words(time: LaneTime) -> tuple[str, ...]:
    return (
        duration_text(time.busy_ns),
        duration_text(time.communication_ns),
        duration_text(time.idle_ns),
        percent_text(time.idle_fraction),
        f"{time.spans:,}",
    )


def _cause_words(own: dict[Cause, int], present: Sequence[Cause]) -> list[str]:
    words = []
    for cause in present:
        time = own.get(cause)
        words.append(NONE if time is None else duration_text(time))
    return words


def _escaped(text: str) -> str:
    # Backslashes first, or the backslashes added before bars would be doubled.
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
