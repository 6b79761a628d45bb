"""Holistic Trace Analysis reads the ranks that are written for it, and counts as we do.

Skipped where it is not installed (`pip install -e '.[hta]'`): it brings a hundred megabytes.
"""

import csv
import importlib.util
import os
import subprocess
import sys

import pytest

from core.explain.ranks import rank_times
from core.paths import RESOURCES
from core.recording.exporters.kineto import write_kineto
from core.recording.recording import open_recording

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("hta") is None, reason="Holistic Trace Analysis is not installed"
)
THEIRS = """
import sys
from hta.trace_analysis import TraceAnalysis
ranks = TraceAnalysis(trace_dir=sys.argv[1], include_last_profiler_step=True)
ranks.get_temporal_breakdown(visualize=False).to_csv(sys.argv[2], index=False)
"""
POINTS = 0.1
"""Of a hundredth: how far shares may be apart."""


@pytest.mark.parametrize("name", ["ddp-8-virtual-lanes", "1f1b-4-virtual-lanes"])
def test_its_shares_of_idle_and_compute_are_ours(tmp_path, name):
    trace = open_recording(RESOURCES / "recordings" / f"{name}.arrow").trace
    list(write_kineto(trace, tmp_path / "ranks"))
    # Else it rounds to whole microseconds.
    environment = {**os.environ, "HTA_DISABLE_NS_ROUNDING": "1"}
    told = tmp_path / "theirs.csv"
    command = [sys.executable, "-c", THEIRS, str(tmp_path / "ranks"), str(told)]
    subprocess.run(command, check=True, capture_output=True, env=environment, timeout=120)
    with told.open() as file:
        theirs = {int(float(row["rank"])): row for row in csv.DictReader(file)}
    ours = rank_times(open_recording(tmp_path / "ranks").trace)
    assert len(theirs) == len(ours) == int(name.split("-")[1])
    for rank, mine in enumerate(ours):
        shares = (mine.idle_ns, mine.compute_ns, mine.moving_ns)
        names = ("idle", "compute", "non_compute")
        for share, word in zip(shares, names, strict=True):
            said = float(theirs[rank][f"{word}_time_pctg"])
            assert said == pytest.approx(100 * share / mine.span_ns, abs=POINTS)
