"""Ranks' streams as one run: what a peer that knows the token can do wrong."""

import contextlib
import io
import math
import time

import pyarrow as pa
import pytest

from core.engine.messages import Ended, Outcome
from core.job import client as job_client
from core.job.client import JobClient
from core.job.merging import RankMerger
from core.recorder.wire import connect
from core.recording.decode import append_batch
from core.recording.exporters.recording import write_recording
from core.recording.recording import open_recording
from core.report.verdict import verdict
from core.trace.trace import Trace
from tests.core.recorder.made import two_ranks, write_rank
from tests.core.recording.test_unpack_limit import packed_by
from tests.core.report.made_jobs import MS, Job, opened


@pytest.fixture
def client():
    one = JobClient("127.0.0.1", 0)
    yield one
    one.close()


def send(client, folder, *ranks):
    wires = [connect(client.address, rank) for rank in ranks]
    for rank, wire in zip(ranks, wires, strict=True):
        wire.write((folder / f"rank-{rank}.arrow").read_bytes())
    return wires


def until(ready):
    end = time.monotonic() + 20
    while not ready() and time.monotonic() < end:
        time.sleep(0.005)
    assert ready()


def messages_of(client):
    """All messages of a run, up to its end."""
    end, messages = time.monotonic() + 20, []
    while time.monotonic() < end:
        messages += client.poll()
        if messages and isinstance(messages[-1], Ended):
            return messages
        time.sleep(0.005)
    raise AssertionError("no end was heard")


def end_of(client):
    return messages_of(client)[-1]


def trace_of(client):
    """The run that comes, as the window has it at the end."""
    header, *batches, _ = messages_of(client)
    trace = Trace(header)
    for batch in batches:
        append_batch(trace, batch)
    return trace


def test_a_message_that_unpacks_beyond_the_limit_ends_the_run_with_the_limit(
    client, tmp_path, monkeypatch
):
    monkeypatch.setattr(job_client, "MOST_MESSAGE", 1 << 20)
    two_ranks(tmp_path)
    bomb = tmp_path / "rank-1.arrow"
    bomb.write_bytes(packed_by("zstd", bomb.read_bytes()))
    whole, refused = send(client, tmp_path, 0, 1)
    whole.close()
    with pytest.raises(OSError):
        refused.close()
    ended = end_of(client)
    assert ended.outcome is Outcome.FAILED
    assert str(ended.text).startswith("rank 1 has sent invalid data: it would unpack to ")
    assert str(ended.text).endswith(" bytes or more: at most 1,048,576 are accepted")
    two_ranks(tmp_path)
    for wire in send(client, tmp_path, 0, 1):
        wire.close()
    wanted = "rank 0 broke off: its job was killed or its connection lost"  # none says how it ended
    assert str(end_of(client).text) == wanted


