"""A rank that runs two collectives at once has two communication lanes, and waits for either."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from core.costs.meetings import meeting
from core.costs.simulate import simulate
from core.explain.buckets import bucket_times
from core.explain.causes import CAUSES, Cause
from core.explain.critical import PathShare, critical_path, path_shares
from core.explain.explanation import Explanation, explain_step
from core.explain.gaps import gap_report
from core.plan.plan import Lane, Role
from core.plan.task import ABSENT, Kind
from tests.core.explain.made import columns_of, sentence

RANKS = 2
LANES = tuple(
    Lane(i, f"cpu:{i % RANKS}{' comm' * (i > 1)}", "cpu",
         Role.COMPUTE if i < RANKS else Role.COMMUNICATION, serves=i % RANKS)
    for i in range(3 * RANKS)
)  # fmt: skip
FIRST, SECOND = RANKS, 2 * RANKS
"""The number of a rank's first or second communication lane, less its own."""
MS = 1_000_000


def task(kind: Kind, lane: int, start: int, end: int, **values: Any) -> dict[str, Any]:
    rank = LANES[lane].serves
    times = {"start": start * MS, "end": end * MS}
    launched = start * MS if kind.is_collective else ABSENT
    own = {"kind": kind, "lane": lane, "replica": rank, "launched": launched, "after": []}
    return {**own, **times, **values}


Moved = tuple[int, int, int, int]
"""The lane of a collective, less its rank's number, its bucket, and from when to when it ran."""


def rank_of(number: int, backwards: list[int], moved: list[Moved]) -> list[dict[str, Any]]:
    """A rank whose backward passes end at some ms, which launches collectives, and waits for them.

    Each collective waits for the last pass that had ended; `after` counts within the rank.
    """
    tasks = [
        task(Kind.BACKWARD, number, start, end, block=len(backwards) - i - 1, rows=4)
        for i, (start, end) in enumerate(pairwise([0, *backwards]))
    ]
    for lane, bucket, start, end in moved:
        ended = [i for i, until in enumerate(backwards) if until <= start]
        own = {"bucket": bucket, "after": ended[-1:]}
        tasks.append(task(Kind.ALL_REDUCE, lane + number, start, end, **own))
    done = max(end for *_, end in moved)
    needs = range(len(backwards), len(tasks))
    return [*tasks, task(Kind.STEP, number, done, done + 2, after=needs)]


def ranks(*parts: list[dict[str, Any]]) -> Explanation:
    """The step of some ranks."""
    tasks: list[dict[str, Any]] = []
    for part in parts:
        first = len(tasks)
        tasks += [{**one, "after": [first + i for i in one["after"]]} for one in part]
    return explain_step(columns_of(tasks), LANES)


def causes(explanation: Explanation, lane: int) -> list[tuple[Cause, int, int | None]]:
    """A lane's idle time in order: cause, ms, and the bucket of who held it up."""
    columns = explanation.columns
    return [
        (CAUSES[explanation.cause[i]], int(explanation.end[i] - explanation.start[i]) // MS,
         int(columns.bucket[explanation.blocking[i]]))
        for i in range(*explanation.lane_first[[lane, lane + 1]])
    ]  # fmt: skip


def opposite() -> Explanation:
    """Rank 0 launches bucket 0 first and rank 1 bucket 1; both move data at once."""
    return ranks(
        rank_of(0, [10, 18], [(FIRST, 0, 10, 30), (SECOND, 1, 18, 29)]),
        rank_of(1, [12, 24], [(FIRST, 1, 12, 29), (SECOND, 0, 24, 30)]),
    )


def test_a_rank_waits_for_the_collective_that_ended_last_whichever_lane_it_is_on() -> None:
    explanation = opposite()
    assert causes(explanation, 0) == [(Cause.SLOWEST_RANK, 6, ABSENT), (Cause.COLLECTIVE, 6, 0)]
    assert causes(explanation, 1) == [(Cause.COLLECTIVE, 6, 0)]
    report = gap_report(explanation, 1, 26 * MS)
    assert report is not None and sentence(report).endswith("(exposed collective)")


