"""Controller of the What-if panel: asks its questions and shows the newest answers."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal

from core.costs.costs_file import read_costs, write_costs
from core.errors import PlanError
from core.message import N_
from core.plan.devices import KINDS, PREDICTED, device_kind
from core.plan.faults import HICCUP, faults_given
from core.plan.pipeline.options import DEFAULT_SCHEDULE, SCHEDULE
from core.predict.run_costs import run_costs
from core.predict.whatif import WhatIfQuery, WhatIfResult
from core.predict.worker.requests import (
    Draw,
    PredictionDone,
    PredictionLost,
    PredictionRefused,
    PredictionReply,
)
from core.predict.worker.service import PredictionService
from core.report.summary import rows_by_microbatch
from core.trace.trace import Trace
from gui.app.dialogs import ask_open
from gui.app.saving import Saver
from gui.app.settings import Settings
from gui.app.titles import model_title
from gui.features.predict.whatif_panel import Basis, WhatIfPanel
from gui.look.core_texts import translated
from gui.look.text import problem_text, tr

LATE_MS = 100  # then the panel says that it is still predicting
FILES = N_("Costs (*.json *.toml)")


class WhatIfController(Saver):
    """Asks what the panel asks, and shows answers that are newer than what is shown.

    `drawn` carries the bytes of a predicted recording.
    """

    drawn = Signal(bytes)
    _replied = Signal(object)

    def __init__(self, panel: WhatIfPanel, settings: Settings, service: PredictionService) -> None:
        super().__init__(panel, settings)
        self.panel = panel
        self._replied.connect(self.on_reply, Qt.ConnectionType.QueuedConnection)
        self.predictor = service.client(self._replied.emit)
        self._asked = self._shown = 0
        self._drawing: set[int] = set()
        self._trace: Trace | None = None
        self._late = QTimer(self, singleShot=True, interval=LATE_MS)
        self._late.timeout.connect(self._say_late)
        panel.asked.connect(self._put)
        panel.opened.connect(self._take_costs)
        panel.large.clicked.connect(self._draw)
        panel.load.clicked.connect(self.load)
        panel.save.clicked.connect(self.save)

    def show_trace(self, trace: Trace) -> None:
        """Another run is shown, or this one has ended: its costs are to be had."""
        self._trace = trace
        if self.panel.isVisible():
            self._take_costs()

    def _put(self, question: WhatIfQuery) -> None:
        """Ask; whatever was asked before is not waited for."""
        self._asked = self.predictor.send(question)
        # Not started anew by each question: a drag that goes on would never come to be late.
        if not self._late.isActive():
            self._late.start()

    def on_reply(self, reply: PredictionReply) -> None:
        """Show a reply, unless a newer one is shown already."""
        match reply:
            # Not only the latest: while a slider is dragged, answers to older questions are shown
            # too, as long as they are newer than what is shown. Else the picture would stand still
            # until it rests.
            case PredictionDone(number, WhatIfResult() as answer) if number > self._shown:
                self._shown = number
                self._late.stop()
                self.panel.show_answer(answer)
            case PredictionDone(number, bytes() as recording):
                self._drawing.discard(number)
                self.panel.large.setEnabled(True)
                self.drawn.emit(recording)
            case PredictionRefused(number, text) if number in self._drawing:
                self._drawing.discard(number)
                self.panel.large.setEnabled(True)
                self.failed.emit(translated(text))
            case PredictionRefused(number, text) if number > self._shown:
                self._shown = number
                self._late.stop()
                self.panel.show_refusal(text)
            case PredictionLost(text):
                self._late.stop()
                self.panel.show_refusal(text)

    def load(self) -> None:
        """Ask for a file of costs and take it."""
        ask_open(
            self.panel, tr("Load costs"), self._settings.folder, [tr(FILES)],
            lambda paths: self.load_from(paths[0]),
        )  # fmt: skip

    def load_from(self, path: Path) -> None:
        """Take the costs of a file."""
        try:
            self.panel.set_file(read_costs(path), path)
        except PlanError as error:
            self.failed.emit(problem_text(error).removeprefix("--costs "))
            return
        self._settings.folder = str(path.parent)

    def save(self) -> None:
        """Ask for a file and write the chosen costs."""
        self.ask(tr("Save costs"), "costs.json", [tr("Costs (*.json)")], self.save_to)

    def save_to(self, path: Path) -> None:
        """Write the chosen costs; the link and the slow lane are no part of them."""
        path, costs = path.with_suffix(".json"), self.panel.basis.costs
        self.write(path, lambda: write_costs(path, costs), tr("Saved {name}.", name=path.name))

    def close(self) -> None:
        """Drop the requests that are not answered yet."""
        self._late.stop()
        self.predictor.cancel()

    def _draw(self) -> None:
        self.panel.large.setEnabled(False)
        self._drawing.add(self.predictor.send(Draw(self.panel.question)))

    def _say_late(self) -> None:
        if self._shown < self._asked:
            question = self.panel.question
            self.panel.picture.show_note(
                tr("Predicting {devices} devices, {microbatches} micro-batches…",
                   devices=question.devices, microbatches=question.microbatches)
            )  # fmt: skip

    def _take_costs(self) -> None:
        """Work out the costs of the run that is shown, once somebody wants to see them."""
        # Taken once: opening the panel again must not undo what was changed in it since.
        trace, self._trace = self._trace, None
        basis = None if trace is None else run_basis(trace)
        if trace is None or basis is None:
            self.panel.ask_again()
            return
        header, last = trace.header, trace.steps[-1]
        lanes = len(header.compute_lanes)
        schedule = header.specification[SCHEDULE] or DEFAULT_SCHEDULE
        self.panel.set_run(basis, lanes, max(1, len(rows_by_microbatch(trace, last))), schedule)


def run_basis(trace: Trace) -> Basis | None:
    """The costs of a run, and what they are for; None where they are not known."""
    known = run_costs(trace)
    if known is None:
        return None
    header = trace.header
    device = KINDS.get(device_kind(header.lanes[0].device).name, PREDICTED).name
    source = tr(
        "{model}, {rows} rows: {source}.", model=model_title(header.model.name),
        rows=header.specification.batch_rows, source=tr(str(known.source)),
    )  # fmt: skip
    faults = faults_given(header.specification)
    faults.pop(HICCUP.name, None)  # it is of one step of the run
    return Basis(
        known.costs, source, header.model, known.stages, header.specification.batch_rows, device,
        known.step_ns, faults,
    )  # fmt: skip
