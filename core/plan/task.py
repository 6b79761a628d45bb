"""Tasks: kind, place and dependencies of a unit of work, as objects and as columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from itertools import chain, pairwise
from typing import Any, NamedTuple, SupportsInt

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.errors import PlanError
from core.message import N_, message

ABSENT = -1
"""The value of a column for numbers that do not apply."""


def known(value: SupportsInt) -> int | None:
    """Convert a column's value to int; None for ABSENT."""
    number = int(value)
    return None if number == ABSENT else number


def nullable_ints(column: NDArray[Any]) -> list[int | None]:
    """Return the values of a column as a list, with None for ABSENT."""
    return [None if number == ABSENT else number for number in column.tolist()]


def int_column(numbers: Iterable[int | None], dtype: type[np.signedinteger[Any]]) -> NDArray[Any]:
    """Return numbers as a column of a type, with ABSENT for None."""
    filled = [ABSENT if number is None else number for number in numbers]
    return np.array(filled, dtype)


class Kind(StrEnum):
    """The kind of a task's work. Files store positions in this order: append only.

    Seven kinds occur in recordings but not in plans. `OTHER` is work that only its name describes,
    recorded by another program. In an `ALL_TO_ALL` each rank sends a part to every other one. A
    `BROADCAST` sends the data of one rank to the others, and in a `BARRIER` ranks only wait for
    each other. A `COLLECTIVE` is one of unknown kind, recorded by another program. `DATA` is a
    job's wait for its next batch, and `RECOMPUTE` repeats, in the backward pass, parts of the
    forward pass that were not kept.
    """

    SCATTER = N_("scatter")
    REPLICATE = N_("replicate")
    FORWARD = N_("forward")
    GATHER = N_("gather")
    LOSS = N_("loss")
    BACKWARD = N_("backward")
    BACKWARD_INPUT = N_("backward-input")
    BACKWARD_WEIGHT = N_("backward-weight")
    REDUCE = N_("reduce")
    ALL_REDUCE = N_("all-reduce")
    COPY = N_("copy")
    STEP = N_("step")
    OVERLAP = N_("overlap")
    ALL_GATHER = N_("all-gather")
    REDUCE_SCATTER = N_("reduce-scatter")
    OTHER = N_("other")
    DATA = N_("data")
    RECOMPUTE = N_("recompute")
    ALL_TO_ALL = N_("all-to-all")
    BROADCAST = N_("broadcast")
    BARRIER = N_("barrier")
    COLLECTIVE = N_("collective")

    @property
    def letter(self) -> str:
        """The letters drawn in a bar; F, B, I and W are as in the pipeline literature."""
        return _LETTERS[self]

    @property
    def is_communication(self) -> bool:
        """True if the task moves data or waits for it instead of computing."""
        return self in _COMMUNICATION

    @property
    def is_collective(self) -> bool:
        """True if every replica takes part in the task at the same time."""
        return self in _COLLECTIVE


_LETTERS = {
    Kind.SCATTER: "S",
    Kind.REPLICATE: "R",
    Kind.FORWARD: "F",
    Kind.GATHER: "G",
    Kind.LOSS: "L",
    Kind.BACKWARD: "B",
    Kind.BACKWARD_INPUT: "I",
    Kind.BACKWARD_WEIGHT: "W",
    Kind.REDUCE: "Σ",
    Kind.ALL_REDUCE: "A",
    Kind.COPY: "C",
    Kind.STEP: "U",
    Kind.OVERLAP: "FB",
    Kind.ALL_GATHER: "AG",
    Kind.REDUCE_SCATTER: "RS",
    Kind.OTHER: "",
    Kind.DATA: "D",
    Kind.RECOMPUTE: "RF",
    Kind.ALL_TO_ALL: "AA",
    Kind.BROADCAST: "BC",
    Kind.BARRIER: "BR",
    Kind.COLLECTIVE: "CO",
}
_UNPLANNED_COLLECTIVE = frozenset({Kind.ALL_TO_ALL, Kind.BROADCAST, Kind.BARRIER, Kind.COLLECTIVE})
_COLLECTIVE = _UNPLANNED_COLLECTIVE | {Kind.ALL_REDUCE, Kind.ALL_GATHER, Kind.REDUCE_SCATTER}
_TRANSFERS = frozenset({Kind.SCATTER, Kind.REPLICATE, Kind.GATHER, Kind.REDUCE, Kind.COPY})
_COMMUNICATION = _COLLECTIVE | _TRANSFERS | {Kind.DATA}
KINDS: tuple[Kind, ...] = tuple(Kind)
_UNPLANNED = _UNPLANNED_COLLECTIVE | {Kind.OTHER, Kind.DATA, Kind.RECOMPUTE}
PLANNED = tuple(kind for kind in KINDS if kind not in _UNPLANNED)
"""The kinds of planned tasks; the others occur in recordings only."""
KIND_CODES: dict[Kind, int] = {kind: code for code, kind in enumerate(KINDS)}


