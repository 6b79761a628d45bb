"""What is refused, each in one line for whoever asked."""

from __future__ import annotations


class PlanError(ValueError):
    """What was asked for cannot be planned; the message names the value and what is accepted."""


class RecordingError(ValueError):
    """A file or stream is not a recording; the message names it and says why."""
