"""The process that predicts: the latest question wins, and nothing outlives its client."""

import os
import queue
import select
import signal
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from core.costs.costs_file import costs_of
from core.models.catalogue import ModelSettings
from core.paths import PROJECT_ROOT
from core.plan.devices import Hardware
from core.plan.planning import lanes_of
from core.plan.specification import Specification, describe
from core.predict.advisor import Advise
from core.predict.whatif import WhatIf, WhatIfQuery
from core.predict.worker.client import ENDED, PredictorClient
from core.predict.worker.jobs import Done, Draw, Lost, Progress, Refused
from core.process.child import environment
from core.recording.recording import read_stream

SPECIFICATION = Specification(model=ModelSettings("mlp", width=64, depth=8), devices="2xcpu")
MODEL = describe(SPECIFICATION)
COSTS = costs_of({"forward_ms": 1, "backward_input_ms": 1, "backward_weight_ms": 1, "step_ms": 0,
                  "transfer_ms": 0})  # fmt: skip
QUESTION = WhatIfQuery(MODEL, COSTS, 4, 8, "1f1b")
SECONDS = 60


@pytest.fixture
def predictor():
    """A client, and the queue of what it hears."""
    heard = queue.SimpleQueue()
    client = PredictorClient(heard.put)
    yield client, heard
    client.close()


def test_a_question_is_answered_as_here(predictor):
    client, heard = predictor
    number = client.send(QUESTION)
    reply = heard.get(timeout=SECONDS)
    assert isinstance(reply, Done) and reply.number == number
    assert reply.result.makespan_ns == WhatIf().answer(QUESTION).makespan_ns


def test_of_many_questions_the_last_is_answered_last_and_not_all_are_worked_on(predictor):
    client, heard = predictor
    asked = [replace(QUESTION, devices=32, microbatches=count) for count in range(64, 96)]
    last = [client.send(question) for question in asked][-1]
    numbers = [heard.get(timeout=SECONDS).number]
    while numbers[-1] != last:
        numbers.append(heard.get(timeout=SECONDS).number)
    assert numbers == sorted(numbers)
    assert len(numbers) < len(asked)


def test_what_cannot_be_predicted_is_refused_and_the_process_goes_on(predictor):
    client, heard = predictor
    number = client.send(replace(QUESTION, schedule="chimera", devices=3))
    assert heard.get(timeout=SECONDS) == Refused(
        number, "chimera needs an even number of ranks, not 3"
    )
    client.send(QUESTION)
    assert isinstance(heard.get(timeout=SECONDS), Done)


def test_a_drawn_question_is_a_recording_of_a_predicted_run(predictor):
    client, heard = predictor
    client.send(Draw(QUESTION))
    reply = heard.get(timeout=SECONDS)
    assert isinstance(reply, Done)
    trace = read_stream(reply.result)
    assert trace.header.predicted
    assert trace.step_bounds(0)[1] == WhatIf().answer(QUESTION).makespan_ns


def test_advice_tells_how_far_it_has_come(predictor):
    client, heard = predictor
    lanes = tuple(lanes_of(SPECIFICATION, Hardware(2, 1 << 34)))
    client.send(Advise(SPECIFICATION, MODEL, lanes, COSTS))
    told = [heard.get(timeout=SECONDS)]
    while isinstance(told[-1], Progress):
        told.append(heard.get(timeout=SECONDS))
    *progress, done = told
    assert progress[-1].done == progress[-1].total == len(progress)
    assert isinstance(done, Done)
    ranks = [(not advice.known, advice.step_ns) for advice in done.result.ways]
    assert ranks == sorted(ranks) and len(ranks) > 5
    assert done.result.present.specification == SPECIFICATION


def test_closing_in_the_middle_leaves_neither_process_nor_thread(predictor):
    client, _ = predictor
    before = set(threading.enumerate())
    client.send(replace(QUESTION, schedule="chimera", devices=64, microbatches=256))
    pid = client.pid
    assert set(threading.enumerate()) > before
    client.close()
    assert client.pid is None
    assert set(threading.enumerate()) <= before
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_process_that_ends_is_told_and_the_next_job_starts_another(predictor):
    client, heard = predictor
    client.send(QUESTION)
    heard.get(timeout=SECONDS)
    os.kill(client.pid, signal.SIGKILL)
    assert heard.get(timeout=SECONDS) == Lost(ENDED)
    client.send(QUESTION)
    assert isinstance(heard.get(timeout=SECONDS), Done)


def test_a_job_sent_as_soon_as_a_process_is_told_to_be_gone_is_done_by_another():
    heard, held = queue.SimpleQueue(), threading.Event()

    def listen(reply):
        heard.put(reply)
        if isinstance(reply, Lost):
            held.wait(SECONDS)  # so that the thread that tells it is still there

    client = PredictorClient(listen)
    client.send(QUESTION)
    heard.get(timeout=SECONDS)
    os.kill(client.pid, signal.SIGKILL)
    assert heard.get(timeout=SECONDS) == Lost(ENDED)
    threading.Timer(0.2, held.set).start()
    number = client.send(QUESTION)
    assert heard.get(timeout=SECONDS).number == number
    client.close()


def test_the_process_ends_with_its_client_even_if_that_is_killed():
    code = (
        "import os, signal; from core.predict.worker.client import PredictorClient;"
        "client = PredictorClient(print); client.start(); print(client.pid, flush=True);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    child = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=PROJECT_ROOT,
        env=environment(), timeout=SECONDS,
    )  # fmt: skip
    try:
        descriptor = os.pidfd_open(int(child.stdout))
    except ProcessLookupError:
        return
    assert select.select([descriptor], [], [], SECONDS)[0]
    os.close(descriptor)
