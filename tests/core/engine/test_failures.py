"""Failures are reported in one line."""

import pytest

pytest.importorskip("torch")

from core.engine.failures import error_line


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RuntimeError("\nmismatch of sizes\nat a.cpp"), "RuntimeError: mismatch of sizes"),
        (RuntimeError(""), "RuntimeError"),
        (
            RuntimeError("has parameters that were not used in producing loss.\nYou"),
            "--strategy fsdp",
        ),
    ],
)
def test_an_error_is_one_line_that_says_something(error, words):
    said = str(error_line(error))
    assert words in said and len(said.splitlines()) == 1
