"""The options that write a recording for other programs, and the files."""

from __future__ import annotations

import argparse
from collections.abc import Generator

from core.recording.exporters.chrome import write_chrome
from core.recording.exporters.perfetto import write_perfetto
from core.trace.trace import Trace

FORMATS = ("trace",)
MORE = " or --trace FILE"


def add_formats(parser: argparse.ArgumentParser) -> None:
    """Add the options of other programs' formats."""
    add = parser.add_argument
    add("--trace", metavar="FILE", help="for Perfetto and chrome://tracing: *.json, "
        "*.json.gz or *.pftrace")  # fmt: skip


def write_formats(trace: Trace, arguments: argparse.Namespace) -> None:
    """Write what the options ask for. Raises OSError, PlanError in one line."""
    if arguments.trace is not None:
        packed = arguments.trace.lower().endswith(".pftrace")
        _run((write_perfetto if packed else write_chrome)(trace, arguments.trace))


def _run(writing: Generator[float, None, None]) -> None:
    for _ in writing:
        pass