def among(*kinds: Kind) -> Bools:
    """Return a mask over KINDS, True for `kinds`; index it with an array of codes."""
    return np.array([kind in kinds for kind in KINDS])


IS_COMMUNICATION = among(*_COMMUNICATION)
"""Mask over KINDS: kinds that move data."""
IS_COLLECTIVE = among(*_COLLECTIVE)
"""Mask over KINDS: collectives."""
ENTERS = among(Kind.FORWARD, Kind.OVERLAP)
"""Mask over KINDS: kinds with a forward pass."""
PASSES = among(Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT, Kind.OVERLAP)
"""Mask over KINDS: kinds that pass a micro-batch through a stage or block."""


class Payload(StrEnum):
    """The data that a task moves or works on.

    It distinguishes a scatter of inputs from one of gradients, and an all-reduce of parameter
    gradients from one of activations. Parameters that are freed after the forward pass are gathered
    again for the backward pass (PARAMETERS_AGAIN). Files store positions in this order: append
    only.
    """

    NONE = ""
    INPUT = N_("input")
    ACTIVATION = N_("activation")
    OUTPUT = N_("output")
    GRADIENT = N_("gradient")
    PARAMETERS = N_("parameters")
    PARAMETER_GRADIENTS = N_("parameter gradients")
    PARAMETERS_AGAIN = N_("parameters again")


PAYLOADS: tuple[Payload, ...] = tuple(Payload)
PAYLOAD_CODES: dict[Payload, int] = {payload: code for code, payload in enumerate(PAYLOADS)}


class StagePlace(NamedTuple):
    """A shard of a stage of a replica."""

    replica: int
    stage: int
    shard: int


class Task(NamedTuple):
    """A planned unit of work.

    `replica`, `stage`, `shard`, `microbatch`, `block` and `bucket` are None if they do not apply or
    if the task covers all of them; so is `shard` in an undivided stage. `bytes` is the amount of
    data that the task moves (0 for compute). `after` holds the indices of the tasks that it waits
    for; the order on its lane is implied. An overlap runs the forward of `stage` and `microbatch`
    together with the backward of `paired_stage` and `paired_microbatch`.
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which has no use here
    kind: Kind
    lane: int
    stage: int | None = None
    replica: int | None = None
    microbatch: int | None = None
    block: int | None = None
    bucket: int | None = None
    rows: int = 0
    bytes: int = 0
    payload: Payload = Payload.NONE
    after: tuple[int, ...] = ()
    paired_stage: int | None = None
    paired_microbatch: int | None = None
    shard: int | None = None

    @property
    def place(self) -> StagePlace:
        """Replica, stage and shard of the task, each 0 if it does not apply."""
        return StagePlace(self.replica or 0, self.stage or 0, self.shard or 0)

    def __str__(self) -> str:
        """Return the textbook notation (`2F1`): stage or block, letter, micro-batch or bucket."""
        if self.kind is Kind.OVERLAP:
            forward = f"{self.stage}F{self.microbatch}"
            return f"({forward};{self.paired_stage}B{self.paired_microbatch})OVERLAP_F_B"
        before = self.stage if self.block is None else self.block
        after = self.microbatch if self.bucket is None else self.bucket
        prefix = "" if before is None else str(before)
        suffix = "" if after is None else str(after)
        return f"{prefix}{self.kind.letter}{suffix}"


@dataclass(frozen=True, slots=True, eq=False)
class TaskColumns:
    """The n tasks of a plan or a step as arrays of shape (n,), in the plan's order.

    `kind` indexes KINDS and `payload` PAYLOADS; numbers that do not apply are -1 (ABSENT). Entry i
    waits for the entries `after[after_first[i] : after_first[i + 1]]`, positions in these columns
    that are smaller than i. A lane runs its entries in order of position.
    """

    kind: NDArray[np.int8]
    lane: NDArray[np.int32]
    stage: NDArray[np.int32]
    replica: NDArray[np.int32]
    microbatch: NDArray[np.int32]
    block: NDArray[np.int32]
    bucket: NDArray[np.int32]
    rows: Ints
    bytes: Ints
    payload: NDArray[np.int8]
    paired_stage: NDArray[np.int32]
    paired_microbatch: NDArray[np.int32]
    shard: NDArray[np.int32]
    # Compressed sparse rows, as in sparse matrices (CSR): if task 2 waits for 0 and 1, and the
    # others for none, after_first is (0, 0, 0, 2) and after is (0, 1).
    after_first: Ints
    after: Ints

    @classmethod
    def of(cls, tasks: Sequence[Task]) -> TaskColumns:
        """Return the columns of `tasks`; the index of each task must be its position."""
        values: dict[str, list[Any]] = {}
        for name in Task._fields:
            values[name] = [getattr(task, name) for task in tasks]
        values["kind"] = [KIND_CODES[kind] for kind in values["kind"]]
        values["payload"] = [PAYLOAD_CODES[payload] for payload in values["payload"]]
        plain = {}
        for name, dtype in COLUMN_TYPES.items():
            plain[name] = int_column(values[name], dtype)
        needs = values["after"]
        return cls(
            **plain,
            after_first=np.cumsum([0, *map(len, needs)]),
            after=np.fromiter(chain.from_iterable(needs), np.int64),
        )

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def waiters(self) -> Ints:
        """The position of the waiting task of each entry of `after`."""
        counts = np.diff(self.after_first)
        return np.repeat(np.arange(len(self)), counts)

    @property
    def paired_rows(self) -> Ints:
        """The rows of each task's backward, shape (n,); see `backward_rows`."""
        return backward_rows(
            self.kind, self.replica, self.microbatch, self.paired_microbatch, self.rows
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TaskColumns):
            return False
        for column in fields(TaskColumns):
            mine = getattr(self, column.name)
            if not np.array_equal(mine, getattr(other, column.name)):
                return False
        return True

    __hash__ = None  # type: ignore[assignment]  # arrays can be written to

    def __getitem__(self, place: int) -> Task:
        """Return an entry as a task. Raises IndexError."""
        # Handles negative and out-of-range places as a list does.
        place = range(len(self))[place]
        return self.tasks(place, place + 1)[0]

    def tasks(self, first: int = 0, last: int | None = None) -> tuple[Task, ...]:
        """Return the entries from `first` to `last` (exclusive) as tasks."""
        last = len(self) if last is None else last
        ends = self.after_first[first : last + 1].tolist()
        values: dict[str, Iterable[Any]] = {}
        for name in COLUMN_TYPES:
            numbers = getattr(self, name)[first:last]
            values[name] = nullable_ints(numbers)
        kinds = self.kind[first:last].tolist()
        payloads = self.payload[first:last].tolist()
        values["kind"] = map(KINDS.__getitem__, kinds)
        values["payload"] = map(PAYLOADS.__getitem__, payloads)
        values["index"] = range(first, last)
        values["after"] = (tuple(self.after[i:j].tolist()) for i, j in pairwise(ends))
        # `map` instead of a loop for speed: a plan may have a million tasks.
        in_order = (values[name] for name in Task._fields)
        return tuple(map(Task._make, zip(*in_order, strict=True)))


