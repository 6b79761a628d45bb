"""The words of a plan: kinds, lanes, parts of the batch, tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.models.description import ModelDescription

ABSENT = -1
"""What stands in a column for a number that does not apply."""


class PlanError(ValueError):
    """What was asked for cannot be planned; the message names the value and what is accepted."""


class Kind(StrEnum):
    """What a task does. The order is the wire's dictionary: append only.

    `OTHER` is work that no plan names, in recordings that other programs made: see its name. A job
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
}
_COLLECTIVE = frozenset({Kind.ALL_REDUCE, Kind.ALL_GATHER, Kind.REDUCE_SCATTER})
_COMMUNICATION = _COLLECTIVE | {
    Kind.SCATTER, Kind.REPLICATE, Kind.GATHER, Kind.REDUCE, Kind.COPY, Kind.DATA,
}  # fmt: skip
KINDS: tuple[Kind, ...] = tuple(Kind)
KIND_CODES: dict[Kind, int] = {kind: code for code, kind in enumerate(KINDS)}


def among(*kinds: Kind) -> NDArray[np.bool_]:
    """Whether each of KINDS is one of `kinds`: `among(...)[codes]` tells it of each code."""
    return np.array([kind in kinds for kind in KINDS])


IS_COMMUNICATION, IS_COLLECTIVE = among(*_COMMUNICATION), among(*_COLLECTIVE)
"""Whether each kind, by its index in KINDS, moves data; and whether it is a collective."""
ENTERS = among(Kind.FORWARD, Kind.OVERLAP)
"""Whether each kind, by its index in KINDS, passes rows forward."""


class Payload(StrEnum):
    """What a task moves or works on; tells a scatter of inputs from one of gradients.

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


class Role(StrEnum):
    """What a lane is for. A nested lane does nothing of its own: it tells the parts of tasks."""

    COMPUTE = "compute"
    COPY = "copy"
    COMMUNICATION = "communication"
    NESTED = "nested"


class Runner(StrEnum):
    """Who drives a plan: lanes follow it exactly; torch drives ranks, and the plan expects."""

    LANES = "lanes"
    RANKS = "ranks"


@dataclass(frozen=True, slots=True)
class Lane:
    """One row that executes its tasks in order.

    `device` is hardware (`cpu`, `cuda:0`), which several lanes may share, or a virtual device
    (`virtual:3`), whose work really runs on the hardware `runs_on` (`device` itself otherwise).
    `cores` is a CPU lane's number of cores (0 on a GPU). `sharing` says in words what the lane
    shares, or is empty. `serves` is the compute lane that a copy or communication lane works for,
    or whose tasks' parts a nested lane tells (itself otherwise). Nested lanes come after all
    others.
    """

    index: int
    name: str
    device: str
    role: Role = Role.COMPUTE
    cores: int = 0
    sharing: str = ""
    serves: int = -1
    runs_on: str = ""

    def __post_init__(self) -> None:
        if self.serves < 0:
            object.__setattr__(self, "serves", self.index)
        if not self.runs_on:
            object.__setattr__(self, "runs_on", self.device)

    @property
    def is_virtual(self) -> bool:
        """Whether the lane has a clock of its own, and no hardware of its own."""
        return self.runs_on != self.device


def computing_lanes(lanes: Iterable[Lane]) -> list[Lane]:
    """Those that compute. Threads of a host beside the streams that they start work on do not."""
    found = [lane for lane in lanes if lane.role is Role.COMPUTE]
    devices = {lane.device for lane in found if not lane.cores}
    return [lane for lane in found if not (lane.cores and lane.device in devices)]


def working_lanes(lanes: Iterable[Lane]) -> list[Lane]:
    """The lanes that do something: all but the nested ones, whose spans are parts of others'."""
    return [lane for lane in lanes if lane.role is not Role.NESTED]


