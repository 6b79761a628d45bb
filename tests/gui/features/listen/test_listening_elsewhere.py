"""Listening for jobs on another machine, where ssh forwards a port to the window."""

import os
import signal
import socket

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog, QLineEdit

from core.recorder.wire import connect
from gui.features.listen.feature import ListenFeature
from tests.core.recorder.made import two_ranks
from tests.processes import having, is_alive, wait_gone
from tests.sshd import HAS_SSHD, HOST, MISSING, serving, write_script

PORT_OPENS = "echo 'Allocated port 4711 for remote forward to 127.0.0.1:1' >&2"
GONE = "The machine gpu is no longer connected."


@pytest.fixture
def dialog(window):
    window.feature(ListenFeature).open()
    dialog = window.feature(ListenFeature).dialog
    yield dialog
    dialog.close()
    window.session.listen_to(None)
    window.session.tick()


@pytest.fixture
def ssh(tmp_path, monkeypatch):
    """Replaces `ssh` by a script."""

    def put(line):
        write_script(tmp_path / "ssh", line)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    return put


def listen_on(dialog, host):
    """Name a machine with the keyboard, and press Listen."""
    dialog.where.setFocus()
    QTest.keyClick(dialog.where, Qt.Key.Key_End)
    asked = next(each for each in dialog.findChildren(QInputDialog) if each.isVisible())
    line = asked.findChild(QLineEdit)
    QTest.keyClicks(line, host)
    QTest.keyClick(line, Qt.Key.Key_Return)
    QTest.mouseClick(dialog.begin_button, Qt.MouseButton.LeftButton)


def send_job(folder, address):
    peers = [connect(address, rank) for rank in (1, 0)]
    for rank, peer in zip((1, 0), peers, strict=True):
        peer.write((folder / f"rank-{rank}.arrow").read_bytes())
    for peer in peers:
        peer.close()


@pytest.mark.skipif(not HAS_SSHD, reason=MISSING)
def test_a_remote_job_is_drawn_and_closing_the_window_leaves_nothing_on_its_host(
    make_window, client, settings, qtbot, tmp_path, monkeypatch
):
    mark = f"BUBBLESCOPE_TEST={tmp_path}"
    two_ranks(tmp_path, outcome="finished")
    with serving(tmp_path, dict([mark.split("=")])) as sshd:
        monkeypatch.setenv("PATH", sshd.path)
        window = make_window(client, settings)
        window.session.start()
        window.feature(ListenFeature).open()
        dialog = window.feature(ListenFeature).dialog
        listen_on(dialog, HOST)
        assert dialog.status.text() == f"Connecting to {HOST}…"
        assert not dialog.instructions.isVisible() and not dialog.address.isVisible()
        job_client = window.session.job_client
        qtbot.waitUntil(lambda: job_client.where is not None, timeout=20_000)
        dialog.refresh()
        where = job_client.where
        assert where.port != job_client._here.port
        for field in (dialog.script, dialog.command):
            assert f"127.0.0.1:{where.port}" in field.toPlainText() and field.isVisible()
        assert f"Only jobs on {HOST} " in dialog.about.text()
        send_job(tmp_path, where.with_token)
        qtbot.waitUntil(lambda: window.run_shown is not None and not window.run_shown.live)
        assert window.run_shown.trace.steps == [0, 1, 2]
        assert window.run_shown.outcome.value == "finished"
        qtbot.waitUntil(lambda: having(mark) != [])
        there = having(mark)
        window.close()
        wait_gone(there)
        with pytest.raises(ConnectionError):
            socket.create_connection(("127.0.0.1", where.port), 1)
    assert settings.hosts == [HOST]


def test_an_unreachable_host_is_reported_and_listening_ends(window, dialog, ssh, qtbot):
    ssh("echo 'No route to host' >&2; exit 255")
    listen_on(dialog, "gpu")
    qtbot.waitUntil(lambda: window.session.job_client is None)
    wanted = "The machine gpu cannot be reached: No route to host."
    assert dialog.problem.text() == window.banner.label.text() == wanted
    assert dialog.begin_button.text() == "Listen" and dialog.where.isEnabled()


def test_a_lost_connection_ends_the_run_as_failed_and_keeps_its_steps(
    window, dialog, ssh, qtbot, tmp_path
):
    ssh(f"{PORT_OPENS}; exec sleep 60")
    listen_on(dialog, "gpu")
    job_client = window.session.job_client
    qtbot.waitUntil(lambda: job_client.where is not None)
    assert job_client.where.port == 4711
    two_ranks(tmp_path)
    peers = []
    for rank in (0, 1):
        peers.append(connect(job_client._here.with_token, rank))
        peers[-1].write((tmp_path / f"rank-{rank}.arrow").read_bytes()[:-8])
    qtbot.waitUntil(lambda: window.run_shown is not None and len(window.run_shown.trace.steps) == 3)
    os.kill(job_client._forward._process.pid, signal.SIGKILL)
    run = window.run_shown
    qtbot.waitUntil(lambda: not run.live)
    assert (run.outcome.value, run.text) == ("failed", "the machine gpu is no longer connected")
    assert window.session.job_client is None
    assert dialog.problem.text() == GONE and window.banner.label.text().startswith(GONE)
    for peer in peers:
        with pytest.raises(OSError):
            peer.close()


def test_stop_listening_while_ssh_connects_ends_ssh(window, dialog, ssh, qtbot):
    ssh("exec sleep 60")
    listen_on(dialog, "gpu")
    pid = window.session.job_client._forward._process.pid
    QTest.mouseClick(dialog.begin_button, Qt.MouseButton.LeftButton)
    assert window.session.job_client is None and not is_alive(pid)
    assert dialog.problem.text() == "" and dialog.begin_button.text() == "Listen"


def test_a_name_that_ssh_would_take_for_an_option_is_refused(window, dialog):
    listen_on(dialog, "-oProxyCommand=id")
    assert dialog.where.host == ""
    window.session.listen_to(None)


def test_this_machine_can_be_chosen_again(window, dialog, ssh):
    ssh("exec sleep 60")
    listen_on(dialog, "gpu")
    QTest.mouseClick(dialog.begin_button, Qt.MouseButton.LeftButton)
    QTest.keyClick(dialog.where, Qt.Key.Key_Home)
    assert dialog.address.isVisible()
    QTest.mouseClick(dialog.begin_button, Qt.MouseButton.LeftButton)
    assert dialog.script.isVisible() and window.session.job_client.host == ""
