"""The engine's client never blocks who polls it, and never waits for an engine that is gone.

Most engines here are odd ones: small real processes that misbehave in one way each.
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest

from core.engine.client import EngineClient
from core.engine.messages import Ended, Outcome
from core.models.catalogue import ModelSettings
from core.plan.devices import Hardware
from core.plan.specification import Specification
from core.process import child
from core.trace.header import Header
from tests.core.helpers import Engine

pytestmark = pytest.mark.starts_processes

SECONDS = 30
SMALL = Specification("single", ModelSettings("mlp", width=8, depth=2), "1xcpu", batch=2, steps=1)
BEGIN = """
import os, sys, time
import pyarrow as pa
from dataclasses import asdict
from core.engine.messages import send
from core.plan.devices import Hardware
wire, commands = map(int, sys.argv[1:])
with os.fdopen(wire, "wb", buffering=0, closefd=False) as file:
    send(pa.PythonFile(file, "w"), "ready", asdict(Hardware(1, 1 << 30)))
"""
# In the middle of its first run it leaves behind a child that holds all its pipes, and ends.
FORKING = """
import os, time, torch
class Forking(torch.nn.Module):
    calls = 0
    def forward(self, x):
        Forking.calls += 1
        if Forking.calls == 20:
            if os.fork() == 0:
                open(__file__ + ".pid", "w").write(str(os.getpid()))
                time.sleep(600)
            time.sleep(1)
            os._exit(0)
        return x
def build(): return [torch.nn.Linear(4, 4), Forking()]
def batch(rows, generator): return torch.randn(rows, 4), torch.randn(rows, 4)
"""


@pytest.fixture
def client():
    made = EngineClient()
    yield made
    made.close()
    assert made.pid is None


@pytest.fixture
def odd(client, tmp_path, monkeypatch):
    """Makes the client's engine do what a few lines say once it is ready."""

    def make(code):
        (tmp_path / "odd_engine.py").write_text(BEGIN + code)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        client.module = "odd_engine"
        return client

    return make


def heard(client, last):
    """Poll until a message of a type has come; all messages, and the longest poll in seconds."""
    messages, longest, deadline = [], 0.0, time.monotonic() + SECONDS
    while not any(isinstance(message, last) for message in messages):
        assert time.monotonic() < deadline, f"waited {SECONDS} s for {last.__name__}"
        began = time.monotonic()
        messages += client.poll()
        longest = max(longest, time.monotonic() - began)
        time.sleep(0.005)
    return messages, longest


def test_a_poll_does_not_wait_for_an_engine_that_closed_its_pipe_and_lives_on(odd, monkeypatch):
    monkeypatch.setattr(child, "EXIT_SECONDS", 4)
    client = odd("os.close(wire); time.sleep(600)")
    client.run(SMALL)
    messages, longest = heard(client, Ended)
    assert longest < 2  # the engine was given four
    assert messages[-1].outcome is Outcome.FAILED
    assert str(messages[-1].text) == "the engine process stopped responding and was killed"
    assert not client.running


def test_an_engine_that_takes_no_commands_any_more_fails_its_run_and_the_next_gets_another(
    odd, forking_again
):
    client = odd("os.close(commands); time.sleep(600)")
    client.start()
    heard(client, Hardware)
    client.run(SMALL)
    messages, _ = heard(client, Ended)
    assert messages[-1].outcome is Outcome.FAILED and "\n" not in str(messages[-1].text)
    client.module = EngineClient.module
    forking_again()
    client.run(SMALL)
    messages, _ = heard(client, Ended)
    assert messages[-1].outcome is Outcome.FINISHED


def test_an_unreadable_message_of_an_engine_ends_its_run_with_the_reason(odd):
    client = odd(
        "import json, threading\n"
        "from core.engine.messages import send\n"
        "os.read(commands, 1 << 16)\n"
        "with os.fdopen(wire, 'wb', buffering=0, closefd=False) as file:\n"
        "    send(pa.PythonFile(file, 'w'), 'ready', {})\n"
        "time.sleep(600)"
    )
    client.run(SMALL)
    messages, _ = heard(client, Ended)
    assert messages[-1].outcome is Outcome.FAILED
    assert str(messages[-1].text).startswith("the engine process sent data that cannot be read: ")


def test_a_child_that_holds_the_dead_engines_pipes_blocks_nobody(tmp_path, forking_again):
    pytest.importorskip("torch")
    path = tmp_path / "forking.py"
    path.write_text(FORKING)
    engine = Engine()
    try:
        engine.run(Specification("single", ModelSettings(str(path)), "1xcpu", batch=8, steps=50))
        engine.wait("ended")
        assert engine.ended is not None and engine.ended.outcome is Outcome.FAILED
        assert str(engine.ended.text) == "the engine process ended with status 0"
        assert engine.trace.span_count > 0
        forking_again()
        assert engine.finish(SMALL).span_count
    finally:
        with suppress(ProcessLookupError):  # it ends with the pipe, mostly before this
            os.kill(int((tmp_path / "forking.py.pid").read_text()), signal.SIGKILL)
        engine.client.close()


def test_an_idle_engine_that_is_killed_is_reported_and_an_immediate_run_gets_another(
    client, forking_again
):
    pytest.importorskip("torch")
    client.start()
    heard(client, Hardware)
    first = client.pid
    os.kill(first, signal.SIGKILL)
    messages, _ = heard(client, Ended)
    assert messages[-1].outcome is Outcome.FAILED and "SIGKILL" in str(messages[-1].text)
    forking_again()
    client.run(SMALL)
    second = client.pid
    assert second not in (None, first)
    messages, _ = heard(client, Ended)
    assert messages[-1].outcome is Outcome.FINISHED
    kinds = [type(message) for message in messages]
    assert kinds[-1] is Ended and kinds.index(Header) < kinds.index(pa.RecordBatch)


def test_a_run_requested_between_an_engines_death_and_the_next_poll_is_executed(
    client, forking_again
):
    pytest.importorskip("torch")
    client.start()
    heard(client, Hardware)
    os.kill(client.pid, signal.SIGKILL)
    while Path(f"/proc/{client.pid}").exists():  # and nobody polls
        time.sleep(0.005)
    forking_again()
    client.run(SMALL)
    messages, _ = heard(client, Ended)
    assert messages[-1].outcome is Outcome.FINISHED
