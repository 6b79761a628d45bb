"""The blocks, data and loss of a run's model, which is built in or from the user's file."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor, nn

from core.engine.models.exported import calls_of
from core.engine.models.modules import (
    Batch,
    LossFunction,
    build_blocks,
    built_in_batch,
    built_in_loss,
)
from core.engine.models.user_model import load_user_model, user_file_errors
from core.errors import PlanError
from core.message import Text, message
from core.models.catalogue import MODELS
from core.models.description import Block, ModelDescription
from core.plan.division import Stage
from core.plan.specification import Specification
from core.process.lifeline import only_here

_OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "sgd": torch.optim.SGD,
    "momentum": lambda parameters, lr: torch.optim.SGD(parameters, lr, momentum=0.9),
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
}


@dataclass(frozen=True, slots=True)
class Workload:
    """A model's blocks in train mode on the CPU, the data, and the loss (a mean over rows)."""

    description: ModelDescription
    blocks: list[nn.Module]
    input: Tensor
    target: Tensor
    loss: LossFunction

    def batches(self, specification: Specification) -> list[Batch]:
        """Return the batch of each step. The first measured step starts at the data's start."""
        rows = specification.all_rows
        warmup = specification.warmup
        return self._in_order(rows[:warmup]) + self._in_order(rows[warmup:])

    def _in_order(self, rows: list[int]) -> list[Batch]:
        """Return batches with these numbers of rows, from the data's start and in order.

        If not enough data is left for a batch, the batch starts at the data's beginning again.
        """
        batches = []
        start = 0
        for count in rows:
            if start + count > len(self.input):
                start = 0
            piece = slice(start, start + count)
            batches.append((self.input[piece], self.target[piece]))
            start += count
        return batches

    def weighted_loss(self, output: Tensor, target: Tensor, share: float) -> Tensor:
        """Return the loss of some rows times `share`, which must be 0 if there are no rows."""
        if share == 0:
            # The mean over no rows would be NaN, but zeros are needed as gradients.
            return output.sum() * 0
        loss = self.loss(output, target)
        if share == 1:
            return loss
        return loss * share


def build_workload(specification: Specification) -> Workload:
    """Build model and data from the specification's seed, with the same result in every process.

    Raises PlanError if the user's file cannot be used, with the file's name and its requirements.
    """
    # Parameters use the global random generator and data another one, so that the data does not
    # depend on the model. Every rank builds the workload again and must get the same bits.
    torch.manual_seed(specification.seed)
    generator = torch.Generator().manual_seed(specification.seed)
    rows = specification.data or specification.batch_rows
    settings = specification.model.filled()
    dtype = getattr(torch, settings.dtype)
    with only_here():
        if specification.own_model:
            path = Path(settings.name)
            model = load_user_model(path, rows, dtype, generator)
            target = _converted(model.target, dtype)
            empty = ModelDescription(path.stem, (), 0)
            workload = Workload(
                description=empty,
                blocks=model.blocks,
                input=model.input,
                target=target,
                loss=model.loss,
            )
            return replace(workload, description=_describe(workload, settings.name))
        blocks = [block.to(dtype).train() for block in build_blocks(settings)]
        data, target = built_in_batch(settings, rows, generator)
        return Workload(
            description=MODELS[settings.name].describe(settings),
            blocks=blocks,
            input=_converted(data, dtype),
            target=_converted(target, dtype),
            loss=built_in_loss(settings.name),
        )


def _converted(data: Tensor, dtype: torch.dtype) -> Tensor:
    """Return floating-point data in another type, and other data unchanged."""
    if not data.is_floating_point():
        return data
    return data.to(dtype)


def full_names(blocks: list[nn.Module], first: int = 0) -> dict[str, nn.Parameter]:
    """Return parameters by their names in nn.Sequential of the model's blocks.

    `first` is the index of the first of `blocks` in the model. A parameter that several blocks
    share has only its first name, as in nn.Sequential.
    """
    parameters: dict[str, nn.Parameter] = {}
    # named_parameters returns a shared parameter only once, with its first name.
    for name, parameter in nn.Sequential(*blocks).named_parameters():
        index, rest = name.split(".", 1)
        parameters[f"{first + int(index)}.{rest}"] = parameter
    return parameters


def gradients_of(parameters: dict[str, nn.Parameter]) -> dict[str, Tensor]:
    """Return the gradients by name; zeros for a parameter without a gradient."""
    gradients = {}
    for name, parameter in parameters.items():
        gradient = parameter.grad
        gradients[name] = torch.zeros_like(parameter) if gradient is None else gradient
    return gradients


def check_ties(workload: Workload, stages: Sequence[Stage]) -> None:
    """Raise PlanError if blocks of different stages share a parameter.

    Divided stages are not checked: only built-in models are divided, and they share none.
    """
    owner: dict[int, int] = {}
    for stage in stages:
        if stage.shares:
            continue
        blocks = workload.blocks[stage.first : stage.last]
        for name, parameter in full_names(blocks).items():
            # Compared by identity, because the names differ. Each stage copies its blocks, so a
            # parameter of two stages would silently become two parameters.
            other = owner.setdefault(id(parameter), stage.index)
            if other != stage.index:
                raise PlanError(
                    message(
                        "stages {other} and {index} of {name} share a parameter ({parameter}); use "
                        "fewer stages, or a strategy that keeps it whole",
                        other=other,
                        index=stage.index,
                        name=workload.description.name,
                        parameter=name,
                    )
                )


