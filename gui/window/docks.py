"""The window's panels, and the docks that they stand in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QTabWidget, QWidget

from gui.app.live_figures import Part
from gui.app.session import Session
from gui.app.settings import Settings
from gui.features.blocks.panel import BlocksPanel
from gui.features.bookmarks.panel import BookmarksPanel
from gui.features.compare.panel import ComparePanel
from gui.features.details.panel import DetailsPanel
from gui.features.devices.batch import BatchPanel
from gui.features.devices.buckets import BucketsChart
from gui.features.devices.devices import DevicesPanel
from gui.features.devices.imported import ImportedPanel
from gui.features.lessons.panel import LessonPanel
from gui.features.log.panel import LogPanel
from gui.features.predict.predictions import Predictions
from gui.features.run.panel import StrategyPanel
from gui.features.runs.panel import RunsPanel
from gui.features.spans.panel import SpansPanel
from gui.features.spans.search_bar import SearchBar
from gui.features.sql.panel import SqlPanel
from gui.features.statistics.panel import StatisticsPanel
from gui.features.steps.panel import StepsPanel
from gui.features.sweep.panel import SweepPanel
from gui.features.why.panel import WhyPanel
from gui.look.text import tr
from gui.look.theme import Theme
from gui.timeline.state.scene import Scene
from gui.widgets.drawing import Painted
from gui.widgets.layouts import bring, column_of
from gui.widgets.sheet import scrolled

LEFT, BELOW = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea
WIDTHS = {"strategy": 280, "devices": 830, "details": 330}
HEIGHTS = {"devices": 240}
LOW = 84
FRONT = "devices"
"""The panel that is seen first of those that share a place."""


@dataclass(frozen=True, slots=True)
class Docked:
    """A dock: its name in the settings, its title, and where it stands.

    `beside` names the dock that it shares tabs with. None has a title bar: it is named by its tab,
    or by what is in it.
    """

    name: str
    title: str
    widget: QWidget
    area: Qt.DockWidgetArea
    beside: str = ""


class Panels:
    """Every panel of the window, and what all of a kind are told at once.

    A new panel is made in `__init__`, joins the tuple of what it wants to hear of, and gets a line
    in `places`. What is Painted hears of the theme anyway.
    """

    def __init__(self, session: Session, settings: Settings) -> None:
        self.form = StrategyPanel()
        self.batch, self.devices, self.log = BatchPanel(), DevicesPanel(), LogPanel()
        self.details, self.runs, self.steps = DetailsPanel(), RunsPanel(), StepsPanel()
        self.why, self.buckets = WhyPanel(), BucketsChart()
        self.search, self.spans = SearchBar(), SpansPanel()
        self.statistics, self.bookmarks = StatisticsPanel(), BookmarksPanel()
        self.imported, self.sql, self.blocks = ImportedPanel(), SqlPanel(session), BlocksPanel()
        self.predictions = Predictions(session, settings)
        self.compare, self.sweep, self.lesson = ComparePanel(), SweepPanel(), LessonPanel()
        self.of_steps = (
            self.batch, self.devices, self.steps, self.why, self.buckets, self.statistics,
            self.search, self.spans, self.imported, self.log,
        )  # fmt: skip
        self.themed = (self.log, self.steps, self.compare.table)

        form, predictions = self.form, self.predictions
        # Made once: what stands in a frame goes with the frame.
        self.places = (
            Docked("strategy", tr("Settings"), column_of(form, form.footer, growing=form), LEFT),
            Docked(
                "devices", tr("Devices"), scrolled(self.imported, self.devices, self.buckets), BELOW
            ),
            *(
                Docked(name, title, widget, BELOW, FRONT)
                for name, title, widget in (
                    ("batch", tr("Batch split"), scrolled(self.batch)),
                    ("why", tr("Why"), self.why),
                    ("whatif", tr("What if"), predictions.whatif_panel),
                    ("advisor", tr("Advisor"), predictions.advisor_panel),
                    ("compare", tr("Compare"), self.compare),
                    ("steps", tr("Steps"), self.steps),
                    ("statistics", tr("Statistics"), self.statistics),
                    ("spans", tr("Spans"), self.spans),
                    ("blocks", tr("Blocks"), self.blocks),
                    ("sql", tr("SQL"), self.sql),
                    ("sweep", tr("Sweep"), self.sweep),
                    ("log", tr("Log"), self.log),
                    ("runs", tr("Runs"), self.runs),
                    ("marks", tr("Marks"), self.bookmarks),
                )
            ),
            Docked("details", tr("Details"), self.details, BELOW),
            Docked("lesson", tr("Lesson"), self.lesson, LEFT, "strategy"),
        )
        """Where the panels stand, in the order of the View menu."""

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        for panel in self.themed:
            panel.set_theme(theme)
        for place in self.places:
            for painted in place.widget.findChildren(Painted):
                painted.set_theme(theme)

    def parts(self, scene: Scene | None, live: bool) -> list[Part]:
        """Show another run, or what has come of this one, or none: panel by panel."""
        return [partial(panel.show_scene, scene, live) for panel in self.of_steps]

    def show_nothing(self) -> None:
        """No run is shown."""
        for part in self.parts(None, False):
            part()

    def step_parts(self, scene: Scene, live: bool) -> list[Part]:
        """Show another step of the same run: the panels whose figures are of one step."""
        panels = (self.batch, self.devices, self.why, self.buckets)
        return [partial(panel.show_scene, scene, live) for panel in panels]


def make_docks(window: QMainWindow, panels: Panels) -> dict[str, QDockWidget]:
    """The docks of a window by name, where they stand the first time that it is opened."""
    docks: dict[str, QDockWidget] = {}
    for place in panels.places:
        docks[place.name] = dock = QDockWidget(place.title, window)
        # By these names `restoreState` finds the docks of the last sitting again.
        dock.setObjectName(place.name)
        dock.setWidget(place.widget)
        if not place.widget.accessibleName():
            place.widget.setAccessibleName(place.title)
        # An empty widget is how Qt is told to draw no title bar.
        dock.setTitleBarWidget(QWidget())
        # Qt takes what is behind another tab for visible; panels work only while they are seen.
        policy = place.widget.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        place.widget.setSizePolicy(policy)
        place.widget.setVisible(not place.beside)
        dock.visibilityChanged.connect(place.widget.setVisible)
        window.addDockWidget(place.area, dock)
    window.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
    window.setDockNestingEnabled(True)
    window.setTabPosition(BELOW | LEFT, QTabWidget.TabPosition.North)
    for place in panels.places:
        if place.beside:
            window.tabifyDockWidget(docks[place.beside], docks[place.name])
    for name in ("compare", "lesson"):
        docks[name].hide()  # until there is one
    docks[FRONT].raise_()
    layout = window.layout()
    if layout is not None:  # else it asks for room for all docks side by side
        layout.invalidate()
        layout.activate()
    return docks


def front_action(dock: QDockWidget) -> QAction:
    """Brings a dock to the front; one that is there already it hides. Checked while it is there."""
    action = QAction(dock.windowTitle(), dock)
    action.setObjectName(f"show_{dock.objectName()}")
    action.setCheckable(True)
    # `triggered` comes by the user's hand alone: `setChecked` below makes `toggled` come too.
    action.triggered.connect(lambda on: bring(dock) if on else dock.hide())
    dock.visibilityChanged.connect(action.setChecked)
    return action


def size_docks(window: QMainWindow, docks: dict[str, QDockWidget]) -> None:
    """Give the docks their sizes of the first time; call it once the window has its size."""
    for sizes, way in ((WIDTHS, Qt.Orientation.Horizontal), (HEIGHTS, Qt.Orientation.Vertical)):
        window.resizeDocks([docks[name] for name in sizes], list(sizes.values()), way)
    layout = window.layout()
    if layout is not None:
        layout.activate()  # Qt resizes docks with the next layout, after others ask for their sizes


def restore_docks(window: QMainWindow, kept: QByteArray) -> None:
    """Put docks where they were when the window's state was kept."""
    # Qt makes tab bars of their own for what it restores. In a window that was not shown yet it
    # forgets those of before, and would show them over the panels, each where it has stood.
    before = tab_bars(window)
    window.restoreState(kept)
    for bar in before:
        bar.hide()


