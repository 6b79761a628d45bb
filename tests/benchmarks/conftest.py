"""Benchmarks measure processes as users start them.

A forked engine shares its memory with the process that forked it, and pays for each page that it
writes first. Its steps of a few milliseconds took up to 30 % longer.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every benchmark, before its fixtures are chosen."""
    folder = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker("starts_processes")
