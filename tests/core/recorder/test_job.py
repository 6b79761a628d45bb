"""Jobs of several ranks: their recordings read as one run, and the documents' example."""

import json
import os
import re
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from core.errors import RecordingError
from core.explain.arrivals import arrivals, sum_by_collective
from core.explain.causes import CAUSES, Cause
from core.explain.explanation import cause_totals
from core.explain.run_step import explain_run_step
from core.paths import PROJECT_ROOT
from core.recording.recording import open_recording
from core.report.summary import summarise
from core.trace.event_rows import clock_uncertainty
from tests.core.recorder.made import MS, grouped_ranks, two_ranks

pytest.importorskip("torch")


def test_ranks_are_on_rank_0s_clock_and_compute_lanes_are_first(tmp_path):
    two_ranks(tmp_path, (7_000_000_000_000_123, 7_000_000_000_000_123))
    opened = open_recording(tmp_path)
    trace = opened.trace
    assert opened.warning == "" and trace.steps == [0, 1, 2]
    assert [lane.name for lane in trace.header.lanes[:2]] == ["rank 0", "rank 1"]
    assert [lane.serves for lane in trace.header.lanes] == [0, 1, 0, 0, 0, 1, 1, 1]
    assert trace.spans(0).start.tolist() == trace.spans(1).start.tolist()
    assert clock_uncertainty(trace.clocks, 1) == 90


def test_between_both_comparisons_a_clock_is_taken_to_drift_evenly(tmp_path):
    two_ranks(tmp_path, (10**15, 10**15 + 1000))
    trace = open_recording(tmp_path).trace
    gone = trace.spans(1).start - trace.spans(0).start
    assert np.abs(gone - trace.spans(0).start * 1000 / (100 * MS)).max() <= 1


def test_the_wait_for_the_last_rank_of_a_collective_is_separate_from_the_transfer(tmp_path):
    two_ranks(tmp_path)
    trace = open_recording(tmp_path).trace
    totals = cause_totals(explain_run_step(trace, 1))
    cause = {CAUSES[n]: int(ns) for n, ns in enumerate(totals[0]) if ns}
    between = {Cause.BETWEEN_STEPS: 5 * MS}
    assert cause == {Cause.SLOWEST_RANK: MS, Cause.COLLECTIVE: 2 * MS} | between
    cause = {CAUSES[n]: int(ns) for n, ns in enumerate(totals[1]) if ns}
    assert cause == {Cause.COLLECTIVE: 2 * MS} | between


def test_each_collective_has_its_last_ranks_with_counts_its_wait_and_its_transfer(tmp_path):
    two_ranks(tmp_path)
    trace = open_recording(tmp_path).trace
    (met,) = sum_by_collective(
        one for step in (1, 2) for one in arrivals(explain_run_step(trace, step))
    )
    assert (met.kind, met.times, met.last) == ("all-reduce", 2, ((1, 2),))
    assert (met.wait_ns, met.transfer_ns) == (2 * MS, 4 * MS)


def test_only_a_rank_that_is_later_than_the_clocks_error_is_said_to_be_last(tmp_path):
    two_ranks(tmp_path)
    explanation = explain_run_step(open_recording(tmp_path).trace, 1)  # rank 1 is late by 1 ms
    assert arrivals(explanation, 0.9 * MS)[0].last == ((1, 1),)
    [met] = arrivals(explanation, MS)
    assert (met.last, met.times, met.wait_ns) == ((), 1, MS)


def test_of_ranks_that_arrive_together_none_is_last(tmp_path):
    grouped_ranks(tmp_path, [0, 2, 2, 2], ["all"] * 4)
    [met] = arrivals(explain_run_step(open_recording(tmp_path).trace, 1))
    assert (met.last, met.wait_ns) == ((), 2 * MS)


