"""Collectives and transfers of a recorded job, and compiled code: torch works as without it."""

import contextlib
import inspect
from types import FunctionType

import pytest

from core.recording.recording import open_recording

torch = pytest.importorskip("torch")

import torch.distributed as dist  # noqa: E402
from torch import nn  # noqa: E402

from bubblescope import record  # noqa: E402

TRANSFERS = """
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import P2POp, batch_isend_irecv, irecv, isend

from bubblescope import record

dist.init_process_group("gloo")
rank = dist.get_rank()
model = nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def made(send, receive):
    received = torch.zeros(4)
    sent = torch.full((4,), 1.0 + rank)
    return received, [P2POp(send, sent, 1 - rank), P2POp(receive, received, 1 - rank)]

def exchange(received, transfers):
    for work in batch_isend_irecv(transfers):
        work.wait()
    assert received.tolist() == [2.0 - rank] * 4

early = made(isend, irecv)
with record(model, optimizer, "runs"):
    from torch.distributed import irecv as late_irecv, isend as late_isend
    for step in range(5):
        model(torch.ones(2, 4)).sum().backward()
        if step == 1:
            exchange(*early)
        if step == 2:
            exchange(*made(isend, irecv))
        if step == 3:
            exchange(*made(late_isend, late_irecv))
        if step == 4:
            received = torch.zeros(4)
            sent = isend(torch.full((4,), 1.0 + rank), 1 - rank)
            dist.irecv(received).wait()
            sent.wait()
            assert received.tolist() == [2.0 - rank] * 4
        optimizer.step()
    late = made(late_isend, late_irecv)
exchange(*late)
exchange(*early)
dist.destroy_process_group()
"""


def test_transfers_run_and_are_recorded_whenever_their_functions_were_imported(ranks, tmp_path):
    (tmp_path / "train.py").write_text(TRANSFERS)
    ranks.run(tmp_path, 2, "train.py")
    trace = open_recording(tmp_path / "runs").trace
    for rank in range(2):
        lanes = [n for n, lane in enumerate(trace.header.lanes) if lane.serves == rank]
        copies = [span for span in trace if span.kind == "copy" and span.lane in lanes]
        found = [sorted(s.name for s in copies if s.step == step) for step in range(5)]
        both = [f"from rank {1 - rank}", f"to rank {1 - rank}"]
        assert found == [[], both, both, both, ["irecv", f"to rank {1 - rank}"]]
        assert {span.bytes for span in copies} == {16}


OWN_GROUP = """
import torch
import torch.distributed as dist
from torch import nn

from bubblescope import record

dist.init_process_group("gloo")
rank = dist.get_rank()
store = dist.PrefixStore("own", dist.distributed_c10d._get_default_store())
own = dist.ProcessGroup(store, rank, 2)
backend = dist.ProcessGroupGloo(store, rank, 2)
own._register_backend(torch.device("cpu"), dist.ProcessGroup.BackendType.GLOO, backend)
model = nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

@torch.compile(backend="eager")
def exchanged(x):
    y = x + 1
    received = torch.empty_like(y)
    sent = dist.isend(y, 1 - rank)
    dist.irecv(received, 1 - rank).wait()
    sent.wait()
    return received * 2

with record(model, optimizer, "runs"):
    for step in range(3):
        model(torch.ones(2, 4)).sum().backward()
        received = torch.zeros(4)
        both = own.send([torch.ones(4)], 1 - rank, 0), own.recv([received], 1 - rank, 0)
        for work in both:
            work.wait()
        assert received.tolist() == [1.0] * 4
        assert exchanged(torch.full((3,), 1.0 + rank)).tolist() == [2 * (3.0 - rank)] * 3
        optimizer.step()
dist.destroy_process_group()
"""


def test_transfers_in_a_group_unknown_to_torch_and_in_compiled_code_harm_nothing(ranks, tmp_path):
    (tmp_path / "train.py").write_text(OWN_GROUP)
    ranks.run(tmp_path, 2, "train.py")
    assert "bubblescope" not in (tmp_path / "printed-0.txt").read_text()
    trace = open_recording(tmp_path / "runs").trace
    assert trace.steps == [0, 1, 2]
    names = {span.name for span in trace if span.kind == "copy" and span.bytes == 16}
    assert names == {f"{way} rank {rank}" for way in ("from", "to") for rank in (0, 1)}


