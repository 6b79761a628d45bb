"""Virtual lanes: all really runs, in virtual time by the rule by which steps are predicted."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.costs.costs import MOST_PASSES
from core.costs.meetings import meeting
from core.costs.simulate import simulate
from core.costs.waits import waits_of
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.link import LINKS, Link
from core.plan.plan import Role
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.plan.task import IS_COMMUNICATION, KINDS, Kind
from core.predict.compare import predict_steps
from core.report.summary import summarise
from core.trace.complete import run_faults
from core.trace.event_rows import PASSES
from core.trace.step import StepColumns
from tests.core.engine.models.test_own_models import own
from tests.core.helpers import SMALL, run_here

torch = pytest.importorskip("torch")

LIMIT = 1e-5
MOVES = np.array([kind.is_communication for kind in KINDS])
COLLECTIVE = np.array([kind.is_collective for kind in KINDS])
WIDE = ModelSettings("mlp", width=16, depth=8)
BY_STRATEGY = [
    Specification(name, WIDE, "4xvirtual", batch=12, steps=2, warmup=1, bucket_mb=bucket)
    for name, bucket in (("single", None), ("dp", None), ("ddp", 1e-3), ("fsdp", None),
                         ("mp", None), ("tp", None), ("dp-pp", None))
]  # fmt: skip
BY_SCHEDULE = [
    Specification(
        "pipeline", WIDE, "4xvirtual", batch=16, steps=2, warmup=1, schedule=schedule,
        microbatches=SCHEDULES[schedule].microbatches or 8,
    )
    for schedule in SCHEDULES if SCHEDULES[schedule].ranks in (None, 4)
]  # fmt: skip
ALL = [replace(s, verify=True, optimizer="adam") for s in (*BY_STRATEGY, *BY_SCHEDULE)]


def durations_of(columns, meets):
    """Return the duration of each task; a member of a collective counts from the last arrival."""
    begun = columns.start.copy()
    for group in set(meets[meets >= 0].tolist()):
        begun[meets == group] = columns.start[meets == group].max()
    return columns.end - begun


def length_of(summary):
    return np.median([step.makespan_ns for step in summary.steps])


def test_all_strategies_are_here():
    assert {s.strategy for s in ALL} == set(STRATEGIES)


@pytest.mark.parametrize("specification", ALL, ids=lambda s: s.schedule or s.strategy)
def test_a_step_equals_the_simulation_of_its_measured_durations(specification):
    trace = run_here(specification)
    lanes = trace.header.lanes
    assert run_faults(trace) == ()
    before = 0
    for step in trace.steps:
        columns = StepColumns.of_trace(trace, step)
        meets = meeting(columns, lanes)
        again = simulate(columns, durations_of(columns, meets), meets)
        assert columns.start.min() == before  # a step begins when the one before has ended
        assert (again.start + before).tolist() == columns.start.tolist()
        assert (again.end + before).tolist() == columns.end.tolist()
        before = int(columns.end.max())
    summary = summarise(trace)
    assert summary.gradient_error is not None and summary.gradient_error <= LIMIT
    assert summary.loss_error is not None and summary.loss_error <= LIMIT


@pytest.mark.parametrize("specification", ALL, ids=lambda s: s.schedule or s.strategy)
@pytest.mark.parametrize("link", ["7:0.5", "ethernet-10g"])
def test_transfers_take_the_modelled_time_to_the_nanosecond(specification, link):
    trace = run_here(replace(specification, link=link, steps=1, warmup=0, verify=False))
    columns = StepColumns.of_trace(trace, 0)
    meets = meeting(columns, trace.header.lanes)
    lasted = durations_of(columns, meets)
    latency, bandwidth = LINKS.get(link, (7, 0.5))
    members = 4 if specification.strategy in ("ddp", "fsdp", "tp") else 2
    for place in np.flatnonzero(MOVES[columns.kind]).tolist():
        size, kind = int(columns.bytes[place]), KINDS[columns.kind[place]]
        expected = 1e3 * latency + size / bandwidth
        if kind.is_collective:  # Patarasuk and Yuan: round the ring, to add up there and back
            rounds = (members - 1) * (2 if kind is Kind.ALL_REDUCE else 1)
            expected = rounds * (1e3 * latency + size / members / bandwidth)
        elif not size:  # rows that stay on lane 0
            expected = 0
        assert abs(lasted[place] - expected) <= 1


@pytest.mark.parametrize(
    "specification",
    [
        Specification("dp-pp", WIDE, "4xvirtual", batch=16, schedule="interleaved"),
        Specification("dp-pp", WIDE, "4xvirtual", batch=16, schedule="zb-v"),
        Specification("pipeline", WIDE, "4xvirtual", batch=16, schedule="chimera"),
        Specification("tp", ModelSettings("gpt", width=16, depth=2, heads=4, sequence=6),
                      "4xvirtual", batch=4),
    ],
    ids=lambda s: s.schedule or s.strategy,
)  # fmt: skip
def test_members_of_an_all_reduce_over_a_slow_link_move_data_at_the_same_time(specification):
    trace = run_here(replace(specification, link="50:0.5", steps=3, warmup=0))
    for step in trace.steps:
        columns = StepColumns.of_trace(trace, step)
        rings = {}
        for place in np.flatnonzero(COLLECTIVE[columns.kind]).tolist():
            payload, stage = int(columns.payload[place]), int(columns.stage[place])
            span = int(columns.start[place]), int(columns.end[place])
            rings.setdefault((payload, stage), []).append(span)
        assert rings
        assert all(len(spans) > 1 and len(set(spans)) == 1 for spans in rings.values()), rings


@pytest.mark.parametrize(
    "specification",
    [
        Specification("fsdp", WIDE, "4xvirtual", batch=16),
        Specification("dp-pp", WIDE, "4xvirtual", batch=16, schedule="interleaved"),
    ],
    ids=lambda s: s.strategy,
)
def test_memory_is_recorded_in_order_of_time_though_lanes_end_their_tasks_in_another(
    specification,
):
    trace = run_here(replace(specification, link="50:0.5", steps=3, warmup=0))
    for lane in trace.header.compute_lanes:
        for name in ("parameters", "gradients", "optimizer", "activations"):
            times = trace.counter(name, lane.index).times
            assert len(times) and (np.diff(times) >= 0).all(), (name, lane.name)


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(["ddp", "fsdp"]),
    st.sampled_from([
        WIDE, ModelSettings("gpt", width=16, depth=2, heads=2, sequence=6),
        ModelSettings("tutorial"), ModelSettings("toymodel"),
    ]),
    st.integers(1, 7), st.integers(1, 20), st.sampled_from(["sgd", "momentum", "adamw"]),
)  # fmt: skip
def test_ranks_in_one_process_give_the_whole_batchs_gradients(model_of, model, lanes, batch, how):
    bucket = 1e-3 if model_of == "ddp" else None
    trace = run_here(
        Specification(model_of, model, f"{lanes}xvirtual", batch=batch, optimizer=how, steps=2,
                      warmup=1, verify=True, bucket_mb=bucket)
    )  # fmt: skip
    summary = summarise(trace)
    assert run_faults(trace) == ()
    assert summary.gradient_error is not None and summary.gradient_error <= LIMIT


def test_the_losses_of_virtual_ranks_are_those_of_real_ones(engine):
    ran = Specification("fsdp", WIDE, "2xcpu", batch=9, steps=3, optimizer="adam", warmup=0)
    real = engine.finish(ran)
    virtual = run_here(replace(ran, devices="2xvirtual"))
    assert [s.loss for s in summarise(virtual).steps] == pytest.approx(
        [s.loss for s in summarise(real).steps], rel=1e-6
    )


def buckets_of(trace):
    """Return the bytes of each gradient bucket of the last step, in launch order."""
    columns = StepColumns.of_trace(trace, trace.steps[-1])
    reduces = columns.kind == KINDS.index(Kind.ALL_REDUCE)
    buckets = columns.bucket[reduces].tolist()
    sizes = dict(zip(buckets, columns.bytes[reduces].tolist(), strict=True))
    return [sizes[bucket] for bucket in sorted(sizes)]


@pytest.mark.parametrize(("bucket_mb", "count"), [(None, 2), (1.5, 6), (10, 2), (100, 1)])
def test_the_buckets_of_virtual_ranks_are_those_of_real_ones(engine, bucket_mb, count):
    # A block has 1 MiB of weights and 2 KiB of biases.
    model = ModelSettings("mlp", width=512, depth=12)
    ran = Specification("ddp", model, "2xcpu", batch=4, bucket_mb=bucket_mb, steps=1, warmup=2)
    real = engine.finish(ran)
    virtual = run_here(replace(ran, devices="2xvirtual"))
    assert buckets_of(virtual) == buckets_of(real)
    assert len(buckets_of(real)) == count


LAYERS = """
def layer(*frozen):
    made = nn.Linear(8, 8)
    for name in frozen:
        getattr(made, name).requires_grad_(False)
    return made
