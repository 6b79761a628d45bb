"""What lanes are for, in words beside their names in files of our own: others pass over them."""

from __future__ import annotations

import re

from core.plan.plan import Lane, Role
from core.plan.task import ABSENT

_WORDS = re.compile(rf"({'|'.join(Role)}) lane(?:, serves (\d{{1,18}}))?")
TrackRole = tuple[Role, int]
"""A lane's role, and the number of that which it serves or ABSENT."""


def role_words(lane: Lane, serves: int) -> str:
    """What a lane is for; `serves` is the number that the lane which it serves has in the file."""
    return f"{lane.role} lane" + (f", serves {serves}" if lane.serves != lane.index else "")


def read_role(words: object) -> TrackRole | None:
    """What `role_words` said, or None for anything else."""
    found = _WORDS.fullmatch(words) if isinstance(words, str) else None
    return found and (Role(found[1]), ABSENT if found[2] is None else int(found[2]))
