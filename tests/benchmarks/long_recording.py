"""A recording of as many spans as one asks for: one plan's step again and again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.trace.template import Template
from core.trace.writer import TaskColumns, Timings, span_batch
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
    step = span_batch(TaskColumns(plan.tasks), Timings(0, tasks, start, end))
    together = max(1, BATCH // len(tasks))
    rows = pa.Table.from_batches([step] * together).combine_chunks().to_batches()[0]
    template = Template(rows, ("step", "start", "end"))
    times = {"start": start, "end": end}
    length, batches = int(end.max()) + MS // 100, -(-spans // len(rows))
    run = replace(SPECIFICATION, steps=batches * together)
    with path.open("wb") as file:
        writer = pa.ipc.new_stream(file, replace(header, specification=run).to_schema())
        writer.write_batch(rows.slice(0, 0))  # the dictionaries
        for batch in range(batches):
            numbers = batch * together + np.arange(together)
            template["step"].reshape(together, -1)[:] = numbers[:, None]
            for name, own in times.items():
                template[name].reshape(together, -1)[:] = own + (numbers * length)[:, None]
            file.write(template.message)
        writer.close()
    return batches * len(rows)
