"""Starting and stopping runs: between the form, the session, and the Run and Stop actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction

from core.plan.devices import Hardware
from core.plan.specification import Specification
from gui.app.banner import Banner
from gui.app.session import Session
from gui.app.settings import Settings
from gui.look.label import plain_tip
from gui.look.text import sentence, tr
from gui.panels.run.strategy import StrategyPanel
from gui.runs.check import Checked
from gui.runs.run_queue import RunQueue
from gui.window.bars import RunBar, StatusLine


class RunControl(QObject):
    """`planned` carries the Specification of a form that can run; `wait` says what is waited for.

    `queue` starts several runs one after the other.
    """

    planned = Signal(object)

    def __init__(
        self, form: StrategyPanel, session: Session, settings: Settings, banner: Banner,
        wait: Callable[[str], None],
    ) -> None:  # fmt: skip
        super().__init__(form)
        self._form, self._session, self._settings = form, session, settings
        self._banner, self._wait = banner, wait
        self.queue = RunQueue(self.run_instead)

    def attach(self, actions: Mapping[str, QAction], bar: RunBar, status: StatusLine) -> None:
        """Take the Run and Stop actions, and the bars that show what they do."""
        self._run_action, self._stop_action = actions["run"], actions["stop"]
        self._bar, self._status = bar, status
        session = self._session
        session.ready.connect(self._set_hardware)
        session.engine_failed.connect(self._lose_engine)
        session.refused.connect(self._refuse)
        session.run_ended.connect(self.queue.end)
        session.asking_changed.connect(self.allow)
        self._form.checked.connect(self.allow)
        if session.hardware is not None:
            self._set_hardware(session.hardware)

    def run(self) -> None:
        """Run what the form says, unless it cannot run or something runs already."""
        self._form.check_now()
        if isinstance(self._form.result, str) or self._session.asking:
            return
        self._banner.hide()
        self._settings.specification = self._form.specification()
        self._wait(tr("Preparing the run…"))
        self._session.run(self._form.specification())

    def run_instead(self, specification: Specification) -> bool:
        """Put other settings into the form and run them; whether they can run."""
        self._form.set_specification(specification)
        if isinstance(self._form.result, str):
            self._banner.say(tr("This cannot run here. {reason}", reason=self._form.result))
        else:
            self.run()
        return self._session.asking

    def allow(self, *_: object) -> None:
        """Run and Stop are there when they can do something."""
        checked: Checked | str = self._form.result
        asking = self._session.asking
        self._run_action.setEnabled(not asking and not isinstance(checked, str))
        self._stop_action.setEnabled(asking)
        self._bar.set_asking(asking)
        if isinstance(checked, str):
            self._run_action.setToolTip(plain_tip(checked))
        else:
            self.planned.emit(self._form.specification())
            self._run_action.setToolTip(
                tr("A run is under way.") if asking else tr("Run what the form says. (F5)")
            )

    def _set_hardware(self, hardware: Hardware) -> None:
        """The engine is there and knows the machine."""
        self._form.set_hardware(hardware)
        self._status.engine.setText(tr("engine ready"))

    def _lose_engine(self, text: str) -> None:
        """The engine is gone, and no run was under way."""
        self._status.engine.setText(tr("no engine"))
        self._banner.say(f"{sentence(text)} {tr('Run starts it afresh.')}")

    def _refuse(self, text: str) -> None:
        """The engine would not run what was asked for."""
        self._wait("")
        self.queue.forget()
        self._banner.say(text)
