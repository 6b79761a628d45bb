"""The report on one run: its timeline, and the figures that the window shows for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path

from core.explain.arrivals import Arrivals, sum_by_collective
from core.explain.balance import LaneBalance, lane_balances
from core.explain.causes import CAUSES, Cause
from core.explain.critical import PathShare
from core.plan.plan import Role, rank_names, working_lanes
from core.report.step_figures import StepFigures
from core.report.verdict import verdict
from core.report.waterfall import BAR_WORDS
from core.trace.complete import measured_steps
from core.trace.event_rows import clock_disagreement, clock_uncertainty
from core.trace.median_step import median_step, whole_steps
from core.trace.source import Source
from core.trace.trace import Trace
from gui.app.titles import run_title
from gui.figures.picture import application
from gui.figures.shown import median_range, median_text
from gui.look.causes import BAR_LOOKS, CAUSE_LOOKS, SHARE_LOOKS
from gui.look.core_texts import translated
from gui.look.text import MINUS, bytes_text, duration_text, ntr, percent_text, time_text, tr
from gui.report.page import (
    NOTHING,
    Html,
    Section,
    bar_of,
    facts,
    joined,
    paragraph,
    table,
    write_page,
)
from gui.report.setup import setup_sections
from gui.report.timeline import Excerpt, excerpt_of, timeline
from gui.timeline.interact.describe import kind_title
from gui.timeline.state.measure import signed_text
from gui.timeline.state.scene import Scene, shown_steps, step_name

MOST_TASKS = 400_000  # in all explained steps together
MOST_LAST = 3  # ranks that are named as the last to arrive
MOST_ROWS = 64  # in a table


def write_run_report(trace: Trace, path: Path) -> None:
    """Write a report on a run, finished or not, as one HTML file. Needs no display.

    Raises ValueError, in one line, and leaves no file, if it cannot be written.
    """
    with application():
        scene = Scene(trace)
        sections = [section for section in run_sections(scene) if section is not None]
        write_page(path, run_title(trace), subtitle(trace), sections)


def subtitle(trace: Trace) -> str:
    """Return the run's start, its time range if it is part of a trace, and notes on its timing."""
    parts = [trace.header.started.replace("T", " ").replace("+00:00", " UTC")]
    if trace.part is not None:
        start, end = trace.part
        parts.append(tr("one step: {start} to {end}", start=time_text(start), end=time_text(end)))
    if trace.header.source is Source.PREDICTED:
        parts.append(tr("predicted, not measured"))
    parts.append(translated(trace.header.timing_note))
    return " · ".join(part for part in parts if part)


def run_sections(scene: Scene) -> Iterator[Section | None]:
    """Yield the sections of a report one by one, and None after other pieces of the work."""
    steps = explained_steps(scene)
    figures: dict[int, StepFigures] = {}
    for step in steps:
        figures[step] = scene.explained.figures(step)
        yield None
    if steps:
        yield from _sections(scene, figures)
    elif scene.trace.span_count:
        yield Section(tr("Timeline"), timeline_of_steps(scene, steps))
    yield from setup_sections(scene.trace)


def explained_steps(scene: Scene) -> list[int]:
    """Return the steps of the report: the latest measured steps and the median step, in order.

    There are only as many as can be explained within seconds.
    """
    trace = scene.trace
    live = bool(trace.open_tasks)
    whole = whole_steps(trace, live)
    median = median_step(trace, whole) if whole else None
    kept = set() if median is None else {median}
    tasks = sum(scene.explained.progress(step).tasks for step in kept)
    for step in reversed(shown_steps(trace, live)):
        tasks += scene.explained.progress(step).tasks
        if kept and tasks > MOST_TASKS:
            break
        kept.add(step)
    return sorted(kept)


@dataclass(frozen=True, slots=True)
class _Median:
    """The run's median step, its figures, and its name."""

    step: int
    figures: StepFigures
    name: str

    @classmethod
    def of(cls, trace: Trace, figures: Mapping[int, StepFigures]) -> _Median:
        """Return the median of the steps with `figures`."""
        whole = whole_steps(trace, bool(trace.open_tasks)) or list(figures)
        step = median_step(trace, whole)
        name = median_text(step, len(whole), trace.header.specification.warmup)
        return cls(step, figures[step], name)


