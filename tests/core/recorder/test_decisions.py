"""Objects that a job creates after the recording has begun are found at its first step."""

import contextlib
import inspect
import io
import re
import subprocess
import sys
import threading
import time
from functools import partial

import pytest

from core.paths import PROJECT_ROOT
from core.recording.recording import open_recording
from core.report.summary import summarise
from core.trace.complete import measured_steps
from core.trace.event_rows import clock_uncertainty

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from bubblescope import record  # noqa: E402
from core.recorder.blocks import find_blocks  # noqa: E402

MS = 1_000_000


def layers(*more):
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), *more, nn.Linear(16, 4))


def step(model, *optimizers):
    for optimizer in optimizers:
        optimizer.zero_grad()
    model(torch.ones(6, 8)).sum().backward()
    for optimizer in optimizers:
        optimizer.step()


def kinds_of(trace, step=1, lane=0):
    return [str(span.kind) for span in trace if span.step == step and span.lane == lane]


LATE = """
import time
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from bubblescope import record

class Late(nn.ReLU):
    def forward(self, x):
        time.sleep(0.03 * dist.get_rank())
        return super().forward(x)

def train(model, optimizer):
    for _ in range(4):
        optimizer.zero_grad()
        model(torch.ones(4, 64)).sum().backward()
        optimizer.step()

model = nn.Sequential(nn.Linear(64, 64), Late(), nn.Linear(64, 8))
# As trainers have it: the recording begins first, the group and the wrapper are made inside.
with record(model, out="first"):
    dist.init_process_group("gloo")
    wrapped = DistributedDataParallel(model)
    train(wrapped, torch.optim.SGD(wrapped.parameters(), lr=0.1))
time.sleep(0.2 * dist.get_rank())
with record(wrapped, out="second"):
    train(wrapped, torch.optim.SGD(wrapped.parameters(), lr=0.1))
dist.destroy_process_group()
"""


def test_a_group_and_a_wrapper_that_are_made_later_are_seen_in_each_recording(ranks, tmp_path):
    (tmp_path / "train.py").write_text(LATE)
    ranks.run(tmp_path, 2, "train.py")
    for folder in ("first", "second"):
        opened = open_recording(tmp_path / folder)
        assert opened.warning == ""
        trace = opened.trace
        assert trace.header.replicas == 2 and trace.steps == [0, 1, 2, 3]
        met = summarise(trace).collectives_over_steps
        # On a busy machine the second step may count as warm-up too.
        measured = len(measured_steps(trace))
        assert measured in (2, 3)
        assert [(one.kind, one.last) for one in met] == [("all-reduce", {"rank 1": measured})]
        # Both ranks leave the update before at once, also by the clocks of a second recording.
        begun = [trace.spans(lane)[trace.spans(lane).of_step(2)].start[0] for lane in (0, 1)]
        assert clock_uncertainty(trace.clocks) < 2 * MS and abs(begun[1] - begun[0]) < 20 * MS


class Outer(torch.optim.SGD):
    """An optimizer that does something around its parent's update."""

    def step(self, closure=None):
        if any(not parameter.grad.isfinite().all() for parameter in self.param_groups[0]["params"]):
            raise ValueError("not finite")
        found = super().step(closure)
        time.sleep(0.02)
        return found


def test_an_update_that_fails_takes_no_later_step_away(tmp_path):
    model = layers()
    first, second = (Outer(model.parameters(), lr=0.1) for _ in range(2))
    with record(model, second, tmp_path):
        step(model, second)
        model(torch.full((6, 8), float("inf"))).sum().backward()
        for optimizer in (first, second):
            with pytest.raises(ValueError):
                optimizer.step()
        time.sleep(0.1)
        for _ in range(2):
            step(model, second)
    trace = open_recording(tmp_path).trace
    assert trace.steps == [0, 1, 2]
    updates = [span for span in trace if span.kind == "step"]
    assert len(updates) == 3 and all(span.end - span.start < 90 * MS for span in updates)


