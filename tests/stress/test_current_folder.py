"""Neither a command nor the window runs a module of the current folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.paths import PROJECT_ROOT
from core.process.worker import MODULE
from tests.hostile_folder import NOTES, fill_with_modules, ran_modules
from tests.make_believe import record, specification
from tests.processes import family

pytest.importorskip("torch")

MAIN = (sys.executable, str(PROJECT_ROOT / "main.py"))
MODULE_OF_PYTHON = (sys.executable, "-m", "bubblescope")
SMALL = ("--devices", "2xcpu", "--batch", "8", "--width", "8", "--steps", "2")
JOB = """\
import torch
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
"""
QUICK = ((*MAIN, "summary", "run.arrow"), (*MODULE_OF_PYTHON, "summary", "run.arrow"))
ALL = (
    (*MAIN, "sql", "run.arrow", "FROM steps"),
    (*MAIN, "export", "run.arrow", "--image", "run.png", "--report", "run.html"),
    (*MAIN, "compare", "run.arrow", "run.arrow", "--image", "both.png"),
    (*MAIN, "run", "--strategy", "pipeline", *SMALL),
    (*MAIN, "run", "--strategy", "ddp", *SMALL),
    (*MAIN, "run", "--launcher", "torchrun", "--strategy", "ddp", *SMALL, "--record", "ranks"),
    (*MAIN, "calibrate", *SMALL, "--costs", "costs.json"),
    (*MAIN, "predict", "--costs", "costs.json"),
    (*MAIN, "lesson"),
    (*MAIN, "devices"),
    (*MAIN, "record", "--out", "job", "--", sys.executable, "../job.py"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "job.py").write_text(JOB)
    made = tmp_path / "here"
    made.mkdir()
    fill_with_modules(made)
    record(specification(steps=2), made / "run.arrow")
    return made


@pytest.mark.parametrize("words", QUICK)
def test_some_commands_run_no_module_of_the_current_folder(
    words: tuple[str, ...], folder: Path
) -> None:
    check(words, folder)


def test_no_command_runs_a_module_of_the_current_folder(folder: Path, stress_runs: int) -> None:
    if stress_runs == 1:
        pytest.skip("takes a minute: make stress")
    for words in ALL:
        check(words, folder)


def check(words: tuple[str, ...], folder: Path) -> None:
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=100, env=without_root()
    )
    assert ran_modules(folder) == "", words
    assert done.returncode in (0, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 0 or words[2] == "predict", done.stderr


@pytest.mark.parametrize("start", [MAIN, MODULE_OF_PYTHON])
def test_the_window_runs_no_module_of_the_current_folder(
    start: tuple[str, ...], folder: Path, stress_runs: int
) -> None:
    pytest.importorskip("PySide6")
    if stress_runs == 1 and start is not MAIN:
        pytest.skip("takes some seconds: make stress")
    variables = {**without_root(), "QT_QPA_PLATFORM": "offscreen", "HOME": str(folder.parent)}
    with subprocess.Popen([*start, "open", "run.arrow"], cwd=folder, env=variables) as window:
        try:
            wait_for_worker(window.pid, folder / NOTES)
        finally:
            window.send_signal(signal.SIGTERM)
    assert ran_modules(folder) == ""


def wait_for_worker(pid: int, notes: Path) -> None:
    """Wait until a window's worker has loaded NumPy; by then its other imports are done."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not notes.exists():
        for child in family(pid):
            try:
                words = Path(f"/proc/{child}/cmdline").read_text()
                maps = Path(f"/proc/{child}/maps").read_text()
            except OSError:
                continue
            if MODULE in words and "numpy" in maps:
                return
        time.sleep(0.05)
    assert notes.exists(), "the window started no worker"


def without_root() -> dict[str, str]:
    """Return the environment without PYTHONPATH, which makes the project importable anywhere."""
    return {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
