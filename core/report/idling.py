"""How long steps take, what part of that lanes idle, and what most of it waits for, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.explain.causes import ACTIONS, CAUSES, Cause, Explanation
from core.explain.noise import ALWAYS
from core.explain.statistics import union_ns
from core.message import N_
from core.plain import Say, duration_text, plainly
from core.plan.plan import Lane, computing_lanes
from core.plan.task import PASSES, Kind, among
from core.report.waterfall import job_waterfall

MOSTLY = 2 / 3
"""The part of a cause's idle time from which on one lane is said to be what it waits for."""
SEEN = 0.005
"""Less idle time than this part of all lanes' time has no main cause worth naming."""
BETWEEN = 0.05
"""The part of a step that code between two steps adds from which on it is said."""

STEP = N_("Step {step}.")
ITERATION = N_("{step} an iteration, {between} of them between steps.")
IDLE = N_("Lanes idle {idle}.")
WAITING = N_("Lanes idle {idle}: mostly {reason} ({share}).")
LARGEST = N_("Lanes idle {idle}, the largest part {reason} ({share}).")
LANE, LANES = N_("lane {lane}"), N_("other lanes")
RANK, RANKS = N_("rank {lane}"), N_("other ranks")
DEVICE, DEVICES = N_("device {device}"), N_("other devices")
FOR_ALL = N_("{who} spends {share} of a step on work for all, the longest part ({part}) to {work}.")
WORK = {
    Kind.SCATTER: N_("scatter"),
    Kind.REPLICATE: N_("copy the model"),
    Kind.GATHER: N_("gather"),
    Kind.LOSS: N_("compute the loss"),
    Kind.REDUCE: N_("reduce"),
    Kind.STEP: N_("update the model"),
}
"""The work of one lane for all others, by kind of task, to fit into FOR_ALL; English."""
REASONS = {
    Cause.FILL: N_("while the pipeline fills"),
    Cause.DRAIN: N_("while the pipeline drains"),
    Cause.COMPUTE: N_("waiting for {who} to compute"),
    Cause.TRANSFER: N_("waiting for copies between lanes"),
    **dict.fromkeys(ACTIONS, N_("waiting for {who}")),
    Cause.SLOWEST_RANK: N_("waiting for {who} to reach a collective"),
    Cause.COLLECTIVE: N_("waiting for collectives to move data"),
    Cause.IMBALANCE: N_("waiting for {who}, with more rows"),
    Cause.HOST: N_("because the host is late"),
    Cause.INCOMPLETE: N_("where spans are missing"),
    Cause.NOT_KNOWN: N_("for what is not known yet"),
    Cause.DATA: N_("waiting for the next batch of data"),
    Cause.BETWEEN_STEPS: N_("between steps"),
    Cause.OTHER_STREAM: N_("while another stream of the device works"),
    Cause.UNEXPLAINED: N_("for reasons that the trace does not tell"),
}
"""Why lanes idle, by cause, with the lane or lanes that are waited for; English."""
MORE_WORK = N_("waiting for {who}, with more work")
"""Of an uneven split in which a lane without any pass waits too: rows say nothing of that one."""


_REASON_OF_CAUSE = np.arange(len(CAUSES))
_REASON_OF_CAUSE[[CAUSES.index(cause) for cause in ACTIONS]] = CAUSES.index(Cause.COLLECT)
"""The place in CAUSES of the cause that each one is counted as: one lane's work for all is one."""


@dataclass(frozen=True, slots=True)
class WorkForAll:
    """The work of a lane for all others, with that of its copy lane: parts of the steps, 0 to 1.

    `share` is the part in which it does any of WORK; `kind` is what it does longest of that, for
    the part `kind_share`.
    """

    share: float
    kind: Kind
    kind_share: float


