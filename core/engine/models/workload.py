"""What a run computes: the model's blocks, its data, its loss; built-in or from the user's file."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

import torch
from torch import Tensor, nn

from core.engine.models.exported import calls_of
from core.engine.models.modules import Batch, Loss, build_blocks, built_in_batch, built_in_loss
from core.engine.models.own import blaming, own_model
from core.errors import PlanError
from core.models.catalogue import MODELS
from core.models.description import Block, ModelDescription
from core.plan.division import Stage
from core.plan.specification import Specification
from core.process.lifeline import only_here

OPTIMIZERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
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
    loss: Loss

    def batches(self, specification: Specification) -> list[Batch]:
        """The batch of each step: warm-up from the data's start, then the epoch from its start."""
        rows, warmup = specification.all_rows, specification.warmup
        return self._in_order(rows[:warmup]) + self._in_order(rows[warmup:])

    def _in_order(self, rows: list[int]) -> list[Batch]:
        """So many rows each, from the data's start again when it is used up."""
        batches, start = [], 0
        for count in rows:
            if start + count > len(self.input):
                start = 0
            piece = slice(start, start + count)
            batches.append((self.input[piece], self.target[piece]))
            start += count
        return batches

    def weighted_loss(self, output: Tensor, target: Tensor, share: float) -> Tensor:
        """The loss of some rows times `share`, which is 0 if there are none: then it is 0."""
        if share == 0:  # a mean over no rows is no number, but gradients of zero are asked for
            return output.sum() * 0
        loss = self.loss(output, target)
        return loss if share == 1 else loss * share


def build_workload(specification: Specification) -> Workload:
    """Build model and data from the specification's seed; the same in every process.

    Raises PlanError if the user's file cannot be used, naming the file and what it must have.
    """
    # Two sources of random numbers, so that the data are the same
    # whatever the model draws: the global one for parameters, another for
    # the batch. Ranks build all of this again and must get the same bits.
    torch.manual_seed(specification.seed)
    generator = torch.Generator().manual_seed(specification.seed)
    rows = specification.data or specification.batch_rows
    settings = specification.model.filled()
    dtype = getattr(torch, settings.dtype)
    with only_here():
        if specification.own_model:
            path = Path(settings.name)
            own = own_model(path, rows, dtype, generator)
            target = _as(dtype, own.target)
            empty = ModelDescription(path.stem, (), 0)
            workload = Workload(empty, own.blocks, own.input, target, own.loss)
            return replace(workload, description=_describe(workload, settings.name))
        blocks = [block.to(dtype).train() for block in build_blocks(settings)]
        data, target = built_in_batch(settings, rows, generator)
        description = MODELS[settings.name].describe(settings)
        loss = built_in_loss(settings.name)
        return Workload(description, blocks, _as(dtype, data), _as(dtype, target), loss)


def _as(dtype: torch.dtype, data: Tensor) -> Tensor:
    """Real numbers in the run's type; whole ones as they are."""
    return data.to(dtype) if data.is_floating_point() else data


def full_names(blocks: list[nn.Module], first: int = 0) -> dict[str, nn.Parameter]:
    """Parameters by their names in nn.Sequential of all blocks, of which `first` is the first.

    A parameter that several blocks share has its first name only, as in nn.Sequential.
    """
    # Borrowed for its names: a Sequential gives a shared parameter once, under its first name.
    named = nn.Sequential(*blocks).named_parameters()
    split = ((name.split(".", 1), parameter) for name, parameter in named)
    return {f"{first + int(index)}.{rest}": parameter for (index, rest), parameter in split}


def gradients_of(parameters: dict[str, nn.Parameter]) -> dict[str, Tensor]:
    """The parameters' gradients; zeros for one that has none."""
    return {
        name: torch.zeros_like(p) if p.grad is None else p.grad for name, p in parameters.items()
    }


