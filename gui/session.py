"""The runs of this sitting, and the one timer that brings them from the engine."""

from __future__ import annotations

import shutil
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pyarrow as pa
from PySide6.QtCore import QObject, QTimer, Signal

from core.engine.messages import Ended, Message, Outcome, Ready, Rows, Started
from core.files import whole_file
from core.plan.specification import Specification
from core.predict.compare import Comparison
from core.trace.recording import RecordingFile, open_recording, read_stream
from core.trace.schema import Header, RecordingError
from core.trace.trace import Trace
from gui.text import tr

TICK_MS = 16
IDLE_TICK_MS = 100
SHARE_S = 0.008  # of a tick, for messages; the rest of them waits for the next one


class Client(Protocol):
    """What the session needs of the engine's client."""

    @property
    def running(self) -> bool:
        """Whether a run is under way."""

    def start(self) -> None:
        """Start the engine's process without waiting for it."""

    def run(self, specification: Specification) -> None:
        """Ask for a run; a dead engine is replaced first."""

    def stop(self) -> None:
        """Ask for the run's end."""

    def poll(self) -> list[Message]:
        """All messages since the last call, at once."""

    def close(self) -> None:
        """End the engine and wait for it."""


@dataclass(eq=False)
class Run:
    """One run of this sitting: its trace, and either the batches received or the file opened.

    `comparison` is with its prediction and `ghost` that prediction, once they are worked out.
    """

    number: int
    trace: Trace
    batches: list[pa.RecordBatch] = field(default_factory=list)
    source: Path | None = None
    outcome: Outcome | None = None
    text: str = ""
    comparison: Comparison | None = None
    ghost: Trace | None = None

    @property
    def live(self) -> bool:
        """Whether more is to come."""
        return self.source is None and self.outcome is None

    @property
    def now(self) -> float | None:
        """Ns since the run's start while it is live, else None."""
        if not self.live:
            return None
        return float(time.perf_counter_ns() - self.trace.header.origin_ns)

    def save(self, path: Path) -> None:
        """Write the run as a recording. Raises OSError, naming `path`; an older file stays then."""
        with whole_file(path) as place:
            if self.source is None:
                self._write(place)
            else:
                with self.source.open("rb") as source, place.open("wb") as target:
                    shutil.copyfileobj(source, target)

    def _write(self, place: Path) -> None:
        try:
            file = RecordingFile(place, self.trace.header)
            for batch in self.batches:
                file.write(batch)
            file.close()
        except RecordingError as error:  # it names the place, which nobody has asked for
            raise error.__cause__ or error from None


class Session(QObject):
    """Drains the client into runs. Signals go up; the window sets what it shows.

    `ticked` comes with every tick of a live run, so that open tasks can grow.
    """

    ready = Signal(object)
    run_started = Signal(object)
    rows_came = Signal(object)
    run_ended = Signal(object)
    refused = Signal(str)
    engine_failed = Signal(str)
    ticked = Signal()
    asking_changed = Signal(bool)

    def __init__(self, client: Client, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._waiting: deque[Message] = deque()
        self.runs: list[Run] = []
        self.live: Run | None = None
        self.asking = False
        self._timer = QTimer(self)
        self._timer.setInterval(IDLE_TICK_MS)
        self._timer.timeout.connect(self.tick)

    def start(self) -> None:
        """Start the engine and the timer."""
        self._timer.start()
        self._client.start()

    def run(self, specification: Specification) -> None:
        """Ask for a run unless one is under way."""
        if self.asking:
            return
        self._set_asking(True)
        self._client.run(specification)

    def stop(self) -> None:
        """Ask for the end of the run."""
        if self.asking:
            self._client.stop()

    def close(self) -> None:
        """End timer and engine."""
        self._timer.stop()
        self._client.close()

    def open(self, path: Path) -> tuple[Run, str]:
        """Read a recording into a run; the text is a warning if it was cut. Raises ValueError."""
        opened = open_recording(path)
        run = Run(len(self.runs) + 1, opened.trace, source=path)
        self.runs.append(run)
        return run, opened.warning

    def add_predicted(self, recording: bytes) -> Run:
        """Take a predicted recording as a run that is over. Raises RecordingError."""
        trace = read_stream(recording)
        batches = list(pa.ipc.open_stream(recording))
        run = Run(len(self.runs) + 1, trace, batches, outcome=Outcome.FINISHED)
        self.runs.append(run)
        return run

    def tick(self) -> None:
        """Take messages for at most a share of the tick; what is left stays in order."""
        self._waiting.extend(self._client.poll())
        end = time.perf_counter() + SHARE_S
        touched = False
        while self._waiting and time.perf_counter() < end:
            touched |= self._take(self._waiting.popleft())
        if touched and self.live is not None:
            self.rows_came.emit(self.live)
        if self.live is not None:
            self.ticked.emit()

    def _take(self, message: Message) -> bool:
        """Handle one message; True if the live run has new rows."""
        match message:
            case Rows(batch) if self.live is not None:
                self.live.batches.append(batch)
                self.live.trace.append(batch)
                return True
            case Started(header):
                self._begin(header)
            case Ended(outcome, text):
                self._end(outcome, text)
            case Ready(hardware):
                self.ready.emit(hardware)
        return False

    def _begin(self, header: Header) -> None:
        self.live = Run(len(self.runs) + 1, Trace(header))
        self.runs.append(self.live)
        self.run_started.emit(self.live)

    def _end(self, outcome: Outcome, text: str) -> None:
        run, self.live = self.live, None
        asked = self.asking
        self._set_asking(False)
        if run is not None:
            run.outcome, run.text = outcome, text
            self.run_ended.emit(run)
        elif asked:
            self.refused.emit(text or tr("The engine refused the run without saying why."))
        elif text:
            self.engine_failed.emit(text)

    def _set_asking(self, asking: bool) -> None:
        self.asking = asking
        self._timer.setInterval(TICK_MS if asking else IDLE_TICK_MS)
        self.asking_changed.emit(asking)
