"""The test device is asynchronous, and a wait that the engine forgets is seen there."""

import json
import subprocess
import sys

import pytest

from tests.device.build import ROOT, compiler, device_environment

pytestmark = pytest.mark.skipif(compiler() is None, reason="there is no C++ compiler")

# One process for all tests, because it has to import torch.
SCRIPT = """
import json, torch
from tests.core.helpers import run_here
from tests.device import mutations
from tests.device.backend import races

first, second = torch.Stream("deferred:0"), torch.Stream("deferred:0")
seen = {}
for _ in range(20):  # other programs may take the core until all kernels have run
    with first:
        value = torch.ones(10, device="deferred:0")
        for _ in range(50):
            value = value + 1
        event = first.record_event()
    seen["was queued"] = not event.query()
    with second:
        value + 1
    seen["races"] = races()
    if seen["was queued"]:
        break
    torch.accelerator.synchronize("deferred:0")  # or the next attempt frees what is still read
second.wait_event(event)
with second:
    late = value + 1
torch.accelerator.synchronize("deferred:0")
seen["late"] = late.tolist()
seen["late races"] = races()
with first:
    reader = torch.ones(10, device="deferred:0")
with second:
    del reader
    again = torch.empty(10, device="deferred:0")
torch.accelerator.synchronize("deferred:0")
seen["reused across streams"] = again.isfinite().any().item()

host = torch.full((10,), 3.0).pin_memory()
seen["pinned"] = host.is_pinned() and not torch.ones(10).is_pinned()
address = host.data_ptr()
target = torch.zeros(10, device="deferred:0")
with first:
    first.wait_stream(torch.accelerator.current_stream())
    for _ in range(50):
        value = value + 1
    target.copy_(host, non_blocking=True)
    back = torch.zeros(10).pin_memory()
    back.copy_(target, non_blocking=True)
    event = first.record_event()
del host
torch.zeros(10).pin_memory().fill_(9)  # its memory is another one while the copy is queued
event.synchronize()
seen["copied from pinned memory"] = target.tolist()
seen["copied to pinned memory"] = back.tolist()
seen["is reused"] = address in [torch.ones(10).pin_memory().data_ptr() for _ in range(3)]

dp = mutations.specification("dp")
seen["dp"] = mutations.run(dp)._asdict()
with mutations.without_lane_waits():
    seen["dp without waits"] = mutations.run(dp)._asdict()
races()
run_here(mutations.RUNS["1f1b"], calibrate=True)
seen["calibration"] = races()
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=device_environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


def test_kernels_run_after_they_are_queued(seen):
    assert seen["was queued"]


def test_a_read_without_a_wait_is_seen_and_one_with_a_wait_is_not(seen):
    [race] = seen["races"]
    assert race == "aten::add is not ordered with aten::add"
    assert seen["late"] == [52.0] * 10 and seen["late races"] == []


def test_a_freed_block_is_not_used_by_another_stream(seen):
    assert not seen["reused across streams"]


def test_pinned_memory_is_used_again_when_the_copies_are_over_that_were_queued_for_it(seen):
    assert seen["pinned"]
    assert seen["copied from pinned memory"] == seen["copied to pinned memory"] == [3.0] * 10
    assert seen["is reused"]


def test_dp_on_two_devices_waits_for_all_that_it_reads(seen):
    assert seen["dp"]["races"] == [] and seen["dp"]["error"] <= 1e-5


def test_dp_without_waits_between_lanes_is_seen(seen):
    assert seen["dp without waits"]["races"] != []


def test_costs_are_measured_without_a_race(seen):
    assert seen["calibration"] == []
