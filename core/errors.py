"""Errors that users see, each as one line."""

from __future__ import annotations


class PlanError(ValueError):
    """Raised for a request that cannot be planned; names the value and the accepted ones."""


class RecordingError(ValueError):
    """Raised for a file or stream that is not a recording; names it and the reason."""
