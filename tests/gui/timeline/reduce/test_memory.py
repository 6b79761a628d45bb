"""Memory of a lane over time, grown step by step and reduced to pixels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from core.explain.lane_memory import held_bytes
from core.recording.decode import append_batch
from core.recording.schema import Record
from core.trace.columns import GrowingArray
from core.trace.trace import Trace
from gui.timeline.layout.frame import Viewport
from gui.timeline.reduce.memory import LaneMemory, reduce_memory
from gui.timeline.reduce.pyramid import FACTOR, LEVELS, Pyramid, largest_of
from tests.core.helpers import Note, batch_of
from tests.make_believe import header_and_plans, specification, trace_of

Change = tuple[str, int, float]


def trace_with(*batches: Sequence[Change]) -> Trace:
    trace = Trace(header_and_plans(specification())[0])
    for changes in batches:
        append_batch(
            trace,
            batch_of([Note(Record.COUNTER, name, at, 0, 0, value) for name, at, value in changes]),
        )
    return trace


def memory_of(trace: Trace, lane: int = 0) -> LaneMemory:
    made = LaneMemory(lane)
    made.update(trace)
    return made


def spikes(count: int, high_at: int) -> Trace:
    """Return values of 1 byte at each nanosecond, with one of 1000 bytes among them."""
    values = [1.0] * count
    values[high_at] = 1000.0
    return trace_with([("activations", at, value) for at, value in enumerate(values)])


def test_parameters_and_activations_add_up_from_the_time_of_each() -> None:
    memory = memory_of(
        trace_with([("parameters", 0, 40.0), ("activations", 10, 5.0), ("activations", 20, 0.0)])
    )
    assert memory.times.tolist() == [0, 10, 20]
    assert memory.held[0].tolist() == [40, 45, 40]
    assert memory.activations[0].tolist() == [0, 5, 0]
    assert memory.peak == 45


def test_memory_that_grew_batch_by_batch_equals_memory_read_at_once() -> None:
    whole = trace_of(specification(devices="4xcpu", steps=3))
    changes = [
        (counter.name, int(at), float(value))
        for name in ("parameters", "activations")
        for counter in [whole.counter(name, 1)]
        for at, value in zip(counter.times, counter.values, strict=True)
    ]
    trace, grown = trace_with(), LaneMemory(0)
    for change in sorted(changes, key=lambda c: c[1]):
        append_batch(trace, trace_with_row(change))
        grown.update(trace)
    times, held = held_bytes(trace, 0)
    assert np.array_equal(grown.times, times)
    assert np.array_equal(grown.held[0], held)
    assert grown.peak == held.max()


def trace_with_row(change: Change) -> object:
    name, at, value = change
    return batch_of([Note(Record.COUNTER, name, at, 0, 0, value)])


def test_a_late_counter_changes_the_memory_from_its_time_on() -> None:
    trace = trace_with([("activations", 10, 5.0), ("activations", 30, 9.0)])
    memory = memory_of(trace)
    assert memory.peak == 9
    append_batch(trace, batch_of([Note(Record.COUNTER, "gradients", 20, 0, 0, 100.0)]))
    memory.update(trace)
    assert memory.times.tolist() == [10, 20, 30]
    assert memory.held[0].tolist() == [5, 105, 109]


def test_nothing_is_computed_until_a_counter_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = trace_of(specification(steps=1))
    memory = memory_of(trace)
    monkeypatch.setattr("gui.timeline.reduce.memory.held_bytes", None)
    memory.update(trace)


@pytest.mark.parametrize("count", [1, FACTOR - 1, FACTOR, FACTOR + 1, 5 * FACTOR + 7])
def test_blocks_hold_the_largest_of_their_values_also_after_a_replacement(count: int) -> None:
    values = np.random.default_rng(count).random(count, np.float32)
    peaks = Pyramid(GrowingArray(np.float32), largest_of)
    peaks.replace(0, np.ones(3 * FACTOR))
    peaks.replace(0, values[: count // 2])
    peaks.replace(count // 2, values[count // 2 :])
    expected = [values[i : i + FACTOR].max() for i in range(0, count, FACTOR)]
    assert peaks[0].tolist() == values.tolist()
    assert peaks[1].tolist() == expected
    assert peaks[LEVELS - 1].max() == values.max()


@pytest.mark.parametrize("count", [50, 3_000, 60_000])
@pytest.mark.parametrize("share", [0.0, 0.37, 0.999])
def test_a_peak_of_one_nanosecond_shows_however_many_values_share_a_pixel(
    count: int, share: float
) -> None:
    high_at = int(share * count)
    memory = memory_of(spikes(count, high_at))
    held, activations = reduce_memory(memory, Viewport(0, count, 100), count)
    assert held.max() == 1000
    assert abs(int(held.argmax()) - high_at * 100 // count) <= 1
    assert activations.max() == 1000


@pytest.mark.parametrize("count", [3_000, 3_003, 30_011])
def test_the_value_in_a_pause_is_the_last_one_before_it(count: int) -> None:
    # Each burst ends with a peak of 20 bytes and then 5 bytes, which stay until the next burst.
    changes = []
    for burst in range(10):
        start = 1_000_000 * burst
        changes += [("activations", start + at, 20.0) for at in range(count - 1)]
        changes.append(("activations", start + count, 5.0))
    memory = memory_of(trace_with(changes))
    held, activations = reduce_memory(memory, Viewport(0, 10_000_000, 1000), 10_000_000)
    assert held[0] == 20 and held[100] == 20
    for burst in range(10):
        pause = slice(100 * burst + 10, 100 * burst + 99)
        assert set(held[pause].tolist()) == {5}
        assert set(activations[pause].tolist()) == {5}


def test_a_pixel_begins_with_the_memory_held_before_it() -> None:
    memory = memory_of(trace_with([("parameters", 10, 7.0)]))
    assert reduce_memory(memory, Viewport(1000, 10, 5), 2000)[0].tolist() == [7] * 5


def test_nothing_is_held_before_the_first_value_nor_drawn_after_the_end() -> None:
    memory = memory_of(trace_with([("parameters", 30, 7.0)]))
    held = reduce_memory(memory, Viewport(0, 100, 10), 70)[0].tolist()
    assert held == [0, 0, 0, 7, 7, 7, 7, 0, 0, 0]


def test_a_lane_without_counters_holds_nothing() -> None:
    memory = memory_of(trace_with())
    assert reduce_memory(memory, Viewport(0, 100, 10), 70)[0].tolist() == [0] * 10
    assert memory.peak == 0


def test_the_maximum_within_a_pixel_includes_its_activations() -> None:
    memory = memory_of(
        trace_with([("parameters", 0, 40.0), ("activations", 10, 5.0), ("activations", 20, 0.0)])
    )
    assert memory.most(0, 1) == (40, 0)
    assert memory.most(5, 30) == (45, 5)
    assert memory.most(25, 26) == (40, 0)
    assert memory.most(-9, -5) == (0, 0)


def test_gpipe_holds_all_micro_batches_where_1f1b_holds_as_many_as_stages_follow() -> None:
    most = {}
    for schedule in ("gpipe", "1f1b"):
        trace = trace_of(specification(devices="4xcpu", schedule=schedule, microbatches=8, steps=1))
        most[schedule] = [
            float(memory_of(trace, lane).activations[0].max()) / 3e6 for lane in range(4)
        ]
    assert most == {"gpipe": [8, 8, 8, 8], "1f1b": [4, 3, 2, 1]}
