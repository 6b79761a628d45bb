"""A job of three ranks in three network namespaces, as on three hosts: its clocks' half-widths.

Skipped where namespaces cannot be made: it takes root and `ip` (iproute2).
"""

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack

import pytest

pytest.importorskip("torch")

from core.explain.arrivals import arrivals, sum_by_collective
from core.explain.run_step import explain_run_step
from core.paths import PROJECT_ROOT
from core.recording.recording import open_recording
from core.trace.event_rows import clock_uncertainty
from tests.core.recorder.test_job import example

RANKS = 3
NAME, BRIDGE = f"bubble{os.getpid()}", f"bb{os.getpid()}"


def ip(*words):
    subprocess.run(("ip", *words), check=True, capture_output=True)


def connected(stack):
    """Namespaces that a bridge connects, rank 0 at 10.77.0.1; or the test is skipped."""
    if shutil.which("ip") is None:
        pytest.skip("there is no `ip`")
    try:
        ip("link", "add", BRIDGE, "type", "bridge")
        stack.callback(ip, "link", "del", BRIDGE)
        ip("link", "set", BRIDGE, "up")
        for rank in range(RANKS):
            name, outer = f"{NAME}-{rank}", f"{BRIDGE}-{rank}"
            ip("netns", "add", name)
            stack.callback(ip, "netns", "del", name)
            ip("link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", outer, "master", BRIDGE, "up")
            ip("-n", name, "addr", "add", f"10.77.0.{rank + 1}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"namespaces cannot be made: {error.stderr.decode().strip()}")


def everywhere(tmp_path, words, environment):
    """Run a command in each namespace, where `{rank}` is its number; returns what each printed."""
    with ExitStack() as stack:
        connected(stack)
        ranks = [
            subprocess.Popen(
                ("ip", "netns", "exec", f"{NAME}-{rank}", sys.executable,
                 *(word.format(rank=rank) for word in words)),
                cwd=tmp_path, stdout=subprocess.PIPE, text=True,
                env={**os.environ, "PYTHONPATH": str(PROJECT_ROOT), "OMP_NUM_THREADS": "1",
                     "GLOO_SOCKET_IFNAME": "eth0", **environment, "RANK": str(rank)},
            )
            for rank in range(RANKS)
        ]  # fmt: skip
        printed = [rank.communicate(timeout=180)[0] for rank in ranks]
        assert [rank.returncode for rank in ranks] == [0] * RANKS
    return printed


def told(trace):
    print(f"\nclocks: half-width at most {clock_uncertainty(trace.clocks) / 1e3:.1f} us")
    for (name, _), clock in trace.clocks.items():
        print(f"  {name}: {max(clock.values) / 1e3:.1f} us")
    for one in sum_by_collective(
        one for n in trace.steps[1:] for one in arrivals(explain_run_step(trace, n))
    ):
        number = one.block if one.bucket is None else one.bucket
        print(f"  {one.kind} {number}: last {dict(one.last)} of {one.times}, "
              f"wait {one.wait_ns / one.times / 1e3:.0f} us, "
              f"transfer {one.transfer_ns / one.times / 1e3:.0f} us")  # fmt: skip


@pytest.mark.parametrize("job", ["ddp", "fsdp_checkpointing"])
def test_ranks_in_network_namespaces_stand_on_one_axis(tmp_path, job):
    (tmp_path / "train.py").write_text(example() if job == "ddp" else FSDP)
    variables = {
        "MASTER_ADDR": "10.77.0.1", "MASTER_PORT": "29511", "WORLD_SIZE": str(RANKS),
        "LOCAL_RANK": "0",
    }  # fmt: skip
    everywhere(tmp_path, ["train.py"], variables)
    opened = open_recording(tmp_path / "runs")
    assert opened.warning == "" and opened.trace.steps == list(range(6))
    told(opened.trace)


@pytest.mark.parametrize("strategy", [["ddp"], ["fsdp"], ["pipeline", "--schedule", "1f1b"]])
def test_strategies_run_under_torchrun_over_hosts(tmp_path, strategy):
    words = [
        str(PROJECT_ROOT / "main.py"), "run", "--launcher", "torchrun", "--nnodes", str(RANKS),
        "--node-rank", "{rank}", "--rdzv-endpoint", "10.77.0.1:29512", "--record", "runs",
        "--devices", f"{RANKS}xcpu", "--cores-per-lane", "1", "--model", "mlp", "--width", "512",
        "--depth", "12", "--batch", "480", "--steps", "5", "--verify", "--strategy", *strategy,
    ]  # fmt: skip
    printed = everywhere(tmp_path, words, {})
    print("\n" + printed[0])
    assert "verified: the run computed what a plain step does" in printed[0]
    trace = open_recording(tmp_path / "runs").trace
    assert len(trace.steps) == 6
    told(trace)


FSDP = """
import torch, torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.utils.checkpoint import checkpoint
from bubblescope import record


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(256, 256), nn.ReLU())

    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=False)


dist.init_process_group("gloo")
model = nn.Sequential(*(Block() for _ in range(6)))
for block in model:
    fully_shard(block)
fully_shard(model)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
with record(model, optimizer):
    for _ in range(6):
        optimizer.zero_grad()
        model(torch.randn(64, 256)).square().mean().backward()
        optimizer.step()
dist.barrier()
dist.destroy_process_group()
"""
