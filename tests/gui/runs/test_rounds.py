"""Figures of a live run are brought up to date one after the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from gui.runs.rounds import STARVED_S, Rounds


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def parts(done: list[str], names: str) -> Callable[[], list[partial]]:
    return lambda: [partial(done.append, name) for name in names]


def test_each_step_does_one_part_and_a_round_does_all(clock: Clock) -> None:
    rounds, done = Rounds(400, clock), []
    rounds.begin()
    clock.now = 0.5
    for _ in range(5):
        rounds.step(parts(done, "abc"))
    assert done == ["a", "b", "c"]
    clock.now = 0.9
    rounds.step(parts(done, "de"))
    assert done[3:] == ["d"]


def test_nothing_is_done_before_a_round_is_due(clock: Clock) -> None:
    rounds, done = Rounds(400, clock), []
    rounds.step(parts(done, "a"))
    rounds.begin()
    clock.now = 0.3
    rounds.step(parts(done, "a"))
    assert done == []


def test_a_round_that_is_left_is_not_finished(clock: Clock) -> None:
    rounds, done = Rounds(400, clock), []
    rounds.begin()
    clock.now = 0.5
    rounds.step(parts(done, "ab"))
    rounds.begin()
    clock.now = 1.0
    rounds.step(parts(done, "c"))
    assert done == ["a", "c"]


def test_parts_are_starved_after_a_while_without_a_step(clock: Clock) -> None:
    rounds = Rounds(400, clock)
    assert not rounds.starved
    clock.now = 2 * STARVED_S
    assert rounds.starved
    rounds.step(list)
    assert not rounds.starved