def tab_bars(window: QMainWindow) -> list[QTabBar]:
    """The tabs of docks that share a place: Qt makes them itself, as nameless children."""
    return window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)


class LowDocks:
    """Keeps the docks below low for as long as there is a reason, then gives back their height.

    Once another panel than the first is chosen they get their height back in any case.
    """

    def __init__(self, window: QMainWindow, docks: dict[str, QDockWidget]) -> None:
        self._window, self._front = window, docks[FRONT]
        self._height: int | None = None
        self._reasons: set[str] = set()
        for dock in docks.values():
            if dock in window.tabifiedDockWidgets(self._front):
                dock.visibilityChanged.connect(self._another)

    def set_low(self, reason: str, low: bool) -> None:
        """Add a reason to be low, or take it away."""
        if low:
            self._reasons.add(reason)
        else:
            self._reasons.discard(reason)
        self._fit()

    def restore(self) -> None:
        """Give back their height, whatever reason there is to be low."""
        self._reasons.clear()
        self._fit()

    def _fit(self) -> None:
        low, panel = bool(self._reasons), self._front.widget()
        if low and self._height is None and panel is not None and not panel.isHidden():
            # Taken before it is made low, and only once: a second call would keep the low height.
            self._height = self._front.height() + self._tabs_height()
            self._resize(LOW)
        elif not low and self._height is not None:
            height, self._height = self._height, None
            self._resize(height)

    def _another(self, chosen: bool) -> None:
        if chosen:
            self.restore()

    def _tabs_height(self) -> int:
        """What the docks' tabs take, which Qt counts in when it gives a height."""
        title = self._front.windowTitle()
        mine = (b for b in tab_bars(self._window) if title in map(b.tabText, range(b.count())))
        return max((bar.height() for bar in mine if bar.isVisible()), default=0)

    def _resize(self, height: int) -> None:
        self._window.resizeDocks([self._front], [height], Qt.Orientation.Vertical)