def test_an_update_ends_with_the_outer_one_of_a_subclass(tmp_path):
    model = layers()
    torch.optim.SGD(model.parameters(), lr=0.1)  # from here on torch hooks the parent's step too
    optimizer = Outer(model.parameters(), lr=0.1)
    with record(model, optimizer, tmp_path):
        for _ in range(3):
            step(model, optimizer)
    trace = open_recording(tmp_path).trace
    updates = [span for span in trace if span.kind == "step"]
    assert len(updates) == 3 and all(span.end - span.start >= 20 * MS for span in updates)


def test_the_updates_of_several_optimizers_in_a_row_end_one_step(tmp_path):
    model = layers()
    first, second = (torch.optim.SGD(part.parameters(), lr=0.1) for part in (model[0], model[2]))
    data = torch.utils.data.DataLoader(torch.ones(18, 8), batch_size=6)
    with record(None, None, tmp_path):
        for batch in data:
            model(batch).sum().backward()
            first.step()
            second.step()
    trace = open_recording(tmp_path).trace
    passes = ["forward"] * 3 + ["loss"] + ["backward"] * 3
    assert [kinds_of(trace, number) for number in range(3)] == [[*passes, "step", "step"]] * 3
    assert [kinds_of(trace, number, lane=1) for number in range(3)] == [["data"]] * 3


class Wrapper:
    """An optimizer as trainers wrap it: no optimizer of torch itself."""

    def __init__(self, optimizer):
        self.optimizer = optimizer

    @property
    def param_groups(self):
        return self.optimizer.param_groups

    def zero_grad(self):
        self.optimizer.zero_grad()

    def step(self):
        self.optimizer.step()


def test_a_wrapped_optimizer_ends_the_steps_as_the_one_inside_does(tmp_path):
    model = layers()
    optimizer = Wrapper(torch.optim.SGD(model.parameters(), lr=0.1))
    with record(model, optimizer, tmp_path):
        for _ in range(3):
            step(model, optimizer)
    assert open_recording(tmp_path).trace.steps == [0, 1, 2]


def test_an_optimizer_that_replaces_another_continues_its_steps(tmp_path):
    model = layers()
    first, second = (torch.optim.SGD(model.parameters(), lr=0.1) for _ in range(2))
    with record(model, first, tmp_path):
        for optimizer in (first, first, second, second):
            step(model, optimizer)
    assert open_recording(tmp_path).trace.steps == [0, 1, 2, 3]


def test_a_job_without_an_optimizer_says_that_there_are_no_steps(tmp_path, capsys):
    model = layers()
    with record(model, None, tmp_path):
        for _ in range(3):
            model(torch.ones(6, 8)).sum().backward()
    assert "no optimizer" in capsys.readouterr().err
    assert open_recording(tmp_path).trace.steps == []


def test_the_operations_kept_of_an_endless_step_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("bubblescope.recorder.step_ops.MOST_OPS", 100)
    model = layers()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record(model, optimizer, tmp_path) as run:
        for _ in range(50):
            model(torch.ones(6, 8)).sum().backward()
        assert len(run._instrument.ops.kept) == 100
        optimizer.step()
    texts = [row.text for row in open_recording(tmp_path).trace.logs]
    assert any(re.search(r"operations were left out", text) for text in texts)


def test_an_evaluation_and_the_wait_for_its_data_are_no_part_of_a_step(tmp_path):
    data = torch.utils.data.DataLoader(torch.ones(24, 8), batch_size=6)
    model = layers()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record(model, optimizer, tmp_path):
        for batch in data:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
            with torch.no_grad():
                for other in data:
                    model(other)
    trace = open_recording(tmp_path).trace
    assert trace.steps == [0, 1, 2, 3]
    assert kinds_of(trace) == ["forward"] * 3 + ["loss"] + ["backward"] * 3 + ["step"]
    assert kinds_of(trace, lane=1) == ["data"]
    outside = trace.counter("outside_ms", 0)
    assert outside.steps.tolist() == [1, 2, 3] and (outside.values > 0).all()


