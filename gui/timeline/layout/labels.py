"""What stands inside a bar: the words that may, before anything is measured. Pure."""

from __future__ import annotations

from core.plan.task import KINDS, Kind
from core.trace.columns import ABSENT
from core.trace.trace import bar_label

COLUMNS = (
    "kind", "microbatch", "bucket", "block", "replica", "paired_microbatch",
    "stage", "paired_stage", "rows", "bytes",
)  # fmt: skip
"""The columns of Spans that a bar's words are made from."""
Choices = tuple[str, ...]


def labels_of(
    code: int, numbers: tuple[int, ...], stage: int, paired_stage: int, staged: bool
) -> tuple[Choices, ...]:
    """For each half of a bar, or for all of it, the labels that may stand there, longest first.

    `code` indexes KINDS; `numbers` are those of `bar_label`. A lane that is `staged` holds several
    stages, so that its bars say which: `2F1` rather than `F1`, where that fits.
    """
    actions: tuple[str, ...] = (bar_label(KINDS[code], *numbers),)
    stages = (stage, paired_stage)
    if KINDS[code] is Kind.OVERLAP:
        actions = tuple(actions[0].split())
    return tuple(
        (f"{number}{action}", action) if staged and number != ABSENT else (action,)
        for number, action in zip(stages, actions, strict=False)
    )


def on_one_line(halves: tuple[Choices, ...]) -> tuple[Choices]:
    """The same for a bar that is too low for halves: `F3 B1`."""
    return (tuple(map(" ".join, zip(*halves, strict=True))),)
