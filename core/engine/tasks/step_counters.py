"""Memory counters and lines of tensor sizes that are recorded with the spans of each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.engine.tasks.replicas import ModelReplicas
from core.engine.tasks.values import StepState
from core.plan.task import Kind, Payload, Task
from core.recording.schema import NoteRow, Record

_GRADIENT_MAKERS = frozenset({Kind.BACKWARD, Kind.BACKWARD_WEIGHT, Kind.OVERLAP})


@dataclass(frozen=True, slots=True)
class FinishedStep:
    """A step at the end of its last task; its rows can be created at any later time.

    `began` and `ends` are absolute times in ns, `ends` by task number. `activations` has the bytes
    that each task's lane held at the end of the task, `optimizer` the bytes of each lane's state.
    """

    model: ModelReplicas
    step: StepState
    began: int
    ends: list[int]
    activations: list[int]
    optimizer: dict[int, int]

    @classmethod
    def of(
        cls,
        model: ModelReplicas,
        step: StepState,
        began: int,
        ends: list[int],
        activations: list[int],
    ) -> FinishedStep:
        """Return a step that has just ended, with the optimizers' sizes before the next one."""
        optimizer: dict[int, int] = {}
        for task in step.plan.tasks:
            if task.kind is Kind.STEP and task.lane not in optimizer:
                optimizer[task.lane] = model.optimizer_bytes(task.lane)
        return cls(
            model=model,
            step=step,
            began=began,
            ends=ends,
            activations=activations,
            optimizer=optimizer,
        )

    def rows(self) -> Iterator[NoteRow]:
        """Yield the step's counters, each one in order of time, and its lines."""
        for lane, size in self.model.parameter_bytes.items():
            yield self._counter("parameters", self.began, lane, size)
            yield self._counter("gradients", self.began, lane, 0)
        tasks = self.step.plan.tasks
        for task, end, held in zip(tasks, self.ends, self.activations, strict=True):
            lane = task.lane
            yield self._counter("activations", end, lane, held)
            if task.kind is Kind.STEP:
                size = self.optimizer[lane]
                yield self._counter("optimizer", end, lane, size)
        for task, lane, held in self._gradients():
            end = self.ends[task.index]
            yield self._counter("gradients", end, lane, held)
        yield from self._lines()

    def _counter(self, name: str, time: int, lane: int, value: float) -> NoteRow:
        return NoteRow(Record.COUNTER, name, time, self.step.index, lane, value)

    def _gradients(self) -> Iterator[tuple[Task, int, int]]:
        """Yield (task, lane, bytes) whenever a lane's gradients change, in order of time.

        A stage's gradients count from the end of its first backward, which allocates them. Sums
        over replicas exist in addition to the gradients until the optimizer's step, which replaces
        the gradients by the sums.
        """
        stages = self.model.stages
        held: Counter[int] = Counter()
        seen = set()
        summed = set()
        # In order of time: a lane may step one of its stages while a copy lane still sums another.
        by_time = sorted(self.step.plan.tasks, key=lambda task: self.ends[task.index])
        for task in by_time:
            # In an overlap the backward half computes gradients, for `paired_stage`.
            place = task.place
            if task.paired_stage is not None:
                place = place._replace(stage=task.paired_stage)
            is_maker = task.kind in _GRADIENT_MAKERS
            is_all_reduce = task.kind is Kind.ALL_REDUCE
            if is_maker and place not in seen:
                seen.add(place)
                change = 1
            elif is_all_reduce and task.payload is Payload.PARAMETER_GRADIENTS:
                summed.add(place)
                change = 1
            elif task.kind is Kind.STEP and place in summed:
                change = -1
            else:
                continue
            # The gradients are on the lane of the stage, even if another lane moves them.
            module = stages[place]
            size = module.gradient_bytes if is_maker else module.summed_bytes
            lane = module.lane
            held[lane] += change * size
            yield task, lane, held[lane]

    def _lines(self) -> Iterator[NoteRow]:
        """Yield the input and output sizes of each forward pass, and then of the whole batch."""
        step = self.step
        has_stages = len(step.plan.stages) > 1
        for task in step.plan.tasks:
            index = task.index
            if index in step.shapes:
                stage = task.stage if has_stages else None
                entered, left = step.shapes[index]
                text = forward_size_text(stage, entered, left)
                yield size_line(step, text, self.ends[index])
        text = batch_size_text(step.batch_shape, step.output_shape)
        yield size_line(step, text, max(self.ends))


def size_line(step: StepState, text: str, time: int) -> NoteRow:
    """Return a log line of sizes, at a time in ns."""
    return NoteRow(Record.LOG, "size", time, step.index, text=text)


def forward_size_text(
    stage: int | None, input_shape: Sequence[int], output_shape: Sequence[int]
) -> str:
    """Return the line for one forward pass; `stage` is None if the model is whole."""
    where = "" if stage is None else f" stage {stage}"
    entered = list(input_shape)
    left = list(output_shape)
    return f"In Model{where}: input size {entered} output size {left}"


def batch_size_text(input_shape: Sequence[int], output_row: Sequence[int]) -> str:
    """Return the line for a whole batch; `output_row` is the shape of one row of the output."""
    entered = list(input_shape)
    left = [input_shape[0], *output_row]
    return f"Outside: input size {entered} output_size {left}"
