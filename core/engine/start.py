"""Main module of the engine's process: runs the server, or reports that torch is unusable."""

from __future__ import annotations

import pyarrow as pa

from core.engine.imports import keep_imports
from core.engine.messages import send
from core.engine.without_torch import without_torch
from core.message import text_to_plain
from core.process.lifeline import open_pipes


def start_engine() -> None:
    """Run the server on the client's pipes, or send the reason why torch cannot be imported."""
    wire, commands = open_pipes()
    sink = pa.PythonFile(wire, "w")
    try:
        with keep_imports():
            import torch  # noqa: F401
    except Exception as error:  # of any type: a missing library raises OSError
        lines = [line for line in str(error).splitlines() if line.strip()]
        reason = ": ".join([type(error).__name__, *lines[:1]])
        text = without_torch(reason)
        send(sink, "unusable", text_to_plain(text))
        return
    with keep_imports():
        from core.engine.server import run_server

    run_server(sink, commands)


if __name__ == "__main__":
    start_engine()
