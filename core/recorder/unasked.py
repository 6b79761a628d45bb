"""Records an unmodified script: finds model and optimizer by global hooks.

The model is the outermost module that runs forward with gradients, the optimizer the first that
updates parameters of it.
"""

from __future__ import annotations

import atexit
import os
import sys
from types import TracebackType

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_pre_hook

from .session import record


def begin(out: str) -> None:
    """Wait for the first training step, and record from there into the folder `out`."""

    def look(module: nn.Module, inputs: tuple[object, ...]) -> None:
        if torch.is_grad_enabled() and any(p.requires_grad for p in module.parameters()):
            handle.remove()
            _record(module, out)

    handle = register_module_forward_pre_hook(look)


def _record(model: nn.Module, out: str) -> None:
    process = os.getpid()
    session = record(model, None, out)
    session.__enter__()
    failed: list[type[BaseException]] = []
    on_error = sys.excepthook

    def note(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        failed.append(kind)
        on_error(kind, error, trace)

    def end() -> None:
        # A process that is forked off has the same handlers, and is not recorded.
        if os.getpid() == process:
            session.__exit__(failed[0] if failed else None, None, None)

    sys.excepthook = note
    atexit.register(end)
