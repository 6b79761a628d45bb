"""Dependencies between the tasks of another program's pipeline, which its file does not contain.

The rule, for the passes of a step. A pass is a forward F, a whole backward B, or a backward in two
parts, I for the input and W for the weights. Stage s, micro-batch m:

1. F(s, m) waits for F(s - 1, m). B(s, m) or I(s, m) waits for that of stage s + 1, and at the last
   stage for F(s, m). W(s, m) waits for I(s, m).
2. A recorded send and its receive are one copy (`core.recording.importers.pipeline_copies`). It
   waits for the pass that produced the data, and the pass that consumes them waits for it.
3. If sends are not recorded, the time of a transfer is inferred from the passes (same module).
4. A collective waits for the task of its rank before it. If the rank computes nothing meanwhile,
   its next task waits for the collective; otherwise its next update does. The first forward of a
   chunk waits for an all-gather of this chunk's parameters.
5. The clock of a rank is moved by as much as the dependencies between it and the rank before it
   demand, and not at all if they hold as recorded.
6. Steps that overlap, because each counts from its own start, follow each other.

PLACEMENTS are tried in order to number the stages of the ranks' chunks. The first one counts in
which at least FORWARD_SHARE of the passes start after the pass that they wait for has ended; a few
may start earlier, since the clocks of ranks differ. A forward and a backward that ran together are
one task. Tasks are numbered within their steps in `core.recording.importers.step_plans`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.order import groups, row_keys
from core.plan.plan import Role
from core.plan.task import ABSENT, IS_COLLECTIVE, IS_COMMUNICATION, KIND_CODES, PASSES, Kind, among
from core.recording.importers.imported_events import ImportedEvents, StepRanges
from core.recording.importers.overlaps import SLIGHT_SHARE
from core.recording.importers.pipeline_copies import Edges, with_copies
from core.trace.import_issue import ImportIssue

MOST_STAGES = 1 << 15
"""Limit of the number of stages: columns number them in 16 bits."""
FORWARD_SHARE = 0.95
"""Share of dependencies that must lie forward in time for a placement to be accepted."""
LEAST_SHIFT = 1_000
"""Smallest change of a clock, in ns, that is reported."""
_NEVER = np.iinfo(np.int64).min // 4
_ALWAYS = np.iinfo(np.int64).max // 4
_FORWARD, _BACKWARD, _WEIGHT = range(3)
_DIRECTIONS = np.full(len(PASSES), ABSENT)
_DIRECTIONS[KIND_CODES[Kind.FORWARD]] = _FORWARD
_DIRECTIONS[KIND_CODES[Kind.BACKWARD]] = _BACKWARD
_DIRECTIONS[KIND_CODES[Kind.BACKWARD_INPUT]] = _BACKWARD
_DIRECTIONS[KIND_CODES[Kind.BACKWARD_WEIGHT]] = _WEIGHT
_FOLLOWS_COLLECTIVES = among(Kind.STEP, Kind.OTHER)
"""Kinds of a rank's tasks that wait for collectives which ran during its passes."""


def loop(rank: Ints, chunk: Ints, ranks: int) -> Ints:
    """Return the stages of chunks if each chunk continues at the first rank: 0 1 2, 3 4 5."""
    return chunk * ranks + rank


def vee(rank: Ints, chunk: Ints, ranks: int) -> Ints:
    """Return the stages of chunks if every other chunk goes back through the ranks: 0 1 2, 5 4 3.

    Zero bubble V and DualPipeV place stages this way.
    """
    place: Ints = np.where(chunk % 2 == 0, rank, ranks - 1 - rank)
    return chunk * ranks + place


Placement = Callable[[Ints, Ints, int], Ints]
PLACEMENTS: tuple[Placement, ...] = (loop, vee)


@dataclass(frozen=True, slots=True)
class _Passes:
    """The n passes of a job as arrays of shape (n,), in the order of their recorded starts.

    `event` is the position of the event with the pass. `direction` is _FORWARD, _BACKWARD or
    _WEIGHT.
    """

    event: Ints
    direction: Ints
    step: Ints
    replica: Ints
    rank: Ints
    chunk: Ints
    microbatch: Ints


