"""Actions of the cards under "Things to try"."""

from __future__ import annotations

from collections.abc import Callable

from gui.app.run import Run
from gui.features.bubbles.bubbles import Bubbles
from gui.features.compare.chooser import other_of
from gui.features.compare.comparing import Comparing
from gui.features.first_page.samples import DATA_PARALLEL, DISTRIBUTED, PIPELINE, preset
from gui.features.recordings.files import Files
from gui.features.run.queue import RunQueue


class FirstPageActions:
    """Performs an action of the first page by its name."""

    def __init__(
        self, queue: RunQueue, files: Files, bubbles: Bubbles, comparing: Comparing
    ) -> None:
        self._queue = queue
        self._files = files
        self._bubbles = bubbles
        self._comparing = comparing
        self._known: dict[str, Callable[[], None]] = {
            "schedules": self._run_schedules,
            "bubble": self._find_bubble,
            "parallel": self._compare_parallel,
        }

    def do(self, name: str) -> None:
        """Perform an action. Raises KeyError for an unknown name."""
        self._known[name]()

    def _run_schedules(self) -> None:
        self._queue.run([preset("gpipe"), preset("1f1b")], self._compare_first)

    def _compare_first(self, runs: list[Run]) -> None:
        """Compare the run that is shown with the first of the others."""
        shown = self._comparing.shown
        others = [run for run in runs if run is not shown]
        self._comparing.begin(other_of(others[0]))

    def _find_bubble(self) -> None:
        # Samples are small, so the sample is shown when this call returns.
        self._files.open_from(PIPELINE.path)
        self._bubbles.step(1)

    def _compare_parallel(self) -> None:
        self._files.open_from(DATA_PARALLEL.path)
        self._comparing.choice.open(DISTRIBUTED.path)
