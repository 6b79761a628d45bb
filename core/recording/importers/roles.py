"""Tracks with the roles that a file of our own gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.plan.plan import Role
from core.plan.task import ABSENT
from core.recording.importers.found import Track
from core.recording.role_text import TrackRole


def with_roles(
    tracks: Sequence[Track], numbers: Iterable[int], roles: Mapping[int, TrackRole]
) -> tuple[Track, ...]:
    """The tracks with the roles that a file gives by number, unless none would compute then.

    A lane serves one that computes, a nested one any that works; other words are passed over.
    """
    places = {number: place for place, number in enumerate(numbers)}

    def served(mine: Role, number: int) -> int:
        its = roles.get(number, (Role.NESTED, ABSENT))[0]
        known = its is not Role.NESTED if mine is Role.NESTED else its is Role.COMPUTE
        return places.get(number, ABSENT) if known else ABSENT

    made = list(tracks)
    for number, place in places.items():
        if number in roles:
            role, serves = roles[number]
            serves = place if role is Role.COMPUTE else served(role, serves)
            made[place] = replace(made[place], role=role, serves=serves, stream_of="")
    return tuple(made if any(track.role is Role.COMPUTE for track in made) else tracks)
