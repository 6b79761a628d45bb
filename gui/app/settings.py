"""What is remembered between sittings."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QByteArray, QSettings

from core.plan.specification import Specification
from core.reading import FORESEEN
from core.report.figure import FigureOptions
from gui.timeline.state.groups import NODE_DEVICES

MOST_RECENT = 10
LAYOUT = 5  # raise when docks change, so that an older layout is not forced on new docks

FIGURE = {"preset": "two-column"}

Kept = TypeVar("Kept")


class Settings:
    """A typed face of QSettings; give `path` to keep them in a file of one's own."""

    def __init__(self, path: Path | None = None) -> None:
        if path is None:
            self._store = QSettings("bubblescope", "bubblescope")
        else:
            self._store = QSettings(str(path), QSettings.Format.IniFormat)

    @property
    def theme(self) -> str:
        """Name of the theme."""
        return self._kept("theme", "light")

    @theme.setter
    def theme(self, name: str) -> None:
        self._store.setValue("theme", name)

    @property
    def specification(self) -> Specification:
        """The form as it was last left; the default if nothing readable was kept."""
        try:
            values: Any = json.loads(self._kept("specification", "{}"))
            return Specification.from_dict(values)
        except FORESEEN:
            return Specification()

    @specification.setter
    def specification(self, specification: Specification) -> None:
        self._store.setValue("specification", json.dumps(specification.to_dict()))

    @property
    def folder(self) -> str:
        """The folder that a file was last saved in or opened from."""
        return self._kept("folder", str(Path.home()))

    @folder.setter
    def folder(self, folder: str) -> None:
        self._store.setValue("folder", folder)

    @property
    def recent(self) -> list[Path]:
        """The recordings that were opened or saved last, the latest first."""
        try:
            names: Any = json.loads(self._kept("recent", "[]"))
            return [Path(str(name)) for name in names][:MOST_RECENT]
        except FORESEEN:
            return []

    def remember(self, path: Path) -> None:
        """Put a recording at the head of the recent ones."""
        path = path.absolute()
        self._keep_recent([path, *(other for other in self.recent if other != path)])

    def forget(self, path: Path) -> None:
        """Take a recording out of the recent ones."""
        self._keep_recent([other for other in self.recent if other != path])

    def _keep_recent(self, paths: list[Path]) -> None:
        self._store.setValue("recent", json.dumps([str(path) for path in paths[:MOST_RECENT]]))

    @property
    def memory(self) -> bool:
        """Whether the timeline shows memory."""
        return self._kept("memory", True)

    @memory.setter
    def memory(self, shown: bool) -> None:
        self._store.setValue("memory", shown)

    @property
    def prediction(self) -> bool:
        """Whether the timeline shows predictions."""
        return self._kept("prediction", True)

    @prediction.setter
    def prediction(self, shown: bool) -> None:
        self._store.setValue("prediction", shown)

    @property
    def critical_path(self) -> bool:
        """Whether the timeline shows the critical path."""
        return self._kept("critical_path", False)

    @critical_path.setter
    def critical_path(self, shown: bool) -> None:
        self._store.setValue("critical_path", shown)

    @property
    def nested(self) -> bool:
        """Whether the timeline shows the blocks inside forwards and backwards."""
        return self._kept("nested", True)

    @nested.setter
    def nested(self, shown: bool) -> None:
        self._store.setValue("nested", shown)

    @property
    def grouping(self) -> str:
        """What the timeline's lanes are grouped by."""
        return self._kept("grouping", "devices")

    @grouping.setter
    def grouping(self, name: str) -> None:
        self._store.setValue("grouping", name)

    @property
    def node_devices(self) -> int:
        """How many devices a node has, where their names do not tell."""
        return max(1, self._kept("node_devices", NODE_DEVICES))

    @node_devices.setter
    def node_devices(self, count: int) -> None:
        self._store.setValue("node_devices", count)

    @property
    def colour_by(self) -> str:
        """What bars are coloured by."""
        return self._kept("colour_by", "kind")

    @colour_by.setter
    def colour_by(self, name: str) -> None:
        self._store.setValue("colour_by", name)

    def colours(self, theme: str) -> dict[str, str]:
        """The user's own colours in a theme, by name; none if nothing readable was kept."""
        try:
            kept: Any = json.loads(self._kept(f"colours/{theme}", "{}"))
            pairs = {str(name): str(colour) for name, colour in kept.items()}
        except FORESEEN:
            return {}
        return {name: c for name, c in pairs.items() if re.fullmatch("#[0-9a-f]{6}", c)}

    def set_colours(self, theme: str, colours: dict[str, str]) -> None:
        """Keep the user's own colours in a theme."""
        self._store.setValue(f"colours/{theme}", json.dumps(colours))

    @property
    def figure(self) -> FigureOptions:
        """The last figure that was exported; one for two columns if nothing readable was kept."""
        try:
            return FigureOptions.from_dict(json.loads(self._kept("figure", "{}")) or FIGURE)
        except FORESEEN:
            return FigureOptions.from_dict(FIGURE)

    @figure.setter
    def figure(self, options: FigureOptions) -> None:
        self._store.setValue("figure", json.dumps(options.to_dict()))

    @property
    def window(self) -> tuple[QByteArray, QByteArray] | None:
        """The window's geometry and the state of its docks, or None the first time."""
        if self._kept("layout", 0) != LAYOUT:
            return None
        return (self._kept("geometry", QByteArray()), self._kept("state", QByteArray()))

    @window.setter
    def window(self, kept: tuple[QByteArray, QByteArray]) -> None:
        self._store.setValue("layout", LAYOUT)
        self._store.setValue("geometry", kept[0])
        self._store.setValue("state", kept[1])

    def _kept(self, name: str, default: Kept) -> Kept:
        """What is kept under a name; the default if it is of another type, or damaged."""
        try:
            value = self._store.value(name, default, type=type(default))
        except FORESEEN:
            return default
        return value if isinstance(value, type(default)) else default

    def save(self) -> None:
        """Write to disk now."""
        self._store.sync()
