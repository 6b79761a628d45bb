"""Memory of a job's ranks in its recording."""

import gc
import weakref

import pytest

from core.recording.recording import open_recording

torch = pytest.importorskip("torch")

from bubblescope.recorder import memory, rank_writer  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

from bubblescope import record  # noqa: E402

ROWS, WIDTH = 8, 64


def train(model, optimizer, steps=3):
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(torch.ones(ROWS, WIDTH)).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def recorded(folder, model):
    """The trace of a job that trains the model, and its losses."""
    torch.manual_seed(1)
    optimizer = torch.optim.Adam(model.parameters())
    with record(model, optimizer, folder):
        losses = train(model, optimizer)
    return open_recording(folder).trace, losses


def layers(kind=nn.ReLU):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(WIDTH, WIDTH), kind(), nn.Linear(WIDTH, WIDTH))


def values(trace, name):
    return trace.counter(name, 0).values.tolist()


def test_a_job_records_the_memory_of_its_rank(tmp_path):
    trace, _ = recorded(tmp_path, layers())
    whole = 4 * 2 * (WIDTH * WIDTH + WIDTH)
    assert values(trace, "parameters") == values(trace, "gradients") == [whole]
    # Adam has two moments for each parameter, and a step count for each of four tensors.
    assert values(trace, "optimizer") == [2 * whole + 4 * 4]
    # Kept for the backward pass: the input of the first layer and of the last, which is what the
    # ReLU has kept too. At the end of a step nothing is kept.
    assert values(trace, "activations") == [2 * ROWS * WIDTH * 4, 0] * 3
    assert trace.counter("activations", 0).steps.tolist() == [0, 0, 1, 1, 2, 2]


class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh())

    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=False)


class Outside(nn.Sequential):
    def forward(self, x):
        return checkpoint(super().forward, x, use_reentrant=False)


@pytest.mark.parametrize("inside", [True, False], ids=["inside a block", "around all blocks"])
def test_checkpoints_themselves_decide_which_tensors_are_kept(tmp_path, inside):
    def model():
        found = layers(Checkpointed)
        return found if inside else Outside(*found)

    torch.manual_seed(1)
    plain = model()
    wanted = train(plain, torch.optim.Adam(plain.parameters()))
    trace, losses = recorded(tmp_path, model())
    assert losses == wanted
    held = max(values(trace, "activations"), default=0)
    assert held <= 3 * ROWS * WIDTH * 4


class Transformed(nn.Module):
    """A block that uses torch.func and torch.vmap, which refuse to run under saved-tensor hooks."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        slope = torch.func.grad(lambda y: self.inner(y).square().sum())(x)
        scaled = torch.vmap(lambda row: row / (1 + row.norm()))(slope)
        return self.inner(x) + scaled


def test_a_block_that_uses_transforms_of_torch_func_trains_as_without_a_recording(tmp_path):
    plain = layers(Transformed)
    torch.manual_seed(1)
    wanted = train(plain, torch.optim.Adam(plain.parameters()))
    original = torch.autograd.graph.disable_saved_tensors_hooks
    trace, losses = recorded(tmp_path, layers(Transformed))
    assert losses == wanted
    assert max(values(trace, "activations")) >= 2 * ROWS * WIDTH * 4
    assert torch.autograd.graph.disable_saved_tensors_hooks is original


class Momentum(torch.optim.Optimizer):
    """An optimizer whose state is a tensor for each parameter, and no dictionary."""

    def __init__(self, parameters):
        super().__init__(parameters, {})

    def step(self):
        for parameter in self.param_groups[0]["params"]:
            with torch.no_grad():
                moment = self.state.setdefault(parameter, torch.zeros_like(parameter))
                moment.mul_(0.9).add_(parameter.grad)
                parameter.sub_(0.1 * moment)


def test_the_state_of_any_optimizer_is_counted(tmp_path):
    model = layers()
    with record(model, None, tmp_path):
        train(model, Momentum(model.parameters()))
    trace = open_recording(tmp_path).trace
    assert trace.steps == [0, 1, 2]
    assert values(trace, "optimizer") == [4 * 2 * (WIDTH * WIDTH + WIDTH)]


def test_after_an_error_of_the_recorder_no_hook_keeps_tensors(tmp_path, monkeypatch):
    model, seen = layers(), []

    def fail(*_):
        raise KeyError("no such name")

    monkeypatch.setattr("bubblescope.recorder.hooks.BlockHooks._end_forward", fail)
    with record(model, torch.optim.SGD(model.parameters(), lr=0.1), tmp_path):
        train(model, torch.optim.SGD(model.parameters(), lr=0.1))
        seen.append(torch._C._autograd._top_saved_tensors_default_hooks(False))
    assert seen == [None]


class Scale(torch.autograd.Function):
    """A function whose backward pass uses an attribute of a saved parameter, as Megatron's does."""

    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        weight.main_grad += (gradient * x).sum(0)
        return gradient * weight, None


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))
        self.weight.main_grad = torch.zeros(WIDTH)

    def forward(self, x):
        return Scale.apply(x, self.weight)


