"""A step's plan with what its tasks took as MLCommons Chakra execution traces, one for each rank.

ASTRA-sim replays their durations, and simulates collectives and the copies that go to one other
rank. Other transfers (a gather of several, a copy within a rank) are replayed as work of the rank
that does them: what they wait for elsewhere, and what waits for them there, are messages of a byte.
The numbers of fields are those of Chakra's et_def.proto.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from core.files import whole_folder
from core.plan.task import KINDS, Kind
from core.recording.exporters.events import Events, ranks_of
from core.recording.exporters.wire import message, number, packed, text, varint
from core.trace.trace import Trace

VERSION = "0.0.4"
GROUPS = "comm_group.json"
"""Beside the traces, where collectives are among some of the ranks: which ones, by their name."""
# Members of Chakra's NodeType, and below of its CollectiveCommType.
_WORK, _SEND, _RECEIVE, _COLLECTIVE = 4, 5, 6, 7
_TYPES = {Kind.ALL_REDUCE: 0, Kind.ALL_GATHER: 2, Kind.REDUCE_SCATTER: 7}
_TRUTH, _INT32, _INT64, _TEXT = 27, 7, 9, 29  # fields of an attribute's value
# Tasks of several ranks that are alike in all of these are one collective's.
_ALIKE = ("kind", "payload", "block", "bucket", "stage", "microbatch")


@dataclass
class _Node:
    """A node of a rank's trace: its type, times in ns, what it waits for, and its attributes."""

    name: str
    type: int
    start: int
    length: int = 0
    lane: list[int] = field(default_factory=list)
    data: list[int] = field(default_factory=list)
    attributes: list[bytes] = field(default_factory=list)

    def written(self, id_: int) -> bytes:
        """The node with its length before it."""
        whole = b"".join(
            [
                number(1, id_), text(2, self.name), number(3, self.type), packed(4, self.lane),
                packed(5, self.data), number(6, round(self.start / 1000)),
                # Chakra counts in µs. Every task is a lane's work, none its host's: so it is no
                # `is_cpu_op`.
                number(7, round(self.length / 1000)), message(10, text(1, "is_cpu_op"),
                number(_TRUTH, 0)), *self.attributes,
            ]
        )  # fmt: skip
        return varint(len(whole)) + whole


def write_chakra(trace: Trace, folder: Path | str, step: int) -> Generator[float, None, None]:
    """Write a step of a run, `run.RANK.et` for each rank; yields the share that is written.

    A generator that is closed before its end leaves no folder. Raises OSError in one line.
    """
    nodes = _Nodes(trace, step)
    with whole_folder(folder) as place:
        for rank, some in enumerate(nodes.by_rank):
            head = text(1, VERSION)
            body = b"".join(node.written(id_) for id_, node in some.items())
            (place / f"run.{rank}.et").write_bytes(varint(len(head)) + head + body)
            yield (rank + 1) / len(nodes.by_rank)
        if nodes.groups:
            groups = {str(name): list(ranks) for ranks, name in nodes.groups.items()}
            (place / GROUPS).write_text(json.dumps(groups), encoding="utf-8")


