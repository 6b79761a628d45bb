"""Drawing speed of the timeline: 16 lanes at 1600x900, from a hundred thousand spans on.

Every frame pans or zooms, and ends when the whole widget and what stands around it are painted.
FRAMES_SPANS lists other numbers of spans. From FROM_FILE on, spans are written to a recording that
is mapped through its index, in the temporary folder: a hundred million need 15 GB there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bubblescope.cli.report import table
from core.paths import PROJECT_ROOT
from core.process.child import environment
from tests.benchmarks.helpers.long_recording import write

COUNTS = [float(count) for count in os.environ.get("FRAMES_SPANS", "1e5 1e6 1e7").split()]
FROM_FILE = 3e7
LIMITS_MS = {1e7: 16.0, 1e8: 33.0}  # up to so many spans, of the 95th percentile
RATIO = 3.0  # of the times at 1e7 to those at 1e5
LIMIT_BYTES = 80.0
SHOWN = {"times": "memory lines and predictions under the lanes", "times alone": "spans alone"}


@pytest.fixture(scope="module", params=["offscreen", "xcb"])
def measured(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[float, dict]:
    """Return the output of timeline_frames for each number of spans, on a platform."""
    folder = tmp_path_factory.mktemp("frames")
    with display(request.param) as settings:
        told = {count: frames(count, folder, settings) for count in COUNTS}
    heads = ("spans", "zoom", "spans/px", "median ms", "p95", "max", "own p95")
    for name, words in SHOWN.items():
        rows = [
            (f"{found['spans']:,}", level, *(f"{value:.1f}" for value in figures.values()))
            for found in told.values()
            for level, figures in found[name].items()
        ]
        print(f"\n{request.param}, {words}\n" + table(heads, rows))
    return told


def test_frames_cost_what_their_pixels_cost(measured: dict[float, dict]) -> None:
    late = {
        (count, name, level): round(figures["p95"], 1)
        for count, found in measured.items()
        for name in SHOWN
        for level, figures in found[name].items()
        if figures["p95"] > next(limit for most, limit in LIMITS_MS.items() if count <= most)
    }
    assert not late
    if 1e5 in measured and 1e7 in measured:
        few, many = (list(measured[count]["times"].values()) for count in (1e5, 1e7))
        ratios = [b["median"] / a["median"] for a, b in zip(few, many, strict=True)]
        print("1e7 to 1e5:", *(f"{ratio:.2f}" for ratio in ratios))
        assert max(ratios) <= RATIO


def test_a_span_takes_at_most_eighty_bytes(measured: dict[float, dict]) -> None:
    for found in measured.values():
        parts = ", ".join(f"{name} {size:.1f}" for name, size in found["sizes"].items())
        print(f"{found['spans']:,} spans: bytes a span: {parts}; resident {found['resident']:.1f}")
        assert sum(found["sizes"].values()) <= LIMIT_BYTES


def frames(count: float, folder: Path, settings: dict[str, str]) -> dict:
    """Frame times over so many spans, in a process of its own."""
    what = f"{count:g}"
    path = folder / f"{count:g}.arrow"
    if count >= FROM_FILE:
        if not path.exists():
            write(path, int(count))
        what = str(path)
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.helpers.timeline_frames", what], cwd=PROJECT_ROOT,
        env={**environment(), **settings}, capture_output=True, text=True, timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@contextmanager
def display(platform: str) -> Iterator[dict[str, str]]:
    """The environment of a window on a platform; for xcb on an X server of its own."""
    if platform != "xcb":
        yield {"QT_QPA_PLATFORM": platform}
        return
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed")
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1920x1200x24", "-nolisten", "tcp"],
        pass_fds=(writing,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            number = told.readline().strip()
        yield {"QT_QPA_PLATFORM": "xcb", "DISPLAY": f":{number}"}
    finally:
        server.terminate()
        server.wait()
