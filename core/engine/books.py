"""Closes a step's books: counters of memory and lines of sizes, from what its tasks left behind.

Lanes only note numbers while they work; the rows are made here, when the step is over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from core.engine.operations import Operations, Step
from core.plan.task import Kind, Task
from core.trace.schema import Record
from core.trace.writer import Note


class Done(NamedTuple):
    """A finished task: when it ended (absolute ns), and the activations its lane held then."""

    task: Task
    end: int
    activations: int


def memory_notes(
    operations: Operations, step: Step, began: int, done: Iterable[Done]
) -> Iterator[Note]:
    """Counters of every lane's parameters, gradients, optimizer state and activations, in bytes.

    A gradient is counted from the end of the first backward pass of its stage, in which autograd
    allocates it.
    """

    def note(name: str, time: int, lane: int, value: float) -> Note:
        return Note(Record.COUNTER, name, time, step.index, lane, value)

    for lane, size in operations.parameter_bytes().items():
        yield note("parameters", began, lane, size)
        yield note("gradients", began, lane, 0)
    gradients: Counter[int] = Counter()
    seen = set()
    for task, end, activations in done:
        if task.kind is Kind.STEP:
            yield note("optimizer", end, task.lane, operations.optimizer_bytes(task.lane))
            continue
        yield note("activations", end, task.lane, activations)
        place = (task.replica or 0, task.stage or 0)
        if task.kind is Kind.BACKWARD and place not in seen:
            seen.add(place)
            gradients[task.lane] += operations.stages[place].gradient_bytes
            yield note("gradients", end, task.lane, gradients[task.lane])


def size_notes(step: Step, done: Iterable[Done]) -> Iterator[Note]:
    """The tutorials' lines: what went into each forward pass and came out, and of the whole."""
    staged = len(step.plan.stages) > 1
    end = 0
    for task, end, _ in done:
        if task.index in step.shapes:
            entered, left = step.shapes[task.index]
            where = f" stage {task.stage}" if staged else ""
            text = f"In Model{where}: input size {list(entered)} output size {list(left)}"
            yield Note(Record.LOG, "size", end, step.index, text=text)
    whole, output = list(step.batch_shape), [step.batch_shape[0], *step.output_shape]
    text = f"Outside: input size {whole} output_size {output}"
    yield Note(Record.LOG, "size", end, step.index, text=text)
