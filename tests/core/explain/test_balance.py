"""How lanes compare, from invented traces."""

import pytest

pytest.importorskip("pyarrow")

from core.explain.balance import (
    first_lane_load,
    first_lane_shares,
    imbalance,
    lane_balance,
    lane_balances,
    moving_ns,
)
from core.explain.batch_rows import lane_parts, rows_by_step
from core.explain.lane_memory import held_bytes
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from core.plan.task import Kind
from core.report.summary import summarise
from core.trace.complete import measured_steps
from core.trace.trace import Trace
from tests.core.helpers import run_here
from tests.make_believe import MS, specification, trace_of

TUTORIAL = ModelSettings("tutorial")


def balances(trace: Trace) -> list:
    steps = measured_steps(trace)
    return [lane_balance(trace, lane.index, steps) for lane in trace.header.lanes]


@pytest.mark.parametrize("strategy", ["single", "dp", "ddp", "mp", "tp", "pipeline"])
def test_the_times_of_every_lane_add_up_to_the_makespans(strategy: str) -> None:
    trace = trace_of(specification(strategy, steps=3))
    total = sum(
        end - start for start, end in (trace.step_bounds(step) for step in measured_steps(trace))
    )
    for balance in balances(trace):
        time = balance.time
        assert time.busy_ns + time.communication_ns + time.idle_ns == total
        assert sum(balance.kind_ns.values()) == time.busy_ns + time.communication_ns


def test_lane_0_alone_gathers_and_reduces_in_data_parallel() -> None:
    trace = trace_of(specification("dp", devices="4xcpu", steps=2))
    shares = {share.kind: share for share in first_lane_shares(trace, balances(trace))}
    assert shares[Kind.GATHER].first == 2 * 0.5 * MS
    assert shares[Kind.REDUCE].first == 2 * 3 * MS
    assert shares[Kind.GATHER].others == shares[Kind.REDUCE].others == 0
    assert shares[Kind.GATHER].ratio is None
    assert shares[None].ratio == pytest.approx(1.0)


@pytest.mark.parametrize("strategy", ["single", "ddp", "mp", "tp", "pipeline"])
def test_strategies_without_a_collecting_lane_have_no_shares(strategy: str) -> None:
    trace = trace_of(specification(strategy))
    assert first_lane_shares(trace, balances(trace)) == []


def test_what_lane_0_gathers_and_reduces_is_told_in_bytes_too() -> None:
    trace = trace_of(specification("dp", model=TUTORIAL, devices="2xcpu", batch=30, steps=2))
    shares = {share.kind: share for share in first_lane_shares(trace, balances(trace))}
    assert shares[Kind.GATHER].first_bytes == 2 * 15 * 2 * 4
    assert shares[Kind.REDUCE].first_bytes == 2 * 48


def test_a_lanes_rows_count_once_a_step_however_many_stages_it_runs() -> None:
    trace = trace_of(specification(microbatches=3, batch=8, devices="2xcpu", stages=4, steps=2))
    assert [balance.rows for balance in balances(trace)] == [16, 16]


def test_lanes_are_compared_by_the_largest_over_the_mean() -> None:
    trace = trace_of(specification("dp", model=TUTORIAL, devices="8xcpu", batch=30, steps=1))
    found = imbalance(trace, balances(trace))
    assert found.rows == pytest.approx(4 / (30 / 8))
    assert found.communication == pytest.approx(8)
    assert found.compute is not None and found.compute > 1
    single = trace_of(specification("single", devices="1xcpu", steps=1))
    assert imbalance(single, balances(single)).communication is None


def test_what_a_communication_lane_moves_counts_for_the_lane_that_it_serves() -> None:
    trace = trace_of(specification("ddp", steps=1, bucket_mb=0.01))
    found = balances(trace)
    moving = moving_ns(trace, found)
    assert list(moving) == [0, 1]
    assert moving[0] == sum(b.time.communication_ns for b in found if b.lane in (0, 2)) > 0
    assert imbalance(trace, found).communication == pytest.approx(1)


def test_traffic_is_summed_by_kind() -> None:
    trace = trace_of(specification("dp", model=TUTORIAL, devices="2xcpu", batch=30, steps=1))
    balance = balances(trace)[0]
    assert balance.kind_bytes[Kind.REPLICATE] == 48
    assert balance.kind_bytes[Kind.GATHER] == 15 * 2 * 4


def test_a_batch_of_30_on_8_lanes_is_seven_fours_and_a_two() -> None:
    trace = trace_of(specification("dp", model=TUTORIAL, devices="8xcpu", batch=30, steps=1))
    parts = lane_parts(trace, measured_steps(trace)[0])
    assert [(part.lane, part.rows) for part in parts] == [(i, 4) for i in range(7)] + [(7, 2)]
    assert [part.start for part in parts] == [0, 4, 8, 12, 16, 20, 24, 28]


