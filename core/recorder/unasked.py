"""Records an unmodified script: model and optimizer are found by the recorder's global hooks.

The model is the outermost module that runs forward with gradients, the optimizer the first that
updates parameters of it. A process that trains nothing leaves no file.
"""

from __future__ import annotations

import atexit
import os

from . import exits
from .session import record


def begin(out: str) -> None:
    """Record this process's first training job, from its first training step on."""
    process = os.getpid()
    session = record(None, None, out)
    session.__enter__()

    def end() -> None:
        # A process that is forked off has the same handlers, and is not recorded.
        if os.getpid() == process:
            error = exits.failure()
            session.__exit__(None if error is None else type(error), error, None)

    atexit.register(end)
