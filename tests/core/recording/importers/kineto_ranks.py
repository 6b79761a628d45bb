"""Made-up ranks of a pipeline as PyTorch's profiler records them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.recording.recording import open_recording
from core.trace.trace import Trace
from tests.core.recording.importers.kineto_files import kineto_file

Event = dict[str, Any]
MAIN, AUTOGRAD = 100, 101
"""Threads of the host: the job's own, and the one that runs backward passes."""
COMPUTE, EXCHANGE = 7, 20
"""Streams of the device: one that computes, and one that communicates."""
SEND_RECV = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
ALL_TO_ALL = "void deep_ep::internode::dispatch<false, 4, true>(int4*, float*)"


class RankFile:
    """The events of a rank; times are µs."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.events: list[Event] = []
        self.groups: list[dict[str, Any]] | None = None
        self._number = 0

    def event(self, cat: str, name: str, ts: float, dur: float, tid: int, **args: Any) -> None:
        """Add a complete event of the host, or of a stream."""
        pid = 0 if cat == "kernel" else 9
        own = {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid}
        self.events.append({**own, "ts": ts, "dur": dur, "args": args})

    def step(self, number: int, ts: float, dur: float) -> None:
        """Add a step of the profiler."""
        self.mark(f"ProfilerStep#{number}", ts, dur)

    def mark(self, name: str, ts: float, dur: float, tid: int = MAIN) -> None:
        """Add an annotation of a thread."""
        self.event("user_annotation", name, ts, dur, tid)

    def kernel(
        self,
        name: str,
        call: float,
        ts: float,
        dur: float,
        stream: int = COMPUTE,
        tid: int = MAIN,
        **args: Any,
    ) -> None:
        """Add a task of a stream, and the call that launches it."""
        self._number += 1
        numbers = {"correlation": self._number, "External id": self._number}
        self.event("cuda_runtime", "cudaLaunchKernel", call, 1, tid, **numbers)
        self.event("kernel", name, ts, dur, stream, **numbers, stream=stream, **args)

    def transfer(
        self, to: int, call: float, ts: float, dur: float, sends: bool, way: str = "arguments"
    ) -> None:
        """Add a kernel that sends to a rank or receives from it.

        The file names the other rank in the kernel's arguments, in an annotation around the launch,
        or in a call before the launch of a kernel for several transfers: `way` is arguments, name
        or call.
        """
        word, arrow = ("send", "->") if sends else ("recv", "<-")
        peer = {"Collective name": word, "Dst Rank" if sends else "Src Rank": to}
        args: dict[str, Any] = {"Collective name": word}
        if way == "arguments":
            args = peer
        elif way == "name":
            self.mark(f"nccl:{word} {self.rank}{arrow}{to}", call - 1, 4)
        else:
            self.event("cpu_op", "record_param_comms", call - 1, 0.5, MAIN, **peer)
            args = {"Collective name": "coalesced"}
        self.kernel(SEND_RECV, call, ts, dur, EXCHANGE, **args)

    def exchange(
        self, call: float, ts: float, dur: float, sends: Sequence[int], receives: Sequence[int]
    ) -> None:
        """Add a kernel that sends to ranks and receives from ranks, all at once."""
        directions = [("send", "Dst Rank", to) for to in sends]
        directions += [("recv", "Src Rank", sender) for sender in receives]
        for word, name, other in directions:
            peer = {"Collective name": word, name: other}
            self.event("cpu_op", "record_param_comms", call - 1, 0.5, MAIN, **peer)
        args = {"Collective name": "coalesced", "Process Group Name": "0"}
        self.kernel(SEND_RECV, call, ts, dur, EXCHANGE, **args)

    def written(self, ranks: int) -> dict[str, Any]:
        """Return the rank's file with its heading."""
        told = kineto_file(self.rank, self.events, ranks)
        if self.groups is not None:
            told["distributedInfo"]["pg_config"] = self.groups
        return told


def opened(folder: Path, *files: RankFile) -> Trace:
    """Return the trace of a folder with the ranks' files."""
    for file in files:
        path = folder / f"rank{file.rank}.pt.trace.json"
        path.write_text(json.dumps(file.written(len(files))))
    return open_recording(folder).trace