def test_a_rank_that_vanishes_within_a_message_has_broken_off_wherever_it_was(client, tmp_path):
    two_ranks(tmp_path, outcome="finished")
    whole, second = ((tmp_path / f"rank-{rank}.arrow").read_bytes() for rank in (0, 1))
    lost = "its job was killed or its connection lost"
    known = set()
    for cut in range(1, len(second) - 600, 211):  # the last 600 bytes say how the job ended
        with connect(client.address, 0) as wire:
            wire.write(whole)
        with contextlib.suppress(OSError), connect(client.address, 1) as wire:
            wire.write(second[:cut])
        until(lambda: str(client.status().problem).startswith("rank 1 "))
        known.add(str(client.status().problem))
        client.poll()
    assert known == {f"rank 1 was refused: {lost}", f"rank 1 broke off: {lost}"}


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_rank_that_connected_alone_is_not_joined_with_the_next_job(
    client, tmp_path, monkeypatch, is_stopped
):
    two_ranks(tmp_path, outcome="finished")
    streams = [(tmp_path / f"rank-{rank}.arrow").read_bytes() for rank in (0, 1)]
    with contextlib.suppress(OSError), connect(client.address, 1) as wire:
        wire.write(streams[1][: len(streams[1]) // 2])  # and rank 0 of its job never comes
    until(lambda: str(client.status().problem).startswith("rank 1 broke off"))
    if is_stopped:
        client.stop()
    else:
        monkeypatch.setitem(client._since, 1, -math.inf)  # it came long ago
    for rank, stream in enumerate(streams):
        with connect(client.address, rank) as wire:
            wire.write(stream)
        until(lambda rank=rank: rank in [peer.rank for peer in client.status().peers])
    assert end_of(client).outcome is Outcome.FINISHED


def test_the_end_of_a_run_is_reported_after_any_error(client, tmp_path, monkeypatch):
    monkeypatch.setattr(RankMerger, "last", lambda joining: iter([1 // 0]))
    two_ranks(tmp_path)
    for wire in send(client, tmp_path, 0, 1):
        wire.close()
    assert str(end_of(client).text).startswith("the ranks have sent invalid data: ")


@pytest.mark.parametrize(
    ("losses", "steps", "shown"),
    [
        ((lambda step: step / 2, None), [range(4), range(4)], {0: 0.0, 1: 0.5, 2: 1.0, 3: 1.5}),
        ((None, lambda step: 2 - step), [range(3), range(3)], {0: 2.0, 1: 1.0, 2: 0.0}),
        ((lambda step: step, lambda step: -step), [range(3), range(3)], {0: 0, 1: 1, 2: 2}),
        ((lambda step: step, None), [range(4), (0, 1, 3)], {0: 0, 1: 1, 3: 3}),
        ((None, None), [range(2), range(2)], {}),
    ],
    ids=["rank 0 tells", "rank 1 tells", "both tell", "a step is left out", "nobody tells"],
)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_numbers_of_steps_arrive_live_once_as_in_the_ranks_recordings(
    client, tmp_path, losses, steps, shown, order
):
    two_ranks(tmp_path, (5, 5), steps, "finished", losses)
    wires = send(client, tmp_path, *order)
    for wire in wires:
        wire.close()
    live = trace_of(client).counter("loss")
    known = open_recording(tmp_path).trace.counter("loss")
    assert dict(zip(live.steps.tolist(), live.values.tolist(), strict=True)) == shown
    assert live.steps.tolist() == known.steps.tolist() == list(shown)
    assert live.values.tolist() == known.values.tolist()
    assert live.times.tolist() == known.times.tolist()


def rewritten(path, *batches):
    with pa.ipc.open_stream(path) as reader:
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, reader.schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
    path.write_bytes(sink.getvalue())


def batches_of(path):
    return list(pa.ipc.open_stream(path.read_bytes()))


def test_a_step_that_a_rank_sends_again_ends_the_run_and_arrives_once(client, tmp_path):
    two_ranks(tmp_path)
    second = tmp_path / "rank-1.arrow"
    rewritten(second, *batches_of(second), batches_of(second)[-1])
    whole, repeating = send(client, tmp_path, 0, 1)
    with pytest.raises(OSError):
        repeating.close()
    whole.close()
    assert str(end_of(client).text) == "rank 1 has sent invalid data: step 2 arrives twice"


def test_steps_that_go_back_in_time_are_not_passed_on_for_drawing(client, tmp_path):
    late, second = tmp_path / "late", tmp_path / "rank-1.arrow"
    late.mkdir()
    two_ranks(tmp_path)
    write_rank(late, 1, [0], [], 1000, begin=10**9)
    rewritten(second, *batches_of(late / "rank-1.arrow"), *batches_of(second)[-2:])
    (first,) = send(client, tmp_path, 0)
    until(lambda: [peer.steps for peer in client.status().peers] == [3])
    (back,) = send(client, tmp_path, 1)
    with pytest.raises(OSError):
        back.close()
    first.close()
    wanted = "rank 1 has sent invalid data: a lane's steps go back in time"
    assert str(end_of(client).text) == wanted


def test_steps_are_as_long_live_as_in_the_ranks_files_and_in_a_saved_recording(client, tmp_path):
    """Evaluations, also of one rank alone, are no part of them."""
    away = {(0, 4): 300.0 * MS, (1, 4): 310.0 * MS, (0, 6): 500.0 * MS}
    job = Job(extra={(1, "update", None): 20.0 * MS}, outside=away)
    ranks, _ = opened(job, tmp_path)
    for wire in send(client, tmp_path, 0, 1):
        wire.close()
    list(write_recording(ranks, tmp_path / "saved.arrow"))
    saved = open_recording(tmp_path / "saved.arrow").trace
    wanted = [ranks.step_bounds(step) for step in ranks.steps]
    assert all(end - start < 45 * MS for start, end in wanted)
    for trace in (trace_of(client), saved):
        assert [trace.step_bounds(step) for step in trace.steps] == wanted
        assert verdict(trace) == verdict(ranks)
