"""The result of every importer: rows, events and steps as columns, of one file or several."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Floats, Ints
from core.plan.plan import Role
from core.plan.task import ABSENT
from core.trace.event_arguments import EventArguments, concatenated
from core.trace.import_issue import ImportIssue
from core.trace.imported import Direction, Exchanges

MOST_IMPORTED_LANES = 1 << 16
"""Largest number of threads, and of depths of their calls."""
LARGEST_INT64 = (1 << 63) - 1
MOST_GROUP_NUMBER = (1 << 15) - 1
"""Largest number of a process group; further groups share it."""
MOST_NAME_LENGTH = 1 << 20
"""Largest number of characters in the name of an event, a row or a rank."""


@dataclass(frozen=True, slots=True)
class ImportedTrack:
    """A row of a file: a thread or a stream, of a rank or process that `place` names.

    `serves` is the position of the track that it works for or annotates; ABSENT means itself.
    `cores` is not 0 for rows that are not work of a device: threads of the host and annotations.
    `stream_of` has the same meaning as in core.plan.plan.Lane.
    """

    name: str
    place: str
    role: Role = Role.COMPUTE
    serves: int = ABSENT
    cores: int = 0
    stream_of: str = ""


@dataclass(frozen=True, slots=True)
class ImportedCounter:
    """A counter of a rank or process `place`: n `values`, each valid from its time (ns) on."""

    name: str
    place: str
    times: Ints
    values: Floats


@dataclass(frozen=True, slots=True)
class StepRanges:
    """The steps of one rank or process: n increasing numbers, and start and end of each in ns."""

    number: Ints
    start: Ints
    end: Ints

    @classmethod
    def spanning(cls, number: Ints, start: Ints, end: Ints) -> StepRanges:
        """Return a step for each number, from its first start to its last end, in any order."""
        numbers, which = np.unique(number, return_inverse=True)
        first = np.full(len(numbers), LARGEST_INT64)
        last = np.full(len(numbers), ABSENT)
        np.minimum.at(first, which, start)
        np.maximum.at(last, which, end)
        return cls(numbers, first, last)

    def at(self, times: Ints) -> NDArray[np.int32]:
        """Return the number of the step at each time.

        It is ABSENT before the first step, and the last number plus 1 from the last end on.
        """
        found = np.full(len(times), ABSENT, np.int32)
        if len(self.number):
            place = np.searchsorted(self.start, times, "right") - 1
            inside = place >= 0
            found[inside] = self.number[place[inside]]
            # Not ABSENT: the steps of a lane may only increase, so ABSENT would later become the
            # last step.
            found[times >= self.end[-1]] = self.number[-1] + 1
        return found


NO_STEP_RANGES = StepRanges(*np.empty((3, 0), np.int64))


@dataclass(frozen=True, slots=True)
class Launches:
    """Positions of tasks of devices, and of the calls that launched them.

    `orphans` is the number of tasks without a call.
    """

    call: Ints
    device: Ints
    orphans: int

    @classmethod
    def of(cls, ids: NDArray[Any], calls: Ints, tasks: Ints) -> Launches:
        """Match calls and tasks, given as positions of events, by the ids of the n events."""
        if not len(calls):
            return cls(calls, calls, 0)
        calls = calls[np.argsort(ids[calls], kind="stable")]
        sorted_ids = ids[calls]
        # The first call with the task's id, or the place where it would be.
        place = np.searchsorted(sorted_ids, ids[tasks])
        existing = np.minimum(place, len(calls) - 1)
        is_match = sorted_ids[existing] == ids[tasks]
        return cls(calls[place[is_match]], tasks[is_match], int((~is_match).sum()))

    def times(self, start: Ints) -> Ints:
        """Return the launch time in ns of n events with these starts; ABSENT if unknown."""
        launched = np.full(len(start), ABSENT, np.int64)
        launched[self.device] = start[self.call]
        return launched

    @property
    def links(self) -> Ints:
        """Pairs of a call and its task, shape (k, 2), for ImportedEvents."""
        return np.stack([self.call, self.device], axis=1)


class Transfer(IntEnum):
    """A half of a transfer between ranks of a pipeline."""

    FORWARD_SEND = 0
    FORWARD_RECEIVE = 1
    BACKWARD_SEND = 2
    BACKWARD_RECEIVE = 3


@dataclass(frozen=True, slots=True)
class PipelinePlaces:
    """Places of n events in a pipeline: arrays of shape (n,), ABSENT where they do not apply.

    `rank` numbers the ranks of one pipeline, `chunk` the parts of the model on a rank, and
    `replica` the pipelines. `transfer` is a value of Transfer for sends and receives. A collective
    that `spans_stages` is joined by ranks of several stages. With `own_clocks` each rank counts
    from its own start of the step.
    """

    rank: NDArray[np.int32]
    chunk: NDArray[np.int32]
    replica: NDArray[np.int32]
    transfer: NDArray[np.int8]
    spans_stages: Bools
    own_clocks: bool = False

    @classmethod
    def unknown(cls, count: int) -> PipelinePlaces:
        """Return the places of events of which none is part of a pipeline."""
        absent = np.full(count, ABSENT, np.int32)
        return cls(absent, absent, absent, absent.astype(np.int8), np.zeros(count, np.bool_))

    def picked(self, events: Ints) -> PipelinePlaces:
        """Return the places of some events."""
        columns = {name: getattr(self, name)[events] for name in _PLACE_COLUMNS}
        return replace(self, **columns)

    def extended(self, like: Ints) -> PipelinePlaces:
        """Return the places, and then the places of new events, copied from the events `like`."""
        added = self.picked(like)
        added = replace(added, transfer=np.full(len(like), ABSENT, np.int8))
        return self.followed_by([added])

    def followed_by(self, others: Sequence[PipelinePlaces]) -> PipelinePlaces:
        """Return the places of these events and then of others."""
        parts = [self, *others]
        columns = {}
        for name in _PLACE_COLUMNS:
            columns[name] = np.concatenate([getattr(part, name) for part in parts])
        return PipelinePlaces(**columns, own_clocks=any(part.own_clocks for part in parts))


_PLACE_COLUMNS = [each.name for each in fields(PipelinePlaces) if each.name != "own_clocks"]


@dataclass(frozen=True, slots=True)
class ImportedEvents:
    """The n events of a file as columns, with their tracks and the file's irregularities.

    `track` and `name` are positions in `tracks` and `names`, `kind` is a position in KINDS, and
    times are ns on the file's clock. `attributes` are further columns of tasks, ABSENT where they
    do not apply. `launched` is the time at which an event was handed to its device, or ABSENT.
    `step` is the number of the event's step, as in StepRanges.at, if the file has steps. `links`
    are pairs of events, shape (k, 2): the second waited for the first. `steps` are the steps.
    `arguments` locates the arguments of the events in the file. `colours` are positions in
    OWN_COLOURS. `world_size` is the number of ranks of the job, or 0 if unknown. If there are
    `groups`, the names of process groups, the attribute `bucket` is a position in them or ABSENT.
    `exchanges` maps names of groups to the transfers between ranks that they represent.
    Events of a `pipeline` get dependencies when the trace is made; its steps have equal task
    numbers.
    """

    tracks: tuple[ImportedTrack, ...]
    names: tuple[str, ...]
    track: NDArray[np.int32]
    name: NDArray[np.int32]
    start: Ints
    end: Ints
    kind: NDArray[np.int8]
    attributes: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    launched: Ints | None = None
    step: NDArray[np.int32] | None = None
    links: Ints = field(default_factory=lambda: np.empty((0, 2), np.int64))
    steps: StepRanges = NO_STEP_RANGES
    counters: tuple[ImportedCounter, ...] = ()
    issues: Counts[ImportIssue] = field(default_factory=Counts)
    arguments: EventArguments | None = None
    colours: NDArray[np.int8] | None = None
    world_size: int = 0
    groups: tuple[str, ...] = ()
    exchanges: Mapping[str, Sequence[Direction]] = field(default_factory=dict)
    pipeline: PipelinePlaces | None = None

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def empty(cls) -> ImportedEvents:
        """Return the events of a file without events."""
        times = np.empty(0, np.int64)
        codes = np.empty(0, np.int32)
        return cls((), (), codes, codes, times, times, codes.astype(np.int8))

    @property
    def exchanges_of_buckets(self) -> Exchanges:
        """Transfers between ranks by the number of the group that represents them."""
        found = {}
        # Further groups share the last number.
        for number, name in enumerate(self.groups[:MOST_GROUP_NUMBER]):
            if name in self.exchanges:
                found[number] = self.exchanges[name]
        return found

    @property
    def latest(self) -> int:
        """The last time of events and counters, in ns."""
        latest = int(self.end.max(initial=0))
        for counter in self.counters:
            latest = max(latest, int(counter.times.max(initial=0)))
        return latest

    def picked(self, kept: Bools) -> ImportedEvents:
        """Return the events where `kept` is true, with the links among them."""
        if kept.all():
            return self
        places = np.flatnonzero(kept)
        position = np.full(len(self), ABSENT, np.int64)
        position[places] = np.arange(len(places))
        links = position[self.links]
        return replace(
            self,
            track=self.track[places],
            name=self.name[places],
            start=self.start[places],
            end=self.end[places],
            kind=self.kind[places],
            attributes={name: column[places] for name, column in self.attributes.items()},
            launched=None if self.launched is None else self.launched[places],
            step=None if self.step is None else self.step[places],
            links=links[(links >= 0).all(axis=1)],
            colours=None if self.colours is None else self.colours[places],
            arguments=None if self.arguments is None else self.arguments.ordered(places),
            pipeline=None if self.pipeline is None else self.pipeline.picked(places),
        )

    def shifted(self, ns: int) -> ImportedEvents:
        """Return the same events with all times later by `ns`."""
        steps = StepRanges(self.steps.number, self.steps.start + ns, self.steps.end + ns)
        launched = self.launched
        if launched is not None:
            launched = np.where(launched == ABSENT, ABSENT, launched + ns)
        counters = tuple(replace(each, times=each.times + ns) for each in self.counters)
        start = self.start + ns
        end = self.end + ns
        return replace(
            self, start=start, end=end, launched=launched, steps=steps, counters=counters
        )


def concatenate_events(parts: Sequence[ImportedEvents]) -> ImportedEvents:
    """Return the events of several files one after another, on the tracks of all files."""
    parts, groups = _with_common_groups(parts)
    tracks: list[ImportedTrack] = []
    counters: list[ImportedCounter] = []
    names: dict[str, int] = {}
    name_columns, track_columns, link_columns = [], [], []
    issues = Counts[ImportIssue]()
    exchanges: dict[str, Sequence[Direction]] = {}
    first = 0
    for part in parts:
        exchanges.update(part.exchanges)
        codes = [names.setdefault(name, len(names)) for name in part.names]
        # The additional entry at the end is for events without a name, which are -1.
        name_columns.append(np.array([*codes, 0], np.int32)[part.name])
        track_columns.append(part.track + np.int32(len(tracks)))
        link_columns.append(part.links + first)
        tracks += _renumbered(part.tracks, len(tracks))
        counters += part.counters
        issues += part.issues
        first += len(part)
    return ImportedEvents(
        tracks=tuple(tracks),
        names=tuple(names),
        track=np.concatenate(track_columns),
        name=np.concatenate(name_columns),
        start=np.concatenate([part.start for part in parts]),
        end=np.concatenate([part.end for part in parts]),
        kind=np.concatenate([part.kind for part in parts]),
        attributes=_all_attributes(parts),
        launched=_optional_column(parts, "launched"),
        step=_optional_column(parts, "step"),
        links=np.concatenate(link_columns),
        steps=_all_steps(parts),
        counters=tuple(counters),
        issues=issues,
        arguments=concatenated([(len(part), part.arguments) for part in parts]),
        colours=_optional_column(parts, "colours"),
        world_size=max(part.world_size for part in parts),
        groups=groups,
        exchanges=exchanges,
        pipeline=_all_places(parts),
    )


def _all_places(parts: Sequence[ImportedEvents]) -> PipelinePlaces | None:
    """Return the places of the events of all parts; None if no part has any."""
    if all(part.pipeline is None for part in parts):
        return None
    places = [part.pipeline or PipelinePlaces.unknown(len(part)) for part in parts]
    return places[0].followed_by(places[1:])


def _renumbered(tracks: Sequence[ImportedTrack], first: int) -> list[ImportedTrack]:
    """Return tracks that follow `first` others."""
    found = []
    for track in tracks:
        serves = track.serves + first if track.serves >= 0 else ABSENT
        found.append(replace(track, serves=serves))
    return found


def _with_common_groups(
    parts: Sequence[ImportedEvents],
) -> tuple[list[ImportedEvents], tuple[str, ...]]:
    """Return the parts with one number for each process group's name, and these names."""
    groups: dict[str, int] = {}
    changed = []
    for part in parts:
        if not part.groups:
            changed.append(part)
            continue
        numbers = [groups.setdefault(name, len(groups)) for name in part.groups]
        limited = [min(number, MOST_GROUP_NUMBER) for number in numbers]
        # The last entry is for events without a group, which are -1.
        codes = np.array([*limited, ABSENT], np.int16)
        attributes = {**part.attributes, "bucket": codes[part.attributes["bucket"]]}
        changed.append(replace(part, attributes=attributes))
    return changed, tuple(groups)


def _all_attributes(parts: Sequence[ImportedEvents]) -> dict[str, NDArray[Any]]:
    """Return the attributes that any part has; ABSENT for events of other parts."""
    names: dict[str, None] = {}
    for part in parts:
        names.update(dict.fromkeys(part.attributes))
    found = {}
    for name in names:
        columns = [part.attributes.get(name, np.full(len(part), ABSENT)) for part in parts]
        found[name] = np.concatenate(columns)
    return found


def _optional_column(parts: Sequence[ImportedEvents], name: str) -> NDArray[Any] | None:
    """Return a column that only some parts may have; None if no part has it."""
    columns = [getattr(part, name) for part in parts]
    if all(column is None for column in columns):
        return None
    filled = []
    for part, column in zip(parts, columns, strict=True):
        filled.append(np.full(len(part), ABSENT) if column is None else column)
    return np.concatenate(filled)


def _all_steps(parts: Sequence[ImportedEvents]) -> StepRanges:
    """Return the steps of all parts; steps of one number are one step."""
    return StepRanges.spanning(
        np.concatenate([part.steps.number for part in parts]),
        np.concatenate([part.steps.start for part in parts]),
        np.concatenate([part.steps.end for part in parts]),
    )
