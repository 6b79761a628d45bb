"""Device times of a recorded job, on a device that is made up: its clock drifts, and it is late."""

import time
from itertools import pairwise

import numpy as np
import pytest

from core.recording.recording import open_recording
from core.report.summary import summarise

torch = pytest.importorskip("torch")

import bubblescope.recorder.instrument as instrument  # noqa: E402
from bubblescope.recorder import events  # noqa: E402
from bubblescope.recorder.events import DeviceTimes, EventSource, Moment  # noqa: E402
from bubblescope.recorder.rank_step import DATA, FIRST_TRACK, Op, timed_step  # noqa: E402

from bubblescope import record  # noqa: E402

MS = 1_000_000


class Device:
    """Does what it is given one after the other, each in `takes` ns, on a clock of its own."""

    def __init__(self, host=None, drift=40e-6, offset=7e15):
        self.at, self.takes, self.free = 1_000 * MS, 0, 0
        self.idle_takes = 0  # how late events on the idle stream are, as on a loaded host
        self.drift, self.offset, self.made = drift, offset, 0
        self.is_capturing = False
        self.stamps = 0
        self.host = host or self.tick

    def tick(self):
        self.at += 1_000
        return self.at

    def make(self):
        self.made += 1
        return Event(self)

    def source(self):
        return EventSource(self.make, lambda: "job", "own", lambda: self.is_capturing, self.host)


class Event:
    """As torch's: may be put on a stream again, and then is that one."""

    def __init__(self, device):
        self.device, self.due = device, None

    def record(self, stream):
        host = self.device.host()
        self.device.stamps += stream != "own"
        if stream == "own":
            self.due = host + self.device.idle_takes
        else:
            self.due = self.device.free = max(self.device.free, host) + self.device.takes

    def query(self):
        return self.device.host() >= self.due

    def elapsed_time(self, other):
        if not (self.query() and other.query()):
            raise RuntimeError("not past")
        scale = 1 + self.device.drift
        return float(np.float32((other.due - self.due) * scale / 1e6))


def step_of(times, device, kinds=("forward", "step")):
    ops = []
    for kind in kinds:
        op = Op(kind, times.now())
        op.end = times.now()
        ops.append(op)
    return ops


def test_moments_are_read_once_the_device_is_there_and_never_waited_for():
    device = Device()
    times = DeviceTimes(device.source())
    device.takes = 30 * MS
    times.hand_in(0, step_of(times, device), None)
    assert list(times.ready(at_once=True)) == []
    device.at += 200 * MS
    (step,) = times.ready(at_once=True)
    first, last = step.ops
    assert [type(time) for time in (first.start, first.end, last.end)] == [int] * 3
    assert first.end - first.start == pytest.approx(30 * MS, abs=200)
    assert last.start - first.end == pytest.approx(30 * MS, abs=200)
    assert first.asked < first.start - 29 * MS and last.asked < first.end
    assert list(times.ready(at_once=True)) == [] and times.left_out == 0


def test_a_device_whose_clock_drifts_is_recorded_within_the_half_width():
    device = Device(drift=500e-6)
    times = DeviceTimes(device.source())
    device.takes = 5 * MS
    for number in range(200):
        ops = step_of(times, device)
        true = [(op.start.event.due, op.end.event.due) for op in ops]
        times.hand_in(number, ops, None)
        device.at += 40 * MS
        if number % 20 == 19:
            device.at = max(device.at, device.free)
        for step in times.ready():
            assert 0 < step.half_width < 3_000
    left = list(times.finish(1))
    told = [(op.start, op.end) for op in left[-1].ops]
    worst = max(abs(a - b) for one, other in zip(told, true, strict=True)
                for a, b in zip(one, other, strict=True))  # fmt: skip
    assert worst <= left[-1].half_width
    assert times.left_out == 0


def test_events_are_used_again_and_a_moment_that_was_replaced_gives_its_own_back():
    device = Device()
    times = DeviceTimes(device.source())
    tries = device.made
    for number in range(50):
        op = Op("backward", times.now())
        for _ in range(10):  # as for the gradient of each parameter
            op.end = times.now()
        times.hand_in(number, [op], None)
        device.at += MS
        assert len(list(times.ready(at_once=True))) == 1
    assert device.made - tries == 3 + 50 * events.TRIES
    assert len({id(event) for event in times._pool}) == len(times._pool) == 3


