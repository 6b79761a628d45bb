"""Which costs a run leaves behind."""

import json

import pytest

from core.plan.faults import Faults
from core.plan.link import Link
from core.plan.task import Kind
from core.predict.advisor import AdviceQuery, advise, way_of
from core.predict.compare import CostSource, predict_steps
from core.predict.run_costs import run_costs
from core.predict.whatif import WhatIf, WhatIfQuery
from core.recording.decode import append_batch
from core.recording.schema import COSTS_LEVEL, SIZE_COSTS_LEVEL, Record
from core.trace.trace import Trace
from tests.core.helpers import Note, batch_of
from tests.make_believe import prediction_of, specification, trace_of

COSTS = {"forward_ms": [1, 2], "backward_ms": 4, "step_ms": 1, "transfer_ms": 0.1, "rows": 8}


@pytest.mark.parametrize(
    ("warmup", "calibrated", "source"),
    [(2, True, CostSource.CALIBRATED), (2, False, CostSource.WARMUP),
     (1, False, CostSource.MEASURED), (0, False, CostSource.MEASURED)],
)  # fmt: skip
def test_the_best_known_costs_are_taken(warmup, calibrated, source):
    trace = trace_of(specification(warmup=warmup))
    if calibrated:
        append_batch(trace, batch_of([Note(Record.LOG, COSTS_LEVEL, 0, text=json.dumps(COSTS))]))
    known = run_costs(trace)
    assert known is not None
    assert known.source is source
    assert known.has_faults is (source in (CostSource.WARMUP, CostSource.MEASURED))
    assert [(stage.first, stage.last) for stage in known.stages] == [(0, 4), (4, 8)]


@pytest.mark.parametrize("faults", [{}, {"slow_lane": "1:2", "slow_link": "0-1:5"}])
def test_advice_and_status_bar_predict_the_settings_of_a_run_alike(faults):
    devices = "2xvirtual:cpu" if faults else "2xcpu"
    trace = trace_of(specification(devices=devices, schedule="gpipe", microbatches=4, **faults))
    by_size = {**COSTS, "by": "block", "forward_ms": 9, "sizes": [{"rows": 16, "forward_ms": 17}]}
    for level, costs in ((COSTS_LEVEL, COSTS), (SIZE_COSTS_LEVEL, by_size)):
        append_batch(trace, batch_of([Note(Record.LOG, level, 0, text=json.dumps(costs))]))
    known = run_costs(trace)
    comparison = predict_steps(trace)
    assert known is not None and comparison is not None
    assert known.source is CostSource.BY_SIZE
    header = trace.header
    query = AdviceQuery(
        header.specification,
        header.model,
        header.compute_lanes,
        known.costs,
        known.stages,
        known.step_ns,
        known.own,
        Faults.of(header.specification),
    )
    found = advise(query)
    assert found.present is not None
    assert found.present.step_ns == comparison.median.predicted_ns
    in_table = [
        way for way in found.ways if way_of(way.specification) == way_of(header.specification)
    ]
    assert [way.step_ns for way in in_table] == [comparison.median.predicted_ns]


def test_a_run_without_a_whole_step_leaves_none():
    assert run_costs(Trace(trace_of(specification()).header)) is None


def test_a_prediction_has_no_run_costs():
    measured = trace_of(specification())
    assert run_costs(prediction_of(specification(), measured)) is None


@pytest.mark.parametrize("strategy", ["single", "dp", "ddp", "mp", "pipeline", "dp-pp", "fsdp"])
def test_what_if_uses_the_costs_of_every_strategy_once_a_link_is_chosen(strategy):
    lanes = "4xcpu" if strategy == "dp-pp" else "2xcpu"
    trace = trace_of(specification(strategy, devices=lanes))
    known = run_costs(trace)
    assert known is not None
    for schedule in ("1f1b", "zb-h1"):
        question = WhatIfQuery(
            trace.header.model, known.costs, 4, 8, schedule, batch=64, link=Link.of(5, 10),
            measured=known.stages, device="cpu",
        )  # fmt: skip
        answer = WhatIf().answer(question)
        assert answer.makespan_ns > 0
        assert answer.bubble_by_makespan < 1
        assert Kind.FORWARD in known.costs.passes
