"""The legend: the meanings of the colours that occur in a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from core.message import N_
from core.plan.task import ABSENT
from core.trace.own_colours import OWN_COLOURS
from core.trace.spans import TaskTable
from gui.look.families import FAMILIES, family_texts
from gui.look.painter import fill, pen
from gui.look.text import duration_text, tr
from gui.look.theme import SERIES, Theme, mixed
from gui.look.writing import in_lines, write
from gui.timeline.layout.fonts import Fonts, text_width
from gui.timeline.layout.groups import Strips
from gui.timeline.paint.boxes import stacked
from gui.timeline.paint.critical import draw_sample
from gui.timeline.paint.hatch import HATCH, hatch_brush, hatch_lines
from gui.timeline.paint.strips import PALE, memory_colours
from gui.timeline.state.colour_choices import ByDuration, ByName, ByNumber, ColourBy
from gui.timeline.state.scene import Scene

BOX = 12.0
WIDE = 22.0  # the hatch needs more room to be recognized
RAMP_WIDE = 100.0
MOST_NUMBERS = 3  # most numbers that are listed for one colour
MOST_LETTERS = 32  # longer names are shortened to about this many characters
GAP = 6.0  # between a box and its text
SPACE = 18.0  # between entries
LINE = 18.0  # distance between two lines
_NAMES = {
    ColourBy.MICROBATCH: (N_("micro-batch"), N_("micro-batches"), N_("no micro-batch")),
    ColourBy.STAGE: (N_("stage"), N_("stages"), N_("no stage")),
}


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """The meaning of a colour or pattern; `draw` fills its box, which is `width` pixels wide."""

    text: str
    width: float
    draw: Callable[[QPainter, QRectF], None]


def legend_entries(
    scene: Scene,
    theme: Theme,
    strips: Strips,
    vector: bool = False,
) -> list[LegendEntry]:
    """Return entries for the bars' colours, idle time, and everything else that is shown."""
    entries = _colour_entries(scene, theme)
    if entries and len(scene.step_numbers):
        entries.append(LegendEntry(tr("idle"), WIDE, _hatched(theme, vector)))
    if entries and strips.path:
        entries.append(LegendEntry(tr("critical path"), WIDE, _path(theme)))
    if strips.prediction:
        entries.append(LegendEntry(tr("predicted"), WIDE, _outlined(theme)))
    if strips.memory:
        rest, activations = memory_colours(theme)
        entries.append(LegendEntry(tr("activations held"), BOX, _filled(activations)))
        entries.append(LegendEntry(tr("other memory"), BOX, _filled(rest)))
    return entries


def _colour_entries(scene: Scene, theme: Theme) -> list[LegendEntry]:
    """Return entries for the families, numbers or names that occur, or for the durations."""
    colouring = scene.colouring
    if isinstance(colouring, ByDuration):
        if not scene.kinds:
            return []
        shortest = duration_text(colouring.shortest)
        longest = duration_text(colouring.longest)
        text = tr("{shortest} to {longest}", shortest=shortest, longest=longest)
        return [LegendEntry(text, RAMP_WIDE, _ramp(theme))]
    entries = []
    for text, colours in zip(_words(scene), colouring.colours(theme), strict=True):
        if text:
            entries.append(LegendEntry(text, BOX, _filled(*colours)))
    return entries


def _words(scene: Scene) -> list[str]:
    """Return the meaning of each code of the scene's colouring; "" if it does not occur."""
    colouring = scene.colouring
    table = scene.trace.table
    if isinstance(colouring, ByName):
        # The length is an argument because results are cached and the table grows: without it,
        # names that are added later would be missing.
        return _name_words(colouring, len(table))
    if isinstance(colouring, ByNumber):
        return number_words(colouring, table)
    texts = family_texts(scene.kinds)
    return [texts.get(family, "") for family in FAMILIES]


def number_words(colouring: ByNumber, table: TaskTable) -> list[str]:
    """Return the meaning of each code of a colouring: `stage 0, 8`; "" if it does not occur."""
    one, many, none = _NAMES[colouring.number]
    numbers = np.unique(table.rows[colouring.number.value])
    there = [n for n in numbers.tolist() if n != ABSENT]
    words = []
    for code in range(SERIES):
        mine = [number for number in there if number % SERIES == code]
        if not mine:
            words.append("")
            continue
        listed = ", ".join(map(str, mine[:MOST_NUMBERS]))
        if len(mine) > MOST_NUMBERS:
            listed += "…"
        name = tr(one if len(mine) == 1 else many)
        words.append(f"{name} {listed}")
    words.append(tr(none) if ABSENT in numbers else "")
    return words


