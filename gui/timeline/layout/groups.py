"""The user's arrangement of tracks (groups, order, strips, filter), and the lanes that result.

Pure: the input is lanes and a frozen state, the output is sections of lanes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from core.plan.lanes import sharing_text
from core.plan.plan import Lane, Role
from gui.look.core_texts import translated
from gui.look.text import ntr, tr

NODE_DEVICES = 8  # devices per node, if the devices' names do not contain their host
MOST_NODE_DEVICES = 4096
Replicas = Mapping[int, tuple[int, ...]]
"""For each compute lane, by its number, the replicas of which it has a part."""


class Grouping(StrEnum):
    """Criterion for the groups of lanes."""

    NONE = "none"
    DEVICE = "devices"
    NODE = "nodes"
    PIPELINE = "pipelines"


@dataclass(frozen=True, slots=True)
class Strips:
    """Choice of the optional parts of the picture.

    Under a compute lane there may be its `memory`, its `prediction`, and the blocks inside its
    tasks (`nested`); under the last lane of a process, its `counters`. Drawn over the lanes are the
    critical `path` of the steps on screen, and `arrows` for all dependencies.
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
    """The user's arrangement of the tracks. Lanes are compute lanes, by their number in the run.

    `order` is empty until a lane is moved, and then has all lanes. `pinned` has the lanes at the
    top, in order. `folded` has the keys of folded groups, and `filter` is a pattern for lane names.
    A node has `node_devices` devices if the devices' names do not contain their host.
    """

    grouping: Grouping = Grouping.DEVICE
    node_devices: int = NODE_DEVICES
    order: tuple[int, ...] = ()
    pinned: tuple[int, ...] = ()
    folded: frozenset[str] = frozenset()
    filter: str = ""

    def toggled(self, key: str) -> TrackState:
        """Return the state with a group folded, or opened if it was folded."""
        return replace(self, folded=self.folded ^ {key})

    def pin_toggled(self, lane: int) -> TrackState:
        """Return the state with a lane pinned as the last one, or unpinned if it was pinned."""
        others = tuple(other for other in self.pinned if other != lane)
        pinned = others if lane in self.pinned else (*others, lane)
        return replace(self, pinned=pinned)

    def fresh(self, folded: frozenset[str] = frozenset()) -> TrackState:
        """Return a state for another run: it keeps only the grouping, and has other folds."""
        return TrackState(self.grouping, self.node_devices, folded=folded)


@dataclass(frozen=True, slots=True)
class Section:
    """A group of compute lanes. It has no heading if the heading would repeat the lane's name.

    `sharing` is a text on the resources that the lanes share. In a layout, the heading begins at
    `top`, and while the section is `folded`, a summary of its lanes is next to the heading. A
    section may also be the call stack of a thread, below the thread's lane; then it has no summary.
    """

    key: str
    name: str
    lanes: tuple[Lane, ...]
    headed: bool = True
    folded: bool = False
    sharing: str = ""
    top: float = 0.0
    height: float = 0.0
    is_call_stack: bool = False

    @property
    def has_summary(self) -> bool:
        """True if a summary replaces the lanes."""
        return self.folded and not self.is_call_stack

    @property
    def bottom(self) -> float:
        """The first pixel below the heading."""
        return self.top + self.height

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the lanes."""
        return tuple(lane.index for lane in self.lanes)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """All visible compute lanes: the pinned ones, and below them the sections.

    `stacks` are the call stacks that can be folded, by the lane that they are below.
    """

    pinned: tuple[Lane, ...]
    sections: tuple[Section, ...]
    stacks: Mapping[int, Section] = field(default_factory=dict)

    @property
    def shown(self) -> int:
        """The number of lanes that match the filter."""
        in_sections = sum(len(section.lanes) for section in self.sections)
        return len(self.pinned) + in_sections

    def neighbours(self, lane: int) -> tuple[int, ...]:
        """Return the lanes among which a lane can be moved, itself included; () if not shown."""
        pinned = tuple(one.index for one in self.pinned)
        if lane in pinned:
            return pinned
        section = self.section_of(lane)
        return () if section is None else section.numbers

    def section_of(self, lane: int) -> Section | None:
        """Return the section of a lane, or None."""
        for section in self.sections:
            if lane in section.numbers:
                return section
        return None


def compute_lanes(lanes: Sequence[Lane]) -> list[Lane]:
    """Return the compute lanes."""
    return [lane for lane in lanes if lane.role is Role.COMPUTE]


def arrange(lanes: Sequence[Lane], state: TrackState, replicas: Replicas) -> Arrangement:
    """Arrange a run's compute lanes according to the state."""
    fits = matcher(state.filter)
    candidates = compute_lanes(lanes)
    matching = {lane.index: lane for lane in candidates if fits(lane.name)}
    pinned = tuple(matching[index] for index in state.pinned if index in matching)
    unpinned = matching.keys() - set(state.pinned)
    # All lanes are grouped, not only the matching ones, so that groups keep their numbers.
    groups = _groups(candidates, state, replicas)
    turn = {index: place for place, index in enumerate(state.order)}
    sections = []
    for (key, name), members in groups.items():
        mine = [lane for lane in members if lane.index in unpinned]
        mine.sort(key=lambda lane: turn.get(lane.index, lane.index))
        if mine:
            section = _section(key, name, tuple(mine), members, state)
            sections.append(section)
    return Arrangement(pinned, tuple(sections))


