"""Below the form, where no scrolling hides it: what a run would do, or why there can be none."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QToolButton, QWidget

from core.plan.lanes import virtual_instead
from core.plan.specification import Specification
from gui.app.check import Checked, pictured
from gui.look.text import tr
from gui.widgets.answer_picture import AnswerPicture
from gui.widgets.batch_preview import preview_text
from gui.widgets.label import Label
from gui.widgets.layouts import button, column


class FormFooter(QWidget):
    """`devices_wanted` carries other lanes to ask for, in place of some that share hardware."""

    devices_wanted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("footer")
        self.problem = Label(look="problem", wrapped=True, selectable=True)
        self.preview = Label(look="quiet", wrapped=True, selectable=True)
        self.picture = AnswerPicture(bare=True)
        self.picture.setToolTip(tr("The order of the step's passes, as if all took the same time."))
        tip = tr("Each task is then measured alone, so nothing is shared: the strategy itself.")
        self._devices = ""
        self.virtual = button(QToolButton, "", tip, name=tr("Use virtual lanes"), look="link")
        # Which devices is known only when it is pressed: `show_checked` changes them.
        self.virtual.clicked.connect(lambda: self.devices_wanted.emit(self._devices))
        column(
            self.picture, self.problem, self.preview, self.virtual,
            of=self, margins=(12, 6, 10, 8), spacing=4,
        )  # fmt: skip

    def show_checked(self, asked: Specification, result: Checked | str) -> None:
        """Say what comes of the form's settings: what would run, or the problem."""
        checked = None if isinstance(result, str) else result
        plans = () if checked is None else checked.plans.values()
        answer = next((answer for plan in plans if (answer := pictured(plan))), None)
        self.picture.setVisible(answer is not None)
        if answer is not None:
            self.picture.show_answer(answer)
        self.problem.say("" if checked else str(result))
        self.preview.say(preview_text(asked, checked, answer) if checked else "")
        self._devices = virtual_instead(checked.lanes) if checked else ""
        self.virtual.setVisible(bool(self._devices))
        if checked:
            self.virtual.setText(tr("Use {count} virtual lanes", count=len(checked.lanes)))
