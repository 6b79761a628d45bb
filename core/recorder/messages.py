"""Prints the recorder's messages to the user of a job. Needs only the standard library."""

from __future__ import annotations

import sys
from contextlib import suppress


def print_message(text: str) -> None:
    """Print one line to standard error, or nothing if that fails.

    Standard output belongs to the job, whose reader may expect only its own lines. Either may be
    closed or a file on a full disk, and no message may end a training job.
    """
    if sys.stderr is None:  # `print` would use standard output
        return
    with suppress(Exception):
        print(f"bubblescope: {text}", file=sys.stderr, flush=True)
