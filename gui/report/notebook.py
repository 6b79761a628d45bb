"""A run in a notebook: its verdict above its interactive timeline, as one output."""

from __future__ import annotations

from html import escape

from core.report.verdict import verdict
from core.trace.trace import Trace
from gui.app.titles import run_title
from gui.figures.picture import application
from gui.look.core_texts import translated
from gui.look.text import tr
from gui.report.page import Html, Section, page, paragraph
from gui.report.run import explained_steps, subtitle, timeline_of_steps
from gui.timeline.state.scene import Scene

MOST_BYTES = 1_000_000
"""Size of the largest output: a notebook with ten runs can still be read and sent."""
FIRST_SPANS = 60_000
"""Spans that usually fit; if they do not, half as many are tried."""
ABOVE, LANE, LEAST, MOST = 300, 34, 420, 900
"""Height of the output in pixels: what is above the lanes, each lane, and its limits."""


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
    sections = []
    found = verdict(trace)
    if found is not None:
        sections.append(Section(tr("In short"), paragraph(translated(found.text), "lead")))
    if trace.span_count:
        timeline = timeline_of_steps(scene, steps, most_spans)
        sections.append(Section(tr("Timeline"), timeline))
    return page(run_title(trace), subtitle(trace), sections)


def _framed(scene: Scene, document: str) -> Html:
    height = ABOVE + LANE * len(scene.trace.header.lanes)
    height = min(max(height, LEAST), MOST)
    return Html(
        f'<iframe srcdoc="{escape(document)}" sandbox="allow-scripts" width="100%" '
        f'height="{height}" style="border: 0" title="{escape(run_title(scene.trace))}"></iframe>'
    )
