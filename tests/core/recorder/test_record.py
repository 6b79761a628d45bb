"""A training script's own recording: what its hooks see, and that they change nothing."""

import contextlib
import json
import re
import sys
import threading
import time

import numpy as np
import pyarrow as pa
import pytest

from core.explain.causes import CAUSES, Cause
from core.explain.explanation import cause_totals
from core.explain.run_step import explain_run_step
from core.plan.task import Kind, Payload
from core.recording import schema
from core.recording.recording import open_recording
from core.recording.stream_header import HEADER_KEY
from core.report.verdict import verdict
from core.trace.source import Source
from core.trace.spans import ATTRIBUTES, WORDS
from core.trace.step import StepColumns

torch = pytest.importorskip("torch")

from bubblescope.recorder.rank_writer import RankWriter  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402

from bubblescope import record  # noqa: E402
from core.recorder import stream  # noqa: E402
from core.recorder.blocks import find_blocks  # noqa: E402
from core.recorder.rank_step import Op, timed_step  # noqa: E402


class Rows(Dataset):
    def __init__(self, seconds=0.0):
        self.seconds = seconds

    def __len__(self):
        return 24

    def __getitem__(self, index):
        time.sleep(self.seconds)
        return torch.full((8,), index / 24), torch.ones(4)


def layers(*more):
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(inplace=True), *more, nn.Linear(16, 4))


def train(model, folder=None, data=None, steps=4):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []

    def loop():
        for x, target in list(DataLoader(Rows(), 6))[:steps] if data is None else data:
            optimizer.zero_grad()
            loss = (model(x) - target).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())

    if folder is None:
        loop()
    else:
        with record(model, optimizer, folder):
            loop()
    return losses


def of_step(trace, step=1, lane=0):
    spans = [span for span in trace if span.step == step and span.lane == lane]
    return [(str(span.kind), span.block) for span in spans]


def test_the_schema_is_that_of_recordings():
    assert [field.name for field in stream.task_type()] == [*ATTRIBUTES, "after", "name"]
    for name, dtype in ATTRIBUTES.items():
        number = pa.int64() if dtype is np.int64 else pa.int32()
        assert stream.task_type().field(name).type == (pa.string() if name in WORDS else number)
    assert tuple(schema.RECORDS) == stream.RECORDS


def test_a_step_is_its_blocks_forward_the_loss_its_blocks_backward_and_the_update(tmp_path):
    assert train(layers(), tmp_path) == train(layers())
    opened = open_recording(tmp_path / "rank-0.arrow")
    trace = opened.trace
    assert opened.warning == "" and trace.outcome == "finished" and trace.steps == [0, 1, 2, 3]
    passes = [("forward", n) for n in range(3)], [("backward", n) for n in (2, 1, 0)]
    wanted = [*passes[0], ("loss", None), *passes[1], ("step", None)]
    assert [of_step(trace, step) for step in trace.steps] == [wanted] * 4
    assert trace.span(0, 0).name == "Linear 0" and trace.span(0, 0).rows == 6
    assert re.match(r"Step |\d[\d.]* \S+ per iteration, ", str(verdict(trace).text))
    for lane in range(4):
        ends = trace.spans(lane).end
        assert (trace.spans(lane).start[1:] >= ends[:-1]).all()


def test_nothing_of_the_recording_is_left_on_the_model(tmp_path):
    model = layers()
    train(model, tmp_path)
    for module in model.modules():
        assert not module._forward_hooks and not module._forward_pre_hooks
    before = (tmp_path / "rank-0.arrow").read_bytes()
    train(model, data=DataLoader(Rows(), 6))
    assert (tmp_path / "rank-0.arrow").read_bytes() == before


