"""Runs strategies that torch drives: starts a process for each rank and collects their rows."""

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
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from torch.distributed import TCPStore  # type: ignore[attr-defined]

from core.engine.failures import RunStopped
from core.engine.messages import Ended, EngineMessage, Outcome, receive
from core.engine.prepare import Prepared
from core.message import Message, message
from core.process.child import Child, Exit
from core.process.starts import ModuleStart
from core.recording.decode import numbers_of
from core.recording.schema import TraceWriter

REASONS_SECONDS = 1.0
"""Limit on the wait for the reasons of the other ranks after one has ended early."""
STOP_SECONDS = 0.7
"""Limit on the time that ranks take to send their rows and end after a request to stop."""
POLL_SECONDS = 0.1
"""Time between two checks for a request to stop."""
HOST = "127.0.0.1"

RANK = "core.engine.ranks.start"

Report: TypeAlias = "tuple[int, EngineMessage | Exit]"
"""A rank, and either its message or the end of its process."""


class RankError(RuntimeError):
    """A rank has failed, has ended, or has run other collectives than another rank."""


def run_on_ranks(prepared: Prepared, writer: TraceWriter, stop: threading.Event) -> None:
    """Run every step in rank processes. Raise RunStopped on request, RankError if a rank fails."""
    _log_shares(prepared, writer)
    if prepared.specification.blocks:
        writer.log("warning", "blocks are not recorded: torch runs the ranks by itself")
    # Reader threads, one for each rank, only put into the queue. Only this thread takes from it, so
    # the writer and PlanNumbers need no lock.
    reports: queue.SimpleQueue[Report] = queue.SimpleQueue()
    store = _open_store()
    with ExitStack() as stack:
        ranks: list[Child[EngineMessage]] = []
        for rank in range(len(prepared.lanes)):
            ranks.append(_start_rank(prepared, rank, store.port, reports))
            # If a later rank cannot be started, this one is closed.
            stack.callback(ranks[-1].close)
        _collect(writer, ranks, reports, stop)


def _open_store() -> TCPStore:
    """Open the store for the ranks' rendezvous.

    Its socket listens on the loopback interface only; torch's own would listen on all interfaces.
    """
    listener = socket.create_server((HOST, 0))
    port = listener.getsockname()[1]
    return TCPStore(
        HOST,
        port,
        is_master=True,
        wait_for_workers=False,
        master_listen_fd=listener.detach(),
    )


def _start_rank(
    prepared: Prepared, rank: int, port: int, reports: queue.SimpleQueue[Report]
) -> Child[EngineMessage]:
    """Start a rank; its rows and its end go to `reports`."""
    variables = {
        # OpenMP reads it when torch is imported; it holds for threads that set no other number.
        "OMP_NUM_THREADS": str(prepared.lanes[rank].cores or 1),
        # The ranks connect over the loopback interface, whatever the host's name resolves to.
        "GLOO_SOCKET_IFNAME": "lo0" if sys.platform == "darwin" else "lo",
    }
    settings = {
        "rank": rank,
        "port": port,
        "origin_ns": prepared.header.origin_ns,
        "specification": prepared.specification.to_dict(),
        "hardware": prepared.header.hardware,
    }

    def listener(received: EngineMessage | Exit) -> None:
        reports.put((rank, received))

    child = Child(ModuleStart(RANK, variables), receive, listener)
    child.send(json.dumps(settings).encode())
    return child


