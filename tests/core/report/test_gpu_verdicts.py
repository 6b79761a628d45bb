"""Verdicts on runs whose lanes shared one GPU, an H200: recordings of real runs."""

from pathlib import Path

import pytest

from core.recording.recording import open_recording
from core.report.limits import Limit
from core.report.verdict import verdict
from core.trace.trace import Trace

FOLDER = Path(__file__).parents[2] / "fixtures"


@pytest.fixture(scope="module")
def tensor_parallel() -> Trace:
    """Two lanes, whose equal passes take 1.06 or 1.39 ms, as the GPU shares its time."""
    return open_recording(FOLDER / "gpu-tp.arrow").trace


@pytest.fixture(scope="module")
def replicas() -> Trace:
    """Two pipelines of two lanes each."""
    return open_recording(FOLDER / "gpu-dp-pp.arrow").trace


def test_uneven_work_of_lanes_that_share_a_gpu_may_be_the_sharing(tensor_parallel: Trace) -> None:
    found = verdict(tensor_parallel)
    assert found is not None and found.uneven_text is not None
    text = str(found.uneven_text)
    assert text.endswith("2 lanes share cuda:0, which may be the reason.")


def test_a_slow_lane_that_shares_a_gpu_may_be_slowed_by_the_others(replicas: Trace) -> None:
    found = verdict(replicas)
    assert found is not None and found.kind is Limit.SLOW_LANE
    assert str(found.text).endswith("4 lanes share cuda:0, which may be the reason.")
