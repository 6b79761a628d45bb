"""One trace of a million events, in the window and in the viewers that people use for such traces.

Time to the first picture, and of frames while zooming near the full extent; each viewer in a
process of its own, one after the other, in one run. `sh tests/benchmarks/peers/fetch.sh DIR`
fetches the viewers; then `BUBBLESCOPE_PEERS=DIR make bench ARGS=tests/benchmarks/bench_peers.py`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bubblescope.cli.report import table
from core.paths import PROJECT_ROOT

EVENTS = 1_000_000
FIRST_LIMIT_MS = 1200  # aimed at on two free cores
HERE = Path(__file__).resolve().parent / "peers"
MODULE = "tests.benchmarks.peers"
OURS, TRACING, SPEEDSCOPE, VITE = "Bubblescope", "chrome://tracing", "speedscope", "ViTE"


@pytest.fixture
def peers() -> Path:
    folder = os.environ.get("BUBBLESCOPE_PEERS")
    if folder is None:
        pytest.skip("BUBBLESCOPE_PEERS names no folder that tests/benchmarks/peers/fetch.sh made")
    return Path(folder)


def told(command: list[object], **environment: str) -> dict[str, float]:
    """Return a viewer's printed figures: ms to the first picture, and of its frames."""
    done = subprocess.run(
        [str(part) for part in command], cwd=PROJECT_ROOT, text=True, check=True,
        stdout=subprocess.PIPE, env={**os.environ, **environment},
    )  # fmt: skip
    values = json.loads(done.stdout.splitlines()[-1])
    frames = values["times"] or [np.nan]
    median, p95, longest = np.percentile(frames, [50, 95, 100]).tolist()
    first = np.nan if values["first"] is None else values["first"]  # not shown in time
    return {"first": first, "median": median, "p95": p95, "max": longest}


def test_a_million_events_are_seen_sooner_and_zoomed_faster_than_elsewhere(peers, tmp_path):
    trace, paje = tmp_path / "trace.json", tmp_path / "trace.paje"
    subprocess.run([sys.executable, HERE / "make_trace.py", str(EVENTS), trace, paje], check=True)
    browser = [peers / "venv" / "bin" / "python", HERE / "drive.py", peers, trace]
    quiet = {"QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path)}
    found = {
        OURS: told([sys.executable, "-m", f"{MODULE}.ours", trace], **quiet),
        TRACING: told([*browser, "tracing"]),
        SPEEDSCOPE: told([*browser, "speedscope"]),
        VITE: told([sys.executable, "-m", f"{MODULE}.vite", paje]),
    }
    ours = found[OURS]
    rows = [
        (name, *(f"{value:.0f}" for value in figures.values()),
         f"{figures['first'] / ours['first']:.1f}", f"{figures['p95'] / ours['p95']:.1f}")
        for name, figures in found.items()
    ]  # fmt: skip
    header = (f"{EVENTS:,} events", "first picture ms", "frame ms", "p95", "max",
              "first / ours", "p95 / ours")  # fmt: skip
    print("\n" + table(header, rows))
    print(f"a first picture within {FIRST_LIMIT_MS} ms: {ours['first'] <= FIRST_LIMIT_MS}")
    for name in (TRACING, SPEEDSCOPE):
        assert ours["first"] < found[name]["first"], name
    assert not found[VITE]["first"] <= ours["first"], VITE
    for name in (TRACING, SPEEDSCOPE):
        assert ours["p95"] < found[name]["p95"], name
