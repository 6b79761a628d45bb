"""The option that chooses the machine whose devices are used, reached through ssh."""

from __future__ import annotations

from core.option import Option
from core.process.ssh import checked_host


def chosen_host(text: str) -> str:
    """Return the host of a value of ON, "" for this machine. Raises PlanError if it is invalid."""
    if not text:
        return ""
    return checked_host(ON.flag, text)


ON: Option[str] = Option(
    "on",
    str,
    "Use the devices of another machine, through ssh.",
    "this machine",
    "user@host",
    default="",
    reads=chosen_host,
)
"""It is no setting of a run: a run is the same on any machine with its devices."""
