"""The argument `--on`: the machine on which the engine runs."""

from __future__ import annotations

import argparse

from core.plan.hosts import chosen_host


def host_of(arguments: argparse.Namespace) -> str:
    """Return the host of `--on`, or "" for this machine. Raises PlanError for an unusable name."""
    return chosen_host(arguments.on)
