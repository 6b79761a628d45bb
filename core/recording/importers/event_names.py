"""Meaning of events' names: collectives and copies of memory."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools
from core.plan.task import ABSENT, KIND_CODES, Kind

Encoded = TypeVar("Encoded", bound=Hashable)
# A kernel's name without return type, template arguments and parameters, which may contain other
# names.
_FUNCTION = re.compile(r"^(?:void )?([^<(]*)")
_LIBRARY = re.compile(
    r"^(?:\w+::)*(?:nccl|rccl|msccl|gloo|mpi|ucc|oneccl|hccl|hcom_|nvshmem|cross_device_reduce)",
    re.IGNORECASE,
)
# Dispatch and combine of a mixture of experts: all ranks send rows to the experts and back.
_EXPERTS = re.compile(
    r"^(?:\w+::)*(?:deep_ep|dpsk::ep|internode\w*|intranode\w*)::(?!.*\bget_dispatch_layout)",
    re.IGNORECASE,
)
# Kernels that run any collective, of which nothing more is in the name.
_ANY_COLLECTIVE = re.compile(r"_generic|^(?:\w+::)*msccl", re.IGNORECASE)
SEND_RECV = re.compile(r"send_?recv", re.IGNORECASE)
"""Kernels of a library that are part of an all-to-all, or copy from one rank to another."""
ALL_TO_ALL = re.compile(r"all_?to_?all", re.IGNORECASE)
SENDS = re.compile(r"^(?:(?:nccl|rccl|c10d|gloo)::?)?i?(?:send|recv)(?![a-z])", re.IGNORECASE)
"""Calls and annotations of a transfer between two ranks."""
CALL = re.compile(r"^(?:nccl|rccl|c10d|gloo)::?", re.IGNORECASE)
"""Calls and annotations of communication."""
# The first match counts: `reduce` and `scatter` are also parts of the names above them.
_COLLECTIVES = (
    (ALL_TO_ALL, Kind.ALL_TO_ALL),
    (re.compile(r"all_?reduce|cross_device_reduce", re.IGNORECASE), Kind.ALL_REDUCE),
    (re.compile(r"all_?gather", re.IGNORECASE), Kind.ALL_GATHER),
    (re.compile(r"reduce_?scatter", re.IGNORECASE), Kind.REDUCE_SCATTER),
    (re.compile(r"broadcast", re.IGNORECASE), Kind.BROADCAST),
    (re.compile(r"barrier", re.IGNORECASE), Kind.BARRIER),
    (re.compile(r"scatter", re.IGNORECASE), Kind.SCATTER),
    (re.compile(r"gather", re.IGNORECASE), Kind.GATHER),
    (re.compile(r"reduce", re.IGNORECASE), Kind.REDUCE),
)
_KIND_NAMES = {str(kind): code for kind, code in KIND_CODES.items()}
MEMORY_COPY = re.compile(
    r"^mem(?:cpy|set)(?:\b|_async)|^\[?cuda mem(?:cpy|set)|^(?:s|pcie_)?dma(?:\b|_)", re.IGNORECASE
)
"""Names of copies and fills of memory."""


def kind_from_name(name: str) -> Kind:
    """Return the kind of a task by its name: communication of a library, or OTHER.

    Calls of a library that are not collectives, such as send and receive, are copies. Kernels that
    run any collective are COLLECTIVE.
    """
    match = _FUNCTION.match(name)
    function = "" if match is None else match[1]
    if _EXPERTS.match(function):
        return Kind.ALL_TO_ALL
    if not _LIBRARY.match(function):
        return Kind.OTHER
    named = collective_in(function)
    if named is not None:
        return named
    if _ANY_COLLECTIVE.search(function):
        return Kind.COLLECTIVE
    return Kind.COPY


def collective_in(text: str) -> Kind | None:
    """Return the collective that a text names, or None."""
    for pattern, kind in _COLLECTIVES:
        if pattern.search(text):
            return kind
    return None


def kinds_from_names(names: Iterable[str]) -> NDArray[np.int8]:
    """Return the kind of each name, as a position in KINDS."""
    return np.array([KIND_CODES[kind_from_name(name)] for name in names], np.int8)


def kinds_from_categories(categories: Iterable[str | None]) -> NDArray[np.int8]:
    """Return the kind of each category in Bubblescope's exports; ABSENT for other categories."""
    return np.array([_KIND_NAMES.get(name or "", ABSENT) for name in categories], np.int8)


def encode_values(values: Sequence[Encoded], codes: dict[Encoded, int]) -> NDArray[np.int32]:
    """Return the number of each value, and add new values to `codes` in order of appearance."""
    # There are few distinct values, and the loop in np.fromiter runs without Python code.
    distinct = dict.fromkeys(values)
    for value in distinct:
        codes.setdefault(value, len(codes))
    if len(distinct) == 1:  # an argument that no event of a piece has, or one category for all
        return np.full(len(values), codes[values[0]], np.int32)
    return np.fromiter(map(codes.__getitem__, values), np.int32, len(values))


def matches(names: Iterable[str], pattern: re.Pattern[str]) -> Bools:
    """Return a mask of the names in which the pattern is found."""
    return np.array([pattern.search(name) is not None for name in names], np.bool_)
