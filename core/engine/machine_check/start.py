"""Main module of the process that checks the machine: sends a line of JSON for each measurement."""

from __future__ import annotations

import json
from typing import BinaryIO

from core.check.measured import CheckMessage, Done, Failed, to_plain
from core.engine.imports import keep_imports
from core.engine.without_torch import without_torch
from core.process.lifeline import open_pipes


def start_check() -> None:
    """Measure everything, with the settings in the first line of the commands."""
    wire, commands = open_pipes()
    settings = json.loads(commands.readline())
    try:
        with keep_imports():
            import torch  # noqa: F401
    except Exception as error:  # of any type: a missing library raises OSError
        lines = f"{type(error).__name__}: {error}".splitlines()
        _send(wire, Failed(without_torch(lines[0])))
        _send(wire, Done())
        return
    with keep_imports():
        from core.engine.machine_check.measurements import measure_all

    for measured in measure_all(settings["folder"], settings["full"]):
        _send(wire, measured)
    _send(wire, Done())


def _send(wire: BinaryIO, sent: CheckMessage) -> None:
    wire.write(json.dumps(to_plain(sent)).encode() + b"\n")


if __name__ == "__main__":
    start_check()
