"""The clock that stands still while something else has the core."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

from core.engine.lanes.isolated import undisturbed_clock

MS = 1_000_000


@dataclass
class Machine:
    """The kernel's figures of a thread in ns, and its waits; `lost` is read from the front."""

    real: int = 0
    computed: int = 0
    waits: int = 0
    lost: list[int] = field(default_factory=lambda: [0])

    def pass_by(self, real: int, computed: int, waits: int = 0) -> None:
        """Let time pass in which the thread computes."""
        self.real += real
        self.computed += computed
        self.waits += waits

    def _delay(self, *_: object) -> bytes:
        lost = self.lost.pop(0) if len(self.lost) > 1 else self.lost[0]
        return f"1 {lost} 2".encode()

    def put_in(self, monkeypatch: pytest.MonkeyPatch) -> Machine:
        """Answer in the kernel's place."""
        monkeypatch.setattr(os, "pread", self._delay)
        monkeypatch.setattr(time, "perf_counter_ns", lambda: self.real)
        monkeypatch.setattr(time, "thread_time_ns", lambda: self.computed)
        usage = SimpleNamespace
        monkeypatch.setattr(resource, "getrusage", lambda _: usage(ru_nvcsw=self.waits))
        return self


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine().put_in(monkeypatch)


def passed(clock: Callable[[], int], machine: Machine, *given: int) -> int:
    before = clock()
    machine.pass_by(*given)
    return clock() - before


def test_a_core_that_is_taken_between_two_looks_is_neither_time_nor_counted_twice(
    machine: Machine,
) -> None:
    clock = undisturbed_clock(0)
    before = clock()
    # The account changes behind the first look at the clock, so both are looked at again.
    machine.lost = [0, 5_000, 5_000]
    machine.pass_by(15_000, 10_000)
    assert clock() - before == 15_000 - 5_000
    assert machine.lost == [5_000]


def test_time_that_a_hypervisor_takes_is_no_time_of_a_task(machine: Machine) -> None:
    """Seen on a virtual machine: up to 30 ms pass without CPU time, run delay or a switch."""
    clock = undisturbed_clock(0)
    assert passed(clock, machine, 23 * MS, 3 * MS) == 3 * MS
    assert passed(clock, machine, 3 * MS, 3 * MS) == 3 * MS


def test_a_task_that_waits_is_not_taken_for_one_without_a_core(machine: Machine) -> None:
    clock = undisturbed_clock(0)
    assert passed(clock, machine, 23 * MS, 3 * MS, 1) == 23 * MS
    assert passed(clock, machine, MS, MS * 6 // 10) == MS  # interrupts take some of it
