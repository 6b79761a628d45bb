"""Delay of the What-if picture after a slider moves, at 64 devices and 256 micro-batches.

Each time is from a slider's move to the end of the paint that shows its answer, as a person would
see it; meanwhile a timer of 16 ms in the window's thread tells for how long that was blocked. The
window has a process of its own and paints without a display.
"""

import json
import subprocess
import sys

import numpy as np
import pytest

from bubblescope.cli.report import table
from core.paths import PROJECT_ROOT
from tests.benchmarks.bench_window import settings

LIMIT_MS = {"cost": 100, "structure": 250}  # another cost on the same plan, and another plan
BLOCK_LIMIT_MS = 60
WATCH = """
import json, sys, time
from PySide6.QtCore import QEventLoop, QTimer, Qt
from PySide6.QtWidgets import QApplication
from core.engine.client import EngineClient
from gui.widgets.answer_picture import AnswerPicture
from gui.app.session import Session
from gui.app.settings import Settings
from gui.widgets.layouts import bring
from gui.window.window import MainWindow

painted = []
paint = AnswerPicture.paintEvent
def watched(picture, event):
    paint(picture, event)
    painted.append((time.perf_counter(), picture.answer, picture._veiled))
    loop.quit()
AnswerPicture.paintEvent = watched
app = QApplication([])
loop = QEventLoop()
window = MainWindow(Session(EngineClient()), Settings())
window.show()
panel = window.bring("try").asked
rows = panel.sliders
stamps = []
timer = QTimer(window, timerType=Qt.TimerType.PreciseTimer, interval=16)
timer.timeout.connect(lambda: stamps.append(time.perf_counter()))

def rest(seconds):
    waiting = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), waiting.quit)
    waiting.exec()

def move(slider, to):
    "Milliseconds until the picture shows the answer to this move."
    before, began = panel.picture.answer, time.perf_counter()
    late = QTimer(singleShot=True, interval=30_000)
    late.timeout.connect(lambda: sys.exit(f"no picture within 30 s: {panel.picture.note}"))
    late.start()
    slider.setValue(to)
    while not (painted and painted[-1][1] is not before and painted[-1][0] > began
               and not painted[-1][2]):
        loop.exec()
    return 1e3 * (painted[-1][0] - began)

schedule = sys.argv[1]
panel.schedule.setCurrentIndex(panel.schedule.findData(schedule))
rest(1)
rows["devices"].value = 64
rows["microbatches"].value = 256
rest(3)
assert (panel.question.devices, panel.question.microbatches) == (64, 256)
tasks = panel.picture.answer.tasks
timer.start()
times = {"cost": [], "structure": []}
for n in range(40):
    times["cost"].append(move(rows["factor"].slider, 1 + n % 30))
    rest(0.05)
rows["factor"].value = 1.0
rest(0.5)
number = rows["microbatches"].number
for n in range(20):
    times["structure"].append(move(number, 240 + n * 2 if n != 8 else 239))
    rest(0.05)
for n in range(100):  # as fast as a mouse tells
    rows["microbatches"].slider.setValue(20 + n % 8)
    rest(0.016)
timer.stop()
print(json.dumps({"times": times, "stamps": stamps, "tasks": tasks}))
window.close()
"""


@pytest.mark.parametrize("schedule", ["1f1b", "zb-h1", "zb-v"])
def test_the_picture_follows_a_slider_within_a_tenth_or_a_quarter_of_a_second(schedule, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", WATCH, schedule],
        env=settings(tmp_path), cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    rows = []
    for name, times in told["times"].items():
        p50, p95, worst = np.percentile(times, [50, 95, 100])
        rows.append((name, len(times), f"{p50:.0f}", f"{p95:.0f}", f"{worst:.0f}"))
    late = 1e3 * np.diff(told["stamps"]) - 16
    print(f"\n{schedule}, 64 devices, 256 micro-batches, {told['tasks']:,} tasks")
    print(table(("slider", "moves", "median ms", "p95 ms", "longest ms"), rows))
    print(f"16 ms timer: longest block {late.max():.0f} ms, p95 {np.percentile(late, 95):.1f} ms")
    assert late.max() <= BLOCK_LIMIT_MS
    for name, times in told["times"].items():
        assert np.median(times) <= LIMIT_MS[name]
