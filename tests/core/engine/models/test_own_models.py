"""Models of the user's own that are a little out of the ordinary."""

import runpy

import pytest

from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.plan.task import Kind
from core.report.summary import summarise
from core.trace.verified import verified
from tests.core.helpers import run_here

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from core.engine.models.workload import build_workload, verification_notes  # noqa: E402

HEAD = """
import torch
from torch import nn
def batch(rows, generator):
    return torch.randn(rows, 8, generator=generator), torch.zeros(rows, 8)
"""
FROZEN = """
def build():
    frozen = nn.Linear(8, 8)
    for parameter in frozen.parameters():
        parameter.requires_grad_(False)
    return [frozen, nn.Tanh(), nn.Linear(8, 8), nn.Linear(8, 8)]
"""
NO_PARAMETERS_FIRST = """
def build():
    return [nn.Flatten(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 8)]
"""
TIED = """
def build():
    a, b = nn.Linear(8, 8), nn.Linear(8, 8)
    b.weight = a.weight
    return [a, nn.Tanh(), nn.Linear(8, 8), b]
"""
TWICE = """
def build():
    a = nn.Linear(8, 8)
    return [a, nn.Tanh(), nn.Linear(8, 8), a]
"""
WRITES_TO_ITS_INPUT = """
class Double(nn.Module):
    def forward(self, x):
        return x.mul_(2)
def build():
    return [Double(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 8)]
"""
WHOLE_NUMBERS = """
class Round(nn.Module):
    def forward(self, x):
        return (x * 10).long().clamp(0, 9)
def build():
    embedding = nn.Sequential(nn.Embedding(10, 1), nn.Flatten())
    return [nn.Flatten(), Round(), embedding, nn.Linear(8, 8)]
"""
ANY_MODULE = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 8), nn.Linear(8, 8)
        self.inner = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))
        self.rest, self.rectify = nn.Dropout(0.0), nn.ReLU(inplace=True)
    def forward(self, x):
        x = self.rectify(self.first(x))
        for layer in self.inner:
            x = x + self.rest(torch.tanh(layer(x)))
        places = torch.arange(x.shape[1]).expand(x.shape[0], -1)
        return self.last(x.reshape(x.size(0), -1) + places)
def build():
    return Net()
"""
LOSS = """
def build(): return [nn.Linear(8, 8), nn.Linear(8, 8)]
def loss(o, t): return {}
"""
MODELS = {
    "frozen": FROZEN,
    "no parameters first": NO_PARAMETERS_FIRST,
    "tied": TIED,
    "twice": TWICE,
    "writes to its input": WRITES_TO_ITS_INPUT,
    "whole numbers": WHOLE_NUMBERS,
    "any module": ANY_MODULE,
}


def own(folder, code):
    path = folder / "mine.py"
    path.write_text(HEAD + code)
    return ModelSettings(str(path))


CASES = [
    (name, strategy)
    for name in MODELS
    for strategy in ("single", "dp", "mp", "pipeline")
    # Micro-batches are views of one batch: autograd refuses to have one written to.
    if (name, strategy) != ("writes to its input", "pipeline")
]


@pytest.mark.parametrize(("name", "strategy"), CASES)
def test_an_unusual_model_gives_the_whole_batchs_gradients(tmp_path, name, strategy):
    specification = Specification(
        strategy, own(tmp_path, MODELS[name]), "2xcpu", batch=7, steps=2, warmup=1, verify=True
    )
    if strategy in ("mp", "pipeline") and name in ("tied", "twice"):
        with pytest.raises(PlanError, match="stages 0 and 1 of mine share a parameter"):
            run_here(specification)
        return
    summary = summarise(run_here(specification))
    assert summary.gradient_error <= 1e-5 and summary.loss_error <= 1e-5


FROZEN_FIRST_STAGE = """
def build():
    frozen = [nn.Linear(8, 8).requires_grad_(False), nn.Linear(8, 8).requires_grad_(False)]
    last = nn.Linear(8, 8)
    last.bias.requires_grad_(False)
    return [*frozen, nn.Linear(8, 8), last]
