"""Is the window there at once, and does it answer while the engine keeps the cores busy?"""

import os
import subprocess
import sys
import time
from statistics import median

import numpy as np
import pytest

from bubblescope.cli.report import table
from core.paths import PROJECT_ROOT
from core.process.child import environment

ROUNDS = 9
START_LIMIT = 1.25
LATE_LIMIT_MS = 33

# Both print the clock when the window has been painted, the processor time that it took, and
# whether torch was imported by then.
# Only its exposure is watched: Python that hears of every event would be timed as well.
WATCH = """
import sys, time
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() != QEvent.Type.Expose:
            return False
        watched.removeEventFilter(self)
        QCoreApplication.sendEvent(watched, event)  # which paints
        now = time.perf_counter_ns(), time.process_time_ns()
        print(*now, "torch" in sys.modules, flush=True)
        QTimer.singleShot(0, QApplication.instance().closeAllWindows)
        return True
show = QMainWindow.show
def watched(window):
    window.winId()
    window.watch = Watch()
    window.windowHandle().installEventFilter(window.watch)
    show(window)
QMainWindow.show = watched
"""
EMPTY = f"""{WATCH}
import pyqtgraph
app = QApplication([])
window = QMainWindow()
window.setCentralWidget(pyqtgraph.PlotWidget())
window.show()
app.exec()
"""
OURS = f"""{WATCH}
import main
main.run_arguments([])
"""
# Two lanes with a core each, and the window's own timer measured against the clock.
BUSY = """
import sys, time
from PySide6.QtCore import QTimer, Qt
from PySide6.QtWidgets import QApplication
from core.engine.client import EngineClient
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from gui.app.session import Session
from gui.app.settings import Settings
from gui.window.window import MainWindow
app = QApplication([])
session = Session(EngineClient())
window = MainWindow(session, Settings())
window.show()
stamps = []
timer = QTimer(window, timerType=Qt.TimerType.PreciseTimer, interval=16)
def tick():
    trace = session.runs[-1].trace if session.runs else None
    if trace is not None and trace.span_count:
        stamps.append(time.perf_counter_ns())
    if len(stamps) > 1 and stamps[-1] - stamps[0] > 8e9:
        app.quit()
timer.timeout.connect(tick)
timer.start()
session.start()
model = ModelSettings("mlp", width=512, depth=8)
session.run(Specification(model=model, devices="2xcpu", batch=1024, steps=100_000))
app.exec()
print(*stamps)
print(session.runs[-1].trace.span_count)
session.close()
"""
# A user who presses Run as soon as the window is there, and again when that run has ended. Prints
# the clock at each press, and when the timeline has been painted with the first bar of the run.
FIRST_BARS = """
import sys, time
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication
from core.job.runs import RunLauncher
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from gui.app.session import Session
from gui.app.settings import Settings
from gui.window.window import MainWindow
app = QApplication([])
session = Session(RunLauncher())
window = MainWindow(session, Settings())
asked = Specification(model=ModelSettings("mlp", width=64), devices="4xvirtual", batch=64)
class FirstBar(QObject):
    waiting = False
    def eventFilter(self, watched, event):
        run = window.run_shown
        if self.waiting and event.type() == QEvent.Type.Paint and run is session.runs[-1]:
            if run.trace.span_count:
                self.waiting = False
                QTimer.singleShot(0, self.report)
        return False
    def report(self):
        print("bar", time.perf_counter_ns(), flush=True)
first_bar = FirstBar()
window.timeline.viewport().installEventFilter(first_bar)
def press():
    print("run", time.perf_counter_ns(), flush=True)
    first_bar.waiting = True
    session.run(asked)
def end(run):
    QTimer.singleShot(0, press if len(session.runs) == 1 else app.quit)
session.run_ended.connect(end)
window.show()
QTimer.singleShot(0, session.start)
QTimer.singleShot(0, press)
app.exec()
session.close()
"""
FIRST_BAR_ROUNDS = 3
FIRST_BAR_LIMIT_S = 30
"""Only a hang is longer: the figures themselves are for docs/figures.md."""


