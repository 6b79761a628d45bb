from hypothesis import given
from hypothesis import strategies as st

from core.explain.lane_memory import held_bytes
from core.explain.lanes import gap_at
from core.models.catalogue import ModelSettings
from core.plan.pipeline.options import SCHEDULE
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.plan.strategies import STRATEGIES
from core.recording.decode import append_batch
from core.recording.schema import Record
from core.report.summary import summarise
from core.trace.trace import Trace
from tests.core.explain.made import gaps_of
from tests.core.explain.ranges import range_statistics
from tests.core.helpers import Note, batch_of, header_of, plan_of, planned, trace_of

MODEL = ModelSettings("mlp", width=12, depth=8)


@st.composite
def traces(draw):
    name = draw(st.sampled_from(sorted(STRATEGIES)))
    schedule = draw(st.sampled_from(sorted(SCHEDULES)))
    specification = Specification(
        name,
        MODEL,
        draw(st.sampled_from(["1xcpu", "2xcpu", "4xcpu", "3xcuda:0"])),
        batch=draw(st.integers(1, 12)),
        warmup=0,
        schedule=schedule if SCHEDULE in STRATEGIES[name].options else None,
    )
    plan = planned(specification)
    durations = [draw(st.integers(0, 10**7)) for _ in plan.tasks]
    return trace_of(plan, durations, specification)


@given(traces())
def test_busy_communication_and_idle_add_up_to_the_makespan_to_the_nanosecond(trace):
    for step in summarise(trace).steps:
        for lane in step.lanes:
            assert lane.busy_ns + lane.communication_ns + lane.idle_ns == step.makespan_ns
            assert 0 <= lane.idle_fraction <= 1 and lane.idle_ns >= 0


@given(traces(), st.integers(0, 10**8), st.integers(0, 10**8))
def test_within_any_window_a_lanes_times_add_up_to_it(trace, start, length):
    for time in range_statistics(trace, start, start + length).lanes.values():
        assert time.busy_ns + time.communication_ns + time.idle_ns == length
        assert time.idle_ns >= 0


@given(traces())
def test_gaps_are_the_idle_time_and_each_is_found_at_every_moment_of_it(trace):
    step = summarise(trace).steps[0]
    for lane, summary in enumerate(step.lanes):
        gaps = gaps_of(trace, lane)
        assert sum(end - start for start, end, _ in gaps) == summary.idle_ns
        for start, end, before in gaps:
            for moment in {start, (start + end) // 2, end - 1}:
                gap = gap_at(trace, lane, moment)
                assert gap is not None
                assert (gap.start, gap.end, gap.before) == (start, end, before)


@given(traces())
def test_the_split_names_every_row_once(trace):
    summary = summarise(trace)
    assert sum(summary.splits[0]) == trace.header.specification.batch
    if len(summary.splits[0]) == 1:
        assert sum(summary.microbatch_rows) == trace.header.specification.batch


def test_peak_memory_is_the_most_held_at_one_moment():
    specification = Specification("single", MODEL, "1xcpu", batch=4, warmup=0)
    trace = Trace(header_of(specification, plan_of(specification)))
    values = [("parameters", 0, 10), ("activations", 1, 5), ("activations", 2, 30),
              ("gradients", 3, 10), ("activations", 3, 0)]  # fmt: skip
    append_batch(trace, batch_of([Note(Record.COUNTER, n, t, 0, 0, v) for n, t, v in values]))
    assert held_bytes(trace, 0)[1].max() == 40


def test_the_summary_has_errors_only_if_the_run_was_verified():
    specification = Specification("single", MODEL, "1xcpu", batch=4, warmup=0)
    plan = plan_of(specification)
    trace = trace_of(plan, [5] * len(plan.tasks), specification)
    assert "gradient_error" not in summarise(trace).to_dict()
    append_batch(trace, batch_of([Note(Record.COUNTER, "gradient_error", 1, 0, None, 3e-7)]))
    values = summarise(trace).to_dict()
    assert values["gradient_error"] == values["steps"][0]["gradient_error"] == 3e-7
