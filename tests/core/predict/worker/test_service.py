"""The process that predicts: one for all clients, the newest requests win, nothing stays behind."""

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
from core.predict.advisor import AdviceQuery
from core.predict.whatif import WhatIf, WhatIfQuery
from core.predict.worker.requests import (
    Draw,
    PredictionDone,
    PredictionLost,
    PredictionProgress,
    PredictionRefused,
)
from core.predict.worker.service import PREDICTOR_ENDED, PredictionService
from core.process.child import environment
from core.recording.recording import read_stream
from core.trace.source import Source
from tests.processes import is_alive

SPECIFICATION = Specification(model=ModelSettings("mlp", width=64, depth=8), devices="2xcpu")
MODEL = describe(SPECIFICATION)
COSTS = costs_of(
    {
        "forward_ms": 1,
        "backward_input_ms": 1,
        "backward_weight_ms": 1,
        "step_ms": 0,
        "transfer_ms": 0,
    }
)
QUESTION = WhatIfQuery(MODEL, COSTS, 4, 8, "1f1b")
RANKING = AdviceQuery(
    SPECIFICATION, MODEL, tuple(lanes_of(SPECIFICATION, Hardware(2, 1 << 34))), COSTS
)
SECONDS = 60

pytestmark = pytest.mark.starts_processes


@pytest.fixture
def service():
    """A prediction service, whose process ends with the test."""
    made = PredictionService()
    yield made
    made.close()


@pytest.fixture
def predictor(service):
    """A client, and the queue of its replies."""
    heard = queue.SimpleQueue()
    return service.client(heard.put), heard


class HeldClient:
    """A client whose first reply is held up, and with it all that the service does after it."""

    def __init__(self, service):
        self.replies = queue.SimpleQueue()
        self.is_held, self.may_go_on = threading.Event(), threading.Event()
        self.client = service.client(self._listen)

    def _listen(self, reply):
        self.replies.put(reply)
        self.is_held.set()
        assert self.may_go_on.wait(SECONDS)


def test_a_question_is_answered_as_here(predictor):
    client, heard = predictor
    number = client.send(QUESTION)
    reply = heard.get(timeout=SECONDS)
    assert isinstance(reply, PredictionDone) and reply.number == number
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


def test_an_impossible_prediction_is_refused_and_the_process_continues(predictor):
    client, heard = predictor
    number = client.send(replace(QUESTION, schedule="chimera", devices=3))
    reply = heard.get(timeout=SECONDS)
    assert isinstance(reply, PredictionRefused) and reply.number == number
    assert str(reply.text) == "chimera needs an even number of ranks, not 3"
    client.send(QUESTION)
    assert isinstance(heard.get(timeout=SECONDS), PredictionDone)


def test_a_drawn_question_is_a_recording_of_a_predicted_run(predictor):
    client, heard = predictor
    client.send(Draw(QUESTION))
    reply = heard.get(timeout=SECONDS)
    assert isinstance(reply, PredictionDone)
    trace = read_stream(reply.result)
    assert trace.header.source is Source.PREDICTED
    assert trace.step_bounds(0)[1] == WhatIf().answer(QUESTION).makespan_ns


def test_a_ranking_reports_its_progress(predictor):
    client, heard = predictor
    client.send(RANKING)
    told = [heard.get(timeout=SECONDS)]
    while isinstance(told[-1], PredictionProgress):
        told.append(heard.get(timeout=SECONDS))
    *progress, done = told
    assert progress[-1].done == progress[-1].total == len(progress)
    assert isinstance(done, PredictionDone)
    ranks = [(not advice.known, advice.step_ns) for advice in done.result.ways]
    assert ranks == sorted(ranks) and len(ranks) > 5
    assert done.result.present.specification == SPECIFICATION


def test_closing_in_the_middle_leaves_neither_process_nor_thread(service, predictor):
    client, _ = predictor
    before = set(threading.enumerate())
    client.send(replace(QUESTION, schedule="chimera", devices=64, microbatches=256))
    pid = service.pid
    assert set(threading.enumerate()) > before
    service.close()
    assert service.pid is None
    assert set(threading.enumerate()) <= before
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    client.send(QUESTION)
    assert service.pid is None, "a closed service starts no process"


def test_a_process_that_ends_is_reported_and_the_next_request_starts_another(service, predictor):
    client, heard = predictor
    client.send(QUESTION)
    heard.get(timeout=SECONDS)
    os.kill(service.pid, signal.SIGKILL)
    assert heard.get(timeout=SECONDS) == PredictionLost(PREDICTOR_ENDED)
    client.send(QUESTION)
    assert isinstance(heard.get(timeout=SECONDS), PredictionDone)


