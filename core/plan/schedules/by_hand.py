"""Names of the files in which schedules from the board are saved."""

from __future__ import annotations

import re
from pathlib import PurePath

_NAME = re.compile(r"board-\d+x\d+-(?P<mark>[0-9a-f]{8})\.csv")


def board_file_name(lanes: int, microbatches: int, mark: str) -> str:
    """Return the name of a board's file; `mark` has 8 digits that depend on its passes."""
    return f"board-{lanes}x{microbatches}-{mark}.csv"


def board_mark(schedule: str) -> str:
    """Return the mark in the path of a board's file; "" for other schedules."""
    match = _NAME.fullmatch(PurePath(schedule).name)
    return "" if match is None else match["mark"]
