"""What is remembered between sittings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QByteArray, QSettings

from core.paths import home_folder
from core.plan.specification import Specification
from core.reading import FORESEEN
from gui.app.figure_options import FigureOptions

MOST_RECENT = 10
LAYOUT = 7  # raise when docks change, so that an older layout is not forced on new docks

FIGURE = {"preset": "two-column"}

Value = TypeVar("Value")


class Setting(Generic[Value]):
    """An attribute that is kept under its own name.

    It is the default where nothing is kept, or something of another type, or something damaged.
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
    """One that is kept as JSON, and read from `default` if nothing readable is kept."""

    def __init__(
        self, default: object, read: Callable[[Any], Value], write: Callable[[Value], object]
    ) -> None:
        self._text, self._read, self._write = json.dumps(default), read, write

    def __get__(self, settings: Settings, owner: type[Settings]) -> Value:
        try:
            return self._read(json.loads(settings.kept(self._name, self._text)))
        except FORESEEN:
            return self._read(json.loads(self._text))

    def __set__(self, settings: Settings, value: Value) -> None:
        settings.keep(self._name, json.dumps(self._write(value)))


class Settings:
    """A typed face of QSettings; give `path` to keep them in a file of one's own."""

    theme = Setting("light")
    language = Setting("")
    memory, prediction, critical_path, nested = map(Setting, (True, True, False, True))
    arrows, counters = Setting(False), Setting(True)
    """Parts that the timeline shows; `nested` are the blocks inside forwards and backwards."""
    time_from = Setting("step")
    """What the timeline's moments count from: the step, the run's start, or the clock."""
    grouping, colour_by = Setting("devices"), Setting("kind")
    """What the timeline's lanes are grouped by, and what bars are coloured by."""
    node_devices = Setting(0)
    """How many devices a node has, where their names do not tell; 0 until that was said."""
    folder = Setting(str(home_folder()))
    """The folder that a file was last saved in or opened from."""
    recent = JsonSetting(
        [],
        lambda names: [Path(str(name)) for name in names][:MOST_RECENT],
        lambda paths: [str(path) for path in paths[:MOST_RECENT]],
    )
    """The recordings that were opened or saved last, the latest first."""
    specification = JsonSetting({}, Specification.from_dict, Specification.to_dict)
    """The form as it was last left."""
    unfolded = JsonSetting([], lambda names: {str(name) for name in names}, sorted)
    """The parts of the form that were left open."""
    figure = JsonSetting(FIGURE, FigureOptions.from_dict, FigureOptions.to_dict)
    """The last figure that was exported."""

    def __init__(self, path: Path | None = None) -> None:
        if path is None:
            self.store = QSettings("bubblescope", "bubblescope")
        else:
            self.store = QSettings(str(path), QSettings.Format.IniFormat)

    def remember(self, path: Path) -> None:
        """Put a recording at the head of the recent ones."""
        # The next sitting may begin in another folder.
        path = path.absolute()
        self.recent = [path, *(other for other in self.recent if other != path)]

    def forget(self, path: Path) -> None:
        """Take a recording out of the recent ones."""
        self.recent = [other for other in self.recent if other != path]

    def colours(self, theme: str) -> dict[str, str]:
        """The user's own colours in a theme, by name; none if nothing readable was kept."""
        try:
            kept: Any = json.loads(self.kept(f"colours/{theme}", "{}"))
            pairs = {str(name): str(colour) for name, colour in kept.items()}
        except FORESEEN:
            return {}
        return {name: c for name, c in pairs.items() if re.fullmatch("#[0-9a-f]{6}", c)}

    def set_colours(self, theme: str, colours: dict[str, str]) -> None:
        """Keep the user's own colours in a theme."""
        self.keep(f"colours/{theme}", json.dumps(colours))

    @property
    def window(self) -> tuple[QByteArray, QByteArray] | None:
        """The window's geometry and the state of its docks, or None the first time."""
        if self.kept("layout", 0) != LAYOUT:
            return None
        return (self.kept("geometry", QByteArray()), self.kept("state", QByteArray()))

    @window.setter
    def window(self, kept: tuple[QByteArray, QByteArray]) -> None:
        for name, value in (("layout", LAYOUT), ("geometry", kept[0]), ("state", kept[1])):
            self.keep(name, value)

    def kept(self, name: str, default: Value) -> Value:
        """What is kept under a name; the default if it is of another type, or damaged."""
        try:
            # A settings file holds text alone: told the type, QSettings turns it back, or raises,
            # or gives something else (which the last line looks at), depending on the type.
            value = self.store.value(name, default, type=type(default))
        except FORESEEN:
            return default
        return value if isinstance(value, type(default)) else default

    def keep(self, name: str, value: object) -> None:
        """Keep something under a name."""
        self.store.setValue(name, value)

    def save(self) -> None:
        """Write to disk now."""
        self.store.sync()
