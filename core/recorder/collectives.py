"""What a rank moves: DistributedDataParallel's buckets, and what it asks torch.distributed for.

DistributedDataParallel calls its process group where Python sees nothing of it, so its buckets are
timed by a communication hook, which does as it would itself; where the job has a hook of its own,
that stays, and its buckets are not seen. All else is seen in the functions of torch.distributed.
A collective begins when the rank comes to it, and ends with its future, or where it is waited for.
"""

# No postponed annotations: torch checks the communication hook's at run time.

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from .hooks import Hooks
from .kinds import HOST
from .rank_step import FIRST_TRACK, FROM, TO, Op

KINDS = {
    "all_reduce": "all-reduce", "all_gather": "all-gather", "all_gather_single": "all-gather",
    "all_gather_into_tensor": "all-gather", "reduce_scatter": "reduce-scatter",
    "reduce_scatter_single": "reduce-scatter", "reduce_scatter_tensor": "reduce-scatter",
    "isend": "copy", "irecv": "copy", "send": "copy", "recv": "copy",
}  # fmt: skip
"""The functions that are seen, and what they do."""
PEERS = {"isend": TO, "send": TO, "irecv": FROM, "recv": FROM}


class Collectives:
    """Watches what a rank's model and script move."""

    def __init__(self, model: nn.Module, hooks: Hooks) -> None:
        self._hooks, self._on = hooks, True
        self._originals: dict[str, Callable[..., object]] = {}
        self._calling = False
        if dist.is_available() and dist.is_initialized():
            if isinstance(model, DistributedDataParallel) and not model._comm_hooks:
                model.register_comm_hook(model, self._reduce)
            self._wrap()

    def remove(self) -> None:
        """See no more."""
        self._on = False
        for name, original in self._originals.items():
            for place in (dist, dist.distributed_c10d):
                setattr(place, name, original)

    def pause(self, on: bool) -> None:
        """See nothing until this is called again."""
        self._on = not on

    def _reduce(
        self,
        model: DistributedDataParallel,
        bucket: dist.GradBucket,  # type: ignore[name-defined]
    ) -> torch.futures.Future[torch.Tensor]:
        """All-reduce a bucket to its average, as DistributedDataParallel itself does."""
        gradients = bucket.buffer().div_(dist.get_world_size(model.process_group))
        now = self._clock([gradients])
        op = self._begun("all-reduce", now(), gradients.nbytes, "parameter gradients")
        op.number = bucket.index()
        work: Any = model.process_group.allreduce([gradients])

        def done(future: torch.futures.Future[list[Tensor]]) -> Tensor:
            op.end = now()  # where it is done, torch has the device's stream current
            return future.value()[0]

        return work.get_future().then(done)  # type: ignore[no-any-return]

    def _clock(self, tensors: Iterable[Tensor]) -> Callable[[], int]:
        """The device's where something that moves is on one: what the host moves waits for none."""
        on_host = all(tensor.device.type == HOST.name for tensor in tensors)
        return time.perf_counter_ns if on_host else self._hooks.now

    def _begun(self, kind: str, start: int, size: int, payload: str = "", name: str = "") -> Op:
        op = Op(kind, start, bytes=size, payload=payload, name=name)
        op.lane = FIRST_TRACK
        if self._on:
            self._hooks.ops.append(op)
        return op

    def _wrap(self) -> None:
        for name, kind in KINDS.items():
            original = getattr(dist.distributed_c10d, name, None)
            if original is None:
                continue
            self._originals[name] = original
            timed = self._timed(name, kind, original)
            # A script may have either name; both are replaced by one function.
            for place in (dist, dist.distributed_c10d):  # which compares functions with its own
                setattr(place, name, timed)

    def _timed(self, name: str, kind: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: object, **options: object) -> object:
            if self._calling:  # one function calls the other
                return original(*arguments, **options)
            self._calling = True
            # What is waited for interrupts the backward pass that asks for it: that block is not at
            # work meanwhile.
            waits = not options.get("async_op") and name not in ("isend", "irecv")
            if waits:
                self._hooks.interrupt()
            given = _tensors((*arguments, *options.values()))
            now = self._clock(chain(*given))
            size = max((sum(tensor.nbytes for tensor in one) for one in given), default=0)
            op = self._begun(kind, now(), size, name=_name(name, arguments, options))
            try:
                work = original(*arguments, **options)
            finally:
                self._calling = False
            if work is None or not hasattr(work, "wait"):
                op.end = now()
                if waits:
                    self._hooks.go_on()
                return work
            if name == "isend":  # when it has gone is not told
                op.end = op.start
                return work
            return Waited(work, op, now)

        call.__name__, call.__qualname__ = name, original.__qualname__
        return call


def _tensors(given: Iterable[object]) -> list[list[Tensor]]:
    """What is gathered, reduced or sent, as far as it is tensors: the largest is the whole."""
    lists = (one if isinstance(one, list) else [one] for one in given)
    return [[one for one in tensors if isinstance(one, Tensor)] for tensors in lists]


def _name(function: str, arguments: Sequence[object], options: Mapping[str, Any]) -> str:
    """Which rank something goes to or comes from; nothing for a collective."""
    if function not in PEERS:
        return ""
    group = options.get("group")
    in_group = options.get("group_dst", options.get("group_src"))
    peer = arguments[1] if len(arguments) > 1 else options.get("dst", options.get("src"))
    if peer is None and in_group is not None:
        peer = in_group if group is None else dist.get_global_rank(group, in_group)
    return function if peer is None else f"{PEERS[function]}{peer}"


class Waited:
    """Wraps work under way to note when it was waited for; else behaves as the work itself."""

    def __init__(self, work: Any, op: Op, now: Callable[[], int]) -> None:
        self._work, self._op, self._now = work, op, now
        with suppress(RuntimeError):  # what is sent or received has no future
            work.get_future().add_done_callback(self._done)

    def wait(self, *arguments: Any, **options: Any) -> Any:
        """Wait for the work."""
        found = self._work.wait(*arguments, **options)
        self._done()
        return found

    def _done(self, *_: object) -> None:
        if self._op.end is None:
            self._op.end = self._now()

    def __getattr__(self, name: str) -> object:
        return getattr(self._work, name)
