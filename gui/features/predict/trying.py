"""Controller of the Try page: its answer line is about the sliders or a way from the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Qt, Signal

from core.plan.specification import Specification
from core.predict.advisor import AdviceQuery, WayQuery
from core.predict.run_costs import RunCosts
from core.predict.whatif import WhatIfQuery, WhatIfResult
from core.predict.worker.requests import PredictionDone, PredictionRefused, PredictionReply
from core.predict.worker.service import PredictionService
from core.trace.header import Header
from gui.features.predict.advisor import advice_query
from gui.features.predict.answer_line import After, Before
from gui.features.predict.candidate import run_of
from gui.features.predict.page import TryPage
from gui.features.predict.ranking import Ranked, way_text
from gui.features.predict.what_if import WhatIfController


@dataclass(frozen=True, slots=True)
class Candidate:
    """The prediction in the answer line: its request, and the settings with which to run it."""

    request: WhatIfQuery | WayQuery
    specification: Specification


class TryController(QObject):
    """Shows predictions in the page's answer line, compared with the run on screen.

    `chosen` carries the Specification to run. `form` returns the settings of the form; they are
    used while no run has been shown.
    """

    chosen = Signal(object)
    _replied = Signal(object)
    """Passes a PredictionReply from the thread that receives it to the window's thread."""

    def __init__(
        self,
        page: TryPage,
        what_if: WhatIfController,
        service: PredictionService,
        form: Callable[[], Specification],
    ) -> None:
        super().__init__(page)
        self.page = page
        self._what_if = what_if
        self._form = form
        self.candidate: Candidate | None = None
        self._before: Before | None = None
        self._advice: AdviceQuery | None = None
        self._header: Header | None = None
        # Numbers of the newest requests.
        self._way_number = 0
        self._run_number = 0
        self._replied.connect(self.on_reply, Qt.ConnectionType.QueuedConnection)
        # Separate clients, because a client's new request replaces a waiting one of its type.
        self.predictor = service.client(self._replied.emit)
        self._run_predictor = service.client(self._replied.emit)
        what_if.took_costs.connect(self._compare_with)
        what_if.answered.connect(self._show_answer)
        page.asked.changed.connect(page.ways.clear_selection)
        page.ways.picked.connect(self._pick)
        page.ways.chosen.connect(self.chosen)
        page.answer.run.clicked.connect(self._run)
        page.answer.large.clicked.connect(self._draw)

    def close(self) -> None:
        """Drop the requests that are not answered yet."""
        self.predictor.cancel()
        self._run_predictor.cancel()

    def on_reply(self, reply: PredictionReply) -> None:
        """Handle a reply about the way that was picked last, or about the run on screen."""
        match reply:
            case PredictionDone(number, WhatIfResult() as answer):
                if number == self._run_number:
                    self._check_prediction(answer)
                elif number == self._way_number:
                    self._show_way(answer)
            case PredictionRefused(number, text) if number == self._way_number:
                self.page.asked.show_refusal(text)

    def _compare_with(self, header: Header, known: RunCosts) -> None:
        """Compare predictions with this run from now on, and predict the run itself."""
        self._header = header
        self._advice = advice_query(header, known)
        self._before = Before(known.step_ns)
        same_run = WayQuery(self._advice, header.specification)
        self._run_number = self._run_predictor.send(same_run)

    def _check_prediction(self, answer: WhatIfResult) -> None:
        """Use the prediction of the run itself: its memory, and the error of its step time."""
        before = self._before
        if before is None:
            return
        self._before = replace(before, memory_bytes=answer.memory_bytes)
        ratio = answer.makespan_ns / max(1, before.step_ns)
        self._what_if.panel.set_doubt(abs(ratio - 1))
        self._what_if.panel.ask_again()

    def _pick(self, way: Ranked) -> None:
        """Request the predicted step of a way from the table."""
        if self._advice is not None:
            specification = way.advice.specification
            request = WayQuery(self._advice, specification)
            self.candidate = Candidate(request, specification)
            self._way_number = self.predictor.send(request)

    def _show_way(self, answer: WhatIfResult) -> None:
        candidate = self.candidate
        if candidate is None or not isinstance(candidate.request, WayQuery):
            return
        self.page.asked.show_answer(answer)
        name = way_text(candidate.specification)
        self._show(name, self._before, answer)

    def _show_answer(self, question: WhatIfQuery, answer: WhatIfResult) -> None:
        """Show the answer to the sliders' question."""
        header = self._header
        base = self._form() if header is None else header.specification
        lanes = 0 if header is None else len(header.compute_lanes)
        self.candidate = Candidate(question, run_of(question, base, lanes))
        has_measured_step = self.page.asked.basis.step_ns is not None
        before = self._before if has_measured_step else None
        self._show("", before, answer)

    def _show(self, name: str, before: Before | None, answer: WhatIfResult) -> None:
        """Show a prediction, compared with the run `before`.

        `before` is None if the costs are not from a run. Then the range and the measured share are
        not shown either.
        """
        basis = None if before is None else answer.basis
        after = After(answer.makespan_ns, answer.memory_bytes, basis)
        self.page.answer.show_answer(name, before, after, self.page.asked.basis.source)

    def _run(self) -> None:
        if self.candidate is not None:
            self.chosen.emit(self.candidate.specification)

    def _draw(self) -> None:
        if self.candidate is not None:
            self._what_if.draw(self.candidate.request)
