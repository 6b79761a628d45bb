"""The settings of strategies that cut the model into stages."""

from __future__ import annotations

from core.message import message
from core.option import Option, OptionGroup, RunSettings
from core.plan.schedules import SCHEDULES
from core.plan.schedules.compute_csv import SUFFIX

DEFAULT_SCHEDULE = "1f1b"
DEFAULT_MICROBATCHES = 8
MOST_MICROBATCHES = 32_767  # the largest count that a span's row in memory can hold
MOST_ROWS = 10**12


def _chunks_unused(settings: RunSettings) -> bool:
    """Return True if the schedule itself determines how many stages a lane has."""
    schedule = SCHEDULES.get(settings[SCHEDULE] or DEFAULT_SCHEDULE)
    return schedule is None or not schedule.settable_chunks


def _lane_memory_unused(settings: RunSettings) -> bool:
    """Return True unless measured times are balanced: the limit is only for balanced stages."""
    return not settings[BALANCE]


def read_borders(text: str) -> list[int]:
    """Return the first block of each stage after the first. Raises ValueError."""
    words = text.split(",")
    are_numbers = all(word.isdecimal() and len(word) < 10 for word in words)
    numbers = list(map(int, words)) if are_numbers else [0]
    if numbers != sorted(set(numbers)) or numbers[0] < 1:
        raise ValueError(
            message(
                "--borders {text!r}: use increasing block numbers from 1, separated by commas, "
                "such as 3,7",
                text=text,
            )
        )
    return numbers


def stages_asked(stages: int | None, borders: str | None) -> int | None:
    """Return the number of stages that the values of STAGES and BORDERS ask for; None if neither.

    Raises ValueError for invalid borders.
    """
    if borders is None:
        return stages
    return 1 + len(read_borders(borders))


SCHEDULE: Option[str | None] = Option(
    "schedule",
    str,
    "The order of the passes of each stage.",
    DEFAULT_SCHEDULE,
    "name",
    choices=SCHEDULES,
    suffix=SUFFIX,
    group=OptionGroup.STRATEGY,
)
MICROBATCHES: Option[int | None] = Option(
    "microbatches",
    int,
    "Number of micro-batches, of nearly equal size.",
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
    "stages",
    int,
    "Number of consecutive parts into which the model is divided.",
    "one per lane",
    most=4096,
    excludes="borders",
    rare=True,
)
BORDERS: Option[str | None] = Option(
    "borders",
    str,
    "The first block of every stage except the first one, counted from 0, such as 3,7.",
    "equal parameters",
    "blocks",
    reads=read_borders,
    excludes="stages",
    rare=True,
)
BALANCE: Option[bool] = Option(
    "balance",
    bool,
    "Cut the model so that the measured times of its stages are balanced.",
    unit="equal times",
    default=False,
    excludes="borders",
    rare=True,
)
LANE_MEMORY: Option[float | None] = Option(
    "lane_memory",
    float,
    "Memory limit for the stages of a lane, if measured times are balanced.",
    "no limit",
    "MB",
    most=10**9,
    unused=_lane_memory_unused,
    rare=True,
)
CHUNKS: Option[int | None] = Option(
    "chunks",
    int,
    "Stages of each lane, for schedules with several stages on a lane.",
    "the schedule's own",
    most=64,
    unused=_chunks_unused,
    rare=True,
)

CUT_OPTIONS = (STAGES, BORDERS, BALANCE, LANE_MEMORY)
PIPELINE_OPTIONS = (SCHEDULE, MICROBATCHES, SPLIT_SIZE, *CUT_OPTIONS, CHUNKS)
