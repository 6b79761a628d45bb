"""Sentences on the length of a step, the idle share of its lanes, and the reason of most waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.arrays import Ints
from core.explain.causes import ACTIONS, CAUSES, Cause
from core.explain.explanation import Explanation
from core.explain.noise import ALWAYS
from core.explain.statistics import union_ns
from core.message import N_, Message, Text, join_texts, list_texts, message
from core.plain import duration_text, share_text
from core.plan.plan import Lane, computing_lanes, lane_indices
from core.plan.task import PASSES, Kind, among
from core.report.place_names import place_names
from core.report.waterfall import job_waterfall
from core.trace.source import Source

MOSTLY = 2 / 3
"""A lane that holds others up for this fraction of a cause's idle time is named."""
NOTICEABLE = 0.005
"""If lanes idle for less than this share of their time, no cause is named."""
BETWEEN = 0.05
"""If code between two steps adds this share of a step, it is mentioned."""

WORK = {
    Kind.SCATTER: N_("scatter"),
    Kind.REPLICATE: N_("model copies"),
    Kind.GATHER: N_("gather"),
    Kind.LOSS: N_("loss"),
    Kind.REDUCE: N_("reduce"),
    Kind.STEP: N_("update"),
}
"""Work that one lane does for all others, by kind of task: nouns in English."""
WORTH_NAMING = 0.1
"""Work of a kind is named if it takes this share of all work for the others."""
REASONS = {
    Cause.FILL: N_("while the pipeline fills"),
    Cause.DRAIN: N_("while the pipeline drains"),
    Cause.COMPUTE: N_("waiting for {who} to compute"),
    Cause.TRANSFER: N_("waiting for copies between lanes"),
    **dict.fromkeys(ACTIONS, N_("waiting for {who}")),
    Cause.SLOWEST_RANK: N_("waiting for {who} to reach a collective"),
    Cause.COLLECTIVE: N_("waiting for collectives to move data"),
    Cause.IMBALANCE: N_("waiting for {who}, with more rows"),
    Cause.HOST: N_("waiting for the host to start work"),
    Cause.INCOMPLETE: N_("where spans are missing"),
    Cause.NOT_KNOWN: N_("for a reason that is not known yet"),
    Cause.DATA: N_("waiting for the next batch of data"),
    Cause.BETWEEN_STEPS: N_("between steps"),
    Cause.OTHER_STREAM: N_("while another stream of the device works"),
    Cause.UNEXPLAINED: N_("for reasons that the trace does not show"),
}
"""Reason why lanes idle, by cause. {who} is the lane or lanes that are waited for; English."""
MORE_WORK = N_("waiting for {who}, with more work")
"""Reason for an uneven split if a lane without any pass waits too: it has no rows at all."""


_ACTION_CODES = [CAUSES.index(cause) for cause in ACTIONS]
_REASON_OF_CAUSE = np.arange(len(CAUSES))
_REASON_OF_CAUSE[_ACTION_CODES] = CAUSES.index(Cause.COLLECT)
"""Position in CAUSES of each cause's reason, the same for all ACTIONS: one lane's work for all."""