def matcher(text: str) -> Callable[[str], bool]:
    """Return a function that checks if a name matches the filter `text`.

    A text matches every name that contains it; a text with the wildcard `*` must match the whole
    name. `|` separates alternatives, and a name in quotation marks matches only itself. Case is
    ignored; an empty filter matches every name.
    """
    patterns = [_name_pattern(words) for words in _alternatives(text)]
    if not patterns:
        return lambda name: True
    return lambda name: any(pattern.search(name) for pattern in patterns)


def pattern_of_names(names: Sequence[str]) -> str:
    """Return a filter that matches these names and, except for names with quotes, no others."""
    patterns = []
    for name in names:
        pattern = f'"{name}"'
        if '"' in name:
            # A name with a quotation mark cannot be quoted, so a wildcard replaces the mark.
            pattern = name.replace('"', "*")
        patterns.append(pattern)
    return "|".join(patterns)


def _alternatives(text: str) -> list[str]:
    """Return the parts of a filter between `|`, except inside quotation marks."""
    parts = re.findall(r'(?:"[^"]*"|[^|])+', text)
    return [part.strip() for part in parts if part.strip()]


def _name_pattern(words: str) -> re.Pattern[str]:
    """Return the pattern for one alternative of a filter, to be used with `search`."""
    is_quoted = words.startswith('"') and words.endswith('"')
    if is_quoted and len(words) > 1:
        quoted = re.escape(words[1:-1])
        return re.compile(f"^{quoted}$", re.IGNORECASE)
    parts = [re.escape(part) for part in words.split("*")]
    pattern = ".*".join(parts)
    if len(parts) > 1:
        pattern = f"^{pattern}$"
    return re.compile(pattern, re.IGNORECASE)


def moved(
    state: TrackState,
    lanes: Sequence[Lane],
    neighbours: Sequence[int],
    lane: int,
    place: int,
) -> TrackState:
    """Return the state with a lane moved to an index among its `neighbours`.

    An index out of range is clipped. A lane that is not among the neighbours is not moved.
    """
    if lane not in neighbours:
        return state
    mine = [other for other in neighbours if other != lane]
    limited = min(max(0, place), len(mine))
    mine.insert(limited, lane)
    if lane in state.pinned:
        rest = [other for other in state.pinned if other not in mine]
        return replace(state, pinned=(*mine, *rest))
    order = list(state.order)
    if not order:
        order = [one.index for one in compute_lanes(lanes)]
    # Distribute the neighbours over their previous places; all other lanes keep their places.
    members = set(mine)
    turns = iter(mine)
    new_order = []
    for number in order:
        if number in members:
            number = next(turns)
        new_order.append(number)
    return replace(state, order=tuple(new_order))


def _section(
    key: str,
    name: str,
    mine: tuple[Lane, ...],
    members: Sequence[Lane],
    state: TrackState,
) -> Section:
    sharing = ""
    for lane in members:
        if lane.sharing:
            sharing = translated(sharing_text(lane))
            break
    repeats_name = len(members) == 1 and members[0].name == name
    needs_heading = bool(sharing) or not repeats_name
    headed = needs_heading and state.grouping is not Grouping.NONE
    folded = headed and key in state.folded
    return Section(key, name, mine, headed, folded, sharing)


def _groups(
    lanes: Sequence[Lane],
    state: TrackState,
    replicas: Replicas,
) -> dict[tuple[str, str], list[Lane]]:
    """Return the lanes of each group, by its key and name, in the run's order."""
    naming = _namings(lanes, state, replicas)[state.grouping]
    groups: dict[tuple[str, str], list[Lane]] = {}
    for lane in lanes:
        members = groups.setdefault(naming(lane), [])
        members.append(lane)
    return groups


def _namings(
    lanes: Sequence[Lane],
    state: TrackState,
    replicas: Replicas,
) -> dict[Grouping, Callable[[Lane], tuple[str, str]]]:
    """Return for each grouping a function that returns the key and name of a lane's group."""
    places = _places(lanes)

    def node(lane: Lane) -> tuple[str, str]:
        host = host_of(lane.device)
        if host:
            return f"node {host}", host
        devices = max(1, state.node_devices)
        number = places[lane.index] // devices
        return f"node {number}", tr("node {n}", n=number)

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
    """Return the host in a device's name, `node3` of `node3/cuda:0`, or ""."""
    return device.rpartition("/")[0]


def _places(lanes: Sequence[Lane]) -> dict[int, int]:
    """Return the number of each lane's device; if there is only one device, the lane's number."""
    names = dict.fromkeys(lane.device for lane in lanes)
    devices = {device: number for number, device in enumerate(names)}
    if len(devices) == 1:
        return {lane.index: number for number, lane in enumerate(lanes)}
    return {lane.index: devices[lane.device] for lane in lanes}
