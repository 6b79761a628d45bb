"""Matches the kernels in profilers' files that send to each other, between ranks.

The sending kernel of one rank and the receiving kernel of the other run together: each of them
waits for the other. The group of such a kernel is named after all its transfers, each with the
ranks of sender and receiver, so that the n-th kernel that sends from one rank to another meets the
n-th that receives (core.costs.meetings). A kernel may exchange data with several ranks. The ranks
are in arguments of the kernel (`Src Rank`, `Dst Rank`), or of the calls that started it: a kernel
may combine several sends and receives, whose calls precede its launch. Otherwise they are in the
name of the annotation around the launch, such as `nccl:send 0->1`, with the ranks' numbers within
their process group. Calls of gloo, which has no kernels, have the other rank among their inputs if
these were recorded (`record_shapes`). In a group of two ranks, the peer is always the other rank.

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
_SENDS = "sends"
_RECEIVES = "receives"
_MOST_RANK = 1_000_000


Peers = set[tuple[str, int]]
"""The transfers of a kernel: whether it sends or receives, and the other rank."""


@dataclass(frozen=True, slots=True)
class _NamedTransfer:
    """A transfer that an annotation names, with the numbers of the ranks in their process group."""

    direction: str
    own: int
    other: int


@dataclass(frozen=True, slots=True)
class RankArguments:
    """The ranks of sender and receiver in the arguments of n events, NaN for events without them.

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
        receiver = float(self.receiver[place])
        if 0 <= receiver <= _MOST_RANK:
            found.add((_SENDS, int(receiver)))
        sender = float(self.sender[place])
        if 0 <= sender <= _MOST_RANK:
            found.add((_RECEIVES, int(sender)))
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
    rank = job.rank
    if rank is None or not len(transfers):
        return {}
    count = len(events.start)
    call = np.full(count, ABSENT, np.int64)
    call[launches.device] = launches.call
    by_calls = _by_calls(events, transfers, call, ranks)
    by_names = _by_names(events, transfers, call)
    by_inputs = _by_inputs(events, transfers, ranks.called)
    found: dict[int, Peers] = {}
    for place in transfers.tolist():
        group = ranks.group_of(place)
        members = _members(job, group)
        peers = by_calls.get(place)
        if not peers:
            peers = ranks.peers(place)
        if not peers and place in by_names:
            peers = _global_peers(by_names[place], members, rank)
        if not peers and place in by_inputs:
            peers = _peers_by_input(by_inputs[place], members, job)
        if not peers:
            peers = _only_peers(members, rank)
        if peers:
            found[place] = peers
    return found


def _only_peers(members: Sequence[int], rank: int) -> Peers:
    """Return both transfers with the other rank of a group of two; empty for other groups."""
    if len(members) != 2 or rank not in members:
        return set()
    [other] = set(members) - {rank}
    return {(_SENDS, other), (_RECEIVES, other)}


def transfers_of_kernels(peers: Mapping[int, Peers], rank: int) -> dict[int, tuple[Direction, ...]]:
    """Return the transfers of each kernel of `rank` with other ranks."""
    found: dict[int, tuple[Direction, ...]] = {}
    for place, transfers in peers.items():
        directions: set[Direction] = set()
        for way, other in transfers:
            if other == rank:
                continue
            if way == _SENDS:
                directions.add((rank, other))
            else:
                directions.add((other, rank))
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
        if group is None:
            continue
        members = _members(job, group)
        others = [rank for rank in members if rank != job.rank]
        sends = {(_SENDS, other) for other in others}
        receives = {(_RECEIVES, other) for other in others}
        # A rank may send its own part to itself.
        own = {(_SENDS, job.rank), (_RECEIVES, job.rank)}
        foreign = transfers - own
        if len(sends) > 1 and foreign == sends | receives:
            found.append(place)
    return found


