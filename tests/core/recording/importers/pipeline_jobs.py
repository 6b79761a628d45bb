"""Made-up pipeline jobs with a known truth, as the files of other programs would describe them.

The jobs are simulated here, without core's simulator: each pass waits for the previous pass of its
rank and for the data from the neighbouring stage. All replicas and steps are simulated at once.

    job = make_job(JobOptions(ranks=4, replicas=2, fault=Fault.WORKER))
    job.table           # one entry for each event: step, replica, rank, name, microbatch, ...
    job.truth.saved     # the share of the job's time that the fault costs
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.plan.schedules import SCHEDULES
from core.plan.schedules.schedule import Action
from core.plan.task import ABSENT, KIND_CODES, PASSES, Kind
from core.recording.importers.imported_events import ImportedEvents
from core.recording.importers.pipeline_places import Transfer
from core.recording.importers.pipeline_table import PipelineTable, events_of_table
from core.recording.importers.to_trace import trace_of_events
from core.trace.trace import Trace

FORWARD, BACKWARD = "forward-compute", "backward-compute"
FORWARD_SEND, FORWARD_RECV = "forward-send", "forward-recv"
BACKWARD_SEND, BACKWARD_RECV = "backward-send", "backward-recv"
ALL_GATHER, REDUCE_SCATTER = "params-all-gather", "grads-reduce-scatter"
OPTIMIZER = "optimizer"
NAMES = (
    FORWARD,
    BACKWARD,
    FORWARD_SEND,
    FORWARD_RECV,
    BACKWARD_SEND,
    BACKWARD_RECV,
    ALL_GATHER,
    REDUCE_SCATTER,
    OPTIMIZER,
)
MS = 1_000_000

Floats = NDArray[np.float64]


class Fault(StrEnum):
    """What makes a made-up job slower than an even one."""

    NOTHING = "nothing"
    WORKER = "worker"
    STAGE = "stage"
    LENGTHS = "lengths"


@dataclass(frozen=True, slots=True)
class JobOptions:
    """The options of a made-up job; times are ns.

    A pass of a micro-batch takes `forward` or `backward` on a rank without a fault, divided among
    the rank's chunks. `noise` is the relative scatter of each pass, and `host` the mean time that
    passes before the host starts one. `sends` says whether sends and receives are recorded.
    `shift` is the largest error of a rank's clock, which differs in each step if `own_clocks`.

    A slow worker or stage takes `amount` times as long. Random lengths have a relative scatter of
    `amount` - 1 over the micro-batches of all steps and replicas.
    """

    ranks: int = 4
    replicas: int = 1
    microbatches: int = 8
    chunks: int = 1
    steps: int = 6
    schedule: str = "1f1b"
    sends: bool = True
    shift: int = 0
    own_clocks: bool = False
    fault: Fault = Fault.NOTHING
    amount: float = 1.5
    noise: float = 0.01
    host: int = 20_000
    forward: int = 10 * MS
    backward: int = 20 * MS
    transfer: int = MS // 2
    collective: int = 5 * MS
    update: int = 3 * MS
    seed: int = 0

    @property
    def lanes(self) -> int:
        """Number of ranks of all replicas."""
        return self.ranks * self.replicas


@dataclass(frozen=True, slots=True)
class Truth:
    """The reason why a made-up job is slower than an even one, and how much slower it is.

    `worker` is the (replica, rank) of a slow worker and `stage` the number of a slow stage; None
    for other faults. `length` and `even_length` (ns, one for each step) are the lengths of the
    steps with and without the fault; noise, transfers and host times are the same in both.
    `clock` is the error of each rank's clock in ns, shape (steps, replicas, ranks).
    """

    fault: Fault
    worker: tuple[int, int] | None
    stage: int | None
    length: Floats
    even_length: Floats
    clock: NDArray[np.int64]

    @property
    def saved(self) -> float:
        """The share of the job's time that would be saved without the fault."""
        return 1 - float(self.even_length.sum() / self.length.sum())


@dataclass(frozen=True, slots=True)
class PipelineJob:
    """A made-up job: its options, its events as columns, and the truth about it.

    `table` has arrays with an entry for each event: `step` (from 1), `replica`, `rank`, `name` (a
    position in NAMES), `microbatch` and `chunk` (ABSENT if they do not apply), `start` and `end`
    in ns on the rank's clock. All steps begin at the job's start if ranks have their own clocks.
    """

    options: JobOptions
    table: dict[str, NDArray[np.int64]]
    truth: Truth


