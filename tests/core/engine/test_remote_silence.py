"""A host that stops answering, or that answers too slowly: runs end, and what arrived is kept.

The engine is a small process that sends a recording and then log rows without an end, through the
real relay.
"""

import sys
import time

import pyarrow as pa
import pytest

from core.engine import client as client_module
from core.engine.client import EngineClient
from core.engine.messages import Ended, Outcome
from core.paths import PROJECT_ROOT
from core.plan.specification import Specification
from core.recording.decode import append_batch
from core.trace.header import Header
from core.trace.trace import Trace
from tests.processes import having, wait_gone
from tests.silent_link import SilentLink
from tests.sshd import HAS_SSHD, HOST, MISSING, serving, write_script

SECONDS = 60
RECORDING = PROJECT_ROOT / "resources" / "recordings" / "1f1b-2-cpu-lanes.arrow"
ENDLESS = f"""
import os, sys, time
import pyarrow as pa
from dataclasses import asdict
from core.engine.messages import send
from core.plan.devices import Hardware
from core.process.lifeline import open_pipes
from core.recording.schema import NoteRow, Record, note_batch
wire, commands = open_pipes()
sink = pa.PythonFile(wire, "w")
send(sink, "ready", asdict(Hardware(1, 1 << 30)))
commands.readline()
recording = pa.ipc.open_stream({str(RECORDING)!r})
stream = pa.ipc.new_stream(sink, recording.schema)
for batch in recording:
    stream.write_batch(batch)
rows = note_batch([NoteRow(Record.LOG, "info", 0, text="row")] * 500)
while True:
    stream.write_batch(rows)
    time.sleep(0.01)
"""
RELAY = """
import os, sys
sys.path.insert(0, {root!r})
os.environ["PYTHONPATH"] = {folder!r}
from core.engine import relay
from core.engine.client import EngineClient
EngineClient.module = "endless_engine"
relay.SILENT_SECONDS = 2.0
relay.relay()
"""


@pytest.fixture
def client():
    made = EngineClient(HOST)
    yield made
    made.close()


@pytest.fixture
def relay(tmp_path):
    """The line of `sh` that runs the relay with the endless engine."""
    (tmp_path / "endless_engine.py").write_text(ENDLESS)
    script = tmp_path / "relay.py"
    script.write_text(RELAY.format(root=str(PROJECT_ROOT), folder=str(tmp_path)))
    return f'exec "{sys.executable}" "{script}"'


@pytest.fixture
def ssh(tmp_path, monkeypatch):
    """Puts a line in the place of `ssh`."""

    def put(line):
        write_script(tmp_path / "bin" / "ssh", line)
        monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")

    return put


def until(client, is_last):
    """All messages up to the first one for which `is_last` is true."""
    messages, deadline = [], time.monotonic() + SECONDS
    while not any(map(is_last, messages)):
        assert time.monotonic() < deadline, "waited too long"
        messages += client.poll()
        time.sleep(0.01)
    return messages


def until_rows(client):
    return until(client, lambda message: isinstance(message, pa.RecordBatch))


def until_ended(client):
    return until(client, lambda message: isinstance(message, Ended))


def spans_of(messages):
    trace = Trace(next(each for each in messages if isinstance(each, Header)))
    for each in messages:
        if isinstance(each, pa.RecordBatch):
            append_batch(trace, each)
    return trace.span_count


@pytest.mark.skipif(not HAS_SSHD, reason=MISSING)
def test_a_network_that_goes_silent_ends_the_run_here_and_the_engine_there(
    client, relay, tmp_path, monkeypatch
):
    mark = f"BUBBLESCOPE_TEST={tmp_path}"
    # Short times instead of 45 s for ssh, 20 s between signs of life, and 90 s for the relay.
    monkeypatch.setattr(client_module, "ALIVE_SECONDS", 0.5)
    with serving(tmp_path, dict([mark.split("=")])) as sshd, SilentLink(sshd.port) as link:
        sshd.put_options(
            f"-oPort={link.port}",
            f"-oHostKeyAlias=[127.0.0.1]:{sshd.port}",
            "-oServerAliveInterval=1",
            "-oServerAliveCountMax=2",
        )
        write_script(sshd.home / "bin" / "bubblescope", relay)
        monkeypatch.setenv("PATH", sshd.path)
        client.run(Specification())
        received = until_rows(client)
        there = having(mark)
        assert len(there) >= 2, "the relay and its engine run there"
        # Signs of life keep the relay alive for longer than it would wait without them.
        time_of_silence = time.monotonic() + 2.5
        while time.monotonic() < time_of_silence:
            received += client.poll()
            time.sleep(0.01)
        assert client.running
        link.go_silent()
        received += until_ended(client)
        assert received[-1].outcome is Outcome.FAILED
        wanted = f"the machine {HOST} is no longer connected: Timeout, server "
        assert str(received[-1].text).startswith(wanted)
        assert spans_of(received) > 0, "what arrived is kept"
        wait_gone(there)


@pytest.mark.alone
def test_a_run_that_is_stopped_before_its_machine_answers_ends_at_once(client, ssh):
    ssh("exec sleep 60")
    client.run(Specification())
    began = time.monotonic()
    client.stop()
    [ended] = until_ended(client)
    assert time.monotonic() - began < 2
    wanted = f"the machine {HOST} had not answered when the run was stopped"
    assert (ended.outcome, str(ended.text)) == (Outcome.STOPPED, wanted)


def test_an_interrupted_run_does_not_wait_for_all_that_a_slow_link_still_brings(client, ssh, relay):
    ssh(relay)
    client.run(Specification())
    received = until_rows(client)
    client.stop(at_most=0.3)
    received += until_ended(client)
    wanted = f"the machine {HOST} had not sent everything in time: the connection was closed"
    assert (received[-1].outcome, str(received[-1].text)) == (Outcome.STOPPED, wanted)
    assert spans_of(received) > 0


def test_a_machine_that_is_silent_after_stop_is_given_up(client, ssh, relay, tmp_path, monkeypatch):
    monkeypatch.setattr(client_module, "SILENT_SECONDS", 0.3)
    engine = tmp_path / "endless_engine.py"
    engine.write_text(engine.read_text().replace("while True:", "time.sleep(60)\nwhile True:"))
    ssh(relay)
    client.run(Specification())
    received = until_rows(client)
    client.stop()
    received += until_ended(client)
    wanted = f"the machine {HOST} sent nothing for 0.3 s: the connection was closed"
    assert (received[-1].outcome, str(received[-1].text)) == (Outcome.STOPPED, wanted)


def test_a_refusal_names_the_machine_whose_files_and_devices_it_is_about(
    client, ssh, relay, tmp_path
):
    engine = tmp_path / "endless_engine.py"
    begin, _, _ = engine.read_text().partition("recording =")
    refusal = 'send(sink, "ended", ["refused", "there is no cuda:0: this machine has none"])'
    engine.write_text(f"{begin}{refusal}\ntime.sleep(60)\n")
    ssh(relay)
    client.run(Specification())
    *_, ended = until_ended(client)
    wanted = f"the machine {HOST}: there is no cuda:0: this machine has none"
    assert (ended.outcome, str(ended.text)) == (Outcome.REFUSED, wanted)
