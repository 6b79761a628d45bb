"""Runs and recordings as tabs above the timeline; each keeps where one stood in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QTabBar, QToolButton

from gui.app.run_names import shown_title
from gui.app.session import Run
from gui.look.text import tr
from gui.timeline.state.history import SavedView
from gui.timeline.state.scene import Scene
from gui.widgets.label import plain_tip
from gui.widgets.layouts import button

KEPT_SCENES = 4  # of the tabs shown last; others are summed up anew when they are shown again
LONGEST = 34  # characters of a title


@dataclass(slots=True)
class TabState:
    """What a tab keeps while another is shown."""

    scene: Scene | None = None
    saved: SavedView | None = None


class RunTabs(QTabBar):
    """A tab for each open run; hidden while there are fewer than two.

    `chosen` carries the run that was picked. `closed` comes when a tab was closed by hand, with the
    run to show now, or None. The run itself goes on, and stays in the Runs panel. `menu_wanted`
    carries a run and the place on screen where its menu is asked for.
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
        # Both: a click on the tab that is current already changes nothing, and yet asks to see its
        # run where another page stands over it.
        self.currentChanged.connect(self._emit_chosen)
        self.tabBarClicked.connect(self._emit_chosen)

    @property
    def runs(self) -> list[Run]:
        """The runs that have a tab, in order."""
        return [self.tabData(place) for place in range(self.count())]

    def open(self, run: Run) -> TabState:
        """Bring a run's tab to the front without choosing it; what it kept, if it was open."""
        kept = self._kept.setdefault(run, TabState())
        self._kept[run] = self._kept.pop(run)  # the last one is the one shown last
        with QSignalBlocker(self):
            place = self._place(run)
            if place < 0:
                place = self.addTab("")
                self.setTabData(place, run)
                self.setTabButton(place, QTabBar.ButtonPosition.RightSide, self._close_button(run))
            self.setCurrentIndex(place)
        self.update_run(run)
        return kept

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: D102
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        place = self.currentIndex() if by_key else self.tabAt(event.pos())
        if place >= 0:
            self.menu_wanted.emit(self.tabData(place), event.globalPos())

    def leave(self, run: Run, scene: Scene | None, saved: SavedView) -> None:
        """Keep what is left of a run that is no longer shown."""
        if run in self._kept:
            self._kept[run] = TabState(scene, saved)
            for kept in list(self._kept.values())[:-KEPT_SCENES]:
                kept.scene = None

    def update_run(self, run: Run) -> None:
        """Write a run's title, with a dot while it is live."""
        place = self._place(run)
        if place < 0:
            return
        whole = title_of(run)
        short = whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 1]}…"
        # A single & would make the next letter the tab's key.
        self.setTabText(place, (f"● {short}" if run.live else short).replace("&", "&&"))
        tip = tr("{title}, running", title=whole) if run.live else whole
        self.setTabToolTip(place, plain_tip("\n".join(filter(None, [tip, run.note]))))

    def close_current(self) -> None:
        """Close the tab that is shown."""
        self.close_at(self.currentIndex())

    def close_at(self, place: int) -> None:
        """Close a tab."""
        if not 0 <= place < self.count():
            return
        with QSignalBlocker(self):
            # Blocked: Qt makes another tab the current one,
            # and `closed` tells of it once all is done.
            self._kept.pop(self.tabData(place))
            self.removeTab(place)
        self.closed.emit(self.tabData(self.currentIndex()) if self.count() else None)

    def close_run(self, run: Run) -> None:
        """Close a run's tab, if it has one."""
        self.close_at(self._place(run))

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
        """Show the next tab (1) or the previous one, round the end."""
        if self.count():
            self.setCurrentIndex((self.currentIndex() + by) % self.count())

    def _place(self, run: Run) -> int:
        return next((at for at in range(self.count()) if self.tabData(at) is run), -1)

    def _emit_chosen(self, place: int) -> None:
        if place >= 0:
            self.chosen.emit(self.tabData(place))


def title_of(run: Run) -> str:
    """A run's number and what ran, or the name of its file: `3: Pipeline, 1F1B`."""
    if run.source is not None and not run.name:
        return run.source.name
    return tr("{number}: {title}", number=run.number, title=shown_title(run))
