"""Tests that measure time have the machine for themselves."""

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from core.paths import PROJECT_ROOT

CHILD = """
import sys
from pathlib import Path
from tests.alone import turn_to_run
folder, name = Path(sys.argv[1]), sys.argv[2]
with turn_to_run(folder, name == "alone"):
    with (folder / "log").open("a") as log:
        log.write(name + " begins\\n")
    print(flush=True)
    sys.stdin.readline()
    with (folder / "log").open("a") as log:
        log.write(name + " ends\\n")
"""


@pytest.fixture
def started(tmp_path: Path):
    """Start a process that takes its turn and ends when a line is written to it."""
    children = []

    def start(name: str) -> subprocess.Popen:
        command = [sys.executable, "-c", CHILD, str(tmp_path), name]
        pipe = subprocess.PIPE
        child = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=PROJECT_ROOT)
        children.append(child)
        return child

    yield start
    for child in children:
        child.kill()
        child.communicate()


def test_a_test_that_is_to_run_alone_waits_and_is_not_overtaken(started, tmp_path):
    first, second = started("first"), started("second")
    first.stdout.readline()
    second.stdout.readline()
    alone = started("alone")
    wait_until_held(tmp_path / "turn")
    last = started("last")
    first.communicate("\n")
    second.communicate("\n")
    alone.stdout.readline()
    alone.communicate("\n")
    last.communicate("\n")
    log = (tmp_path / "log").read_text().splitlines()
    assert sorted(log[:2]) == ["first begins", "second begins"]
    assert log[2:] == [
        "first ends",
        "second ends",
        "alone begins",
        "alone ends",
        "last begins",
        "last ends",
    ]


def wait_until_held(path: Path) -> None:
    """Return once another process holds the lock of a file."""
    with path.open("a+") as file:
        while True:
            try:
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            fcntl.lockf(file, fcntl.LOCK_UN)
