"""A recording leaves no trace in the model, and an error of its own never ends the job."""

import contextlib
import copy
import fcntl
import io
import pickle
import sys

import pytest

from core.recording.recording import open_recording

torch = pytest.importorskip("torch")

from bubblescope.recorder import (  # noqa: E402
    backward,
    clocks,
    collectives,
    hooks,
    instrument,
    loader,
    modules,
    rank_writer,
    session,
    stages,
    step_ops,
    stream,
)
from torch import nn  # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

from bubblescope import record  # noqa: E402


def layers():
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


def trained(model, optimizer, steps=2):
    for step in range(steps):
        optimizer.zero_grad()
        model(torch.full((2, 8), float(step))).sum().backward()
        optimizer.step()
    return model


def saved(model):
    file = io.BytesIO()
    torch.save(model, file)
    return file.getvalue()


def scripted(model):
    return torch.jit.script(model).code


def exported(model):
    return str(torch.export.export(model, (torch.ones(2, 8),)).graph)


def traced(model):
    return torch.jit.trace(model, torch.ones(2, 8)).code


STATES = {
    "pickle": pickle.dumps,
    "torch.save": saved,
    "a deep copy": lambda model: saved(copy.deepcopy(model)),
    "jit.script": scripted,
    "jit.trace": traced,
    "torch.export": exported,
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_models_state_is_the_same_with_a_recording_and_without(tmp_path, state):
    model = layers()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)  # so that the parameters stay
    wanted = STATES[state](trained(model, optimizer))
    with record(model, optimizer, tmp_path):
        trained(model, optimizer)
        assert STATES[state](model) == wanted
        trained(model, optimizer)
    assert STATES[state](model) == wanted
    assert open_recording(tmp_path).trace.steps == [0, 1, 2, 3]


# Everything of the recorder that runs inside the job, by where it can be replaced.
INSIDE = [
    (hooks.BlockHooks, "install"),
    (hooks.BlockHooks, "begin"),
    (step_ops.StepOps, "note"),
    (step_ops.StepOps, "waited"),
    (step_ops.StepOps, "end"),
    (step_ops.StepOps, "flush"),
    (modules.WatchedModules, "watch"),
    (modules.WatchedModules, "known"),
    (modules.WatchedModules, "remove"),
    (hooks.BlockHooks, "_before"),
    (hooks.BlockHooks, "_begin_forward"),
    (hooks.BlockHooks, "_after"),
    (hooks.BlockHooks, "_end_forward"),
    (backward.BackwardPasses, "begin"),
    (backward.BackwardPasses, "watch_inputs"),
    (backward.BackwardPasses, "watch_outputs"),
    (backward.BackwardPasses, "gradient"),
    (hooks.BlockHooks, "enter"),
    (hooks.BlockHooks, "leave"),
    (hooks.BlockHooks, "pause"),
    (hooks.BlockHooks, "end_step"),
    (hooks.BlockHooks, "remove"),
    (hooks, "is_backward"),
    (modules, "find_blocks"),
    (collectives.CollectiveHooks, "install"),
    (collectives.CollectiveHooks, "watch"),
    (collectives.CollectiveHooks, "remove"),
    (stages.StageHooks, "install"),
    (stages.StageHooks, "remove"),
    (session, "watch_batches"),
    (instrument, "device_times"),
    (session, "register_optimizer_step_pre_hook"),
    (session.record, "_is_stepping"),
    (rank_writer.RankWriter, "_header"),
    (rank_writer.RankWriter, "begin"),
    (rank_writer.RankWriter, "finish"),
    (session.record, "_before_update"),
    (session.record, "_after_update"),
    (instrument.Instrument, "_hand_in"),
    (session.record, "_end_step"),
    (session.record, "_finish"),
    (clocks.RankClocks, "compare"),
    (stream.Sender, "start"),
    (stream.Sender, "hand_in"),
    (rank_writer, "timed_step"),
    (rank_writer, "step_rows"),
]


def job(folder, model=None):
    """Train for some steps, recorded if there is a folder; return the losses."""
    model = model or layers()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = DataLoader(TensorDataset(torch.ones(8, 8), torch.ones(8, 4)), batch_size=2)
    losses = []
    with record(model, optimizer, folder) if folder else contextlib.nullcontext() as run:
        for x, target in data:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), target)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            with run.paused() if run else contextlib.nullcontext():
                model(x)
    return losses


def raises(*arguments, **options):
    raise KeyError("no such name")


@pytest.fixture
def hooks_of_torch():
    """Check that a recording leaves global hooks and functions as they were."""

    def state():
        module = torch.nn.modules.module
        return (
            len(module._global_forward_pre_hooks),
            len(module._global_forward_hooks),
            torch.distributed.all_reduce,
            torch.distributed.distributed_c10d.all_reduce,
        )

    before = state()
    yield
    assert state() == before


