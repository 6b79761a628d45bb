"""What every importer finds in a file: rows, spans and steps as columns, of one file or several."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.plan.plan import Role
from core.plan.task import ABSENT
from core.trace.event_arguments import EventArguments, concatenated
from core.trace.import_issue import ImportIssue

MOST_LANES = 1 << 16  # threads, and depths of their calls
LARGEST = (1 << 63) - 1
"""The largest int64: no time in ns may be beyond it."""
MOST_GROUP = (1 << 15) - 1
"""The largest number of a process group; further groups share it."""
MOST_NAME = 1 << 20
"""Characters of the name of an event, a row or a rank."""


@dataclass(frozen=True, slots=True)
class Track:
    """A row of a file: a thread or a stream, of a rank or process that `place` names.

    `serves` is the track that it works for or annotates (itself unless given). What is no
    device's work has `cores`: a thread of the host, a row of notes. `stream_of` is the lane's
    (core.plan.plan.Lane).
    """

    name: str
    place: str
    role: Role = Role.COMPUTE
    serves: int = ABSENT
    cores: int = 0
    stream_of: str = ""


@dataclass(frozen=True, slots=True)
class CountedValues:
    """A counter of a file: n `values`, each from its time (ns) on, of a rank or process `place`."""

    name: str
    place: str
    times: NDArray[np.int64]
    values: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of one rank or process: n growing numbers, and when each starts and ends, in ns."""

    number: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]

    @classmethod
    def spanning(
        cls, number: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64]
    ) -> Steps:
        """From the first start to the last end of what has one number; none needs to be sorted."""
        every, which = np.unique(number, return_inverse=True)
        first, last = np.full(len(every), np.iinfo(np.int64).max), np.full(len(every), ABSENT)
        np.minimum.at(first, which, start)
        np.maximum.at(last, which, end)
        return cls(every, first, last)

    def at(self, times: NDArray[np.int64]) -> NDArray[np.int32]:
        """The number of the step at each of some moments.

        Before the first it is ABSENT, and from the end of the last on one more than any has.
        """
        found = np.full(len(times), ABSENT, np.int32)
        if len(self.number):
            place = np.searchsorted(self.start, times, "right") - 1
            inside = place >= 0
            found[inside] = self.number[place[inside]]
            # Not ABSENT: a lane's steps may only grow, and would then go on to be the last one's.
            found[times >= self.end[-1]] = self.number[-1] + 1
        return found


NO_STEPS = Steps(*np.empty((3, 0), np.int64))


@dataclass(frozen=True, slots=True)
class Launches:
    """Tasks of devices and the calls that launched them, as places; `orphans` have no call."""

    call: NDArray[np.int64]
    device: NDArray[np.int64]
    orphans: int

    @classmethod
    def of(cls, ids: NDArray[Any], calls: NDArray[np.int64], tasks: NDArray[np.int64]) -> Launches:
        """Calls and tasks among n events: a task has the id of the call that launched it."""
        if not len(calls):
            return cls(calls, calls, 0)
        calls = calls[np.argsort(ids[calls], kind="stable")]
        # Place of the first call with the task's id, or of where it would be: hence `hit` below.
        at = np.searchsorted(ids[calls], ids[tasks])
        hit = ids[calls[np.minimum(at, len(calls) - 1)]] == ids[tasks]
        return cls(calls[at[hit]], tasks[hit], int((~hit).sum()))

    def times(self, start: NDArray[np.int64]) -> NDArray[np.int64]:
        """When each of n events that start so was launched, in ns; ABSENT if that is not known."""
        launched = np.full(len(start), ABSENT, np.int64)
        launched[self.device] = start[self.call]
        return launched

    @property
    def links(self) -> NDArray[np.int64]:
        """The same as Found has them."""
        return np.stack([self.call, self.device], axis=1)