"""


@pytest.mark.parametrize(
    "asked",
    [
        Specification("dp-pp", devices="4xcpu", batch=8, microbatches=2),
        Specification("dp-pp", devices="4xvirtual", batch=8, microbatches=2),
        Specification("pipeline", devices="2xcpu", batch=8, microbatches=4, schedule="chimera"),
    ],
    ids=lambda asked: f"{asked.strategy} {asked.devices}",
)
def test_only_gradients_of_trained_parameters_are_summed(tmp_path, asked):
    model = own(tmp_path, FROZEN_FIRST_STAGE)
    trace = run_here(asked.having(model=model, steps=2, warmup=0, verify=True))
    assert summarise(trace).gradient_error <= 1e-5
    reduces = [span for span in trace if span.kind is Kind.ALL_REDUCE and span.step == 0]
    # The first stage has no gradients; the second has those of 8 x 8 + 8 and 8 x 8 parameters.
    assert [(span.stage, span.bytes) for span in reduces] == [(1, 4 * (72 + 64))] * 2
    steps = [span for span in trace if span.kind is Kind.STEP and span.step == 0]
    for span in steps:
        waited = {trace.find(0, task).kind for task in span.after}
        alone = span.stage == 0
        assert (Kind.ALL_REDUCE in waited) != alone
        assert not alone or len(span.after) == 1


def test_data_parallel_reduces_only_gradients_of_trained_parameters(tmp_path):
    model = own(tmp_path, FROZEN_FIRST_STAGE)
    trace = run_here(Specification("dp", model, "3xcpu", batch=6, steps=1, warmup=0))
    sizes = {kind: set() for kind in (Kind.REDUCE, Kind.REPLICATE)}
    for span in trace:
        if span.kind in sizes:
            sizes[span.kind].add(span.bytes)
    assert sizes[Kind.REDUCE] == {2 * 4 * (72 + 64)}
    assert sizes[Kind.REPLICATE] == {4 * 4 * 72}


@pytest.mark.parametrize("name", ["frozen", "no parameters first", "tied"])
def test_ranks_time_the_backward_of_every_block_that_has_one(engine, tmp_path, name):
    model = own(tmp_path, MODELS[name])
    specification = Specification("ddp", model, "2xcpu", batch=7, steps=2, warmup=1, verify=True)
    trace = engine.finish(specification)
    assert summarise(trace).gradient_error <= 1e-5
    backwards = [span for span in trace if span.kind is Kind.BACKWARD]
    assert backwards and all(span.end > span.start for span in backwards)
    assert trace.open_tasks == []
    for span in trace:
        ended = [trace.find(span.step, task) for task in span.after]
        assert all(span.start >= other.end for other in ended if other is not None)
    # What a step holds is given back before the next: verifying does not add to it.
    last = trace.counter("activations", 0)
    assert last.values[last.steps == 1][-1] == 0


def test_ranks_refuse_a_block_that_is_listed_twice(tmp_path):
    from core.engine.hardware import find_hardware
    from core.engine.prepare import prepare

    specification = Specification("ddp", own(tmp_path, TWICE), "2xcpu", batch=7)
    with pytest.raises(PlanError, match="lists a block twice"):
        prepare(specification, find_hardware())


def test_a_comparison_that_means_little_is_announced(tmp_path):
    code = "def build(): return [nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Dropout(0.5)]"
    specification = Specification(
        "dp", own(tmp_path, code), "2xcpu", batch=8, steps=1, warmup=0, verify=True
    )
    said = [row.text for row in run_here(specification).logs if row.level == "warning"]
    assert any("the same split" in text for text in said)
    assert any("dropout" in text for text in said)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import sys; sys.exit('enough')", "cannot be imported: SystemExit: enough"),
        ("loss = 3\ndef build(): return [nn.Linear(8, 8)]", "loss is not a function"),
        ("def build(): return 3", "build() returned int"),
        ("def build(): raise SystemExit", "build() failed: SystemExit"),
        ("def build(): return []", "build() returned no block"),
        ("def build(): return nn.Sequential(nn.ReLU())", "without parameters to train"),
        ("def build(): return nn.Sequential(nn.LazyLinear(4))", "with lazy parameters"),
        ("def build(): return [nn.Tanh(), 3]", "build() returned a list with int"),
        (
            LOSS.format("((o - t) ** 2).mean(1)"),
            "loss() returned shape [2]; it must return a tensor of",
        ),
        (LOSS.format("0.5"), "loss() returned float"),
        (LOSS.format("o @ t"), "loss() failed: RuntimeError"),
    ],
)
def test_a_model_that_cannot_be_used_is_refused_by_name(tmp_path, code, words):
    with pytest.raises(PlanError) as refused:
        run_here(Specification(model=own(tmp_path, code), devices="2xcpu", batch=8))
    assert words in str(refused.value) and "mine.py" in str(refused.value)


def test_a_module_is_cut_where_one_tensor_passes_and_computes_the_same_for_any_rows(tmp_path):
    workload = build_workload(Specification(model=own(tmp_path, ANY_MODULE), batch=6))
    blocks = workload.blocks
    names = ["first", "inner.0", "inner.1", "inner.2", "inner.3", "last"]
    assert [block.name for block in workload.description.blocks] == names
    assert [[name for name, _ in block.named_parameters()] for block in blocks] == [
        [f"{name}.weight", f"{name}.bias"] for name in names
    ]
    assert verification_notes(workload) == []  # a dropout of nothing
    module = runpy.run_path(str(tmp_path / "mine.py"))["build"]()
    module.load_state_dict({n: p for block in blocks for n, p in block.named_parameters()})
    for rows in (6, 1, 3):
        x = workload.input[:rows]
        assert torch.equal(nn.Sequential(*blocks)(x), module(x))


@pytest.mark.parametrize(
    "code, why",
    [
        ("if x.sum() > 0: return self.a(x)\n        return x", "torch.export cannot cut it"),
        ("return self.a(x), x", "returns 2; it must take one and return one"),
    ],
)
def test_a_module_that_cannot_be_cut_is_refused_in_one_line(tmp_path, capfd, code, why):
    net = f"""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 8)
    def forward(self, x):
        {code}
