"""Colours of bars and their meaning, as the settings store them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from gui.app.dialogs import to_front
from gui.app.settings import Settings
from gui.features.view.colours_panel import ColoursPanel
from gui.look.theme import DARK, LIGHT, THEMES, Theme, edited
from gui.timeline.state.colour_choices import ColourBy, colouring_of
from gui.timeline.state.scene import Scene


def chosen_theme(settings: Settings) -> Theme:
    """Return the theme that the settings name, in the user's colours."""
    built_in = _built_in(settings)
    return edited(built_in, settings.colours(built_in.name))


class ColourControl(QObject):
    """Controller of Colour by and Colours… in the View menu.

    `theme_changed` is emitted when the theme has other colours, and `scene_changed` when the bars
    of the scene on screen have another colouring.
    """

    theme_changed = Signal()
    scene_changed = Signal()

    def __init__(self, settings: Settings, window: QWidget) -> None:
        super().__init__(window)
        self._settings = settings
        self._window = window
        self._scene: Scene | None = None
        self._live = False
        self.panel: ColoursPanel | None = None

    @property
    def by(self) -> ColourBy:
        """The property by which bars are coloured."""
        kept = self._settings.colour_by
        return ColourBy(kept) if kept in list(ColourBy) else ColourBy.KIND

    @property
    def theme(self) -> Theme:
        """The theme that is chosen, in the user's colours."""
        return chosen_theme(self._settings)

    def colour_by(self, by: str) -> None:
        """Colour by kind, micro-batch, stage or duration, and remember it."""
        self._settings.colour_by = by
        self._colour()

    def toggle_theme(self, dark: bool) -> None:
        """Change between light and dark, and remember it."""
        self._settings.theme = (DARK if dark else LIGHT).name
        self.theme_changed.emit()

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        """Colour the run that is shown, which may have grown."""
        # Also when a run has just ended (`_live` is still set), because its last spans may have
        # changed the ramp.
        if scene is not self._scene or live or self._live:
            self._scene = scene
            self._live = live
            self._colour()

    def edit(self) -> None:
        """Show the dialog in which the user edits the colours."""
        if self.panel is None:
            self.panel = ColoursPanel(self.theme, _built_in(self._settings), self._window)
            self.panel.changed.connect(self._take)
        self.panel.show_theme(self.theme, _built_in(self._settings))
        to_front(self.panel)

    def refresh(self) -> None:
        """Show the chosen theme in the dialog."""
        if self.panel is not None:
            self.panel.show_theme(self.theme, _built_in(self._settings))

    def _take(self, colours: Mapping[str, str]) -> None:
        built_in = _built_in(self._settings)
        # Only differences from the built-in theme are kept: after a reset there are none.
        own = {name: c for name, c in colours.items() if c != getattr(built_in, name)}
        self._settings.set_colours(built_in.name, own)
        self.theme_changed.emit()
        self.refresh()

    def _colour(self) -> None:
        if self._scene is None:
            return
        colouring = colouring_of(self.by, self._scene.trace, self._scene.colouring)
        # Compared, because this is called at every update of a live run, and a new colouring
        # repaints all bars.
        if colouring != self._scene.colouring:
            self._scene.colouring = colouring
            self.scene_changed.emit()


def _built_in(settings: Settings) -> Theme:
    return THEMES.get(settings.theme, LIGHT)
