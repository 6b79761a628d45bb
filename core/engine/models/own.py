"""The user's own model file: its blocks and its batch, or a refusal in one line."""

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

from core.engine.models.exported import cut_blocks
from core.engine.models.modules import Batch, Loss
from core.errors import PlanError
from core.paths import PROJECT_ROOT


@dataclass(frozen=True, slots=True)
class OwnModel:
    """Blocks in train mode, the data, and the loss (a mean over rows)."""

    blocks: list[nn.Module]
    input: Tensor
    target: Tensor
    loss: Loss


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not os.path.isfile(path) or spec is None or spec.loader is None:
        raise PlanError(f"--model {str(path)!r}: there is no such file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.absolute().parent))  # as for a script: it may import its neighbours
    # The path of the file's folder stays in front for the
    # whole process: build() may import as well.
    with blaming(str(path), " cannot be imported"), _without_namesakes(path.absolute().parent):
        spec.loader.exec_module(module)
    for name in ("build", "batch"):
        if not callable(getattr(module, name, None)):
            raise PlanError(f"--model {str(path)!r} has no {name}(): it needs build() and batch()")
    if not callable(getattr(module, "loss", len)):
        raise PlanError(f"--model {str(path)!r}: loss is no function; use loss(output, target)")
    return module


@contextmanager
def _without_namesakes(folder: Path) -> Iterator[None]:
    """Within, `core` and `gui` are those of a folder, if it has some, and not this project's.

    A package is known by its name to the whole process, so the project's are set aside meanwhile.
    """
    find = importlib.machinery.PathFinder.find_spec
    taken = [
        name for name in ("core", "gui") if folder != PROJECT_ROOT and find(name, [str(folder)])
    ]

    def known() -> dict[str, ModuleType]:
        return {name: sys.modules[name] for name in sys.modules if name.partition(".")[0] in taken}

    # Both ways: what the file has imported under these names must not
    # be taken for the project's later, and the project's own imports of
    # them, made while a run goes on, must find what they found before.
    ours = known()
    try:
        for name in ours:
            del sys.modules[name]
        yield
    finally:
        for name in known():
            del sys.modules[name]
        sys.modules.update(ours)


def own_model(path: Path, rows: int, dtype: torch.dtype, generator: torch.Generator) -> OwnModel:
    """Load a file, and build its model and its data. Raises PlanError if it cannot be used."""
    name, module = str(path), _load(path)
    with blaming(name, ": build() failed"):
        built = _of_config(module.build())
    data, target = _own_batch(module, name, rows, generator)
    if data.is_floating_point():
        data = data.to(dtype)
    blocks = _own_blocks(built, name, data[:2], dtype)
    return OwnModel(blocks, data, target, getattr(module, "loss", functional.mse_loss))


def _own_blocks(built: object, name: str, rows: Tensor, dtype: torch.dtype) -> list[nn.Module]:
    """What build() gave, as blocks in train mode; `rows` are some of its input."""
    blocks: list[Any] = []
    if isinstance(built, (nn.Sequential, nn.ModuleList, list, tuple)):
        blocks = list(built)
    elif isinstance(built, nn.Module):
        with blaming(name, ": torch.export cannot cut it into blocks"):
            # In the run's type and mode already: the
            # exported graph has both written into its nodes.
            blocks = cut_blocks(built.to(dtype).train(), rows)
    if not blocks or not all(isinstance(block, nn.Module) for block in blocks):
        raise PlanError(
            f"--model {name!r}: build() gave {_what(built)}; it must give an nn.Module, a list of "
            "blocks, one at least, or a configuration of transformers"
        )
    parameters = [one for block in blocks for one in block.parameters()]
    if not parameters:
        raise PlanError(f"--model {name!r}: build() gave a model without parameters to train")
    if any(map(is_lazy, parameters)):
        raise PlanError(
            f"--model {name!r}: build() gave a model without sizes of its parameters; name them"
        )
    return [block.to(dtype).train() for block in blocks]


def _of_config(built: object) -> object:
    """The model that a configuration of transformers describes, with random weights; else itself.

    Transformers are never imported here: who has such a configuration has imported them.
    """
    transformers = sys.modules.get("transformers")
    if transformers is None or not isinstance(built, transformers.PretrainedConfig):
        return built
    for kind in ("AutoModelForCausalLM", "AutoModelForImageClassification"):
        auto = getattr(transformers, kind)
        # Private, but the public way is to try each and to read its ValueError's text.
        if type(built) in auto._model_mapping:
            return Logits(auto.from_config(built))
    raise ValueError(
        f"there is no model for {type(built).__name__} that gives logits of text or images"
    )


class Logits(nn.Module):
    """The logits alone of a model of transformers."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        config: Any = model.config
        config.use_cache = False  # of keys and values, which only texts that grow need

    def forward(self, x: Tensor) -> Tensor:
        """Logits of token numbers or of images."""
        logits: Tensor = self.model(x).logits
        return logits


def _what(built: object) -> str:
    """A name for what build() returned; for a list the first thing in it that is no block."""
    if isinstance(built, (list, tuple, nn.Sequential, nn.ModuleList)):
        odd = next((block for block in built if not isinstance(block, nn.Module)), None)
        return "no block" if odd is None else f"a list with {type(odd).__name__}"
    return type(built).__name__


def _own_batch(module: ModuleType, name: str, rows: int, generator: torch.Generator) -> Batch:
    with blaming(name, f": batch({rows}) failed"):
        made = module.batch(rows, generator)
    tensors = isinstance(made, (tuple, list)) and len(made) == 2
    if not tensors or not all(isinstance(t, Tensor) and t.dim() and len(t) == rows for t in made):
        raise PlanError(
            f"--model {name!r}: batch({rows}) must give input and target, tensors of {rows} rows"
        )
    return made[0], made[1]


@contextmanager
def blaming(name: str, what: str) -> Iterator[None]:
    """Turn whatever the user's file raises within into a PlanError of one line, naming the file."""
    try:
        yield
    except (Exception, SystemExit) as error:
        text = f"--model {name!r}{what}: {type(error).__name__}: {error}"
        raise PlanError(text.splitlines()[0]) from error
