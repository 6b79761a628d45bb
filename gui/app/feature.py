"""The contract between the window and its features, which have panels and actions.

`gui.window.features.FEATURES` lists the features. The window creates each of them once, in that
order, then calls the `start` of each, and later the hooks below when something happens. A hook that
a feature does not override does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, SignalInstance
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QMenu, QWidget

from core.message import N_
from core.override import override
from gui.app.banner import Banner
from gui.app.concealment import Concealment
from gui.app.explaining import Explainer
from gui.app.run import Run
from gui.app.session import Session
from gui.app.settings import Settings
from gui.look.text import tr
from gui.look.theme import Theme
from gui.timeline.interact.overview import Overview
from gui.timeline.interact.view import TimelineView
from gui.timeline.state.scene import Scene

Widget_co = TypeVar("Widget_co", bound=QWidget, covariant=True)
FeatureType = TypeVar("FeatureType", bound="Feature")


class Menu(StrEnum):
    """The menus of the menu bar, in their order; the value is the title in English."""

    FILE = N_("File")
    RUN = N_("Run")
    VIEW = N_("View")
    COMPARE = N_("Compare")
    GO = N_("Go")
    HELP = N_("Help")


class Dock(Enum):
    """The docks of the window, in their order; the value is the title in English."""

    SETTINGS = N_("Settings")
    DEVICES = N_("Devices")
    WHY = N_("Why")
    TRY = N_("Try")
    COMPARE = N_("Compare")
    STEPS = N_("Steps")
    DATA = N_("Data")
    DETAILS = N_("Details")
    LESSON = N_("Lesson")


class Style(Enum):
    """Behaviour of an action when it is triggered."""

    COMMAND = "command"
    CHECK = "check"
    """Checkable; the slot is called with the new state, a bool."""
    CHOICE = "choice"
    """Checkable; only one choice of its submenu is checked at a time."""


@dataclass(frozen=True, slots=True)
class Action:
    """A command of a menu. `name` identifies it; `keys` may be several, separated by " or "."""

    name: str
    text: str
    slot: Callable[..., object]
    keys: str = ""
    tip: str = ""
    style: Style = Style.COMMAND


@dataclass(frozen=True, slots=True)
class Group:
    """Actions that are listed together in a menu, below a separator, or in one of its submenus.

    `submenu` is the title of the submenu in English.
    """

    menu: Menu
    actions: tuple[Action, ...]
    submenu: str = ""


class Panel(Generic[Widget_co]):
    """A page of a dock. Its widget is created when it is first shown or first requested."""

    def __init__(self, name: str, title: str, dock: Dock, make: Callable[[], Widget_co]) -> None:
        self.name = name
        self.title = title
        self.dock = dock
        self._make = make
        self._widget: Widget_co | None = None
        self.on_made: Callable[[QWidget], None] | None = None
        """Called once with the new widget; the window places it and shows it the current scene."""

    @property
    def made(self) -> bool:
        """True once the widget exists."""
        return self._widget is not None

    @property
    def widget(self) -> Widget_co:
        """The widget, created on first access."""
        if self._widget is None:
            self._widget = self._make()
            if self.on_made is not None:
                self.on_made(self._widget)
        return self._widget


class Middle(Protocol):
    """Protocol: what features may use of the centre of the window, where the timeline is."""

    @property
    def shows_first_page(self) -> bool:
        """True while the first page is in front."""

    @property
    def shows_run_page(self) -> bool:
        """True while the run, or the text about the awaited run, is in front."""

    def show_first_page(self) -> None:
        """Show samples, things to try and recent files."""

    def show_page(self, page: QWidget) -> None:
        """Show a page of a feature, until a run or the first page is shown."""

    def wait(self, text: str) -> None:
        """Show in the empty timeline which run it waits for; "" removes the text."""

    def frame_timeline(self, frame: QWidget) -> None:
        """Put a frame that holds the timeline where the timeline was."""


class Shell(Protocol):
    """Protocol: what features may use of the main window."""

    session: Session
    settings: Settings
    timeline: TimelineView
    overview: Overview
    banner: Banner
    explainer: Explainer
    concealment: Concealment

    @property
    def centre(self) -> Middle:
        """The centre of the window, with the timeline; it is created after the features."""

    @property
    def language_chosen(self) -> SignalInstance:
        """A signal that asks for a window in another language; "system" is the system's."""

    @property
    def run_shown(self) -> Run | None:
        """The run that the timeline shows."""

    @property
    def scene(self) -> Scene | None:
        """The scene of the run that the timeline shows."""

    @property
    def coming(self) -> Run | None:
        """The run that has begun but has no bars yet; until then `run_shown` stays on screen."""

    @property
    def main_window(self) -> QMainWindow:
        """The window itself, as the parent of dialogs."""

    @property
    def theme(self) -> Theme:
        """The theme in use."""

    def feature(self, kind: type[FeatureType]) -> FeatureType:
        """Return the feature of a class. Raises KeyError if it has not been made yet."""

    def action(self, name: str) -> QAction:
        """Return an action by its name. Raises KeyError; actions exist when `start` is called."""

    def menu(self, menu: Menu, submenu: str = "") -> QMenu:
        """Return a menu or one of its submenus; create it if it does not exist yet."""

    def bring(self, panel: str) -> QWidget:
        """Bring a panel to the front and return its widget."""

    def hide_panel(self, panel: str) -> None:
        """Hide the dock of a panel."""

    def show_run(self, run: Run) -> None:
        """Show a run, listing it if it is new."""

    def refresh(self) -> None:
        """Update all figures of the shown run immediately."""

    def note(self, text: str) -> None:
        """Show a line in the status bar for a few seconds."""

    def apply_theme(self) -> None:
        """Draw the window in the colours of the settings."""


