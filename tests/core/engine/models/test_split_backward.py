from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.multiprocessing.reductions import StorageWeakRef  # noqa: E402
from torch.nn import functional  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

from core.engine.models.modules import build_blocks  # noqa: E402
from core.engine.models.split_backward import stage_backward_input, stage_backward_weight  # noqa: E402
from core.models.catalogue import ModelSettings  # noqa: E402

WIDTH = 4
PARAMETERS = 4  # of each sort; the last of each is frozen


class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return torch.sin(x) * scale

    @staticmethod
    def backward(ctx, gradient):
        x, scale = ctx.saved_tensors
        return gradient * torch.cos(x) * scale, (gradient * torch.sin(x)).sum(0)


def swapped(x):
    first, second = x.chunk(2, dim=1)
    return torch.cat([second, first * 2], dim=1)


STEPS = {
    "linear": lambda g, a, b, k, n: functional.linear(a, g.weights[k], g.biases[n]),
    "matmul": lambda g, a, b, k, n: a @ g.transposed(k),
    "made weight": lambda g, a, b, k, n: a @ torch.tanh(g.weights[k] @ g.weights[n]),
    "scale": lambda g, a, b, k, n: a * g.biases[k],
    "shift": lambda g, a, b, k, n: a + g.rows[: len(a)],
    "norm": lambda g, a, b, k, n: functional.layer_norm(a, (WIDTH,), g.biases[k], g.biases[n]),
    "custom": lambda g, a, b, k, n: Sine.apply(a, g.biases[k]),
    "checkpoint": lambda g, a, b, k, n: checkpoint(
        lambda x: torch.tanh(functional.linear(x, g.weights[k])), a, use_reentrant=False
    ),
    "tanh": lambda g, a, b, k, n: torch.tanh(a),
    "gelu": lambda g, a, b, k, n: functional.gelu(a),
    "add": lambda g, a, b, k, n: a + b,
    "multiply": lambda g, a, b, k, n: a * b,
    "swap": lambda g, a, b, k, n: swapped(a),
    "in place": lambda g, a, b, k, n: (a * 1.5).add_(b),
    "cut": lambda g, a, b, k, n: a.detach(),
    "parameter": lambda g, a, b, k, n: g.weights[k] * 1.0,
}


class Graph(nn.Module):
    """A random program: each step takes two earlier values and two parameters by number."""

    def __init__(self, steps, outputs):
        super().__init__()
        torch.manual_seed(0)
        self.steps, self.outputs = steps, outputs
        self.weights = nn.ParameterList([torch.randn(WIDTH, WIDTH) for _ in range(PARAMETERS)])
        self.biases = nn.ParameterList([torch.randn(WIDTH) for _ in range(PARAMETERS)])
        self.rows = nn.Parameter(torch.randn(WIDTH, WIDTH))
        self.weights[-1].requires_grad_(False)
        self.biases[-1].requires_grad_(False)
        self.double()

    def transposed(self, index):
        """One node for all uses, so that junctions share more than a parameter."""
        if index not in self.seen:
            self.seen[index] = self.weights[index].t()
        return self.seen[index]

    def forward(self, x):
        self.seen = {}
        values = [x]
        for name, a, b, k, n in self.steps:
            a, b = values[a % len(values)], values[b % len(values)]
            values.append(STEPS[name](self, a, b, k, n))
        return [values[-1 - back % len(values)] for back in self.outputs]


NUMBER = st.integers(0, 20)
INDEX = st.integers(0, PARAMETERS - 1)
GRAPHS = st.builds(
    Graph,
    st.lists(st.tuples(st.sampled_from(sorted(STEPS)), NUMBER, NUMBER, INDEX, INDEX), max_size=12),
    st.lists(st.integers(0, 3), min_size=1, max_size=2),
)


def gradients_of(module):
    return {name: p.grad for name, p in module.named_parameters() if p.grad is not None}


def plain(module, batches):
    """The gradients of the inputs and of the parameters by whole backward passes."""
    module.zero_grad()
    results = []
    for x, gradients in batches:
        x = x.detach().requires_grad_(x.requires_grad)
        pairs = [(y, g) for y, g in zip(module(x), gradients, strict=True) if y.requires_grad]
        if pairs:
            torch.autograd.backward(*zip(*pairs, strict=True))
        results.append(x.grad)
    return results, gradients_of(module)


