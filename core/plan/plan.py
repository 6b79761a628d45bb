"""Job, the input of planning; Strategy, which plans it; and Plan, the tasks on lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeVar, cast

from core.counts import rows_text
from core.errors import PlanError
from core.message import Message, Text, message
from core.models.description import ModelDescription
from core.option import Option, OptionValue
from core.plan.division import Collectives, Part, Pipeline, Placement, Stage
from core.plan.schedules.schedule import Schedule
from core.plan.task import Kind, Task, TaskColumns
from core.recorder.kinds import device_kind

T = TypeVar("T")


class Role(StrEnum):
    """Purpose of a lane. A nested lane does no work: it shows the parts of another lane's tasks."""

    COMPUTE = "compute"
    COPY = "copy"
    COMMUNICATION = "communication"
    NESTED = "nested"


@dataclass(frozen=True, slots=True)
class Lane:
    """A row of the timeline, which executes its tasks in order.

    `device` is hardware (`cpu`, `cuda:0`), which several lanes may share, or a virtual device
    (`virtual:3`). The work of a virtual device runs on the hardware `runs_on`, which otherwise
    equals `device`. `cores` is the number of cores of a CPU lane (0 on a GPU). `sharing` describes
    shared hardware in English; it is empty if nothing is shared. If it is set, `sharers` compute
    lanes share the device, or `shared_cores` cores; both are 0 in older recordings. `serves` is the
    compute lane that a copy or communication lane works for, or whose tasks a nested lane shows in
    parts; other lanes serve themselves. Nested lanes have the highest indices.

    `stream_of` is set for lanes that another program recorded as one of several streams of a
    device: it names the hardware of `device`. The dependencies of tasks on such streams are
    unknown, and their time counts for the hardware as a whole. It is empty for all other lanes.
    """

    index: int
    name: str
    device: str
    role: Role = Role.COMPUTE
    cores: int = 0
    sharing: str = ""
    serves: int = -1
    runs_on: str = ""
    stream_of: str = ""
    sharers: int = 0
    shared_cores: int = 0

    def __post_init__(self) -> None:
        # Defaults that depend on other fields; `object.__setattr__` because the class is frozen.
        if self.serves < 0:
            object.__setattr__(self, "serves", self.index)
        if not self.runs_on:
            object.__setattr__(self, "runs_on", self.device)

    @property
    def is_virtual(self) -> bool:
        """True if the lane has its own clock instead of its own hardware."""
        return self.runs_on != self.device


def device_streams(lanes: Iterable[Lane]) -> dict[int, list[Lane]]:
    """Return the streams of each device of a recorded trace, by the number of its main stream.

    The main stream is the first stream that computes; devices without one are omitted. Lanes
    that are not streams are ignored.
    """
    devices: dict[tuple[str, str], list[Lane]] = {}
    for lane in lanes:
        if lane.stream_of:
            devices.setdefault((lane.device, lane.stream_of), []).append(lane)
    by_main: dict[int, list[Lane]] = {}
    for streams in devices.values():
        computing = lane_indices(streams, Role.COMPUTE)
        if computing:
            by_main[computing[0]] = streams
    return by_main


def lane_ranks(lanes: Sequence[Lane]) -> list[int]:
    """Return for each lane the number of the lane that represents its rank.

    This is the compute lane that the lane serves; for a recorded device, the first of its streams
    that computes. Streams of one device are one rank, which includes the threads that start work
    on them.
    """
    streams = [lane for lane in lanes if lane.stream_of]
    # Computing streams first: `setdefault` below keeps the first stream of each key.
    streams.sort(key=lambda lane: (lane.role is not Role.COMPUTE, lane.index))
    of_device: dict[tuple[str, str], int] = {}
    of_place: dict[str, int] = {}
    for lane in streams:
        of_device.setdefault((lane.device, lane.stream_of), lane.index)
        of_place.setdefault(lane.device, lane.index)
    numbers = []
    for lane in lanes:
        otherwise = of_place.get(lane.device, lane.serves)
        numbers.append(of_device.get((lane.device, lane.stream_of), otherwise))
    return numbers


def rank_names(lanes: Sequence[Lane]) -> list[str]:
    """Return for each lane the name of its rank: the device for streams, else the rank's lane."""
    numbers = lane_ranks(lanes)
    # The device of each rank that has streams.
    places = [lanes[number].device for number in set(numbers) if lanes[number].stream_of]
    names = []
    for number in numbers:
        lane = lanes[number]
        if not lane.stream_of:
            names.append(lane.name)
        elif places.count(lane.device) == 1:
            names.append(lane.device)
        else:
            names.append(f"{lane.device} {lane.stream_of}")
    return names


def computing_lanes(lanes: Iterable[Lane]) -> list[Lane]:
    """Return the lanes that compute; of a device's streams, only the main one.

    Host threads do not count if they are recorded together with the streams on which they start
    work.
    """
    every = list(lanes)
    mains = device_streams(every)
    found: list[Lane] = []
    for lane in every:
        is_counted = not lane.stream_of or lane.index in mains
        if lane.role is Role.COMPUTE and is_counted:
            found.append(lane)
    devices = {lane.device for lane in found if not lane.cores}
    return [lane for lane in found if not lane.cores or lane.device not in devices]


def lane_indices(lanes: Iterable[Lane], role: Role | None = None) -> list[int]:
    """Return the indices of some lanes; with `role`, only of the lanes that have it."""
    return [lane.index for lane in lanes if role is None or lane.role is role]


