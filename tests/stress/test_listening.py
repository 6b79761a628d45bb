"""Kills of a recorded job or of its listener at random moments: the other side continues.

Processes are forked from this one, which has imported torch but computed nothing. A failure prints
the seed of its moment.
"""

import os
import random
import signal
import socket
import time

import pytest

torch = pytest.importorskip("torch")

import pyarrow as pa  # noqa: E402

from core.engine.messages import Ended, Outcome  # noqa: E402
from core.job.client import JobClient  # noqa: E402
from core.recorder.session import record  # noqa: E402
from core.recorder.wire import connect  # noqa: E402
from core.recording.decode import append_batch  # noqa: E402
from core.recording.handshakes import MOST_UNKNOWN  # noqa: E402
from core.trace.header import Header  # noqa: E402
from core.trace.trace import Trace  # noqa: E402

LATEST_S = 0.8
WAIT_S = 60.0
STEPS = 60


def forked(work):
    """Fork a process that does some work; its exit status is 0 if nothing was raised."""
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
    except BaseException as error:
        os.write(2, f"{error!r}\n".encode())
        os._exit(1)
    os._exit(0)


def job(address):
    """Train for about 0.6 s while being recorded."""
    torch.set_num_threads(1)
    model = torch.nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    trained = 0
    with record(model, optimizer, out=address):
        for _ in range(STEPS):
            optimizer.zero_grad()
            model(torch.ones(4, 8)).sum().backward()
            optimizer.step()
            trained += 1
            time.sleep(0.01)
    assert trained == STEPS


def hear_until(hearing, pids=()):
    """Return a run's trace and its end; check that each span has arrived once."""
    trace, end = None, time.monotonic() + WAIT_S
    while time.monotonic() < end:
        here = any(peer.is_here for peer in hearing.status().peers)
        is_quiet = pids and all(map(ended, pids)) and not here
        for message in hearing.poll():
            if isinstance(message, Header):
                trace = Trace(message)
            elif isinstance(message, pa.RecordBatch):
                append_batch(trace, message)
            elif isinstance(message, Ended):
                told = [(span.step, span.task) for span in trace]
                assert len(told) == len(set(told))
                return trace, message
        if is_quiet:
            return trace, None  # it was killed before it connected
        time.sleep(0.005)
    raise AssertionError("no end was heard")


def ended(pid):
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def test_a_killed_job_ends_its_run_and_the_next_one_is_received(stress_runs):
    hearing = JobClient("127.0.0.1", 0)
    for seed in range(stress_runs):
        moment = random.Random(seed).uniform(0, LATEST_S)
        pid = forked(lambda: job(hearing.address))
        time.sleep(moment)
        os.kill(pid, signal.SIGKILL)
        trace, end = hear_until(hearing, [pid])
        os.waitpid(pid, 0)
        assert end is None or end.outcome in (Outcome.FAILED, Outcome.FINISHED), (seed, end)
    pid = forked(lambda: job(hearing.address))
    trace, end = hear_until(hearing)
    while end.outcome is not Outcome.FINISHED:  # skip a job that was killed while connecting
        trace, end = hear_until(hearing)
    assert len(trace.steps) == STEPS
    assert os.waitpid(pid, 0)[1] == 0
    hearing.close()


def test_a_killed_listener_does_not_disturb_the_job(stress_runs):
    for seed in range(stress_runs):
        moment = random.Random(1000 + seed).uniform(0, LATEST_S)
        out, into = os.pipe()

        def listens(into=into):
            hearing = JobClient("127.0.0.1", 0)
            os.write(into, hearing.address.encode())
            while True:
                hearing.poll()
                time.sleep(0.01)

        listener = forked(listens)
        address = os.read(out, 200).decode()
        pid = forked(lambda address=address: job(address))
        time.sleep(moment)
        os.kill(listener, signal.SIGKILL)
        os.waitpid(listener, 0)
        assert os.waitpid(pid, 0)[1] == 0, seed
        os.close(out)
        os.close(into)


def test_a_flood_and_half_open_peers_do_not_block_a_job_and_leave_nothing():
    hearing = JobClient("127.0.0.1", 0)
    port = int(hearing.address.rpartition(":")[2])
    strangers = [socket.create_connection(("127.0.0.1", port)) for _ in range(MOST_UNKNOWN)]
    silent = [connect(hearing.address, rank) for rank in range(1, 20)]
    flood = random.Random(1).randbytes(1 << 20)
    for peer in strangers[:20]:
        try:
            peer.sendall(flood)
        except OSError:
            continue  # it was refused
    for peer in strangers:
        peer.close()
    pid = forked(lambda: job(hearing.address))
    trace, end = hear_until(hearing)
    assert os.waitpid(pid, 0)[1] == 0
    assert end.outcome is Outcome.FINISHED and len(trace.steps) == STEPS
    hearing.close()
    for peer in silent:
        with pytest.raises(OSError):
            peer.close()
