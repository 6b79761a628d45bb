"""Number of runs of stress tests: one in `make test`, many in `make stress`."""

from __future__ import annotations

import pytest

IN_THE_SUITE = 1


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--stress-runs", type=int, default=IN_THE_SUITE, metavar="N",
        help=f"runs, or kills, of each stress test (default {IN_THE_SUITE})",
    )  # fmt: skip


@pytest.fixture(scope="session")
def stress_runs(pytestconfig: pytest.Config) -> int:
    """Number of runs of each test."""
    # Where the whole suite is run this file is read behind the command line.
    return int(pytestconfig.getoption("--stress-runs", IN_THE_SUITE))