class _Nodes:
    """The nodes of each rank by their ids; a task's id is its place, messages follow."""

    def __init__(self, trace: Trace, step: int) -> None:
        self._events = Events.of(trace, step)
        ranks = ranks_of(trace)
        of_lane = {lane: rank for rank, lanes in enumerate(ranks) for lane in lanes}
        self._rank = [of_lane[lane] for lane in self._events.lane.tolist()]
        self._kind = [KINDS[code] for code in self._events.spans["kind"].tolist()]
        self._bytes = self._events.spans["bytes"].tolist()
        self.by_rank: list[dict[int, _Node]] = [{} for _ in ranks]
        self.groups: dict[tuple[int, ...], int] = {}
        self._received: dict[tuple[int, int], int] = {}
        self._next = len(self._events)
        self._members = self._together(len(ranks))
        self._add_tasks()
        self._add_links()

    def _together(self, ranks: int) -> dict[int, tuple[int, ...]]:
        """The ranks that take part in each collective, by the places of its tasks."""
        alike = zip(*(self._events.spans[name].tolist() for name in _ALIKE), strict=True)
        found: dict[tuple[object, ...], list[int]] = defaultdict(list)
        seen: dict[tuple[object, ...], int] = defaultdict(int)
        for place, what in enumerate(alike):
            if self._kind[place] in _TYPES:
                # The same collective may come several times in a step: the nth of one rank belongs
                # to the nth of the others.
                turn = seen[what, self._rank[place]]
                seen[what, self._rank[place]] += 1
                found[what, turn].append(place)
        members: dict[int, tuple[int, ...]] = {}
        for places in found.values():
            mine = tuple(sorted(self._rank[place] for place in places))
            if len(mine) > 1:
                members |= dict.fromkeys(places, mine)
                # All ranks are the default group, which has no name and needs no entry.
                if len(mine) < ranks:
                    self.groups.setdefault(mine, len(self.groups) + 1)
        return members

    def _add_tasks(self) -> None:
        spans, last = self._events.spans, dict[int, int]()
        zero = int(spans.start.min())
        # By start, so that `last` is the task that ran just before on the same lane.
        for place in np.argsort(spans.start, kind="stable").tolist():
            lane = int(self._events.lane[place])
            start, end = int(spans.start[place]), int(spans.end[place])
            name = f"{self._kind[place]} {self._events.labels[place]}"
            node = _Node(name, _WORK, start - zero, end - start)
            if lane in last:
                node.lane.append(last[lane])
            last[lane] = place
            if place in self._members:
                node.type, node.attributes = _COLLECTIVE, self._collective(place)
            self.by_rank[self._rank[place]][place] = node

    def _collective(self, place: int) -> list[bytes]:
        attributes = [
            _attribute("comm_type", _INT64, _TYPES[self._kind[place]]),
            _attribute("comm_size", _INT64, self._bytes[place]),
        ]
        group = self.groups.get(self._members[place])
        if group is not None:
            attributes.append(message(10, text(1, "pg_name"), text(_TEXT, str(group))))
        return attributes

    def _add_links(self) -> None:
        behind: dict[int, list[int]] = defaultdict(list)
        for before, after in self._events.links.tolist():
            behind[before].append(after)
        for before, several in behind.items():
            targets = {self._rank[after] for after in several}
            sends = self._kind[before].is_communication
            if sends and before not in self._members and len(targets) == 1:
                (target,) = targets
                # The simulator can time a transfer itself only if it goes to one other rank.
                if target != self._rank[before]:
                    self._sent_by(before, before, target, max(1, self._bytes[before]))
            for after in several:
                self._link(before, after)

    def _link(self, before: int, after: int) -> None:
        here, there = self._rank[before], self._rank[after]
        node = self.by_rank[there][after]
        if here == there:
            node.data.append(before)
        elif before not in self._members and after not in self._members:
            # A collective makes its ranks wait for each other by itself: it needs no message.
            # A rank gets one message of a task's end, however many of its tasks wait for that.
            if (before, there) not in self._received:
                sender = self.by_rank[here][before]
                sent, self._next = self._next, self._next + 1
                end = sender.start + sender.length
                self.by_rank[here][sent] = _Node(f"to rank {there}", _SEND, end, data=[before])
                self._sent_by(sent, before, there, 1)
            node.data.append(self._received[before, there])

    def _sent_by(self, sender: int, before: int, there: int, size: int) -> None:
        """Make a node one that sends, and one of the other rank that receives."""
        here, received = self._rank[before], self._next
        self._next += 1
        node = self.by_rank[here][sender]
        node.type = _SEND
        node.attributes = [
            _attribute("comm_size", _INT64, size), _attribute("comm_src", _INT32, here),
            # The receiver's id is in no other message: by this tag the two ends find each other.
            _attribute("comm_dst", _INT32, there), _attribute("comm_tag", _INT32, received),
        ]  # fmt: skip
        self.by_rank[there][received] = _Node(
            f"{node.name} from rank {here}",
            _RECEIVE,
            node.start,
            node.length,
            attributes=node.attributes,
        )
        self._received[before, there] = received


def _attribute(name: str, kind: int, value: int) -> bytes:
    return message(10, text(1, name), number(kind, value))
