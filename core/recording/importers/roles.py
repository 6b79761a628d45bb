"""Assigns to tracks the roles that Bubblescope's exports contain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.plan.plan import Role
from core.plan.task import ABSENT
from core.recording.importers.imported_events import ImportedTrack
from core.recording.role_text import TrackRole


def with_roles(
    tracks: Sequence[ImportedTrack], numbers: Iterable[int], roles: Mapping[int, TrackRole]
) -> tuple[ImportedTrack, ...]:
    """Return the tracks with the roles in a file; unchanged if no track would compute.

    `numbers` has the file's number of each track, and `roles` has roles by these numbers. A
    compute lane serves itself, another working lane a compute lane, and a nested lane any working
    lane. Otherwise `serves` is ABSENT.
    """
    places = {number: place for place, number in enumerate(numbers)}
    changed = list(tracks)
    for number, place in places.items():
        if number not in roles:
            continue
        role, served_number = roles[number]
        if role is Role.COMPUTE:
            serves = place
        elif _may_serve(role, roles.get(served_number)):
            serves = places.get(served_number, ABSENT)
        else:
            serves = ABSENT
        changed[place] = replace(changed[place], role=role, serves=serves, stream_of="")
    if any(track.role is Role.COMPUTE for track in changed):
        return tuple(changed)
    return tuple(tracks)


def _may_serve(role: Role, served: TrackRole | None) -> bool:
    """Return True if a track with this role may serve a track with the other role."""
    if served is None:
        return False
    if role is Role.NESTED:
        return served[0] is not Role.NESTED
    return served[0] is Role.COMPUTE
