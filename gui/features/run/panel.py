"""The left panel: which strategy, of which model, on which lanes; and why not, if not."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QScrollArea

from core.plan.devices import HOST, Hardware
from core.plan.pipeline.options import SCHEDULE
from core.plan.specification import Specification, specification_of
from gui.app.check import Checked, assumed_hardware, check_specification, schedule_problems
from gui.features.run.applies import useful, usual_texts
from gui.features.run.footer import FormFooter
from gui.features.run.form import OptionForm
from gui.features.run.strategies import StrategyList
from gui.look.text import tr
from gui.widgets.file_choice import FileChoice
from gui.widgets.label import Label
from gui.widgets.layouts import column, widget_of
from gui.widgets.sheet import scroll_down

CHECK_MS = 120  # after the last change


class StrategyPanel(QScrollArea):
    """The form. `checked` tells, soon after every change, whether what it says can run.

    `footer` says in words what will run, or why nothing can; whoever shows the form puts it below,
    where no scrolling hides it.
    """

    checked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("form")
        self.setAccessibleName(tr("Settings of the run"))
        scroll_down(self)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its fields have it, and it follows them
        self.setMinimumWidth(262)
        self.result: Checked | str = ""
        self._hardware, self._known = assumed_hardware(), False
        self.strategies, self.options = StrategyList(), OptionForm()
        self.fields, self.footer = self.options.fields, FormFooter(self)
        self._build_sheet()
        self._timer = QTimer(self, singleShot=True, interval=CHECK_MS)
        self._timer.timeout.connect(self.check_now)
        # Before the connections below, or each field that is filled would count as edited by the
        # user.
        self.fill(Specification())
        self.options.offer_devices(device_choices(self._hardware))
        self.strategies.chosen.connect(self._changed)
        self.options.edited.connect(self._changed)
        self.footer.devices_wanted.connect(self.fields["devices"].write)

    # Values

    def specification(self) -> Specification:
        """What the form asks for. Fields that are of no use count as not set."""
        return useful(self._asked())

    def _asked(self) -> Specification:
        """What all fields say, but for sizes that the model does not have."""
        given = {**self.options.read(), "strategy": self.strategies.name}
        return specification_of({name: value for name, value in given.items() if value != ""})

    def set_specification(self, specification: Specification) -> None:
        """Fill the form; what it does not know falls back to its defaults."""
        self.fill(specification)
        self.check_now()

    def fill(self, specification: Specification) -> None:
        """Fill the form, to be checked soon: the window need not wait for that to be seen."""
        self.strategies.choose(specification.strategy)
        self.options.write(specification)
        self._changed()

    def set_hardware(self, hardware: Hardware) -> None:
        """The machine as the engine found it: offer its devices."""
        self._hardware, self._known = hardware, True
        self.options.offer_devices(device_choices(hardware))
        self.check_now()

    def check(self, specification: Specification) -> Checked | str:
        """What settings come to on the machine as far as it is known, or why they cannot run."""
        return check_specification(specification, self._hardware, self._known)

    def check_now(self) -> None:
        """Check the form's settings with core and say what comes of them."""
        self._timer.stop()
        asked = self.specification()
        self.result = self.check(asked)
        self.footer.show_checked(asked, self.result)
        plans = {} if isinstance(self.result, str) else self.result.plans
        largest = plans[max(plans)] if plans else None
        self.options.tell_usual(usual_texts(asked, largest))
        if isinstance(self.result, Checked):
            problems = schedule_problems(asked, self.result, self._hardware)
            self.options.field(SCHEDULE.name, FileChoice).allow(problems)
        self.checked.emit(self.result)

    # Building

    def _build_sheet(self) -> None:
        parts = (Label(tr("What to run"), "heading"), self.strategies, 4, self.options, None)
        self.setWidget(widget_of(column(*parts, margins=(12, 8, 10, 6), spacing=4), "sheet"))
        self.options.chain(self.strategies.list)

    def _changed(self) -> None:
        self.options.show_rows(self._asked())
        self._timer.start()


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
