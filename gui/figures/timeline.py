"""Pictures of a run's timeline, drawn as in the window, of any width."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPainter

from core.trace.excerpt import resolve_lanes
from core.trace.trace import Trace
from gui.app.figure_options import MM_PER_INCH, FigureOptions
from gui.app.titles import run_title
from gui.figures.areas import draw_folded
from gui.figures.picture import SCREEN, Picture
from gui.figures.shown import Range, origin_of
from gui.look.core_texts import translated
from gui.look.text import duration_text, tr
from gui.look.theme import THEMES, edited
from gui.look.writing import CENTRE, elided, wrapped, write
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.layout.frame import AXIS, LABELS, STEPS, Frame, Layout, Viewport
from gui.timeline.layout.groups import Strips
from gui.timeline.layout.stacking import lay_out
from gui.timeline.paint.canvas import Canvas
from gui.timeline.paint.critical import draw_critical, explain_shown
from gui.timeline.paint.folds import draw_folds
from gui.timeline.paint.gap_labels import draw_gap_labels
from gui.timeline.paint.legend import LINE, LegendEntry, draw_legend, legend_entries, legend_lines
from gui.timeline.paint.margins import draw_axis, draw_headings, draw_labels, draw_steps
from gui.timeline.paint.nested import draw_block_numbers
from gui.timeline.paint.picture import LanePainter
from gui.timeline.paint.strips import draw_strips
from gui.timeline.state.scene import Scene

WIDTH = 1600.0
EDGE = 20.0
TITLE = 58.0
LEGEND = 40.0
CAPTION = 17.0  # distance between two lines of the caption
MOST_HEIGHT = 4_000.0  # pixels above which lanes are made lower, down to their least height


@dataclass(frozen=True, slots=True)
class Extras:
    """Contents that the window adds: memory lines, critical path, counters, the user's colours.

    A `layout` determines the heights and groups of the lanes, and the strips below them.
    """

    memory: bool = True
    path: bool = False
    counters: bool = True
    layout: Layout | None = None
    colours: Mapping[str, str] = field(default_factory=dict)


SHOWN = Extras()


@dataclass(frozen=True, slots=True)
class Timeline:
    """A timeline that can be drawn on any painter, in pixels of 1/96 inch."""

    scene: Scene
    frame: Frame
    options: FigureOptions
    legend: list[list[LegendEntry]]
    title: list[str]
    caption: list[str]
    height: float

    @property
    def width(self) -> float:
        """The whole width, with both edges."""
        return self.frame.right + EDGE


def timeline_picture(
    scene: Scene, shown: Range, options: FigureOptions, extras: Extras = SHOWN
) -> Picture:
    """Return a picture of a scene; the scene's figures are updated to the steps in `shown`."""
    timeline = lay_out_timeline(scene, shown, options, extras)
    return Picture(
        run_title(scene.trace),
        timeline.width,
        timeline.height,
        SCREEN,
        lambda painter: draw_timeline(painter, timeline),
        options.scale or 2.0,
    )


def lay_out_timeline(
    scene: Scene, shown: Range, options: FigureOptions, extras: Extras = SHOWN
) -> Timeline:
    """Lay out a picture; its height follows from the lanes."""
    scene.update_figures(shown.steps or None)
    if not options.idle:
        scene = copy(scene)  # the window's scene keeps its idle times
        scene.facts = [replace(facts, idle="") for facts in scene.facts]
    theme = edited(THEMES[options.theme], extras.colours)
    fonts = picture_fonts()
    width = WIDTH
    if options.width_mm is not None:
        width = options.width_mm * SCREEN / MM_PER_INCH
    strips, layout = _layout(scene, options, extras)
    # Folded time is drawn shorter than it lasted.
    drawn_start = scene.folds.drawn(float(shown.start))
    drawn_end = scene.folds.drawn(float(shown.end))
    # The plot has a least width, even in a very narrow picture.
    inner = round(width) - 2 * EDGE
    plot_width = max(100.0, inner - LABELS)
    span = max(1.0, drawn_end - drawn_start)
    view = Viewport(float(shown.start), span, plot_width, scene.folds)
    title = _title_lines(scene.trace, shown, options, inner, fonts)
    top = EDGE
    if title:
        top += TITLE + CAPTION * (len(title) - 2)
    if options.axis:
        top += AXIS
    if options.makespan:
        top += STEPS
    origin = origin_of(scene, shown)
    frame = Frame(
        view,
        layout,
        EDGE + LABELS,
        top,
        theme,
        vector=True,
        path=strips.path,
        origin=origin,
    )
    entries = legend_entries(scene, theme, strips, vector=True) if options.legend else []
    legend = legend_lines(entries, fonts, view.width)
    caption = wrapped(options.caption or "", view.width, partial(text_width, fonts.base))
    bottom = top + layout.height
    if caption:
        bottom += CAPTION * len(caption) + EDGE
    if legend:
        bottom += LEGEND + LINE * (len(legend) - 1)
    else:
        bottom += EDGE / 2
    return Timeline(scene, frame, options, legend, title, caption, bottom + EDGE / 2)


