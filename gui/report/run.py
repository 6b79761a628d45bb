"""The report on one run: its sections in order, its timeline, and the steps that it explains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from core.explain.arrivals import sum_by_collective
from core.explain.balance import lane_balances
from core.report.step_figures import StepFigures
from core.report.verdict import verdict
from core.trace.median_step import median_step, whole_steps
from core.trace.source import Source
from core.trace.trace import Trace
from gui.app.titles import run_title
from gui.figures.picture import application
from gui.figures.shown import median_range, median_text
from gui.look.core_texts import translated
from gui.look.text import duration_text, ntr, time_text, tr
from gui.report.page import Html, Section, joined, paragraph, write_page
from gui.report.setup import setup_sections
from gui.report.tables import (
    collectives_table,
    idle_sentence,
    idle_tables,
    key_figures,
    lanes_table,
    path_table,
    steps_table,
    waterfall_table,
)
from gui.report.timeline import Excerpt, excerpt_of, timeline
from gui.timeline.state.scene import Scene, shown_steps

MOST_TASKS = 400_000  # in all explained steps together


def write_run_report(trace: Trace, path: Path) -> None:
    """Write a report on a run, finished or not, as one HTML file. Needs no display.

    Raises a one-line ValueError, and leaves no file, if it cannot be written.
    """
    with application():
        scene = Scene(trace)
        sections = [section for section in run_sections(scene) if section is not None]
        write_page(path, run_title(trace), subtitle(trace), sections)


def subtitle(trace: Trace) -> str:
    """Return the run's start, its time range if it is part of a trace, and notes on its timing."""
    started = trace.header.started.replace("T", " ").replace("+00:00", " UTC")
    parts = [started]
    if trace.part is not None:
        start, end = map(time_text, trace.part)
        parts.append(tr("one step: {start} to {end}", start=start, end=end))
    if trace.header.source is Source.PREDICTED:
        parts.append(tr("predicted, not measured"))
    parts.append(translated(trace.header.timing_note))
    return " · ".join(part for part in parts if part)


def run_sections(scene: Scene) -> Iterator[Section | None]:
    """Yield the sections of a report one by one, and None after each step that is explained."""
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
    """Return the steps of the report: the median step and the latest measured ones, in order.

    The list ends where explaining one more would take the total above MOST_TASKS.
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
        """Return the run's median step; without whole steps, the median of those with `figures`."""
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
    lead = translated(found.text) if found else idle_sentence(trace, median.figures)
    short = key_figures(trace, figures, median.figures, median.name)
    yield Section(tr("In short"), joined(paragraph(lead, "lead"), short))
    name = paragraph(median.name, "note")
    yield Section(tr("Timeline"), timeline_of_steps(scene, steps))
    each_lane = lanes_table(trace, balances, median.figures)
    yield Section(tr("Lanes"), joined(each_lane, name))
    waterfall = waterfall_table(median.figures)
    yield Section(tr("From the ideal step to this one"), joined(waterfall, name))
    idle = idle_tables(trace, median.figures)
    yield Section(tr("Idle time by cause"), joined(idle, name))
    path = path_table(median.figures)
    yield Section(tr("Critical path"), joined(path, name))
    collectives = [figures[step].collectives for step in steps]
    met = sum_by_collective(chain.from_iterable(collectives))
    if met:
        over = paragraph(_over(len(steps)), "note")
        yield Section(tr("Collectives"), joined(collectives_table(trace, met), over))
    yield Section(tr("Steps"), steps_table(trace, figures))


def _over(steps: int) -> str:
    """Return the note under figures that are totals over several steps."""
    return ntr("Over {n} step.", "Over {n} steps.", steps)


def timeline_of_steps(scene: Scene, steps: Sequence[int], most_spans: int | None = None) -> Html:
    """Return the timeline of the latest consecutive steps that fit on a page.

    It opens at the median step or, if the page does not have that step, at the last one.
    At most `most_spans` spans fit (default: that of `excerpt_of`).
    """
    trace = scene.trace
    excerpt = excerpt_of(trace, steps, most_spans)
    median = median_range(trace)
    shown = (median.start, min(median.end, excerpt.end))
    if median.start < excerpt.begin:  # the page does not have the median step
        shown = trace.step_bounds(excerpt.steps[-1])
    notes = list(_left_out(excerpt, len(steps), median.end))
    if scene.counters:
        notes.append(tr("The timeline does not show counters."))
    words = tr("Timeline of {run}", run=run_title(trace))
    figure = timeline(scene, excerpt, shown, words)
    paragraphs = [paragraph(note, "note") for note in notes]
    return joined(figure, *paragraphs)


def _left_out(excerpt: Excerpt, steps: int, end: int) -> Iterator[str]:
    """Yield notes on content that the timeline omits."""
    shown = len(excerpt.steps)
    if shown < steps:
        yield tr("The timeline has the last {n} of these {all} steps.", n=shown, all=steps)
    if not steps and excerpt.end < end:
        part = duration_text(excerpt.end - excerpt.begin)
        whole = duration_text(end - excerpt.begin)
        yield tr("The timeline has the first {part} of {all}.", part=part, all=whole)
