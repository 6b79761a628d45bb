"""Number of runs of the stress tests: one in `make test`, many in `make stress`."""

from __future__ import annotations

from pathlib import Path

import pytest

IN_THE_SUITE = 1


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--stress-runs", type=int, default=IN_THE_SUITE, metavar="N",
        help=f"runs, or kills, of each stress test (default {IN_THE_SUITE})",
    )  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark these tests, so that all their processes are started as users start them."""
    folder = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker("starts_processes")


@pytest.fixture(scope="session")
def stress_runs(pytestconfig: pytest.Config) -> int:
    """Number of runs of each test."""
    # If the whole suite runs, pytest reads this file after it has parsed the command line.
    return int(pytestconfig.getoption("--stress-runs", IN_THE_SUITE))
