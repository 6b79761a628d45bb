"""Memory counters and lines of tensor sizes that are recorded for each step, beside its spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.engine.tasks.replicas import Replicas
from core.engine.tasks.values import Step
from core.plan.task import Kind, Payload, Task
from core.recording.schema import NoteRow, Record

_GRADIENT_MAKERS = frozenset({Kind.BACKWARD, Kind.BACKWARD_WEIGHT, Kind.OVERLAP})


@dataclass(frozen=True, slots=True)
class ClosedStep:
    """A step whose tasks have all ended, as it was then; its rows can be made at any later time.

    It `began` and its tasks ended (`ends`, by their numbers) at absolute times in ns. `activations`
    is what the lane of each task held at its end, `optimizer` the bytes of each lane's state.
    """

    model: Replicas
    step: Step
    began: int
    ends: list[int]
    activations: list[int]
    optimizer: dict[int, int]

    @classmethod
    def of(
        cls, model: Replicas, step: Step, began: int, ends: list[int], activations: list[int]
    ) -> ClosedStep:
        """A step that has just ended: the next one would change what the optimizers hold."""
        lanes = {task.lane for task in step.plan.tasks if task.kind is Kind.STEP}
        optimizer = {lane: model.optimizer_bytes(lane) for lane in lanes}
        return cls(model, step, began, ends, activations, optimizer)

    def rows(self) -> Iterator[NoteRow]:
        """Its counters, of each in order of time, and its lines."""
        for lane, size in self.model.parameter_bytes.items():
            yield self._counter("parameters", self.began, lane, size)
            yield self._counter("gradients", self.began, lane, 0)
        for task, end, held in zip(self.step.plan.tasks, self.ends, self.activations, strict=True):
            yield self._counter("activations", end, task.lane, held)
            if task.kind is Kind.STEP:
                yield self._counter("optimizer", end, task.lane, self.optimizer[task.lane])
        for task, lane, held in self._gradients():
            yield self._counter("gradients", self.ends[task.index], lane, held)
        yield from self._lines()

    def _counter(self, name: str, time: int, lane: int, value: float) -> NoteRow:
        return NoteRow(Record.COUNTER, name, time, self.step.index, lane, value)

    def _gradients(self) -> Iterator[tuple[Task, int, int]]:
        """Yield when a lane's gradients change, by time: after which task, the lane, its bytes.

        A gradient counts from the end of its stage's first backward, which allocates it. Sums over
        replicas are held beside the gradients until the step, which puts them in their place.
        """
        stages = self.model.stages
        held: Counter[int] = Counter()
        seen, summed = set(), set()
        # By time: of two stages on a lane, one may be stepped while a copy lane sums the other's.
        by_time = sorted(self.step.plan.tasks, key=lambda task: self.ends[task.index])
        for task in by_time:
            # An overlap's gradients are its backward half's, which is of another stage.
            stage = task.stage if task.paired_stage is None else task.paired_stage
            place = (task.replica or 0, stage or 0, task.shard or 0)
            if task.kind in _GRADIENT_MAKERS and place not in seen:
                seen.add(place)
                change = 1
            elif task.kind is Kind.ALL_REDUCE and task.payload is Payload.PARAMETER_GRADIENTS:
                summed.add(place)
                change = 1
            elif task.kind is Kind.STEP and place in summed:
                change = -1
            else:
                continue
            module = stages[place]  # whichever lane moves its gradients, they are on its own
            makes = task.kind in _GRADIENT_MAKERS
            size = module.gradient_bytes if makes else module.summed_bytes
            held[module.lane] += change * size
            yield task, module.lane, held[module.lane]

    def _lines(self) -> Iterator[NoteRow]:
        """What went into each forward pass and came out, and the whole batch at the end."""
        step, staged = self.step, len(self.step.plan.stages) > 1
        for task in step.plan.tasks:
            if task.index in step.shapes:
                text = inside(task.stage if staged else None, *step.shapes[task.index])
                yield size_line(step, text, self.ends[task.index])
        yield size_line(step, outside(step.batch_shape, step.output_shape), max(self.ends))


def size_line(step: Step, text: str, time: int) -> NoteRow:
    """A log line of sizes, at a time in ns."""
    return NoteRow(Record.LOG, "size", time, step.index, text=text)


def inside(stage: int | None, entered: Sequence[int], left: Sequence[int]) -> str:
    """The line of one forward pass."""
    where = "" if stage is None else f" stage {stage}"
    return f"In Model{where}: input size {list(entered)} output size {list(left)}"


def outside(batch: Sequence[int], row: Sequence[int]) -> str:
    """The line of a whole batch, each `row` of whose output has that shape."""
    return f"Outside: input size {list(batch)} output_size {[batch[0], *row]}"
