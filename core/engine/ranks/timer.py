"""Times what torch does inside a rank: blocks by hooks, collectives as the rank's model tells.

A block's backward begins when the gradient of its output is there and ends when its last parameter
has its gradient (without trained parameters: when the gradient of its input is there).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from torch import Tensor, nn

from core.engine.lanes import memory
from core.engine.lanes.lane import Lane, Mark
from core.plan.strategy import Collective
from core.plan.task import Kind, Payload

Tell = Callable[[str, float], None]
"""Called with (name, value) when memory held changes."""


@dataclass
class Timed:
    """Something that happened in a rank; `number` is its block or bucket, or -1.

    A collective starts when it was asked for, is launched when it is handed to torch, and ends
    when it has come to an end; its `names` are those of its parameters.
    """

    kind: Kind
    number: int
    start: Mark
    end: Mark = None
    launched: int | None = None
    payload: Payload = Payload.NONE
    names: tuple[str, ...] = ()
    announced: bool = False
    """Whether it was told as open."""


@dataclass
class Happened:
    """What has happened in the step so far, in order; collectives in the order of asking."""

    compute: list[Timed] = field(default_factory=list)
    collectives: list[Timed] = field(default_factory=list)
    shapes: list[tuple[list[int], list[int]]] = field(default_factory=list)

    def report(self) -> tuple[Collective, ...]:
        """The collectives, as a plan is completed with them."""
        return tuple(Collective(t.kind, t.payload, t.names) for t in self.collectives)


class RankTimer:
    """Hooks into a rank's model, and holds what has happened in the step."""

    def __init__(self, lane: Lane, tell: Tell) -> None:
        self._lane, self._mark = lane, lane.marker(True)
        self._tell = tell
        self._saved: dict[tuple[int, int], int] = {}
        self._held = 0
        self._measuring: AbstractContextManager[list[Tensor]] | None = None
        self._parameters: list[Tensor] = []
        self._known: list[Tensor] = []
        self._hooked: set[int] = set()
        self._rows = 0
        self.now = Happened()

    def watch(self, blocks: nn.Sequential, parameters: list[Tensor]) -> None:
        """Time `blocks`, once torch has put its own hooks on them: ours run inside those.

        `parameters` are the tensors that are held anyway and so are no activations.
        """
        self._parameters = parameters
        for number, block in enumerate(blocks):
            block.register_forward_pre_hook(self._before(number))
            block.register_forward_hook(self._ended, prepend=True)
            block.register_forward_hook(self._after(number))

    def begin(self, rows: int) -> None:
        """Forget the last step."""
        self.now = Happened()
        self._rows, self._held = rows, 0
        self._known = list(self._parameters)

    def start(self, kind: Kind) -> Timed:
        """Begin a loss or an optimizer step."""
        timed = Timed(kind, -1, self._mark())
        self.now.compute.append(timed)
        return timed

    def stop(self, timed: Timed) -> None:
        """End what `start` began, or what hooks have begun since."""
        mark = self._mark()
        if timed.end is None:
            timed.end = mark
        if self.now.compute[-1] is not timed:
            self._backward_ends(mark)

    def ask(self, kind: Kind, payload: Payload, number: int, names: tuple[str, ...]) -> Timed:
        """A collective is asked for: whoever runs it sets when it is launched, and its end."""
        timed = Timed(kind, number, self._mark(), payload=payload, names=names)
        self.now.collectives.append(timed)
        return timed

    def open_compute(self) -> Timed | None:
        """What has started on the compute lane and not ended; safe from another thread."""
        for timed in self.now.compute:
            if not self.is_over(timed) and self._lane.reached(timed.start):
                return timed
        return None

    def marks(self) -> list[Mark]:
        """The lane's marks of the step, each once, to be recycled; the step is forgotten."""
        happened, self.now = self.now, Happened()
        marks = [timed.start for timed in happened.collectives]
        marks += [mark for timed in happened.compute for mark in (timed.start, timed.end)]
        return list({id(mark): mark for mark in marks if mark is not None}.values())

    def is_over(self, timed: Timed) -> bool:
        """Whether something has come to its end; safe from another thread."""
        if timed.end is None or isinstance(timed.end, int):  # host time
            return timed.end is not None
        return self._lane.reached(timed.end)

    def _before(self, number: int) -> Callable[..., None]:
        def hook(block: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            if (number, self._rows) not in self._saved:
                self._measuring = memory.saved_tensors()
                self._measured = self._measuring.__enter__()
            if number not in self._hooked:
                # Only now: a sharded block has its whole parameters only while it runs.
                self._hooked.add(number)
                for parameter in block.parameters():
                    if parameter.requires_grad:
                        parameter.register_post_accumulate_grad_hook(self._gradient_ready)
            self.now.compute.append(Timed(Kind.FORWARD, number, self._mark()))

        return hook

    def _ended(self, block: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        """A forward pass is over, before torch does what it does behind it."""
        self.now.compute[-1].end = self._mark()
        if output.requires_grad:
            output.register_hook(lambda gradient: self._backward_ends(self._mark()))

    def _after(self, number: int) -> Callable[..., None]:
        def hook(block: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
            if self._measuring is not None:
                self._measuring.__exit__(None, None, None)
                self._measuring = None
                size = memory.extra_bytes(self._measured, self._known)
                self._known += self._measured
                self._saved[number, self._rows] = size
            self.now.shapes.append((list(inputs[0].shape), list(output.shape)))
            self._hold(self._saved[number, self._rows])
            if output.requires_grad:
                output.register_hook(self._backward_begins(number))

        return hook

    def _backward_begins(self, number: int) -> Callable[[Tensor], None]:
        def hook(gradient: Tensor) -> None:
            self.now.compute.append(Timed(Kind.BACKWARD, number, self._mark()))

        return hook

    def _backward_ends(self, mark: Mark) -> None:
        """The loss or the backward pass that is under way is over, at `mark` at the latest."""
        last = self.now.compute[-1]
        last.end = mark if last.end is None else last.end
        if last.kind is Kind.BACKWARD:
            self._hold(-self._saved[last.number, self._rows])

    def _gradient_ready(self, parameter: Tensor) -> None:
        """A block's backward pass ends with its last gradient, before that is reduced."""
        if self.now.compute[-1].kind is Kind.BACKWARD:
            self.now.compute[-1].end = self._mark()

    def _hold(self, change: int) -> None:
        self._held += change
        self._tell("activations", self._held)
