"""Sees what a rank moves: buckets of DistributedDataParallel, and calls of torch.distributed.

DistributedDataParallel calls its process group where Python sees nothing of it, so its buckets are
timed by a communication hook, which does as it would itself. The hook is registered at the model's
first training pass, after the job had time for one of its own: that one stays, and its buckets are
not seen. All else is seen in the functions of torch.distributed, and in the functional collectives
that DTensor calls. A collective begins when the rank asks for it, and ends with its future, or when
it has been waited for.
"""

# No postponed annotations: torch checks the communication hook's at run time.

import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from .blocks import wrapped
from .functional import Call, FunctionalCollectives
from .guard import Guard
from .hooks import Hooks
from .kinds import HOST
from .rank_step import FIRST_TRACK, FROM, TO, Op, group_name
from .values import bytes_of

KINDS = {
    "all_reduce": "all-reduce",
    "all_gather": "all-gather",
    "all_gather_single": "all-gather",
    "all_gather_into_tensor": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "reduce_scatter_single": "reduce-scatter",
    "reduce_scatter_tensor": "reduce-scatter",
    "isend": "copy",
    "irecv": "copy",
    "send": "copy",
    "recv": "copy",
}
"""The functions of torch.distributed that are seen, and what they do."""
PEERS = {"isend": TO, "send": TO, "irecv": FROM, "recv": FROM}


class Buckets:
    """The communication hook of a DistributedDataParallel, which the model keeps for its life.

    It averages each bucket as the model would itself. While there is a recording, `begin` notes one
    and returns what notes its end.
    """

    def __init__(self, group: Any) -> None:
        self._group = group
        self.begin: Callable[[Any, Tensor, Any], Callable[[], None] | None] | None = None

    def reduce(
        self,
        state: object,
        bucket: dist.GradBucket,  # type: ignore[name-defined]
    ) -> torch.futures.Future[torch.Tensor]:
        """All-reduce a bucket to its average."""
        gradients = bucket.buffer().div_(dist.get_world_size(self._group))
        begin = self.begin
        end = None if begin is None else begin(bucket, gradients, self._group)
        work: Any = self._group.allreduce([gradients])

        def done(future: torch.futures.Future[list[Tensor]]) -> Tensor:
            if end is not None:
                end()  # torch has the device's stream current here
            return future.value()[0]

        return work.get_future().then(done)  # type: ignore[no-any-return]


_BUCKETS: weakref.WeakKeyDictionary[nn.Module, Buckets] = weakref.WeakKeyDictionary()
"""The hooks that recordings of this process have registered: a model takes one for its life."""


