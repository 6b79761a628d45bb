"""Loads the user's model file: its blocks, its data and its loss."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.parameter import is_lazy

from core.counts import rows_text
from core.engine.models.exported import cut_blocks
from core.engine.models.modules import Batch, LossFunction
from core.errors import PlanError
from core.message import Message, Text, message
from core.paths import PROJECT_ROOT


@dataclass(frozen=True, slots=True)
class UserModel:
    """A model from a user's file: blocks in train mode, data, and the loss (a mean over rows)."""

    blocks: list[nn.Module]
    input: Tensor
    target: Tensor
    loss: LossFunction


def _load(path: Path) -> ModuleType:
    """Import a model file. Raises PlanError, also for a file that lacks a function."""
    name = str(path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not os.path.isfile(path) or spec is None or spec.loader is None:
        raise PlanError(message("--model {path!r}: there is no such file", path=name))
    module = importlib.util.module_from_spec(spec)
    # Like a script, the file may import modules from its own folder. The folder stays on the path,
    # because build() may import such modules too.
    folder = path.absolute().parent
    sys.path.insert(0, str(folder))
    with (
        user_file_errors(name, message("cannot be imported")),
        _without_project_packages(folder),
    ):
        spec.loader.exec_module(module)
    for function in ("build", "batch"):
        if not callable(getattr(module, function, None)):
            raise PlanError(
                message(
                    "--model {path!r} has no {name}(): it needs build() and batch()",
                    path=name,
                    name=function,
                )
            )
    if not callable(_loss(module)):
        raise PlanError(
            message("--model {path!r}: loss is not a function; use loss(output, target)", path=name)
        )
    return module


def _loss(module: ModuleType) -> Any:
    """Return the file's loss, or the mean squared error if the file has none."""
    return getattr(module, "loss", functional.mse_loss)


@contextmanager
def _without_project_packages(folder: Path) -> Iterator[None]:
    """Context in which `core` and `gui` are imported from a folder, if it contains such packages.

    A process can hold only one package of each name, so the project's own packages are removed from
    sys.modules inside the context.
    """
    find = importlib.machinery.PathFinder.find_spec
    packages: list[str] = []
    if folder != PROJECT_ROOT:
        path = [str(folder)]
        packages = [name for name in ("core", "gui") if find(name, path)]

    def loaded_modules() -> dict[str, ModuleType]:
        names = [name for name in sys.modules if name.partition(".")[0] in packages]
        return {name: sys.modules[name] for name in names}

    # The project imports some of its modules only during a run. They have to be found in the
    # project then, so the file's modules are removed at the end and the project's are restored.
    project_modules = loaded_modules()
    try:
        for name in project_modules:
            del sys.modules[name]
        yield
    finally:
        for name in loaded_modules():
            del sys.modules[name]
        sys.modules.update(project_modules)


def load_user_model(
    path: Path, rows: int, dtype: torch.dtype, generator: torch.Generator
) -> UserModel:
    """Load a file, and build its model and `rows` rows of data.

    The model and floating-point inputs get the type `dtype`. Raises PlanError if the file cannot be
    used.
    """
    name = str(path)
    module = _load(path)
    with user_file_errors(name, message("build() failed")):
        built = _from_config(module.build())
    data, target = _load_batch(module, name, rows, generator)
    if data.is_floating_point():
        data = data.to(dtype)
    example = data[:2]
    blocks = _blocks(built, name, example, dtype)
    return UserModel(
        blocks=blocks,
        input=data,
        target=target,
        loss=_loss(module),
    )


def _blocks(built: object, name: str, example: Tensor, dtype: torch.dtype) -> list[nn.Module]:
    """Return the result of build() as blocks in train mode; `example` has two rows of input."""
    blocks: list[Any] = []
    if isinstance(built, (nn.Sequential, nn.ModuleList, list, tuple)):
        blocks = list(built)
    elif isinstance(built, nn.Module):
        with user_file_errors(name, message("torch.export cannot cut it into blocks")):
            # The run's type and train mode become part of the exported graph, so they are set
            # first.
            model = built.to(dtype).train()
            blocks = cut_blocks(model, example)
    are_modules = all(isinstance(block, nn.Module) for block in blocks)
    if not blocks or not are_modules:
        raise PlanError(
            message(
                "--model {name!r}: build() returned {built}; it must return an nn.Module, "
                "a list of blocks, one at least, or a configuration of transformers",
                name=name,
                built=_describe(built),
            )
        )
    parameters: list[nn.Parameter] = []
    for block in blocks:
        parameters += block.parameters()
    if not parameters:
        raise PlanError(
            message(
                "--model {name!r}: build() returned a model without parameters to train", name=name
            )
        )
    if any(map(is_lazy, parameters)):
        raise PlanError(
            message(
                "--model {name!r}: build() returned a model with lazy parameters; specify "
                "their sizes",
                name=name,
            )
        )
    return [block.to(dtype).train() for block in blocks]


def _from_config(built: object) -> object:
    """Return a model with random weights for a configuration of transformers, else `built` itself.

    Transformers is not imported here: a file that returns a configuration has imported it. Raises
    ValueError if no model for the configuration returns logits.
    """
    transformers = sys.modules.get("transformers")
    if transformers is None or not isinstance(built, transformers.PretrainedConfig):
        return built
    for kind in ("AutoModelForCausalLM", "AutoModelForImageClassification"):
        auto = getattr(transformers, kind)
        # This attribute is private. The only public way is to try each class and to parse the text
        # of its ValueError.
        if type(built) in auto._model_mapping:
            return LogitsModel(auto.from_config(built))
    raise ValueError(
        message(
            "there is no model for {name} that returns logits of text or images",
            name=type(built).__name__,
        )
    )


class LogitsModel(nn.Module):
    """A model of transformers that returns only its logits."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        config: Any = model.config
        config.use_cache = False  # of keys and values, which is only useful to generate text

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits for token numbers or images."""
        logits: Tensor = self.model(x).logits
        return logits


def _describe(built: object) -> Text:
    """Describe a result of build() that is not accepted; for a list, its first invalid item."""
    if isinstance(built, (list, tuple, nn.Sequential, nn.ModuleList)):
        for block in built:
            if not isinstance(block, nn.Module):
                return message("a list with {name}", name=type(block).__name__)
        return message("no block")
    return type(built).__name__


def _load_batch(module: ModuleType, name: str, rows: int, generator: torch.Generator) -> Batch:
    """Return the result of batch(). Raises PlanError if it fails or its result is invalid."""
    with user_file_errors(name, message("batch({rows}) failed", rows=rows)):
        batch = module.batch(rows, generator)
    is_pair = isinstance(batch, (tuple, list)) and len(batch) == 2
    is_accepted = is_pair and all(_has_rows(value, rows) for value in batch)
    if not is_accepted:
        raise PlanError(
            message(
                "--model {name!r}: batch({number}) must return input and target, tensors of {rows}",
                name=name,
                number=rows,
                rows=rows_text(rows),
            )
        )
    return batch[0], batch[1]


def _has_rows(value: object, rows: int) -> bool:
    return isinstance(value, Tensor) and value.dim() > 0 and len(value) == rows


@contextmanager
def user_file_errors(name: str, failure: Message) -> Iterator[None]:
    """Context that turns an exception of the user's file into a PlanError with a one-line text.

    The line contains the file's name, the `failure`, and the exception.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        lines = f"{type(error).__name__}: {error}".splitlines()
        first_line = lines[0]
        text = message(
            "--model {name!r}: {failure}: {error}", name=name, failure=failure, error=first_line
        )
        raise PlanError(text) from error
