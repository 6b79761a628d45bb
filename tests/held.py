"""Resources that a process holds, and must release."""

from __future__ import annotations

import gc
import os
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.processes import family


@dataclass(frozen=True, slots=True)
class Held:
    """Resources that a process must release: threads, timers, open files and child processes."""

    threads: list[str]
    timers: int
    files: list[str]
    children: list[str]

    def beyond(self, before: Held) -> Held:
        """Return what is held now and was not held before; something that ended since is no loss.

        A child of the first round may end much later, such as a worker that waits for more work.
        """
        return Held(
            _more(self.threads, before.threads),
            max(0, self.timers - before.timers),
            _more(self.files, before.files),
            _more(self.children, before.children),
        )


NOTHING = Held(threads=[], timers=0, files=[], children=[])


def _more(now: list[str], before: list[str]) -> list[str]:
    return sorted((Counter(now) - Counter(before)).elements())


def held(app: Any) -> Held:
    """Return what this process still holds after a clean-up; `app` is its QApplication."""
    from PySide6.QtCore import QTimer
    from shiboken6 import isValid

    settle(app)
    # isinstance asks the object, and some of torch answer with a warning.
    made = [one for one in gc.get_objects() if issubclass(type(one), QTimer) and isValid(one)]
    timers = [one for one in made if one.isActive()]
    links = (Path(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd"))
    files = sorted(os.readlink(link).split(":")[0] for link in links if link.is_symlink())
    children = [Path(f"/proc/{pid}/comm").read_text().strip() for pid in family(os.getpid())[1:]]
    return Held(sorted(t.name for t in threading.enumerate()), len(timers), files, sorted(children))


def settle(app: Any) -> None:
    """Let go of all that was deleted."""
    from PySide6.QtCore import QEvent

    for _ in range(3):
        gc.collect()
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        app.processEvents()


def resident(pid: int) -> float:
    """MiB of a process that are in memory; 0 if it is gone."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