def build(): return Net()
"""
    with pytest.raises(PlanError, match=why) as error:
        build_workload(Specification(model=own(tmp_path, net), batch=6))
    assert len(str(error.value).splitlines()) == 1
    assert capfd.readouterr().err == ""  # nor torch's own words about it


def test_a_configuration_of_transformers_is_a_model(tmp_path):
    pytest.importorskip("transformers")
    code = """
from transformers import GPT2Config
def build():
    return GPT2Config(n_layer=2, n_embd=16, n_head=2, vocab_size=32, n_positions=8, resid_pdrop=0,
        embd_pdrop=0, attn_pdrop=0, tie_word_embeddings=False, bos_token_id=0, eos_token_id=0)
def batch(rows, generator):
    return torch.randint(32, (rows, 8), generator=generator), torch.zeros(rows, 8).long()
def loss(output, target): return nn.functional.cross_entropy(output.flatten(0, 1), target.flatten())
"""
    job = Specification("pipeline", own(tmp_path, code), "2xcpu", batch=4, steps=1, verify=True)
    assert verified(run_here(job)).agrees


UNEVEN = """
class Slow(nn.Linear):
    def forward(self, x):
        for _ in range(40):
            x = torch.tanh(super().forward(x))
        return x
def build(): return [Slow(8, 8), Slow(8, 8), nn.Linear(8, 800), nn.Linear(800, 8)]
"""


def test_measured_times_are_balanced_and_the_run_says_at_which_borders(tmp_path):
    job = Specification("pipeline", own(tmp_path, UNEVEN), "2xvirtual", batch=8, steps=1)
    by_times = run_here(job.having(balance=True, verify=True))
    header = by_times.header
    assert header.specification.borders == "1"
    assert [cost.name for cost in header.block_costs] == [b.name for b in header.model.blocks]
    assert all(cost.forward_ns > 0 and cost.backward_ns > 0 for cost in header.block_costs)
    assert header.block_costs[0].input_ns < header.block_costs[1].input_ns  # data needs none
    assert verified(by_times).agrees
    with pytest.raises(PlanError, match="--lane-memory"):
        run_here(job.having(balance=True, lane_memory=1e-3))
