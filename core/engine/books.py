"""Closes a step's books: counters of memory and lines of sizes, from what its tasks left behind.

Lanes only note numbers while they work; the rows are made here, when the step is over.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence

import torch

from core.engine.operations import Operations, Step
from core.plan.task import Kind, Task
from core.trace.schema import Record
from core.trace.writer import Notes


def note_memory(
    notes: Notes,
    operations: Operations,
    step: Step,
    began: int,
    tasks: Sequence[Task],
    ends: list[int],
    activations: list[float],
) -> None:
    """Add counters of parameters, gradients, optimizer state and activations of every lane.

    `tasks` are those that have ended, at `ends` (absolute ns), when their lanes held `activations`
    bytes. A gradient counts from the end of its stage's first backward, which allocates it.
    """
    for lane, size in operations.parameter_bytes.items():
        notes.add(Record.COUNTER, "parameters", began, step.index, lane, size)
        notes.add(Record.COUNTER, "gradients", began, step.index, lane, 0)
    lanes = [task.lane for task in tasks]
    notes.add_counters("activations", step.index, ends, lanes, activations)
    gradients: Counter[int] = Counter()
    seen = set()
    for task, end in zip(tasks, ends, strict=True):
        place = (task.replica or 0, task.stage or 0)
        if task.kind is Kind.BACKWARD and place not in seen:
            seen.add(place)
            gradients[task.lane] += operations.stages[place].gradient_bytes
            held = gradients[task.lane]
            notes.add(Record.COUNTER, "gradients", end, step.index, task.lane, held)
        elif task.kind is Kind.STEP:
            state = operations.optimizer_bytes(task.lane)
            notes.add(Record.COUNTER, "optimizer", end, step.index, task.lane, state)


def note_sizes(notes: Notes, step: Step, tasks: Sequence[Task], ends: list[int]) -> None:
    """Add the tutorial's lines: what entered and left each forward pass, and the whole model."""
    staged = len(step.plan.stages) > 1
    for task, end in zip(tasks, ends, strict=True):
        if task.index in step.shapes:
            text = inside(task.stage if staged else None, *step.shapes[task.index])
            notes.add(Record.LOG, "size", end, step.index, text=text)
    whole, output = list(step.batch_shape), [step.batch_shape[0], *step.output_shape]
    text = f"Outside: input size {whole} output_size {output}"
    notes.add(Record.LOG, "size", max(ends), step.index, text=text)


@functools.lru_cache(1024)
def inside(stage: int | None, entered: torch.Size, left: torch.Size) -> str:
    """The line of one forward pass."""
    where = "" if stage is None else f" stage {stage}"
    return f"In Model{where}: input size {list(entered)} output size {list(left)}"
