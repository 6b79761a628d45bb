"""The left panel: which strategy, of which model, on which lanes; and why not, if not."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.models.catalogue import MODELS, ModelSettings
from core.models.description import DTYPE_BYTES
from core.plan.lanes import Hardware
from core.plan.schedules import SCHEDULES
from core.plan.specification import OPTIMIZERS, STRATEGY_OPTIONS, Specification
from core.plan.strategies import STRATEGIES
from core.plan.task import Runner
from gui.app.dialogs import ask_open
from gui.look.label import Label
from gui.look.text import tr
from gui.look.theme import Theme
from gui.panels.cards import Card
from gui.panels.predict.answer_picture import AnswerPicture
from gui.panels.run.fields import (
    WORDS,
    OptionalSpin,
    WheelGuard,
    add_field,
    choice,
    decimal,
    set_number,
    whole,
)
from gui.panels.run.preview import preview_text
from gui.panels.run.schedule_choice import ScheduleChoice
from gui.runs.check import (
    Checked,
    assumed_hardware,
    check_specification,
    pictured,
    schedule_problems,
)

OWN = "own file"
CHECK_MS = 120  # after the last change
MODEL_SETTINGS = ("width", "depth", "heads", "sequence", "image_size")
STEPS = 5


class StrategyPanel(QScrollArea):
    """The form. `checked` tells, soon after every change, whether what it says can run.

    `footer` says in words what will run, or why nothing can; whoever shows the form puts it below,
    where no scrolling hides it.
    """

    checked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("form")
        self.setAccessibleName(tr("Settings of the run"))
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(262)
        self.footer = QWidget(self)
        self.result: Checked | str = ""
        self._hardware, self._known = assumed_hardware(), False
        self._own_file = ""
        self._guard = WheelGuard(self)
        self._cards: dict[str, Card] = {}
        self._form = QFormLayout()
        self._build_fields()
        self._build_sheet()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(CHECK_MS)
        self._timer.timeout.connect(self.check_now)
        self._fill(Specification())
        self._changed()

    # Values

    def specification(self) -> Specification:
        """What the form asks for. Fields that the strategy does not take count as not set."""
        options = STRATEGIES[self._strategy()].options
        taken: dict[str, Any] = {
            "schedule": self.schedule.value,
            "stages": self.stages.optional,
            "microbatches": self.microbatches.optional,
            "split_size": self.split_size.optional,
            "chunks": self.chunks.optional if self._takes_chunks else None,
            "replicas": self.replicas.optional,
            "bucket_mb": self.bucket_mb.value() or None,
        }
        return Specification(
            strategy=self._strategy(),
            model=self._model_settings(),
            devices=self.devices.currentText().strip() or "auto",
            batch=self.batch.optional,
            data=self.data.optional,
            steps=self.steps.optional,
            warmup=self.warmup.value(),
            cores_per_lane=self.cores_per_lane.optional,
            optimizer=self.optimizer.currentData(),
            lr=self.lr.value(),
            seed=self.seed.value(),
            verify=self.verify.isChecked(),
            blocks=self.blocks.isEnabled() and self.blocks.isChecked(),
            **{name: taken[name] for name in STRATEGY_OPTIONS if name in options},
        )

    def set_specification(self, specification: Specification) -> None:
        """Fill the form; what it does not know falls back to its defaults."""
        self._fill(specification)
        self.check_now()

    def _fill(self, s: Specification) -> None:
        self._cards.get(s.strategy, next(iter(self._cards.values()))).setChecked(True)
        self._set_model(s.model)
        self.schedule.value = s.schedule
        _choose(self.optimizer, s.optimizer)
        self.devices.setCurrentText(s.devices)
        for name in (
            "stages",
            "microbatches",
            "split_size",
            "chunks",
            "replicas",
            "batch",
            "data",
            "steps",
            "cores_per_lane",
        ):
            getattr(self, name).optional = getattr(s, name)
        self.bucket_mb.setValue(s.bucket_mb or 0.0)
        set_number(self.warmup, s.warmup)
        self.lr.setValue(s.lr)
        set_number(self.seed, s.seed)
        self.verify.setChecked(s.verify)
        self.blocks.setChecked(s.blocks)
        self._show_fields()

    def set_hardware(self, hardware: Hardware) -> None:
        """The machine as the engine found it: offer its devices."""
        self._hardware, self._known = hardware, True
        text = self.devices.currentText()
        self.devices.clear()
        self.devices.addItems(device_choices(hardware))
        self.devices.setCurrentText(text)
        self.check_now()

    def set_theme(self, theme: Theme) -> None:
        """Draw in other colours."""
        for card in self._cards.values():
            card.set_theme(theme)
        self.picture.set_theme(theme)

    def choose_strategy(self, name: str) -> None:
        """Pick a strategy's card."""
        self._cards[name].setChecked(True)
        self._changed()

    def check_now(self) -> None:
        """Check the form's settings with core and say what comes of them."""
        self._timer.stop()
        result = check_specification(self.specification(), self._hardware, self._known)
        self.result = result
        failed = isinstance(result, str)
        self._problem.setText(result if isinstance(result, str) else "")
        self._problem.setVisible(failed)
        self._preview.setText(
            "" if isinstance(result, str) else preview_text(self.specification(), result)
        )
        self._unused.setText(unused_text(self._strategy()))
        self._unused.setVisible(bool(self._unused.text()))
        self._preview.setVisible(not failed)
        self._show_picture()
        self.checked.emit(self.result)

    def _show_picture(self) -> None:
        """A pipeline as it would run with equal passes; which schedules could do instead."""
        checked = None if isinstance(self.result, str) else self.result
        plans = () if checked is None else checked.plans.values()
        answer = next((answer for plan in plans if (answer := pictured(plan))), None)
        self.picture.setVisible(answer is not None)
        if answer is not None:
            self.picture.show_answer(answer)
        if checked is not None:
            problems = schedule_problems(self.specification(), checked, self._hardware)
            self.schedule.allow(problems)

    # Building

    def _build_fields(self) -> None:
        self.schedule = ScheduleChoice()
        models = [(m.title, m.name, m.line) for m in MODELS.values()]
        own = (tr("Own file…"), OWN, tr("A Python file with build(), batch() and loss()."))
        self.model = choice([*models, own])
        self.dtype = choice([(name, name, "") for name in DTYPE_BYTES])
        self.devices = choice([])
        self.devices.setEditable(True)
        self.devices.addItems(device_choices(self._hardware))
        self.optimizer = choice([(name, name, "") for name in OPTIMIZERS])
        self.cores_per_lane = OptionalSpin(tr("shared evenly"))
        self.batch = OptionalSpin(tr("usual"))
        self.data = OptionalSpin(tr("whole batches"))
        self.microbatches = OptionalSpin(tr("up to 8"))
        self.split_size = OptionalSpin(tr("not used"))
        self.stages = OptionalSpin(tr("one per lane"))
        self.chunks = OptionalSpin(tr("the schedule's own"))
        self.replicas = OptionalSpin(tr("usual"))
        self.steps = OptionalSpin(str(STEPS))
        self.bucket_mb = decimal(1e6, 2, 1.0, tr("25 MiB"))
        self.warmup = whole(0)
        self.lr = decimal(1e6, 6, 0.01)
        self.seed = whole(0, 2**31 - 1)
        self.verify = QCheckBox(tr("compare gradients"))
        self.blocks = QCheckBox(tr("record blocks"))
        for name in MODEL_SETTINGS:
            setattr(self, name, whole(1))
        self._lay_out_fields()
        self._connect_fields()

    def _lay_out_fields(self) -> None:
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        self._form.setVerticalSpacing(4)
        self._form.setHorizontalSpacing(10)
        for name in WORDS:
            add_field(self._form, name, getattr(self, name), self._guard)
        if (edit := self.devices.lineEdit()) is not None:
            edit.setAccessibleName(self.devices.accessibleName())

    def _connect_fields(self) -> None:
        for name in WORDS:
            field = getattr(self, name)
            if isinstance(field, QComboBox):
                field.currentTextChanged.connect(self._changed)
            elif isinstance(field, QCheckBox):
                field.toggled.connect(self._changed)
            else:
                field.valueChanged.connect(self._changed)
        self.model.activated.connect(self._model_picked)

    def _build_sheet(self) -> None:
        sheet = QWidget()
        sheet.setObjectName("sheet")
        column = QVBoxLayout(sheet)
        column.setContentsMargins(12, 8, 10, 10)
        column.setSpacing(5)
        heading = Label(tr("STRATEGY"))
        heading.setObjectName("heading")
        column.addWidget(heading)
        group = QButtonGroup(self)
        for strategy in STRATEGIES.values():
            card = Card(tr(strategy.title), tr(strategy.line))
            self._cards[strategy.name] = card
            group.addButton(card)
            column.addWidget(card)
            card.clicked.connect(self._changed)
        column.addSpacing(6)
        column.addLayout(self._form)
        self._problem, self._preview, self._unused = Label(), Label(), Label()
        self._problem.setObjectName("problem")
        self._preview.setObjectName("quiet")
        self._unused.setObjectName("quiet")
        self.picture = AnswerPicture(bare=True)
        self.picture.setToolTip(tr("The order of the step's passes, as if all took the same time."))
        foot = QVBoxLayout(self.footer)
        foot.setContentsMargins(12, 6, 10, 8)
        foot.addWidget(self.picture)
        for label in (self._problem, self._preview, self._unused):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            foot.addWidget(label)
        column.addStretch(1)
        self.setWidget(sheet)
        fields = (getattr(self, name) for name in WORDS)
        for before, after in pairwise([*self._cards.values(), *fields]):
            self.setTabOrder(before, after)

    # Changes

    @property
    def _takes_chunks(self) -> bool:
        schedule = SCHEDULES.get(self.schedule.value)
        return schedule is not None and schedule.settable_chunks

    def _strategy(self) -> str:
        return next(name for name, card in self._cards.items() if card.isChecked())

    def _changed(self) -> None:
        self._show_fields()
        self._timer.start()

    def _show_fields(self) -> None:
        """Show only the model's settings; disable, with the reason, what the strategy ignores."""
        kind = MODELS.get(self.model.currentData())
        for name in MODEL_SETTINGS:
            self._form.setRowVisible(
                getattr(self, name), kind is not None and name in kind.settings
            )
        whole_epoch = tr("one epoch") if self.data.optional else str(STEPS)
        self.steps.setSpecialValueText(whole_epoch)
        usual = kind.batch if kind else Specification(model=ModelSettings("own.py")).batch_rows
        self.batch.setSpecialValueText(tr("{rows} (usual)", rows=usual))
        strategy = STRATEGIES[self._strategy()]
        for name in STRATEGY_OPTIONS:
            taken = name in strategy.options
            reason = (
                "" if taken else tr("{strategy} does not use this.", strategy=tr(strategy.title))
            )
            self._enable(name, taken, reason)
        ranks = tr("torch runs the ranks by itself: their blocks are not recorded.")
        self._enable("blocks", strategy.runner is Runner.LANES, ranks)
        if "chunks" in strategy.options:
            said = tr("{schedule} says itself how many stages a lane holds.",
                      schedule=self.schedule.currentText())  # fmt: skip
            self._enable("chunks", self._takes_chunks, said)
        if strategy.options >= {"microbatches", "split_size"}:
            clash = tr("Both cut the batch: set the other one back to its default to use this.")
            self._enable(
                "split_size",
                self.microbatches.optional is None or self.split_size.optional is not None,
                clash,
            )
            self._enable(
                "microbatches",
                self.split_size.optional is None or self.microbatches.optional is not None,
                clash,
            )

    def _enable(self, name: str, enabled: bool, reason: str) -> None:
        field = getattr(self, name)
        field.setEnabled(enabled)
        tip = tr(WORDS[name].tip) if enabled else reason
        field.setToolTip(tip)
        label = self._form.labelForField(field)
        label.setToolTip(tip)
        label.setEnabled(enabled)

    def _model_settings(self) -> ModelSettings:
        name = self.model.currentData()
        taken = MODELS[name].settings if name in MODELS else {}
        settings = {setting: getattr(self, setting).value() for setting in taken}
        name = self._own_file if name == OWN else name
        return ModelSettings(name, dtype=self.dtype.currentData(), **settings)

    def _set_model(self, model: ModelSettings) -> None:
        if model.name in MODELS:
            _choose(self.model, model.name)
        else:
            self._own_file = model.name
            _choose(self.model, OWN)
            self._name_own_file()
        _choose(self.dtype, model.dtype)
        filled = model.filled()
        for name in MODEL_SETTINGS:
            if (value := getattr(filled, name)) is not None:
                set_number(getattr(self, name), value)

    def _model_picked(self) -> None:
        """A newly picked model starts with its own defaults; one's own asks for its file."""
        kind = MODELS.get(self.model.currentData())
        if kind is not None:
            self._set_model(ModelSettings(kind.name, dtype=self.dtype.currentData()))
            return
        self._take_own_file(self._own_file)
        ask_open(
            self, tr("Choose a model"), Path(self._own_file).parent, [tr("Python files (*.py)")],
            lambda paths: self._take_own_file(str(paths[0])),
        )  # fmt: skip

    def _take_own_file(self, name: str) -> None:
        self._own_file = name
        self._name_own_file()
        self._changed()

    def _name_own_file(self) -> None:
        name = Path(self._own_file).name
        title = tr("Own file: {name}", name=name) if name else tr("Own file…")
        self.model.setItemText(self.model.findData(OWN), title)


def device_choices(hardware: Hardware) -> list[str]:
    """What the Lanes field offers on a machine; anything else can be typed."""
    gpus = [f"cuda:{index}" for index in range(len(hardware.gpus))]
    several = [",".join(gpus)] if len(gpus) > 1 else []
    shared = ["2xcuda:0"] if gpus else []
    return ["auto", *several, *gpus, *shared, "1xcpu", "2xcpu", "4xcpu", "8xcpu"]


def unused_text(name: str) -> str:
    """Which fields a strategy leaves unused; they are disabled."""
    strategy = STRATEGIES[name]
    unused = [
        tr(WORDS[option].label) for option in STRATEGY_OPTIONS if option not in strategy.options
    ]
    if not unused:
        return ""
    return tr(
        "{strategy} does not use: {fields}.", strategy=tr(strategy.title), fields=", ".join(unused)
    )


def _choose(field: QComboBox, value: str | None) -> None:
    field.setCurrentIndex(max(0, field.findData(value)))