@pytest.fixture
def group():
    """A process group of this process alone."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def test_functions_of_torch_are_the_same_objects_while_they_are_recorded(tmp_path, group):
    before = {
        name: function
        for name, function in vars(dist.distributed_c10d).items()
        if type(function) is FunctionType and vars(dist).get(name) is function
    }
    assert {"all_reduce", "isend", "irecv", "batch_isend_irecv"} <= set(before)
    signatures = {name: inspect.signature(function) for name, function in before.items()}
    inner = dist.all_reduce.__closure__[0].cell_contents
    with record(nn.Linear(2, 2), None, tmp_path):
        assert dist.all_reduce.__closure__[0].cell_contents is not inner
        for name, function in before.items():
            assert getattr(dist, name) is function
            assert getattr(dist.distributed_c10d, name) is function
            assert inspect.signature(function) == signatures[name]
    assert dist.all_reduce.__closure__[0].cell_contents is inner


def test_a_recording_within_another_one_leaves_torch_as_it_was(tmp_path, group):
    inner = dist.all_reduce.__closure__[0].cell_contents
    send = vars(dist.ProcessGroup)["send"]
    model = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record(model, optimizer, tmp_path / "a"), record(model, optimizer, tmp_path / "b"):
        for _ in range(2):
            model(torch.ones(2, 4)).sum().backward()
            dist.all_reduce(model.weight.grad)
            optimizer.step()
    assert dist.all_reduce.__closure__[0].cell_contents is inner
    assert vars(dist.ProcessGroup)["send"] is send
    for folder in ("a", "b"):
        trace = open_recording(tmp_path / folder).trace
        assert [s.step for s in trace if s.kind == "all-reduce"] == [0, 1]


def reduced(x):
    y = x * 2
    dist.all_reduce(y)
    return y + 1


def reduced_to_the_largest(x):
    y = x * 2
    dist.all_reduce(y, dist.ReduceOp.MAX)
    return y + 1


def gathered(x):
    out = torch.empty_like(x)
    dist.all_gather_into_tensor(out, x)
    return out * 2


def reduced_functionally(x):
    functional = torch.distributed._functional_collectives
    return functional.all_reduce(x * 2, "sum", dist.group.WORLD) + 1


def spread(x):  # torch cannot compile a broadcast
    y = x * 2
    dist.broadcast(y, 0)
    return y + 1


class Plain(torch.optim.Optimizer):
    """An optimizer whose update torch compiles into one graph."""

    def __init__(self, parameters):
        super().__init__(parameters, {})

    @torch.no_grad()
    def step(self, closure=None):
        for parameter in self.param_groups[0]["params"]:
            parameter.sub_(parameter.grad, alpha=0.1)


@pytest.mark.parametrize(
    ("make", "whole"), [(Plain, True), (Plain, False), (torch.optim.SGD, False)]
)
@pytest.mark.filterwarnings("ignore:.torch.jit.script_method:DeprecationWarning")
def test_a_compiled_update_has_the_same_graphs_and_a_message_says_that_it_is_not_recorded(
    tmp_path, capsys, make, whole
):
    from torch._dynamo import reset, utils

    def job(folder):
        reset()
        utils.counters.clear()
        torch.manual_seed(0)
        model = nn.Linear(4, 4)
        optimizer = make(model.parameters())
        update = torch.compile(lambda: optimizer.step(), backend="eager", fullgraph=whole)
        with record(model, optimizer, folder) if folder else contextlib.nullcontext():
            for _ in range(3):
                optimizer.zero_grad()
                model(torch.ones(2, 4)).sum().backward()
                update()
        breaks = sum(utils.counters["graph_break"].values())
        return model.weight.tolist(), utils.counters["stats"]["unique_graphs"], breaks

    wanted = job(None)
    assert job(tmp_path) == wanted
    assert open_recording(tmp_path).trace.steps == []
    assert "has updated the model outside of compiled code" in capsys.readouterr().err


def spread_often(x):
    y = x * 2
    dist.broadcast(y, 0)
    dist.all_reduce(y, async_op=True).wait()
    dist.broadcast(y, src=0, async_op=True).wait()
    return y + 1


@pytest.mark.filterwarnings("ignore::UserWarning:torch._dynamo")
def test_collectives_between_graphs_are_recorded_and_the_recorder_is_not_compiled(
    tmp_path, group, caplog
):
    model = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    compiled = torch.compile(spread_often, backend="eager")
    torch._dynamo.reset()
    with record(model, optimizer, tmp_path):
        for number in range(8):
            model(torch.ones(2, 4)).sum().backward()
            assert compiled(torch.ones([2] * (number + 1))).sum() == 3 * 2 ** (number + 1)
            optimizer.step()
    trace = open_recording(tmp_path).trace
    assert [s.step for s in trace if s.kind == "broadcast"] == sorted([*range(8)] * 2)
    warned = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert not [text for text in warned if "recorder/collectives.py" in text]


WHOLE = [reduced, reduced_to_the_largest, gathered, reduced_functionally]
COMPILED = [(one, whole) for one in WHOLE for whole in (True, False)] + [(spread, False)]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize(("function", "whole"), COMPILED)
@pytest.mark.filterwarnings("ignore::UserWarning:torch._dynamo")
def test_compiled_collectives_give_the_same_results_and_graphs_with_a_recording(
    tmp_path, group, capsys, function, whole, backend
):
    from torch._dynamo import reset, utils

    def job(folder):
        reset()
        utils.counters.clear()
        torch.manual_seed(0)
        model = nn.Linear(4, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        compiled = torch.compile(function, backend=backend, fullgraph=whole)
        found = []
        with record(model, optimizer, folder) if folder else contextlib.nullcontext():
            for number in range(3):
                optimizer.zero_grad()
                y = model(torch.ones(2, 4))
                y.sum().backward()
                found.append(compiled(torch.full((number + 2,), 3.0)).tolist())
                optimizer.step()
        breaks = sum(utils.counters["graph_break"].values())
        return found, utils.counters["stats"]["unique_graphs"], breaks == 0

    wanted = job(None)
    assert job(tmp_path) == wanted
    assert open_recording(tmp_path).trace.steps == [0, 1, 2]
    printed = capsys.readouterr()
    assert "bubblescope" not in printed.out + printed.err
