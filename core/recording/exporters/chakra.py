"""Writes a step's plan with its measured times as MLCommons Chakra traces, one for each rank.

ASTRA-sim replays the durations, and simulates collectives and copies to one other rank. Other
transfers (a gather from several ranks, a copy within a rank) are replayed as work of their rank;
their dependencies on other ranks are messages of one byte. The numbers of fields are from
Chakra's et_def.proto.
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
from core.recording.exporters.exported_spans import ExportedSpans, lanes_by_rank
from core.recording.exporters.wire import (
    message_field,
    number_field,
    packed_field,
    text_field,
    varint,
)
from core.trace.trace import Trace

VERSION = "0.0.4"
GROUPS = "comm_group.json"
"""File with the ranks of each group by its name, if a collective has only some of the ranks."""
# Members of Chakra's NodeType, and then of CollectiveCommType.
_WORK = 4
_SEND = 5
_RECEIVE = 6
_COLLECTIVE = 7
_TYPES = {Kind.ALL_REDUCE: 0, Kind.ALL_GATHER: 2, Kind.REDUCE_SCATTER: 7}
_BOOL, _INT32, _INT64, _TEXT = 27, 7, 9, 29  # fields of an attribute's value
# Tasks of several ranks with the same values of all of these belong to one collective.
_ALIKE = ("kind", "payload", "block", "bucket", "stage", "microbatch")


@dataclass
class _Node:
    """A node of a rank's trace, with times in ns; it depends on the nodes in `lane` and `data`."""

    name: str
    type: int
    start: int
    length: int = 0
    lane: list[int] = field(default_factory=list)
    data: list[int] = field(default_factory=list)
    attributes: list[bytes] = field(default_factory=list)

    def encoded(self, id_: int) -> bytes:
        """Return the node as bytes, with its length first."""
        # All tasks are work of a lane, none of them of its host.
        is_cpu_op = message_field(10, text_field(1, "is_cpu_op"), number_field(_BOOL, 0))
        fields = [
            number_field(1, id_),
            text_field(2, self.name),
            number_field(3, self.type),
            packed_field(4, self.lane),
            packed_field(5, self.data),
            # Chakra's times are in µs.
            number_field(6, round(self.start / 1000)),
            number_field(7, round(self.length / 1000)),
            is_cpu_op,
            *self.attributes,
        ]
        whole = b"".join(fields)
        return varint(len(whole)) + whole


def write_chakra(trace: Trace, folder: Path | str, step: int) -> Generator[float, None, None]:
    """Write a step of a run, `run.RANK.et` for each rank; yields the share that is written.

    A generator that is closed before its end leaves no folder. Raises OSError in one line.
    """
    nodes = _Nodes(trace, step)
    with whole_folder(folder) as place:
        for rank, rank_nodes in enumerate(nodes.by_rank):
            head = text_field(1, VERSION)
            body = b"".join(node.encoded(id_) for id_, node in rank_nodes.items())
            file = place / f"run.{rank}.et"
            file.write_bytes(varint(len(head)) + head + body)
            yield (rank + 1) / len(nodes.by_rank)
        if nodes.groups:
            groups = {str(name): list(ranks) for ranks, name in nodes.groups.items()}
            (place / GROUPS).write_text(json.dumps(groups), encoding="utf-8")


