"""A task: what it does, on what, and what it waits for; one by one, and as columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from itertools import chain, pairwise
from typing import Any, NamedTuple, SupportsInt

import numpy as np
from numpy.typing import NDArray

from core.errors import PlanError

ABSENT = -1
"""What stands in a column for a number that does not apply."""


def known(value: SupportsInt) -> int | None:
    """A number of a column; None where it does not apply."""
    number = int(value)
    return None if number == ABSENT else number


class Kind(StrEnum):
    """What a task does. The order is the wire's dictionary: append only.

    `OTHER` is work that no plan names, in recordings that other programs made: see its name. Nor
    does a plan have an `ALL_TO_ALL`, in which each rank sends a part to every other one. A job
    waits for the `DATA` of its next batch, and `RECOMPUTE`s in its backward pass what it did not
    keep of the forward pass.
    """

    SCATTER = "scatter"
    REPLICATE = "replicate"
    FORWARD = "forward"
    GATHER = "gather"
    LOSS = "loss"
    BACKWARD = "backward"
    BACKWARD_INPUT = "backward-input"
    BACKWARD_WEIGHT = "backward-weight"
    REDUCE = "reduce"
    ALL_REDUCE = "all-reduce"
    COPY = "copy"
    STEP = "step"
    OVERLAP = "overlap"
    ALL_GATHER = "all-gather"
    REDUCE_SCATTER = "reduce-scatter"
    OTHER = "other"
    DATA = "data"
    RECOMPUTE = "recompute"
    ALL_TO_ALL = "all-to-all"

    @property
    def letter(self) -> str:
        """The letter drawn in a bar; F, B, I and W are the pipeline literature's."""
        return _LETTERS[self]

    @property
    def is_communication(self) -> bool:
        """Whether the task moves data between lanes instead of computing."""
        return self in _COMMUNICATION

    @property
    def is_collective(self) -> bool:
        """Whether every replica takes part in the task at the same time."""
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
}
_COLLECTIVE = frozenset({Kind.ALL_REDUCE, Kind.ALL_GATHER, Kind.REDUCE_SCATTER, Kind.ALL_TO_ALL})
_COMMUNICATION = _COLLECTIVE | {
    Kind.SCATTER, Kind.REPLICATE, Kind.GATHER, Kind.REDUCE, Kind.COPY, Kind.DATA,
}  # fmt: skip
KINDS: tuple[Kind, ...] = tuple(Kind)
_UNPLANNED = frozenset({Kind.OTHER, Kind.DATA, Kind.RECOMPUTE, Kind.ALL_TO_ALL})
PLANNED = tuple(kind for kind in KINDS if kind not in _UNPLANNED)
"""What a task of a plan can be; the others are in recordings alone."""
KIND_CODES: dict[Kind, int] = {kind: code for code, kind in enumerate(KINDS)}


def among(*kinds: Kind) -> NDArray[np.bool_]:
    """Whether each of KINDS is one of `kinds`: `among(...)[codes]` is the answer for each code."""
    return np.array([kind in kinds for kind in KINDS])


IS_COMMUNICATION, IS_COLLECTIVE = among(*_COMMUNICATION), among(*_COLLECTIVE)
"""Whether each kind, by its index in KINDS, moves data; and whether it is a collective."""
ENTERS = among(Kind.FORWARD, Kind.OVERLAP)
"""Whether each kind, by its index in KINDS, passes rows forward."""
PASSES = among(Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT, Kind.OVERLAP)
"""Whether each kind, by its index in KINDS, passes a micro-batch through a stage or block."""


class Payload(StrEnum):
    """What a task moves or works on: a scatter of inputs differs in it from one of gradients.

    So does an all-reduce say what it sums: gradients of parameters, or activations. Parameters are
    gathered for the forward pass and, where they were given up after it, again for the backward
    pass. The order is the wire's dictionary: append only.
    """

    NONE = ""
    INPUT = "input"
    ACTIVATION = "activation"
    OUTPUT = "output"
    GRADIENT = "gradient"
    PARAMETERS = "parameters"
    PARAMETER_GRADIENTS = "parameter gradients"
    PARAMETERS_AGAIN = "parameters again"


PAYLOADS: tuple[Payload, ...] = tuple(Payload)
PAYLOAD_CODES: dict[Payload, int] = {payload: code for code, payload in enumerate(PAYLOADS)}


