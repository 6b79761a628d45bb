"""Each measurement of the check, on an accelerator."""

import pytest

from core.check.measured import NotMeasured, PeerStep, ProfilerDifference

pytestmark = pytest.mark.accelerator


@pytest.fixture(scope="module")
def hardware():
    from core.engine.hardware import find_hardware

    return find_hardware()


@pytest.fixture
def device(hardware):
    return hardware.devices[1]


def test_stamps_and_the_clock_of_an_accelerator_are_measured(device):
    from core.engine.machine_check.lanes import clock_width, stamp_cost

    cost = stamp_cost(device)
    assert 0 < cost.median <= cost.slow
    assert 0 < clock_width(device).half_width < 1e9


def test_two_lanes_of_an_accelerator_are_compared_with_one(device, monkeypatch):
    from core.engine.machine_check import lanes

    monkeypatch.setattr(lanes, "TRIES", 1)
    found = lanes.overlap(device, device)
    assert found.alone > 0 and found.together > 0


def test_spans_are_the_profilers_or_it_has_no_kernels_of_the_device(device, tmp_path, monkeypatch):
    from core.engine.machine_check import profiler

    monkeypatch.setattr(profiler, "ELEMENTS", 1 << 16)
    found = profiler.profiler_difference(device, str(tmp_path))
    if isinstance(found, ProfilerDifference):
        assert found.kernels == 20
    else:  # an out-of-tree backend without a profiler
        assert str(found.reason) == "the profiler has 0 of 20 kernels"
    assert list(tmp_path.glob("profiler-*.json"))


def test_the_cost_of_recording_a_step_on_an_accelerator_is_measured(device, monkeypatch):
    from core.engine.machine_check import recording

    monkeypatch.setattr(recording, "ROUNDS", 1)
    monkeypatch.setattr(recording, "STEPS", 4)
    cost = recording.recording_cost(device)
    assert cost.plain > 0 and cost.recorded > 0


def test_dp_is_compared_with_data_parallel(hardware):
    from core.engine.machine_check.measurements import _tried
    from core.engine.machine_check.peers import data_parallel

    found = _tried(PeerStep, "dp", lambda: data_parallel(hardware))
    if isinstance(found, NotMeasured):  # torch cannot broadcast on every backend
        pytest.skip(str(found.reason))
    assert found.ours > 0 and found.theirs > 0