def split(module, batches):
    """The same in two parts: all inputs' gradients first, then the weight passes in reverse."""
    module.zero_grad()
    results, later = [], []
    for x, gradients in batches:
        x = x.detach().requires_grad_(x.requires_grad)
        (found,), rest = stage_backward_input(module(x), gradients, [x])
        assert gradients_of(module) == {} and x.grad is None
        results.append(found)
        later.append(rest)
    for rest in reversed(later):
        stage_backward_weight(rest)
    return results, gradients_of(module)


def assert_same(module, batches):
    wanted_inputs, wanted = plain(module, batches)
    wanted = {name: gradient.clone() for name, gradient in wanted.items()}
    inputs, found = split(module, batches)
    assert found.keys() == wanted.keys()
    for name, gradient in wanted.items():
        torch.testing.assert_close(found[name], gradient, msg=name)
    for one, other in zip(inputs, wanted_inputs, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            torch.testing.assert_close(one, other)


def batches_for(module, x, count=2):
    outputs = [y.detach() for y in module(x)]
    return [(torch.randn_like(x).requires_grad_(x.requires_grad) if x.is_floating_point() else x,
             [torch.randn_like(y) for y in outputs]) for _ in range(count)]  # fmt: skip


@settings(max_examples=150)
@given(GRAPHS, st.booleans())
def test_two_parts_give_the_gradients_of_one_on_any_graph(graph, trained_input):
    x = torch.randn(WIDTH, WIDTH, dtype=torch.float64, requires_grad=trained_input)
    assert_same(graph, batches_for(graph, x))


class Alone(nn.Module):
    """A module of one output, as a graph of several."""

    def __init__(self, *modules):
        super().__init__()
        self.inner = nn.Sequential(*modules)

    def forward(self, x):
        return [self.inner(x)]


BLOCKS = {
    "mlp": (ModelSettings("mlp", width=8, depth=4), slice(0, 4), (3, 8)),
    "attention": (
        ModelSettings("gpt", width=8, depth=3, heads=2, sequence=5), slice(1, 5), (3, 5, 8),
    ),
    "bottlenecks": (ModelSettings("resnet50", image_size=32), slice(0, 3), (2, 3, 32, 32)),
}  # fmt: skip


@pytest.mark.parametrize("name", BLOCKS)
def test_two_parts_give_the_gradients_of_one_on_the_built_in_blocks(name):
    model, blocks, shape = BLOCKS[name]
    torch.manual_seed(0)
    module = Alone(*build_blocks(model)[blocks]).double()
    x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    assert_same(module, batches_for(module, x))


class Counting(TorchDispatchMode):
    """Counts the operators that run."""

    def __init__(self):
        super().__init__()
        self.counts = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.counts[func.overloadpacket.__name__] += 1
        return func(*args, **(kwargs or {}))


PRODUCTS = (
    "mm",
    "bmm",
    "convolution_backward",
    "_scaled_dot_product_flash_attention_for_cpu_backward",
)


def products(counting):
    return {name: counting.counts[name] for name in PRODUCTS if counting.counts[name]}


@pytest.mark.parametrize("name", ["mlp", "attention"])
def test_no_product_of_a_backward_is_computed_twice(name):
    model, blocks, shape = BLOCKS[name]
    module = Alone(*build_blocks(model)[blocks])
    x = torch.randn(shape, requires_grad=True)
    y, again = module(x)[0], module(x)[0]
    gradient = torch.randn_like(y)
    with Counting() as whole:
        y.backward(gradient)
    with Counting() as first:
        _, rest = stage_backward_input([again], [gradient], [x])
    with Counting() as second:
        stage_backward_weight(rest)
    linears = sum(isinstance(m, nn.Linear) for m in module.modules())
    assert products(whole)["mm"] == 2 * linears
    assert second.counts["mm"] == linears
    assert sum((first.counts, second.counts), Counter()).keys() >= products(whole).keys()
    assert {k: first.counts[k] + second.counts[k] for k in products(whole)} == products(whole)


def test_without_an_input_that_is_trained_all_is_left_to_the_weight_pass():
    model, _, _ = BLOCKS["attention"]
    module = Alone(*build_blocks(model))
    tokens = torch.randint(0, 256, (3, 5))
    y = module(tokens)[0]
    with Counting() as first:
        found, rest = stage_backward_input([y], [torch.ones_like(y)], [tokens])
    assert found == [None] and not first.counts["mm"]
    stage_backward_weight(rest)
    assert_same(module, batches_for(module, tokens))


def test_without_parameters_nothing_is_left_to_the_weight_pass():
    x = torch.randn(3, 4, requires_grad=True)
    y = functional.gelu(x) + x
    (found,), rest = stage_backward_input([y], [torch.ones_like(y)], [x])
    assert rest.groups == [] and list(rest.tensors()) == []
    stage_backward_weight(rest)
    torch.testing.assert_close(found, torch.autograd.grad((functional.gelu(x) + x).sum(), x)[0])


def test_an_input_that_is_the_output_gets_its_gradient():
    x, gradient = torch.randn(3, requires_grad=True), torch.randn(3)
    (found,), rest = stage_backward_input([x], [gradient], [x])
    assert torch.equal(found, gradient) and rest.groups == []


def test_an_output_that_depends_on_nothing_leaves_nothing_to_do():
    x = torch.randn(3, requires_grad=True)
    found, rest = stage_backward_input([torch.zeros(3)], [torch.ones(3)], [x])
    assert found == [None] and rest.groups == []


@pytest.mark.parametrize("times", [1, 3])
def test_hooks_of_the_models_tensors_and_parameters_act_once(times):
    class Hooked(nn.Module):
        def __init__(self, times):
            super().__init__()
            self.times = times
            self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
            self.second.weight.register_hook(lambda g: 3 * g)
            self.second.bias.register_hook(lambda g: 3 * g)

        def forward(self, x):
            y = self.first(x)
            if y.requires_grad:
                y.register_hook(lambda g: 2 * g)
            for _ in range(self.times):
                y = self.second(y)
                if y.requires_grad:
                    y.register_hook(lambda g: g - 1)
            return [y]

    module = Hooked(times)
    assert_same(module, batches_for(module, torch.randn(3, 4, requires_grad=True)))


def test_a_graph_of_ten_thousand_nodes_in_a_row_is_no_trouble():
    weight, x = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    y = x * weight
    for _ in range(10_000):
        y = y + 1
    (found,), rest = stage_backward_input([y], [torch.ones(1)], [x])
    stage_backward_weight(rest)
    assert found == 1 and weight.grad == 1


def test_tensors_of_the_input_pass_alone_are_freed_before_the_weight_pass():
    first, second = nn.Linear(4, 5), nn.Linear(5, 3)
    x = torch.randn(2, 4, requires_grad=True)
    before = first(x)
    after = functional.gelu(before)
    y = second(after)
    of_gelu, of_second = (StorageWeakRef(t.untyped_storage()) for t in (before, after))
    del before, after
    _, rest = stage_backward_input([y], [torch.ones_like(y)], [x])
    del y
    assert of_gelu.expired() and not of_second.expired()
    # Held: the input of each linear layer, its gradient, and its parameter.
    shapes = {tuple(t.shape) for t in rest.tensors()}
    assert {(2, 4), (2, 5), (2, 3)} <= shapes
    sizes = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in rest.tensors()
             if t.shape[0] == 2}  # fmt: skip
    assert sum(sizes.values()) == 4 * (2 * 4 + 2 * 5 + 2 * 5 + 2 * 3)
    stage_backward_weight(rest)
    del rest
    assert of_second.expired()


def test_between_junctions_that_share_a_parameter_nodes_that_run_again_are_kept():
    shared, last = nn.Linear(4, 4), nn.Linear(4, 4)
    x = torch.randn(2, 4, requires_grad=True)
    once = shared(x)
    inside = functional.gelu(once)
    twice = shared(inside)
    outside = functional.gelu(twice)
    y = last(outside)
    of_inside, of_outside = (StorageWeakRef(t.untyped_storage()) for t in (once, twice))
    wanted = torch.autograd.grad(y.sum(), [*shared.parameters()], retain_graph=True)
    del once, inside, twice, outside
    _, rest = stage_backward_input([y], [torch.ones_like(y)], [x])
    assert of_outside.expired() and not of_inside.expired()
    stage_backward_weight(rest)
    for parameter, gradient in zip(shared.parameters(), wanted, strict=True):
        torch.testing.assert_close(parameter.grad, gradient)
