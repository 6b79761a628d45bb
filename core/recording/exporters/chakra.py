"""Writes a step's plan with its measured times as MLCommons Chakra traces, one for each rank.

ASTRA-sim replays the measured durations, except those of collectives and of copies to one other
rank, which it simulates. Other transfers (a gather from several ranks, a copy within a rank) are
replayed as work of their rank, and their dependencies on other ranks become messages of one byte.
The numbers of fields are those of Chakra's et_def.proto.
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
"""File with the ranks of each group; only written if a collective lacks some of the ranks."""
# Members of Chakra's NodeType, and then of CollectiveCommType.
_WORK = 4
_SEND = 5
_RECEIVE = 6
_COLLECTIVE = 7
_COLLECTIVE_TYPES = {Kind.ALL_REDUCE: 0, Kind.ALL_GATHER: 2, Kind.REDUCE_SCATTER: 7}
# Fields of an attribute's value.
_BOOL = 27
_INT32 = 7
_INT64 = 9
_TEXT = 29
_ATTRIBUTE = 10  # field of a node
# Tasks of several ranks belong to one collective if they have the same values in these columns.
_COLLECTIVE_KEY = ("kind", "payload", "block", "bucket", "stage", "microbatch")

_Group = tuple[int, ...]
"""The ranks of a collective, sorted."""


@dataclass
class _Node:
    """A node of a rank's trace, with times in ns.

    `control` has the id of the task before it on its lane, `data` those of all other nodes that it
    depends on.
    """

    name: str
    type: int
    start: int
    length: int = 0
    control: list[int] = field(default_factory=list)
    data: list[int] = field(default_factory=list)
    attributes: list[bytes] = field(default_factory=list)

    def encoded(self, id_: int) -> bytes:
        """Return the node as bytes, prefixed by their number."""
        # All tasks are work of a lane, not of its host.
        is_cpu_op = _attribute("is_cpu_op", _BOOL, 0)
        # Chakra's times are in µs.
        start = round(self.start / 1000)
        length = round(self.length / 1000)
        fields = [
            number_field(1, id_),
            text_field(2, self.name),
            number_field(3, self.type),
            packed_field(4, self.control),
            packed_field(5, self.data),
            number_field(6, start),
            number_field(7, length),
            is_cpu_op,
            *self.attributes,
        ]
        encoded = b"".join(fields)
        return varint(len(encoded)) + encoded


def write_chakra(trace: Trace, folder: Path | str, step: int) -> Generator[float, None, None]:
    """Write a step of a run, `run.RANK.et` for each rank; yield the share written so far.

    If the generator is closed before its end, no folder is left. Raises OSError in one line.
    """
    nodes = _Nodes(trace, step)
    rank_count = len(nodes.by_rank)
    version = text_field(1, VERSION)
    metadata = varint(len(version)) + version
    with whole_folder(folder) as place:
        for rank, rank_nodes in enumerate(nodes.by_rank):
            parts = [metadata]
            for id_, node in rank_nodes.items():
                parts.append(node.encoded(id_))
            file = place / f"run.{rank}.et"
            file.write_bytes(b"".join(parts))
            yield (rank + 1) / rank_count
        if nodes.groups:
            groups: dict[str, list[int]] = {}
            for ranks, name in nodes.groups.items():
                groups[str(name)] = list(ranks)
            file = place / GROUPS
            file.write_text(json.dumps(groups), encoding="utf-8")


class _Nodes:
    """The nodes of each rank by id. A task's id is its position; messages have higher ids."""

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
        # The id of each receive, by the position of the task that ends and the receiving rank.
        self._received: dict[tuple[int, int], int] = {}
        self._next_id = len(exported)
        self._members = self._collectives(len(ranks))
        self._add_tasks()
        self._add_links()

    def _collectives(self, ranks: int) -> dict[int, _Group]:
        """Return the ranks of each collective, by the positions of its tasks."""
        spans = self._exported.spans
        columns = [spans[name].tolist() for name in _COLLECTIVE_KEY]
        keys = zip(*columns, strict=True)
        collectives: dict[tuple[object, ...], list[int]] = defaultdict(list)
        turns = Counts[tuple[object, ...]]()
        for place, key in enumerate(keys):
            if self._kind[place] not in _COLLECTIVE_TYPES:
                continue
            # A step may repeat a collective: the nth of one rank belongs to the nth of the others.
            key_of_rank = key, self._rank[place]
            turn = turns[key_of_rank]
            turns[key_of_rank] += 1
            collectives[key, turn].append(place)
        members: dict[int, _Group] = {}
        for places in collectives.values():
            ranks_of_group = [self._rank[place] for place in places]
            group = tuple(sorted(ranks_of_group))
            if len(group) < 2:
                continue
            for place in places:
                members[place] = group
            # All ranks together are the default group, which needs no name.
            if len(group) < ranks:
                next_number = len(self.groups) + 1
                self.groups.setdefault(group, next_number)
        return members

    def _add_tasks(self) -> None:
        """Add a node for each task; times count from the step's first start."""
        exported = self._exported
        spans = exported.spans
        labels = exported.labels
        last_of_lane: dict[int, int] = {}
        step_start = int(spans.start.min())
        # In order of start, so that the previous task of a lane has been added before.
        order = np.argsort(spans.start, kind="stable")
        for place in order.tolist():
            lane = int(exported.lane[place])
            start = int(spans.start[place])
            end = int(spans.end[place])
            name = f"{self._kind[place]} {labels[place]}"
            node = _Node(
                name=name,
                type=_WORK,
                start=start - step_start,
                length=end - start,
            )
            if lane in last_of_lane:
                previous = last_of_lane[lane]
                node.control.append(previous)
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
            _attribute("comm_type", _INT64, _COLLECTIVE_TYPES[kind]),
            _attribute("comm_size", _INT64, self._bytes[place]),
        ]
        members = self._members[place]
        group = self.groups.get(members)
        if group is not None:
            attributes.append(_text_attribute("pg_name", str(group)))
        return attributes

    def _add_links(self) -> None:
        """Add the dependencies between tasks, with messages for those between ranks."""
        dependents: dict[int, list[int]] = defaultdict(list)
        for before, after in self._exported.links.tolist():
            dependents[before].append(after)
        for before, tasks_after in dependents.items():
            target_ranks = {self._rank[after] for after in tasks_after}
            is_transfer = self._kind[before].is_communication
            is_collective = before in self._members
            # The simulator can only time a transfer to a single other rank.
            if is_transfer and not is_collective and len(target_ranks) == 1:
                (target,) = target_ranks
                if target != self._rank[before]:
                    size = max(1, self._bytes[before])
                    self._send(before, before, target, size)
            for after in tasks_after:
                self._link(before, after)

    def _link(self, before: int, after: int) -> None:
        """Add a dependency, through a message if the tasks are on different ranks."""
        here = self._rank[before]
        there = self._rank[after]
        node = self.by_rank[there][after]
        if here == there:
            node.data.append(before)
            return
        if before in self._members or after in self._members:
            # The ranks of a collective wait for each other without a message.
            return
        # A rank gets one message about a task's end, even if several of its tasks wait for it.
        message_key = before, there
        if message_key not in self._received:
            nodes = self.by_rank[here]
            producer = nodes[before]
            end = producer.start + producer.length
            sent = self._new_id()
            nodes[sent] = _Node(f"to rank {there}", _SEND, end, data=[before])
            self._send(sent, before, there, 1)
        received = self._received[message_key]
        node.data.append(received)

    def _new_id(self) -> int:
        """Return the id of a new message's node."""
        new_id = self._next_id
        self._next_id += 1
        return new_id

    def _send(self, sender: int, before: int, there: int, size: int) -> None:
        """Turn the node `sender` into a send of `size` bytes, and add the receive on rank `there`.

        The message signals the end of the task `before`.
        """
        here = self._rank[before]
        received = self._new_id()
        node = self.by_rank[here][sender]
        node.type = _SEND
        node.attributes = [
            _attribute("comm_size", _INT64, size),
            _attribute("comm_src", _INT32, here),
            _attribute("comm_dst", _INT32, there),
            # The tag, a unique id, connects the send with its receive.
            _attribute("comm_tag", _INT32, received),
        ]
        self.by_rank[there][received] = _Node(
            name=f"{node.name} from rank {here}",
            type=_RECEIVE,
            start=node.start,
            length=node.length,
            attributes=node.attributes,
        )
        self._received[before, there] = received


def _attribute(name: str, kind: int, value: int) -> bytes:
    """Return an attribute with a number; `kind` is the field of its value."""
    name_field = text_field(1, name)
    value_field = number_field(kind, value)
    return message_field(_ATTRIBUTE, name_field, value_field)


def _text_attribute(name: str, value: str) -> bytes:
    """Return an attribute with a text."""
    name_field = text_field(1, name)
    value_field = text_field(_TEXT, value)
    return message_field(_ATTRIBUTE, name_field, value_field)
