"""Loads the user's model file: its blocks and its batch, or an error in one line."""

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
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not os.path.isfile(path) or spec is None or spec.loader is None:
        raise PlanError(message("--model {path!r}: there is no such file", path=str(path)))
    module = importlib.util.module_from_spec(spec)
    # As for a script, which may import other modules of its folder. The folder stays on the path,
    # because build() may import too.
    folder = path.absolute().parent
    sys.path.insert(0, str(folder))
    with (
        user_file_errors(str(path), message("cannot be imported")),
        _without_project_packages(folder),
    ):
        spec.loader.exec_module(module)
    for name in ("build", "batch"):
        if not callable(getattr(module, name, None)):
            raise PlanError(
                message(
                    "--model {path!r} has no {name}(): it needs build() and batch()",
                    path=str(path),
                    name=name,
                )
            )
    if not callable(getattr(module, "loss", len)):
        raise PlanError(
            message(
                "--model {path!r}: loss is not a function; use loss(output, target)", path=str(path)
            )
        )
    return module


@contextmanager
def _without_project_packages(folder: Path) -> Iterator[None]:
    """Context in which `core` and `gui` are imported from a folder, if it contains such packages.

    A process can hold only one package of a name, so the project's packages are removed meanwhile.
    """
    find = importlib.machinery.PathFinder.find_spec
    packages: list[str] = []
    if folder != PROJECT_ROOT:
        path = [str(folder)]
        packages = [name for name in ("core", "gui") if find(name, path)]

    def loaded() -> dict[str, ModuleType]:
        names = [name for name in sys.modules if name.partition(".")[0] in packages]
        return {name: sys.modules[name] for name in names}

    # Afterwards the modules that the file has imported are removed, and the project's modules are
    # restored, because the project imports some of them only during a run.
    project_modules = loaded()
    try:
        for name in project_modules:
            del sys.modules[name]
        yield
    finally:
        for name in loaded():
            del sys.modules[name]
        sys.modules.update(project_modules)


def load_user_model(
    path: Path, rows: int, dtype: torch.dtype, generator: torch.Generator
) -> UserModel:
    """Load a file, and build its model and data. Raises PlanError if it cannot be used."""
    name = str(path)
    module = _load(path)
    with user_file_errors(name, message("build() failed")):
        built = _from_config(module.build())
    data, target = _load_batch(module, name, rows, generator)
    if data.is_floating_point():
        data = data.to(dtype)
    blocks = _blocks(built, name, data[:2], dtype)
    return UserModel(blocks, data, target, getattr(module, "loss", functional.mse_loss))


def _blocks(built: object, name: str, rows: Tensor, dtype: torch.dtype) -> list[nn.Module]:
    """Return the result of build() as blocks in train mode; `rows` is an example of the input."""
    blocks: list[Any] = []
    if isinstance(built, (nn.Sequential, nn.ModuleList, list, tuple)):
        blocks = list(built)
    elif isinstance(built, nn.Module):
        with user_file_errors(name, message("torch.export cannot cut it into blocks")):
            # The run's type and train mode are set before, because they become part of the exported
            # graph.
            blocks = cut_blocks(built.to(dtype).train(), rows)
    if not blocks or not all(isinstance(block, nn.Module) for block in blocks):
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
                "--model {name!r}: build() returned a model without sizes of its parameters; "
                "name them",
                name=name,
            )
        )
    return [block.to(dtype).train() for block in blocks]


def _from_config(built: object) -> object:
    """Return a model with random weights for a configuration of transformers, else `built` itself.

    Does not import transformers: a file that returns a configuration has imported it.
    """
    transformers = sys.modules.get("transformers")
    if transformers is None or not isinstance(built, transformers.PretrainedConfig):
        return built
    for kind in ("AutoModelForCausalLM", "AutoModelForImageClassification"):
        auto = getattr(transformers, kind)
        # Private. The public way would be to try each class, and to parse the text of a ValueError.
        if type(built) in auto._model_mapping:
            return Logits(auto.from_config(built))
    raise ValueError(
        message(
            "there is no model for {name} that returns logits of text or images",
            name=type(built).__name__,
        )
    )


class Logits(nn.Module):
    """Wraps a model of transformers, and returns only its logits."""

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
    """Return a name for the result of build(); for a list it names the first item of wrong type."""
    if isinstance(built, (list, tuple, nn.Sequential, nn.ModuleList)):
        for block in built:
            if not isinstance(block, nn.Module):
                return message("a list with {name}", name=type(block).__name__)
        return message("no block")
    return type(built).__name__


def _load_batch(module: ModuleType, name: str, rows: int, generator: torch.Generator) -> Batch:
    with user_file_errors(name, message("batch({rows}) failed", rows=rows)):
        batch = module.batch(rows, generator)
    is_pair = isinstance(batch, (tuple, list)) and len(batch) == 2
    if not is_pair or not all(_has_rows(value, rows) for value in batch):
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
    """Context that turns exceptions of the user's file into a PlanError of one line.

    The line contains the file's name, the `failure`, and the exception.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        lines = f"{type(error).__name__}: {error}".splitlines()
        text = message(
            "--model {name!r}: {failure}: {error}", name=name, failure=failure, error=lines[0]
        )
        raise PlanError(text) from error
