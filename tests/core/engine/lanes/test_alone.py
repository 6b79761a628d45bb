"""The clock that stands still while something else has the core."""

import os
import time

import pytest

pytest.importorskip("torch")

from core.engine.lanes.alone import undisturbed


def test_a_core_that_is_taken_between_two_looks_is_neither_time_nor_counted_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lost, real = [0, 5_000, 5_000, 5_000], iter([10_000, 15_000])
    monkeypatch.setattr(os, "pread", lambda *_: f"1 {lost.pop(0)} 2".encode())
    monkeypatch.setattr(time, "perf_counter_ns", lambda: next(real))
    # The core was gone for 5,000 ns behind the first look at the clock, and this is the second one.
    assert undisturbed(0)() == 15_000 - 5_000
    assert lost == [5_000]
