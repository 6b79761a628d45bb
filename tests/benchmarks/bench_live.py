"""Two hundred thousand spans a second for a minute, from another process, into the real window.

Spans, a counter for each of them and a line of the log for each step come through the stream that
an engine writes, and the session's timer drains them. By hand, for a shorter time:

    python -m tests.benchmarks.bench_live --seconds 10 --rate 200000
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from core.cli.report import table
from core.engine.client import HOUSE, EngineClient, environment
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification

SECONDS, RATE = 60.0, 200_000
LIMIT_MS, LIMIT_BYTES, LIMIT_BEHIND_S = 33.0, 80.0, 0.5
STEPS = 1_000_000  # more than there will be: the run ends by time
ONE_STEP = Specification(
    "pipeline", ModelSettings("mlp", width=64, depth=16), "16xcpu", batch=64, schedule="1f1b",
    microbatches=16, steps=STEPS,
)  # fmt: skip


class Flood(EngineClient):
    """A client of the process that floods."""

    module = "tests.benchmarks.flood"


def test_200_000_spans_a_second_leave_frames_memory_and_view_alone(tmp_path):
    seconds = os.environ.get("LIVE_SECONDS", str(SECONDS))
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.bench_live", "--seconds", seconds],
        cwd=HOUSE, env={**environment(), "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True, text=True, timeout=10 * float(seconds) + 120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    print("\n" + "\n".join(done.stdout.splitlines()[:-1]))
    assert told["spans"] >= 0.95 * RATE * float(seconds)
    assert told["frame_ms"] <= LIMIT_MS and told["late_ms"] <= LIMIT_MS
    assert told["bytes_a_span"] <= LIMIT_BYTES
    assert told["behind_s"] <= LIMIT_BEHIND_S
    assert told["view_stayed"]


def measure(seconds: float, rate: float) -> dict[str, float]:
    """Flood the window; returns the figures."""
    from PySide6.QtCore import QAbstractEventDispatcher, QEvent, QObject, Qt, QTimer
    from PySide6.QtWidgets import QApplication

    from gui.session import Session
    from gui.settings import Settings
    from gui.window import MainWindow

    app = QApplication([])
    os.environ.update(FLOOD_RATE=str(rate), FLOOD_SECONDS=str(seconds))
    session = Session(Flood())
    with tempfile.TemporaryDirectory() as folder:
        window = MainWindow(session, Settings(Path(folder) / "settings.ini"))
    window.resize(1600, 900)
    window.show()

    class Frames(QObject):
        """Busy stretches of the window's thread in which the timeline was painted, in ns."""

        began, painted = 0, False

        def __init__(self) -> None:
            super().__init__()
            self.took: list[int] = []
            dispatcher = QAbstractEventDispatcher.instance()
            dispatcher.awake.connect(self.wake)
            dispatcher.aboutToBlock.connect(self.block)
            window.timeline.viewport().installEventFilter(self)

        def wake(self) -> None:
            self.began = time.perf_counter_ns()

        def block(self) -> None:
            if self.painted and self.began:
                self.took.append(time.perf_counter_ns() - self.began)
            self.painted, self.began = False, 0

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            self.painted |= event.type() == QEvent.Type.Paint
            return False

    frames, stamps, behind = Frames(), [], [0.0]
    watch = QTimer(window, timerType=Qt.TimerType.PreciseTimer, interval=16)

    def look() -> None:
        if session.live is not None and session.live.trace.span_count:
            stamps.append(time.perf_counter_ns())
            behind.append(session.behind_s)

    watch.timeout.connect(look)
    views = []

    def zoom() -> None:
        window.timeline.zoom_at(0.2, 700)
        views.append(window.timeline.view)

    session.run_started.connect(lambda _: QTimer.singleShot(int(300 * seconds), window, zoom))
    session.run_ended.connect(lambda _: QTimer.singleShot(500, app.quit))
    session.ready.connect(lambda _: QTimer.singleShot(500, window, begin))
    before = []

    def begin() -> None:
        before.append(resident())
        frames.took.clear()
        watch.start()
        session.run(ONE_STEP)

    session.start()
    app.exec()
    trace, after = session.runs[-1].trace, resident()
    figures = {
        "spans": trace.span_count,
        "steps": len(trace.steps),
        "frames": len(frames.took),
        "frame_ms": percentile(frames.took, 95),
        "frame_median_ms": percentile(frames.took, 50),
        "frame_longest_ms": percentile(frames.took, 100),
        "late_ms": percentile(np.diff(stamps) - 16e6, 95),
        "late_longest_ms": percentile(np.diff(stamps) - 16e6, 100),
        "bytes_a_span": (after - before[0]) / trace.span_count,
        "behind_s": max(behind),
        "view_stayed": len(views) == 1 and window.timeline.view == views[0],
    }
    window.close()
    return figures


def percentile(times: object, q: float) -> float:
    """A percentile of times in ns, in ms."""
    return float(np.percentile(np.asarray(times), q)) / 1e6


def resident() -> int:
    """Bytes of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Measure, print a table, and last the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--rate", type=float, default=RATE)
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    figures = measure(options.seconds, options.rate)
    rows = [(name.replace("_", " "), f"{value:,.4g}" if isinstance(value, float) else f"{value:,}")
            for name, value in figures.items()]  # fmt: skip
    print(table((f"{options.rate:,.0f} spans a second for {options.seconds:g} s", ""), rows))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
