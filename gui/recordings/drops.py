"""Files that are dropped onto the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget


class FileDrops(QObject):
    """Lets files of this machine be dropped onto a window, and opens them."""

    def __init__(self, window: QWidget, open_paths: Callable[[Sequence[Path]], object]) -> None:
        super().__init__(window)
        self._open = open_paths
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: D102
        if not isinstance(event, QDropEvent):
            return False
        paths = _paths(event.mimeData())
        if event.type() is QEvent.Type.DragEnter and paths:
            event.acceptProposedAction()
        elif event.type() is QEvent.Type.Drop:
            event.acceptProposedAction()
            self._open(paths)
        return event.type() in (QEvent.Type.DragEnter, QEvent.Type.Drop)


def _paths(data: QMimeData) -> list[Path]:
    """The files on this machine that something dragged stands for."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