@dataclass(frozen=True, slots=True)
class WorkForAll:
    """The work of a lane, and of its copy lane, for all others.

    It takes a `share` of the steps (0 to 1). `kinds` are the keys of WORK that take WORTH_NAMING of
    it, longest first.
    """

    share: float
    kinds: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Idling:
    """Idle time of the compute lanes in some steps; shares are of all lanes' time (0 to 1).

    `step_ns` is the median step, `share` the idle share. `cause` has the most idle time, None if
    lanes hardly idle; ACTIONS, work of one lane for all, count as one cause, of which the largest
    is given. `cause_share` is the share that is lost to the cause, and to `lane` if that is set.
    `lane` is set if the cause's text names a lane, and this lane holds the others up for most of
    the cause's time in nearly all steps. `place` is its name in a trace of another program
    (core.report.place_names), "" in runs, whose lanes have numbers. `device` is the number of its
    device (from 0) if no two lanes share one. `for_all` is its work for all others, None if it has
    none. `lanes_without_work` is true if lanes without any pass idle for the cause too.
    `between_ns` is the time that code between two steps of a job adds to a step. `of_ranks` is true
    if the lanes are a job's ranks.
    """

    step_ns: int
    share: float
    cause: Cause | None = None
    cause_share: float = 0.0
    lane: int | None = None
    place: str = ""
    device: int | None = None
    for_all: WorkForAll | None = None
    lanes_without_work: bool = False
    between_ns: int = 0
    of_ranks: bool = False

    @classmethod
    def of(
        cls,
        explanations: Sequence[Explanation],
        others: Callable[[], Sequence[Explanation]] = tuple,
        source: Source = Source.RUN,
    ) -> Idling:
        """Sum up one or more explained steps with the same lanes.

        A lane is named only if it holds the others up in the steps of `others` too, because a delay
        in a single step may be chance. `source` is the trace's.
        """
        lanes = explanations[0].lanes
        computing = computing_lanes(lanes)
        own = lane_indices(computing)
        all_lengths = 0
        for explained in explanations:
            all_lengths += int(explained.lengths[own].sum())
        whole = max(1, all_lengths)
        idle_ns = _idle_by_reason(explanations, own)
        by_reason = idle_ns.sum(axis=1)
        makespans = [explained.makespan for explained in explanations]
        share = float(by_reason.sum() / whole)
        found = cls(
            int(np.median(makespans)),
            share,
            between_ns=_between_steps_ns(explanations),
            of_ranks=explanations[0].follows,
        )
        if share < NOTICEABLE:
            return found
        reason = int(by_reason.argmax())
        cause = _largest_cause(explanations, reason)
        lost = int(by_reason[reason])
        lanes_without_work = _lane_without_work_waits(explanations, reason)
        holder = int(idle_ns[reason].argmax())
        lost_to_holder = int(idle_ns[reason, holder])
        names_lane = "{who}" in REASONS[cause]
        is_named = names_lane and lost_to_holder > MOSTLY * lost
        if not is_named or not _holds_up_steadily(holder, reason, others()):
            return replace(
                found, cause=cause, cause_share=lost / whole, lanes_without_work=lanes_without_work
            )
        for_all = _work_for_all(explanations, holder) if cause in ACTIONS else None
        device = _device_number(computing, holder)
        place = ""
        if not source.has_plan:
            place = place_names(source, lanes)[holder]
        return replace(
            found,
            cause=cause,
            cause_share=lost_to_holder / whole,
            lane=holder,
            place=place,
            device=device,
            for_all=for_all,
            lanes_without_work=lanes_without_work,
        )


def _between_steps_ns(explanations: Sequence[Explanation]) -> int:
    """Return the median time in ns that code between two steps of a job adds to a step."""
    found = [job_waterfall(one)["between"] for one in explanations if one.follows]
    if not found:
        return 0
    return int(np.median(found))


def step_text(step_ns: int) -> Message:
    """Return the first sentence: `Step 37 ms.`."""
    return message("Step {step}.", step=duration_text(step_ns))


def idle_sentences(found: Idling) -> Message:
    """Return the sentences on the step and its idle time.

    Such as `Step 37 ms. Lanes idle 39 %: mostly waiting for other lanes to compute (21 %).`
    """
    sentences = [step_text(found.step_ns)]
    if found.between_ns > BETWEEN * found.step_ns:
        iteration = message(
            "{step} per iteration, {between} of it between steps.",
            step=duration_text(found.step_ns),
            between=duration_text(found.between_ns, like=found.step_ns),
        )
        sentences = [iteration]
    sentences.append(_idle_sentence(found))
    if found.for_all is not None and found.lane is not None:
        sentences.append(_work_sentence(found, found.lane, found.for_all))
    return join_texts(sentences)


def _idle_sentence(found: Idling) -> Message:
    """Return the idle share with its main reason."""
    idle = share_text(found.share)
    if found.cause is None:
        return message("Lanes idle {idle}.", idle=idle)
    template = REASONS[found.cause]
    if found.cause is Cause.IMBALANCE and found.lanes_without_work:
        template = MORE_WORK
    reason = message(template, who=_who(found))
    share = share_text(found.cause_share)
    if 2 * found.cause_share >= found.share:
        return message(
            "Lanes idle {idle}: mostly {reason} ({share}).", idle=idle, reason=reason, share=share
        )
    return message(
        "Lanes idle {idle}, the largest part {reason} ({share}).",
        idle=idle,
        reason=reason,
        share=share,
    )


def _who(found: Idling) -> Text:
    """Return the lane or lanes that are waited for; the device if one works for all others."""
    if found.place:
        return found.place
    if found.cause in ACTIONS:
        if found.lane is None:
            return message("other devices")
        if found.device is not None:
            return message("device {device}", device=found.device)
    if found.lane is None:
        return message("other ranks") if found.of_ranks else message("other lanes")
    if found.of_ranks:
        return message("rank {lane}", lane=found.lane)
    return message("lane {lane}", lane=found.lane)