def settings(tmp_path):
    # Compiled modules are kept, as they are wherever the app is used a second time.
    given = {k: v for k, v in environment().items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**given, "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path),
            "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}  # fmt: skip


def start_ms(code, tmp_path):
    """From the start of the process to its window's first paint: elapsed and processor time."""
    before = time.perf_counter_ns()
    done = subprocess.run(
        [sys.executable, "-c", code], env=settings(tmp_path), cwd=PROJECT_ROOT, capture_output=True,
        text=True, check=True, timeout=30,
    )  # fmt: skip
    at, processor, torch = done.stdout.split()[:3]
    assert torch == "False", "the window imported torch"
    return (int(at) - before) / 1e6, int(processor) / 1e6


def test_the_window_is_there_within_one_and_a_quarter_times_an_empty_one(tmp_path):
    times = {"empty": [], "Bubblescope": []}
    for _ in range(ROUNDS):
        times["empty"].append(start_ms(EMPTY, tmp_path))
        times["Bubblescope"].append(start_ms(OURS, tmp_path))
    rows, ratios = [], []
    # On a busy machine the elapsed times say little; the processor times change less.
    for kind, name in enumerate(("elapsed", "processor")):
        medians = {}
        for window, rounds in times.items():
            ms = [measured[kind] for measured in rounds]
            medians[window] = median(ms)
            texts = [f"{value:.0f}" for value in (median(ms), min(ms), max(ms))]
            rows.append((window, name, *texts))
        ratios.append(medians["Bubblescope"] / medians["empty"])
    print("\n" + table(("window", "time", "median ms", "shortest", "longest"), rows))
    ratio, of_processor = ratios
    print(f"ratio {ratio:.2f} (limit {START_LIMIT}), of processor time {of_processor:.2f}")
    assert ratio <= START_LIMIT


def test_the_windows_timer_is_hardly_late_while_both_cores_are_busy(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", BUSY], env=settings(tmp_path), cwd=PROJECT_ROOT, capture_output=True,
        text=True, check=True, timeout=60,
    )  # fmt: skip
    stamps, spans = done.stdout.splitlines()[-2:]
    late = np.diff(np.array(stamps.split(), np.int64)) / 1e6 - 16
    p50, p95, worst = np.percentile(late, [50, 95, 100])
    print(
        f"\n16 ms timer over {len(late)} ticks and {spans} spans: "
        f"late by {p50:.1f} ms (median), {p95:.1f} (95th percentile), {worst:.1f} (worst)"
    )
    assert p95 <= LATE_LIMIT_MS


def first_bars_s(tmp_path):
    """Seconds from the launch, and from the second press of Run, to a painted bar."""
    before = time.perf_counter_ns()
    done = subprocess.run(
        [sys.executable, "-c", FIRST_BARS], env=settings(tmp_path), cwd=PROJECT_ROOT,
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    lines = [line.split() for line in done.stdout.splitlines()]
    bars = [int(at) for name, at in lines if name == "bar"]
    presses = [int(at) for name, at in lines if name == "run"]
    assert len(bars) == len(presses) == 2
    return (bars[0] - before) / 1e9, (bars[1] - presses[1]) / 1e9


@pytest.mark.timeout(600)
def test_the_first_bar_of_a_run_is_painted_soon_after_the_launch_and_after_a_press(tmp_path):
    times = [first_bars_s(tmp_path) for _ in range(FIRST_BAR_ROUNDS)]
    rows = []
    for name, seconds in zip(("launch", "a second run"), zip(*times, strict=True), strict=True):
        texts = [f"{value:.2f}" for value in (median(seconds), min(seconds), max(seconds))]
        rows.append((f"{name} to its first bar", *texts))
    print("\n" + table(("from", "median s", "shortest", "longest"), rows))
    assert max(map(max, times)) <= FIRST_BAR_LIMIT_S