def test_a_parameter_that_is_saved_keeps_its_attributes_in_the_backward_pass(tmp_path):
    plain = layers(Scaled)
    torch.manual_seed(1)
    wanted = train(plain, torch.optim.Adam(plain.parameters()))
    model = layers(Scaled)
    trace, losses = recorded(tmp_path, model)
    assert losses == wanted
    assert torch.equal(model[1].weight.main_grad, plain[1].weight.main_grad)
    # The inputs of the three layers. The first one's is the batch, and all have one size.
    assert values(trace, "activations") == [3 * ROWS * WIDTH * 4, 0] * 3


def test_a_pass_without_a_backward_pass_keeps_no_tensors(tmp_path):
    model = layers(nn.Tanh)
    optimizer = torch.optim.Adam(model.parameters())
    kept = []
    model[1].register_forward_hook(lambda module, inputs, output: kept.append(weakref.ref(output)))
    with record(model, optimizer, tmp_path):
        train(model, optimizer, steps=1)
        for rows in range(1, 9):  # a validation without no_grad, over texts of different lengths
            model(torch.ones(rows, WIDTH))
        gc.collect()
        assert [output() for output in kept] == [None] * 9


def test_a_saved_tensor_that_is_changed_in_place_is_an_error_of_the_job(tmp_path):
    model = layers(nn.Tanh)
    model[1].register_forward_hook(lambda module, inputs, output: output.mul_(2))
    with (
        pytest.raises(RuntimeError, match="modified by an inplace operation"),
        record(model, torch.optim.Adam(model.parameters()), tmp_path),
    ):
        model(torch.ones(ROWS, WIDTH)).sum().backward()


def penalized(model, steps=3):
    """Train with a gradient penalty; return the losses and the parameters."""
    torch.manual_seed(1)
    optimizer = torch.optim.Adam(model.parameters())
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        x = torch.rand(ROWS, WIDTH, requires_grad=True)
        loss = model(x).square().mean()
        slopes = torch.autograd.grad(loss, [x, *model.parameters()], create_graph=True)
        (loss + sum(slope.square().sum() for slope in slopes)).backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, list(model.parameters())


def test_a_gradient_penalty_is_the_same_with_a_recording_and_without(tmp_path):
    wanted, parameters = penalized(layers(nn.Tanh))
    model = layers(nn.Tanh)
    with record(model, None, tmp_path):
        losses, found = penalized(model)
    assert losses == wanted
    assert all(map(torch.equal, found, parameters))


def test_two_backward_passes_of_one_graph_are_the_same_with_a_recording_and_without(tmp_path):
    def slopes(model):
        loss = model(torch.ones(ROWS, WIDTH)).square().mean()
        loss.backward(retain_graph=True)
        loss.backward()
        return [parameter.grad for parameter in model.parameters()]

    wanted = slopes(layers(nn.Tanh))
    with record(model := layers(nn.Tanh), None, tmp_path):
        found = slopes(model)
    assert all(map(torch.equal, found, wanted))


def test_older_versions_of_torch_find_the_same_saved_tensors(monkeypatch):
    def found():
        memory._saved_names.cache_clear()
        return sorted(tensor.data_ptr() for tensor in memory.saved_tensors([output]))

    output = nn.TransformerEncoderLayer(WIDTH, 4)(torch.ones(ROWS, 2, WIDTH)) + torch.ones(1)
    wanted = found()
    monkeypatch.setattr(memory, "TELLS_HOOKS", False)
    assert found() == wanted
    assert len(wanted) > 10
    memory._saved_names.cache_clear()


def test_a_job_whose_batches_all_differ_keeps_a_bounded_number_of_plans_and_sizes(
    tmp_path, monkeypatch
):
    model = layers()
    tasks = 3 + 1 + 3 + 1  # of a step: the forward passes, the loss, the backward passes, an update
    monkeypatch.setattr(rank_writer, "MOST_PLANNED", 4 * tasks, raising=False)
    monkeypatch.setattr(memory, "MOST_SIZES", 6, raising=False)
    counts = [*range(1, 21), 1, 20]  # the first one recurs when it has been forgotten
    with record(model, optimizer := torch.optim.SGD(model.parameters(), lr=0.1), tmp_path) as run:
        for rows in counts:
            model(torch.ones(rows, WIDTH)).square().mean().backward()
            optimizer.step()
    assert len(run._stream._plans) == 4
    assert len(run._hooks._activations._sizes) == 6
    trace = open_recording(tmp_path).trace
    passes = [span.rows for span in trace if span.kind == "forward" and span.block == 0]
    assert passes == counts
    # The inputs of the two linear layers; see above.
    assert values(trace, "activations")[::2] == [2 * rows * WIDTH * 4 for rows in counts]
