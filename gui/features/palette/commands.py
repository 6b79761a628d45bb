"""Commands of the palette: actions, strategies, schedules, samples and runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QMenuBar

from core.plan.pipeline.options import SCHEDULE
from core.plan.schedules import SCHEDULES
from core.plan.strategies import STRATEGIES
from gui.app.feature import Shell
from gui.app.run import Run
from gui.features.first_page.samples import SAMPLES
from gui.features.palette.palette import Command
from gui.features.recordings.feature import RecordingsFeature
from gui.features.run.feature import RunFeature
from gui.features.run.panel import StrategyPanel
from gui.features.runs.tabs import title_of
from gui.look.text import tr
from gui.widgets.menu_actions import keys_text, listed_actions


def all_commands(shell: Shell) -> list[Command]:
    """Return all commands that exist now."""
    form = shell.feature(RunFeature).form
    open_file = shell.feature(RecordingsFeature).files.open_from
    return [
        *menu_commands(shell.main_window.menuBar()),
        *_run_commands(shell.session.runs, shell.show_run),
        *_sample_commands(open_file),
        *_form_commands(form, lambda: shell.bring("strategy")),
    ]


def menu_commands(bar: QMenuBar) -> Iterator[Command]:
    """Yield a command for every action in the menus."""
    for top in bar.actions():
        menu = top.menu()
        if isinstance(menu, QMenu):
            yield from (_of_action(where, action) for where, action in listed_actions(menu))


def _form_commands(form: StrategyPanel, show: Callable[[], object]) -> Iterator[Command]:
    """Yield a command for every strategy and schedule, to set it in the form."""
    where = tr("Settings")
    for strategy in STRATEGIES.values():
        text = tr("Strategy: {name}", name=tr(strategy.title))
        yield Command(text, where, "", partial(_choose_strategy, form, show, strategy.name))
    for schedule in SCHEDULES.values():
        text = tr("Schedule: {name}", name=tr(schedule.title))
        yield Command(text, where, "", partial(_choose_schedule, form, show, schedule.name))


def _run_commands(runs: Iterable[Run], show: Callable[[Run], None]) -> Iterator[Command]:
    """Yield a command for every run of the session."""
    for run in runs:
        text = tr("Show {run}", run=title_of(run))
        yield Command(text, tr("Runs"), "", partial(show, run))


def _sample_commands(show: Callable[[Path], object]) -> Iterator[Command]:
    """Yield a command for every sample recording."""
    for sample in SAMPLES:
        text = tr("Sample: {name}", name=tr(sample.title))
        yield Command(text, tr("Samples"), "", partial(show, sample.path))


def _of_action(where: str, action: QAction) -> Command:
    # In an action a plain & is doubled; the palette's list shows texts as they are.
    text = action.text().replace("&&", "&")
    return Command(
        text, where, keys_text(action), action.trigger, action.isEnabled(), action.isChecked()
    )


def _choose_strategy(form: StrategyPanel, show: Callable[[], object], name: str) -> None:
    form.strategies.choose(name)
    show()


def _choose_schedule(form: StrategyPanel, show: Callable[[], object], name: str) -> None:
    """Set a schedule; if the form's strategy has none, choose the first strategy with schedules."""
    if SCHEDULE not in STRATEGIES[form.specification().strategy].options:
        takes = (s.name for s in STRATEGIES.values() if SCHEDULE in s.options)
        form.strategies.choose(next(takes))
    form.fields[SCHEDULE.name].write(name)
    show()