def test_every_client_that_used_a_process_is_notified_of_its_end(service, predictor):
    client, heard = predictor
    other_heard, unused_heard = queue.SimpleQueue(), queue.SimpleQueue()
    other = service.client(other_heard.put)
    service.client(unused_heard.put)
    for asking, replies in ((client, heard), (other, other_heard)):
        asking.send(QUESTION)
        assert isinstance(replies.get(timeout=SECONDS), PredictionDone)
    os.kill(service.pid, signal.SIGKILL)
    for replies in (heard, other_heard):
        assert replies.get(timeout=SECONDS) == PredictionLost(PREDICTOR_ENDED)
    assert unused_heard.empty()


def test_a_request_sent_while_the_end_is_reported_is_answered_by_another_process(service):
    heard, held = queue.SimpleQueue(), threading.Event()

    def listen(reply):
        heard.put(reply)
        if isinstance(reply, PredictionLost):
            held.wait(SECONDS)  # keeps the thread that reports the end alive

    client = service.client(listen)
    client.send(QUESTION)
    heard.get(timeout=SECONDS)
    os.kill(service.pid, signal.SIGKILL)
    assert heard.get(timeout=SECONDS) == PredictionLost(PREDICTOR_ENDED)
    threading.Timer(0.2, held.set).start()
    number = client.send(QUESTION)
    assert heard.get(timeout=SECONDS).number == number


def test_the_newest_request_of_each_client_wins_and_no_other_clients_is_dropped(service, predictor):
    (client, heard), other_heard = predictor, queue.SimpleQueue()
    other = service.client(other_heard.put)
    client.send(QUESTION)
    heard.get(timeout=SECONDS)
    os.kill(service.pid, signal.SIGSTOP)
    numbers = [client.send(QUESTION) for _ in range(3)]
    of_other = other.send(QUESTION)
    os.kill(service.pid, signal.SIGCONT)
    assert other_heard.get(timeout=SECONDS).number == of_other
    # The first was given to the process already, the second waited when the third was sent.
    answered = [heard.get(timeout=SECONDS).number for _ in range(2)]
    assert answered == [numbers[0], numbers[2]]
    assert heard.empty()


def test_a_question_is_answered_between_two_turns_of_a_ranking(service, predictor):
    ranking, (client, heard) = HeldClient(service), predictor
    ranking.client.send(RANKING)
    assert ranking.is_held.wait(SECONDS)
    client.send(QUESTION)
    assert isinstance(ranking.replies.get(), PredictionProgress)
    assert ranking.replies.empty(), "the ranking is not finished"
    ranking.may_go_on.set()
    assert isinstance(heard.get(timeout=SECONDS), PredictionDone)
    reply = ranking.replies.get(timeout=SECONDS)
    while isinstance(reply, PredictionProgress):
        reply = ranking.replies.get(timeout=SECONDS)
    assert isinstance(reply, PredictionDone)


def test_a_cancelled_ranking_gets_no_further_turn_and_the_process_stays(service, predictor):
    ranking, (client, heard) = HeldClient(service), predictor
    ranking.client.send(RANKING)
    assert ranking.is_held.wait(SECONDS)
    pid = service.pid
    ranking.client.cancel()
    ranking.may_go_on.set()
    client.send(QUESTION)
    assert isinstance(heard.get(timeout=SECONDS), PredictionDone)
    assert isinstance(ranking.replies.get(timeout=SECONDS), PredictionProgress)
    assert ranking.replies.empty()
    assert service.pid == pid and is_alive(pid)
    # A ranking that is sent after that begins again.
    number = ranking.client.send(RANKING)
    reply = ranking.replies.get(timeout=SECONDS)
    assert reply.number == number and reply.done == 1


def test_the_process_ends_with_its_service_even_if_that_is_killed():
    code = (
        "import os, signal; from core.predict.worker.service import PredictionService;"
        "service = PredictionService(); service.start(); print(service.pid, flush=True);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    child = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=PROJECT_ROOT,
        env=environment(),
        timeout=SECONDS,
    )
    try:
        descriptor = os.pidfd_open(int(child.stdout))
    except ProcessLookupError:
        return
    assert select.select([descriptor], [], [], SECONDS)[0]
    os.close(descriptor)
