"""Picture of two runs on one axis, for files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from core.compare.alignment import Alignment
from core.compare.runs import TwoRuns
from core.trace.trace import Trace
from gui.app.figure_options import MM_PER_INCH, FigureOptions
from gui.app.titles import run_title
from gui.features.compare.joins import joins_of
from gui.figures.picture import SCREEN, Picture, write_drawn
from gui.figures.shown import Range
from gui.figures.timeline import (
    EDGE,
    WIDTH,
    Timeline,
    draw_timeline,
    lay_out_timeline,
    picture_fonts,
)
from gui.look.core_texts import translated
from gui.look.painter import saved
from gui.look.text import duration_text, tr
from gui.look.theme import THEMES
from gui.look.writing import wrapped
from gui.timeline.layout.folds import NO_FOLDS
from gui.timeline.layout.fonts import text_width
from gui.timeline.layout.frame import STEPS
from gui.timeline.layout.groups import Strips
from gui.timeline.paint.ink import Ink
from gui.timeline.paint.legend import LINE, LegendEntry, draw_legend, legend_entries, legend_lines
from gui.timeline.state.scene import Scene, name_of_step

SENTENCE = 18.0  # pixels from one line of the sentence to the next
BETWEEN = 4.0  # free pixels between the runs
FAINT = 0.3  # opacity of a join
VEIL = 0.75  # opacity of the veil over steps that are not compared


@dataclass(frozen=True, slots=True)
class Both:
    """Content of a picture of two runs.

    `part` is the time shown, in ns of A; None shows both compared steps. With `joins`, thin lines
    join matched tasks.
    """

    two: TwoRuns
    traces: tuple[Trace, Trace]
    alignment: Alignment
    part: tuple[float, float] | None = None
    joins: bool = False


def export_both(both: Both, path: Path, theme: str = "light") -> None:
    """Write a picture of two runs; the suffix chooses PNG, SVG or PDF. Needs no display.

    Raises ValueError, in one line, if the file cannot be written.
    """
    write_drawn(lambda: picture_of(both, theme), path)


def picture_of(both: Both, theme: str = "light") -> Picture:
    """Return the picture: sentence, run A, run B on the same axis, legend."""
    two = both.two
    width_mm = WIDTH * MM_PER_INCH / SCREEN
    options = FigureOptions(theme=theme, legend=False, width_mm=width_mm)
    a = _timeline(both, 0, options)
    b = _timeline(both, 1, options)
    fonts = picture_fonts()
    colours = THEMES[theme]
    words = translated(two.sentence(duration_text))
    room = a.width - 2 * EDGE
    lines = wrapped(words, room, partial(text_width, fonts.bold))
    legend = legend_lines(_legend(a, b), fonts, a.frame.view.width)
    top_a = EDGE / 2 + SENTENCE * len(lines)
    top_b = top_a + a.height + BETWEEN
    bottom = top_b + b.height
    height = bottom + LINE * len(legend) + EDGE / 2

    def draw(painter: QPainter) -> None:
        ink = Ink(painter, fonts, colours)
        ink.fill(QRectF(0, 0, a.width, height), colours.plot)
        _draw_lines(ink, lines)
        for timeline, step, top in ((a, two.step_a, top_a), (b, two.step_b, top_b)):
            with saved(painter):
                painter.translate(0, top)
                draw_timeline(painter, timeline)
                _veil_other_steps(painter, timeline, step)
        if both.joins:
            _draw_joins(painter, both, a, b, (top_a, top_b))
        at = QPointF(a.frame.left, bottom)
        draw_legend(painter, colours, fonts, at, legend)

    titles = " | ".join(run_title(trace) for trace in both.traces)
    return Picture(titles, a.width, height, SCREEN, draw)


def _timeline(both: Both, place: int, options: FigureOptions) -> Timeline:
    """Lay out one of the runs, with its title and its part of the axis."""
    trace = both.traces[place]
    two = both.two
    laid = both.alignment
    totals = two.a
    step = two.step_a
    start_a, _ = both.traces[0].step_bounds(two.step_a)
    zero = float(start_a)
    begin, end = both.part or _whole(both)
    if place:
        totals = two.b
        step = two.step_b
        zero = laid.to_b(zero)
        begin = laid.to_b(begin)
        end = laid.to_b(end)
    words = name_of_step(trace, step)
    if len(totals.steps) > 1:
        words = tr("compared: mean of {n} steps", n=len(totals.steps))
    start = round(begin)
    stop = max(start + 1, round(end))
    shown = Range(start, stop, words, (step,), round(zero))
    letter = "AB"[place]
    title = f"{letter}  {run_title(trace)}"
    scene = Scene(trace)
    scene.folds = NO_FOLDS  # with folds the runs could not share an axis
    return lay_out_timeline(scene, shown, replace(options, title=title))


def _veil_other_steps(painter: QPainter, timeline: Timeline, step: int) -> None:
    """Fade the spans outside of the compared step."""
    frame = timeline.frame
    start, end = timeline.scene.trace.step_bounds(step)
    colour = QColor(frame.theme.plot)
    colour.setAlphaF(VEIL)
    # Bars may extend up to two pixels beyond the frame.
    left = frame.left - 2
    right = frame.right + 2
    before = (left, min(right, frame.x(start) - 1))
    after = (max(left, frame.x(end) + 1), right)
    height = STEPS + frame.layout.height
    for x0, x1 in (before, after):
        if x1 > x0:
            veiled = QRectF(x0, frame.top - STEPS, x1 - x0, height)
            painter.fillRect(veiled, colour)


def _whole(both: Both) -> tuple[float, float]:
    """Return the range, in A's time, of both compared steps."""
    trace_a, trace_b = both.traces
    start_a, end_a = trace_a.step_bounds(both.two.step_a)
    start_b, end_b = trace_b.step_bounds(both.two.step_b)
    start = min(start_a, both.alignment.to_a(start_b))
    end = max(end_a, both.alignment.to_a(end_b))
    return start, end


def _legend(a: Timeline, b: Timeline) -> list[LegendEntry]:
    """Return the entries of both runs, each once."""
    has_memory = a.scene.peak_bytes > 0 or b.scene.peak_bytes > 0
    strips = Strips(has_memory, False, False)
    scene = a.scene
    # `_timeline` made this scene for the picture only: no other view shares the set.
    scene.kinds |= b.scene.kinds
    return legend_entries(scene, a.frame.theme, strips, vector=True)


def _draw_joins(
    painter: QPainter, both: Both, a: Timeline, b: Timeline, tops: tuple[float, float]
) -> None:
    joins = joins_of(both.two.matches, a.frame, b.frame)
    colour = QColor(a.frame.theme.text)
    colour.setAlphaF(FAINT)
    painter.setPen(QPen(colour, 0.5))
    top_a, top_b = tops
    lines = []
    for x_a, y_a, x_b, y_b in joins.lines.T.tolist():
        lines.append(QLineF(x_a, top_a + y_a, x_b, top_b + y_b))
    painter.drawLines(lines)


def _draw_lines(ink: Ink, lines: list[str]) -> None:
    """Write the lines of the sentence in bold."""
    # Wider than any line, because the lines are wrapped already.
    rect = QRectF(EDGE, EDGE / 2, 1e5, SENTENCE)
    for line in lines:
        ink.bold(rect, line)
        rect.translate(0, SENTENCE)
