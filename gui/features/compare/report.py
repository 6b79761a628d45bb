"""The report on a comparison, as one HTML file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from core.compare.differences import Difference, RowGroup
from core.compare.settings import run_settings
from core.explain.causes import Cause
from core.message import N_
from core.plan.task import Kind
from gui.app.titles import run_title
from gui.features.compare.panel import matched_text
from gui.features.compare.picture import Both, export_both
from gui.features.compare.table import ms_text, row_name, signed_text
from gui.figures.picture import application
from gui.look.causes import CAUSE_LOOKS
from gui.look.core_texts import translated
from gui.look.families import Family, family_of
from gui.look.text import change_text, duration_text, tr
from gui.report.page import Html, Section, bar_of, facts, joined, paragraph, table, write_page
from gui.report.setup import setup_sections
from gui.report.timeline import excerpt_of, timeline
from gui.timeline.state.scene import Scene

COLOURS = {
    Family.FORWARD: "forward",
    Family.BACKWARD: "backward",
    Family.BACKWARD_INPUT: "backward",
    Family.BACKWARD_WEIGHT: "backward",
    Family.OVERLAP: "forward",
    Family.COMMUNICATION: "communication",
    Family.UPDATE: "update",
    Family.OTHER: "muted",
}
"""Name of each family's colour in the report."""
NAMES = {
    "microbatches": N_("micro-batches"),
    "cores": N_("cores a lane"),
    "batch": N_("rows of a batch"),
    "bucket_mb": N_("MiB of a bucket"),
    "made": N_("times are"),
}
"""Titles of settings whose names are not self-explanatory."""
PAGES = (".html", ".htm")
MOST_LANES = 128  # rows of a table


def write_both(both: Both, path: Path, theme: str) -> None:
    """Write a page or a picture, by the suffix. Raises ValueError with a one-line message."""
    if path.suffix.lower() in PAGES:
        write_both_report(both, path)
    else:
        export_both(both, path, theme)


def write_both_report(both: Both, path: Path) -> None:
    """Write a report on two runs. Needs no display. Raises ValueError with a one-line message."""
    with application():
        titles = [run_title(trace) for trace in both.traces]
        heading = tr("{a} against {b}", a=titles[0], b=titles[1])
        write_page(path, heading, tr("A comparison of two runs"), list(both_sections(both)))


def both_sections(both: Both) -> Iterator[Section]:
    """Yield the sections of the report."""
    two = both.two
    yield Section(tr("In short"), _short(both))
    yield Section(tr("Timelines"), _timelines(both))
    yield Section(tr("What contributes to the difference"), _rows(two.reasons, two.difference))
    yield Section(tr("Lanes"), _rows(two.lanes[:MOST_LANES], two.difference))
    if two.other_lanes:
        yield Section(tr("Copy and communication lanes"), _rows(two.other_lanes, None))
    yield Section(tr("Settings of both"), _settings(both))
    for letter, trace in zip("AB", both.traces, strict=True):
        for section in setup_sections(trace):
            yield replace(section, title=f"{letter}: {section.title}")


def _short(both: Both) -> Html:
    two = both.two
    one, other = two.makespans
    pairs = [
        (tr("A, {steps}", steps=_steps(two.a.steps)), duration_text(one)),
        (tr("B, {steps}", steps=_steps(two.b.steps)), duration_text(other)),
        (tr("Difference"), f"{signed_text(two.difference)} ms"),
        (tr("In per cent of A"), change_text(two.difference / one) if one else "–"),
    ]
    return joined(
        paragraph(translated(two.sentence(duration_text)), "lead"),
        facts(pairs),
        paragraph(matched_text(two), "note"),
    )


def _timelines(both: Both) -> Html:
    """Return the timelines of both compared steps, initially on the same scale."""
    trace_a, trace_b = both.traces
    sides = (("A", trace_a, both.two.step_a), ("B", trace_b, both.two.step_b))
    longest = 0
    for _, trace, step in sides:
        begin, end = trace.step_bounds(step)
        longest = max(longest, end - begin)
    parts = []
    for letter, trace, step in sides:
        heading = tr("{letter}: {run}", letter=letter, run=run_title(trace))
        begin, _ = trace.step_bounds(step)
        shown = (begin, begin + longest)
        drawn = timeline(Scene(trace), excerpt_of(trace, [step]), shown, heading)
        parts += [paragraph(heading), drawn]
    return joined(*parts)


def _steps(steps: Sequence[int]) -> str:
    count = len(steps)
    return tr("one step") if count == 1 else tr("mean of {n} steps", n=count)


def _rows(rows: Sequence[Difference], total: int | None) -> Html:
    """Return a table of differences; bars to the left are reductions, to the right increases."""
    most = max((abs(row.contribution) for row in rows), default=0) or 1
    lines: list[Sequence[str | Html]] = []
    for row in rows:
        adds = signed_text(row.contribution) if total is not None else "–"
        values = (ms_text(row.a), ms_text(row.b), signed_text(row.difference))
        lines.append((row_name(row), *values, adds, _bar(row, most)))
    if total is not None:
        lines.append((tr("Step"), "", "", "", signed_text(total), bar_of([])))
    heads = (tr("lane time, ms"), tr("A"), tr("B"), tr("B − A"), tr("adds to the step"), "")
    return table(heads, lines, bar=True)


def _bar(row: Difference, most: int) -> Html:
    # The left half of the width is for reductions, the right half for increases.
    share = abs(row.contribution) / most / 2
    start = 0.5
    if row.contribution < 0:
        start -= share
    return bar_of([(_colour(row), share)], start)


def _colour(row: Difference) -> str:
    if row.group is RowGroup.CAUSE:
        return CAUSE_LOOKS[Cause(row.name)].colour
    if row.group in (RowGroup.KIND, RowGroup.OTHER_LANES):
        return COLOURS[family_of(Kind(row.name))]
    return "accent"


def _settings(both: Both) -> Html:
    """Return a table of all settings of both runs, differing ones first."""
    trace_a, trace_b = both.traces
    a = run_settings(trace_a, both.two.step_a)
    b = run_settings(trace_b, both.two.step_b)
    names = dict.fromkeys([*a, *b])
    # False sorts before True, so differing settings are first.
    differing_first = sorted(names, key=lambda name: a.get(name) == b.get(name))
    rows = []
    for name in differing_first:
        title = tr(NAMES.get(name, name))
        rows.append((title, a.get(name, "–"), b.get(name, "–")))
    return table((tr("setting"), tr("A"), tr("B")), rows, 3)
