"""What stands in the boxes of a figure: micro-batch numbers, with letters where all have room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF

from core.plan.task import ABSENT, KINDS, Kind
from gui.figures.looks import Look
from gui.figures.style import Face
from gui.figures.textbook import NUMBERED, Panel, Row
from gui.look.families import FAMILIES
from gui.timeline.paint.boxes import stacked
from gui.timeline.state.bar_looks import COLUMNS, Choices, labels_of, on_one_line

MOST = 0.9  # of a family's boxes must have room for a longer label before any has it
AIR = 0.16  # em on both sides of a label, together
_OVERLAP = KINDS.index(Kind.OVERLAP)


class Label(NamedTuple):
    """What may stand in a box, longest first; `family` is an index into FAMILIES."""

    box: QRectF
    look: Look
    family: int
    choices: Choices

    def words(self, length: int) -> str:
        """The choice that is so far before the shortest, or the longest one."""
        # Counted from the shortest, which stands last, since some boxes have more choices than
        # others.
        return self.choices[max(0, len(self.choices) - 1 - length)]


def labels(panels: Iterable[Panel], left: float, face: Face, looks: tuple[tuple[Look, ...], ...]
           ) -> list[tuple[Label, str]]:  # fmt: skip
    """Each label that has room, with the words for it: for all boxes of a family of one length."""
    found = [
        label
        for panel in panels
        for row in panel.rows
        if not row.helper and row.height >= face.pixels
        for label in _row_labels(panel, row, left, face, looks)
    ]
    lengths = _lengths(found, face)
    chosen = ((label, label.words(lengths[label.family])) for label in found)
    return [(label, words) for label, words in chosen if _fits(face, words, label)]


def _lengths(found: Iterable[Label], face: Face) -> dict[int, int]:
    """For each family, how far before its shortest the labels are that have room nearly always."""
    by_family: dict[int, list[Label]] = defaultdict(list)
    for label in found:
        if _fits(face, label.words(0), label):
            by_family[label.family].append(label)
    lengths = {code: 0 for code in range(len(FAMILIES))}
    for code, mine in by_family.items():
        # Boxes without room for even the shortest are not asked.
        for length in range(1, max(len(label.choices) for label in mine)):
            fitting = sum(_fits(face, label.words(length), label) for label in mine)
            if fitting < MOST * len(mine):
                break
            lengths[code] = length
    return lengths


def _fits(face: Face, words: str, label: Label) -> bool:
    return bool(words) and face.width(words) + AIR * face.pixels <= label.box.width()


def _row_labels(
    panel: Panel, row: Row, left: float, face: Face, looks: tuple[tuple[Look, ...], ...]
) -> Iterator[Label]:
    boxes = row.boxes
    if boxes.first is None:
        return
    wide = np.flatnonzero(boxes.right - boxes.left >= 0.5 * face.pixels)
    if not len(wide):
        return
    # Where boxes are single spans, box n is the lane's span `first` + n.
    spans = panel.run.scene.trace.spans(row.lane.index)[boxes.first + wide]
    staged = len(panel.run.scene.facts[row.lane.index].stages) > 1
    columns = [spans[name].tolist() for name in COLUMNS]
    for index, (kind, *numbers, stage, paired_stage, _, _) in zip(
        wide.tolist(), zip(*columns, strict=True), strict=True
    ):
        halves = labels_of(kind, tuple(numbers), stage, paired_stage, staged)
        family = int(boxes.family[index])
        if FAMILIES[family] in NUMBERED:
            # A bar's micro-batch and, of an overlap, that
            # of its other half, by their places in COLUMNS.
            microbatches = (numbers[0], numbers[4])
            halves = tuple(
                (*choices, str(number)) if number != ABSENT else choices
                for choices, number in zip(halves, microbatches, strict=False)
            )
        rect = QRectF(
            left + boxes.left[index], row.top, boxes.right[index] - boxes.left[index], row.height
        )
        if kind == _OVERLAP and row.height < 2 * face.pixels:
            halves = on_one_line(halves)
        for part, choices, look in zip(
            stacked(rect, len(halves)), halves, looks[family], strict=False
        ):
            yield Label(part, look, family, choices)
