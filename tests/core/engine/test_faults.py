"""Stopping, killing, vanishing: nothing hangs, stays behind, or is lost once received."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.engine.client import EngineClient
from core.engine.messages import Outcome
from core.models.catalogue import ModelSettings
from core.paths import PROJECT_ROOT
from core.plan.specification import Specification
from tests import forked
from tests.core.helpers import Engine
from tests.processes import children, wait_gone

pytest.importorskip("torch")

LONG = Specification("dp", ModelSettings("mlp", width=256), "2xcpu", batch=64, steps=100_000)
RANKS = Specification("ddp", ModelSettings("mlp", width=64), "2xcpu", batch=16, steps=100_000)
SHARDED = Specification("fsdp", ModelSettings("mlp", width=64), "2xcpu", batch=16, steps=100_000)
# One native call of many seconds that never lets go of the interpreter's lock.
STUCK = """
import time, torch
class Stuck(torch.nn.Module):
    calls = 0
    def forward(self, x):
        Stuck.calls += 1
        time.sleep(0.02)  # steps long enough for the thread that sends
        if Stuck.calls == 20:
            open(__file__ + ".stuck", "w").close()
            sum(range(10**11))
        return x
def build(): return [torch.nn.Linear(4, 4), Stuck()]
def batch(rows, generator): return torch.randn(rows, 4), torch.randn(rows, 4)
"""


def stuck_model(folder: Path) -> Specification:
    path = folder / "stuck.py"
    path.write_text(STUCK)
    return Specification(model=ModelSettings(str(path)), devices="2xcpu", batch=8, steps=5)


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("specification", [LONG, RANKS], ids=["lanes", "ranks"])
def test_a_stop_ends_the_run_within_two_seconds_and_keeps_its_spans(engine, specification):
    engine.run(specification)
    engine.wait("spans")
    ranks = children(engine.client.pid)
    asked = time.monotonic()
    engine.client.stop()
    engine.wait("ended")
    assert time.monotonic() - asked < 2
    assert engine.ended.outcome == "stopped"
    assert engine.trace.span_count > 0
    wait_gone(ranks)
    assert engine.finish(Specification("single", devices="1xcpu", batch=2, steps=1)).span_count


def test_a_stop_inside_one_long_native_operation_ends_the_engine_within_two_seconds(
    engine, tmp_path
):
    engine.run(stuck_model(tmp_path))
    engine.wait("spans")
    wait_for(tmp_path / "stuck.py.stuck")
    pid = engine.client.pid
    asked = time.monotonic()
    engine.client.stop()
    engine.wait("ended")
    assert time.monotonic() - asked < 2
    assert engine.ended.outcome == "stopped" and "long operation" in str(engine.ended.text)
    assert engine.trace.span_count > 0
    wait_gone([pid])
    assert engine.finish(Specification("single", devices="1xcpu", batch=2, steps=1)).span_count


@pytest.mark.starts_processes
@pytest.mark.parametrize("specification", [LONG, RANKS], ids=["lanes", "ranks"])
def test_a_killed_engine_is_reported_and_the_next_run_starts_another(engine, specification):
    engine.run(specification)
    engine.wait("spans")
    ranks = children(engine.client.pid)
    os.kill(engine.client.pid, signal.SIGKILL)
    engine.wait("ended")
    assert engine.ended.outcome == "failed" and "SIGKILL" in str(engine.ended.text)
    wait_gone(ranks)
    assert engine.finish(Specification("single", devices="1xcpu", batch=2, steps=1)).span_count


def listening(pid: int) -> list[str]:
    """The local addresses, in hexadecimal, on which a process listens for TCP."""
    files = [os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir() if file.is_symlink()]
    found = []
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]:
            (
                _,
                local,
                _,
                state,
                *_,
            ) = (fields := line.split())
            if state == "0A" and f"socket:[{fields[9]}]" in files:
                found.append(local.partition(":")[0])
    return found


@pytest.mark.parametrize("specification", [RANKS, SHARDED], ids=["replicated", "sharded"])
def test_ranks_meet_on_this_machine_alone_and_a_killed_one_is_named_and_takes_the_others_with_it(
    engine, specification
):
    engine.run(specification)
    engine.wait("spans")
    ranks = children(engine.client.pid)
    assert len(ranks) == 2
    addresses = [address for pid in (engine.client.pid, *ranks) for address in listening(pid)]
    assert addresses
    assert set(addresses) == {"0100007F"}  # 127.0.0.1
    os.kill(ranks[1], signal.SIGKILL)
    engine.wait("ended")
    assert engine.ended.outcome == "failed"
    assert f"(process {ranks[1]}) was ended by SIGKILL" in str(engine.ended.text)
    wait_gone(ranks)
    assert engine.trace.span_count > 0


HOLDER = """
import sys, time
sys.path.insert(0, {house!r})
from core.plan.specification import Specification
from tests.core.helpers import Engine
from tests.processes import children, wait_gone
engine = Engine()
engine.run(Specification.from_dict({specification!r}))
engine.wait("spans")
print(engine.client.pid, flush=True)
time.sleep(1000)
"""


@pytest.mark.starts_processes
# An engine that is stuck in native code runs lanes: what ends it also ends one that is not.
@pytest.mark.parametrize("name", ["ranks", "native"])
def test_every_child_ends_when_its_parent_is_killed(name, tmp_path):
    runs = {"ranks": RANKS, "native": stuck_model(tmp_path)}
    code = HOLDER.format(house=str(PROJECT_ROOT), specification=runs[name].to_dict())
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        engine = int(holder.stdout.readline())
        family = [engine, *children(engine)]
        if name == "native":
            wait_for(tmp_path / "stuck.py.stuck")
        assert len(family) == (3 if name == "ranks" else 1)
        holder.kill()
        wait_gone(family)


def test_a_specification_that_is_refused_leaves_the_engine_as_it_is(engine):
    engine.finish(Specification("single", devices="1xcpu", batch=2, steps=1))
    pid = engine.client.pid
    engine.run(Specification(batch=0))
    engine.wait("ended")
    assert engine.ended.outcome == "refused" and engine.trace is None
    engine.finish(Specification("single", devices="1xcpu", batch=2, steps=1))
    assert engine.client.pid == pid


SLOW = """
import time, torch
class Slow(torch.nn.Module):
    def forward(self, x):
        time.sleep(0.5)
        return x
