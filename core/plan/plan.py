"""What is to be planned (a job), what plans it (a strategy), and the plan: tasks on lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeVar, cast

from core.errors import PlanError
from core.models.description import ModelDescription
from core.option import Option, Value
from core.plan.division import Collectives, Part, Pipeline, Placement, Stage
from core.plan.schedules.schedule import Schedule
from core.plan.task import Kind, Task, TaskColumns
from core.recorder.kinds import kind_of

T = TypeVar("T")


class Role(StrEnum):
    """What a lane is for. A nested lane does nothing of its own: it shows the parts of tasks."""

    COMPUTE = "compute"
    COPY = "copy"
    COMMUNICATION = "communication"
    NESTED = "nested"


@dataclass(frozen=True, slots=True)
class Lane:
    """One row that executes its tasks in order.

    `device` is hardware (`cpu`, `cuda:0`), which several lanes may share, or a virtual device
    (`virtual:3`), whose work really runs on the hardware `runs_on` (`device` itself otherwise).
    `cores` is a CPU lane's number of cores (0 on a GPU). `sharing` says in words what the lane
    shares, or is empty. `serves` is the compute lane that a copy or communication lane works for,
    or whose tasks' parts a nested lane shows (itself otherwise). Nested lanes come after all
    others.

    `stream_of` names the hardware of `device` of which another program recorded the lane as one
    stream of several. What tasks of such streams waited for is not known, and their time counts
    for the hardware as a whole. It is empty for lanes that each have their own time.
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

    def __post_init__(self) -> None:
        # Defaults that follow from other fields; a frozen dataclass can be
        # written to only in this way.
        if self.serves < 0:
            object.__setattr__(self, "serves", self.index)
        if not self.runs_on:
            object.__setattr__(self, "runs_on", self.device)

    @property
    def is_virtual(self) -> bool:
        """Whether the lane has a clock of its own, and no hardware of its own."""
        return self.runs_on != self.device


def device_streams(lanes: Iterable[Lane]) -> dict[int, list[Lane]]:
    """Return the streams of each device of a recorded trace, by the number of its main stream.

    The main stream is the first that computes; devices without one are left out. Empty for lanes
    that each have their own time.
    """
    devices: dict[tuple[str, str], list[Lane]] = {}
    for lane in lanes:
        if lane.stream_of:
            devices.setdefault((lane.device, lane.stream_of), []).append(lane)
    by_main: dict[int, list[Lane]] = {}
    for streams in devices.values():
        computing = [lane.index for lane in streams if lane.role is Role.COMPUTE]
        if computing:
            by_main[computing[0]] = streams
    return by_main


def lane_ranks(lanes: Sequence[Lane]) -> list[int]:
    """Return for each lane the number of the lane that stands for its rank.

    That is the compute lane that it serves, and of a recorded device the first of its streams that
    computes: streams of one device are one rank, and threads that start work on them belong to it.
    """
    streams = [lane for lane in lanes if lane.stream_of]
    # Those that compute first: of several for one key below the first stays.
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
    """Return for each lane the name of its rank: its lane's, of a recorded device the device's."""
    numbers = lane_ranks(lanes)
    places = [lanes[number].device for number in sorted(set(numbers)) if lanes[number].stream_of]
    names = []
    for lane in (lanes[number] for number in numbers):
        if not lane.stream_of:
            names.append(lane.name)
        elif places.count(lane.device) == 1:
            names.append(lane.device)
        else:
            names.append(f"{lane.device} {lane.stream_of}")
    return names


def computing_lanes(lanes: Iterable[Lane]) -> list[Lane]:
    """Return the lanes that compute: of a device's streams the main one.

    Threads of a host do not count if they are recorded together with the streams that they start
    work on.
    """
    every = list(lanes)
    mains = device_streams(every)
    found = [
        lane
        for lane in every
        if lane.role is Role.COMPUTE and (not lane.stream_of or lane.index in mains)
    ]
    devices = {lane.device for lane in found if not lane.cores}
    return [lane for lane in found if not (lane.cores and lane.device in devices)]


def working_lanes(lanes: Iterable[Lane]) -> list[Lane]:
    """The lanes that do something: all but the nested ones, whose spans are parts of others'."""
    return [lane for lane in lanes if lane.role is not Role.NESTED]


# Without slots: cached_property keeps the tasks in the instance's dictionary.
@dataclass(frozen=True)
class Plan:
    """All tasks of one step, in an order in which every task comes after what it waits for.

    The plan is its `columns`; `tasks` are the same as objects, for whoever handles them one by one.
    `replicas` is the number of replicas that there could be, those left without rows included.
    `pipeline` is there for plans in the order of a schedule, where each of its ranks has a lane of
    its own and all of several pipelines have as many micro-batches. Lanes follow a plan exactly; an
    `expected` one is of ranks, which torch drives, and completed from what torch reports.
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
        # The backward's micro-batch is another one, and may have another number of rows.
        return alone, backward._replace(rows=sum(part.rows for part in self.parts_of(backward)))

    def lane_of(self, replica: int, stage: int, shard: int = 0) -> int:
        """The lane that holds `shard` of `stage` of `replica`. Raises KeyError if none does."""
        for placement in self.placements:
            if (placement.replica, placement.stage, placement.shard) == (replica, stage, shard):
                return placement.lane
        raise KeyError((replica, stage, shard))


@dataclass(frozen=True, slots=True)
class Job:
    """What a strategy plans: one step of a model over `rows` rows on compute lanes.

    `settings` are what was asked for of the strategy's own options, by name; `job[option]` reads
    one of them. The one that is a schedule is here as what it names.
    """

    model: ModelDescription
    lanes: tuple[Lane, ...]
    rows: int
    schedule: Schedule
    settings: Mapping[str, Value] = field(default_factory=dict)

    def __getitem__(self, option: Option[T]) -> T:
        return cast(T, self.settings.get(option.name, option.default))

    @property
    def copies_overlap(self) -> bool:
        """Whether devices have copy engines of their own, so that copies get lanes of their own."""
        return kind_of(self.lanes[0].device).streams


Options = tuple[Option[Any], ...]
KeptBytes = Callable[[int, ModelDescription, Plan], int]
"""What a lane keeps of (bytes, model, plan)."""


def keeps_all(whole: int, model: ModelDescription, plan: Plan) -> int:
    """Every lane keeps all of what is placed on it."""
    return whole


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way to divide a training step among lanes.

    `options` are the settings, beyond those of every run, that the strategy reads; the window and
    the command line refuse the others. Strategies that torch runs name the `collectives` that
    torch is expected to run, with which the plan is made; `complete` writes it anew from those that
    torch reports. For these `rank_model` names the module of `core.engine.rank_models` that has
    torch divide the model. `torch_engine` names the class of `core.engine.torchrun.engines` that
    runs it on torch's own engine, if one does. `kept_bytes` says what a lane keeps of `whole` bytes
    of parameters, gradients and optimizer state that are placed on it.
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
        """Whether torch drives it, in a process for each rank; else lanes follow its plans."""
        return bool(self.rank_model)


def require_rows(job: Job, needed: int, what: str, whole: str = "a batch") -> None:
    """Raise PlanError if the job, which is `whole`, has fewer rows than `needed` of `what`."""
    if job.rows < needed:
        raise PlanError(
            f"{needed} {what} need at least {needed} rows, but {whole} has {job.rows}: "
            f"use at most {job.rows} {what}"
        )
