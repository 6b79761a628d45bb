"""The job of a file of PyTorch's profiler, from the file's heading: rank, world size, clock."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from core.recording.importers.event_numbers import LATEST_US
from core.recording.importers.trace_events import TraceHeading

_MOST_RANKS = 1_000_000
_MOST_PART_BYTES = 1 << 20  # of the part of a heading about the job
_LATEST_BASE_NS = int(LATEST_US) * 1000
_RANK = re.compile(r"rank[-_ ]?(\d{1,6})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ProfilerJob:
    """The known facts about the job of a file.

    `rank` and `world_size` are None if they are unknown. All times of the file are relative
    to `base_ns`, in ns since 1970, or 0 if that is unknown. `members` has the ranks of process
    groups by their names.
    """

    rank: int | None = None
    world_size: int | None = None
    base_ns: int = 0
    members: Mapping[str, Sequence[int]] = field(default_factory=dict)


class _ProcessGroup(msgspec.Struct, gc=False):
    """A process group in a heading."""

    pg_name: str | int = ""
    ranks: list[int] = []


def profiler_job(heading: TraceHeading, file_name: str) -> ProfilerJob:
    """Return the job of a file. If the heading has no rank, it is taken from the file's name."""
    distributed = _fields(heading.distributedInfo)
    rank = _count(distributed.get("rank"), _MOST_RANKS)
    if rank is None:
        match = _RANK.search(file_name)
        rank = int(match[1]) if match else None
    world_size = _count(distributed.get("world_size"), _MOST_RANKS)
    base_ns = _count(heading.baseTimeNanoseconds, _LATEST_BASE_NS)
    members = _members(distributed.get("pg_config"))
    return ProfilerJob(
        rank=rank,
        world_size=world_size or None,
        base_ns=base_ns or 0,
        members=members,
    )


_FIELDS_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])
_GROUPS_DECODER = msgspec.json.Decoder(list[_ProcessGroup])
_SCALAR_DECODER = msgspec.json.Decoder(int | float | str)


def is_of_profiler(heading: TraceHeading) -> bool:
    """Return True if a heading has parts that only PyTorch's profiler writes."""
    parts = (heading.distributedInfo, heading.deviceProperties)
    return any(bytes(part) not in (b"", b"null") for part in parts)


def _fields(part: msgspec.Raw) -> dict[str, msgspec.Raw]:
    """Return the fields of a JSON object, not decoded; {} for other values and very long ones."""
    if len(part) > _MOST_PART_BYTES:
        return {}
    try:
        return _FIELDS_DECODER.decode(part)
    except msgspec.DecodeError:
        return {}


def _members(part: msgspec.Raw | None) -> dict[str, list[int]]:
    """Return the ranks of process groups by name; {} if the part has another form."""
    if part is None:
        return {}
    try:
        groups = _GROUPS_DECODER.decode(part)
    except msgspec.DecodeError:
        return {}
    return {str(group.pg_name): group.ranks for group in groups}


def _count(part: msgspec.Raw | None, limit: int) -> int | None:
    """Return a number from 0 to below `limit`, possibly written as text; None for other values."""
    if part is None:
        return None
    try:
        value = int(_SCALAR_DECODER.decode(part))
    except (msgspec.DecodeError, ValueError, OverflowError):
        return None
    return value if 0 <= value < limit else None
