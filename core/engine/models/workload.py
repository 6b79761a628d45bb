"""What a run computes: the model's blocks, its data, its loss; built-in or from the user's file."""

from __future__ import annotations

import copy
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.engine.models.modules import Batch, Loss, build_blocks, built_in_batch, built_in_loss
from core.models.catalogue import MODELS
from core.models.description import Block, ModelDescription
from core.paths import PROJECT_ROOT
from core.plan.specification import Specification
from core.plan.task import PlanError, Stage
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

    def batches(self, rows: list[int]) -> list[Batch]:
        """The batch of each step: the data in order, from the start again when it is used up."""
        batches, start = [], 0
        for count in rows:
            if start + count > len(self.input):
                start = 0
            piece = slice(start, start + count)
            batches.append((self.input[piece], self.target[piece]))
            start += count
        return batches


def build_workload(specification: Specification) -> Workload:
    """Build model and data from the specification's seed; the same in every process.

    Raises PlanError if the user's file cannot be used, naming the file and what it must have.
    """
    torch.manual_seed(specification.seed)
    generator = torch.Generator().manual_seed(specification.seed)
    rows = specification.data or specification.batch_rows
    settings = specification.model.filled()
    name, own = settings.name, specification.own_model
    loss: Loss
    with only_here():
        if own:
            module = _load(Path(name))
            blocks, batch = _own_blocks(module, name), _own_batch(module, name, rows, generator)
            loss = getattr(module, "loss", functional.mse_loss)
            description = ModelDescription(Path(name).stem, (), 0)
        else:
            blocks, batch = build_blocks(settings), built_in_batch(settings, rows, generator)
            loss, description = built_in_loss(name), MODELS[name].describe(settings)
        dtype = getattr(torch, settings.dtype)
        blocks = [block.to(dtype).train() for block in blocks]
        data, target = (t.to(dtype) if t.is_floating_point() else t for t in batch)
        workload = Workload(description, blocks, data, target, loss)
        return replace(workload, description=_describe(workload, name)) if own else workload


def full_names(blocks: list[nn.Module], first: int = 0) -> dict[str, nn.Parameter]:
    """Parameters by their names in nn.Sequential of all blocks, of which `first` is the first.

    A parameter that several blocks share has its first name only, as in nn.Sequential.
    """
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
            other = owner.setdefault(id(parameter), stage.index)
            if other != stage.index:
                raise PlanError(
                    f"stages {other} and {stage.index} of {workload.description.name} share a "
                    f"parameter ({name}); use fewer stages, or a strategy that keeps it whole"
                )


def verification_notes(workload: Workload) -> list[str]:
    """What must be said of a comparison with a plain step of this model."""
    modules = [module for block in workload.blocks for module in block.modules()]
    found = []
    if workload.description.depends_on_split:
        found.append(
            "batch normalisation depends on how the batch is split: every step is compared with "
            "the same split, run in order on one lane"
        )
    if any(isinstance(module, nn.modules.dropout._DropoutNd) for module in modules):
        found.append("the model has dropout: its gradients are random and cannot be compared")
    return found


