"""The asynchronous test device detects every wait that is removed from the engine."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.device.build import ROOT, compiler, device_environment


def test_every_removed_wait_is_detected_and_the_unchanged_engine_passes(stress_runs: int) -> None:
    if stress_runs == 1:
        pytest.skip("tests/device has one wait of the table")
    if compiler() is None:
        pytest.skip("there is no C++ compiler")
    words = [sys.executable, "-W", "ignore", "-m", "tests.device.mutations", "--json"]
    for seed in range(min(stress_runs, 5)):
        ran = subprocess.run(
            words,
            env=device_environment(DEFERRED_SEED=str(seed)),
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        table = json.loads(ran.stdout.splitlines()[-1])
        for name, seen in table["untouched"].items():
            assert seen["races"] == [] and seen["error"] <= 1e-5, (name, seen)
        assert [row["name"] for row in table["mutations"] if not row["run"]] == []
