"""A job of three ranks in three network namespaces, as on three hosts: its clocks' half-widths.

Skipped where namespaces cannot be made: it takes root and `ip` (iproute2).
"""

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack

import pytest

pytest.importorskip("torch")

from core.explain.arrivals import arrivals, merged
from core.explain.causes import explain_run_step
from core.paths import PROJECT_ROOT
from core.recording.recording import open_recording
from core.trace.event_rows import clock_uncertainty
from tests.core.recorder.test_job import example

RANKS = 3
NAME, BRIDGE = f"bubble{os.getpid()}", f"bb{os.getpid()}"


def ip(*words):
    subprocess.run(("ip", *words), check=True, capture_output=True)


def connected(stack):
    """Namespaces that a bridge connects, rank 0 at 10.77.0.1; or the test is skipped."""
    if shutil.which("ip") is None:
        pytest.skip("there is no `ip`")
    try:
        ip("link", "add", BRIDGE, "type", "bridge")
        stack.callback(ip, "link", "del", BRIDGE)
        ip("link", "set", BRIDGE, "up")
        for rank in range(RANKS):
            name, outer = f"{NAME}-{rank}", f"{BRIDGE}-{rank}"
            ip("netns", "add", name)
            stack.callback(ip, "netns", "del", name)
            ip("link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", outer, "master", BRIDGE, "up")
            ip("-n", name, "addr", "add", f"10.77.0.{rank + 1}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"namespaces cannot be made: {error.stderr.decode().strip()}")


def test_ranks_in_network_namespaces_stand_on_one_axis(tmp_path):
    (tmp_path / "train.py").write_text(example())
    environment = {
        **os.environ, "PYTHONPATH": str(PROJECT_ROOT), "OMP_NUM_THREADS": "1",
        "MASTER_ADDR": "10.77.0.1", "MASTER_PORT": "29511", "WORLD_SIZE": str(RANKS),
        "GLOO_SOCKET_IFNAME": "eth0",
    }  # fmt: skip
    with ExitStack() as stack:
        connected(stack)
        ranks = [
            subprocess.Popen(
                ("ip", "netns", "exec", f"{NAME}-{rank}", sys.executable, "train.py"),
                cwd=tmp_path, env={**environment, "RANK": str(rank), "LOCAL_RANK": "0"},
            )
            for rank in range(RANKS)
        ]  # fmt: skip
        assert [rank.wait(120) for rank in ranks] == [0] * RANKS
    opened = open_recording(tmp_path / "runs")
    trace = opened.trace
    assert opened.warning == "" and trace.steps == list(range(6))
    print(f"\nclocks: half-width at most {clock_uncertainty(trace.clocks) / 1e3:.1f} us")
    for (name, _), clock in trace.clocks.items():
        print(f"  {name}: {', '.join(f'{ns / 1e3:.1f}' for ns in clock.values)} us")
    for one in merged(one for n in trace.steps[1:] for one in arrivals(explain_run_step(trace, n))):
        print(f"  {one.kind} {one.bucket}: last {dict(one.last)} of {one.times}, "
              f"wait {one.wait_ns / one.times / 1e3:.0f} us, "
              f"transfer {one.transfer_ns / one.times / 1e3:.0f} us")  # fmt: skip
