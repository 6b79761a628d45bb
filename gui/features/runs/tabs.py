"""Tabs of the open runs above the timeline; each keeps its view while another is shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QTabBar, QToolButton

from core.override import override
from gui.app.run import Run
from gui.app.run_names import shown_title
from gui.app.titles import DOT
from gui.look.text import tr
from gui.timeline.state.history import SavedView
from gui.timeline.state.scene import Scene
from gui.widgets.label import plain_tip
from gui.widgets.layouts import button

KEPT_SCENES = 4  # of the tabs shown last; the other scenes are built again when shown
LONGEST = 34  # characters of a title
SHORTEST = 8  # characters of a title, at least, in front of the settings that distinguish runs


@dataclass(slots=True)
class TabState:
    """Scene and view of a tab while another tab is shown."""

    scene: Scene | None = None
    saved: SavedView | None = None


class RunTabs(QTabBar):
    """A tab for each open run; hidden while there are fewer than two.

    `chosen` carries the run that was picked. `closed` is emitted when the current tab is closed,
    with the run to show instead, or None. The closed run continues, and stays in the Runs panel.
    `menu_wanted` carries a run and the position on screen for its menu.
    """

    chosen = Signal(object)
    closed = Signal(object)
    menu_wanted = Signal(object, QPoint)

    def __init__(self) -> None:
        super().__init__(
            autoHide=True, drawBase=False, expanding=False, movable=True, usesScrollButtons=True
        )
        self.setObjectName("runs")
        self.setAccessibleName(tr("Open runs and recordings"))
        self._kept: dict[Run, TabState] = {}
        # Both signals: a click on the current tab changes no index, but must show its run if the
        # first page covers it.
        self.currentChanged.connect(self._emit_chosen)
        self.tabBarClicked.connect(self._emit_chosen)

    @property
    def runs(self) -> list[Run]:
        """The runs that have a tab, in order."""
        return [self.tabData(place) for place in range(self.count())]

    def open(self, run: Run) -> TabState:
        """Bring a run's tab to the front, without a signal, and return its state."""
        kept = self._kept.setdefault(run, TabState())
        self._kept[run] = self._kept.pop(run)  # moved to the end, because it was shown last
        with QSignalBlocker(self):
            place = self._place(run)
            if place < 0:
                place = self.addTab("")
                self.setTabData(place, run)
                self.setTabButton(place, QTabBar.ButtonPosition.RightSide, self._close_button(run))
            self.setCurrentIndex(place)
        self.update_run(run)
        return kept

    @override
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        place = self.currentIndex() if by_key else self.tabAt(event.pos())
        if place >= 0:
            self.menu_wanted.emit(self.tabData(place), event.globalPos())

    def leave(self, run: Run, scene: Scene | None, saved: SavedView) -> None:
        """Keep the scene and view of a run that is no longer shown."""
        if run in self._kept:
            self._kept[run] = TabState(scene, saved)
            for kept in list(self._kept.values())[:-KEPT_SCENES]:
                kept.scene = None

    def update_run(self, run: Run) -> None:
        """Update the title and the tooltip of a run's tab; a dot marks a live run."""
        place = self._place(run)
        if place < 0:
            return
        whole = title_of(run)
        short = short_title(run)
        tip = whole
        if run.live:
            short = f"● {short}"
            tip = tr("{title}, running", title=whole)
        if run.note:
            tip = f"{tip}\n{run.note}"
        # A single & would make the next letter the tab's mnemonic.
        self.setTabText(place, short.replace("&", "&&"))
        self.setTabToolTip(place, plain_tip(tip))

    def close_current(self) -> None:
        """Close the tab that is shown."""
        self.close_at(self.currentIndex())

    def close_at(self, place: int) -> None:
        """Close a tab; if it is the current one, `closed` carries the run to show instead."""
        if not 0 <= place < self.count():
            return
        was_current = place == self.currentIndex()
        with QSignalBlocker(self):
            # Blocked, because Qt makes another tab the current one; `closed` reports that below.
            self._kept.pop(self.tabData(place))
            self.removeTab(place)
        if was_current:
            shown = self.tabData(self.currentIndex()) if self.count() else None
            self.closed.emit(shown)

    def close_run(self, run: Run) -> None:
        """Close a run's tab, if it has one."""
        self.close_at(self._place(run))

    def close_group(self, run: Run) -> None:
        """Close the tabs of the other runs of a run's group, without a signal."""
        for other in self.runs:
            if other is not run and other.group == run.group:
                with QSignalBlocker(self):
                    self._kept.pop(other)
                    self.removeTab(self._place(other))

    def close_others(self, run: Run) -> None:
        """Close every tab but a run's, and show that run."""
        for other in self.runs:
            if other is not run:
                with QSignalBlocker(self):
                    self._kept.pop(other)
                    self.removeTab(self._place(other))
        self.chosen.emit(run)

    def _close_button(self, run: Run) -> QToolButton:
        name = tr("Close {title}", title=title_of(run))
        tip = tr("Close this tab; the run stays in the Runs panel. (Ctrl+W)")
        made = button(QToolButton, "×", tip, partial(self.close_run, run), name, "close")
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keyboard has Ctrl+W
        return made

    def step(self, by: int) -> None:
        """Show the next tab (1) or the previous one (-1); the last is followed by the first."""
        if self.count():
            self.setCurrentIndex((self.currentIndex() + by) % self.count())

    def _place(self, run: Run) -> int:
        for place in range(self.count()):
            if self.tabData(place) is run:
                return place
        return -1

    def _emit_chosen(self, place: int) -> None:
        if place >= 0:
            self.chosen.emit(self.tabData(place))


def title_of(run: Run) -> str:
    """Return a run's number and title, `3: Pipeline 1F1B`, or the name of its file."""
    if run.source is not None and not run.name:
        return run.source.name
    return tr("{number}: {title}", number=run.number, title=shown_title(run))


def short_title(run: Run) -> str:
    """Return a title of at most LONGEST characters: `3: Pipeline 1F… · Micro-batches 4`.

    Runs with the same title differ in the settings at its end, so these are kept if possible.
    """
    whole = title_of(run)
    if len(whole) <= LONGEST:
        return whole
    ending = f"…{DOT}{run.distinction}"
    room = LONGEST - len(ending)
    if not run.distinction or not whole.endswith(run.distinction) or room < SHORTEST:
        return f"{whole[: LONGEST - 1]}…"
    return f"{whole[:room].rstrip()}{ending}"
