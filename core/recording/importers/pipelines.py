"""Dependencies between the tasks of another program's pipeline, which its file does not contain.

The rule, for the passes of a step. A pass is a forward F, a whole backward B, or a backward in two
parts, I for the input and W for the weights. Stage s, micro-batch m:

1. F(s, m) waits for F(s - 1, m). B(s, m) or I(s, m) waits for the same pass of stage s + 1, and at
   the last stage for F(s, m). W(s, m) waits for I(s, m).
2. A recorded send and its receive are one copy (`core.recording.importers.pipeline_copies`). It
   waits for the pass that produced the data, and the pass that consumes them waits for it.
3. If sends are not recorded, the time of a transfer is inferred from the passes (same module).
4. A collective waits for the task of its rank before it. If the rank computes nothing meanwhile,
   its next task waits for the collective; otherwise its next update does. The first forward of a
   chunk waits for an all-gather of this chunk's parameters
   (`core.recording.importers.pipeline_collectives`).
5. The clock of a rank is moved by as much as the dependencies between it and the rank before it
   demand, and not at all if they hold as recorded.
6. Steps that overlap, because each counts from its own start, follow each other.

STAGE_NUMBERINGS are tried in order to number the stages of the ranks' chunks. The first one counts
in which at least FORWARD_SHARE of the passes start after the pass that they wait for has ended; a
few may start earlier, since the clocks of ranks differ. A forward and a backward that ran together
are one task. Tasks are numbered within their steps in `core.recording.importers.step_plans`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.order import row_keys
from core.plan.task import ABSENT, IS_COLLECTIVE, KIND_CODES, PASSES, Kind
from core.recording.importers.imported_events import ImportedEvents, StepRanges
from core.recording.importers.overlaps import SLIGHT_SHARE
from core.recording.importers.pipeline_collectives import (
    collective_links,
    compute_events,
    first_with_key,
)
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


def loop_stages(rank: Ints, chunk: Ints, ranks: int) -> Ints:
    """Return the stages of chunks if each chunk continues at the first rank: 0 1 2, 3 4 5."""
    return chunk * ranks + rank


def vee_stages(rank: Ints, chunk: Ints, ranks: int) -> Ints:
    """Return the stages of chunks if every other chunk goes back through the ranks: 0 1 2, 5 4 3.

    Zero bubble V and DualPipeV place stages this way.
    """
    place: Ints = np.where(chunk % 2 == 0, rank, ranks - 1 - rank)
    return chunk * ranks + place


StageNumbering = Callable[[Ints, Ints, int], Ints]
STAGE_NUMBERINGS: tuple[StageNumbering, ...] = (loop_stages, vee_stages)


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
    compute = compute_events(imported)
    links = collective_links(imported, compute)
    imported = replace(imported, links=np.concatenate([imported.links, links]))
    return _with_overlaps(with_copies(imported, edges, compute))


def _with_overlaps(imported: ImportedEvents) -> ImportedEvents:
    """Return the events in which passes of a rank with the same start and end are one task.

    Programs that run a forward and a backward together record the time of both for each of them.
    """
    kind = imported.kind
    start = imported.start
    end = imported.end
    is_forward = kind == KIND_CODES[Kind.FORWARD]
    direction = _DIRECTIONS[kind]
    passes = np.flatnonzero(direction >= 0)
    # By track and start; of two passes with one start, the forward is first.
    order = np.lexsort((~is_forward[passes], start[passes], imported.track[passes]))
    passes = passes[order]
    first = passes[:-1]
    second = passes[1:]
    is_pair = imported.track[first] == imported.track[second]
    is_pair &= end[first] > start[first]
    is_pair &= start[first] == start[second]
    is_pair &= end[first] == end[second]
    is_pair &= is_forward[first]
    is_pair &= direction[second] == _BACKWARD
    forward = first[is_pair]
    backward = second[is_pair]
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
    is_between_two = links[:, 0] != links[:, 1]
    links = links[is_between_two]
    kept = np.ones(len(imported), np.bool_)
    kept[backward] = False
    overlapped = replace(imported, kind=kind, attributes=attributes, links=links)
    return overlapped.picked(kept)


def _passes_of(imported: ImportedEvents) -> _Passes:
    """Return the passes that have a rank, a micro-batch and a step."""
    places = imported.pipeline
    assert places is not None and imported.step is not None
    microbatch = imported.attributes.get("microbatch")
    if microbatch is None:
        microbatch = np.full(len(imported), ABSENT)
    direction = _DIRECTIONS[imported.kind]
    is_pass = direction >= 0
    is_pass &= places.rank >= 0
    is_pass &= microbatch >= 0
    is_pass &= imported.step >= 0
    event = np.flatnonzero(is_pass)
    by_start = np.argsort(imported.start[event], kind="stable")
    event = event[by_start]
    replica = np.maximum(places.replica[event], 0)
    chunk = np.maximum(places.chunk[event], 0)
    return _Passes(
        event=event,
        direction=direction[event],
        step=imported.step[event].astype(np.int64),
        replica=replica.astype(np.int64),
        rank=places.rank[event].astype(np.int64),
        chunk=chunk.astype(np.int64),
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
    for placement in STAGE_NUMBERINGS:
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
    is_forward = passes.direction == _FORWARD
    is_backward = passes.direction == _BACKWARD
    is_weight = passes.direction == _WEIGHT
    is_first = is_forward & (stage == 0)
    is_last = is_backward & (stage == stages - 1)
    shift = np.where(is_forward, -1, 1)
    shift[is_weight | is_last] = 0
    needed_stage = stage + shift
    # The direction of the pass that is waited for: W waits for I, the last backward for F.
    needed_direction = np.where(is_weight, _BACKWARD, passes.direction)
    needed_direction[is_last] = _FORWARD
    waiting = np.flatnonzero(~is_first)
    # Keys of all passes, and then of the passes that some wait for.
    every = np.arange(len(stage))
    both = np.concatenate([every, waiting])
    keys = row_keys(
        passes.step[both],
        passes.replica[both],
        passes.microbatch[both],
        np.concatenate([stage, needed_stage[waiting]]),
        np.concatenate([passes.direction, needed_direction[waiting]]),
    )
    needed = first_with_key(keys[: len(stage)], keys[len(stage) :])
    # A pass does not wait for itself.
    is_found = (needed != ABSENT) & (needed != waiting)
    needed = needed[is_found]
    waiting = waiting[is_found]
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
    start = imported.start + shift
    end = imported.end + shift
    gap = start[edges.after] - end[edges.before]
    length = end - start
    shorter = np.minimum(length[edges.before], length[edges.after])
    slack = shorter // SLIGHT_SHARE + 1
    return float(np.mean(gap >= -slack))


def _clock_shifts(imported: ImportedEvents, passes: _Passes, edges: Edges) -> tuple[Ints, int]:
    """Return the time in ns to add to each event, and the number of clocks that contradict.

    Moving the clock of rank r later delays its passes relative to rank r - 1. It must move by at
    least the largest time by which a pass on r starts too early. It may move by at most the
    smallest time between the end of a pass on r and the pass on r - 1 that waits for it.
    """
    places = imported.pipeline
    assert places is not None and imported.step is not None
    ranks = int(places.rank.max()) + 1
    rank = places.rank.astype(np.int64)
    replica = np.maximum(places.replica, 0)
    step = imported.step.astype(np.int64)
    if not places.own_clocks:
        # The ranks of a replica have one clock for all steps.
        step = np.zeros_like(step)
    keys, clock = np.unique(row_keys(step, replica), return_inverse=True)
    # Bounds of the shift of each rank's clock relative to the rank before.
    least = np.full((len(keys), ranks), _NEVER)
    most = np.full((len(keys), ranks), _ALWAYS)
    from_rank = rank[edges.before]
    to_rank = rank[edges.after]
    clock_of_edge = clock[edges.after]
    early = imported.end[edges.before] - imported.start[edges.after]
    upward = to_rank == from_rank + 1
    later_rank = clock_of_edge[upward], to_rank[upward]
    np.maximum.at(least, later_rank, early[upward])
    downward = to_rank == from_rank - 1
    later_rank = clock_of_edge[downward], from_rank[downward]
    np.minimum.at(most, later_rank, -early[downward])
    contradicts = least > most
    moved = np.where(most < 0, most, 0)
    moved = np.where(least > 0, least, moved)
    # Between two bounds that contradict, the middle violates both of them least.
    middle = (least + most) // 2
    moved[contradicts] = middle[contradicts]
    total = np.cumsum(moved, axis=1)
    shift = total[clock, np.maximum(rank, 0)]
    shift[rank < 0] = 0
    contradicting_ranks = contradicts.any(axis=0)
    return shift, int(contradicting_ranks.sum())


def _with_common_clock(imported: ImportedEvents, stage: Ints, passes: _Passes) -> ImportedEvents:
    """Return the events with the clocks of all ranks moved to the clock of rank 0."""
    places = imported.pipeline
    assert places is not None
    stages = int(stage.max()) + 1
    edges = _dependencies(passes, stage, stages)
    shift, contradictions = _clock_shifts(imported, passes, edges)
    imported.issues[ImportIssue.CLOCKS_CONTRADICT] += contradictions
    is_moved = np.abs(shift) >= LEAST_SHIFT
    if is_moved.any():
        moved = row_keys(places.replica[is_moved], places.rank[is_moved])
        imported.issues[ImportIssue.CLOCKS_MOVED] += len(np.unique(moved))
    return _moved(imported, shift)


def _moved(imported: ImportedEvents, shift: Ints) -> ImportedEvents:
    """Return the events later by the ns in `shift`, and the bounds of their steps."""
    start = imported.start + shift
    end = imported.end + shift
    launched = imported.launched
    if launched is not None:
        launched = np.where(launched == ABSENT, ABSENT, launched + shift)
    moved = replace(imported, start=start, end=end, launched=launched)
    return _with_bounds(moved)


def _with_bounds(imported: ImportedEvents) -> ImportedEvents:
    """Return the events with the steps from the first start to the last end of their events."""
    assert imported.step is not None
    mine = np.isin(imported.step, imported.steps.number)
    numbers = imported.step[mine].astype(np.int64)
    steps = StepRanges.spanning(numbers, imported.start[mine], imported.end[mine])
    return replace(imported, steps=steps)


def _with_steps_in_order(imported: ImportedEvents) -> ImportedEvents:
    """Return the events with steps one after another if they were recorded on top of each other."""
    imported = _with_bounds(imported)
    steps = imported.steps
    places = imported.pipeline
    assert places is not None and imported.step is not None
    if not len(steps.number):
        return imported
    length = steps.end - steps.start
    middle = steps.start + length // 2
    follows = steps.start[1:] >= middle[:-1]
    if follows.all() and not places.own_clocks:
        return imported
    begin = np.cumsum(length) - length
    shift_of_step = begin - steps.start
    place = np.searchsorted(steps.number, imported.step)
    place = np.minimum(place, len(steps.number) - 1)
    is_known = steps.number[place] == imported.step
    shift = np.where(is_known, shift_of_step[place], 0)
    return _moved(imported, shift)


def _stages_of_events(imported: ImportedEvents, passes: _Passes, stage: Ints) -> NDArray[np.int16]:
    """Return the stage of each event with a rank: its chunk's, or its rank's first stage."""
    places = imported.pipeline
    assert places is not None
    found = np.full(len(imported), ABSENT, np.int64)
    found[passes.event] = stage
    given = imported.attributes.get("stage")
    if given is not None:
        found = np.where(found == ABSENT, given, found)
    # A collective belongs to the stage of its chunk, or of the first chunk of its rank.
    is_other = IS_COLLECTIVE[imported.kind] & ~places.spans_stages
    is_other &= found == ABSENT
    is_other &= places.rank >= 0
    others = np.flatnonzero(is_other)
    rank = places.rank[others].astype(np.int64)
    chunk = np.maximum(places.chunk[others], 0)
    ranks = np.concatenate([passes.rank, rank])
    chunks = np.concatenate([passes.chunk, chunk])
    keys = row_keys(ranks, chunks)
    pass_of_chunk = first_with_key(keys[: len(stage)], keys[len(stage) :])
    is_found = pass_of_chunk != ABSENT
    found[others[is_found]] = stage[pass_of_chunk[is_found]]
    return found.astype(np.int16)
