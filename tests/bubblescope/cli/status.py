"""Commands that end at once, without a process of their own."""

from __future__ import annotations

from bubblescope.cli.start import run_arguments


def status_of(words: list[str]) -> int:
    """The status with which a command ends; what it prints stays in this process."""
    try:
        return run_arguments(words)
    except SystemExit as ended:  # an argument that the parser refuses
        assert isinstance(ended.code, int)
        return ended.code