def _sections(scene: Scene, figures: Mapping[int, StepFigures]) -> Iterator[Section]:
    trace = scene.trace
    steps = list(figures)
    median = _Median.of(trace, figures)
    lanes = range(len(trace.header.lanes))
    balances = lane_balances(trace, lanes, [median.step])
    found = verdict(trace)
    lead = translated(found.text) if found else _sentence(trace, median.figures)
    name = paragraph(median.name, "note")
    short = _short(trace, figures, median)
    yield Section(tr("In short"), joined(paragraph(lead, "lead"), short))
    yield Section(tr("Timeline"), timeline_of_steps(scene, steps))
    each_lane = _lanes(trace, balances, median.figures)
    yield Section(tr("Lanes"), joined(each_lane, name))
    waterfall = _waterfall(median.figures)
    yield Section(tr("From the ideal step to this one"), joined(waterfall, name))
    idle = _idle(trace, median.figures)
    yield Section(tr("Idle time by cause"), joined(idle, name))
    path = _path(median.figures)
    yield Section(tr("Critical path"), joined(path, name))
    collectives = [figures[step].collectives for step in steps]
    met = sum_by_collective(chain.from_iterable(collectives))
    if met:
        over = paragraph(_over(len(steps)), "note")
        yield Section(tr("Collectives"), joined(_collectives(trace, met), over))
    yield Section(tr("Steps"), _steps(trace, figures))


def _over(steps: int) -> str:
    """Return the note under figures that are totals over several steps."""
    return ntr("Over {n} step.", "Over {n} steps.", steps)


def _short(trace: Trace, figures: Mapping[int, StepFigures], median: _Median) -> Html:
    """Return the key figures of the median step, and the figures of the whole run."""
    spans = [each.makespan_ns for each in figures.values()]
    count = len(spans)
    pairs = [
        (tr("Step"), duration_text(median.figures.makespan_ns)),
        (tr("Figures are of"), median.name),
        (tr("Bubble by makespan"), percent_text(median.figures.bubble_by_makespan)),
        (tr("Bubble by the longest lane"), percent_text(median.figures.bubble_by_lane_span)),
    ]
    if median.figures.closed_form is not None:
        pairs.append((tr("Bubble by the formula"), percent_text(median.figures.closed_form)))
    if count > 1:
        bounds = f"{duration_text(min(spans))}, {duration_text(max(spans))}"
        pairs.append((tr("Shortest and longest of {n} steps", n=count), bounds))
    losses = _losses(trace)
    known = [losses[step] for step in figures if step in losses]
    if known:
        first = known[0]
        last = known[-1]
        pairs.append((tr("Loss, first and last"), f"{first:.6g}, {last:.6g}"))
    clock = clock_uncertainty(trace.clocks)
    if clock:
        pairs.append((tr("Clock known to"), duration_text(clock)))
    errors = trace.counter("gradient_error").values
    if len(errors):
        pairs.append((tr("Gradient error, largest"), f"{float(errors.max()):.2g}"))
    return facts(pairs)


def _sentence(trace: Trace, figures: StepFigures) -> str:
    totals = _totals(trace, figures)
    computing = len(trace.header.compute_lanes)
    idle = sum(totals.values())
    whole = figures.makespan_ns * max(1, computing)
    if not idle:
        return tr("The lanes are never idle.")
    cause = max(totals, key=lambda name: totals[name])
    return tr(
        "The lanes are idle for {share} of the step, most of it ({part}) for: {cause}.",
        share=percent_text(idle / whole) if whole else "",
        part=percent_text(totals[cause] / idle),
        cause=tr(Cause(cause).label),
    )


