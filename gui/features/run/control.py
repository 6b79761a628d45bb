"""Controller of runs: connects the form, the session, and the actions Run and Stop."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction

from core.models.description import ModelDescription
from core.plan.devices import Hardware
from core.plan.specification import Specification
from gui.app.check import Checked
from gui.app.feature import Shell
from gui.app.run import Run
from gui.app.titles import strategy_title
from gui.features.run.panel import StrategyPanel
from gui.features.run.queue import RunQueue
from gui.features.run.used import settings_of
from gui.features.status.bars import RunBar, StatusLine
from gui.look.text import sentence, tr
from gui.widgets.label import plain_tip


class RunControl(QObject):
    """Starts runs; `queue` starts several, one after the other.

    `planned` carries the Specification of the form whenever it can run.
    """

    planned = Signal(object)

    def __init__(self, form: StrategyPanel, shell: Shell) -> None:
        super().__init__(form)
        self._form = form
        self._session = shell.session
        self._settings = shell.settings
        self._shell = shell
        self._banner = shell.banner
        self._begun: Specification | None = None
        self._is_engine_lost = False
        self.queue = RunQueue(self.run_instead)
        self._other: tuple[Callable[[], None], str] | None = None

    def attach(self, run: QAction, stop: QAction, bar: RunBar, status: StatusLine) -> None:
        """Set the actions Run and Stop, and the bars that show their state."""
        self._run_action = run
        self._stop_action = stop
        self._bar = bar
        self._status = status
        session = self._session
        session.ready.connect(self._set_hardware)
        session.engine_failed.connect(self._lose_engine)
        session.refused.connect(self._refuse)
        session.run_ended.connect(self.queue.end)
        session.asking_changed.connect(self.allow)
        session.asking_changed.connect(self._show_engine)
        session.run_started.connect(self._describe)
        self._form.set_own_model(self._last_description)
        self._form.checked.connect(self.allow)
        where = self._form.options.where
        where.offer(self._settings.hosts)
        where.show_host(session.host)
        where.chosen.connect(self._move)
        where.refused.connect(self._banner.say)
        if session.hardware is not None:
            self._set_hardware(session.hardware)

    def hand_over(self, run: Callable[[], None] | None, name: str = "") -> None:
        """Make Run start something else, called `name`; with None, it runs the form again."""
        self._other = None if run is None else (run, name)
        self.allow()

    def run(self) -> None:
        """Run the settings of the form, unless they are invalid or a run is in progress.

        If Run was handed over, start that instead.
        """
        if self._other is not None:
            start, _ = self._other
            start()
        else:
            self._run_form()

    def _run_form(self) -> None:
        # The last change may not have been checked yet.
        self._form.check_now()
        if isinstance(self._form.result, str) or self._session.asking:
            return
        self._settings.specification = self._form.specification()
        self._begin(self._settings.specification)

    def run_beside(self, specification: Specification) -> bool:
        """Run other settings without changing the form; return True if the engine accepts them."""
        if self._session.asking:
            return False
        self._begin(specification)
        return self._session.asking

    def run_instead(self, specification: Specification) -> bool:
        """Put other settings into the form and run them; return True if they were started.

        While another run is under way, the form is left as it is.
        """
        if self._session.asking:
            self._banner.say(tr("A run is under way: try again when it has ended."), "info")
            return False
        self._form.set_specification(specification)
        if isinstance(self._form.result, str):
            self._banner.say(tr("This cannot run here. {reason}", reason=self._form.result))
        else:
            self._run_form()
        return self._session.asking

    def use(self, run: Run | None) -> bool:
        """Put the settings of a run into the form; if it has none, show why and return False."""
        settings = settings_of(None if run is None else run.trace.header)
        if isinstance(settings, str):
            self._banner.say(settings, "info")
            return False
        self._form.set_specification(settings)
        return True

    def restore(self) -> None:
        """Restore the form of the last session."""
        self._form.options.unfolded = self._settings.unfolded
        self._form.fill(self._settings.specification)

    def keep(self) -> None:
        """Store the state of the form."""
        self._settings.unfolded = self._form.options.unfolded
        self._settings.specification = self._form.specification()

    def _begin(self, specification: Specification) -> None:
        self._banner.hide()
        # Set first, because the session's `asking_changed` calls `allow`, which names this run.
        self._begun = specification
        self._shell.centre.wait(tr("Preparing the run…"))
        self._session.run(specification)

    @property
    def _planned(self) -> str:
        """Title of what Run would start: the strategy in the form, unless Run was handed over."""
        if self._other is not None:
            return self._other[1]
        return strategy_title(self._form.specification())

    def allow(self, *_: object) -> None:
        """Enable Run and Stop; the text of Run names the next or the current run."""
        checked: Checked | str = self._form.result
        asking = self._session.asking
        if self._session.runs_job:
            words = tr("Recording a job…")
        elif asking and self._begun is not None:
            words = tr("Running {what}", what=strategy_title(self._begun))
        else:
            words = tr("▶  Run {what}", what=self._planned)
        # The text of the button; menus and the palette show the action's `text`.
        self._run_action.setIconText(words)
        is_invalid = isinstance(checked, str) and self._other is None
        self._run_action.setEnabled(not asking and not is_invalid)
        self._stop_action.setEnabled(asking)
        self._form.options.where.setEnabled(not asking)
        self._bar.set_asking(asking)
        if self._other is not None:
            self._run_action.setToolTip(tr("Run {what}. (F5)", what=self._planned))
        elif isinstance(checked, str):
            self._run_action.setToolTip(plain_tip(checked))
        else:
            self.planned.emit(self._form.specification())
            tip = tr("Run these settings: {what}. (F5)", what=self._planned)
            self._run_action.setToolTip(tr("A run is under way.") if asking else tip)

    def _move(self, host: str) -> None:
        """Start the engine on the machine that the user has chosen."""
        if host:
            self._settings.remember_host(host)
        self._banner.hide()
        self._form.forget_hardware()
        self._is_engine_lost = False
        self._session.move_to(host)
        self._show_engine()

    def _set_hardware(self, hardware: Hardware) -> None:
        """Handle the engine's report of the hardware."""
        self._form.set_hardware(hardware)
        self._is_engine_lost = False
        self._show_engine()

    def _show_engine(self, *_: object) -> None:
        """Show in the status bar if the engine is loading, ready, running, or has ended."""
        host = self._session.host
        if self._session.runs_job:
            words = tr("recording a job…")
        elif self._session.asking:
            words = tr("running on {host}…", host=host) if host else tr("running…")
        elif self._is_engine_lost:
            words = tr("no engine")
        elif self._session.hardware is None:
            words = tr("connecting to {host}…", host=host) if host else tr("engine is loading…")
        else:
            words = tr("engine ready on {host}", host=host) if host else tr("engine ready")
        self._status.engine.setText(words)

    def _last_description(self, specification: Specification) -> ModelDescription | None:
        """Return the model of the settings, as its last run described it; None without a run."""
        # Imported here, because the first paint of the window needs no predictions.
        from core.predict.run_blocks import is_of_model

        for run in reversed(self._session.runs):
            if is_of_model(run.trace, specification):
                return run.trace.header.model
        return None

    def _describe(self, run: Run) -> None:
        """Check the form again after a run has described the user's own model."""
        if run.trace.header.specification.own_model:
            self._form.check_now()

    def _lose_engine(self, text: str) -> None:
        """Handle the end of the engine while no run was in progress."""
        self._is_engine_lost = True
        self._show_engine()
        hint = tr("Press Run to start it again.")
        if self._session.host:
            hint = tr("Press Run to reconnect.")
        self._banner.say(f"{sentence(text)} {hint}")

    def _refuse(self, text: str) -> None:
        """Handle a refusal by the engine."""
        self._shell.centre.wait("")
        self.queue.forget()
        self._banner.say(text)
