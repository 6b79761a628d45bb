"""Faults that are put into runs of virtual lanes: their spans are as much longer, and no others."""

import numpy as np
import pytest

from core.models.catalogue import ModelSettings
from core.plan.faults import Faults
from core.plan.link import DEFAULT_LINK, read_link
from core.plan.specification import Specification
from core.plan.task import KINDS, Kind
from core.predict.compare import predict_steps
from core.trace.step import StepColumns
from core.trace.trace import Trace
from tests.core.helpers import Engine

pytest.importorskip("torch")

MODEL = ModelSettings("mlp", width=32, depth=7)


def run(engine: Engine, strategy: str = "pipeline", **given: object) -> Trace:
    return engine.finish(
        Specification(strategy, MODEL, "4xvirtual:cpu", batch=32, steps=3, warmup=1, **given)
    )


def test_a_hiccup_is_in_its_lanes_first_task_of_its_step_alone(engine: Engine) -> None:
    trace = run(engine, hiccup="lane=2,step=2,ms=400")
    struck = [
        (step, int(columns.lane[place]), str(columns[place]))
        for step in trace.steps
        for columns in [StepColumns.of_trace(trace, step)]
        for place in np.flatnonzero(columns.duration > 300_000_000).tolist()
    ]
    assert struck == [(2, 2, "2F0")]


def test_blocks_of_a_lengthened_task_fill_it_as_before(engine: Engine) -> None:
    trace = run(engine, "mp", blocks=True, slow_lane="1:50", hiccup="lane=2,step=2,ms=40")
    shares = []
    for step, lane in ((step, lane) for step in trace.steps for lane in (1, 2)):
        (nested,) = (
            one.index for one in trace.header.lanes if one.serves == lane and one.role == "nested"
        )
        own, inside = trace.spans(lane), trace.spans(nested)
        for task in own[own.step == step]:
            mine = inside[
                (inside.step == step)
                & (inside.start >= task["start"])
                & (inside.end <= task["end"])
            ]
            if len(mine):
                shares.append((mine.end - mine.start).sum() / (task["end"] - task["start"]))
    # Most of them: a busy machine may stop a task between its first stamp and its first block. Left
    # as they were, blocks would fill a fiftieth of a task that is lengthened so.
    assert np.median(shares) > 0.5


def test_a_slow_link_multiplies_the_modelled_time_by_exactly_its_factor(engine: Engine) -> None:
    trace = run(engine, slow_link="1-2:7")
    link = read_link(DEFAULT_LINK)
    columns = StepColumns.of_trace(trace, trace.steps[-1])
    copies = [place for place in range(len(columns)) if KINDS[columns.kind[place]] is Kind.COPY]
    slow = 0
    for place in copies:
        usual = round(link.transfer_ns(Kind.COPY, int(columns.bytes[place]), 1))
        task = columns[place]
        between = (task.stage, str(task.payload)) in {(2, "activation"), (1, "gradient")}
        assert columns.duration[place] == usual * (7 if between else 1)
        slow += between
    assert 0 < slow < len(copies)


@pytest.mark.parametrize("strategy", ["ddp", "tp"])
def test_a_slow_link_bounds_every_collective_of_a_ring(engine: Engine, strategy: str) -> None:
    fast, slow = (
        collective_ns(run(engine, strategy, slow_link=given)) for given in (None, "0-1:5")
    )
    assert slow == [5 * ns for ns in fast]


def collective_ns(trace: Trace) -> list[int]:
    """Return the ns of the last step's collectives, without the wait for the last member."""
    columns = StepColumns.of_trace(trace, trace.steps[-1])
    moves = [place for place in range(len(columns)) if KINDS[columns.kind[place]].is_collective]
    starts, ends = columns.start[moves], columns.end[moves]
    # Members end together; how long the last of them took is what the ring takes.
    return sorted({int(end - starts[ends == end].max()) for end in set(ends.tolist())})


@pytest.mark.alone
def test_a_slow_lane_computes_longer_and_is_predicted_to(engine: Engine) -> None:
    for _ in range(3):
        trace = run(engine, slow_lane="1:20")
        comparison = predict_steps(trace)
        assert comparison is not None
        if abs(comparison.makespan_error) < 0.5:
            break  # else other programs have disturbed the run, or the measurement of its costs
    (columns,) = (StepColumns.of_trace(trace, step) for step in trace.steps[-1:])
    passes = columns.rows > 0
    busy = np.bincount(columns.lane[passes], columns.duration[passes])
    assert busy[1] > 8 * max(busy[[0, 2, 3]])
    assert abs(comparison.makespan_error) < 0.5
    assert Faults.of(trace.header.specification).slow_lanes == {1: 20.0}
