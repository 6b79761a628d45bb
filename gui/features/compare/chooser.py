"""Which run is put beside the one that is shown: a list that blocks nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from core.compare.runs import TwoRuns
from core.predict.compare import without_step_overlap
from core.trace.trace import Trace
from gui.app.dialogs import ask_open
from gui.app.run_names import shown_title
from gui.app.session import Run
from gui.app.titles import run_title
from gui.features.recordings.files import open_filters
from gui.features.runs.panel import run_columns
from gui.look.text import duration_text, tr
from gui.timeline.state.scene import step_name
from gui.widgets.label import Label
from gui.widgets.layouts import column, named

OTHER_ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Other:
    """What is compared with the run that is shown; `run` is None for a prediction of that run."""

    trace: Trace
    title: str
    run: Run | None = None

    @property
    def live(self) -> bool:
        """Whether more is to come."""
        return self.run is not None and self.run.live


def others(runs: Sequence[Run], shown: Run) -> list[Other]:
    """What `shown` can be compared with: its prediction, then the other runs, latest first."""
    found = []
    if shown.ghost is not None:
        found.append(Other(without_step_overlap(shown.ghost), tr("Prediction of this run")))
    return found + [other_of(run) for run in reversed(runs) if run is not shown]


def other_of(run: Run) -> Other:
    """A run as something to compare with."""
    number, title, outcome, length = run_columns(run)
    words = " · ".join(filter(None, (title, outcome, length)))
    return Other(run.trace, f"{number}: {words}", run)


def titles(a: Run, b: Other, two: TwoRuns | None) -> tuple[str, str]:
    """What stands above both timelines: each run, and which step of it is compared."""
    names = shown_title(a), b.title if b.run is None else shown_title(b.run)
    if two is None:
        return names
    one, other = (
        f"{name} · {_steps_words(trace, side.steps)} · {duration_text(side.mean_makespan)}"
        for name, trace, side in zip(names, (a.trace, b.trace), (two.a, two.b), strict=True)
    )
    return one, other


def _steps_words(trace: Trace, steps: Sequence[int]) -> str:
    if len(steps) > 1:
        return tr("mean of {n} steps", n=len(steps))
    return step_name(steps[0], trace.header.specification.warmup)


class RunChooser(QDialog):
    """`chosen` carries an Other; `wanted` the path of a recording that is to be opened."""

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
        column(words, middle, buttons, of=self, growing=middle)

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.chosen.emit(item.data(OTHER_ROLE))
            self.accept()

    def _ask(self) -> None:
        ask_open(self, tr("Open recording"), self._folder, open_filters(), self._open)

    def _open(self, paths: list[Path]) -> None:
        # Only now does the chooser go: who cancels the file dialog comes back to it.
        self.wanted.emit(paths[0])
        self.accept()
