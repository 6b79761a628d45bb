"""What the user wants of the tracks: groups, order, strips, a filter; and the lanes that it gives.

Pure: lanes and a frozen state go in, sections of lanes come out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.plan.lanes import sharing_text
from core.plan.plan import Lane, Role
from gui.look.core_texts import translated
from gui.look.text import ntr, tr

NODE_DEVICES = 8  # of a node, where the devices' names do not say on which host they are
MOST_NODE_DEVICES = 4096
Replicas = Mapping[int, tuple[int, ...]]
"""The replicas of which each compute lane, by its number, holds a part."""


class Grouping(StrEnum):
    """What the lanes of a group have in common."""

    NONE = "none"
    DEVICE = "devices"
    NODE = "nodes"
    PIPELINE = "pipelines"


@dataclass(frozen=True, slots=True)
class Strips:
    """What is shown beside the spans.

    Under a compute lane: what it holds in `memory`, its `prediction` as ghosts, and the blocks
    inside its tasks (`nested`); under the last lane of a process its `counters`. Over the lanes:
    the critical `path` of the steps on screen, and `arrows` of all dependencies.
    """

    memory: bool = False
    prediction: bool = False
    path: bool = False
    nested: bool = False
    arrows: bool = False
    counters: bool = False


NO_STRIPS = Strips()


@dataclass(frozen=True, slots=True)
class TrackState:
    """How the user has arranged the tracks. Lanes are compute lanes, by their number in the run.

    `order` has every lane once they were moved, and is empty before; `pinned` are those at the
    top, in their order; `folded` the keys of groups; `filter` what a lane's name must match. A
    node has `node_devices` devices where their names do not tell its host.
    """

    grouping: Grouping = Grouping.DEVICE
    node_devices: int = NODE_DEVICES
    order: tuple[int, ...] = ()
    pinned: tuple[int, ...] = ()
    folded: frozenset[str] = frozenset()
    filter: str = ""

    def toggled(self, key: str) -> TrackState:
        """A group folded, or opened again."""
        return replace(self, folded=self.folded ^ {key})

    def pin_toggled(self, lane: int) -> TrackState:
        """A lane pinned below those that are, or put back into its group."""
        others = tuple(other for other in self.pinned if other != lane)
        pinned = others if lane in self.pinned else (*others, lane)
        return replace(self, pinned=pinned)

    def fresh(self) -> TrackState:
        """The same grouping for the lanes of another run."""
        return TrackState(self.grouping, self.node_devices)


@dataclass(frozen=True, slots=True)
class Section:
    """Compute lanes that stand together. Without a heading if that would say nothing.

    `sharing` is what they share, as their lanes say it. Once it is laid out, its heading stands
    from `top` on; while it is `folded`, beside the summary of its lanes.
    """

    key: str
    name: str
    lanes: tuple[Lane, ...]
    headed: bool = True
    folded: bool = False
    sharing: str = ""
    top: float = 0.0
    height: float = 0.0

    @property
    def bottom(self) -> float:
        """The first pixel below the heading."""
        return self.top + self.height

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of its lanes."""
        return tuple(lane.index for lane in self.lanes)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """All compute lanes that are shown: the pinned ones, and below them the sections."""

    pinned: tuple[Lane, ...]
    sections: tuple[Section, ...]

    @property
    def shown(self) -> int:
        """The number of lanes that match the filter."""
        return len(self.pinned) + sum(len(section.lanes) for section in self.sections)

    def neighbours(self, lane: int) -> tuple[int, ...]:
        """The lanes among which a lane can be moved, itself included; none if it is not shown."""
        pinned = tuple(one.index for one in self.pinned)
        parts = (pinned, *(section.numbers for section in self.sections))
        return next((numbers for numbers in parts if lane in numbers), ())

    def section_of(self, lane: int) -> Section | None:
        """The section that a lane stands in, or None."""
        return next((section for section in self.sections if lane in section.numbers), None)


def compute_lanes(lanes: Sequence[Lane]) -> list[Lane]:
    """Those of `lanes` that have a track of their own."""
    return [lane for lane in lanes if lane.role is Role.COMPUTE]


