"""A job whose layers are divided by DTensor: its collectives, and which rank it waits for."""

import json

import numpy as np
import pytest

from core.explain.causes import CAUSES, Cause
from core.explain.explanation import cause_totals
from core.explain.run_step import explain_run_step
from core.recording.recording import open_recording
from core.report.summary import summarise

pytest.importorskip("torch")

MS = 1_000_000
JOB = """
import contextlib, json, time
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import (
    ColwiseParallel, RowwiseParallel, parallelize_module,
)
from bubblescope import record

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(64, 128), nn.Linear(128, 64)
    def forward(self, x):
        time.sleep(0.02 * dist.get_rank())
        return self.second(self.first(x).relu())

def train(recorded):
    torch.manual_seed(0)
    model = nn.Sequential(Block(), Block())
    for block in model:
        plan = {"first": ColwiseParallel(), "second": RowwiseParallel()}
        parallelize_module(block, mesh, plan)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    with record(model, optimizer, "runs") if recorded else contextlib.nullcontext():
        for _ in range(4):
            optimizer.zero_grad()
            loss = model(torch.ones(8, 64)).sum()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses

dist.init_process_group("gloo")
mesh = init_device_mesh("cpu", (2,))
losses = [train(False), train(True)]
if dist.get_rank() == 0:
    json.dump(losses, open("losses.json", "w"))
dist.destroy_process_group()
"""


@pytest.mark.alone
def test_a_rank_that_waits_for_a_collective_of_dtensor_does_not_compute_meanwhile(ranks, tmp_path):
    (tmp_path / "train.py").write_text(JOB)
    ranks.run(tmp_path, 2, "train.py")
    plain, recorded = json.loads((tmp_path / "losses.json").read_text())
    assert plain == recorded
    trace = open_recording(tmp_path / "runs").trace
    for met in summarise(trace).collectives_over_steps:
        assert met.kind == "all-reduce" and next(iter(met.last)) == "rank 1"
    totals = np.array([cause_totals(explain_run_step(trace, step))[:2] for step in (1, 2, 3)])
    idle = np.median(totals, axis=0)
    # Rank 1 sleeps for 20 ms in each of two blocks.
    assert idle[0, CAUSES.index(Cause.SLOWEST_RANK)] > 30 * MS
    assert idle[0, CAUSES.index(Cause.HOST)] < 5 * MS
    assert idle[1].sum() < 15 * MS
