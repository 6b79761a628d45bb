"""A run's timeline as a picture: what the window shows of it, drawn in lines, at any width."""

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
CAPTION = 17.0  # from one line of the caption to the next
MOST_HEIGHT = 4_000.0  # of lanes that are not yet as low as can be


@dataclass(frozen=True, slots=True)
class Extras:
    """Additions of the window to a run: memory lines, critical path, counters, the user's colours.

    With a `layout` the lanes stand as they do there, in their heights and groups, and what stands
    under them comes from it too.
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
        """All of it, the edges included."""
        return self.frame.left + self.frame.view.width + EDGE


def timeline_picture(
    scene: Scene, shown: Range, options: FigureOptions, extras: Extras = SHOWN
) -> Picture:
    """The timeline of a scene, which is summed up anew over what is shown."""
    timeline = lay_out_timeline(scene, shown, options, extras)
    return Picture(
        run_title(scene.trace), timeline.width, timeline.height, SCREEN,
        lambda painter: draw_timeline(painter, timeline), options.scale or 2.0,
    )  # fmt: skip


def lay_out_timeline(
    scene: Scene, shown: Range, options: FigureOptions, extras: Extras = SHOWN
) -> Timeline:
    """Place everything of a picture; its height follows from the lanes."""
    scene.sum_up(shown.steps or None)
    if not options.idle:
        scene = copy(scene)  # the window's has it all the same
        scene.facts = [replace(facts, idle="") for facts in scene.facts]
    theme, fonts = edited(THEMES[options.theme], extras.colours), picture_fonts()
    width = WIDTH if options.width_mm is None else options.width_mm * SCREEN / MM_PER_INCH
    strips, layout = _layout(scene, options, extras)
    # In drawn time: what is folded takes less room than it lasted.
    drawn = scene.folds.drawn(float(shown.end)) - scene.folds.drawn(float(shown.start))
    view = Viewport(
        # However narrow a picture is asked for, it has some plot.
        float(shown.start), max(1.0, drawn), max(100.0, round(width) - LABELS - 2 * EDGE),
        scene.folds,
    )  # fmt: skip
    title = _title_lines(scene.trace, shown, options)
    top = EDGE + TITLE * bool(title) + AXIS * options.axis + STEPS * options.makespan
    frame = Frame(
        view, layout, EDGE + LABELS, top, theme, vector=True, path=strips.path,
        origin=origin_of(scene, shown),
    )  # fmt: skip
    entries = legend_entries(scene, theme, strips, vector=True) if options.legend else []
    legend = legend_lines(entries, fonts, view.width)
    caption = wrapped(options.caption or "", view.width, partial(text_width, fonts.base))
    bottom = top + layout.height + CAPTION * len(caption) + (EDGE if caption else 0)
    bottom += LEGEND + LINE * max(0, len(legend) - 1) if legend else EDGE / 2
    return Timeline(scene, frame, options, legend, title, caption, bottom + EDGE / 2)


def _layout(scene: Scene, options: FigureOptions, extras: Extras) -> tuple[Strips, Layout]:
    """What stands under the lanes, and where: as in the window's layout if there is one."""
    ghosts = scene.prediction is not None
    strips = Strips(
        extras.memory and scene.most_held > 0,
        ghosts,
        extras.path,
        counters=extras.counters and bool(scene.counters),
    )
    if extras.layout is None or options.excerpt.lanes:
        lanes = resolve_lanes(options.excerpt, scene.trace.header.lanes)
        return strips, lay_out(lanes, MOST_HEIGHT, strips, counters=scene.counters_under)
    layout = extras.layout
    shown = Strips(
        bool(layout.memory),
        ghosts and bool(layout.ghosts),
        extras.path,
        counters=bool(layout.counters),
    )
    return shown, layout


