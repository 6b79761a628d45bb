"""Small picture of a predicted step: all compute lanes, over the whole step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy

from core.arrays import Floats
from core.override import override
from core.plan.task import KINDS
from core.predict.whatif import WhatIfResult
from gui.look.families import FAMILY_CODES
from gui.look.painter import fill
from gui.look.text import duration_text, percent_text, tr
from gui.look.theme import Theme
from gui.look.writing import CENTRE, write_wrapped
from gui.timeline.layout.axis import ticks
from gui.timeline.layout.frame import Viewport
from gui.timeline.paint.hatch import hatch_brush
from gui.timeline.paint.ink import Ink
from gui.timeline.paint.pixels import SEAM_PIXELS
from gui.timeline.reduce.shades import blended, shares
from gui.widgets.drawing import Painted

HEAD = 20.0  # the word "Predicted" and the axis
LEFT = 62.0  # the lanes' names
RIGHT = 8.0
FOOT = 4.0
MOST_ROW = 26.0
GAPPED = 5.0  # rows of at least this height have a gap between them
LETTER_ROW = 13.0
LETTER_BAR = 9.0
BARE_ROW = 10.0  # in a bare picture of at most MOST_BARE lanes
MOST_BARE = 6
BARE_HEIGHT = 64.0  # of a bare picture of more lanes
NAME = 13.0  # least distance between the names of two lanes


class AnswerPicture(Painted):
    """Draws an answer as one strip per lane, with a tooltip for the task under the pointer.

    A `bare` picture has neither axis nor names. Its durations are assumed, so tooltips omit them;
    its height follows from the number of lanes. Lanes are named `cuda:0` if `device` is `cuda`, and
    `lane 0` without a device.
    """

    def __init__(self, bare: bool = False) -> None:
        super().__init__(tr("Predicted timeline"), QSizePolicy.Policy.Expanding)
        self._bare = bare
        if not bare:
            self.setMinimumHeight(80)
        self.answer: WhatIfResult | None = None
        self.device = ""
        self.note = tr("The predicted step appears here.")
        self._veiled = False
        self._picture: QPixmap | None = None

    def set_theme(self, theme: Theme) -> None:
        """Set the colours, and repaint."""
        self._picture = None
        super().set_theme(theme)

    def show_answer(self, answer: WhatIfResult) -> None:
        """Show a predicted step."""
        self.answer = answer
        self.note = ""
        self._veiled = False
        self._picture = None
        self.setAccessibleDescription(answer_words(answer))
        if self._bare:
            lanes = _lane_count(answer)
            height = BARE_HEIGHT
            if lanes <= MOST_BARE:
                height = lanes * BARE_ROW
            self.setFixedHeight(round(height))
        self.update()

    def show_note(self, text: str) -> None:
        """Show a text in place of the picture, which remains faintly visible under it."""
        self.note = text
        self._veiled = True
        self.setAccessibleDescription(text)
        self.update()

    @property
    def plot(self) -> QRectF:
        """The area of the lanes."""
        area = QRectF(self.rect())
        if self._bare:
            return area
        area.adjust(LEFT, HEAD, -RIGHT, -FOOT)
        if self.answer is not None:
            highest = MOST_ROW * _lane_count(self.answer)
            area.setHeight(min(area.height(), highest))
        return area

    @override
    def sizeHint(self) -> QSize:
        return QSize(360, 220)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        if self.answer is not None and self._picture is None:
            # Cached: the note changes, and repaints the widget, far more often than the answer.
            self._picture = self._draw(self.answer)
        with QPainter(self) as painter:
            fill(painter, self.rect(), self.theme.plot)
            if self._picture is not None:
                painter.setOpacity(0.25 if self._veiled else 1.0)
                painter.drawPixmap(0, 0, self._picture)
                painter.setOpacity(1.0)
            if self.note:
                colour = self.theme.text if self._veiled else self.theme.muted
                whole = QRectF(self.rect())
                area = whole.adjusted(16, HEAD, -16, -8)
                write_wrapped(painter, colour, area, self.note)

    @override
    def resizeEvent(self, event: QEvent) -> None:
        self._picture = None

    def tip_at(self, at: QPointF) -> str:
        """Return the task of a lane at a pixel, `lane 3: 3F12, 1.00 ms`; "" outside the lanes."""
        answer = self.answer
        plot = self.plot
        if answer is None or self._veiled or not plot.contains(at):
            return ""
        down = (at.y() - plot.top()) / plot.height()
        across = (at.x() - plot.left()) / plot.width()
        lanes = _lane_count(answer)
        # The plot contains its lower edge, which belongs to the last lane.
        lane = min(int(down * lanes), lanes - 1)
        name = self._name(lane)
        time = across * answer.makespan_ns
        found = _task_at(answer, lane, time)
        if found is None:
            if self._bare:
                return tr("{lane}: idle", lane=name)
            moment = duration_text(time)
            return tr("{lane}: idle at {time}", lane=name, time=moment)
        task = task_text(answer, found)
        if self._bare:
            return tr("{lane}: {task}", lane=name, task=task)
        length = float(answer.end[found] - answer.start[found])
        duration = duration_text(length)
        return tr("{lane}: {task}, {time}", lane=name, task=task, time=duration)

    def _name(self, lane: int) -> str:
        if self.device:
            return f"{self.device}:{lane}"
        return tr("lane {lane}", lane=lane)

    def _draw(self, answer: WhatIfResult) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(self.theme.plot))
        with QPainter(picture) as painter:
            ink = Ink.of(painter, self.font(), self.theme)
            if not self._bare:
                head = QRectF(0, 0, LEFT + 40, HEAD - 3)
                ink.bold(head, tr("Predicted"), CENTRE)
                self._draw_axis(ink, answer)
            self._draw_lanes(ink, answer, ratio)
        return picture

    def _draw_axis(self, ink: Ink, answer: WhatIfResult) -> None:
        plot = self.plot
        span = max(1.0, float(answer.makespan_ns))
        view = Viewport(0.0, span, plot.width())
        for tick in ticks(view):
            x = plot.left() + tick.x
            ink.pen(ink.theme.grid)
            ink.upright(x, HEAD - 3, plot.bottom())
            width = ink.small_width(tick.label)
            half = width / 2
            right = tick.x + half
            # The word Predicted is above the first 40 pixels of the plot.
            if tick.x > 50 and right < plot.width():
                place = QRectF(x - half, 0, width + 2, HEAD - 4)
                ink.small(place, tick.label, CENTRE)

    def _draw_lanes(self, ink: Ink, answer: WhatIfResult, ratio: float) -> None:
        painter = ink.painter
        plot = self.plot
        lanes = _lane_count(answer)
        row = plot.height() / lanes
        gap = 1.0 if row >= GAPPED else 0.0
        # If rows are lower than a name, only every second, third... is named.
        every_nth = max(1, int(np.ceil(NAME / row)))
        pixels = max(1, round(plot.width() * ratio))
        image = self._image(answer, pixels)
        hatching = hatch_brush(self.theme.idle, ratio)
        for lane in range(lanes):
            top = plot.top() + lane * row
            strip = QRectF(plot.left(), top, plot.width(), row - gap)
            painter.fillRect(strip, hatching)
            lines = QRectF(0, 2 * lane, image.width(), 2)
            painter.drawImage(strip, image, lines)
            is_named = lane % every_nth == 0 and not self._bare
            if is_named:
                name = self._name(lane) if lanes <= 10 else str(lane)
                middle = top + row / 2
                place = QRectF(0, middle - NAME / 2, LEFT - 6, NAME)
                ink.small(place, name, Qt.AlignmentFlag.AlignRight)
            bars = _Bars(answer, lane, strip)
            if row >= GAPPED:
                _draw_seams(ink, bars)
            if row >= LETTER_ROW:
                _draw_letters(ink, bars)

    def _image(self, answer: WhatIfResult, width: int) -> QImage:
        """Return an image with two rows of pixels for each lane.

        Overlaps have the colour of their forward in the first row and of their backward in the
        second; in all other tasks the two rows are equal.
        """
        found = shares(answer, width)
        families = self.theme.families
        first_colours = [parts[0] for parts in families]
        last_colours = [parts[-1] for parts in families]
        halves = []
        for colours in (first_colours, last_colours):
            rgb = np.array([_rgb(colour) for colour in colours])
            halves.append(blended(found, rgb))
        # (lanes, 2, width) as 2 * lanes lines: each lane is drawn from two of them, stretched to
        # its row.
        pixels = np.stack(halves, axis=1).reshape(-1, width)
        form = QImage.Format.Format_ARGB32_Premultiplied
        image = QImage(pixels.data, width, len(pixels), 4 * width, form)
        return image.copy()  # the image above does not keep the array alive


@dataclass(frozen=True, slots=True)
class _Bars:
    """The bars of a lane's tasks, in a strip as wide as the step."""

    answer: WhatIfResult
    lane: int
    strip: QRectF

    @property
    def tasks(self) -> slice:
        """The lane's tasks among those of the answer."""
        return _of_lane(self.answer, self.lane)

    @property
    def scale(self) -> float:
        """Pixels per ns."""
        return self.strip.width() / max(1, self.answer.makespan_ns)

    def widths(self) -> Floats:
        """Return the width of every bar, in pixels."""
        tasks = self.tasks
        lengths = self.answer.end[tasks] - self.answer.start[tasks]
        return lengths * self.scale

    def rect(self, task: int) -> QRectF:
        """Return the bar of a task, which is numbered as in the answer."""
        start = float(self.answer.start[task])
        length = float(self.answer.end[task]) - start
        left = self.strip.left() + start * self.scale
        width = length * self.scale
        return QRectF(left, self.strip.top(), width, self.strip.height())


