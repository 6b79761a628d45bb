"""Callbacks that record the trainers of other packages.

`HFCallback` is for Hugging Face's Trainer, `LightningCallback` for Lightning's. Each is
imported on first use, together with its package. A loop with Accelerate uses `record` itself.
Like the recorder, nothing here imports `core` or `gui`.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bubblescope.integrations.huggingface import HFCallback
    from bubblescope.integrations.lightning import LightningCallback

__all__ = ["HFCallback", "LightningCallback"]
_MODULES = {"HFCallback": "huggingface", "LightningCallback": "lightning"}


def __getattr__(name: str) -> object:
    """Import a callback. Raises ImportError if its package is not installed."""
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
