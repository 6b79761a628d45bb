"""When a collective of ranks begins: before the call that launches it, not after."""

import statistics
import time
from pathlib import Path

import pytest

from core.models.catalogue import ModelSettings
from core.plan.plan import Lane, Role
from core.plan.specification import Specification
from core.trace.complete import completed_steps
from tests.core.helpers import Engine

torch = pytest.importorskip("torch")

from core.engine.lanes.devices import open_lanes  # noqa: E402
from core.engine.rank_models.communication import Communication  # noqa: E402
from core.recorder.collectives import CollectiveRequest  # noqa: E402
from core.recorder.rank_step import Op  # noqa: E402

SLEEP_NS = 30_000_000
# The call that launches an all-reduce returns 30 ms later, as under load.
SLOW_CALL = """
import time
import torch.distributed as dist
from torch import nn, randn, zeros

launch = dist.ProcessGroup.allreduce

def slow(*given, **options):
    work = launch(*given, **options)
    time.sleep(0.03)
    return work

dist.ProcessGroup.allreduce = slow

def build():
    return [nn.Linear(256, 256), nn.Linear(256, 4)]

def batch(rows, generator):
    return randn(rows, 256, generator=generator), zeros(rows, 4)
"""


def test_a_bucket_is_launched_when_its_call_begins(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text(SLOW_CALL)
    engine = Engine()
    try:
        trace = engine.finish(Specification("ddp", ModelSettings(str(path)), "2xcpu", batch=8))
    finally:
        engine.client.close()
    steps = completed_steps(trace)
    moved = [span for span in trace if span.kind.is_collective and span.step in steps]
    assert moved
    delays = [span.launched - span.ready for span in moved]
    assert statistics.median(delays) < SLEEP_NS / 2


def test_a_collective_of_a_stream_is_launched_when_its_call_begins() -> None:
    began = []

    def collective() -> None:
        began.append(time.perf_counter_ns())
        time.sleep(SLEEP_NS / 1e9)

    op = Op("all-gather", time.perf_counter_ns())
    with open_lanes((Lane(0, "cpu:0 comm", "cpu", Role.COMMUNICATION, cores=1),))[0] as lane:
        Communication(lane).run(CollectiveRequest(op, time.perf_counter_ns), collective)
    assert op.launched is not None and op.launched <= began[0]
    assert op.end is not None and op.end - op.launched >= SLEEP_NS