def test_an_epoch_of_100_rows_leaves_three_of_eight_lanes_idle_in_its_last_step() -> None:
    trace = trace_of(specification("dp", model=TUTORIAL, devices="8xcpu", batch=30, data=100))
    parts = lane_parts(trace, measured_steps(trace)[-1])
    assert [(part.lane, part.rows) for part in parts] == [(i, 2) for i in range(5)]


def test_every_stage_has_every_micro_batch_once() -> None:
    trace = trace_of(specification(microbatches=3, batch=8, devices="2xcpu", steps=1))
    parts = lane_parts(trace, 2)
    assert [(p.lane, p.microbatch, p.start, p.rows) for p in parts] == [
        (lane, m, start, rows)
        for lane in (0, 1)
        for m, (start, rows) in enumerate([(0, 3), (3, 3), (6, 2)])
    ]


def test_a_rank_counts_its_rows_once_whatever_its_blocks() -> None:
    trace = trace_of(specification("ddp", devices="4xcpu", batch=100, steps=1))
    assert [part.rows for part in lane_parts(trace, 2)] == [25, 25, 25, 25]


def test_held_memory_peaks_where_the_summary_says() -> None:
    trace = trace_of(specification(steps=2))
    times, held = held_bytes(trace, 0)
    assert held.max() == lane_balance(trace, 0, trace.steps).peak_bytes
    assert (times[1:] > times[:-1]).all()


def test_a_lane_without_counters_holds_nothing_known() -> None:
    trace = Trace(trace_of(specification()).header)
    assert [len(column) for column in held_bytes(trace, 0)] == [0, 0]


def test_the_peak_over_steps_is_the_largest_of_theirs():
    trace = trace_of(specification("pipeline", schedule="gpipe", microbatches=4, steps=4, warmup=0))
    for steps in ([], [1], [0, 1, 2, 3], [0, 3]):
        for lane in range(len(trace.header.lanes)):
            peaks = [lane_balance(trace, lane, [step]).peak_bytes for step in steps]
            assert lane_balance(trace, lane, steps).peak_bytes == max(peaks, default=0)


def test_rows_by_step_are_the_summarys_splits_with_the_last_batch_smaller() -> None:
    trace = trace_of(specification("dp", devices="2xcpu", batch=30, data=100, steps=4, warmup=1))
    steps = [step for step in trace.steps if step >= 1]
    rows = rows_by_step(trace, steps)
    assert rows.tolist() == [[15, 15], [15, 15], [15, 15], [5, 5]]
    assert [tuple(row) for row in rows.tolist()] == list(summarise(trace).splits)


def test_lane_0s_load_is_its_share_of_the_lanes_mean() -> None:
    trace = trace_of(specification("dp", devices="4xcpu", steps=2, warmup=0))
    balances = [lane_balance(trace, lane.index, trace.steps) for lane in trace.header.lanes]
    load = first_lane_load(trace, balances)
    assert load is not None and load.work is not None and load.work > 1
    work = [b.time.busy_ns + b.time.communication_ns for b in balances]
    assert load.work == work[0] / (sum(work) / len(work))
    alone = trace_of(specification("single", devices="1xcpu", steps=2, warmup=0))
    assert first_lane_load(alone, [lane_balance(alone, 0, alone.steps)]) is None


def test_waiting_for_a_slow_rank_in_a_collective_is_no_work_of_the_others() -> None:
    pytest.importorskip("torch")
    model = ModelSettings("mlp", width=64, depth=3)
    trace = run_here(
        Specification("ddp", model, "4xvirtual", batch=64, steps=3, warmup=1, slow_lane="2:4")
    )
    steps = measured_steps(trace)
    balances = lane_balances(trace, range(len(trace.header.lanes)), steps)
    work = dict.fromkeys(range(4), 0)
    arrived: dict[tuple[int, int | None], int] = {}
    spans = [span for span in trace if span.step in steps]
    met = [span for span in spans if span.kind.is_collective]
    for span in met:
        key = (span.step, span.bucket)
        arrived[key] = max(span.start, arrived.get(key, 0))
    for span in spans:
        begun = arrived[span.step, span.bucket] if span.kind.is_collective else span.start
        work[trace.header.lanes[span.lane].serves] += span.end - begun
    mean = sum(work.values()) / 4
    load = first_lane_load(trace, balances)
    assert load is not None and load.work == pytest.approx(work[0] / mean)
    assert load.work < 0.8  # its peer does four times as much
    moved = dict.fromkeys(range(4), 0)
    for span in met:
        moved[trace.header.lanes[span.lane].serves] += span.end - arrived[span.step, span.bucket]
    assert moving_ns(trace, balances) == moved
