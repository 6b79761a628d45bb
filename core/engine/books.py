"""Closes a step's books: counters of memory and lines of sizes, from what its tasks left behind.

Lanes only note numbers while they work. The rows of a plan's steps are the same but for their
numbers, so they are laid out once, and each step fills in times and values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from core.engine.operations import Operations, Step
from core.plan.task import Kind, Task
from core.trace.schema import Record
from core.trace.writer import Notes, StepForm, StepNotes

_GRADIENT_MAKERS = frozenset({Kind.BACKWARD, Kind.BACKWARD_WEIGHT, Kind.OVERLAP})
_BEGIN, _END = -1, -2  # of the step, as against the end of a task

Shapes = dict[int, tuple[torch.Size, torch.Size]]


@dataclass
class _Layout:
    """Rows by what holds from when: the end of a task, by its index, or the step's begin or end.

    The first rows are each task's activations. `optimizers` are the rows (and their lanes) whose
    values must be asked for.
    """

    shapes: Shapes
    notes: Notes = field(default_factory=Notes)
    at: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    optimizers: list[tuple[int, int]] = field(default_factory=list)

    def count(self, name: str, lane: int, at: int, value: float) -> None:
        """Add a counter's row."""
        self.notes.add(Record.COUNTER, name, 0, 0, lane, value)
        self.at.append(at)
        self.values.append(value)

    def say(self, text: str, at: int) -> None:
        """Add a line's row."""
        self.notes.add(Record.LOG, "size", 0, 0, text=text)
        self.at.append(at)
        self.values.append(0)


@dataclass(frozen=True, slots=True)
class ClosedStep:
    """A step whose rows can be made at any later time. `optimizers` are values of single rows."""

    form: StepForm
    step: int
    began: int
    optimizers: list[tuple[int, int]]

    def notes(self, ends: list[int], activations: list[int]) -> StepNotes:
        """The rows: the `ends` of the tasks (absolute ns), and what their lanes held then."""
        times = np.array([*ends, max(ends), self.began])  # _END and _BEGIN are the last two
        return StepNotes(self.form, self.step, times, activations, self.optimizers)


class Books:
    """The closing rows of one plan's steps. For steps of which every task has ended."""

    def __init__(self, operations: Operations) -> None:
        self._operations = operations
        self._layout: _Layout | None = None
        self._form: StepForm | None = None

    def close(self, step: Step, began: int) -> ClosedStep:
        """What must be noted as soon as a step has ended; it `began` then (absolute ns)."""
        if self._form is None or self._layout is None or self._layout.shapes != step.shapes:
            self._layout = _lay_out(self._operations, step)
            at, values = np.array(self._layout.at), np.array(self._layout.values)
            self._form = StepForm(self._layout.notes, at, values)
        optimizers = [
            (row, self._operations.optimizer_bytes(lane)) for row, lane in self._layout.optimizers
        ]
        return ClosedStep(self._form, step.index, began, optimizers)


def _lay_out(operations: Operations, step: Step) -> _Layout:
    layout = _Layout(dict(step.shapes))
    tasks = step.plan.tasks
    for task in tasks:
        layout.count("activations", task.lane, task.index, 0)
    for lane, size in operations.parameter_bytes.items():
        layout.count("parameters", lane, _BEGIN, size)
        layout.count("gradients", lane, _BEGIN, 0)
    _count_gradients(layout, operations, tasks)
    staged = len(step.plan.stages) > 1
    for task in tasks:
        if task.index in step.shapes:
            text = inside(task.stage if staged else None, *step.shapes[task.index])
            layout.say(text, task.index)
    whole, output = list(step.batch_shape), [step.batch_shape[0], *step.output_shape]
    layout.say(f"Outside: input size {whole} output_size {output}", _END)
    return layout


def _count_gradients(layout: _Layout, operations: Operations, tasks: Sequence[Task]) -> None:
    """A gradient counts from the end of its stage's first backward, which allocates it.

    Sums over replicas are held beside the gradients until the step, which puts them in their place.
    """
    held: Counter[int] = Counter()
    seen, summed = set(), set()
    for task in tasks:
        stage = task.stage if task.paired_stage is None else task.paired_stage
        place = (task.replica or 0, stage or 0)
        if task.kind in _GRADIENT_MAKERS and place not in seen:
            seen.add(place)
            held[task.lane] += operations.stages[place].gradient_bytes
            layout.count("gradients", task.lane, task.index, held[task.lane])
        elif task.kind is Kind.ALL_REDUCE:
            lane = operations.stages[place].lane  # whichever lane moves the gradients
            held[lane] += operations.stages[place].gradient_bytes
            layout.count("gradients", lane, task.index, held[lane])
            summed.add(place)
        elif task.kind is Kind.STEP:
            if place in summed:
                held[task.lane] -= operations.stages[place].gradient_bytes
                layout.count("gradients", task.lane, task.index, held[task.lane])
            layout.optimizers.append((len(layout.at), task.lane))
            layout.count("optimizer", task.lane, task.index, 0)


def inside(stage: int | None, entered: torch.Size, left: torch.Size) -> str:
    """The line of one forward pass."""
    where = "" if stage is None else f" stage {stage}"
    return f"In Model{where}: input size {list(entered)} output size {list(left)}"
