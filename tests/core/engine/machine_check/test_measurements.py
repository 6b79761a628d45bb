"""Each measurement of the check, on the CPU."""

import pytest

pytest.importorskip("torch")

from core.check.measured import Contention, NotMeasured, StampCost
from core.engine.machine_check import measurements
from core.engine.machine_check.lanes import clock_width, stamp_cost
from core.engine.machine_check.measurements import _tried, gradient_error, lane_pairs, lost_share
from core.engine.machine_check.profiler import profiler_difference
from core.machine import host_hardware
from core.message import message
from tests.make_believe import GPUS


def test_stamps_and_the_clock_of_the_cpu_take_less_than_a_millisecond():
    cost = stamp_cost("cpu")
    assert 0 < cost.median <= cost.slow
    assert cost.median < 1e6
    assert 0 <= clock_width("cpu").half_width < 1e6


@pytest.mark.alone
def test_spans_of_the_cpu_are_the_profilers():
    found = profiler_difference("cpu")
    assert not isinstance(found, NotMeasured), found
    assert found.kernels == 20
    assert found.start < 1e6 and found.end < 1e6


def test_gradients_of_a_strategy_are_compared_and_its_recording_is_kept(tmp_path):
    found = gradient_error("dp", host_hardware(), str(tmp_path))
    assert found.error <= found.allowed
    assert (tmp_path / "dp.arrow").stat().st_size > 0


def test_a_check_that_fails_is_a_line_with_the_reason():
    def fail():
        raise RuntimeError("no events\nand more")

    assert _tried(StampCost, "cpu", fail) == NotMeasured(
        "StampCost", "cpu", "RuntimeError: no events"
    )


def test_lanes_are_paired_on_a_device_and_across_two():
    cpu, gpus = ("cpu", "cpu"), GPUS.devices[1:]
    assert lane_pairs(GPUS) == [cpu, (gpus[0], gpus[0]), (gpus[0], gpus[1])]


def test_a_thread_that_computes_has_a_share_of_its_core():
    assert 0 <= lost_share() < 1


def test_lanes_of_a_cpu_that_others_use_are_not_compared(monkeypatch):
    monkeypatch.setattr(measurements, "contention", lambda: iter([Contention(0, 0.5)]))
    monkeypatch.setattr(measurements, "_tried", lambda kind, subject, measure: None)
    found = [one for one in measurements.measure_all() if isinstance(one, NotMeasured)]
    assert found == [NotMeasured("Overlap", "cpu + cpu", message("other programs use the cores"))]