def check_ties(workload: Workload, stages: Sequence[Stage]) -> None:
    """Raise PlanError if blocks of different stages share a parameter.

    Blocks that are split are built-in ones, which share none.
    """
    owner: dict[int, int] = {}
    for stage in (stage for stage in stages if not stage.shares):
        for name, parameter in full_names(workload.blocks[stage.first : stage.last]).items():
            # By identity, as names differ. Each stage has copies of its own, so a tie
            # across stages would be cut silently: two parameters that are stepped apart.
            other = owner.setdefault(id(parameter), stage.index)
            if other != stage.index:
                raise PlanError(
                    f"stages {other} and {stage.index} of {workload.description.name} share a "
                    f"parameter ({name}); use fewer stages, or a strategy that keeps it whole"
                )


def check_block_ties(workload: Workload) -> None:
    """Raise PlanError if blocks share a parameter, for ranks that virtual lanes run by blocks."""
    owner: dict[int, int] = {}
    for number, block in enumerate(workload.blocks):
        for name, parameter in block.named_parameters():
            other = owner.setdefault(id(parameter), number)
            if other != number:
                raise PlanError(
                    f"blocks {other} and {number} of {workload.description.name} share a parameter "
                    f"({number}.{name}), and virtual lanes run a rank block by block; put both "
                    "into one block, or use real lanes"
                )


def verification_notes(workload: Workload) -> list[str]:
    """Warnings about comparing this model's steps with plain ones."""
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
    return (module for block in workload.blocks for module in block.modules())


def _drops_out(module: nn.Module) -> bool:
    """Whether a module, or a graph's call of torch's operator, sets random numbers to zero."""
    if isinstance(module, nn.modules.dropout._DropoutNd):
        return module.p > 0
    return any(node.args[1] for node in calls_of(module, "dropout"))


def make_optimizer(
    specification: Specification, parameters: list[nn.Parameter]
) -> torch.optim.Optimizer | None:
    """The run's optimizer over `parameters`; None where there are none to step."""
    if not parameters:
        return None
    return OPTIMIZERS[specification.optimizer](parameters, lr=specification.lr)


def _describe(workload: Workload, name: str) -> ModelDescription:
    """Measure the user's model: parameters by counting, sizes by passing a row or two through."""
    blocks = []
    seen: set[int] = set()
    # On copies in eval mode, so that neither running statistics nor random numbers of the model
    # that is to be trained change.
    x = workload.input[:2].clone()
    with torch.no_grad():
        for index, block in enumerate(workload.blocks):
            with blaming(name, f": block {index} failed"):
                x = copy.deepcopy(block).eval()(x)
            if not isinstance(x, Tensor):
                raise PlanError(f"--model {name!r}: block {index} gave no tensor")
            own = ((n, p) for n, p in block.named_parameters() if id(p) not in seen)
            counts = tuple((n, p.numel()) for n, p in own)
            seen.update(map(id, block.parameters()))
            title = _block_name(index, [n for n, _ in counts])
            blocks.append(Block(title, counts, x.numel() // len(x)))
    _check_loss(workload, x, name)
    row = workload.input[:1]
    return ModelDescription(
        workload.description.name,
        tuple(blocks),
        row.numel() * row.element_size(),
        x.element_size(),
        depends_on_split=any(
            isinstance(module, nn.modules.batchnorm._BatchNorm) or calls_of(module, "batch_norm")
            for module in _modules(workload)
        ),
    )


def _block_name(index: int, parameters: Sequence[str]) -> str:
    """What a block is called: the module that all its parameters lie in, or its number."""
    paths = [name.split(".")[:-1] for name in parameters]
    shared = takewhile(lambda parts: len(set(parts)) == 1, zip(*paths, strict=False))
    return ".".join(parts[0] for parts in shared) or f"block{index}"


def _check_loss(workload: Workload, output: Tensor, name: str) -> None:
    """Raise PlanError if the loss of a few rows' output is not one number."""
    with blaming(name, ": loss() failed"), torch.no_grad():
        value = workload.loss(output, workload.target[: len(output)])
    if not isinstance(value, Tensor) or value.numel() != 1:
        gave = f"shape {list(value.shape)}" if isinstance(value, Tensor) else type(value).__name__
        raise PlanError(
            f"--model {name!r}: loss() gave {gave}; it must give a tensor of one number, "
            "the mean over rows"
        )
