"""Errors that users see, each as one line."""

from __future__ import annotations


class PlanError(ValueError):
    """A request cannot be planned; the message names the value and what is accepted."""


class RecordingError(ValueError):
    """A file or stream is not a recording; the message names it and says why."""