def test_steps_do_not_overlap_and_a_wait_during_the_previous_step_is_not_counted():
    device = Device()
    times = DeviceTimes(device.source())
    device.takes = 20 * MS
    first = step_of(times, device)
    waited = Op("data", device.at, device.at + 5 * MS, lane=DATA)
    device.at += 5 * MS
    times.hand_in(0, first, None)
    times.hand_in(1, [waited, *step_of(times, device)], None)
    device.at += 500 * MS
    one, two = times.ready()
    end = max(op.end for op in one.ops)
    assert waited.start == waited.end == end and waited.asked < end
    told = timed_step(two.ops, 0, 2)
    assert [task.kind for task in told.tasks] == ["data", "forward", "step"]
    assert min(told.start) >= end
    assert told.launched[1] < told.start[1]
    assert told.tasks[1].after == (0,)


def test_transfers_stay_sequential_from_step_to_step():
    device = Device()
    times = DeviceTimes(device.source())
    for number in range(2):
        moved = Op("all-reduce", times.now(), lane=FIRST_TRACK)
        device.takes = 50 * MS * (1 - number)
        moved.end = times.now()
        times.hand_in(number, [moved], None)
        device.takes, device.free = 0, device.at  # as on another stream
    device.at += 700 * MS
    first, second = (step.ops[0] for step in times.ready())
    assert first.end - first.start >= 49 * MS and second.start == second.end == first.end


def test_unfinished_and_failed_steps_of_a_device_are_counted(monkeypatch):
    device = Device()
    times = DeviceTimes(device.source())
    device.takes = 10**15
    times.hand_in(0, step_of(times, device), None)
    assert list(times.finish(0.001)) == [] and times.left_out == 1
    monkeypatch.setattr(events, "MOST_WAITING", 3)
    for number in range(1, 5):
        times.hand_in(number, step_of(times, device), None)
    assert times.left_out == 2
    monkeypatch.setattr(Event, "query", _fail)
    assert list(times.ready(at_once=True)) == [] and times.left_out == 5
    expected = {events.NOT_ENDED: 1, events.TOO_MANY: 1, events.HAS_FAILED: 3}
    assert dict(times.reasons) == expected


def _fail(event):
    raise RuntimeError("an illegal memory access was encountered")


def test_while_a_graph_is_captured_nothing_is_queried_and_no_event_recorded():
    device = Device()
    times = DeviceTimes(device.source())
    times.hand_in(0, step_of(times, device), None)
    device.at += 600 * MS
    device.is_capturing = True
    assert not isinstance(times.now(), Moment)
    assert list(times.ready(at_once=True)) == []
    device.is_capturing = False
    assert len(list(times.ready())) == 1


def test_a_device_that_is_too_busy_for_an_anchor_is_queried_again(monkeypatch):
    device = Device()
    times = DeviceTimes(device.source())
    times.hand_in(0, step_of(times, device), None)
    device.at += 600 * MS
    with monkeypatch.context() as busy:
        busy.setattr(Event, "query", lambda self: self.due < device.at - 2 * MS)
        assert list(times.ready()) == []
    # It rests before that: every attempt keeps the training thread waiting.
    made = device.made
    assert list(times.ready()) == [] and device.made == made
    device.at += 600 * MS
    assert [step.number for step in times.ready()] == [0]


