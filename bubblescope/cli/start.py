"""Entry of the command line: runs a command, or opens the window."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bubblescope.cli.window import has_display, open_window

# Commands are imported when one is run, so that the window opens sooner.

HEADLESS_IMAGE = "bubblescope.png"


def run_arguments(arguments: Sequence[str]) -> int:
    """Run a command, or open the window if there are no arguments. Return the exit status."""
    if arguments or not has_display():
        return run_command(arguments)
    try:
        return open_window(None)
    except ValueError as error:
        return _refuse(error)


def run_command(arguments: Sequence[str]) -> int:
    """Run a command, or the default job if there is none. Return the exit status."""
    from bubblescope.api.interrupts import INTERRUPTED
    from bubblescope.api.running import RunError
    from bubblescope.cli.arguments import make_parser

    try:
        given = make_parser().parse_args(arguments)  # prints help, versions and completions itself
        if given.command is None and not given.install_desktop:
            print(
                "There is no display: running the default job without a window; "
                f"{HEADLESS_IMAGE} will show it."
            )
            return run_command(["run", "--image", HEADLESS_IMAGE])
        return _run(given) or 0
    except BrokenPipeError:  # the reader of the output has ended, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError, RunError, MemoryError) as error:
        return _refuse(error)
    except KeyboardInterrupt:
        print("bubblescope: interrupted", file=sys.stderr)
        return INTERRUPTED


def _refuse(error: Exception) -> int:
    """Print an error in one line, and return the exit status."""
    from bubblescope.cli.parser import BAD_INPUT
    from core.plain import error_text

    print(f"bubblescope: {error_text(error)}", file=sys.stderr)
    return BAD_INPUT


def _run(given: argparse.Namespace) -> int | None:
    """Run the command of parsed arguments. Return its exit status; None is 0."""
    from bubblescope.api.interrupts import ending_when_asked
    from bubblescope.cli import (
        asking,
        calibration,
        checking,
        commands,
        comparing,
        desktop,
        gating,
        job,
        lessons,
        prediction,
        pushing,
        slowness,
        sweeping,
    )

    if given.command == "open":
        return open_window(Path(given.recording))
    if given.command == "engine":  # ends when its standard input closes
        from core.engine.relay import relay

        return relay()
    if given.command == "record":  # not ended after five seconds, because the job may need longer
        return job.record_job(given)
    run: Callable[[argparse.Namespace], int | None] = {
        "": desktop.install,
        "devices": commands.print_devices,
        "check": checking.check_machine,
        "plan": commands.print_plan,
        "run": commands.run_strategy,
        "sweep": sweeping.sweep,
        "lesson": lessons.lesson,
        "predict": prediction.predict,
        "calibrate": calibration.calibrate_costs,
        "export": commands.export,
        "summary": commands.summarise_files,
        "slowdown": slowness.print_slowdown,
        "sql": asking.ask,
        "listen": job.listen,
        "push": pushing.push,
        "compare": comparing.compare_recordings,
        "gate": gating.gate_recordings,
    }["" if given.install_desktop else given.command]
    with ending_when_asked():
        return run(given)