def timeline_of_steps(scene: Scene, steps: Sequence[int], most_spans: int | None = None) -> Html:
    """Return the timeline of the steps that fit on a page; it opens at the median step.

    `most_spans` fit, by default as many as in `excerpt_of`.
    """
    excerpt = excerpt_of(scene.trace, steps, most_spans)
    shown = median_range(scene.trace)
    words = tr("Timeline of {run}", run=run_title(scene.trace))
    seen = (shown.start, min(shown.end, excerpt.end))
    if shown.start < excerpt.begin:  # the median step does not fit on the page
        seen = scene.trace.step_bounds(excerpt.steps[-1])
    notes = [paragraph(text, "note") for text in _left_out(excerpt, len(steps), shown.end)]
    if scene.counters:
        notes.append(paragraph(tr("The timeline does not show counters."), "note"))
    return joined(timeline(scene, excerpt, seen, words), *notes)


def _left_out(excerpt: Excerpt, steps: int, end: int) -> Iterator[str]:
    """Yield notes on content that the timeline omits."""
    shown = len(excerpt.steps)
    if shown < steps:
        yield tr("The timeline has the last {n} of these {all} steps.", n=shown, all=steps)
    if not steps and excerpt.end < end:
        part = duration_text(excerpt.end - excerpt.begin)
        whole = duration_text(end - excerpt.begin)
        yield tr("The timeline has the first {part} of {all}.", part=part, all=whole)


def _lanes(trace: Trace, balances: Sequence[LaneBalance], figures: StepFigures) -> Html:
    header = (
        tr("lane"),
        tr("device"),
        tr("idle most for"),
        tr("busy"),
        tr("communication"),
        tr("idle"),
        tr("idle share"),
        tr("peak memory"),
    )
    rows = []
    lanes = working_lanes(trace.header.lanes)
    # `balances` and `idle_by_cause` have an entry for every lane. `lanes` lacks the nested lanes,
    # which are the last ones.
    shown = zip(lanes[:MOST_ROWS], balances, figures.idle_by_cause, strict=False)
    for lane, balance, idle in shown:
        time = balance.time
        cause = max(idle, key=lambda name: idle[name], default="")
        row = (
            lane.name,
            lane.device,
            tr(Cause(cause).label) if cause else "–",
            duration_text(time.busy_ns),
            duration_text(time.communication_ns),
            duration_text(time.idle_ns),
            percent_text(time.idle_fraction),
            bytes_text(balance.peak_bytes) if balance.peak_bytes else "–",
        )
        rows.append(row)
    return joined(table(header, rows, 3), _more(len(lanes)))


def _waterfall(figures: StepFigures) -> Html:
    """Return a waterfall: each bar begins where the previous one ends, scaled to the highest."""
    whole = figures.makespan_ns or 1
    level = 0
    rows = []
    highest = max([*accumulate(figures.ladder.values()), 1])
    for name, ns in figures.ladder.items():
        # A bar that takes time away reaches from its new level up to the old one.
        low = max(0, min(level, level + ns))
        part = (BAR_LOOKS[name].colour, abs(ns) / highest)
        bar = bar_of([part], low / highest)
        share = percent_text(ns / whole).replace("-", MINUS)
        rows.append((tr(BAR_WORDS[name]), signed_text(ns), share, bar))
        level += ns
    bar = bar_of([("text", level / highest)])
    rows.append((tr("the step"), duration_text(level), percent_text(1.0), bar))
    return table((tr("because of"), tr("time"), tr("share"), ""), rows, bar=True)


def _idle(trace: Trace, figures: StepFigures) -> Html:
    """Return a table of the causes of all compute lanes together, then a table by lane."""
    totals = _totals(trace, figures)
    if not totals:
        return paragraph(tr("The lanes are never idle."))
    causes = [cause for cause in CAUSES if cause in totals]
    lanes = []
    for lane, own in zip(trace.header.lanes, figures.idle_by_cause, strict=True):
        if lane.role is Role.COMPUTE:
            row = [lane.name]
            for cause in causes:
                row.append(duration_text(own[cause]) if own.get(cause) else "–")
            lanes.append(row)
    parts = [(cause.label, totals[cause], CAUSE_LOOKS[cause].colour) for cause in causes]
    first = _shares((tr("cause"), tr("all lanes"), tr("of the idle time"), ""), parts)
    names = [tr(cause.label) for cause in causes]
    each = table((tr("lane"), *names), lanes[:MOST_ROWS])
    return joined(first, each, _more(len(lanes)))


