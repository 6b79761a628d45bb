"""Transfers between ranks in a profiler's files: which kernels send to each other.

The sending kernel of one rank and the receiving kernel of the other run together: each of them
waits for the other. The group of such a kernel is named after all its transfers, each with the
ranks of sender and receiver, so that the n-th kernel that sends from one rank to another meets the
n-th that receives (core.costs.meetings). A kernel may exchange data with several ranks. The ranks
are in arguments of the kernel (`Src Rank`, `Dst Rank`), or of the calls that started it: a kernel
may combine several sends and receives, whose calls precede its launch. Otherwise they are in the
name of the annotation around the launch, such as `nccl:send 0->1`, with the ranks' numbers within
their process group. Calls of gloo, which has no kernels, have the other rank among their inputs if
these were recorded (`record_shapes`). In a group of two ranks it is always the other one.

A kernel that sends to all ranks of its process group, and receives from all, is an all-to-all of
the group. A kernel whose other ranks are unknown gets no group.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Floats, Ints
from core.plan.task import ABSENT
from core.recording.importers.imported_events import Launches
from core.recording.importers.profiler_job import ProfilerJob
from core.recording.importers.send_recv import KernelEvents, enclosing_marks
from core.recording.importers.trace_events import SEND_CALL
from core.trace.imported import Direction

_CALL = re.compile(r"^\w+:(send|recv) (\d{1,6})(?:->|<-)(\d{1,6})$")
_SENDS, _RECEIVES = "sends", "receives"
_MOST_RANK = 1_000_000


Peers = set[tuple[str, int]]
"""The transfers of a kernel: whether it sends or receives, and the other rank."""


@dataclass(frozen=True, slots=True)
class RankArguments:
    """The ranks of sender and receiver in the arguments of n events; NaN without.

    `group` is the position of each event's process group in `group_names`. `called` has, by the
    positions of calls of torch, the other rank's number within the process group.
    """

    sender: Floats
    receiver: Floats
    group: NDArray[np.int32]
    group_names: Sequence[str | None]
    called: Mapping[int, int]

    def group_of(self, place: int) -> str | None:
        """Return the name of an event's process group; None without one."""
        number = int(self.group[place])
        return self.group_names[number]

    def peers(self, place: int) -> Peers:
        """Return the transfers of an event; empty if its arguments name no ranks."""
        found: Peers = set()
        for direction, column in ((_SENDS, self.receiver), (_RECEIVES, self.sender)):
            rank = float(column[place])
            if 0 <= rank <= _MOST_RANK:
                found.add((direction, int(rank)))
        return found


def transfer_peers(
    events: KernelEvents,
    transfers: Ints,
    launches: Launches,
    ranks: RankArguments,
    job: ProfilerJob,
) -> dict[int, Peers]:
    """Return the transfers of each kernel whose other ranks are known, by position.

    `transfers` are the positions of kernels that send or receive.
    """
    if job.rank is None or not len(transfers):
        return {}
    call = np.full(len(events.start), ABSENT, np.int64)
    call[launches.device] = launches.call
    by_calls = _by_calls(events, transfers, call, ranks)
    by_names = _by_names(events, transfers, call)
    by_inputs = _by_inputs(events, transfers, ranks.called)
    found: dict[int, Peers] = {}
    for place in transfers.tolist():
        members = _members(job, ranks.group_of(place))
        peers = by_calls.get(place) or ranks.peers(place)
        if not peers and place in by_names:
            peers = _global_peers(by_names[place], members, job.rank)
        if not peers and place in by_inputs:
            peers = _peers_by_input(by_inputs[place], members, job)
        if not peers and len(members) == 2 and job.rank in members:
            [other] = set(members) - {job.rank}
            peers = {(_SENDS, other), (_RECEIVES, other)}
        if peers:
            found[place] = peers
    return found


def transfers_of_kernels(peers: Mapping[int, Peers], rank: int) -> dict[int, tuple[Direction, ...]]:
    """Return the transfers of each kernel of `rank` with other ranks."""
    found: dict[int, tuple[Direction, ...]] = {}
    for place, transfers in peers.items():
        directions = set()
        for direction, other in transfers:
            if other != rank:
                directions.add((rank, other) if direction == _SENDS else (other, rank))
        if directions:
            found[place] = tuple(sorted(directions))
    return found


def name_of_transfers(transfers: Sequence[Direction]) -> str:
    """Return the name of the group of kernels with these transfers."""
    texts = [f"from rank {sender} to rank {receiver}" for sender, receiver in transfers]
    return ", ".join(texts)


