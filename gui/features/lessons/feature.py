"""Lessons: steps that make real runs, each with a question and its answer."""

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
        self._groups: set[str] = set()
        """Groups of the runs that lessons have made: the titles of these lessons."""
        self.panels = (Panel("lesson", tr("Lesson"), Dock.LESSON, self._panel),)

    @property
    def groups(self) -> Sequence[Group]:
        open_lesson = Action(
            "open_lesson",
            N_("Open lesson…"),
            lambda: self.lessons.ask(),
            "",
            N_("Open your own lesson from a file. docs/lessons.md describes how to write one."),
        )
        return (Group(Menu.HELP, (open_lesson,), LESSONS),)

    def start(self) -> None:
        LessonMenu(self.shell.menu(Menu.HELP, LESSONS), self.open)

    def open(self, path: Path) -> None:
        """Begin a lesson."""
        self.lessons.open(path)

    def show_run(self, run: Run | None) -> None:
        # Only the run of the lesson that is on screen keeps its tab.
        if run is not None and run.group and run.group in self._groups:
            self.shell.feature(RunsFeature).tabs.close_group(run)

    def group_of_new_run(self) -> str:
        if not self._is_made or not self.lessons.running:
            return ""
        lesson = self.lessons.lesson
        if lesson is None:
            return ""
        self._groups.add(lesson.title)
        return lesson.title

    def set_theme(self, theme: Theme) -> None:
        if self._is_made:
            self.lessons.set_theme(theme)

    @property
    def _is_made(self) -> bool:
        """True once `lessons` exists."""
        return "lessons" in vars(self)

    @cached_property
    def lessons(self) -> Lessons:
        """The controller and its panel, made when first needed."""
        from gui.features.lessons.lessons import Lessons
        from gui.features.lessons.pointing import Pointer

        run_feature = self.shell.feature(RunFeature)
        pointer = Pointer(self.shell, self.shell.feature(VerdictFeature).line)
        made = Lessons(self.shell, pointer, run_feature.control.run_beside)
        self.keep_until_shown(made.panel)
        made.set_theme(self.shell.theme)
        made.began.connect(self.shell.feature(CompareFeature).leave)
        made.opened.connect(self.shell.show_run)
        made.compared.connect(self._compare)
        made.concealed.connect(self._conceal)
        made.own_model.connect(run_feature.choose_model)
        made.chosen.connect(lambda: self._take_over_run(made.panel.isVisible()))
        made.panel.shown.connect(self._take_over_run)
        made.failed.connect(self.shell.banner.say)
        return made

    def _compare(self, run: Run) -> None:
        from gui.features.compare.chooser import other_of

        self.shell.feature(CompareFeature).comparing.begin(other_of(run))

    def _take_over_run(self, shown: bool) -> None:
        """Make Run (F5) start the lesson's step, not the form's run, while the panel shows one."""
        start = self.lessons.run if shown and self.lessons.lesson is not None else None
        self.shell.feature(RunFeature).control.hand_over(start, tr("this step"))
        is_finding = self.lessons.panel.is_finding
        self._conceal(shown and is_finding)

    def _conceal(self, concealed: bool) -> None:
        """Hide the explanations of the lesson's runs, or show them again."""
        lesson = self.lessons.lesson
        if concealed and lesson is not None:
            text = tr("Find it yourself: the verdict is shown with the answer.")
            self.shell.concealment.begin(lesson.title, text)
        else:
            self.shell.concealment.end()

    def _panel(self) -> LessonPanel:
        return self.lessons.panel