def _path(figures: StepFigures) -> Html:
    shares = ((share, figures.critical_path.get(share, 0)) for share in PathShare)
    parts = [(share.value, ns, SHARE_LOOKS[share].colour) for share, ns in shares if ns]
    return _shares((tr("what"), tr("time"), tr("share"), ""), parts)


def _shares(header: Sequence[str], parts: Sequence[tuple[str, int, str]]) -> Html:
    """Return a table of the parts of a whole, each given as name, ns, and a field of Theme."""
    whole = sum(ns for _, ns, _ in parts)
    rows = []
    for name, ns, colour in parts:
        share = ns / whole
        bar = bar_of([(colour, share)])
        rows.append((tr(name), duration_text(ns), percent_text(share), bar))
    return table(header, rows, bar=True)


def _collectives(trace: Trace, met: Sequence[Arrivals]) -> Html:
    """Return a table of collectives: the last to arrive, the waiting time, the transfer time."""
    names = rank_names(trace.header.lanes)
    disagreement = clock_disagreement(trace.clocks)
    rows = []
    for one in sorted(met, key=lambda one: -one.wait_ns)[:MOST_ROWS]:
        number = one.bucket if one.bucket is not None else one.block
        title = kind_title(one.kind)
        if number is not None:
            title = f"{title} {number}"
        last = []
        if one.wait_ns >= disagreement * one.times:
            last = [f"{names[lane]} {times}" for lane, times in one.last[:MOST_LAST]]
        row = (
            title,
            ", ".join(last) or tr("not certain"),
            str(one.times),
            duration_text(one.wait_ns / one.times),
            duration_text(one.transfer_ns / one.times),
        )
        rows.append(row)
    header = (
        tr("collective"),
        tr("last to come, how often"),
        tr("meetings"),
        tr("from first to last"),
        tr("data moves"),
    )
    return table(header, rows, 2)


def _steps(trace: Trace, figures: Mapping[int, StepFigures]) -> Html:
    losses = _losses(trace)
    warmup = trace.header.specification.warmup
    longest = max(each.makespan_ns for each in figures.values()) or 1
    rows = []
    for step, each in figures.items():
        loss = f"{losses[step]:.6g}" if step in losses else "–"
        bar = bar_of([("accent", each.makespan_ns / longest)])
        makespan = each.makespan_ns
        bubble = each.bubble_by_makespan
        name = step_name(step, warmup)
        rows.append((name, duration_text(makespan), percent_text(bubble), loss, bar))
    header = (tr("step"), tr("makespan"), tr("bubble"), tr("loss"), "")
    measured = len(measured_steps(trace))
    note = NOTHING
    if measured > len(figures):
        text = tr(
            "The report has {n} of {all} measured steps: the median one and the last ones.",
            n=len(figures),
            all=measured,
        )
        note = paragraph(text, "note")
    return joined(table(header, rows, bar=True), note)


def _losses(trace: Trace) -> dict[int, float]:
    counter = trace.counter("loss")
    return dict(zip(counter.steps.tolist(), counter.values.tolist(), strict=True))


def _totals(trace: Trace, figures: StepFigures) -> dict[str, int]:
    """Return the idle ns of the compute lanes by cause, for the causes that occur."""
    totals: Counter[str] = Counter()
    for lane, idle in zip(trace.header.lanes, figures.idle_by_cause, strict=True):
        if lane.role is Role.COMPUTE:
            totals.update(idle)
    return totals


def _more(count: int) -> Html:
    if count <= MOST_ROWS:
        return NOTHING
    return paragraph(tr("{n} further lanes are not listed.", n=count - MOST_ROWS), "note")
