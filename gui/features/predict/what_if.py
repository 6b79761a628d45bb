"""Controller of the What-if panel: sends its questions and shows the newest answers."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal

from core.costs.costs_file import read_costs, write_costs
from core.errors import PlanError
from core.message import N_
from core.plan.devices import KINDS, PREDICTED, device_kind
from core.plan.faults import faults_given
from core.plan.lanes import VIRTUAL
from core.plan.pipeline.options import DEFAULT_SCHEDULE, SCHEDULE
from core.predict.advisor import WayQuery
from core.predict.run_costs import RunCosts, run_costs
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
from gui.features.predict.own_costs import own_costs, run_cut
from gui.features.predict.whatif_panel import Basis, WhatIfPanel
from gui.look.core_texts import translated
from gui.look.text import problem_text, tr

LATE_MS = 100  # delay until the panel shows that it is still predicting
FILES = N_("Costs (*.json *.toml)")


class WhatIfController(Saver):
    """Sends the panel's questions, and shows answers that are newer than the one shown.

    `answered` carries a WhatIfQuery and its WhatIfResult, `took_costs` the header and the RunCosts
    of the run that questions are about from now on, `drawn` the bytes of a predicted recording.
    """

    answered = Signal(object, object)
    took_costs = Signal(object, object)
    drawn = Signal(bytes)
    _replied = Signal(object)

    def __init__(self, panel: WhatIfPanel, settings: Settings, service: PredictionService) -> None:
        super().__init__(panel, settings)
        self.panel = panel
        self._replied.connect(self.on_reply, Qt.ConnectionType.QueuedConnection)
        self.predictor = service.client(self._replied.emit)
        self._asked = self._shown = 0
        self._questions: dict[int, WhatIfQuery] = {}
        self._drawing: set[int] = set()
        self._trace: Trace | None = None
        self._late = QTimer(self, singleShot=True, interval=LATE_MS)
        self._late.timeout.connect(self._say_late)
        panel.asked.connect(self._put)
        panel.opened.connect(self._take_costs)
        panel.load.clicked.connect(self.load)
        panel.save.clicked.connect(self.save)

    def show_trace(self, trace: Trace) -> None:
        """Offer the costs of the run that is shown now."""
        self._trace = trace
        if self.panel.isVisible():
            self._take_costs()

    def _put(self, question: WhatIfQuery) -> None:
        """Send a question, without waiting for the answers to earlier ones."""
        self._asked = self.predictor.send(question)
        self._questions[self._asked] = question
        # A question does not restart the timer: during a long drag it would never time out.
        if not self._late.isActive():
            self._late.start()

    def on_reply(self, reply: PredictionReply) -> None:
        """Show a reply, unless a newer one is shown already."""
        match reply:
            # While a slider is dragged, answers to older questions are shown too if they are newer
            # than the answer shown. Otherwise the picture would freeze until the slider stops.
            case PredictionDone(number, WhatIfResult() as answer) if number > self._shown:
                self._shown = number
                self._late.stop()
                self.panel.show_answer(answer)
                question = self._questions.get(number)
                older = [one for one in self._questions if one <= number]
                for one in older:
                    del self._questions[one]
                if question is not None:
                    self.answered.emit(question, answer)
            case PredictionDone(number, bytes() as recording):
                self._drawing.discard(number)
                self.panel.answer.large.setEnabled(True)
                self.drawn.emit(recording)
            case PredictionRefused(number, text) if number in self._drawing:
                self._drawing.discard(number)
                self.panel.answer.large.setEnabled(True)
                self.failed.emit(translated(text))
            case PredictionRefused(number, text) if number > self._shown:
                self._shown = number
                self._late.stop()
                self.panel.show_refusal(text)
            case PredictionLost(text):
                self._late.stop()
                self.panel.show_refusal(text)

    def load(self) -> None:
        """Ask for a file of costs, and choose its costs."""
        folder = self._settings.folder
        title = tr("Load costs")
        kinds = [tr(FILES)]
        ask_open(self.panel, title, folder, kinds, lambda paths: self.load_from(paths[0]))

    def load_from(self, path: Path) -> None:
        """Choose the costs of a file; `failed` reports an invalid one."""
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
        """Write the chosen costs; the link and the faults of the fields are not included."""
        # A file of costs is read as JSON or TOML, by its suffix.
        if path.suffix.lower() != ".json":
            self.failed.emit(tr("{path}: use a name that ends in .json", path=path))
            return
        costs = self.panel.basis.costs
        self.write(path, lambda: write_costs(path, costs), tr("Saved {name}.", name=path.name))

    def close(self) -> None:
        """Drop the requests that are not answered yet."""
        self._late.stop()
        self.predictor.cancel()

    def draw(self, request: WhatIfQuery | WayQuery) -> None:
        """Request a predicted step as a recording."""
        self.panel.answer.large.setEnabled(False)
        self._drawing.add(self.predictor.send(Draw(request)))

    def _say_late(self) -> None:
        if self._shown < self._asked:
            question = self.panel.question
            note = tr(
                "Predicting {devices} devices, {microbatches} micro-batches…",
                devices=question.devices,
                microbatches=question.microbatches,
            )
            self.panel.picture.show_note(note)

    def _take_costs(self) -> None:
        """Take the costs of the run that is shown. Called only while the panel is visible."""
        # Taken only once, because opening the panel again must not undo the user's changes.
        trace = self._trace
        self._trace = None
        known = None if trace is None else run_costs(trace)
        if trace is None or known is None:
            self.panel.ask_again()
            return
        basis = run_basis(trace, known)
        header = trace.header
        lanes = len(header.compute_lanes)
        last_step = trace.steps[-1]
        microbatches = len(rows_by_microbatch(trace, last_step))
        schedule = header.specification[SCHEDULE] or DEFAULT_SCHEDULE
        self.took_costs.emit(header, known)
        self.panel.set_run(basis, lanes, max(1, microbatches), schedule)


def run_basis(trace: Trace, known: RunCosts) -> Basis:
    """Return the costs of a run, with the settings that they are for."""
    header = trace.header
    lane = header.lanes[0]
    device = KINDS.get(device_kind(lane.device).name, PREDICTED).name
    if lane.is_virtual:
        device = VIRTUAL.removesuffix(":")
    rows = header.specification.batch_rows
    source = tr(
        "{model}, {rows} rows: {source}.",
        model=model_title(header.model.name),
        rows=rows,
        source=tr(str(known.source)),
    )
    # A hiccup happens in one step of the run only, so the predicted steps have none.
    lasting = header.specification.having(hiccup=None)
    faults = {} if known.has_faults else faults_given(lasting)
    return Basis(
        costs=known.costs,
        source=source,
        model=header.model,
        measured=known.stages,
        batch=rows,
        device=device,
        step_ns=known.step_ns,
        faults=faults,
        cut=run_cut(trace),
        optimizer=header.specification.optimizer,
        own=own_costs(trace, known),
    )
