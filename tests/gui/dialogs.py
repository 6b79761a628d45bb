"""Answers the dialogs that ask for a file to write."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLineEdit,
    QListView,
    QMessageBox,
    QPushButton,
    QWidget,
)


def save_as(window: QWidget, path: Path) -> None:
    """Type a path into the file dialog that is open, and accept it."""
    (dialog,) = window.findChildren(QFileDialog)
    # Otherwise the dialog would return the file that it had selected.
    dialog.findChild(QListView, "listView").clearSelection()
    dialog.findChild(QLineEdit, "fileNameEdit").setText(str(path))
    dialog.accept()
    delete_closed(dialog)


def replace_button(box: QMessageBox) -> QPushButton:
    """The button that lets an existing file be replaced."""
    (button,) = (one for one in box.buttons() if one.text() == "Replace")
    return button


def delete_closed(dialog: QWidget) -> None:
    """Delete a closed dialog now, which the event loop would do later."""
    QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete)
