"""Code that the training scripts of this folder share.

A script trains as its library does, and notes on the way: its losses, a checkpoint, and stamps of
`time.perf_counter_ns` from inside one block's forward and backward, the optimizer and the loader of
batches. `finish` writes these to JOB_FOLDER, one file for each rank. The environment says the rest:
with JOB_RECORD the script records itself into that folder, and JOB_FAULT names a place in which
rank JOB_FAULT_RANK sleeps for JOB_FAULT_MS in each step.
"""

import contextlib
import hashlib
import io
import json
import os
import threading
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, default_collate

RANK, WORLD = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
STEPS = 8
WIDTH = 256
PLACES = ("loader", "forward", "backward", "update", "host")
_FAULT = os.environ.get("JOB_FAULT", "")
_FAULT_RANK = int(os.environ.get("JOB_FAULT_RANK", 0))
_FAULT_SECONDS = float(os.environ.get("JOB_FAULT_MS", 20)) / 1e3

_losses: list[str] = []
_stamps: list[tuple[str, int, int]] = []
_begun: dict[str, int] = {}
_about: dict[str, object] = {"block": None, "steps": 0}


def start(seed=1):
    """Seed the random numbers, and meet the other ranks if there are any."""
    if WORLD > 1 and not dist.is_initialized():
        dist.init_process_group("gloo")
    torch.manual_seed(seed)


def rank():
    """Return the rank, also where a library has started it."""
    return dist.get_rank() if dist.is_initialized() else int(os.environ.get("RANK", 0))


def recording(model, optimizer=None):
    """Return what records the job; nothing of Bubblescope is imported without JOB_RECORD."""
    if not os.environ.get("JOB_RECORD"):
        return contextlib.nullcontext()
    from bubblescope import record

    return record(model, optimizer, out=os.environ["JOB_RECORD"])


def told(loss):
    """Note the loss of a pass."""
    _losses.append(float(loss.detach()).hex())


def host():
    """Do what a script does between two steps."""
    _pause("host")


def finish(*states):
    """Write what was noted, and the digest of a checkpoint of `states`."""
    file = io.BytesIO()
    torch.save(states, file)
    Path(os.environ["JOB_FOLDER"]).mkdir(parents=True, exist_ok=True)
    result = {
        "losses": _losses,
        "checkpoint": hashlib.sha256(file.getvalue()).hexdigest(),
        "stamps": _stamps,
        **_about,
    }
    path = Path(os.environ["JOB_FOLDER"]) / f"result-{rank()}.json"
    path.write_text(json.dumps(result), "utf-8")
    if WORLD > 1 and dist.is_initialized():
        dist.destroy_process_group()


# ---- data ----


def collate(samples):
    """Make a batch of samples; a slow loader is slow here."""
    # What a thread loads ahead is not waited for.
    with _stamped("data") if _in_main_thread() else contextlib.nullcontext():
        _pause("loader")
        return default_collate(samples)


def loader(*tensors, rows=16):
    """Return a DataLoader over tensors, in order."""
    return DataLoader(TensorDataset(*tensors), rows, collate_fn=collate)


def batches(steps=STEPS, rows=16, width=WIDTH, out=10):
    """Return a loader of inputs and targets to regress, of each rank its own."""
    generator = torch.Generator().manual_seed(100 + RANK)
    x = torch.randn(steps * rows, width, generator=generator)
    return loader(x, torch.randn(steps * rows, out, generator=generator), rows=rows)


def tokens(steps=STEPS, rows=4, length=32, words=100):
    """Return a loader of sequences of words and the words that follow, of each rank its own."""
    generator = torch.Generator().manual_seed(100 + RANK)
    text = torch.randint(words, (steps * rows, length + 1), generator=generator)
    return loader(text[:, :-1].contiguous(), text[:, 1:].contiguous(), rows=rows)


class Block(nn.Module):
    """A residual block."""

    def __init__(self, width=WIDTH):
        super().__init__()
        self.norm, self.up = nn.LayerNorm(width), nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