COLUMN_TYPES: dict[str, type[np.signedinteger[Any]]] = {
    "kind": np.int8,
    "payload": np.int8,
    "lane": np.int32,
    "stage": np.int32,
    "replica": np.int32,
    "microbatch": np.int32,
    "block": np.int32,
    "bucket": np.int32,
    "paired_stage": np.int32,
    "paired_microbatch": np.int32,
    "shard": np.int32,
    "rows": np.int64,
    "bytes": np.int64,
}
"""The types of TaskColumns' columns, except `after_first` and `after`."""


def add_task(
    tasks: list[Task],
    kind: Kind,
    lane: int,
    after: Sequence[int] = (),
    *,
    stage: int | None = None,
    replica: int | None = None,
    shard: int | None = None,
    microbatch: int | None = None,
    block: int | None = None,
    bucket: int | None = None,
    rows: int = 0,
    bytes: int = 0,
    payload: Payload = Payload.NONE,
) -> int:
    """Append a task to `tasks` and return its index, for the `after` of later tasks.

    `after` may repeat a task. Raises PlanError if it names a task that is not in `tasks` yet.
    """
    index = len(tasks)
    needs = tuple(dict.fromkeys(after))
    for other in needs:
        if not 0 <= other < index:
            raise PlanError(
                message(
                    "task {index} ({kind}) waits for task {other}, which comes later",
                    index=index,
                    kind=kind,
                    other=other,
                )
            )
    tasks.append(
        Task(
            index,
            kind,
            lane,
            stage,
            replica,
            microbatch,
            block,
            bucket,
            rows,
            bytes,
            payload,
            needs,
            shard=shard,
        )
    )
    return index


def backward_rows(
    kind: NDArray[np.int8],
    replica: NDArray[Any],
    microbatch: NDArray[np.int32],
    paired_microbatch: NDArray[np.int32],
    rows: Ints,
) -> Ints:
    """Return the rows of each task's backward; all arrays have shape (n,), one entry per task.

    The backward of an overlap has the rows of its paired micro-batch; all other tasks have the
    same rows in both directions. Returns `rows` itself if no tasks overlap.
    """
    overlaps = np.flatnonzero(kind == KINDS.index(Kind.OVERLAP))
    if not len(overlaps):
        return rows
    begun = np.flatnonzero(ENTERS[kind])
    # Replica and micro-batch as one number, as the key of a sorted table.
    place_of = replica.astype(np.int64) << 32
    found = rows.copy()
    known, first = np.unique(place_of[begun] + microbatch[begun], return_index=True)
    wanted = place_of[overlaps] + paired_microbatch[overlaps]
    # The plan may lack the forward of a micro-batch: searchsorted then finds another key, or one
    # past the end.
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    is_known = known[place] == wanted
    forward = begun[first[place]]
    found[overlaps] = np.where(is_known, rows[forward], rows[overlaps])
    return found
