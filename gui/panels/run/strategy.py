"""The left panel: which strategy, of which model, on which lanes; and why not, if not."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFormLayout,
    QScrollArea,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.models.catalogue import MODELS, ModelSettings
from core.option import Option, values_of
from core.plan.devices import HOST, Hardware
from core.plan.faults import FAULT_OPTIONS, SLOW_LANE
from core.plan.pipeline_options import SCHEDULE
from core.plan.specification import (
    OPTIONS,
    STEPS,
    STRATEGY_OPTIONS,
    Specification,
    specification_of,
)
from core.plan.strategies import STRATEGIES
from gui.look.label import Label
from gui.look.layouts import unfolds
from gui.look.text import tr
from gui.look.theme import Theme
from gui.panels.answer_picture import AnswerPicture
from gui.panels.cards import Card
from gui.panels.run.fields import WheelGuard, add_field
from gui.panels.run.file_choice import FileChoice
from gui.panels.run.option_fields import Field, field_of
from gui.panels.run.preview import preview_text
from gui.runs.check import (
    Checked,
    assumed_hardware,
    check_specification,
    pictured,
    schedule_problems,
)

CHECK_MS = 120  # after the last change
SIZES = {option.name for option, _ in values_of(ModelSettings()) if option.kind is int}


F = TypeVar("F", bound=QWidget)
T = TypeVar("T")


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
        """What the form asks for. Fields that are of no use count as not set."""
        asked = self._asked()
        return asked.having(**{option.name: option.default for option in reasons(asked)})

    def _asked(self) -> Specification:
        """What all fields say, but for sizes that the model does not have."""
        given = {name: field.read() for name, field in self.fields.items()}
        given |= dict.fromkeys(SIZES - self._sizes())
        given["strategy"] = self._strategy()
        return specification_of({name: value for name, value in given.items() if value != ""})

    def _sizes(self) -> set[str]:
        kind = MODELS.get(str(self.fields["model"].read()))
        return set() if kind is None else set(kind.settings)

    def set_specification(self, specification: Specification) -> None:
        """Fill the form; what it does not know falls back to its defaults."""
        self._fill(specification)
        self.check_now()

    def _fill(self, s: Specification) -> None:
        self._cards.get(s.strategy, next(iter(self._cards.values()))).setChecked(True)
        for option, value in replace(s, model=s.model.filled()).values:
            if option.name in self.fields:
                self.fields[option.name].write(value)
        self._show_fields()

    def set_hardware(self, hardware: Hardware) -> None:
        """The machine as the engine found it: offer its devices."""
        self._hardware, self._known = hardware, True
        self._offer_devices()
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

    def choose(self, option: Option[T], value: T) -> None:
        """Set one field."""
        self.fields[option.name].write(value)

    def check_now(self) -> None:
        """Check the form's settings with core and say what comes of them."""
        self._timer.stop()
        asked = self.specification()
        self.result = check_specification(asked, self._hardware, self._known)
        checked = None if isinstance(self.result, str) else self.result
        for label, text in (
            (self._problem, "" if checked else str(self.result)),
            (self._preview, preview_text(asked, checked) if checked else ""),
            (self._unused, unused_text(self._strategy())),
        ):
            label.setText(text)
            label.setVisible(bool(text))
        self._show_picture(asked, checked)
        self.checked.emit(self.result)

    def _show_picture(self, asked: Specification, checked: Checked | None) -> None:
        """A pipeline as it would run with equal passes; which schedules could do instead."""
        plans = () if checked is None else checked.plans.values()
        answer = next((answer for plan in plans if (answer := pictured(plan))), None)
        self.picture.setVisible(answer is not None)
        if answer is not None:
            self.picture.show_answer(answer)
        if checked is not None:
            problems = schedule_problems(asked, checked, self._hardware)
            self._field(SCHEDULE.name, FileChoice).allow(problems)

    # Building

    def _build_fields(self) -> None:
        """A field for every option that is called something in a form."""
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        self._form.setVerticalSpacing(4)
        self._form.setHorizontalSpacing(10)
        self.fields: dict[str, Field] = {}
        self._faults = QToolButton()
        self._faults.setText(tr("Faults"))
        self._faults.setToolTip(tr("Put faults into the virtual lanes, to see what they do."))
        for option in filter(lambda option: option.title, OPTIONS):
            if option is FAULT_OPTIONS[0]:
                self._form.addRow(self._faults)
            field = self.fields[option.name] = field_of(option)
            add_field(self._form, option, field.widget, self._guard)
        unfolds(self._faults, self._show_faults)
        self._offer_devices()
        for field in self.fields.values():
            field.edited.connect(self._changed)
        self._field("model", FileChoice).activated.connect(self._fill_sizes)

    def _field(self, name: str, kind: type[F]) -> F:
        widget = self.fields[name].widget
        assert isinstance(widget, kind)
        return widget

    def _offer_devices(self) -> None:
        devices = self._field("devices", QComboBox)
        text = devices.currentText()
        devices.clear()
        devices.addItems(device_choices(self._hardware))
        devices.setCurrentText(text)

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
        widgets = [field.widget for field in self.fields.values()]
        for before, after in pairwise([*self._cards.values(), *widgets]):
            self.setTabOrder(before, after)

    # Changes

    def _strategy(self) -> str:
        return next(name for name, card in self._cards.items() if card.isChecked())

    def _changed(self) -> None:
        self._show_fields()
        self._timer.start()

    def _show_fields(self) -> None:
        """Show only the model's sizes; disable, with the reason, what is of no use."""
        asked, sizes = self._asked(), self._sizes()
        for name in SIZES:
            self._form.setRowVisible(self.fields[name].widget, name in sizes)
        steps = tr("one epoch") if asked.data else str(STEPS)
        self._field("steps", QSpinBox).setSpecialValueText(steps)
        usual = replace(asked, batch=None).batch_rows
        self._field("batch", QSpinBox).setSpecialValueText(tr("{rows} (usual)", rows=usual))
        why = reasons(asked)
        for option in OPTIONS:
            if (field := self.fields.get(option.name)) is not None:
                self._enable(field.widget, option not in why, why.get(option) or tr(option.help))

        self._show_faults()

    def _show_faults(self) -> None:
        """Faults are for virtual lanes, and folded until they are asked for or there are some."""
        virtual = not SLOW_LANE.unused(self._asked())
        given = any(self.fields[option.name].read() for option in FAULT_OPTIONS)
        self._form.setRowVisible(self._faults, virtual)
        for option in FAULT_OPTIONS:
            shown = virtual and (given or self._faults.isChecked())
            self._form.setRowVisible(self.fields[option.name].widget, shown)

    def _enable(self, field: QWidget, enabled: bool, tip: str) -> None:
        for widget in (field, self._form.labelForField(field)):
            widget.setEnabled(enabled)
            widget.setToolTip(tip)

    def _fill_sizes(self) -> None:
        """A newly picked model starts with its own sizes."""
        model = ModelSettings(str(self.fields["model"].read())).filled()
        for option, value in values_of(model):
            if option.name in SIZES:
                self.fields[option.name].write(value)


