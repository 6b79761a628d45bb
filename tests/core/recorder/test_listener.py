"""Recordings over TCP: what peers do wrong hurts neither the listener nor the job."""

import random
import socket
import time

import pytest

from core.recording import listener as listening
from core.recording.listener import MOST_UNKNOWN, Files, Listener
from core.recording.recording import open_recording

torch = pytest.importorskip("torch")

from core.recorder.wire import MAGIC, OPENING, connect  # noqa: E402
from tests.core.recorder.test_record import layers, train  # noqa: E402


@pytest.fixture
def listener(tmp_path):
    said = []
    one = Listener("127.0.0.1", 0, Files(tmp_path / "runs", said.append).receive, said.append)
    one.said = said
    yield one
    one.close()


def until(ready):
    end = time.monotonic() + 20
    while not ready() and time.monotonic() < end:
        time.sleep(0.01)
    assert ready()


def raw(listener, data=b""):
    peer = socket.create_connection(("127.0.0.1", listener.port), 10)
    peer.sendall(data)
    return peer


def is_let_go(peer):
    try:
        return peer.recv(1) == b""
    except ConnectionResetError:
        return True


def test_a_job_arrives_as_it_would_in_a_file(listener, tmp_path):
    assert train(layers(), listener.address) == train(layers(), tmp_path / "file")
    until(lambda: any("ended" in line for line in listener.said))
    sent, kept = (open_recording(tmp_path / name).trace for name in ("runs", "file"))
    assert sent.steps == kept.steps and sent.span_count == kept.span_count
    assert sent.outcome == "finished"


def test_a_wrong_token_garbage_and_silence_are_let_go_and_leave_no_file(
    listener, tmp_path, monkeypatch
):
    monkeypatch.setattr(listening, "HELLO_SECONDS", 0.2)
    wrong = OPENING.pack(MAGIC, b"0" * 32, 0)
    for data in (wrong, random.Random(1).randbytes(4096), b"", wrong[:20]):
        with raw(listener, data) as peer:
            assert is_let_go(peer)
    assert list((tmp_path / "runs").iterdir()) == []
    assert len(train(layers(), listener.address)) == 4


def test_a_flood_of_silent_peers_takes_so_many_threads_at_most_and_a_job_still_gets_in(
    listener, monkeypatch
):
    monkeypatch.setattr(listening, "HELLO_SECONDS", 0.5)
    peers = [raw(listener) for _ in range(3 * MOST_UNKNOWN)]
    assert len(listener._unknown) <= MOST_UNKNOWN
    for peer in peers:
        assert is_let_go(peer)
        peer.close()
    until(lambda: not listener._unknown)
    assert len(train(layers(), listener.address)) == 4


def test_two_peers_are_never_one_rank(listener, tmp_path):
    with connect(listener.address, 3) as first:
        first.write(b"first")
        first.flush()
        until(lambda: 3 in listener._ranks)
        with connect(listener.address, 3) as second:
            second.write(b"second")  # for a moment it may seem to be taken
            second.flush()
            until(lambda: not listener._unknown)
            with pytest.raises(OSError):
                second.close()
    until(lambda: not listener._ranks)
    assert (tmp_path / "runs" / "rank-3.arrow").read_bytes() == b"first"


def test_a_listener_that_vanishes_ends_the_recording_and_not_the_job(listener, capsys):
    class Ends(torch.nn.Module):
        def forward(self, x):
            listener.close()
            return x

    assert len(train(layers(Ends()), listener.address)) == 4
    assert len(train(layers(), listener.address)) == 4
    assert "bubblescope: not all was recorded: " in capsys.readouterr().out


def test_an_address_without_a_token_is_refused_in_a_line_of_the_job(capsys):
    assert len(train(layers(), "tcp://127.0.0.1:9")) == 4
    assert "as `bubblescope listen` shows it" in capsys.readouterr().out


def test_a_rank_of_the_next_job_is_taken_as_soon_as_the_last_one_knows_that_all_is_here(listener):
    for _ in range(40):
        with connect(listener.address, 0) as wire:
            wire.write(b"x")
    until(lambda: not listener._ranks)
    assert sum("has ended" in line for line in listener.said) == 40
