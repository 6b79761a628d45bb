"""`bubblescope record -- COMMAND`: runs a training command so that its ranks record themselves."""

from __future__ import annotations

import argparse
import os
import shutil
from pathlib import Path
from typing import NoReturn

from core.paths import PROJECT_ROOT

SITE = PROJECT_ROOT / "core" / "recorder" / "site"
"""Where Python finds the sitecustomize that begins to record; core.recorder is not imported here,
since it needs torch."""


def record(given: argparse.Namespace) -> NoReturn:
    """Become the command that was given, with what makes it record in its environment.

    Raises ValueError if there is none, OSError if it cannot be run.
    """
    words = given.words[1:] if given.words[:1] == ["--"] else given.words
    if not words:
        raise ValueError("give the command that trains: bubblescope record -- torchrun train.py")
    if shutil.which(words[0]) is None:
        raise ValueError(f"{words[0]}: there is no such command")
    known = os.environ.get("PYTHONPATH")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(SITE), *([known] if known else [])]),
        "BUBBLESCOPE_RECORD": str(Path(given.out).absolute()),
    }
    os.execvpe(words[0], words, environment)