class Task(NamedTuple):
    """A planned unit of work.

    `replica`, `stage`, `shard`, `microbatch`, `block` and `bucket` are None where they do not
    apply, or where the task covers all of them (of stages that are not divided, the one shard).
    `bytes` is what the task moves (0 for compute). `after` holds the indices of the tasks that it
    waits for; order on its own lane is implied. An overlap is the forward of `stage` and
    `microbatch` and, at once, the backward of `paired_stage` and `paired_microbatch`.
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

    def __str__(self) -> str:
        """The textbook action (`2F1`) where there is one, else the letter and what it covers."""
        if self.kind is Kind.OVERLAP:
            forward = f"{self.stage}F{self.microbatch}"
            return f"({forward};{self.paired_stage}B{self.paired_microbatch})OVERLAP_F_B"
        numbers = (self.stage if self.block is None else self.block, self.microbatch)
        before, behind = ("" if n is None else str(n) for n in numbers)
        if self.bucket is not None:
            behind = str(self.bucket)
        return f"{before}{self.kind.letter}{behind}"


@dataclass(frozen=True, slots=True, eq=False)
class TaskColumns:
    """The n tasks of a plan or a step as columns of n entries, in the plan's order.

    `kind` indexes KINDS and `payload` PAYLOADS; numbers that do not apply are -1 (ABSENT). What
    entry i waits for are the entries `after[after_first[i] : after_first[i + 1]]`, positions in
    these columns, all smaller than i. On its lane an entry comes after those of smaller position
    on the same lane.
    """

    kind: NDArray[np.int8]
    lane: NDArray[np.int32]
    stage: NDArray[np.int32]
    replica: NDArray[np.int32]
    microbatch: NDArray[np.int32]
    block: NDArray[np.int32]
    bucket: NDArray[np.int32]
    rows: NDArray[np.int64]
    bytes: NDArray[np.int64]
    payload: NDArray[np.int8]
    paired_stage: NDArray[np.int32]
    paired_microbatch: NDArray[np.int32]
    shard: NDArray[np.int32]
    # Rows of different lengths in two flat arrays, as in sparse matrices (CSR): task 2 waits for 0
    # and 1, the others for none, is after_first (0, 0, 0, 2) and after (0, 1).
    after_first: NDArray[np.int64]
    after: NDArray[np.int64]

    @classmethod
    def of(cls, tasks: Sequence[Task]) -> TaskColumns:
        """The columns of tasks whose indices are their places."""
        values = {name: [getattr(task, name) for task in tasks] for name in Task._fields}
        values["kind"] = [KIND_CODES[kind] for kind in values["kind"]]
        values["payload"] = [PAYLOAD_CODES[payload] for payload in values["payload"]]
        plain = {
            name: np.array([ABSENT if n is None else n for n in values[name]], dtype)
            for name, dtype in COLUMN_TYPES.items()
        }
        needs = values["after"]
        return cls(
            **plain,
            after_first=np.cumsum([0, *map(len, needs)]),
            after=np.fromiter(chain.from_iterable(needs), np.int64),
        )

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def paired_rows(self) -> NDArray[np.int64]:
        """The rows of each task's backward: see `backward_rows`."""
        return backward_rows(
            self.kind, self.replica, self.microbatch, self.paired_microbatch, self.rows
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TaskColumns) and all(
            np.array_equal(getattr(self, column.name), getattr(other, column.name))
            for column in fields(TaskColumns)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays can be written to

    def __getitem__(self, place: int) -> Task:
        """An entry as a task. Raises IndexError."""
        # Counts negative places from the end, and refuses those beyond, as a list does.
        place = range(len(self))[place]
        return self.tasks(place, place + 1)[0]

    def tasks(self, first: int = 0, last: int | None = None) -> tuple[Task, ...]:
        """Every entry from `first` to `last` (exclusive) as a task."""
        last = len(self) if last is None else last
        ends = self.after_first[first : last + 1].tolist()
        values: dict[str, Iterable[Any]] = {
            name: [None if n == ABSENT else n for n in getattr(self, name)[first:last].tolist()]
            for name in COLUMN_TYPES
        }
        values["kind"] = map(KINDS.__getitem__, self.kind[first:last].tolist())
        values["payload"] = map(PAYLOADS.__getitem__, self.payload[first:last].tolist())
        values["index"] = range(first, last)
        values["after"] = (tuple(self.after[i:j].tolist()) for i, j in pairwise(ends))
        # Without a loop in Python for each task: a plan may have a million.
        return tuple(map(Task._make, zip(*(values[name] for name in Task._fields), strict=True)))


COLUMN_TYPES: dict[str, type[np.signedinteger[Any]]] = {
    **dict.fromkeys(("kind", "payload"), np.int8),
    **dict.fromkeys(
        ("lane", "stage", "replica", "microbatch", "block", "bucket", "paired_stage",
         "paired_microbatch", "shard"),
        np.int32,
    ),
    **dict.fromkeys(("rows", "bytes"), np.int64),
}  # fmt: skip
"""The types of TaskColumns' columns, beside those of what tasks wait for."""


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
    """Append a task to a plan's; returns the index by which later tasks wait for this one.

    Raises PlanError if it waits for a task that is not there yet.
    """
    # Each once: who needs two values of one task names it twice.
    index, needs = len(tasks), tuple(dict.fromkeys(after))
    for other in needs:
        if not 0 <= other < index:
            raise PlanError(f"task {index} ({kind}) waits for task {other}, which comes later")
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
    rows: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The rows of each task's backward: in an overlap those of the micro-batch that it ends.

    All have n entries, one a task of a plan; the very `rows` where no tasks overlap.
    """
    overlaps = np.flatnonzero(kind == KINDS.index(Kind.OVERLAP))
    if not len(overlaps):
        return rows
    begun = np.flatnonzero(ENTERS[kind])
    # Replica and micro-batch as one number, to look it up in a sorted list.
    place_of, found = replica.astype(np.int64) << 32, rows.copy()
    known, first = np.unique(place_of[begun] + microbatch[begun], return_index=True)
    wanted = place_of[overlaps] + paired_microbatch[overlaps]
    # A micro-batch whose forward is not in the plan is searched behind the end; it is told apart
    # below, where what was found is not what was wanted.
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    found[overlaps] = np.where(known[place] == wanted, rows[begun[first[place]]], rows[overlaps])
    return found
