"""Real jobs in which one rank sleeps in one part of each step: the verdict names both."""

import json
import os
import re
import subprocess
import sys

import pytest

from core.paths import PROJECT_ROOT
from core.recording.recording import open_recording
from core.report.limits import Limit
from core.report.verdict import verdict

pytest.importorskip("torch")

MS = 1_000_000
KINDS = {
    "loader": Limit.DATA, "forward": Limit.BLOCK, "backward": Limit.BLOCK,
    "update": Limit.UPDATE, "host": Limit.HOST, "logging": Limit.HOST,
}  # fmt: skip
JOB = """
import contextlib, json, sys, time
import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Dataset

way, _, meets = sys.argv[1].partition("+")
faults = sys.argv[2].split(",")
torch.set_num_threads(1)
dist.init_process_group("gloo")
is_slow = dist.get_rank() == 1
fault, slept = "", []

def late(part):
    if is_slow and part == fault:
        begun = time.perf_counter()
        time.sleep(0.02)
        slept.append(time.perf_counter() - begun)

class Rows(Dataset):
    def __len__(self):
        return 16 * 20
    def __getitem__(self, index):
        if index % 16 == 0:
            late("loader")
        return torch.full((64,), index / 400), torch.ones(8)

class Back(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1
    @staticmethod
    def backward(ctx, gradient):
        late("backward")
        return gradient

class Slow(nn.Linear):
    def forward(self, x):
        late("forward")
        return Back.apply(super().forward(x))

class SGD(torch.optim.SGD):
    def step(self, closure=None):
        late("update")
        return super().step(closure)

def meet():
    if meets == "all_reduce":
        for _ in range(2):  # such as the loss, and the number of its tokens
            dist.all_reduce(torch.zeros(1))
    elif meets == "broadcast":
        dist.broadcast(torch.zeros(1), 0)
    elif meets == "barrier":
        dist.barrier()

model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), Slow(128, 128), nn.Linear(128, 8))
if way in ("ddp", "zero"):
    model = nn.parallel.DistributedDataParallel(model)
else:
    from torch.distributed.fsdp import fully_shard
    for block in (model[0], model[2], model[3], model):
        fully_shard(block)
optimizer = SGD(model.parameters(), lr=0.01)
if way == "zero":
    from torch.distributed.optim import ZeroRedundancyOptimizer
    optimizer = ZeroRedundancyOptimizer(model.parameters(), SGD, lr=0.01)
times = {}
for fault in faults:
    slept.clear()
    recording = contextlib.nullcontext()
    if len(sys.argv) < 4:
        from bubblescope import record
        recording = record(model, optimizer, out=fault)
    with recording:
        for x, target in DataLoader(Rows(), 16):
            late("host")
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), target).backward()
            optimizer.step()
            late("logging")
            meet()
    times[fault] = sorted(slept)[len(slept) // 2] if slept else 0.0
if is_slow:
    json.dump(times, open("slept.json", "w"))
dist.destroy_process_group()
"""


def script(folder, sleep=0.02):
    """Write the job into a folder. A fault takes `sleep` seconds."""
    (folder / "train.py").write_text(JOB.replace("time.sleep(0.02)", f"time.sleep({sleep})"))


def slept_in(folder):
    return json.loads((folder / "slept.json").read_text())


def check(folder, fault, slept):
    opened = open_recording(folder)
    assert opened.warning == "" and opened.trace.steps == list(range(20))
    found = verdict(opened.trace)
    if not slept:
        assert not found.where.startswith("rank"), found.text
        return
    assert (found.kind, found.where) == (KINDS[fault], "rank 1"), found.text
    # All ranks wait for the one that sleeps, and lose what it does.
    assert 0.5 * slept < found.loss_ns / 1e9 < 1.6 * slept, found.text
    if found.kind is Limit.BLOCK:
        # torch derives a class of its own for what it shards.
        assert re.search(rf"the {fault} pass of block (FSDP)?Slow 2 ", str(found.text)), found.text


