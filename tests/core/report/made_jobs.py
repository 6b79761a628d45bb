"""Recordings of training jobs that never ran, as the recorder writes them, with known costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.recorder import stream
from core.recorder.rank_step import DATA, FIRST_TRACK, TRACKS, Op, rank_lanes, timed_step
from core.recording.recording import open_recording
from core.trace.trace import Trace

MS = 1_000_000
BLOCKS = 3
FAULTS = ("between", "data", "host", "forward", "loss", "backward", "late", "update")
"""Parts of a step in which one rank may lose time; `late` is code before the update."""


@dataclass(frozen=True)
class Job:
    """What a job of data-parallel ranks takes for each part of its steps, in ns.

    `extra` has what a rank takes more for a part, in all steps or in one, by (rank, part, step or
    None); `outside` the time for which a rank evaluates before a step, by (rank, step). Everything
    scatters by `jitter`, relative to its length.
    """

    ranks: int = 2
    steps: int = 12
    costs: dict[str, float] = field(
        default_factory=lambda: {
            "between": 0.2 * MS, "data": 0.3 * MS, "host": 0.3 * MS, "forward": 2.0 * MS,
            "loss": 0.2 * MS, "backward": 4.0 * MS, "late": 0.2 * MS, "update": 1.0 * MS,
        }
    )  # fmt: skip
    transfer: float = 1.5 * MS
    extra: dict[tuple[int, str, int | None], float] = field(default_factory=dict)
    outside: dict[tuple[int, int], float] = field(default_factory=dict)
    jitter: float = 0.02
    seed: int = 0

    def without(self) -> Job:
        """The same job, to the last bit of its jitter, without anything extra."""
        return replace(self, extra={})


@dataclass
class Ran:
    """What happened in a job: operations of each step of each rank, and when each step ended."""

    ops: list[list[list[Op]]]
    ends: NDArray[np.int64]
    outside: list[list[tuple[int, int, int]]]

    @property
    def iterations(self) -> NDArray[np.int64]:
        """Ns from each step's last update to the next step's."""
        last: NDArray[np.int64] = np.diff(self.ends.max(axis=0))
        return last


def ran(job: Job) -> Ran:
    """Run a job's ranks in virtual time: they wait for each other where they reduce gradients."""
    noise = np.random.default_rng(job.seed)
    ops: list[list[list[Op]]] = [[] for _ in range(job.ranks)]
    outside: list[list[tuple[int, int, int]]] = [[] for _ in range(job.ranks)]
    ends = np.zeros((job.ranks, job.steps), np.int64)
    now = [1000 * MS] * job.ranks
    for step in range(job.steps):
        buckets: list[list[Op]] = []
        taken: list[dict[str, int]] = []
        for rank in range(job.ranks):
            took = _durations(job, rank, step, noise)
            away = round(job.outside.get((rank, step), 0))
            if away:
                outside[rank].append((step, now[rank], away))
            at = now[rank] + away + took["between"]
            made = [Op("data", at, at + took["data"], lane=DATA)]
            at += took["data"] + took["host"]
            for block in range(BLOCKS):
                length = took["forward" if block == 1 else f"forward {block}"]
                made.append(Op("forward", at, at + length, block, f"layers.{block}", 8))
                at += length
            made.append(Op("loss", at, at + took["loss"]))
            at += took["loss"]
            mine = []
            for block in reversed(range(BLOCKS)):
                length = took["backward" if block == 1 else f"backward {block}"]
                made.append(Op("backward", at, at + length, block, f"layers.{block}"))
                if block != 1:
                    asked = at + length * 7 // 10
                    mine.append(Op("all-reduce", asked, None, len(mine), bytes=64,
                                   payload="gradient", lane=FIRST_TRACK))  # fmt: skip
                at += length
            buckets.append(mine)
            ops[rank].append(made + mine)
            now[rank] = at
            taken.append(took)
        for met in zip(*buckets, strict=True):
            end = max(op.start for op in met) + round(job.transfer)
            for op in met:
                op.end = end
        for rank in range(job.ranks):
            took = taken[rank]
            at = max([now[rank], *(op.end or 0 for op in buckets[rank])]) + took["late"]
            ops[rank][step].append(Op("step", at, at + took["update"]))
            now[rank] = ends[rank, step] = at + took["update"]
    return Ran(ops, ends, outside)


def _durations(job: Job, rank: int, step: int, noise: np.random.Generator) -> dict[str, int]:
    """Ns that a rank takes for each part of a step; blocks but the middle one have more parts."""
    parts = list(job.costs)
    more = [f"{way} {block}" for way in ("forward", "backward") for block in (0, 2)]
    found = {}
    for part in [*parts, *more]:
        usual = job.costs[part.split()[0]] * float(np.exp(job.jitter * noise.standard_normal()))
        extra = job.extra.get((rank, part, None), 0) + job.extra.get((rank, part, step), 0)
        found[part] = round(usual + extra)
    return found


def write(job: Ran, folder: Path) -> None:
    """Write what happened as the recorder would, a file for each rank."""
    world = len(job.ops)
    for rank, steps in enumerate(job.ops):
        header = {
            "specification": {"warmup": 1},
            "model": {"name": "Net", "blocks": [], "input_bytes": 0},
            "lanes": rank_lanes(rank, "cpu"), "replicas": world, "origin_ns": 1000 * MS,
            "started": "", "hardware": {"rank": rank, "ranks": world}, "versions": {},
            "format": stream.FORMAT,
        }  # fmt: skip
        sender = stream.Sender(partial((folder / f"rank-{rank}.arrow").open, "wb"))
        sender.start(header)
        for batch in _batches(rank, steps, job.outside[rank]):
            sender.hand_in(lambda write, batch=batch: write(batch))
        sender.close()


def _batches(
    rank: int, steps: list[list[Op]], outside: list[tuple[int, int, int]]
) -> Iterator[object]:
    yield stream.note_row("clock", f"rank {rank}", 0, 0, 0.0, "0")
    plans: dict[object, int] = {}
    for step, ops in enumerate(steps):
        told = timed_step([replace(op) for op in ops], rank, TRACKS)
        if told.tasks not in plans:
            plans[told.tasks] = len(plans)
            yield stream.plan_row(plans[told.tasks], told.tasks)
        yield stream.step_rows(plans[told.tasks], step, told, 1000 * MS)
        for number, start, length in outside:
            if number == step:
                at = start - 1000 * MS
                yield stream.note_row("counter", "outside_ms", at, step, length / 1e6)
    yield stream.note_row("log", "state", 0, text="finished")


def opened(job: Job, folder: Path) -> tuple[Trace, Ran]:
    """Run, write and open a job."""
    happened = ran(job)
    write(happened, folder)
    return open_recording(folder).trace, happened
