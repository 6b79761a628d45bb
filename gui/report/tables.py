"""Tables of the report on a run: key figures, lanes, waterfall, idle time, collectives, steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate

from core.explain.arrivals import Arrivals
from core.explain.balance import LaneBalance
from core.explain.causes import CAUSES, Cause
from core.explain.critical import PathShare
from core.plan.plan import Role, rank_names, working_lanes
from core.report.step_figures import StepFigures
from core.report.waterfall import BAR_WORDS
from core.trace.complete import measured_steps
from core.trace.event_rows import clock_disagreement, clock_uncertainty
from core.trace.trace import Trace
from gui.look.causes import BAR_LOOKS, CAUSE_LOOKS, SHARE_LOOKS
from gui.look.text import MINUS, NONE, bytes_text, duration_text, ntr, percent_text, tr
from gui.report.page import NOTHING, Html, bar_of, facts, joined, paragraph, table
from gui.timeline.interact.describe import kind_title
from gui.timeline.state.measure import signed_text
from gui.timeline.state.scene import name_of_step

MOST_LAST = 3  # ranks listed as the last to arrive
MOST_ROWS = 64  # of a table


def key_figures(
    trace: Trace, figures: Mapping[int, StepFigures], median: StepFigures, name: str
) -> Html:
    """Return the key figures of the `median` step, called `name`, and of the whole run."""
    spans = [each.makespan_ns for each in figures.values()]
    count = len(spans)
    pairs = [
        (tr("Step"), duration_text(median.makespan_ns)),
        (tr("Step described"), name),
        (tr("Bubble by makespan"), percent_text(median.bubble_by_makespan)),
        (tr("Bubble by the longest lane"), percent_text(median.bubble_by_lane_span)),
    ]
    if median.closed_form is not None:
        pairs.append((tr("Bubble by the formula"), percent_text(median.closed_form)))
    if count > 1:
        shortest = duration_text(min(spans))
        longest = duration_text(max(spans))
        title = tr("Shortest and longest of {n} steps", n=count)
        pairs.append((title, f"{shortest}, {longest}"))
    losses = _losses(trace)
    known = [losses[step] for step in figures if step in losses]
    if known:
        first = f"{known[0]:.6g}"
        last = f"{known[-1]:.6g}"
        pairs.append((tr("Loss, first and last"), f"{first}, {last}"))
    clock = clock_uncertainty(trace.clocks)
    if clock:
        pairs.append((tr("Clock uncertainty"), duration_text(clock)))
    errors = trace.counter("gradient_error").values
    if len(errors):
        largest = float(errors.max())
        pairs.append((tr("Gradient error, largest"), f"{largest:.2g}"))
    return facts(pairs)


def idle_sentence(trace: Trace, figures: StepFigures) -> str:
    """Return the idle share of a step's compute lanes, and its largest cause."""
    totals = _totals(trace, figures)
    idle = sum(totals.values())
    if not idle:
        return tr("The lanes are never idle.")
    computing = len(trace.header.compute_lanes)
    whole = figures.makespan_ns * max(1, computing)
    share = ""
    if whole:
        share = percent_text(idle / whole)
    largest = max(totals, key=lambda name: totals[name])
    part = percent_text(totals[largest] / idle)
    cause = Cause(largest)
    return tr(
        "The lanes are idle for {share} of the step; the largest cause is {cause} ({part}).",
        share=share,
        part=part,
        cause=tr(cause.label),
    )


