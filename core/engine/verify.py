"""The plain step that every run is compared with: one forward, one backward, outside the engine."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from core.engine.models.modules import Batch
from core.engine.models.workload import Workload, full_names
from core.files import whole_file
from core.plan.task import Part

SMALL = 1e-3  # gradients smaller than this part of the largest are judged by that floor


@dataclass(frozen=True, slots=True)
class Errors:
    """How far a step is from the plain one; both relative, 0 if equal."""

    gradient: float
    loss: float


def reference(
    workload: Workload, before: dict[str, Tensor], batch: Batch, parts: tuple[Part, ...]
) -> tuple[float, dict[str, Tensor]]:
    """Loss and gradients of the whole model from the parameters `before`, in one plain backward.

    A model whose result depends on how the batch is split is given `parts` of it in order, each
    weighted by its share of the rows; any other the whole batch at once.
    """
    device = next(iter(before.values())).device if before else torch.device("cpu")
    model = nn.Sequential(*copy.deepcopy(workload.blocks)).to(device)
    parameters = full_names(list(model))
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(before[name])
    x, target = (tensor.to(device, copy=True) for tensor in batch)  # a block may write to it
    pieces = parts if workload.description.depends_on_split else (Part(0, 0, 0, len(x)),)
    total = 0.0
    for part in pieces:
        if part.rows == 0:
            continue
        rows = slice(part.start, part.start + part.rows)
        loss = workload.loss(model(x[rows]), target[rows]) * (part.rows / len(x))
        loss.backward()
        total += loss.item()
    return total, {
        name: torch.zeros_like(p) if p.grad is None else p.grad for name, p in parameters.items()
    }


def compare(
    loss: float, gradients: dict[str, Tensor], wanted: tuple[float, dict[str, Tensor]]
) -> Errors:
    """Errors of a step's loss and gradients against the plain step's.

    The gradient error is the largest, over parameter tensors, of max|g - r| / max(max|r|, 1e-3
    times the largest |r| of all tensors). A result that is not finite is infinitely wrong.
    """
    wanted_loss, wanted_gradients = wanted
    largest = {name: _largest(r) for name, r in wanted_gradients.items()}
    floor = SMALL * max(largest.values(), default=0.0)
    worst = 0.0
    for name, r in wanted_gradients.items():
        error = _largest(gradients[name].to(r.device) - r)
        scale = max(largest[name], floor)
        relative = error / scale if scale > 0 else (0.0 if error == 0 else float("inf"))
        worst = max(worst, relative if relative == relative else float("inf"))
    scale = max(abs(wanted_loss), torch.finfo(torch.float32).tiny)
    loss_error = abs(loss - wanted_loss) / scale
    return Errors(worst, loss_error if loss_error == loss_error else float("inf"))


def worst(errors: Iterable[Errors]) -> Errors:
    """The largest of each error, over the copies of a model that are stepped."""
    found = list(errors)
    return Errors(max(e.gradient for e in found), max(e.loss for e in found))


def save_gradients(
    path: Path | str, batch: Batch, before: dict[str, Tensor], gradients: dict[str, Tensor]
) -> None:
    """Keep a step for others to check: `input`, `target`, `before/NAME` and `gradient/NAME`."""
    arrays = {"input": _array(batch[0]), "target": _array(batch[1])}
    arrays |= {f"before/{name}": _array(tensor) for name, tensor in before.items()}
    arrays |= {f"gradient/{name}": _array(tensor) for name, tensor in gradients.items()}
    with whole_file(path) as place, place.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def _largest(tensor: Tensor) -> float:
    return tensor.abs().max().item() if tensor.numel() else 0.0


def _array(tensor: Tensor) -> np.ndarray:
    tensor = tensor.detach().cpu()
    return (tensor.float() if tensor.dtype is torch.bfloat16 else tensor).numpy()
