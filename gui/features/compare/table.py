"""Table of differences, largest first; the timelines outline the spans of the current row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import (
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
)

from core.compare.differences import Difference, RowGroup
from core.compare.runs import TwoRuns
from core.explain.causes import Cause
from core.plan.task import Kind
from gui.look.causes import CAUSE_LOOKS, brush
from gui.look.families import family_of
from gui.look.painter import fill
from gui.look.text import MINUS, NONE, tr
from gui.look.theme import LIGHT, Theme
from gui.look.writing import RIGHT
from gui.timeline.interact.describe import TITLES
from gui.widgets.label import plain_tip
from gui.widgets.tables import Index, dress_tree

ROW_ROLE = Qt.ItemDataRole.UserRole
SHARE_ROLE = ROW_ROLE + 1
SWATCH = 10
BARS = 5  # the column of bars
BAR_WIDTH = 60


class DifferenceTable(QTreeWidget):
    """Rows in groups; `chosen` carries the Difference of the current row, or None."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.theme = LIGHT
        self._two: TwoRuns | None = None
        heads = (tr("lane time, ms"), tr("A"), tr("B"), tr("B − A"), tr("Adds to step"), "")
        dress_tree(self, tr("Differences between run A and run B"), heads, stretched=BARS)
        tip = tr("Time that it adds to B's step: its mean over B's lanes minus its mean over A's.")
        self.headerItem().setToolTip(4, tip)
        for column in range(1, 5):
            self.headerItem().setTextAlignment(column, RIGHT)
        self.setIconSize(QSize(SWATCH, SWATCH))
        self.setIndentation(0)
        # A view does not own its delegates: its parent keeps this one alive, and `_Bars.paint` uses
        # that parent.
        self.setItemDelegateForColumn(BARS, _Bars(self))
        self.header().setMinimumSectionSize(BAR_WIDTH)
        self.currentItemChanged.connect(self._emit_chosen)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self.theme = theme
        self._fill()

    def show_two(self, two: TwoRuns | None) -> None:
        """Show other differences, or none; the current row stays current if it still exists."""
        self._two = two
        self._fill()

    def choose_nothing(self) -> None:
        """Clear the current row."""
        self.setCurrentIndex(QModelIndex())

    def _fill(self) -> None:
        kept = self._current()
        # Replacing the items would emit signals. Instead, one is emitted at the end if the current
        # row has changed.
        with QSignalBlocker(self):
            self.clear()
            if self._two is not None:
                self._add_all(self._two)
            self._choose_again(kept)
        if self._current() != kept:
            self.chosen.emit(self._current())

    def _add_all(self, two: TwoRuns) -> None:
        contributing = (*two.reasons, *two.lanes)
        most = max((abs(row.contribution) for row in contributing), default=0)
        self._add(tr("COMPUTE LANES: WORK AND IDLE CAUSES"), two.reasons, two.difference, most)
        self._add(tr("EACH COMPUTE LANE"), two.lanes, two.difference, most)
        self._add(tr("COPY AND COMMUNICATION LANES"), two.other_lanes, None, most)

    def _add(self, heading: str, rows: Sequence[Difference], total: int | None, most: int) -> None:
        if not rows:
            return
        head = QTreeWidgetItem(self, [heading])
        # Enabled, so that it is not grey, but not selectable: there is nothing to outline.
        head.setFlags(Qt.ItemFlag.ItemIsEnabled)
        head.setForeground(0, QColor(self.theme.muted))
        # Set after the item was added, because the tree stores this, not the item.
        head.setFirstColumnSpanned(True)
        for row in rows:
            self._add_row(row, most, total is not None)
        if total is not None:
            last = QTreeWidgetItem(self, [tr("Step"), "", "", "", signed_text(total)])
            last.setFlags(Qt.ItemFlag.ItemIsEnabled)
            for column in (0, 4):
                font = last.font(column)
                font.setBold(True)
                last.setFont(column, font)
            last.setTextAlignment(4, RIGHT)

    def _add_row(self, row: Difference, most: int, adds: bool) -> None:
        added = signed_text(row.contribution) if adds else ""
        texts = [
            row_name(row),
            ms_text(row.a),
            ms_text(row.b),
            signed_text(row.difference),
            added,
        ]
        share = row.contribution / most if most else 0.0
        item = QTreeWidgetItem(self, texts)
        item.setData(0, ROW_ROLE, row)
        item.setData(BARS, SHARE_ROLE, share)
        item.setIcon(0, self._swatch(row))
        for column in range(1, 5):
            item.setTextAlignment(column, RIGHT)
        item.setToolTip(0, plain_tip(row_tip(row)))

    def _swatch(self, row: Difference) -> QIcon:
        """Return an icon with the colour of a kind or the pattern of a cause, or an empty one."""
        ratio = self.devicePixelRatioF()
        # In device pixels: a scaled pattern would be blurred.
        side = round(SWATCH * ratio)
        picture = QPixmap(side, side)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        area = QRectF(0, 0, SWATCH, SWATCH)
        with QPainter(picture) as painter:
            if row.group is RowGroup.CAUSE:
                look = CAUSE_LOOKS[Cause(row.name)]
                painter.fillRect(area, brush(look, self.theme, ratio))
            elif row.group in (RowGroup.KIND, RowGroup.OTHER_LANES):
                family = family_of(Kind(row.name))
                colour, *_ = self.theme.colours_of(family)
                fill(painter, area, colour)
        return QIcon(picture)

    def _current(self) -> Difference | None:
        item = self.currentItem()
        return None if item is None else item.data(0, ROW_ROLE)

    def _choose_again(self, kept: Difference | None) -> None:
        if kept is None:
            return
        for index in range(self.topLevelItemCount()):
            item = self.topLevelItem(index)
            if item is None:
                continue
            row = item.data(0, ROW_ROLE)
            if row is not None and _same(row, kept):
                self.setCurrentItem(item)

    def _emit_chosen(self, *_: object) -> None:
        self.chosen.emit(self._current())


