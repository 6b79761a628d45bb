"""Fixtures that tests of core share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.core.helpers import Engine


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """An engine for all tests, which may stop or kill it: then the next run starts another.

    Each test waits for the end of its runs. Needs torch.
    """
    made = Engine()
    yield made
    made.client.close()
