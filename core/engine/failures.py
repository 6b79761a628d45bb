"""How a run ends before its end: stopped, or what went wrong, in one line for the user."""

from __future__ import annotations

import torch

from core.errors import PlanError

# What torch says, and what can be done about it; the rest of torch's text helps nobody.
REMEDIES = {
    "Expected more than 1 value per channel": (
        "batch normalisation needs more than one value per channel on every lane that has rows: "
        "use a larger --batch or fewer lanes"
    ),
    "parameters that were not used in producing loss": (
        "the model has parameters that its loss does not depend on, which "
        "DistributedDataParallel refuses: take them out of the model, or use --strategy fsdp"
    ),
}


class Stopped(Exception):
    """The run was stopped on request."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that memory, of the GPU or the machine, ran out."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    # On the host torch raises a plain RuntimeError for memory, told apart by its words alone.
    return isinstance(error, RuntimeError) and any(
        words in str(error) for words in ("allocate memory", "not enough memory", "out of memory")
    )


def explain(error: BaseException) -> str:
    """An error in one line, with what to do where that is known."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    if isinstance(error, PlanError):
        return str(error)
    for words, remedy in REMEDIES.items():
        if words in str(error):
            return remedy
    if is_out_of_memory(error):
        said = lines[0] if lines else type(error).__name__
        return f"out of memory: use fewer rows or a smaller model ({said})"
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
