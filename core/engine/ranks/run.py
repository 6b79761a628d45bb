"""Runs strategies that torch drives: a process for each rank, whose reports are gathered."""

from __future__ import annotations

import json
import queue
import socket
import sys
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import asdict
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from core.engine.hardware import find_hardware
from core.engine.lanes.executor import Stopped
from core.engine.messages import DONE_LEVEL, FAILED_LEVEL, Message, Rows
from core.engine.prepare import Prepared
from core.engine.stop import Stop
from core.engine.wire import receive
from core.plan.lanes import meet_in_nccl
from core.process.child import Child
from core.recording.decode import numbers_of
from core.recording.writer import TraceWriter

LAST_WORDS_SECONDS = 1.0
HOST = "127.0.0.1"

RANK = "core.engine.ranks.rank"

Report = tuple[int, pa.RecordBatch | str]
"""A rank, and what it told or how it ended."""


class Word(NamedTuple):
    """The last word of a rank: the level of its row, done or failed, and the text."""

    level: str
    text: str


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
        for rank in range(len(prepared.lanes)):
            stack.callback(_start_rank(prepared, rank, store.port, reports).close)
        _gather(writer, len(prepared.lanes), reports)


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


def _start_rank(
    prepared: Prepared, rank: int, port: int, reports: queue.SimpleQueue[Report | None]
) -> Child[Message]:
    """Start a rank, whose rows and end go to `reports`."""
    variables = {
        "OMP_NUM_THREADS": str(prepared.lanes[rank].cores or 1),
        # Ranks of one machine meet on the loopback interface, whatever its host name resolves to.
        "GLOO_SOCKET_IFNAME": "lo0" if sys.platform == "darwin" else "lo",
    }
    settings = {
        "rank": rank,
        "world": len(prepared.lanes),
        "port": port,
        "backend": backend_of(prepared),
        "origin_ns": prepared.header.origin_ns,
        "specification": prepared.specification.to_dict(),
        "hardware": asdict(find_hardware()),
    }

    def listener(message: Message) -> None:
        if isinstance(message, Rows):
            reports.put((rank, message.batch))

    def on_exit(how: str) -> None:
        reports.put((rank, f"rank {rank} (process {child.pid}) {how}"))

    child = Child(RANK, receive, listener, on_exit, variables)
    child.send(json.dumps(settings).encode())
    return child


def _gather(writer: TraceWriter, world: int, reports: queue.SimpleQueue[Report | None]) -> None:
    """Pass the ranks' rows on until all have ended."""
    plans = Plans()
    words: dict[int, Word] = {}
    ends: dict[int, str] = {}
    deadline: float | None = None
    while len(ends) < world:
        try:
            wait = None if deadline is None else max(0.0, deadline - time.monotonic())
            report = reports.get(timeout=wait)
        except queue.Empty:
            break
        if report is None:
            raise Stopped
        rank, told = report
        if isinstance(told, str):
            ends[rank] = told
            if (rank not in words or words[rank].level != DONE_LEVEL) and deadline is None:
                # One rank's end breaks the others' collectives: hear them all, then blame the
                # one that did not say why.
                deadline = time.monotonic() + LAST_WORDS_SECONDS
        else:
            batch, word = without_last_word(told)
            if word is not None:
                words[rank] = word
            if (rows := plans.renumbered(rank, batch)) is not None:
                writer.forward(rows)
    if deadline is not None:
        silent = [end for rank, end in ends.items() if rank not in words]
        said = [f"rank {rank}: {w.text}" for rank, w in words.items() if w.level == FAILED_LEVEL]
        raise RankError((silent + said)[0])


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
            return batch.take(pa.array(kept, pa.int64())), Word(note[0]["name"], note[0]["text"])
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
