"""A recording of as many spans as one asks for: one plan's step again and again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.recording.schema import Timings, plan_batch, span_batch
from core.recording.stream_header import schema_of
from tests.make_believe import MS, header_and_plans, timed

SPECIFICATION = Specification(
    "pipeline", ModelSettings("mlp", width=64, depth=16), "16xcpu", batch=64, schedule="1f1b",
    microbatches=32, steps=1, warmup=0,
)  # fmt: skip
BATCH = 16_384  # rows, roughly


def write(path: Path, spans: int) -> int:
    """Write at least so many spans on 16 lanes; returns how many there are."""
    header, plans = header_and_plans(SPECIFICATION)
    plan = next(iter(plans.values()))
    timings = timed(plan, 0, 0, 0.01)
    tasks, start, end = (np.array(column) for column in zip(*timings, strict=True))
    together = max(1, BATCH // len(tasks))
    length, batches = int(end.max()) + MS // 100, -(-spans // (together * len(tasks)))
    run = replace(SPECIFICATION, steps=batches * together)
    with path.open("wb") as file:
        writer = pa.ipc.new_stream(file, schema_of(replace(header, specification=run)))
        writer.write_batch(plan_batch(0, plan.tasks))
        for first in range(0, batches * together, together):
            steps = [
                Timings(0, step, tasks, start + step * length, end + step * length)
                for step in range(first, first + together)
            ]
            writer.write_batch(span_batch(*steps))
        writer.close()
    return batches * together * len(tasks)
