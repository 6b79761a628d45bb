"""What each kind of task does with tensors. Knows kinds and payloads, never a strategy.

Values pass between tasks by name: (what, replica, stage, micro-batch, shard). An `activation` is
what enters a stage (behind the last one: the output), a `gradient` that of what leaves a stage; a
copy lets it be the same value on another lane. Of a stage divided into shards each leaves a
`partial` one, named once for each shard that is to read it; an all-reduce makes their sum. A task
takes its inputs out of the store, so that a tensor lives no longer than its last use; on a lane
with a stream the executor keeps what was taken until the task's end event has completed.

Autograd's graph is cut at every stage: a stage's input is a leaf, its backward is called by the
stage's own lane, and gradients are handed over as tensors. Between a backward for the input and
that for the weights, a lane is taken to hold the stage's input, the gradients that the latter
starts from, and what autograd saved where parameters are used.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

import torch
from torch import Tensor

from core.engine.lanes.lane import Stamps
from core.engine.models.modules import Batch
from core.engine.models.split_backward import backward_input, backward_weight
from core.engine.models.stage_module import StageModule, copy_to, sum_of_copies, sum_on
from core.engine.prepare import Prepared
from core.engine.tasks.replicas import Replicas
from core.engine.tasks.step_counters import ClosedStep
from core.engine.tasks.values import Key, Step, ValueStore
from core.plan.division import Part
from core.plan.plan import Plan
from core.plan.task import Kind, Payload, Task
from core.process.lifeline import only_here
from core.recorder.memory import extra_bytes, saved_tensors
from core.recording.schema import NoteRow

GATHERED = Key("gathered")
WHOLE_GRADIENT = Key("whole gradient")
Work = Iterator[Any]
"""A task in three pieces: it finds its values and yields the tensors that must outlive it; lets
torch work and yields; puts away what was made and counts it."""


class Operations:
    """Runs tasks. `run` is called on the task's lane, in its thread and on its stream.

    `model` has the modules, `step` the state of the step that was begun.
    """

    step: Step

    def __init__(self, prepared: Prepared, model: Replicas | None = None) -> None:
        assert prepared.workload is not None
        self._weighted_loss = prepared.workload.weighted_loss
        self.model = model or Replicas(prepared)
        self._devices = self.model.devices
        self._stamps: dict[int, Stamps] = {}

    def begin(self, index: int, plan: Plan, batch: Batch) -> Step:
        """Prepare a step: no gradients, the batch where it enters and is judged."""
        self.model.clear_gradients()
        judges = {self._devices[task.lane] for task in plan.tasks if task.kind is Kind.LOSS}
        x, target = batch
        inputs = {  # copies: a model may write to them
            lane: (first, copy_to(self._devices[lane], x[first:end]))
            for lane, (first, end) in _rows_entering(plan).items()
        }
        targets = {device: target.to(device) for device in judges}
        self.step = Step(index, plan, inputs, targets, x.shape, ValueStore(plan))
        for lane, (_, rows) in inputs.items():
            self.step.values.ledgers[lane].hold(rows)
        return self.step

    def run(self, task: Task, stamps: Stamps) -> list[Tensor]:
        """Run a task; returns the tensors that must outlive it.

        The stamps are set right before and behind torch's work. If that fails they have no end.
        """
        # Lanes run at the same time, each in its thread, and each writes under its own number only.
        self._stamps[task.lane] = stamps
        with only_here():  # a model may fork
            work = self.work_of[task.kind](self, self.step, task)
            # The work's three pieces: only the second lies between the stamps.
            held: list[Tensor] = next(work)
            stamps.begin()
            next(work)
            stamps.finish()
            next(work, None)
        return held

    def closed_rows(
        self, step: Step, began: int, ends: list[int], activations: list[int]
    ) -> Iterator[NoteRow]:
        """The counters and lines of a step whose tasks have just ended, made as they are asked for.

        It `began` and its tasks ended at absolute times in ns; `activations` is what the lane of
        each task held at its end, in bytes.
        """
        return ClosedStep.of(self.model, step, began, ends, activations).rows()

    # Tasks, in the order of a step.

    def _scatter(self, step: Step, task: Task) -> Work:
        part = step.plan.parts_of(task)[0]
        lane = step.plan.lane_of(part.replica, 0)
        if task.payload is Payload.INPUT:
            whole, name = step.inputs[task.lane][1], "activation"
        else:
            whole, name = step.values[WHOLE_GRADIENT], "gradient"
            # Read once for every part, and taken out with the last one.
            if part is step.plan.parts[-1]:
                step.values.take(WHOLE_GRADIENT, task.lane)
        mine, device = whole[part.start : part.start + part.rows], self._devices[lane]
        yield [whole]
        moved = copy_to(device, mine)
        yield
        step.values.put(Key.of(name, part, 0), lane, moved)

    def _replicate(self, step: Step, task: Task) -> Work:
        owner, replica = self.model.of(0, task), self.model.of(task.replica, task)
        pairs: list[tuple[Tensor, Tensor]] = [
            (mine, owner.parameters[name]) for name, mine in replica.parameters.items()
        ]
        pairs += zip(replica.blocks.buffers(), owner.blocks.buffers(), strict=True)
        yield []
        # Each replica's parameters are leaves of its own graph: this is no
        # operation to be differentiated.
        with torch.no_grad():
            for mine, other in pairs:
                mine.copy_(other, non_blocking=True)
        yield

    def _copy(self, step: Step, task: Task) -> Work:
        stage, parts = task.stage or 0, step.plan.parts_of(task)
        forth = task.payload is Payload.ACTIVATION
        name, source = ("activation", stage - 1) if forth else ("gradient", stage + 1)
        values = step.values.take_parts(name, parts, stage, source)
        lanes = [step.plan.lane_of(part.replica, stage) for part in parts]
        devices = [self._devices[lane] for lane in lanes]
        yield values
        copies = [copy_to(*pair) for pair in zip(devices, values, strict=True)]
        yield
        for part, lane, moved in zip(parts, lanes, copies, strict=True):
            step.values.put(Key.of(name, part, stage), lane, moved)

    def _forward(self, step: Step, task: Task) -> Work:
        part, stage = step.plan.parts_of(task)[0], task.stage or 0
        module = self.model.of(part.replica, task)
        x = _input(step, part, task)
        module.stamps = self._stamps[task.lane]
        is_known = part.rows in module.saved_bytes
        yield []
        if is_known:
            y = module.forward(x)
        else:
            with saved_tensors() as saved:
                y = module.forward(x)
        yield
        if not is_known:
            known = [x, y, *module.parameters.values()]
            module.saved_bytes[part.rows] = extra_bytes(saved, known)
        step.values.ledgers[task.lane].saved += module.saved_bytes[part.rows]
        step.values.put(Key.own("entered", part, task), task.lane, x)
        # `left` holds the graph for this stage's backward. The next stage gets it
        # detached: its own graph begins there.
        step.values.put(Key.own("left", part, task), task.lane, y)
        step.values.leave("activation", part, stage + 1, task, y.detach())
        if stage == len(step.plan.stages) - 1:
            step.output_shape = list(y.shape[1:])
        step.shapes[task.index] = (x.shape, y.shape)

    def _gather(self, step: Step, task: Task) -> Work:
        device = self._devices[task.lane]
        outputs = step.values.take_outputs(step.plan.parts_of(task))
        yield outputs
        whole = torch.cat([output.to(device, non_blocking=True) for output in outputs])
        yield
        step.values.put(GATHERED, task.lane, whole)

    def _loss_of(self, step: Step, task: Task) -> Work:
        parts = step.plan.parts_of(task)
        gathered = GATHERED in step.values
        shard = task.shard or 0
        outputs = (
            [step.values.take(GATHERED, task.lane)]
            if gathered
            else step.values.take_outputs(parts, shard)
        )
        rows = sum(part.rows for part in parts)
        target = step.targets[self._devices[task.lane]][parts[0].start : parts[0].start + rows]
        yield [*outputs, target]
        y = outputs[0] if len(outputs) == 1 else torch.cat(outputs)
        # A leaf: the loss's backward ends here, and the last stage's backward is a task of its own.
        y = y.detach().requires_grad_()
        # The mean over these rows becomes their part of the mean over the batch, so that
        # gradients of micro-batches and replicas need only be added up.
        loss = self._weighted_loss(y, target, rows / step.plan.rows)
        loss.backward()
        yield
        assert y.grad is not None
        if shard == 0:  # the others' are the same
            step.losses.append(loss.detach())
        if gathered:
            step.values.put(WHOLE_GRADIENT, task.lane, y.grad)
            return
        pieces = y.grad.split([part.rows for part in parts])
        for part, piece in zip(parts, pieces, strict=True):
            step.values.put(
                Key.of("gradient", part, len(step.plan.stages) - 1, shard), task.lane, piece
            )

    def _overlap(self, step: Step, task: Task) -> Work:
        """A forward and a full backward, launched one after the other."""
        first, second = step.plan.halves(task)
        forward, backward = self._forward(step, first), self._backward(step, second)
        # Both find their values before either computes: so one span lies around both.
        yield [*next(forward), *next(backward)]
        next(forward), next(backward)
        yield
        next(forward, None), next(backward, None)

    def _backward(self, step: Step, task: Task) -> Work:
        parts = step.plan.parts_of(task)
        module = self.model.of(parts[0].replica, task)
        entered, left, gradients = (
            [step.values.take(Key.own(name, part, task), task.lane) for part in parts]
            for name in ("entered", "left", "gradient")
        )
        trained = [(y, g) for y, g in zip(left, gradients, strict=True) if y.requires_grad]
        stamps = module.stamps = self._stamps[task.lane]
        yield [*entered, *left, *gradients]
        # A frozen stage, or the first one without trained parameters,
        # has nothing to go back through.
        if trained:
            stamps.passes(True, module.last)
            torch.autograd.backward([y for y, _ in trained], [g for _, g in trained])
            stamps.passes(True, module.first)
        handed_back = [_input_gradient(task, x, x.grad) for x in entered]
        yield
        for part, found in zip(parts, handed_back, strict=True):
            _hand_back(step, part, task, found)
        step.values.ledgers[task.lane].saved -= sum(module.saved_bytes[part.rows] for part in parts)

    def _backward_input(self, step: Step, task: Task) -> Work:
        part = step.plan.parts_of(task)[0]
        module = self.model.of(part.replica, task)
        # The weight pass may need it, and takes it.
        x = step.values[Key.own("entered", part, task)]
        left = step.values.take(Key.own("left", part, task), task.lane)
        gradient = step.values.take(Key.own("gradient", part, task), task.lane)
        stamps = module.stamps = self._stamps[task.lane]
        yield [left, gradient]
        stamps.passes(True, module.last)
        (found,), rest = backward_input([left], [gradient], [x])
        stamps.passes(True, module.first)
        handed_back = _input_gradient(task, x, found)
        yield
        _hand_back(step, part, task, handed_back)
        # What another lane has made must outlive the weight pass; the rest is freed by and by.
        handed = [gradient] if any(one is gradient for one in rest.gradients) else []
        step.weight_passes[Key.own("weight pass", part, task)] = rest, handed
        if part.rows not in module.kept_bytes:
            known = [x, *(rows for _, rows in step.inputs.values()), *module.parameters.values()]
            module.kept_bytes[part.rows] = extra_bytes(rest.tensors(), known)
        freed = module.saved_bytes[part.rows] - module.kept_bytes[part.rows]
        step.values.ledgers[task.lane].saved -= freed

    def _backward_weight(self, step: Step, task: Task) -> Work:
        part = step.plan.parts_of(task)[0]
        module = self.model.of(part.replica, task)
        x = step.values.take(Key.own("entered", part, task), task.lane)
        rest, handed = step.weight_passes.pop(Key.own("weight pass", part, task))
        yield [x, *handed]
        backward_weight(rest)
        yield
        step.values.ledgers[task.lane].saved -= module.kept_bytes[part.rows]

    def _all_reduce(self, step: Step, task: Task) -> Work:
        """Every member has a task of its own, which makes its own sum."""
        if task.payload is Payload.PARAMETER_GRADIENTS:
            return self._sum_gradients(step, task)
        return self._sum_partial(step, task)

    def _sum_gradients(self, step: Step, task: Task) -> Work:
        """Over the shards of what all of them have; of an undivided stage, over its replicas."""
        stage = step.plan.stages[task.stage or 0]
        mine = self.model.of(task.replica, task)
        if stage.shards > 1:
            places = [(task.replica or 0, shard) for shard in range(stage.shards)]
            only = mine.repeated
        else:
            held = (p for p in step.plan.placements if p.stage == stage.index)
            places, only = sorted((p.replica, p.shard) for p in held), None
        copies = [self.model.stages[replica, stage.index, shard] for replica, shard in places]
        yield _gradients(copies)
        mine.sums = sum_of_copies(copies, self._devices[mine.lane], only=only)
        yield

    def _sum_partial(self, step: Step, task: Task) -> Work:
        """Of what the stage's shards have made of each part: outputs, or gradients of inputs.

        All add up in the same order, so that they get the same bits.
        """
        stage, shard, part = task.stage or 0, task.shard or 0, step.plan.parts_of(task)[0]
        forth = task.payload is Payload.ACTIVATION
        name, target = ("activation", stage + 1) if forth else ("gradient", stage - 1)
        partial = [
            step.values.take(
                Key.of(f"partial {name}", part, target, other, shard),
                step.plan.lane_of(part.replica, stage, other),
            )
            for other in range(step.plan.stages[stage].shards)
        ]
        yield partial
        total = sum_on(self._devices[task.lane], partial)
        yield
        step.values.put(Key.of(name, part, target, shard), task.lane, total)

    def _reduce(self, step: Step, task: Task) -> Work:
        others = [part.replica for part in step.plan.parts if part.replica > 0]
        copies = [self.model.of(replica, task) for replica in others]
        yield _gradients(copies)
        owner = self.model.of(0, task)
        owner.set_gradients(sum_of_copies(copies, self._devices[task.lane], owner.gradients()))
        yield

    def _update(self, step: Step, task: Task) -> Work:
        module = self.model.of(task.replica, task)
        yield module.take_sums()
        if module.optimizer is not None:
            module.optimizer.step()
        yield

    work_of: ClassVar[dict[Kind, Callable[[Any, Step, Task], Work]]] = {
        Kind.SCATTER: _scatter,
        Kind.REPLICATE: _replicate,
        Kind.COPY: _copy,
        Kind.FORWARD: _forward,
        Kind.GATHER: _gather,
        Kind.LOSS: _loss_of,
        Kind.OVERLAP: _overlap,
        Kind.BACKWARD: _backward,
        Kind.BACKWARD_INPUT: _backward_input,
        Kind.BACKWARD_WEIGHT: _backward_weight,
        Kind.REDUCE: _reduce,
        Kind.ALL_REDUCE: _all_reduce,
        Kind.STEP: _update,
    }


def _input(step: Step, part: Part, task: Task) -> Tensor:
    """A stage's input: what was handed over, or rows of the batch where it enters."""
    key = Key.own("activation", part, task)
    if key not in step.values:
        first, rows = step.inputs[task.lane]
        return rows[part.start - first :][: part.rows]
    x = step.values.take(key, task.lane)
    # Stage 0's input is data, and nobody asks for its gradient; token numbers cannot have one.
    return x.requires_grad_() if task.stage and x.is_floating_point() else x


