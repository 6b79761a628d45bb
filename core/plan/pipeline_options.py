"""The settings of strategies that cut the model into stages."""

from __future__ import annotations

from core.option import Group, Option, Settings
from core.plan.schedules import SCHEDULES
from core.plan.schedules.compute_csv import SUFFIX

DEFAULT_SCHEDULE = "1f1b"
DEFAULT_MICROBATCHES = 8
MOST_MICROBATCHES = 32_767  # what a span's row in memory can count
MOST_ROWS = 10**12


def _chunks_unused(settings: Settings) -> str:
    schedule = SCHEDULES.get(settings[SCHEDULE] or DEFAULT_SCHEDULE)
    if schedule is not None and schedule.settable_chunks:
        return ""
    return "The schedule says itself how many stages a lane holds."


SCHEDULE: Option[str | None] = Option(
    "schedule",
    str,
    "In which order every stage works through the micro-batches.",
    DEFAULT_SCHEDULE,
    "name",
    choices=SCHEDULES,
    suffix=SUFFIX,
    group=Group.STRATEGY,
)
MICROBATCHES: Option[int | None] = Option(
    "microbatches",
    int,
    "Into how many pieces the batch is cut, as even as can be.",
    f"up to {DEFAULT_MICROBATCHES}",
    label="Micro-batches",
    most=MOST_MICROBATCHES,
    excludes="split_size",
)
SPLIT_SIZE: Option[int | None] = Option(
    "split_size",
    int,
    "Rows of each micro-batch; the last one may have fewer.",
    "not used",
    "rows",
    most=MOST_ROWS,
    excludes="microbatches",
)
STAGES: Option[int | None] = Option(
    "stages", int, "Into how many consecutive parts the model is cut.", "one per lane", most=4096,
    rare=True,
)  # fmt: skip
CHUNKS: Option[int | None] = Option(
    "chunks",
    int,
    "Stages of each lane, for schedules that give it several.",
    "the schedule's own",
    most=64,
    unused=_chunks_unused,
    rare=True,
)

PIPELINE_OPTIONS = (SCHEDULE, MICROBATCHES, SPLIT_SIZE, STAGES, CHUNKS)
