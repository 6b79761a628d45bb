"""What limits the steps of a run most: a fault of a lane, link or step, or how the work is done.

It is found from the trace and the model's description alone. What is compared is alike: a lane's
tasks with other lanes' tasks of the same kind, rows and blocks; a link's transfers with transfers
of the same kind and bytes over other links; a task with itself in other steps. Lanes and links
without such peers are compared by measured costs, where the run has these. What a fault costs is
the makespan of a step as it ran, less that of the same step with the fault's tasks taking what
their peers take, both by simulation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from core.explain.causes import CAUSES, Cause, Explanation, cause_totals
from core.explain.noise import significantly_above
from core.explain.run_step import explain_run_step
from core.order import groups
from core.plain import Say, duration_text, plainly
from core.plan.plan import device_streams, rank_names
from core.plan.task import ABSENT
from core.report.device_shares import device_limit, device_shares, device_text
from core.report.idling import Idling, idle_sentences, share_text
from core.report.job_limits import JobTimes, job_losses, rank_faults, slow_rank
from core.report.limits import LANES_NOT_TOLD, RANK_WORDS, Finding, Limit
from core.report.measured import Floats, MeasuredSteps
from core.report.slower import slower
from core.report.warmup_text import warmup_text
from core.scatter import scatter
from core.trace.complete import completed_steps
from core.trace.source import Source
from core.trace.trace import Trace

NAMED = 0.035
"""The part of a step that a lane, link or task must cost to be named."""
CHANCE = 0.02
"""The chance at most that a task of a run without hiccups is taken for one."""
COMMON, OUTSTANDING = 4, 2.0
"""A hiccup is so many times as long as the fourth longest of a run: else they are its noise."""
MOST_TRIED = 8  # tasks that may be hiccups
DISTURBED_NS = 1_000_000
"""What a machine by itself may add to a task now and then: no hiccup."""
JOB_DISTURBED_NS = 5_000_000
"""The same of a training job. Its processes share their machine with others, so that the scheduler
may stop them within a task, for 3 to 4 ms at a time on Linux."""
MOST_EXPLAINED = 16  # steps over which shares of devices are summed up
HOST_SHARE = 1 / 3
"""The part of a step for which the host is late from which on that is all that is said."""
MENDED_FIRST = 1 / 4
"""A rank's fault is told unless it costs less than this part of what all ranks lose by waiting for
data or by their own code: it is what can be mended, and other programs slow down all ranks."""
MAINLY = 0.8
"""The part of what a slow rank costs from which on one part of its work is what is slow."""
LIMITS = 0.05
"""The part of a step that imbalance, order or communication must cost to be named."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The largest limit of a run's steps, and in `loss_ns` its cost to the median step.

    Of a hiccup `loss_ns` is what it costs its own step.
    `where` is `lane 2`, `link 1-2`, `step 4 lane 2` (measured steps count from 1; a rank or device
    of another program has its name: `step 4 rank 1`) or empty; `text`
    says how long a step takes, what lanes wait for (core.report.idling), and what limits it.
    """

    kind: Limit
    where: str
    loss_ns: int
    text: str


def verdict(trace: Trace, say: Say = plainly) -> Verdict | None:
    """Return what limits a run or a prediction; None without a whole step.

    All times and shares are those of the median step (core.trace.median_step), but of a hiccup
    those of its own step. Faults are looked for in all measured steps of the median step's plan.
    `say` fills the placeholders of a text, and may translate it first.
    """
    is_predicted = trace.header.source is Source.PREDICTED
    steps = trace.steps if is_predicted else completed_steps(trace)
    if not steps:
        return None
    judged = _of_devices if device_streams(trace.header.lanes) else _of_lanes
    if trace.step_table.follow:
        judged = _of_job
    found = judged(trace, steps, say)
    if found is None:
        return None
    opening, worst = found
    values = {"loss": duration_text(worst.loss_ns), "share": share_text(worst.share)}
    sentences = (opening, warmup_text(trace, say), say(worst.words, **worst.values, **values))
    text = " ".join(filter(None, sentences))
    return Verdict(worst.kind, worst.where, worst.loss_ns, text)


def _of_lanes(trace: Trace, steps: Sequence[int], say: Say) -> tuple[str, Finding] | None:
    """Return the lanes' waits in words, and the limit of their steps; None if none computes."""
    run = MeasuredSteps.of(trace, steps)
    if not run.computes[np.isin(run.columns.lane, run.compute_lanes)].any():
        return None
    # In this order: where the host is late, times of tasks say little of lanes; and a fault, if
    # there is one, is what can be mended.
    worst = host_limit(run) or largest_fault(run) or inherent_limit(run)
    if worst.kind is Limit.HOST and not _tells_of_host(trace, run):
        worst = replace(worst, kind=Limit.NOT_TOLD, sentence=LANES_NOT_TOLD)
    return _idle_text(trace, run, say), worst


