"""An engine on another machine, killed at random moments on either side; and `push`.

The other machine is a real sshd on the loopback interface.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress

import pyarrow as pa
import pytest

from core.engine.client import EngineClient
from core.engine.messages import Ended, Outcome
from core.models.catalogue import ModelSettings
from core.paths import PROJECT_ROOT
from core.plan.devices import Hardware
from core.plan.specification import Specification
from core.recording.decode import append_batch
from core.trace.header import Header
from core.trace.trace import Trace
from tests.processes import family, having, wait_gone
from tests.sshd import HAS_SSHD, HOST, MISSING, serving

pytestmark = pytest.mark.skipif(not HAS_SSHD, reason=MISSING)
SEED = 32
SECONDS = 120
LONG = Specification(
    "pipeline", ModelSettings("mlp", width=32, depth=6), "2xcpu", batch=16, steps=5000
)


def wait(client: EngineClient, kind: type) -> list[object]:
    """Return all messages up to the first one of a kind."""
    messages, deadline = list[object](), time.monotonic() + SECONDS
    while not any(isinstance(each, kind) for each in messages):
        assert time.monotonic() < deadline, f"waited {SECONDS} s for {kind.__name__}"
        messages += client.poll()
        time.sleep(0.005)
    return messages


def spans_of(messages: list[object]) -> int:
    """Return the number of spans in a run's messages so far, all of which must be readable."""
    headers = [each for each in messages if isinstance(each, Header)]
    if not headers:
        return 0
    trace = Trace(headers[0])
    for each in messages:
        if isinstance(each, pa.RecordBatch):
            append_batch(trace, each)
    return trace.span_count


def test_a_kill_on_either_side_leaves_no_process_and_keeps_what_arrived(
    stress_runs, tmp_path, monkeypatch
):
    chance = random.Random(SEED)
    mark = f"BUBBLESCOPE_TEST={tmp_path}"
    kept = 0
    with serving(tmp_path, dict([mark.split("=")])) as sshd:
        sshd.install()
        monkeypatch.setenv("PATH", sshd.path)
        for number in range(stress_runs):
            with closing(EngineClient(HOST)) as client:
                client.start()
                wait(client, Hardware)
                client.run(LONG)
                # Every other run is killed at any moment, the others once spans arrive.
                messages = wait(client, pa.RecordBatch) if number % 2 else []
                end = time.monotonic() + chance.uniform(0.0, 2.0)
                while time.monotonic() < end:
                    messages += client.poll()
                    time.sleep(0.005)
                there, here = having(mark), family(client.pid)
                # The remote processes are the shell or relay, the engine, and those of sshd for it.
                victim = chance.choice([client.pid, *there])
                arrived = spans_of(messages)
                with suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
                messages += wait(client, Ended)
                ended = messages[-1]
                assert ended.outcome is Outcome.FAILED, f"kill {number}: {ended}"
                assert spans_of(messages) >= arrived, f"kill {number} lost spans"
                kept += spans_of(messages)
            wait_gone([*there, *having(mark), *here], 30)
    # A single kill may happen before the first span.
    assert kept or stress_runs < 10, "no run had a span before it was killed"


def test_an_empty_machine_gets_an_installation_and_runs(stress_runs, tmp_path):
    if stress_runs == 1:
        pytest.skip("it makes a venv, twice: only `make stress` waits for that")
    variables = {
        # Only the wheel is installed; its dependencies are those of this machine, without network.
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if "site-packages" in path),
    }
    with serving(tmp_path, variables) as sshd:
        given = {**os.environ, "PATH": sshd.path}

        def bubblescope(*words: str) -> subprocess.CompletedProcess[str]:
            command = [sys.executable, PROJECT_ROOT / "main.py", *words]
            return subprocess.run(command, env=given, cwd=tmp_path, capture_output=True, text=True)

        before = bubblescope("devices", "--on", HOST)
        assert before.returncode and f"`bubblescope push {HOST}` installs it" in before.stderr
        pushed = bubblescope("push", HOST, "--python", sys.executable)
        assert pushed.returncode == 0, pushed.stderr
        assert pushed.stdout.startswith(f"{HOST}: bubblescope ")
        folder = sshd.home / ".local" / "share" / "bubblescope"
        assert {path.name for path in folder.iterdir()} == {"venv"}
        assert {path.name for path in sshd.home.iterdir()} == {".local", "bin"}
        small = ("--devices", "1xcpu", "--batch", "2", "--steps", "1", "--width", "8")
        run = bubblescope("run", "--strategy", "single", "--model", "mlp", *small, "--on", HOST)
        assert run.returncode == 0, run.stderr
        again = bubblescope("push", HOST)
        assert again.returncode == 0, again.stderr
