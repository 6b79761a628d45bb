"""Saves a finished board as a schedule in a file, and describes runs of it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

from core.board.board import Board
from core.files import write_whole
from core.models.catalogue import ModelSettings
from core.plan.pipeline.options import BORDERS
from core.plan.schedules.by_hand import board_folder_name
from core.plan.schedules.compute_csv import SUFFIX, csv_text
from core.plan.specification import Specification

WIDTH = 512
BLOCKS = 12  # of the model, or fewer or more, so that all stages have equally many blocks
ROWS = 64  # of each micro-batch
STEPS = 3
WARMUP = 1
MOST_STEM = 60  # characters: a name of a file has at most 255 bytes


def save_board(board: Board, folder: Path, title: str) -> Path:
    """Save a board as a schedule in a separate folder, and return the file.

    The file is named after the board's title, because runs are titled by their schedule's file. The
    folder is named after the lanes, micro-batches and contents of the board, so that different
    boards of one title do not collide. Raises OSError.
    """
    text = csv_text(board.orders)
    mark = hashlib.sha256(text.encode()).hexdigest()[:8]
    own = folder / board_folder_name(board.rules.lanes, board.rules.microbatches, mark)
    own.mkdir(parents=True, exist_ok=True)
    path = own / f"{_file_stem(title)}{SUFFIX}"
    write_whole(path, text)
    return path


def _file_stem(title: str) -> str:
    """Return a title without the characters that some file systems do not accept in names."""
    accepted = re.sub(r'[\x00-\x1f<>:"/\\|?*]', " ", title)
    return " ".join(accepted.split()).strip(". ")[:MOST_STEM] or "board"


def own_run(board: Board, schedule: Path, settings: Specification) -> Specification:
    """Return a run of a saved board with the given settings, with verified gradients."""
    # If the run has borders, they determine the number of stages.
    stages = None
    if settings[BORDERS] is None:
        stages = board.rules.stages
    changed = settings.having(
        schedule=str(schedule),
        microbatches=board.rules.microbatches,
        split_size=None,
        chunks=None,
        stages=stages,
    )
    return replace(changed, verify=True)


def board_run(board: Board, schedule: Path, width: int = WIDTH, rows: int = ROWS) -> Specification:
    """Return a verified run of a saved board, with equal stages on virtual lanes."""
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
