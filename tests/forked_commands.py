"""Commands, forked from a process that has made their imports.

The interpreter's start and the imports take longer than all else that most commands of tests do.
The process that forks is that of the fuzzer of commands; tests/fuzz/commands/zygote.py says how a
forked command differs from a started one. The tests of how a command starts, is interrupted or is
killed start it as users do.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import forked
from tests.fuzz.commands.drive import Zygote
from tests.fuzz.commands.zygote import FORKED

LIMIT_SECONDS = 100.0
CAN_FORK = sys.platform == "linux" and importlib.util.find_spec("PySide6") is not None
"""True if the process that forks can run here; elsewhere all commands are started."""


class ForkedCommands:
    """Runs commands, one after the other. The process that forks starts with the first one."""

    def __init__(self) -> None:
        self._zygote: Zygote | None = None

    def run(
        self, folder: Path, words: Sequence[str], absent: str = "", seconds: float = LIMIT_SECONDS
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in a folder, to its end; it may leave no process behind.

        The module `absent` cannot be imported. A command that takes longer than `seconds` is
        killed, and has no status. With the fixture `forked_engines` its engine is forked, too.
        """
        if not CAN_FORK:
            return run_started(folder, words, absent, seconds)
        if self._zygote is None:
            self._zygote = Zygote()
        task = {"folder": str(folder), "entry": FORKED, "absent": absent}
        return run_forked(self._zygote, words, task, seconds)

    def close(self) -> None:
        """End the process that forks."""
        if self._zygote is not None:
            self._zygote.close()


def run_started(
    folder: Path, words: Sequence[str], absent: str = "", seconds: float = LIMIT_SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run a command as `ForkedCommands.run` does, in a new interpreter."""
    with TemporaryDirectory() as site:
        if absent:
            missing = f"import sys\nsys.modules[{absent!r}] = None\n"
            (Path(site) / "sitecustomize.py").write_text(missing)
        return subprocess.run(
            [*forked.MAIN, *words],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": site},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )


def run_forked(
    zygote: Zygote, words: Sequence[str], task: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run words in a process that is forked, to its end; it may leave no process behind."""
    with TemporaryDirectory() as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        more = {
            "words": list(words),
            "ask": signal.SIGKILL,
            "ask_s": seconds,
            "environment": {"PYTHONPATH": "", **os.environ},
            "stdin": os.devnull,
            "stdout": str(out),
            "stderr": str(err),
        }
        answer = zygote.run({**task, **more})
        assert answer["left"] == []
        return subprocess.CompletedProcess(
            list(words), answer["status"], out.read_text(), err.read_text()
        )


@contextlib.contextmanager
def forked_commands() -> Iterator[ForkedCommands]:
    """Context in which commands are run; no process is left after it."""
    made = ForkedCommands()
    try:
        yield made
    finally:
        made.close()