class _Nodes:
    """The nodes of each rank by id; the id of a task is its position, messages have later ids."""

    def __init__(self, trace: Trace, step: int) -> None:
        self._exported = ExportedSpans.of(trace, step)
        ranks = lanes_by_rank(trace)
        rank_of: dict[int, int] = {}
        for rank, lanes in enumerate(ranks):
            rank_of.update(dict.fromkeys(lanes, rank))
        self._rank = [rank_of[lane] for lane in self._exported.lane.tolist()]
        self._kind = [KINDS[code] for code in self._exported.spans["kind"].tolist()]
        self._bytes = self._exported.spans["bytes"].tolist()
        self.by_rank: list[dict[int, _Node]] = [{} for _ in ranks]
        self.groups: dict[tuple[int, ...], int] = {}
        self._received: dict[tuple[int, int], int] = {}
        self._next = len(self._exported)
        self._members = self._collectives(len(ranks))
        self._add_tasks()
        self._add_links()

    def _collectives(self, ranks: int) -> dict[int, tuple[int, ...]]:
        """Return the ranks of each collective, by the positions of its tasks."""
        spans = self._exported.spans
        columns = [spans[name].tolist() for name in _ALIKE]
        keys = zip(*columns, strict=True)
        found: dict[tuple[object, ...], list[int]] = defaultdict(list)
        seen: dict[tuple[object, ...], int] = defaultdict(int)
        for place, key in enumerate(keys):
            if self._kind[place] in _TYPES:
                # A step may repeat a collective: the nth of one rank belongs to the nth of the
                # others.
                turn = seen[key, self._rank[place]]
                seen[key, self._rank[place]] += 1
                found[key, turn].append(place)
        members: dict[int, tuple[int, ...]] = {}
        for places in found.values():
            ranks_of_group = [self._rank[place] for place in places]
            group = tuple(sorted(ranks_of_group))
            if len(group) > 1:
                members |= dict.fromkeys(places, group)
                # All ranks are the default group, which has no name and needs no entry.
                if len(group) < ranks:
                    self.groups.setdefault(group, len(self.groups) + 1)
        return members

    def _add_tasks(self) -> None:
        """Add a node for each task."""
        spans = self._exported.spans
        last = dict[int, int]()
        zero = int(spans.start.min())
        # In order of start, so that `last` is the task before on the same lane.
        for place in np.argsort(spans.start, kind="stable").tolist():
            lane = int(self._exported.lane[place])
            start = int(spans.start[place])
            end = int(spans.end[place])
            name = f"{self._kind[place]} {self._exported.labels[place]}"
            node = _Node(name, _WORK, start - zero, end - start)
            if lane in last:
                node.lane.append(last[lane])
            last[lane] = place
            if place in self._members:
                node.type = _COLLECTIVE
                node.attributes = self._collective(place)
            self.by_rank[self._rank[place]][place] = node

    def _collective(self, place: int) -> list[bytes]:
        """Return the attributes of a collective."""
        attributes = [
            _attribute("comm_type", _INT64, _TYPES[self._kind[place]]),
            _attribute("comm_size", _INT64, self._bytes[place]),
        ]
        group = self.groups.get(self._members[place])
        if group is not None:
            name = text_field(_TEXT, str(group))
            attributes.append(message_field(10, text_field(1, "pg_name"), name))
        return attributes

    def _add_links(self) -> None:
        """Add dependencies, and messages for those between ranks."""
        dependents: dict[int, list[int]] = defaultdict(list)
        for before, after in self._exported.links.tolist():
            dependents[before].append(after)
        for before, several in dependents.items():
            targets = {self._rank[after] for after in several}
            sends = self._kind[before].is_communication
            if sends and before not in self._members and len(targets) == 1:
                (target,) = targets
                # The simulator can time only transfers to one other rank.
                if target != self._rank[before]:
                    self._send(before, before, target, max(1, self._bytes[before]))
            for after in several:
                self._link(before, after)

    def _link(self, before: int, after: int) -> None:
        """Add a dependency, through a message if the tasks are on different ranks."""
        here = self._rank[before]
        there = self._rank[after]
        node = self.by_rank[there][after]
        if here == there:
            node.data.append(before)
        elif before not in self._members and after not in self._members:
            # The ranks of a collective wait for each other without a message. A rank gets one
            # message about a task's end, even if several of its tasks wait for it.
            if (before, there) not in self._received:
                sender = self.by_rank[here][before]
                sent = self._next
                self._next = self._next + 1
                end = sender.start + sender.length
                self.by_rank[here][sent] = _Node(f"to rank {there}", _SEND, end, data=[before])
                self._send(sent, before, there, 1)
            node.data.append(self._received[before, there])

    def _send(self, sender: int, before: int, there: int, size: int) -> None:
        """Turn a node into a send, and add the receive on the other rank."""
        here = self._rank[before]
        received = self._next
        self._next += 1
        node = self.by_rank[here][sender]
        node.type = _SEND
        node.attributes = [
            _attribute("comm_size", _INT64, size),
            _attribute("comm_src", _INT32, here),
            _attribute("comm_dst", _INT32, there),
            # Both ends are matched by the tag: the receiver's id is unique.
            _attribute("comm_tag", _INT32, received),
        ]
        self.by_rank[there][received] = _Node(
            f"{node.name} from rank {here}",
            _RECEIVE,
            node.start,
            node.length,
            attributes=node.attributes,
        )
        self._received[before, there] = received


def _attribute(name: str, kind: int, value: int) -> bytes:
    """Return an attribute; `kind` is the field of its value."""
    return message_field(10, text_field(1, name), number_field(kind, value))
