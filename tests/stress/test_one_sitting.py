"""Many runs, sweeps and recordings in one session of the window.

The process must not leak: after each round everything is closed, and there are no more threads,
descriptors, timers, temporary files and child processes than after the first round. Memory is
checked if there are enough rounds.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("PySide6")

from PySide6.QtWidgets import QApplication

from core.engine.client import EngineClient
from core.engine.messages import Outcome
from core.models.catalogue import ModelSettings
from core.paths import PROJECT_ROOT
from core.plan.specification import Specification
from gui.features.recordings.feature import RecordingsFeature
from gui.features.run.feature import RunFeature
from gui.features.runs.feature import RunsFeature
from gui.features.sweep.feature import SweepFeature
from gui.window.window import MainWindow
from tests.gui.conftest import (  # noqa: F401
    engine,
    make_window,
    no_window_left,
    real_window,
    settings,
)
from tests.held import NOTHING, Held, held, resident
from tests.make_believe import record, specification
from tests.processes import family

ROUNDS = 10
"""Rounds of `make stress`: with its 50 runs, 150 runs, 40 sweeps and 300 recordings in all."""
MOST_MIB = 24.0
"""Limit in MiB for the growth of memory from the third round, after the warm-up, to the last."""
WAIT_MS = 120_000
TINY = ModelSettings("mlp", width=16, depth=4)
RUNS = (
    Specification("pipeline", TINY, "2xvirtual", batch=8, steps=3, calibrate=False),
    Specification("dp", TINY, "2xcpu", batch=8, steps=3, calibrate=False),
    Specification("ddp", TINY, "2xvirtual", batch=8, steps=2, calibrate=False),
)


@dataclass(frozen=True, slots=True)
class Round:
    """Numbers of runs, sweeps and recordings in a round."""

    runs: int
    sweeps: int
    recordings: int


@pytest.fixture
def recordings(tmp_path: Path) -> list[Path]:
    """Recordings of each kind: our own, a truncated one, an imported trace, a folder of ranks."""
    folder = tmp_path / "recordings"
    folder.mkdir()
    record(specification(steps=3), folder / "pipeline.arrow")
    record(specification("dp", steps=3), folder / "dp.arrow")
    (folder / "cut.arrow").write_bytes((folder / "dp.arrow").read_bytes()[:9000])
    shutil.copytree(PROJECT_ROOT / "tests" / "data" / "two-ranks", folder / "ranks")
    return [*sorted(folder.iterdir()), folder / "ranks" / "rank-0.json.gz"]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for temporary files of this process and its children."""
    made = tmp_path / "temporary"
    made.mkdir()
    monkeypatch.setenv("TMPDIR", str(made))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield made


def make_runs(window: MainWindow, qtbot, count: int) -> None:
    for number in range(count):
        window.feature(RunFeature).form.set_specification(RUNS[number % len(RUNS)])
        window.action("run").trigger()
        qtbot.waitUntil(lambda: not window.session.asking, timeout=WAIT_MS)
        assert window.session.runs[-1].outcome is Outcome.FINISHED, window.banner.label.text()


def make_sweeps(window: MainWindow, qtbot, count: int) -> None:
    panel = window.feature(SweepFeature).sweeping.panel
    for number in range(count):
        window.feature(RunFeature).form.set_specification(RUNS[0])
        window.action("sweep").trigger()
        panel.option.setCurrentIndex(panel.option.findData("split_size"))
        panel.values.setText(f"{1 + number % 4},8")
        panel.references.setChecked(False)
        panel.repeat.setValue(1)
        panel.button.click()
        assert window.feature(SweepFeature).sweeping.running, panel.problem.text()
        qtbot.waitUntil(lambda: not window.feature(SweepFeature).sweeping.running, timeout=WAIT_MS)
        assert len(window.feature(SweepFeature).sweeping.results.measured) == 2


def open_and_save(window: MainWindow, qtbot, paths: list[Path], count: int, folder: Path) -> None:
    """Open recordings in turn; save some of them, and delete the saved file."""
    for number in range(count):
        path, before = paths[number % len(paths)], len(window.session.runs)
        window.feature(RecordingsFeature).files.open_from(path)
        qtbot.waitUntil(lambda before=before: len(window.session.runs) == before + 1)
        if number % 6 == 5:
            saved = folder / "saved.arrow"
            window.feature(RecordingsFeature).files.save_to(saved)
            qtbot.waitUntil(
                lambda: not window.feature(RecordingsFeature).files.saving.running, timeout=WAIT_MS
            )
            saved.unlink()


def close_all(window: MainWindow) -> None:
    for run in list(window.session.runs):
        window.feature(RunsFeature).menu.remove(run)


def test_a_session_of_many_runs_sweeps_and_recordings_leaks_nothing(
    real_window: MainWindow, engine: EngineClient, qapp: QApplication, qtbot,  # noqa: F811
    recordings: list[Path], temporary: Path, tmp_path: Path, stress_runs: int,
) -> None:  # fmt: skip
    rounds = ROUNDS if stress_runs > 1 else 2
    share = stress_runs / rounds
    size = Round(round(3 * share) or 2, round(0.8 * share) or 1, round(6 * share) or 6)
    seen: list[tuple[Held, float]] = []
    for _ in range(rounds):
        began = time.monotonic()
        make_runs(real_window, qtbot, size.runs)
        make_sweeps(real_window, qtbot, size.sweeps)
        open_and_save(real_window, qtbot, recordings, size.recordings, tmp_path)
        close_all(real_window)
        qtbot.wait(200)
        mib = resident(os.getpid()) + sum(map(resident, family(engine.pid)))
        seen.append((held(qapp), mib))
        left = [path.name for path in temporary.iterdir() if "torchinductor" not in path.name]
        assert left == []
        print(f"{size}: {time.monotonic() - began:.1f} s, {told(*seen[-1])}")
    # A timer for a last refresh may still be running.
    first, _ = seen[0]

    def nothing_more() -> None:
        assert held(qapp).beyond(first) == NOTHING

    qtbot.waitUntil(nothing_more, timeout=20_000)
    if rounds == ROUNDS:
        assert seen[-1][1] - seen[2][1] <= MOST_MIB


def told(now: Held, mib: float) -> str:
    return (
        f"{len(now.threads)} threads, {len(now.files)} descriptors, {now.timers} timers, "
        f"{len(now.children)} children, {mib:.1f} MiB"
    )
