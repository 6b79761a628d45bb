"""A command that is killed while it writes: the next command removes the file it has left."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.paths import PROJECT_ROOT
from core.process.child import environment
from tests.make_believe import record, specification

KILLED = f"""
import os, runpy, signal, sys

def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)

# Whatever has been written gets its name now.
os.replace = os.rename = kill
sys.path.insert(0, {str(PROJECT_ROOT)!r})
runpy.run_path({str(PROJECT_ROOT / "main.py")!r}, run_name="__main__")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    record(specification(steps=2), tmp_path / "own.arrow")
    return tmp_path


def export(folder: Path, *command: str) -> int:
    """Run `export own.arrow` and return its status."""
    words = [sys.executable, *command, "export", "own.arrow", "--table", "made.csv"]
    words += ["--kineto", "made"]
    return subprocess.run(words, cwd=folder, env=environment(), timeout=100).returncode


def test_leftovers_of_a_killed_export_are_removed_by_the_next_one(folder: Path) -> None:
    (folder / "other.part").write_text("kept")
    (folder / ".bubblescope-notes.part").write_text("kept")
    before = set(os.listdir(folder))
    assert export(folder, "-c", KILLED) == -signal.SIGKILL
    assert len(set(os.listdir(folder)) - before) == 1
    assert export(folder, str(PROJECT_ROOT / "main.py")) == 0
    assert set(os.listdir(folder)) == before | {"made.csv", "made"}
