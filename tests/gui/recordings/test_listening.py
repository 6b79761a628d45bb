"""Listening for training jobs in the window: steps are drawn live, and nothing is left behind."""

import socket
import subprocess
import sys
import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from core.recorder.wire import connect
from core.recording.recording import open_recording
from tests.core.recorder.made import two_ranks, write_rank

JOB = """
import sys, torch
from bubblescope import record
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with record(model, optimizer, out=sys.argv[1]) as run:
    for step in range(5):
        optimizer.zero_grad()
        model(torch.randn(4, 8)).sum().backward()
        optimizer.step()
        run.tell("loss", step / 2)
    print("trained", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def listening(window, qtbot):
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    qtbot.keyClick(window, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.listening.dialog is not None)
    dialog = window.listening.dialog
    qtbot.mouseClick(dialog.begin_button, Qt.MouseButton.LeftButton)
    yield dialog
    dialog.close()
    window.session.listen_to(None)
    window.session.tick()


def address(window):
    return window.session.job_client.address


def sent(folder, ranks, to, cut=None):
    """Connections that have sent what a folder has of some ranks."""
    made = []
    for rank in ranks:
        made.append(connect(to, rank))
        made[-1].write((folder / f"rank-{rank}.arrow").read_bytes()[:cut])
    return made


def test_a_job_is_drawn_live_kept_and_saved(window, listening, qtbot, tmp_path):
    assert address(window) in listening.script.toPlainText()
    job = subprocess.Popen(
        [sys.executable, "-c", JOB, address(window)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with job:
        job.stdout.readline()
        qtbot.waitUntil(
            lambda: window.run_shown is not None and len(window.run_shown.trace.steps) == 5,
            timeout=60_000,
        )
        run = window.run_shown
        assert run.live and window.session.runs_job
        # What is told of a step is sure to be whole only once the next step has come.
        qtbot.waitUntil(lambda: run.trace.counter("loss").values.tolist() == [0.0, 0.5, 1.0, 1.5])
        assert not window.actions_by_name["run"].isEnabled()
        assert window.panels.foreign.isHidden()
        listening.refresh()
        assert listening.status.text() == "1 of 1 ranks are connected."
        job.stdin.write("\n")
    qtbot.waitUntil(lambda: not run.live, timeout=60_000)
    assert job.returncode == 0 and run.outcome.value == "finished"
    run.save(tmp_path / "job.arrow")
    saved = open_recording(tmp_path / "job.arrow").trace
    assert list(map(str, saved)) == list(map(str, run.trace))
    for trace in (run.trace, saved):
        told = trace.counter("loss")
        assert (told.steps.tolist(), told.values.tolist()) == (list(range(5)), [0, 0.5, 1, 1.5, 2])
    assert window.actions_by_name["stop"].isEnabled() is False
    qtbot.wait(300)  # the last figures
    assert window.panels.foreign.isHidden() and not window.bar._progress.isVisible()


def test_two_ranks_are_one_run_and_each_span_comes_once(window, listening, qtbot, tmp_path):
    two_ranks(tmp_path)
    for peer in sent(tmp_path, (1, 0), address(window)):
        peer.close()
    qtbot.waitUntil(lambda: window.run_shown is not None and not window.run_shown.live)
    live, file = window.run_shown.trace, open_recording(tmp_path).trace
    assert live.steps == file.steps == [0, 1, 2]
    assert sorted(map(str, live)) == sorted(map(str, file))


def test_a_job_that_came_before_the_last_ones_end_was_drawn_is_under_way_too(
    window, listening, qtbot, tmp_path
):
    two_ranks(tmp_path)
    session, begun, ended = window.session, [], []
    session._timer.stop()
    session.run_started.connect(lambda run: begun.append((session.asking, session.runs_job)))
    session.run_ended.connect(ended.append)
    for _ in range(2):
        for peer in sent(tmp_path, (1, 0), address(window)):
            peer.close()
    while len(ended) < 2:
        session.tick()
    assert begun == [(True, True)] * 2
    assert not session.asking and not window.bar._progress.isVisible()
    session._timer.start()


def test_a_clock_that_was_compared_at_the_beginning_only_is_said_to_be(
    window, listening, qtbot, tmp_path
):
    write_rank(tmp_path, 0, range(3), [(1000, 0, 0.0)], 1000)
    write_rank(tmp_path, 1, range(3), [(1000, 500, 40.0)], 1000)
    peers = sent(tmp_path, (1, 0), address(window), cut=-8)
    qtbot.waitUntil(lambda: window.run_shown is not None and len(window.run_shown.trace.steps) == 3)
    listening.refresh()
    cells = [listening.ranks.topLevelItem(rank).text(4) for rank in range(2)]
    assert cells == ["± 0\u00a0ns", "± 40\u00a0ns at the beginning"]
    for peer in peers:
        peer.close()


def test_stop_lets_the_job_go_and_keeps_what_came(window, listening, qtbot, tmp_path):
    two_ranks(tmp_path)
    peers = sent(tmp_path, (0, 1), address(window), cut=-8)
    qtbot.waitUntil(lambda: window.run_shown is not None and len(window.run_shown.trace.steps) == 3)
    window.actions_by_name["stop"].trigger()
    run = window.run_shown
    qtbot.waitUntil(lambda: not run.live)
    assert run.outcome.value == "stopped" and run.trace.span_count
    for peer in peers:
        with pytest.raises(OSError):
            peer.close()
    assert window.session.job_client is not None


def test_strangers_are_counted_and_hurt_nothing(window, listening, qtbot, tmp_path):
    client = window.session.job_client
    port = int(address(window).rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as stranger:
        stranger.sendall(b"GET / HTTP/1.0\r\n\r\n" * 40)
        with connect(address(window), 0) as garbage, pytest.raises(OSError):
            garbage.write(b"\xff\xff\xff\xff\xff\xff\xff\x7f" * 100)
            garbage.close()
        qtbot.waitUntil(lambda: client.status().refused == 2)
    listening.refresh()
    assert listening.status.text() == "No job has connected yet. Connections that were refused: 2."
    two_ranks(tmp_path)
    for peer in sent(tmp_path, (0, 1), address(window)):
        peer.close()
    qtbot.waitUntil(lambda: window.run_shown is not None and not window.run_shown.live)


def test_closing_the_window_ends_socket_and_threads(make_window, client, settings, qtbot, tmp_path):
    before = set(threading.enumerate())
    window = make_window(client, settings)
    window.listening.open()
    window.listening.dialog.toggle()
    two_ranks(tmp_path)
    peers = sent(tmp_path, (0,), address(window))
    port = int(address(window).rpartition(":")[2])
    qtbot.waitUntil(lambda: window.session.job_client.status().peers != ())
    window.close()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), 1)
    left = lambda: {t for t in set(threading.enumerate()) - before if "spool" not in t.name}  # noqa: E731
    qtbot.waitUntil(lambda: not left())
    for peer in peers:
        with pytest.raises(OSError):
            peer.close()


def test_an_address_that_is_none_is_said_in_a_line(window, qtbot):
    window.listening.open()
    dialog = window.listening.dialog
    dialog.host.setText("192.0.2.1")
    qtbot.keyClick(dialog.begin_button, Qt.Key.Key_Space)
    assert dialog.problem.text().startswith("This address cannot be listened on.")
    assert window.session.job_client is None
    dialog.close()
