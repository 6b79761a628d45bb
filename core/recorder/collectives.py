"""Records collectives: DistributedDataParallel's buckets, and calls of torch.distributed.

DistributedDataParallel calls its process group from C++, where Python cannot replace the call. Its
buckets are timed by a communication hook that averages gradients as torch does. The hook is
registered at the model's first training pass. If the job has registered its own hook by then, that
one stays, and the buckets are not recorded. All other calls are recorded inside the functions of
torch.distributed, and by replacing the functional collectives that DTensor calls. A collective
begins when the rank requests it. It ends with its future, or when the rank has waited for it.

The functions of torch.distributed themselves stay the same objects. Scripts import them by name,
and torch compares them: P2POp and batch_isend_irecv expect its own isend and irecv, and
torch.compile looks collectives up in a table. So the recorder replaces what they call: the function
inside torch's decorator, and for isend and irecv the methods of the process group.
"""

# No postponed annotations here: torch checks the communication hook's annotations at run time.

import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial, wraps
from inspect import unwrap
from itertools import chain
from types import CellType
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from .blocks import inner_module
from .functional import CollectiveCall, FunctionalCollectives, NoteEnd
from .guard import Guard
from .hooks import BlockHooks
from .kinds import HOST
from .rank_step import FIRST_TRACK, FROM, TO, Op, group_name
from .values import tensor_bytes

KINDS = {
    "all_reduce": "all-reduce",
    "all_gather": "all-gather",
    "all_gather_single": "all-gather",
    "all_gather_into_tensor": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "reduce_scatter_single": "reduce-scatter",
    "reduce_scatter_tensor": "reduce-scatter",
    "all_to_all": "all-to-all",
    "all_to_all_single": "all-to-all",
    "broadcast": "broadcast",
    "barrier": "barrier",
    "send": "copy",
    "recv": "copy",
}
"""The functions of torch.distributed that are recorded, and their kinds."""
PEERS = {"send": TO, "recv": FROM}
TRANSFERS = ("send", "recv", "recv_anysource")
"""The methods of a process group that isend and irecv call."""


class BucketHook:
    """Communication hook of a DistributedDataParallel model; the model never releases it.

    It averages each bucket as torch does without a hook, with the same bits. During a recording,
    `begin` notes a bucket and returns the function that notes its end. `active` is set if
    torch averages only over ranks that have not joined: the running collective that counts them.
    """

    def __init__(self, group: Any) -> None:
        self._group = group
        self.begin: Callable[[Any, Tensor, Any], NoteEnd | None] | None = None
        self.active: Any = None

    def reduce(
        self,
        state: object,
        bucket: dist.GradBucket,  # type: ignore[name-defined]
    ) -> torch.futures.Future[torch.Tensor]:
        """All-reduce a bucket to its average."""
        gradients = bucket.buffer()
        # torch divides sparse gradients, and multiplies others.
        if gradients.is_sparse:
            gradients.div_(self._ranks())
        else:
            gradients.mul_(1 / self._ranks())
        begin = self.begin
        end = None if begin is None else begin(bucket, gradients, self._group)
        work: Any = self._group.allreduce([gradients])

        def done(future: torch.futures.Future[list[Tensor]]) -> Tensor:
            if end is not None:
                end()  # torch has made the collective's stream the current one
            return future.value()[0]

        return work.get_future().then(done)  # type: ignore[no-any-return]

    def _ranks(self) -> int:
        """Return the number of ranks by which torch would divide the sum."""
        if self.active is None:
            return dist.get_world_size(self._group)
        self.active.wait()
        return int(self.active.result()[0].item())


_BUCKETS: weakref.WeakKeyDictionary[nn.Module, BucketHook] = weakref.WeakKeyDictionary()
"""The hooks that recordings of this process have registered; a model accepts only one hook."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A replaced attribute of torch: the cell of a closure, or a method of a class."""

    place: CellType | type
    name: str
    original: Callable[..., Any]
    timed: Callable[..., Any]