def build():
    both = "weight", "bias"
    return [{}]
"""
FROZEN_LAYERS = {
    "the first three": "layer(*both), layer(*both), layer(*both), nn.Tanh(), layer(), layer()",
    "in between": "layer(), layer(*both), nn.Tanh(), layer()",
    "the last two": "layer(), layer(), layer(*both), layer(*both)",
    "all but one": "layer(*both), layer(*both), layer(), layer(*both)",
    "biases": "layer('bias'), layer('bias'), layer()",
}


def collectives_of(trace):
    """Return each collective of the last step with its bytes and the passes that it waits for."""
    step = trace.steps[-1]
    found = {}
    for span in trace:
        if span.step == step and span.kind.is_collective:
            passes = [trace.find(step, task) for task in span.after]
            names = frozenset((str(one.kind), one.block) for one in passes)
            key = (span.replica, str(span.kind), str(span.payload), span.block, span.bucket)
            found[key] = (span.bytes, names)
    return found


@pytest.mark.parametrize("strategy", ["ddp", "fsdp"])
@pytest.mark.parametrize("layers", FROZEN_LAYERS.values(), ids=FROZEN_LAYERS)
def test_virtual_ranks_of_a_partly_frozen_model_communicate_what_real_ones_do(
    engine, tmp_path, strategy, layers
):
    bucket_mb = 2e-4 if strategy == "ddp" else None  # less than a layer
    model = own(tmp_path, LAYERS.format(layers))
    ran = Specification(strategy, model, "2xcpu", batch=4, steps=1, warmup=2, verify=True)
    ran = ran.having(bucket_mb=bucket_mb)
    real = engine.finish(ran)
    virtual = run_here(replace(ran, devices="2xvirtual"))
    assert collectives_of(virtual) == collectives_of(real) != {}
    for trace in (real, virtual):
        assert summarise(trace).gradient_error <= LIMIT
        for rank in range(2):
            assert min(trace.counter("parameters", rank).values) > 0


def test_a_sharded_rank_holds_its_parts_and_whole_blocks_only_while_they_are_needed():
    trace = run_here(replace(BY_STRATEGY[3], steps=1, warmup=0))
    whole = trace.header.model.parameter_bytes
    blocks = [trace.header.model.blocks_bytes(b, b + 1) for b in range(8)]
    for rank in range(4):
        held = trace.counter("parameters", rank).values
        assert held[0] == held[-1] == whole / 4
        assert whole / 4 + max(blocks) <= max(held) <= whole / 4 + 2 * max(blocks)
        gradients = trace.counter("gradients", rank).values
        assert gradients[0] == 0 and gradients[-1] == whole / 4
        assert max(gradients) < whole


def test_virtual_lanes_do_not_wait_for_one_another_s_computing():
    """On however many cores: eight replicas take as long as one, not eight times as long."""
    model = ModelSettings("mlp", width=256, depth=4)
    one, eight = (
        summarise(run_here(Specification("ddp", model, f"{n}xvirtual", batch=64 * n, steps=5)))
        for n in (1, 8)
    )
    assert length_of(eight) < 4 * length_of(one)


def test_a_virtual_lane_of_several_cores_warns_that_its_clock_includes_other_programs():
    asked = Specification("single", SMALL, "1xvirtual:cpu", batch=8, steps=1)
    alone, two = run_here(asked), run_here(replace(asked, cores_per_lane=2))
    said = [[row.text for row in trace.logs if row.level == "warning"] for trace in (alone, two)]
    assert [trace.header.lanes[0].cores for trace in (alone, two)] == [1, 2]
    assert said[0] == [] and said[1][0].startswith("virtual lanes of 2 cores: ")


def test_recorded_blocks_lie_inside_their_tasks():
    trace = run_here(Specification("mp", SMALL, "2xvirtual", batch=8, blocks=True, steps=1))
    nested = [lane for lane in trace.header.lanes if lane.role is Role.NESTED]
    assert nested and run_faults(trace) == ()
    for lane in nested:
        own, inside = trace.spans(lane.serves), trace.spans(lane.index)
        assert len(inside)
        for start, end in zip(inside["start"], inside["end"], strict=True):
            assert ((own["start"] <= start) & (end <= own["end"])).any()


def _modelled(trace, predicted):
    """Return the time of each transfer of the last step, measured or by the link's model."""
    comparison = predict_steps(trace)
    assert comparison is not None
    step = comparison.steps[-1]
    columns = step.columns if predicted else StepColumns.of_trace(trace, step.step)
    moved = IS_COMMUNICATION[columns.kind]
    assert moved.any() or trace.header.specification.strategy == "single"
    begun = waits_of(columns, trace.header.lanes).begun  # when the last rank is there
    taken = (columns.end - begun)[moved].tolist()
    return dict(zip(columns.task[moved].tolist(), taken, strict=True))