def _collect(
    writer: TraceWriter,
    ranks: Sequence[Child[EngineMessage]],
    reports: queue.SimpleQueue[Report],
    stop: threading.Event,
) -> None:
    """Pass the ranks' rows on until all ranks have ended, by themselves or on request."""
    plans = PlanNumbers()
    ended: dict[int, Ended] = {}
    exits: dict[int, Message] = {}
    # Finite once a stop is requested or a rank has ended early. Ranks that run longer than this are
    # ended, and the rows that they have not sent are lost.
    deadline = math.inf
    is_stopping = False
    while len(exits) < len(ranks) and time.monotonic() < deadline:
        if stop.is_set() and not is_stopping:
            is_stopping = True
            deadline = min(deadline, time.monotonic() + STOP_SECONDS)
            for child in ranks:
                child.send(b"stop")
        try:
            rank, received = reports.get(timeout=POLL_SECONDS)
        except queue.Empty:
            continue
        if isinstance(received, pa.RecordBatch):
            rows = plans.renumbered(rank, received)
            if rows is not None:
                writer.forward(rows)
        elif isinstance(received, Ended):
            ended[rank] = received
        elif isinstance(received, Exit):
            exits[rank] = message(
                "rank {rank} (process {pid}) {how}",
                rank=rank,
                pid=ranks[rank].pid,
                how=received.how,
            )
            has_finished = rank in ended and ended[rank].outcome is Outcome.FINISHED
            if not has_finished and deadline == math.inf:
                # The end of one rank breaks the collectives of the others. Collect all reasons
                # before choosing one.
                deadline = time.monotonic() + REASONS_SECONDS
    # A stopped run has not failed, whatever its ranks reported while they ended.
    if is_stopping:
        raise RunStopped
    if deadline < math.inf:
        # A rank that fails sends the reason. A rank that was killed, for example by the kernel when
        # memory ran out, sends nothing; then the errors of the others (a lost connection) are only
        # its consequence.
        silent = [text for rank, text in exits.items() if rank not in ended]
        reasons = []
        for rank, end in ended.items():
            if end.text:
                reasons.append(message("rank {rank}: {reason}", rank=rank, reason=end.text))
        raise RankError((silent + reasons)[0])


class PlanNumbers:
    """Maps the plan numbers of each rank to the run's plan numbers.

    Every rank sends the whole plan of a step, completed with the collectives that torch ran. So all
    ranks must send the same plans.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._of_rank: dict[int, list[int]] = defaultdict(list)
        self._of_step: dict[int, tuple[int, int]] = {}

    def renumbered(self, rank: int, batch: pa.RecordBatch) -> pa.RecordBatch | None:
        """Return a rank's batch with the run's plan numbers.

        None for a plan that another rank has sent already. Raise RankError if ranks ran different
        collectives in a step.
        """
        of_rank = self._of_rank[rank]
        # A rank sends three kinds of batches: counters and log lines, which name no plan; the tasks
        # of a plan, before its first span; and spans and open tasks.
        if len(batch) and batch["plan"].null_count:
            return batch
        if batch["tasks"].null_count < len(batch):
            # Compared by its bytes, because ranks that expect the same tasks write the same batch,
            # whatever number each of them gives it.
            serialized = batch.select(["tasks"]).serialize().to_pybytes()
            is_known = serialized in self._numbers
            of_rank.append(self._numbers.setdefault(serialized, len(self._numbers)))
            if is_known:
                return None
            return _with_plans(batch, np.array(of_rank[-1:]))
        plans = np.array(of_rank)[numbers_of(batch, "plan")]
        self._check_agreement(rank, batch, plans)
        return _with_plans(batch, plans)

    def _check_agreement(self, rank: int, batch: pa.RecordBatch, plans: NDArray[np.int64]) -> None:
        """Raise RankError if another rank has other plans in the spans' steps."""
        # Open tasks are not compared: their plan may change when torch reports its collectives.
        # Spans belong to the completed plan.
        has_ended = batch["end"].is_valid().to_numpy(zero_copy_only=False)
        steps = numbers_of(batch, "step")[has_ended]
        pairs = set(zip(steps.tolist(), plans[has_ended].tolist(), strict=True))
        for step, plan in sorted(pairs):
            other, agreed = self._of_step.setdefault(step, (rank, plan))
            if agreed != plan:
                raise RankError(
                    message(
                        "ranks {other} and {rank} ran different collectives in step {step}",
                        other=other,
                        rank=rank,
                        step=step,
                    )
                )


def _with_plans(batch: pa.RecordBatch, plans: NDArray[np.int64]) -> pa.RecordBatch:
    place = batch.schema.get_field_index("plan")
    column = pa.array(plans, pa.int32())
    return batch.set_column(place, batch.schema.field(place), column)


def _log_shares(prepared: Prepared, writer: TraceWriter) -> None:
    """Log the shares of each batch whose rows cannot be divided equally, and the backend."""
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
