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
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import asdict

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from core.engine.hardware import find_hardware
from core.engine.lanes.executor import Stopped
from core.engine.messages import DONE_LEVEL, FAILED_LEVEL, Rows
from core.engine.prepare import Prepared
from core.engine.stop import Stop
from core.engine.wire import describe_exit, receive
from core.plan.lanes import meet_in_nccl
from core.recording.decode import numbers_of
from core.recording.writer import TraceWriter

LAST_WORDS_SECONDS = 1.0
HOST = "127.0.0.1"

Report = tuple[int, pa.RecordBatch | None]
Word = tuple[str, str]
"""The last word of a rank: the level of its row, done or failed, and the text."""


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
        _gather(writer, ranks, reports)


def _open_store() -> TCPStore:
    """Where ranks meet. The socket is made here: torch's own would listen on every interface."""
    listener = socket.create_server((HOST, 0))
    port = listener.getsockname()[1]
    return TCPStore(
        HOST, port, is_master=True, wait_for_workers=False, master_listen_fd=listener.detach()
    )


def backend_of(prepared: Prepared) -> str:
    """NCCL where every rank has a GPU of its own, else gloo."""
    return "nccl" if meet_in_nccl(prepared.lanes) else "gloo"


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
            [
                sys.executable,
                "-P",
                "-m",
                "core.process.lifeline",
                str(lifeline),
                "core.engine.ranks.rank",
                str(wire),
                self._settings,
            ],
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
    writer: TraceWriter,
    ranks: list[_RankProcess],
    reports: queue.SimpleQueue[Report | None],
) -> None:
    """Pass the ranks' rows on until all have ended."""
    plans = Plans()
    going = set(range(len(ranks)))
    words: dict[int, Word] = {}
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
            batch, word = without_last_word(batch)
            if word is not None:
                words[rank] = word
            if (rows := plans.renumbered(rank, batch)) is not None:
                writer.forward(rows)
        else:
            going.discard(rank)
            ranks[rank].process.wait()
            if words.get(rank, ("", ""))[0] != DONE_LEVEL and deadline is None:
                # One rank's end breaks the others' collectives: hear them all, then blame the
                # one that did not say why.
                deadline = time.monotonic() + LAST_WORDS_SECONDS
    if deadline is not None:
        raise RankError(_blame(ranks, words))


def _blame(ranks: list[_RankProcess], words: dict[int, Word]) -> str:
    codes = {rank.rank: rank.process.poll() for rank in ranks}
    for rank, code in codes.items():
        if code is not None and rank not in words:
            return f"rank {rank} (process {ranks[rank].process.pid}) {describe_exit(code)}"
    failed = ((rank, text) for rank, (level, text) in words.items() if level == FAILED_LEVEL)
    return "rank {}: {}".format(*next(failed))


class Plans:
    """Gives the ranks' plans, which each rank numbers by itself, their numbers in the run.

    A rank tells the whole plan of a step, completed with the collectives that torch ran in it: so
    what ranks tell must be the same.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._of_rank: dict[int, list[int]] = defaultdict(list)
        self._of_step: dict[int, tuple[int, int]] = {}

    def renumbered(self, rank: int, batch: pa.RecordBatch) -> pa.RecordBatch | None:
        """A rank's batch as the run has it; None for a plan that another rank has told.

        Raises RankError if ranks ran different collectives in a step.
        """
        of_rank = self._of_rank[rank]
        if len(batch) and batch["plan"].null_count:
            return batch
        if batch["tasks"].null_count < len(batch):
            told = batch.select(["tasks"]).serialize().to_pybytes()
            known = told in self._numbers
            of_rank.append(self._numbers.setdefault(told, len(self._numbers)))
            return None if known else _with_plans(batch, np.array(of_rank[-1:]))
        plans = np.array(of_rank)[numbers_of(batch, "plan")]
        ended = batch["end"].is_valid().to_numpy(zero_copy_only=False)
        steps = numbers_of(batch, "step")
        for step, plan in sorted(
            set(zip(steps[ended].tolist(), plans[ended].tolist(), strict=True))
        ):
            other, agreed = self._of_step.setdefault(step, (rank, plan))
            if agreed != plan:
                raise RankError(
                    f"ranks {other} and {rank} ran different collectives in step {step}"
                )
        return _with_plans(batch, plans)


def _with_plans(batch: pa.RecordBatch, plans: NDArray[np.int64]) -> pa.RecordBatch:
    place = batch.schema.get_field_index("plan")
    return batch.set_column(place, batch.schema.field(place), pa.array(plans, pa.int32()))


def without_last_word(batch: pa.RecordBatch) -> tuple[pa.RecordBatch, Word | None]:
    """A batch without the row with which a rank ends, if it has one, and that row."""
    notes = batch["note"].to_pylist()
    for place, note in enumerate(notes):
        if note and note[0]["name"] in (FAILED_LEVEL, DONE_LEVEL):
            kept = [row for row in range(len(batch)) if row != place]
            return batch.take(pa.array(kept, pa.int64())), (note[0]["name"], note[0]["text"])
    return batch, None


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
