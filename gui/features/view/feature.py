"""Appearance of the timeline: optional parts, grouping of lanes, zero of time, and colours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from core.message import N_
from gui.app.feature import Action, Feature, Group, Menu, Shell, Style
from gui.app.run import Run
from gui.features.view.colours import ColourControl
from gui.features.view.options import ViewOptions
from gui.look.text import tr
from gui.look.theme import DARK, Theme
from gui.timeline.state.scene import Scene


class ViewFeature(Feature):
    """The actions of the View menu whose state is kept between sessions."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.options = ViewOptions(shell.timeline, shell.settings)
        self.colours = ColourControl(shell.settings, shell.main_window)
        self.colours.theme_changed.connect(shell.apply_theme)
        self.colours.scene_changed.connect(self._recolour)

    @property
    def groups(self) -> Sequence[Group]:
        return self._shown(), self._colours(), self._grouping(), self._time(), self._colour_by()

    def _shown(self) -> Group:
        show = self.options.show
        return Group(
            Menu.VIEW,
            (
                Action(
                    "follow",
                    N_("Follow"),
                    self.options.follow,
                    "Ctrl+L",
                    N_("Follow the newest step."),
                    Style.CHECK,
                ),
                Action(
                    "memory",
                    N_("Memory"),
                    partial(show, "memory"),
                    "Ctrl+M",
                    N_("Show what each lane holds in memory, below it."),
                    Style.CHECK,
                ),
                Action(
                    "prediction",
                    N_("Prediction"),
                    partial(show, "prediction"),
                    "Ctrl+P",
                    N_("Show the prediction below each lane, where there is one."),
                    Style.CHECK,
                ),
                Action(
                    "critical_path",
                    N_("Critical path"),
                    partial(show, "critical_path"),
                    "C",
                    N_("Outline the critical path of each step on screen."),
                    Style.CHECK,
                ),
                Action(
                    "arrows",
                    N_("Arrows"),
                    partial(show, "arrows"),
                    "Shift+J",
                    N_("Draw an arrow for each dependency between lanes on screen."),
                    Style.CHECK,
                ),
                Action(
                    "nested",
                    N_("Blocks"),
                    partial(show, "nested"),
                    "N",
                    N_("Show the blocks inside forwards and backwards, where they were recorded."),
                    Style.CHECK,
                ),
                Action(
                    "counters",
                    N_("Counters"),
                    partial(show, "counters"),
                    "",
                    N_("Show the counters of an imported trace, below the lanes of their process."),
                    Style.CHECK,
                ),
            ),
        )

    def _colours(self) -> Group:
        return Group(
            Menu.VIEW,
            (
                Action(
                    "theme",
                    N_("Dark colours"),
                    self.colours.toggle_theme,
                    "Ctrl+T",
                    N_("Change between light and dark colours."),
                    Style.CHECK,
                ),
                Action(
                    "colours",
                    N_("Colours…"),
                    self.colours.edit,
                    "",
                    N_("Choose the colours of forward, backward and the others."),
                ),
            ),
        )

    def _grouping(self) -> Group:
        group_by = self.options.group_by
        return Group(
            Menu.VIEW,
            (
                Action(
                    "group_none",
                    N_("Nothing"),
                    partial(group_by, "none"),
                    "",
                    N_("Do not group lanes."),
                    Style.CHOICE,
                ),
                Action(
                    "group_devices",
                    N_("Device"),
                    partial(group_by, "devices"),
                    "",
                    N_("Group the lanes of each device."),
                    Style.CHOICE,
                ),
                Action(
                    "group_nodes",
                    N_("Node"),
                    partial(group_by, "nodes"),
                    "",
                    N_("Group the lanes of each host, or of a number of devices."),
                    Style.CHOICE,
                ),
                Action(
                    "group_pipelines",
                    N_("Pipeline"),
                    partial(group_by, "pipelines"),
                    "",
                    N_("Group the lanes of each replica."),
                    Style.CHOICE,
                ),
                Action(
                    "node_devices",
                    N_("Devices of a node…"),
                    self.options.ask_node_devices,
                    "",
                    N_("Set the devices per node, if their names do not contain the host."),
                ),
                Action(
                    "group_otherwise",
                    N_("Next grouping"),
                    self.shell.timeline.lanes.group_otherwise,
                    "G",
                    N_("Switch to the next way of grouping."),
                ),
            ),
            N_("Group lanes by"),
        )

    def _time(self) -> Group:
        count_from = self.options.count_from
        return Group(
            Menu.VIEW,
            (
                Action(
                    "time_step",
                    N_("Since the step"),
                    partial(count_from, "step"),
                    "",
                    N_("Count time from the start of the step on screen."),
                    Style.CHOICE,
                ),
                Action(
                    "time_run",
                    N_("Since the run's start"),
                    partial(count_from, "run"),
                    "",
                    N_("Count time from the run's start."),
                    Style.CHOICE,
                ),
                Action(
                    "time_clock",
                    N_("Time of day"),
                    partial(count_from, "clock"),
                    "",
                    N_("Show the time of day, where the recording has it."),
                    Style.CHOICE,
                ),
            ),
            N_("Time"),
        )

    def _colour_by(self) -> Group:
        colour_by = self.colours.colour_by
        return Group(
            Menu.VIEW,
            (
                Action(
                    "colour_by_kind",
                    N_("Kind"),
                    partial(colour_by, "kind"),
                    "",
                    N_("Colour bars by kind of task: forward, backward, communication…"),
                    Style.CHOICE,
                ),
                Action(
                    "colour_by_microbatch",
                    N_("Micro-batch"),
                    partial(colour_by, "microbatch"),
                    "",
                    N_("Colour bars by their micro-batch."),
                    Style.CHOICE,
                ),
                Action(
                    "colour_by_stage",
                    N_("Stage"),
                    partial(colour_by, "stage"),
                    "",
                    N_("Colour bars by their stage."),
                    Style.CHOICE,
                ),
                Action(
                    "colour_by_duration",
                    N_("Duration"),
                    partial(colour_by, "duration"),
                    "",
                    N_("Colour bars by how long they took."),
                    Style.CHOICE,
                ),
                Action(
                    "colour_by_name",
                    N_("Name"),
                    partial(colour_by, "name"),
                    "",
                    N_("Colour another program's bars by their name, or as its file says."),
                    Style.CHOICE,
                ),
            ),
            N_("Colour by"),
        )

    def start(self) -> None:
        self.shell.action("critical_path").setIconText(tr("Outline"))
        self.shell.action(f"colour_by_{self.colours.by}").setChecked(True)
        self.options.attach(self.shell.action)
        following = self.shell.action("follow")
        following.setChecked(True)
        self.shell.timeline.state.following_changed.connect(following.setChecked)

    def show_run(self, run: Run | None) -> None:
        if run is not None:
            self.options.forget_path()

    def show_scene(self, scene: Scene | None, live: bool) -> None:
        if scene is not None:
            self.colours.show_scene(scene, live)
            self.shell.overview.refresh()

    def set_theme(self, theme: Theme) -> None:
        self.shell.action("theme").setChecked(theme.name == DARK.name)
        self.colours.refresh()

    def _recolour(self) -> None:
        state = self.shell.timeline.state
        state.refresh(state.now)
        self.shell.overview.refresh()
