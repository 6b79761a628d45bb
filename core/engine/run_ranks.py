"""Runs strategies that torch drives: a process for each rank, whose reports are gathered."""

from __future__ import annotations

import json
import os
import queue
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import asdict

import pyarrow as pa
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from core.engine.executor import Stopped
from core.engine.hardware import find_hardware
from core.engine.messages import COLLECTIVES_LEVEL, DONE_LEVEL, FAILED_LEVEL, Rows
from core.engine.prepare import Prepared
from core.engine.rank_expectation import completed, from_text
from core.engine.stop import Stop
from core.engine.wire import describe_exit, receive
from core.plan.strategy import Collectives
from core.trace.schema import RECORDS, Record
from core.trace.writer import TaskColumns, TraceWriter

MATCHED = ("lane", "kind", "replica", "block", "bucket", "payload")
LAST_WORDS_SECONDS = 1.0
HOST = "127.0.0.1"
_SPAN = RECORDS.index(Record.SPAN)
_LOG = RECORDS.index(Record.LOG)

Report = tuple[int, pa.RecordBatch | None]


class RankError(RuntimeError):
    """A rank failed, ended, or reported what the plan does not have."""


def run_on_ranks(prepared: Prepared, writer: TraceWriter, stop: Stop) -> None:
    """Run every step in rank processes. Raises Stopped on request, RankError if a rank fails."""
    _log_shares(prepared, writer)
    if prepared.specification.blocks:
        writer.log("warning", "blocks are not recorded: torch runs the ranks by itself")
    reports: queue.SimpleQueue[Report | None] = queue.SimpleQueue()
    store = _open_store()
    with ExitStack() as stack:
        stack.enter_context(stop.calls(lambda: reports.put(None)))
        ranks = [
            stack.enter_context(_RankProcess(prepared, rank, store.port, reports))
            for rank in range(len(prepared.lanes))
        ]
        _gather(prepared, writer, ranks, reports)


def _open_store() -> TCPStore:
    """Where ranks meet. The socket is made here: torch's own would listen on every interface."""
    listener = socket.create_server((HOST, 0))
    port = listener.getsockname()[1]
    return TCPStore(
        HOST, port, is_master=True, wait_for_workers=False, master_listen_fd=listener.detach()
    )


def backend_of(prepared: Prepared) -> str:
    """NCCL where every rank has a GPU of its own (it refuses two on one); else gloo."""
    devices = [lane.device for lane in prepared.lanes]
    alone = len(set(devices)) == len(devices)
    return "nccl" if devices[0] != "cpu" and alone else "gloo"


class _RankProcess:
    """A rank as a context manager: leaving it ends the process, and waits for it."""

    def __init__(
        self, prepared: Prepared, rank: int, port: int, reports: queue.SimpleQueue[Report | None]
    ) -> None:
        self.rank = rank
        self._reports = reports
        self._settings = json.dumps(
            {
                "rank": rank,
                "world": len(prepared.lanes),
                "port": port,
                "backend": backend_of(prepared),
                "origin_ns": prepared.header.origin_ns,
                "specification": prepared.specification.to_dict(),
                "hardware": asdict(find_hardware()),
            }
        )
        self._environment = {**os.environ, "OMP_NUM_THREADS": str(prepared.lanes[rank].cores or 1)}
        # Ranks of one machine meet on the loopback interface, whatever its host name resolves to.
        self._environment["GLOO_SOCKET_IFNAME"] = "lo0" if sys.platform == "darwin" else "lo"

    def __enter__(self) -> _RankProcess:
        self._wire, wire = os.pipe()
        lifeline, self._lifeline = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "core.engine.rank", str(wire), str(lifeline), self._settings],
            pass_fds=(wire, lifeline),
            stdin=subprocess.DEVNULL,
            env=self._environment,
        )
        os.close(wire)
        os.close(lifeline)
        self._reader = threading.Thread(target=self._read, daemon=True, name=f"rank {self.rank}")
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._lifeline)
        self._reader.join()

    def _read(self) -> None:
        try:
            with os.fdopen(self._wire, "rb") as file:
                for message in receive(pa.PythonFile(file, "r")):
                    if isinstance(message, Rows):
                        self._reports.put((self.rank, message.batch))
        finally:  # whatever goes wrong here, nobody waits for more
            self._reports.put((self.rank, None))


