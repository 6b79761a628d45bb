"""Reads the arguments of imported events from a recording, on demand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from core.errors import RecordingError
from core.message import message
from core.reading import one_line
from core.recording.decode import notes_of, numbers_of, parts_of
from core.recording.imported import ARGUMENTS_LEVEL
from core.recording.schema import Record
from core.recording.stream import open_stream
from core.trace.event_arguments import EventArguments, Reading, bounded
from core.trace.spans import TaskTable
from core.trace.trace import Trace


def find_arguments(trace: Trace, path: Path | str) -> None:
    """Let a trace read its events' arguments from its recording, if the recording has them."""
    if trace.imported is None or not trace.imported.keeps_arguments:
        return
    places = np.arange(len(trace.table), dtype=np.int32)
    file = RecordedArguments(Path(path), trace.table)
    arguments = EventArguments(places, ((0, file),))
    trace.imported = replace(trace.imported, arguments=arguments)


@dataclass(frozen=True, slots=True)
class RecordedArguments:
    """A recording whose log contains the arguments of some rows of a table."""

    path: Path
    table: TaskTable

    def read(self, place: int) -> Reading:
        """Read the arguments of a row of the table. Raises RecordingError."""
        for share, rows, texts in self._batches():
            mine = np.flatnonzero(rows == place)
            if len(mine):
                text = texts[int(mine[0])].as_py()
                return bounded(text or "")
            yield share
        return ""

    def every(self) -> Iterator[str]:
        """Yield the arguments of every row, in order. Raises RecordingError."""
        found = [""] * len(self.table)
        for _, rows, texts in self._batches():
            for row, text in zip(rows.tolist(), texts.to_pylist(), strict=True):
                found[row] = bounded(text or "")
        yield from found

    def _batches(self) -> Iterator[tuple[float, NDArray[Any], pa.Array]]:
        """Yield for each batch the share of the file that is read, table rows, and arguments."""
        words = message("{path} has arguments that cannot be read", path=self.path)
        with one_line(words, RecordingError, pa.ArrowException), open_stream(self.path) as stream:
            for batch in stream:
                log = parts_of(batch).get(Record.LOG)
                if log is None:
                    continue
                levels = notes_of(log).field("name").to_pylist()
                is_wanted = pa.array([level == ARGUMENTS_LEVEL for level in levels])
                wanted = log.filter(is_wanted)
                rows = self.table.rows_of(numbers_of(wanted, "plan"), numbers_of(wanted, "task"))
                share = stream.position / max(1, stream.size)
                yield share, rows, notes_of(wanted).field("text")
