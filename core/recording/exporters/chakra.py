"""Writes a step's plan with its measured times as MLCommons Chakra traces, one for each rank.

ASTRA-sim replays the durations, and simulates collectives and copies to one other rank. Other
transfers (a gather from several ranks, a copy within a rank) are replayed as work of their rank;
their dependencies on other ranks are messages of one byte. The numbers of fields are from
Chakra's et_def.proto.
"""

from __future__ import annotations

import json
from collections import Counter as Counts
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
# Fields of an attribute's value.
_BOOL = 27
_INT32 = 7
_INT64 = 9
_TEXT = 29
# Tasks of several ranks with the same values of all of these belong to one collective.
_ALIKE = ("kind", "payload", "block", "bucket", "stage", "microbatch")

_Group = tuple[int, ...]
"""The ranks of a collective, sorted."""


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
        is_cpu_op = _attribute("is_cpu_op", _BOOL, 0)
        # Chakra's times are in µs.
        start = round(self.start / 1000)
        length = round(self.length / 1000)
        fields = [
            number_field(1, id_),
            text_field(2, self.name),
            number_field(3, self.type),
            packed_field(4, self.lane),
            packed_field(5, self.data),
            number_field(6, start),
            number_field(7, length),
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
    rank_count = len(nodes.by_rank)
    version = text_field(1, VERSION)
    head = varint(len(version)) + version
    with whole_folder(folder) as place:
        for rank, rank_nodes in enumerate(nodes.by_rank):
            parts = [head]
            for id_, node in rank_nodes.items():
                parts.append(node.encoded(id_))
            file = place / f"run.{rank}.et"
            file.write_bytes(b"".join(parts))
            yield (rank + 1) / rank_count
        if nodes.groups:
            groups = {}
            for ranks, name in nodes.groups.items():
                groups[str(name)] = list(ranks)
            file = place / GROUPS
            file.write_text(json.dumps(groups), encoding="utf-8")


class _Nodes:
    """The nodes of each rank by id; the id of a task is its position, messages have later ids."""

    def __init__(self, trace: Trace, step: int) -> None:
        exported = ExportedSpans.of(trace, step)
        spans = exported.spans
        ranks = lanes_by_rank(trace)
        rank_of: dict[int, int] = {}
        for rank, lanes in enumerate(ranks):
            for lane in lanes:
                rank_of[lane] = rank
        self._exported = exported
        self._rank = [rank_of[lane] for lane in exported.lane.tolist()]
        self._kind = [KINDS[code] for code in spans["kind"].tolist()]
        self._bytes = spans["bytes"].tolist()
        self.by_rank: list[dict[int, _Node]] = [{} for _ in ranks]
        self.groups: dict[_Group, int] = {}
        # The receive of each message, by the task that it is about and the receiving rank.
        self._received: dict[tuple[int, int], int] = {}
        self._next = len(exported)
        self._members = self._collectives(len(ranks))
        self._add_tasks()
        self._add_links()

    def _collectives(self, ranks: int) -> dict[int, _Group]:
        """Return the ranks of each collective, by the positions of its tasks."""
        spans = self._exported.spans
        columns = [spans[name].tolist() for name in _ALIKE]
        keys = zip(*columns, strict=True)
        found: dict[tuple[object, ...], list[int]] = defaultdict(list)
        seen = Counts[tuple[object, ...]]()
        for place, key in enumerate(keys):
            if self._kind[place] not in _TYPES:
                continue
            # A step may repeat a collective: the nth of one rank belongs to the nth of the others.
            key_of_rank = key, self._rank[place]
            turn = seen[key_of_rank]
            seen[key_of_rank] += 1
            found[key, turn].append(place)
        members: dict[int, _Group] = {}
        for places in found.values():
            ranks_of_group = [self._rank[place] for place in places]
            group = tuple(sorted(ranks_of_group))
            if len(group) < 2:
                continue
            for place in places:
                members[place] = group
            # All ranks are the default group, which has no name and needs no entry.
            if len(group) < ranks:
                next_number = len(self.groups) + 1
                self.groups.setdefault(group, next_number)
        return members

    def _add_tasks(self) -> None:
        """Add a node for each task."""
        exported = self._exported
        spans = exported.spans
        labels = exported.labels
        last_of_lane: dict[int, int] = {}
        zero = int(spans.start.min())
        # In order of start, so that the last task of a lane is the one before.
        order = np.argsort(spans.start, kind="stable")
        for place in order.tolist():
            lane = int(exported.lane[place])
            start = int(spans.start[place])
            end = int(spans.end[place])
            name = f"{self._kind[place]} {labels[place]}"
            node = _Node(name, _WORK, start - zero, end - start)
            if lane in last_of_lane:
                before = last_of_lane[lane]
                node.lane.append(before)
            last_of_lane[lane] = place
            if place in self._members:
                node.type = _COLLECTIVE
                node.attributes = self._collective(place)
            rank = self._rank[place]
            self.by_rank[rank][place] = node

    def _collective(self, place: int) -> list[bytes]:
        """Return the attributes of a collective."""
        kind = self._kind[place]
        attributes = [
            _attribute("comm_type", _INT64, _TYPES[kind]),
            _attribute("comm_size", _INT64, self._bytes[place]),
        ]
        members = self._members[place]
        group = self.groups.get(members)
        if group is not None:
            name = text_field(1, "pg_name")
            value = text_field(_TEXT, str(group))
            attributes.append(message_field(10, name, value))
        return attributes

    def _add_links(self) -> None:
        """Add dependencies, and messages for those between ranks."""
        dependents: dict[int, list[int]] = defaultdict(list)
        for before, after in self._exported.links.tolist():
            dependents[before].append(after)
        for before, several in dependents.items():
            targets = {self._rank[after] for after in several}
            is_transfer = self._kind[before].is_communication
            is_collective = before in self._members
            # The simulator can time only transfers to one other rank.
            if is_transfer and not is_collective and len(targets) == 1:
                (target,) = targets
                if target != self._rank[before]:
                    size = max(1, self._bytes[before])
                    self._send(before, before, target, size)
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
            message_key = before, there
            if message_key not in self._received:
                nodes = self.by_rank[here]
                producer = nodes[before]
                end = producer.start + producer.length
                sent = self._next
                self._next += 1
                nodes[sent] = _Node(f"to rank {there}", _SEND, end, data=[before])
                self._send(sent, before, there, 1)
            received = self._received[message_key]
            node.data.append(received)

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
    name_field = text_field(1, name)
    value_field = number_field(kind, value)
    return message_field(10, name_field, value_field)
