"""What the names of events say: collectives, transfers of memory, steps."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.plan.task import ABSENT, KIND_CODES, Kind
from core.recording.importers.found import NO_STEPS, Steps

Key = TypeVar("Key", bound=Hashable)
# A kernel's own name: without its return type, template arguments and parameters, in which other
# names occur.
_FUNCTION = re.compile(r"^(?:void )?([^<(]*)")
_LIBRARY = re.compile(
    r"^(?:\w+::)*(?:nccl|rccl|gloo|mpi|ucc|oneccl|hccl|hcom_|nvshmem|cross_device_reduce)",
    re.IGNORECASE,
)
# Experts of a mixture are sent their rows by all ranks (dispatch), which get them back (combine).
_EXPERTS = re.compile(
    r"^(?:\w+::)*(?:deep_ep|dpsk::ep|internode\w*|intranode\w*)::(?!.*\bget_dispatch_layout)",
    re.IGNORECASE,
)
SEND_RECV = re.compile(r"send_?recv", re.IGNORECASE)
"""Kernels of a library that may be part of an all-to-all, or copy from one rank to another."""
ALL_TO_ALL = re.compile(r"all_?to_?all", re.IGNORECASE)
SENDS = re.compile(r"^(?:(?:nccl|rccl|c10d|gloo)::?)?i?(?:send|recv)(?![a-z])", re.IGNORECASE)
"""Calls and annotations that send to one rank or receive from one."""
# The first that is found counts: `reduce` and `scatter` are also parts of the words above them.
_COLLECTIVES = (
    (ALL_TO_ALL, Kind.ALL_TO_ALL),
    (re.compile(r"all_?reduce|cross_device_reduce", re.IGNORECASE), Kind.ALL_REDUCE),
    (re.compile(r"all_?gather", re.IGNORECASE), Kind.ALL_GATHER),
    (re.compile(r"reduce_?scatter", re.IGNORECASE), Kind.REDUCE_SCATTER),
    (re.compile(r"broadcast", re.IGNORECASE), Kind.REPLICATE),
    (re.compile(r"scatter", re.IGNORECASE), Kind.SCATTER),
    (re.compile(r"gather", re.IGNORECASE), Kind.GATHER),
    (re.compile(r"reduce", re.IGNORECASE), Kind.REDUCE),
)
_OWN = {str(kind): code for kind, code in KIND_CODES.items()}
MEMORY = re.compile(r"^mem(?:cpy|set)\b|^\[?cuda mem(?:cpy|set)|^s?dma(?:\b|_)", re.IGNORECASE)
_PROFILER_STEP = re.compile(r"^ProfilerStep\s?#(\d+)$")
_OPTIMIZER = re.compile(r"^Optimizer\.step#")
RANGE = re.compile(r"^(?:train(?:ing)?[ _])?(?:step|iteration|iter)[ _#:=]*(\d+)$", re.IGNORECASE)
"""What a range is called that is no work, but a step or an iteration with its number."""


def kind_of(name: str) -> Kind:
    """What a task does by its name: communication of a library, or something OTHER.

    A library's call of another kind, as to send, receive or exchange, is a COPY.
    """
    function = _FUNCTION.match(name)
    own = "" if function is None else function[1]
    if _EXPERTS.match(own):
        return Kind.ALL_TO_ALL
    if not _LIBRARY.match(own):
        return Kind.OTHER
    return collective_of(own) or Kind.COPY


def collective_of(words: str) -> Kind | None:
    """The collective that some words name; None if they name none."""
    return next((kind for pattern, kind in _COLLECTIVES if pattern.search(words)), None)


def kinds_of(names: Iterable[str]) -> NDArray[np.int8]:
    """The kind of each name, as places in KINDS."""
    return np.array([KIND_CODES[kind_of(name)] for name in names], np.int8)


def own_kinds(categories: Iterable[str | None]) -> NDArray[np.int8]:
    """The kind that each category names, as those of Bubblescope's own exports do; else ABSENT."""
    return np.array([_OWN.get(name or "", ABSENT) for name in categories], np.int8)


def coded(values: Sequence[Key], codes: dict[Key, int]) -> NDArray[np.int32]:
    """The number of each value; new ones get the next numbers, in order of appearance."""
    # Each distinct value once, in order: they are few, and the loop below runs without Python code.
    distinct = dict.fromkeys(values)
    for value in distinct:
        codes.setdefault(value, len(codes))
    if len(distinct) == 1:  # an argument that no event of a piece has, or a category of all
        return np.full(len(values), codes[values[0]], np.int32)
    return np.fromiter(map(codes.__getitem__, values), np.int32, len(values))


def matching(names: Iterable[str], words: re.Pattern[str]) -> NDArray[np.bool_]:
    """Whether each name has the words."""
    return np.array([words.search(name) is not None for name in names], np.bool_)


def steps_of(
    names: tuple[str, ...], name: NDArray[np.int32], start: NDArray[np.int64],
    end: NDArray[np.int64],
) -> Steps:  # fmt: skip
    """The steps that events mark, given by their names (indices in `names`) and times in ns.

    By the profiler's own, else by the optimizer's calls, where a step ends with the last one of an
    iteration, else by ranges that are called step or iteration and a number.
    """
    by_profiler = _numbered(names, name, start, end, _PROFILER_STEP)
    if len(by_profiler.number):
        return by_profiler
    by_optimizer = _by_optimizer(names, name, start, end)
    return by_optimizer if len(by_optimizer.number) else _numbered(names, name, start, end, RANGE)


def _numbered(
    names: tuple[str, ...], name: NDArray[np.int32], start: NDArray[np.int64],
    end: NDArray[np.int64], words: re.Pattern[str],
) -> Steps:  # fmt: skip
    """Steps that have their number in a name: from the first start of one to its last end."""
    found = [words.match(text) for text in names]
    # Nine digits fit a column of 32 bits, however many the file has.
    number = np.array([ABSENT if one is None else int(one[1][:9]) for one in found], np.int64)[name]
    mine = number >= 0
    return _in_turn(Steps.spanning(number[mine], start[mine], end[mine]))


def _by_optimizer(
    names: tuple[str, ...], name: NDArray[np.int32], start: NDArray[np.int64],
    end: NDArray[np.int64],
) -> Steps:  # fmt: skip
    """Steps from one iteration's last call of an optimizer to the next one's."""
    calls = np.flatnonzero(matching(names, _OPTIMIZER)[name]) if len(names) else np.empty(0, int)
    if not len(calls):
        return NO_STEPS
    calls = calls[np.argsort(start[calls], kind="stable")]
    # A further iteration begins where an optimizer that has been called is called again.
    ends, seen = [0], set[int]()
    for place in calls.tolist():
        if int(name[place]) in seen:
            seen = set()
            ends.append(0)
        seen.add(int(name[place]))
        ends[-1] = int(end[place])
    begins = [int(start.min()), *ends[:-1]]
    return _in_turn(Steps(np.arange(len(ends)), np.array(begins), np.array(ends)))


def _in_turn(steps: Steps) -> Steps:
    """Steps whose starts grow with their numbers; others than those are none."""
    grows = np.flatnonzero(np.diff(np.maximum.accumulate(steps.start), prepend=-(1 << 62)) > 0)
    return Steps(steps.number[grows], steps.start[grows], steps.end[grows])
