"""Opening and saving recordings, with dialogs; problems are shown in the banner."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from core.errors import PlanError
from core.files import check_is_no_input
from core.message import N_, Text
from core.paths import RESOURCES
from core.recording.formats import TRACE_FORMATS, suffixes_of
from core.recording.recording import may_take_long
from core.recording.stream import Opened
from gui.app.dialogs import ProgressDialogs, ask_folder, ask_open, ask_save
from gui.app.faults import banner_text, faults_of
from gui.app.feature import Shell
from gui.app.jobs import Runner, Work
from gui.app.run import Run, opened_files
from gui.app.run_names import file_name
from gui.features.recordings.opening import OpeningStrip
from gui.look.core_texts import translated
from gui.look.text import join_clauses, problem_text, tr

RECORDINGS = N_("Recordings (*.arrow)")
AT_ONCE_S = 0.1  # seconds; a recording that takes longer is saved in slices


def open_filters() -> list[str]:
    """Return the filters of the dialogs that open files: recordings, traces, all files."""
    patterns = " ".join(f"*{suffix}" for suffix in suffixes_of(TRACE_FORMATS))
    traces = tr("Traces of other programs")
    return [tr(RECORDINGS), f"{traces} ({patterns})", tr("All files (*)")]


class Files:
    """Actions of the File menu. The methods `…_to` and `…_from` take a path and do not ask."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._session = shell.session
        self._settings = shell.settings
        self._window = shell.main_window
        self._banner = shell.banner
        self.opening = OpeningStrip()
        self.opening.opened.connect(self._take_opened)
        self.opening.failed.connect(self._take_failed)
        self.saving = Runner(self._window, "saving")
        self.progress = ProgressDialogs(self._window, self.saving)
        self.saving.done.connect(self._saved)
        self.saving.failed.connect(self._banner.say)
        self._coming: deque[Path] = deque()
        self._names: list[str] = []
        self._warnings: list[str] = []
        self._problems: list[str] = []

    def open(self) -> None:
        """Ask for recordings and show them."""
        ask_open(
            self._window,
            tr("Open recordings"),
            self._settings.folder,
            open_filters(),
            self.open_paths,
            several=True,
        )

    def open_folder(self) -> None:
        """Ask for the folder of a job's ranks and show it as one run."""
        title = tr("Open folder of ranks")
        start = self._settings.folder
        ask_folder(self._window, title, start, self.open_from)

    def open_from(self, path: Path) -> None:
        """Show a recording; if it is incomplete, show what it contains, with a warning.

        A large recording is opened in the background; a strip shows the progress.
        """
        self.open_paths([path])

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Show recordings, the last one in front; one message lists unreadable ones."""
        # Otherwise a large file in progress would, at its end, continue with these files.
        self.opening.cancel()
        self._coming = deque(paths)
        self._names = []
        self._warnings = []
        self._problems = []
        self._open_coming()

    def _open_coming(self) -> None:
        """Open the remaining files up to the first large one; `_take_opened` continues after it."""
        while self._coming:
            path = self._coming.popleft()
            if may_take_long(path):
                self.opening.open(path)
                return
            try:
                self._show_opened(path, *self._session.open(path))
            # A reader may raise anything for a damaged file; the next files are opened anyway.
            except Exception as error:
                self._problems.append(problem_text(error))
        self._show_progress()

    def _take_opened(self, path: Path, opened: Opened) -> None:
        self._show_opened(path, self._session.add_opened(path, opened), opened.warning)
        self._open_coming()

    def _take_failed(self, problem: str) -> None:
        self._problems.append(problem)
        self._open_coming()

    def _show_opened(self, path: Path, run: Run, warning: Text) -> None:
        # Not the folder of the samples, which belongs to the app: files are saved in this folder.
        if RESOURCES not in path.parents:
            self._settings.folder = str(path.parent)
        self._settings.remember(path)
        self._names.append(path.name)
        faults = banner_text(faults_of(run.trace), path)
        # Bookmarks are read here, so that one message contains all problems.
        texts = (translated(warning), faults, run.take_bookmarks())
        self._warnings += filter(None, texts)
        self._shell.show_run(run)

    def _show_progress(self) -> None:
        """Show one message about all files, opened or not."""
        problems = self._problems
        if len(problems) > 1:
            self._banner.say(
                tr(
                    "{n} of {count} files cannot be opened: {problems}",
                    n=len(problems),
                    count=len(problems) + len(self._names),
                    problems=join_clauses(problems),
                )
            )
        elif problems:
            self._banner.say(problems[0])
        elif self._warnings:
            self._banner.say(join_clauses(self._warnings), "warning")
        elif self._names:
            self._banner.hide()
            self._shell.note(tr("Opened {names}.", names=", ".join(self._names)))

    def save(self) -> None:
        """Ask for a file and save the run that is shown."""
        run = self._shell.run_shown
        if run is None:
            words = tr("There is no run to write yet: press Run, or open a recording.")
            self._banner.say(words, "info")
            return
        start = Path(self._settings.folder) / file_name(run)
        # This run, although another one may be shown before the user has named a file.
        save = partial(self._save_run, run)
        ask_save(self._window, tr("Save recording"), start, [tr(RECORDINGS)], save)

    def save_to(self, path: Path) -> None:
        """Save the run that is shown; a long one in slices, with a button to cancel."""
        run = self._shell.run_shown
        if run is not None:
            self._save_run(run, path)

    def _save_run(self, run: Run, path: Path) -> None:
        # The recording of the run may be overwritten, to store its bookmarks.
        inputs = opened_files(self._session.runs)
        if run.is_recording:
            inputs = [path for path in inputs if path != run.source]
        try:
            check_is_no_input(tr("Save recording"), path, inputs)
        except PlanError as error:
            self._banner.say(problem_text(error))
            return
        self.progress.text = tr("Saving {name}…", name=path.name)
        self.saving.start(_saved(run, path), AT_ONCE_S)

    def _saved(self, path: Path) -> None:
        self._settings.remember(path)
        self._settings.folder = str(path.parent)
        self._banner.hide()
        self._shell.note(tr("Saved {name}.", name=path.name))


def _saved(run: Run, path: Path) -> Work[Path]:
    """Save a run and return its path; if this is closed before its end, no file remains."""
    yield from run.saving(path)
    return path
