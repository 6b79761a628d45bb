"""Blocks that are split over lanes: their sum is the whole, forward and backward."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.models.catalogue import ModelSettings

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from core.engine.models.modules import build_blocks, built_in_batch, built_in_loss  # noqa: E402
from core.engine.models.shards import Shard, join, segments_of  # noqa: E402
from core.engine.models.workload import full_names  # noqa: E402

LIMIT = 1e-6


@st.composite
def models(draw):
    lanes = draw(st.integers(1, 4))
    if draw(st.booleans()):
        width = lanes * draw(st.integers(1, 5))
        return ModelSettings("mlp", width=width, depth=draw(st.integers(2, 6))), lanes
    heads = lanes * draw(st.integers(1, 2))
    width = heads * draw(st.integers(1, 4))
    depth, sequence = draw(st.integers(2, 3)), draw(st.integers(1, 6))
    return ModelSettings("gpt", width, depth, heads, sequence), lanes


def summed(partials):
    return sum(p.detach() for p in partials).requires_grad_()


def sharded_step(blocks, lanes, x, target, loss_of):
    """Output, loss and gradients by name as lanes compute them: apart, with all-reduces between."""
    segments, tail = segments_of(blocks)
    shards = [[Shard(segment, lane, lanes) for lane in range(lanes)] for segment in segments]
    entered, left = [], []
    for segment in shards:
        entered.append([x.detach().requires_grad_(x.is_floating_point()) for _ in segment])
        left.append([shard(mine) for shard, mine in zip(segment, entered[-1], strict=True)])
        x = summed(left[-1])
    y = nn.Sequential(*(layer.module for layer in tail))(x)
    loss = loss_of(y, target)
    loss.backward()
    gradient = x.grad
    for mine, outputs in zip(reversed(entered), reversed(left), strict=True):
        for output in outputs:
            output.backward(gradient)
        gradient = None if mine[0].grad is None else sum(one.grad for one in mine)
    found = {name: p.grad for layer in tail for name, p in layer.parameters.items()}
    for segment in shards:
        found |= joined_gradients(segment)
    return y, loss, gradient, found


def joined_gradients(segment):
    """Divided ones joined, those of parameters that every lane has added up."""
    mine = [{n: p.grad for n, p in shard.whole_names.items()} for shard in segment]
    total = {name: sum(one[name] for one in mine) for name in segment[0].repeated}
    return join([shard.slices for shard in segment], mine) | total


@settings(max_examples=15, deadline=None)
@given(models(), st.integers(1, 5), st.integers(0, 99))
def test_the_lanes_shards_add_up_to_the_whole_model_forward_and_backward(model, rows, seed):
    described, lanes = model
    torch.manual_seed(seed)
    blocks = [block.double() for block in build_blocks(described)]
    loss_of = built_in_loss(described.name)
    x, target = built_in_batch(described, rows, torch.Generator().manual_seed(seed))
    x, target = (t.double() if t.is_floating_point() else t for t in (x, target))

    y, loss, gradient, found = sharded_step(blocks, lanes, x, target, loss_of)
    nn.Sequential(*blocks).zero_grad()

    whole = x.clone().requires_grad_(x.is_floating_point())
    wanted = nn.Sequential(*blocks)(whole)
    wanted_loss = loss_of(wanted, target)
    wanted_loss.backward()
    assert (y - wanted).abs().max() <= LIMIT
    assert abs(loss.item() - wanted_loss.item()) <= LIMIT
    if gradient is not None:
        assert (gradient - whole.grad).abs().max() <= LIMIT
    parameters = full_names(blocks)
    assert set(found) == set(parameters)
    for name, parameter in parameters.items():
        assert found[name].shape == parameter.shape, name
        assert (found[name] - parameter.grad).abs().max() <= LIMIT, name


@given(models())
@settings(max_examples=8, deadline=None)
def test_the_shards_parameters_are_those_of_the_model_each_entry_once(model):
    described, lanes = model
    blocks = build_blocks(described)
    segments, tail = segments_of(blocks)
    parameters = full_names(blocks)
    for segment in segments:
        shards = [Shard(segment, lane, lanes) for lane in range(lanes)]
        cuts = [shard.slices for shard in shards]
        for name, tensor in join(cuts, [shard.whole_names for shard in shards]).items():
            assert torch.equal(tensor, parameters.pop(name)), name
        held = sum(shard.whole_names[name].numel() for shard in shards for name in shard.slices)
        assert (
            held
            == sum(layer.module.weight.numel() for layer in (segment.column, segment.row))
            + segment.column.module.bias.numel()
        )
    assert set(parameters) == {name for layer in tail for name in layer.parameters}


def test_blocks_of_another_form_are_refused():
    with pytest.raises(TypeError, match="block 0 does not begin with a linear layer"):
        segments_of([nn.Sequential(nn.ReLU(), nn.ReLU())])