def make_optimizer(
    specification: Specification, parameters: list[nn.Parameter]
) -> torch.optim.Optimizer | None:
    """The run's optimizer over `parameters`; None where there are none to step."""
    if not parameters:
        return None
    return OPTIMIZERS[specification.optimizer](parameters, lr=specification.lr)


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not os.path.isfile(path) or spec is None or spec.loader is None:
        raise PlanError(f"--model {str(path)!r}: there is no such file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.absolute().parent))  # as for a script: it may import its neighbours
    with _blaming(str(path), " cannot be imported"), _without_namesakes(path.absolute().parent):
        spec.loader.exec_module(module)
    for name in ("build", "batch"):
        if not callable(getattr(module, name, None)):
            raise PlanError(f"--model {str(path)!r} has no {name}(): it needs build() and batch()")
    if not callable(getattr(module, "loss", len)):
        raise PlanError(f"--model {str(path)!r}: loss is no function; use loss(output, target)")
    return module


@contextmanager
def _without_namesakes(folder: Path) -> Iterator[None]:
    """Within, `core` and `gui` mean those that lie in a folder, if some do, and not the house's.

    A package is known by its name to the whole process, so the house's are set aside for so long.
    """
    find = importlib.machinery.PathFinder.find_spec
    taken = [
        name for name in ("core", "gui") if folder != PROJECT_ROOT and find(name, [str(folder)])
    ]

    def known() -> dict[str, ModuleType]:
        return {name: sys.modules[name] for name in sys.modules if name.partition(".")[0] in taken}

    ours = known()
    try:
        for name in ours:
            del sys.modules[name]
        yield
    finally:
        for name in known():
            del sys.modules[name]
        sys.modules.update(ours)


def _own_blocks(module: ModuleType, name: str) -> list[nn.Module]:
    with _blaming(name, ": build() failed"):
        built: Any = module.build()
    blocks = list(built) if isinstance(built, (nn.Sequential, nn.ModuleList, list, tuple)) else []
    if not blocks or not all(isinstance(block, nn.Module) for block in blocks):
        raise PlanError(
            f"--model {name!r}: build() gave {_what(built)}; "
            "it must give an nn.Sequential or a list of blocks, one at least"
        )
    return blocks


def _what(built: object) -> str:
    """What build() gave, in words; of a list what is wrong in it."""
    if isinstance(built, (list, tuple, nn.Sequential, nn.ModuleList)):
        odd = next((block for block in built if not isinstance(block, nn.Module)), None)
        return "no block" if odd is None else f"a list with {type(odd).__name__}"
    return type(built).__name__


def _own_batch(module: ModuleType, name: str, rows: int, generator: torch.Generator) -> Batch:
    with _blaming(name, f": batch({rows}) failed"):
        made = module.batch(rows, generator)
    tensors = isinstance(made, (tuple, list)) and len(made) == 2
    if not tensors or not all(isinstance(t, Tensor) and t.dim() and len(t) == rows for t in made):
        raise PlanError(
            f"--model {name!r}: batch({rows}) must give input and target, tensors of {rows} rows"
        )
    return made[0], made[1]


def _describe(workload: Workload, name: str) -> ModelDescription:
    """Measure the user's model: parameters by counting, sizes by passing a row or two through."""
    blocks = []
    seen: set[int] = set()
    x = workload.input[:2].clone()
    with torch.no_grad():
        for index, block in enumerate(workload.blocks):
            with _blaming(name, f": block {index} failed"):
                x = copy.deepcopy(block).eval()(x)
            if not isinstance(x, Tensor):
                raise PlanError(f"--model {name!r}: block {index} gave no tensor")
            own = ((n, p) for n, p in block.named_parameters() if id(p) not in seen)
            counts = tuple((n, p.numel()) for n, p in own)
            seen.update(map(id, block.parameters()))
            blocks.append(Block(f"block{index}", counts, x.numel() // len(x)))
    _check_loss(workload, x, name)
    modules = [module for block in workload.blocks for module in block.modules()]
    row = workload.input[:1]
    return ModelDescription(
        workload.description.name,
        tuple(blocks),
        row.numel() * row.element_size(),
        x.element_size(),
        depends_on_split=any(isinstance(m, nn.modules.batchnorm._BatchNorm) for m in modules),
    )


def _check_loss(workload: Workload, output: Tensor, name: str) -> None:
    """Raise PlanError if the loss of a few rows' output is not one number."""
    with _blaming(name, ": loss() failed"), torch.no_grad():
        value = workload.loss(output, workload.target[: len(output)])
    if not isinstance(value, Tensor) or value.numel() != 1:
        gave = f"shape {list(value.shape)}" if isinstance(value, Tensor) else type(value).__name__
        raise PlanError(
            f"--model {name!r}: loss() gave {gave}; it must give a tensor of one number, "
            "the mean over rows"
        )


@contextmanager
def _blaming(name: str, what: str) -> Iterator[None]:
    """Whatever the user's file raises within is theirs to read, in one line: a PlanError."""
    try:
        yield
    except (Exception, SystemExit) as error:
        text = f"--model {name!r}{what}: {type(error).__name__}: {error}"
        raise PlanError(text.splitlines()[0]) from error