def _input_gradient(task: Task, x: Tensor, gradient: Tensor | None) -> Tensor | None:
    """Return the gradient of a stage's input `x`; None for the first stage, which hands none back.

    It is zero where nothing depends on the input, or the input is of whole numbers. To be called
    while torch works: zeros that are launched behind the task's end event may be copied to another
    lane, which waits for that event alone, before they are written.
    """
    if not task.stage:
        return None
    return torch.zeros_like(x) if gradient is None else gradient


def _hand_back(step: Step, part: Part, task: Task, gradient: Tensor | None) -> None:
    """Leave the gradient of a stage's input for the stage before, if there is one."""
    if task.stage and gradient is not None:
        step.values.leave("gradient", part, task.stage - 1, task, gradient)


def _gradients(copies: Iterable[StageModule]) -> list[Tensor]:
    return [gradient for module in copies for gradient in module.gradients().values()]


def _rows_entering(plan: Plan) -> dict[int, tuple[int, int]]:
    """By lane the first row of the batch that enters there, and the one behind the last.

    All of it where it is scattered; else each replica's rows where its first stage is, or all of
    that stage's shards.
    """
    for task in plan.tasks:
        if task.kind is Kind.SCATTER and task.payload is Payload.INPUT:
            return {task.lane: (0, plan.rows)}
    homes: dict[int, list[int]] = defaultdict(list)
    for place in plan.placements:
        if place.stage == 0:
            homes[place.replica].append(place.lane)
    found: dict[int, tuple[int, int]] = {}
    for part in plan.parts:  # in the order of their rows
        for lane in homes[part.replica]:
            found[lane] = (found.get(lane, (part.start, 0))[0], part.start + part.rows)
    return found
