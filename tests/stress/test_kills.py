"""Kills at random moments: the window reports them and keeps working, and no process is left.

Every moment is drawn from its own seed, which is part of the message of a failure.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from core.trace.header import Header

pytest.importorskip("torch")
pytest.importorskip("PySide6")

from core.engine.client import EngineClient
from core.engine.messages import EngineMessage, Outcome
from core.models.catalogue import ModelSettings
from core.paths import PROJECT_ROOT
from core.plan.specification import Specification
from core.predict.worker.service import PREDICTOR_ENDED
from core.process.child import environment
from core.recording.recording import open_recording
from core.recording.schema import RECORDS, Record
from gui.app.run import Run
from gui.app.settings import Settings
from gui.features.predict.feature import PredictFeature
from gui.features.predict.whatif_panel import WhatIfPanel
from gui.features.run.feature import RunFeature
from gui.window.window import MainWindow
from tests.gui.conftest import make_window, no_window_left, settings  # noqa: F401
from tests.processes import children, family, wait_gone

RUN_MS = 60_000
SMALL = ModelSettings("mlp", width=64, depth=4)
LONG = ModelSettings("mlp", width=256, depth=8)
LANES = (
    Specification("pipeline", LONG, "2xcpu", batch=128, steps=100_000, schedule="zb-h1"),
    Specification("dp", LONG, "2xcpu", batch=128, steps=100_000),
    Specification("pipeline", LONG, "2xcpu", batch=128, steps=100_000, schedule="1f1b"),
)
RANKS = (
    Specification("ddp", LONG, "2xcpu", batch=64, steps=100_000),
    Specification("fsdp", LONG, "2xcpu", batch=64, steps=100_000),
)
AGAIN = Specification(
    "pipeline", SMALL, "2xcpu", batch=32, steps=3, schedule="1f1b", calibrate=False
)
GONE_S = 30.0  # a child notices its parent's death only after importing torch
LATEST_S = 4.0  # latest moment of a kill after a start


class Counting(EngineClient):
    """The real client, which counts the spans that it has returned of the current run."""

    def __init__(self) -> None:
        super().__init__()
        self.spans = 0

    def poll(self) -> list[EngineMessage]:
        messages = super().poll()
        for message in messages:
            if isinstance(message, Header):
                self.spans = 0
            elif isinstance(message, pa.RecordBatch):
                self.spans += spans_in(message)
        return messages


def spans_in(batch: pa.RecordBatch) -> int:
    """Return the number of span records in a batch."""
    codes = batch["record"].indices.to_numpy(zero_copy_only=False)
    return int(np.count_nonzero(codes == RECORDS.index(Record.SPAN)))


@pytest.fixture
def engine():
    made = Counting()
    yield made
    made.close()


@pytest.fixture
def window(qtbot, make_window: Callable, engine: Counting, settings: Settings) -> MainWindow:  # noqa: F811
    """The real window on the real engine, ready."""
    made = make_window(engine, settings)
    with qtbot.waitSignal(made.session.ready, timeout=RUN_MS):
        made.session.start()
    return made


def press_run(window: MainWindow, specification: Specification) -> None:
    window.feature(RunFeature).form.set_specification(specification)
    window.action("run").trigger()
    assert window.session.asking


def wait_over(window: MainWindow, qtbot) -> None:
    """Wait until the window no longer waits for a run."""
    qtbot.waitUntil(lambda: not window.session.asking, timeout=RUN_MS)


def check_kept(window: MainWindow, engine: Counting, before: int, folder: Path) -> None:
    """Check that the killed run has all received spans, has failed, and can be saved."""
    assert window.banner.isVisible()
    assert window.banner.label.text() and "\n" not in window.banner.label.text()
    if len(window.session.runs) == before:  # killed before it began
        return
    run = window.session.runs[-1]
    assert run.outcome is Outcome.FAILED and run.trace.span_count == engine.spans
    run.save(folder / "kept.arrow")
    assert open_recording(folder / "kept.arrow").trace.span_count == engine.spans


def run_again(window: MainWindow, qtbot) -> Run:
    """Check that a small run in the same window has a span for every task of every step."""
    press_run(window, AGAIN)
    wait_over(window, qtbot)
    run = window.session.runs[-1]
    assert run.outcome is Outcome.FINISHED, run.text
    assert not window.banner.isVisible(), window.banner.label.text()
    tasks = len(next(iter(window.feature(RunFeature).form.result.plans.values())).tasks)
    assert run.trace.span_count == tasks * len(AGAIN.all_rows) and not run.trace.open_tasks
    return run


def test_a_killed_engine_is_reported_keeps_its_spans_and_is_replaced(
    window: MainWindow, engine: Counting, qtbot, tmp_path: Path, stress_runs: int
) -> None:
    for number in range(stress_runs):
        drawn = random.Random(f"engine {number}")
        before = len(window.session.runs)
        press_run(window, drawn.choice(LANES + RANKS))
        qtbot.wait(round(1000 * drawn.uniform(0, LATEST_S)))
        everyone = family(engine.pid)
        os.kill(engine.pid, signal.SIGKILL)
        wait_over(window, qtbot)
        wait_gone(everyone, GONE_S)
        assert "SIGKILL" in window.banner.label.text(), f"engine {number}"
        check_kept(window, engine, before, tmp_path)
        run_again(window, qtbot)


def test_a_killed_rank_is_reported_and_ends_the_others(
    window: MainWindow, engine: Counting, qtbot, tmp_path: Path, stress_runs: int
) -> None:
    for number in range(stress_runs):
        drawn = random.Random(f"rank {number}")
        before = len(window.session.runs)
        press_run(window, drawn.choice(RANKS))
        qtbot.waitUntil(lambda: len(children(engine.pid)) == 2, timeout=RUN_MS)
        ranks = children(engine.pid)
        qtbot.wait(round(1000 * drawn.uniform(0, LATEST_S)))
        os.kill(drawn.choice(ranks), signal.SIGKILL)
        wait_over(window, qtbot)
        wait_gone(ranks, GONE_S)
        check_kept(window, engine, before, tmp_path)
        assert "SIGKILL" in window.banner.label.text(), f"rank {number}"
        run_again(window, qtbot)


def test_a_killed_predictor_is_reported_and_the_next_question_starts_another(
    window: MainWindow, qtbot, stress_runs: int
) -> None:
    window.bring("try")
    panel, service = (
        window.feature(PredictFeature).what_if.panel,
        window.feature(PredictFeature).service,
    )
    qtbot.waitUntil(lambda: panel.picture.answer is not None, timeout=RUN_MS)
    for number in range(stress_runs):
        drawn = random.Random(f"predictor {number}")
        panel.sliders["devices"].value = drawn.choice([8, 16, 32, 64])
        panel.sliders["microbatches"].value = drawn.choice([32, 64, 128])
        qtbot.wait(drawn.randrange(600))
        killed = service.pid
        os.kill(killed, signal.SIGKILL)
        qtbot.waitUntil(lambda: str(PREDICTOR_ENDED)[1:] in panel.picture.note, timeout=RUN_MS)
        panel.sliders["devices"].value = asked = 3 + number % 2
        qtbot.waitUntil(lambda asked=asked: lanes_of_answer(panel) == asked, timeout=RUN_MS)
        assert service.pid != killed


def lanes_of_answer(panel: WhatIfPanel) -> int:
    """Return the number of lanes in the answer on screen."""
    answer = panel.picture.answer
    return 0 if answer is None else len(answer.first) - 1


def killed(command: list[str], folder: Path, drawn: random.Random, latest_s: float) -> None:
    """Start a program, kill it at a random moment, and wait until all its processes have ended."""
    temporary = folder / "temporary"
    temporary.mkdir()
    own = {"TMPDIR": str(temporary), "XDG_CONFIG_HOME": str(folder), "QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen(
        command, cwd=folder, env={**environment(), **own}, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        time.sleep(drawn.uniform(0, latest_s))
        assert process.poll() is None, process.stderr.read()
        everyone = family(process.pid)
        process.kill()
        wait_gone(everyone, GONE_S)
    # With the first optimizer, torch makes an empty folder for its compiler's cache and keeps it.
    assert {path.name.partition("_")[0] for path in temporary.iterdir()} <= {"torchinductor"}


def whole_spans(path: Path) -> int:
    """Return the number of spans in a recording's complete batches, read with only Arrow."""
    count = 0
    with pa.OSFile(str(path)) as file:
        try:
            reader = pa.ipc.open_stream(file)
            while True:
                count += spans_in(reader.read_next_batch())
        except (pa.ArrowInvalid, StopIteration, OSError):
            return count