@dataclass(slots=True)
class _Events:
    """Events by name, rank, micro-batch and chunk; times have the shape (steps, replicas)."""

    keys: list[tuple[int, int, int, int]]
    times: list[tuple[Floats, Floats]]

    def add(
        self, name: str, rank: int, start: Floats, end: Floats, microbatch: int, chunk: int
    ) -> None:
        self.keys.append((NAMES.index(name), rank, microbatch, chunk))
        self.times.append((start, end))


def make_job(options: JobOptions) -> PipelineJob:
    """Return the job with these options; equal options give equal jobs."""
    random = np.random.default_rng(options.seed)
    shape = (options.steps, options.replicas)
    worker, stage = _place_of_fault(options, random)
    stages = options.ranks * options.chunks
    # Drawn for every pass in advance, so that the even job has the same noise.
    noise = random.lognormal(0, options.noise, (2, stages, options.microbatches, *shape))
    host = random.exponential(max(options.host, 1e-9), noise.shape)
    factor = np.ones(noise.shape)
    if worker is not None:
        replica, rank = worker
        factor[:, rank :: options.ranks, :, :, replica] = options.amount
    if stage is not None:
        factor[:, stage] = options.amount
    if options.fault is Fault.LENGTHS:
        lengths = random.lognormal(0, options.amount - 1, (options.microbatches, *shape))
        factor *= lengths[None, None]
    shifts = (options.steps if options.own_clocks else 1, options.replicas, options.ranks)
    clock = np.zeros(shifts, np.int64)
    if options.shift:
        clock = random.integers(-options.shift, options.shift + 1, shifts)
    clock = np.broadcast_to(clock, (options.steps, *shifts[1:]))
    events, length = _simulate(options, noise * factor, host)
    # An even job with random lengths has the mean length everywhere.
    even = np.ones(noise.shape)
    if options.fault is Fault.LENGTHS:
        even *= factor.mean()
    _, even_length = _simulate(options, noise * even, host)
    truth = Truth(options.fault, worker, stage, length, even_length, clock)
    return PipelineJob(options, _table(options, events, length, clock), truth)


def random_options(seed: int, fault: Fault | None = None) -> JobOptions:
    """Return options for one of many different jobs: 4 to 256 lanes, any schedule, any fault."""
    random = np.random.default_rng(seed)
    ranks = int(random.choice([4, 8, 16]))
    replicas = int(random.choice([each for each in (1, 2, 4, 8, 16, 32) if each * ranks <= 256]))
    chunks = int(random.choice([1, 2]))
    return JobOptions(
        ranks=ranks,
        replicas=replicas,
        microbatches=ranks * int(random.choice([1, 2])),
        chunks=chunks,
        steps=int(random.integers(5, 12)),
        schedule="interleaved" if chunks > 1 else "1f1b",
        sends=bool(random.integers(2)),
        shift=int(random.choice([0, MS])),
        fault=fault or Fault(random.choice(list(Fault))),
        amount=float(random.uniform(1.2, 1.6)),
        seed=seed,
    )


def without_sends(options: JobOptions) -> JobOptions:
    """Return the same job with its sends and receives not recorded."""
    return replace(options, sends=False)