class Collectives:
    """Watches what a rank's model and script move."""

    def __init__(self, hooks: Hooks, guard: Guard) -> None:
        self._hooks, self._guard, self._is_on = hooks, guard, True
        self._originals: list[tuple[Any, str, Callable[..., object]]] = []
        self._functional = FunctionalCollectives(guard, self._begun_call, self._waiting)
        self._reducers: weakref.WeakSet[nn.Module] = weakref.WeakSet()
        self._buckets: list[Buckets] = []
        self._is_calling = False

    def install(self) -> None:
        """Begin to see the functions of torch.distributed."""
        if not dist.is_available():
            return
        for name, kind in KINDS.items():
            original = getattr(dist.distributed_c10d, name, None)
            if original is None:
                continue
            timed = self._timed(partial(self._begin_call, name, kind), original)
            # A script may have either name; both are replaced by one function, because
            # distributed_c10d compares functions with its own.
            for place in (dist, dist.distributed_c10d):
                self._replace(place, name, timed)

    def watch(self, model: nn.Module) -> None:
        """See the buckets of a model in DistributedDataParallel.

        Call it before a training pass, when the job has made what it uses.
        """
        if not dist.is_available():
            return
        from torch.nn.parallel import DistributedDataParallel

        inner: nn.Module | None = model
        while inner is not None:
            if isinstance(inner, DistributedDataParallel) and inner not in self._reducers:
                self._reducers.add(inner)
                self._register(inner)
            inner = wrapped(inner)

    def watch_functional(self) -> None:
        """See functional collectives, if the job has imported them by now."""
        if dist.is_available():
            self._functional.install()

    def remove(self) -> None:
        """See no more."""
        self._is_on = False
        for place, name, original in reversed(self._originals):
            setattr(place, name, original)
        for buckets in self._buckets:
            buckets.begin = None
        self._functional.remove()

    def pause(self, on: bool) -> None:
        """See nothing until this is called again."""
        self._is_on = self._functional.is_on = not on

    def _replace(self, place: Any, name: str, function: Callable[..., object]) -> None:
        self._originals.append((place, name, getattr(place, name)))
        setattr(place, name, function)

    def _register(self, model: Any) -> None:
        """Time a model's buckets, unless the job has a communication hook of its own."""
        if model._comm_hooks:
            return
        if model not in _BUCKETS:
            buckets = Buckets(model.process_group)
            model.register_comm_hook(None, buckets.reduce)
            # The reducer has the hook. In the model's own list it would be part of what is saved.
            model._comm_hooks.clear()
            _BUCKETS[model] = buckets
        _BUCKETS[model].begin = partial(self._guard, self._begin_bucket)
        self._buckets.append(_BUCKETS[model])

    def request(self, kind: str, payload: str, number: int, tensor: Tensor) -> "Requested":
        """Note that a collective of the caller's own is asked for, which moves `tensor`.

        `number` is its block.
        """
        now = self._clock([tensor])
        op = self._begun(kind, now(), tensor.nbytes, payload)
        op.number, op.launched = number, None
        return Requested(op, now)

    def _begin_bucket(self, bucket: Any, gradients: Tensor, group: Any) -> Callable[[], None]:
        now = self._clock([gradients])
        name = _group_name(group)
        op = self._begun("all-reduce", now(), bytes_of(gradients), "parameter gradients", name)
        op.number = bucket.index()
        op.parameters = tuple(map(id, bucket.parameters()))
        return self._guard.around(Call(op, now).end)

    def _begun_call(self, kind: str, tensor: Tensor, name: str) -> Call:
        now = self._clock([tensor])
        return Call(self._begun(kind, now(), bytes_of(tensor), name=name), now)

    def _clock(self, tensors: Iterable[Tensor]) -> Callable[[], int]:
        """The device's clock if something that moves is on a device, else the host's."""
        on_host = all(tensor.device.type == HOST.name for tensor in tensors)
        return time.perf_counter_ns if on_host else self._hooks.ops.now

    def _begun(self, kind: str, start: int, size: int, payload: str = "", name: str = "") -> Op:
        op = Op(kind, start, bytes=size, payload=payload, name=name)
        op.lane, op.launched = FIRST_TRACK, int(start)
        return self._hooks.ops.note(op) if self._is_on else op

    def _timed(
        self, begin: Callable[..., Call], original: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Return a function that does as the original and notes when."""

        def call(*arguments: object, **options: object) -> object:
            if self._is_calling or not self._is_on:  # one function calls the other
                return original(*arguments, **options)
            self._is_calling = True
            call = self._guard(begin, arguments, options)
            try:
                result = original(*arguments, **options)
            finally:
                self._is_calling = False
            seen = None if call is None else self._guard(self._end_call, call, result)
            return result if seen is None else seen

        call.__name__, call.__qualname__ = original.__name__, original.__qualname__
        return call

    def _begin_call(
        self, name: str, kind: str, arguments: Sequence[object], options: Mapping[str, Any]
    ) -> Call:
        waits = not options.get("async_op") and name not in ("isend", "irecv")
        # A block that waits for a collective does not compute meanwhile.
        if waits:
            self._hooks.interrupt()
        given = _tensors((*arguments, *options.values()))
        now = self._clock(chain(*given))
        size = max((sum(map(bytes_of, one)) for one in given), default=0)
        about = _peer(name, arguments, options) or _group_name(_group(arguments, options))
        op = self._begun(kind, now(), size, name=about)
        if name == "isend":  # nothing tells when it has gone
            op.end = op.start
        return Call(op, now, waits)

    def _end_call(self, call: Call, result: Any) -> object:
        """Note the end of a call, or return work under way that notes its own."""
        if result is not None and hasattr(result, "wait"):
            is_sent = call.op.end is not None
            ended = self._guard.around(call.end)
            return result if is_sent else Waited(result, ended, self._waiting)
        call.end()
        if call.waits:
            self._hooks.go_on()
        return None

    def _waiting(self, wait: Callable[[], Any], ended: Callable[[], None]) -> Any:
        """Wait for work under way; the block that waits does not compute meanwhile."""
        self._guard(self._hooks.interrupt)
        found = wait()
        # Before the block goes on: what goes on has waited for what has ended by then.
        self._guard(ended)
        self._guard(self._hooks.go_on)
        return found


class Requested:
    """A collective that its caller runs by itself, perhaps in another thread."""

    def __init__(self, op: Op, now: Callable[[], int]) -> None:
        self._op, self._now = op, now

    def run(self, collective: Callable[[], object]) -> None:
        """Launch it, and note its end when the call returns or, on a device, when it is done."""
        # Before the call: the device may begin while it returns.
        self._op.launched = time.perf_counter_ns()
        collective()
        self._op.end = self._now()


def _tensors(given: Iterable[object]) -> list[list[Tensor]]:
    """Return the tensors among what is gathered, reduced or sent: the largest is the whole."""
    lists = (one if isinstance(one, list) else [one] for one in given)
    return [[one for one in tensors if isinstance(one, Tensor)] for tensors in lists]


def _group(arguments: Iterable[object], options: Mapping[str, Any]) -> Any:
    """Return the process group that a function was called with; None for the job's own."""
    given = options.get("group")
    groups = (one for one in arguments if isinstance(one, dist.ProcessGroup))
    return next(groups, None) if given is None else given


def _group_name(group: Any) -> str:
    """Return the name of a collective in a group of some of the job's ranks."""
    if group is None or group is dist.group.WORLD:
        return ""
    return group_name(dist.get_process_group_ranks(group), dist.get_world_size())


def _peer(function: str, arguments: Sequence[object], options: Mapping[str, Any]) -> str:
    """Return which rank something goes to or comes from; "" for a collective."""
    if function not in PEERS:
        return ""
    group = options.get("group")
    in_group = options.get("group_dst", options.get("group_src"))
    peer = arguments[1] if len(arguments) > 1 else options.get("dst", options.get("src"))
    if peer is None and in_group is not None:
        peer = in_group if group is None else dist.get_global_rank(group, in_group)
    return function if peer is None else f"{PEERS[function]}{peer}"


class Waited:
    """Wraps work under way to note when it has ended; else behaves as the work itself."""

    def __init__(
        self,
        work: Any,
        done: Callable[[], None],
        waiting: Callable[[Callable[[], Any], Callable[[], None]], Any],
    ) -> None:
        self._work, self._done, self._waiting = work, done, waiting
        with suppress(RuntimeError):  # what is sent or received has no future
            work.get_future().add_done_callback(lambda _: done())

    def wait(self, *arguments: Any, **options: Any) -> Any:
        """Wait for the work."""
        return self._waiting(lambda: self._work.wait(*arguments, **options), self._done)

    def __getattr__(self, name: str) -> object:
        return getattr(self._work, name)