@pytest.mark.parametrize(("place", "name"), INSIDE, ids=lambda one: getattr(one, "__name__", one))
def test_an_error_inside_the_recorder_ends_the_recording_in_a_line_and_not_the_job(
    tmp_path, monkeypatch, capsys, place, name
):
    wanted = job(None)
    monkeypatch.setattr(place, name, raises)
    assert job(tmp_path) == wanted
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and lines[0].startswith("bubblescope: ") and "no such name" in lines[0]


class Unusable(io.StringIO):
    """An output that cannot be written, such as a file on a full disk."""

    def write(self, text):
        raise OSError(28, "No space left on device")


def closed():
    stream = io.StringIO()
    stream.close()
    return stream


UNUSABLE = {"full": Unusable, "closed": closed, "none": lambda: None}


@pytest.mark.parametrize("unusable", UNUSABLE)
@pytest.mark.parametrize("fails", [True, False], ids=["a hook fails", "the folder is a file"])
def test_a_message_that_cannot_be_printed_harms_no_job(tmp_path, monkeypatch, unusable, fails):
    wanted = job(None)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RANK", "none")
    if fails:
        monkeypatch.setattr(hooks.BlockHooks, "begin", raises)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", UNUSABLE[unusable]())
        patch.setattr(sys, "stderr", UNUSABLE[unusable]())
        assert job(tmp_path / "file") == wanted


@pytest.fixture
def group():
    """A process group of this process alone."""
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield
    torch.distributed.destroy_process_group()


PRIVATE = [
    (torch._C, "_current_graph_task_id"),
    (loader.dataloader, "_BaseDataLoaderIter"),
    (torch.distributed.distributed_c10d, "_get_default_store"),
    (nn.parallel.DistributedDataParallel, "_comm_hooks"),
]


@pytest.mark.parametrize(("place", "name"), PRIVATE, ids=lambda one: getattr(one, "__name__", one))
def test_a_renamed_private_name_of_torch_ends_the_recording_and_not_the_job(
    tmp_path, monkeypatch, capsys, group, hooks_of_torch, place, name
):
    model = nn.parallel.DistributedDataParallel(layers())
    wanted = job(None, model=nn.parallel.DistributedDataParallel(layers()))
    if place is nn.parallel.DistributedDataParallel:
        del model._comm_hooks
    else:
        monkeypatch.delattr(place, name)
    # The store is asked for by jobs of several ranks alone.
    monkeypatch.setattr(rank_writer.dist, "get_world_size", lambda group=None: 1 if group else 2)
    assert job(tmp_path, model=model) == wanted
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("bubblescope: the recording has ended: AttributeError") and name in line


def test_hooks_and_functions_are_as_before_once_a_recording_has_ended(tmp_path, hooks_of_torch):
    job(tmp_path)
    with pytest.raises(KeyError), record(layers(), None, tmp_path):
        raise KeyError("the job's")


FORKED = """
import os, sys
import torch
from torch import nn

from bubblescope import record

model = nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(steps):
    for _ in range(steps):
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()

with record(model, optimizer, "runs") as run:
    train(2)
    child = os.fork()
    if child == 0:
        waiting = run._stream._sender._waiting.qsize()
        train(3)
        assert run._stream._sender._waiting.qsize() == waiting
        with run.paused():
            run.tell("loss", 1.0)
    else:
        assert os.waitpid(child, 0)[1] == 0
        train(2)
"""


def test_a_forked_process_leaves_the_recording_of_its_parent_alone(ranks, tmp_path):
    (tmp_path / "train.py").write_text(FORKED)
    ranks.run(tmp_path, 1, "train.py")
    trace = open_recording(tmp_path / "runs").trace
    assert trace.steps == [0, 1, 2, 3] and trace.outcome == "finished"
    assert trace.counter("loss") is None or not len(trace.counter("loss").values)
    assert (tmp_path / "printed-0.txt").read_text() == ""


def test_a_smaller_job_keeps_the_file_of_a_rank_that_still_records(tmp_path):
    for rank in (1, 2):
        (tmp_path / f"rank-{rank}.arrow").write_text("of another job")
    with (tmp_path / "rank-1.arrow").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        job(tmp_path)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["rank-0.arrow", "rank-1.arrow"]


def test_a_recording_into_the_file_of_another_one_is_left_out_in_a_line(tmp_path, capsys):
    wanted = job(None)
    model = layers()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record(model, optimizer, tmp_path):
        trained(model, optimizer, 2)
        assert job(tmp_path) == wanted
        trained(model, optimizer, 1)
    assert open_recording(tmp_path).trace.outcome == "finished"
    [line] = capsys.readouterr().err.splitlines()
    path = tmp_path / "rank-0.arrow"
    assert line == (
        f"bubblescope: this process is not recorded: another recording is written to {path}"
    )
    job(tmp_path)
    assert open_recording(tmp_path).trace.steps == [0, 1, 2, 3] and not capsys.readouterr().err
