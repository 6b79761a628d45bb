"""The main window: makes the features, and implements the `Shell` that they use."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAction, QCloseEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QWidget

from core.override import override
from gui.app.banner import Banner
from gui.app.concealment import Concealment
from gui.app.explaining import Explainer
from gui.app.feature import Feature, FeatureType, Menu, Panel
from gui.app.jobs import close_all
from gui.app.run import Run
from gui.app.session import Session
from gui.app.settings import Settings
from gui.features.playback.feature import PlaybackFeature
from gui.features.runs.feature import RunsFeature
from gui.features.status.feature import StatusFeature
from gui.features.verdict.feature import VerdictFeature
from gui.features.view.colours import chosen_theme
from gui.features.view.feature import ViewFeature
from gui.look.theme import Theme, apply, prepare
from gui.timeline.interact.overview import Overview
from gui.timeline.interact.view import TimelineView
from gui.timeline.state.scene import Scene
from gui.window.centre import Centre
from gui.window.compact import CompactLayout
from gui.window.docks import Docks
from gui.window.features import FEATURES
from gui.window.frame import FrameFeature
from gui.window.menus import Menus
from gui.window.showing import RunOnScreen

SIZE = QSize(1440, 900)
NOTE_MS = 6000


class MainWindow(QMainWindow):
    """The `Shell` of all features.

    `language_chosen` is a request to replace this window with one in another language.
    """

    language_chosen = Signal(str)

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__()
        prepare(QApplication.instance(), chosen_theme(settings))
        self.setWindowTitle("Bubblescope")
        self.setObjectName("window")
        self.session = session
        self.settings = settings
        self.banner = Banner()
        self.explainer = Explainer(self)
        self.concealment = Concealment(self)
        self.timeline = TimelineView()
        self.overview = Overview(self.timeline.state)
        self.showing = RunOnScreen(self)
        self.centre: Centre
        self._features: dict[type[Feature], Feature] = {}
        for kind in FEATURES:
            self._features[kind] = kind(self)
        self._build()
        for feature in self._features.values():
            feature.start()
        self.showing.start(list(self._features.values()), self.centre)
        session.warned.connect(self.banner.say)
        self._restore()

    def _build(self) -> None:
        """Make the centre, the docks and the menus from the features' parts."""
        features = self._features.values()
        self.centre = Centre(self)
        self.setCentralWidget(self.centre)
        owners = {panel.name: feature for feature in features for panel in feature.panels}
        panels = [panel for feature in features for panel in feature.panels]
        self.docks = Docks(self, panels, lambda panel: self._tell(panel, owners[panel.name]))
        verdict = self.feature(VerdictFeature).line
        status = self.feature(StatusFeature).line
        playback = self.feature(PlaybackFeature).bar
        self._compact = CompactLayout(self, verdict, status, self.overview, playback, self.docks)
        self._menus = Menus(self)
        for feature in features:
            for group in feature.groups:
                self._menus.add(group)
        self._menus.list_panels(self.docks.show_actions())

    def _restore(self) -> None:
        """Restore the state of the last session."""
        self.docks.make_front_pages()
        # All widgets exist now, so they are polished once, before the window is measured.
        self.apply_theme()
        self.docks.measure()
        self.resize(SIZE)
        kept = self.settings.window
        if kept is None:
            self.docks.size()
        else:
            # In this order, because docks are fitted into the size of the window.
            self.restoreGeometry(kept[0])
            self.docks.restore(kept[1], self.settings.pages)
        self.centre.show_first_page()
        low_docks = self._compact.low_docks
        low_docks.set_low("no run", True)
        self.centre.pages.currentChanged.connect(
            lambda _: low_docks.set_low("no run", not self.centre.shows_run_page)
        )
        self.centre.focus_page()

    def _tell(self, panel: Panel[Any], feature: Feature) -> None:
        """Give a feature the theme and the scene shown after one of its panels was made."""
        self.docks.set_theme(self.theme)
        feature.set_theme(self.theme)
        feature.show_scene(self.scene, self.run_shown is not None and self.run_shown.live)

    # The shell of the features; `Shell` documents these methods.

    @property
    def main_window(self) -> QMainWindow:
        return self

    @property
    def run_shown(self) -> Run | None:
        return self.showing.run

    @property
    def scene(self) -> Scene | None:
        return self.showing.scene

    @property
    def coming(self) -> Run | None:
        return self.showing.coming

    @property
    def theme(self) -> Theme:
        return self.feature(ViewFeature).colours.theme

    def feature(self, kind: type[FeatureType]) -> FeatureType:
        found = self._features[kind]
        assert isinstance(found, kind)
        return found

    def action(self, name: str) -> QAction:
        return self._menus.actions[name]

    def menu(self, menu: Menu, submenu: str = "") -> QMenu:
        return self._menus.menu(menu, submenu)

    def bring(self, panel: str) -> QWidget:
        return self.docks.bring(panel)

    def hide_panel(self, panel: str) -> None:
        self.docks.hide(panel)

    def show_run(self, run: Run) -> None:
        self.feature(RunsFeature).add(run)
        self.showing.show(run)

    def refresh(self) -> None:
        self.showing.figures.update()

    def note(self, text: str) -> None:
        self.statusBar().showMessage(text, NOTE_MS)

    def apply_theme(self) -> None:
        theme = self.theme
        apply(QApplication.instance(), theme)
        self.timeline.state.set_theme(theme)
        self.docks.set_theme(theme)
        for feature in self._features.values():
            feature.set_theme(theme)

    # Leaving

    def leave(self) -> None:
        """Store the state for the next session, and end all work in the background."""
        # First, so that the usual sizes of the docks are stored, not those next to the first page.
        self._compact.restore()
        self.settings.window = (self.saveGeometry(), self.saveState())
        self.settings.pages = self.docks.front_pages
        for feature in self._features.values():
            feature.keep()
        self.settings.save()
        close_all(self)
        for feature in self._features.values():
            feature.close()

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        # A spontaneous event is from the window system. A caller of close() has asked the user
        # already, or must not ask, as on a signal.
        if event.spontaneous() and not self.feature(FrameFeature).leaving.may_close():
            event.ignore()
            return
        self.leave()
        self.session.close()
        super().closeEvent(event)