def test_costs_are_measured_by_stage_or_by_block(monkeypatch):
    from core.engine.virtual import calibration, size_measurement
    from core.predict.compare import known_costs

    for module in (calibration, size_measurement):  # 16 runs: what they cost is not asked
        monkeypatch.setattr(module, "BUDGET_SECONDS", 0.1)
    for specification in (*BY_STRATEGY, *BY_SCHEDULE):
        trace = run_here(specification, calibrate=True)
        passes = trace.counter(PASSES).values.tolist()
        assert passes == [*range(1, len(passes) + 1)] and 3 <= len(passes) <= MOST_PASSES
        assert _modelled(trace, predicted=True) == _modelled(trace, predicted=False)
        costs, _ = known_costs(trace)
        assert costs.by_block == (specification.strategy in ("ddp", "fsdp"))
        assert costs.link == Link.of(5, 25) and not costs.transfers
    costs, _ = known_costs(run_here(replace(BY_STRATEGY[1], link="measured"), calibrate=True))
    assert costs.link is None and costs.transfers


@pytest.mark.parametrize("schedule", ["zb-h1", "dualpipe-v"])
def test_a_run_of_uneven_micro_batches_is_predicted(schedule):
    """There a stage may have its split backward passes at one of the two sizes alone."""
    specification = Specification(
        "pipeline", WIDE, "2xvirtual", batch=50, schedule=schedule, microbatches=9, steps=1,
        warmup=1,
    )  # fmt: skip
    assert predict_steps(run_here(specification, calibrate=True)) is not None


