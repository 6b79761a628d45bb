"""Non-blocking dialogs: they open, and call a function with the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QProgressDialog, QWidget

from gui.app.jobs import Runner
from gui.look.text import tr
from gui.widgets.label import Label

PARTS = 1000  # steps of a progress bar
SHOWN_AFTER_MS = 300  # only longer work shows a dialog


def ask_open(
    parent: QWidget,
    title: str,
    folder: Path | str,
    kinds: Sequence[str],
    then: Callable[[list[Path]], None],
    several: bool = False,
) -> None:
    """Ask for an existing file, or several with `several`; call `then` unless the user cancels.

    `kinds` are filters such as `Recordings (*.arrow)`; the first is selected.
    """
    dialog = _dialog(parent, title, kinds)
    modes = QFileDialog.FileMode
    dialog.setFileMode(modes.ExistingFiles if several else modes.ExistingFile)
    dialog.setDirectory(str(folder))
    dialog.filesSelected.connect(lambda names: then([Path(name) for name in names]))
    dialog.open()


def ask_save(
    parent: QWidget, title: str, start: Path, kinds: Sequence[str], then: Callable[[Path], None]
) -> None:
    """Ask for a path to write, suggesting `start`; call `then` unless the user cancels.

    A name without a suffix gets the suffix of the selected kind. If a file has that name, the user
    is asked whether to replace it.
    """
    dialog = _dialog(parent, title, kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDirectory(str(start.parent))
    dialog.selectFile(start.name)

    def take(names: list[str]) -> None:
        typed = Path(names[0])
        path = with_suffix(typed, dialog.selectedNameFilter())
        # The dialog has asked only about the name as it was typed.
        if path != typed and path.exists():
            _ask_to_replace(parent, title, path, then)
        else:
            then(path)

    dialog.filesSelected.connect(take)
    dialog.open()


def ask_folder(parent: QWidget, title: str, folder: str, then: Callable[[Path], None]) -> None:
    """Ask for a folder, suggesting `folder`; call `then` unless the user cancels."""
    dialog = _dialog(parent, title, [])
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setDirectory(folder)
    dialog.filesSelected.connect(lambda names: then(Path(names[0])))
    dialog.open()


def to_front(window: QWidget) -> None:
    """Show a separate window in front of all others."""
    window.show()
    window.raise_()
    window.activateWindow()


def with_suffix(path: Path, kind: str) -> Path:
    """Return the path, with the first suffix of `kind` (`PNG image (*.png)`) if it has none."""
    _, _, patterns = kind.partition("(*")
    suffix, _, _ = patterns.rstrip(")").partition(" ")
    return path.with_suffix(suffix) if suffix and not path.suffix else path


class ProgressDialogs(QObject):
    """Shows the progress of a runner, with a button to cancel, if the work takes a while.

    `dialog` exists while work is under way. `text` describes the work.
    """

    def __init__(self, window: QWidget, runner: Runner, text: str = "") -> None:
        super().__init__(runner)
        self._window = window
        self._runner = runner
        self.text = text
        self.dialog: QProgressDialog | None = None
        runner.advanced.connect(self._show)
        runner.ended.connect(self._end)

    def _show(self, share: float) -> None:
        if self.dialog is None:
            self.dialog = dialog = QProgressDialog("", tr("Cancel"), 0, PARTS, self._window)
            dialog.setLabel(Label(self.text))
            # A modal dialog handles waiting events inside setValue: a key or a click could cancel
            # or start work in the middle of the piece that is under way.
            dialog.setWindowModality(Qt.WindowModality.NonModal)
            dialog.setMinimumDuration(SHOWN_AFTER_MS)
            # Closed by the end of the work (`_end`), not by a full bar: the last piece may take a
            # while.
            dialog.setAutoClose(False)
            dialog.setAutoReset(False)
            dialog.canceled.connect(self._runner.cancel)
        self.dialog.setValue(min(PARTS - 1, round(PARTS * share)))

    def _end(self) -> None:
        if self.dialog is not None:
            self.dialog.hide()
            self.dialog.deleteLater()
            self.dialog = None


def _ask_to_replace(parent: QWidget, title: str, path: Path, then: Callable[[Path], None]) -> None:
    """Ask whether to replace a file; call `then` with its path if the user agrees."""
    box = QMessageBox(parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(tr("{name} already exists. Replace it?", name=path.name))
    replace = box.addButton(tr("Replace"), QMessageBox.ButtonRole.AcceptRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    replace.clicked.connect(lambda: then(path))
    box.open()


def _dialog(parent: QWidget, title: str, kinds: Sequence[str]) -> QFileDialog:
    dialog = QFileDialog(parent, title)
    # Otherwise the window, its parent, would keep every dialog that was ever opened.
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setNameFilters(list(kinds))
    return dialog
