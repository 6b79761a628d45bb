"""Passes of a pipeline by the annotations around the calls that launch a profiler's tasks.

Such annotations name a pass by its letter, `attn (F)`, with a micro-batch as in `attn (F3)` or
`attn (F) 3`; as torch.distributed.pipelining does, `Forward 3` or `PP:2F3` (stage 2); or a forward
and a backward that run together, `PP:(2F3;5B1)OVERLAP_F_B`. F is a forward pass, B a backward pass,
and I and W are its parts for the input and the weights.

A task gets its kind from the innermost annotation of a single pass. It gets its stage and its
micro-batch from the innermost annotation that has them for its direction. Autograd launches
backward passes from another thread. So if only one thread has annotations, they also apply to the
calls that other threads make at the same time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.plan.task import ABSENT, KIND_CODES, Kind
from core.recording.importers.event_names import MEMORY_COPY, matches
from core.recording.importers.nesting import depths

MOST_DEPTHS = 16
"""Largest number of nested annotations around a call that are read."""
_KIND_OF_LETTER = {
    "F": Kind.FORWARD,
    "B": Kind.BACKWARD,
    "I": Kind.BACKWARD_INPUT,
    "W": Kind.BACKWARD_WEIGHT,
}
_LETTER = re.compile(r"\(([FBIW])(\d{0,9})\)(?:[ #]*(\d{1,9}))?$")
_WORD = re.compile(r"^(Forward|Backward) (\d{1,9})$")
_ACTION = re.compile(r"^(?:PP:)?(\d{1,4})([FBIW])(\d{1,9})$")
_OVERLAP = re.compile(r"^(?:PP:)?\((\d{1,4}F\d{1,9});(\d{1,4}[BI]\d{1,9})\)OVERLAP_F_B$")
_FORWARD, _BACKWARD = range(2)


_Pair = tuple[int | None, int | None]
"""A number for the forward pass, and one for the backward pass; None if it is unknown."""


@dataclass(frozen=True, slots=True)
class AnnotatedPass:
    """The pass that an annotation names; missing values are None.

    `stage` and `microbatch` have a value for the forward and one for the backward pass. An
    annotation of both has no `kind`.
    """

    kind: Kind | None
    stage: _Pair = (None, None)
    microbatch: _Pair = (None, None)


@dataclass(frozen=True, slots=True)
class PassMarks:
    """The n annotations of passes as arrays; times are ns, and numbers ABSENT if they are unknown.

    `kind` is a position in KINDS or ABSENT. `stage` and `microbatch`, shape (n, 2), have
    a column for the forward and one for the backward pass.
    """

    thread: Ints
    start: Ints
    end: Ints
    kind: Ints
    stage: Ints
    microbatch: Ints

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        name: NDArray[np.int32],
        thread: NDArray[np.int32],
        start: Ints,
        end: Ints,
        is_annotation: Bools,
    ) -> PassMarks:
        """Return the annotations of passes among events; `name` has positions in `names`."""
        count = len(names)
        # The last entry is for events without a name, which are -1.
        names_pass = np.zeros(count + 1, np.bool_)
        kind = np.full(count, ABSENT, np.int64)
        stage = np.full((count, 2), ABSENT, np.int64)
        microbatch = np.full((count, 2), ABSENT, np.int64)
        for place, text in enumerate(names):
            found = annotated_pass(text)
            if found is None:
                continue
            names_pass[place] = True
            if found.kind is not None:
                kind[place] = KIND_CODES[found.kind]
            stage[place] = _numbers(found.stage)
            microbatch[place] = _numbers(found.microbatch)
        is_mark = is_annotation & names_pass[name]
        mine = np.flatnonzero(is_mark)
        order = np.lexsort((-end[mine], start[mine]))
        mine = mine[order]
        code = name[mine]
        return cls(
            thread=thread[mine].astype(np.int64),
            start=start[mine],
            end=end[mine],
            kind=kind[code],
            stage=stage[code],
            microbatch=microbatch[code],
        )

    def __len__(self) -> int:
        return len(self.start)

    def picked(self, places: Ints) -> PassMarks:
        """Return some of the annotations."""
        return PassMarks(
            thread=self.thread[places],
            start=self.start[places],
            end=self.end[places],
            kind=self.kind[places],
            stage=self.stage[places],
            microbatch=self.microbatch[places],
        )


@dataclass(frozen=True, slots=True)
class LaunchedPasses:
    """The passes of n calls: kind, stage and micro-batch, ABSENT for calls outside of passes."""

    kind: Ints
    stage: Ints
    microbatch: Ints


def annotated_pass(name: str) -> AnnotatedPass | None:
    """Return the pass that an annotation names, or None."""
    match = _LETTER.search(name)
    if match is not None:
        letter = match[1]
        number = match[2] or match[3]
        microbatch = int(number) if number else None
        return _one_pass(letter, None, microbatch)
    match = _WORD.match(name)
    if match is not None:
        word, number = match.groups()
        return _one_pass(word[0], None, int(number))
    match = _ACTION.match(name)
    if match is not None:
        stage, letter, number = match.groups()
        return _one_pass(letter, int(stage), int(number))
    match = _OVERLAP.match(name)
    if match is None:
        return None
    forward = annotated_pass(match[1])
    backward = annotated_pass(match[2])
    assert forward is not None and backward is not None
    stages = forward.stage[_FORWARD], backward.stage[_BACKWARD]
    microbatches = forward.microbatch[_FORWARD], backward.microbatch[_BACKWARD]
    return AnnotatedPass(
        kind=None,
        stage=stages,
        microbatch=microbatches,
    )


def _one_pass(letter: str, stage: int | None, microbatch: int | None) -> AnnotatedPass:
    if letter == "F":
        return AnnotatedPass(
            kind=Kind.FORWARD,
            stage=(stage, None),
            microbatch=(microbatch, None),
        )
    kind = _KIND_OF_LETTER[letter]
    return AnnotatedPass(
        kind=kind,
        stage=(None, stage),
        microbatch=(None, microbatch),
    )


def _numbers(pair: _Pair) -> list[int]:
    return [ABSENT if number is None else number for number in pair]


def passes_of_calls(marks: PassMarks, thread: NDArray[np.int32], moment: Ints) -> LaunchedPasses:
    """Return the passes of n calls, given their threads and their starts in ns."""
    count = len(moment)
    kind = np.full(count, ABSENT, np.int64)
    stage = np.full((count, 2), ABSENT, np.int64)
    microbatch = np.full((count, 2), ABSENT, np.int64)
    threads = np.unique(marks.thread)
    for number in threads.tolist():
        is_own = marks.thread == number
        own_marks = marks.picked(np.flatnonzero(is_own))
        is_mine = thread == number
        if len(threads) == 1:
            # The only thread with annotations also annotates the calls of all others.
            is_mine |= thread != number
        calls = np.flatnonzero(is_mine)
        moment_of_call = moment[calls]
        depth, _ = depths(own_marks.start, own_marks.end)
        # Inner annotations follow outer ones, and replace their values.
        deepest = int(depth.max())
        levels = min(deepest + 1, MOST_DEPTHS)
        for level in range(levels):
            is_on_level = depth == level
            level_marks = own_marks.picked(np.flatnonzero(is_on_level))
            place = np.searchsorted(level_marks.start, moment_of_call, "right") - 1
            is_inside = place >= 0
            is_inside &= level_marks.end[place] > moment_of_call
            inside = calls[is_inside]
            inner = level_marks.picked(place[is_inside])
            kind[inside] = _known_or(inner.kind, kind[inside])
            stage[inside] = _known_or(inner.stage, stage[inside])
            microbatch[inside] = _known_or(inner.microbatch, microbatch[inside])
    is_forward = kind == KIND_CODES[Kind.FORWARD]
    direction = np.where(is_forward, _FORWARD, _BACKWARD)
    every = np.arange(count)
    stage_of_pass = stage[every, direction]
    microbatch_of_pass = microbatch[every, direction]
    is_pass = kind != ABSENT
    return LaunchedPasses(
        kind=kind,
        stage=np.where(is_pass, stage_of_pass, ABSENT),
        microbatch=np.where(is_pass, microbatch_of_pass, ABSENT),
    )


def with_passes(
    names: Sequence[str],
    name: NDArray[np.int32],
    kind: NDArray[np.int8],
    task: Ints,
    passes: LaunchedPasses,
) -> tuple[NDArray[np.int8], dict[str, NDArray[Any]]]:
    """Return the kinds of n events and attributes for them, with the passes of some tasks.

    `name` has positions in `names`, and `task` the positions of the tasks that have `passes`. A
    task that communicates or copies memory keeps its kind and only gets the micro-batch, not the
    stage, because all members of a collective must have the same stage.
    """
    copies_memory = matches(names, MEMORY_COPY)
    is_copy = copies_memory[name[task]]
    is_compute = kind[task] == KIND_CODES[Kind.OTHER]
    is_compute &= ~is_copy
    is_compute &= passes.kind != ABSENT
    computing = task[is_compute]
    kind = kind.copy()
    kind[computing] = passes.kind[is_compute]
    stage = np.full(len(kind), ABSENT, np.int16)
    stage[computing] = passes.stage[is_compute]
    microbatch = np.full(len(kind), ABSENT, np.int32)
    microbatch[task] = passes.microbatch
    return kind, {"stage": stage, "microbatch": microbatch}


def _known_or(values: Ints, otherwise: Ints) -> Ints:
    """Return the values, with those of `otherwise` where they are ABSENT."""
    return np.where(values == ABSENT, otherwise, values)
