"""The session: takes the messages of the engine and of jobs on a timer, and adds them to runs."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from PySide6.QtCore import QObject, QTimer, Signal

from core.engine.messages import Ended, EngineMessage, Outcome
from core.job.runs import RunClient
from core.message import Text
from core.plan.devices import Hardware
from core.plan.specification import Specification
from core.recording.decode import combined
from core.recording.recording import open_recording, read_stream
from core.recording.spool import Spool
from core.recording.stream import Opened
from core.trace.header import Header
from core.trace.trace import Trace
from gui.app.run import Run, unsavable_text
from gui.look.core_texts import translated
from gui.look.text import tr

if TYPE_CHECKING:  # imported later, because it would slow the start of the window
    from core.job.client import JobClient

TICK_MS = 16
IDLE_TICK_MS = 100
SHARE_S = 0.008  # time for messages in a tick; the other messages wait for the next tick
MOST_SHARE_S = 0.02  # the same if ticks are late, so that the queue does not grow
MOST_RECORDS = 8192  # records of a batch that are taken at a time: some milliseconds


class Session(QObject):
    """Takes messages from the engine and from jobs, and adds them to runs.

    Runs of a training job, received by `job_client`, are handled in the same way while the engine
    runs nothing; `runs_job` is True meanwhile. `listening_lost` carries the reason why jobs of
    another machine are no longer received.

    `ticked` is emitted at every tick of a live run, so that open tasks can grow. `hardware` is the
    engine's report, None until it is ready. `host` is the machine of the engine, "" for this one.
    `stop_requested` is True from `stop` until the engine is asked for another run: a run may
    finish, or be refused, before a stop has an effect.
    """

    ready = Signal(object)
    run_started = Signal(object)
    records_arrived = Signal(object)
    run_ended = Signal(object)
    refused = Signal(str)
    engine_failed = Signal(str)
    warned = Signal(str)
    listening_lost = Signal(str)
    ticked = Signal()
    asking_changed = Signal(bool)

    def __init__(self, client: RunClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._waiting: deque[tuple[float, EngineMessage]] = deque()
        self._ticked = time.monotonic()
        self._spool = Spool()
        self._lost: Run | None = None
        self.runs: list[Run] = []
        self._numbers = count(1)
        self.live: Run | None = None
        self.asking = False
        self.stop_requested = False
        self.runs_job = False
        self.job_client: JobClient | None = None
        self.hardware: Hardware | None = None
        self.host = ""
        self._timer = QTimer(self)
        self._timer.setInterval(IDLE_TICK_MS)
        self._timer.timeout.connect(self.tick)

    def start(self) -> None:
        """Start the engine and the timer."""
        self._timer.start()
        try:
            self._client.start()
        except OSError as error:
            self._end(Outcome.FAILED, _cannot_start(error))

    def move_to(self, host: str) -> None:
        """Start the engine on another host, "" for this machine, unless a run is under way.

        `host` must be checked (core.process.ssh).
        """
        if self.asking or host == self.host:
            return
        self.host = host
        self.hardware = None
        self._client.move_to(host)
        # No run is under way, so only messages of the previous engine can be left.
        self._waiting.clear()
        self.start()

    def run(self, specification: Specification) -> bool:
        """Ask for a run; return False if another one is under way, which continues."""
        if self.asking:
            return False
        self.stop_requested = False
        self._set_asking(True)
        try:
            self._client.run(specification)
        except OSError as error:
            self._end(Outcome.FAILED, _cannot_start(error))
        return True

    def stop(self) -> None:
        """Ask the engine or the job to end the run."""
        if self.runs_job and self.job_client is not None:
            self.job_client.stop()
        elif self.asking:
            self.stop_requested = True
            self._client.stop()

    def listen_to(self, job_client: JobClient | None) -> None:
        """Receive runs of training jobs too; None stops listening and keeps the received runs."""
        if self.job_client is not None:
            # Closed first: no message can arrive between this last poll and the end that is queued
            # after it.
            self.job_client.close()
            self._poll_job(self.job_client)
            if self.runs_job:
                self._put([Ended(Outcome.STOPPED)])
        self.job_client = job_client

    def close(self) -> None:
        """End the timer, the engine and the listening."""
        self._timer.stop()
        self.listen_to(None)
        self._client.close()
        self._spool.close()

    @property
    def backlog_s(self) -> float:
        """Waiting time of the oldest message in the queue, in seconds."""
        if not self._waiting:
            return 0.0
        queued, _ = self._waiting[0]
        return time.monotonic() - queued

    def open(self, path: Path) -> tuple[Run, Text]:
        """Open a recording as a run; the text is a warning if it was cut off. Raises ValueError."""
        opened = open_recording(path)
        return self.add_opened(path, opened), opened.warning

    def add_opened(self, path: Path, opened: Opened) -> Run:
        """Add a recording that has already been read as a run."""
        run = Run(next(self._numbers), opened.trace, source=path)
        self.runs.append(run)
        return run

    def add_predicted(self, recording: bytes) -> Run:
        """Add a predicted recording as a finished run. Raises RecordingError, OSError."""
        trace = read_stream(recording)
        kept = self._spool.begin(trace.header)
        for batch in pa.ipc.open_stream(recording):
            kept.write(batch)
        run = Run(next(self._numbers), trace, kept, outcome=Outcome.FINISHED)
        self.runs.append(run)
        return run

    def tick(self) -> None:
        """Handle messages for a limited time; the rest stays in order."""
        now = time.monotonic()
        # All messages enter one queue in order and leave it in order. So each is handled exactly
        # once, whichever tick handles it.
        self._put(self._of_engine())
        if self.job_client is not None:
            self._poll_job(self.job_client)
            if self.job_client.lost:
                reason = translated(self.job_client.lost)
                self.listen_to(None)
                self.listening_lost.emit(reason)
        # A third of the time since the last tick: if painting makes ticks late, each handles more
        # messages. Otherwise the queue would grow during a fast run.
        share = max(SHARE_S, (now - self._ticked) / 3)
        end = time.perf_counter() + min(share, MOST_SHARE_S)
        self._ticked = now
        touched = False
        while self._waiting and time.perf_counter() < end:
            touched |= self._take_next()
        self._tell_lost()
        if touched and self.live is not None:
            self.records_arrived.emit(self.live)
        if self.live is not None:
            self.ticked.emit()

    def _of_engine(self) -> list[EngineMessage]:
        """Return the engine's messages; while a job runs, report the engine's end at once."""
        messages = self._client.poll()
        if not self.runs_job:
            return messages
        others = []
        for message in messages:
            if not isinstance(message, Ended):
                others.append(message)
            elif message.text:
                self.engine_failed.emit(translated(message.text))
        return others

    def _poll_job(self, job_client: JobClient) -> None:
        """Queue the job's messages, unless the engine's run is under way: the job waits then."""
        if self.asking and not self.runs_job:
            return
        messages = job_client.poll()
        if messages and not self.runs_job:
            self.runs_job = True
            self._set_asking(True)
        self._put(messages)

    def _put(self, messages: Iterable[EngineMessage]) -> None:
        """Queue messages; a large batch is split, because it would delay a frame."""
        now = time.monotonic()
        for message in messages:
            large = isinstance(message, pa.RecordBatch) and len(message) > MOST_RECORDS
            parts = _parts_of(message) if large else [message]
            self._waiting.extend((now, part) for part in parts)

    def _take_next(self) -> bool:
        """Handle the oldest message; return True if the live run has new records."""
        _, message = self._waiting.popleft()
        match message:
            case pa.RecordBatch() as batch if self.live is not None:
                self.live.append(_with_following(batch, self._waiting))
                return True
            case Header() as header:
                self._begin(header)
            case Ended(outcome, text):
                self._end(outcome, translated(text))
            case Hardware() as hardware:
                self.hardware = hardware
                self.ready.emit(hardware)
        return False

    def _tell_lost(self) -> None:
        """Warn once per run if the disk has no room for it."""
        if not self.runs:
            return
        latest = self.runs[-1]
        text = unsavable_text(latest)
        if text and latest is not self._lost:
            self._lost = latest
            self.warned.emit(text)

    def _begin(self, header: Header) -> None:
        if not self.asking:
            # A job began while the end of the previous run was still in the queue.
            self.runs_job = True
            self._set_asking(True)
        self.live = Run(next(self._numbers), Trace(header), self._spool.begin(header))
        self.runs.append(self.live)
        self.run_started.emit(self.live)

    def _end(self, outcome: Outcome, text: str) -> None:
        # The session's state is set first, because listeners of the signals may start the next run.
        run = self.live
        self.live = None
        asked = self.asking
        self.runs_job = False
        self._set_asking(False)
        if run is not None:
            # The run was observed until now, so open tasks have lasted at least until now.
            run.trace.heard = max(run.trace.heard, int(run.now or 0))
            run.outcome = outcome
            run.text = text
            self.run_ended.emit(run)
        elif asked:
            self.refused.emit(text or _end_without_reason(outcome))
        elif text:
            self.engine_failed.emit(text)

    def _set_asking(self, asking: bool) -> None:
        self.asking = asking
        self._timer.setInterval(TICK_MS if asking else IDLE_TICK_MS)
        self.asking_changed.emit(asking)


def _end_without_reason(outcome: Outcome) -> str:
    """Return the text for a run that ended before it began, without a reason."""
    if outcome is Outcome.STOPPED:
        return tr("The run was stopped.")
    return tr("The engine refused the run without saying why.")


def _with_following(
    batch: pa.RecordBatch, waiting: deque[tuple[float, EngineMessage]]
) -> pa.RecordBatch:
    """Return a batch combined with the batches that follow it, taken from the queue."""
    parts = [batch]
    count = len(batch)
    # A batch of a thousand records takes about as long as a single record, and short steps send
    # many small batches.
    while waiting and count < MOST_RECORDS:
        _, message = waiting[0]
        if not isinstance(message, pa.RecordBatch):
            break
        parts.append(message)
        count += len(message)
        waiting.popleft()
    return combined(parts)


def _parts_of(batch: pa.RecordBatch) -> list[pa.RecordBatch]:
    """Return a batch as slices of at most MOST_RECORDS records, without a copy."""
    starts = range(0, len(batch), MOST_RECORDS)
    return [batch.slice(start, MOST_RECORDS) for start in starts]


def _cannot_start(error: OSError) -> str:
    return tr("The engine cannot be started: {reason}.", reason=error.strerror or str(error))
