"""SQL: queries over the runs of this session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.app.feature import Dock, Feature, Panel, Shell
from gui.look.text import tr

if TYPE_CHECKING:
    from gui.features.sql.panel import SqlPanel


class SqlFeature(Feature):
    """The SQL panel; a row that names a task selects its span."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.panel = Panel("sql", tr("SQL"), Dock.DATA, self._make_panel)
        self.panels = (self.panel,)

    def _make_panel(self) -> SqlPanel:
        from gui.features.sql.panel import SqlPanel

        panel = SqlPanel(self.shell.session)
        panel.span_asked.connect(self._select_span)
        return panel

    def _select_span(self, number: int, step: int, task: int) -> None:
        """Show the run with a number, and select the span of a task in it."""
        for run in self.shell.session.runs:
            span = run.trace.find(step, task) if run.number == number else None
            if span is not None:
                self.shell.show_run(run)
                self.shell.timeline.selector.select_span(span.lane, span.index)
