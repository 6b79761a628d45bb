"""Times what torch does inside a rank: blocks by hooks, gradient buckets by a communication hook.

A block's backward begins when the gradient of its output is there and ends when its last parameter
has its gradient (without parameters: when the next block's begins). A bucket is ready when the
hook is called, launched when the all-reduce is, and done when its future is.
"""

# No postponed annotations: torch checks the communication hook's at run time.

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from core.engine import memory
from core.engine.lanes import Lane, Mark
from core.plan.task import Kind


@dataclass
class Timed:
    """Something that happened in a rank; `number` is its block or bucket, or -1."""

    kind: Kind
    number: int
    start: Mark
    end: Mark = None
    launched: Mark = None
    names: tuple[str, ...] = ()


@dataclass
class Happened:
    """What has happened in the step so far, in order."""

    compute: list[Timed] = field(default_factory=list)
    buckets: list[Timed] = field(default_factory=list)
    shapes: list[tuple[list[int], list[int]]] = field(default_factory=list)


class RankTimer:
    """Hooks into a rank's model. `tell` is called with (name, value) when memory held changes."""

    def __init__(
        self, lane: Lane, blocks: nn.Sequential, backend: str, tell: Callable[[str, float], None]
    ) -> None:
        self._lane = lane
        self._on_stream = backend == "nccl"  # its futures complete on a stream, not on the host
        self._tell = tell
        self._names = {id(parameter): name for name, parameter in blocks.named_parameters()}
        self._saved: dict[tuple[int, int], int] = {}
        self._held = 0
        self._measuring: AbstractContextManager[list[Tensor]] | None = None
        self._known: list[Tensor] = []
        self._parameters = list(blocks.parameters())
        self._rows = 0
        self.now = Happened()
        for number, block in enumerate(blocks):
            block.register_forward_pre_hook(self._before(number))
            block.register_forward_hook(self._after(number))
        for parameter in blocks.parameters():
            if parameter.requires_grad:
                parameter.register_post_accumulate_grad_hook(self._gradient_ready)

    def begin(self, rows: int) -> None:
        """Forget the last step."""
        self.now = Happened()
        self._rows, self._held = rows, 0
        self._known = list(self._parameters)

    def start(self, kind: Kind) -> Timed:
        """Begin a loss or an optimizer step."""
        timed = Timed(kind, -1, self._lane.mark(True))
        self.now.compute.append(timed)
        return timed

    def stop(self, timed: Timed) -> None:
        """End what `start` began, or what hooks have begun since."""
        mark = self._lane.mark(True)
        if timed.end is None:
            timed.end = mark
        if self.now.compute[-1] is not timed:
            self._backward_ends(mark)

    def bucket_hook(self, world: int, bucket: dist.GradBucket) -> torch.futures.Future[Tensor]:  # type: ignore[name-defined]
        """All-reduce a bucket to its average, as DDP itself would, and time it."""
        names = tuple(self._names[id(parameter)] for parameter in bucket.parameters())
        timed = Timed(Kind.ALL_REDUCE, len(self.now.buckets), self._lane.mark(True), names=names)
        self.now.buckets.append(timed)
        gradients = bucket.buffer().div_(world)
        work: Any = dist.all_reduce(gradients, async_op=True)
        timed.launched = time.perf_counter_ns()

        def done(future: torch.futures.Future[list[Tensor]]) -> Tensor:
            timed.end = self._completed()
            return future.value()[0]

        return work.get_future().then(done)  # type: ignore[no-any-return]

    def open_now(self) -> Timed | None:
        """What has started on the device and not ended; safe from another thread."""
        for timed in self.now.compute:
            ended = timed.end is not None and self._lane.reached(timed.end)
            if not ended and self._lane.reached(timed.start):
                return timed
        return None

    def marks(self) -> list[Mark]:
        """The lane's marks of the step, each once, to be recycled; the step is forgotten."""
        happened, self.now = self.now, Happened()
        marks = [timed.start for timed in happened.buckets]
        marks += [mark for timed in happened.compute for mark in (timed.start, timed.end)]
        return list({id(mark): mark for mark in marks if mark is not None}.values())

    def _completed(self) -> Mark:
        if not self._on_stream:
            return time.perf_counter_ns()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def _before(self, number: int) -> Callable[..., None]:
        def hook(block: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            if (number, self._rows) not in self._saved:
                self._measuring = memory.saved_tensors()
                self._measured = self._measuring.__enter__()
            self.now.compute.append(Timed(Kind.FORWARD, number, self._lane.mark(True)))

        return hook

    def _after(self, number: int) -> Callable[..., None]:
        def hook(block: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
            self.now.compute[-1].end = self._lane.mark(True)
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
            mark = self._lane.mark(True)
            self._backward_ends(mark)
            self.now.compute.append(Timed(Kind.BACKWARD, number, mark))

        return hook

    def _backward_ends(self, mark: Mark) -> None:
        """The loss or the backward pass that is under way is over, at `mark` at the latest."""
        last = self.now.compute[-1]
        last.end = mark if last.end is None else last.end
        if last.kind is Kind.BACKWARD:
            self._hold(-self._saved[last.number, self._rows])

    def _gradient_ready(self, parameter: Tensor) -> None:
        """A block's backward pass ends with its last gradient, before its bucket is launched."""
        if self.now.compute[-1].kind is Kind.BACKWARD:
            self.now.compute[-1].end = self._lane.mark(True)

    def _hold(self, change: int) -> None:
        self._held += change
        self._tell("activations", self._held)
