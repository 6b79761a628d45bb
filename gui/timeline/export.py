"""A run's timeline as a figure: PNG, SVG or PDF, with or without a window."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path

from PySide6.QtCore import QMarginsF, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QImage,
    QPageSize,
    QPaintDevice,
    QPainter,
    QPdfWriter,
)

from core.explain.summary import measured_steps
from core.files import whole_file
from core.models.catalogue import MODELS
from core.plan.schedules import SCHEDULES
from core.plan.specification import with_defaults
from core.plan.strategies import STRATEGIES
from core.trace.trace import Trace
from gui.text import duration_text, tr
from gui.theme import THEMES, Theme
from gui.timeline.critical import draw_critical
from gui.timeline.legend import LINE, LegendEntry, draw_legend, legend_entries, legend_lines
from gui.timeline.margins import (
    AXIS,
    LABELS,
    STEPS,
    draw_axis,
    draw_labels,
    draw_steps,
)
from gui.timeline.painter import Fonts, Frame, LanePainter
from gui.timeline.reasons import draw_reasons, steps_to_explain
from gui.timeline.rows import Strips, lay_out
from gui.timeline.scene import Scene
from gui.timeline.strips import draw_strips
from gui.timeline.viewport import Viewport

FIGURE_STEPS = 2  # of many steps, so many are shown unless a range is asked for
SCALE = 2  # device pixels of a PNG for each of its own
EDGE = 20.0
TITLE = 58.0
LEGEND = 40.0
MOST_HEIGHT = 20_000.0


@dataclass(frozen=True, slots=True)
class Range:
    """The time that a figure shows, in ns, and the words that say which."""

    start: int
    end: int
    text: str
    steps: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that can be drawn on any painter: its size and what it holds."""

    scene: Scene
    frame: Frame
    shown: Range
    legend: list[list[LegendEntry]]
    width: float
    height: float


def export_image(
    trace: Trace,
    path: Path | str,
    *,
    theme: str = "light",
    width: int = 1600,
    start: int | None = None,
    end: int | None = None,
    memory: bool = True,
    prediction: Trace | None = None,
    path_shown: bool = False,
) -> None:
    """Write the timeline from `start` to `end` ns (default: the last measured steps) as a figure.

    With `memory`, what each lane holds stands below it, where it was recorded; so do a
    `prediction`'s spans, as TimelineView.set_prediction takes it. With `path_shown`, the critical
    path of each step lies over the lanes. The suffix chooses PNG, SVG or
    PDF. Needs no display. Raises ValueError, in one line, if the suffix is unknown or the file
    cannot be written; nothing half-written is left behind.
    """
    path = Path(path)
    write = WRITERS.get(path.suffix.lower())
    if write is None:
        raise ValueError(f"{path} cannot be written: its name must end in .png, .svg or .pdf")
    if not path.parent.is_dir():
        raise ValueError(f"{path} cannot be written: there is no folder {path.parent}")
    application = QGuiApplication.instance() or _headless()
    scene = Scene(trace)
    scene.set_prediction(prediction)
    strips = Strips(memory and scene.most_held > 0, prediction is not None, path_shown)
    shown = _range(trace, start, end)
    figure = lay_out_figure(scene, THEMES[theme], float(width), shown, strips)
    try:
        with whole_file(path) as place:
            write(figure, place)
    except OSError as error:
        raise ValueError(str(error)) from error
    finally:
        del application


def lay_out_figure(
    scene: Scene, theme: Theme, width: float, shown: Range, strips: Strips
) -> Figure:
    """Place everything of a figure; its height follows from the lanes."""
    scene.sum_up(shown.steps or None)
    layout = lay_out(scene.trace.header.lanes, MOST_HEIGHT, strips)
    view = Viewport(shown.start, max(1, shown.end - shown.start), width - LABELS - 2 * EDGE)
    top = EDGE + TITLE + AXIS + STEPS
    frame = Frame(view, layout, EDGE + LABELS, top, theme, vector=True, critical=strips.path)
    entries = legend_entries(scene, theme, strips, vector=True)
    legend = legend_lines(entries, Fonts.of(_figure_font()), view.width)
    bottom = top + layout.height + LEGEND + LINE * max(0, len(legend) - 1)
    return Figure(scene, frame, shown, legend, width, bottom + EDGE / 2)


def draw_figure(painter: QPainter, figure: Figure) -> None:
    """Draw a figure in its own pixels."""
    frame, theme = figure.frame, figure.frame.theme
    fonts = Fonts.of(_figure_font())
    painter.fillRect(QRectF(0, 0, figure.width, figure.height), QColor(theme.plot))
    _title(painter, figure, fonts)
    if not figure.scene.trace.span_count:
        _nothing(painter, figure, fonts)
        return
    bottom = frame.top + frame.layout.height
    draw_axis(painter, frame, fonts, bottom, figure.shown.start, EDGE + TITLE)
    draw_strips(painter, figure.scene, frame)
    LanePainter(painter, figure.scene, frame, fonts).draw()
    figure.scene.explained.warm(steps_to_explain(figure.scene, frame.view), inf)
    if frame.critical:
        draw_critical(painter, figure.scene, frame)
    draw_reasons(painter, figure.scene, frame, fonts)
    draw_steps(painter, figure.scene, frame, fonts, frame.top - STEPS, bottom)
    draw_labels(painter, figure.scene, frame, fonts, EDGE)
    at = QPointF(frame.left, bottom + LEGEND / 2)
    draw_legend(painter, theme, fonts, at, figure.legend)


