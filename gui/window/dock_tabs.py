"""The tabs of panels that share a place: icons where there is no room for all titles."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QChildEvent, QEvent, QObject, Qt
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar

from core.paths import RESOURCES
from gui.look.text import tr
from gui.look.theme import Theme

AIR = 17  # pixels of a tab beside its title: what the style pads, and one for rounding
FOLDER = RESOURCES / "icons" / "panels"


class DockTabs(QObject):
    """Watches the tab bars of a window's docks, also those that come when docks are moved.

    Where a bar is too narrow, all tabs but the chosen one show an icon alone; their tooltips are
    their titles.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._icons: dict[str, QIcon] = {}
        window.installEventFilter(self)
        for bar in self._bars():
            self._take(bar)
        for dock in window.findChildren(QDockWidget):
            dock.visibilityChanged.connect(self._fit_all)

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        self._icons = {
            dock.windowTitle(): _icon(dock.objectName(), theme)
            for dock in self._window.findChildren(QDockWidget)
        }
        for bar in self._bars():
            for place in range(bar.count()):
                # `_fit` leaves a tab that has an icon as it is,
                # so those of the old colours are taken off first.
                bar.setTabIcon(place, QIcon())
        self._fit_all()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: D102
        # Qt adds tab bars when docks are dragged together. Polished, not added: when a child is
        # added its constructor may still be running, and it is a bare QObject to Python.
        if isinstance(event, QChildEvent) and event.polished() and watched is self._window:
            child = event.child()
            if isinstance(child, QTabBar):
                self._take(child)
        elif isinstance(watched, QTabBar) and event.type() in (
            QEvent.Type.Resize, QEvent.Type.LayoutRequest, QEvent.Type.Show,
        ):  # fmt: skip
            self._fit(watched)
        return super().eventFilter(watched, event)

    def _fit_all(self) -> None:
        for bar in self._bars():
            self._fit(bar)

    def _bars(self) -> list[QTabBar]:
        return [bar for bar in self._window.children() if isinstance(bar, QTabBar)]

    def _take(self, bar: QTabBar) -> None:
        bar.setUsesScrollButtons(True)
        bar.setElideMode(Qt.TextElideMode.ElideRight)  # titles hold no window wide that shrinks
        bar.setDocumentMode(True)
        bar.setExpanding(False)
        bar.setAccessibleName(tr("Panels that share this place"))
        bar.installEventFilter(self)
        self._fit(bar)

    def _fit(self, bar: QTabBar) -> None:
        """Titles where all have room, else icons."""
        titles = [bar.tabText(place) for place in range(bar.count())]
        needed = sum(bar.fontMetrics().horizontalAdvance(title) + AIR for title in titles)
        narrow = needed > bar.width()
        for place, title in enumerate(titles):
            icon = self._icons.get(title, QIcon()) if narrow else QIcon()
            # Only where it changes: a new icon changes the tabs' layout, whose LayoutRequest comes
            # back here.
            if bar.tabIcon(place).isNull() != icon.isNull():
                bar.setTabIcon(place, icon)
        if bar.property("narrow") != narrow:
            bar.setProperty("narrow", narrow)
            # A style sheet's selector on a property is looked up when a widget is polished, and not
            # again.
            bar.style().unpolish(bar)
            bar.style().polish(bar)


def _icon(name: str, theme: Theme) -> QIcon:
    """The icon of a panel in the theme's colours; an empty one where there is none."""
    file = FOLDER / f"{name}.svg"
    if not file.exists():
        return QIcon()
    drawing = file.read_text("utf-8").replace("currentColor", theme.text)
    pixmap = QPixmap()
    pixmap.loadFromData(QByteArray(drawing.encode()), "SVG")
    return QIcon(pixmap)
