"""Families of kinds: what shares a colour because it means the same."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from core.plan.task import KINDS, Kind


class Family(StrEnum):
    """A meaning that has a colour of its own."""

    FORWARD = "forward"
    BACKWARD = "backward"
    COMMUNICATION = "communication"
    UPDATE = "loss and update"


FAMILIES: tuple[Family, ...] = tuple(Family)
_BACKWARDS = frozenset({Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT, Kind.OVERLAP})


def family_of(kind: Kind) -> Family:
    """The family that a kind belongs to."""
    if kind is Kind.FORWARD:
        return Family.FORWARD
    if kind in _BACKWARDS:
        return Family.BACKWARD
    return Family.COMMUNICATION if kind.is_communication else Family.UPDATE


FAMILY_CODES = np.array([FAMILIES.index(family_of(kind)) for kind in KINDS], np.int8)
"""The index in FAMILIES of each kind's family, by the kind's index in KINDS."""