def test_the_pass_that_allocates_is_no_cost_however_few_there_is_time_for(monkeypatch):
    from core.engine.virtual import calibration as module
    from core.predict.compare import known_costs

    passes = _taking(monkeypatch, lambda passes: 1e6 if passes else 1e12)
    monkeypatch.setattr(module, "BUDGET_SECONDS", 0)
    costs, _ = known_costs(run_here(BY_STRATEGY[1], calibrate=True))
    assert len(passes) >= 2 and costs.passes[Kind.FORWARD][0][0][1] == 1e6


def test_costs_are_measured_again_between_steps_as_the_machines_speed_moves(monkeypatch):
    from core.engine.virtual import calibration as module
    from core.predict.compare import known_costs

    monkeypatch.setattr(module, "BUDGET_SECONDS", 0)
    first = module.LEAST_PASSES
    passes = _taking(monkeypatch, lambda passes: 1e6 if len(passes) < first else 3e6)
    trace = run_here(replace(BY_STRATEGY[1], steps=2 * first), calibrate=True)
    assert len(passes) == first + 2 * first - 1  # none before the first step but those at once
    costs, _ = known_costs(trace)
    assert costs.passes[Kind.FORWARD][0][0][1] == 3e6


def test_a_pass_that_measures_takes_tasks_in_the_order_of_a_step_whose_link_is_modelled(
    monkeypatch,
):
    from core.engine.virtual import calibration as module

    walk, moved = module.in_time_order, []

    def walking(columns, meets, lasts):
        def noted(place, *times):
            taken = lasts(place, *times)
            if MOVES[columns.kind[place]]:
                moved.append(taken)
            return taken

        walk(columns, meets, noted)

    monkeypatch.setattr(module, "in_time_order", walking)
    asked = Specification("pipeline", WIDE, "2xvirtual", batch=8, steps=1, link="1000000:25")
    run_here(asked, calibrate=True)
    assert moved and min(moved) >= 1e9  # the second that the link takes, though nothing waits it


