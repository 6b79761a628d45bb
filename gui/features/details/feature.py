"""Details: the selected span, gap or range in words and as a table."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QTableView, QTreeView

from core.explain.lanes import Gap
from gui.app.feature import Dock, Feature, Panel, Shell
from gui.features.details.panel import DetailsPanel
from gui.look.text import tr
from gui.timeline.state.selection import Selection, TimeRange


class DetailsFeature(Feature):
    """The Details panel, which is brought to the front when a span or a gap is selected."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.panel = Panel("details", tr("Details"), Dock.DETAILS, self._make_panel)
        self.panels = (self.panel,)
        shell.timeline.state.selection_changed.connect(self._select)
        shell.explainer.explained.connect(self._show_gap)

    def _make_panel(self) -> DetailsPanel:
        panel = DetailsPanel()
        panel.blocking_task_chosen.connect(self.shell.timeline.selector.select_task)
        return panel

    def _select(self, selection: Selection | None) -> None:
        if selection is None:
            # Leave the room to the other panels.
            self.shell.hide_panel("details")
            if not self.panel.made:
                return
        self._show(selection)
        # Do not change panels while the user moves through a list.
        in_list = isinstance(QApplication.focusWidget(), QTableView | QTreeView)
        if selection is not None and not isinstance(selection, TimeRange) and not in_list:
            self.shell.bring("details")

    def _show_gap(self) -> None:
        """Show the reasons for the selected gap once its step has been explained."""
        selection = self.shell.timeline.state.selection
        if isinstance(selection, Gap):
            self._show(selection)

    def _show(self, selection: Selection | None) -> None:
        run = self.shell.run_shown
        scene = self.shell.scene
        panel = self.panel.widget
        if run is None:
            panel.show_selection(None, selection)
            return
        report = None
        note = ""
        if scene is not None and isinstance(selection, Gap):
            report, note = self.shell.explainer.reason(scene.explained, selection, run.live)
        measure = self.shell.timeline.selector.measure
        panel.show_selection(run.trace, selection, run.now, report, measure, note)