@dataclass(frozen=True, slots=True)
class Idling:
    """Of some steps: the median `step_ns`; the idle part of all compute lanes' time, 0 to 1.

    `cause` is that of most idle time, None where hardly any is; the causes of work that one lane
    does for all (core.explain.causes.ACTIONS) count as one here, of which the largest is given.
    `lane` is set if the cause's text names a lane, and one lane holds the others up for most of the
    cause's time, in nearly all steps; `device` is that lane's device, counted from 0, if no two
    lanes share one. `cause_share` is the part of all lanes' time that is lost to the cause, and to
    the lane if that is set. `between_ns` is what code between two steps of a job adds to a step:
    after an update, before anything else is seen; `of_ranks` says that the lanes are a job's ranks,
    by number. `workless` says that lanes without any pass are
    among those that idle for that cause. `for_all` is what the lane does for all others, None if it
    does nothing.
    """

    step_ns: int
    share: float
    cause: Cause | None = None
    cause_share: float = 0.0
    lane: int | None = None
    device: int | None = None
    for_all: WorkForAll | None = None
    workless: bool = False
    between_ns: int = 0
    of_ranks: bool = False

    @classmethod
    def of(
        cls,
        explanations: Sequence[Explanation],
        others: Callable[[], Sequence[Explanation]] = tuple,
    ) -> Idling:
        """From explained steps, at least one, with the same lanes.

        `others` are steps in which a lane that is named must hold the lanes up, too: what it does
        in one step alone is chance.
        """
        lanes = explanations[0].lanes
        computing = computing_lanes(lanes)
        own = [lane.index for lane in computing]
        lengths = [int(explained.lengths[own].sum()) for explained in explanations]
        whole = max(1, sum(lengths))
        idle_ns = _idle_by_reason(explanations, own)
        by_reason = idle_ns.sum(axis=1)
        step_ns = int(np.median([explained.makespan for explained in explanations]))
        share = float(by_reason.sum() / whole)
        found = cls(
            step_ns,
            share,
            between_ns=_between_steps_ns(explanations),
            of_ranks=explanations[0].follows,
        )
        if share < SEEN:
            return found
        reason = int(by_reason.argmax())
        cause = _largest_cause(explanations, reason)
        lost = int(by_reason[reason])
        workless = any(_lane_without_work_waits(explained, reason) for explained in explanations)
        holder = int(idle_ns[reason].argmax())
        lost_to_holder = int(idle_ns[reason, holder])
        is_named = "{who}" in REASONS[cause] and lost_to_holder > MOSTLY * lost
        if not is_named or not _holds_up_steadily(holder, reason, others()):
            return replace(found, cause=cause, cause_share=lost / whole, workless=workless)
        for_all = _work_for_all(explanations, holder) if cause in ACTIONS else None
        device = _device_number(computing, holder)
        return replace(
            found,
            cause=cause,
            cause_share=lost_to_holder / whole,
            lane=holder,
            device=device,
            for_all=for_all,
            workless=workless,
        )


def _between_steps_ns(explanations: Sequence[Explanation]) -> int:
    """Return the median time in ns that code between two steps of a job adds to a step."""
    found = [job_waterfall(one)["between"] for one in explanations if one.follows]
    return int(np.median(found)) if found else 0


def idle_sentences(found: Idling, say: Say = plainly) -> str:
    """Such as `Step 37 ms. Lanes idle 39 %: mostly waiting for other lanes to compute (21 %)`.

    `say` fills the placeholders of a text, and may translate it first.
    """
    step = duration_text(found.step_ns)
    words = [say(STEP, step=step)]
    if found.between_ns > BETWEEN * found.step_ns:
        words = [say(ITERATION, step=step, between=duration_text(found.between_ns))]
    if found.cause is None:
        words.append(say(IDLE, idle=share_text(found.share)))
        return " ".join(words)
    who = _who(found, say)
    more_work = found.cause is Cause.IMBALANCE and found.workless
    reason = say(MORE_WORK if more_work else REASONS[found.cause], who=who)
    share = share_text(found.cause_share)
    waiting = WAITING if 2 * found.cause_share >= found.share else LARGEST
    words.append(say(waiting, idle=share_text(found.share), reason=reason, share=share))
    if found.for_all is not None:
        values = {
            "who": who[0].upper() + who[1:],
            "share": share_text(found.for_all.share),
            "work": say(WORK[found.for_all.kind]),
            "part": share_text(found.for_all.kind_share),
        }
        words.append(say(FOR_ALL, **values))
    return " ".join(words)


