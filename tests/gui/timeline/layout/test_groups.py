"""Grouping, order, pins and filter of lanes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.plan.devices import Hardware
from core.plan.lanes import make_lanes, with_helpers
from core.plan.plan import Lane, Role
from gui.timeline.layout.groups import (
    Grouping,
    TrackState,
    arrange,
    matcher,
    moved,
    pattern_of_names,
)

GPUS = [Lane(i, f"cuda:{i}", f"cuda:{i}") for i in range(20)]
HOSTS = [Lane(i, f"n{i // 4}/cuda:{i % 4}", f"n{i // 4}/cuda:{i % 4}") for i in range(12)]
NODES = TrackState(Grouping.NODE)


def names(lanes: list[Lane], state: TrackState, **replicas: object) -> list[tuple[str, int]]:
    """Return name and number of lanes of each section."""
    return [(s.name, len(s.lanes)) for s in arrange(lanes, state, replicas).sections]


def shown(lanes: list[Lane], state: TrackState) -> list[int]:
    """Return the lanes from top to bottom."""
    arranged = arrange(lanes, state, {})
    parts = (arranged.pinned, *(section.lanes for section in arranged.sections))
    return [lane.index for part in parts for lane in part]


def test_a_node_is_the_host_of_a_devices_name() -> None:
    assert names(HOSTS, NODES) == [("n0", 4), ("n1", 4), ("n2", 4)]


def test_without_hosts_a_node_has_the_given_number_of_devices() -> None:
    assert names(GPUS, NODES) == [("node 0", 8), ("node 1", 8), ("node 2", 4)]
    assert names(GPUS, replace(NODES, node_devices=5)) == [(f"node {n}", 5) for n in range(4)]


def test_lanes_that_share_a_device_are_one_device_of_a_node() -> None:
    lanes = [Lane(i, f"cuda:{i // 2}.{i % 2}", f"cuda:{i // 2}") for i in range(8)]
    assert names(lanes, replace(NODES, node_devices=2)) == [("node 0", 4), ("node 1", 4)]


def test_lanes_on_the_same_device_are_counted_one_by_one() -> None:
    lanes = make_lanes(["cpu"] * 6, Hardware(8, 0), None)
    assert names(lanes, replace(NODES, node_devices=4)) == [("node 0", 4), ("node 1", 2)]


def test_lanes_that_hold_the_same_replicas_are_a_pipeline() -> None:
    held = {0: (0,), 1: (0,), 2: (1,), 3: (0, 1)}
    sections = arrange(GPUS[:5], TrackState(Grouping.PIPELINE), held).sections
    assert [(section.name, len(section.lanes)) for section in sections] == [
        ("pipeline 0", 2), ("pipeline 1", 1), ("pipelines 0, 1", 1), ("no pipeline", 1),
    ]  # fmt: skip


def test_lanes_that_are_not_grouped_have_no_heading() -> None:
    (section,) = arrange(GPUS, TrackState(Grouping.NONE), {}).sections
    assert not section.headed
    assert len(section.lanes) == 20


@pytest.mark.parametrize(
    ("text", "name", "fits"),
    [
        ("", "cuda:3", True),
        ("cuda:1", "cuda:12", True),
        ("CUDA", "cuda:12", True),
        ("cuda:1*", "cuda:12", True),
        ("*:1", "cuda:12", False),
        ("*:1*", "cuda:12", True),
        ("c?da", "cuda:1", False),
        ("[", "cuda:1", False),
        ("  cuda:7  ", "cuda:7", True),
        ("cpu|cuda:7", "cuda:7", True),
        ("cpu|cuda:7", "cuda:8", False),
        ("cpu|", "cuda:8", False),
        ('"cuda:1"', "cuda:1", True),
        ('"cuda:1"', "cuda:12", False),
        ('"a|b"|"c"', "a|b", True),
        ('"a|b"|"c"', "a", False),
    ],
)
def test_a_filter_matches_part_of_a_name_or_with_stars_the_whole_name(
    text: str, name: str, fits: bool
) -> None:
    assert matcher(text)(name) is fits


@pytest.mark.parametrize("name", ["cuda:1", "a|b", 'the "best"', "50 * 2", "["])
def test_a_filter_made_of_several_names_matches_each_of_them(name: str) -> None:
    fits = matcher(pattern_of_names(["other", name]))
    assert fits(name) and fits("other") and not fits(f"2{name}")


def test_a_filter_leaves_out_groups_without_a_match() -> None:
    state = replace(NODES, filter="cuda:1*")
    assert names(GPUS, state) == [("node 0", 1), ("node 1", 6), ("node 2", 4)]
    assert arrange(GPUS, state, {}).shown == 11
    assert not arrange(GPUS, replace(NODES, filter="tpu"), {}).sections


def test_pinned_lanes_leave_their_group_and_keep_the_order_of_pinning() -> None:
    state = NODES.pin_toggled(9).pin_toggled(2)
    assert shown(GPUS, state)[:4] == [9, 2, 0, 1]
    assert names(GPUS, state) == [("node 0", 7), ("node 1", 7), ("node 2", 4)]
    assert state.pin_toggled(9).pinned == (2,)


def test_helper_lanes_have_no_rows() -> None:
    lanes = with_helpers(GPUS[:3], Role.COPY, "copy")
    assert shown(lanes, NODES) == [0, 1, 2]


def test_a_lane_moves_within_its_group_and_no_further() -> None:
    state = NODES
    for _ in range(12):
        mine = arrange(GPUS, state, {}).neighbours(9)
        state = moved(state, GPUS, mine, 9, mine.index(9) - 1)
    assert shown(GPUS, state) == [*range(8), 9, 8, *range(10, 20)]


@given(st.data())
def test_every_lane_is_shown_exactly_once_after_any_move(data: st.DataObject) -> None:
    state = TrackState(data.draw(st.sampled_from(Grouping)))
    for lane, place in data.draw(st.lists(st.tuples(st.integers(0, 19), st.integers(-2, 22)))):
        if data.draw(st.booleans()):
            state = state.pin_toggled(lane)
        mine = arrange(GPUS, state, {}).neighbours(lane)
        state = moved(state, GPUS, mine, lane, place)
        now = arrange(GPUS, state, {}).neighbours(lane)
        assert now.index(lane) == min(max(0, place), len(now) - 1)
        assert sorted(shown(GPUS, state)) == list(range(20))


def test_another_run_keeps_only_the_grouping() -> None:
    state = replace(NODES, node_devices=4, filter="x", order=(1, 0), pinned=(1,))
    assert state.fresh() == TrackState(Grouping.NODE, 4)
