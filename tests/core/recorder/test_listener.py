"""Recordings over TCP: what peers do wrong hurts neither the listener nor the job."""

import importlib
import os
import random
import resource
import socket
import subprocess
import sys
import threading
import time

import pytest

from core.recording import handshakes
from core.recording.handshakes import MOST_UNKNOWN, Refusals
from core.recording.listener import Listener
from core.recording.rank_folder import RankFolder
from core.recording.recording import open_recording
from core.recording.stream import END_OF_STREAM

torch = pytest.importorskip("torch")

from core.recorder import wire  # noqa: E402
from core.recorder.wire import MAGIC, OPENING, connect  # noqa: E402
from tests.core.recorder.test_record import layers, train  # noqa: E402


@pytest.fixture
def listener(tmp_path):
    said = []

    def note(text):
        said.append(str(text))

    folder = RankFolder(tmp_path / "runs", note)
    one = Listener("127.0.0.1", 0, folder.receive, note, Refusals(note))
    one.said = said
    yield one
    one.close()


def until(ready):
    end = time.monotonic() + 20
    while not ready() and time.monotonic() < end:
        time.sleep(0.01)
    assert ready()


def raw(listener, data=b""):
    peer = socket.create_connection(("127.0.0.1", listener.where.port), 10)
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


def test_connections_with_a_wrong_token_garbage_or_silence_are_closed_and_leave_no_file(
    listener, tmp_path, monkeypatch
):
    monkeypatch.setattr(handshakes, "HELLO_SECONDS", 0.2)
    wrong = OPENING.pack(MAGIC, b"0" * 32, 0)
    for data in (wrong, random.Random(1).randbytes(4096), b"", wrong[:20]):
        with raw(listener, data) as peer:
            assert is_let_go(peer)
    assert list((tmp_path / "runs").iterdir()) == []
    assert len(train(layers(), listener.address)) == 4


def test_a_flood_of_silent_peers_takes_no_thread_and_a_job_gets_in_meanwhile(listener, monkeypatch):
    monkeypatch.setattr(handshakes, "HELLO_SECONDS", 100)
    before = threading.active_count()
    peers = [raw(listener) for _ in range(MOST_UNKNOWN + 40)]
    until(lambda: is_let_go(peers[39]))  # the oldest, though their time is not up
    assert len(listener._handshakes.waiting) == MOST_UNKNOWN
    assert threading.active_count() == before
    assert len(train(layers(), listener.address)) == 4
    monkeypatch.setattr(handshakes, "HELLO_SECONDS", 0.1)
    raw(listener).close()  # wakes it
    for peer in peers:
        assert is_let_go(peer)
        peer.close()
    until(lambda: not listener._handshakes.waiting)
    assert len(train(layers(), listener.address)) == 4


def test_two_peers_are_never_one_rank(listener, tmp_path):
    with connect(listener.address, 3) as first:
        first.write(b"first")
        first.flush()
        until(lambda: 3 in listener._ranks)
        with connect(listener.address, 3) as second:
            second.write(b"second")  # for a moment it may seem to be taken
            second.flush()
            until(lambda: not listener._handshakes.waiting)
            with pytest.raises(OSError, match="listener ended before it had"):
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
    assert "bubblescope: not all was recorded: " in capsys.readouterr().err


def test_an_address_without_a_token_is_refused_in_a_line_of_the_job(capsys):
    assert len(train(layers(), "tcp://127.0.0.1:9")) == 4
    assert "as `bubblescope listen` shows it" in capsys.readouterr().err


def test_a_rank_of_the_next_job_is_taken_as_soon_as_the_last_one_knows_that_all_is_here(listener):
    for _ in range(40):
        with connect(listener.address, 0) as wire:
            wire.write(END_OF_STREAM)
    until(lambda: not listener._ranks)
    assert sum("has ended" in line for line in listener.said) == 40


def test_a_listener_that_takes_nothing_for_a_while_does_not_end_the_recording(monkeypatch):
    monkeypatch.setattr(wire, "TIMEOUT_SECONDS", 0.2)
    data = random.Random(1).randbytes(16 << 20)  # more than the kernel holds
    with socket.create_server(("127.0.0.1", 0)) as server:
        out = f"tcp://{'0' * 32}@127.0.0.1:{server.getsockname()[1]}"
        sent = connect(out, 0)
        peer, _ = server.accept()
        taken = bytearray()

        def take():
            time.sleep(0.6)
            while piece := peer.recv(1 << 20):
                taken.extend(piece)
            peer.sendall(wire.ALL_HERE)

        taking = threading.Thread(target=take)
        taking.start()
        sent.write(data)
        monkeypatch.setattr(wire, "TIMEOUT_SECONDS", 10)
        sent.close()
        taking.join()
        peer.close()
    assert taken[OPENING.size :] == data


def test_a_job_whose_listener_takes_nothing_at_its_end_says_so(monkeypatch, capsys):
    # As the script has it, which imports the package and not the checkout's `core`.
    sender = importlib.import_module("bubblescope.recorder.stream").Sender
    monkeypatch.setattr(sender.close, "__defaults__", (0.3,))
    with socket.create_server(("127.0.0.1", 0)) as server:  # it never accepts
        out = f"tcp://{'0' * 32}@127.0.0.1:{server.getsockname()[1]}"
        train(layers(), out)
    assert (
        "bubblescope: not all was recorded: the last steps could not be written within "
        "0.3 s" in capsys.readouterr().err
    )


def test_silent_peers_leave_room_for_files_where_few_may_be_open(tmp_path):
    said = []

    def note(text):
        said.append(str(text))

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = max(map(int, os.listdir("/proc/self/fd")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 140, hard))
    try:
        folder = RankFolder(tmp_path / "runs", note)
        one = Listener("127.0.0.1", 0, folder.receive, note, Refusals(note))
        program = (
            "import resource, socket, sys\n"
            "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
            "resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))\n"  # its own files are many
            "address = '127.0.0.1', int(sys.argv[1])\n"
            "peers = [socket.create_connection(address) for _ in range(300)]\n"
            "print(len(peers), flush=True)\n"
            "sys.stdin.read()"
        )
        with subprocess.Popen(
            [sys.executable, "-c", program, str(one.where.port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        ) as flood:  # fmt: skip
            assert flood.stdout.readline() == b"300\n"
            for rank in range(20):
                with connect(one.address, rank) as sent:
                    sent.write(END_OF_STREAM)
            flood.stdin.close()
        one.close()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert sum("has ended: 8 bytes" in line for line in said) == 20
    assert [line for line in said if "cannot be written" in line] == []
