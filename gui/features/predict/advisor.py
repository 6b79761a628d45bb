"""Controller of the advisor's panel: requests predictions of all ways and shows them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from core.message import Text
from core.plan.faults import NO_FAULTS, Faults
from core.plan.specification import Specification
from core.predict.advisor import Advice, AdviceQuery, AdviceResult, way_of
from core.predict.run_costs import RunCosts, run_costs
from core.predict.worker.requests import (
    PredictionDone,
    PredictionLost,
    PredictionProgress,
    PredictionRefused,
    PredictionReply,
)
from core.predict.worker.service import PredictionService
from core.trace.header import Header
from core.trace.source import Source
from core.trace.trace import Trace
from gui.app.check import friendly
from gui.app.titles import model_title
from gui.features.predict.advisor_panel import AdvisorPanel
from gui.features.predict.ranking import ranked
from gui.features.verdict.suggestion import better_ways
from gui.look.core_texts import translated
from gui.look.text import change_text, duration_text, range_text, tr

BUSY_MS = 300  # delay until progress and Cancel are shown
LATER_MS = 1500  # delay for a hidden panel, so that runs shown only briefly are not predicted


class AdvisorController(QObject):
    """Requests predictions of all ways, from the costs of the run that is shown.

    It predicts once for each run: at once if the panel is visible, otherwise after a delay. It
    predicts nothing if `idle` returns False then, because a run is under way. `advised` carries the
    Suggestions and the header of the run that they are for, because another run may be shown by
    then. `outcome` carries a text that compares a run with its earlier prediction, and the run's
    header.
    """

    advised = Signal(object, object)
    outcome = Signal(str, object)
    _replied = Signal(object)  # in the window's thread

    def __init__(
        self, panel: AdvisorPanel, idle: Callable[[], bool], service: PredictionService
    ) -> None:
        super().__init__(panel)
        self.panel = panel
        self._idle = idle
        # The client calls `emit` on another thread, or within `send` if no process can start. With
        # a queued connection `on_reply` always runs in the window's thread, and after `send` has
        # returned the number that it compares with.
        self._replied.connect(self.on_reply, Qt.ConnectionType.QueuedConnection)
        self.predictor = service.client(self._replied.emit)
        self._trace: Trace | None = None
        self._costs: RunCosts | None = None
        # For each way, the step time of its last run that was shown, and its latest prediction.
        self._measured: dict[Specification, int] = {}
        self._predicted: dict[Specification, Advice] = {}
        self._outcome = ""
        self._is_new = False
        self._asked: int | None = None
        self._busy = QTimer(self, singleShot=True, interval=BUSY_MS)
        self._busy.timeout.connect(lambda: panel.set_busy(True))
        self._later = QTimer(self, singleShot=True, interval=LATER_MS)
        self._later.timeout.connect(self._begin)
        panel.opened.connect(self._begin)
        panel.again.clicked.connect(self.ask)
        panel.cancel.clicked.connect(self.cancel)

    def show_trace(self, trace: Trace) -> None:
        """Take the run that is shown now, unless it is a prediction, and predict its ways."""
        if trace.header.source is Source.PREDICTED:
            return
        self._trace = trace
        self._is_new = True
        if self.panel.isVisible():
            self._begin()
        else:
            self._later.start()

    def ask(self) -> None:
        """Request predictions of all ways."""
        trace = self._trace
        known = self._costs
        if trace is None or known is None:
            return
        self._busy.start()
        self._asked = self.predictor.send(advice_query(trace.header, known))

    def cancel(self) -> None:
        """Cancel the prediction; the panel keeps the ways that it shows now."""
        self.predictor.cancel()
        self._end()
        self.panel.show_line(tr("Cancelled. {costs}", costs=self._words()), True)

    def on_reply(self, reply: PredictionReply) -> None:
        """Show a reply to the last question."""
        match reply:
            case PredictionProgress(number, done, total) if number == self._asked:
                self.panel.show_progress(done, total)
            # Requests are numbered, so a reply to a cancelled or replaced request has another
            # number.
            case PredictionDone(number, AdviceResult() as advised) if number == self._asked:
                self._end()
                self._show(advised)
            case PredictionRefused(number, text) if number == self._asked:
                self._fail(text)
            case PredictionLost(text) if self._asked is not None:
                self._fail(text)

    def _show(self, advised: AdviceResult) -> None:
        """Show predicted ways, and keep them to compare with later runs of these ways."""
        self._predicted = {way_of(way.specification): way for way in advised.ways}
        line = self._words()
        if advised.missing:
            missing = translated(advised.missing)
            line += " " + tr("Some ways are left out: {missing}.", missing=missing)
        self.panel.show_line(line, True)
        ways = ranked(advised, lambda way: self._measured.get(way_of(way)))
        self.panel.show_ways(ways)
        # If `_is_new`, `_trace` is a later run, and these ways are for an earlier one.
        if self._trace is not None and not self._is_new:
            self.advised.emit(better_ways(advised), self._trace.header)

    def close(self) -> None:
        """Stop the timers, and drop the request that is not answered yet."""
        self._busy.stop()
        self._later.stop()
        self.predictor.cancel()

    def _begin(self) -> None:
        """Take the costs of the run that is shown, and ask, unless this was done already."""
        if not self._is_new or self._trace is None:
            return
        self._is_new = False
        self._drop_previous()
        self._costs = run_costs(self._trace)
        self._outcome = self._compare()
        if self._outcome:
            self.outcome.emit(self._outcome, self._trace.header)
        if self._costs is None:
            text = tr(
                "This run has no whole step to take costs from. Run once; its calibration "
                "provides the costs."
            )
            self.panel.show_line(text, False)
            return
        self.panel.show_line(self._words(), True)
        if self._idle():
            self.ask()

    def _drop_previous(self) -> None:
        """Drop the request for the previous run and its ways, which are not for the run shown."""
        self.predictor.cancel()
        self._end()
        self.panel.show_ways([])

    def _compare(self) -> str:
        """Return a text that compares the run with its earlier prediction; "" without one.

        Keeps the measured step for the table.
        """
        if self._trace is None or self._costs is None:
            return ""
        way = way_of(self._trace.header.specification)
        measured = self._costs.step_ns
        self._measured[way] = measured
        advice = self._predicted.get(way)
        if advice is None:
            return ""
        return tr(
            "Predicted before this run: {step} ({range}). Measured: {measured} ({change}).",
            step=duration_text(advice.step_ns),
            range=range_text(advice.low_ns, advice.high_ns),
            measured=duration_text(measured),
            change=change_text(measured / advice.step_ns - 1),
        )

    def _fail(self, text: Text) -> None:
        self._end()
        self.panel.show_ways([])
        self.panel.show_line(friendly(text), True)

    def _end(self) -> None:
        self._asked = None
        self._busy.stop()
        self.panel.set_busy(False)

    def _words(self) -> str:
        """Return a text on the run that the ways are for, and the source of its costs."""
        if self._trace is None or self._costs is None:
            return ""
        header = self._trace.header
        words = tr(
            "{model}, batch {rows}, {lanes} lanes. Costs {source}.",
            model=model_title(header.model.name),
            rows=header.specification.batch_rows,
            lanes=len(header.compute_lanes),
            source=tr(str(self._costs.source)),
        )
        return f"{self._outcome} {words}" if self._outcome else words


def advice_query(header: Header, known: RunCosts) -> AdviceQuery:
    """Return the request for advice on a run with these costs."""
    # A hiccup happens in one step of the run only, so the predicted steps have none.
    lasting = header.specification.having(hiccup=None)
    return AdviceQuery(
        specification=header.specification,
        model=header.model,
        lanes=header.compute_lanes,
        costs=known.costs,
        stages=known.stages,
        measured_ns=known.step_ns,
        own=known.own,
        faults=NO_FAULTS if known.has_faults else Faults.of(lasting),
    )
