"""Models that print, fork, close descriptors, end their process or leave something running."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from bubblescope.api.running import describe_model
from core.errors import PlanError
from core.plan.specification import Specification
from tests.core.engine.models.test_own_models import own
from tests.core.engine.test_faults import children, wait_gone
from tests.core.helpers import Engine

BUILD = "def build(): return [nn.Linear(8, 8), {}nn.Linear(8, 8)]\n"
PLAIN = BUILD.format("")
IN_FORWARD = """
import os
class Odd(nn.Module):
    def forward(self, x):
        if self.training:
            {}
        return x
""" + BUILD.format("Odd(), ")
HARMLESS = {
    "prints bytes": "import os, sys; os.write(1, b'\\xff'); os.write(2, b'\\xfe\\n'); "
    "sys.stdout.buffer.write(b'\\xff{}\\n')\n" + PLAIN,
    "prints at its end": "import atexit; atexit.register(print, '{}')\n" + PLAIN,
    "closes its output": "import sys; sys.stdout.close()\n" + PLAIN,
    "forks and goes on": "import os; os.fork()\n" + PLAIN,
    "forks in a forward": IN_FORWARD.format("os.fork()"),
    "leaves a child": "import os, time\nif os.fork() == 0: time.sleep(1000)\n" + PLAIN,
    "leaves a program": "import os; os.system('sleep 20 &')\n" + PLAIN,
    "leaves a thread": "import threading, time\n"
    "threading.Thread(target=time.sleep, args=(1000,)).start()\n" + PLAIN,
    "closes descriptors": "import os; os.closerange(3, 256)\n" + PLAIN,
}
# Two of them in each model: every run of ranks starts two more processes.
IN_RANKS = {
    "closes its output, and descriptors": "import os, sys\n"
    "sys.stdout.close(); os.closerange(3, 256)\n" + PLAIN,
    "forks and goes on, and in a forward": "import os; os.fork()\n"
    + IN_FORWARD.format("os.fork()"),
}
DEADLY = {
    "ends the process": (
        "import os; os._exit(0)\n" + PLAIN, "the engine process ended with status 0",
    ),
    "ends the process, by a signal": (
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)\n" + PLAIN,
        "the engine process was ended by SIGSEGV",
    ),
    "ends the process in a forward": (
        IN_FORWARD.format("os._exit(0)"), "the engine process ended with status 0",
    ),
    "closes every descriptor": (
        "import os; os.closerange(3, 4096)\n" + PLAIN, "the engine process ",
    ),
}  # fmt: skip


def specification(folder: Path, code: str, strategy: str = "mp") -> Specification:
    return Specification(
        strategy, own(folder, code), "2xcpu", batch=8, steps=2, warmup=0, calibrate=False
    )


@pytest.mark.timeout(60)
def test_side_effects_of_models_do_not_keep_runs_from_ending(tmp_path):
    engine = Engine()
    left, pid = set(), engine.client.start().pid
    for name, code in HARMLESS.items():
        before = set(children(pid))
        trace = engine.finish(specification(tmp_path, code))
        assert trace.steps == [0, 1], name
        assert trace.span_count == 2 * len({span.task for span in trace}), name
        assert engine.client.pid == pid, name
        if name != "leaves a program":
            left |= set(children(pid)) - before
    engine.client.close()
    wait_gone(left)


@pytest.mark.timeout(60)
def test_side_effects_of_models_in_ranks_do_not_keep_runs_from_ending(engine, tmp_path):
    for name, code in IN_RANKS.items():
        trace = engine.finish(specification(tmp_path, code, "ddp"))
        assert trace.steps == [0, 1], name


@pytest.mark.timeout(60)
def test_a_model_that_ends_its_process_ends_the_run_with_one_line(engine, tmp_path):
    for name, (code, said) in DEADLY.items():
        engine.run(specification(tmp_path, code))
        engine.wait("ended")
        assert engine.ended.outcome == "failed", name
        assert str(engine.ended.text).startswith(said), name
        assert "\n" not in str(engine.ended.text), name
        assert engine.finish(specification(tmp_path, PLAIN)).steps == [0, 1], name


@pytest.mark.timeout(60)
def test_a_rank_that_a_model_ends_with_status_0_is_named_and_not_waited_for(engine, tmp_path):
    code = IN_FORWARD.format("os.environ['OMP_NUM_THREADS'] and os._exit(0)")
    engine.run(specification(tmp_path, code, "ddp"))
    engine.wait("ended")
    assert engine.ended.outcome == "failed"
    assert str(engine.ended.text).startswith("rank ")
    assert str(engine.ended.text).endswith(" ended with status 0")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", [*HARMLESS, "ends the process", "closes every descriptor"])
def test_describing_a_model_gives_its_description_or_one_line(tmp_path, name):
    code = HARMLESS.get(name) or DEADLY[name][0]
    asked = specification(tmp_path, code)
    before, began = set(children(os.getpid())), time.monotonic()
    if name in HARMLESS:
        assert describe_model(asked).parameter_bytes == 4 * 2 * (8 * 8 + 8)
    else:
        with pytest.raises(PlanError) as refused:
            describe_model(asked)
        assert "mine.py': " in str(refused.value) and "\n" not in str(refused.value)
    assert time.monotonic() - began < 18  # the program that is left sleeps for 20 s
    assert set(children(os.getpid())) <= before


@pytest.mark.timeout(60)
def test_a_command_that_cannot_be_read_is_refused_and_the_next_one_is_heard(engine):
    sender = engine.client.start()
    for line in (b"not json", b"3", b"{}", b'{"run": 3}', b"\xff", b"[" * 100_000):
        engine.ended = None
        sender.send(line)
        engine.wait("ended")
        assert engine.ended.outcome == "refused", line
        assert str(engine.ended.text).startswith("the engine cannot read a command: "), line
        assert "\n" not in str(engine.ended.text), line
    assert engine.finish(Specification("mp", devices="2xcpu", batch=8, steps=1)).steps
