"""The Settings panel: the strategy, the options of a run, and a check of them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QScrollArea

from core.models.description import ModelDescription
from core.plan.devices import Hardware
from core.plan.pipeline.options import SCHEDULE
from core.plan.specification import TORCHRUN, Specification, specification_of
from gui.app.check import Checked, assumed_hardware, check_specification, schedule_problems
from gui.features.run.applies import applicable, default_texts
from gui.features.run.culprit import setting_at_fault
from gui.features.run.devices import DeviceField
from gui.features.run.footer import FormFooter
from gui.features.run.form import DEVICES, OptionForm
from gui.features.run.strategies import StrategyList
from gui.look.text import tr
from gui.widgets.file_choice import FileChoice
from gui.widgets.label import Label
from gui.widgets.layouts import column, widget_of
from gui.widgets.sheet import scroll_down

CHECK_MS = 120  # from the last change to the check
NARROWEST = 210  # pixels; labels and values cannot be read in less


OwnModel = Callable[[Specification], ModelDescription | None]


class StrategyPanel(QScrollArea):
    """The form. `checked` carries the result of a check, soon after every change.

    `footer` previews the run, or shows the problem. The caller places it below the form, where it
    does not scroll.
    """

    checked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("form")
        self.setAccessibleName(tr("Settings of the run"))
        scroll_down(self)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls to the field with the focus
        self.setMinimumWidth(NARROWEST)
        self.result: Checked | str = ""
        self._hardware = assumed_hardware()
        self._known = False
        self._own_model: OwnModel = lambda _: None
        self.strategies = StrategyList()
        self.options = OptionForm()
        self.fields = self.options.fields
        self.footer = FormFooter(self)
        self._build_sheet()
        self._timer = QTimer(self, singleShot=True, interval=CHECK_MS)
        self._timer.timeout.connect(self._check_in_time)
        # Before the connections below: filling a field is no edit by the user.
        self.fill(Specification())
        self.options.field(DEVICES, DeviceField).offer(self._hardware)
        self.strategies.chosen.connect(self._changed)
        self.options.edited.connect(self._changed)
        self.footer.devices_wanted.connect(self.fields["devices"].write)

    # Values

    def specification(self) -> Specification:
        """Return the settings of the form; fields that do not apply have their defaults."""
        return applicable(self._asked())

    def _asked(self) -> Specification:
        """Return the values of all fields, except sizes that the model does not have."""
        given = {**self.options.read(), "strategy": self.strategies.name}
        return specification_of({name: value for name, value in given.items() if value != ""})

    def set_specification(self, specification: Specification) -> None:
        """Fill the form and check it; an unknown strategy or option becomes the default."""
        self.fill(specification)
        self.check_now()

    def fill(self, specification: Specification) -> None:
        """Fill the form and check it a little later, so that the window can appear first."""
        self.strategies.choose(specification.strategy)
        self.options.write(specification)
        self._changed()

    def set_hardware(self, hardware: Hardware) -> None:
        """Offer the devices of the machine, as the engine reports it."""
        self._hardware = hardware
        self._known = True
        self.options.field(DEVICES, DeviceField).offer(hardware)
        self.check_now()

    def set_own_model(self, own_model: OwnModel) -> None:
        """Set the function that returns a user's own model, as its last run described it."""
        self._own_model = own_model

    def forget_hardware(self) -> None:
        """Use assumed hardware until the engine reports the machine's."""
        self._hardware = assumed_hardware()
        self._known = False
        self.check_now()

    def check(self, specification: Specification) -> Checked | str:
        """Return the plans of a run, or the problem as a text.

        The hardware is assumed until the engine has reported it.
        """
        if self.options.where.host and specification.launcher == TORCHRUN:
            return tr("torchrun runs on this machine: choose it under Where.")
        own = self._own_model(specification) if specification.own_model else None
        return check_specification(specification, self._hardware, self._known, own)

    def check_now(self) -> None:
        """Check the settings of the form, and show their preview or their problem."""
        self._timer.stop()
        asked = self.specification()
        self.result = self.check(asked)
        if isinstance(self.result, str):
            self._show_problem(asked, self.result)
        else:
            self._show_checked(asked, self.result)
        self.checked.emit(self.result)

    def _check_in_time(self) -> None:
        # Making plans for all schedules takes long, so it waits for the first paint of the window.
        window = self.window().windowHandle()
        if window is not None and window.isVisible() and not window.isExposed():
            self._timer.start()
        else:
            self.check_now()

    def _show_checked(self, asked: Specification, checked: Checked) -> None:
        self.options.show_problem("", "")
        self.footer.show_checked(asked, checked)
        plans = checked.plans
        largest = plans[max(plans)] if plans else None
        self.options.show_defaults(default_texts(asked, largest))
        problems = schedule_problems(asked, checked, self._hardware)
        self.options.field(SCHEDULE.name, FileChoice).allow(problems)

    def _show_problem(self, asked: Specification, text: str) -> None:
        """Show a problem below the field that causes it, or else in the footer."""
        self.options.show_defaults(default_texts(asked, None))
        name = setting_at_fault(asked, self.options.last_edited, self._can_run)
        is_next_to_field = self.options.show_problem(name, text)
        self.footer.show_problem("" if is_next_to_field else text)

    def _can_run(self, specification: Specification) -> bool:
        return isinstance(self.check(specification), Checked)

    # Building

    def _build_sheet(self) -> None:
        parts = (Label(tr("What to run"), "heading"), self.strategies, 4, self.options, None)
        sheet = column(*parts, margins=(12, 8, 6, 6), spacing=4)
        self.setWidget(widget_of(sheet, "sheet"))
        self.options.chain(self.strategies.list)

    def _changed(self) -> None:
        self.options.show_rows(self._asked())
        self._timer.start()