def _work_sentence(found: Idling, lane: int, work: WorkForAll) -> Message:
    """Return the sentence on the work that one lane, or its device, does for all others."""
    names = [Message(WORK[kind]) for kind in work.kinds]
    values = {"share": share_text(work.share), "work": list_texts(names)}
    if found.place:
        return message(
            "Work for the others takes {share} of the step on {place}: {work}.",
            place=found.place,
            **values,
        )
    if found.device is not None:
        return message(
            "Device {device} spends {share} of the step on the others: {work}.",
            device=found.device,
            **values,
        )
    return message(
        "Lane {lane} spends {share} of the step on the others: {work}.", lane=lane, **values
    )


def _holds_up_steadily(lane: int, reason: int, steps: Sequence[Explanation]) -> bool:
    """Return True if lanes wait longest for a lane, for a reason, in nearly all `steps`."""
    times_longest = 0
    for step in steps:
        computing = lane_indices(computing_lanes(step.lanes))
        waited_for = _idle_by_reason([step], computing)[reason]
        if waited_for.any() and int(waited_for.argmax()) == lane:
            times_longest += 1
    return times_longest >= ALWAYS * len(steps)


def _idle_by_reason(explanations: Sequence[Explanation], computing: Sequence[int]) -> Ints:
    """Return idle ns of the `computing` lanes by reason and by the lane that is waited for.

    The shape is (causes, lanes). A row is the reason that `_REASON_OF_CAUSE` gives for a cause.
    """
    lanes = explanations[0].lanes
    idle_ns = np.zeros((len(CAUSES), len(lanes)), np.int64)
    serves = np.array([lane.serves for lane in lanes])
    for explained in explanations:
        mine = np.isin(explained.lane, computing)
        # A copy lane's work counts as work of the compute lane that it serves.
        blocking = explained.blocking[mine]
        holders = serves[explained.columns.lane[blocking]]
        reasons = _REASON_OF_CAUSE[explained.cause[mine]]
        length = explained.end[mine] - explained.start[mine]
        # `idle_ns[...] +=` would count each pair of reason and lane once.
        np.add.at(idle_ns, (reasons, holders), length)
    return idle_ns


def _largest_cause(explanations: Sequence[Explanation], reason: int) -> Cause:
    """Return the cause with the most idle time among causes that count as one reason."""
    totals = np.zeros(len(CAUSES), np.int64)
    for explained in explanations:
        cause = explained.cause.astype(np.int64)
        np.add.at(totals, cause, explained.end - explained.start)
    totals[reason != _REASON_OF_CAUSE] = -1
    return CAUSES[int(totals.argmax())]


def _lane_without_work_waits(explanations: Sequence[Explanation], reason: int) -> bool:
    """Return True if a lane without any pass in a step idles for a reason in it."""
    for explained in explanations:
        columns = explained.columns
        is_pass = PASSES[columns.kind]
        works = np.unique(columns.lane[is_pass])
        for_reason = _REASON_OF_CAUSE[explained.cause] == reason
        idles = explained.lane[for_reason]
        if not np.isin(idles, works).all():
            return True
    return False


def _work_for_all(explanations: Sequence[Explanation], lane: int) -> WorkForAll | None:
    """Return the work of a lane for all others in some steps; None if it has none of WORK."""
    every = _busy_ns(explanations, lane, tuple(WORK))
    if not every:
        return None
    by_kind: Counter[Kind] = Counter()
    for kind in WORK:
        by_kind[kind] = _busy_ns(explanations, lane, (kind,))
    named: list[Kind] = []
    for kind, ns in by_kind.most_common():
        if ns >= WORTH_NAMING * every:
            named.append(kind)
    whole = sum(explained.makespan for explained in explanations)
    return WorkForAll(every / max(1, whole), tuple(named))


def _busy_ns(explanations: Sequence[Explanation], lane: int, kinds: tuple[Kind, ...]) -> int:
    """Return the ns in which a lane, or its copy lane, runs tasks of some kinds."""
    total = 0
    for explained in explanations:
        columns = explained.columns
        serves = np.array([one.serves for one in explained.lanes])
        is_kind = among(*kinds)[columns.kind]
        mine = is_kind & (serves[columns.lane] == lane)
        total += union_ns(columns.start[mine], columns.end[mine])
    return total


def _device_number(computing: Sequence[Lane], lane: int) -> int | None:
    """Return the number of a lane's device (from 0); None if any two lanes share one."""
    devices = {one.device for one in computing}
    if len(devices) < len(computing):
        return None
    for number, one in enumerate(computing):
        if one.index == lane:
            return number
    return None
