"""Tracks of collectives of which torch reports only the request and the end."""

import pytest

pytest.importorskip("torch")

from bubblescope.recorder.rank_step import FIRST_TRACK, Op, on_tracks


def collective(launched, end=None):
    return Op("all-reduce", launched - 1, end, launched=launched, lane=FIRST_TRACK)


def rows(told, tracks):
    return [(track, start, end) for _, track, start, end in on_tracks(told, tracks)]


def test_a_collective_begins_on_the_first_of_two_tracks_that_is_free():
    told = [collective(10, 40), collective(11, 20), collective(12, 30), collective(50, 60)]
    assert rows(told, 2) == [(0, 10, 40), (1, 11, 20), (1, 20, 30), (1, 50, 60)]


def test_collectives_queued_behind_open_ones_have_not_begun():
    told = [collective(10), collective(11, 20), collective(12), collective(13)]
    assert rows(told, 2) == [(0, 10, None), (1, 11, 20), (1, 20, None)]


def test_a_collective_that_is_not_launched_delays_later_requests():
    waiting = Op("all-gather", 11, lane=FIRST_TRACK)
    assert rows([collective(10, 20), waiting, collective(13)], 2) == [(0, 10, 20)]


def test_on_one_track_collectives_run_one_after_the_other():
    assert rows([collective(10, 20), collective(11, 35)], 1) == [(0, 10, 20), (0, 20, 35)]


def test_a_collective_that_finds_no_track_free_begins_no_later_than_it_ends():
    assert rows([collective(10, 40), collective(11, 30)], 1) == [(0, 10, 40), (0, 30, 30)]