def test_a_loaded_host_loses_no_step_at_the_end_and_says_how_wide_its_clock_is():
    device = Device()
    times = DeviceTimes(device.source())
    for number in range(3):
        times.hand_in(number, step_of(times, device), None)
    device.idle_takes = 1 * MS  # five times the limit during training
    steps = list(times.finish(0.05))
    assert [step.number for step in steps] == [0, 1, 2] and times.left_out == 0
    assert all(step.half_width >= MS // 2 for step in steps)


def test_a_long_training_on_a_loaded_host_loses_no_step(monkeypatch):
    monkeypatch.setattr(events, "MOST_WAITING", 20)
    monkeypatch.setattr(events, "VERY_MANY", 10)
    device = Device()
    times = DeviceTimes(device.source())
    device.idle_takes = 1 * MS
    found = []
    for number in range(100):
        times.hand_in(number, step_of(times, device), None)
        device.at += 600 * MS
        found += [step.number for step in times.ready()]
    assert found == list(range(len(found))) and len(found) >= 80 and times.left_out == 0


def test_steps_that_are_lost_are_counted_with_the_true_reason():
    device = Device()
    times = DeviceTimes(device.source())
    times.hand_in(0, step_of(times, device), None)
    device.idle_takes = 10**15
    assert list(times.finish(0.05)) == []
    assert dict(times.reasons) == {events.NOT_TIMED: 1}
    device.takes = 10**15
    times.hand_in(1, step_of(times, device), None)
    assert list(times.finish(0.001)) == []
    assert dict(times.reasons) == {events.NOT_TIMED: 1, events.NOT_ENDED: 1}


def test_collectives_of_several_streams_keep_the_order_of_their_requests():
    ops = [
        Op("forward", 100, 200, 0, asked=10),
        Op("all-gather", 90, 190, lane=FIRST_TRACK, asked=20, payload="x"),
        Op("step", 80, 95, asked=30),
    ]
    told = timed_step(ops, 0, 2)
    assert [task.kind for task in told.tasks] == ["forward", "all-gather", "step"]
    assert told.launched == [10, 90, 30]
    for task, start in zip(told.tasks, told.start, strict=True):
        assert all(told.start[need] <= start for need in task.after)
    assert all(a <= b for a, b in zip(told.start, told.end, strict=True))


def test_a_job_whose_device_has_timed_events_is_recorded_in_device_times(tmp_path, monkeypatch):
    device = Device(time.perf_counter_ns)
    device.takes = 100_000
    monkeypatch.setattr(instrument, "device_times", lambda model: DeviceTimes(device.source()))
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record(model, optimizer, tmp_path):
        for _ in range(6):
            optimizer.zero_grad()
            model(torch.ones(4, 8)).sum().backward()
            optimizer.step()
    trace = open_recording(tmp_path / "rank-0.arrow").trace
    assert trace.steps == list(range(6)) and trace.outcome == "finished"
    spans = [span for span in trace if span.lane == 0]
    assert all(span.launched <= span.start for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(span.end - span.start >= 90_000 for span in spans)
    both = open_recording(tmp_path).trace
    (clock,) = both.clocks.values()
    assert (clock.values > 0).all()
    assert summarise(trace).steps[1].makespan_ns > 6 * 90_000
    assert device.made < 6 * 30


class Wide(torch.nn.Module):
    """A block with sixteen parameters; `extra` is used in every second pass."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(7))
        self.extra = torch.nn.Linear(8, 8)
        self.uses_extra = True

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.extra(x) if self.uses_extra else x


def test_the_gradients_of_a_block_are_not_all_stamped(tmp_path, monkeypatch):
    device = Device(time.perf_counter_ns)
    monkeypatch.setattr(instrument, "device_times", lambda model: DeviceTimes(device.source()))
    model = torch.nn.Sequential(*(Wide() for _ in range(8)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    stamps = []
    with record(model, optimizer, tmp_path):
        for _ in range(3):
            before = device.stamps
            optimizer.zero_grad()
            model(torch.ones(4, 8)).sum().backward()
            optimizer.step()
            stamps.append(device.stamps - before)
    # A start and an end of both passes of each block, and those of the loss and the update; nearly
    # as many ends more in the first step, in which the number of gradients is not known.
    assert stamps[0] > 8 * 16
    assert stamps[2] <= 4 * 8 + 4


def test_a_block_with_a_varying_number_of_gradients_ends_with_the_last_one(tmp_path):
    first = Wide()
    model = torch.nn.Sequential(first, *(Wide() for _ in range(7)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record(model, optimizer, tmp_path):
        for number in range(8):
            first.uses_extra = number % 2 == 0
            optimizer.zero_grad()
            model(torch.ones(4, 8)).sum().backward()
            time.sleep(0.02)
            optimizer.step()
    trace = open_recording(tmp_path / "rank-0.arrow").trace
    last = [span for span in trace if span.kind == "backward" and span.block == 0]
    assert len(last) == 8
    # Known once the number has differed, in the second step.
    assert all(span.end - span.start < 15 * MS for span in last[2:])


@pytest.mark.accelerator
def test_a_job_on_this_accelerator_is_recorded_in_device_times(tmp_path):
    device = torch.accelerator.current_accelerator()
    # Small, because a simulated device has to compute it on a core that others use too.
    model = torch.nn.Sequential(*(torch.nn.Linear(256, 256) for _ in range(4))).to(device)
    times = events.device_times(model)
    if times is None:
        pytest.skip(f"{device} has no timed events")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.ones(256, 256, device=device)
    around = []
    with record(model, optimizer, tmp_path):
        for _ in range(8):
            optimizer.zero_grad()
            around.append([torch.Event(device, enable_timing=True) for _ in range(2)])
            around[-1][0].record()
            y = model(x)
            around[-1][1].record()
            y.sum().backward()
            optimizer.step()
    trace = open_recording(tmp_path / "rank-0.arrow").trace
    assert len(trace.steps) == 8
    spans = [span for span in trace if span.lane == 0]
    assert all(span.launched <= span.start for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    torch.accelerator.synchronize()
    half_width = trace.clocks[trace.header.lanes[0].device, None].values.max()
    for step in range(8):
        own = around[step][0].elapsed_time(around[step][1]) * 1e6
        forward = [span for span in spans if span.step == step and str(span.kind) == "forward"]
        told = forward[-1].end - forward[0].start
        assert 0 < told <= 1.01 * own + 2 * half_width