def with_pipeline_dependencies(imported: ImportedEvents) -> ImportedEvents:
    """Return the events of a pipeline with stages, dependencies and copies by the rule above.

    Events without a place in a pipeline are unchanged. If the events fit no placement, this is
    counted among the issues, and only passes of the last rule are left.
    """
    places = imported.pipeline
    if places is None or imported.step is None or not len(imported):
        return imported
    imported = replace(imported, issues=imported.issues.copy())
    passes = _passes_of(imported)
    stage, edges = _placed(imported, passes)
    if stage is None:
        imported.issues[ImportIssue.NO_PLACEMENT] += 1
        imported = _with_steps_in_order(imported)
    else:
        imported = _with_common_clock(imported, stage, passes)
        imported = _with_steps_in_order(imported)
        attributes = {**imported.attributes, "stage": _stages_of_events(imported, passes, stage)}
        imported = replace(imported, attributes=attributes)
    compute = _compute_events(imported)
    links = _collective_links(imported, compute)
    imported = replace(imported, links=np.concatenate([imported.links, links]))
    return _with_overlaps(with_copies(imported, edges, compute))


def _with_overlaps(imported: ImportedEvents) -> ImportedEvents:
    """Return the events in which passes of a rank with the same start and end are one task.

    Programs that run a forward and a backward together record the time of both for each of them.
    """
    kind, start, end = imported.kind, imported.start, imported.end
    is_forward = kind == KIND_CODES[Kind.FORWARD]
    passes = np.flatnonzero(_DIRECTIONS[kind] >= 0)
    order = passes[np.lexsort((~is_forward[passes], start[passes], imported.track[passes]))]
    first, second = order[:-1], order[1:]
    is_pair = (imported.track[first] == imported.track[second]) & (end[first] > start[first])
    is_pair &= (start[first] == start[second]) & (end[first] == end[second])
    is_pair &= is_forward[first] & (_DIRECTIONS[kind[second]] == _BACKWARD)
    forward, backward = first[is_pair], second[is_pair]
    if not len(forward):
        return imported
    kind = kind.copy()
    kind[forward] = KIND_CODES[Kind.OVERLAP]
    attributes = dict(imported.attributes)
    for name in ("stage", "microbatch"):
        paired = np.full(len(imported), ABSENT, np.int64)
        given = attributes.get(name)
        if given is not None:
            paired[forward] = given[backward]
        attributes[f"paired_{name}"] = paired
    task = np.arange(len(imported))
    task[backward] = forward
    links = task[imported.links]
    links = links[links[:, 0] != links[:, 1]]
    kept = np.ones(len(imported), np.bool_)
    kept[backward] = False
    return replace(imported, kind=kind, attributes=attributes, links=links).picked(kept)


def _passes_of(imported: ImportedEvents) -> _Passes:
    """Return the passes that have a rank, a micro-batch and a step."""
    places = imported.pipeline
    assert places is not None and imported.step is not None
    microbatch = imported.attributes.get("microbatch", np.full(len(imported), ABSENT))
    direction = _DIRECTIONS[imported.kind]
    is_placed = (places.rank >= 0) & (microbatch >= 0) & (imported.step >= 0)
    event = np.flatnonzero((direction >= 0) & is_placed)
    event = event[np.argsort(imported.start[event], kind="stable")]
    return _Passes(
        event=event,
        direction=direction[event],
        step=imported.step[event].astype(np.int64),
        replica=np.maximum(places.replica[event], 0).astype(np.int64),
        rank=places.rank[event].astype(np.int64),
        chunk=np.maximum(places.chunk[event], 0).astype(np.int64),
        microbatch=microbatch[event].astype(np.int64),
    )


def _placed(imported: ImportedEvents, passes: _Passes) -> tuple[Ints | None, Edges]:
    """Return the stage of each pass by the first placement that fits, and the dependencies.

    Of placements that do not fit exactly, the one with most dependencies forward in time is taken,
    if these are at least FORWARD_SHARE.
    """
    none = Edges.empty()
    if not len(passes.event):
        return None, none
    ranks = int(passes.rank.max()) + 1
    stages = ranks * (int(passes.chunk.max()) + 1)
    if stages > MOST_STAGES:
        return None, none
    best: tuple[Ints | None, Edges] = None, none
    best_share = FORWARD_SHARE
    for placement in PLACEMENTS:
        stage = placement(passes.rank, passes.chunk, ranks)
        edges = _dependencies(passes, stage, stages)
        share = _forward_share(imported, passes, edges)
        if share == 1:
            return stage, edges
        if share >= best_share:
            best, best_share = (stage, edges), share
    return best


