"""Context menu of a run, for its tab and for its row in the Runs panel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QInputDialog, QMenu

from gui.app.feature import Panel, Shell
from gui.app.run import Run
from gui.app.run_names import shown_title
from gui.features.runs.baseline import Baseline
from gui.features.runs.tabs import RunTabs
from gui.look.text import tr

if TYPE_CHECKING:
    from gui.features.runs.panel import RunsPanel


class RunMenu(QObject):
    """Opens the menu of a run; `use` copies a run's settings into the form."""

    def __init__(
        self,
        shell: Shell,
        panel: Panel[RunsPanel],
        tabs: RunTabs,
        use: Callable[[Run], None],
        baseline: Baseline,
    ) -> None:
        super().__init__(shell.main_window)
        self._shell = shell
        self._window = shell.main_window
        self._session = shell.session
        self._panel = panel
        self._tabs = tabs
        self._use = use
        self._baseline = baseline

    def popup(self, run: Run, at: QPoint) -> QMenu:
        """Show the menu of a run at a position on screen."""
        menu = QMenu(self._window)
        # Otherwise each menu would exist as long as the window, its parent.
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        menu.addAction(tr("Use this run's settings"), lambda: self._use(run))
        others = menu.addAction(tr("Close other tabs"), lambda: self._tabs.close_others(run))
        runs = self._tabs.runs
        others.setEnabled(run in runs and len(runs) > 1)
        pinned = menu.addAction(tr("Use as the baseline"), lambda: self._pin(run))
        pinned.setCheckable(True)
        pinned.setChecked(run is self._baseline.run)
        menu.addAction(tr("Rename…"), lambda: self.rename(run))
        menu.addAction(tr("Note…"), lambda: self.note(run))
        words = tr("Delete") if run.source is None else tr("Remove from the list")
        delete = menu.addAction(words, lambda: self.remove(run))
        delete.setEnabled(not run.live)
        delete.setToolTip(tr("Files are not changed."))
        menu.popup(at)
        return menu

    def rename(self, run: Run) -> None:
        """Ask for a run's name; an empty one restores the run's title."""
        label = tr("Name of this run in this session:")
        self._ask(tr("Rename"), label, shown_title(run), lambda name: self._name(run, name))

    def note(self, run: Run) -> None:
        """Ask for a note on a run."""
        label = tr("Note on this run, kept for this session:")
        self._ask(tr("Note"), label, run.note, lambda note: self._note(run, note))

    def report(self, run: Run) -> None:
        """Update a run in the panel and the tabs."""
        if self._panel.made:
            self._panel.widget.update_run(run)
        self._tabs.update_run(run)

    def _pin(self, run: Run) -> None:
        """Make a run the baseline; if it is the baseline already, use none."""
        self._baseline.run = None if run is self._baseline.run else run
        self._shell.refresh()

    def remove(self, run: Run) -> None:
        """Remove a run from the lists; its file stays."""
        self._session.runs.remove(run)
        if run is self._baseline.run:
            self._baseline.run = None
        if self._panel.made:
            self._panel.widget.remove(run)
        self._tabs.close_run(run)
        if self._shell.centre.shows_first_page:
            # Its cards are made again: one of them may be for this run.
            self._shell.centre.show_first_page()

    def _name(self, run: Run, name: str) -> None:
        run.name = " ".join(name.split())
        self._report(run)

    def _note(self, run: Run, note: str) -> None:
        run.note = note.strip()
        self._report(run)

    def _report(self, run: Run) -> None:
        self.report(run)
        self._shell.refresh()

    def _ask(self, title: str, label: str, text: str, take: Callable[[str], None]) -> None:
        dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(title)
        dialog.setLabelText(label)
        dialog.setTextValue(text)
        dialog.textValueSelected.connect(take)
        dialog.open()  # not exec(): runs continue meanwhile
