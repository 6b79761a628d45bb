"""Listening for training jobs: steps are drawn live, and no process or file is left."""

import contextlib
import socket
import subprocess
import sys
import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton

from core.recorder.wire import connect
from core.recording.recording import open_recording
from gui.features.devices.feature import DevicesFeature
from gui.features.listen.feature import ListenFeature
from gui.features.status.feature import StatusFeature
from tests.core.recorder.made import two_ranks, write_rank
from tests.full_disk import full_disk

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
    qtbot.waitUntil(lambda: window.feature(ListenFeature).dialog is not None)
    dialog = window.feature(ListenFeature).dialog
    qtbot.mouseClick(dialog.begin_button, Qt.MouseButton.LeftButton)
    yield dialog
    dialog.close()
    window.session.listen_to(None)
    window.session.tick()


def address(window):
    return window.session.job_client.address


def sent(folder, ranks, to, cut=None):
    """Return connections that have sent the records of some ranks of a folder."""
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
            lambda: window.run_shown is not None and len(window.run_shown.trace.steps) == 4,
            timeout=60_000,
        )
        run = window.run_shown
        assert run.live and window.session.runs_job
        # A step is sent when the next one begins, and its records are complete one step later.
        qtbot.waitUntil(lambda: run.trace.counter("loss").values.tolist() == [0.0, 0.5, 1.0])
        assert not window.action("run").isEnabled()
        assert window.feature(DevicesFeature).imported.isHidden()
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
    assert window.action("stop").isEnabled() is False
    qtbot.wait(300)  # until the figures are refreshed for the last time
    assert (
        window.feature(DevicesFeature).imported.isHidden()
        and not window.feature(StatusFeature).bar._progress.isVisible()
    )


def test_two_ranks_form_one_run_and_each_span_arrives_once(window, listening, qtbot, tmp_path):
    two_ranks(tmp_path)
    for peer in sent(tmp_path, (1, 0), address(window)):
        peer.close()
    qtbot.waitUntil(lambda: window.run_shown is not None and not window.run_shown.live)
    live, file = window.run_shown.trace, open_recording(tmp_path).trace
    assert live.steps == file.steps == [0, 1, 2]
    listening.refresh()
    assert listening.status.text() == "The job has ended: 2 ranks, 3 steps recorded."
    assert sorted(map(str, live)) == sorted(map(str, file))


