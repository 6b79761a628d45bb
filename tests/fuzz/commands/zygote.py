"""`python -m tests.fuzz.commands.zygote`: runs command lines, each in a process of its own.

Takes a line of JSON for each on standard input and answers with one on standard output. A command
line is run in one of two ways:

- as a program (`python main.py`, `python -m bubblescope`): a new interpreter;
- forked: this process has imported what commands import, and a child of it runs `main.py` by
  `runpy`, just as the installed command does (bubblescope/__main__.py). So there the arguments, the
  working folder, standard streams, signals, the exit status and the interpreter's end are those of
  a real process. What happens before `main.py` runs is not: the interpreter's start (its variables
  and closed standard streams) and the imports, which the quick start of the window rearranges. So
  `open` and these surroundings are tried as programs alone.

This process is the reaper of what commands leave behind (PR_SET_CHILD_SUBREAPER), so each process
that outlives its command is seen, also one with a session of its own. Linux only.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import runpy
import signal
import sys
import time
from pathlib import Path

from core.paths import PROJECT_ROOT

PR_SET_CHILD_SUBREAPER = 36
LEFT_SECONDS = 8.0
"""Time in s for a command's processes to end after it: children end with their parent's pipe."""
END_SECONDS = 8.0
"""Time in s for a command to end after a signal; its own limit is 5 s, see its interrupts.py."""
PROGRAMS = {
    "main": [sys.executable, str(PROJECT_ROOT / "main.py")],
    "module": [sys.executable, "-P", "-m", "bubblescope"],
}
FORKED = "forked"
PRELOADED = (
    "PySide6.QtSvg",
    "bubblescope.cli.arguments",
    "bubblescope.cli.asking",
    "bubblescope.cli.calibration",
    "bubblescope.cli.checking",
    "bubblescope.cli.commands",
    "bubblescope.cli.comparing",
    "bubblescope.cli.desktop",
    "bubblescope.cli.gating",
    "bubblescope.cli.job",
    "bubblescope.cli.lessons",
    "bubblescope.cli.prediction",
    "bubblescope.cli.pushing",
    "bubblescope.cli.slowness",
    "bubblescope.cli.start",
    "bubblescope.cli.sweeping",
    "core.sql.query_process",
    "gui.features.compare.picture",
    "gui.features.compare.report",
    "gui.features.sweep.picture",
    "gui.figures.make",
    "gui.report.run",
    "numpy.ma",
    "pyarrow.compute",
)


def preload() -> None:
    """Import what commands import, and nothing that starts a thread."""
    for name in PRELOADED:
        importlib.import_module(name)
    gc.freeze()  # the end of a process would go through all that is imported, and copy its memory


def serve() -> dict | None:
    """Run command lines until there are no more; None then. In a forked child return its task."""
    for line in sys.stdin:
        given = json.loads(line)
        pid = os.fork()
        if pid == 0:
            return given
        answer = watch(pid, given)
        print(json.dumps(answer), flush=True)
    return None


def watch(pid: int, given: dict) -> dict:
    """Wait for a command; its status, seconds, whether it was asked to end, and what it left.

    After `ask_s` seconds it gets the signal `ask`; END_SECONDS later it is killed, with a status of
    None.
    """
    began, asked_at, status = time.monotonic(), None, None
    while status is None:
        found, raw = os.waitpid(pid, os.WNOHANG)
        now = time.monotonic()
        if found:
            status = os.waitstatus_to_exitcode(raw)
        elif asked_at is None and now > began + given["ask_s"]:
            os.kill(pid, given["ask"])
            asked_at = now
        elif asked_at is not None and now > asked_at + END_SECONDS:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            break
        else:
            time.sleep(0.002)
    seconds = time.monotonic() - began
    asked_s = None if asked_at is None else round(began + seconds - asked_at, 2)
    return {"status": status, "seconds": round(seconds, 2), "asked_s": asked_s, "left": reap()}


def reap() -> list[str]:
    """Command lines of the processes that do not end in time, which are killed."""
    until = time.monotonic() + LEFT_SECONDS
    while time.monotonic() < until:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.005)
        except ChildProcessError:
            return []
    left = []
    mine = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    for child in map(int, mine.split()):
        left.append(Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")[:300])
        os.kill(child, signal.SIGKILL)
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return left


def become(given: dict) -> None:
    """Be the command: its folder, environment and standard streams; then its program."""
    os.setsid()
    os.chdir(given["folder"])
    for descriptor, place in enumerate(("stdin", "stdout", "stderr")):
        _redirect(descriptor, given[place])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    environment = {**os.environ, **given["environment"]}
    if given["entry"] in PROGRAMS:
        words = [*PROGRAMS[given["entry"]], *given["words"]]
        os.execve(words[0], words, environment)
    os.environ.update(environment)
    _fork_engines()
    absent = given.get("absent", "")
    if absent:
        assert absent not in sys.modules, f"{absent} is imported by what all commands import"
        sys.modules[absent] = None  # type: ignore[assignment]
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    sys.argv = ["bubblescope", *given["words"]]
    runpy.run_path(str(PROJECT_ROOT / "main.py"), run_name="__main__")


def _fork_engines() -> None:
    """Have engines forked where the process that forks them runs; see tests/forked.py."""
    from core.process.starts import ModuleStart
    from tests.forked import ADDRESS, begin

    if os.path.exists(os.environ.get(ADDRESS, "")):
        ModuleStart.begin = begin  # type: ignore[method-assign]


def _redirect(descriptor: int, place: str) -> None:
    """Lead a standard stream to a file, to a pipe that nobody reads (`broken`), or `closed`."""
    if place == "closed":
        os.close(descriptor)
        return
    if place == "broken":
        read, opened = os.pipe()
        os.close(read)
    else:
        flags = os.O_RDONLY if descriptor == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        opened = os.open(place, flags, 0o600)
    os.dup2(opened, descriptor)
    os.close(opened)


if __name__ == "__main__":
    preload()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # A forked child comes out of here, so that its interpreter ends as any does.
    task = serve()
    if task is not None:
        become(task)
