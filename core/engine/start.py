"""The module that the engine's process runs: it serves, or says why torch cannot be imported."""

from __future__ import annotations

import pyarrow as pa

from core.engine.messages import send
from core.engine.without_torch import without_torch
from core.process.lifeline import open_pipes


def main() -> None:
    """Serve on the pipes that the client passed, if torch is there."""
    wire, commands = open_pipes()
    sink = pa.PythonFile(wire, "w")
    try:
        import torch  # noqa: F401
    except Exception as error:  # whatever is wrong with it: a missing library raises OSError
        lines = [line for line in str(error).splitlines() if line.strip()]
        send(sink, "unusable", without_torch(": ".join([type(error).__name__, *lines[:1]])))
        return
    from core.engine.server import serve

    serve(sink, commands)


if __name__ == "__main__":
    main()
