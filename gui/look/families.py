"""Families of task kinds: kinds with the same meaning share a colour."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import numpy as np

from core.message import N_
from core.plan.task import KINDS, Kind
from gui.look.text import tr


class Family(StrEnum):
    """A meaning that has a colour; an overlap has two."""

    FORWARD = N_("forward")
    BACKWARD = N_("backward")
    BACKWARD_INPUT = N_("backward-input")
    BACKWARD_WEIGHT = N_("backward-weight")
    OVERLAP = N_("forward with backward")
    COMMUNICATION = N_("communication")
    UPDATE = N_("loss and update")
    OTHER = N_("other")


FAMILIES: tuple[Family, ...] = tuple(Family)
_OWN = {
    Kind.FORWARD: Family.FORWARD,
    Kind.BACKWARD: Family.BACKWARD,
    Kind.BACKWARD_INPUT: Family.BACKWARD_INPUT,
    Kind.BACKWARD_WEIGHT: Family.BACKWARD_WEIGHT,
    Kind.OVERLAP: Family.OVERLAP,
    Kind.OTHER: Family.OTHER,
    Kind.RECOMPUTE: Family.FORWARD,
}


def family_of(kind: Kind) -> Family:
    """Return the family of a kind."""
    shared = Family.COMMUNICATION if kind.is_communication else Family.UPDATE
    return _OWN.get(kind, shared)


FAMILY_CODES = np.array([FAMILIES.index(family_of(kind)) for kind in KINDS], np.int8)
"""The index in FAMILIES of each kind's family, by the kind's index in KINDS."""


def family_letters(present: Iterable[Kind]) -> dict[Family, str]:
    """Return the families of the kinds that are `present`, in order, with their kinds' letters."""
    letters = {}
    for family, kinds in _by_family(set(present)).items():
        letters[family] = " ".join(kind.letter for kind in kinds)
    return letters


def family_texts(present: Iterable[Kind]) -> dict[Family, str]:
    """Return the families of the kinds that are `present`, in order, with their legend texts.

    The texts explain the letters: `communication (S scatter, G gather)`, `forward (F)`.
    """
    texts = {}
    for family, kinds in _by_family(set(present)).items():
        texts[family] = _text(family, kinds)
    return texts


def _by_family(present: set[Kind]) -> dict[Family, list[Kind]]:
    """Return the `present` kinds by family, both in order; families without any are omitted."""
    found: dict[Family, list[Kind]] = {family: [] for family in FAMILIES}
    for kind in KINDS:
        if kind in present:
            found[family_of(kind)].append(kind)
    return {family: kinds for family, kinds in found.items() if kinds}


def _text(family: Family, own: list[Kind]) -> str:
    name = tr(family.value)
    if own == [Kind.OTHER]:
        return name
    listed = ", ".join(map(_letter, own)).strip()
    return f"{name} ({listed})"


def _letter(kind: Kind) -> str:
    """Return a kind's letter, with its meaning unless the family has the same name."""
    if family_of(kind).value == kind.value:
        return kind.letter
    return f"{kind.letter} {_word(kind)}"


def _word(kind: Kind) -> str:
    return tr("update") if kind is Kind.STEP else tr(kind.value)
