"""Reasons why a run ends before its last step: a stop, or an error in one line for the user."""

from __future__ import annotations

import torch

from core.errors import PlanError
from core.message import Message, Text, error_message, message

# Messages of torch and a remedy for each. The rest of torch's text does not help users.
REMEDIES = {
    "Expected more than 1 value per channel": (
        message(
            "batch normalisation needs more than one value per channel on every "
            "lane that has rows: use a larger --batch or fewer lanes"
        )
    ),
    "parameters that were not used in producing loss": (
        message(
            "the model has parameters that its loss does not depend on, which "
            "DistributedDataParallel refuses: take them out of the model, or use "
            "--strategy fsdp"
        )
    ),
}


class RunStopped(Exception):
    """The run was stopped on request."""


def is_out_of_memory(error: BaseException) -> bool:
    """Return True if an error means that the GPU or the machine has run out of memory."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    if not isinstance(error, RuntimeError):
        return False
    # On the host torch raises a plain RuntimeError, which only its text distinguishes.
    phrases = ("allocate memory", "not enough memory", "out of memory")
    return any(phrase in str(error) for phrase in phrases)


def error_line(error: BaseException) -> Text:
    """Return one line for an error, with a remedy if one is known."""
    text = error_message(error)
    if isinstance(error, PlanError) or isinstance(text, Message):
        return text
    for phrase, remedy in REMEDIES.items():
        if phrase in str(error):
            return remedy
    name = type(error).__name__
    lines = [line for line in str(error).splitlines() if line.strip()]
    if is_out_of_memory(error):
        cause = lines[0] if lines else name
        return message("out of memory: use fewer rows or a smaller model ({cause})", cause=cause)
    return f"{name}: {lines[0]}" if lines else name