def _tells_of_host(trace: Trace, run: MeasuredSteps) -> bool:
    """True if most idle time that nothing else explains is known to be the host's."""
    idle = cause_totals(explain_run_step(trace, run.steps[run.median])).sum(axis=0)
    return bool(idle[CAUSES.index(Cause.HOST)] >= idle[CAUSES.index(Cause.UNEXPLAINED)])


def _of_job(trace: Trace, steps: Sequence[int], say: Say) -> tuple[str, Finding] | None:
    """The same of a training job, whose ranks do not begin a step together."""
    run = MeasuredSteps.of(trace, steps)
    if not run.computes.any():
        return None
    times = JobTimes.of(trace, steps, run.steps[run.median])
    worst = _steady(run, times)
    once = max(hiccups(run), key=lambda one: one.loss_ns, default=None)
    # What is lost in every step is worse than a hiccup of one step that costs less in all.
    is_worse = once is not None and once.loss_ns > worst.loss_ns * len(steps)
    if once is not None and once.share >= NAMED and is_worse:
        worst = once
    return _idle_text(trace, run, say), worst


def _steady(run: MeasuredSteps, times: JobTimes) -> Finding:
    """Return what costs every step of a job most: a fault of one rank, if that is much of it."""
    # Less than half of what must be lost cannot be what is lost.
    named = rank_faults(times, max(DISTURBED_NS, NAMED * times.step_ns) / 2)
    found = [one for one in (*named, *_slow_ranks(run, times)) if _is_named(one)]
    whole = list(job_losses(times))
    worst = max(found, key=lambda one: one.loss_ns, default=None)
    # A part of what a rank does says more than that the rank is slow.
    exact = max(named, key=lambda one: one.loss_ns, default=None)
    if worst is not None and exact is not None and exact.loss_ns >= MAINLY * worst.loss_ns:
        worst = exact
    for_all = max(one.loss_ns for one in whole if one.kind in (Limit.DATA, Limit.HOST))
    if worst is not None and worst.loss_ns >= for_all * MENDED_FIRST:
        return worst
    most = max(whole, key=lambda one: one.loss_ns)
    return most if most.share >= LIMITS else Finding(Limit.NONE, "", 0, 0.0)


def _is_named(one: Finding) -> bool:
    return one.share >= NAMED and one.loss_ns >= DISTURBED_NS


def _slow_ranks(run: MeasuredSteps, times: JobTimes) -> Iterator[Finding]:
    """Every rank of a job that surely computes longer than its peers."""
    place = np.where(run.computes, run.columns.lane, ABSENT)
    for one in slower(run, np.arange(len(run.columns)), place, len(run.lanes), cold=True):
        ns, share = slow_rank(times, one.place, one.factor)
        values = {"lane": one.place, "factor": _times(one.factor)}
        sentence = "" if one.partly else RANK_WORDS[Limit.SLOW_LANE]
        where = f"rank {one.place}"
        yield Finding(
            Limit.SLOW_LANE, where, ns, share, values, partly=one.partly, sentence=sentence
        )


def _idle_text(trace: Trace, run: MeasuredSteps, say: Say) -> str:
    """Return how long the median step takes, and what its lanes wait for, in words."""

    def others() -> list[Explanation]:
        return [explain_run_step(trace, step) for step in _evenly(run.steps)]

    idling = Idling.of([explain_run_step(trace, run.steps[run.median])], others)
    return idle_sentences(idling, say)


def _of_devices(trace: Trace, steps: Sequence[int], say: Say) -> tuple[str, Finding] | None:
    """The same of devices whose streams another program recorded, by their shares of time."""
    chosen = _evenly(steps)
    shares = device_shares(trace, chosen)
    if shares is None:
        return None
    found = [device_limit(shares), *hiccups(MeasuredSteps.of(trace, steps))]
    worst = max(found, key=lambda one: one.share)
    return device_text(shares, worst.kind, say), worst


def _evenly(steps: Sequence[int]) -> list[int]:
    """As many of the steps as are explained, evenly chosen."""
    places = np.linspace(0, len(steps) - 1, min(len(steps), MOST_EXPLAINED)).astype(int)
    return [steps[place] for place in places.tolist()]


