"""A run in a notebook: its verdict above its interactive timeline, as one output."""

from __future__ import annotations

from html import escape

from core.plan.plan import Role
from core.report.verdict import verdict
from core.trace.trace import Trace
from gui.app.titles import run_title
from gui.figures.picture import application
from gui.look.core_texts import translated
from gui.look.text import tr
from gui.report.page import Html, Section, joined, page, paragraph
from gui.report.run import explained_steps, subtitle, timeline_of_steps
from gui.timeline.state.scene import Scene

MOST_BYTES = 1_000_000
"""Maximum size of an output, so that a notebook with ten runs can still be opened and sent."""
FIRST_SPANS = 60_000
"""Spans that usually fit; if they do not, half as many are tried."""
AROUND, HIGH, LOW = 430, 31, 20
"""Heights in pixels: of everything but the lanes, of a compute lane, and of any other lane."""
MOST_HIGH = 900
"""Maximum height of an output in pixels; a higher page scrolls in its frame."""


def notebook_html(trace: Trace) -> str:
    """Return the markup of an output of at most MOST_BYTES bytes. Needs no display.

    The page is in a frame, so that its styles and script do not mix with the notebook's. If spans
    are left out, the output says so.
    """
    with application():
        scene = Scene(trace)
        steps = explained_steps(scene)
        spans = FIRST_SPANS
        output = _framed(scene, _page(scene, steps, spans))
        while len(output.encode()) > MOST_BYTES:
            spans //= 2
            output = _framed(scene, _page(scene, steps, spans))
    return output


def _page(scene: Scene, steps: list[int], most_spans: int) -> str:
    """Return the page in the frame, with a timeline of at most `most_spans` spans."""
    trace = scene.trace
    parts = []
    found = verdict(trace)
    if found is not None:
        parts.append(paragraph(translated(found.text), "lead"))
    if trace.span_count:
        parts.append(timeline_of_steps(scene, steps, most_spans))
    sections = [Section(tr("In short"), joined(*parts))]
    return page(run_title(trace), subtitle(trace), sections)


def _framed(scene: Scene, document: str) -> Html:
    lanes = scene.trace.header.lanes
    computing = sum(lane.role is Role.COMPUTE for lane in lanes)
    others = len(lanes) - computing
    height = AROUND + HIGH * computing + LOW * others
    height = min(height, MOST_HIGH)
    title = escape(run_title(scene.trace))
    return Html(
        f'<iframe srcdoc="{escape(document)}" sandbox="allow-scripts" width="100%" '
        f'height="{height}" style="border: 0" title="{title}"></iframe>'
    )
