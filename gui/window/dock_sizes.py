"""Docks that shrink in a small window, so that the timeline has room, and grow back later."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow

from gui.app.feature import Dock
from gui.window.docks import FRONT, WIDTHS, Docks, tab_bars

LOW = 74  # pixels; height of the bottom docks in a low window, with their tabs
BAR_SPACING = 8  # pixels by which the docks shrink in addition to the height of a bar above them
NARROW = 228  # pixels; width of the settings in a narrow window


class LowDocks:
    """Keeps the bottom docks low while there is a reason, then restores their height.

    It changes them only while the dock FRONT is in front. If the user brings another dock to the
    front, the height is restored at once.
    """

    def __init__(self, window: QMainWindow, docks: Docks) -> None:
        self._window = window
        self._front = docks.docks[FRONT]
        self._height: int | None = None
        """The height to restore, in pixels; None while the docks are not low."""
        self._reasons: set[str] = set()
        self._bar_height = 0
        for dock in docks.docks.values():
            if dock in window.tabifiedDockWidgets(self._front):
                dock.visibilityChanged.connect(self._restore_if_shown)

    def set_low(self, reason: str, low: bool) -> None:
        """Add or remove a reason to be low."""
        if low:
            self._reasons.add(reason)
        else:
            self._reasons.discard(reason)
        self._fit()

    def make_room(self, height: int) -> None:
        """Shrink the docks by the height of a bar above them, in pixels; 0 if it was hidden."""
        previous = self._bar_height
        self._bar_height = height + BAR_SPACING if height else 0
        change = self._bar_height - previous
        if change and self._is_front_shown:
            self._resize(self._height_with_tabs() - change)

    def restore(self) -> None:
        """Restore the height and forget all reasons."""
        self._reasons.clear()
        self._fit()

    def _fit(self) -> None:
        low = bool(self._reasons)
        if low and self._height is None and self._is_front_shown:
            # Measured only before the docks become low: later it would be the low height.
            self._height = self._height_with_tabs() + self._bar_height
            self._resize(LOW - self._bar_height)
        elif not low and self._height is not None:
            height = self._height
            self._height = None
            self._resize(height - self._bar_height)

    def _restore_if_shown(self, is_shown: bool) -> None:
        if is_shown:
            self.restore()

    @property
    def _is_front_shown(self) -> bool:
        """True while the dock FRONT is in front; behind another dock its panel is hidden."""
        panel = self._front.widget()
        return panel is not None and not panel.isHidden()

    def _height_with_tabs(self) -> int:
        return self._front.height() + self._tabs_height()

    def _tabs_height(self) -> int:
        """Return the height of the tabs, which `resizeDocks` counts as part of the dock."""
        title = self._front.windowTitle()
        height = 0
        for bar in tab_bars(self._window):
            titles = [bar.tabText(tab) for tab in range(bar.count())]
            if bar.isVisible() and title in titles:
                height = max(height, bar.height())
        return height

    def _resize(self, height: int) -> None:
        self._window.resizeDocks([self._front], [height], Qt.Orientation.Vertical)


class NarrowSettings:
    """Makes the settings narrow, and restores their width."""

    def __init__(self, window: QMainWindow, docks: Docks) -> None:
        self._window = window
        self._dock = docks.docks[Dock.SETTINGS]
        self._width: int | None = None

    def set_narrow(self, narrow: bool) -> None:
        """Make the settings narrow, or as wide as they were before."""
        if narrow and self._width is None:
            # In a window that opens narrow, the dock does not have its width yet.
            self._width = max(self._dock.width(), WIDTHS[Dock.SETTINGS])
            self._resize(NARROW)
        elif not narrow and self._width is not None:
            width = self._width
            self._width = None
            self._resize(width)

    def restore(self) -> None:
        """Restore the width."""
        self.set_narrow(False)

    def _resize(self, width: int) -> None:
        self._window.resizeDocks([self._dock], [width], Qt.Orientation.Horizontal)
