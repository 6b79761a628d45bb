"""Comparison: another run below the one shown, and where their steps differ."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from core.message import N_
from gui.app.feature import Action, Dock, Feature, Group, Menu, Panel, Shell, Style
from gui.app.run import Run, opened_files
from gui.features.runs.feature import RunsFeature
from gui.features.view.feature import ViewFeature
from gui.look.text import tr
from gui.look.theme import Theme

if TYPE_CHECKING:
    from gui.features.compare.comparing import Comparing
    from gui.features.compare.panel import ComparePanel

LOW = 800  # pixels: lower windows have no room for two timelines and an overview
IN_STRIP_A = {
    "compare_align": N_("Align"),
    "compare_scale": N_("Equal lengths"),
    "compare_joins": N_("Join tasks"),
}
IN_STRIP_B = {"export": N_("Export"), "compare": N_("Change"), "compare_leave": "✕"}
"""The actions that have buttons next to the runs' titles, with the buttons' short texts."""
WHILE_COMPARING = (
    *IN_STRIP_A,
    "compare_previous",
    "compare_next",
    "compare_export",
    "compare_leave",
)
"""The actions that are enabled during a comparison."""


class CompareFeature(Feature):
    """The Compare panel and the second timeline, made when they are first needed."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.panels = (Panel("compare", tr("Compare"), Dock.COMPARE, self._panel),)

    @property
    def groups(self) -> Sequence[Group]:
        return (
            Group(
                Menu.COMPARE,
                (
                    Action(
                        "compare",
                        N_("Compare with…"),
                        lambda: self.comparing.choice.choose(),
                        "Ctrl+Shift+C",
                        N_("Show another run, a recording or the prediction below this run."),
                    ),
                    Action(
                        "compare_leave",
                        N_("End comparison"),
                        lambda: self.comparing.leave(),
                        "Ctrl+Alt+C",
                        N_("End the comparison."),
                    ),
                ),
            ),
            Group(
                Menu.COMPARE,
                (
                    Action(
                        "compare_align",
                        N_("Align here"),
                        lambda on: self.comparing.aligner.align(on),
                        "Ctrl+Shift+A",
                        N_(
                            "Align both runs at the spans that are selected. Press again to align "
                            "them at the steps' starts."
                        ),
                        Style.CHECK,
                    ),
                    Action(
                        "compare_scale",
                        N_("Equal lengths"),
                        lambda on: self.comparing.aligner.scale(on),
                        "Ctrl+Shift+L",
                        N_(
                            "Draw both compared steps with equal lengths. Press again for true "
                            "time."
                        ),
                        Style.CHECK,
                    ),
                    Action(
                        "compare_joins",
                        N_("Join tasks"),
                        lambda on: self.comparing.frame.join(on),
                        "J",
                        N_("Draw thin lines between matched tasks."),
                        Style.CHECK,
                    ),
                    Action(
                        "compare_previous",
                        N_("Previous span in run B"),
                        lambda: self.comparing.aligner.step_in_b(-1),
                        "Alt+,",
                        N_("Select the previous span on run B's lane; run A's selection stays."),
                    ),
                    Action(
                        "compare_next",
                        N_("Next span in run B"),
                        lambda: self.comparing.aligner.step_in_b(1),
                        "Alt+.",
                        N_("Select the next span on run B's lane; run A's selection stays."),
                    ),
                ),
            ),
            Group(
                Menu.COMPARE,
                (
                    Action(
                        "compare_export",
                        N_("Export comparison report…"),
                        lambda: self.comparing.files.export(),
                        "Ctrl+Alt+E",
                        N_("Write an HTML page with both timelines and the differences."),
                    ),
                ),
            ),
            Group(
                Menu.GO,
                (
                    Action(
                        "clear",
                        N_("Deselect"),
                        self._escape,
                        "Esc",
                        N_("Clear the selection; with nothing selected, leave the comparison."),
                    ),
                ),
            ),
        )

    def start(self) -> None:
        self._enable(False)
        self.shell.feature(ViewFeature).colours.scene_changed.connect(self._recolour)

    def show_run(self, run: Run | None) -> None:
        if self._is_made:
            self.comparing.show_run()

    def set_theme(self, theme: Theme) -> None:
        if self._is_made:
            self.comparing.set_theme(theme)

    def leave(self) -> None:
        """End the comparison, if there is one."""
        if self._is_made:
            self.comparing.leave()

    @cached_property
    def comparing(self) -> Comparing:
        """The controller, with its panel and the frame of both timelines."""
        from gui.features.compare.comparing import Comparing

        made = Comparing(self.shell)
        self.keep_until_shown(made.panel)
        made.files.inputs = lambda: opened_files(self.shell.session.runs)
        self.report_from(made.files)
        made.aligner.message.connect(self.shell.note)
        made.choice.failed.connect(self.shell.banner.say)
        made.choice.opened.connect(self.shell.feature(RunsFeature).add)
        made.aligner.aligned.connect(self.shell.action("compare_align").setChecked)
        made.begun.connect(self._begin)
        made.left.connect(self._leave)
        for strip, names in ((made.frame.strip_a, IN_STRIP_A), (made.frame.strip_b, IN_STRIP_B)):
            actions = {tr(text): self.shell.action(name) for name, text in names.items()}
            strip.add(actions)
        made.set_theme(self.shell.theme)
        self.shell.centre.frame_timeline(made.frame)
        return made

    @property
    def under_way(self) -> Comparing | None:
        """The controller while two runs are compared, else None."""
        if self._is_made and self.comparing.two is not None:
            return self.comparing
        return None

    @property
    def _is_made(self) -> bool:
        return "comparing" in vars(self)

    def _panel(self) -> ComparePanel:
        return self.comparing.panel

    def _begin(self) -> None:
        self._enable(True)
        # In a low window the overview is hidden, to make room for the second timeline.
        self.shell.overview.setVisible(self.shell.main_window.height() >= LOW)
        self.shell.bring("compare")

    def _leave(self) -> None:
        self._enable(False)
        self.shell.overview.show()

    def _enable(self, comparing: bool) -> None:
        for name in WHILE_COMPARING:
            self.shell.action(name).setEnabled(comparing)

    def _escape(self) -> None:
        """Clear the selection; with nothing selected, end the comparison."""
        if self._is_made:
            self.comparing.escape()
        else:
            self.shell.timeline.selector.clear()

    def _recolour(self) -> None:
        if self._is_made:
            self.comparing.frame.colour()