class Paused(nn.Module):
    """Takes 1 ms, in which other threads run."""

    def forward(self, x):
        time.sleep(0.001)
        return x * 1


def test_an_evaluation_in_another_thread_is_no_part_of_the_training(tmp_path):
    model = layers(Paused())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    ending = threading.Event()

    def evaluate():
        with torch.no_grad():
            while not ending.is_set():
                model(torch.ones(2, 8))

    thread = threading.Thread(target=evaluate)
    with record(model, optimizer, tmp_path):
        thread.start()
        for _ in range(20):
            step(model, optimizer)
        ending.set()
        thread.join()
    trace = open_recording(tmp_path).trace
    there, back = ["forward"] * 4, ["backward"] * 4
    assert {tuple(kinds_of(trace, n)) for n in range(20)} == {(*there, "loss", *back, "step")}
    assert trace.counter("outside_ms", 0).values.tolist() == []


def test_a_job_that_trains_in_a_thread_of_its_own_is_recorded(tmp_path):
    model = layers()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record(model, optimizer, tmp_path):
        for _ in range(2):
            thread = threading.Thread(target=step, args=(model, optimizer))
            thread.start()
            thread.join()
    trace = open_recording(tmp_path).trace
    assert [len(kinds_of(trace, number)) for number in (0, 1)] == [8, 8]


class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(8, 16)
        self.layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(12))
        self.norm = nn.LayerNorm(16)

    def forward(self, x):
        x = self.embed(x)
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


class WithHead(nn.Module):
    """A model of two children, of which one has nearly all parameters, as transformers are."""

    def __init__(self):
        super().__init__()
        self.body, self.head = Body(), nn.Linear(16, 4)

    def forward(self, x):
        return self.head(self.body(x))


def test_a_body_that_repeats_layers_is_opened_into_these():
    names = [name for name, _ in find_blocks(WithHead())]
    layers = [f"body.layers.{number}" for number in range(12)]
    assert names == ["body.embed", *layers, "body.norm", "head"]


def test_an_update_that_computes_losses_is_the_time_around_its_passes(tmp_path):
    model = layers()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = model(torch.ones(6, 8)).pow(2).sum()
        loss.backward()
        return loss

    with record(model, optimizer, tmp_path):
        for _ in range(3):
            optimizer.step(closure)
    trace = open_recording(tmp_path).trace
    kinds = kinds_of(trace)
    assert kinds.count("step") > 2 and kinds[-1] == "step"
    assert kinds.count("forward") == kinds.count("backward") >= 3
    starts = [span.start for span in trace if span.step == 1 and span.lane == 0]
    assert starts == sorted(starts)


def test_code_of_a_closure_outside_its_passes_is_not_part_of_the_update(tmp_path):
    model = layers()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def closure():
        time.sleep(0.02)
        model(torch.ones(6, 8)).sum().backward()

    with record(model, optimizer, tmp_path):
        for number in range(4):
            given = {"closure": closure} if number % 2 else {}
            optimizer.step(*([] if given else [closure]), **given)
    trace = open_recording(tmp_path).trace
    updates = [span for span in trace if span.kind == "step"]
    assert trace.steps == [0, 1, 2, 3] and len(updates) == 4
    assert min(span.end - span.start for span in updates) < 10_000_000


class Loss:
    """A callable object that is no closure of torch.optim."""

    scale = 2.0

    def __call__(self, output):
        return output.sum() * self.scale


class Asking(torch.optim.SGD):
    """An optimizer whose update takes an argument of its own."""

    def step(self, given=None, *, closure=None):
        self.seen = given if closure is None else closure
        return super().step()


