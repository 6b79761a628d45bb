"""The command that listens: bad addresses, and one line for everything that ends a recording."""

import contextlib
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from bubblescope.cli.start import run_arguments
from core.paths import PROJECT_ROOT
from core.recorder.wire import MAGIC, OPENING, connect
from core.recording.recording import open_recording
from tests.core.recorder.made import two_ranks
from tests.processes import family

MAIN = [sys.executable, str(PROJECT_ROOT / "main.py")]
TRAINS = """
import sys, time, torch
from bubblescope import record
model = torch.nn.Linear(8, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with record(model, optimizer, out=sys.argv[1]):
    while True:
        optimizer.zero_grad()
        model(torch.ones(4, 8)).sum().backward()
        optimizer.step()
        time.sleep(0.01)
"""


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("8.8.8.8:1234", "--address 8.8.8.8:1234: "),
        ("0.0.0.0:99999", "--address 0.0.0.0:99999: use HOST:PORT, a port from 0 to 65535"),
        ("foo:bar", "--address foo:bar: use HOST:PORT, a port from 0 to 65535"),
        ("no.such.host.invalid:0", "--address no.such.host.invalid:0: "),
        (f"{'x' * 70}:0", f"--address {'x' * 70}:0: "),
    ],
)
def test_an_invalid_address_is_refused_with_a_valid_example(
    capsys, monkeypatch, tmp_path, address, said
):
    monkeypatch.chdir(tmp_path)
    assert run_arguments(["listen", "--address", address]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"bubblescope: {said}") and told.count("\n") == 1
    assert "such as 127.0.0.1:0" in told and "Errno" not in told


class Listening:
    """A `listen` process that writes into `folder`, and the lines that it has printed so far."""

    def __init__(self, folder, room=None):
        def limit():
            if room is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

        self.folder = folder
        self.process = subprocess.Popen(
            [*MAIN, "listen", "--out", str(folder)], preexec_fn=limit, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.shown = self.process.stdout.readline()
        self.token = re.search(r"[0-9a-f]{32}", self.shown)[0]
        self.port = int(re.search(r":(\d+) --", self.shown)[1])
        self.address = f"tcp://{self.token}@127.0.0.1:{self.port}"
        self.lines = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        self.lines.extend(iter(self.process.stderr.readline, ""))

    def raw(self, data=b""):
        """A connection that has sent these bytes."""
        peer = socket.create_connection(("127.0.0.1", self.port), 10)
        peer.sendall(data)
        return peer

    def said(self, words):
        """Wait for the line with these words."""
        end = time.monotonic() + 30
        while not (found := [line for line in self.lines if words in line]):
            assert time.monotonic() < end, self.lines
            time.sleep(0.01)
        return found[0]

    def end(self):
        """End it, and return all lines that it has printed on standard error."""
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(20)
        self._reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return self.lines


@pytest.fixture
def listen(tmp_path):
    made = []

    def start(**options):
        made.append(Listening(tmp_path / "runs", **options))
        return made[-1]

    yield start
    for one in made:
        one.end()


@pytest.fixture
def sent(tmp_path):
    """A whole recording of rank 0, as bytes."""
    (tmp_path / "sent").mkdir()
    two_ranks(tmp_path / "sent")
    return (tmp_path / "sent" / "rank-0.arrow").read_bytes()


def send(listening, data, rank=0):
    with contextlib.suppress(OSError), connect(listening.address, rank) as wire:
        wire.write(data)


def test_a_full_disk_is_reported_with_the_amount_that_is_kept(listen, sent):
    listening = listen(room=5000)
    send(listening, sent)
    line = listening.said("cannot be written")
    assert line == (
        f"bubblescope: rank 0: {listening.folder}/rank-0.arrow cannot be written: File too large; "
        "5,000 bytes are kept, and its job goes on unrecorded\n"
    )
    assert (listening.folder / "rank-0.arrow").read_bytes() == sent[:5000]


def test_a_deleted_folder_is_reported_and_the_next_job_gets_a_new_one(listen, sent):
    listening = listen()
    with contextlib.suppress(OSError), connect(listening.address, 0) as wire:
        wire.write(sent[:3000])
        end = time.monotonic() + 20
        while not list(listening.folder.glob("rank-0.arrow")) and time.monotonic() < end:
            time.sleep(0.01)
        shutil.rmtree(listening.folder)
        while not any("deleted" in line for line in listening.lines):
            wire.write(sent[3000:])  # until the listener ends the connection
            time.sleep(0.01)
    assert listening.said("deleted") == (
        f"bubblescope: rank 0: {listening.folder}/rank-0.arrow was deleted: nothing of it is kept, "
        "and its job goes on unrecorded\n"
    )
    send(listening, sent)
    listening.said("has ended")
    assert open_recording(listening.folder / "rank-0.arrow").trace.steps == [0, 1, 2]


def test_a_killed_job_is_reported_as_broken_off_and_its_data_opens(listen):
    pytest.importorskip("torch")
    listening = listen()
    with subprocess.Popen([sys.executable, "-c", TRAINS, listening.address]) as job:
        listening.said("rank 0 has connected")
        file = listening.folder / "rank-0.arrow"
        end = time.monotonic() + 30
        while not (file.exists() and file.stat().st_size > 40_000) and time.monotonic() < end:
            time.sleep(0.01)
        job.kill()
    line = listening.said("broke off")
    assert line == (
        f"bubblescope: rank 0 broke off after {file.stat().st_size:,} bytes: its job was killed or "
        f"its connection lost; what came is in {file}\n"
    )
    assert len(open_recording(file).trace.steps) > 5
    assert not any("has ended" in line for line in listening.end())


def test_wrong_tokens_are_counted_in_a_few_lines(listen):
    listening = listen()
    wrong = OPENING.pack(MAGIC, b"0" * 32, 0)
    for _ in range(300):
        with listening.raw(wrong) as peer:
            assert peer.recv(1) == b""
    assert listening.said("without the token") == (
        "bubblescope: a connection without the token was refused\n"
    )
    *lines, interrupted = listening.end()
    assert interrupted == "bubblescope: interrupted\n"
    assert lines[-1] == "bubblescope: 299 more connections without the token were refused\n"
    assert len(lines) == 2


def test_silent_connections_keep_no_job_out(listen, sent):
    listening = listen()
    silent, held = [], []
    for rank in range(43):
        silent += [listening.raw() for _ in range(20)]
        held.append(connect(listening.address, rank))
        silent += [listening.raw() for _ in range(20)]
        held[-1].write(sent)
    for wire in held:
        wire.close()  # raises unless the listener has all of it
    for peer in silent:
        peer.close()
    assert sum("has ended" in line for line in listening.end()) == 43


def test_a_link_in_its_folder_is_not_followed(listen, tmp_path, sent):
    (tmp_path / "target").write_text("of somebody else")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "rank-0.arrow").symlink_to(tmp_path / "target")
    os.link(tmp_path / "target", tmp_path / "runs" / "rank-1.arrow")
    listening = listen()
    for rank in (0, 1):
        send(listening, sent, rank)
    end = time.monotonic() + 20
    while sum("has ended" in line for line in listening.lines) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    assert (tmp_path / "target").read_text() == "of somebody else"
    for rank in (0, 1):
        file = tmp_path / "runs" / f"rank-{rank}.arrow"
        assert not file.is_symlink() and file.read_bytes() == sent