def _draw_seams(ink: Ink, bars: _Bars) -> None:
    """Leave a free pixel at the end of every task that is wide enough for it."""
    strip = bars.strip
    scale = bars.scale
    ends = bars.answer.end[bars.tasks]
    is_wide = bars.widths() > SEAM_PIXELS
    for end in ends[is_wide].tolist():
        right = strip.left() + end * scale
        seam = QRectF(right - 1, strip.top(), 1, strip.height())
        ink.fill(seam, ink.theme.plot)


def _draw_letters(ink: Ink, bars: _Bars) -> None:
    """Write a task's letter and micro-batch into its bar, or only the letter."""
    answer = bars.answer
    is_wide = bars.widths() >= LETTER_BAR
    colours = ink.theme.letters(ink.theme.families)
    wide_tasks = np.flatnonzero(is_wide) + bars.tasks.start
    for task in wide_tasks.tolist():
        box = bars.rect(task)
        code = answer.kind[task]
        letter = KINDS[code].letter
        text = letter
        microbatch = int(answer.microbatch[task])
        if microbatch >= 0:
            text = f"{letter}{microbatch}"
        if ink.small_width(text) > box.width() - 2:
            text = letter
        if ink.small_width(text) <= box.width():
            family = FAMILY_CODES[code]
            first, *_ = colours[family]
            ink.painter.setFont(ink.fonts.small)
            ink.painter.setPen(first)
            ink.painter.drawText(box, CENTRE, text)


