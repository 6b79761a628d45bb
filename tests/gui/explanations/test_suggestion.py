"""What is suggested for a run, and that nothing is where nothing follows."""

from dataclasses import replace

import pytest

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.predict.advisor import Advice, AdviceResult
from core.report.limits import Limit
from core.trace.trace import Trace
from gui.explanations.suggestion import Change, Suggestion, better_way, suggestion
from tests.core.report.verdicts import made

NARROW = ModelSettings("mlp", width=64, depth=8)


def trace_on(devices: str, model: ModelSettings = NARROW, sharing: str = "") -> Trace:
    spec = Specification("pipeline", model, devices, batch=64, steps=2)
    trace = made(spec.having(devices="4xvirtual:cpu")).trace
    lanes = trace.header.lanes
    if sharing:
        lanes = tuple(replace(lane, device="cpu", runs_on="cpu", sharing=sharing) for lane in lanes)
    trace.header = replace(trace.header, specification=spec, lanes=lanes)
    return trace


def test_lanes_that_share_cores_become_virtual_ones_before_all_else() -> None:
    trace = trace_on("4xcpu", sharing="4 lanes share 2 cores")
    found = suggestion(trace, Limit.HOST)
    assert found is not None and found.change is Change.VIRTUAL_LANES
    assert found.specification == trace.header.specification.having(devices="4xvirtual:cpu")


def test_tasks_that_are_shorter_than_the_host_needs_are_made_wider() -> None:
    found = suggestion(trace_on("4xvirtual:cpu"), Limit.HOST)
    assert found is not None and found.change is Change.WIDER
    assert found.specification.model.width == 512


@pytest.mark.parametrize("limit", [None, *(limit for limit in Limit if limit is not Limit.HOST)])
def test_nothing_else_is_suggested_before_ways_are_predicted(limit: Limit | None) -> None:
    assert suggestion(trace_on("4xvirtual:cpu"), limit) is None


def test_wide_models_and_those_without_a_width_stay_as_they_are() -> None:
    wide = trace_on("4xvirtual:cpu", ModelSettings("mlp", width=512, depth=8))
    assert suggestion(wide, Limit.HOST) is None
    assert suggestion(trace_on("4xvirtual:cpu", ModelSettings("resnet50")), Limit.HOST) is None


def way(ms: float, strategy: str = "dp", known: bool = True) -> Advice:
    step = int(ms * 1e6)
    return Advice(Specification(strategy, NARROW), step, step, step, 0.0, 0, known)


def test_the_quickest_known_way_is_suggested_if_it_spares_enough() -> None:
    ways = [way(8, "ddp"), way(9, "mp"), way(5, "fsdp", known=False)]
    found = better_way(AdviceResult(ways, way(10)))
    assert found == Suggestion(Change.OTHER_WAY, ways[0].specification, ways[0].step_ns)
    assert better_way(AdviceResult(ways, way(8.3))) is None
    assert better_way(AdviceResult(ways, way(10), measured_ns=8_300_000)) is None
    assert better_way(AdviceResult(ways, None)) is None
    assert better_way(AdviceResult([], way(10))) is None
