"""Controller of the Try page: the answer on top is for the sliders, or for a chosen way."""

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
    """The prediction on top of the page: its request, and the settings that run it."""

    request: WhatIfQuery | WayQuery
    specification: Specification


class TryController(QObject):
    """Shows predictions in the page's answer line. `chosen` carries the Specification to run.

    `form` returns the settings of the form, for questions that are not about a run.
    """

    chosen = Signal(object)
    _replied = Signal(object)  # in the window's thread

    def __init__(
        self,
        page: TryPage,
        what_if: WhatIfController,
        service: PredictionService,
        form: Callable[[], Specification],
    ) -> None:
        super().__init__(page)
        self.page = page
        self._what_if, self._form = what_if, form
        self.candidate: Candidate | None = None
        self._before: Before | None = None
        self._advice: AdviceQuery | None = None
        self._header: Header | None = None
        self._asked = self._asked_present = 0
        self._replied.connect(self.on_reply, Qt.ConnectionType.QueuedConnection)
        # Two clients: of one client's requests of a kind only the newest is answered.
        self.predictor = service.client(self._replied.emit)
        self.present_predictor = service.client(self._replied.emit)
        what_if.took_costs.connect(self._take_run)
        what_if.answered.connect(self._show_answer)
        page.asked.changed.connect(page.ways.clear_selection)
        page.ways.picked.connect(self._pick)
        page.ways.chosen.connect(self.chosen)
        page.answer.run.clicked.connect(self._run)
        page.answer.large.clicked.connect(self._draw)

    def close(self) -> None:
        """Drop the requests that are not answered yet."""
        self.predictor.cancel()
        self.present_predictor.cancel()

    def on_reply(self, reply: PredictionReply) -> None:
        """Show the step of the way that was picked last, or compare with the present one."""
        match reply:
            case PredictionDone(number, WhatIfResult() as answer):
                if number == self._asked_present:
                    self._take_present(answer)
                elif number == self._asked:
                    self._show_way(answer)
            case PredictionRefused(number, text) if number == self._asked:
                self.page.asked.show_refusal(text)

    def _take_run(self, header: Header, known: RunCosts) -> None:
        """Compare with another run from now on."""
        self._header = header
        self._advice = advice_query(header, known)
        self._before = Before(known.step_ns)
        present = WayQuery(self._advice, header.specification)
        self._asked_present = self.present_predictor.send(present)

    def _take_present(self, answer: WhatIfResult) -> None:
        """Take the prediction of the run itself: its memory, and its error as doubt."""
        before = self._before
        if before is None:
            return
        self._before = replace(before, memory_bytes=answer.memory_bytes)
        ratio = answer.makespan_ns / max(1, before.step_ns)
        self._what_if.panel.set_doubt(abs(ratio - 1))
        self._what_if.panel.ask_again()

    def _pick(self, way: Ranked) -> None:
        """Ask for the step of a way of the table."""
        if self._advice is not None:
            request = WayQuery(self._advice, way.advice.specification)
            self.candidate = Candidate(request, way.advice.specification)
            self._asked = self.predictor.send(request)

    def _show_way(self, answer: WhatIfResult) -> None:
        candidate = self.candidate
        if candidate is None or not isinstance(candidate.request, WayQuery):
            return
        self.page.asked.show_answer(answer)
        self._show(way_text(candidate.specification), self._before, answer)

    def _show_answer(self, question: WhatIfQuery, answer: WhatIfResult) -> None:
        """Show the answer to the sliders' question."""
        header = self._header
        base = self._form() if header is None else header.specification
        lanes = 0 if header is None else len(header.compute_lanes)
        self.candidate = Candidate(question, run_of(question, base, lanes))
        is_of_run = self.page.asked.basis.step_ns is not None
        self._show("", self._before if is_of_run else None, answer)

    def _show(self, name: str, before: Before | None, answer: WhatIfResult) -> None:
        # Costs that were not measured have no basis.
        basis = None if before is None else answer.basis
        after = After(answer.makespan_ns, answer.memory_bytes, basis)
        self.page.answer.show_answer(name, before, after, self.page.asked.basis.source)

    def _run(self) -> None:
        if self.candidate is not None:
            self.chosen.emit(self.candidate.specification)

    def _draw(self) -> None:
        if self.candidate is not None:
            self._what_if.draw(self.candidate.request)
