"""Controller of sweeps: starts the runs one after another, and collects their results."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from core.engine.messages import Outcome
from core.errors import PlanError
from core.option import Option
from core.plan.specification import OPTIONS, Specification
from core.sweep.results import Result, Results, remaining, seconds_left
from core.sweep.sweep import REFERENCES, Point, Sweep, sweep_over, values_by_name
from core.sweep.table import UnmeasuredError, sweep_row
from core.sweep.values import COMMA, DEFAULT, SEMICOLON, suggested
from gui.app.check import friendly
from gui.app.feature import Shell
from gui.app.run import Run, opened_files
from gui.features.run.panel import StrategyPanel
from gui.features.sweep.panel import SweepPanel
from gui.features.sweep.saving import SweepFiles
from gui.features.sweep.words import setting_title
from gui.look.text import duration_text, problem_text, tr

_OPTIONS: dict[str, Option[object]] = {option.name: option for option in OPTIONS}


class Sweeping(QObject):
    """Controller of sweeps. `opened` carries the run of a result that was chosen.

    A sweep's runs are not shown while they are live, because drawing would slow them down.
    """

    opened = Signal(object)

    def __init__(self, shell: Shell, form: StrategyPanel) -> None:
        super().__init__(shell.main_window)
        self.panel = SweepPanel()
        self._form = form
        self._session = shell.session
        self._left: deque[Point] = deque()
        self._runs: dict[Point, Run] = {}
        self._took: list[tuple[int, float]] = []
        self._failed: dict[int, str] = {}
        self._began = 0.0
        self.results: Results | None = None
        self.files = SweepFiles(shell.main_window, shell.settings, lambda: self.results)
        self.files.inputs = lambda: opened_files(shell.session.runs)
        self._connect()
        self._suggest()

    @property
    def running(self) -> bool:
        """True while a sweep is running."""
        return bool(self._left)

    def begin(self) -> None:
        """Begin or continue the sweep that the fields describe; end a running one."""
        if self.running:
            self._session.stop()
            return
        asked = self._asked()
        problem = asked if isinstance(asked, str) else self._problem(asked)
        self.panel.show_problem(problem)
        is_busy = self._session.asking
        if is_busy:
            self.panel.show_progress(tr("A run is under way; the sweep can begin when it is over."))
        if problem or isinstance(asked, str) or is_busy:
            return
        results = self.results
        # If the fields are the same and runs are missing, the results stay and the sweep continues.
        is_same = results is not None and results.sweep == asked
        if results is None or not is_same or not remaining(asked, results.measured):
            results = Results(asked, ())
            self._runs = {}
            self._took = []
        self.results = results
        self._failed = {}
        self.panel.show_results(results)
        left = remaining(asked, results.measured)
        self._go_on(left)

    # Starting

    def _asked(self) -> Sweep | str:
        """Return the sweep that the fields describe, or an error text; "" without values."""
        panel = self.panel
        references = REFERENCES if panel.references.isChecked() else ()
        # Carries only the other fields; `sweep_over` adds the form's specification.
        kept = Sweep(Specification(), references=references, repeat=panel.repeat.value())
        option = _OPTIONS[panel.option.currentData()]
        try:
            base = self._form.specification()
            asked = sweep_over(base, option, panel.values.text(), kept)
            # Without values there is nothing to run, but this is no error.
            return asked if asked.settings else ""
        except PlanError as error:
            return friendly(problem_text(error))

    def _problem(self, asked: Sweep) -> str:
        """Return why one of the settings cannot be run on this machine; "" if all can."""
        for setting in asked.settings:
            found = self._form.check(setting)
            if isinstance(found, str):
                title = setting_title(asked, setting)
                return f"{title}: {found}"
        return ""

    def _check(self, *_: object) -> None:
        """Show the problem of the fields, if they are visible."""
        # A hidden panel is checked when it is shown.
        if self.running or not self.panel.isVisible():
            return
        asked = self._asked()
        problem = asked if isinstance(asked, str) else ""
        self.panel.show_problem(problem)

    def _suggest(self) -> None:
        """Suggest values of the chosen option; of named choices, only runnable ones."""
        option = _OPTIONS[self.panel.option.currentData()]
        base = self._form.specification()
        now = values_by_name(base)[option.name]
        text = suggested(option, now, base.batch_rows)
        if option.choices and text:
            usable = [name for name in option.choices if self._runs_with(option, name)]
            text = COMMA.join(usable)
        self.panel.values.setText(text)
        self._check()

    def _runs_with(self, option: Option[object], name: str) -> bool:
        """Return True if a value can be run in place of the form's."""
        base = self._form.specification()
        alone = Sweep(base, references=())
        now = values_by_name(base)[option.name] or DEFAULT
        # The value and the form's value, without duplicates. The trailing separator keeps a text
        # that contains a comma in one piece.
        words = dict.fromkeys((name, f"{now}"))
        values = SEMICOLON.join((*words, ""))
        try:
            asked = sweep_over(base, option, values, alone)
            return not self._problem(asked)
        except PlanError:
            return False

    # Runs

    def _go_on(self, points: Sequence[Point]) -> None:
        """Queue these runs and start the first one; without runs, the sweep ends."""
        assert self.results is not None
        # Set before the first run starts, because `_end` and `_refuse` expect the current run at
        # the front of the queue.
        self._left = deque(points)
        if points:
            first = points[0]
            setting = self.results.sweep.settings[first.setting]
            self._began = time.monotonic()
            if not self._session.run(setting):
                # The end of another run must not count as the measurement of this setting.
                self._left.clear()
        self._report()

    def _end(self, run: Run) -> None:
        """Add the measurement of a run that has ended, and start the next run unless stopped."""
        results = self.results
        if not self.running or results is None:
            return
        point = self._left.popleft()
        outcome = run.outcome or Outcome.FAILED
        try:
            row = sweep_row(point, run.trace, outcome, run.text)
        except UnmeasuredError as error:
            was_stopped = run.outcome is Outcome.STOPPED or self._session.stop_requested
            self._lose(point, problem_text(error), was_stopped)
            return
        self._runs[point] = run
        seconds = time.monotonic() - self._began
        self._took.append((point.setting, seconds))
        self.results = replace(results, measured=(*results.measured, row))
        self.panel.show_results(self.results)
        left = () if self._session.stop_requested else self._left
        self._go_on(left)

    def _refuse(self, text: str) -> None:
        """Handle the end of a run that did not begin; a stop may have been the reason."""
        if self.running:
            self._lose(self._left[0], text, self._session.stop_requested)

    def _lose(self, point: Point, why: str, stopped: bool) -> None:
        """Continue without the setting of a run that failed; if it was stopped, end the sweep."""
        left: list[Point] = []
        if not stopped:
            self._failed[point.setting] = why
            left = [other for other in self._left if other.setting != point.setting]
        self._go_on(left)

    # Messages

    def _report(self) -> None:
        """Show the progress of the sweep, and its failures."""
        assert self.results is not None
        asked = self.results.sweep
        done = len(self.results.measured)
        words = {"done": done, "all": len(asked.points)}
        self.panel.set_running(self.running)
        parts = []
        if self.running:
            seconds = seconds_left(self._left, self._took)
            point = self._left[0]
            now = setting_title(asked, asked.settings[point.setting])
            parts = [tr("{done} of {all} runs are done; now {now}.", now=now, **words)]
            if seconds is not None:
                whole_seconds = max(1.0, round(seconds))
                left = duration_text(1e9 * whole_seconds)
                parts.append(tr("About {time} left.", time=left))
        elif done < len(asked.points):
            parts = [tr("{done} of {all} runs are done; Run sweep continues.", **words)]
        for place, why in self._failed.items():
            name = setting_title(asked, asked.settings[place])
            parts.append(tr("{setting} failed: {why}", setting=name, why=why))
        self.panel.show_progress("\n".join(filter(None, parts)))

    def _open(self, result: Result) -> None:
        """Show the median run of a result."""
        run = self._runs.get(result.median_point)
        if run is not None:
            self.opened.emit(run)

    def _connect(self) -> None:
        panel = self.panel
        session = self._session
        panel.asked.connect(self.begin)
        panel.edited.connect(self._check)
        panel.opened.connect(self._check)
        panel.option.currentIndexChanged.connect(self._suggest)
        panel.image.clicked.connect(self.files.ask_image)
        panel.table.clicked.connect(self.files.ask_table)
        panel.view.chosen.connect(self._open)
        session.run_ended.connect(self._end)
        session.refused.connect(self._refuse)
        self._form.checked.connect(self._check)
