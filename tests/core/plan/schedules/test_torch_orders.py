"""The schedules that torch.distributed.pipelining has are in torch's own order."""

import pytest

from core.errors import PlanError
from core.plan.schedules import SCHEDULES

NUMBERS = [*range(1, 21), 24, 31, 32]
AT_LEAST = 40


def cases(name):
    """(ranks, micro-batches, chunks) of which torch makes a schedule or refuses to."""
    chunks = (1, 2, 3, 4) if SCHEDULES[name].settable_chunks else (SCHEDULES[name].chunks,)
    return [(p, m, v) for p in (1, 2, 3, 4, 5, 6, 8) for m in NUMBERS for v in chunks]


def ours(name, p, m, v):
    return [[str(action) for action in order] for order in SCHEDULES[name].orders(p, m, v)]


@pytest.mark.parametrize(
    "name", ["interleaved", "looped-bfs", "interleaved-zb", "zb-v", "dualpipe-v"]
)
def test_schedules_of_several_stages_a_rank_are_torchs_within_torchs_domain(name):
    torch = pytest.importorskip("tests.core.plan.schedules.torch_schedules", exc_type=ImportError)
    compared = 0
    for p, m, v in cases(name):
        try:
            expected = torch.orders(name, p, m, v)
        except ValueError:
            with pytest.raises(PlanError):
                SCHEDULES[name].orders(p, m, v)
            continue
        assert ours(name, p, m, v) == expected, (p, m, v)
        compared += 1
    assert compared >= AT_LEAST


def test_gpipe_is_torchs():
    torch = pytest.importorskip("tests.core.plan.schedules.torch_schedules", exc_type=ImportError)
    for p, m, v in cases("gpipe"):
        assert ours("gpipe", p, m, v) == torch.orders("gpipe", p, m, v)
    assert len(cases("gpipe")) >= AT_LEAST


def test_1f1b_is_torchs_but_for_its_last_rank_which_begins_at_micro_batch_1():
    torch = pytest.importorskip("tests.core.plan.schedules.torch_schedules", exc_type=ImportError)
    compared = 0
    for p, m, v in cases("1f1b"):
        if m < p:  # torch refuses fewer micro-batches than stages
            continue
        *expected, last = torch.orders("1f1b", p, m, v)
        corrected = [f"{p - 1}F{int(a.split('F')[1]) - 1}" if "F" in a else a for a in last]
        assert last[0] == f"{p - 1}F1"
        assert ours("1f1b", p, m, v) == [*expected, corrected], (p, m)
        compared += 1
    assert compared >= AT_LEAST


def test_zb_h1_is_torchs_interleaved_zero_bubble_of_one_chunk():
    torch = pytest.importorskip("tests.core.plan.schedules.torch_schedules", exc_type=ImportError)
    for p, m, v in cases("zb-h1"):
        if m % max(1, m // p) == 0:
            assert ours("zb-h1", p, m, v) == torch.orders("interleaved-zb", p, m, 1)
