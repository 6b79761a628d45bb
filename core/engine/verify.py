"""Compares a run's steps with a plain step: one forward and backward pass outside the engine."""

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

SMALL = 1e-3
"""Gradients smaller than this fraction of the largest are compared relative to this limit."""


class Errors(NamedTuple):
    """Relative differences between a step and the plain step; 0 if equal."""

    gradient: float
    loss: float


def needs_parameters(specification: Specification) -> bool:
    """Return True if the parameters before each step are needed after it."""
    return specification.verify or specification.gradients is not None


def verify_step(
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
    """Record a step's loss and, if requested, its errors; save the last step if requested.

    `copies` returns the gradients of every copy of the model that the optimizer steps. The largest
    error is recorded.
    """
    writer.counter("loss", loss, step=step)
    if specification.verify:
        plain = plain_step(workload, before, batch, parts)
        errors = [step_errors(loss, gradients, plain) for gradients in copies()]
        gradient_error = max(error.gradient for error in errors)
        loss_error = max(error.loss for error in errors)
        writer.counter("gradient_error", gradient_error, step=step)
        writer.counter("loss_error", loss_error, step=step)
        if max(gradient_error, loss_error) > rounding_of(specification.model.filled().dtype):
            # Either the split is wrong, or this type cannot compute the step more precisely. The
            # error of the plain step itself, relative to a step in float64, decides which.
            exact = plain_step(workload, before, batch, parts, torch.float64)
            writer.counter(PLAIN_ERROR, max(step_errors(*plain, exact)), step=step)
    if specification.gradients is not None and step == len(specification.all_rows) - 1:
        save_gradients(specification.gradients, batch, before, copies()[0])


def plain_step(
    workload: Workload,
    before: dict[str, Tensor],
    batch: Batch,
    parts: tuple[Part, ...],
    dtype: torch.dtype | None = None,
) -> tuple[float, dict[str, Tensor]]:
    """Return loss and gradients of the whole model with the parameters `before`.

    Computes in `dtype`, or in the run's type if it is None. If the model's results depend on how
    the batch is split, the step runs `parts` of the batch in order, each weighted by its share of
    the rows. Otherwise it runs the whole batch at once.
    """
    tensors = [*before.values(), batch[0]]
    device = tensors[0].device
    blocks = copy.deepcopy(workload.blocks)
    model = nn.Sequential(*blocks).to(device, dtype)
    parameters = full_names(list(model))
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(before[name])
    x, target = (_copied(tensor, device, dtype) for tensor in batch)
    # Batch normalisation uses the statistics of the rows in a pass, so the plain step must have
    # passes with the same rows.
    pieces: Sequence[Part] = [Part(0, 0, 0, len(x))]
    if workload.description.depends_on_split:
        pieces = parts
    total = 0.0
    for part in pieces:
        if part.rows == 0:
            continue
        rows = slice(part.start, part.start + part.rows)
        share = part.rows / len(x)
        output = model(x[rows])
        loss = workload.loss(output, target[rows]) * share
        loss.backward()
        total += loss.item()
    return total, gradients_of(parameters)


def _copied(tensor: Tensor, device: torch.device, dtype: torch.dtype | None) -> Tensor:
    """Return a copy on a device, because a block may write to its input.

    Tensors of integers keep their type.
    """
    own_dtype = dtype if tensor.is_floating_point() else None
    return tensor.to(device, own_dtype, copy=True)


def step_errors(
    loss: float, gradients: dict[str, Tensor], plain: tuple[float, dict[str, Tensor]]
) -> Errors:
    """Return the errors of a step's loss and gradients relative to the plain step.

    The gradient error is the largest, over parameter tensors, of max|g - r| / max(max|r|, 1e-3
    times the largest |r| of all tensors). A result that is not finite has an infinite error.
    """
    plain_loss, plain_gradients = plain
    largest = {name: _largest(tensor) for name, tensor in plain_gradients.items()}
    # In a tensor whose gradients are all nearly zero, rounding alone would be a large error.
    floor = SMALL * max(largest.values(), default=0.0)
    gradient = 0.0
    for name, expected in plain_gradients.items():
        difference = _largest(gradients[name].to(expected) - expected)
        gradient = max(gradient, _relative(difference, max(largest[name], floor)))
    # The relative error of a loss of exactly 0 is not defined.
    scale = max(abs(plain_loss), torch.finfo(torch.float32).tiny)
    return Errors(gradient, _relative(abs(loss - plain_loss), scale))


def _relative(error: float, scale: float) -> float:
    """Return error / scale: 0 if the error is 0, infinity if the scale is 0 or the result NaN."""
    if error == 0:
        return 0.0
    if scale > 0:
        relative = error / scale
        # False for NaN.
        if relative >= 0:
            return relative
    return math.inf


def save_gradients(
    path: Path | str, batch: Batch, before: dict[str, Tensor], gradients: dict[str, Tensor]
) -> None:
    """Save a step for external checks: `input`, `target`, `before/NAME` and `gradient/NAME`."""
    x, target = batch
    arrays = {"input": _array(x), "target": _array(target)}
    for name, tensor in before.items():
        arrays[f"before/{name}"] = _array(tensor)
    for name, tensor in gradients.items():
        arrays[f"gradient/{name}"] = _array(tensor)
    with whole_file(path) as place, place.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def _largest(tensor: Tensor) -> float:
    if not tensor.numel():
        return 0.0
    return tensor.abs().max().item()


def _array(tensor: Tensor) -> np.ndarray:
    tensor = tensor.detach().cpu()
    # NumPy has no bfloat16, but float32 contains all of its values.
    return (tensor.float() if tensor.dtype is torch.bfloat16 else tensor).numpy()
