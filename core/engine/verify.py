"""The plain step that every run is compared with: one forward, one backward, outside the engine."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from core.engine.models.modules import Batch
from core.engine.models.workload import Workload, full_names, gradients_of
from core.files import whole_file
from core.plan.division import Part
from core.plan.specification import Specification
from core.recording.schema import TraceWriter
from core.trace.verified import PLAIN_ERROR, rounding_of

SMALL = 1e-3  # gradients smaller than this part of the largest are judged by that floor


class Errors(NamedTuple):
    """How far a step is from the plain one; both relative, 0 if equal."""

    gradient: float
    loss: float


def keeps_parameters(specification: Specification) -> bool:
    """Whether the parameters before each step are needed behind it."""
    return specification.verify or specification.gradients is not None


def judge(
    writer: TraceWriter,
    specification: Specification,
    workload: Workload,
    step: int,
    batch: Batch,
    parts: tuple[Part, ...],
    before: dict[str, Tensor],
    loss: float,
    copies: Callable[[], Sequence[dict[str, Tensor]]],
) -> None:
    """Say what a step's loss was and, if asked, how far it is from the plain step's; keep the last.

    `copies` gives the gradients of every copy of the model that is stepped; the worst one counts.
    """
    writer.counter("loss", loss, step=step)
    if specification.verify:
        wanted = reference(workload, before, batch, parts)
        gradient, of_loss = zip(*(compare(loss, own, wanted) for own in copies()), strict=True)
        writer.counter("gradient_error", max(gradient), step=step)
        writer.counter("loss_error", max(of_loss), step=step)
        if max(*gradient, *of_loss) > rounding_of(specification.model.filled().dtype):
            # Is the split wrong, or can this type compute the step no closer than that? Its own
            # distance from a step in float64 tells.
            exact = reference(workload, before, batch, parts, torch.float64)
            writer.counter(PLAIN_ERROR, max(compare(*wanted, exact)), step=step)
    if specification.gradients is not None and step == len(specification.all_rows) - 1:
        save_gradients(specification.gradients, batch, before, copies()[0])


def reference(
    workload: Workload, before: dict[str, Tensor], batch: Batch, parts: tuple[Part, ...],
    dtype: torch.dtype | None = None,
) -> tuple[float, dict[str, Tensor]]:  # fmt: skip
    """Loss and gradients of the whole model from the parameters `before`, in one plain backward.

    In another type than the run's if `dtype` says so.

    A model whose result depends on how the batch is split is given `parts` of it in order, each
    weighted by its share of the rows; any other the whole batch at once.
    """
    device = next(iter(before.values())).device if before else batch[0].device
    model = nn.Sequential(*copy.deepcopy(workload.blocks)).to(device, dtype)
    parameters = full_names(list(model))
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(before[name])
    x, target = (  # copies: a block may write to its input
        tensor.to(device, dtype if tensor.is_floating_point() else None, copy=True)
        for tensor in batch
    )
    # Batch normalisation uses the statistics of the rows that it sees: the
    # plain step must see the same.
    pieces = parts if workload.description.depends_on_split else (Part(0, 0, 0, len(x)),)
    total = 0.0
    for part in pieces:
        if part.rows == 0:
            continue
        rows = slice(part.start, part.start + part.rows)
        loss = workload.loss(model(x[rows]), target[rows]) * (part.rows / len(x))
        loss.backward()
        total += loss.item()
    return total, gradients_of(parameters)


def compare(
    loss: float, gradients: dict[str, Tensor], wanted: tuple[float, dict[str, Tensor]]
) -> Errors:
    """Errors of a step's loss and gradients against the plain step's.

    The gradient error is the largest, over parameter tensors, of max|g - r| / max(max|r|, 1e-3
    times the largest |r| of all tensors). A result that is not finite is infinitely wrong.
    """
    wanted_loss, wanted_gradients = wanted
    largest = {name: _largest(r) for name, r in wanted_gradients.items()}
    # Of a tensor whose gradients are nearly zero everywhere rounding alone is a large part.
    floor = SMALL * max(largest.values(), default=0.0)
    gradient = max(
        (
            _relative(_largest(gradients[name].to(r) - r), max(largest[name], floor))
            for name, r in wanted_gradients.items()
        ),
        default=0.0,
    )
    # A loss of exactly 0 has no relative error.
    scale = max(abs(wanted_loss), torch.finfo(torch.float32).tiny)
    return Errors(gradient, _relative(abs(loss - wanted_loss), scale))


def _relative(error: float, scale: float) -> float:
    """An error as a part of `scale`; infinite if it is not a number, or of a scale of zero."""
    if error == 0:
        return 0.0
    # A comparison with NaN is false, so what is no number counts as infinitely wrong.
    return error / scale if scale > 0 and error / scale >= 0 else math.inf


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
    # NumPy has no bfloat16; every number of it is a float32 as well.
    return (tensor.float() if tensor.dtype is torch.bfloat16 else tensor).numpy()