def _taking(monkeypatch, ns):
    """Every task of a pass takes what `ns` says of the passes before; returns what they took."""
    from core.engine.virtual.calibration import VirtualCalibration

    really, passes = VirtualCalibration._one_pass, []

    def taking(*given):
        taken = ns(passes)
        passes.append(taken)
        return {name: [taken] for name in really(*given)}

    monkeypatch.setattr(VirtualCalibration, "_one_pass", taking)
    return passes


@pytest.mark.parametrize(
    ("devices", "option", "message"),
    [
        ("2xcpu", {"link": "5:25"}, "--link 5:25 is for virtual lanes, and cpu:0 is a real one; "
                                    "use --devices 2xvirtual"),
        ("2xvirtual", {"link": "fast"}, "--link 'fast': use LATENCY_US:GB_S"),
        ("2xvirtual", {"link": "5:0"}, "--link 5:0: use a bandwidth above 0 GB/s"),
        ("virtual:0", {}, "'virtual:0' is not a device"),
        ("2xvirtual,cpu", {}, "virtual lanes run alone, on one device"),
        ("2xvirtual:cuda:7", {}, "there is no cuda:7"),
    ],
)  # fmt: skip
def test_features_that_virtual_lanes_lack_are_refused_in_one_line(devices, option, message):
    asked = Specification("dp", SMALL, devices, batch=8).having(**option)
    with pytest.raises(PlanError) as told:
        run_here(asked)
    assert message in str(told.value) and "\n" not in str(told.value)


def test_a_model_that_shares_parameters_between_blocks_is_refused_for_ranks(tmp_path):
    path = tmp_path / "tied.py"
    path.write_text(
        "import torch\n"
        "shared = torch.nn.Linear(4, 4)\n"
        "def build():\n    return [shared, torch.nn.ReLU(), torch.nn.Sequential(shared)]\n"
        "def batch(rows, generator):\n"
        "    return torch.randn(rows, 4, generator=generator), torch.zeros(rows, 4)\n"
    )
    with pytest.raises(PlanError) as refused:
        run_here(Specification("ddp", ModelSettings(str(path)), "2xvirtual", batch=8))
    assert str(refused.value) == (
        "blocks 0 and 2 of tied share a parameter (2.0.weight), and virtual lanes run a rank "
        "block by block; put both into one block, or use real lanes"
    )


def test_stopping_and_failing_virtual_runs_end_as_others_do(engine, tmp_path):
    engine.run(Specification("mp", SMALL, "4xvirtual", batch=8, steps=100_000))
    engine.wait("spans")
    engine.client.stop()
    engine.wait("ended")
    assert engine.ended is not None and engine.ended.outcome == "stopped"
    path = tmp_path / "unused.py"
    path.write_text(
        "import torch\n"
        "class Odd(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.used, self.unused = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)\n"
        "    def forward(self, x):\n        return self.used(x)\n"
        "def build():\n    return [Odd()]\n"
        "def batch(rows, generator):\n"
        "    return torch.randn(rows, 4, generator=generator), torch.zeros(rows, 4)\n"
    )
    engine.run(Specification("ddp", ModelSettings(str(path)), "2xvirtual", batch=8))
    engine.wait("ended")
    assert engine.ended.outcome == "failed", engine.ended
    assert str(engine.ended.text).startswith("no gradient for 0.unused.")