def _dependencies(passes: _Passes, stage: Ints, stages: int) -> Edges:
    """Return the dependencies between passes, by positions of their events."""
    is_first = (passes.direction == _FORWARD) & (stage == 0)
    is_last = (passes.direction == _BACKWARD) & (stage == stages - 1)
    shift = np.where(passes.direction == _FORWARD, -1, 1)
    shift[(passes.direction == _WEIGHT) | is_last] = 0
    # The direction of the pass that is waited for: W waits for I, the last backward for F.
    direction = np.where(passes.direction == _WEIGHT, _BACKWARD, passes.direction)
    direction[is_last] = _FORWARD
    waiting = np.flatnonzero(~is_first)
    columns = (passes.step, passes.replica, passes.microbatch)
    known = row_keys(
        *(np.concatenate([column, column[waiting]]) for column in columns),
        np.concatenate([stage, (stage + shift)[waiting]]),
        np.concatenate([passes.direction, direction[waiting]]),
    )
    known, wanted = known[: len(stage)], known[len(stage) :]
    # Of several passes with one key, `unique` returns the first one.
    keys, first = np.unique(known, return_index=True)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    is_found = keys[place] == wanted
    needed, waiting = first[place[is_found]], waiting[is_found]
    is_other = needed != waiting
    needed, waiting = needed[is_other], waiting[is_other]
    return Edges(
        before=passes.event[needed],
        after=passes.event[waiting],
        is_backward=passes.direction[waiting] != _FORWARD,
    )