def _members(job: ProfilerJob, group: str | None) -> Sequence[int]:
    """Return the ranks of a process group, or of the job's only group if a kernel names none."""
    if group is None and len(job.members) == 1:
        [members] = job.members.values()
        return members
    return job.members.get(group or "", ())


def _by_calls(
    events: KernelEvents, transfers: Ints, call: Ints, ranks: RankArguments
) -> Mapping[int, Peers]:
    """Return the transfers of the calls before each kernel's launch, on the launching thread.

    Only the calls since the thread's previous launch of a transfer count.
    """
    has_sender = np.isfinite(ranks.sender)
    has_receiver = np.isfinite(ranks.receiver)
    is_note = has_sender | has_receiver
    is_note &= ~events.is_task
    notes = np.flatnonzero(is_note)
    note_thread = events.thread[notes]
    is_launched = call[transfers] != ABSENT
    launched = transfers[is_launched]
    found: dict[int, Peers] = {}
    if not len(notes):
        return found
    launches = call[launched]
    launch_thread = events.thread[launches]
    for thread in np.unique(launch_thread).tolist():
        is_on_thread = launch_thread == thread
        kernels = launched[is_on_thread]
        launch_start = events.start[launches[is_on_thread]]
        order = np.argsort(launch_start, kind="stable")
        kernels = kernels[order]
        launch_start = launch_start[order]
        own_notes = notes[note_thread == thread]
        note_start = events.start[own_notes]
        order = np.argsort(note_start, kind="stable")
        own_notes = own_notes[order]
        note_start = note_start[order]
        ends = np.searchsorted(note_start, launch_start, "right")
        first = 0
        for kernel, last in zip(kernels.tolist(), ends.tolist(), strict=True):
            peers: Peers = set()
            for note in own_notes[first:last].tolist():
                peers |= ranks.peers(note)
            found[kernel] = peers
            first = last
    return found


def _by_names(events: KernelEvents, transfers: Ints, call: Ints) -> dict[int, _NamedTransfer]:
    """Return the transfer that the annotation around each kernel's launch names."""
    matches = [_CALL.match(name) for name in events.names]
    is_call = [match is not None for match in matches]
    is_mark = np.array(is_call, np.bool_)[events.name]
    is_mark &= ~events.is_task
    marks = np.flatnonzero(is_mark)
    mark = enclosing_marks(events, marks, call[transfers])
    found: dict[int, _NamedTransfer] = {}
    for place, own_mark in zip(transfers.tolist(), mark.tolist(), strict=True):
        if own_mark == ABSENT:
            continue
        match = matches[events.name[own_mark]]
        if match is None:
            continue
        word, own, other = match.groups()
        direction = _SENDS if word == "send" else _RECEIVES
        found[place] = _NamedTransfer(direction, int(own), int(other))
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
    for place, own_call in zip(transfers.tolist(), call.tolist(), strict=True):
        if own_call == ABSENT:
            continue
        name = events.names[events.name[own_call]]
        direction = _SENDS if name == SEND_CALL else _RECEIVES
        found[place] = direction, called[own_call]
    return found


def _peers_by_input(named: tuple[str, int], members: Sequence[int], job: ProfilerJob) -> Peers:
    """Return a transfer with the rank's number in the job; empty if its group is unknown."""
    direction, other = named
    if 0 <= other < len(members):
        return {(direction, members[other])}
    if job.members:
        return set()
    if 0 <= other <= _MOST_RANK:
        return {(direction, other)}
    return set()


def _global_peers(named: _NamedTransfer, members: Sequence[int], rank: int) -> Peers:
    """Return a transfer with the rank's number in the job; empty if that is unknown."""
    if not members:
        is_own = named.own == rank
        if not is_own:
            return set()
        return {(named.direction, named.other)}
    if named.own >= len(members) or named.other >= len(members):
        return set()
    if members[named.own] != rank:
        return set()
    other = members[named.other]
    return {(named.direction, other)}