@pytest.mark.parametrize(
    ("count", "way", "faults"),
    [
        (2, "ddp", ["none", *KINDS]),
        (3, "fsdp", ["none", "loader", "backward", "update", "host"]),
        # Where ranks meet after the update, as trainers do, the others wait there.
        (2, "ddp+all_reduce", ["update", "logging"]),
        (2, "ddp+broadcast", ["update", "logging"]),
        (2, "ddp+barrier", ["update", "logging"]),
        # The ranks send each other the parameters that they have updated.
        (2, "zero", ["update"]),
    ],
)
def test_a_rank_that_sleeps_is_named_with_the_part_that_it_sleeps_in(
    ranks, tmp_path, count, way, faults
):
    script(tmp_path)
    ranks.run(tmp_path, count, "train.py", way, ",".join(faults))
    slept = slept_in(tmp_path)
    for fault in faults:
        check(tmp_path / fault, fault, slept[fault])


def test_a_rank_that_is_slow_inside_a_backward_of_ddp_is_named_with_the_amount(ranks, tmp_path):
    # Long, so that what else the machine does is little beside it.
    script(tmp_path, sleep=0.2)
    ranks.run(tmp_path, 2, "train.py", "ddp", "backward")
    slept_ms = 1000 * slept_in(tmp_path)["backward"]
    found = verdict(open_recording(tmp_path / "backward").trace)
    said = re.search(
        r"Rank 1 is a straggler: the backward pass of block Slow 2 takes ([\d.]+) ms "
        r"\(other ranks: [\d.]+ (µs|ms)\), which costs ([\d.]+) ms",
        str(found.text),
    )
    assert said is not None, found.text
    assert float(said[1]) == pytest.approx(slept_ms, rel=0.05)
    assert float(said[3]) == pytest.approx(slept_ms, rel=0.15)
    # No other rank than the slow one is named.
    assert str(found.text).count("Rank ") == 1 and "waiting for rank 1" in str(found.text)


def test_a_fault_is_named_in_a_job_that_a_command_records(tmp_path):
    script(tmp_path)
    record = (sys.executable, str(PROJECT_ROOT / "main.py"), "record", "--out", "runs", "--")
    torchrun = (sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2")
    job = ("train.py", "ddp", "update", "bare")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT_ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*record, *torchrun, *job],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    check(tmp_path / "runs", "update", slept_in(tmp_path)["update"])


PIPELINE = """
import sys, time
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.pipelining import PipelineStage, Schedule1F1B
from torch.nn.parallel import DistributedDataParallel

from bubblescope import record

fault = sys.argv[1]
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicas", "stages"))

def late(part):
    if rank == 1 and part == fault:
        time.sleep(0.01)

class Slow(nn.Linear):
    def forward(self, x):
        late("forward")
        return super().forward(x)

part = DistributedDataParallel(
    nn.Sequential(Slow(64, 64), nn.Tanh()), process_group=mesh["replicas"].get_group()
)
stage = PipelineStage(part, rank % 2, 2, torch.device("cpu"), group=mesh["stages"].get_group())
schedule = Schedule1F1B(stage, 4, loss_fn=nn.functional.mse_loss)
optimizer = torch.optim.SGD(part.parameters(), lr=0.1)
x = torch.ones(16, 64)
with record(part, optimizer, "runs"):
    for _ in range(12):
        optimizer.zero_grad()
        schedule.step(x) if rank % 2 == 0 else schedule.step(target=x)
        optimizer.step()
        for _ in range(4):
            late("host")
dist.destroy_process_group()
"""


@pytest.mark.parametrize(("fault", "kind"), [("forward", Limit.BLOCK), ("host", Limit.HOST)])
def test_a_slow_stage_is_named_though_others_wait_in_a_backward_pass_or_to_send(
    ranks, tmp_path, fault, kind
):
    (tmp_path / "train.py").write_text(PIPELINE)
    ranks.run(tmp_path, 4, "train.py", fault)
    found = verdict(open_recording(tmp_path / "runs").trace)
    assert (found.kind, found.where) == (kind, "rank 1"), found.text
    # It sleeps for 40 ms in a step.
    assert 20 * MS < found.loss_ns < 60 * MS