def _who(found: Idling, say: Say) -> str:
    """The lane or lanes that are waited for; as a device where one works for all others."""
    by_device = found.cause in ACTIONS
    if found.lane is None:
        return say(DEVICES if by_device else RANKS if found.of_ranks else LANES)
    if by_device and found.device is not None:
        return say(DEVICE, device=found.device)
    return say(RANK if found.of_ranks else LANE, lane=found.lane)


def _holds_up_steadily(lane: int, reason: int, steps: Sequence[Explanation]) -> bool:
    """True if, in nearly all `steps`, a lane is what the lanes wait for most for a reason."""
    computing = [one.index for one in computing_lanes(steps[0].lanes)] if steps else []
    waited_for = [_idle_by_reason([step], computing)[reason] for step in steps]
    leads = [bool(idle.any()) and int(idle.argmax()) == lane for idle in waited_for]
    return sum(leads) >= ALWAYS * len(steps)


def _idle_by_reason(
    explanations: Sequence[Explanation], computing: Sequence[int]
) -> NDArray[np.int64]:
    """Idle ns of the `computing` lanes by reason and by the lane that is waited for.

    Shape (causes, lanes); a row is the reason that `_REASON_OF_CAUSE` gives for a cause.
    """
    lanes = explanations[0].lanes
    idle_ns = np.zeros((len(CAUSES), len(lanes)), np.int64)
    serves = np.array([lane.serves for lane in lanes])
    for explained in explanations:
        mine = np.isin(explained.lane, computing)
        # A copy lane's work counts as that of the compute lane that it serves.
        holders = serves[explained.columns.lane[explained.blocking[mine]]]
        reasons = _REASON_OF_CAUSE[explained.cause[mine]]
        length = explained.end[mine] - explained.start[mine]
        # Not `+=` at these places: that would count each pair of reason and lane once.
        np.add.at(idle_ns, (reasons, holders), length)
    return idle_ns


def _largest_cause(explanations: Sequence[Explanation], reason: int) -> Cause:
    """Of the causes that count as one reason, that of most idle time."""
    totals = np.zeros(len(CAUSES), np.int64)
    for explained in explanations:
        np.add.at(totals, explained.cause.astype(np.int64), explained.end - explained.start)
    totals[reason != _REASON_OF_CAUSE] = -1
    return CAUSES[int(totals.argmax())]


def _lane_without_work_waits(explained: Explanation, reason: int) -> bool:
    """True if a lane that has no pass idles for a reason."""
    columns = explained.columns
    works = np.unique(columns.lane[PASSES[columns.kind]])
    for_reason = _REASON_OF_CAUSE[explained.cause] == reason
    return not np.isin(explained.lane[for_reason], works).all()


def _work_for_all(explanations: Sequence[Explanation], lane: int) -> WorkForAll | None:
    """Return the work of a lane for all others in some steps; None if it has none of WORK."""
    whole = max(1, sum(explained.makespan for explained in explanations))
    every = sum(_busy_ns(explained, lane, tuple(WORK)) for explained in explanations)
    by_kind = {
        kind: sum(_busy_ns(explained, lane, (kind,)) for explained in explanations) for kind in WORK
    }
    longest = max(by_kind, key=by_kind.__getitem__)
    return WorkForAll(every / whole, longest, by_kind[longest] / whole) if every else None


def _busy_ns(explained: Explanation, lane: int, kinds: tuple[Kind, ...]) -> int:
    """Ns in which a lane, or one that copies for it, runs tasks of some kinds."""
    columns = explained.columns
    serves = np.array([one.serves for one in explained.lanes])
    mine = (serves[columns.lane] == lane) & among(*kinds)[columns.kind]
    return union_ns(columns.start[mine], columns.end[mine])


def _device_number(computing: Sequence[Lane], lane: int) -> int | None:
    """The place of a lane's device among the devices; None if any two lanes share one."""
    devices = [one.device for one in computing]
    places = [place for place, one in enumerate(computing) if one.index == lane]
    return places[0] if places and len(set(devices)) == len(devices) else None


def share_text(share: float) -> str:
    """A share of a step in two digits, as all of the verdict's sentences have it."""
    percent = 100 * share
    # With two digits `g` would write a hundred as 1e+02, and very little as 9e-05.
    return f"{percent:.2g} %" if 0.001 <= percent < 99.5 else f"{percent:.0f} %"