def exchanges_of_groups(
    peers: Mapping[int, Peers], ranks: RankArguments, job: ProfilerJob
) -> list[int]:
    """Return the kernels that send to all members of their process group and receive from all.

    Groups of two ranks do not count: their exchanges are pairs.
    """
    found: list[int] = []
    for place, transfers in peers.items():
        group = ranks.group_of(place)
        others = set(_members(job, group)) - {job.rank}
        every = {(way, other) for way in (_SENDS, _RECEIVES) for other in others}
        own = {(way, job.rank) for way in (_SENDS, _RECEIVES)}
        # A rank may send its own part to itself.
        if group is not None and len(others) > 1 and transfers - own == every:
            found.append(place)
    return found


def _members(job: ProfilerJob, group: str | None) -> Sequence[int]:
    """Return the ranks of a process group; of the job's only one, if a kernel names none."""
    if group is None and len(job.members) == 1:
        [members] = job.members.values()
        return members
    return job.members.get(group or "", ())


def _by_calls(
    events: KernelEvents, transfers: Ints, call: Ints, ranks: RankArguments
) -> Mapping[int, Peers]:
    """Return the transfers of the calls before each kernel's launch, on the launching thread.

    They are those since the launch of the thread's transfer before.
    """
    has_rank = np.isfinite(ranks.sender) | np.isfinite(ranks.receiver)
    notes = np.flatnonzero(has_rank & ~events.is_task)
    launched = transfers[call[transfers] != ABSENT]
    found: dict[int, Peers] = {}
    if not len(notes):
        return found
    threads = events.thread[call[launched]]
    for thread in np.unique(threads).tolist():
        kernels = launched[threads == thread]
        kernels = kernels[np.argsort(events.start[call[kernels]], kind="stable")]
        own_notes = notes[events.thread[notes] == thread]
        own_notes = own_notes[np.argsort(events.start[own_notes], kind="stable")]
        ends = np.searchsorted(
            events.start[own_notes], events.start[call[kernels]], "right"
        ).tolist()
        first = 0
        for kernel, last in zip(kernels.tolist(), ends, strict=True):
            peers: Peers = set()
            for note in own_notes[first:last].tolist():
                peers |= ranks.peers(note)
            found[kernel] = peers
            first = last
    return found


def _by_names(events: KernelEvents, transfers: Ints, call: Ints) -> dict[int, tuple[str, int, int]]:
    """Return the transfer that the annotation around each kernel's launch names.

    It has the direction, and the numbers of the own and the other rank in their process group.
    """
    calls = [_CALL.match(name) for name in events.names]
    is_call = np.array([match is not None for match in calls], np.bool_)
    marks = np.flatnonzero(is_call[events.name] & ~events.is_task)
    mark = enclosing_marks(events, marks, call[transfers])
    found = {}
    for place, own in zip(transfers.tolist(), mark.tolist(), strict=True):
        match = calls[events.name[own]] if own != ABSENT else None
        if match is not None:
            word, own_rank, other_rank = match.groups()
            direction = _SENDS if word == "send" else _RECEIVES
            found[place] = direction, int(own_rank), int(other_rank)
    return found


def _by_inputs(
    events: KernelEvents, transfers: Ints, called: Mapping[int, int]
) -> dict[int, tuple[str, int]]:
    """Return the transfer of the call of torch in which each event of gloo starts.

    It has the direction, and the number of the other rank in the process group.
    """
    calls = np.array(sorted(called), np.int64)
    call = enclosing_marks(events, calls, transfers)
    found = {}
    for place, own in zip(transfers.tolist(), call.tolist(), strict=True):
        if own != ABSENT:
            is_send = events.names[events.name[own]] == SEND_CALL
            found[place] = (_SENDS if is_send else _RECEIVES), called[own]
    return found


def _peers_by_input(named: tuple[str, int], members: Sequence[int], job: ProfilerJob) -> Peers:
    """Return a transfer with the rank's number in the job; empty if its group is unknown."""
    direction, other = named
    if 0 <= other < len(members):
        return {(direction, members[other])}
    return {(direction, other)} if not job.members and 0 <= other <= _MOST_RANK else set()


def _global_peers(named: tuple[str, int, int], members: Sequence[int], rank: int) -> Peers:
    """Return a transfer with the rank's number in the job; empty if that is unknown."""
    direction, own, other = named
    if not members:
        return {(direction, other)} if own == rank else set()
    is_member = own < len(members) and members[own] == rank
    if is_member and other < len(members):
        return {(direction, members[other])}
    return set()