def host_limit(run: MeasuredSteps) -> Finding | None:
    """That the host was late for a large part of the steps: then nothing else can be measured."""
    # A step takes longer than its tasks need, if each starts as soon as it can, only because of the
    # host, which starts them.
    late = run.spans - run.makespans
    shares = late / np.maximum(1, run.spans)
    # The median step is late and most steps are: one step alone may be disturbed.
    if min(shares[run.median], np.median(shares)) <= HOST_SHARE:
        return None
    usual = duration_text(round(float(np.median(run.taken[run.median, run.computes]))))
    lost, share = int(late[run.median]), float(shares[run.median])
    return Finding(Limit.HOST, "", lost, share, {"task": usual})


def largest_fault(run: MeasuredSteps) -> Finding | None:
    """The lane, link or task that costs most, if it costs enough."""
    steady = max([*slow_lanes(run), *slow_links(run)], key=lambda one: one.share, default=None)
    once = max(hiccups(run), key=lambda one: one.share, default=None)
    found = [one for one in (steady, once) if one is not None and one.share >= NAMED]
    # What is lost in every step is worse than a hiccup of one step that costs less in all.
    steps = {Limit.HICCUP: 1}
    return max(
        found, key=lambda one: one.loss_ns * steps.get(one.kind, len(run.spans)), default=None
    )


def slow_lanes(run: MeasuredSteps) -> Iterator[Finding]:
    """Every lane that surely computes longer than its peers, by more than a cold start costs."""
    place = np.where(run.computes, run.columns.lane, ABSENT)
    task = np.arange(len(run.columns))
    cold = run.source is not Source.PREDICTED
    for one in slower(run, task, place, len(run.lanes), cold, run.costs):
        factors = np.ones(len(task))
        factors[one.tasks] = one.factor
        ns, share = run.loss(factors)
        values = {"lane": one.place, "factor": _times(one.factor)}
        where = f"lane {one.place}"
        yield Finding(Limit.SLOW_LANE, where, ns, share, values, partly=one.partly)


def _times(factor: float) -> str:
    return f"{factor:.3g}" if factor < 999.5 else f"{factor:,.0f}"


def slow_links(run: MeasuredSteps) -> Iterator[Finding]:
    """Every link whose transfers surely take longer than the same would over other links."""
    links = run.links
    codes, number = np.unique(links.low * len(run.lanes) + links.high, return_inverse=True)
    pairs = np.stack(np.divmod(codes, len(run.lanes)))
    # What goes over several links at once tells none of them from the others.
    kept = np.bincount(links.task, minlength=len(run.columns))[links.task] == 1
    for one in slower(run, links.task[kept], number[kept], pairs.shape[1], costs=run.costs):
        low, high = pairs[:, one.place].tolist()
        factors = np.where(number == one.place, one.factor, 1.0)
        ns, share = run.loss(links.factors(run.columns, factors))
        values = {"low": low, "high": high, "factor": _times(one.factor)}
        yield Finding(Limit.SLOW_LINK, f"link {low}-{high}", ns, share, values)


def hiccups(run: MeasuredSteps) -> Iterator[Finding]:
    """Tasks that surely took longer in one step than in the others, by more than machines add."""
    disturbed = JOB_DISTURBED_NS if run.source is Source.JOB else DISTURBED_NS
    least = 0 if run.source is Source.PREDICTED else disturbed
    usual = _usual(run)
    over = run.logs - usual
    noise = np.empty(len(run.columns))
    for tasks in groups(run.alike):
        noise[tasks] = scatter(over[:, tasks])
    # The usual time is the median of the same steps, which lies nearer to each of them than the
    # true one does: their variance about it is too small by (n - 1) / n, as it is about a mean.
    noise *= np.sqrt(len(run.steps) / max(1, len(run.steps) - 1))
    # So many tasks are looked at that some stand out by chance; divided among them (Bonferroni),
    # one of a whole run does so with the probability CHANCE at most.
    certain = NormalDist().inv_cdf(1 - CHANCE / over.size)
    more = run.taken - np.exp(usual)
    # Disturbances of the machine come in numbers. Only what is far longer than the fourth longest
    # is an event of its own.
    common = np.partition(more, -COMMON, axis=None)[-COMMON] if more.size >= COMMON else 0.0
    outstanding = (over > certain * noise) & (more > OUTSTANDING * common) & run.on_devices
    more = np.where(outstanding, more, 0.0)
    longest = np.argsort(more, axis=None)[::-1][:MOST_TRIED]
    for place, task in zip(*np.unravel_index(longest, more.shape), strict=True):
        # A step is lengthened by a task at most by what that takes longer: only of those that could
        # be named it is worth simulating by how much.
        if more[place, task] >= max(least, NAMED * run.makespans[place]):
            yield _hiccup(run, int(place), int(task), float(np.exp(usual[place, task])))


