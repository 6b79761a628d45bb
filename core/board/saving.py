"""A finished board as a schedule in a file, and the run of it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from core.board.board import Board
from core.files import write_whole
from core.models.catalogue import ModelSettings
from core.plan.pipeline.options import BORDERS
from core.plan.schedules.by_hand import board_file_name
from core.plan.schedules.compute_csv import csv_text
from core.plan.specification import Specification

WIDTH = 512
BLOCKS = 12  # of the model, at least: stages of equally many blocks take equally long
ROWS = 64  # of each micro-batch
STEPS, WARMUP = 3, 1


def save_board(board: Board, folder: Path) -> Path:
    """Save a board as a schedule, under a name made of what it holds, and return the file.

    The same board is always the same file. Raises OSError.
    """
    text = csv_text(board.orders)
    mark = hashlib.sha256(text.encode()).hexdigest()[:8]
    name = board_file_name(board.rules.lanes, board.rules.microbatches, mark)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    write_whole(path, text)
    return path


def own_run(board: Board, schedule: Path, settings: Specification) -> Specification:
    """Return a run with its settings, in the order of a board that was saved, verified."""
    cut = settings[BORDERS]
    changed = settings.having(
        schedule=str(schedule),
        microbatches=board.rules.microbatches,
        split_size=None,
        chunks=None,
        stages=None if cut is not None else board.rules.stages,
    )
    return replace(changed, verify=True)


def board_run(board: Board, schedule: Path, width: int = WIDTH, rows: int = ROWS) -> Specification:
    """Return the run of a board that was saved: on virtual lanes, verified, of equal stages."""
    stages = board.rules.stages
    depth = stages * max(1, BLOCKS // stages)
    whole = Specification(
        strategy="pipeline",
        model=ModelSettings("mlp", width=width, depth=depth),
        devices=f"{board.rules.lanes}xvirtual",
        batch=rows * board.rules.microbatches,
        steps=STEPS,
        warmup=WARMUP,
        verify=True,
    )
    return whole.having(schedule=str(schedule), microbatches=board.rules.microbatches)
