"""Roles of lanes as text in exported files, next to their names; other programs ignore them."""

from __future__ import annotations

import re

from core.plan.plan import Lane, Role
from core.plan.task import ABSENT

_ROLE = re.compile(rf"({'|'.join(Role)}) lane(?:, serves (\d{{1,18}}))?")
TrackRole = tuple[Role, int]
"""A lane's role, and the number of the lane that it serves or ABSENT."""


def role_text(lane: Lane, serves: int) -> str:
    """Return the role of a lane; `serves` is the number in the file of the lane that it serves."""
    text = f"{lane.role} lane"
    if lane.serves != lane.index:
        text += f", serves {serves}"
    return text


def parse_role(text: object) -> TrackRole | None:
    """Return the role in a text of `role_text`; None for other values."""
    match = _ROLE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    serves = ABSENT if match[2] is None else int(match[2])
    return Role(match[1]), serves
