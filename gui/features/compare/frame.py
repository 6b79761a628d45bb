"""Frame of one timeline, or of the timelines of two runs."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QSplitter, QToolButton, QWidget

from core.override import override
from gui.features.compare.overlay import Overlay
from gui.features.recordings.opening import OpeningStrip
from gui.look.text import tr
from gui.timeline.interact.view import TimelineView
from gui.timeline.layout.frame import LABELS
from gui.timeline.state.colour_choices import choice_of, colouring_of
from gui.widgets.label import Elided, Label, plain_tip
from gui.widgets.layouts import column_of, joined, named, row

LEAST = 120  # least height in pixels of a timeline with its title


class Strip(QWidget):
    """Line above a timeline: the run's letter, its title, and buttons."""

    def __init__(self, letter: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("comparestrip")
        self.title = named(Elided(), tr("Run {letter}", letter=letter))
        name = Label(letter, "said")
        self._row = row(
            name, self.title, of=self, growing=self.title, margins=(14, 3, 8, 3), spacing=6
        )

    def show_title(self, text: str) -> None:
        """Set the title, which the tooltip shows in full."""
        self.title.setText(text)
        self.title.setToolTip(plain_tip(text))

    def add(self, actions: Mapping[str, QAction]) -> None:
        """Add a button for each action, with its key as the text of the button."""
        for name, action in actions.items():
            button = QToolButton()
            # A button shows the icon text of its action; menus show the action's whole text.
            action.setIconText(name)
            button.setDefaultAction(action)
            button.setAccessibleName(action.text())
            button.setStyleSheet("padding: 1px 7px")
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._row.addWidget(button)


class CompareFrame(QWidget):
    """Holds the timeline and a second one, which is visible from `divide` to `unite`."""

    def __init__(self, timeline: TimelineView) -> None:
        super().__init__()
        self.a = timeline
        self.b = named(TimelineView(), tr("Timeline of run B"))
        self.strip_a = Strip(tr("A"), self)
        self.strip_b = Strip(tr("B"), self)
        self._lower = _stacked(self.strip_b, self.b)
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(_stacked(self.strip_a, timeline))
        self._split.addWidget(self._lower)
        self.opening = OpeningStrip()
        joined(self.opening, self._split, of=self, growing=self._split)
        self.overlay = Overlay(self, self.a, self.b)
        self._split.splitterMoved.connect(lambda *_: self.overlay.update())
        self.unite()

    def divide(self) -> None:
        """Show the second timeline."""
        if not self.divided:
            self.strip_a.show()
            self._lower.show()
            half = self.height() // 2
            self._split.setSizes([half, half])
        self._cover()

    def colour(self) -> None:
        """Give the colours of run B the same meaning as in run A."""
        a = self.a.state
        b = self.b.state
        if a.scene is not None and b.scene is not None:
            shown = a.scene.colouring
            b.scene.colouring = colouring_of(choice_of(shown), b.scene.trace, shown)
            b.refresh(b.now)

    def unite(self) -> None:
        """Hide the second timeline."""
        for part in (self.strip_a, self._lower, self.overlay):
            part.hide()

    def join(self, wanted: bool) -> None:
        """Draw lines between all matched tasks on screen, or only for the selected one."""
        self.overlay.joins = wanted
        self.overlay.update()

    @property
    def divided(self) -> bool:
        """True while there are two timelines."""
        # Not `isVisible`, which is false until the window is shown.
        return not self.strip_a.isHidden()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cover()

    def _cover(self) -> None:
        self.overlay.setGeometry(self.rect())
        self.overlay.setVisible(self.divided)


def _stacked(strip: Strip, timeline: TimelineView) -> QWidget:
    whole = column_of(strip, timeline, growing=timeline)
    whole.setMinimumSize(int(2 * LABELS), LEAST)
    return whole
