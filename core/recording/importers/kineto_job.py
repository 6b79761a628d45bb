"""The job that a file of PyTorch's profiler names in its heading: rank, world size, clock."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from core.recording.importers.json_events import LATEST, Heading

MOST_RANKS = 1_000_000
MOST_PART = 1 << 20  # bytes of what a heading says of the job
LATEST_BASE_NS = int(LATEST) * 1000
_RANK = re.compile(r"rank[-_ ]?(\d{1,6})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Job:
    """The job that a file belongs to, as far as its heading says.

    `rank` and `world_size` are None where the heading has no such number. All times of the file
    count from `base_ns`, in ns since 1970; 0 if it does not say.
    """

    rank: int | None = None
    world_size: int | None = None
    base_ns: int = 0


def job_of(heading: Heading, file_name: str) -> Job:
    """The job of a file. A rank that the heading lacks is taken from the file's name."""
    distributed = _fields(heading.distributedInfo)
    rank = _count(distributed.get("rank"), MOST_RANKS)
    if rank is None:
        named = _RANK.search(file_name)
        rank = int(named[1]) if named else None
    world_size = _count(distributed.get("world_size"), MOST_RANKS)
    base_ns = _count(heading.baseTimeNanoseconds, LATEST_BASE_NS)
    return Job(rank, world_size or None, base_ns or 0)


def has_job(heading: Heading) -> bool:
    """True if a heading has parts that only PyTorch's profiler writes."""
    parts = (heading.distributedInfo, heading.deviceProperties)
    return any(bytes(part) not in (b"", b"null") for part in parts)


def _fields(part: msgspec.Raw) -> dict[str, msgspec.Raw]:
    """The fields of a JSON object, not decoded; none if the part is no object, or very long."""
    if len(part) > MOST_PART:
        return {}
    try:
        return msgspec.json.decode(part, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        return {}


def _count(part: msgspec.Raw | None, limit: int) -> int | None:
    """A number from 0 to below `limit`, which may be written as text; None for anything else."""
    if part is None:
        return None
    try:
        value = int(msgspec.json.decode(part, type=int | float | str))
    except (msgspec.DecodeError, ValueError, OverflowError):
        return None
    return value if 0 <= value < limit else None
