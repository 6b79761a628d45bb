"""The same task and the same gap in other steps, against runs whose tasks have known lengths."""

from core.explain.lanes import gap_at
from core.explain.other_steps import durations_in_other_steps, gaps_in_other_steps
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.plan.task import Kind
from core.trace.complete import measured_steps
from tests.core.report.verdicts import made

SPEC = Specification(
    "pipeline", ModelSettings("mlp", width=64, depth=8), "2xvirtual:cpu",
    batch=32, microbatches=4, steps=5, warmup=1,
)  # fmt: skip


def test_a_task_has_one_length_in_each_other_measured_step() -> None:
    trace = made(SPEC).trace
    steps = measured_steps(trace)
    span = next(s for s in trace if s.step == steps[2] and s.kind is Kind.BACKWARD)
    expected = []
    for step in steps:
        same = trace.find(step, span.task)
        assert same is not None and same.end is not None
        if step != span.step:
            expected.append(same.end - same.start)
    assert len(expected) == 4
    assert durations_in_other_steps(trace, span) == expected


def test_a_gap_is_compared_with_the_gaps_before_the_same_task() -> None:
    trace = made(SPEC).trace
    steps = measured_steps(trace)
    first = next(s for s in trace if s.step == steps[0] and s.lane == 1)
    gap = gap_at(trace, 1, first.start - 1)
    assert gap is not None and gap.before == first.index
    expected = []
    for step in steps[1:]:
        same = trace.find(step, first.task)
        assert same is not None
        before = trace.spans(1).end[same.index - 1]
        begin = max(int(before), trace.step_bounds(step)[0])
        expected.append(same.start - begin)
    assert gaps_in_other_steps(trace, gap) == expected


def test_the_gap_at_a_steps_end_is_compared_with_those_at_the_ends_of_others() -> None:
    trace = made(SPEC).trace
    steps = measured_steps(trace)
    last = trace.step_bounds(steps[0])[1]
    lane = next(lane for lane in (0, 1) if gap_at(trace, lane, last - 1) is not None)
    gap = gap_at(trace, lane, last - 1)
    assert gap is not None and gap.before is None
    found = gaps_in_other_steps(trace, gap)
    assert len(found) == len(steps) - 1 and all(length > 0 for length in found)
