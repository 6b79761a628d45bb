"""An engine on another machine: through a real sshd, and what is said where that is impossible."""

import json
import os
import time

import pyarrow as pa
import pytest

from core.engine.client import EngineClient
from core.engine.messages import WIRE, Ended, Outcome
from core.engine.relay import MOST_ROWS, merged
from core.engine.remote import GREETING
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.devices import Hardware
from core.plan.specification import Specification
from core.process.ssh import checked_host
from core.recording.decode import append_batch
from core.recording.schema import NoteRow, Record, note_batch
from core.trace.complete import completed_steps
from core.trace.header import Header
from core.trace.trace import Trace
from core.version import VERSION
from tests.processes import having, wait_gone
from tests.sshd import HAS_SSHD, HOST, MISSING, serving, write_script

SECONDS = 100
THE_HOST = f"the machine {HOST}"
MARK = "BUBBLESCOPE_TEST"
SMALL = Specification("single", ModelSettings("mlp", width=8, depth=2), "1xcpu", batch=2, steps=2)
LONG = Specification("dp", ModelSettings("mlp", width=64, depth=8), "2xcpu", batch=16, steps=10_000)


def until(client, kind):
    """All messages up to the first one of a kind."""
    messages, deadline = [], time.monotonic() + SECONDS
    while not any(isinstance(message, kind) for message in messages):
        assert time.monotonic() < deadline, f"waited {SECONDS} s for {kind.__name__}"
        messages += client.poll()
        time.sleep(0.01)
    return messages


def trace_of(messages):
    """The trace of a run's messages so far."""
    trace = Trace(next(each for each in messages if isinstance(each, Header)))
    for each in messages:
        if isinstance(each, pa.RecordBatch):
            append_batch(trace, each)
    return trace


@pytest.fixture
def client():
    made = EngineClient(HOST)
    yield made
    made.close()


@pytest.mark.skipif(not HAS_SSHD, reason=MISSING)
def test_a_run_on_another_machine_is_whole_and_a_cut_connection_leaves_nothing_there(
    client, tmp_path, monkeypatch
):
    mark = f"{MARK}={tmp_path}"
    with serving(tmp_path, dict([mark.split("=")])) as sshd:
        sshd.install()
        monkeypatch.setenv("PATH", sshd.path)
        client.start()
        assert until(client, Hardware)[-1].host == HOST

        before = time.perf_counter_ns()
        client.run(SMALL)
        messages = until(client, Ended)
        assert messages[-1] == Ended(Outcome.FINISHED)
        trace = trace_of(messages)
        # The clock of another machine has another zero.
        assert before < trace.header.origin_ns < time.perf_counter_ns()
        assert len(completed_steps(trace)) == 2

        client.run(LONG)
        cut = until(client, pa.RecordBatch)
        while trace_of(cut).is_empty:
            cut += until(client, pa.RecordBatch)
        there = having(mark)
        os.kill(client.pid, 9)
        cut += until(client, Ended)
        assert str(cut[-1].text) == f"{THE_HOST} is no longer connected"
        wait_gone(there)
        assert len(there) >= 2, "the relay and its engine ran there"
        assert not trace_of(cut).is_empty, "what arrived is kept"


@pytest.fixture
def ssh(tmp_path, monkeypatch):
    """Puts a script in the place of `ssh`."""

    def put(line):
        write_script(tmp_path / "ssh", line)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    return put


