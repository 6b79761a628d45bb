"""Small picture of a predicted step: all compute lanes, over the whole step."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QSizePolicy

from core.override import override
from core.plan.task import KINDS
from core.predict.whatif import WhatIfResult
from gui.look.families import FAMILY_CODES
from gui.look.painter import fill, pen
from gui.look.text import duration_text, percent_text, tr
from gui.look.theme import Theme
from gui.look.writing import CENTRE, write, write_wrapped
from gui.timeline.layout.axis import ticks
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.layout.frame import Viewport
from gui.timeline.paint.hatch import hatch_brush
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
    """Draws an answer as one strip a lane, with a tooltip for the task under the pointer.

    A `bare` picture has neither axis nor names, and its durations are not to scale; its height
    follows from the number of lanes. Lanes are named by their kind of `device`, if it is known.
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
                if self._veiled:
                    painter.setOpacity(0.25)
                painter.drawPixmap(0, 0, self._picture)
                painter.setOpacity(1.0)
            if self.note:
                colour = self.theme.text if self._veiled else self.theme.muted
                area = QRectF(self.rect()).adjusted(16, HEAD, -16, -8)
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
            return tr("{lane}: idle at {time}", lane=name, time=duration_text(time))
        task = task_text(answer, found)
        if self._bare:
            return tr("{lane}: {task}", lane=name, task=task)
        length = float(answer.end[found] - answer.start[found])
        return tr("{lane}: {task}, {time}", lane=name, task=task, time=duration_text(length))

    def _name(self, lane: int) -> str:
        if self.device:
            return f"{self.device}:{lane}"
        return tr("lane {lane}", lane=lane)

    def _draw(self, answer: WhatIfResult) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(self.theme.plot))
        fonts = Fonts.of(self.font())
        with QPainter(picture) as painter:
            if not self._bare:
                head = QRectF(0, 0, LEFT + 40, HEAD - 3)
                write(painter, fonts.bold, self.theme.text, head, tr("Predicted"), CENTRE)
                self._draw_axis(painter, fonts, answer)
            self._draw_lanes(painter, fonts, answer, ratio)
        return picture

    def _draw_axis(self, painter: QPainter, fonts: Fonts, answer: WhatIfResult) -> None:
        theme = self.theme
        plot = self.plot
        span = max(1.0, float(answer.makespan_ns))
        view = Viewport(0.0, span, plot.width())
        font = fonts.small
        painter.setFont(font)
        for tick in ticks(view):
            x = plot.left() + tick.x
            painter.setPen(pen(theme.grid))
            painter.drawLine(QLineF(x, HEAD - 3, x, plot.bottom()))
            width = text_width(font, tick.label)
            half = width / 2
            # The word Predicted is above the first 40 pixels of the plot.
            if tick.x > 50 and tick.x + half < plot.width():
                place = QRectF(x - half, 0, width + 2, HEAD - 4)
                write(painter, font, theme.muted, place, tick.label, CENTRE)

    def _draw_lanes(
        self, painter: QPainter, fonts: Fonts, answer: WhatIfResult, ratio: float
    ) -> None:
        plot = self.plot
        lanes = _lane_count(answer)
        row = plot.height() / lanes
        gap = 1.0 if row >= GAPPED else 0.0
        painter.setFont(fonts.small)
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
                self._draw_name(painter, name, top + row / 2)
            if row >= GAPPED:
                self._draw_seams(painter, answer, lane, strip)
            if row >= LETTER_ROW:
                self._draw_letters(painter, fonts, answer, lane, strip)

    def _draw_name(self, painter: QPainter, name: str, middle: float) -> None:
        """Write a lane's name left of the plot, in the painter's font."""
        place = QRectF(0, middle - NAME / 2, LEFT - 6, NAME)
        painter.setPen(QColor(self.theme.muted))
        painter.drawText(place, Qt.AlignmentFlag.AlignRight, name)

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

    def _draw_seams(
        self, painter: QPainter, answer: WhatIfResult, lane: int, strip: QRectF
    ) -> None:
        """Leave a free pixel at the end of every task that is wide enough for it."""
        tasks = _of_lane(answer, lane)
        ends = answer.end[tasks]
        lengths = ends - answer.start[tasks]
        scale = strip.width() / max(1, answer.makespan_ns)
        is_wide = lengths * scale > SEAM_PIXELS
        for end in ends[is_wide].tolist():
            right = strip.left() + end * scale
            seam = QRectF(right - 1, strip.top(), 1, strip.height())
            fill(painter, seam, self.theme.plot)

    def _draw_letters(
        self, painter: QPainter, fonts: Fonts, answer: WhatIfResult, lane: int, strip: QRectF
    ) -> None:
        """Write a task's letter and micro-batch into its bar, or the letter alone."""
        font = fonts.small
        tasks = _of_lane(answer, lane)
        lengths = answer.end[tasks] - answer.start[tasks]
        scale = strip.width() / max(1, answer.makespan_ns)
        is_wide = lengths * scale >= LETTER_BAR
        colours = self.theme.letters(self.theme.families)
        wide_tasks = np.flatnonzero(is_wide) + tasks.start
        for task in wide_tasks.tolist():
            start = float(answer.start[task])
            length = float(answer.end[task]) - start
            left = strip.left() + start * scale
            width = length * scale
            box = QRectF(left, strip.top(), width, strip.height())
            code = answer.kind[task]
            letter = KINDS[code].letter
            text = letter
            microbatch = int(answer.microbatch[task])
            if microbatch >= 0:
                text = f"{letter}{microbatch}"
            if text_width(font, text) > width - 2:
                text = letter
            if text_width(font, text) <= width:
                family = FAMILY_CODES[code]
                painter.setPen(colours[family][0])
                painter.drawText(box, CENTRE, text)


def _lane_count(answer: WhatIfResult) -> int:
    """Return the number of lanes: `first` has an entry for each, and one for the end."""
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