class Net(nn.Module):
    """Residual blocks and a head."""

    def __init__(self, body, head):
        super().__init__()
        self.blocks, self.head = nn.ModuleList(body), head

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def net(depth=5, width=WIDTH, out=10, is_probed=True):
    """Return a model of residual blocks; the second is probed."""
    model = Net([Block(width) for _ in range(depth)], nn.Linear(width, out))
    return probe(model, "blocks.1") if is_probed else model


# ---- stamps and faults ----


def _in_main_thread():
    return threading.current_thread() is threading.main_thread()


def _pause(place):
    if place == _FAULT and rank() == _FAULT_RANK:
        time.sleep(_FAULT_SECONDS)


def _begin(phase):
    _begun[phase] = time.perf_counter_ns()


def _end(phase):
    if phase in _begun:
        _stamps.append((phase, _begun.pop(phase), time.perf_counter_ns()))


@contextlib.contextmanager
def _stamped(phase):
    begun = time.perf_counter_ns()
    try:
        yield
    finally:
        _stamps.append((phase, begun, time.perf_counter_ns()))


def _entered(_tensor=None):
    _begin("forward")
    _pause("forward")


def _left(_tensor=None):
    _begin("backward")
    _pause("backward")


class _Enter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        _end("backward")
        return gradient


class _Leave(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        _left()
        return gradient


def probe(model, path, name=None, through=None):
    """Put stamps inside a block of the model, and the faults of its passes; return the model.

    Its class becomes one of the same attributes, so the model's state has the same names. `name` is
    what the recording calls the block, if that is not its path; None takes any. `through` are the
    functions that the input and the output go through, for code that is compiled.
    """
    block = model.get_submodule(path)
    enter, leave = through or (_Enter.apply, _Leave.apply)
    kind = type(block)

    def out_of(found):
        is_several = isinstance(found, tuple)
        return (leave(found[0]), *found[1:]) if is_several else leave(found)

    def forward(self, x, *more, **options):
        if not (self.training and _in_main_thread()):
            return kind.forward(self, x, *more, **options)
        if through is not None:
            return out_of(kind.forward(self, enter(x), *more, **options))
        _entered()
        try:
            return out_of(kind.forward(self, enter(x), *more, **options))
        finally:  # also where a checkpoint has all it needs, and leaves by an exception
            _end("forward")

    probed = type(f"Probed{kind.__name__}", (kind,), {"forward": forward, "__module__": __name__})
    globals()[probed.__name__] = probed  # where pickle looks for it
    block.__class__ = probed
    _about["block"] = path if name is None else name
    return model


def stamped(kind, ends_steps=True):
    """Return a kind of optimizer that stamps its updates and is slow there if it shall be."""

    class Stamped(kind):
        def step(self, closure=None):
            with _stamped("step" if ends_steps else "other step"):
                if ends_steps:
                    _about["steps"] += 1
                    _pause("update")
                return super().step() if closure is None else super().step(closure)

    Stamped.__name__ = Stamped.__qualname__ = kind.__name__
    return Stamped


def compiled_through():
    """Return functions for `probe` that torch.compile takes as they are."""

    @torch.library.custom_op("jobs::enter", mutates_args=())
    def enter(x: torch.Tensor) -> torch.Tensor:
        _entered()
        return x.clone()

    @torch.library.custom_op("jobs::leave", mutates_args=())
    def leave(x: torch.Tensor) -> torch.Tensor:
        _end("forward")
        return x.clone()

    @torch.library.custom_op("jobs::leave_backward", mutates_args=())
    def leave_backward(x: torch.Tensor) -> torch.Tensor:
        _left()
        return x.clone()

    @torch.library.custom_op("jobs::enter_backward", mutates_args=())
    def enter_backward(x: torch.Tensor) -> torch.Tensor:
        _end("backward")
        return x.clone()

    for operator in (enter, leave, leave_backward, enter_backward):
        operator.register_fake(torch.empty_like)
    enter.register_autograd(lambda ctx, gradient: enter_backward(gradient))
    leave.register_autograd(lambda ctx, gradient: leave_backward(gradient))
    return enter, leave
