"""Footer of the form: a preview of the run, or the problem that prevents it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QToolButton, QWidget

from core.plan.lanes import virtual_instead
from core.plan.specification import Specification
from core.predict.whatif import WhatIfResult
from gui.app.check import Checked, pictured
from gui.look.text import tr
from gui.widgets.answer_picture import AnswerPicture
from gui.widgets.batch_preview import preview_text
from gui.widgets.label import Label
from gui.widgets.layouts import button, column


class FormFooter(QWidget):
    """Stays visible below the form, which scrolls.

    `devices_wanted` carries a `--devices` text to use instead of lanes that share hardware.
    """

    devices_wanted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("footer")
        self.problem = Label(look="problem", wrapped=True, selectable=True)
        self.preview = Label(look="quiet", wrapped=True, selectable=True)
        self.picture = AnswerPicture(bare=True)
        tip = tr("Each task is then measured alone, without sharing, to show the strategy itself.")
        self._devices = ""
        self.virtual = button(QToolButton, "", tip, name=tr("Use virtual lanes"), look="link")
        # Read at the click, not bound here, because `show_checked` changes the devices.
        self.virtual.clicked.connect(lambda: self.devices_wanted.emit(self._devices))
        parts = (self.picture, self.problem, self.preview, self.virtual)
        column(*parts, of=self, margins=(12, 6, 10, 8), spacing=4)

    def show_checked(self, asked: Specification, checked: Checked) -> None:
        """Show a preview of a run of these settings."""
        self.problem.say("")
        answer = _first_picture(checked)
        self.picture.setVisible(answer is not None)
        if answer is not None:
            self.picture.show_answer(answer)
        is_pipeline = any(plan.pipeline is not None for plan in checked.plans.values())
        self.preview.say(preview_text(asked, checked, answer if is_pipeline else None))
        self._devices = virtual_instead(checked.lanes)
        self.virtual.setVisible(bool(self._devices))
        self.virtual.setText(tr("Use {count} virtual lanes", count=len(checked.lanes)))

    def show_problem(self, text: str) -> None:
        """Show why the settings cannot run; "" if the form shows that next to a field."""
        self.problem.say(text)
        self.preview.say("")
        self.picture.hide()
        self.virtual.hide()


def _first_picture(checked: Checked) -> WhatIfResult | None:
    """Return the picture of the first plan that is small enough for one."""
    for plan in checked.plans.values():
        answer = pictured(plan)
        if answer is not None:
            return answer
    return None
