"""A run through a real sshd against the same run here: times of steps, spans a second, delays.

    python -m tests.benchmarks.remote_link --steps 300 --rounds 3

The delay of a span is the time from its end to its arrival at the client; both ends have the same
clock, because the other machine is the loopback interface. `--slow 25,1000` puts a connection
between them that delays each direction by 25 ms and carries 1000 kbit/s (tests/slow_link.py).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa

from core.engine import remote
from core.engine.client import EngineClient
from core.engine.messages import Ended, Outcome
from core.models.catalogue import ModelSettings
from core.paths import PROJECT_ROOT
from core.plan.devices import Hardware
from core.plan.specification import Specification
from core.recording.decode import append_batch
from core.trace.complete import completed_steps
from core.trace.header import Header
from core.trace.trace import Trace
from tests.sshd import HOST, serving

POLL_SECONDS = 0.002


def measure(host: str, specification: Specification) -> dict[str, float]:
    """Run once, and return the figures of the run."""
    with closing(EngineClient(host)) as client:
        client.start()
        _wait(client, Hardware)
        began = time.perf_counter()
        client.run(specification)
        trace, delays = None, list[float]()
        ended = None
        while ended is None:
            for received in client.poll():
                now = time.perf_counter_ns()
                if isinstance(received, Header):
                    trace, origin = Trace(received), received.origin_ns
                elif isinstance(received, pa.RecordBatch):
                    append_batch(trace, received)
                    ends = received.column("end").drop_null().to_numpy()
                    delays.extend(now - origin - ends)
                elif isinstance(received, Ended):
                    ended = received
            time.sleep(POLL_SECONDS)
        seconds = time.perf_counter() - began
    assert ended.outcome is Outcome.FINISHED, ended
    steps = completed_steps(trace)
    assert len(steps) == specification.steps, "a step is missing"
    lengths = [end - start for start, end in map(trace.step_bounds, steps)]
    return {
        "step_ms": median(lengths) / 1e6,
        "seconds": seconds,
        "spans": trace.span_count,
        "spans_per_s": trace.span_count / seconds,
        "delay_ms_median": float(np.median(delays)) / 1e6,
        "delay_ms_p95": float(np.percentile(delays, 95)) / 1e6,
    }


def _wait(client: EngineClient, kind: type) -> None:
    while not any(isinstance(each, kind) for each in client.poll()):
        time.sleep(POLL_SECONDS)


def main() -> None:
    """Print the medians of both, and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slow", default="", metavar="MS,KBIT")
    given = parser.parse_args()
    line = ""
    if given.slow:
        shape = given.slow.replace(",", " ")
        line = f"ProxyCommand {sys.executable} {PROJECT_ROOT}/tests/slow_link.py %h %p {shape}"
    # The client gives a run an origin of its own clock; here both clocks are the same.
    remote.replace = lambda header, **_: header
    specification = Specification(
        "pipeline", ModelSettings("mlp", width=128, depth=8), "2xcpu", batch=64, steps=given.steps
    )
    found: dict[str, list[dict[str, float]]] = {"": [], HOST: []}
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), None, line) as sshd:
        sshd.install()
        os.environ["PATH"] = sshd.path
        for _ in range(given.rounds):
            for host, results in found.items():
                results.append(measure(host, specification))
    for name in found[""][0]:
        here, there = (median(each[name] for each in found[host]) for host in found)
        print(f"{name:16} here {here:10.2f}  there {there:10.2f}  ratio {there / here:6.3f}")


if __name__ == "__main__":
    main()