def test_the_summary_names_the_process_group_of_each_collective(tmp_path):
    grouped_ranks(tmp_path, [1, 0, 0, 2.5], ["ranks 0, 2", "ranks 1, 3"] * 2)
    values = json.loads(summarise(open_recording(tmp_path).trace).to_json())
    found = [(each["kind"], each["group"]) for each in values["collectives_over_steps"]]
    assert sorted(found) == [("all-reduce", "ranks 0, 2"), ("all-reduce", "ranks 1, 3")]


def test_ranks_wait_for_those_of_their_own_process_group_alone(tmp_path):
    grouped_ranks(tmp_path, [1, 0, 0, 2.5], ["ranks 0, 2", "ranks 1, 3"] * 2)
    explanation = explain_run_step(open_recording(tmp_path).trace, 1)
    waited = cause_totals(explanation)[:4, CAUSES.index(Cause.SLOWEST_RANK)]
    assert waited.tolist() == [0, 2.5 * MS, MS, 0]
    # The first ranks of both groups arrive at the same time.
    assert {met.last: met.wait_ns for met in arrivals(explanation)} == {
        ((0, 1),): MS,
        ((3, 1),): 2.5 * MS,
    }


def test_steps_that_a_rank_lacks_are_left_out_and_counted(tmp_path):
    two_ranks(tmp_path, steps=(range(4), range(1, 3)))
    opened = open_recording(tmp_path)
    assert opened.trace.steps == [1, 2]
    assert "2 steps are not in every rank's file: they are left out" in str(opened.warning)
    assert "clocks were not compared for rank-1.arrow" in str(opened.warning)


@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_that_was_killed_before_it_sent_anything_leaves_a_run_without_steps(tmp_path, rank):
    two_ranks(tmp_path)
    (tmp_path / f"rank-{rank}.arrow").write_bytes(b"")
    opened = open_recording(tmp_path)
    assert opened.trace.steps == [] and "steps are not in every rank's file" in str(opened.warning)
    assert summarise(opened.trace).verdict is None


@pytest.mark.parametrize("clocks", ["compared", "unknown"])
def test_each_cut_file_of_a_job_is_named_once_and_without_its_folder(tmp_path, clocks):
    two_ranks(tmp_path, (10, 20) if clocks == "compared" else (0, 0), outcome="finished")
    for rank in (0, 1):
        path = tmp_path / f"rank-{rank}.arrow"
        path.write_bytes(path.read_bytes()[:-120])
    warning = str(open_recording(tmp_path).warning)
    assert str(tmp_path) not in warning
    assert [warning.count(f"rank-{rank}.arrow") for rank in (0, 1)] == [1, 1]
    assert warning.count("was cut: it is shown up to its last whole batch, 9 spans") == 2
    assert ("its clock was not compared" in warning) is (clocks == "unknown")


def test_a_folder_without_ranks_is_refused_in_one_line(tmp_path):
    with pytest.raises(
        RecordingError, match=r"no file in it ends in .* or is called rank-\*\.arrow"
    ):
        open_recording(tmp_path)
    (tmp_path / "rank-0.arrow").write_text("nothing")
    with pytest.raises(RecordingError, match=r"rank-0\.arrow is not a recording"):
        open_recording(tmp_path)


def run(folder, *words):
    """Run a command in a folder that has modules named as the house's are."""
    for name in ("core", "gui"):
        (folder / f"{name}.py").write_text("mine = True")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT_ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def example():
    page = (PROJECT_ROOT / "docs" / "job.md").read_text()
    return re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]


