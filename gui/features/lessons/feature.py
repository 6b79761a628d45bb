"""Lessons: a few steps that run, each with a question and an answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from core.message import N_
from gui.app.feature import Action, Dock, Feature, Group, Menu, Panel, Shell
from gui.app.run import Run
from gui.features.compare.feature import CompareFeature
from gui.features.lessons.menu import LessonMenu
from gui.features.run.feature import RunFeature
from gui.features.runs.feature import RunsFeature
from gui.features.verdict.feature import VerdictFeature
from gui.look.text import tr
from gui.look.theme import Theme

if TYPE_CHECKING:
    from gui.features.lessons.lessons import Lessons
    from gui.features.lessons.panel import LessonPanel

LESSONS = N_("Lessons")


class LessonsFeature(Feature):
    """The Lesson panel and the menu of lessons."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self._titles: set[str] = set()
        self.panels = (Panel("lesson", tr("Lesson"), Dock.LESSON, self._panel),)

    @property
    def groups(self) -> Sequence[Group]:
        return (
            Group(
                Menu.HELP,
                (
                    Action(
                        "open_lesson",
                        N_("Open lesson…"),
                        lambda: self.lessons.ask(),
                        "",
                        N_(
                            "Open your own lesson from a file. docs/lessons.md describes how to "
                            "write one."
                        ),
                    ),
                ),
                LESSONS,
            ),
        )

    def start(self) -> None:
        LessonMenu(self.shell.menu(Menu.HELP, LESSONS), self.open)

    def open(self, path: Path) -> None:
        """Begin a lesson."""
        self.lessons.open(path)

    def show_run(self, run: Run | None) -> None:
        if run is not None and run.group and run.group in self._titles:
            self.shell.feature(RunsFeature).tabs.close_group(run)

    def group_of_new_run(self) -> str:
        if not ("lessons" in vars(self) and self.lessons.running):
            return ""
        lesson = self.lessons.lesson
        if lesson is None:
            return ""
        self._titles.add(lesson.title)
        return lesson.title

    def set_theme(self, theme: Theme) -> None:
        if "lessons" in vars(self):
            self.lessons.set_theme(theme)

    @cached_property
    def lessons(self) -> Lessons:
        """The controller, with its panel."""
        from gui.features.lessons.lessons import Lessons
        from gui.features.lessons.pointing import Pointer

        pointer = Pointer(self.shell, self.shell.feature(VerdictFeature).line)
        made = Lessons(self.shell, pointer, self.shell.feature(RunFeature).control.run_beside)
        self.keep_until_shown(made.panel)
        made.set_theme(self.shell.theme)
        made.began.connect(self.shell.feature(CompareFeature).leave)
        made.opened.connect(self.shell.show_run)
        made.compared.connect(self._compare)
        made.concealed.connect(self._conceal)
        made.own_model.connect(self.shell.feature(RunFeature).choose_model)
        made.panel.shown.connect(self._take_over_run)
        made.failed.connect(self.shell.banner.say)
        return made

    def _compare(self, run: Run) -> None:
        from gui.features.compare.chooser import other_of

        self.shell.feature(CompareFeature).comparing.begin(other_of(run))

    def _take_over_run(self, shown: bool) -> None:
        """Make Run (F5) start the lesson's step while its panel covers the settings."""
        control = self.shell.feature(RunFeature).control
        control.hand_over(self.lessons.run if shown else None, tr("this step"))
        if shown:
            self._conceal(self.lessons.panel.is_finding)
        else:
            self._conceal(False)

    def _conceal(self, hidden: bool) -> None:
        lesson = self.lessons.lesson
        if hidden and lesson is not None:
            text = tr("Find it yourself: the verdict is shown with the answer.")
            self.shell.concealment.begin(lesson.title, text)
        else:
            self.shell.concealment.end()

    def _panel(self) -> LessonPanel:
        return self.lessons.panel
