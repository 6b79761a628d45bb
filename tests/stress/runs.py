"""Many short runs while other processes occupy the cores, each checked for its invariants.

    python -m tests.stress.runs --runs 2000 --results stress.jsonl

This tests the live path: an engine process, its flusher, the client, and the recording that the
client received. All runs use the same engine process as long as it lives. Run n depends only on
the seed and n, so a call with the same results file continues where the last one was interrupted,
and any run can be repeated. Every sixth run uses ranks. A run that takes longer than HANG_SECONDS
counts as hanging.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa

from core.engine.client import EngineClient
from core.engine.messages import Ended, Outcome
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.schedules import SCHEDULES
from core.plan.specification import Specification
from core.recording.recording import RecordingFile
from core.trace.header import Header
from tests.core.helpers import plan_of
from tests.stress.invariants import violations

HANG_SECONDS = 120.0
RANKS = (("ddp", None), ("fsdp", None))
ON_LANES = (
    ("single", None), ("dp", None), ("mp", None), ("tp", None),
    *(("pipeline", schedule) for schedule in SCHEDULES),
    *(("dp-pp", schedule) for schedule in ("1f1b", "zb-h1", "interleaved", "zb-v")),
)  # fmt: skip


@contextmanager
def taken_cores(loops: int) -> Iterator[None]:
    """Keep `loops` processes busy, each of which occupies a core."""
    # They end with this process, even if it is killed.
    busy = f"import os\nwhile os.getppid() == {os.getpid()}: pass"
    command = [sys.executable, "-c", busy]
    processes = [subprocess.Popen(command) for _ in range(loops)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def specification(seed: int, number: int) -> Specification:
    """Return run `number`: strategies and schedules in turn, often with more lanes than cores."""
    of = (
        RANKS[number // 6 % 2]
        if number % 6 == 5
        else ON_LANES[(number - number // 6) % len(ON_LANES)]
    )
    for attempt in count():
        drawn = _ranks if of in RANKS else _on_lanes
        made = drawn(random.Random(f"{seed} {number} {attempt}"), *of)
        try:
            plan_of(made)
        except PlanError:
            continue
        return made
    raise AssertionError("counting never ends")


def _devices(chance: random.Random) -> str:
    """Return the kind of devices: one run in eight is on virtual lanes."""
    return "virtual" if chance.random() < 1 / 8 else "cpu"


def _ranks(chance: random.Random, strategy: str, _: str | None) -> Specification:
    model = ModelSettings("mlp", width=chance.choice([32, 128, 256]), depth=chance.randint(2, 8))
    return Specification(
        strategy, model, f"{chance.choice([2, 2, 2, 3])}x{_devices(chance)}",
        batch=chance.randint(4, 256),
        steps=chance.randint(5, 15), warmup=chance.randint(0, 1), calibrate=False,
        bucket_mb=chance.choice([0.02, 0.1, 0.5]) if strategy == "ddp" else None,
    )  # fmt: skip


def _on_lanes(chance: random.Random, strategy: str, schedule: str | None) -> Specification:
    depth, width = chance.randint(4, 12), chance.choice([8, 32, 64, 128, 256, 512])
    model = ModelSettings("mlp", width=width, depth=depth)
    if chance.random() < 0.2:
        model = ModelSettings("gpt", width=32, depth=depth, heads=4, sequence=chance.randint(4, 32))
    return Specification(
        strategy, model, f"{chance.randint(1, 6)}x{_devices(chance)}",
        batch=chance.choice([16, 64, 128, 512]),
        steps=chance.randint(1, 4), warmup=chance.randint(0, 1), schedule=schedule,
        microbatches=chance.randint(1, 12) if schedule else None,
        replicas=2 if strategy == "dp-pp" else None, cores_per_lane=1,
        calibrate=chance.random() < 0.03, blocks=chance.random() < 0.2,
    )  # fmt: skip


class Runs:
    """Runs specifications one after the other in the same engine."""

    def __init__(self, folder: Path) -> None:
        self._client, self._path = EngineClient(), folder / "run.arrow"

    def run(self, wanted: Specification) -> list[str]:
        """Run a specification, and return the violated invariants."""
        self._client.run(wanted)
        file: RecordingFile | None = None
        ended: Ended | None = None
        until = time.monotonic() + HANG_SECONDS
        while ended is None:
            if time.monotonic() > until:
                self._client.close()
                self._client = EngineClient()
                return ["hang"]
            for message in self._client.poll():
                if isinstance(message, Header):
                    file = RecordingFile(self._path, message)
                elif isinstance(message, pa.RecordBatch) and file is not None:
                    file.write(message)
                elif isinstance(message, Ended):
                    ended = message
            time.sleep(0.002)
        if file is None or ended.outcome is not Outcome.FINISHED:
            return [f"{ended.outcome}: {ended.text}"]
        file.close()
        return violations(self._path, len(wanted.all_rows))

    def close(self) -> None:
        """End the engine."""
        self._client.close()


def stress(numbers: Sequence[int], seed: int, loops: int) -> Iterator[dict[str, Any]]:
    """Run all `numbers`, and yield each with its violated invariants."""
    with tempfile.TemporaryDirectory() as folder, taken_cores(loops):
        runs = Runs(Path(folder))
        try:
            for number in numbers:
                wanted = specification(seed, number)
                began = time.monotonic()
                found = runs.run(wanted)
                seconds = time.monotonic() - began
                told = {"number": number, "strategy": wanted.strategy, "schedule": wanted.schedule}
                yield {**told, "seconds": round(seconds, 2), "found": found[:20],
                       "specification": asdict(wanted) if found else None}  # fmt: skip
        finally:
            runs.close()


def main() -> int:
    """Continue a results file until it has all runs, and print a summary of their violations."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--loops", type=int, default=2, help="processes that take the cores")
    parser.add_argument("--results", type=Path, default=Path("stress.jsonl"))
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that child processes are ended
    known = [json.loads(line) for line in given.results.open()] if given.results.exists() else []
    left = sorted(set(range(given.runs)) - {result["number"] for result in known})
    with given.results.open("a") as file:
        for result in stress(left, given.seed, given.loops):
            known.append(result)
            file.write(json.dumps(result) + "\n")
            file.flush()
            if result["found"]:
                print(result["number"], result["strategy"], result["schedule"], result["found"][:3])
    told = Counter(text.partition(":")[0] for result in known for text in result["found"])
    of = Counter(result["schedule"] or result["strategy"] for result in known)
    print(f"{len(known)} runs: {dict(told) or 'nothing found'}")
    print(", ".join(f"{name} {count}" for name, count in sorted(of.items())))
    return bool(told)


if __name__ == "__main__":
    sys.exit(main())