def _name_words(colouring: ByName, count: int) -> list[str]:
    """Return the meaning of each code: series colours, other names, the file's own colours."""
    there = _codes_there(colouring, count)
    labels = [_shortened(label) for label in colouring.labels]
    labels += [""] * (SERIES - len(labels))
    words = [*labels, tr("other names"), *OWN_COLOURS]
    for code in range(len(words)):
        if code not in there:
            words[code] = ""
    return words


def _shortened(label: str) -> str:
    """Return a label, without its middle if it is long."""
    half = MOST_LETTERS // 2
    if len(label) <= MOST_LETTERS:
        return label
    return f"{label[:half]}…{label[-half:]}"


@lru_cache(4)
def _codes_there(colouring: ByName, count: int) -> frozenset[int]:
    """Return the codes that occur in the first `count` tasks of the table, cached."""
    rows = np.arange(count, dtype=np.int32)
    codes = colouring.codes_of(rows)
    return frozenset(codes.tolist())


def legend_lines(entries: list[LegendEntry], fonts: Fonts, width: float) -> list[list[LegendEntry]]:
    """Break the entries into lines of at most `width` pixels."""
    sized = []
    for entry in entries:
        words = text_width(fonts.small, entry.text)
        sized.append((entry, entry.width + GAP + words))
    return in_lines(sized, SPACE, width)


def draw_legend(
    painter: QPainter,
    theme: Theme,
    fonts: Fonts,
    at: QPointF,
    lines: list[list[LegendEntry]],
) -> None:
    """Draw the entries line by line, from `at` on."""
    painter.setFont(fonts.small)
    for number, line in enumerate(lines):
        x = at.x()
        y = at.y() + number * LINE
        for entry in line:
            left = round(x)
            box = QRectF(left, y, entry.width, BOX)
            entry.draw(painter, box)
            width = text_width(fonts.small, entry.text)
            before_text = entry.width + GAP
            words = QRectF(left + before_text, y - 3, width + 4, BOX + 6)
            write(painter, fonts.small, theme.text, words, entry.text)
            x += before_text + width + SPACE


def _filled(*colours: QColor) -> Callable[[QPainter, QRectF], None]:
    def draw(painter: QPainter, box: QRectF) -> None:
        parts = stacked(box, len(colours))
        for part, colour in zip(parts, colours, strict=True):
            painter.fillRect(part, colour)

    return draw


def _ramp(theme: Theme) -> Callable[[QPainter, QRectF], None]:
    def draw(painter: QPainter, box: QRectF) -> None:
        width = box.width() / len(theme.ramp)
        for number, colour in enumerate(theme.ramp):
            left = box.left() + number * width
            part = QRectF(left, box.top(), width, box.height())
            fill(painter, part, colour)

    return draw


def _hatched(theme: Theme, vector: bool) -> Callable[[QPainter, QRectF], None]:
    def draw(painter: QPainter, box: QRectF) -> None:
        if vector:
            painter.setPen(pen(theme.idle, 0.6))
            painter.drawLines(hatch_lines(box))
        else:
            # The texture starts at the box's left edge, so that the sample looks the same anywhere.
            ratio = painter.device().devicePixelRatioF()
            painter.setBrushOrigin(QPointF(box.left() % HATCH, 0))
            painter.fillRect(box, hatch_brush(theme.idle, ratio))

    return draw


def _path(theme: Theme) -> Callable[[QPainter, QRectF], None]:
    return lambda painter, box: draw_sample(painter, box, QColor(theme.path))


def _outlined(theme: Theme) -> Callable[[QPainter, QRectF], None]:
    """Return a function that draws two outlined boxes, like a predicted forward and backward."""

    def draw(painter: QPainter, box: QRectF) -> None:
        half = box.width() / 2
        outer = box.adjusted(0, 3, -half - 1, -3)
        for colour in (theme.forward, theme.backward):
            fill(painter, outer, colour)
            inner = outer.adjusted(1, 1, -1, -1)
            fill(painter, inner, mixed(colour, theme.plot, PALE))
            outer.translate(half, 0)

    return draw
