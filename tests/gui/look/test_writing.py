"""Names cut to the available room."""

from __future__ import annotations

import pytest

from gui.look.writing import elided_name, shared_start


def letters(text: str) -> float:
    return float(len(text))


@pytest.mark.parametrize(
    ("names", "shared"),
    [
        (["thread 17 (main)", "thread 18 (loader)"], "thread "),
        (["stream 7", "stream 7 copies", "stream 20"], "stream "),
        (["worker1", "worker2"], ""),
        (["main", "main thread"], ""),
        (["alone"], ""),
        ([], ""),
    ],
)
def test_the_shared_start_of_names_ends_at_a_word(names: list[str], shared: str) -> None:
    assert shared_start(names) == len(shared)
    assert all(name.startswith(shared) for name in names)


def test_a_name_that_fits_is_not_cut() -> None:
    assert elided_name("thread 17", 7, 9, letters) == "thread 17"


def test_names_that_share_their_start_are_cut_within_it() -> None:
    names = [f"data loader process number {n}" for n in range(20)]
    shared = shared_start(names)
    cut = [elided_name(name, shared, 12, letters) for name in names]
    assert cut[9:11] == ["data loade…9", "data load…10"] and len(set(cut)) == 20


def test_a_long_name_that_shares_nothing_loses_its_middle() -> None:
    names = [f"ptAutogradWorkerOfDevice{n}" for n in range(9)]
    cut = [elided_name(name, shared_start(names), 12, letters) for name in names]
    assert cut[3] == "ptAuto…vice3" and len(set(cut)) == 9
    assert elided_name("rank 3: the name of a process", 5, 12, letters) == "3: the…ocess"


def test_a_name_of_a_million_letters_is_cut_and_no_room_leaves_only_an_ellipsis() -> None:
    assert elided_name("x" * 1_000_000, 0, 9, letters) == "xxxx…xxxx"
    assert elided_name("thread 17", 0, 0, letters) == "…"
