"""One child process that predicts for all controllers of the window. No torch, no Qt.

Each controller has a client, which sends its requests. A request has a number, which its replies
carry. The child works on one request at a time; the others wait in this process. If a client sends
a second request of a kind while the first waits, the first is dropped: the newest wins.

Ranking all ways to run a model takes long. The child does it in turns, one way a turn. Between two
turns the child may get a more urgent request first. A ranking can therefore be cancelled without
ending the process: it gets no further turn.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from core.message import message
from core.predict.advisor import AdviceQuery, WayQuery
from core.predict.whatif import WhatIfQuery
from core.predict.worker import server
from core.predict.worker.requests import (
    Draw,
    PredictionLost,
    PredictionProgress,
    PredictionReply,
    PredictionRequest,
    StepTimes,
)
from core.process.worker import Worker

PREDICTOR_ENDED = message("the prediction process has ended; ask again to start a new one")
PRIORITY = (WhatIfQuery, WayQuery, StepTimes, Draw, AdviceQuery)
"""Kinds of requests, the most urgent first: a user who moves a slider waits for a WhatIfQuery."""


class PredictionClient:
    """Sends the requests of one controller, on the window's thread.

    `listener` gets each reply. It is called on a thread of the worker, or within `send` if no
    process can be started.
    """

    def __init__(
        self, service: PredictionService, listener: Callable[[PredictionReply], None]
    ) -> None:
        self._service = service
        self.listener = listener

    def send(self, request: PredictionRequest) -> int:
        """Queue a request and return its number. Does not wait.

        Later requests have larger numbers. If no process can be started, the listener gets
        PredictionLost before this returns.
        """
        return self._service.send(self, request)

    def cancel(self) -> None:
        """Drop all requests of this client. A reply that was already sent may still arrive."""
        self._service.cancel(self)


_Key = tuple[PredictionClient, type[PredictionRequest]]


@dataclass(slots=True)
class _Entry:
    """A request that waits or is worked on; a ranking waits again after each turn."""

    number: int
    client: PredictionClient
    request: PredictionRequest
    is_begun: bool = False
    is_cancelled: bool = False

    @property
    def key(self) -> _Key:
        """Client and kind of request; a newer request replaces a waiting one with the same key."""
        return self.client, type(self.request)

    @property
    def urgency(self) -> tuple[int, int]:
        """Sort key: the most urgent kind first, then the oldest request."""
        return PRIORITY.index(type(self.request)), self.number


class _Process:
    """A worker with the request that it works on and all clients that have sent it one."""

    def __init__(self, on_exit: Callable[[_Process], None]) -> None:
        self.running: _Entry | None = None
        self.clients: set[PredictionClient] = set()
        self.has_ended = False
        self.worker = Worker(on_exit=lambda: on_exit(self))


class PredictionService:
    """Starts a worker process with the first request, and gives it one request at a time.

    If the process ends unexpectedly, every client that has sent it a request gets PredictionLost.
    The next request starts another process.
    """

    def __init__(self) -> None:
        self._number = 0
        self._is_closed = False
        # Guards the attributes below and all entries: replies arrive on the worker's thread.
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._waiting: dict[_Key, _Entry] = {}

    @property
    def pid(self) -> int | None:
        """Id of the process, None if there is none."""
        return None if self._process is None else self._process.worker.pid

    def client(self, listener: Callable[[PredictionReply], None]) -> PredictionClient:
        """Return a new client whose replies go to `listener`."""
        return PredictionClient(self, listener)

    def start(self) -> None:
        """Start the process if none is alive, without waiting. Raises OSError if that fails."""
        self._alive_process()

    def send(self, client: PredictionClient, request: PredictionRequest) -> int:
        """Queue a request of a client and return its number (see PredictionClient.send).

        After `close` the request is ignored.
        """
        self._number += 1
        if self._is_closed:
            return self._number
        try:
            process = self._alive_process()
        except OSError as error:
            text = message("no prediction: {reason}", reason=error.strerror or error)
            client.listener(PredictionLost(text))
            return self._number
        entry = _Entry(self._number, client, request)
        with self._lock:
            ended_meanwhile = process.has_ended
            if not ended_meanwhile:
                process.clients.add(client)
                self._queue(process, entry)
        if ended_meanwhile:
            client.listener(PredictionLost(PREDICTOR_ENDED))
        else:
            self._give_next(process)
        return self._number

    def cancel(self, client: PredictionClient) -> None:
        """Drop all requests of a client (see PredictionClient.cancel)."""
        with self._lock:
            process = self._process
            if process is None:
                return
            if process.running is not None and process.running.client is client:
                process.running.is_cancelled = True
            for entry in list(self._waiting.values()):
                if entry.client is client:
                    del self._waiting[entry.key]
                    self._forget(process, entry)

    def close(self) -> None:
        """End the process and wait for it. Waiting and later requests are never answered."""
        self._is_closed = True
        self._end_process()

    def _alive_process(self) -> _Process:
        """Return the process, started if none is alive. Raises OSError."""
        process = self._process
        if process is not None and not process.worker.is_over:
            return process
        self._end_process()
        process = _Process(self._report_exit)
        self._process = process
        with suppress(BrokenExecutor):  # `_report_exit` follows
            process.worker.submit(server.lower_priority)
        return process

    def _end_process(self) -> None:
        with self._lock:
            process, self._process = self._process, None
            self._waiting.clear()
        if process is not None:
            process.worker.close()

    def _report_exit(self, process: _Process) -> None:
        """Report to the clients of a process that it ended unexpectedly."""
        with self._lock:
            process.has_ended = True
            clients = list(process.clients)
            if process is self._process:
                self._waiting.clear()
        for client in clients:
            client.listener(PredictionLost(PREDICTOR_ENDED))

    def _queue(self, process: _Process, entry: _Entry) -> None:
        """Queue an entry, in place of a waiting one with its key. Call it with the lock held."""
        older = self._waiting.get(entry.key)
        if older is not None:
            self._forget(process, older)
        self._waiting[entry.key] = entry

    @staticmethod
    def _forget(process: _Process, entry: _Entry) -> None:
        """Free what the child keeps of a ranking that gets no further turn."""
        if entry.is_begun:
            with suppress(BrokenExecutor):  # `_report_exit` follows
                process.worker.submit(server.forget, entry.number)

    def _give_next(self, process: _Process) -> None:
        """Give the worker the most urgent request, unless it is busy."""
        with self._lock:
            is_current = process is self._process
            if not is_current or process.running is not None or not self._waiting:
                return
            entry = min(self._waiting.values(), key=lambda waiting: waiting.urgency)
            del self._waiting[entry.key]
            process.running = entry
            was_begun = entry.is_begun
            entry.is_begun = True
        with suppress(BrokenExecutor):  # `_report_exit` follows
            if was_begun:
                future = process.worker.submit(server.continue_ranking, entry.number)
            else:
                future = process.worker.submit(server.reply_to, entry.number, entry.request)
            # Not under the lock: if the call is over already, the callback runs here and locks.
            future.add_done_callback(partial(self._handle_reply, process, entry))

    def _handle_reply(
        self, process: _Process, entry: _Entry, future: Future[PredictionReply]
    ) -> None:
        """Pass a reply on to its client, and give the worker the next request."""
        try:
            reply = future.result()
        except BrokenExecutor:  # `_report_exit` follows
            return
        except Exception as error:  # the request or its result cannot be pickled
            reply = server.refusal(entry.number, error)
        with self._lock:
            if process is not self._process:
                return
            process.running = None
            if isinstance(reply, PredictionProgress):
                if entry.is_cancelled or entry.key in self._waiting:
                    self._forget(process, entry)
                else:
                    self._waiting[entry.key] = entry
            is_wanted = not entry.is_cancelled
        if is_wanted:
            entry.client.listener(reply)
        self._give_next(process)