def test_a_killed_command_leaves_a_recording_that_opens_and_nothing_else(
    tmp_path: Path, stress_runs: int
) -> None:
    for number in range(stress_runs):
        drawn, folder = random.Random(f"command {number}"), tmp_path / str(number)
        folder.mkdir()
        chosen = drawn.choice(LANES + RANKS)
        options = ["--strategy", chosen.strategy, "--devices", "2xcpu", "--batch", "64"]
        options += ["--model", "mlp", "--width", "256", "--steps", "100000", "--no-calibrate"]
        command = [sys.executable, str(PROJECT_ROOT / "main.py"), "run", *options]
        killed([*command, "--record", "run.arrow"], folder, drawn, 3 * LATEST_S)
        left = {path.name for path in folder.iterdir()} - {"temporary"}
        assert left <= {"run.arrow"}, f"command {number}"
        if left:
            opened = open_recording(folder / "run.arrow")
            assert opened.trace.span_count == whole_spans(folder / "run.arrow")


WINDOW = """
import sys
from PySide6.QtCore import QTimer
from gui.window import start as app
from gui.window import window
from gui.features.run.feature import RunFeature
from core.plan.specification import Specification
specification = Specification.from_dict({specification!r})
class Pressed(window.MainWindow):
    def __init__(self, *given):
        super().__init__(*given)
        self.feature(RunFeature).form.set_specification(specification)
        self.bring("try")
        self.session.ready.connect(lambda _: self.run())
app.MainWindow = Pressed
sys.exit(app.start([]))
"""


def test_a_killed_window_leaves_no_process_and_no_file(tmp_path: Path, stress_runs: int) -> None:
    for number in range(stress_runs):
        drawn, folder = random.Random(f"window {number}"), tmp_path / str(number)
        folder.mkdir()
        code = WINDOW.format(specification=drawn.choice(LANES + RANKS).to_dict())
        killed([sys.executable, "-c", code], folder, drawn, 3 * LATEST_S)
        left = {path.name for path in folder.rglob("*") if path.is_file()}
        # Qt writes settings to a file next to the old one, under a lock. A kill may leave both, and
        # the next program takes them over.
        left = {name for name in left if not name.startswith("bubblescope.conf")}
        assert not left, f"window {number}"