class Feature(QObject):
    """A part of the window. Override `panels`, `groups` and the hooks that concern it."""

    panels: Sequence[Panel[Any]] = ()
    """The panels, in the order of their pages and of the View menu."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell.main_window)
        self.shell = shell

    @property
    def groups(self) -> Sequence[Group]:
        """The actions, in the order of their menus."""
        return ()

    def keep_until_shown(self, *widgets: QWidget) -> None:
        """Let the window own the widgets of panels that are created before their page is shown."""
        # The owner is hidden, because Qt shows children that were never hidden with their parent.
        owner = QWidget(self.shell.main_window)
        owner.hide()
        for widget in widgets:
            widget.setParent(owner)

    def report_from(self, *parts: Any) -> None:
        """Show the lines of parts: `message` in the status bar, `failed` in the banner."""
        for part in parts:
            part.message.connect(self.shell.note)
            part.failed.connect(self.shell.banner.say)

    def start(self) -> None:
        """Connect to other features and restore settings; by now all features and actions exist."""

    def claims(self, run: Run) -> bool:
        """Return True for a run that this feature started and that stays in the background."""
        return False

    def group_of_new_run(self) -> str:
        """Return the group of the runs that this feature is starting, such as a sweep's, or ""."""
        return ""

    def show_run(self, run: Run | None) -> None:
        """Show another run, or none."""

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Update figures for another scene or for one that has grown; None if no run is shown."""

    def show_step(self, scene: Scene, live: bool) -> None:
        """Update figures of a single step when another step is on screen."""

    def end_run(self, run: Run) -> None:
        """Handle the end of a run of this session, shown or not."""

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""

    def keep(self) -> None:
        """Store settings before the window closes."""

    def close(self) -> None:
        """End processes and background work when the window closes."""


class OnePanelFeature(Feature):
    """A feature with one panel, which shows the run on screen.

    Subclasses set `name`, `title` and `dock`, and define `make_panel`. The panel's widget has
    `show_scene(scene, live)`; it is not called before the widget exists.
    """

    name: str
    title: str
    """In English, marked by `N_`."""
    dock: Dock

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.panel: Panel[Any] = Panel(self.name, tr(self.title), self.dock, self.make_panel)
        self.panels = (self.panel,)

    def make_panel(self) -> QWidget:
        """Return the panel's widget; import it here, so that the window opens sooner."""
        raise NotImplementedError

    @override
    def show_scene(self, scene: Scene | None, live: bool) -> None:
        if self.panel.made:
            self.panel.widget.show_scene(scene, live)