def lanes_table(trace: Trace, balances: Sequence[LaneBalance], figures: StepFigures) -> Html:
    """Return a table of each lane's time, memory and largest cause of idle time in a step."""
    header = (
        tr("lane"),
        tr("device"),
        tr("main cause of idle time"),
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
        cause = NONE
        if idle:
            largest = max(idle, key=lambda name: idle[name])
            cause = tr(Cause(largest).label)
        peak = NONE
        if balance.peak_bytes:
            peak = bytes_text(balance.peak_bytes)
        row = (
            lane.name,
            lane.device,
            cause,
            duration_text(time.busy_ns),
            duration_text(time.communication_ns),
            duration_text(time.idle_ns),
            percent_text(time.idle_fraction),
            peak,
        )
        rows.append(row)
    lanes_shown = table(header, rows, 3)
    return joined(lanes_shown, _more(len(lanes)))


def waterfall_table(figures: StepFigures) -> Html:
    """Return a waterfall: each bar begins where the last one ends, scaled to the highest level."""
    whole = figures.makespan_ns or 1
    levels = accumulate(figures.ladder.values())
    highest = max([*levels, 1])
    level = 0
    rows = []
    for name, ns in figures.ladder.items():
        # A negative bar reaches from its new level up to the old one.
        new_level = level + ns
        low = max(0, min(level, new_level))
        colour = BAR_LOOKS[name].colour
        length = abs(ns) / highest
        bar = bar_of([(colour, length)], low / highest)
        because = tr(BAR_WORDS[name])
        share = percent_text(ns / whole).replace("-", MINUS)
        rows.append((because, signed_text(ns), share, bar))
        level = new_level
    bar = bar_of([("text", level / highest)])
    rows.append((tr("the step"), duration_text(level), percent_text(1.0), bar))
    header = (tr("because of"), tr("time"), tr("share"), "")
    return table(header, rows, bar=True)


def idle_tables(trace: Trace, figures: StepFigures) -> Html:
    """Return a table of idle time by cause for all compute lanes together, then one by lane."""
    totals = _totals(trace, figures)
    if not totals:
        return paragraph(tr("The lanes are never idle."))
    causes = [cause for cause in CAUSES if cause in totals]
    lanes = []
    for lane, idle in zip(trace.header.lanes, figures.idle_by_cause, strict=True):
        if lane.role is not Role.COMPUTE:
            continue
        row = [lane.name]
        for cause in causes:
            ns = idle.get(cause)
            row.append(duration_text(ns) if ns else NONE)
        lanes.append(row)
    parts = []
    for cause in causes:
        colour = CAUSE_LOOKS[cause].colour
        parts.append((cause.label, totals[cause], colour))
    header = (tr("cause"), tr("all lanes"), tr("of the idle time"), "")
    all_lanes = _shares(header, parts)
    names = [tr(cause.label) for cause in causes]
    lane_header = (tr("lane"), *names)
    each_lane = table(lane_header, lanes[:MOST_ROWS])
    return joined(all_lanes, each_lane, _more(len(lanes)))


def path_table(figures: StepFigures) -> Html:
    """Return a table of the parts of a step's critical path, without empty parts."""
    parts = []
    for share in PathShare:
        ns = figures.critical_path.get(share, 0)
        if ns:
            colour = SHARE_LOOKS[share].colour
            parts.append((share.value, ns, colour))
    header = (tr("what"), tr("time"), tr("share"), "")
    return _shares(header, parts)


def _shares(header: Sequence[str], parts: Sequence[tuple[str, int, str]]) -> Html:
    """Return a table of the parts of a whole, each given as name, ns, and a field of Theme."""
    whole = sum(ns for _, ns, _ in parts)
    rows = []
    for name, ns, colour in parts:
        share = ns / whole
        bar = bar_of([(colour, share)])
        rows.append((tr(name), duration_text(ns), percent_text(share), bar))
    return table(header, rows, bar=True)


def collectives_table(trace: Trace, met: Sequence[Arrivals]) -> Html:
    """Return a table of collectives: the last to arrive, the waiting time, the transfer time."""
    names = rank_names(trace.header.lanes)
    disagreement = clock_disagreement(trace.clocks)
    longest_wait_first = sorted(met, key=lambda one: -one.wait_ns)
    rows = []
    for one in longest_wait_first[:MOST_ROWS]:
        last = tr("not certain")
        is_certain = one.wait_ns >= disagreement * one.times
        if is_certain and one.last:
            ranks = []
            for lane, times in one.last[:MOST_LAST]:
                ranks.append(f"{names[lane]} {times}")
            last = ", ".join(ranks)
        row = (
            _collective_title(trace, one),
            last,
            str(one.times),
            duration_text(one.wait_ns / one.times),
            duration_text(one.transfer_ns / one.times),
        )
        rows.append(row)
    header = (
        tr("collective"),
        tr("last to arrive (count)"),
        tr("instances"),
        tr("mean arrival spread"),
        tr("mean transfer time"),
    )
    return table(header, rows, 2)


def _collective_title(trace: Trace, one: Arrivals) -> str:
    """Return a collective's kind, with its bucket or block and its process group if known."""
    words = [kind_title(one.kind)]
    number = one.block if one.bucket is None else one.bucket
    if number is not None:
        words.append(str(number))
    if one.group is not None:
        words.append(f"({trace.table.names[one.group]})")
    return " ".join(words)


def steps_table(trace: Trace, figures: Mapping[int, StepFigures]) -> Html:
    """Return a table of the steps in the report: makespan, bubble and loss."""
    losses = _losses(trace)
    longest = max(each.makespan_ns for each in figures.values()) or 1
    rows = []
    for step, each in figures.items():
        name = name_of_step(trace, step)
        makespan = duration_text(each.makespan_ns)
        bubble = percent_text(each.bubble_by_makespan)
        loss = NONE
        if step in losses:
            loss = f"{losses[step]:.6g}"
        length = each.makespan_ns / longest
        bar = bar_of([("accent", length)])
        rows.append((name, makespan, bubble, loss, bar))
    header = (tr("step"), tr("makespan"), tr("bubble"), tr("loss"), "")
    note = NOTHING
    measured = len(measured_steps(trace))
    if measured > len(figures):
        text = tr(
            "The report has {n} of {all} measured steps: the median one and the last ones.",
            n=len(figures),
            all=measured,
        )
        note = paragraph(text, "note")
    steps = table(header, rows, bar=True)
    return joined(steps, note)


def _losses(trace: Trace) -> dict[int, float]:
    """Return the loss of each step that has one."""
    counter = trace.counter("loss")
    steps = counter.steps.tolist()
    values = counter.values.tolist()
    return dict(zip(steps, values, strict=True))


def _totals(trace: Trace, figures: StepFigures) -> dict[str, int]:
    """Return the idle ns of the compute lanes by cause, for the causes that occur."""
    totals: Counter[str] = Counter()
    for lane, idle in zip(trace.header.lanes, figures.idle_by_cause, strict=True):
        if lane.role is Role.COMPUTE:
            totals.update(idle)
    return totals


def _more(count: int) -> Html:
    """Return a note on how many of `count` lanes are not listed, if any."""
    left_out = count - MOST_ROWS
    if left_out <= 0:
        return NOTHING
    text = ntr(
        "{n} further lane is not listed.",
        "{n} further lanes are not listed.",
        left_out,
    )
    return paragraph(text, "note")
