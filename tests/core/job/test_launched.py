"""Jobs under torchrun that this process starts: whatever happens, their end is reported, once."""

import contextlib
import os
import signal
import subprocess
import threading
import time

import pyarrow as pa
import pytest

from core.engine.messages import Ended, Outcome
from core.job import launched
from core.job.launched import LaunchedJob
from core.job.runs import RunLauncher
from core.models.catalogue import ModelSettings
from core.plan.specification import TORCHRUN, Specification
from core.recorder.wire import connect
from core.recording.decode import append_batch
from core.trace.trace import Trace
from tests.core.recorder.made import two_ranks

JOB = Specification("ddp", devices="2xcpu", launcher=TORCHRUN)


def messages_of(job):
    """Return all messages of a job, which has ended then; no thread of it is left."""
    messages, end = [], time.monotonic() + 20
    while not (messages and isinstance(messages[-1], Ended)):
        assert time.monotonic() < end, messages
        messages += job.poll()
        time.sleep(0.005)
    job.close()
    assert job.poll() == []
    assert [thread.name for thread in threading.enumerate() if thread.name == "torchrun"] == []
    return messages


def with_torchrun(monkeypatch, run):
    """Replace torchrun by `run`, which gets the address that ranks send to, and `stop`."""

    def replaced(specification, lanes, hosts, out, on_line, stop):
        return run(out, stop)

    monkeypatch.setattr(launched, "run_torchrun", replaced)


def sending(folder, *kept):
    """Return a torchrun whose ranks send the recordings of `folder`, the last bytes cut off."""

    def run(out, stop):
        for rank, bytes_kept in enumerate(kept):
            data = (folder / f"rank-{rank}.arrow").read_bytes()
            with contextlib.suppress(OSError), connect(out, rank) as wire:
                wire.write(data[:bytes_kept])
        return Ended(Outcome.FINISHED)

    return run


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), OSError(2, "no file")])
def test_the_end_is_reported_after_any_failure(monkeypatch, error):
    def fail(out, stop):
        raise error

    with_torchrun(monkeypatch, fail)
    (end,) = messages_of(LaunchedJob(JOB))
    assert end.outcome is Outcome.FAILED
    assert str(end.text).startswith("torchrun cannot be started: ")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"strategy": "pipeline", "schedule": "zb-h1"}, "--schedule zb-h1: "),
        ({"strategy": "dp"}, "--strategy dp: "),
        ({"devices": "2xvirtual"}, "--devices 2xvirtual: "),
    ],
)
def test_a_job_that_torchs_engine_cannot_run_is_refused_before_torchrun_starts(
    monkeypatch, values, words
):
    with_torchrun(monkeypatch, lambda out, stop: pytest.fail("torchrun was started"))
    (end,) = messages_of(LaunchedJob(JOB.having(**values)))
    assert end.outcome is Outcome.REFUSED and str(end.text).startswith(words)


def test_a_jobs_steps_are_those_that_its_ranks_send(monkeypatch, tmp_path):
    two_ranks(tmp_path, outcome="finished")
    with_torchrun(monkeypatch, sending(tmp_path, None, None))
    header, *batches, end = messages_of(LaunchedJob(JOB))
    assert end == Ended(Outcome.FINISHED)
    trace = Trace(header)
    for batch in batches:
        append_batch(trace, batch)
    assert trace.steps == [0, 1, 2]


def test_a_job_whose_recording_is_cut_has_not_finished(monkeypatch, tmp_path):
    two_ranks(tmp_path, outcome="finished")
    with_torchrun(monkeypatch, sending(tmp_path, None, -700))
    *_, end = messages_of(LaunchedJob(JOB))
    assert end.outcome is Outcome.FAILED
    assert str(end.text).startswith("rank 1 broke off: ")


def test_one_run_at_a_time_is_started_and_stop_ends_it(monkeypatch):
    def wait(out, stop):
        assert stop.wait(20)
        return Ended(Outcome.STOPPED)

    with_torchrun(monkeypatch, wait)
    runs = RunLauncher()
    runs.run(JOB)
    for other in (JOB, JOB.having(launcher="engine")):
        with pytest.raises(RuntimeError, match="a run is under way"):
            runs.run(other)
    assert runs.running and runs.poll() == []
    runs.stop()
    assert messages_of_launcher(runs) == [Ended(Outcome.STOPPED)]
    assert not runs.running
    runs.close()


def messages_of_launcher(runs):
    messages, end = [], time.monotonic() + 20
    while runs.running:
        assert time.monotonic() < end
        messages += runs.poll()
        time.sleep(0.005)
    return messages


def children_of(process):
    """Return the ids of the processes that a process has started."""
    found = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True)
    return [int(child) for child in found.stdout.split()]


def test_a_job_whose_torchrun_is_killed_fails_and_leaves_no_rank_behind():
    pytest.importorskip("torch")
    others = set(children_of(os.getpid()))
    model = ModelSettings("mlp", width=64, depth=4)
    job = LaunchedJob(JOB.having(model=model, batch=32, steps=100_000))
    spans, end = 0, time.monotonic() + 60
    while not spans:
        assert time.monotonic() < end
        spans += sum(len(one) for one in job.poll() if isinstance(one, pa.RecordBatch))
        time.sleep(0.05)
    (torchrun,) = set(children_of(os.getpid())) - others
    ranks = children_of(torchrun)
    assert len(ranks) == 2
    os.kill(torchrun, signal.SIGKILL)
    *_, last = messages_of(job)
    assert last.outcome is Outcome.FAILED
    assert str(last.text) == "torchrun was ended by SIGKILL"
    end = time.monotonic() + 20
    while any(os.path.exists(f"/proc/{rank}") for rank in ranks):
        assert time.monotonic() < end
        time.sleep(0.05)
