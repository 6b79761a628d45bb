"""The full check of this machine, on its CPUs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.paths import PROJECT_ROOT

LIMIT_SECONDS = 600


def test_a_full_check_writes_recordings_tables_and_pictures_into_one_folder(
    stress_runs: int, tmp_path: Path
) -> None:
    if stress_runs == 1:
        pytest.skip("a full check takes minutes")
    pytest.importorskip("torch")
    words = [sys.executable, "-m", "bubblescope", "check", "--full", "--folder", str(tmp_path)]
    ran = subprocess.run(
        words, cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
    )
    assert ran.returncode in (0, 1), ran.stderr  # 1 if other programs disturb this machine
    assert (tmp_path / "check.txt").read_text() == ran.stdout
    checks = json.loads((tmp_path / "check.json").read_text())["checks"]
    by_kind: dict[str, list[dict[str, object]]] = {}
    for line in checks:
        by_kind.setdefault(line["measured"], []).append(line)
    for kind in ("GradientError", "SpanOrder"):
        assert len(by_kind[kind]) >= 18
        assert {line["verdict"] for line in by_kind[kind]} == {"yes"}
    assert len(by_kind["PeerStep"]) == 2
    recordings = sorted(path.stem for path in tmp_path.glob("*.arrow"))
    assert len(recordings) == len(by_kind["GradientError"])
    launched = [f"torchrun-pipeline-{schedule}-2xcpu" for schedule in ("1f1b", "gpipe")]
    pictures = {path.stem for path in tmp_path.glob("*.svg")}
    assert pictures == {*recordings, *launched}
    runs = (tmp_path / "runs.txt").read_text().splitlines()
    assert len(runs) == 1 + len(pictures)
    assert list(tmp_path.glob("profiler-*.json"))