@dataclass(frozen=True, slots=True)
class Stage:
    """A run of the model's blocks, first to last (exclusive), held by one lane per replica.

    Where blocks are split, a stage is a segment of the model, and `shares` says how much of each of
    these blocks a lane holds and computes (of the block's parameters, 0 to 1). The outputs of its
    `shards`, on a lane each, are partial ones: their sum is the stage's, as their gradients' sum is
    that of its input.
    """

    index: int
    first: int
    last: int
    shards: int = 1
    shares: tuple[float, ...] = ()

    @property
    def held(self) -> tuple[tuple[int, float], ...]:
        """The number of each block, and how much of it a lane holds and computes (1 is all)."""
        blocks = range(self.first, self.last)
        return tuple(zip(blocks, self.shares or (1.0,) * len(blocks), strict=True))

    def parameter_bytes(self, model: ModelDescription) -> int:
        """Bytes of the parameters that a lane holds of the stage."""
        return round(sum(share * model.run_bytes(b, b + 1) for b, share in self.held))


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the batch: rows `start` to `start + rows` go to one replica as one micro-batch."""

    replica: int
    microbatch: int
    start: int
    rows: int


@dataclass(frozen=True, slots=True)
class Placement:
    """Which lane holds a shard of a stage of a replica. The `owner` is the copy that is stepped.

    A stage that is not divided among lanes has a single shard, 0; or, between divided ones, the
    same work on each of their lanes, numbered as the shards are.
    """

    replica: int
    stage: int
    lane: int
    owner: bool = True
    shard: int = 0


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
    after_first: NDArray[np.int64]
    after: NDArray[np.int64]

    @classmethod
    def of(cls, tasks: Sequence[Task]) -> TaskColumns:
        """The columns of tasks whose indices are their places."""
        told = {name: [getattr(task, name) for task in tasks] for name in Task._fields}
        told["kind"] = [KIND_CODES[kind] for kind in told["kind"]]
        told["payload"] = [PAYLOAD_CODES[payload] for payload in told["payload"]]
        plain = {
            name: np.array([ABSENT if n is None else n for n in told[name]], dtype)
            for name, dtype in COLUMN_TYPES.items()
        }
        needs = told["after"]
        return cls(
            **plain,
            after_first=np.cumsum([0, *map(len, needs)]),
            after=np.fromiter(chain.from_iterable(needs), np.int64),
        )

    def __len__(self) -> int:
        return len(self.kind)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TaskColumns) and all(
            np.array_equal(getattr(self, column.name), getattr(other, column.name))
            for column in fields(TaskColumns)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays can be written to

    def __getitem__(self, place: int) -> Task:
        """An entry as a task. Raises IndexError."""
        place = range(len(self))[place]
        return self.tasks(place, place + 1)[0]

    def tasks(self, first: int = 0, last: int | None = None) -> tuple[Task, ...]:
        """Every entry from `first` to `last` (exclusive) as a task."""
        last = len(self) if last is None else last
        ends = self.after_first[first : last + 1].tolist()
        told: dict[str, Iterable[Any]] = {
            name: [None if n == ABSENT else n for n in getattr(self, name)[first:last].tolist()]
            for name in COLUMN_TYPES
        }
        told["kind"] = map(KINDS.__getitem__, self.kind[first:last].tolist())
        told["payload"] = map(PAYLOADS.__getitem__, self.payload[first:last].tolist())
        told["index"] = range(first, last)
        told["after"] = (tuple(self.after[i:j].tolist()) for i, j in pairwise(ends))
        return tuple(map(Task._make, zip(*(told[name] for name in Task._fields), strict=True)))


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


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The numbers by which a schedule's formulas go: of each pipeline, if there are several."""

    schedule: str
    ranks: int
    microbatches: int
    chunks: int


@dataclass(frozen=True)
class Plan:
    """All tasks of one step, in an order in which every task comes after what it waits for.

    The plan is its `columns`; `tasks` are the same as objects, for whoever handles them one by one.
    `replicas` is the number of replicas that there could be, those left without rows included.
    `pipeline` is there for plans in the order of a schedule, where each of its ranks has a lane of
    its own and all of several pipelines have as many micro-batches.
    """

    runner: Runner
    lanes: tuple[Lane, ...]
    stages: tuple[Stage, ...]
    placements: tuple[Placement, ...]
    parts: tuple[Part, ...]
    columns: TaskColumns
    replicas: int = 1
    pipeline: Pipeline | None = None

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """Every entry of the columns as a task, made when it is first asked for."""
        return self.columns.tasks()

    @property
    def rows(self) -> int:
        """Rows of the whole batch."""
        return sum(part.rows for part in self.parts)

    def parts_of(self, task: Task) -> tuple[Part, ...]:
        """The pieces of the batch that `task` covers."""
        return tuple(
            part
            for part in self.parts
            if task.replica in (None, part.replica) and task.microbatch in (None, part.microbatch)
        )

    def halves(self, task: Task) -> tuple[Task, ...]:
        """The forward and the backward that an overlap is made of; of another task, that alone."""
        if task.kind is not Kind.OVERLAP:
            return (task,)
        alone = task._replace(kind=Kind.FORWARD, paired_stage=None, paired_microbatch=None)
        backward = alone._replace(
            kind=Kind.BACKWARD, stage=task.paired_stage, microbatch=task.paired_microbatch
        )
        return alone, backward._replace(rows=sum(part.rows for part in self.parts_of(backward)))

    def lane_of(self, replica: int, stage: int, shard: int = 0) -> int:
        """The lane that holds `shard` of `stage` of `replica`. Raises KeyError if none does."""
        for placement in self.placements:
            if (placement.replica, placement.stage, placement.shard) == (replica, stage, shard):
                return placement.lane
        raise KeyError((replica, stage, shard))