@pytest.mark.parametrize(
    "given", [nn.Linear(2, 2), Loss(), Loss], ids=["a model", "an object", "a class"]
)
@pytest.mark.parametrize("by_name", [False, True])
def test_an_update_gets_modules_and_other_objects_as_they_are(tmp_path, given, by_name):
    model = layers()
    optimizer = Asking(model.parameters(), lr=0.1)
    with record(model, optimizer, tmp_path):
        for _ in range(3):
            model(torch.ones(6, 8)).sum().backward()
            if by_name:
                optimizer.step(closure=given)
            else:
                optimizer.step(given)
            assert optimizer.seen is given
    assert open_recording(tmp_path).trace.steps == [0, 1, 2]


class Evaluating(torch.optim.SGD):
    """An optimizer that also calls its closure to evaluate, as line searches do."""

    @torch.no_grad()
    def step(self, closure):
        assert list(inspect.signature(closure).parameters) == ["backward"]
        before = closure(backward=False)
        with torch.enable_grad():
            assert closure(True) == before
        return super().step()


@pytest.mark.parametrize("made", [lambda one: one, partial], ids=["function", "partial"])
def test_a_closure_takes_arguments_and_its_passes_are_outside_the_update(tmp_path, made):
    model = layers()
    optimizer = Evaluating(model.parameters(), lr=0.1)

    def closure(backward=True):
        time.sleep(0.02)
        loss = model(torch.ones(6, 8)).sum()
        if backward:
            loss.backward()
        return loss

    with record(model, optimizer, tmp_path):
        for _ in range(3):
            optimizer.step(made(closure))
    trace = open_recording(tmp_path).trace
    updates = [span for span in trace if span.kind == "step"]
    assert trace.steps == [0, 1, 2] and updates
    assert max(span.end - span.start for span in updates) < 20 * MS


def test_the_first_update_counts_also_where_it_asks_for_the_models_first_pass(tmp_path):
    model = layers()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=2)

    def closure():
        optimizer.zero_grad()
        loss = model(torch.ones(6, 8)).pow(2).sum()
        loss.backward()
        return loss

    with record(None, None, tmp_path):  # as `bubblescope record --` does
        for _ in range(3):
            optimizer.step(closure)
    trace = open_recording(tmp_path).trace
    assert trace.steps == [0, 1, 2]
    assert kinds_of(trace, 0) == kinds_of(trace, 1)


def test_the_second_network_of_a_job_is_a_block_with_passes_and_an_update(tmp_path):
    first, second = layers(), nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 1))
    one = torch.optim.SGD(first.parameters(), lr=0.1)
    other = torch.optim.SGD(second.parameters(), lr=0.1)
    with record(first, one, tmp_path):
        for _ in range(3):
            loss = second(first(torch.ones(6, 8))).sum()
            loss.backward()
            other.step()
            one.step()
    spans = [span for span in open_recording(tmp_path).trace if span.step == 1 and span.lane == 0]
    assert [span.kind for span in spans if span.name == "Sequential"] == ["forward", "backward"]
    assert [span.kind for span in spans].count("step") == 2


DRY_RUN = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16))
        width = self.features(torch.zeros(1, 8)).numel()
        self.head = nn.Linear(width, 4)

    def forward(self, x):
        return self.head(self.features(x))

model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    model(torch.ones(6, 8)).sum().backward()
    optimizer.step()