def _layout(scene: Scene, options: FigureOptions, extras: Extras) -> tuple[Strips, Layout]:
    """Return the strips and the layout: the window's if there is one."""
    has_prediction = scene.prediction is not None
    strips = Strips(
        extras.memory and scene.peak_bytes > 0,
        has_prediction,
        extras.path,
        counters=extras.counters and bool(scene.counters),
    )
    if extras.layout is None or options.excerpt.lanes:
        lanes = resolve_lanes(options.excerpt, scene.trace.header.lanes)
        return strips, lay_out(lanes, MOST_HEIGHT, strips, counters=scene.counters_under)
    layout = extras.layout
    shown = Strips(
        bool(layout.memory),
        has_prediction and bool(layout.predictions),
        extras.path,
        counters=bool(layout.counters),
    )
    return shown, layout


def draw_timeline(painter: QPainter, timeline: Timeline) -> None:
    """Draw a timeline in its pixels."""
    frame = timeline.frame
    scene = timeline.scene
    options = timeline.options
    fonts = picture_fonts()
    canvas = Canvas.on(painter, frame, fonts)
    whole = QRectF(0, 0, timeline.width, timeline.height)
    canvas.fill(whole, frame.theme.plot)
    _draw_title(canvas, timeline)
    if not scene.trace.span_count:
        words = tr("This run has recorded no spans.")
        canvas.base(whole, words, CENTRE, frame.theme.muted)
        return
    bottom = frame.bottom
    if options.axis:
        top = frame.top - AXIS - STEPS * options.makespan
        draw_axis(canvas, bottom, top)
    draw_folded(painter, scene, frame)
    painter.setClipRect(frame.plot(frame.top, frame.bottom))
    draw_strips(canvas, scene)
    painter.setClipping(False)
    LanePainter(canvas, scene).draw()
    draw_block_numbers(canvas, scene)
    # Without a time limit: a file has no next frame that could show the rest.
    explain_shown(scene, frame.view, frame.path, inf)
    if frame.path:
        draw_critical(canvas, scene)
    draw_gap_labels(canvas, scene)
    if options.makespan:
        draw_steps(canvas, scene, frame.top - STEPS, bottom)
    draw_labels(canvas, scene, EDGE)
    draw_folds(canvas, scene, frame.top, bottom)
    draw_headings(canvas, scene, EDGE)
    at = QPointF(frame.left, bottom + LEGEND / 2)
    draw_legend(painter, frame.theme, fonts, at, timeline.legend)
    _draw_caption(canvas, timeline)


def _title_lines(
    trace: Trace, shown: Range, options: FigureOptions, room: float, fonts: Fonts
) -> list[str]:
    """Return the title, and lines with the steps shown and notes on timing; [] without a title.

    The lines after the title fit `room` pixels.
    """
    title = run_title(trace) if options.title is None else options.title
    if not title:
        return []
    words = [shown.text]
    if options.makespan and shown.steps:
        lengths = []
        for step in shown.steps:
            start, end = trace.step_bounds(step)
            lengths.append(duration_text(end - start))
        words.append(tr("makespan {lengths}", lengths=", ".join(lengths)))
    words.append(translated(trace.header.timing_note))
    below = " · ".join(part for part in words if part)
    lines = wrapped(below, room, partial(text_width, fonts.base))
    return [title, *(lines or [""])]


def _draw_title(canvas: Canvas, timeline: Timeline) -> None:
    if not timeline.title:
        return
    theme = canvas.theme
    base = canvas.fonts.base
    room = timeline.width - 2 * EDGE
    large = QFont(canvas.fonts.bold)
    large.setPointSizeF(base.pointSizeF() * 1.35)
    title, *below = timeline.title
    heading = QRectF(EDGE, EDGE - 4, room, 24)
    _draw_line(canvas.painter, large, theme.text, heading, title)
    for number, line in enumerate(below):
        top = EDGE + 22 + CAPTION * number
        place = QRectF(EDGE, top, room, 20)
        _draw_line(canvas.painter, base, theme.muted, place, line)


def _draw_line(painter: QPainter, font: QFont, colour: str, rect: QRectF, text: str) -> None:
    painter.setFont(font)
    shown = elided(painter, text, rect.width())
    write(painter, font, colour, rect, shown)


def _draw_caption(canvas: Canvas, timeline: Timeline) -> None:
    painter = canvas.painter
    painter.setPen(QColor(canvas.theme.text))
    painter.setFont(canvas.fonts.base)
    top = timeline.height - EDGE - CAPTION * len(timeline.caption)
    for number, line in enumerate(timeline.caption):
        base_line = top + CAPTION * (number + 0.75)
        at = QPointF(canvas.frame.left, base_line)
        painter.drawText(at, line)


def picture_fonts() -> Fonts:
    """Return the fonts of pictures, which do not depend on the window's text size."""
    font = QFont(QGuiApplication.font())
    font.setPointSizeF(9.5)
    return Fonts.of(font)