def write_primus(job: PipelineJob, folder: Path) -> None:
    """Write the first replica of a job as Primus dumps it; see `primus_files`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in primus_files(job).items():
        (folder / name).write_text(text)


def primus_files(job: PipelineJob) -> dict[str, str]:
    """Return the files of Primus' dump of a job's first replica, by name.

    A file for each rank has the starts and ends of passes in ms by iteration, in the order in which
    they ran. Only passes are dumped, so the job needs `sends=False` and its own clocks.
    """
    options = job.options
    config = {
        "world_size": options.lanes,
        "dp_size": options.replicas,
        "tp_size": 1,
        "ep_size": 1,
        "pp_size": options.ranks,
        "vp_size": options.chunks,
        "num_mbs": options.microbatches,
        "train_iters": options.steps,
    }
    files = {"config.json": json.dumps(config)}
    table = job.table
    for rank in range(options.ranks):
        mine = (table["replica"] == 0) & (table["rank"] == rank)
        iterations: dict[str, Any] = {}
        for step in range(1, options.steps + 1):
            of_step = mine & (table["step"] == step)
            values: dict[str, Any] = {"total": float(table["end"][of_step].max() / MS)}
            values["memory"] = 1.5
            for word, name in (("fwd", FORWARD), ("bwd", BACKWARD)):
                places = np.flatnonzero(of_step & (table["name"] == NAMES.index(name)))
                places = places[np.argsort(table["start"][places], kind="stable")]
                values[f"{word}_start"] = (table["start"][places] / MS).tolist()
                values[f"{word}_end"] = (table["end"][places] / MS).tolist()
                values[f"{word}_minibatch"] = table["microbatch"][places].tolist()
                values[f"{word}_chunk"] = table["chunk"][places].tolist()
            iterations[str(step)] = values
        files[f"pp_rank_{rank}.json"] = json.dumps(iterations)
    return files


def _place_of_fault(
    options: JobOptions, random: np.random.Generator
) -> tuple[tuple[int, int] | None, int | None]:
    """Return the slow worker and the slow stage, None where it does not apply."""
    if options.fault is Fault.WORKER:
        return (int(random.integers(options.replicas)), int(random.integers(options.ranks))), None
    if options.fault is Fault.STAGE:
        # Usually the last stage has more work, because it has the head and the loss.
        stages = options.ranks * options.chunks
        stage = stages - 1 if random.random() < 0.7 else int(random.integers(stages))
        return None, stage
    return None, None


def _simulate(options: JobOptions, factor: Floats, host: Floats) -> tuple[_Events, Floats]:
    """Return the events of all steps, each from 0 on, and the length of each step in ns.

    `factor` and `host` have the shape (forward or backward, stage, micro-batch, step, replica).
    """
    shape = (options.steps, options.replicas)
    stages = options.ranks * options.chunks
    events = _Events([], [])
    free = [np.zeros(shape) for _ in range(options.ranks)]
    if options.replicas > 1:
        gathered = np.full(shape, float(options.collective))
        for rank in range(options.ranks):
            events.add(ALL_GATHER, rank, np.zeros(shape), gathered, ABSENT, ABSENT)
            free[rank] = gathered
    ended: dict[tuple[bool, int, int], Floats] = {}
    links = _Links(options, events, shape)
    orders = [list(_order(options, rank)) for rank in range(options.ranks)]
    begun = list(free)
    done = [0] * options.ranks
    while any(done[rank] < len(orders[rank]) for rank in range(options.ranks)):
        for rank in range(options.ranks):
            while done[rank] < len(orders[rank]):
                action = orders[rank][done[rank]]
                source = _source(action, stages)
                if source is not None and source not in ended:
                    break
                is_backward = action.kind is Kind.BACKWARD
                ready = free[rank]
                if source is not None:
                    arrived = links.arrival(source, action, ended[source], begun[rank])
                    ready = np.maximum(ready, arrived)
                entry = (int(is_backward), action.stage, action.microbatch or 0)
                base = options.backward if is_backward else options.forward
                start = ready + (host[entry] if options.host else 0)
                end = start + base / options.chunks * factor[entry]
                name = BACKWARD if is_backward else FORWARD
                chunk = action.stage // options.ranks
                events.add(name, rank, start, end, entry[2], chunk)
                begun[rank], free[rank] = start, end
                ended[is_backward, action.stage, entry[2]] = end
                done[rank] += 1
    return events, _finish(options, events, free)


def _finish(options: JobOptions, events: _Events, free: list[Floats]) -> Floats:
    """Add the collectives and updates after the last pass; return the length of each step."""
    length = np.zeros(options.steps)
    for rank, since in enumerate(free):
        ready = since
        if options.replicas > 1:
            reduced = since.max(axis=1, keepdims=True) + options.collective
            ready = np.broadcast_to(reduced, since.shape)
            events.add(REDUCE_SCATTER, rank, since, ready, ABSENT, ABSENT)
        updated = ready + options.update
        events.add(OPTIMIZER, rank, ready, updated, ABSENT, ABSENT)
        length = np.maximum(length, updated.max(axis=1))
    return length


def _order(options: JobOptions, rank: int) -> list[Action]:
    schedule = SCHEDULES[options.schedule]
    return list(schedule.order(rank, options.ranks, options.microbatches, options.chunks))


def _source(action: Action, stages: int) -> tuple[bool, int, int] | None:
    """Return the pass that a pass waits for: whether it is a backward, its stage, micro-batch."""
    microbatch = action.microbatch or 0
    if action.kind is Kind.FORWARD:
        return (False, action.stage - 1, microbatch) if action.stage else None
    if action.stage == stages - 1:
        return False, action.stage, microbatch
    return True, action.stage + 1, microbatch


class _Links:
    """The transfers between ranks; each has its send and its receive recorded if asked for."""

    def __init__(self, options: JobOptions, events: _Events, shape: tuple[int, int]) -> None:
        self._options, self._events = options, events
        self._sent: dict[tuple[bool, int], Floats] = {}
        self._none = np.zeros(shape)

    def arrival(
        self, source: tuple[bool, int, int], action: Action, made: Floats, begun: Floats
    ) -> Floats:
        """Return when the data of `source`, which was `made` then, arrives for `action`.

        `begun` is the start of the receiver's previous pass: from then on, its receive is posted.
        """
        options = self._options
        is_backward, stage, _ = source
        sender, receiver = stage % options.ranks, action.stage % options.ranks
        if sender == receiver:
            return made
        if not options.sends:
            return made + options.transfer
        send, receive = (is_backward, sender), (is_backward, ~receiver)
        sent_from = np.maximum(made, self._sent.get(send, self._none))
        posted = np.maximum(begun, self._sent.get(receive, self._none))
        arrived = np.maximum(sent_from, posted) + options.transfer
        names = (BACKWARD_SEND, BACKWARD_RECV) if is_backward else (FORWARD_SEND, FORWARD_RECV)
        for name, rank, start, its_stage in (
            (names[0], sender, sent_from, stage),
            (names[1], receiver, posted, action.stage),
        ):
            self._events.add(name, rank, start, arrived, ABSENT, its_stage // options.ranks)
        self._sent[send] = self._sent[receive] = arrived
        return arrived


def _table(
    options: JobOptions, events: _Events, length: Floats, clock: NDArray[np.int64]
) -> dict[str, NDArray[np.int64]]:
    """Return the events as columns, on the clocks of their ranks, in order of step and rank."""
    gap = 2 * MS
    begin = np.zeros(options.steps)
    if not options.own_clocks:
        begin[1:] = np.cumsum(length + gap)[:-1]
    keys = np.array(events.keys, np.int64)
    count = len(keys)
    # Shape (events, steps, replicas); the clock has an entry for each step, replica and rank.
    error = np.moveaxis(clock[:, :, keys[:, 1]], 2, 0)
    start = np.stack([times[0] for times in events.times]) + begin[None, :, None] + error
    end = np.stack([times[1] for times in events.times]) + begin[None, :, None] + error
    step, replica = np.indices((options.steps, options.replicas))
    columns = {
        "step": np.broadcast_to(step + 1, start.shape),
        "replica": np.broadcast_to(replica, start.shape),
        "start": np.rint(start),
        "end": np.rint(end),
    }
    for position, name in enumerate(("name", "rank", "microbatch", "chunk")):
        values = keys[:, position].reshape(count, 1, 1)
        columns[name] = np.broadcast_to(values, start.shape)
    flat = {name: column.astype(np.int64).ravel() for name, column in columns.items()}
    order = np.lexsort((flat["start"], flat["rank"], flat["replica"], flat["step"]))
    return {name: column[order] for name, column in flat.items()}


def trace_of_job(job: PipelineJob) -> Trace:
    """Return the trace of a made-up job, with the dependencies that importers add."""
    return trace_of_events(events_of_job(job), "made-up job")


def events_of_job(job: PipelineJob) -> ImportedEvents:
    """Return the events of a made-up job as an importer returns them."""
    table, name = job.table, job.table["name"]
    kind = np.array([_KINDS[each] for each in NAMES])[name]
    transfer = np.array([_TRANSFERS.get(each, ABSENT) for each in NAMES])[name]
    pipeline = PipelineTable(
        step=table["step"],
        replica=table["replica"],
        tensor=np.zeros_like(table["replica"]),
        rank=table["rank"],
        kind=kind.astype(np.int8),
        microbatch=table["microbatch"],
        chunk=table["chunk"],
        start=table["start"],
        end=table["end"],
        transfer=transfer.astype(np.int8),
        name=np.where(PASSES[kind], ABSENT, name).astype(np.int32),
        names=NAMES,
        own_clocks=job.options.own_clocks,
    )
    return events_of_table(pipeline, Counter())


_KINDS = {
    FORWARD: KIND_CODES[Kind.FORWARD],
    BACKWARD: KIND_CODES[Kind.BACKWARD],
    ALL_GATHER: KIND_CODES[Kind.ALL_GATHER],
    REDUCE_SCATTER: KIND_CODES[Kind.REDUCE_SCATTER],
    OPTIMIZER: KIND_CODES[Kind.STEP],
}
_TRANSFERS = {
    FORWARD_SEND: Transfer.FORWARD_SEND,
    FORWARD_RECV: Transfer.FORWARD_RECEIVE,
    BACKWARD_SEND: Transfer.BACKWARD_SEND,
    BACKWARD_RECV: Transfer.BACKWARD_RECEIVE,
}
_KINDS |= dict.fromkeys(_TRANSFERS, KIND_CODES[Kind.COPY])
