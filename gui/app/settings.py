"""Settings that are kept after the window closes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QByteArray, QSettings

from core.paths import home_folder
from core.plan.specification import Specification
from core.process.ssh import checked_host
from core.reading import FORESEEN
from gui.app.figure_options import FigureOptions

MOST_RECENT = 10
LAYOUT = 8  # increase it when docks change: a saved layout of another version is not used

FIGURE = {"preset": "two-column"}

Value = TypeVar("Value")


class Setting(Generic[Value]):
    """An attribute that is stored under its name.

    Its value is the default if nothing is stored, or if the stored value is damaged or of another
    type.
    """

    def __init__(self, default: Value) -> None:
        self._default = default

    def __set_name__(self, owner: type[Settings], name: str) -> None:
        self._name = name

    def __get__(self, settings: Settings, owner: type[Settings]) -> Value:
        return settings.kept(self._name, self._default)

    def __set__(self, settings: Settings, value: Value) -> None:
        settings.keep(self._name, value)


class JsonSetting(Setting[Value]):
    """A setting that is stored as JSON; `default` is used if no value can be read."""

    def __init__(
        self, default: object, read: Callable[[Any], Value], write: Callable[[Value], object]
    ) -> None:
        self._text = json.dumps(default)
        self._read = read
        self._write = write

    def __get__(self, settings: Settings, owner: type[Settings]) -> Value:
        try:
            return self._read(json.loads(settings.kept(self._name, self._text)))
        except FORESEEN:
            return self._read(json.loads(self._text))

    def __set__(self, settings: Settings, value: Value) -> None:
        settings.keep(self._name, json.dumps(self._write(value)))


class Settings:
    """A typed interface to QSettings; with `path`, settings are stored in that file."""

    theme = Setting("light")
    language = Setting("")
    memory = Setting(True)
    prediction = Setting(True)
    critical_path = Setting(False)
    nested = Setting(True)
    arrows = Setting(False)
    counters = Setting(True)
    """Visible parts of the timeline; `nested` are the blocks inside forwards and backwards."""
    play_first_run = Setting(True)
    """True if the first short run of a session plays automatically."""
    time_from = Setting("step")
    """Zero of the timeline's times: the step, the run's start, or the clock."""
    grouping = Setting("devices")
    colour_by = Setting("kind")
    """Grouping of the timeline's lanes, and meaning of the colours of bars."""
    node_devices = Setting(0)
    """Number of devices in a node, if their names do not show it; 0 until the user sets it."""
    folder = Setting(str(home_folder()))
    """The folder that a file was last saved in or opened from."""
    recent = JsonSetting(
        [],
        lambda names: [Path(str(name)) for name in names][:MOST_RECENT],
        lambda paths: [str(path) for path in paths[:MOST_RECENT]],
    )
    """The recordings that were opened or saved recently, the latest first."""
    hosts = JsonSetting(
        [],
        lambda names: [checked_host("", str(name)) for name in names][:MOST_RECENT],
        lambda hosts: hosts[:MOST_RECENT],
    )
    """The other machines that were used recently, the latest first."""
    specification = JsonSetting({}, Specification.from_dict, Specification.to_dict)
    """The last settings of the form."""
    unfolded = JsonSetting([], lambda names: {str(name) for name in names}, sorted)
    """The sections of the form that are open."""
    pages = JsonSetting([], lambda names: [str(name) for name in names], list)
    """The panels in front in their docks."""
    figure = JsonSetting(FIGURE, FigureOptions.from_dict, FigureOptions.to_dict)
    """The options of the last exported figure."""

    def __init__(self, path: Path | None = None) -> None:
        if path is None:
            self.store = QSettings("bubblescope", "bubblescope")
        else:
            self.store = QSettings(str(path), QSettings.Format.IniFormat)

    def remember(self, path: Path) -> None:
        """Put a recording at the head of the recent ones."""
        # The next session may begin in another folder.
        path = path.absolute()
        self.recent = [path, *(other for other in self.recent if other != path)]

    def forget(self, path: Path) -> None:
        """Remove a recording from the recent ones."""
        self.recent = [other for other in self.recent if other != path]

    def remember_host(self, host: str) -> None:
        """Put another machine at the head of the recent ones."""
        self.hosts = [host, *(other for other in self.hosts if other != host)]

    def colours(self, theme: str) -> dict[str, str]:
        """Return the user's colours in a theme, by name; {} if nothing readable is stored."""
        try:
            kept: Any = json.loads(self.kept(f"colours/{theme}", "{}"))
            pairs = {str(name): str(colour) for name, colour in kept.items()}
        except FORESEEN:
            return {}
        return {name: c for name, c in pairs.items() if re.fullmatch("#[0-9a-f]{6}", c)}

    def set_colours(self, theme: str, colours: dict[str, str]) -> None:
        """Store the user's colours in a theme."""
        self.keep(f"colours/{theme}", json.dumps(colours))

    @property
    def window(self) -> tuple[QByteArray, QByteArray] | None:
        """The window's geometry and the state of its docks; None at first use and for old layouts.

        A layout is old if LAYOUT was increased since it was stored.
        """
        if self.kept("layout", 0) != LAYOUT:
            return None
        return (self.kept("geometry", QByteArray()), self.kept("state", QByteArray()))

    @window.setter
    def window(self, kept: tuple[QByteArray, QByteArray]) -> None:
        geometry, state = kept
        self.keep("layout", LAYOUT)
        self.keep("geometry", geometry)
        self.keep("state", state)

    def kept(self, name: str, default: Value) -> Value:
        """Return the value stored under a name; the default if it is damaged or of another type."""
        try:
            # A settings file holds only text. Given the type, QSettings converts it; on failure it
            # raises, or returns something else, depending on the type. The last line checks for the
            # latter.
            value = self.store.value(name, default, type=type(default))
        except FORESEEN:
            return default
        return value if isinstance(value, type(default)) else default

    def keep(self, name: str, value: object) -> None:
        """Store a value under a name."""
        self.store.setValue(name, value)

    def save(self) -> None:
        """Write to disk now."""
        self.store.sync()
