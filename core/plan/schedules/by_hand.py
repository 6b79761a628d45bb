"""Names of the folders in which schedules from the board are saved, each with one file."""

from __future__ import annotations

import re
from pathlib import PurePath

_NAME = re.compile(r"board-\d+x\d+-(?P<mark>[0-9a-f]{8})")


def board_folder_name(lanes: int, microbatches: int, mark: str) -> str:
    """Return the name of a board's folder; `mark` has 8 digits that depend on its passes."""
    return f"board-{lanes}x{microbatches}-{mark}"


def board_mark(schedule: str) -> str:
    """Return the mark in the path of a board's file; "" for other schedules."""
    match = _NAME.fullmatch(PurePath(schedule).parent.name)
    return "" if match is None else match["mark"]
