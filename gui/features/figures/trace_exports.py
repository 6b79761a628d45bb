"""Writes the run shown for other programs: Perfetto, Holistic Trace Analysis, Chakra."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from core.errors import PlanError
from core.files import check_folder
from core.message import N_
from core.trace.median_step import median_step, whole_steps
from core.trace.trace import Trace
from gui.app.dialogs import ProgressDialogs
from gui.app.feature import Shell
from gui.app.jobs import Runner, Work
from gui.features.figures.exporting import Exporting
from gui.look.text import problem_text, tr

PERFETTO = N_("Perfetto trace (*.pftrace)")
PACKED = N_("Chrome trace, packed (*.json.gz)")
JSON = N_("Chrome trace (*.json)")
Writing = Generator[float, None, None]


class TraceExports(QObject):
    """Writes traces for the File menu. The `…_to` methods take a path and do not ask.

    They write the run shown, or the `trace` that is given. Files are written on a thread. A live
    run is written as it was at the start of the export.
    """

    def __init__(self, shell: Shell, exporting: Exporting) -> None:
        window = shell.main_window
        banner = shell.banner
        super().__init__(window)
        self._exporting = exporting
        self._banner = banner
        self.runner = Runner(self, "trace")
        self.progress = ProgressDialogs(window, self.runner, tr("Writing the trace…"))
        self.runner.failed.connect(banner.say)
        self.runner.done.connect(exporting.done)

    def export_trace(self) -> None:
        """Ask for a file, and write all spans for Perfetto or chrome://tracing into it."""
        self._ask(tr("Export trace"), ".pftrace", (PERFETTO, PACKED, JSON), self.trace_to)

    def export_ranks(self) -> None:
        """Ask for a folder, and write a file for each rank, as PyTorch's profiler does."""
        self._ask(tr("Export ranks: name a new folder"), "-ranks", (), self.ranks_to)

    def export_chakra(self) -> None:
        """Ask for a folder, and write the median step's tasks and times for each rank."""
        self._ask(tr("Export execution traces: name a new folder"), "-chakra", (), self.chakra_to)

    def trace_to(self, path: Path, trace: Trace | None = None) -> None:
        """Write one file; the suffix sets the format."""
        # Imported here, not at start-up.
        from core.recording.exporters.chrome import write_chrome
        from core.recording.exporters.perfetto import write_perfetto

        write = write_perfetto if path.suffix.lower() == ".pftrace" else write_chrome
        self._write(path, write, trace)

    def ranks_to(self, path: Path, trace: Trace | None = None) -> None:
        """Write a folder for Holistic Trace Analysis."""
        from core.recording.exporters.kineto import write_kineto

        if self._is_new(path):
            self._write(path, write_kineto, trace)

    def chakra_to(self, path: Path, trace: Trace | None = None) -> None:
        """Write a folder of Chakra execution traces, of the run's median step."""
        from core.recording.exporters.chakra import write_chakra

        trace = trace or self._trace()
        if trace is None or not self._is_new(path):
            return
        steps = whole_steps(trace) if trace.header.source.has_plan else []
        if not steps:
            self._banner.say(
                tr("No whole step of a plan was recorded, so there is no graph to write.")
            )
            return
        write = partial(write_chakra, step=median_step(trace, steps))
        self._write(path, write, trace)

    def _ask(
        self, title: str, ending: str, kinds: Sequence[str], then: Callable[[Path, Trace], None]
    ) -> None:
        trace = self._trace()
        if trace is not None:
            # This trace, although another run may be shown before the user has named a file.
            offered = self._exporting.offered(ending)
            self._exporting.ask(title, offered, kinds, lambda path: then(path, trace))

    def _trace(self) -> Trace | None:
        scene = self._exporting.scene()
        return None if scene is None else scene.trace

    def _is_new(self, path: Path) -> bool:
        try:
            check_folder(tr("Export"), str(path))
        except PlanError as error:
            self._banner.say(problem_text(error))
            return False
        return True

    def _write(
        self, path: Path, write: Callable[[Trace, Path], Writing], trace: Trace | None
    ) -> None:
        try:
            self._exporting.check(path)
        except PlanError as error:
            self._banner.say(problem_text(error))
            return
        trace = trace or self._trace()
        if trace is not None:
            # A run without an outcome may still be live, and grow while the thread reads.
            still = trace.snapshot() if trace.outcome is None else trace
            self.runner.start(_work(still, path, write), thread=True)


def _work(trace: Trace, path: Path, write: Callable[[Trace, Path], Writing]) -> Work[Path]:
    """Write a trace; return its path."""
    yield from write(trace, path)
    return path
