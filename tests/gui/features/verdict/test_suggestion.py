"""Suggestions for the next run, drawn from the last one."""

from dataclasses import replace

import pytest

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.predict.advisor import Advice, AdviceResult
from core.report.limits import Limit
from core.trace.trace import Trace
from gui.features.verdict.suggestion import Change, Suggestion, better_ways, suggestion
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


def test_virtual_lanes_are_suggested_first_if_lanes_share_cores() -> None:
    trace = trace_on("4xcpu", sharing="4 lanes share 2 cores")
    found = suggestion(trace, Limit.HOST)
    assert found is not None and found.change is Change.VIRTUAL_LANES
    assert found.specification == trace.header.specification.having(devices="4xvirtual:cpu")


def test_a_wider_model_is_suggested_if_the_host_limits_the_run() -> None:
    found = suggestion(trace_on("4xvirtual:cpu"), Limit.HOST)
    assert found is not None and found.change is Change.WIDER
    assert found.specification.model.width == 512


@pytest.mark.parametrize("limit", [None, *(limit for limit in Limit if limit is not Limit.HOST)])
def test_nothing_else_is_suggested_before_ways_are_predicted(limit: Limit | None) -> None:
    assert suggestion(trace_on("4xvirtual:cpu"), limit) is None


def test_wide_models_and_models_without_a_width_are_not_changed() -> None:
    wide = trace_on("4xvirtual:cpu", ModelSettings("mlp", width=512, depth=8))
    assert suggestion(wide, Limit.HOST) is None
    assert suggestion(trace_on("4xvirtual:cpu", ModelSettings("resnet50")), Limit.HOST) is None


def way(ms: float, strategy: str = "dp", known: bool = True) -> Advice:
    step = int(ms * 1e6)
    return Advice(Specification(strategy, NARROW), step, step, step, 0.0, 0, known)


def test_known_ways_are_suggested_if_they_save_enough() -> None:
    ways = [way(8, "ddp"), way(9, "mp"), way(9.8, "tp"), way(5, "fsdp", known=False)]
    found = better_ways(AdviceResult(ways, way(10)))
    assert [one.specification.strategy for one in found] == ["ddp", "mp"]
    assert found[0] == Suggestion(
        Change.OTHER_WAY, ways[0].specification, ways[0].step_ns, pytest.approx(-0.2)
    )
    assert better_ways(AdviceResult(ways, way(8.3))) == []
    assert better_ways(AdviceResult(ways, way(10), measured_ns=8_300_000)) == []
    assert better_ways(AdviceResult(ways, None)) == []
    assert better_ways(AdviceResult([], way(10))) == []


def test_only_the_fastest_of_each_strategy_and_schedule_is_suggested_up_to_three() -> None:
    names = ("ddp", "ddp", "mp", "tp", "fsdp")
    ways = [way(2 + 0.5 * n, name) for n, name in enumerate(names)]
    found = better_ways(AdviceResult(ways, way(10)))
    assert [one.specification.strategy for one in found] == ["ddp", "mp", "tp"]
    assert found[0].step_ns == 2_000_000