def _lane_count(answer: WhatIfResult) -> int:
    """Return the number of lanes: `first` has an entry for each lane, and one for the end."""
    return len(answer.first) - 1


def _of_lane(answer: WhatIfResult, lane: int) -> slice:
    """Return the slice of a lane's tasks, which are sorted by lane, then by start."""
    start = int(answer.first[lane])
    stop = int(answer.first[lane + 1])
    return slice(start, stop)


def _task_at(answer: WhatIfResult, lane: int, time: float) -> int | None:
    """Return the number of a lane's task at a time in ns; None while the lane is idle."""
    tasks = _of_lane(answer, lane)
    # The last task that began by then, unless it has ended.
    begun = int(np.searchsorted(answer.start[tasks], time, "right"))
    found = int(tasks.start) + begun - 1
    if found < tasks.start or time >= answer.end[found]:
        return None
    return found


def task_text(answer: WhatIfResult, found: int) -> str:
    """Return a task in the notation of the literature: `3F12`."""
    stage = int(answer.stage[found])
    microbatch = int(answer.microbatch[found])
    text: str = KINDS[answer.kind[found]].letter
    if stage >= 0:
        text = f"{stage}{text}"
    if microbatch >= 0:
        text = f"{text}{microbatch}"
    return text


def answer_words(answer: WhatIfResult) -> str:
    """Return a description of the picture for screen readers."""
    return tr(
        "{lanes} lanes, {tasks} tasks: makespan {makespan}, bubble {bubble}",
        lanes=_lane_count(answer),
        tasks=f"{answer.tasks:,}",
        makespan=duration_text(answer.makespan_ns),
        bubble=percent_text(answer.bubble_by_makespan),
    )


def _rgb(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()
