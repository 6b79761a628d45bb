"""Records an unmodified script. The recorder's global hooks find its model and optimizer.

The model is the outermost module that first runs forward with gradients, or a module around it that
does so before the first update. The optimizer is the first that updates the model's parameters. A
process that trains nothing leaves no file.
"""

from __future__ import annotations

import atexit

from . import exits
from .session import record


def record_process(out: str) -> None:
    """Record the first training job of this process from its first training step to its exit."""
    session = record(None, None, out)
    session.__enter__()

    def end() -> None:
        error = exits.failure()
        session.__exit__(None if error is None else type(error), error, None)

    atexit.register(end)