def _hiccup(run: MeasuredSteps, place: int, task: int, usual: float) -> Finding:
    ns = run.longer_by(place, task, usual)
    lane = int(run.columns.lane[task])
    step = run.steps[place] - run.warmup + 1
    who: dict[str, object] = {"lane": run.lanes[lane].serves}
    where = f"step {step} lane {who['lane']}"
    if not run.source.has_plan:
        name = rank_names(run.lanes)[lane]
        who, where = {"place": name}, f"step {step} {name}"
    values = {
        "step": step,
        "task": run.name_of(task),
        "taken": duration_text(int(run.taken[place, task])),
        "usual": duration_text(round(usual)),
        **who,
    }
    return Finding(Limit.HICCUP, where, ns, ns / max(1, int(run.spans[place])), values)


def _usual(run: MeasuredSteps) -> Floats:
    """The logarithm of what each task usually takes, shape (S, n): the median of the other steps.

    Of fewer than three steps: of others that are alike on its lane.
    """
    if len(run.steps) >= 3:
        return _median_of_others(run.logs)
    usual = run.logs.copy()
    for tasks in groups(run.alike * len(run.lanes) + run.columns.lane):
        usual[:, tasks] = np.median(run.logs[:, tasks])
    return usual


def _median_of_others(values: Floats) -> Floats:
    """For each entry the median of the others in its column, which has three or more."""
    # Sorted once: without the entry of rank r the i-th smallest is ordered[i] below r, and
    # ordered[i + 1] from r on.
    rank = np.argsort(np.argsort(values, axis=0), axis=0)
    ordered = np.sort(values, axis=0)
    count = len(values) - 1
    middle = [(count - 1) // 2, count // 2]  # the same one of an odd number
    both = [np.where(rank <= one, ordered[one + 1], ordered[one]) for one in middle]
    median: Floats = (both[0] + both[1]) / 2
    return median


def inherent_limit(run: MeasuredSteps) -> Finding:
    """What limits the steps though no lane, link or task is worse than its peers."""
    taken, step = run.taken[run.median].astype(np.float64), max(1, run.step_ns)
    whole = int(run.makespans[run.median])
    named = LIMITS * step
    *alone, joint = _losses(run, taken, whole)
    kind, where, ns, values = max(alone, key=lambda one: one[2])
    if ns < named:
        kind, where, ns, values = joint
    if ns < named:
        return Finding(Limit.NONE, "", 0, 0.0)
    return Finding(kind, where, ns, ns / step, values)


_Loss = tuple[Limit, str, int, Mapping[str, object]]
"""What limits, where, for how many ns, and what fills its sentence."""


def _losses(run: MeasuredSteps, taken: Floats, whole: int) -> list[_Loss]:
    """What a step that lasts `whole` ns would take less without one thing alone.

    That is uneven work, the order of tasks, moving data; and last the order once work is even: a
    step that is as long by one as by the other would be hardly shorter without either. Uneven work
    is noise unless some lane is longer in nearly all steps.
    """
    lanes = run.compute_lanes
    work = np.where(run.computes, taken, 0.0)
    totals = np.bincount(run.columns.lane, work, len(run.lanes))[lanes]
    mean = float(totals.mean())
    longer = significantly_above(run.computed) & (totals > mean)
    most = int(np.where(longer, totals, 0.0).argmax())
    shares = np.ones(len(run.lanes))
    shares[lanes] = mean / np.maximum(totals, 1)
    even = np.where(run.computes, taken * shares[run.columns.lane], taken)
    values = {
        "lane": lanes[most],
        "most": duration_text(round(totals[most])),
        "mean": duration_text(round(mean)),
    }
    # `still`: nothing has to be moved; `longest`: nor does any task wait for another one.
    still, longest = run.lasts(work), round(totals.max())
    uneven = whole - run.lasts(even)
    order = run.lasts(np.where(run.computes, even, 0.0)) - round(mean)
    balance: _Loss = (Limit.IMBALANCE, f"lane {lanes[most]}", uneven, values)
    if not longer.any():
        balance = (Limit.NOISE, "", uneven, {})
    return [
        balance,
        (Limit.SCHEDULE, "", still - longest, {}),
        (Limit.COMMUNICATION, "", whole - still, {}),
        (Limit.SCHEDULE, "", order, {}),
    ]
