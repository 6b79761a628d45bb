"""The field above the lanes' names that filters lanes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from core.override import override
from gui.look.text import tr
from gui.timeline.layout.fonts import Fonts
from gui.timeline.layout.frame import AXIS, LABELS, STEPS
from gui.timeline.paint.margins import INDENT, lanes_text
from gui.timeline.state.lanes import LaneArranger, lane_counts
from gui.timeline.state.timeline import TimelineState
from gui.widgets.label import Label

LEAVE = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down)
MANY = 24  # with more lanes the field is always visible


class LaneFilter(QWidget):
    """The filter's field, with the number of matching lanes above it; Esc shows all lanes."""

    def __init__(
        self, state: TimelineState, lanes: LaneArranger, over: QWidget, back: QWidget
    ) -> None:
        super().__init__(over)
        self._state = state
        self._back = back
        self._wanted = False
        self.field = QLineEdit()
        self.count = Label()
        self.field.setPlaceholderText(tr("Filter lanes"))
        self.field.setFocusPolicy(
            Qt.FocusPolicy.ClickFocus
        )  # letters are shortcuts of the timeline
        self.field.setAccessibleName(tr("Filter lanes by name"))
        self.field.setToolTip(
            tr(
                "Show the lanes whose names contain this; * matches any text, | separates "
                "alternatives. Esc shows all."
            )
        )
        # A filter may list the names of all lanes of a group.
        self.field.setMaxLength(1 << 20)
        self.count.setObjectName("quiet")
        self.count.setFont(Fonts.of(self.font()).small)
        self.count.setContentsMargins(int(INDENT) - 4, 0, 0, 0)
        self.count.setAutoFillBackground(True)
        self.count.setBackgroundRole(QPalette.ColorRole.Base)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.count)
        column.addWidget(self.field)
        self.field.textChanged.connect(lanes.filter)
        self.field.installEventFilter(self)
        state.tracks_changed.connect(self.refresh)
        self.hide()

    def ask(self) -> None:
        """Show the field and focus it."""
        self._wanted = True
        self.refresh()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def refresh(self) -> None:
        """Update the number of lanes; show the field if there are many."""
        shown, every = lane_counts(self._state)
        text = self._state.stack.state.filter
        # setText calls `lanes.filter` through textChanged, which calls this again.
        if self.field.text() != text:
            self.field.setText(text)
        self.count.setText(count_text(shown, every))
        self.count.setVisible(bool(text))
        top = 1 if text else int(AXIS) - 4
        self.setGeometry(4, top, int(LABELS) - 12, int(AXIS + STEPS) - top)
        self.setVisible(bool(text) or every > MANY or self._wanted)

    @override
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if escape and event.type() is QEvent.Type.ShortcutOverride:
            event.accept()  # otherwise the window handles the key
            return True
        if escape and event.type() is QEvent.Type.KeyPress:
            # The focus moves before `refresh` hides the field, or Qt would move it to the next
            # widget.
            self._wanted = False
            self._back.setFocus(Qt.FocusReason.OtherFocusReason)
            self.field.clear()
            self.refresh()
            return True
        leave = isinstance(event, QKeyEvent) and event.key() in LEAVE
        if leave and event.type() is QEvent.Type.KeyPress:
            self._back.setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        return False


def count_text(shown: int, every: int) -> str:
    """Return `12 of 1,024 lanes`."""
    if shown == every:
        return lanes_text(every)
    return tr("{shown} of {n} lanes", shown=f"{shown:,}", n=f"{every:,}")
