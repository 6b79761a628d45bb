"""Export to formats of other programs: the options and the writers."""

from __future__ import annotations

import argparse
from collections.abc import Generator

from core.errors import PlanError
from core.recording.exporters.chakra import write_chakra
from core.recording.exporters.chrome import write_chrome
from core.recording.exporters.kineto import write_kineto
from core.recording.exporters.perfetto import write_perfetto
from core.trace.median_step import median_step, whole_steps
from core.trace.trace import Trace

FORMATS = ("trace", "kineto", "chakra")
MORE = ", --trace FILE, --kineto FOLDER or --chakra FOLDER"


def add_formats(parser: argparse.ArgumentParser) -> None:
    """Add an option for each format."""
    add = parser.add_argument
    viewers = "trace for Perfetto and chrome://tracing: *.json, *.json.gz or *.pftrace"
    add("--trace", metavar="FILE", help=viewers)
    profiler = "traces in the format of PyTorch's profiler, for Holistic Trace Analysis"
    add("--kineto", metavar="FOLDER", help=profiler)
    plan = "the median step as Chakra execution traces, for ASTRA-sim"
    add("--chakra", metavar="FOLDER", help=plan)


def check_formats(trace: Trace, arguments: argparse.Namespace) -> None:
    """Raise PlanError in one line for a format that cannot hold the trace."""
    # A Chakra trace is a plan with times. Other programs record no plan, and the replay of an
    # incomplete step would never end.
    has_plan = trace.header.source.has_plan
    if arguments.chakra is not None and not (has_plan and whole_steps(trace)):
        raise PlanError(f"--chakra {arguments.chakra}: no whole step of a plan was recorded")


def write_formats(trace: Trace, arguments: argparse.Namespace) -> None:
    """Write the formats that the options name. Raises OSError or PlanError in one line."""
    if arguments.trace is not None:
        is_perfetto = arguments.trace.lower().endswith(".pftrace")
        write = write_perfetto if is_perfetto else write_chrome
        _run(write(trace, arguments.trace))
    if arguments.kineto is not None:
        _run(write_kineto(trace, arguments.kineto))
    if arguments.chakra is not None:
        step = median_step(trace, whole_steps(trace))
        _run(write_chakra(trace, arguments.chakra, step))


def _run(writing: Generator[float, None, None]) -> None:
    # Writers yield their progress for the window.
    for _ in writing:
        pass
