"""A job that is killed: all steps that it has completed are in its recording."""

import os
import signal
import subprocess
import sys
import time

import pytest

from core.paths import PROJECT_ROOT
from core.process.child import environment
from core.recording.recording import open_recording

pytest.importorskip("torch")

STEPS = 5
PATIENCE_S = 60.0
TRAIN = """
import time
import torch
from torch import nn

class Stuck(nn.Linear):
    steps = 0
    def forward(self, x):
        if PLACE == "forward" and self.steps == STEPS:
            time.sleep(600)
        return super().forward(x)

model = nn.Sequential(nn.Linear(8, 8), Stuck(8, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(STEPS + 1):
    model(torch.ones(2, 8)).sum().backward()
    optimizer.step()
    model[1].steps += 1
    if PLACE == "own code" and model[1].steps == STEPS:
        time.sleep(600)
"""


def steps_in(folder):
    """Return the steps in a recording that is being written; none before its header is."""
    try:
        return open_recording(folder).trace.steps
    except (OSError, ValueError):
        return []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("place", ["forward", "own code"])
def test_a_killed_job_keeps_all_steps_that_it_completed(tmp_path, place, number):
    settings = f"PLACE = {place!r}\nSTEPS = {STEPS}\n"
    (tmp_path / "train.py").write_text(settings + TRAIN)
    # This command only starts Python, so that the signal goes to the job itself.
    site = PROJECT_ROOT / "core" / "recorder" / "site"
    variables = {"PYTHONPATH": str(site), "BUBBLESCOPE_RECORD": str(tmp_path / "runs")}
    command = [sys.executable, "train.py"]
    with subprocess.Popen(command, cwd=tmp_path, env={**environment(), **variables}) as job:
        try:
            end = time.monotonic() + PATIENCE_S
            while steps_in(tmp_path / "runs") != list(range(STEPS)) and time.monotonic() < end:
                assert job.poll() is None
                time.sleep(0.1)
        finally:
            os.kill(job.pid, number)
        assert job.wait(PATIENCE_S) == -number
    opened = open_recording(tmp_path / "runs")
    assert opened.trace.steps == list(range(STEPS))
    assert opened.trace.outcome is None
