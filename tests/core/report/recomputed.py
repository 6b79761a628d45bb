"""An oracle for printed figures: plain Python over a recording's tasks, without core's sums.

Only idle time is not worked out here: its pieces are those of the SQL table `idle`, one row for
each piece, with its cause and the lane that is waited for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from core.plan.plan import Role
from core.plan.task import Kind, Task
from core.sql.tables import idle
from core.trace.step import StepColumns
from core.trace.trace import Trace

RANKS = ("ddp", "fsdp")
MEMORY = ("parameters", "gradients", "optimizer", "activations")


class Idle(NamedTuple):
    """A piece of a compute lane's idle time, in ns."""

    lane: int
    ns: int
    cause: str
    waits_for: int


@dataclass(frozen=True)
class Ran:
    """A task that ran from `start` to `end` (ns); `begun` is when it began to do its work.

    A member of a collective of ranks begins when the last member has arrived.
    """

    task: Task
    start: int
    end: int
    begun: int
    meets: tuple[object, ...] | None


class Step:
    """One step of a recording."""

    def __init__(self, trace: Trace, number: int) -> None:
        header = trace.header
        self.number, self.lanes = number, header.lanes
        self.compute = [lane.index for lane in header.lanes if lane.role is Role.COMPUTE]
        columns = StepColumns.of_trace(trace, number)
        spans = list(
            zip(columns.tasks(), columns.start.tolist(), columns.end.tolist(), strict=True)
        )
        on_ranks = header.specification.strategy in RANKS
        meets = self._meets([task for task, _, _ in spans]) if on_ranks else {}
        arrived: dict[tuple[object, ...], int] = {}
        for task, start, _ in spans:
            if (name := meets.get(task.index)) is not None:
                arrived[name] = max(start, arrived.get(name, start))
        self.ran = []
        for task, start, end in spans:
            name = meets.get(task.index)
            self.ran.append(Ran(task, start, end, start if name is None else arrived[name], name))
        self.begin = min(one.start for one in self.ran)
        self.finish = max(one.end for one in self.ran)
        self.makespan = self.finish - self.begin
        names = {lane.name: lane.index for lane in self.lanes}
        self.idle = [
            Idle(names[row["lane"]], row["duration_ns"], row["cause"], self._served(names, row))
            for row in idle(trace).to_pylist()
            if row["step"] == number
        ]

    def _served(self, names: dict[str, int], row: dict[str, str]) -> int:
        return self.lanes[names[row["waits_for"]]].serves

    def _meets(self, tasks: Sequence[Task]) -> dict[int, tuple[object, ...]]:
        """By task the collective that it is a member of: the k-th of its name on its rank."""
        often: dict[tuple[object, ...], int] = defaultdict(int)
        found = {}
        for task in tasks:
            if task.kind.is_collective:
                name = (task.kind, task.stage, task.block, task.bucket)
                member = (*name, self.lanes[task.lane].serves)
                found[task.index] = (*name, often[member])
                often[member] += 1
        return found

    def computes(self, one: Ran) -> bool:
        """True if a task computes, on a lane that computes."""
        return one.task.lane in self.compute and not one.task.kind.is_communication

    def on(self, lane: int) -> list[Ran]:
        """The tasks of a lane, in order of time."""
        return sorted((one for one in self.ran if one.task.lane == lane), key=lambda one: one.start)

    def busy(self, lane: int) -> int:
        """Ns for which a lane computes."""
        mine = [one for one in self.on(lane) if not one.task.kind.is_communication]
        return sum(one.end - one.start for one in mine)

    def moving(self, lane: int) -> int:
        """Ns for which a lane is in tasks that move data, waiting for other ranks included."""
        mine = [one for one in self.on(lane) if one.task.kind.is_communication]
        return sum(one.end - one.start for one in mine)

    def idle_ns(self, lane: int) -> int:
        """Ns for which a lane does nothing."""
        return self.makespan - self.busy(lane) - self.moving(lane)

    def union(self, lane: int, kinds: Iterable[Kind]) -> int:
        """Ns in which a lane, or one that serves it, runs any task of some kinds."""
        wanted, covered, until = set(kinds), 0, self.begin
        for one in sorted(self.ran, key=lambda one: one.start):
            if self.lanes[one.task.lane].serves == lane and one.task.kind in wanted:
                covered += max(0, one.end - max(until, one.start))
                until = max(until, one.end)
        return covered

    def lasts(self, ns: dict[int, float]) -> int:
        """The makespan in ns if each task, by its number, takes so long and starts when it can."""
        waiting = {lane.index: self._queue(lane.index) for lane in self.lanes}
        members: dict[tuple[object, ...], int] = defaultdict(int)
        for one in self.ran:
            if one.meets is not None:
                members[one.meets] += 1
        free: dict[int, int] = defaultdict(int)
        ends: dict[int, int] = {}
        arrived: dict[tuple[object, ...], dict[int, int]] = defaultdict(dict)
        while any(waiting.values()):
            moved = False
            for lane, queue in waiting.items():
                if not queue or any(other not in ends for other in queue[0].task.after):
                    continue
                one = queue[0]
                at = max([free[lane], *(ends[other] for other in one.task.after)])
                if one.meets is not None:
                    moved |= one.task.index not in arrived[one.meets]
                    arrived[one.meets][one.task.index] = at
                    if len(arrived[one.meets]) < members[one.meets]:
                        continue
                    at = max(arrived[one.meets].values())
                ends[one.task.index] = free[lane] = at + round(ns[one.task.index])
                queue.pop(0)
                moved = True
            assert moved, "lanes wait for each other"
        return max(ends.values())

    def _queue(self, lane: int) -> list[Ran]:
        mine = [one for one in self.ran if one.task.lane == lane]
        return sorted(mine, key=lambda one: one.task.index)

    def taken(self) -> dict[int, float]:
        """By number what each task took in ns, waiting for other ranks left out."""
        return {one.task.index: one.end - one.begun for one in self.ran}

    def path(self) -> dict[str, int]:
        """Ns of the critical path by what it is, walked back from the task that ended last."""
        last = {}
        for lane in self.lanes:
            for before, after in pairwise(self.on(lane.index)):
                last[after.task.index] = before
        by_number = {one.task.index: one for one in self.ran}
        totals: dict[str, int] = defaultdict(int)
        at: Ran | None = max(self.ran, key=lambda one: one.end)
        until = self.finish
        while at is not None and until > self.begin:
            kind = at.task.kind
            moves = "transfer" if kind.is_communication else "compute"
            totals["collective" if kind.is_collective else moves] += until - min(at.begun, until)
            until = min(at.begun, until)
            slowest = self._slowest(at)
            own = last.get(slowest.task.index)
            # A task that had not ended when this one arrived ran beside it.
            needed = [own] if own is not None and own.end <= slowest.start else []
            needed += [by_number[other] for other in slowest.task.after]
            at = max(needed, key=lambda one: one.end, default=None)
            since = self.begin if at is None else min(at.end, until)
            totals["host"] += until - since
            until = since
        return dict(totals)

    def _slowest(self, one: Ran) -> Ran:
        if one.meets is None:
            return one
        return max(
            (other for other in self.ran if other.meets == one.meets), key=lambda other: other.start
        )

    def held(self, trace: Trace, lane: int) -> float:
        """The most bytes that a lane held at a time of the step, begin and end included."""
        counters = []
        for name in MEMORY:
            counter = trace.counter(name, lane)
            counters.append(dict(zip(counter.times.tolist(), counter.values.tolist(), strict=True)))
        times = {self.begin}
        for counter in counters:
            times |= {time for time in counter if self.begin <= time <= self.finish}
        return max(sum(_value_at(counter, time) for counter in counters) for time in times)


def _value_at(counter: Mapping[int, float], time: int) -> float:
    """A counter's last value up to a time, 0 before the first."""
    known = [one for one in counter if one <= time]
    return counter[max(known)] if known else 0.0


def measured(trace: Trace) -> list[Step]:
    """The measured steps, all of one plan."""
    warmup = trace.header.specification.warmup
    return [Step(trace, number) for number in trace.steps if number >= warmup]


def median(steps: Sequence[Step]) -> Step:
    """The step of median makespan among those of the commonest plan, the shorter middle one."""
    by_plan: dict[int, list[Step]] = defaultdict(list)
    for step in steps:
        by_plan[sum(max(0, one.task.rows) for one in step.ran)].append(step)
    commonest = max(by_plan.values(), key=len)
    ordered = sorted(commonest, key=lambda step: step.makespan)
    return ordered[(len(ordered) - 1) // 2]