def test_waiting_for_the_next_batch_is_a_lane_and_a_cause(tmp_path):
    train(layers(), tmp_path, DataLoader(Rows(0.004), 6))
    trace = open_recording(tmp_path).trace
    assert of_step(trace, lane=1) == [("data", None)]
    explanation = explain_run_step(trace, 2)
    totals = cause_totals(explanation)[0]
    assert totals[CAUSES.index(Cause.DATA)] >= 20_000_000 or totals.sum() == 0
    (waited,) = [span for span in trace if span.step == 2 and span.lane == 1]
    assert waited.end - waited.start >= 20_000_000


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_forward_within_the_backward_is_a_recompute(tmp_path, reentrant):
    class Kept(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(8, 16), nn.Sequential(nn.Linear(16, 16), nn.Tanh())
            self.last = nn.Linear(16, 4)

        def forward(self, x):
            x = checkpoint(self.second, self.first(x), use_reentrant=reentrant)
            return self.last(x)

    torch.manual_seed(0)
    model = Kept()
    assert [name for name, _ in find_blocks(model)] == ["first", "second.0", "second.1", "last"]
    train(model, tmp_path)
    kinds = of_step(open_recording(tmp_path).trace)
    again = [number for kind, number in kinds if kind == "recompute"]
    assert again == [1, 2]
    assert kinds.index(("recompute", 2)) > kinds.index(("backward", 3))
    assert {number for kind, number in kinds if kind == "backward"} == {0, 1, 2, 3}


def test_outputs_of_any_form_and_inputs_without_gradients_are_seen(tmp_path):
    class Named(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.same = nn.Linear(8, 4), nn.Identity()

        def forward(self, x):
            return {"out": [self.linear(x)], "rows": len(x)}

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.named, self.same, self.last = Named(), nn.Identity(), nn.Linear(4, 4)

        def forward(self, x):
            return self.last(self.same(self.named(x)["out"][0]))

    train(Model(), tmp_path)
    kinds = of_step(open_recording(tmp_path).trace)
    # What hands on its input as it came has nothing to do on the way back.
    assert kinds[4:] == [("backward", 2), ("backward", 0), ("step", None)]


class Summed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, gradient):
        torch.distributed.all_reduce(gradient)
        return gradient


def test_a_collective_within_the_backward_is_waited_for_and_not_computed(tmp_path):
    class Reduced(nn.Linear):
        def forward(self, x):
            return Summed.apply(super().forward(x))

    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        unseen = torch.distributed.all_reduce
        train(layers(Reduced(16, 16)), tmp_path)
        assert torch.distributed.all_reduce is unseen
    finally:
        torch.distributed.destroy_process_group()
    trace = open_recording(tmp_path).trace
    (move,) = [span for span in trace if span.step == 2 and span.kind.is_collective]
    parts = [s for s in trace if s.step == 2 and s.kind == "backward" and s.block == 2]
    assert parts[0].end <= move.start and move.end <= parts[1].start and len(parts) == 2
    assert parts[1].after == (move.task,)


def test_all_collectives_of_a_step_are_recorded_with_their_kinds_and_bytes(tmp_path):
    dist = torch.distributed
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    model = layers()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    numbers = torch.ones(3)
    try:
        with record(model, optimizer, tmp_path):
            for _ in range(2):
                model(torch.ones(4, 8)).sum().backward()
                dist.all_reduce(numbers)
                dist.broadcast(numbers, src=0)
                dist.all_to_all_single(torch.empty(3), numbers)
                dist.barrier()
                optimizer.step()
    finally:
        dist.destroy_process_group()
    spans = [span for span in open_recording(tmp_path).trace if span.step == 1]
    spans.sort(key=lambda span: span.start)
    moves = [(str(span.kind), span.bytes) for span in spans if span.kind.is_collective]
    assert moves == [("all-reduce", 12), ("broadcast", 12), ("all-to-all", 12), ("barrier", 0)]


@pytest.mark.parametrize("wrapped", [True, False], ids=["DDP", "all_reduce"])
def test_sparse_gradients_are_reduced_and_recorded(tmp_path, wrapped):
    def job(folder):
        torch.manual_seed(3)
        model = nn.Sequential(nn.Embedding(9, 4, sparse=True), nn.Linear(4, 2))
        trained = nn.parallel.DistributedDataParallel(model) if wrapped else model
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with record(trained, optimizer, folder) if folder else contextlib.nullcontext():
            for number in range(4):
                optimizer.zero_grad()
                trained(torch.tensor([number, 5])).sum().backward()
                if not wrapped:
                    torch.distributed.all_reduce(model[0].weight.grad)
                optimizer.step()
        return [parameter.tolist() for parameter in model.parameters()]

    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        assert job(tmp_path) == job(None)
    finally:
        torch.distributed.destroy_process_group()
    trace = open_recording(tmp_path).trace
    assert trace.steps == [0, 1, 2, 3]
    reduced = [span.bytes for span in trace if span.step == 1 and span.kind.is_collective]
    # Two indices of 8 bytes, and two rows of 4 numbers of 4 bytes.
    assert 2 * 8 + 2 * 4 * 4 in reduced


@pytest.mark.parametrize("compiled", ["", "in place", "blocks in place"])
def test_a_compiled_model_is_one_block_and_compiles_as_without_a_recording(tmp_path, compiled):
    def made():
        model = layers()
        for part in [model[0], model[2]] if "blocks" in compiled else [model] if compiled else []:
            part.compile(backend="eager")
        return model if compiled else torch.compile(model, backend="eager", fullgraph=True)

    assert train(made(), tmp_path) == train(layers())
    blocks = range(3) if "blocks" in compiled else range(1)
    there, back = ([(kind, n) for n in blocks] for kind in ("forward", "backward"))
    told = [*there, ("loss", None), *reversed(back), ("step", None)]
    assert of_step(open_recording(tmp_path).trace) == told


@pytest.mark.parametrize("order", ["compile(DDP)", "DDP(compile)", "DDP, compiled in place"])
def test_the_buckets_of_a_model_that_is_compiled_as_a_whole_are_seen(tmp_path, order):
    def made():
        ddp = nn.parallel.DistributedDataParallel
        if order == "compile(DDP)":
            return torch.compile(ddp(layers()), backend="eager")
        if order == "DDP(compile)":
            return ddp(torch.compile(layers(), backend="eager"))
        wrapped = ddp(layers())
        wrapped.compile(backend="eager")
        return wrapped

    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        assert train(made(), tmp_path) == train(layers())
    finally:
        torch.distributed.destroy_process_group()
    trace = open_recording(tmp_path).trace
    assert trace.steps == [0, 1, 2, 3]
    for step in trace.steps:
        reduced = [span for span in trace if span.step == step and span.kind.is_collective]
        assert sum(span.bytes for span in reduced) == 4 * (8 * 16 + 16 + 16 * 4 + 4)
        updates = [span.start for span in trace if span.step == step and span.kind == "step"]
        assert all(span.end <= updates[0] for span in reduced)


def test_several_passes_before_an_update_are_micro_batches(tmp_path):
    model = layers()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record(model, optimizer, tmp_path):
        for _ in range(2):
            for _ in range(3):
                model(torch.ones(2, 8)).sum().backward()
            optimizer.step()
    spans = [s for s in open_recording(tmp_path).trace if s.step == 1 and s.kind == "backward"]
    assert [s.microbatch for s in spans] == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_an_error_in_the_job_is_the_jobs_and_ends_the_recording(tmp_path):
    model = layers()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(KeyError), record(model, optimizer, tmp_path):
        model(torch.ones(2, 8)).sum().backward()
        optimizer.step()
        model(torch.ones(2, 8))
        raise KeyError("the job's")
    trace = open_recording(tmp_path).trace
    assert trace.outcome == "failed" and trace.steps == [0]


def test_the_header_says_that_the_recording_is_a_job(tmp_path):
    train(layers(), tmp_path)
    with pa.OSFile(str(tmp_path / "rank-0.arrow")) as file, pa.ipc.open_stream(file) as recorded:
        header = json.loads(recorded.schema.metadata[HEADER_KEY])
    assert header["source"] == Source.JOB


def test_ranks_that_never_meet_leave_each_others_files_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    for rank in (1, 0):
        monkeypatch.setenv("RANK", str(rank))
        train(layers(), tmp_path)
    opened = open_recording(tmp_path)
    assert opened.trace.header.replicas == 2 and opened.trace.steps == [0, 1, 2, 3]
    warning = "clocks were not compared for rank-1.arrow: assumed equal to rank 0's"
    assert str(opened.warning) == warning


@pytest.mark.parametrize("text", ["", " ", "-1", "garbage", "9" * 5000, "1.5", "65537"])
def test_a_number_of_the_rank_that_is_none_counts_as_unset(tmp_path, monkeypatch, capsys, text):
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"):
        monkeypatch.setenv(name, text)
    train(layers(), tmp_path)
    trace = open_recording(tmp_path / "rank-0.arrow").trace
    assert trace.steps == [0, 1, 2, 3]
    lines = capsys.readouterr().err.splitlines()
    if text.strip() in ("", "-1"):  # the usual ways to say that there are no ranks
        assert lines == []
    else:
        shown = ascii(text[:40])
        assert lines == [
            f"bubblescope: RANK={shown} is not a number from 0 to 65,535: recorded as rank 0",
            f"bubblescope: WORLD_SIZE={shown} is not a number from 1 to 65,536: ignored",
        ]


def test_a_recording_that_cannot_be_written_ends_with_a_line_and_the_job_continues(
    tmp_path, capsys
):
    (tmp_path / "file").write_text("")
    assert len(train(layers(), tmp_path / "file")) == 4
    assert capsys.readouterr().err.startswith("bubblescope: not all was recorded: ")


@pytest.fixture
def interval():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("idle_seconds", [1.0, 0.0])
def test_every_step_arrives_once_whatever_else_runs(tmp_path, interval, monkeypatch, idle_seconds):
    """Threads that compute take the interpreter at every chance: nothing is lost or told twice.

    With `idle_seconds` of 0 the writing thread tries to take each step from the training thread.
    """
    monkeypatch.setattr("bubblescope.recorder.rank_writer.IDLE_SECONDS", idle_seconds)
    if not idle_seconds:
        monkeypatch.setattr("bubblescope.recorder.stream.REST_SECONDS", 0.0)
    going = threading.Event()
    burning = [threading.Thread(target=lambda: [sum(range(50)) for _ in iter(going.is_set, True)])
               for _ in range(3)]  # fmt: skip
    for thread in burning:
        thread.start()
    try:
        model = layers()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with record(model, optimizer, tmp_path):
            for _ in range(60):
                model(torch.ones(2, 8)).sum().backward()
                optimizer.step()
    finally:
        going.set()
        for thread in burning:
            thread.join()
    trace = open_recording(tmp_path).trace
    assert trace.steps == list(range(60)) and trace.span_count == 60 * 8
    assert {tuple(of_step(trace, step)) for step in trace.steps} == {tuple(of_step(trace, 0))}


def test_whole_steps_that_exceed_the_queue_are_left_out_and_counted(tmp_path):
    held = threading.Event()

    def opened():
        held.wait(20)
        return (tmp_path / "file").open("wb")

    sender = stream.Sender(opened)
    sender.start({})
    taken = [sender.hand_in(lambda write: None) for _ in range(stream.MOST_WAITING + 7)]
    held.set()
    assert taken.count(False) == 7
    sender.close()


def test_a_job_whose_steps_overflow_the_queue_says_how_many_and_how_it_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("bubblescope.recorder.stream.MOST_WAITING", 8)
    monkeypatch.setattr("bubblescope.recorder.stream.REST_SECONDS", 60)  # until the recording ends
    batches = list(DataLoader(Rows(), 6))[:1] * 40
    handed_in: list[int] = []
    hand_in_numbers = RankWriter._hand_in_numbers

    def counted(writer, count, write):
        handed_in.append(count)
        hand_in_numbers(writer, count, write)

    monkeypatch.setattr(RankWriter, "_hand_in_numbers", counted)
    assert len(train(layers(), tmp_path, data=batches)) == 40
    trace = open_recording(tmp_path).trace
    assert trace.outcome == "finished"
    missing = 40 - len(trace.steps)
    assert missing > 30
    texts = [row.text for row in trace.logs if row.level == "warning"]
    written = sum(len(counter) for counter in trace.counters.values())
    lost = sum(handed_in) - written
    assert written > 0 and lost > 0
    assert texts == [
        f"{missing} steps were dropped: they arrived faster than they could be written",
        f"{lost} numbers of steps were dropped: they arrived faster than they could be written",
    ]


def test_overlapping_operations_are_cut_at_the_next_start_and_free_tracks_are_taken():
    ops = [
        Op("forward", 0, 10, 0), Op("backward", 8, 20, 0), Op("backward", 25, None, 1),
        Op("all-reduce", 9, 30, 0, lane=2), Op("all-reduce", 12, 28, 1, lane=2),
        Op("all-reduce", 13, 40, 2, lane=2), Op("step", 41, 45),
    ]  # fmt: skip
    told = timed_step(ops, 3, 2)
    assert [task.kind for task in told.tasks].count("backward") == 1
    rows = dict(zip(told.launched, zip(told.lane, told.start, told.end, strict=True), strict=True))
    assert rows[9] == (2, 9, 30) and rows[12] == (3, 12, 28) and rows[13] == (3, 28, 40)
    assert told.end[0] == 8
    step = told.tasks[-1]
    moves = [n for n, task in enumerate(told.tasks) if task.kind == "all-reduce"]
    assert step.kind == Kind.STEP and list(step.after) == moves
    assert {task.payload for task in told.tasks} <= {str(payload) for payload in Payload}
    assert {task.replica for task in told.tasks} == {3}


def test_a_job_records_numbers_of_its_steps_and_leaves_out_paused_code(tmp_path):
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    with record(model, optimizer, out=tmp_path) as run:
        for step in range(3):
            model(torch.ones(2, 4)).sum().backward()
            optimizer.step()
            run.tell("loss", step / 2)
            with run.paused():
                model(torch.ones(8, 4)).sum().backward()
    trace = open_recording(tmp_path).trace
    told = trace.counter("loss")
    assert (told.steps.tolist(), told.values.tolist()) == ([0, 1, 2], [0.0, 0.5, 1.0])
    spans = trace.spans(0)
    assert sorted(spans.step.tolist()) == [step for step in range(3) for _ in range(6)]
    assert set(StepColumns.of_trace(trace, 2).rows.tolist()) <= {0, 2}
