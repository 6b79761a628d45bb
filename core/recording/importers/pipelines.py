"""Dependencies between the tasks of another program's pipeline, which its file does not contain.

The rule, for the passes of a step:

1. Passes wait for passes of the neighbouring stages (core.recording.importers.pipeline_passes).
2. A recorded send and its receive are one copy. It waits for the pass that produced the data, and
   the pass that consumes them waits for it (core.recording.importers.pipeline_copies).
3. If sends are not recorded, the time of a transfer is inferred from the passes (same module).
4. A collective waits for the task of its rank before it, and the rank's next task, or its next
   update, waits for the collective (core.recording.importers.pipeline_collectives).
5. Clocks of ranks are moved if passes would start before their data exist, and steps follow each
   other (core.recording.importers.pipeline_clocks).

The stages of the ranks' chunks are numbered by trying STAGE_NUMBERINGS one after another. The first
one is taken in which every pass starts after the pass that it waits for has ended. If there is
none, the one is taken in which most passes do, if these are at least FORWARD_SHARE, because the
clocks of ranks differ. A forward and a backward that ran together are one task. Tasks are numbered
within their steps in core.recording.importers.step_plans.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.order import row_keys
from core.plan.task import ABSENT, IS_COLLECTIVE, KIND_CODES, Kind
from core.recording.importers.imported_events import ImportedEvents
from core.recording.importers.overlaps import SLIGHT_SHARE
from core.recording.importers.pipeline_clocks import (
    clock_shifts,
    with_common_clock,
    with_steps_in_order,
)
from core.recording.importers.pipeline_collectives import (
    collective_links,
    compute_events,
    first_with_key,
)
from core.recording.importers.pipeline_copies import with_copies
from core.recording.importers.pipeline_edges import Edges
from core.recording.importers.pipeline_passes import (
    BACKWARD,
    DIRECTIONS,
    STAGE_NUMBERINGS,
    Passes,
    dependencies_of_passes,
    passes_of,
)
from core.trace.import_issue import ImportIssue

MOST_STAGES = 1 << 15
"""Limit of the number of stages: columns number them in 16 bits."""
FORWARD_SHARE = 0.95
"""Smallest share of dependencies that must point forward in time to accept a placement."""


@dataclass(frozen=True, slots=True)
class _Placement:
    """The stage of each of n passes, shape (n,), and the dependencies that follow from it."""

    stage: Ints
    edges: Edges


def with_pipeline_dependencies(imported: ImportedEvents) -> ImportedEvents:
    """Return the events of a pipeline with stages, dependencies and copies by the rule above.

    Events without a place in a pipeline are unchanged. If the passes fit no placement, this is
    counted among the issues, and passes have no dependencies.
    """
    places = imported.pipeline
    if places is None or imported.step is None or not len(imported):
        return imported
    imported = replace(imported, issues=imported.issues.copy())
    passes = passes_of(imported)
    placement = _placement_of(imported, passes)
    edges = Edges.empty()
    if placement is not None:
        edges = placement.edges
        imported = with_common_clock(imported, edges)
        stage = _stages_of_events(imported, passes, placement.stage)
        attributes = {**imported.attributes, "stage": stage}
        imported = replace(imported, attributes=attributes)
    elif len(passes.event):
        imported.issues[ImportIssue.NO_PLACEMENT] += 1
    imported = with_steps_in_order(imported)
    compute = compute_events(imported)
    links = collective_links(imported, compute)
    links = np.concatenate([imported.links, links])
    imported = replace(imported, links=links)
    imported = with_copies(imported, edges, compute)
    return _with_overlaps(imported)


def _placement_of(imported: ImportedEvents, passes: Passes) -> _Placement | None:
    """Return the placement that fits the times of the passes; None if there is none."""
    if not len(passes.event):
        return None
    ranks = int(passes.rank.max()) + 1
    chunks = int(passes.chunk.max()) + 1
    stages = ranks * chunks
    if stages > MOST_STAGES:
        return None
    best: _Placement | None = None
    best_share = 0.0
    for numbering in STAGE_NUMBERINGS:
        stage = numbering(passes.rank, passes.chunk, ranks)
        edges = dependencies_of_passes(passes, stage, stages)
        share = _forward_share(imported, edges)
        if share > best_share:
            best = _Placement(stage, edges)
            best_share = share
        if share == 1:
            break
    if best_share < FORWARD_SHARE:
        return None
    return best


def _forward_share(imported: ImportedEvents, edges: Edges) -> float:
    """Return the share of dependencies that point forward in time, on the best-fitting clocks."""
    if not len(edges.before):
        return 1.0
    shift, _ = clock_shifts(imported, edges)
    start = imported.start + shift
    end = imported.end + shift
    gap = start[edges.after] - end[edges.before]
    length = end - start
    shorter = np.minimum(length[edges.before], length[edges.after])
    slack = shorter // SLIGHT_SHARE + 1
    holds = gap >= -slack
    return float(holds.mean())


def _stages_of_events(imported: ImportedEvents, passes: Passes, stage: Ints) -> NDArray[np.int16]:
    """Return the stage of each event; ABSENT if it is unknown.

    The stage of a pass is taken from the placement, the stage of another event from the file.
    Collectives without a stage in the file get the stage of their chunk.
    """
    places = imported.pipeline
    assert places is not None
    found = np.full(len(imported), ABSENT, np.int64)
    found[passes.event] = stage
    given = imported.attributes.get("stage")
    if given is not None:
        found = np.where(found == ABSENT, given, found)
    # A collective without a chunk belongs to the first chunk of its rank.
    is_other = IS_COLLECTIVE[imported.kind]
    is_other &= ~places.spans_stages
    is_other &= found == ABSENT
    is_other &= places.rank >= 0
    others = np.flatnonzero(is_other)
    rank = places.rank[others].astype(np.int64)
    chunk = np.maximum(places.chunk[others], 0)
    ranks = np.concatenate([passes.rank, rank])
    chunks = np.concatenate([passes.chunk, chunk])
    keys = row_keys(ranks, chunks)
    keys_of_passes, wanted_keys = np.split(keys, [len(stage)])
    pass_of_chunk = first_with_key(keys_of_passes, wanted_keys)
    is_found = pass_of_chunk != ABSENT
    found_passes = pass_of_chunk[is_found]
    found[others[is_found]] = stage[found_passes]
    return found.astype(np.int16)


def _with_overlaps(imported: ImportedEvents) -> ImportedEvents:
    """Return the events in which passes of a rank with the same start and end are one task.

    Programs that run a forward and a backward together record the same times for both.
    """
    kind = imported.kind
    start = imported.start
    end = imported.end
    track = imported.track
    is_forward = kind == KIND_CODES[Kind.FORWARD]
    direction = DIRECTIONS[kind]
    passes = np.flatnonzero(direction >= 0)
    # By track and start; of two passes with one start, the forward is first.
    is_backward = ~is_forward[passes]
    order = np.lexsort((is_backward, start[passes], track[passes]))
    passes = passes[order]
    first = passes[:-1]
    second = passes[1:]
    is_pair = track[first] == track[second]
    is_pair &= end[first] > start[first]
    is_pair &= start[first] == start[second]
    is_pair &= end[first] == end[second]
    is_pair &= is_forward[first]
    is_pair &= direction[second] == BACKWARD
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