def test_a_job_that_connects_before_the_last_jobs_end_is_drawn_is_live_too(
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
    assert not session.asking and not window.feature(StatusFeature).bar._progress.isVisible()
    session._timer.start()


def test_a_clock_that_was_compared_only_at_the_beginning_is_reported(
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


def test_stop_releases_the_job_and_keeps_the_received_records(window, listening, qtbot, tmp_path):
    two_ranks(tmp_path)
    peers = sent(tmp_path, (0, 1), address(window), cut=-8)
    qtbot.waitUntil(lambda: window.run_shown is not None and len(window.run_shown.trace.steps) == 3)
    window.action("stop").trigger()
    run = window.run_shown
    qtbot.waitUntil(lambda: not run.live)
    assert run.outcome.value == "stopped" and run.trace.span_count
    for peer in peers:
        with pytest.raises(OSError):
            peer.close()
    assert window.session.job_client is not None


def test_refused_connections_are_counted_and_do_no_harm(window, listening, qtbot, tmp_path):
    client = window.session.job_client
    port = int(address(window).rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as stranger:
        stranger.sendall(b"GET / HTTP/1.0\r\n\r\n" * 40)
        with connect(address(window), 0) as garbage, pytest.raises(OSError):
            garbage.write(b"\xff\xff\xff\xff\xff\xff\xff\x7f" * 100)
            garbage.close()
        qtbot.waitUntil(lambda: client.status().refused == 1 and client.status().problem != "")
    listening.refresh()
    assert listening.status.text() == "No job has connected yet. Connections that were refused: 1."
    assert listening.problem.text().startswith("rank 0 was refused: ")
    two_ranks(tmp_path)
    for peer in sent(tmp_path, (0, 1), address(window)):
        peer.close()
    qtbot.waitUntil(lambda: window.run_shown is not None and not window.run_shown.live)


def test_the_command_to_copy_has_the_token_in_its_environment(window, listening):
    where = window.session.job_client.where
    assert listening.command.toPlainText() == (
        f"BUBBLESCOPE_TOKEN={where.token} bubblescope record --out tcp://127.0.0.1:{where.port} "
        "-- torchrun --nproc-per-node 2 train.py"
    )


def test_a_killed_job_is_reported_in_the_dialog_and_its_steps_are_kept(
    window, listening, qtbot, tmp_path
):
    job = subprocess.Popen(
        [sys.executable, "-c", JOB, address(window)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with job:
        job.stdout.readline()
        qtbot.waitUntil(
            lambda: window.run_shown is not None and len(window.run_shown.trace.steps) == 4,
            timeout=60_000,
        )
        job.kill()
    run = window.run_shown
    qtbot.waitUntil(lambda: not run.live)
    listening.refresh()
    wanted = "rank 0 broke off: its job was killed or its connection lost"
    assert run.text == listening.problem.text() == wanted
    run.save(tmp_path / "job.arrow")
    assert open_recording(tmp_path / "job.arrow").trace.steps == list(range(4))


def test_a_rank_that_is_killed_before_the_others_connect_is_reported(
    window, listening, qtbot, tmp_path
):
    two_ranks(tmp_path)
    (first,) = sent(tmp_path, (0,), address(window), cut=-8)
    first.close()
    client = window.session.job_client
    qtbot.waitUntil(lambda: client.status().problem != "")
    listening.refresh()
    assert listening.problem.text() == (
        "rank 0 broke off: its job was killed or its connection lost; 1 of 2 ranks had connected, "
        "and nothing can be shown without the others"
    )


def test_a_full_disk_is_reported_in_the_dialog_and_in_the_window(
    window, listening, qtbot, tmp_path
):
    two_ranks(tmp_path, outcome="finished")
    with full_disk():
        for peer in sent(tmp_path, (0, 1), address(window)):
            peer.close()
        qtbot.waitUntil(lambda: window.run_shown is not None and not window.run_shown.live)
        qtbot.waitUntil(lambda: "File too large" in window.banner.label.text())
    listening.refresh()
    wanted = "This run cannot be saved: there is no room for it on the disk. File too large"
    assert listening.problem.text() == window.banner.label.text() == wanted
    assert window.run_shown.trace.steps == [0, 1, 2]


def test_a_flood_of_silent_peers_and_garbage_does_not_block_a_job(
    window, listening, qtbot, tmp_path
):
    two_ranks(tmp_path, outcome="finished")
    port = window.session.job_client.where.port
    flood = [socket.create_connection(("127.0.0.1", port)) for _ in range(300)]
    for peer in flood[::3]:
        with contextlib.suppress(OSError):
            peer.sendall(b"bubblescope 1\n" + b"\xff" * 400)
    for peer in sent(tmp_path, (1, 0), address(window)):
        peer.close()
    qtbot.waitUntil(lambda: window.run_shown is not None and not window.run_shown.live)
    assert window.run_shown.trace.steps == [0, 1, 2]
    assert window.run_shown.outcome.value == "finished"
    for peer in flood:
        peer.close()
    client = window.session.job_client
    qtbot.waitUntil(lambda: client.status().refused == 300)
    listening.refresh()
    assert listening.status.text().endswith("Connections that were refused: 300.")
    assert listening.problem.text() == ""


def test_a_second_job_with_the_same_rank_is_reported_and_does_not_disturb_the_first(
    window, listening, qtbot, tmp_path
):
    two_ranks(tmp_path, outcome="finished")
    whole = (tmp_path / "rank-0.arrow").read_bytes()
    first = connect(address(window), 0)
    first.write(whole[:3000])
    qtbot.waitUntil(lambda: len(window.session.job_client.status().peers) == 1)
    with connect(address(window), 0) as second, pytest.raises(OSError):
        second.write(whole)
        second.close()
    qtbot.waitUntil(lambda: window.session.job_client.status().problem != "")
    listening.refresh()
    wanted = "a second rank 0 was refused: the first one is still connected"
    assert listening.problem.text() == wanted
    first.write(whole[3000:])
    first.close()
    sent(tmp_path, (1,), address(window))[0].close()
    qtbot.waitUntil(lambda: window.run_shown is not None and not window.run_shown.live)
    assert window.run_shown.outcome.value == "finished"
    assert window.run_shown.trace.steps == [0, 1, 2]
    listening.refresh()
    assert listening.problem.text() == ""


def test_a_job_that_is_restarted_after_a_kill_is_a_new_run(window, listening, qtbot, tmp_path):
    two_ranks(tmp_path, outcome="finished")
    for cut in (-2000, None):
        for peer in sent(tmp_path, (0, 1), address(window), cut=cut):
            with contextlib.suppress(OSError):
                peer.close()
        qtbot.waitUntil(lambda: window.run_shown is not None and not window.run_shown.live)
        first = window.session.runs[0]
        qtbot.waitUntil(lambda: not window.session.asking)
    qtbot.waitUntil(lambda: len(window.session.runs) == 2)
    qtbot.waitUntil(lambda: not window.session.runs[1].live)
    second = window.session.runs[1]
    assert (first.outcome.value, second.outcome.value) == ("failed", "finished")
    assert first.text == "rank 0 broke off: its job was killed or its connection lost"
    assert 0 < len(first.trace.steps) <= len(second.trace.steps) == 3


def test_closing_the_window_ends_socket_and_threads(make_window, client, settings, qtbot, tmp_path):
    before = set(threading.enumerate())
    window = make_window(client, settings)
    window.feature(ListenFeature).open()
    window.feature(ListenFeature).dialog.toggle()
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


def test_an_invalid_address_is_reported_in_one_line(window, qtbot):
    window.feature(ListenFeature).open()
    dialog = window.feature(ListenFeature).dialog
    dialog.host.setText("192.0.2.1")
    # Until then Space is a shortcut of the main window.
    qtbot.waitUntil(lambda: QApplication.activeWindow() is dialog)
    qtbot.keyClick(dialog.begin_button, Qt.Key.Key_Space)
    assert dialog.problem.text().startswith("Cannot listen on this address.")
    assert window.session.job_client is None
    dialog.close()


def test_the_button_with_the_focus_is_as_high_as_the_other_buttons(listening, qtbot):
    button = listening.begin_button
    qtbot.waitUntil(button.hasFocus)
    for text in ("Listen", "Stop listening"):
        qtbot.keyClick(button, Qt.Key.Key_Space)
        qtbot.waitUntil(lambda text=text: button.text() == text)
    others = [one for one in listening.findChildren(QPushButton) if one.text() == "Close"]
    assert [one.height() for one in others] == [button.height()]
