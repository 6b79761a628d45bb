"""Sizes of the docks in a small window: what they give to the timeline, and take back."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow

from gui.app.feature import Dock
from gui.window.docks import FRONT, WIDTHS, Docks, tab_bars

LOW = 74  # height of the docks below in a low window, with their tabs
AIR = 8  # pixels that the docks give in addition to the height of a bar above them
NARROW = 228  # width of the settings in a narrow window


class LowDocks:
    """Keeps the docks below low while there is a reason, then restores their height.

    The height is restored at once if the user brings another panel to the front.
    """

    def __init__(self, window: QMainWindow, docks: Docks) -> None:
        self._window = window
        self._front = docks.docks[FRONT]
        self._height: int | None = None
        self._reasons: set[str] = set()
        self._taken = 0
        for dock in docks.docks.values():
            if dock in window.tabifiedDockWidgets(self._front):
                dock.visibilityChanged.connect(self._another)

    def set_low(self, reason: str, low: bool) -> None:
        """Add or remove a reason to be low."""
        if low:
            self._reasons.add(reason)
        else:
            self._reasons.discard(reason)
        self._fit()

    def make_room(self, height: int) -> None:
        """Give the pixels of a bar of this height above the docks; with 0, take them back."""
        taken = height + AIR if height else 0
        change, self._taken = taken - self._taken, taken
        if change and self._is_open:
            self._window.resizeDocks(
                [self._front], [self._open_height() - change], Qt.Orientation.Vertical
            )

    def restore(self) -> None:
        """Restore the height and forget all reasons."""
        self._reasons.clear()
        self._fit()

    def _fit(self) -> None:
        low = bool(self._reasons)
        if low and self._height is None and self._is_open:
            # Taken before the docks are low, and only once: a second call would keep the low one.
            self._height = self._open_height() + self._taken
            self._resize(LOW)
        elif not low and self._height is not None:
            height, self._height = self._height, None
            self._resize(height)

    def _another(self, chosen: bool) -> None:
        if chosen:
            self.restore()

    @property
    def _is_open(self) -> bool:
        """True while a panel of the docks is shown."""
        panel = self._front.widget()
        return panel is not None and not panel.isHidden()

    def _open_height(self) -> int:
        return self._front.height() + self._tabs_height()

    def _tabs_height(self) -> int:
        """Height of the tabs, which Qt includes when it gives a height."""
        title = self._front.windowTitle()
        height = 0
        for bar in tab_bars(self._window):
            titles = [bar.tabText(tab) for tab in range(bar.count())]
            if bar.isVisible() and title in titles:
                height = max(height, bar.height())
        return height

    def _resize(self, height: int) -> None:
        height -= self._taken
        self._window.resizeDocks([self._front], [height], Qt.Orientation.Vertical)


class NarrowSettings:
    """Makes the settings narrow, and restores their width."""

    def __init__(self, window: QMainWindow, docks: Docks) -> None:
        self._window, self._dock = window, docks.docks[Dock.SETTINGS]
        self._width: int | None = None

    def set_narrow(self, narrow: bool) -> None:
        """Make the settings narrow, or as wide as they were before."""
        if narrow and self._width is None:
            # In a window that opens narrow, the dock does not have its width yet.
            self._width = max(self._dock.width(), WIDTHS[Dock.SETTINGS])
            self._resize(NARROW)
        elif not narrow and self._width is not None:
            width, self._width = self._width, None
            self._resize(width)

    def restore(self) -> None:
        """Restore the width."""
        self.set_narrow(False)

    def _resize(self, width: int) -> None:
        self._window.resizeDocks([self._dock], [width], Qt.Orientation.Horizontal)
