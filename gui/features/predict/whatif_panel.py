"""The sliders of What if: a pipeline on other devices, and its predicted step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from core.costs.costs import CostModel
from core.message import N_, Text
from core.models.description import ModelDescription
from core.option import OptionValue
from core.override import override
from core.plan.devices import PREDICTED
from core.plan.division import Stage
from core.plan.link import Link
from core.plan.pipeline.options import CHUNKS, DEFAULT_SCHEDULE, MOST_MICROBATCHES
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.plan.task import Kind
from core.predict.whatif import WhatIfQuery, WhatIfResult
from gui.app.check import EQUAL, friendly
from gui.features.predict.answer_figures import AnswerFigures
from gui.features.predict.answer_line import AnswerLine
from gui.features.predict.fault_fields import FaultFields
from gui.features.predict.own_costs import OwnCosts
from gui.features.predict.sliders import SliderRow, growing
from gui.look.text import tr
from gui.widgets.answer_picture import AnswerPicture
from gui.widgets.fields import choice, decimal, labelled, whole
from gui.widgets.label import Label
from gui.widgets.layouts import button, column, grid, joined, named, row, widget_of
from gui.widgets.sheet import scroll_down

MOST_DEVICES = 1024
SCROLL_BAR = 14  # pixels next to the fields
MOST_SLID = {"devices": 256, "microbatches": 1024, "batch": 65_536}
GB_S = (0.0, 0.1, 0.2, 0.5, 1, 2, 4, 8, 12, 16, 25, 32, 50, 64, 100, 200, 300, 450, 600, 900)
MICROSECONDS = (0, 1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 80, 100, 200, 500, 1000, 2000, 5000)
FACTORS = tuple(n / 10 for n in range(10, 41))
RUN = "run"
PLAIN_COSTS = "plain"
FILE = "file"
WORDS = {
    "costs": (
        N_("Costs"),
        N_("Durations of the tasks: from the run that is shown, or from a file."),
    ),
    "schedule": (N_("Schedule"), N_("The order of the passes of each stage.")),
    "devices": (
        N_("Devices"),
        N_("Number of devices; it may exceed this machine's."),
    ),
    "microbatches": (N_("Micro-batches"), N_("Number of pieces that the batch is cut into.")),
    "chunks": (N_("Chunks"), N_("Stages of each device, for schedules that give it several.")),
    "batch": (
        N_("Batch"),
        N_("Rows of the whole batch; without a number it grows with the micro-batches."),
    ),
    "bandwidth": (
        N_("Link speed"),
        N_("Bandwidth between two devices in GB/s, in place of the costs'."),
    ),
    "latency": (N_("Latency"), N_("Latency of each transfer in µs.")),
    "slow_lane": (N_("Slow lane"), N_("The lane that computes longer than the others.")),
    "factor": (N_("Slower by"), N_("How many times as long the slow lane computes.")),
}


@dataclass(frozen=True, slots=True)
class Basis:
    """Costs for questions, the model that they are for, and their source in words.

    The other values describe the run that was measured: `step_ns` is its median step, `faults` has
    its faults by option name, and `cut` has the stages of its pipeline. `doubt` is the relative
    error of a prediction of that run. `own` has the costs of the run's own tasks; None if it is no
    pipeline, or if they are not known.
    """

    costs: CostModel
    source: str
    model: ModelDescription
    measured: tuple[Stage, ...] = ()
    batch: int | None = None
    device: str = PREDICTED.name
    step_ns: int | None = None
    faults: Mapping[str, OptionValue] = field(default_factory=dict)
    cut: tuple[Stage, ...] = ()
    optimizer: str = Specification().optimizer
    doubt: float = 0.0
    own: OwnCosts | None = None

    @property
    def knows_transfers(self) -> bool:
        """True if the costs give the time of a transfer."""
        costs = self.costs
        known = costs.link is not None or costs.transfer_ns is not None
        return known or Kind.COPY in costs.transfers


class WhatIfPanel(QWidget):
    """The fields of a question. The Try page places them, `answer` and `picture`.

    `asked` carries a WhatIfQuery after every change while the panel is visible. `opened` is emitted
    when it becomes visible, `changed` when the user changes a field. The controller connects to the
    buttons `load` and `save`, which read and write a file of costs.
    """

    asked = Signal(object)
    opened = Signal()
    changed = Signal()

    def __init__(self, model: ModelDescription) -> None:
        super().__init__()
        self._bases = {PLAIN_COSTS: Basis(EQUAL, plain_words(), model)}
        self.sliders: dict[str, SliderRow] = {}
        self.faults = FaultFields()
        self.picture = AnswerPicture()
        self.figures = AnswerFigures()
        self.answer = AnswerLine()
        self._build_fields()
        self._lay_out()
        for slider in self.sliders.values():
            slider.changed.connect(self._changed)
        for fault in self.faults.fields.values():
            fault.edited.connect(self._changed)
        self.schedule.currentIndexChanged.connect(self._follow_schedule)
        self.schedule.currentIndexChanged.connect(self._changed)
        # `activated` is emitted only for the user; code that sets costs asks once when it is done.
        self.costs.activated.connect(self._costs_chosen)
        self._follow_schedule()
        self.source.setText(self.basis.source)

    # Costs

    @property
    def basis(self) -> Basis:
        """The chosen costs."""
        return self._bases[self.costs.currentData()]

    def set_model(self, model: ModelDescription) -> None:
        """Set the model for costs that were not measured in a run."""
        if model == self._bases[PLAIN_COSTS].model:
            return
        for name in {PLAIN_COSTS, FILE} & self._bases.keys():
            self._bases[name] = replace(self._bases[name], model=model)
        self.ask_again()

    def set_run(self, basis: Basis, devices: int, microbatches: int, schedule: str) -> None:
        """Offer the costs of the run that is shown; the first run also sets the sliders."""
        # Later runs do not move the sliders: the user may have moved them meanwhile.
        is_first = RUN not in self._bases
        self._bases[RUN] = basis
        _offer(self.costs, RUN, tr("The run shown"))
        with QSignalBlocker(self):
            # Signals are blocked, because each field would ask; `_costs_chosen` asks once, below.
            self.faults.write(basis.faults)
            if is_first:
                self.sliders["devices"].value = devices
                self.sliders["microbatches"].value = microbatches
                self.schedule.setCurrentIndex(max(0, self.schedule.findData(schedule)))
                self.costs.setCurrentIndex(self.costs.findData(RUN))
        self._costs_chosen()

    def set_doubt(self, doubt: float) -> None:
        """Set the relative error of the prediction of the run whose costs are known."""
        known = self._bases.get(RUN)
        if known is not None and known.doubt != doubt:
            self._bases[RUN] = replace(known, doubt=doubt)
            self.ask_again()

    def set_file(self, costs: CostModel, path: Path) -> None:
        """Offer the costs of a file, and choose them."""
        source = tr("From {name}.", name=path.name)
        self._bases[FILE] = Basis(costs, source, self._bases[PLAIN_COSTS].model)
        _offer(self.costs, FILE, path.name)
        self.costs.setCurrentIndex(self.costs.findData(FILE))
        self._costs_chosen()

    # Questions and answers

    @property
    def question(self) -> WhatIfQuery:
        """The question that the sliders and fields describe."""
        basis = self.basis
        schedule = SCHEDULES[self.schedule.currentData()]
        chunks = None
        if schedule.settable_chunks:
            chunks = int(self.sliders["chunks"].value)
        link = None
        bandwidth = self.sliders["bandwidth"].value
        if bandwidth:
            link = Link.of(self.sliders["latency"].value, bandwidth)
        question = WhatIfQuery(
            basis.model,
            basis.costs,
            int(self.sliders["devices"].value),
            int(self.sliders["microbatches"].value),
            schedule.name,
            chunks,
            int(self.sliders["batch"].value) or None,
            link,
            self._faults(),
            basis.measured,
            basis.device,
            basis.cut,
            basis.optimizer,
            basis.doubt,
        )
        own = basis.own
        if own is not None and own.are_for(question):
            # For the run's own settings, the answer must agree with the status bar and the table.
            return replace(question, costs=own.costs, measured=())
        return question

    def _faults(self) -> dict[str, OptionValue]:
        """Return the faults of the fields, and the slow lane of the sliders, by option name."""
        faults = self.faults.read()
        factor = self.sliders["factor"].value
        if factor != 1.0:
            lane = self.sliders["slow_lane"].value
            slow = f"{lane:.0f}:{factor:g}"
            # Added to the text of the field, which may name several lanes.
            named = faults["slow_lane"] or ""
            faults["slow_lane"] = f"{named} {slow}".strip()
        return {name: value for name, value in faults.items() if value}

    def show_answer(self, answer: WhatIfResult) -> None:
        """Show a predicted step and its figures."""
        # Only costs that were measured in a run have a device.
        self.picture.device = "" if self.basis.step_ns is None else self.basis.device
        self.picture.show_answer(answer)
        self.figures.show_answer(answer)
        self.answer.large.setEnabled(True)

    def show_refusal(self, text: Text) -> None:
        """Show why there is no prediction."""
        reason = friendly(text)
        has_bandwidth = self.sliders["bandwidth"].value > 0
        if not self.basis.knows_transfers and not has_bandwidth:
            hint = tr("Or choose a link speed above.")
            reason = f"{reason} {hint}".strip()
        self.answer.show_problem(reason)
        self.picture.show_note(reason)
        self.figures.clear()

    def ask_again(self) -> None:
        """Send the question, if the panel is visible."""
        if self.isVisible():
            self.asked.emit(self.question)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.opened.emit()

    # Building

    def _build_fields(self) -> None:
        self.costs = choice([(tr("Plain: 1 ms a pass"), PLAIN_COSTS, "")])
        schedules = []
        for schedule in SCHEDULES.values():
            schedules.append((tr(schedule.title), schedule.name, tr(schedule.line)))
        self.schedule = choice(schedules)
        self.schedule.setCurrentIndex(self.schedule.findData(DEFAULT_SCHEDULE))
        self._add("devices", growing(MOST_SLID["devices"]), whole(1, MOST_DEVICES, 4))
        self._add(
            "microbatches", growing(MOST_SLID["microbatches"]), whole(1, MOST_MICROBATCHES, 8)
        )
        batch = whole(0, automatic=tr("grows"), suffix=tr(" rows"))
        self._add("batch", [0, *growing(MOST_SLID["batch"])], batch)
        self._add("chunks", range(1, 9), whole(1, int(CHUNKS.most), 2))
        self._add("bandwidth", GB_S, decimal(1e6, 1, 1.0, tr("as measured"), tr(" GB/s")))
        latency = decimal(1e6, 1, 1.0, suffix=tr(" µs"))
        latency.setValue(5)
        self._add("latency", MICROSECONDS, latency)
        self._add("slow_lane", range(4), whole(0, 3, 0))
        factor = QDoubleSpinBox(
            prefix="× ", decimals=2, minimum=0.1, maximum=100.0, singleStep=0.1, value=1.0
        )
        self._add("factor", FACTORS, factor)
        tip = tr("Read costs from a JSON or TOML file.")
        self.load = button(QPushButton, tr("Load…"), tip, name=tr("Load costs"))
        tip = tr("Write the chosen costs to a JSON file.")
        self.save = button(QPushButton, tr("Save…"), tip, name=tr("Save costs"))

    def _add(self, name: str, stops: Sequence[float], number: QSpinBox | QDoubleSpinBox) -> None:
        self.sliders[name] = SliderRow(name, WORDS[name], stops, number)

    def _lay_out(self) -> None:
        # The fields that are changed most are first: few of them fit without scrolling.
        fields = grid(across=10, down=3)
        fields.setColumnStretch(1, 1)
        self.source = Label(look="quiet", wrapped=True)
        self._add_chooser(fields, 0, "schedule", self.schedule)
        for number, slider in enumerate(self.sliders.values(), 1):
            slider.add_to(fields, number)
        line = 1 + len(self.sliders)
        self._add_chooser(fields, line, "costs", self.costs)
        fields.addWidget(self.source, line + 1, 1, 1, 2)
        fields.addLayout(row(self.load, self.save, None), line + 2, 1, 1, 2)
        self.faults.add_to(fields, line + 3)
        margins = (12, 2, 12, 8)
        parts = column(fields, self.figures, None, margins=margins, spacing=8)
        joined(_AsWide(widget_of(parts, "sheet")), of=self)

    def _add_chooser(self, fields: QGridLayout, line: int, name: str, chooser: QComboBox) -> None:
        chooser.setObjectName(f"whatif_{name}")
        fields.addWidget(labelled(chooser, *WORDS[name]), line, 0)
        fields.addWidget(chooser, line, 1, 1, 2)

    # Changes

    def _changed(self) -> None:
        self.changed.emit()
        devices = int(self.sliders["devices"].value)
        if self.sliders["slow_lane"].number.maximum() != devices - 1:
            self.sliders["slow_lane"].set_stops(range(devices))
        self._follow_link()
        self.ask_again()

    def _follow_schedule(self) -> None:
        schedule = SCHEDULES[self.schedule.currentData()]
        reason = tr(
            "{schedule} itself sets the number of stages per device: {chunks}.",
            schedule=tr(schedule.title),
            chunks=schedule.chunks,
        )
        self.sliders["chunks"].enable(schedule.settable_chunks, reason)
        self._follow_link()

    def _follow_link(self) -> None:
        has_link = self.sliders["bandwidth"].value > 0
        self.sliders["latency"].enable(has_link, tr("Choose a link speed first."))
        is_slower = self.sliders["factor"].value != 1.0
        several = self.sliders["devices"].value > 1
        hint = tr("First choose how much slower it is.")
        self.sliders["slow_lane"].enable(is_slower and several, hint)

    def _costs_chosen(self) -> None:
        self.source.setText(self.basis.source)
        batch = self.basis.batch or 0
        if batch != self.sliders["batch"].value:
            self.sliders["batch"].value = batch  # sends a question, because the number changes
        else:
            self.ask_again()


class _AsWide(QScrollArea):
    """Vertical scroll area; while it is visible it is as wide as its content."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        named(self, tr("What-if settings"))
        scroll_down(self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.setWidget(content)
        self._content = content
        content.installEventFilter(self)

    def minimumSizeHint(self) -> QSize:
        # A panel in a hidden tab must not keep the window from getting narrow.
        return self.sizeHint() if self.isVisible() else QSize(50, 50)

    def sizeHint(self) -> QSize:
        return QSize(self._content.minimumSizeHint().width() + SCROLL_BAR, 50)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.updateGeometry()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


def plain_words() -> str:
    """Return a description of the plain costs, which need neither a run nor a file."""
    return tr(
        "1 forward : 1 backward-input : 1 backward-weight; no time for transfers. "
        "Run once to use measured costs."
    )


def _offer(chooser: QComboBox, name: str, title: str) -> None:
    """List costs under a title, or change their title if they are listed already."""
    at = chooser.findData(name)
    if at < 0:
        chooser.addItem(title, name)
    else:
        chooser.setItemText(at, title)