def _watch_joins() -> None:
    """Let the hooks of models know how many ranks have not joined, in torch's `Join` context.

    This stays after a recording, because the hooks stay too.
    """
    from torch.distributed.algorithms.join import Join

    notify = Join.notify_join_context
    if hasattr(notify, "is_watched"):
        return

    def watched(joinable: Any) -> Any:
        work: Any = notify(joinable)
        if isinstance(work, TimedWork):
            work = work._work  # the reducer, which is written in C++, takes only torch's own
        hook = _BUCKETS.get(joinable)
        if hook is not None and work is not None:
            hook.active = None if joinable._divide_by_initial_world_size else work
        return work

    watched.is_watched = True  # type: ignore[attr-defined]
    Join.notify_join_context = staticmethod(watched)  # type: ignore[method-assign]


class CollectiveHooks:
    """Records the collectives of a rank's model and script."""

    def __init__(self, hooks: BlockHooks, guard: Guard) -> None:
        self._hooks = hooks
        self._guard = guard
        self._is_on = True
        self._replaced: list[Replacement] = []
        self._functional = FunctionalCollectives(guard, self._begun_call, self._waiting)
        self._reducers: weakref.WeakSet[nn.Module] = weakref.WeakSet()
        self._buckets: list[BucketHook] = []
        self._is_calling = False

    def install(self) -> None:
        """Begin recording calls of torch.distributed."""
        if not dist.is_available():
            return
        for name, kind in KINDS.items():
            function = getattr(dist.distributed_c10d, name, None)
            cell = _inner_cell(function)
            if cell is not None:
                begin = partial(self._begin_call, name, kind)
                self._replace(cell, "cell_contents", cell.cell_contents, begin)
        for name in TRANSFERS:
            # Taken from the class's dict, because getattr returns a function that cannot be put
            # back: it would not be bound to a group.
            original = vars(dist.ProcessGroup).get(name)
            if original is not None:
                begin = partial(self._begin_transfer, name)
                self._replace(dist.ProcessGroup, name, original, begin)
        _watch_joins()

    def watch(self, model: nn.Module) -> None:
        """Record the buckets of a model in DistributedDataParallel.

        Call it before a training pass, when the job has wrapped the model and registered its hooks.
        """
        if not dist.is_available():
            return
        from torch.nn.parallel import DistributedDataParallel

        inner: nn.Module | None = model
        while inner is not None:
            if isinstance(inner, DistributedDataParallel) and inner not in self._reducers:
                self._reducers.add(inner)
                self._register(inner)
            inner = inner_module(inner)

    def watch_functional(self) -> None:
        """Record functional collectives, if the job has imported them."""
        if dist.is_available():
            self._functional.install()

    def remove(self) -> None:
        """End recording and restore the functions."""
        self._is_on = False
        for one in reversed(self._replaced):
            # If a later recording has replaced it again, that one still calls ours.
            if getattr(one.place, one.name) is one.timed:
                setattr(one.place, one.name, one.original)
        for buckets in self._buckets:
            buckets.begin = None
        self._functional.remove()

    def pause(self, on: bool) -> None:
        """Pause recording, or resume it."""
        self._is_on = not on
        self._functional.is_on = self._is_on

    def _replace(
        self,
        place: CellType | type,
        name: str,
        original: Callable[..., Any],
        begin: Callable[..., CollectiveCall],
    ) -> None:
        """Replace an attribute by a function that calls the original and notes when it ran."""
        timed = self._timed(begin, original)
        self._replaced.append(Replacement(place, name, original, timed))
        setattr(place, name, timed)

    def _register(self, model: Any) -> None:
        """Time a model's buckets, unless the job has registered a communication hook."""
        if model._comm_hooks or not _is_exact(model):
            return
        if model not in _BUCKETS:
            buckets = BucketHook(model.process_group)
            model.register_comm_hook(None, buckets.reduce)
            # torch's reducer keeps the hook. The model's list is cleared because it is saved with
            # the model.
            model._comm_hooks.clear()
            _BUCKETS[model] = buckets
        _BUCKETS[model].begin = partial(self._guard, self._begin_bucket)
        self._buckets.append(_BUCKETS[model])

    def request(self, kind: str, payload: str, number: int, tensor: Tensor) -> "CollectiveRequest":
        """Note the request of a collective that the caller runs itself.

        It transfers `tensor`, of block `number`.
        """
        now = self._clock([tensor])
        op = self._begun(kind, now(), tensor.nbytes, payload)
        op.number = number
        op.launched = None
        return CollectiveRequest(op, now)

    def _begin_bucket(self, bucket: Any, gradients: Tensor, group: Any) -> NoteEnd:
        now = self._clock([gradients])
        name = _group_name(group)
        op = self._begun("all-reduce", now(), tensor_bytes(gradients), "parameter gradients", name)
        op.number = bucket.index()
        op.parameters = tuple(map(id, bucket.parameters()))
        self._hooks.stage.request(op)
        return self._guard.around(CollectiveCall(op, now).end)

    def _begun_call(self, kind: str, tensor: Tensor, name: str) -> CollectiveCall:
        now = self._clock([tensor])
        op = self._begun(kind, now(), tensor_bytes(tensor), name=name)
        return CollectiveCall(op, now)

    def _clock(self, tensors: Iterable[Tensor]) -> Callable[[], int]:
        """Return the device's clock if one of the tensors is on a device, else the host's."""
        on_host = all(tensor.device.type == HOST.name for tensor in tensors)
        return time.perf_counter_ns if on_host else self._hooks.ops.now

    def _begun(self, kind: str, start: int, size: int, payload: str = "", name: str = "") -> Op:
        op = Op(kind, start, bytes=size, payload=payload, name=name)
        op.lane = FIRST_TRACK
        op.launched = int(start)
        if not self._is_on:
            return op
        return self._hooks.ops.note(op)

    def _timed(
        self, begin: Callable[..., CollectiveCall], original: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Return a function that calls the original and notes when it ran."""

        @wraps(original)
        def call(*arguments: object, **options: object) -> object:
            # torch.compile may trace this function within another one, so this check is first.
            if torch.compiler.is_compiling():
                return original(*arguments, **options)
            # These functions call each other; only the outer call is recorded.
            if self._is_calling or not self._is_on:
                return original(*arguments, **options)
            self._is_calling = True
            call = self._guard(begin, arguments, options)
            try:
                result = original(*arguments, **options)
            finally:
                self._is_calling = False
            seen = None if call is None else self._guard(self._end_call, call, result)
            return result if seen is None else seen

        _exclude_from_compiling(call)
        return call

    def _begin_call(
        self, name: str, kind: str, arguments: Sequence[object], options: Mapping[str, Any]
    ) -> CollectiveCall:
        waits = not options.get("async_op")
        # A block does not compute while it waits for a collective.
        if waits:
            self._hooks.interrupt()
        given = _tensors((*arguments, *options.values()))
        now = self._clock(chain(*given))
        # The largest of the inputs and outputs holds all the data gathered, reduced or sent.
        sizes = [sum(map(tensor_bytes, tensors)) for tensors in given]
        size = max(sizes, default=0)
        target = _peer(name, arguments, options) or _group_name(_group(arguments, options))
        op = self._begun(kind, now(), size, name=target)
        return CollectiveCall(op, now, waits)

    def _begin_transfer(
        self, name: str, arguments: Sequence[Any], options: Mapping[str, Any]
    ) -> CollectiveCall:
        """Note a call of a process group's method; the group is the first argument."""
        given = list(chain.from_iterable(_tensors((*arguments, *options.values()))))
        now = self._clock(given)
        size = sum(map(tensor_bytes, given))
        op = self._begun("copy", now(), size, name=_peer_in_group(name, arguments, options))
        if name == "send":  # torch does not report when the data has left
            op.end = op.start
        return CollectiveCall(op, now)

    def _end_call(self, call: CollectiveCall, result: Any) -> object:
        """Note the end of a call, or return a wrapper of running work that notes its end."""
        if result is not None and hasattr(result, "wait"):
            if call.op.end is not None:
                return result
            return TimedWork(result, self._guard.around(call.end), self._waiting)
        call.end()
        if call.waits:
            self._hooks.resume()
        return None

    def _waiting(self, wait: Callable[[], Any], ended: NoteEnd) -> Any:
        """Wait for running work. The block that waits does not compute until it returns."""
        self._guard(self._hooks.interrupt)
        found = wait()
        # The work ends before the block resumes: a block waits only for work that has ended.
        self._guard(ended)
        self._guard(self._hooks.resume)
        return found


class CollectiveRequest:
    """A requested collective that its caller runs, perhaps in another thread."""

    def __init__(self, op: Op, now: Callable[[], int]) -> None:
        self._op = op
        self._now = now

    def run(self, collective: Callable[[], object]) -> None:
        """Launch the collective and note its end.

        On a device this is the end of the work on the current stream, else the return of the call.
        """
        # Taken before the call, because the device may begin before the call returns.
        self._op.launched = time.perf_counter_ns()
        collective()
        self._op.end = self._now()


def _inner_cell(function: Any) -> CellType | None:
    """Return the closure cell with the function that one of torch's decorators calls.

    None if the function is not decorated, or if this torch has no such function.
    """
    inner = unwrap(function)
    for cell in getattr(function, "__closure__", None) or ():
        if unwrap(cell.cell_contents) is inner:
            return cell  # type: ignore[no-any-return]
    return None


def _is_exact(model: Any) -> bool:
    """Return True if a communication hook can average the gradients with the same bits as torch.

    torch multiplies new gradients by 1 / ranks, but divides those that it has added to an earlier
    gradient in the bucket. A hook gets both alike.
    """
    ranks: int = dist.get_world_size(model.process_group)
    is_power_of_two = not ranks & (ranks - 1)
    return is_power_of_two or not model.gradient_as_bucket_view


def _exclude_from_compiling(function: Any) -> None:
    """Let torch.compile run the function, and all that it calls, without compiling it.

    Between the graphs of a compiled function torch would compile the recorder's code for each call
    that differs, and warn when there are too many.
    """
    # torch.compiler.disable does this too, but imports the compiler, which takes seconds.
    with suppress(AttributeError):  # private names of torch
        eval_frame: Any = torch._C._dynamo.eval_frame
        skip = eval_frame._FrameAction.SKIP
        strategy = eval_frame._FrameExecStrategy(skip, skip)
        eval_frame.set_code_exec_strategy(function.__code__, strategy)


def _tensors(given: Iterable[object]) -> list[list[Tensor]]:
    """Return the tensors of each argument, which is a tensor or a list of tensors."""
    found = []
    for argument in given:
        values = argument if isinstance(argument, list) else [argument]
        found.append([value for value in values if isinstance(value, Tensor)])
    return found


def _group(arguments: Iterable[object], options: Mapping[str, Any]) -> Any:
    """Return the process group that a function was called with; None for the default group."""
    given = options.get("group")
    if given is not None:
        return given
    groups = (value for value in arguments if isinstance(value, dist.ProcessGroup))
    return next(groups, None)


def _group_name(group: Any) -> str:
    """Return the name of a collective in a process group; "" if all ranks take part."""
    if group is None or group is dist.group.WORLD:
        return ""
    return group_name(dist.get_process_group_ranks(group), dist.get_world_size())


def _peer(function: str, arguments: Sequence[object], options: Mapping[str, Any]) -> str:
    """Return the name of a transfer to or from another rank; "" for a collective."""
    if function not in PEERS:
        return ""
    group = options.get("group")
    in_group = options.get("group_dst", options.get("group_src"))
    peer: Any = options.get("dst", options.get("src"))
    if len(arguments) > 1:
        peer = arguments[1]
    if peer is None and in_group is not None:
        peer = in_group if group is None else dist.get_global_rank(group, in_group)
    if peer is None:
        return function
    return f"{PEERS[function]}{peer}"


def _peer_in_group(method: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> str:
    """Return the name of a transfer by a process group's method, which numbers ranks in it."""
    if method not in PEERS:
        return "irecv"  # from any rank
    given = options.get("dstRank", options.get("srcRank"))
    peer = arguments[2] if len(arguments) > 2 else given
    with suppress(ValueError):  # a group that the job has made without torch.distributed.new_group
        peer = dist.get_global_rank(arguments[0], peer)
    return f"{PEERS[method]}{peer}"


class TimedWork:
    """Wraps running work and notes its end; otherwise behaves as the work itself."""

    def __init__(
        self,
        work: Any,
        done: NoteEnd,
        waiting: Callable[[Callable[[], Any], NoteEnd], Any],
    ) -> None:
        self._work = work
        self._done = done
        self._waiting = waiting
        with suppress(RuntimeError):  # send and receive have no future
            work.get_future().add_done_callback(lambda _: done())

    def wait(self, *arguments: Any, **options: Any) -> Any:
        """Wait for the work."""
        return self._waiting(lambda: self._work.wait(*arguments, **options), self._done)

    def __getattr__(self, name: str) -> object:
        return getattr(self._work, name)