def _gather(
    prepared: Prepared,
    writer: TraceWriter,
    ranks: list[_RankProcess],
    reports: queue.SimpleQueue[Report | None],
) -> None:
    """Pass the ranks' rows on until all have ended."""
    matcher = Matcher(prepared)
    going = set(range(len(ranks)))
    words: dict[int, str] = {}
    deadline: float | None = None
    while going:
        try:
            wait = None if deadline is None else max(0.0, deadline - time.monotonic())
            report = reports.get(timeout=wait)
        except queue.Empty:
            break
        if report is None:
            raise Stopped
        rank, batch = report
        if batch is not None:
            said, rows = matcher.take(rank, batch)
            if said is not None:
                words[rank] = said
            if rows is not None:
                writer.forward(rows)
        else:
            going.discard(rank)
            ranks[rank].process.wait()
            if rank not in matcher.done and deadline is None:
                # One rank's end breaks the others' collectives: hear them all, then blame the
                # one that did not say why.
                deadline = time.monotonic() + LAST_WORDS_SECONDS
    if deadline is not None:
        raise RankError(_blame(ranks, words, matcher.done))


def _blame(ranks: list[_RankProcess], words: dict[int, str], done: set[int]) -> str:
    codes = {rank.rank: rank.process.poll() for rank in ranks}
    for rank, code in codes.items():
        if code is not None and rank not in words and rank not in done:
            return f"rank {rank} (process {ranks[rank].process.pid}) {describe_exit(code)}"
    rank, said = next(iter(words.items()))
    return f"rank {rank}: {said}"


class Matcher:
    """Completes the plan from what ranks report, and holds their spans against it."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self.done: set[int] = set()
        self._agreed: dict[int, tuple[int, Collectives]] = {}
        self._columns: dict[tuple[int, int | None], TaskColumns] = {}

    def take(self, rank: int, batch: pa.RecordBatch) -> tuple[str | None, pa.RecordBatch | None]:
        """A rank's last words if the batch has them, and the rows to pass on.

        Raises RankError if a span has no task, or if ranks disagree on their collectives.
        """
        records = batch["record"].indices
        codes = records.to_pylist()
        if _LOG in codes:
            said, keep = None, []
            for row, (level, text, step) in enumerate(
                zip(*(batch[n].to_pylist() for n in ("name", "text", "step")), strict=True)
            ):
                if codes[row] == _LOG and level == COLLECTIVES_LEVEL:
                    self._agree(rank, step, from_text(text))
                elif codes[row] == _LOG and level == FAILED_LEVEL:
                    said = text
                elif codes[row] == _LOG and level == DONE_LEVEL:
                    self.done.add(rank)
                else:
                    keep.append(row)
            return said, batch.take(pa.array(keep, pa.int64())) if keep else None
        if _SPAN in codes:
            spans = [row for row, code in enumerate(codes) if code == _SPAN]
            self._match(rank, batch.take(pa.array(spans)))
        return None, batch

    def _agree(self, rank: int, step: int, collectives: Collectives) -> None:
        other, known = self._agreed.setdefault(step, (rank, collectives))
        if known != collectives:
            raise RankError(f"ranks {other} and {rank} have different collectives in step {step}")

    def _match(self, rank: int, batch: pa.RecordBatch) -> None:
        step = batch["step"][0].as_py()
        columns = self._columns_of(step)
        tasks = batch["task"]
        if max(tasks.to_pylist()) >= len(columns):
            raise RankError(f"rank {rank} reports a task that the plan of step {step} has not")
        planned = columns.take(tasks.to_pylist())
        for name in MATCHED:
            if planned[name].to_pylist() != batch[name].to_pylist():
                raise RankError(f"rank {rank}, step {step}: {name} of a span is not its task's")

    def _columns_of(self, step: int) -> TaskColumns:
        """Task columns of a step: its plan completed with the collectives last agreed on."""
        since = max((s for s in self._agreed if s <= step), default=None)
        rows = self._prepared.specification.all_rows[step]
        key = rows, since
        if key not in self._columns:
            agreed = None if since is None else self._agreed[since][1]
            self._columns[key] = TaskColumns(completed(self._prepared, rows, agreed).tasks)
        return self._columns[key]


def _log_shares(prepared: Prepared, writer: TraceWriter) -> None:
    """Say how a batch is shared that does not divide by the ranks."""
    world = len(prepared.lanes)
    for rows, plan in prepared.plans.items():
        if rows % world:
            shares = ", ".join(str(part.rows) for part in plan.parts)
            writer.log(
                "info",
                f"{rows} rows do not divide by {world} ranks: shared unpadded as {shares}; "
                f"DistributedSampler would repeat {-rows % world} rows instead",
            )
    writer.log("info", f"{world} ranks on {backend_of(prepared)}; all steps begin together")
