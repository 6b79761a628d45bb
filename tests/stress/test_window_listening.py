# ruff: noqa: F811 - fixtures
"""Damaged and hostile streams to a listening window: it keeps working and draws the next job.

Every stream is that of a real rank, damaged with its own seed, or has names with markup or control
characters. All of them have the token: streams without it are refused before they are read.
"""

from __future__ import annotations

import os
import random
import socket
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("PySide6")

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel

from core.recorder import stream
from core.recorder.rank_step import rank_lanes
from core.recorder.wire import connect
from core.recording.listener import READER
from gui.features.listen.feature import ListenFeature
from gui.features.runs.feature import RunsFeature
from tests.core.recorder.made import two_ranks
from tests.fuzz.mutations import damaged
from tests.gui.conftest import (  # noqa: F401
    client,
    make_window,
    no_window_left,
    settings,
    small_work_is_done_at_once,
    window,
)

STREAMS = 12
"""Number of streams that are sent for each of --stress-runs."""
LONGEST_S = 5.0
"""Time in s that the window may be busy with one stream, on a machine with other work."""
HOSTILE = "<img src='x'><b>\x1b[31m\u202e%s{0}&amp;\n" + "W" * 5000


@pytest.fixture
def listening(window, qtbot):
    window.feature(ListenFeature).open()
    window.feature(ListenFeature).dialog.toggle()
    yield window.session.job_client
    window.feature(ListenFeature).dialog.close()
    window.session.listen_to(None)
    window.session.tick()


def send(address: str, streams: dict[int, bytes]) -> None:
    """Send the streams of all ranks at once, as far as they are accepted."""

    def one(rank: int, data: bytes) -> None:
        try:
            with connect(address, rank) as wire:
                wire._peer.settimeout(5.0)
                wire.write(data)
        except OSError:
            pass  # it was refused

    threads = [threading.Thread(target=one, args=pair) for pair in streams.items()]
    for thread in threads:
        thread.start()
    until = time.monotonic() + 30
    while any(thread.is_alive() for thread in threads):
        assert time.monotonic() < until, "a stream is neither taken nor refused"
        turn()


def turn() -> None:
    """Process the window's events, and check that this does not take long."""
    began = time.monotonic()
    QApplication.processEvents()
    assert time.monotonic() - began < LONGEST_S
    time.sleep(0.01)


def wait_read() -> None:
    """Wait until the threads that read the streams have ended."""
    until = time.monotonic() + 30
    while any(thread.name.startswith(READER) for thread in threading.enumerate()):
        assert time.monotonic() < until, threading.enumerate()
        turn()


def wait_idle(window, client) -> None:
    """Wait until no run is live, no rank is connected, and the window has handled all messages."""
    until = time.monotonic() + 30
    while (
        window.session.runs_job
        or client._messages
        or any(peer.is_here for peer in client.status().peers)
    ):
        assert time.monotonic() < until, client.status()
        turn()


def whole_job(window, client, streams: dict[int, bytes]) -> None:
    """Send an undamaged job, and wait until it is drawn to its end."""
    before = len(window.session.runs)
    send(client.address, streams)
    until = time.monotonic() + 30
    while len(window.session.runs) == before or window.session.runs[-1].live:
        assert time.monotonic() < until, client.status()
        turn()


def test_damaged_streams_leave_a_window_that_draws_the_next_job(
    window,
    listening,
    qtbot,
    tmp_path: Path,
    stress_runs: int,
) -> None:
    two_ranks(tmp_path, outcome="finished")
    streams = {rank: (tmp_path / f"rank-{rank}.arrow").read_bytes() for rank in range(2)}
    whole_job(window, listening, streams)
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for number in range(STREAMS * stress_runs):
        chance = random.Random(f"window {number}")
        sent = dict(streams)
        for rank in chance.choice([[0], [1], [0, 1]]):
            sent[rank] = damaged(streams[rank], list(streams.values()), chance)
        if chance.random() < 0.2:
            sent = {chance.choice([0, 1, 2, 500, 65535]): data for data in sent.values()}
        send(listening.address, sent)
        wait_read()
        # If only one of two ranks was accepted, it waits for the other.
        window.session.stop()
        listening.stop()
        wait_idle(window, listening)
        for run in list(window.session.runs):
            window.feature(RunsFeature).menu.remove(run)
    whole_job(window, listening, streams)
    assert window.session.runs[-1].trace.steps == [0, 1, 2]
    assert window.session.runs[-1].outcome.value == "finished"
    for run in list(window.session.runs):
        window.feature(RunsFeature).menu.remove(run)
    qtbot.waitUntil(lambda: threading.active_count() <= threads, timeout=20_000)
    assert len(os.listdir("/proc/self/fd")) <= files + 2


def test_names_with_markup_are_shown_literally(window, listening, qtbot) -> None:
    header = {
        "specification": {"warmup": 0},
        "model": {"name": HOSTILE, "blocks": [], "input_bytes": 0},
        "lanes": [{**lane, "name": HOSTILE} for lane in rank_lanes(0, "cpu")], "replicas": 1,
        "origin_ns": 0, "started": "", "hardware": {"host": HOSTILE},
        "versions": {"torch": HOSTILE},
        "format": stream.FORMAT,
    }  # fmt: skip
    wire = connect(listening.address, 0)
    sender = stream.Sender(lambda: wire)
    sender.start(header)
    for name in ("counter", "log"):
        told = stream.note_row(name, HOSTILE, 0, 0, float("nan"), HOSTILE)
        sender.hand_in(lambda write, told=told: write(told))
    qtbot.waitUntil(lambda: window.session.live is not None, timeout=20_000)
    sender.close()
    wait_idle(window, listening)
    window.feature(ListenFeature).dialog.refresh()
    cell = window.feature(ListenFeature).dialog.ranks.topLevelItem(0).text(1)
    assert "\n" not in cell and "\x1b" not in cell and len(cell) < 300
    for label in (
        *window.findChildren(QLabel),
        *window.feature(ListenFeature).dialog.findChildren(QLabel),
    ):
        is_plain = label.textFormat() is Qt.TextFormat.PlainText
        assert is_plain or "<img" not in label.text(), label.text()[:200]
    assert window.minimumSizeHint().width() < 2000


def test_many_silent_connections_do_not_block_the_window(window, listening, qtbot) -> None:
    port = int(listening.address.rpartition(":")[2])
    crowd = []
    for _ in range(150):
        crowd.append(socket.create_connection(("127.0.0.1", port), 5))
        turn()
    for peer in crowd:
        peer.close()
    wait_idle(window, listening)
