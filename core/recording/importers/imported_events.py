"""The result of every importer: rows, events and steps of a file as columns."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Floats, Ints
from core.plan.plan import Role
from core.plan.task import ABSENT
from core.recording.importers.pipeline_places import PipelinePlaces
from core.trace.event_arguments import EventArguments
from core.trace.import_issue import ImportIssue
from core.trace.imported import Direction, Exchanges

Number = TypeVar("Number", bound=np.generic)

MOST_IMPORTED_LANES = 1 << 16
"""Largest number of lanes: threads, and depths of their nested calls."""
LARGEST_INT64 = (1 << 63) - 1
MOST_GROUP_NUMBER = (1 << 15) - 1
"""Largest position of a process group; further groups share it."""
MOST_NAME_LENGTH = 1 << 20
"""Largest number of characters in the name of an event, a row or a rank."""


@dataclass(frozen=True, slots=True)
class ImportedTrack:
    """A row of a file: a thread or a stream, of a rank or process that `place` names.

    `serves` is the position of the track that this one works for or annotates, or ABSENT for none.
    `cores` is not 0 for rows that are not work of a device: threads of the host and annotations.
    `stream_of` has the same meaning as in core.plan.plan.Lane. Events that overlap without being
    nested are tasks that run at the same time if `runs_at_once` is true, and calls otherwise.
    """

    name: str
    place: str
    role: Role = Role.COMPUTE
    serves: int = ABSENT
    cores: int = 0
    stream_of: str = ""
    runs_at_once: bool = False


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

    @classmethod
    def joined(cls, several: Sequence[StepRanges]) -> StepRanges:
        """Return the steps of several ranks or processes; steps of one number are one step."""
        return cls.spanning(
            np.concatenate([steps.number for steps in several]),
            np.concatenate([steps.start for steps in several]),
            np.concatenate([steps.end for steps in several]),
        )

    def at(self, times: Ints) -> NDArray[np.int32]:
        """Return the number of the step at each time.

        It is ABSENT before the first step, and the last number plus 1 from the last end on.
        """
        found = np.full(len(times), ABSENT, np.int32)
        if not len(self.number):
            return found
        begun = np.searchsorted(self.start, times, "right")
        has_begun = begun > 0
        place = begun[has_begun] - 1
        found[has_begun] = self.number[place]
        # Not ABSENT: the steps of a lane may only increase, so ABSENT would later become the last
        # step.
        is_over = times >= self.end[-1]
        found[is_over] = self.number[-1] + 1
        return found

    def shifted(self, ns: int) -> StepRanges:
        """Return the same steps with all times later by `ns`."""
        start = self.start + ns
        end = self.end + ns
        return StepRanges(
            number=self.number,
            start=start,
            end=end,
        )


_NO_TIMES = np.empty(0, np.int64)
NO_STEP_RANGES = StepRanges(
    number=_NO_TIMES,
    start=_NO_TIMES,
    end=_NO_TIMES,
)


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
            return cls(
                call=calls,
                device=calls,
                orphans=0,
            )
        order = np.argsort(ids[calls], kind="stable")
        calls = calls[order]
        sorted_ids = ids[calls]
        id_of_task = ids[tasks]
        # The first call with the task's id, or the place where it would be.
        place = np.searchsorted(sorted_ids, id_of_task)
        last_place = len(calls) - 1
        existing = np.minimum(place, last_place)
        is_match = sorted_ids[existing] == id_of_task
        matching_places = place[is_match]
        orphans = len(tasks) - len(matching_places)
        return cls(
            call=calls[matching_places],
            device=tasks[is_match],
            orphans=orphans,
        )

    def times(self, start: Ints) -> Ints:
        """Return the launch time in ns of n events with these starts; ABSENT if unknown."""
        launched = np.full(len(start), ABSENT, np.int64)
        launched[self.device] = start[self.call]
        return launched

    @property
    def links(self) -> Ints:
        """Pairs of a call and its task, shape (k, 2), for ImportedEvents."""
        return np.stack([self.call, self.device], axis=1)


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
    `sequence` is the number of a collective in its process group, equal on all ranks, or ABSENT.
    `recorded` has the first and the last time of each file of a folder. Events of a `pipeline` get
    dependencies when the trace is made; its steps have equal task numbers.
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
    sequence: Ints | None = None
    recorded: tuple[tuple[int, int], ...] = ()
    pipeline: PipelinePlaces | None = None

    def __len__(self) -> int:
        return len(self.start)

    @classmethod
    def empty(cls) -> ImportedEvents:
        """Return the events of a file without events."""
        times = np.empty(0, np.int64)
        codes = np.empty(0, np.int32)
        return cls(
            tracks=(),
            names=(),
            track=codes,
            name=codes,
            start=times,
            end=times,
            kind=codes.astype(np.int8),
        )

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
            latest_count = int(counter.times.max(initial=0))
            latest = max(latest, latest_count)
        return latest

    def by_start(self, events: Ints) -> Ints:
        """Return positions of events in the order of their starts."""
        start = self.start[events]
        return events[np.argsort(start, kind="stable")]

    def picked(self, kept: Bools) -> ImportedEvents:
        """Return the events where `kept` is true, with the links among them."""
        if kept.all():
            return self
        places = np.flatnonzero(kept)
        position = np.full(len(self), ABSENT, np.int64)
        position[places] = np.arange(len(places))
        links = position[self.links]
        is_kept_link = (links >= 0).all(axis=1)
        attributes = {}
        for name, column in self.attributes.items():
            attributes[name] = column[places]
        arguments = self.arguments
        if arguments is not None:
            arguments = arguments.ordered(places)
        pipeline = self.pipeline
        if pipeline is not None:
            pipeline = pipeline.picked(places)
        return replace(
            self,
            track=self.track[places],
            name=self.name[places],
            start=self.start[places],
            end=self.end[places],
            kind=self.kind[places],
            attributes=attributes,
            launched=_picked_column(self.launched, places),
            step=_picked_column(self.step, places),
            sequence=_picked_column(self.sequence, places),
            links=links[is_kept_link],
            colours=_picked_column(self.colours, places),
            arguments=arguments,
            pipeline=pipeline,
        )

    def shifted(self, ns: int) -> ImportedEvents:
        """Return the same events with all times later by `ns`."""
        counters = []
        for counter in self.counters:
            times = counter.times + ns
            counters.append(replace(counter, times=times))
        recorded = [(first + ns, last + ns) for first, last in self.recorded]
        return replace(
            self,
            start=self.start + ns,
            end=self.end + ns,
            launched=shifted_launches(self.launched, ns),
            steps=self.steps.shifted(ns),
            counters=tuple(counters),
            recorded=tuple(recorded),
        )


def _picked_column(column: NDArray[Number] | None, places: Ints) -> NDArray[Number] | None:
    """Return a column at some places; None if there is no column."""
    if column is None:
        return None
    return column[places]


def shifted_launches(launched: Ints | None, ns: Ints | int) -> Ints | None:
    """Return times of launches later by `ns`. ABSENT is kept, and None is returned for None."""
    if launched is None:
        return None
    is_absent = launched == ABSENT
    return np.where(is_absent, ABSENT, launched + ns)