def reasons(asked: Specification) -> dict[Option[Any], str]:
    """Why some options are of no use beside the others."""
    strategy = STRATEGIES[asked.strategy]
    labels = {option.name: option.title for option in STRATEGY_OPTIONS if asked[option] is not None}
    found: dict[Option[Any], str] = {}
    for option, _ in values_of(asked):
        if option in STRATEGY_OPTIONS and option not in strategy.options:
            found[option] = tr("{strategy} does not use this.", strategy=tr(strategy.title))
        elif option.excludes in labels and option.name not in labels:
            found[option] = tr(
                "{other} excludes this: set it back to its default to use this.",
                other=tr(labels[option.excludes]),
            )
        elif why := option.unused(asked):
            found[option] = tr(why)
    return found


def device_choices(hardware: Hardware) -> list[str]:
    """What the Lanes field offers on a machine; anything else can be typed."""
    have = hardware.devices[1:]
    several = [",".join(have)] if len(have) > 1 else []
    shared = [f"2x{have[0]}"] if have else []
    on_host = [f"{count}x{HOST.name}" for count in (1, 2, 4, 8)]
    real = ["auto", *several, *have, *shared, *on_host]
    virtual = ["4xvirtual", "8xvirtual", "2xvirtual"]
    # Where four real lanes would share something, virtual ones show the strategy itself.
    return [*virtual, *real] if (len(have) or hardware.cores) < 4 else [*real, *virtual]


def unused_text(name: str) -> str:
    """Which fields a strategy leaves unused; they are disabled."""
    strategy = STRATEGIES[name]
    titles = [tr(option.title) for option in STRATEGY_OPTIONS if option not in strategy.options]
    told = {"strategy": tr(strategy.title), "fields": ", ".join(titles)}
    return tr("{strategy} does not use: {fields}.", **told) if titles else ""
