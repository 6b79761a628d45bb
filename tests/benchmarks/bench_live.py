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
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bubblescope.cli.report import table
from core.engine.client import EngineClient
from core.models.catalogue import ModelSettings
from core.paths import PROJECT_ROOT
from core.plan.specification import Specification
from core.process.child import environment

SECONDS, RATE = 60.0, 200_000
LIMIT_MS, LIMIT_BYTES, LIMIT_BEHIND_S = 33.0, 80.0, 0.5
STEPS = 20_000  # more than there will be: the run ends by time
ONE_STEP = Specification(
    "pipeline", ModelSettings("mlp", width=64, depth=16), "16xcpu", batch=64, schedule="1f1b",
    microbatches=16, steps=STEPS,
)  # fmt: skip


class Flood(EngineClient):
    """A client of the process that floods."""

    module = "tests.benchmarks.helpers.flood"


def test_200_000_spans_a_second_leave_frames_memory_and_view_alone(tmp_path):
    seconds = os.environ.get("LIVE_SECONDS", str(SECONDS))
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.bench_live", "--seconds", seconds],
        cwd=PROJECT_ROOT, env={**environment(), "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True, text=True, timeout=10 * float(seconds) + 120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    print("\n" + "\n".join(done.stdout.splitlines()[:-1]))
    assert told["spans"] >= 0.95 * RATE * float(seconds)
    assert told["frame_ms"] <= LIMIT_MS and told["late_ms"] <= LIMIT_MS
    assert told["bytes_a_span"] <= LIMIT_BYTES
    assert told["backlog_s"] <= LIMIT_BEHIND_S
    assert told["view_stayed"]


class Frames:
    """Times of frames: from the session's tick to the end of its painting.

    `took` is in ns by the clock, `computed` in ns of this thread's own time: without what other
    programs on the machine took.
    """

    def __init__(self, session: Any, timeline: Any) -> None:
        self.took: list[int] = []
        self.computed: list[int] = []
        self._began: tuple[int, int] | None = None
        tick, paint = session.tick, timeline.paintEvent
        session._timer.timeout.disconnect(tick)
        session._timer.timeout.connect(lambda: self._begin(tick))
        timeline.paintEvent = lambda event: self._end(paint, event)

    def _begin(self, tick: Callable[[], None]) -> None:
        self._began = now()
        tick()

    def _end(self, paint: Callable[[Any], None], event: Any) -> None:
        paint(event)
        if self._began is not None:
            took, computed = (one - other for one, other in zip(now(), self._began, strict=True))
            self.took.append(took)
            self.computed.append(computed)
        self._began = None


def now() -> tuple[int, int]:
    """The clock, and this thread's own time, in ns."""
    return time.perf_counter_ns(), time.thread_time_ns()


def measure(seconds: float, rate: float) -> dict[str, float]:
    """Flood the window; returns the figures."""
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtWidgets import QApplication

    from gui.app.session import Session
    from gui.app.settings import Settings
    from gui.window.window import MainWindow

    app = QApplication([])
    os.environ.update(FLOOD_RATE=str(rate), FLOOD_SECONDS=str(seconds))
    session = Session(Flood())
    with tempfile.TemporaryDirectory() as folder:
        window = MainWindow(session, Settings(Path(folder) / "settings.ini"))
    window.resize(1600, 900)
    window.show()

    frames, stamps, behind = Frames(session, window.timeline), [], [0.0]
    watch = QTimer(window, timerType=Qt.TimerType.PreciseTimer, interval=16)

    def look() -> None:
        if session.live is not None and session.live.trace.span_count:
            stamps.append(time.perf_counter_ns())
            behind.append(session.backlog_s)

    watch.timeout.connect(look)
    views = []

    def zoom() -> None:
        window.timeline.navigator.zoom_at(0.2, 700)
        views.append(window.timeline.state.viewport)

    session.run_started.connect(lambda _: QTimer.singleShot(int(300 * seconds), window, zoom))
    session.run_ended.connect(lambda _: QTimer.singleShot(500, app.quit))
    session.ready.connect(lambda _: QTimer.singleShot(500, window, begin))
    before = []

    def begin() -> None:
        before.append(resident())
        watch.start()
        session.run(ONE_STEP)

    session.start()
    app.exec()
    trace, after = session.runs[-1].trace, resident()
    figures = {
        "spans": trace.span_count,
        "steps": len(trace.steps),
        "frames": len(frames.took),
        "frame_median_ms": percentile(frames.took, 50),
        "frame_ms": percentile(frames.took, 95),
        "frame_longest_ms": percentile(frames.took, 100),
        "frame_cpu_ms": percentile(frames.computed, 95),
        "late_ms": percentile(np.diff(stamps) - 16e6, 95),
        "late_longest_ms": percentile(np.diff(stamps) - 16e6, 100),
        "bytes_a_span": (after - before[0]) / trace.span_count,
        "backlog_s": max(behind),
        "view_stayed": len(views) == 1 and window.timeline.state.viewport == views[0],
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