def draw_timeline(painter: QPainter, timeline: Timeline) -> None:
    """Draw a timeline in its own pixels."""
    frame, scene, options = timeline.frame, timeline.scene, timeline.options
    fonts = picture_fonts()
    painter.fillRect(QRectF(0, 0, timeline.width, timeline.height), QColor(frame.theme.plot))
    _draw_title(painter, timeline, fonts)
    if not scene.trace.span_count:
        _nothing(painter, timeline, fonts)
        return
    bottom = frame.top + frame.layout.height
    if options.axis:
        top = frame.top - AXIS - STEPS * options.makespan
        draw_axis(painter, frame, fonts, bottom, top)
    draw_folded(painter, scene, frame)
    painter.setClipRect(QRectF(frame.left, frame.top, frame.view.width, frame.layout.height))
    draw_strips(painter, scene, frame)
    painter.setClipping(False)
    LanePainter(painter, scene, frame, fonts).draw()
    draw_block_numbers(painter, scene, frame, fonts)
    # Without a limit of time: a file has no next frame in which the rest could come.
    explain_shown(scene, frame.view, frame.path, inf)
    if frame.path:
        draw_critical(painter, scene, frame)
    draw_gap_labels(painter, scene, frame, fonts)
    if options.makespan:
        draw_steps(painter, scene, frame, fonts, frame.top - STEPS, bottom)
    draw_labels(painter, scene, frame, fonts, EDGE)
    draw_headings(painter, scene, frame, fonts, EDGE)
    draw_folds(painter, scene, frame, fonts, frame.top, bottom)
    at = QPointF(frame.left, bottom + LEGEND / 2)
    draw_legend(painter, frame.theme, fonts, at, timeline.legend)
    _draw_caption(painter, timeline, fonts)


def _title_lines(trace: Trace, shown: Range, options: FigureOptions) -> list[str]:
    """The title, and below it which steps are shown and what must be said of times."""
    title = run_title(trace) if options.title is None else options.title
    if not title:
        return []
    lengths = [duration_text(end - start) for start, end in map(trace.step_bounds, shown.steps)]
    words = [shown.text]
    if lengths and options.makespan:
        words.append(tr("makespan {lengths}", lengths=", ".join(lengths)))
    return [title, " · ".join(filter(None, [*words, translated(trace.header.timing_note)]))]


def _draw_title(painter: QPainter, timeline: Timeline, fonts: Fonts) -> None:
    if not timeline.title:
        return
    theme, room = timeline.frame.theme, timeline.width - 2 * EDGE
    large = QFont(fonts.bold)
    large.setPointSizeF(fonts.base.pointSizeF() * 1.35)
    rects = (QRectF(EDGE, EDGE - 4, room, 24), QRectF(EDGE, EDGE + 22, room, 20))
    looks = ((large, theme.text), (fonts.base, theme.muted))
    # `_title_lines` gives two lines or none.
    for rect, (font, colour), text in zip(rects, looks, timeline.title, strict=True):
        painter.setFont(font)
        write(painter, font, colour, rect, elided(painter, text, room))


def _draw_caption(painter: QPainter, timeline: Timeline, fonts: Fonts) -> None:
    frame = timeline.frame
    painter.setPen(QColor(frame.theme.text))
    painter.setFont(fonts.base)
    top = timeline.height - EDGE - CAPTION * len(timeline.caption)
    for number, line in enumerate(timeline.caption):
        painter.drawText(QPointF(frame.left, top + CAPTION * (number + 0.75)), line)


def _nothing(painter: QPainter, timeline: Timeline, fonts: Fonts) -> None:
    rect = QRectF(0, 0, timeline.width, timeline.height)
    words = tr("This run has recorded no spans.")
    write(painter, fonts.base, timeline.frame.theme.muted, rect, words, CENTRE)


def picture_fonts() -> Fonts:
    """The texts of a picture, whatever the window's size of them is."""
    font = QFont(QGuiApplication.font())
    font.setPointSizeF(9.5)
    return Fonts.of(font)