class _Bars(QStyledItemDelegate):
    """Draws a contribution as a bar: an increase to the right, a reduction to the left."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the cell, and in it the bar."""
        super().paint(painter, option, index)
        share = index.data(SHARE_ROLE)
        table = self.parent()
        if not share or not isinstance(table, DifferenceTable):
            return
        area = QRectF(option.rect).adjusted(4, 4, -4, -4)
        # Rounded to a whole pixel, where the bar and the line meet.
        middle = round(area.center().x())
        # At least one pixel, so that the sign of any contribution is visible.
        length = max(1.0, abs(share) * area.width() / 2)
        bar = QRectF(middle, area.top(), length, area.height())
        colour = table.theme.warning
        if share < 0:
            bar.moveRight(middle)
            colour = table.theme.accent
        fill(painter, bar, colour)
        line = QRectF(middle, option.rect.top(), 1, option.rect.height())
        fill(painter, line, table.theme.line)


def row_name(row: Difference) -> str:
    """Return the subject of a row: `Forward`, `idle: fill`, `cpu:1 works`."""
    if row.group is RowGroup.CAUSE:
        return tr("idle: {cause}", cause=tr(Cause(row.name).label))
    if row.group in (RowGroup.KIND, RowGroup.OTHER_LANES):
        kind = Kind(row.name)
        return tr(TITLES.get(kind, "Other work"))
    if row.group is RowGroup.LANE_WORK:
        return tr("{lane} works", lane=row.name)
    if row.group is RowGroup.LANE_IDLE:
        return tr("{lane} is idle", lane=row.name)
    return tr("Tasks that overlap")


def row_tip(row: Difference) -> str:
    """Return a row as a sentence."""
    a = ms_text(row.a)
    b = ms_text(row.b)
    if row.group is RowGroup.OTHER_LANES:
        words = tr("{a} ms in A, {b} ms in B; it costs only what compute lanes wait for.", a=a, b=b)
    else:
        adds = signed_text(row.contribution)
        words = tr("{a} ms in A, {b} ms in B: it adds {adds} ms to B's step.", a=a, b=b, adds=adds)
    return f"{row_name(row)}: {words}"


def _same(row: Difference, other: Difference) -> bool:
    return (row.group, row.name, row.place) == (other.group, other.name, other.place)


def ms_text(ns: int | None) -> str:
    """Return ns as ms, or a dash for None."""
    return NONE if ns is None else f"{ns / 1e6:.2f}"


def signed_text(ns: int) -> str:
    """Return ns as ms with a sign."""
    return f"{ns / 1e6:+.2f}".replace("-", MINUS)