"""


def test_a_part_that_runs_while_the_model_is_made_is_not_taken_for_the_model(ranks, tmp_path):
    (tmp_path / "train.py").write_text(DRY_RUN)
    status, printed = ranks.record(tmp_path, "runs", "train.py")
    assert status == 0, printed
    trace = open_recording(tmp_path / "runs").trace
    assert trace.header.model.name == "Net"
    for number in range(3):
        spans = [span for span in trace if span.step == number and span.lane == 0]
        kinds = [str(span.kind) for span in spans]
        assert kinds == ["forward"] * 4 + ["loss"] + ["backward"] * 4 + ["step"]
        names = [span.name for span in spans[:4]]
        assert names == ["features.0", "features.1", "features.2", "head"]


def test_a_model_that_moves_before_its_first_update_is_timed_on_its_new_device(
    tmp_path, monkeypatch
):
    devices = []

    def noted(model):
        devices.append(next(model.parameters()).device.type)

    monkeypatch.setattr("bubblescope.recorder.instrument.device_times", noted)
    model = layers()
    with record(model, None, tmp_path):
        model(torch.ones(6, 8))
        model.to("meta")
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            model(torch.ones(6, 8, device="meta")).sum().backward()
            optimizer.step()
    assert devices == ["cpu", "meta"]
    trace = open_recording(tmp_path).trace
    for number in range(3):
        assert kinds_of(trace, number) == ["forward"] * 3 + ["loss"] + ["backward"] * 3 + ["step"]


EXITS = """
import sys, threading
from sys import exit as leave
import torch
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    model(torch.ones(2, 8)).sum().backward()
    UPDATE
EXIT
"""
THREAD = "t = threading.Thread(target=sys.exit, args=(3,)); t.start(); t.join()"


def exits(ranks, tmp_path, code, update="optimizer.step()"):
    """Record a script that ends with the code; returns its status, what it said and its trace."""
    (tmp_path / "train.py").write_text(EXITS.replace("EXIT", code).replace("UPDATE", update))
    status, said = ranks.record(tmp_path, "runs", "train.py")
    return status, said, open_recording(tmp_path / "runs").trace


@pytest.mark.parametrize(
    ("code", "status", "outcome"),
    [
        ("sys.exit(0)", 0, "finished"),
        ("sys.exit(3)", 3, "failed"),
        ("leave(3)", 3, "failed"),
        ("exit(3)", 3, "failed"),
        (THREAD, 0, "finished"),
    ],
)
def test_a_script_that_exits_with_a_status_has_failed(ranks, tmp_path, code, status, outcome):
    found, _, trace = exits(ranks, tmp_path, code)
    assert (found, trace.outcome) == (status, outcome)


def test_a_script_that_a_command_records_keeps_its_status(tmp_path):
    (tmp_path / "train.py").write_text(EXITS.replace("EXIT", "exit(3)").replace("UPDATE", "pass"))
    words = [sys.executable, str(PROJECT_ROOT / "main.py"), "record", "--out", "runs", "--"]
    done = subprocess.run(
        [*words, sys.executable, "train.py"], cwd=tmp_path, timeout=100, capture_output=True
    )
    assert done.returncode == 3 and done.stderr.decode().count("no optimizer") == 1
    assert open_recording(tmp_path / "runs").trace.outcome == "failed"


@pytest.mark.parametrize("status", [0, 3])
def test_a_script_without_an_optimizer_says_so_and_ends_with_its_own_status(
    ranks, tmp_path, status
):
    found, said, trace = exits(ranks, tmp_path, f"sys.exit({status})", update="pass")
    assert found == status and said.count("no optimizer") == 1
    assert trace.steps == [] and next(iter(trace.logs)).text.startswith("no optimizer")


def test_an_exit_with_status_0_within_the_recording_has_not_failed(tmp_path):
    model = layers()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with contextlib.suppress(SystemExit), record(model, optimizer, tmp_path):
        step(model, optimizer)
        sys.exit()
    assert open_recording(tmp_path).trace.outcome == "finished"


@pytest.mark.filterwarnings("error")
def test_a_wrapped_compiled_model_is_recorded_without_a_warning(tmp_path):
    model = torch.compile(layers(), backend="eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    step(model, optimizer)
    with contextlib.redirect_stderr(io.StringIO()) as told, record(model, optimizer, tmp_path):
        for _ in range(2):
            step(model, optimizer)
    assert "hooks" not in told.getvalue()
    assert kinds_of(open_recording(tmp_path).trace) == ["forward", "loss", "backward", "step"]
