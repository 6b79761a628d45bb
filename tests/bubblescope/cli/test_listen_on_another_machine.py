"""`listen --on`: a port of another machine leads to the listener here."""

import os
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

from core.paths import PROJECT_ROOT
from core.process.remote_programs import Forward
from tests.processes import having, wait_gone
from tests.sshd import HAS_SSHD, HOST, MISSING, serving, write_script

SECONDS = 60
HERE = "127.0.0.1"
PRINTED = r"BUBBLESCOPE_TOKEN=\w+ bubblescope record --out tcp://127\.0\.0\.1:(\d+) -- COMMAND\n"


def is_refused(port):
    """Wait until a port refuses connections: sshd closes it when ssh has ended."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            socket.create_connection((HERE, port), timeout=SECONDS).close()
        except ConnectionError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.skipif(not HAS_SSHD, reason=MISSING)
def test_a_port_there_leads_here_and_is_gone_when_the_listener_is_killed(tmp_path):
    mark = f"BUBBLESCOPE_TEST={tmp_path}"
    with serving(tmp_path, dict([mark.split("=")])) as sshd:
        listener = subprocess.Popen(
            [sys.executable, PROJECT_ROOT / "main.py", "listen", "--on", HOST, "--out", "runs"],
            env={**os.environ, "PATH": sshd.path},
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            line = listener.stdout.readline()
            found = re.fullmatch(PRINTED, line)
            assert found, listener.communicate(timeout=SECONDS)
            # Without the token a connection is refused, and the listener here says so.
            with socket.create_connection((HERE, int(found[1])), timeout=SECONDS) as peer:
                peer.sendall(b"no token")
                assert "without the token was refused" in listener.stderr.readline()
            # The port is there before the program that ends with the connection.
            deadline = time.monotonic() + SECONDS
            while not (there := having(mark)):
                assert time.monotonic() < deadline, "no program there"
        finally:
            listener.kill()
            listener.communicate(timeout=SECONDS)
        wait_gone(there)
        assert is_refused(int(found[1]))


@pytest.fixture
def forwarded(tmp_path, monkeypatch):
    """Forwards a port with a script in the place of `ssh`, and returns it with its reports."""
    made = []

    def forward(line):
        write_script(tmp_path / "ssh", line)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        told = []
        made.append(Forward("gpu", 1, told.append))
        return made[-1], told

    yield forward
    for each in made:
        each.close()


def test_an_unreachable_host_is_reported_with_the_reason(forwarded):
    forward, told = forwarded("echo banner >&2; echo 'No route to host' >&2; exit 255")
    forward._thread.join(SECONDS)
    assert list(map(str, told)) == ["the machine gpu cannot be reached: No route to host"]


def test_a_connection_that_ends_is_reported(forwarded):
    line = "echo 'Allocated port 4711 for remote forward to 127.0.0.1:1' >&2; read line"
    forward, told = forwarded(line)
    while not told:
        time.sleep(0.01)
    forward._process.stdin.close()
    forward._thread.join(SECONDS)
    assert list(map(str, told)) == ["4711", "the machine gpu is no longer connected"]


def test_a_connection_that_is_closed_here_tells_nothing(forwarded):
    forward, told = forwarded("exec sleep 60")
    forward.close()
    assert not forward._thread.is_alive() and told == []


def test_ctrl_c_while_ssh_connects_ends_ssh(tmp_path):
    mark = f"BUBBLESCOPE_TEST={tmp_path}"
    write_script(tmp_path / "ssh", f'echo begun > "{tmp_path}/begun"; exec sleep 60')
    listener = subprocess.Popen(
        [sys.executable, PROJECT_ROOT / "main.py", "listen", "--on", "gpu", "--out", "runs"],
        env={
            **os.environ,
            **dict([mark.split("=")]),
            "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        },
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + SECONDS
    while not (tmp_path / "begun").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    listener.send_signal(signal.SIGINT)
    assert listener.communicate(timeout=SECONDS) == ("", "bubblescope: interrupted\n")
    assert listener.returncode == 128 + signal.SIGINT
    wait_gone(having(mark))
