"""The predictor's process: does jobs, the latest first. Started by core.predict.worker.client.

    python -m core.predict.worker.server WIRE    (an inherited file descriptor)

Jobs and replies are pickled: both ends are this very program.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from multiprocessing.connection import Connection

from core.plan.task import PlanError
from core.predict.advisor import advice_on, advise
from core.predict.costs import CostError
from core.predict.predict import predicted_recording
from core.predict.whatif import Question, WhatIf, whole_answer
from core.predict.worker.jobs import (
    Advise,
    Advised,
    Ask,
    Done,
    Draw,
    Job,
    Prepare,
    Progress,
    Refused,
    Reply,
)

NICENESS = 5  # lanes that are measured meanwhile come first
ORDER = (Ask, Draw, Advise, Prepare)


class Server:
    """Reads jobs on a thread of its own, so that none is begun that a later one replaces."""

    def __init__(self, wire: Connection) -> None:
        self._wire = wire
        self._waiting: dict[type, tuple[int, Job]] = {}
        self._news = threading.Condition()
        self._what_if = WhatIf()

    def serve(self) -> None:
        """Do jobs until the process is ended."""
        threading.Thread(target=self._listen, daemon=True, name="jobs").start()
        while True:
            with self._news:
                self._news.wait_for(lambda: self._waiting)
                number, job = self._waiting.pop(next(k for k in ORDER if k in self._waiting))
            if isinstance(job, Prepare):
                self._prepare(job.questions)
            else:
                self._wire.send(self._reply(number, job))

    def _listen(self) -> None:
        try:
            while True:
                number, job = self._wire.recv()
                with self._news:
                    self._waiting[type(job)] = (number, job)
                    self._news.notify()
        finally:  # nothing more can be asked for
            os._exit(0)

    def _reply(self, number: int, job: Ask | Draw | Advise) -> Reply:
        try:
            return Done(number, self._do(number, job))
        except (PlanError, MemoryError) as error:
            return Refused(number, str(error) or "there is not enough memory for this prediction")
        except Exception as error:  # the process goes on; the window says what happened
            return Refused(number, f"the prediction failed: {type(error).__name__}: {error}")

    def _do(self, number: int, job: Ask | Draw | Advise) -> object:
        match job:
            case Ask(question):
                return self._what_if.answer(question)
            case Draw(question):
                return drawn(question)
            case Advise():
                return self._advise(number, job)

    def _advise(self, number: int, job: Advise) -> Advised:
        about = (job.specification, job.model, job.lanes, job.costs, job.stages)
        missing: list[str] = []
        ways = advise(
            *about,
            lambda done, total: self._wire.send(Progress(number, done, total)),
            lambda error: missing.append(str(error)),
        )
        try:
            present = advice_on(*about)
        except CostError:
            present = None
        return Advised(ways, present, missing[0] if missing else "")

    def _prepare(self, questions: tuple[Question, ...]) -> None:
        """Make plans until something is asked for; the plan in hand is made to its end."""
        for question in questions:
            if self._waiting:
                return
            with contextlib.suppress(Exception):  # whoever asks for it will be told
                self._what_if.prepare(question)


def drawn(question: Question) -> bytes:
    """A question's prediction as a recording. Raises PlanError."""
    setting, prediction = whole_answer(question)
    return predicted_recording(setting.header, setting.plan.tasks, prediction.columns)


def main() -> None:
    """Serve on the descriptor that the client passed."""
    wire = int(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the client's to hear
    os.nice(NICENESS)
    Server(Connection(wire)).serve()


if __name__ == "__main__":
    main()
