"""Bubblescope: `python main.py` opens the window; `python main.py --help` lists the commands."""

from __future__ import annotations

import signal

if __name__ == "__main__":
    # Until there is something to clean up, a signal just ends the process: imports take a while.
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the window is there sooner without what commands need
    from core.compare.alignment import Alignment
    from core.compare.runs import TwoRuns
    from core.report.figure import FigureOptions
    from core.sweep.results import Results
    from core.trace.trace import Trace

HEADLESS_IMAGE = "bubblescope.png"


def main(arguments: list[str]) -> int:
    """Run a command or the window; returns the exit status."""
    if not arguments and has_display():
        return open_window(None)
    return run_command(arguments)


def run_command(arguments: list[str]) -> int:
    """Run a command, or the default job where there is none; returns the exit status."""
    from core.cli import asking, commands, comparing, desktop, job, lessons, prediction, sweeping
    from core.cli.arguments import BAD_INPUT, make_parser
    from core.cli.interrupts import INTERRUPTED, ending_when_asked
    from core.plain import error_text

    given = make_parser().parse_args(arguments)
    if given.command is None and not given.install_desktop:
        print(
            "There is no display: running the default job without a window; "
            f"{HEADLESS_IMAGE} will show it."
        )
        return run_command(["run", "--image", HEADLESS_IMAGE])
    try:
        if given.command == "open":
            return open_window(Path(given.recording))
        if given.command == "record":  # for as long as the job takes to end, however it is asked
            return job.record(given)
        with ending_when_asked():
            if given.install_desktop:
                print(*desktop.install_desktop(), sep="\n")
            elif given.command == "devices":
                commands.devices()
            elif given.command == "plan":
                commands.plan(given)
            elif given.command == "run":
                return commands.run(given, write_image)
            elif given.command == "sweep":
                return sweeping.sweep(given, write_sweep)
            elif given.command == "lesson":
                return lessons.lesson(given)
            elif given.command == "predict":
                prediction.predict(given, write_image)
            elif given.command == "calibrate":
                prediction.calibrate(given)
            elif given.command == "export":
                commands.export(given, write_image, write_report)
            elif given.command == "summary":
                commands.summarise_files(given)
            elif given.command == "sql":
                asking.ask(given)
            elif given.command == "listen":
                job.listen(given)
            elif given.command == "compare":
                comparing.compare(given, write_both, write_both_report)
    except BrokenPipeError:  # whoever read our output has had enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError, commands.RunError, MemoryError) as error:
        print(f"bubblescope: {error_text(error)}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("bubblescope: interrupted", file=sys.stderr)
        return INTERRUPTED
    return 0


def has_display() -> bool:
    """Whether a window can be shown."""
    if sys.platform in ("darwin", "win32") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_window(recording: Path | None) -> int:
    """Show the window, with a recording if one is given."""
    if not has_display():
        raise ValueError("there is no display to open a window on; `export` draws without one")
    from gui.window import quick_start

    quick_start.begin()
    from gui.window.start import start

    return start(sys.argv[:1], recording)


@contextmanager
def loading_qt() -> Iterator[None]:
    """Import what draws within: Qt's modules abort if they are interrupted while they load."""
    from core.cli.interrupts import holding_interrupts

    with holding_interrupts():
        import PySide6.QtSvg  # noqa: F401 - else it is loaded with the first drawing

        yield


def write_image(traces: Sequence[Trace], path: Path, options: FigureOptions) -> None:
    """Draw traces. Raises ValueError if they cannot be drawn."""
    with loading_qt():
        from gui.figures.make import write_figure

    write_figure(traces, path, options)


def write_sweep(results: Results, path: Path, theme: str) -> None:
    """Draw what a sweep has found. Raises ValueError if it cannot be drawn."""
    with loading_qt():
        from gui.sweep.picture import export_sweep

    export_sweep(results, path, theme)


def write_report(trace: Trace, path: Path) -> None:
    """Report on a trace as a page of HTML. Raises ValueError if it cannot be written."""
    with loading_qt():
        from gui.report.run import write_run_report

    write_run_report(trace, path)


def write_both(
    two: TwoRuns, traces: tuple[Trace, Trace], path: Path, alignment: Alignment, theme: str
) -> None:
    """Draw two runs on one axis. Raises ValueError if they cannot be drawn."""
    with loading_qt():
        from gui.compare.picture import Both, export_both

    export_both(Both(two, traces, alignment), path, theme)


def write_both_report(
    two: TwoRuns, traces: tuple[Trace, Trace], path: Path, alignment: Alignment, _: str
) -> None:
    """Report on two runs as a page of HTML. Raises ValueError if it cannot be written."""
    with loading_qt():
        from gui.compare.picture import Both
        from gui.compare.report import write_both_report

    write_both_report(Both(two, traces, alignment), path)


if __name__ == "__main__":
    from core.cli.streams import flushed, open_streams

    open_streams()
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = main(sys.argv[1:])
    except SystemExit as ended:  # help and version, and arguments that the parser refuses
        status = int(ended.code or 0)
    sys.exit(flushed(status))
