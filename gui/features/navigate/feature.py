"""The timeline's own commands: moving the view, the selection and the lanes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from core.message import N_
from gui.app.feature import Action, Feature, Group, Menu


class NavigateFeature(Feature):
    """The actions that move in the timeline."""

    @property
    def groups(self) -> Sequence[Group]:
        return self._view(), self._lanes(), self._selection()

    def _view(self) -> Group:
        navigator = self.shell.timeline.navigator
        return Group(
            Menu.VIEW,
            (
                Action(
                    "fit",
                    N_("Fit"),
                    navigator.fit,
                    "F",
                    N_(
                        "Fit the selection. Press again, or without a selection, to fit the whole "
                        "run."
                    ),
                ),
                Action(
                    "zoom_in",
                    N_("Zoom in"),
                    partial(navigator.zoom, 1),
                    "W",
                    N_("Show less time in more detail."),
                ),
                Action(
                    "zoom_out",
                    N_("Zoom out"),
                    partial(navigator.zoom, -1),
                    "S",
                    N_("Show more time."),
                ),
                Action(
                    "pan_left",
                    N_("Earlier"),
                    partial(navigator.pan, -1),
                    "A",
                    N_("Move to an earlier time."),
                ),
                Action(
                    "pan_right",
                    N_("Later"),
                    partial(navigator.pan, 1),
                    "D",
                    N_("Move to a later time."),
                ),
                Action(
                    "zoom_back",
                    N_("Back to the last view"),
                    navigator.zoom_back,
                    "Ctrl+Z or Alt+Left",
                    N_("Undo the last zoom, pan, fit or lane change."),
                ),
                Action(
                    "zoom_forward",
                    N_("Forward"),
                    navigator.zoom_forward,
                    "Ctrl+Shift+Z or Alt+Right",
                    N_("Redo the zoom, pan, fit or lane change that was undone."),
                ),
            ),
        )

    def _lanes(self) -> Group:
        lanes = self.shell.timeline.lanes
        choice = self.shell.timeline.choice
        return Group(
            Menu.VIEW,
            (
                Action(
                    "next_lane",
                    N_("Next lane"),
                    partial(choice.step, 1),
                    "Shift+S",
                    N_("Choose the lane below, for the commands of this menu."),
                ),
                Action(
                    "previous_lane",
                    N_("Previous lane"),
                    partial(choice.step, -1),
                    "Shift+W",
                    N_("Choose the lane above."),
                ),
                Action(
                    "fold",
                    N_("Fold or open the group"),
                    lanes.fold,
                    "E",
                    N_("Fold the chosen lane's group into one row, or open it."),
                ),
                Action(
                    "fold_all",
                    N_("Fold all groups"),
                    lanes.fold_all,
                    "Shift+E",
                    N_("Show every group as one row."),
                ),
                Action(
                    "unfold_all",
                    N_("Open all groups"),
                    lanes.unfold_all,
                    "U",
                    N_("Show every lane."),
                ),
                Action(
                    "pin",
                    N_("Pin the lane"),
                    lanes.pin,
                    "P",
                    N_("Keep the chosen lane at the top, or put it back."),
                ),
                Action(
                    "lane_up",
                    N_("Move the lane up"),
                    partial(lanes.move, -1),
                    "Ctrl+Shift+Up",
                    N_("Move the chosen lane up within its group."),
                ),
                Action(
                    "lane_down",
                    N_("Move the lane down"),
                    partial(lanes.move, 1),
                    "Ctrl+Shift+Down",
                    N_("Move the chosen lane down within its group."),
                ),
                Action(
                    "lanes_higher",
                    N_("Higher lanes"),
                    partial(lanes.resize, 1),
                    "Ctrl++ or Ctrl+=",
                    N_("Make the lanes higher."),
                ),
                Action(
                    "lanes_lower",
                    N_("Lower lanes"),
                    partial(lanes.resize, -1),
                    "Ctrl+-",
                    N_("Make the lanes lower."),
                ),
                Action(
                    "filter_lanes",
                    N_("Filter lanes…"),
                    self.shell.timeline.lane_filter.ask,
                    "Ctrl+Shift+F",
                    N_("Show only the lanes whose names contain some text; * matches any text."),
                ),
            ),
            N_("Lanes"),
        )

    def _selection(self) -> Group:
        selector = self.shell.timeline.selector
        return Group(
            Menu.GO,
            (
                Action(
                    "previous",
                    N_("Previous span"),
                    partial(selector.step, -1),
                    ",",
                    N_("Select the previous span on the lane."),
                ),
                Action(
                    "next",
                    N_("Next span"),
                    partial(selector.step, 1),
                    ".",
                    N_("Select the next span on the lane."),
                ),
                Action(
                    "dependency",
                    N_("What it waited for"),
                    selector.dependency,
                    "[",
                    N_(
                        "Select the span that the selected one, or most of the selected bubble, "
                        "waited for."
                    ),
                ),
                Action(
                    "dependent",
                    N_("What waited for it"),
                    selector.dependent,
                    "]",
                    N_("Select the span that waited for the selected one."),
                ),
                Action(
                    "same_next",
                    N_("Same task in the next step"),
                    partial(selector.same_task, 1),
                    "Ctrl+Down",
                    N_("Select the same task in the next step."),
                ),
                Action(
                    "same_previous",
                    N_("Same task in the previous step"),
                    partial(selector.same_task, -1),
                    "Ctrl+Up",
                    N_("Select the same task in the previous step."),
                ),
                Action(
                    "measure",
                    N_("Measure from here"),
                    selector.anchor_here,
                    "X",
                    N_(
                        "Measure from the selected span to those selected next. Press again to "
                        "stop."
                    ),
                ),
            ),
        )
