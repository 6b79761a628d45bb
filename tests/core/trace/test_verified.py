"""Agreement of a verified run with the plain step."""

import math

import pytest

from core.models.catalogue import ModelSettings
from core.models.description import DTYPE_BYTES
from core.plan.specification import Specification
from core.recording.decode import append_batch
from core.recording.schema import Record
from core.trace.trace import Trace
from core.trace.verified import EPSILON, Verified, verified
from tests.core.helpers import Note, batch_of, header_of, plan_of


def trace_with(dtype: str, *errors: tuple[str, float]) -> Trace:
    specification = Specification("mp", ModelSettings("mlp", dtype=dtype), "2xcpu", batch=8)
    trace = Trace(header_of(specification, plan_of(specification)))
    rows = [
        Note(Record.COUNTER, name, 10 * step, step, value=value)
        for step, (name, value) in enumerate(errors)
    ]
    if rows:
        append_batch(trace, batch_of(rows))
    return trace


def test_every_type_of_number_has_its_rounding() -> None:
    assert set(DTYPE_BYTES) <= set(EPSILON)


def test_nothing_is_said_of_a_run_that_was_not_compared() -> None:
    assert verified(trace_with("float32")) is None


@pytest.mark.parametrize(
    ("dtype", "gradient", "loss", "agrees"),
    [
        ("float32", 3e-6, 2e-7, True),
        ("float32", 1e-3, 0.0, False),
        ("float32", 1e-6, 0.75, False),
        ("float32", math.inf, 0.0, False),
        ("float32", math.nan, 0.0, False),
        ("float32", 0.0, math.nan, False),
        ("float64", 1e-6, 0.0, False),
        ("bfloat16", 2e-2, 4e-3, True),
    ],
)
def test_errors_agree_as_far_as_rounding_goes(
    dtype: str, gradient: float, loss: float, agrees: bool
) -> None:
    found = verified(
        trace_with(
            dtype, ("gradient_error", 0.0), ("gradient_error", gradient), ("loss_error", loss)
        )
    )
    assert isinstance(found, Verified)
    assert found.agrees is agrees