def _forward_share(imported: ImportedEvents, passes: _Passes, edges: Edges) -> float:
    """Return the share of dependencies that hold in time, on clocks that fit them best."""
    if not len(edges.before):
        return 1.0
    shift, _ = _clock_shifts(imported, passes, edges)
    gap = imported.start[edges.after] + shift[edges.after]
    gap -= imported.end[edges.before] + shift[edges.before]
    length = imported.end - imported.start
    shorter = np.minimum(length[edges.before], length[edges.after])
    return float(np.mean(gap >= -(shorter // SLIGHT_SHARE) - 1))


def _clock_shifts(imported: ImportedEvents, passes: _Passes, edges: Edges) -> tuple[Ints, int]:
    """Return the time in ns to add to each event, and the number of clocks that contradict.

    Moving the clock of rank r later delays its passes relative to rank r - 1. It must move by at
    least the largest time by which a pass on r starts too early. It may move by at most the
    smallest time between the end of a pass on r and the pass on r - 1 that waits for it.
    """
    places = imported.pipeline
    assert places is not None and imported.step is not None
    ranks = int(places.rank.max()) + 1
    replica = np.maximum(places.replica, 0).astype(np.int64)
    step = imported.step.astype(np.int64) if places.own_clocks else np.zeros_like(replica)
    keys, clock = np.unique(row_keys(step, replica), return_inverse=True)
    least = np.full((len(keys), ranks), _NEVER)
    most = np.full((len(keys), ranks), _ALWAYS)
    rank = places.rank.astype(np.int64)
    from_rank, to_rank = rank[edges.before], rank[edges.after]
    early = imported.end[edges.before] - imported.start[edges.after]
    upward = to_rank == from_rank + 1
    np.maximum.at(least, (clock[edges.after[upward]], to_rank[upward]), early[upward])
    downward = to_rank == from_rank - 1
    np.minimum.at(most, (clock[edges.after[downward]], from_rank[downward]), -early[downward])
    contradicts = least > most
    moved = np.where(least > 0, least, np.where(most < 0, most, 0))
    # Between two bounds that contradict, the middle violates both of them least.
    moved[contradicts] = (least[contradicts] + most[contradicts]) // 2
    total = np.cumsum(moved, axis=1)
    shift = np.where(rank >= 0, total[clock, np.maximum(rank, 0)], 0)
    return shift, int(contradicts.any(axis=0).sum())


def _with_common_clock(imported: ImportedEvents, stage: Ints, passes: _Passes) -> ImportedEvents:
    """Return the events with the clocks of all ranks moved to that of rank 0."""
    places = imported.pipeline
    assert places is not None
    edges = _dependencies(passes, stage, int(stage.max()) + 1)
    shift, contradictions = _clock_shifts(imported, passes, edges)
    imported.issues[ImportIssue.CLOCKS_CONTRADICT] += contradictions
    is_moved = np.abs(shift) >= LEAST_SHIFT
    if is_moved.any():
        moved = row_keys(places.replica[is_moved], places.rank[is_moved])
        imported.issues[ImportIssue.CLOCKS_MOVED] += len(np.unique(moved))
    return _moved(imported, shift)


def _moved(imported: ImportedEvents, shift: Ints) -> ImportedEvents:
    """Return the events later by the ns in `shift`, and the bounds of their steps."""
    start, end = imported.start + shift, imported.end + shift
    launched = imported.launched
    if launched is not None:
        launched = np.where(launched == ABSENT, ABSENT, launched + shift)
    return _with_bounds(replace(imported, start=start, end=end, launched=launched))


def _with_bounds(imported: ImportedEvents) -> ImportedEvents:
    """Return the events with the steps from the first start to the last end of their events."""
    assert imported.step is not None
    numbers = imported.steps.number
    mine = np.isin(imported.step, numbers)
    steps = StepRanges.spanning(
        imported.step[mine].astype(np.int64), imported.start[mine], imported.end[mine]
    )
    return replace(imported, steps=steps)


def _with_steps_in_order(imported: ImportedEvents) -> ImportedEvents:
    """Return the events with steps one after another if they were recorded on top of each other."""
    imported = _with_bounds(imported)
    steps, places = imported.steps, imported.pipeline
    assert places is not None
    middle = steps.start + (steps.end - steps.start) // 2
    is_in_order = bool((steps.start[1:] >= middle[:-1]).all())
    if not len(steps.number) or (is_in_order and not places.own_clocks):
        return imported
    length = steps.end - steps.start
    begin = np.cumsum(length) - length
    shift_of_step = begin - steps.start
    assert imported.step is not None
    place = np.searchsorted(steps.number, imported.step)
    place = np.minimum(place, len(steps.number) - 1)
    is_known = steps.number[place] == imported.step
    return _moved(imported, np.where(is_known, shift_of_step[place], 0))


def _stages_of_events(imported: ImportedEvents, passes: _Passes, stage: Ints) -> NDArray[np.int16]:
    """Return the stage of each event with a rank: that of its chunk, or of the rank's first one."""
    places = imported.pipeline
    assert places is not None
    found = np.full(len(imported), ABSENT, np.int64)
    found[passes.event] = stage
    given = imported.attributes.get("stage")
    if given is not None:
        found = np.where(found == ABSENT, given, found)
    # A collective belongs to the stage of its chunk, or of the first chunk of its rank.
    others = np.flatnonzero((found == ABSENT) & (places.rank >= 0) & IS_COLLECTIVE[imported.kind])
    others = others[~places.spans_stages[others]]
    chunk = np.maximum(places.chunk, 0)
    known = row_keys(
        np.concatenate([passes.rank, places.rank[others].astype(np.int64)]),
        np.concatenate([passes.chunk, chunk[others].astype(np.int64)]),
    )
    known, wanted = known[: len(stage)], known[len(stage) :]
    keys, first = np.unique(known, return_index=True)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    is_found = keys[place] == wanted
    found[others[is_found]] = stage[first[place[is_found]]]
    return found.astype(np.int16)


def _compute_events(imported: ImportedEvents) -> list[Ints]:
    """Return the positions of the computing events of each rank of each replica, by start.

    Moments, and events inside others, are notes on what runs: nothing waits for them.
    """
    places = imported.pipeline
    assert places is not None
    roles = [track.role is Role.COMPUTE for track in imported.tracks]
    is_computing = np.array(roles, np.bool_)[imported.track] & ~IS_COMMUNICATION[imported.kind]
    is_computing &= imported.end > imported.start
    mine = np.flatnonzero(is_computing & (places.rank >= 0))
    mine = mine[np.lexsort((-imported.end[mine], imported.start[mine]))]
    lanes = []
    for tasks in groups(row_keys(places.replica, places.rank), mine):
        last_ends = np.maximum.accumulate(imported.end[tasks])
        is_inside = np.zeros(len(tasks), np.bool_)
        is_inside[1:] = imported.end[tasks[1:]] <= last_ends[:-1]
        # Both halves of an overlap have the same times.
        is_half = _DIRECTIONS[imported.kind[tasks]] >= 0
        lanes.append(tasks[~is_inside | is_half])
    return lanes


def _collective_links(imported: ImportedEvents, compute: list[Ints]) -> Ints:
    """Return the dependencies of collectives and of the tasks that wait for them, shape (k, 2)."""
    places, step = imported.pipeline, imported.step
    assert places is not None and step is not None
    lane = row_keys(places.replica, places.rank)
    collectives = np.flatnonzero(IS_COLLECTIVE[imported.kind] & (places.rank >= 0))
    of_lane = {int(lane[mine[0]]): mine for mine in groups(lane, collectives)}
    found = [np.empty((0, 2), np.int64)]
    for tasks in compute:
        mine = of_lane.get(int(lane[tasks[0]]))
        if mine is not None:
            found += _links_of_lane(imported, tasks, mine)
    links = np.concatenate(found)
    is_within: NDArray[np.bool_] = step[links[:, 0]] == step[links[:, 1]]
    return links[is_within]


def _links_of_lane(imported: ImportedEvents, tasks: Ints, collectives: Ints) -> list[Ints]:
    """Return the dependencies between a rank's computing `tasks`, by start, and `collectives`."""
    # A task may seem to overlap a collective by a small share of its length.
    slack = (imported.end[tasks] - imported.start[tasks]) // SLIGHT_SHARE
    sure_end, sure_start = imported.end[tasks] - slack, imported.start[tasks] + slack
    by_end, by_start = np.argsort(sure_end, kind="stable"), np.argsort(sure_start, kind="stable")
    ended = np.searchsorted(sure_end[by_end], imported.start[collectives], "right")
    begun = np.searchsorted(sure_start[by_start], imported.end[collectives], "left")
    has_before = ended > 0
    before = tasks[by_end[ended[has_before] - 1]]
    made = [np.stack([before, collectives[has_before]], axis=1)]
    # Nothing ran during the collective: the next task waits for it.
    is_alone = (ended == begun) & (begun < len(tasks))
    following = tasks[by_start[begun[is_alone]]]
    made.append(np.stack([collectives[is_alone], following], axis=1))
    # The next update, if passes ran meanwhile.
    ordered = tasks[by_start]
    updates = np.flatnonzero(_FOLLOWS_COLLECTIVES[imported.kind[ordered]])
    place = np.searchsorted(updates, begun)
    is_hidden = ~is_alone & (place < len(updates))
    next_update = ordered[updates[place[is_hidden]]]
    made.append(np.stack([collectives[is_hidden], next_update], axis=1))
    made.append(_gathered_chunks(imported, tasks, collectives))
    return made


def _gathered_chunks(imported: ImportedEvents, tasks: Ints, collectives: Ints) -> Ints:
    """Return the first forward of each chunk with the all-gather of its parameters."""
    places, step = imported.pipeline, imported.step
    assert places is not None and step is not None
    is_gather = imported.kind[collectives] == KIND_CODES[Kind.ALL_GATHER]
    gathers = collectives[is_gather & (places.chunk[collectives] >= 0)]
    forwards = tasks[imported.kind[tasks] == KIND_CODES[Kind.FORWARD]]
    if not len(gathers) or not len(forwards):
        return np.empty((0, 2), np.int64)
    both = np.concatenate([forwards, gathers])
    known = row_keys(step[both].astype(np.int64), places.chunk[both].astype(np.int64))
    known, wanted = known[: len(forwards)], known[len(forwards) :]
    keys, first = np.unique(known, return_index=True)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    consumer = forwards[first[place]]
    slack = (imported.end[gathers] - imported.start[gathers]) // SLIGHT_SHARE
    holds = (keys[place] == wanted) & (imported.end[gathers] - slack <= imported.start[consumer])
    return np.stack([gathers[holds], consumer[holds]], axis=1)