def check_block_ties(workload: Workload) -> None:
    """Raise PlanError if blocks share a parameter: virtual lanes run a rank block by block."""
    owner: dict[int, int] = {}
    for number, block in enumerate(workload.blocks):
        for name, parameter in block.named_parameters():
            other = owner.setdefault(id(parameter), number)
            if other != number:
                raise PlanError(
                    message(
                        "blocks {other} and {number} of {name} share a parameter "
                        "({number}.{parameter}), and virtual lanes run a rank block by block; put "
                        "both into one block, or use real lanes",
                        other=other,
                        number=number,
                        name=workload.description.name,
                        parameter=name,
                    )
                )


def verification_notes(workload: Workload) -> list[str]:
    """Return warnings about the comparison of this model's steps with plain steps."""
    found = []
    if workload.description.depends_on_split:
        found.append(
            "batch normalisation depends on how the batch is split: every step is compared with "
            "the same split, run in order on one lane"
        )
    if any(_drops_out(module) for module in _modules(workload)):
        found.append("the model has dropout: its gradients are random and cannot be compared")
    return found


def _modules(workload: Workload) -> Iterator[nn.Module]:
    for block in workload.blocks:
        yield from block.modules()


def _drops_out(module: nn.Module) -> bool:
    """Return True if a module, or an operator in its exported graph, applies dropout."""
    if isinstance(module, nn.modules.dropout._DropoutNd):
        return module.p > 0
    return any(node.args[1] for node in calls_of(module, "dropout"))


def make_optimizer(
    specification: Specification, parameters: list[nn.Parameter]
) -> torch.optim.Optimizer | None:
    """Return the run's optimizer for `parameters`; None without parameters."""
    if not parameters:
        return None
    return _OPTIMIZERS[specification.optimizer](parameters, lr=specification.lr)


def _describe(workload: Workload, name: str) -> ModelDescription:
    """Describe the user's model: count its parameters, and run two rows for the output sizes."""
    blocks = []
    seen: set[int] = set()
    # On copies in eval mode, so that the model's running statistics and the random state do not
    # change.
    x = workload.input[:2].clone()
    with torch.no_grad():
        for index, block in enumerate(workload.blocks):
            with user_file_errors(name, message("block {index} failed", index=index)):
                x = copy.deepcopy(block).eval()(x)
            if not isinstance(x, Tensor):
                raise PlanError(
                    message(
                        "--model {name!r}: block {index} did not return a tensor",
                        name=name,
                        index=index,
                    )
                )
            counts = []
            frozen = []
            for parameter_name, parameter in block.named_parameters():
                if id(parameter) in seen:
                    continue
                counts.append((parameter_name, parameter.numel()))
                if not parameter.requires_grad:
                    frozen.append(parameter_name)
            seen.update(map(id, block.parameters()))
            parameter_names = [parameter_name for parameter_name, _ in counts]
            block_name = _block_name(index, parameter_names)
            output_elements = x.numel() // len(x)
            blocks.append(Block(block_name, tuple(counts), output_elements, tuple(frozen)))
    _check_loss(workload, x, name)
    row = workload.input[:1]
    return ModelDescription(
        name=workload.description.name,
        blocks=tuple(blocks),
        input_bytes=row.numel() * row.element_size(),
        element_bytes=x.element_size(),
        depends_on_split=any(_normalises_batch(module) for module in _modules(workload)),
    )


def _normalises_batch(module: nn.Module) -> bool:
    """Return True if a module, or an operator in its exported graph, normalises the batch."""
    is_batch_norm = isinstance(module, nn.modules.batchnorm._BatchNorm)
    return is_batch_norm or bool(calls_of(module, "batch_norm"))


def _block_name(index: int, parameters: Sequence[str]) -> str:
    """Return the name of the innermost module with all parameters of a block, or its number."""
    paths = [name.split(".")[:-1] for name in parameters]
    shared = []
    for parts in zip(*paths, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return ".".join(shared) or f"block{index}"


def _check_loss(workload: Workload, output: Tensor, name: str) -> None:
    """Raise PlanError if the loss for some rows of output is not a single number."""
    with user_file_errors(name, message("loss() failed")), torch.no_grad():
        value = workload.loss(output, workload.target[: len(output)])
    if not isinstance(value, Tensor) or value.numel() != 1:
        gave: Text = type(value).__name__
        if isinstance(value, Tensor):
            gave = message("shape {shape}", shape=list(value.shape))
        raise PlanError(
            message(
                "--model {name!r}: loss() returned {gave}; it must return a tensor of one "
                "number, the mean over rows",
                name=name,
                gave=gave,
            )
        )