def greeted(version, wire):
    return GREETING.decode() + json.dumps({"version": version, "wire": wire})


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            "echo 'Permission denied (publickey).' >&2; exit 255",
            f"{THE_HOST} cannot be reached: Permission denied (publickey).",
        ),
        ("exit 255", f"{THE_HOST} cannot be reached: ssh could not connect"),
        (
            "echo 'sh: not found' >&2; exit 127",
            f"{THE_HOST} did not start Bubblescope (sh: not found); "
            f"`bubblescope push {HOST}` installs it",
        ),
        (
            "kill -9 $$",
            f"{THE_HOST} did not start Bubblescope (was ended by SIGKILL; it may have run out of "
            f"memory); `bubblescope push {HOST}` installs it",
        ),
        # Nothing there is a Bubblescope: the script that is sent says so itself.
        (
            'PATH=/nowhere; HOME=/nowhere; while [ "$1" != -- ]; do shift; done; eval "$3"',
            f"{THE_HOST} did not start Bubblescope",
        ),
        (
            f"echo '{GREETING.decode()}{{}}'",
            f"{THE_HOST} has no Bubblescope: `bubblescope push {HOST}` installs it",
        ),
        (
            f"echo Welcome; echo '{greeted('0.0.9', WIRE)}'; sleep 60",
            f"{THE_HOST} has Bubblescope 0.0.9, this machine has {VERSION}: "
            f"`bubblescope push {HOST}` installs {VERSION} there",
        ),
        (
            f"echo '{greeted(VERSION, 0)}'",
            f"{THE_HOST} has another build of Bubblescope {VERSION}, with wire 0 and not {WIRE}: "
            f"`bubblescope push {HOST}` installs this one there",
        ),
        (f"echo '{greeted(VERSION, WIRE)}'", f"{THE_HOST} is no longer connected"),
        (
            f"echo '{greeted(VERSION, WIRE)}'; sleep 0.5; echo 'Timeout.' >&2; exit 255",
            f"{THE_HOST} is no longer connected: Timeout.",
        ),
        (
            f"echo '{GREETING.decode()}no JSON'",
            f"{THE_HOST} sent data that cannot be read: ",
        ),
        ("echo no greeting", f"{THE_HOST} did not start Bubblescope (ended with status 0)"),
    ],
)
def test_the_reason_why_there_is_no_remote_engine_is_one_line(client, ssh, line, text):
    ssh(line)
    client.start()
    [ended] = until(client, Ended)
    assert ended.outcome is Outcome.FAILED
    assert str(ended.text).startswith(text) and "\n" not in str(ended.text)


@pytest.mark.parametrize(
    "host", ["me@gpu-1.example.org", "gpu", "me.too@10.0.0.7", "::1", "a_b", "fe80::1"]
)
def test_names_of_hosts_are_accepted(host):
    assert checked_host("--on", host) == host


REFUSED = (
    "-oProxyCommand=id", "me@-oProxyCommand=id", "", "a b", "a;id", "$(id)", "`id`", "a\nb", "@gpu",
    "me@", "a@b@c", "gpu%h", "größe", "ssh://gpu", "a" * 300, "gpu\n", "'gpu'",
)  # fmt: skip


@pytest.mark.parametrize("host", REFUSED)
def test_a_name_that_ssh_or_a_shell_would_understand_differently_is_refused(host):
    with pytest.raises(PlanError) as refused:
        checked_host("--on", host)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 250


def test_batches_that_wait_for_the_link_are_merged_and_no_row_is_lost():
    def batch(rows, first):
        rows = range(first, first + rows)
        return note_batch([NoteRow(Record.LOG, "info", number, text="row") for number in rows])

    header, ended = Ended(Outcome.REFUSED, "before"), Ended(Outcome.FINISHED)
    sizes = (1, 2, MOST_ROWS, 3, MOST_ROWS - 3, 1)
    firsts = [sum(sizes[:place]) for place in range(len(sizes))]
    batches = [batch(size, first) for size, first in zip(sizes, firsts, strict=True)]
    begin, *rows, end = merged([header, *batches, ended])
    assert (begin, end) == (header, ended)
    assert [len(each) for each in rows] == [3, MOST_ROWS, MOST_ROWS, 1]
    starts = [start for each in rows for start in each.column("start").to_pylist()]
    assert starts == list(range(sum(sizes)))
