"""Lanes on streams, without a device: what they ask of torch's streams, events and graphs."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

torch = pytest.importorskip("torch")

from core.engine.lanes import devices as lane_devices  # noqa: E402
from core.engine.lanes.devices import open_lanes  # noqa: E402
from core.engine.lanes.lane import block_queries_during_capture, has_passed  # noqa: E402
from core.engine.rank_models.communication import ThreadedCollectives  # noqa: E402
from core.plan.plan import Lane  # noqa: E402
from core.plan.task import Kind, Payload  # noqa: E402
from core.recorder.events import DeviceTimes, EventSource, Moment  # noqa: E402
from core.recorder.guard import Guard  # noqa: E402
from core.recorder.instrument import Instrument  # noqa: E402
from core.recorder.rank_step import Op  # noqa: E402

POOL = 32


class Stream:
    """A stream of a device that hands out POOL of them in turn, as CUDA's pool does."""

    made = 0

    def __init__(self, device: torch.device) -> None:
        self.device, self.stream_id = device, Stream.made % POOL
        self.waited_for: list[object] = []
        Stream.made += 1

    def wait_event(self, event: object) -> None:
        self.waited_for.append(event)


class Event:
    """An event that was recorded on `stream`."""

    def __init__(self, device: object = None, enable_timing: bool = True) -> None:
        self.stream: object = None

    def record(self, stream: object) -> None:
        self.stream = stream

    def query(self) -> bool:
        return True

    def elapsed_time(self, other: Event) -> float:
        return 0.0


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Stream]]:
    """The current stream of each device."""
    current: dict[str, Stream] = {}

    def current_stream(device: object) -> Stream:
        return current.setdefault(str(device), Stream(torch.device(str(device))))

    monkeypatch.setattr(Stream, "made", 0)
    monkeypatch.setattr(torch, "Stream", Stream)
    monkeypatch.setattr(torch, "Event", Event)
    monkeypatch.setattr(torch.accelerator, "current_stream", current_stream)
    monkeypatch.setattr(lane_devices, "has_timed_events", lambda device: True)
    yield current


def lanes(count: int, *devices: str) -> tuple[Lane, ...]:
    names = devices or ("xpu:0",) * count
    return tuple(Lane(n, f"lane {n}", names[n]) for n in range(count))


def test_the_streams_of_all_devices_wait_for_the_source_of_a_copy(
    streams: dict[str, Stream],
) -> None:
    lane = open_lanes(lanes(2, "xpu:0", "xpu:1"))[1]
    ended = torch.Event()
    lane.wait(ended)
    assert {name: stream.waited_for for name, stream in streams.items()} == {
        "xpu:0": [ended],
        "xpu:1": [ended],
    }


def test_lanes_that_share_a_stream_say_so(streams: dict[str, Stream]) -> None:
    assert [lane.note for lane in open_lanes(lanes(POOL)) if lane.note] == []
    [note] = [lane.note for lane in open_lanes(lanes(POOL + 2)) if lane.note]
    assert note == "xpu:0 has 32 streams for 34 lanes: lanes that share one take turns"


def test_a_collective_is_requested_on_the_stream_that_runs_it(streams: dict[str, Stream]) -> None:
    gathers = streams["xpu:0"] = Stream(torch.device("xpu:0"))
    instrument = instrument_on_a_device()
    # A meta tensor is not on the host either.
    whole = torch.empty(4, device="meta")
    instrument.collectives.request(Kind.ALL_GATHER, Payload.PARAMETERS, 0, whole)
    [op] = instrument.ops.kept
    assert stream_of(op.start) is gathers


def instrument_on_a_device(make: type[Event] = Event) -> Instrument:
    """Make an instrument of a model on xpu:0, whose device makes such events."""
    instrument = Instrument(None, Guard(), lambda step: None)
    device = torch.device("xpu:0")
    source = EventSource(make, lambda: torch.accelerator.current_stream(device), Stream(device))
    instrument.device_times = DeviceTimes(source)
    instrument.ops.now = instrument.device_times.now
    return instrument


def stream_of(moment: int | None) -> object:
    assert isinstance(moment, Moment)
    return moment.event.stream


def test_a_collective_of_gloo_ends_when_its_copy_to_the_device_ends(
    streams: dict[str, Stream],
) -> None:
    streams["xpu:0"] = Stream(torch.device("xpu:0"))
    instrument = instrument_on_a_device()
    whole = torch.empty(4, device="meta")
    requested = instrument.collectives.request(Kind.ALL_GATHER, Payload.PARAMETERS, 0, whole)
    [op] = instrument.ops.kept
    copies = Stream(torch.device("xpu:0"))

    def collective() -> None:
        streams["xpu:0"] = copies  # gloo returns while the copy back to the device is queued here

    ran = ThreadedCollectives(open_lanes((Lane(0, "cpu:0", "cpu", cores=1),))[0])
    ran.run(requested, collective).wait()
    ran.close()
    assert stream_of(op.end) is copies


class Graph:
    """A graph of torch's: what a thread asks meanwhile fails its capture, as CUDA has it."""

    capturing = False

    def capture_begin(self, pool: object = None) -> None:
        if pool == "wrong":
            raise RuntimeError("no such pool")
        Graph.capturing = True

    def capture_end(self) -> None:
        Graph.capturing = False


class Asked(Event):
    def query(self) -> bool:
        assert not Graph.capturing, "operation not permitted when stream is capturing"
        return True


def test_no_thread_queries_an_event_while_a_graph_is_captured() -> None:
    block_queries_during_capture(Graph)
    block_queries_during_capture(Graph)  # once is enough
    graph, event, over = Graph(), Asked(), threading.Event()
    failed: list[BaseException] = []

    def ask() -> None:
        try:
            while not over.is_set():
                has_passed(event)  # type: ignore[arg-type]
        except BaseException as error:
            failed.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    for _ in range(200):
        graph.capture_begin()
        assert not has_passed(event)  # type: ignore[arg-type]
        graph.capture_end()
    with pytest.raises(RuntimeError, match="no such pool"):
        graph.capture_begin("wrong")
    over.set()
    asking.join()
    assert failed == []
    assert has_passed(event)  # type: ignore[arg-type]


def test_running_operations_are_not_queried_while_a_graph_is_captured(
    streams: dict[str, Stream],
) -> None:
    block_queries_during_capture(Graph)
    instrument = instrument_on_a_device(Asked)
    instrument.ops.note(Op("forward", instrument.ops.now()))
    assert [op.kind for op in instrument.running(has_passed)] == ["forward"]
    graph = Graph()
    graph.capture_begin()
    try:
        assert instrument.running(has_passed) == []
    finally:
        graph.capture_end()
