"""Times what torch does inside a rank: blocks by hooks, collectives by calls of the rank's model.

A block's backward begins when the gradient of its output is there and ends when its last parameter
has its gradient (without trained parameters: when the gradient of its input is there).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial

from torch import Tensor, nn

from core.engine.lanes import memory
from core.engine.lanes.lane import LaneThread, Timestamp, reached
from core.plan.division import Collective
from core.plan.task import Kind, Payload

ReportMemory = Callable[[str, float], None]
"""Called with (name, bytes) when memory held changes."""


@dataclass
class TimedOp:
    """Something that happened in a rank; `number` is its block or bucket, or -1.

    A collective starts when it is asked for; `launched` is when the call of torch begins. Its
    `names` are those of its parameters. `announced` says that it was sent as an open task.
    """

    kind: Kind
    number: int
    start: Timestamp
    end: Timestamp | None = None
    launched: int | None = None
    payload: Payload = Payload.NONE
    names: tuple[str, ...] = ()
    announced: bool = False

    @property
    def key(self) -> tuple[Kind, int, Payload]:
        """Identifies it within the step, as the tasks of the plan are (ranks.expectation.Key)."""
        return self.kind, self.number, self.payload

    @property
    def is_over(self) -> bool:
        """Whether it has ended; safe from another thread."""
        return self.end is not None and reached(self.end)


@dataclass
class RankEvents:
    """What has happened in the step so far, in order; collectives in the order of asking."""

    compute: list[TimedOp] = field(default_factory=list)
    collectives: list[TimedOp] = field(default_factory=list)
    shapes: list[tuple[list[int], list[int]]] = field(default_factory=list)

    def report(self) -> tuple[Collective, ...]:
        """The collectives, as a plan is completed with them."""
        return tuple(Collective(op.kind, op.payload, op.names) for op in self.collectives)

    def open_compute(self) -> TimedOp | None:
        """What has started on the compute lane and not ended; safe from another thread."""
        return next((op for op in self.compute if not op.is_over and reached(op.start)), None)

    def timestamps(self) -> list[Timestamp]:
        """The compute lane's, each once."""
        # Those of collectives are no events of that lane's pool: they are made one by one.
        made = [t for op in self.compute for t in (op.start, op.end) if t is not None]
        return list({id(timestamp): timestamp for timestamp in made}.values())


class RankTimer:
    """Hooks into a rank's model, and holds what has happened in the step (`now`)."""

    def __init__(self, lane: LaneThread, report: ReportMemory) -> None:
        self._timestamp, self._asked, self._report = lane.timestamp, lane.completion, report
        self._saved: dict[tuple[int, int], int] = {}
        self._held = self._rows = 0
        self._measuring: AbstractContextManager[list[Tensor]] | None = None
        self._parameters: list[Tensor] = []
        self._known: list[Tensor] = []
        self._hooked: set[int] = set()
        self.now = RankEvents()

    def watch(self, blocks: nn.Sequential, parameters: list[Tensor]) -> None:
        """Time `blocks`, once torch has put its own hooks on them: ours run inside those.

        `parameters` are the tensors that are held anyway and so are no activations.
        """
        self._parameters = parameters
        # The order of hooks around a block (torch's gather its parameters, and give them up):
        #     torch's pre-hook | _before, block, _ended | torch's hook | _after
        # so that a block's span holds nothing of torch's own work around it.
        for number, block in enumerate(blocks):
            block.register_forward_pre_hook(partial(self._before, number))
            block.register_forward_hook(self._ended, prepend=True)
            block.register_forward_hook(partial(self._after, number))

    def begin(self, rows: int) -> None:
        """Forget the last step."""
        self.now = RankEvents()
        self._rows, self._held = rows, 0
        self._known = list(self._parameters)

    def start(self, kind: Kind, number: int = -1) -> TimedOp:
        """Begin a loss, an optimizer step, or a pass through a block."""
        op = TimedOp(kind, number, self._timestamp())
        self.now.compute.append(op)
        return op

    def stop(self, op: TimedOp) -> None:
        """End what `start` began, or what hooks have begun since."""
        end = self._timestamp()
        if op.end is None:
            op.end = end
        # The loss: its backward pass goes on through all blocks, whose hooks have begun passes
        # since and ended `op` with the first of them. What ends here is the last block's pass.
        if self.now.compute[-1] is not op:
            self._end_backward(end)

    def ask(self, kind: Kind, payload: Payload, number: int, names: tuple[str, ...]) -> TimedOp:
        """Note that a collective is asked for; what runs it sets `launched` and `end`."""
        # On the stream that is current, where torch launches the collective: fsdp gathers on one of
        # its own, ahead of the compute stream, whose events would come after the collective's end.
        op = TimedOp(kind, number, self._asked(), payload=payload, names=names)
        self.now.collectives.append(op)
        return op

    def _before(self, number: int, block: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        """A forward pass begins, behind what torch does before it."""
        if (number, self._rows) not in self._saved:
            # Once for each number of rows: hooks on saved
            # tensors cost Python for each, within the span.
            self._measuring = memory.saved_tensors()
            self._measured = self._measuring.__enter__()
        if number not in self._hooked:
            # Only now: a sharded block has its whole parameters only while it runs.
            self._hooked.add(number)
            for parameter in block.parameters():
                if parameter.requires_grad:
                    parameter.register_post_accumulate_grad_hook(self._gradient_ready)
        self.start(Kind.FORWARD, number)

    def _ended(self, block: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        """A forward pass is over, before torch does what it does behind it."""
        self.now.compute[-1].end = self._timestamp()
        if output.requires_grad:
            # A tensor's hooks run in the order in which they were registered. When this
            # output's gradient is there, this one ends the pass of the block behind;
            # then torch gathers the block's parameters again (its hook was put on the
            # output between ours); then the one of _after begins the pass of this block.
            output.register_hook(lambda gradient: self._end_backward(self._timestamp()))

    def _after(
        self, number: int, block: nn.Module, inputs: tuple[Tensor, ...], output: Tensor
    ) -> None:
        """A forward pass is over, behind what torch does."""
        if self._measuring is not None:
            self._measuring.__exit__(None, None, None)
            self._measuring = None
            size = memory.extra_bytes(self._measured, self._known)
            # What one block has saved and the next one saves
            # too, such as the tensor between them, counts once.
            self._known += self._measured
            self._saved[number, self._rows] = size
        self.now.shapes.append((list(inputs[0].shape), list(output.shape)))
        self._hold(self._saved[number, self._rows])
        if output.requires_grad:
            output.register_hook(lambda gradient: self._begin_backward(number))

    def _begin_backward(self, number: int) -> None:
        self.start(Kind.BACKWARD, number)

    def _end_backward(self, end: Timestamp) -> None:
        """The loss or the backward pass that is under way is over, at `end` at the latest."""
        last = self.now.compute[-1]
        last.end = end if last.end is None else last.end
        if last.kind is Kind.BACKWARD:
            self._hold(-self._saved[last.number, self._rows])

    def _gradient_ready(self, parameter: Tensor) -> None:
        """A block's backward pass ends with its last gradient, before that is reduced."""
        # Called for each parameter; the last call leaves the end that stays.
        if self.now.compute[-1].kind is Kind.BACKWARD:
            self.now.compute[-1].end = self._timestamp()

    def _hold(self, change: int) -> None:
        self._held += change
        self._report("activations", self._held)