def arrange(lanes: Sequence[Lane], state: TrackState, replicas: Replicas) -> Arrangement:
    """The compute lanes of a run as the state has them."""
    fits = matcher(state.filter)
    matching = {lane.index: lane for lane in compute_lanes(lanes) if fits(lane.name)}
    pinned = tuple(matching[index] for index in state.pinned if index in matching)
    # Of all lanes, not of those that match: a group keeps its number while one filters.
    groups = _groups(compute_lanes(lanes), state, replicas)
    turn = {index: place for place, index in enumerate(state.order)}
    sections = []
    for (key, name), members in groups.items():
        mine = [one for one in members if one.index in matching and one.index not in state.pinned]
        mine.sort(key=lambda lane: turn.get(lane.index, lane.index))
        if mine:
            sections.append(_section(key, name, tuple(mine), members, state))
    return Arrangement(pinned, tuple(sections))


def matcher(text: str) -> Callable[[str], bool]:
    """Whether a name matches: it contains the text; with `*`, which stands for anything, it is it.

    Capitals do not count; an empty text matches every name.
    """
    words = text.strip()
    parts = [re.escape(part) for part in words.split("*")]
    pattern = re.compile(".*".join(parts), re.IGNORECASE)
    return lambda name: bool(pattern.fullmatch(name) if "*" in words else pattern.search(name))


def moved(
    state: TrackState, lanes: Sequence[Lane], neighbours: Sequence[int], lane: int, place: int
) -> TrackState:
    """A lane put to a place among its `neighbours`, 0 to their number less 1 (or the nearest)."""
    if lane not in neighbours:
        return state
    mine = [other for other in neighbours if other != lane]
    mine.insert(min(max(0, place), len(mine)), lane)
    if lane in state.pinned:
        rest = [other for other in state.pinned if other not in mine]
        return replace(state, pinned=(*mine, *rest))
    order = list(state.order) or [one.index for one in compute_lanes(lanes)]
    # The neighbours share the places that they had in the order; all other lanes keep theirs.
    members, turns = set(mine), iter(mine)
    return replace(state, order=tuple(next(turns) if n in members else n for n in order))


def _section(
    key: str, name: str, mine: tuple[Lane, ...], members: Sequence[Lane], state: TrackState
) -> Section:
    sharing = next((translated(sharing_text(lane)) for lane in members if lane.sharing), "")
    alone = len(members) == 1 and members[0].name == name and not sharing
    headed = state.grouping is not Grouping.NONE and not alone
    return Section(key, name, mine, headed, headed and key in state.folded, sharing)


def _groups(
    lanes: Sequence[Lane], state: TrackState, replicas: Replicas
) -> dict[tuple[str, str], list[Lane]]:
    """The lanes of each group, by its key and name, in the run's order."""
    naming = _namings(lanes, state, replicas)[state.grouping]
    groups: dict[tuple[str, str], list[Lane]] = {}
    for lane in lanes:
        groups.setdefault(naming(lane), []).append(lane)
    return groups


def _namings(
    lanes: Sequence[Lane], state: TrackState, replicas: Replicas
) -> dict[Grouping, Callable[[Lane], tuple[str, str]]]:
    """For each grouping, the key and the name of a lane's group."""
    places = _places(lanes)

    def node(lane: Lane) -> tuple[str, str]:
        host = host_of(lane.device)
        number = places[lane.index] // max(1, state.node_devices)
        return (f"node {host}", host) if host else (f"node {number}", tr("node {n}", n=number))

    def pipeline(lane: Lane) -> tuple[str, str]:
        held = replicas.get(lane.index, ())
        listed = ", ".join(map(str, held))
        if not held:
            return "pipeline ", tr("no pipeline")
        name = ntr("pipeline {numbers}", "pipelines {numbers}", len(held), numbers=listed)
        return f"pipeline {listed}", name

    return {
        Grouping.NONE: lambda lane: ("", ""),
        Grouping.DEVICE: lambda lane: (lane.device, lane.device),
        Grouping.NODE: node,
        Grouping.PIPELINE: pipeline,
    }


def host_of(device: str) -> str:
    """The host part of a device's name, `node3` of `node3/cuda:0`; empty where there is none."""
    return device.rpartition("/")[0]


def _places(lanes: Sequence[Lane]) -> dict[int, int]:
    """The number of each lane's device among all; where there is but one device, the lane's own."""
    devices = {device: n for n, device in enumerate(dict.fromkeys(one.device for one in lanes))}
    if len(devices) == 1:
        return {lane.index: n for n, lane in enumerate(lanes)}
    return {lane.index: devices[lane.device] for lane in lanes}
