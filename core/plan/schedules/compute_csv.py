"""Schedules in files: torch.distributed.pipelining's compute-only form.

    0F0,0F1,0B0,0F2,0B1,0B2
    ,1F0,1B0,1F1,1B1,1F2,1B2

Each line is a rank and each cell one of its actions. Empty cells, which torch writes for ticks
without an action, are skipped.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.counts import microbatches_text
from core.errors import PlanError
from core.message import Message, message
from core.plan.schedules.schedule import (
    Action,
    Schedule,
    ScheduleError,
    StagePlacement,
    overlap,
    refuse,
)
from core.plan.task import Kind
from core.reading import one_line, read_regular

SUFFIX = ".csv"
MOST_NUMBER = 32_766  # the largest that a span's row in memory can hold
_KINDS = {
    kind.letter: kind
    for kind in (Kind.FORWARD, Kind.BACKWARD, Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)
}
_PASS = r"(\d{1,5})([FBIW])(\d{1,5})"
_ACTION = re.compile(_PASS)
_OVERLAP = re.compile(rf"\(\s*{_PASS}\s*;\s*{_PASS}\s*\)OVERLAP_F_B")
_ACCEPTED = message("use 0F0, 0B0, 0I0, 0W0 or (0F1;1B0)OVERLAP_F_B with numbers up to 32766")


def load_schedule(path: str) -> Schedule:
    """Read a schedule from a file, which fixes its numbers of ranks and micro-batches.

    A stage may be on several ranks; the model then has replicas. Micro-batches whose forwards take
    the same path through the ranks belong to one replica; replicas are numbered by first
    appearance. Raises PlanError, naming file, line and cell, if the file is not a schedule.
    """
    rows = _read(path)
    halves: list[tuple[Action, int]] = []
    for rank, row in enumerate(rows):
        for action in row:
            for half in action.halves:
                halves.append((half, rank))
    stages = 1 + max(half.stage for half, _ in halves)
    microbatches = 1 + max(half.microbatch or 0 for half, _ in halves)
    replicas, stage_placement = _replicas(path, halves, stages)
    orders: list[list[Action]] = []
    kinds = {half.kind for half, _ in halves}
    for row in rows:
        kinds.update(action.kind for action in row)
        orders.append([_of_replica(action, replicas) for action in row])

    def check(ranks: int, count: int, chunks: int) -> None:
        refuse(
            count == microbatches,
            message(
                "{path} is for {microbatches}, not {count}",
                path=path,
                microbatches=microbatches_text(microbatches),
                count=count,
            ),
        )

    return Schedule(
        name=path,
        title=Path(path).name,
        line="From a file.",
        order=lambda rank, ranks, count, chunks: orders[rank],
        stage_placement=lambda ranks, chunks: stage_placement,
        check=check,
        ranks=len(rows),
        microbatches=microbatches,
        uses=frozenset(kinds),
    )


def csv_text(orders: Sequence[Sequence[Action]]) -> str:
    """Return the actions of each rank in torch's compute-only format.

    Raises PlanError for passes over all micro-batches at once, which the format lacks.
    """
    for order in orders:
        for action in order:
            refuse(
                action.microbatch is not None,
                message(
                    "a CSV schedule cannot express {action}, a pass over all micro-batches at once",
                    action=action,
                ),
            )
    text = io.StringIO()
    # The writer calls str() for each action, which returns torch's notation.
    csv.writer(text, lineterminator="\n").writerows(orders)
    return text.getvalue()


def _read(path: str) -> list[list[Action]]:
    """Return the actions of each line. Raises PlanError."""
    with one_line(message("{path} cannot be read as a schedule", path=path), PlanError, csv.Error):
        text = read_regular(path).decode("utf-8-sig")  # spreadsheets write a byte order mark
        # The csv module requires newline="", because quoted cells may contain line ends.
        lines = list(csv.reader(io.StringIO(text, newline="")))
    # Editors add blank lines at the end. A blank line in the middle is a rank without actions.
    while lines and not any(cell.strip() for cell in lines[-1]):
        lines.pop()
    rows: list[list[Action]] = []
    for number, line in enumerate(lines, 1):
        row: list[Action] = []
        for place, cell in enumerate(line, 1):
            action_text = cell.strip()
            if not action_text:
                continue
            where = message(
                "{path} line {number}, cell {place}", path=path, number=number, place=place
            )
            row.append(_action(action_text, where))
        rows.append(row)
    refuse(bool(rows), message("{path} contains no action", path=path))
    for number, row in enumerate(rows, 1):
        refuse(
            bool(row),
            message(
                "{path} line {number} contains no action; each line is a rank's",
                path=path,
                number=number,
            ),
        )
    return rows


def _action(cell: str, where: Message) -> Action:
    """Return the action that a cell names. Raises PlanError."""
    if match := _ACTION.fullmatch(cell):
        return _pass(match.groups(), cell, where)
    if match := _OVERLAP.fullmatch(cell):
        words = match.groups()
        first = _pass(words[:3], cell, where)
        second = _pass(words[3:], cell, where)
        if first.kind is Kind.FORWARD and second.kind is Kind.BACKWARD:
            return overlap(first, second)
    raise _not_an_action(cell[:60], where)


def _not_an_action(cell: str, where: Message) -> PlanError:
    return PlanError(
        message(
            "{where}: {cell!r} is not an action; {accepted}",
            where=where,
            cell=cell,
            accepted=_ACCEPTED,
        )
    )


def _pass(words: Sequence[str], cell: str, where: Message) -> Action:
    """Return the pass with the given stage, letter and micro-batch. Raises PlanError."""
    stage = int(words[0])
    letter = words[1]
    microbatch = int(words[2])
    if max(stage, microbatch) > MOST_NUMBER:
        raise _not_an_action(cell, where)
    return Action(stage, _KINDS[letter], microbatch)


def _replicas(
    path: str, halves: Iterable[tuple[Action, int]], stages: int
) -> tuple[dict[int, int], list[StagePlacement]]:
    """Return each micro-batch's replica, and the ranks that hold each replica's stages.

    Raises PlanError if a micro-batch lacks the forward of a stage.
    """
    # For each micro-batch, the rank of each stage's forward.
    paths: dict[int, dict[int, int]] = {}
    for half, rank in halves:
        stage_ranks = paths.setdefault(half.microbatch or 0, {})
        if half.kind is Kind.FORWARD:
            stage_ranks.setdefault(half.stage, rank)
    # Micro-batches with the same path use the same replica of the model.
    numbers: dict[tuple[int, ...], int] = {}
    replicas: dict[int, int] = {}
    for microbatch, stage_ranks in paths.items():
        for stage in range(stages):
            if stage not in stage_ranks:
                raise ScheduleError(
                    message(
                        "{path}: the schedule lacks {stage}F{microbatch}",
                        path=path,
                        stage=stage,
                        microbatch=microbatch,
                    )
                )
        ranks = tuple(stage_ranks[stage] for stage in range(stages))
        next_number = len(numbers)
        replicas[microbatch] = numbers.setdefault(ranks, next_number)
    stage_placement: list[StagePlacement] = []
    for ranks, replica in numbers.items():
        for stage, rank in enumerate(ranks):
            stage_placement.append(StagePlacement(replica, stage, rank))
    return replicas, stage_placement


def _of_replica(action: Action, replicas: dict[int, int]) -> Action:
    """Return an action, and its pair if it has one, with the replicas of their micro-batches."""
    paired: Action | None = None
    if action.paired is not None:
        paired = _of_replica(action.paired, replicas)
    replica = replicas[action.microbatch or 0]
    return action._replace(replica=replica, paired=paired)