def test_the_documents_example_is_seen_with_all_its_ranks(tmp_path):
    slow = "import core\nassert core.mine\nimport os, time\n" + example().replace(
        "nn.ReLU()", "Late()"
    ).replace(
        "model = ",
        "class Late(nn.ReLU):\n    def forward(self, x):\n"
        "        time.sleep(0.03 * dist.get_rank())\n        return super().forward(x)\n"
        "model = ",
    )
    (tmp_path / "train.py").write_text(slow)
    torchrun = (sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2")
    run(tmp_path, *torchrun, "train.py")
    opened = open_recording(tmp_path / "runs")
    trace = opened.trace
    assert opened.warning == "" and trace.outcome == "finished"
    assert trace.steps == list(range(6))
    moved = [span for span in trace if span.kind.is_collective and span.step == 1]
    assert {span.lane for span in moved} <= {3, 4, 6, 7}
    assert sum(span.bytes for span in moved) == 2 * 4 * (64 * 128 + 128 + 128 * 8 + 8)
    for lane in (0, 1):
        held = trace.counter("parameters", lane).values.tolist()
        assert held == [4 * (64 * 128 + 128 + 128 * 8 + 8)]
    totals = cause_totals(explain_run_step(trace, 2))
    assert totals[0, CAUSES.index(Cause.SLOWEST_RANK)] > 15 * MS
    assert not totals[1, CAUSES.index(Cause.SLOWEST_RANK)]


def test_a_script_without_any_line_for_it_is_recorded(ranks, tmp_path):
    lines = example().replace('with record(model, optimizer, out="runs/"):', "if True:")
    lines = re.sub(r"^(from bubblescope|dist\.|import torch\.dist).*\n", "", lines, flags=re.M)
    (tmp_path / "train.py").write_text(lines.replace("DistributedDataParallel(nn", "(nn"))
    status, printed = ranks.record(tmp_path, "runs", "train.py")
    assert status == 0, printed
    trace = open_recording(tmp_path / "runs").trace
    assert trace.outcome == "finished" and trace.steps == list(range(6))
    kinds = [span.kind for span in trace if span.step == 3 and span.lane == 0]
    assert kinds == ["forward"] * 3 + ["loss"] + ["backward"] * 3 + ["step"]


PIPELINE = """
import json, time
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B

from bubblescope import record

dist.init_process_group("gloo")
rank, computed, steps = dist.get_rank(), [0.0], []

class Stage(nn.Sequential):
    def forward(self, x):
        time.sleep(0.01)
        return super().forward(x)

def timed(run):
    def call(*told, **options):
        begun = time.perf_counter()
        try:
            return run(*told, **options)
        finally:
            computed[0] += time.perf_counter() - begun
    return call

class ByHand(PipelineStage):
    def forward_one_chunk(self, *told, **options):
        return timed(super().forward_one_chunk)(*told, **options)
    def backward_one_chunk(self, *told, **options):
        return timed(super().backward_one_chunk)(*told, **options)

stage = ByHand(Stage(nn.Linear(8, 8), nn.Tanh()), rank, 2, torch.device("cpu"))
schedule = Schedule1F1B(stage, 4, loss_fn=timed(nn.functional.mse_loss))
optimizer = torch.optim.SGD(stage.submod.parameters(), lr=0.1)
x = torch.randn(16, 8)
with record(stage.submod, optimizer, "runs"):
    for _ in range(3):
        optimizer.zero_grad()
        schedule.step(x) if rank == 0 else schedule.step(target=x)
        optimizer.step()
        steps.append(computed[0])
        computed[0] = 0.0
json.dump(steps, open(f"by-hand-{rank}.json", "w"))
dist.destroy_process_group()
"""


def test_a_pipelines_idle_time_equals_the_jobs_own_measurement_and_its_fill_is_named(
    ranks, tmp_path
):
    (tmp_path / "train.py").write_text(PIPELINE)
    ranks.run(tmp_path, 2, "train.py")
    trace = open_recording(tmp_path / "runs").trace
    assert trace.steps == [0, 1, 2]
    explanation = explain_run_step(trace, 2)
    totals = cause_totals(explanation)
    for rank in range(2):
        computed = json.loads((tmp_path / f"by-hand-{rank}.json").read_text())[2] * 1e9
        (update,) = [s for s in trace if s.step == 2 and s.lane == rank and s.kind == "step"]
        idle = explanation.lengths[rank] - computed - (update.end - update.start)
        assert abs(int(totals[rank].sum()) - idle) < 0.02 * explanation.makespan
    assert totals[1, CAUSES.index(Cause.FILL)] > 9 * MS
    passes = [s for s in trace if s.step == 2 and s.lane == 1 and s.kind == "forward"]
    assert [(s.stage, s.microbatch) for s in passes] == [(1, n) for n in range(4)]
    for copy in [s for s in trace if s.step == 2 and s.name == "from rank 0"]:
        sent = [trace.find(2, task) for task in copy.after]
        assert any(s.name == "to rank 1" and s.start <= copy.start for s in sent)


TRIAL = """
import contextlib, sys
import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
recording = contextlib.nullcontext()
if "with" in sys.argv:
    from bubblescope import record
    from torch.distributed import pipelining
    recording = record(model, optimizer, "runs")
with recording:
    from torch.distributed.pipelining import PipelineStage, ScheduleGPipe
    stage = PipelineStage(model, 0, 1, torch.device("cpu"))
    schedule = ScheduleGPipe(stage, 2, loss_fn=nn.functional.mse_loss)
    for _ in range(2):
        optimizer.zero_grad()
        schedule.step(torch.ones(4, 8), target=torch.ones(4, 8))
        optimizer.step()
dist.destroy_process_group()
"""


@pytest.mark.parametrize("way", ["with", "command"])
def test_a_pass_by_which_torch_learns_a_stages_shapes_is_no_part_of_a_step(ranks, tmp_path, way):
    (tmp_path / "train.py").write_text(TRIAL)
    if way == "with":
        ranks.run(tmp_path, 1, "train.py", way)
    else:  # the job imports pipelining after the recording has begun
        record = (sys.executable, str(PROJECT_ROOT / "main.py"), "record", "--")
        run(tmp_path, *record, sys.executable, "train.py", way)
    trace = open_recording(tmp_path / "runs").trace
    assert trace.steps == [0, 1]
    wanted = ["forward", "loss"] * 2 + ["backward"] * 2 + ["step"]
    for step in trace.steps:
        spans = [span for span in trace if span.step == step]
        assert [str(span.kind) for span in spans] == wanted
        assert {span.stage for span in spans if span.kind in ("forward", "backward")} == {0}


SHARDED = """
import time
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.checkpoint import checkpoint

from bubblescope import record

dist.init_process_group("gloo")

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(64, 64)
    def forward(self, x):
        time.sleep(0.02 * dist.get_rank())
        return self.inner(x).relu()

class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = Block(), Block(), Block()
    def forward(self, x):
        return self.last(checkpoint(self.second, self.first(x), use_reentrant=False))

model = Kept()
mesh = init_device_mesh("cpu", (2,))
for block in model.children():
    fully_shard(block, mesh=mesh)
fully_shard(model, mesh=mesh)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with record(model, optimizer, "runs"):
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(8, 64)).sum().backward()
        optimizer.step()
dist.destroy_process_group()
"""


def test_fully_sharded_blocks_are_gathered_and_scattered_on_lanes_of_their_own(ranks, tmp_path):
    (tmp_path / "train.py").write_text(SHARDED)
    ranks.run(tmp_path, 2, "train.py")
    opened = open_recording(tmp_path / "runs")
    trace, whole = opened.trace, 4 * (64 * 64 + 64)
    assert opened.warning == "" and trace.steps == [0, 1, 2]
    for lanes in ({3, 4}, {6, 7}):
        moved = [s for s in trace if s.step == 1 and s.lane in lanes]
        kinds = [str(s.kind) for s in moved]
        assert kinds.count("reduce-scatter") == 3 and kinds.count("all-gather") >= 5
        assert {s.bytes for s in moved} == {whole}
    computed = [s for s in trace if s.step == 1 and s.lane == 1]
    assert [s.block for s in computed if s.kind == "recompute"] == [1]
    assert all(one.end <= other.start for one, other in pairwise(computed))
    told = {one.kind: one for one in summarise(trace).collectives_over_steps}
    assert next(iter(told["all-gather"].last)) == "rank 1" and told["all-gather"].certain