def test_the_path_goes_through_the_collective_that_ended_last() -> None:
    shares = path_shares(critical_path(opposite()))
    assert {share: ns // MS for share, ns in shares.items() if ns} == {
        PathShare.COMPUTE: 24 + 2, PathShare.COLLECTIVE: 6,
    }  # fmt: skip


def test_of_two_collectives_at_once_only_the_one_that_is_waited_for_is_exposed() -> None:
    exposed = {(b.lane, b.bucket): b.exposed_ns // MS for b in bucket_times(opposite())}
    assert exposed == {(0, 0): 6, (0, 1): 0, (1, 0): 6, (1, 1): 0}
    begun = {(b.lane, b.bucket): b.begun // MS for b in bucket_times(opposite())}
    assert begun == {(0, 0): 24, (0, 1): 18, (1, 0): 24, (1, 1): 18}


def test_a_third_collective_is_waited_for_after_the_one_whose_place_it_took() -> None:
    moved = [(FIRST, 0, 10, 30), (SECOND, 1, 18, 29), (SECOND, 2, 29, 36)]
    parts = [rank_of(number, [10, 18, 20], moved) for number in range(RANKS)]
    for part in parts:
        part[-2]["launched"] = 20 * MS
    for lane in range(RANKS):
        assert causes(ranks(*parts), lane) == [(Cause.COLLECTIVE, 9, 1), (Cause.COLLECTIVE, 7, 2)]
    third = bucket_times(ranks(*parts))[2]
    times = [third.launched, third.started, third.begun, third.done]
    assert [time // MS for time in times] == [20, 29, 29, 36]  # it waited for no other rank


def test_one_rank_may_run_at_once_what_another_runs_in_turn() -> None:
    explanation = ranks(
        rank_of(0, [10, 20], [(FIRST, 0, 10, 30), (SECOND, 1, 20, 36)]),
        rank_of(1, [10, 25], [(FIRST, 0, 10, 30), (FIRST, 1, 30, 36)]),
    )
    assert causes(explanation, 0) == [(Cause.COLLECTIVE, 10, 0), (Cause.COLLECTIVE, 6, 1)]
    assert causes(explanation, 1) == [(Cause.COLLECTIVE, 5, 0), (Cause.COLLECTIVE, 6, 1)]


def gathers() -> tuple[list[dict], np.ndarray]:
    """Two gathers of the same block: rank 0 runs the second one on its second lane."""
    return [
        task(Kind.ALL_GATHER, FIRST, 0, 4, block=0),
        task(Kind.ALL_GATHER, SECOND, 2, 8, block=0),
        task(Kind.ALL_GATHER, FIRST + 1, 0, 4, block=0),
        task(Kind.ALL_GATHER, FIRST + 1, 4, 8, block=0),
    ], np.array([4, 6, 4, 4]) * MS


def test_the_kth_collective_of_a_block_meets_the_kth_of_another_rank_on_any_of_its_lanes() -> None:
    columns = columns_of(gathers()[0])
    one, other, same_one, same_other = meeting(columns, LANES).tolist()
    assert one == same_one != other == same_other
    waits = explain_step(columns, LANES).waits
    assert waits.begun.tolist() == [0, 4 * MS, 0, 4 * MS]


def test_lanes_of_one_rank_are_simulated_beside_one_another() -> None:
    tasks, durations = gathers()
    columns = columns_of(tasks)
    ran = simulate(columns, durations, meeting(columns, LANES))
    assert (ran.start // MS).tolist() == [0, 0, 0, 4]
    assert (ran.end // MS).tolist() == [4, 10, 4, 8]


def test_a_collective_that_another_was_drawn_in_front_of_is_waited_for_itself() -> None:
    """As in recordings of earlier versions, which put a rank's collectives one after the other."""
    one = rank_of(0, [10, 25], [(FIRST, 0, 10, 27), (FIRST, 1, 28, 29)])
    other = rank_of(1, [20, 26], [(FIRST, 1, 26, 28), (FIRST, 0, 28, 30)])
    other[-2]["launched"], other[-2]["after"] = 20 * MS, [0]
    assert causes(ranks(one, other), 1) == [(Cause.COLLECTIVE, 4, 0)]
