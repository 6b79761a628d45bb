"""Made-up files of Ascend's profiler for PyTorch, with the processes and rows of real ones."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

Event = dict[str, Any]
BASE_NS = 1_730_943_468_310_229_220
"""The moment, in ns since 1970, from which the times of files count."""
NAMES = ("Python", "CANN", "Ascend Hardware", "Communication", "Overlap Analysis")
PYTHON, CANN, HARDWARE, COMMUNICATION, OVERLAP = range(5)
COMPUTING, TOGETHER, EXPOSED, FREE = range(4)
ROWS = ("Computing", "Communication", "Communication(Not Overlapped)", "Free")
PLANE = 100
"""Number of the first row with parts of collectives."""


def text_us(ns: int) -> str:
    """Return a time in µs as text, to the ns."""
    return f"{ns // 1000}.{ns % 1000:03d}"


class AscendFile:
    """The events of a rank; times are whole ns from BASE_NS on."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.events: list[Event] = []
        self.computing: list[tuple[int, int]] = []
        self.moving: list[tuple[int, int]] = []
        self._rows: dict[tuple[int, int], str] = {(PYTHON, 1): "Thread 1", (CANN, 2): "Thread 2"}
        self._connections = 0

    def complete(
        self, process: int, tid: int, name: str, start: int, end: int, **more: Any
    ) -> None:
        """Add a complete event; `more` has its category or arguments."""
        times = {"ts": text_us(BASE_NS + start), "dur": (end - start) / 1000}
        own = {"ph": "X", "name": name, "pid": self._pid(process), "tid": tid}
        self.events.append({**own, **times, **more})

    def step(self, number: int, start: int, end: int) -> None:
        """Add a step of the profiler."""
        self.complete(PYTHON, 1, f"ProfilerStep#{number}", start, end, cat="cpu_op", args={})

    def kernel(self, name: str, call: int, start: int, end: int, stream: int = 2) -> None:
        """Add a task of a stream that computes, and the calls that launch it."""
        self._hardware(name, start, end, stream, "AI_CORE")
        self._launch(call, HARDWARE, stream, start)
        self.computing.append((start, end))

    def copy(self, call: int, start: int, end: int, stream: int = 2) -> None:
        """Add a copy of memory, and the calls that launch it."""
        self._hardware("MEMCPY_ASYNC", start, end, stream, "SDMA_SQE")
        self._launch(call, HARDWARE, stream, start)

    def wait(self, start: int, end: int, stream: int = 2) -> None:
        """Add a task by which a stream waits for another one."""
        self._hardware("EVENT_WAIT", start, end, stream, "EVENT_WAIT_SQE")

    def collective(self, name: str, call: int, start: int, end: int, group: int = 0) -> None:
        """Add a collective to the row of its group, with its parts and its tasks on a stream."""
        row = f"Group {group} Communication"
        self._rows[COMMUNICATION, group] = row
        self._rows[COMMUNICATION, PLANE + group] = f"Plane {group}"
        self.complete(COMMUNICATION, group, name, start, end, args={"model id": 4294967295})
        middle = (start + end) // 2
        stream = 40 + group
        parts = ((start, middle, "Notify_Wait"), (middle, end, "Memcpy"))
        for begin, finish, part in parts:
            self.complete(COMMUNICATION, PLANE + group, part, begin, finish, args={})
        self._hardware("NOTIFY_WAIT_SQE", start, middle, stream, "NOTIFY_WAIT_SQE")
        self._hardware("SDMA_SQE", middle, end, stream, "SDMA_SQE")
        self._launch(call, COMMUNICATION, group, start)
        self.moving.append((start, end))

    def written(self) -> list[Event]:
        """Return the list of events of the file."""
        return [*self._metadata(), *self.events, *self._overlap_analysis()]

    def save(self, folder: Path, has_info: bool = True) -> Path:
        """Write the results of the rank into a folder, and return the folder of the rank."""
        own = folder / f"node-7_{4000 + self.rank}_20241107013748_ascend_pt"
        output = own / "ASCEND_PROFILER_OUTPUT"
        output.mkdir(parents=True)
        (output / "trace_view.json").write_text(json.dumps(self.written()))
        (output / "communication.json").write_text('{"step1": {"collective": {}}}')
        if has_info:
            (own / f"profiler_info_{self.rank}.json").write_text("{}")
        (own / "profiler_metadata.json").write_text("{}")
        return own

    def shares(self) -> dict[str, int]:
        """Return the ns of each row of the overlap analysis."""
        every = {row: 0 for row in ROWS}
        for row, start, end in self._overlaps():
            every[ROWS[row]] += end - start
        return every

    def _pid(self, process: int) -> int:
        return 4000 + self.rank if process == PYTHON else (4000 + self.rank) << 10 | process << 5

    def _hardware(self, name: str, start: int, end: int, stream: int, task_type: str) -> None:
        self._rows[HARDWARE, stream] = f"Stream {stream}"
        args = {"Model Id": 4294967295, "Task Type": task_type, "Stream Id": stream}
        self.complete(HARDWARE, stream, name, start, end, args=args)

    def _launch(self, call: int, process: int, tid: int, start: int) -> None:
        """Add the operator and the call of the runtime that launch a task, and both arrows."""
        self.complete(PYTHON, 1, "aten::op", call - 400, call - 100, cat="cpu_op", args={})
        self.complete(CANN, 2, "Node@launch", call, call + 300, args={"Thread Id": 2})
        self._connections += 1
        arrows = (
            ("async_npu", "torch_to_npu", PYTHON, 1, call - 400),
            ("HostToDevice", f"HostToDevice{self._connections}", CANN, 2, call),
        )
        for category, name, source, thread, begin in arrows:
            own = {"cat": category, "name": name, "id": str(self._connections)}
            first = {"ph": "s", "pid": self._pid(source), "tid": thread}
            last = {"ph": "f", "bp": "e", "pid": self._pid(process), "tid": tid}
            self.events.append({**own, **first, "ts": text_us(BASE_NS + begin)})
            self.events.append({**own, **last, "ts": text_us(BASE_NS + start)})

    def _metadata(self) -> list[Event]:
        events: list[Event] = []
        for process, name in enumerate(NAMES):
            own = {"ph": "M", "pid": self._pid(process), "tid": 0}
            label = "CPU" if process in (PYTHON, CANN) else f"NPU {self.rank}"
            events.append({**own, "name": "process_name", "args": {"name": name}})
            events.append({**own, "name": "process_labels", "args": {"labels": label}})
        rows = dict(self._rows)
        rows.update({(OVERLAP, number): name for number, name in enumerate(ROWS)})
        for (process, tid), name in rows.items():
            own = {"ph": "M", "pid": self._pid(process), "tid": tid, "name": "thread_name"}
            events.append({**own, "args": {"name": name}})
        return events

    def _overlap_analysis(self) -> list[Event]:
        before = len(self.events)
        for row, start, end in self._overlaps():
            self.complete(OVERLAP, row, ROWS[row], start, end, args={})
        added = self.events[before:]
        del self.events[before:]
        return added

    def _overlaps(self) -> list[tuple[int, int, int]]:
        """Return the intervals of the overlap analysis: row, start and end.

        The time between two neighbouring bounds of tasks is of one kind.
        """
        bounds = sorted({time for interval in (*self.computing, *self.moving) for time in interval})
        found = []
        for start, end in pairwise(bounds):
            computes = any(first <= start < last for first, last in self.computing)
            moves = any(first <= start < last for first, last in self.moving)
            if computes:
                found.append((COMPUTING, start, end))
            if moves:
                found.append((TOGETHER, start, end))
            if moves and not computes:
                found.append((EXPOSED, start, end))
            if not moves and not computes:
                found.append((FREE, start, end))
        return found
