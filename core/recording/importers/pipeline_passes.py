"""The passes of a pipeline, the stages of its ranks' chunks, and the dependencies of passes.

F(s, m) is the forward pass of micro-batch m on stage s, and B(s, m) the whole backward pass. A
backward pass in two parts is I(s, m), for the input, and W(s, m), for the weights. F(s, m) waits
for F(s - 1, m). B(s, m) or I(s, m) waits for the same pass of stage s + 1, and at the last stage
for F(s, m). W(s, m) waits for I(s, m).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.arrays import Ints
from core.order import row_keys
from core.plan.task import ABSENT, KIND_CODES, PASSES, Kind
from core.recording.importers.imported_events import ImportedEvents
from core.recording.importers.pipeline_collectives import first_with_key
from core.recording.importers.pipeline_edges import Edges

FORWARD, BACKWARD, WEIGHT = range(3)
"""Directions of passes: forward, backward (whole or for the input), backward for the weights."""
DIRECTIONS = np.full(len(PASSES), ABSENT)
"""The direction of each kind of task, ABSENT for tasks that are not passes."""
DIRECTIONS[KIND_CODES[Kind.FORWARD]] = FORWARD
DIRECTIONS[KIND_CODES[Kind.BACKWARD]] = BACKWARD
DIRECTIONS[KIND_CODES[Kind.BACKWARD_INPUT]] = BACKWARD
DIRECTIONS[KIND_CODES[Kind.BACKWARD_WEIGHT]] = WEIGHT


def loop_stages(rank: Ints, chunk: Ints, ranks: int) -> Ints:
    """Return the stages of chunks if each chunk starts again at the first rank: 0 1 2, 3 4 5."""
    return chunk * ranks + rank


def vee_stages(rank: Ints, chunk: Ints, ranks: int) -> Ints:
    """Return the stages of chunks if every other chunk goes back through the ranks: 0 1 2, 5 4 3.

    Zero bubble V and DualPipeV place stages this way.
    """
    goes_down = chunk % 2 == 0
    place_up = ranks - 1 - rank
    place: Ints = np.where(goes_down, rank, place_up)
    return chunk * ranks + place


StageNumbering = Callable[[Ints, Ints, int], Ints]
STAGE_NUMBERINGS: tuple[StageNumbering, ...] = (loop_stages, vee_stages)


@dataclass(frozen=True, slots=True)
class Passes:
    """The n passes of a job as arrays of shape (n,), in the order of their recorded starts.

    `event` is the position of the pass among the events. `direction` is FORWARD, BACKWARD or
    WEIGHT.
    """

    event: Ints
    direction: Ints
    step: Ints
    replica: Ints
    rank: Ints
    chunk: Ints
    microbatch: Ints


def passes_of(imported: ImportedEvents) -> Passes:
    """Return the passes that have a rank, a micro-batch and a step."""
    places = imported.pipeline
    step = imported.step
    assert places is not None and step is not None
    microbatch = imported.attributes.get("microbatch")
    if microbatch is None:
        microbatch = np.full(len(imported), ABSENT)
    direction = DIRECTIONS[imported.kind]
    is_pass = direction >= 0
    is_pass &= places.rank >= 0
    is_pass &= microbatch >= 0
    is_pass &= step >= 0
    event = imported.by_start(np.flatnonzero(is_pass))
    replica = np.maximum(places.replica[event], 0)
    chunk = np.maximum(places.chunk[event], 0)
    return Passes(
        event=event,
        direction=direction[event],
        step=step[event].astype(np.int64),
        replica=replica.astype(np.int64),
        rank=places.rank[event].astype(np.int64),
        chunk=chunk.astype(np.int64),
        microbatch=microbatch[event].astype(np.int64),
    )


def dependencies_of_passes(passes: Passes, stage: Ints, stages: int) -> Edges:
    """Return the dependencies between passes, by positions of their events.

    `stage` has the stage of each pass, `stages` is the number of stages.
    """
    is_forward = passes.direction == FORWARD
    is_backward = passes.direction == BACKWARD
    is_weight = passes.direction == WEIGHT
    is_first = is_forward & (stage == 0)
    is_last = is_backward & (stage == stages - 1)
    shift = np.where(is_forward, -1, 1)
    shift[is_weight | is_last] = 0
    needed_stage = stage + shift
    # The direction of the pass that is waited for: W waits for I, the last backward for F.
    needed_direction = np.where(is_weight, BACKWARD, passes.direction)
    needed_direction[is_last] = FORWARD
    waiting = np.flatnonzero(~is_first)
    # Keys of all passes, and then the keys of the passes that are waited for.
    count = len(stage)
    both = np.concatenate([np.arange(count), waiting])
    both_stages = np.concatenate([stage, needed_stage[waiting]])
    both_directions = np.concatenate([passes.direction, needed_direction[waiting]])
    keys = row_keys(
        passes.step[both],
        passes.replica[both],
        passes.microbatch[both],
        both_stages,
        both_directions,
    )
    keys_of_passes, needed_keys = np.split(keys, [count])
    needed = first_with_key(keys_of_passes, needed_keys)
    # A pass does not wait for itself.
    is_other = needed != waiting
    is_found = (needed != ABSENT) & is_other
    needed = needed[is_found]
    waiting = waiting[is_found]
    direction = passes.direction[waiting]
    return Edges(
        before=passes.event[needed],
        after=passes.event[waiting],
        is_backward=direction != FORWARD,
    )
