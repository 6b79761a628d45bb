"""What limits the steps of a run most: a fault of a lane, link or step, or how the work is done.

It is found from the trace and the model's description alone. What is compared is alike: a lane's
tasks with other lanes' tasks of the same kind, rows and blocks; a link's transfers with transfers
of the same kind and bytes over other links; a task with itself in other steps. What one of them
costs is the makespan of a step as it ran, less that of the same step with this one as its peers
are, both by simulation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from core.explain.gaps import duration_text
from core.explain.waits import waits_of
from core.models.description import ModelDescription
from core.plan.links import IS_COMMUNICATION, Links, links_of
from core.plan.task import ABSENT, KINDS, Kind, Lane, PlanError, Role, Stage
from core.predict.costs import paired_rows
from core.predict.simulate import simulate
from core.report.replan import RunPlans
from core.trace.complete import completed_steps
from core.trace.step import StepColumns
from core.trace.trace import Trace

MOST_STEPS = 64
"""Steps that are looked at: of more, as many evenly chosen, and the longest."""
MOST_LONGEST = 8
NAMED = 0.03
"""The part of a step that a lane, link or task must cost to be named."""
CERTAIN = 2.8
"""How many standard errors a lane or link must be slower than its peers."""
SLOWER = 1.02
"""By what factor at least: lanes that do the same differ by as much without a fault."""
CHANCE = 0.02
"""The chance at most that a task of a run without hiccups is taken for one."""
MOST_TRIED = 8  # tasks that may be hiccups
HOST_SHARE = 1 / 3
LIMITS = 0.05
"""The part of a step that imbalance, order or communication must cost to be named."""
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Limit(StrEnum):
    """What limits a step. The order is that of documents: append only."""

    SLOW_LANE = "slow-lane"
    """A lane computes longer than others that do the same."""
    SLOW_LINK = "slow-link"
    """Transfers between two lanes take longer than others of the same size."""
    HICCUP = "hiccup"
    """A task took longer in one step than in the others."""
    IMBALANCE = "imbalance"
    """Some lanes have more to compute than others."""
    SCHEDULE = "schedule"
    """Lanes wait because of the order in which tasks need each other."""
    COMMUNICATION = "communication"
    """Moving data takes time in which lanes wait."""
    HOST = "host"
    """Tasks were ready, but the host was late."""
    NONE = "none"
    """Nothing of these."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What limits a run's steps most; `loss_ns` is what it costs a step (a hiccup: its step).

    `where` is `lane 2`, `link 1-2`, `step 4 lane 2` (measured steps count from 1) or empty; `text`
    says it in one sentence.
    """

    kind: Limit
    where: str
    loss_ns: int
    text: str

    def to_dict(self) -> dict[str, str | int]:
        """As plain JSON values."""
        return {**asdict(self), "kind": str(self.kind)}


def verdict(trace: Trace, steps: Sequence[int] | None = None) -> Verdict | None:
    """What limits the measured steps of a run (or `steps`); None without a whole one.

    Where steps differ in their plans, those of the commonest plan are looked at.
    """
    chosen = _chosen(trace, completed_steps(trace) if steps is None else list(steps))
    if not chosen:
        return None
    run = Measured.of(trace, chosen)
    found = [*slow_lanes(run), *slow_links(run), *hiccups(run)]
    worst = max(found, key=lambda one: one.share, default=None)
    return worst.verdict if worst is not None and worst.share >= NAMED else _inherent(run)


@dataclass(frozen=True, slots=True)
class Named:
    """A verdict that may be, and what part of a step it costs."""

    verdict: Verdict
    share: float


@dataclass(frozen=True)
class Measured:
    """S steps of one plan of n tasks: what each task took in ns, shape (S, n).

    `begin` and `finish` are when each step began and ended. Waiting for other members of a
    collective is no part of what a task takes. `alike` numbers what tasks have to do: tasks of one
    number have the same.
    """

    steps: tuple[int, ...]
    warmup: int
    lanes: tuple[Lane, ...]
    columns: StepColumns
    meets: Ints
    taken: Ints
    spans: Ints
    alike: Ints
    links: Links = field(repr=False)

    @classmethod
    def of(cls, trace: Trace, steps: Sequence[int]) -> Measured:
        """From the steps of a trace that have the commonest plan."""
        lanes, header = trace.header.lanes, trace.header
        every = {step: StepColumns.of_trace(trace, step) for step in steps}
        groups: dict[tuple[int, bytes], list[int]] = {}
        for step, columns in every.items():
            about = np.stack([columns.task, columns.lane, columns.kind, columns.rows])
            groups.setdefault((len(columns), about.tobytes()), []).append(step)
        mine = max(groups.values(), key=len)
        columns = every[mine[0]]
        waits = {step: waits_of(every[step], lanes) for step in mine}
        plan = RunPlans(trace).plan(mine[0])
        return cls(
            tuple(mine),
            header.specification.warmup,
            lanes,
            columns,
            waits[mine[0]].meets,
            np.stack([every[step].end - waits[step].begun for step in mine]),
            np.array([np.ptp(np.stack([every[s].start, every[s].end])) for s in mine], np.int64),
            _alike(columns, () if plan is None else plan.stages, header.model),
            links_of(columns, lanes),
        )

    @cached_property
    def logs(self) -> Floats:
        """The logarithms of what tasks took."""
        return np.log(np.maximum(self.taken, 1))

    @cached_property
    def makespans(self) -> Ints:
        """What each step lasts if tasks start as soon as they can, in ns."""
        return np.array([self.lasts(taken) for taken in self.taken], np.int64)

    @cached_property
    def computes(self) -> NDArray[np.bool_]:
        """Whether each task computes."""
        return ~IS_COMMUNICATION[self.columns.kind]

    @property
    def compute_lanes(self) -> list[int]:
        """The lanes that compute, by number."""
        return [lane.index for lane in self.lanes if lane.role is Role.COMPUTE]

    def lasts(self, taken: NDArray[np.number]) -> int:
        """What a step lasts in ns in which tasks take so long.

        Members of collectives to which lanes came in orders that never meet go each by itself.
        """
        durations = np.rint(taken).astype(np.int64)
        try:
            step = simulate(self.columns, durations, self.meets)
        except PlanError:
            step = simulate(self.columns, durations)
        return int(step.end.max(initial=0))

    def loss(self, factors: Floats) -> tuple[int, float]:
        """What it costs that tasks take longer by factors: ns, and the part of a step; medians."""
        without = np.array([self.lasts(taken / factors) for taken in self.taken], np.int64)
        lost = self.makespans - without
        return int(np.median(lost)), float(np.median(lost / np.maximum(1, self.makespans)))

    def name_of(self, step: int) -> str:
        """A step as window and commands call it."""
        return f"step {step - self.warmup + 1}"


def _chosen(trace: Trace, steps: list[int]) -> list[int]:
    if len(steps) <= MOST_STEPS:
        return steps
    evenly = [steps[i] for i in np.linspace(0, len(steps) - 1, MOST_STEPS).astype(int).tolist()]
    longest = sorted(steps, key=lambda step: np.subtract(*trace.step_bounds(step)))[:MOST_LONGEST]
    return sorted({*evenly, *longest})


# Tasks that are alike


def _alike(columns: StepColumns, stages: Sequence[Stage], model: ModelDescription) -> Ints:
    """A number for each of n tasks, the same for those that have the same to do.

    Passes through the same blocks, or ones of equal sizes, with the same rows; transfers of as many
    bytes. A backward through the model's first block is cheaper: its input needs no gradient.
    """
    backs = np.isin(columns.kind, [KINDS.index(kind) for kind in _BACK])
    sizes = _sizes(columns, stages, model)
    first = np.where(backs, _begins(columns.stage, stages), 0)
    paired = _begins(columns.paired_stage, stages)
    about = (
        columns.kind, columns.payload, sizes[columns.stage], sizes[columns.paired_stage],
        first, paired, columns.block, columns.bucket, columns.rows, paired_rows(columns),
        columns.bytes,
    )  # fmt: skip
    moves = IS_COMMUNICATION[columns.kind]
    named = [column.astype(np.int64) for column in about]
    for place in (2, 3, 4, 5, 6, 7, 8, 9):  # of transfers only what they are and their bytes
        named[place] = np.where(moves, 0, named[place])
    _, number = np.unique(np.stack(named), axis=1, return_inverse=True)
    return number.ravel().astype(np.int64)


_BACK = (Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)


def _sizes(columns: StepColumns, stages: Sequence[Stage], model: ModelDescription) -> Ints:
    """By stage a number, the same for stages of equal blocks; the last entry is for none (-1)."""
    count = int(max(columns.stage.max(initial=-1), columns.paired_stage.max(initial=-1))) + 1
    numbers: dict[object, int] = {}
    found = []
    for stage in range(count):
        about: object = stage
        if stage < len(stages) and stages[stage].last <= len(model.blocks):
            about = tuple(
                (tuple(n for _, n in model.blocks[block].parameters),
                 model.blocks[block].output_elements, share)
                for block, share in stages[stage].held
            )  # fmt: skip
        found.append(numbers.setdefault(about, len(numbers)))
    return np.array([*found, ABSENT], np.int64)


def _begins(stage: NDArray[np.int32], stages: Sequence[Stage]) -> NDArray[np.bool_]:
    """Whether each task's stage holds the model's first block."""
    first = np.array([*(one.first == 0 for one in stages), False])
    within = (stage >= 0) & (stage < len(stages))
    found: NDArray[np.bool_] = np.where(within, first[np.where(within, stage, -1)], stage == 0)
    return found


# Lanes, links and tasks against their peers


def slow_lanes(run: Measured) -> Iterator[Named]:
    """Every lane that surely computes longer than its peers."""
    lanes = np.array(run.compute_lanes)
    place = np.where(run.computes, run.columns.lane, ABSENT)
    task = np.arange(len(run.columns))
    for lane, factor in _slower(run, task, place, int(lanes.max(initial=-1)) + 1):
        ns, share = run.loss(np.where(place == lane, factor, 1.0))
        text = (
            f"Lane {lane} computes {factor:.3g} times as long as other lanes for the same: "
            f"a step would take {duration_text(ns)} ({_percent(share)}) less if it did not."
        )
        yield Named(Verdict(Limit.SLOW_LANE, f"lane {lane}", ns, text), share)


def slow_links(run: Measured) -> Iterator[Named]:
    """Every link whose transfers surely take longer than others of the same size."""
    links = run.links
    pairs, number = np.unique(np.stack([links.low, links.high]), axis=1, return_inverse=True)
    number = number.ravel()
    # What goes over several links at once tells none of them from the others.
    kept = np.bincount(links.task, minlength=len(run.columns))[links.task] == 1
    for link, factor in _slower(run, links.task[kept], number[kept], pairs.shape[1]):
        low, high = pairs[:, link].tolist()
        ns, share = run.loss(links.factors(run.columns, np.where(number == link, factor, 1.0)))
        text = (
            f"Transfers between lanes {low} and {high} take {factor:.3g} times as long as others "
            f"of the same size: a step would take {duration_text(ns)} ({_percent(share)}) less "
            "if they did not."
        )
        yield Named(Verdict(Limit.SLOW_LINK, f"link {low}-{high}", ns, text), share)


def hiccups(run: Measured) -> Iterator[Named]:
    """Tasks that surely took longer in one step than in the others."""
    usual = _usual(run)
    over = run.logs - usual
    noise = np.array(
        [_scatter(over[:, run.alike == number]) for number in range(int(run.alike.max()) + 1)]
    )[run.alike] * np.sqrt(len(run.steps) / max(1, len(run.steps) - 1))  # fmt: skip
    certain = NormalDist().inv_cdf(1 - CHANCE / over.size)
    more = np.where(over > certain * noise, run.taken - np.exp(usual), 0.0)
    longest = np.argsort(more, axis=None)[::-1][:MOST_TRIED]
    for place, task in zip(*np.unravel_index(longest, more.shape), strict=True):
        if more[place, task] >= NAMED * run.makespans[place]:
            yield _hiccup(run, int(place), int(task), float(np.exp(usual[place, task])))


def _hiccup(run: Measured, place: int, task: int, usual: float) -> Named:
    taken = run.taken[place].astype(np.float64)
    taken[task] = usual
    whole = int(run.makespans[place])
    ns = whole - run.lasts(taken)
    lane = run.lanes[run.columns.lane[task]].serves
    step = run.name_of(run.steps[place])
    text = (
        f"In {step} lane {lane} took {duration_text(int(run.taken[place, task]))} for "
        f"{run.columns[task]} instead of {duration_text(round(usual))}: that step would have taken "
        f"{duration_text(ns)} ({_percent(ns / max(1, whole))}) less without it."
    )
    return Named(Verdict(Limit.HICCUP, f"{step} lane {lane}", ns, text), ns / max(1, whole))


def _usual(run: Measured) -> Floats:
    """The logarithm of what each task usually takes, shape (S, n): as in the other steps.

    Of fewer than three steps: as others that are alike take on its lane.
    """
    count = len(run.steps)
    if count >= 3:
        return np.stack(
            [np.median(np.delete(run.logs, step, axis=0), axis=0) for step in range(count)]
        )
    usual = run.logs.copy()
    _, group = np.unique(np.stack([run.alike, run.columns.lane]), axis=1, return_inverse=True)
    for number in range(int(group.max(initial=-1)) + 1):
        mine = group.ravel() == number
        usual[:, mine] = np.median(run.logs[:, mine])
    return usual


def _slower(run: Measured, task: Ints, place: Ints, count: int) -> Iterator[tuple[int, float]]:
    """The places that surely take longer than their peers, and by which factor.

    `task` and `place` have m entries: the tasks of each of `count` places (-1 for none). Of what is
    alike a place's mean is held against the median of the others'; what takes longer counts more.
    """
    excess, weight, variance = np.zeros(count), np.zeros(count), np.zeros(count)
    for number in np.unique(run.alike[task]).tolist():
        mine = run.alike[task] == number
        at = {
            where: task[mine & (place == where)]
            for where in np.unique(place[mine]).tolist()
            if where != ABSENT
        }
        if len(at) < 2:
            continue
        logs = {where: run.logs[:, tasks].ravel() for where, tasks in at.items()}
        means = {where: _mean(values) for where, values in logs.items()}
        noise = float(np.median([_scatter(values) for values in logs.values()]))
        for where, tasks in at.items():
            others = float(np.median([mean for other, mean in means.items() if other != where]))
            time = float(run.taken[:, tasks].sum())
            excess[where] += time * (means[where] - others)
            variance[where] += time**2 * noise**2 / len(logs[where])
            weight[where] += time
    for where in np.flatnonzero(weight).tolist():
        mean, error = excess[where] / weight[where], np.sqrt(variance[where]) / weight[where]
        if mean > max(CERTAIN * error, np.log(SLOWER)):
            yield where, float(np.exp(mean))


def _mean(values: Floats) -> float:
    """The mean without the fifth that is farthest out, half of it on each side."""
    cut = -(-len(values) // 10) if len(values) >= 5 else (len(values) - 1) // 2
    return float(np.sort(values)[cut : len(values) - cut].mean())


def _scatter(values: Floats) -> float:
    """The standard deviation, from the median deviation of the median (normal: 1.4826 of it)."""
    return 1.4826 * float(np.median(np.abs(values - np.median(values))))


# Without a fault


def _inherent(run: Measured) -> Verdict:
    """What limits the steps though no lane, link or task is worse than its peers."""
    taken = np.median(run.taken, axis=0)
    work = np.where(run.computes, taken, 0.0)
    totals = np.bincount(run.columns.lane, work, len(run.lanes))[run.compute_lanes]
    mean, most = float(totals.mean()), int(totals.argmax())
    shares = np.ones(len(run.lanes))
    shares[run.compute_lanes] = mean / np.maximum(totals, 1)
    spread = np.where(run.computes, taken * shares[run.columns.lane], taken)
    whole = run.lasts(taken)
    spread_ns, order = run.lasts(spread), run.lasts(np.where(run.computes, spread, 0.0))
    late = int(np.median(run.spans - run.makespans))
    moved = whole - run.lasts(work)
    lane = run.compute_lanes[most]
    found = [
        (
            Limit.IMBALANCE, f"lane {lane}", whole - spread_ns,
            f"Lane {lane} computes for {duration_text(int(totals[most]))} of a step and a lane on "
            f"average for {duration_text(round(mean))}: with as much for each",
        ),
        (
            Limit.SCHEDULE, "", order - round(mean),
            "Lanes wait for each other in the order of the tasks, even if all compute equally "
            "long and moving data takes no time: without these waits",
        ),
        (Limit.COMMUNICATION, "", moved, "Lanes wait while data is moved: if that took no time"),
    ]  # fmt: skip
    if late > HOST_SHARE * (whole + late):
        found = [(Limit.HOST, "", late, "Tasks were ready, but the host was late: without that")]
    kind, where, ns, text = max(found, key=lambda one: one[2])
    share = ns / max(1, whole + late)
    if share < LIMITS:
        return Verdict(
            Limit.NONE, "", 0,
            "No lane, link or step takes longer than its peers, and nothing else costs a "
            f"twentieth of a step, which takes {duration_text(whole + late)}.",
        )  # fmt: skip
    text = f"{text}, a step would take {duration_text(ns)} ({_percent(share)}) less."
    return Verdict(kind, where, int(ns), text)


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
