"""The docks of the window, each with the pages of its panels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtGui import QAction, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QListWidget,
    QMainWindow,
    QStackedWidget,
    QTabBar,
    QTabWidget,
    QWidget,
)

from core.override import override
from gui.app.feature import Dock, Panel
from gui.look.text import tr
from gui.look.theme import Theme
from gui.widgets.drawing import Painted
from gui.widgets.layouts import NO_MARGINS, joined, named, row

LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
BELOW = Qt.DockWidgetArea.BottomDockWidgetArea
ON_THE_LEFT = (Dock.SETTINGS, Dock.LESSON)
HIDDEN_AT_FIRST = (Dock.LESSON, Dock.DETAILS)
FRONT = Dock.DEVICES
"""The dock that is first in front of the docks that share its place."""
WIDTHS = {Dock.SETTINGS: 246, Dock.DEVICES: 798, Dock.DETAILS: 390}
HEIGHTS = {Dock.DEVICES: 208}
LEAST_HEIGHT = 12  # pixels; least height of a panel in a low window
PADDING = 30  # pixels next to the longest name of a list of pages


class PanelPage(QWidget):
    """The page of a panel in its dock; the panel is made when the page is first shown."""

    shown = Signal(bool)

    def __init__(self, panel: Panel[Any]) -> None:
        super().__init__()
        self.panel = panel
        self._box = joined(of=self)

    def place(self, widget: QWidget) -> None:
        """Put the panel's widget into this page."""
        self._box.addWidget(widget)
        # Otherwise Qt would show it only with the next event.
        widget.setVisible(True)
        if not widget.accessibleName():
            widget.setAccessibleName(self.panel.title)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        _ = self.panel.widget
        self.shown.emit(True)

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.shown.emit(False)


