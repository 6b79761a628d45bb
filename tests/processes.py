"""Processes, as tests look at them."""

from __future__ import annotations

import time
from pathlib import Path

from tests.forked import forked_for


def is_alive(pid: int) -> bool:
    """Return True if there is such a process, and it is not a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def children(pid: int) -> list[int]:
    """The processes that one has started itself, or that were forked for it."""
    found = forked_for(pid)
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == pid:
            found.append(int(stat.parent.name))
    return found


def family(pid: int) -> list[int]:
    """All that one has started, itself or through others, and the process itself."""
    return [pid, *(each for child in children(pid) for each in family(child))]


def wait_gone(pids: list[int], seconds: float = 10) -> None:
    """Wait until none of some processes is alive."""
    deadline = time.monotonic() + seconds
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline, f"still there: {list(filter(is_alive, pids))}"
        time.sleep(0.01)


def having(variable: str) -> list[int]:
    """The processes with a variable, written `NAME=value`, in the environment they started with."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            variables = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if variable.encode() in variables and is_alive(int(path.parent.name)):
            found.append(int(path.parent.name))
    return found
