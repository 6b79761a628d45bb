"""The option `--on`, which selects another machine, reached through ssh, for its devices."""

from __future__ import annotations

from core.option import Option
from core.process.ssh import checked_host


def chosen_host(text: str) -> str:
    """Return the host that `--on` names, "" for this machine. Raises PlanError if invalid."""
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
"""Not a setting of a run, because a run is the same on any machine that has its devices."""