def test_a_job_that_begins_again_keeps_the_earlier_recordings(listen, sent):
    listening = listen()
    for cut in (4000, 5000, len(sent)):
        send(listening, sent[:cut], 0)
        send(listening, sent[:cut], 1)
    for rank in (0, 1):
        kept = [
            (listening.folder / name / f"rank-{rank}.arrow").read_bytes()
            for name in ("earlier-1", "earlier-2", "")
        ]
        assert kept == [sent[:4000], sent[:5000], sent]
    lines = listening.end()
    assert [line for line in lines if "earlier" in line] == [
        f"bubblescope: a new job begins: the earlier recording is now in {listening.folder}/"
        f"earlier-{count}\n"
        for count in (1, 2)
    ]


def test_a_second_connection_of_a_rank_is_refused_in_a_line(listen, sent):
    listening = listen()
    with connect(listening.address, 0) as first:
        first.write(sent[:3000])
        listening.said("rank 0 has connected")
        send(listening, b"another", 0)
        assert listening.said("refused") == (
            "bubblescope: a second rank 0 was refused: the first one is still connected\n"
        )
        first.write(sent[3000:])
    assert (listening.folder / "rank-0.arrow").read_bytes() == sent


def test_the_line_for_the_job_keeps_the_token_out_of_every_command_line(listen, tmp_path):
    pytest.importorskip("torch")
    listening = listen()
    shown = listening.shown.replace("bubblescope", f"{sys.executable} {MAIN[1]}", 1)
    (tmp_path / "train.py").write_text(TRAINS.replace(", out=sys.argv[1]", ', out="unused"'))
    words = shown.strip().replace("COMMAND", f"{sys.executable} train.py")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT_ROOT)}
    # `exec`, as a shell that reads its commands from the terminal has none of them in its words.
    with subprocess.Popen(
        ["sh"], stdin=subprocess.PIPE, text=True, cwd=tmp_path, env=environment
    ) as shell:
        shell.stdin.write(words + "\n")
        shell.stdin.flush()
        listening.said("rank 0 has connected")
        processes = [*family(shell.pid), listening.process.pid]
        seen = [read_words(pid) for pid in processes]
        for pid in reversed(processes[:-1]):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    assert any("train.py" in words for words in seen)
    assert not any(listening.token in words for words in seen)


def read_words(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read().decode().replace("\0", " ")


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("tcp://127.0.0.1:9", "--out tcp://127.0.0.1:9: there is no token: "),
        ("tcp://secret@127.0.0.1", "--out tcp://127.0.0.1: "),
        ("tcp://secret@127.0.0.1:port", "--out tcp://127.0.0.1:port: "),
    ],
)
def test_an_address_without_token_or_port_is_refused_before_the_job_starts(
    capsys, monkeypatch, out, said
):
    monkeypatch.delenv("BUBBLESCOPE_TOKEN", raising=False)
    assert run_arguments(["record", "--out", out, "--", "false"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"bubblescope: {said}") and told.count("\n") == 1
    assert "secret" not in told and "bubblescope listen" in told
