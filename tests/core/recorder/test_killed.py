"""A job that is killed: all steps that it has completed are in its recording."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.recording.recording import open_recording

pytest.importorskip("torch")

STEPS = 5
PATIENCE_S = 60.0
TRAIN = """
import os, time
import torch
from torch import nn

class Stuck(nn.Linear):
    steps = 0
    def forward(self, x):
        if PLACE == "forward" and self.steps == STEPS:
            time.sleep(600)
        return super().forward(x)

print(os.getpid(), flush=True)
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
def test_a_killed_job_keeps_all_steps_that_it_completed(ranks, tmp_path, place, number):
    settings = f"PLACE = {place!r}\nSTEPS = {STEPS}\n"
    (tmp_path / "train.py").write_text(settings + TRAIN)
    with ThreadPoolExecutor(1) as thread:
        job = thread.submit(ranks.record, tmp_path, "runs", "train.py")
        try:
            end = time.monotonic() + PATIENCE_S
            while steps_in(tmp_path / "runs") != list(range(STEPS)) and time.monotonic() < end:
                assert not job.done()
                time.sleep(0.02)
        finally:
            os.kill(int((tmp_path / "printed-0.txt").read_text()), number)
        status, _ = job.result(PATIENCE_S)
    assert status == -number
    opened = open_recording(tmp_path / "runs")
    assert opened.trace.steps == list(range(STEPS))
    assert opened.trace.outcome is None