class Docks:
    """Every dock of a window; `pages` maps the names of panels to their pages.

    `tell` is called with a panel whose widget has just been made.
    """

    def __init__(
        self,
        window: QMainWindow,
        panels: Sequence[Panel[Any]],
        tell: Callable[[Panel[Any]], None],
    ) -> None:
        self._window = window
        self._tell = tell
        self.docks: dict[Dock, QDockWidget] = {}
        self.pages: dict[str, PanelPage] = {}
        self._books: dict[Dock, PageBook] = {}
        self._is_details_below = True
        for dock in Dock:
            inside = [panel for panel in panels if panel.dock is dock]
            if inside:
                self._add_dock(dock, inside)
        self._arrange()

    def bring(self, name: str) -> QWidget:
        """Bring a panel to the front and return its widget. Raises KeyError for an unknown name."""
        page = self.pages[name]
        dock = self.docks[page.panel.dock]
        book = self._books[page.panel.dock]
        # First, so that no other page of the dock is shown, and therefore made, meanwhile.
        book.choose(page)
        was_hidden = dock.isHidden()
        dock.show()
        if page.panel.dock is Dock.DETAILS and was_hidden and self._is_details_below:
            width = min(WIDTHS[Dock.DETAILS], self._window.width() // 3)
            self._window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)
        dock.raise_()
        # Shown now, because Qt reports only later which dock is in front.
        book.show()
        widget: QWidget = page.panel.widget
        return widget

    def put_details(self, below: bool) -> None:
        """Put Details below the timeline, or into the place of the settings."""
        if below == self._is_details_below:
            return
        self._is_details_below = below
        details = self.docks[Dock.DETAILS]
        was_hidden = details.isHidden()
        if below:
            self._window.addDockWidget(BELOW, details, Qt.Orientation.Horizontal)
        else:
            self._window.tabifyDockWidget(self.docks[Dock.SETTINGS], details)
        details.setHidden(was_hidden)

    def hide(self, name: str) -> None:
        """Hide the dock of a panel."""
        self.docks[self.pages[name].panel.dock].hide()

    def show_actions(self) -> list[QAction]:
        """Return an action for each panel, which shows it, or hides its dock if it is in front."""
        return [self._show_action(page) for page in self.pages.values()]

    def set_theme(self, theme: Theme) -> None:
        """Draw the panels in the colours of a theme."""
        for page in self.pages.values():
            for painted in page.findChildren(Painted):
                painted.set_theme(theme)

    def make_front_pages(self) -> None:
        """Make the pages that the window shows first; call it before the style sheet is set.

        With a style sheet, every widget that is added to another one is polished again.
        """
        for dock in (FRONT, Dock.SETTINGS):
            _ = self._books[dock].current.panel.widget

    def measure(self) -> None:
        """Compute the least sizes of the docks again; call it after the style sheet is set."""
        for book in self._books.values():
            if book.names is not None:
                # A style sheet changes the margins of a list, which keeps its old size otherwise.
                book.names.updateGeometry()
            book.updateGeometry()
        layout = self._window.layout()
        if layout is not None:
            layout.invalidate()
            layout.activate()

    def size(self) -> None:
        """Give the docks their first sizes; call it after the window has its size."""
        across = Qt.Orientation.Horizontal
        down = Qt.Orientation.Vertical
        for sizes, way in ((WIDTHS, across), (HEIGHTS, down)):
            docks = [self.docks[dock] for dock in sizes]
            self._window.resizeDocks(docks, list(sizes.values()), way)
        layout = self._window.layout()
        if layout is not None:
            # Otherwise Qt resizes the docks only with the next layout, after their sizes are read.
            layout.activate()

    def restore(self, kept: QByteArray, front_pages: Sequence[str]) -> None:
        """Put docks and pages where they were when the window was closed, but hide Details."""
        # Qt makes new tab bars for the docks that it restores. In a window that was not shown yet
        # it forgets the old ones, which would be painted over the panels.
        before = tab_bars(self._window)
        self._window.restoreState(kept)
        for bar in before:
            bar.hide()
        for name in front_pages:
            page = self.pages.get(name)
            if page is not None:
                self._books[page.panel.dock].choose(page)
        self.docks[Dock.DETAILS].hide()

    @property
    def front_pages(self) -> list[str]:
        """The names of the panels that are in front in their docks."""
        return [book.current.panel.name for book in self._books.values()]

    def _add_dock(self, dock: Dock, panels: Sequence[Panel[Any]]) -> None:
        pages = [PanelPage(panel) for panel in panels]
        for page in pages:
            self.pages[page.panel.name] = page
            page.panel.on_made = self._made(page)
        title = tr(dock.value)
        made = QDockWidget(title, self._window)
        # `restoreState` finds the docks of the last session by these names.
        made.setObjectName(dock.name.lower())
        book = PageBook(pages)
        named(book, title)
        if dock not in ON_THE_LEFT:
            # Otherwise scroll areas ask for more height than low docks have.
            book.setMinimumHeight(LEAST_HEIGHT)
        made.setWidget(book)
        # An empty widget tells Qt to draw no title bar.
        made.setTitleBarWidget(QWidget())
        # For Qt, a dock behind another tab is visible. The book is hidden then, because panels work
        # only while they can be seen, and it keeps its size.
        policy = book.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        book.setSizePolicy(policy)
        made.visibilityChanged.connect(book.setVisible)
        self.docks[dock] = made
        self._books[dock] = book

    def _made(self, page: PanelPage) -> Callable[[QWidget], None]:
        def take(widget: QWidget) -> None:
            page.place(widget)
            self._tell(page.panel)

        return take

    def _arrange(self) -> None:
        window = self._window
        for dock, widget in self.docks.items():
            window.addDockWidget(LEFT if dock in ON_THE_LEFT else BELOW, widget)
        window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        window.setDockNestingEnabled(True)
        window.setTabPosition(BELOW | LEFT, QTabWidget.TabPosition.North)
        for dock, widget in self.docks.items():
            first = Dock.SETTINGS if dock in ON_THE_LEFT else FRONT
            if dock is not first and dock is not Dock.DETAILS:
                window.tabifyDockWidget(self.docks[first], widget)
        for dock in HIDDEN_AT_FIRST:
            self.docks[dock].hide()
        self.docks[FRONT].raise_()
        for dock in self.docks:
            self._books[dock].setVisible(dock in (FRONT, Dock.SETTINGS))
        layout = window.layout()
        if layout is not None:
            # Otherwise the layout asks for enough room for all docks next to each other.
            layout.invalidate()
            layout.activate()
        most = max(bar.count() for bar in tab_bars(window))
        for bar in tab_bars(window):
            if 1 < bar.count() < most:
                # Qt made this bar while docks were added one by one. It is no longer used, but
                # would be shown with the window.
                bar.hide()
            bar.setDocumentMode(True)
            bar.setExpanding(False)
            # Titles can be cut, so that the window can be narrow.
            bar.setElideMode(Qt.TextElideMode.ElideRight)
            bar.setAccessibleName(tr("Panels that share this place"))

    def _show_action(self, page: PanelPage) -> QAction:
        dock = self.docks[page.panel.dock]
        action = QAction(page.panel.title, dock)
        action.setObjectName(f"show_{page.panel.name}")
        action.setCheckable(True)
        # `triggered` is only emitted for the user: `setChecked` below emits `toggled` too.
        action.triggered.connect(lambda on: self.bring(page.panel.name) if on else dock.hide())
        page.shown.connect(action.setChecked)
        return action


class PageBook(QWidget):
    """The pages of a dock, with a list of their names if there are several."""

    def __init__(self, pages: Sequence[PanelPage]) -> None:
        super().__init__()
        self._pages = list(pages)
        self._stack = QStackedWidget()
        for page in pages:
            self._stack.addWidget(page)
        self.names = self._make_list() if len(pages) > 1 else None
        parts = [self._stack] if self.names is None else [self.names, self._stack]
        row(
            *parts,
            of=self,
            growing=self._stack,
            margins=NO_MARGINS,
            spacing=0,
        )

    @property
    def current(self) -> PanelPage:
        """The page in front."""
        return self._pages[self._stack.currentIndex()]

    def choose(self, page: PanelPage) -> None:
        """Bring a page to the front."""
        if self.names is not None:
            self.names.setCurrentRow(self._pages.index(page))

    def _make_list(self) -> QListWidget:
        names = named(QListWidget(), tr("Panels of this tab"))
        names.setObjectName("pages")
        names.setFrameShape(QFrame.Shape.NoFrame)
        # Only Tab focuses the list: a click shows the panel, and does not move the focus.
        names.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        # The docks may be too low for a scroll bar.
        names.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        names.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        names.addItems([page.panel.title for page in self._pages])
        names.setFixedWidth(names.sizeHintForColumn(0) + PADDING)
        names.currentRowChanged.connect(self._stack.setCurrentIndex)
        names.setCurrentRow(0)
        return names


def tab_bars(window: QMainWindow) -> list[QTabBar]:
    """Return the tab bars of docks that share a place, which Qt makes without names."""
    return window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
