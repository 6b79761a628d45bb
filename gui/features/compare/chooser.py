"""Dialog that chooses the run to compare with; it is not modal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from core.compare.runs import TwoRuns
from core.predict.compare import without_step_overlap
from core.trace.trace import Trace
from gui.app.dialogs import ask_open
from gui.app.run import Run
from gui.app.run_names import shown_title
from gui.app.setting_names import settings_text
from gui.app.titles import run_title
from gui.features.recordings.files import open_filters
from gui.features.runs.columns import run_columns
from gui.look.text import duration_text, tr
from gui.timeline.state.scene import name_of_step
from gui.widgets.label import Label
from gui.widgets.layouts import column, named

OTHER_ROLE = Qt.ItemDataRole.UserRole
IN_TITLE = ("strategy", "schedule", "model", "batch")
"""Settings that a run's title names."""
MOST_SETTINGS = 3
MANY = 6
"""Least number of runs for which the filter is shown."""


@dataclass(frozen=True, slots=True)
class Other:
    """Run B of a comparison; `run` is None for the prediction of run A."""

    trace: Trace
    title: str
    run: Run | None = None

    @property
    def live(self) -> bool:
        """True while the run grows."""
        return self.run is not None and self.run.live


def others(runs: Sequence[Run], shown: Run) -> list[Other]:
    """Return the runs that `shown` can be compared with: its prediction, then the others.

    Runs of the same model and batch come first; among equals, the latest run is first.
    """
    found = []
    if shown.prediction is not None:
        predicted = without_step_overlap(shown.prediction)
        found.append(Other(predicted, tr("Prediction of this run")))
    rest = [run for run in reversed(runs) if run is not shown]
    rest.sort(key=lambda run: _unlikeness(run.trace, shown.trace))
    for run in rest:
        found.append(other_of(run, shown))
    return found


def other_of(run: Run, shown: Run | None = None) -> Other:
    """Return a run as run B; its title has the settings in which it differs from `shown`."""
    number, title, outcome, length = run_columns(run)
    settings = "" if shown is None else _other_settings(run.trace, shown.trace)
    parts = (title, settings, outcome, length)
    words = " · ".join(part for part in parts if part)
    return Other(run.trace, f"{number}: {words}", run)


def _unlikeness(trace: Trace, shown: Trace) -> tuple[bool, bool]:
    """Return a sort key that puts equal models first, and among them equal batches.

    If a run has no plan, the key puts runs of the same source first.
    """
    if not trace.header.source.has_plan or not shown.header.source.has_plan:
        return trace.header.source is not shown.header.source, False
    one = trace.header.specification
    other = shown.header.specification
    return one.model != other.model, one.batch_rows != other.batch_rows


def _other_settings(trace: Trace, shown: Trace) -> str:
    """Return the first MOST_SETTINGS settings that differ and that the run's title omits."""
    if not trace.header.source.has_plan or not shown.header.source.has_plan:
        return ""
    shown_values = dict(shown.header.specification.values)
    differing = []
    for option, value in trace.header.specification.values:
        is_listed = option.title and option.name not in IN_TITLE
        if is_listed and value != shown_values.get(option):
            differing.append((option, value))
    return settings_text(differing[:MOST_SETTINGS])


def titles(a: Run, b: Other, two: TwoRuns | None) -> tuple[str, str]:
    """Return the titles above both timelines: each run, and its compared step."""
    name_a = shown_title(a)
    name_b = b.title if b.run is None else shown_title(b.run)
    if two is None:
        return name_a, name_b
    steps_a = _steps_words(a.trace, two.a.steps)
    steps_b = _steps_words(b.trace, two.b.steps)
    makespan_a = duration_text(two.a.mean_makespan)
    makespan_b = duration_text(two.b.mean_makespan)
    title_a = f"{name_a} · {steps_a} · {makespan_a}"
    title_b = f"{name_b} · {steps_b} · {makespan_b}"
    return title_a, title_b


def _steps_words(trace: Trace, steps: Sequence[int]) -> str:
    if len(steps) > 1:
        return tr("mean of {n} steps", n=len(steps))
    return name_of_step(trace, steps[0])


class RunChooser(QDialog):
    """List of runs. `chosen` carries an Other, `wanted` the path of a recording to open."""

    chosen = Signal(object)
    wanted = Signal(object)

    def __init__(self, parent: QWidget, shown: Run, offered: Sequence[Other], folder: str) -> None:
        super().__init__(parent)
        self._folder = folder
        self.setWindowTitle(tr("Compare with…"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(560, 320)
        self.list = named(QListWidget(), tr("Runs to compare with"))
        self.list.setAlternatingRowColors(True)
        for other in offered:
            item = QListWidgetItem(other.title, self.list)
            item.setData(OTHER_ROLE, other)
        self.list.itemActivated.connect(self._choose)
        self.list.setCurrentRow(0)
        self.filter = named(QLineEdit(), tr("Filter runs"))
        self.filter.setPlaceholderText(tr("Filter runs"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._filter)
        if len(offered) < MANY:
            self.filter.hide()
        words = Label(tr("Compare {run} with:", run=run_title(shown.trace)), wrapped=True)
        empty = Label(
            tr("There is no other run yet: open a recording, or run something else."),
            "hint",
            wrapped=True,
        )
        self.compare = QPushButton(tr("Compare"), default=True)
        self.compare.setEnabled(bool(offered))
        self.compare.clicked.connect(lambda: self._choose(self.list.currentItem()))
        self.open_button = QPushButton(tr("Open recording…"))
        self.open_button.clicked.connect(self._ask)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self.compare, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self.open_button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        middle = self.list if offered else empty
        column(words, self.filter, middle, buttons, of=self, growing=middle)

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.chosen.emit(item.data(OTHER_ROLE))
            self.accept()

    def _filter(self, text: str) -> None:
        """Show the runs whose titles contain every word of a text, and select the first of them."""
        wanted = text.lower().split()
        shown = []
        for place in range(self.list.count()):
            item = self.list.item(place)
            title = item.text().lower()
            is_shown = all(word in title for word in wanted)
            item.setHidden(not is_shown)
            if is_shown:
                shown.append(place)
        self.list.setCurrentRow(shown[0] if shown else -1)
        self.compare.setEnabled(bool(shown))

    def _ask(self) -> None:
        ask_open(self, tr("Open recording"), self._folder, open_filters(), self._open)

    def _open(self, paths: list[Path]) -> None:
        # Closed only now: cancelling the file dialog returns to the chooser.
        self.wanted.emit(paths[0])
        self.accept()