def default_range(trace: Trace) -> Range:
    """The last measured steps, warm-up left out; all there is while none was measured."""
    measured = measured_steps(trace)
    steps = measured or trace.steps
    if not steps:
        return Range(0, 1, tr("nothing recorded"))
    shown = steps[-FIGURE_STEPS:]
    start, end = trace.step_bounds(shown[0])[0], trace.step_bounds(shown[-1])[1]
    if not measured:
        text = tr("warm-up only")
    elif len(shown) == len(steps):
        text = (
            tr("{count} measured steps", count=len(steps))
            if len(steps) > 1
            else tr("1 measured step")
        )
    else:
        text = tr("last {shown} of {count} measured steps", shown=len(shown), count=len(steps))
    return Range(start, end, text, tuple(shown))


def run_title(trace: Trace) -> str:
    """A run in a few words: `Pipeline 1F1B · MLP · 2 lanes · batch 64`."""
    specification = trace.header.specification
    strategy = STRATEGIES.get(specification.strategy)
    if strategy is not None:
        specification = with_defaults(specification)
    name = strategy.title if strategy else specification.strategy
    if specification.schedule:
        schedule = SCHEDULES.get(specification.schedule)
        name += f" {tr(schedule.title) if schedule else Path(specification.schedule).name}"
    title = model_title(trace.header.model.name)
    lanes = sum(lane.serves == lane.index for lane in trace.header.lanes)
    count = tr("1 lane") if lanes == 1 else tr("{lanes} lanes", lanes=lanes)
    batch = tr("batch {rows}", rows=specification.batch_rows)
    told = (name, title, count, batch, tr("predicted") if trace.header.predicted else "")
    return " · ".join(filter(None, told))


def model_title(name: str) -> str:
    """A model as people call it: a built-in one's title, or the name of its file."""
    model = MODELS.get(name)
    return tr(model.title) if model else Path(name).name


def _range(trace: Trace, start: int | None, end: int | None) -> Range:
    if start is None and end is None:
        return default_range(trace)
    first, last = trace.bounds
    first, last = first if start is None else start, last if end is None else end
    if last <= first:
        raise ValueError(
            f"the range {first} to {last} ns is empty; its end must come after its start"
        )
    steps = [
        s
        for s in trace.steps
        if first <= trace.step_bounds(s)[0] and trace.step_bounds(s)[1] <= last
    ]
    text = tr("{start} to {end}", start=duration_text(first), end=duration_text(last))
    return Range(first, last, text, tuple(steps))


def _title(painter: QPainter, figure: Figure, fonts: Fonts) -> None:
    theme, trace, shown = figure.frame.theme, figure.scene.trace, figure.shown
    large = QFont(fonts.bold)
    large.setPointSizeF(fonts.base.pointSizeF() * 1.35)
    painter.setPen(QColor(theme.text))
    painter.setFont(large)
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(QRectF(EDGE, EDGE - 4, figure.width - 2 * EDGE, 24), left, run_title(trace))
    lengths = [duration_text(end - start) for start, end in map(trace.step_bounds, shown.steps)]
    words = [shown.text]
    if lengths:
        words.append(tr("makespan {lengths}", lengths=", ".join(lengths)))
    note = next((lane.sharing for lane in trace.header.lanes if lane.sharing), "")
    painter.setPen(QColor(theme.muted))
    painter.setFont(fonts.base)
    line = " · ".join(filter(None, [*words, note]))
    painter.drawText(QRectF(EDGE, EDGE + 22, figure.width - 2 * EDGE, 20), left, line)


def _nothing(painter: QPainter, figure: Figure, fonts: Fonts) -> None:
    painter.setFont(fonts.base)
    painter.setPen(QColor(figure.frame.theme.muted))
    rect = QRectF(0, 0, figure.width, figure.height)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, tr("This run has recorded no spans."))


def _figure_font() -> QFont:
    font = QFont(QGuiApplication.font())
    font.setPointSizeF(9.5)
    return font


def _headless() -> QGuiApplication:
    """An application without a display, for exports from the command line."""
    if not any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    return QGuiApplication([])


def _write_png(figure: Figure, path: Path) -> None:
    image = QImage(
        round(figure.width * SCALE), round(figure.height * SCALE), QImage.Format.Format_RGB32
    )
    image.setDevicePixelRatio(SCALE)
    _paint(image, figure)
    if not image.save(str(path)):
        raise PermissionError(f"no file can be made in {path.parent}")


def _write_svg(figure: Figure, path: Path) -> None:
    from PySide6.QtSvg import QSvgGenerator  # only here: the window must not wait for it

    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
    generator.setFileName(str(path))
    generator.setSize(QSize(round(figure.width), round(figure.height)))
    generator.setViewBox(QRectF(0, 0, figure.width, figure.height))
    generator.setTitle(run_title(figure.scene.trace))
    generator.setResolution(96)
    _paint(generator, figure)


def _write_pdf(figure: Figure, path: Path) -> None:
    writer = QPdfWriter(str(path))
    points = QSizeF(figure.width * 0.75, figure.height * 0.75)
    writer.setPageSize(
        QPageSize(points, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    )
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setResolution(96)
    writer.setTitle(run_title(figure.scene.trace))
    _paint(writer, figure)


def _paint(device: QPaintDevice, figure: Figure) -> None:
    painter = QPainter()
    if not painter.begin(device):
        raise PermissionError("the file cannot be opened for writing")
    try:
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        draw_figure(painter, figure)
    finally:
        painter.end()


WRITERS: dict[str, Callable[[Figure, Path], None]] = {
    ".png": _write_png,
    ".svg": _write_svg,
    ".pdf": _write_pdf,
}