@dataclass(frozen=True, slots=True)
class Found:
    """The n events of a file as columns, the tracks that they lie on, and what was odd.

    `track` and `name` are places in `tracks` and `names`, `kind` indexes KINDS, times are ns on
    the clock of the file. `more` are further attributes of tasks, `launched` when each was handed
    to its device, both ABSENT where it does not apply. `step` has the number of each one's step
    where the file has it; see Steps.at. `links` are pairs of events, shape (k, 2): the second
    waited for the first. `steps` has the numbers that are steps, `arguments` where the events' own
    stand in the file, `colours` the own colour of each: see OWN_COLOURS. `world_size` is how many
    ranks the job had, 0 if the file does not say. Where there are `groups`, which are names of
    process groups, the attribute `bucket` of a task is its group's place among them, or ABSENT.
    """

    tracks: tuple[Track, ...]
    names: tuple[str, ...]
    track: NDArray[np.int32]
    name: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    kind: NDArray[np.int8]
    more: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    launched: NDArray[np.int64] | None = None
    step: NDArray[np.int32] | None = None
    links: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 2), np.int64))
    steps: Steps = NO_STEPS
    counters: tuple[CountedValues, ...] = ()
    issues: Counts[ImportIssue] = field(default_factory=Counts)
    arguments: EventArguments | None = None
    colours: NDArray[np.int8] | None = None
    world_size: int = 0
    groups: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.start)

    @property
    def latest(self) -> int:
        """The last moment of its events and counters, in ns."""
        moments = [self.end, *(counter.times for counter in self.counters)]
        return max(int(times.max(initial=0)) for times in moments)

    def later(self, ns: int) -> Found:
        """The same with all times so much later."""
        steps = Steps(self.steps.number, self.steps.start + ns, self.steps.end + ns)
        launched = self.launched
        if launched is not None:
            launched = np.where(launched == ABSENT, ABSENT, launched + ns)
        counters = tuple(replace(one, times=one.times + ns) for one in self.counters)
        return replace(
            self, start=self.start + ns, end=self.end + ns, launched=launched, steps=steps,
            counters=counters,
        )  # fmt: skip


def joined(parts: Sequence[Found]) -> Found:
    """The events of several files behind one another, on the tracks of them all."""
    tracks: list[Track] = []
    names: dict[str, int] = {}
    columns: dict[str, list[NDArray[Any]]] = {key: [] for key in ("track", "name", "links")}
    first, issues = 0, Counts[ImportIssue]()
    counters: list[CountedValues] = []
    for part in parts:
        base = len(tracks)
        tracks += [
            replace(one, serves=one.serves + base if one.serves >= 0 else ABSENT)
            for one in part.tracks
        ]
        codes = [names.setdefault(name, len(names)) for name in part.names]
        # Behind the codes stands one more entry: a name that is absent (-1) picks it, so that it is
        # in range.
        columns["name"].append(np.array([*codes, 0], np.int32)[part.name])
        columns["track"].append(part.track + np.int32(base))
        columns["links"].append(part.links + first)
        counters += part.counters
        first, issues = first + len(part), issues + part.issues
    parts, groups = _with_common_groups(parts)
    more = {
        name: np.concatenate([part.more.get(name, np.full(len(part), ABSENT)) for part in parts])
        for name in dict.fromkeys(name for part in parts for name in part.more)
    }
    start, end, kind = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("start", "end", "kind")
    )
    return Found(
        tuple(tracks), tuple(names),
        np.concatenate(columns["track"]), np.concatenate(columns["name"]), start, end, kind,
        more, _of_all(parts, "launched"), _of_all(parts, "step"),
        np.concatenate(columns["links"]), _steps_of_all(parts), tuple(counters), issues,
        concatenated([(len(part), part.arguments) for part in parts]),
        _of_all(parts, "colours"), max(part.world_size for part in parts), groups,
    )  # fmt: skip


def _with_common_groups(parts: Sequence[Found]) -> tuple[list[Found], tuple[str, ...]]:
    """The parts with the same number for a process group in all of them, and the groups' names."""
    groups: dict[str, int] = {}
    made = []
    for part in parts:
        if not part.groups:
            made.append(part)
            continue
        numbers = [groups.setdefault(name, len(groups)) for name in part.groups]
        # Columns have 16 bits; ABSENT (-1) picks the last entry.
        codes = np.array([*(min(n, MOST_GROUP) for n in numbers), ABSENT], np.int16)
        more = {**part.more, "bucket": codes[part.more["bucket"]]}
        made.append(replace(part, more=more))
    return made, tuple(groups)


def _of_all(parts: Sequence[Found], name: str) -> NDArray[Any] | None:
    """A column that not every part has."""
    columns = [getattr(part, name) for part in parts]
    if all(column is None for column in columns):
        return None
    return np.concatenate(
        [np.full(len(part), ABSENT) if column is None else column
         for part, column in zip(parts, columns, strict=True)]
    )  # fmt: skip


def _steps_of_all(parts: Sequence[Found]) -> Steps:
    """Steps that have one number are one."""
    columns = ("number", "start", "end")
    return Steps.spanning(
        *(np.concatenate([getattr(part.steps, name) for part in parts]) for name in columns)
    )
