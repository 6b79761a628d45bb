"""A film of two lanes, moment by moment, against the tasks that were written down."""

from __future__ import annotations

import numpy as np
import pytest

from core.explain.blockers import waits_by_blocker
from core.explain.explanation import explain_step
from core.plan.plan import Lane
from core.plan.task import ABSENT, Kind
from core.playback.film import Film, frame_times, lead_at, links_of_step
from core.playback.speed import SPEEDS, speed_text, start_speed
from tests.core.explain.made import columns_of, recorded

LANES = (Lane(0, "cpu:0", "cpu:0"), Lane(1, "cpu:1", "cpu:1"))
# Lane 0 runs F0 and, after a wait for lane 1, B0; lane 1 runs F0 when that of lane 0 has ended.
STEP = columns_of(
    [
        {"kind": Kind.FORWARD, "lane": 0, "stage": 0, "microbatch": 0, "start": 100, "end": 200},
        {"kind": Kind.FORWARD, "lane": 1, "stage": 1, "microbatch": 0, "start": 200, "end": 350,
         "after": (0,)},
        {"kind": Kind.BACKWARD, "lane": 0, "stage": 0, "microbatch": 0, "start": 350, "end": 400,
         "after": (1,)},
    ]
)  # fmt: skip


@pytest.fixture
def film() -> Film:
    waits = waits_by_blocker(explain_step(STEP, LANES))
    return Film(recorded(STEP, LANES), 100, 400, waits, links_of_step(STEP))


def running(film: Film, time: float) -> list[int]:
    return [moment.running for moment in film.at(time)]


def test_a_span_runs_from_its_start_until_before_its_end(film: Film) -> None:
    assert running(film, 100) == [0, ABSENT]
    assert running(film, 199.9) == [0, ABSENT]
    assert running(film, 200) == [ABSENT, 0]
    assert running(film, 350) == [1, ABSENT]
    assert running(film, 400) == [ABSENT, ABSENT]


def test_an_idle_lane_has_the_wait_of_that_moment(film: Film) -> None:
    waits = film.waits
    assert waits is not None
    for time in range(100, 400, 7):
        for moment in film.at(time):
            if moment.running != ABSENT:
                assert moment.wait == ABSENT
                continue
            assert waits.start[moment.wait] <= time < waits.end[moment.wait]
            assert waits.of_lane(moment.lane).start <= moment.wait < waits.of_lane(moment.lane).stop
    first = film.at(150)[1]
    assert STEP.lane[waits.blocking[first.wait]] == 0


def test_without_an_explanation_an_idle_lane_waits_for_nothing_that_is_known() -> None:
    film = Film(recorded(STEP, LANES), 100, 400)
    assert [moment.wait for moment in film.at(150)] == [ABSENT, ABSENT]
    assert film.arrivals(0, 1_000, 10) == []


def test_memory_that_was_not_recorded_is_no_zero(film: Film) -> None:
    assert [moment.held for moment in film.at(150)] == [None, None]


def test_events_lead_from_the_start_to_the_end_and_back(film: Film) -> None:
    seen = [float(film.start)]
    while seen[-1] < film.end:
        seen.append(film.next_event(seen[-1]))
    assert seen == [100, 200, 350, 400]
    back = [float(film.end)]
    while back[-1] > film.start:
        back.append(film.previous_event(back[-1]))
    assert back == [400, 350, 200, 100]
    assert film.previous_event(200.5) == 200
    assert film.next_event(199.5) == 200


def test_a_tensor_arrives_when_the_task_that_sends_it_ends(film: Film) -> None:
    found = film.arrivals(100, 400, 10)
    assert [(a.source_lane, a.source_end, a.lane, a.start) for a in found] == [
        (0, 200, 1, 200),
        (1, 350, 0, 350),
    ]
    assert film.arrivals(200, 349, 10) == []
    assert film.arrivals(199, 200, 10) == found[:1]
    assert film.arrivals(100, 400, 1) == found[1:]


def test_an_empty_range_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        Film(recorded(STEP, LANES), 400, 400)


@pytest.mark.parametrize("seconds", [0.01, 2.0, 8.0])
def test_frames_go_from_the_start_to_the_end_in_equal_steps(seconds: float) -> None:
    times = frame_times(5e6, seconds, 20)
    assert len(times) == max(2, round(seconds * 20) + 1)
    assert (times[0], times[-1]) == (0, 5e6)
    assert np.allclose(np.diff(times), times[1])


def test_the_lead_counts_from_the_end_of_the_first_film_to_that_of_the_second() -> None:
    assert [lead_at((300, 500), time) for time in (0, 300, 350, 500, 900)] == [0, 0, 50, 200, 200]


def test_a_step_takes_eight_seconds_at_first_unless_it_lasts_longer() -> None:
    assert start_speed(80e6) == pytest.approx(0.01)
    assert start_speed(20e9) == 1.0


def test_speeds_are_fractions_of_real_time() -> None:
    assert [speed_text(speed) for speed in SPEEDS[:4]] == ["1", "1/2", "1/5", "1/10"]
    assert speed_text(SPEEDS[-1]) == "1/1,000"
    assert speed_text(0.3) == "1/3.3"
