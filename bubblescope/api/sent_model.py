"""Models in memory, passed to the engine's process as a temporary file."""

from __future__ import annotations

import pickle
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from bubblescope.api.errors import BubblescopeError
from bubblescope.api.running import RunError
from core.errors import PlanError
from core.plain import error_text
from core.temporary import temporary_folder

DATA = "model.pt"
# The engine receives a model file like any other (docs/adding.md), which reads the module from
# DATA. It extends the search path at the end, so that Bubblescope's own modules take precedence.
MODEL_FILE = '''\
"""A model that was in memory. Written by `bubblescope.run`, and removed after the run."""

import sys
from pathlib import Path

import torch

sys.path += [folder for folder in {path!r} if folder not in sys.path]
SENT = torch.load(Path(__file__).with_name({data!r}), map_location="cpu", weights_only=False)


def build():
    return SENT["model"]


def batch(rows, generator):
    sample = SENT["sample"]
    if len(sample[0]) < rows:
        raise ValueError(f"sample has {{len(sample[0])}} rows, and the steps need {{rows}}")
    return tuple(tensor[:rows] for tensor in sample)


loss = SENT["loss"]
'''


@contextmanager
def sent_model(
    options: Mapping[str, object], sample: object = None, loss: object = None
) -> Iterator[dict[str, object]]:
    """Yield the options with a model in memory as a file that the engine can read.

    The file is in a private folder, which is removed at the end; if this process is killed, the
    next one that sends a model removes it. Options without a model in memory are yielded
    unchanged. Raises BubblescopeError, in one line, if the model cannot be sent or `sample` does
    not suit it.
    """
    model = options.get("model")
    if not _is_in_memory(model):
        if sample is not None or loss is not None:
            raise BubblescopeError("sample and loss are for a model in memory: give model=MODULE")
        yield dict(options)
        return
    rows = _rows_of(sample)
    name = "blocks" if isinstance(model, list | tuple) else type(model).__name__
    with temporary_folder(Path(tempfile.gettempdir())) as folder:
        private = folder / "model"
        private.mkdir(0o700)
        file = private / f"{name}.py"
        _write(file, {"model": model, "sample": sample, "loss": loss or _mean_squared_error()})
        sent = {"batch": rows, **options, "model": str(file)}
        try:
            yield sent
        except (PlanError, RunError, BubblescopeError) as error:
            # The file's path, here or on another machine, means nothing to the caller.
            path = rf"--model '[^']*{re.escape(file.name)}'"
            text = re.sub(path, lambda _: f"model {name}", error_text(error))
            raise BubblescopeError(text) from error


def files_of(sent: Mapping[str, object], options: Mapping[str, object]) -> list[Path]:
    """Return the files of a model that `sent_model` has written, the model file first."""
    if sent.get("model") == options.get("model"):
        return []
    file = Path(str(sent["model"]))
    return [file, file.with_name(DATA)]


def _is_in_memory(model: object) -> bool:
    """Return True for a module, and for a list of blocks."""
    if isinstance(model, list | tuple):
        return True
    return isinstance(model, _torch().nn.Module) if "torch" in sys.modules else False


def _is_tensor(value: object) -> bool:
    return "torch" in sys.modules and isinstance(value, _torch().Tensor)


def _torch() -> Any:
    # A caller that has a module has imported torch. Bubblescope itself never imports it here.
    return sys.modules["torch"]


def _mean_squared_error() -> object:
    return _torch().nn.functional.mse_loss


def _rows_of(sample: object) -> int:
    """Return the number of rows of a pair of tensors. Raises BubblescopeError for anything else."""
    parts: list[Any] = list(sample) if isinstance(sample, list | tuple) else []
    are_tensors = all(_is_tensor(part) for part in parts)
    if len(parts) != 2 or not are_tensors:
        raise BubblescopeError("a model in memory needs data: give sample=(input, target), tensors")
    input_shape, target_shape = (tuple(part.shape) for part in parts)
    # A tensor without dimensions has no rows.
    rows: int = input_shape[0] if input_shape else 0
    if rows == 0 or target_shape[:1] != (rows,):
        raise BubblescopeError(
            f"sample: input {input_shape} and target {target_shape} must have the same number of "
            "rows"
        )
    return rows


def _write(file: Path, sent: Mapping[str, object]) -> None:
    """Write the model file and its data. Raises BubblescopeError if they cannot be pickled."""
    pickler = _pickler(sent)
    try:
        _torch().save(
            dict(sent), file.with_name(DATA), pickle_module=pickler, pickle_protocol=_PROTOCOL
        )
    except OSError:
        raise
    except Exception as error:  # pickling runs the model's own code
        lines = f"{type(error).__name__}: {error}".splitlines()
        raise BubblescopeError(f"model: it cannot be sent to the engine: {lines[0]}") from error
    file.write_text(MODEL_FILE.format(path=list(filter(None, sys.path)), data=DATA), "utf-8")


_PROTOCOL = 4
"""The first pickle protocol for objects of more than 4 GiB."""


def _pickler(sent: Mapping[str, object]) -> ModuleType:
    """Return cloudpickle, which can also pickle classes of a notebook, or else pickle.

    Raises BubblescopeError if cloudpickle is needed but not installed: for a class or function of a
    notebook or script.
    """
    try:
        import cloudpickle  # type: ignore[import-not-found]
    except ImportError:
        for name in _own_names(sent):
            raise BubblescopeError(
                f"model: {name} is defined in this notebook or script, which only cloudpickle can "
                "send: pip install cloudpickle"
            ) from None
        return pickle
    found: ModuleType = cloudpickle
    return found


def _own_names(sent: Mapping[str, object]) -> Iterator[str]:
    """Yield the names of classes and functions that other processes cannot import."""
    model = sent["model"]
    loss = sent["loss"]
    blocks: Any = model if isinstance(model, list | tuple) else [model]
    for block in blocks:
        for module in block.modules() if hasattr(block, "modules") else ():
            if type(module).__module__ == "__main__":
                yield type(module).__name__
    if getattr(loss, "__module__", "") == "__main__":
        yield getattr(loss, "__name__", type(loss).__name__)
