"""The tensor operations of each kind of task. Depends on kinds and payloads, never on a strategy.

Tasks pass values to each other by name: (kind, replica, stage, micro-batch, shard). An `activation`
is the input of a stage (of the stage after the last one: the output); a `gradient` is the gradient
of a stage's output. A copy keeps the name and moves the value to another lane. Each shard of a
divided stage produces a `partial` value, with a name for each shard that reads it; an all-reduce
computes their sum. A task takes its inputs out of the store, so that a tensor lives no longer than
its last use. On a lane with a stream, the executor keeps these tensors until the task's end event
has completed.

Autograd's graph is cut at every stage: the input of a stage is a leaf, the lane of a stage calls
its backward, and gradients are passed on as tensors. Between the backward for the input and the
backward for the weights, a lane is assumed to hold the stage's input, the gradients from which the
latter starts, and the tensors that autograd saved at uses of parameters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

import torch
from torch import Tensor

from core.engine.lanes.lane import Stamps
from core.engine.models.modules import Batch
from core.engine.models.split_backward import stage_backward_input, stage_backward_weight
from core.engine.models.stage_module import StageModule, copy_to, sum_of_copies, sum_on
from core.engine.prepare import Prepared
from core.engine.tasks.replicas import ModelReplicas
from core.engine.tasks.step_counters import FinishedStep
from core.engine.tasks.values import StepState, ValueKey, ValueStore
from core.plan.division import Part
from core.plan.plan import Plan
from core.plan.task import Kind, Payload, StagePlace, Task
from core.process.lifeline import only_here
from core.recorder.memory import extra_bytes, saved_tensors
from core.recording.schema import NoteRow

GATHERED = ValueKey("gathered")
WHOLE_GRADIENT = ValueKey("whole gradient")
TaskWork = Iterator[Any]
"""A task in three parts. It takes its values and yields the tensors that must be kept until its
end; it calls torch and yields; it stores and counts the results."""
_Operation = Callable[[Any, StepState, Task], TaskWork]


class Operations:
    """Runs tasks. `run` is called on the task's lane, in its thread and on its stream.

    `model` has the modules, and `step` is the state of the current step.
    """

    step: StepState

    def __init__(self, prepared: Prepared, model: ModelReplicas | None = None) -> None:
        assert prepared.workload is not None
        self._weighted_loss = prepared.workload.weighted_loss
        self.model = model or ModelReplicas(prepared)
        self._devices = self.model.devices
        self._stamps: dict[int, Stamps] = {}

    def begin(self, index: int, plan: Plan, batch: Batch) -> StepState:
        """Start a step: clear gradients, and copy inputs and targets to the lanes that use them."""
        self.model.clear_gradients()
        x, target = batch
        inputs: dict[int, tuple[int, Tensor]] = {}
        for lane, (first, end) in _rows_entering(plan).items():
            device = self._devices[lane]
            # A copy, because a model may write to its input.
            rows = copy_to(device, x[first:end])
            inputs[lane] = first, rows
        targets: dict[torch.device, Tensor] = {}
        for task in plan.tasks:
            device = self._devices[task.lane]
            if task.kind is Kind.LOSS and device not in targets:
                targets[device] = target.to(device)
        values = ValueStore(plan)
        for lane, (_, rows) in inputs.items():
            values.ledgers[lane].hold(rows)
        self.step = StepState(
            index=index,
            plan=plan,
            inputs=inputs,
            targets=targets,
            batch_shape=x.shape,
            values=values,
        )
        return self.step

    def run(self, task: Task, stamps: Stamps) -> list[Tensor]:
        """Run a task and return the tensors that must be kept until its end.

        The stamps are set directly before and after torch's work. If the task fails, they have no
        end.
        """
        # Lanes run at the same time, each in its thread, but each uses only its own number here.
        self._stamps[task.lane] = stamps
        with only_here():  # a model may fork
            work = self.work_of[task.kind](self, self.step, task)
            # Only the second of the three parts is between the stamps.
            held: list[Tensor] = next(work)
            stamps.begin()
            next(work)
            stamps.finish()
            next(work, None)
        return held

    def counter_rows(
        self, step: StepState, began: int, ends: list[int], activations: list[int]
    ) -> Iterator[NoteRow]:
        """Return an iterator over the counters and lines of a step whose tasks have just ended.

        `began` and the `ends` of its tasks are absolute times in ns. `activations` has the bytes
        that each task's lane held at the end of the task.
        """
        finished = FinishedStep.of(self.model, step, began, ends, activations)
        return finished.rows()

    # The kinds of tasks, in the order of a step.

    def _scatter(self, step: StepState, task: Task) -> TaskWork:
        plan = step.plan
        values = step.values
        part = plan.parts_of(task)[0]
        lane = plan.lane_of(part.replica, 0)
        device = self._devices[lane]
        if task.payload is Payload.INPUT:
            _, whole = step.inputs[task.lane]
            kind = "activation"
        else:
            whole = values[WHOLE_GRADIENT]
            kind = "gradient"
            # Every part reads it, and the last one removes it.
            if part is plan.parts[-1]:
                values.take(WHOLE_GRADIENT, task.lane)
        end = part.start + part.rows
        rows = whole[part.start : end]
        yield [whole]
        moved = copy_to(device, rows)
        yield
        key = ValueKey.of(kind, part, 0)
        values.put(key, lane, moved)

    def _replicate(self, step: StepState, task: Task) -> TaskWork:
        owner = self.model.of(0, task)
        replica = self.model.of(task.replica, task)
        pairs: list[tuple[Tensor, Tensor]] = []
        for name, parameter in replica.parameters.items():
            pairs.append((parameter, owner.parameters[name]))
        pairs += zip(replica.blocks.buffers(), owner.blocks.buffers(), strict=True)
        yield []
        # The parameters of each replica are leaves of a separate graph, so autograd must not
        # record this copy.
        with torch.no_grad():
            for target, source in pairs:
                target.copy_(source, non_blocking=True)
        yield

    def _copy(self, step: StepState, task: Task) -> TaskWork:
        stage = task.place.stage
        parts = step.plan.parts_of(task)
        if task.payload is Payload.ACTIVATION:
            kind = "activation"
            source = stage - 1
        else:
            kind = "gradient"
            source = stage + 1
        values = step.values.take_parts(kind, parts, stage, source)
        lanes = [step.plan.lane_of(part.replica, stage) for part in parts]
        yield values
        copies = []
        for lane, value in zip(lanes, values, strict=True):
            device = self._devices[lane]
            copies.append(copy_to(device, value))
        yield
        for part, lane, moved in zip(parts, lanes, copies, strict=True):
            key = ValueKey.of(kind, part, stage)
            step.values.put(key, lane, moved)

    def _needs_gradient(self, task: Task) -> bool:
        """Return True if the input of a task's stage needs a gradient; token numbers have none.

        The input of stage 0 is data, so its gradient is not needed.
        """
        return bool(task.stage)

    def _forward(self, step: StepState, task: Task) -> TaskWork:
        values = step.values
        lane = task.lane
        stage = task.place.stage
        part = step.plan.parts_of(task)[0]
        module = self.model.of(part.replica, task)
        x = _input(step, part, task)
        if self._needs_gradient(task) and x.is_floating_point():
            x.requires_grad_()
        module.stamps = self._stamps[lane]
        yield []
        y = module.forward(x)
        yield
        if part.rows not in module.saved_bytes:
            known = [x, y, *module.parameters.values()]
            module.saved_bytes[part.rows] = extra_bytes(saved_tensors([y]), known)
        values.ledgers[lane].saved += module.saved_bytes[part.rows]
        input_key = ValueKey.of_task("input", part, task)
        values.put(input_key, lane, x)
        # `output` holds the graph for the backward of this stage. The next stage gets a detached
        # tensor, because a new graph starts there.
        output_key = ValueKey.of_task("output", part, task)
        values.put(output_key, lane, y)
        values.put_result("activation", part, stage + 1, task, y.detach())
        last = len(step.plan.stages) - 1
        if stage == last:
            step.output_shape = list(y.shape[1:])
        step.shapes[task.index] = (x.shape, y.shape)

    def _gather(self, step: StepState, task: Task) -> TaskWork:
        device = self._devices[task.lane]
        parts = step.plan.parts_of(task)
        outputs = step.values.take_outputs(parts)
        yield outputs
        whole = torch.cat([output.to(device, non_blocking=True) for output in outputs])
        yield
        step.values.put(GATHERED, task.lane, whole)

    def _loss_of(self, step: StepState, task: Task) -> TaskWork:
        values = step.values
        lane = task.lane
        shard = task.place.shard
        parts = step.plan.parts_of(task)
        is_gathered = GATHERED in values
        if is_gathered:
            outputs = [values.take(GATHERED, lane)]
        else:
            outputs = values.take_outputs(parts, shard)
        first = parts[0].start
        rows_of_parts = [part.rows for part in parts]
        rows = sum(rows_of_parts)
        targets = step.targets[self._devices[lane]]
        target = targets[first : first + rows]
        share = rows / step.plan.rows
        yield [*outputs, target]
        y = outputs[0] if len(outputs) == 1 else torch.cat(outputs)
        # A leaf: the backward of the loss ends here, and the last stage has a separate backward.
        y = y.detach().requires_grad_()
        # Weighted to be this part's share of the mean over the batch, so that the gradients of
        # micro-batches and replicas only need to be added.
        loss = self._weighted_loss(y, target, share)
        loss.backward()
        yield
        gradient = y.grad
        assert gradient is not None
        if shard == 0:  # the loss of other shards is the same
            step.losses.append(loss.detach())
        if is_gathered:
            values.put(WHOLE_GRADIENT, lane, gradient)
            return
        last = len(step.plan.stages) - 1
        pieces = gradient.split(rows_of_parts)
        for part, piece in zip(parts, pieces, strict=True):
            key = ValueKey.of("gradient", part, last, shard)
            values.put(key, lane, piece)

    def _overlap(self, step: StepState, task: Task) -> TaskWork:
        """Launch a forward and a whole backward, one after the other."""
        first, second = step.plan.halves(task)
        forward = self._forward(step, first)
        backward = self._backward(step, second)
        # Both take their values before either computes, so that one span covers both computations.
        held_by_forward = next(forward)
        held_by_backward = next(backward)
        yield [*held_by_forward, *held_by_backward]
        next(forward)
        next(backward)
        yield
        next(forward, None)
        next(backward, None)

    def _backward(self, step: StepState, task: Task) -> TaskWork:
        parts = step.plan.parts_of(task)
        module = self.model.of(parts[0].replica, task)
        inputs = _take_all(step, "input", parts, task)
        outputs = _take_all(step, "output", parts, task)
        gradients = _take_all(step, "gradient", parts, task)
        roots = []
        root_gradients = []
        for output, gradient in zip(outputs, gradients, strict=True):
            if output.requires_grad:
                roots.append(output)
                root_gradients.append(gradient)
        stamps = self._stamps[task.lane]
        module.stamps = stamps
        yield [*inputs, *outputs, *gradients]
        # There is no graph in a frozen stage, or in a first stage without trained parameters.
        if roots:
            stamps.note_border(True, module.last)
            torch.autograd.backward(roots, root_gradients)
            stamps.note_border(True, module.first)
        input_gradients = [_input_gradient(task, x, x.grad) for x in inputs]
        yield
        for part, input_gradient in zip(parts, input_gradients, strict=True):
            _put_input_gradient(step, part, task, input_gradient)
        freed = sum(module.saved_bytes[part.rows] for part in parts)
        step.values.ledgers[task.lane].saved -= freed

    def _backward_input(self, step: StepState, task: Task) -> TaskWork:
        part = step.plan.parts_of(task)[0]
        module = self.model.of(part.replica, task)
        # Not taken, because the weight pass may need it; that task takes it.
        input_key = ValueKey.of_task("input", part, task)
        x = step.values[input_key]
        output = _take_own(step, "output", part, task)
        gradient = _take_own(step, "gradient", part, task)
        stamps = self._stamps[task.lane]
        module.stamps = stamps
        yield [output, gradient]
        stamps.note_border(True, module.last)
        (found,), weight_pass = stage_backward_input([output], [gradient], [x])
        stamps.note_border(True, module.first)
        input_gradient = _input_gradient(task, x, found)
        yield
        _put_input_gradient(step, part, task, input_gradient)
        # Another lane may have made the gradient. If the weight pass uses it, it is kept until the
        # end of that pass, which frees its other tensors one by one.
        is_used = any(other is gradient for other in weight_pass.gradients)
        kept = [gradient] if is_used else []
        key = ValueKey.of_task("weight pass", part, task)
        step.weight_passes[key] = weight_pass, kept
        rows = part.rows
        if rows not in module.kept_bytes:
            batch_rows = [tensor for _, tensor in step.inputs.values()]
            known = [x, *batch_rows, *module.parameters.values()]
            module.kept_bytes[rows] = extra_bytes(weight_pass.tensors(), known)
        freed = module.saved_bytes[rows] - module.kept_bytes[rows]
        step.values.ledgers[task.lane].saved -= freed

    def _backward_weight(self, step: StepState, task: Task) -> TaskWork:
        part = step.plan.parts_of(task)[0]
        module = self.model.of(part.replica, task)
        x = _take_own(step, "input", part, task)
        key = ValueKey.of_task("weight pass", part, task)
        weight_pass, kept = step.weight_passes.pop(key)
        yield [x, *kept]
        stage_backward_weight(weight_pass)
        yield
        step.values.ledgers[task.lane].saved -= module.kept_bytes[part.rows]

    def _all_reduce(self, step: StepState, task: Task) -> TaskWork:
        """Compute this member's sum: an all-reduce has one task for each of its members."""
        if task.payload is Payload.PARAMETER_GRADIENTS:
            return self._sum_gradients(step, task)
        return self._sum_partial(step, task)

    def _sum_gradients(self, step: StepState, task: Task) -> TaskWork:
        """Sum gradients over the replicas of a stage.

        If the stage is divided, sum instead over its shards, for the parameters that all of them
        have.
        """
        own = task.place
        shards = step.plan.stages[own.stage].shards
        module = self.model.of(task.replica, task)
        device = self._devices[module.lane]
        places: list[StagePlace] = []
        if shards > 1:
            for shard in range(shards):
                places.append(own._replace(shard=shard))
            only = module.repeated
        else:
            for placement in step.plan.placements:
                if placement.stage == own.stage:
                    place = own._replace(replica=placement.replica, shard=placement.shard)
                    places.append(place)
            places.sort()
            only = None
        copies = [self.model.stages[place] for place in places]
        yield _gradients(copies)
        module.sums = sum_of_copies(copies, device, only=only)
        yield

    def _sum_partial(self, step: StepState, task: Task) -> TaskWork:
        """Sum the partial results of a stage's shards: its outputs, or gradients of its inputs.

        All members add in the same order, so that they get the same bits.
        """
        _, stage, shard = task.place
        plan = step.plan
        part = plan.parts_of(task)[0]
        if task.payload is Payload.ACTIVATION:
            kind = "activation"
            target = stage + 1
        else:
            kind = "gradient"
            target = stage - 1
        partial = []
        for other in range(plan.stages[stage].shards):
            key = ValueKey.of(f"partial {kind}", part, target, other, shard)
            lane = plan.lane_of(part.replica, stage, other)
            partial.append(step.values.take(key, lane))
        device = self._devices[task.lane]
        yield partial
        total = sum_on(device, partial)
        yield
        key = ValueKey.of(kind, part, target, shard)
        step.values.put(key, task.lane, total)

    def _reduce(self, step: StepState, task: Task) -> TaskWork:
        copies: list[StageModule] = []
        for part in step.plan.parts:
            if part.replica > 0:
                copies.append(self.model.of(part.replica, task))
        device = self._devices[task.lane]
        yield _gradients(copies)
        owner = self.model.of(0, task)
        sums = sum_of_copies(copies, device, owner.gradients())
        owner.set_gradients(sums)
        yield

    def _update(self, step: StepState, task: Task) -> TaskWork:
        module = self.model.of(task.replica, task)
        yield module.take_sums()
        if module.optimizer is not None:
            module.optimizer.step()
        yield

    work_of: ClassVar[dict[Kind, _Operation]] = {
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


def _take_own(step: StepState, kind: str, part: Part, task: Task) -> Tensor:
    """Take a value of the task's own stage and shard."""
    key = ValueKey.of_task(kind, part, task)
    return step.values.take(key, task.lane)


def _take_all(step: StepState, kind: str, parts: Iterable[Part], task: Task) -> list[Tensor]:
    """Take the values of several parts at the task's own stage and shard."""
    taken: list[Tensor] = []
    for part in parts:
        taken.append(_take_own(step, kind, part, task))
    return taken


def _input(step: StepState, part: Part, task: Task) -> Tensor:
    """Return the input of a stage: a stored activation, or rows of the batch if it enters here."""
    key = ValueKey.of_task("activation", part, task)
    if key not in step.values:
        first_row, rows = step.inputs[task.lane]
        first = part.start - first_row
        return rows[first : first + part.rows]
    return step.values.take(key, task.lane)


def _input_gradient(task: Task, x: Tensor, gradient: Tensor | None) -> Tensor | None:
    """Return the gradient of a stage's input `x`; None for the first stage, which passes none on.

    The gradient is zero if nothing depends on the input, or if the input consists of integers. Must
    be called before the task's end event. Another lane waits only for that event, and might copy
    zeros that were launched after it before they are written.
    """
    if not task.stage:
        return None
    if gradient is None:
        return torch.zeros_like(x)
    return gradient


def _put_input_gradient(step: StepState, part: Part, task: Task, gradient: Tensor | None) -> None:
    """Store the gradient of a stage's input for the previous stage, if there is one."""
    if task.stage and gradient is not None:
        step.values.put_result("gradient", part, task.stage - 1, task, gradient)


def _gradients(copies: Iterable[StageModule]) -> list[Tensor]:
    found: list[Tensor] = []
    for module in copies:
        found += module.gradients().values()
    return found


def _rows_entering(plan: Plan) -> dict[int, tuple[int, int]]:
    """Return the rows of the batch that enter on each lane, as (first row, last row + 1).

    The whole batch enters on the lane that scatters it. Without a scatter, the rows of each replica
    enter on the lane of its first stage, or on the lanes of all shards of that stage.
    """
    for task in plan.tasks:
        if task.kind is Kind.SCATTER and task.payload is Payload.INPUT:
            return {task.lane: (0, plan.rows)}
    homes: dict[int, list[int]] = defaultdict(list)
    for place in plan.placements:
        if place.stage == 0:
            homes[place.replica].append(place.lane)
    entering: dict[int, tuple[int, int]] = {}
    for part in plan.parts:  # in the order of their rows
        end = part.start + part.rows
        for lane in homes[part.replica]:
            first, _ = entering.get(lane, (part.start, 0))
            entering[lane] = first, end
    return entering
