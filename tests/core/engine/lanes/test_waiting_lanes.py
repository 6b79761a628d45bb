"""Lanes of a device that cannot time its work: here the CPU plays it."""

import itertools

import pytest

torch = pytest.importorskip("torch")

from core.engine.lanes import devices as lane_devices  # noqa: E402
from core.plan.devices import DeviceKind  # noqa: E402
from core.plan.specification import Specification  # noqa: E402
from core.report.summary import summarise  # noqa: E402
from tests.core.helpers import SMALL, run_here  # noqa: E402

NOTE = "cpu has no timed events: its spans have host times, and its lanes take turns"


@pytest.fixture
def synchronised(monkeypatch):
    """Which devices were waited for; the CPU is no host to the engine."""
    asked = []
    monkeypatch.setattr(lane_devices, "HOST", DeviceKind("other", "another host"))
    monkeypatch.setattr(torch.accelerator, "synchronize", asked.append)
    # The module of a device keeps the random state of each.
    get, put = torch.get_rng_state, torch.set_rng_state
    monkeypatch.setattr(torch.cpu, "get_rng_state", lambda _: get(), raising=False)
    monkeypatch.setattr(torch.cpu, "set_rng_state", lambda state, _: put(state), raising=False)
    return asked


def logged(trace):
    return [row.text for row in trace.logs if row.level == "warning"]


@pytest.mark.parametrize("strategy", ["dp", "mp", "pipeline", "tp"])
def test_without_timed_events_work_runs_alone_and_the_log_says_so(synchronised, strategy):
    trace = run_here(Specification(strategy, SMALL, "2xcpu", batch=16, verify=True))
    assert logged(trace) == [NOTE]
    assert summarise(trace).gradient_error <= 1e-5
    assert set(synchronised) == {torch.device("cpu")}
    assert len(synchronised) == 2 * len(list(trace))  # at both ends of every span
    spans = sorted((span.start, span.end) for span in trace)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans))


def test_virtual_lanes_warn_too(synchronised):
    trace = run_here(Specification("mp", SMALL, "2xvirtual:cpu", batch=16, verify=True))
    assert NOTE in logged(trace)
    assert summarise(trace).gradient_error <= 1e-5


def test_lanes_that_compute_in_their_own_threads_say_nothing():
    assert logged(run_here(Specification("mp", SMALL, "2xcpu", batch=16))) == []