def working_lanes(lanes: Iterable[Lane]) -> list[Lane]:
    """Return all lanes except the nested ones, whose spans are parts of other spans."""
    return [lane for lane in lanes if lane.role is not Role.NESTED]


# No slots: cached_property needs an instance dictionary.
@dataclass(frozen=True)
class Plan:
    """All tasks of one step, each after the tasks that it waits for.

    `columns` holds the tasks as arrays; `tasks` are the same tasks as objects. `replicas` counts
    replicas, including those left without rows. `pipeline` is set for plans that follow a schedule,
    if each of its ranks has a separate lane and all pipelines have equally many micro-batches.
    Lanes follow a plan exactly, unless it is `expected`: then torch drives the ranks, and the plan
    is completed from the collectives that torch reports.
    """

    lanes: tuple[Lane, ...]
    stages: tuple[Stage, ...]
    placements: tuple[Placement, ...]
    parts: tuple[Part, ...]
    columns: TaskColumns
    replicas: int = 1
    pipeline: Pipeline | None = None
    expected: bool = False

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks as objects, built from the columns on first access."""
        return self.columns.tasks()

    @property
    def rows(self) -> int:
        """Rows of the whole batch."""
        return sum(part.rows for part in self.parts)

    def parts_of(self, task: Task) -> tuple[Part, ...]:
        """Return the pieces of the batch that `task` covers."""
        covered: list[Part] = []
        for part in self.parts:
            has_replica = task.replica in (None, part.replica)
            if has_replica and task.microbatch in (None, part.microbatch):
                covered.append(part)
        return tuple(covered)

    def halves(self, task: Task) -> tuple[Task, ...]:
        """Return the forward and the backward of an overlap; for any other task, the task alone."""
        if task.kind is not Kind.OVERLAP:
            return (task,)
        alone = task._replace(kind=Kind.FORWARD, paired_stage=None, paired_microbatch=None)
        backward = alone._replace(
            kind=Kind.BACKWARD, stage=task.paired_stage, microbatch=task.paired_microbatch
        )
        # The backward is of another micro-batch, which may have a different number of rows.
        rows = sum(part.rows for part in self.parts_of(backward))
        return alone, backward._replace(rows=rows)

    def lane_of(self, replica: int, stage: int, shard: int = 0) -> int:
        """Return the lane that holds `shard` of `stage` of `replica`. Raises KeyError."""
        for placement in self.placements:
            if (placement.replica, placement.stage, placement.shard) == (replica, stage, shard):
                return placement.lane
        raise KeyError((replica, stage, shard))


@dataclass(frozen=True, slots=True)
class Job:
    """Input of a strategy: one step of a model over `rows` rows on compute lanes.

    `settings` are the values of the strategy's options by name; `job[option]` reads one of them.
    The schedule, which is one of the options, is also given as the object `schedule`.
    """

    model: ModelDescription
    lanes: tuple[Lane, ...]
    rows: int
    schedule: Schedule
    settings: Mapping[str, OptionValue] = field(default_factory=dict)

    def __getitem__(self, option: Option[T]) -> T:
        return cast(T, self.settings.get(option.name, option.default))

    @property
    def copies_overlap(self) -> bool:
        """True if devices have copy engines, so that copies run on separate lanes."""
        return device_kind(self.lanes[0].device).streams


Options = tuple[Option[Any], ...]
KeptBytes = Callable[[int, ModelDescription, Plan], int]
"""A function of (bytes, model, plan) that returns the bytes that a lane keeps."""


def keeps_all(whole: int, model: ModelDescription, plan: Plan) -> int:
    """Return `whole`: a lane keeps all bytes that are placed on it."""
    return whole


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to divide a training step among lanes.

    `options` are the settings that the strategy reads, besides the settings of every run; the
    window and the command line refuse options of other strategies. Strategies that torch runs have
    three more fields: `collectives` returns the collectives that torch is expected to run,
    `complete` rebuilds the plan from torch's actual collectives, and `rank_model` names the
    module of `core.engine.rank_models` in which torch divides the model. `torch_engine` names the
    class of `core.engine.torchrun.engines` that runs the strategy on torch's own engine, if there
    is one. `kept_bytes` returns how many bytes a lane keeps, given the `whole` bytes of the
    parameters, gradients and optimizer state that are placed on it.
    """

    name: str
    title: str
    line: str
    plan: Callable[[Job], Plan]
    options: Options = ()
    collectives: Callable[[Job], Collectives] | None = None
    complete: Callable[[Job, Collectives], Plan] | None = None
    rank_model: str = ""
    torch_engine: str = ""
    kept_bytes: KeptBytes = keeps_all

    @property
    def on_ranks(self) -> bool:
        """True if torch runs it, with a process for each rank; otherwise lanes follow its plans."""
        return bool(self.rank_model)


A_BATCH = message("a batch")


def require_rows(
    job: Job, needed: int, parts_text: Callable[[int], Message], whole: Text = A_BATCH
) -> None:
    """Raise PlanError if the job has fewer than `needed` rows, one for each part of the batch.

    `parts_text` returns the text of a number of parts, and `whole` describes the job's rows.
    """
    if job.rows < needed:
        raise PlanError(
            message(
                "{parts} need at least {rows}, but {whole} has {held}: use at most {most}",
                parts=parts_text(needed),
                rows=rows_text(needed),
                whole=whole,
                held=job.rows,
                most=parts_text(job.rows),
            )
        )
