"""Files that are dropped onto the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from core.override import override


class FileDrops(QObject):
    """Opens local files that are dropped onto a window."""

    def __init__(self, window: QWidget, open_paths: Callable[[Sequence[Path]], object]) -> None:
        super().__init__(window)
        self._open = open_paths
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QDropEvent):
            return False
        paths = []
        for url in event.mimeData().urls():
            if url.isLocalFile():
                paths.append(Path(url.toLocalFile()))
        if event.type() is QEvent.Type.DragEnter and paths:
            event.acceptProposedAction()
        elif event.type() is QEvent.Type.Drop:
            event.acceptProposedAction()
            self._open(paths)
        return event.type() in (QEvent.Type.DragEnter, QEvent.Type.Drop)