def build(): return [torch.nn.Linear(4, 4), Slow()]
def batch(rows, generator): return torch.randn(rows, 4), torch.randn(rows, 4)
"""


def test_open_tasks_are_seen_before_they_end(engine, tmp_path):
    path = tmp_path / "slow.py"
    path.write_text(SLOW)
    model = ModelSettings(str(path))
    engine.run(Specification("single", model, "1xcpu", batch=8, steps=1, warmup=0, calibrate=False))
    engine.wait("open")
    assert engine.trace.open_tasks[0].end is None
    engine.wait("ended")
    assert engine.trace.open_tasks == []


def test_closing_the_client_ends_a_run_that_is_under_way():
    engine = Engine()
    engine.run(RANKS)
    engine.wait("spans")
    family = [engine.client.pid, *children(engine.client.pid)]
    engine.client.close()
    wait_gone(family)


@pytest.mark.usefixtures("forked_engines")
@pytest.mark.parametrize("strategy", ["dp", "ddp"])
def test_running_out_of_memory_is_one_line(tmp_path, strategy):
    # 4 GB of address space: enough for torch and two small steps, not for the large activations.
    # Many rows of a narrow model: what it computes before takes little time.
    model = "--width 64 --depth 4 --batch 1600000 --devices 2xcpu --steps 1 --warmup 0"
    done = subprocess.run(
        [*forked.MAIN, "run", "--strategy", strategy, *model.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
    )
    assert done.returncode == 2
    assert "out of memory: use fewer rows or a smaller model" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_reader_that_fails_ends_the_run_instead_of_leaving_it_waited_for(monkeypatch):
    def broken(source):
        yield from ()
        raise ValueError("a message that cannot be read")

    monkeypatch.setattr("core.engine.client.receive", broken)
    monkeypatch.setattr("threading.excepthook", lambda _: None)
    client = EngineClient()
    client.run(LONG)
    deadline = time.monotonic() + 30
    messages = []
    while not messages and time.monotonic() < deadline:
        messages = client.poll()
        time.sleep(0.01)
    client.close()
    assert [message.outcome for message in messages] == [Outcome.FAILED]
    assert not client.running and client.pid is None
