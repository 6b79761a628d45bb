"""Labels in the boxes of a figure: micro-batch numbers, with letters where all of them fit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF

from core.plan.task import ABSENT, KINDS, Kind
from gui.figures.looks import BoxLook
from gui.figures.parts import Panel, Row
from gui.figures.style import Face
from gui.figures.textbook import NUMBERED
from gui.look.families import FAMILIES
from gui.timeline.paint.boxes import stacked
from gui.timeline.state.bar_looks import COLUMNS, Choices, labels_of, on_one_line

MOST = 0.9  # share of a family's boxes that a longer label must fit before it is used
AIR = 0.16  # em of space on both sides of a label, together
_OVERLAP = KINDS.index(Kind.OVERLAP)


class BoxLabel(NamedTuple):
    """A box and the texts for it, longest first; `family` is an index into FAMILIES."""

    box: QRectF
    look: BoxLook
    family: int
    choices: Choices

    def words(self, length: int) -> str:
        """Return the text `length` places before the shortest; the longest if there are fewer."""
        # Counted from the shortest, the last one, because boxes have different numbers of choices.
        last = len(self.choices) - 1
        return self.choices[max(0, last - length)]


def labels(
    panels: Iterable[Panel], left: float, face: Face, looks: tuple[tuple[BoxLook, ...], ...]
) -> list[tuple[BoxLabel, str]]:
    """Return the labels that fit, with their texts; all boxes of a family use the same length.

    Lengths are those of `BoxLabel.words`.
    """
    found: list[BoxLabel] = []
    for panel in panels:
        for row in panel.rows:
            if not row.helper and row.height >= face.pixels:
                found += _row_labels(panel, row, left, face, looks)
    lengths = _lengths(found, face)
    fitting = []
    for label in found:
        words = label.words(lengths[label.family])
        if _fits(face, words, label):
            fitting.append((label, words))
    return fitting


def _lengths(found: Iterable[BoxLabel], face: Face) -> dict[int, int]:
    """Return for each family the length (as in `words`) of the texts that fit nearly all boxes."""
    by_family: dict[int, list[BoxLabel]] = defaultdict(list)
    for label in found:
        # Boxes without room for even the shortest text are ignored.
        shortest = label.words(0)
        if _fits(face, shortest, label):
            by_family[label.family].append(label)
    lengths = {code: 0 for code in range(len(FAMILIES))}
    for code, mine in by_family.items():
        most_choices = max(len(label.choices) for label in mine)
        for length in range(1, most_choices):
            fitting = 0
            for label in mine:
                fitting += _fits(face, label.words(length), label)
            if fitting < MOST * len(mine):
                break
            lengths[code] = length
    return lengths


def _fits(face: Face, words: str, label: BoxLabel) -> bool:
    needed = face.width(words) + AIR * face.pixels
    return bool(words) and needed <= label.box.width()


def _row_labels(
    panel: Panel, row: Row, left: float, face: Face, looks: tuple[tuple[BoxLook, ...], ...]
) -> Iterator[BoxLabel]:
    """Yield the labels of a lane's boxes that are not very narrow."""
    boxes = row.boxes
    if boxes.first is None:
        return
    width = boxes.right - boxes.left
    wide = np.flatnonzero(width >= 0.5 * face.pixels)
    if not len(wide):
        return
    scene = panel.run.scene
    lane = row.lane.index
    # Where boxes are single spans, box n is the lane's span `first` + n.
    spans = scene.trace.spans(lane)[boxes.first + wide]
    staged = len(scene.facts[lane].stages) > 1
    columns = [spans[name].tolist() for name in COLUMNS]
    rows = zip(*columns, strict=True)
    for index, (kind, *numbers, stage, paired_stage, _, _) in zip(wide.tolist(), rows, strict=True):
        halves = labels_of(kind, tuple(numbers), stage, paired_stage, staged)
        family = int(boxes.family[index])
        if FAMILIES[family] in NUMBERED:
            # The micro-batch of the bar and, in an overlap, that of its other half, by their places
            # in COLUMNS.
            halves = _with_numbers(halves, (numbers[0], numbers[4]))
        x = left + boxes.left[index]
        rect = QRectF(x, row.top, width[index], row.height)
        if kind == _OVERLAP and row.height < 2 * face.pixels:
            halves = on_one_line(halves)
        parts = stacked(rect, len(halves))
        for part, choices, look in zip(parts, halves, looks[family], strict=False):
            yield BoxLabel(part, look, family, choices)


def _with_numbers(
    halves: tuple[Choices, ...], microbatches: tuple[int, int]
) -> tuple[Choices, ...]:
    """Add the number of each half's micro-batch as the shortest choice, if it has one."""
    longer = []
    for choices, number in zip(halves, microbatches, strict=False):
        if number == ABSENT:
            longer.append(choices)
        else:
            longer.append((*choices, str(number)))
    return tuple(longer)
