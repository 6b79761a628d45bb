"""Runs strategies that torch drives: a process for each rank, whose reports are gathered."""

from __future__ import annotations

import json
import math
import queue
import socket
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from core.engine.client import receive
from core.engine.failures import Stopped
from core.engine.messages import Ended, Message, Outcome
from core.engine.prepare import Prepared
from core.process.child import Child
from core.recording.decode import numbers_of
from core.recording.schema import TraceWriter

LAST_WORDS_SECONDS = 1.0
STOP_SECONDS = 0.7  # what ranks are given to send what they have measured, and to end
LOOK_SECONDS = 0.1  # between two looks whether to stop
HOST = "127.0.0.1"

RANK = "core.engine.ranks.rank"

Report = tuple[int, Message | str]
"""A rank, and a message of it or how its process ended."""


class RankError(RuntimeError):
    """A rank failed, ended, or reported what the plan does not have."""


def run_on_ranks(prepared: Prepared, writer: TraceWriter, stop: threading.Event) -> None:
    """Run every step in rank processes. Raises Stopped on request, RankError if a rank fails."""
    _log_shares(prepared, writer)
    if prepared.specification.blocks:
        writer.log("warning", "blocks are not recorded: torch runs the ranks by itself")
    # One reader thread for each rank puts, this thread alone
    # takes: so the writer and PlanNumbers need no lock.
    reports: queue.SimpleQueue[Report] = queue.SimpleQueue()
    store = _open_store()
    with ExitStack() as stack:
        ranks: list[Child[Message]] = []
        for rank in range(len(prepared.lanes)):
            ranks.append(_start_rank(prepared, rank, store.port, reports))
            # At once, for each: if the next one cannot be
            # started, those that run already are ended.
            stack.callback(ranks[-1].close)
        _gather(writer, ranks, reports, stop)


def _open_store() -> TCPStore:
    """Where ranks meet. The socket is made here: torch's own would listen on every interface."""
    listener = socket.create_server((HOST, 0))
    port = listener.getsockname()[1]
    return TCPStore(
        HOST, port, is_master=True, wait_for_workers=False, master_listen_fd=listener.detach()
    )


def _start_rank(
    prepared: Prepared, rank: int, port: int, reports: queue.SimpleQueue[Report]
) -> Child[Message]:
    """Start a rank, whose rows and end go to `reports`."""
    variables = {
        # Read by OpenMP when torch is imported, and taken by
        # threads that set no number of their own.
        "OMP_NUM_THREADS": str(prepared.lanes[rank].cores or 1),
        # Ranks of one machine meet on the loopback interface, whatever its host name resolves to.
        "GLOO_SOCKET_IFNAME": "lo0" if sys.platform == "darwin" else "lo",
    }
    settings = {
        "rank": rank,
        "port": port,
        "origin_ns": prepared.header.origin_ns,
        "specification": prepared.specification.to_dict(),
        "hardware": prepared.header.hardware,
    }

    def listener(message: Message | str) -> None:
        reports.put((rank, message))

    child = Child(RANK, receive, listener, variables)
    child.send(json.dumps(settings).encode())
    return child


def _gather(
    writer: TraceWriter,
    ranks: Sequence[Child[Message]],
    reports: queue.SimpleQueue[Report],
    stop: threading.Event,
) -> None:
    """Pass the ranks' rows on until all have ended, of their own accord or as they are asked to."""
    plans = PlanNumbers()
    words: dict[int, Ended] = {}
    ends: dict[int, str] = {}
    # Finite from a request to stop or a rank's failure on; ranks that
    # are silent by then are ended, and what they have not sent is lost.
    deadline, is_stopping = math.inf, False
    while len(ends) < len(ranks) and time.monotonic() < deadline:
        if stop.is_set() and not is_stopping:
            is_stopping, deadline = True, min(deadline, time.monotonic() + STOP_SECONDS)
            for child in ranks:
                child.send(b"stop")
        try:
            rank, message = reports.get(timeout=LOOK_SECONDS)
        except queue.Empty:
            continue
        if isinstance(message, pa.RecordBatch):
            if (rows := plans.renumbered(rank, message)) is not None:
                writer.forward(rows)
        elif isinstance(message, Ended):
            words[rank] = message
        elif isinstance(message, str):
            ends[rank] = f"rank {rank} (process {ranks[rank].pid}) {message}"
            is_done = rank in words and words[rank].outcome is Outcome.FINISHED
            if not is_done and deadline == math.inf:
                # One rank's end breaks the others' collectives: hear them all, then blame the
                # one that did not say why.
                deadline = time.monotonic() + LAST_WORDS_SECONDS
    # A stopped run is no failure, whatever ranks said while they were being ended.
    if is_stopping:
        raise Stopped
    if deadline < math.inf:
        # A rank that fails by itself sends why; one that was killed, by the kernel for want of
        # memory for one, could not. So the silent one is the cause, and what the others send
        # (a lost connection) its effect.
        silent = [end for rank, end in ends.items() if rank not in words]
        reasons = [f"rank {rank}: {word.text}" for rank, word in words.items() if word.text]
        raise RankError((silent + reasons)[0])


class PlanNumbers:
    """Gives the ranks' plans, which each rank numbers by itself, their numbers in the run.

    A rank sends the whole plan of a step, completed with the collectives that torch ran in it: so
    what ranks send must be the same.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._of_rank: dict[int, list[int]] = defaultdict(list)
        self._of_step: dict[int, tuple[int, int]] = {}

    def renumbered(self, rank: int, batch: pa.RecordBatch) -> pa.RecordBatch | None:
        """A rank's batch as the run has it; None for a plan that another rank has sent already.

        Raises RankError if ranks ran different collectives in a step.
        """
        of_rank = self._of_rank[rank]
        # Three sorts of batches come from a rank: counters and log
        # lines, which name no plan; the tasks of a plan, told before
        # its first span; and spans and open tasks of plans told before.
        if len(batch) and batch["plan"].null_count:
            return batch
        if batch["tasks"].null_count < len(batch):
            serialized = batch.select(["tasks"]).serialize().to_pybytes()
            # By its bytes: ranks that expect the same tasks write
            # the same batch, whatever number each gives it.
            known = serialized in self._numbers
            of_rank.append(self._numbers.setdefault(serialized, len(self._numbers)))
            return None if known else _with_plans(batch, np.array(of_rank[-1:]))
        plans = np.array(of_rank)[numbers_of(batch, "plan")]
        ended = batch["end"].is_valid().to_numpy(zero_copy_only=False)
        steps = numbers_of(batch, "step")
        # Of ended tasks only: what is open may still be renamed when torch reports its
        # collectives, but a span is of the completed plan, on which all ranks must agree.
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
    writer.log("info", f"{world} ranks on {prepared.backend}; all steps begin together")
