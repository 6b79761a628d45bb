import pytest

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.plan.task import Kind
from core.report.summary import summarise
from tests.core.helpers import SMALL, run_here

torch = pytest.importorskip("torch")

SPECIFICATIONS = [
    Specification("single", SMALL, "2xcpu", batch=8),
    Specification("dp", SMALL, "3xcpu", batch=8),
    Specification("mp", SMALL, "3xcpu", batch=8),
    Specification("tp", SMALL, "4xcpu", batch=8),
    Specification(schedule="1f1b", model=SMALL, devices="3xcpu", batch=8),
    Specification(schedule="gpipe", model=SMALL, devices="2xcpu", batch=9, split_size=2),
    Specification(schedule="split", model=SMALL, devices="2xcpu", batch=9, stages=4),
]


@pytest.mark.parametrize("specification", SPECIFICATIONS, ids=lambda s: s.schedule or s.strategy)
def test_spans_of_a_lane_never_overlap_and_none_starts_before_its_dependencies_end(specification):
    trace = run_here(specification)
    assert trace.steps == list(range(7))
    for lane in range(len(trace.header.lanes)):
        spans = trace.spans(lane)
        assert (spans["start"][1:] >= spans["end"][:-1]).all()
    for span in trace:
        for task in span.after:
            assert span.start >= trace.find(span.step, task).end


@pytest.mark.parametrize("specification", SPECIFICATIONS, ids=lambda s: s.schedule or s.strategy)
def test_every_task_of_the_plan_is_run_once_in_every_step(specification):
    from tests.core.helpers import plan_of

    tasks = [task.index for task in plan_of(specification).tasks]
    trace = run_here(specification)
    for step in trace.steps:
        assert sorted(span.task for span in trace if span.step == step) == tasks


@pytest.mark.parametrize(
    ("devices", "splits"),
    [
        ("2xcpu", ((15, 15), (15, 15), (15, 15), (5, 5))),
        ("8xcpu", (*[(4, 4, 4, 4, 4, 4, 4, 2)] * 3, (2, 2, 2, 2, 2, 0, 0, 0))),
    ],
)
def test_the_data_parallel_tutorials_tables_are_reproduced_exactly(devices, splits):
    specification = Specification(
        "dp", ModelSettings("tutorial"), devices, batch=30, data=100, warmup=0
    )
    trace = run_here(specification)
    assert summarise(trace).splits == splits
    lines = [row.text for row in trace.logs if row.level == "size"]
    for rows in {row for split in splits for row in split if row}:
        assert f"In Model: input size [{rows}, 5] output size [{rows}, 2]" in lines
    assert lines.count("Outside: input size [30, 5] output_size [30, 2]") == 3
    assert lines.count("Outside: input size [10, 5] output_size [10, 2]") == 1


def test_1f1b_holds_fewer_activations_than_gpipe():
    def peak(schedule):
        specification = Specification(
            model=ModelSettings("mlp", width=32, depth=4),
            devices="2xcpu",
            schedule=schedule,
            batch=128,
            microbatches=16,
        )
        trace = run_here(specification)
        batch = 128 * 32 * 4  # which lane 0 holds in both
        return max(trace.counter("activations", 0).values) - batch

    assert peak("1f1b") < 0.2 * peak("gpipe")


def test_memory_held_at_a_steps_end_is_parameters_gradients_and_state():
    specification = Specification("single", SMALL, "1xcpu", batch=8, optimizer="adam")
    trace = run_here(specification)
    parameters = trace.header.model.parameter_bytes
    assert set(trace.counter("parameters", 0).values) == {parameters}
    assert max(trace.counter("gradients", 0).values) == parameters
    # Two moments for each parameter, and a step count for each of its tensors.
    state = trace.counter("optimizer", 0).values[-1]
    assert 2 * parameters < state <= 2 * parameters + 4 * 2 * 6
    rows = 8 * 16 * 4
    # The batch alone is left when the backward pass is over; the target is not an activation.
    assert trace.counter("activations", 0).values[-1] == rows


def test_dp_replicas_hold_their_own_rows_and_lane_0_also_the_batch_and_the_outputs():
    trace = run_here(Specification("dp", SMALL, "3xcpu", batch=8, steps=2))
    row = 16 * 4
    held = [trace.counter("activations", lane) for lane in range(3)]
    # A replica: what comes into each of six blocks, and what comes out of the last one.
    kept = [rows * row * (1 + 6) for rows in (3, 3, 2)]
    # Lane 0: the batch and, at the most, the whole gradient as it hands out the replicas' rows.
    assert max(held[0].values) == 8 * row + kept[0] + 8 * row + 3 * row
    assert [max(lane.values) for lane in held[1:]] == kept[1:]
    for step in range(4):
        left = [lane.values[lane.steps == step][-1] for lane in held]
        assert left == [8 * row, 0, 0]


def test_replicas_in_pipelines_hold_the_rows_of_their_own_micro_batches():
    trace = run_here(Specification("dp-pp", SMALL, "4xcpu", batch=7, microbatches=2, steps=2))
    left = [trace.counter("activations", lane).values[-1] for lane in (0, 2)]
    assert left == [4 * 16 * 4, 3 * 16 * 4]


def test_saved_activations_are_counted_by_storage():
    specification = Specification("single", SMALL, "1xcpu", batch=8, warmup=0, steps=1)
    trace = run_here(specification)
    rows = 8 * 16 * 4
    forward = next(span for span in trace if span.kind is Kind.FORWARD)
    after = trace.counter("activations", 0)
    held = after.values[after.times >= forward.end][0]
    # The batch and what comes out of each of six blocks, which is also what goes into the next.
    assert held == rows * (1 + 6)


def test_the_same_seed_gives_the_same_losses():
    def losses(seed):
        trace = run_here(Specification("dp", SMALL, "2xcpu", batch=8, seed=seed))
        return [step.loss for step in summarise(trace).steps]

    assert losses(1) == losses(1) != losses(2)


def test_training_lowers_the_loss():
    specification = Specification(
        model=ModelSettings("toymodel"), devices="2xcpu", batch=20, steps=60, lr=0.1
    )
    steps = summarise(run_here(specification)).steps
    assert steps[-1].loss < 0.9 * steps[0].loss


def test_an_exception_of_a_task_ends_the_run_with_its_own_message(tmp_path):
    model = tmp_path / "broken.py"
    model.write_text(
        "import torch\n"
        "class Broken(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        if x.requires_grad:\n"
        "            raise RuntimeError('the second block is broken')\n"
        "        return x\n"
        "def build(): return [torch.nn.Linear(4, 4), Broken()]\n"
        "def batch(rows, generator): return torch.randn(rows, 4), torch.randn(rows, 4)\n"
    )
    with pytest.raises(RuntimeError, match="the second block is broken"):
        run_here(Specification(model=ModelSettings(str(model)), devices="2xcpu", batch=8))
