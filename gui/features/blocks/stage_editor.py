"""Controller of the Blocks panel: measured and predicted blocks, and borders moved by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from core.costs.cut import (
    MeasuredBlocks,
    balanced,
    moved,
    takes_borders,
)
from core.errors import PlanError
from core.models.catalogue import MODELS
from core.models.description import ModelDescription
from core.option import Option, OptionValue
from core.plan.pipeline.options import BALANCE, BORDERS, LANE_MEMORY, STAGES, read_borders
from core.plan.plan import Plan
from core.plan.planning import plans_of
from core.plan.specification import Specification, describe
from core.predict.run_blocks import is_of_model, measured_blocks, measures_for
from core.predict.worker.requests import (
    PredictionDone,
    PredictionLost,
    PredictionRefused,
    PredictionReply,
    StepTimes,
)
from core.predict.worker.service import PredictionService
from core.trace.trace import Trace
from gui.app.check import Checked, friendly
from gui.app.run import Run
from gui.app.session import Session
from gui.app.titles import model_title
from gui.features.blocks.panel import BlocksPanel
from gui.features.blocks.strip import ShownCut
from gui.features.run.panel import StrategyPanel
from gui.look.text import problem_text, rows_text, tr

SET: tuple[Option[Any], ...] = (BORDERS, STAGES, BALANCE)
"""The settings that change when the user moves a border."""
Cut = dict[str, OptionValue]


class StageEditor(QObject):
    """Shows the blocks of the form's model, and writes moved borders into the form.

    `run_beside` starts a run and does not change the form.
    """

    _replied = Signal(object)

    def __init__(
        self,
        panel: BlocksPanel,
        form: StrategyPanel,
        session: Session,
        run_beside: Callable[[Specification], bool],
        service: PredictionService,
    ) -> None:
        super().__init__(panel)
        self._panel = panel
        self._form = form
        self._session = session
        self._run_beside = run_beside
        self._base: Specification | None = None  # the settings before any border was moved
        self._mine: Cut = {}  # the values of SET in the form, as last read or written
        self._cut: ShownCut | None = None
        self._asked = 0
        self._replied.connect(self._on_reply, Qt.ConnectionType.QueuedConnection)
        self.predictor = service.client(self._replied.emit)
        panel.strip.shifted.connect(self._shift)
        panel.measure.clicked.connect(self._measure)
        panel.balance.clicked.connect(self._balance)
        panel.by_parameters.clicked.connect(lambda: self._set({}))
        panel.reset.clicked.connect(self._reset)
        for news in (panel.opened, panel.limit.edited, form.checked, session.asking_changed):
            news.connect(self.update)
        session.run_ended.connect(self.update)
        session.run_started.connect(self._keep)

    def update(self, *_: object) -> None:
        """Show the model and the borders of the form, if the panel is visible."""
        if not self._panel.isVisible():
            return
        asked = self._form.specification()
        is_same_run = self._base is not None and _others(asked) == _others(self._base)
        if not is_same_run or _cut_of(asked) != self._mine:
            self._base = asked
            self._mine = _cut_of(asked)
        self._show(asked)

    def close(self) -> None:
        """Cancel the requests that have no answer yet."""
        self.predictor.cancel()

    def _show(self, asked: Specification) -> None:
        """Show the blocks of these settings, and request a prediction of their step."""
        model = self._model(asked)
        measured = None if model is None else self._measured(asked, model)
        checked = self._form.result
        plan = None
        problem = checked if isinstance(checked, str) else ""
        if model is not None and isinstance(checked, Checked) and takes_borders(asked):
            try:
                plans = plans_of(asked, model, list(checked.lanes))
                plan = plans[max(plans)]  # the largest step's
            except PlanError as error:
                problem = friendly(problem_text(error))
        cut = None if model is None else _shown_cut(model, plan, measured)
        self._cut = cut
        self._panel.show_cut(cut, self._words(asked, cut, measured))
        self._panel.show_problem(problem)
        self._allow(asked, cut)
        if plan is not None and measured is not None and model is not None:
            self._predict(asked, model, measured)

    def _allow(self, asked: Specification, cut: ShownCut | None) -> None:
        """Enable the buttons that would have an effect."""
        panel = self._panel
        runnable = isinstance(self._form.result, Checked)
        plan = None if cut is None else cut.plan
        cuts = takes_borders(asked)
        panel.measure.setEnabled(runnable and cuts and not self._session.asking)
        panel.balance.setEnabled(bool(cut and plan and cut.costs))
        panel.by_parameters.setEnabled(plan is not None and asked[BORDERS] is not None)
        has_changed = self._base is not None and _cut_of(self._base) != _cut_of(asked)
        panel.reset.setEnabled(has_changed)

    def _words(
        self, asked: Specification, cut: ShownCut | None, measured: MeasuredBlocks | None
    ) -> str:
        if cut is None:
            name = model_title(asked.model.name)
            return tr("Press Measure to time the blocks of {name}.", name=name)
        if not takes_borders(asked):
            return tr("This strategy does not cut the model into stages.")
        if asked[BALANCE]:
            return tr("The run will measure the blocks, and cut where their times are balanced.")
        if measured is None:
            return tr("Widths are shares of the parameters; press Measure to see times and memory.")
        if measured.rows == cut.rows or not cut.plan:
            text = tr("Measured with micro-batches of {rows}.", rows=rows_text(measured.rows))
        else:
            text = tr(
                "Measured with micro-batches of {rows}; in proportion for {asked}.",
                rows=rows_text(measured.rows),
                asked=rows_text(cut.rows),
            )
        return " ".join(filter(None, (text, self._other_cut_text(asked, cut))))

    def _other_cut_text(self, asked: Specification, cut: ShownCut) -> str:
        """Return a note if the run that measured had other borders than those shown; else ""."""
        run = self._measuring_run(asked)
        borders = None if run is None else run.header.specification[BORDERS]
        if borders is None or cut.plan is None:
            return ""
        measured_borders = read_borders(borders)
        if measured_borders == list(cut.borders):
            return ""
        return tr(
            "The measuring run was cut before blocks {theirs}, where times are balanced; Run "
            "will cut before {ours}.",
            theirs=_listed(measured_borders),
            ours=_listed(cut.borders),
        )

    # Models and measurements

    def _model(self, asked: Specification) -> ModelDescription | None:
        if asked.model.name in MODELS:
            return describe(asked)
        for run in reversed(self._session.runs):
            if is_of_model(run.trace, asked):
                return run.trace.header.model
        return None

    def _measured(self, asked: Specification, model: ModelDescription) -> MeasuredBlocks | None:
        run = self._measuring_run(asked)
        if run is None or run.header.model.blocks != model.blocks:
            return None
        return measured_blocks(run)

    def _measuring_run(self, asked: Specification) -> Trace | None:
        """Return the latest run on this machine that measured the blocks on such lanes."""
        checked = self._form.result
        if isinstance(checked, str):
            return None
        for run in reversed(self._session.runs):
            is_local = run.source is None  # files may be from another machine
            if is_local and measures_for(run.trace, asked, checked.lanes):
                return run.trace
        return None

    def _predict(
        self, asked: Specification, model: ModelDescription, measured: MeasuredBlocks
    ) -> None:
        assert isinstance(self._form.result, Checked)
        lanes = self._form.result.lanes
        before = self._base
        runs = [asked] if before is None or before == asked else [before, asked]
        costs = measured.cost_model(asked, lanes)
        self._asked = self.predictor.send(StepTimes(tuple(runs), model, lanes, costs))

    def _on_reply(self, reply: PredictionReply) -> None:
        match reply:
            case PredictionDone(number, tuple() as times) if number == self._asked:
                self._panel.show_times(*times)
            case PredictionRefused(number, text) if number == self._asked:
                self._panel.show_problem(friendly(text))
            # Applies to every request, because a process that has ended answers none.
            case PredictionLost(text):
                self._panel.show_problem(friendly(text))

    # Actions of the user

    def _shift(self, which: int, to: int) -> None:
        """Write the borders into the form, with border `which` moved to before block `to`."""
        if self._cut is not None and self._cut.plan is not None:
            borders = moved(self._cut.borders, which, to, len(self._cut.model.blocks))
            self._set({"borders": ",".join(map(str, borders))})

    def _balance(self) -> None:
        cut = self._cut
        checked = self._form.result
        if cut is None or cut.plan is None or isinstance(checked, str):
            return
        asked = self._by_parameters(len(cut.plan.stages))
        measured = self._measured(asked, cut.model)
        if measured is None:
            return
        try:
            limited = asked.having(lane_memory=self._panel.limit_mb)
            made = balanced(limited, cut.model, checked.lanes, measured)
        except PlanError as error:
            self._panel.show_problem(friendly(problem_text(error)))
            return
        self._set(_cut_of(made))

    def _by_parameters(self, stages: int | None) -> Specification:
        return self._form.specification().having(
            borders=None, stages=stages, balance=False, lane_memory=None
        )

    def _measure(self) -> None:
        """Start a run of one step that measures the blocks first."""
        stages = None
        if self._cut and self._cut.plan:
            stages = len(self._cut.borders) + 1
        cut = self._by_parameters(stages)
        asked = cut.having(balance=True, steps=1, warmup=0, data=None)
        self._run_beside(asked)

    def _reset(self) -> None:
        if self._base is not None:
            self._set(_cut_of(self._base))

    def _set(self, cut: Cut) -> None:
        """Write borders into the form; settings that are not in `cut` get their defaults."""
        for option in SET:
            value = cut.get(option.name, option.default)
            self._form.fields[option.name].write(value)
        # Set before the check: its signal calls `update`, which must recognise these borders.
        self._mine = _cut_of(self._form.specification())
        self._form.check_now()

    def _keep(self, run: Run) -> None:
        """Compare later borders with those of a run that starts, if it has the form's borders."""
        # The next `update` takes the base from the form.
        if run.trace.header.specification[BORDERS] == self._mine.get(BORDERS.name):
            self._base = None


def _shown_cut(
    model: ModelDescription, plan: Plan | None, measured: MeasuredBlocks | None
) -> ShownCut:
    """Return the blocks; measured costs are scaled to the rows of the plan's micro-batches."""
    rows = 0
    if plan is not None:
        rows = plan.parts[0].rows
    elif measured is not None:
        rows = measured.rows
    costs = () if measured is None else measured.of_rows(rows)
    return ShownCut(model, plan, costs, rows)


def _listed(borders: Sequence[int]) -> str:
    return ", ".join(map(str, borders))


def _cut_of(specification: Specification) -> Cut:
    return {option.name: specification[option] for option in SET}


def _others(specification: Specification) -> Specification:
    """Return the settings that do not determine the borders."""
    return specification.having(
        borders=None, stages=None, balance=False, **{LANE_MEMORY.name: None}
    )
