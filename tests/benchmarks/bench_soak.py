"""Live runs of the real engine in the real window, one after the other: does anything grow?

SOAK_MINUTES says for how long (30). By hand: python -m tests.benchmarks.bench_soak --minutes 3
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bubblescope.cli.report import table
from core.engine.client import EngineClient
from core.models.catalogue import ModelSettings
from core.paths import PROJECT_ROOT
from core.plan.specification import Specification
from core.process.child import environment
from tests.held import held, resident
from tests.processes import family

MINUTES = 30.0
BYTES_A_SPAN = 80  # what a span may take in the window
LIMIT_MIB_A_MINUTE = 1.0  # of both processes together, without the spans
SETTLED = 1 / 3  # of the time: caches and libraries have filled by then
SMALL = ModelSettings("mlp", width=64, depth=8)
RUNS = tuple(
    Specification(strategy, SMALL, "2xcpu", batch=32, steps=1000, **settings)
    for strategy, settings in (
        ("pipeline", {"schedule": "1f1b", "microbatches": 4}), ("dp", {}), ("mp", {}),
        ("pipeline", {"schedule": "gpipe", "microbatches": 8}), ("ddp", {}),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Look:
    """A sample: seconds since the start, MiB, and spans kept in the window."""

    seconds: float
    window_mib: float
    engine_mib: float
    spans: int
    runs: int

    @property
    def without_spans(self) -> float:
        """MiB of both processes, less what the spans may take."""
        return self.window_mib + self.engine_mib - self.spans * BYTES_A_SPAN / 2**20


def test_memory_stays_flat_and_nothing_is_left_over(tmp_path):
    minutes = float(os.environ.get("SOAK_MINUTES", MINUTES))
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.bench_soak", "--minutes", str(minutes)],
        cwd=PROJECT_ROOT, env={**environment(), "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True, text=True, timeout=60 * minutes + 300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    print("\n" + "\n".join(done.stdout.splitlines()[:-1]))
    assert told["runs"] >= len(RUNS), "too few runs to say anything"
    assert told["slope_mib_a_minute"] <= LIMIT_MIB_A_MINUTE
    assert told["after"] == told["before"]


def soak(minutes: float) -> dict[str, object]:
    """Run for so many minutes; returns the looks, what was held before and after, and more."""
    from PySide6.QtWidgets import QApplication

    app = QApplication([])
    runs_for(app, 0.0)  # whatever is loaded once and stays is loaded then
    before = held(app)
    looks = runs_for(app, minutes)
    return {
        "looks": [asdict(one) for one in looks], "runs": looks[-1].runs, "before": asdict(before),
        "after": asdict(held(app)), "slope_mib_a_minute": slope(looks),
    }  # fmt: skip


def runs_for(app: Any, minutes: float) -> list[Look]:
    """Runs for so many minutes, one at least, in a window that is closed then.

    There is a look after each run, while the engine waits.
    """
    from PySide6.QtCore import QTimer

    from gui.app.session import Session
    from gui.app.settings import Settings
    from gui.window.window import MainWindow

    looks: list[Look] = []
    client, began = EngineClient(), time.monotonic()
    session = Session(client)
    with tempfile.TemporaryDirectory() as folder:
        window = MainWindow(session, Settings(Path(folder) / "settings.ini"))
        window.show()

        def begin() -> None:
            session.run(RUNS[len(session.runs) % len(RUNS)])

        def end() -> None:
            spans = sum(run.trace.span_count for run in session.runs)
            sizes = (resident(os.getpid()), sum(map(resident, family(client.pid))))
            last = looks[-1].seconds if looks else 0.0
            looks.append(Look(time.monotonic() - began, *sizes, spans, len(session.runs)))
            if looks[-1].seconds // 60 > last // 60:
                print(words(looks[-1]), flush=True)
            if looks[-1].seconds < 60 * minutes:
                begin()
            else:
                app.quit()

        session.ready.connect(begin)
        session.run_ended.connect(lambda _: QTimer.singleShot(100, window, end))
        session.refused.connect(lambda text: (print(text), app.exit(1)))
        session.start()
        assert app.exec() == 0
        window.close()
        window.deleteLater()
    return looks


def slope(looks: list[Look]) -> float:
    """MiB a minute by which memory grows without the spans: a line through the last two thirds."""
    last = [one for one in looks if one.seconds >= SETTLED * looks[-1].seconds]
    minutes = np.array([one.seconds for one in last]) / 60
    return float(np.polyfit(minutes, [one.without_spans for one in last], 1)[0])


def words(look: Look) -> str:
    """A look in a line."""
    return (
        f"{look.seconds / 60:5.1f} min  {look.runs:4} runs  {look.spans:9,} spans  "
        f"window {look.window_mib:7.1f} MiB  engine {look.engine_mib:7.1f} MiB  "
        f"without spans {look.without_spans:7.1f} MiB"
    )


def main() -> None:
    """Soak, print a line a minute, and last the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=MINUTES)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    told = soak(parser.parse_args().minutes)
    rows = [(name, len(told["before"][name]) if name != "timers" else told["before"][name],
             len(told["after"][name]) if name != "timers" else told["after"][name])
            for name in ("threads", "timers", "files", "children")]  # fmt: skip
    print(table(("left over", "before", "after"), rows))
    print(f"slope {told['slope_mib_a_minute']:+.2f} MiB a minute without spans")
    print(json.dumps(told))


if __name__ == "__main__":
    main()
