"""Profiles as PyTorch's profiler (Kineto) writes them, made from a seed.

A host thread runs operators that launch tasks on a device's streams. A task starts when its launch
has arrived, its stream is free, and the tasks of other streams have ended for which it waits. The
files have the headers, metadata, annotations and arrows of real ones.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

Event = dict[str, Any]
COMPUTE, COMMUNICATION, COPY, SIDE = 7, 20, 24, 28
"""Streams, as their numbers are on devices of NVIDIA's."""
KERNELS = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int, float)",
    "ampere_sgemm_128x64_tn",
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
    "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 64, 64, 4>>(Flash_fwd_params)",
    "triton_poi_fused_add_mul_0",
)
COLLECTIVES = (
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
)
SEND_RECV = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
COPIES = ("Memcpy HtoD (Pinned -> Device)", "Memcpy DtoD (Device -> Device)")
CALLS = {
    "kernel": "cudaLaunchKernel", "gpu_memcpy": "cudaMemcpyAsync", "gpu_memset": "cudaMemsetAsync",
}  # fmt: skip


@dataclass(frozen=True)
class Style:
    """What a job is like. Times are µs: `think` of the host for an operator, `work` of a kernel.

    The shares say how many operators are collectives, copies, or on a side stream, and how many
    kernels wait for the last collective. `launches` says whether the profiler recorded the host,
    `annotates` whether the job names the passes of its operators, and `sends` whether every other
    collective is a transfer from one rank to the next. A rank has `gpus`; they run the operators of
    a step one after another.
    """

    ranks: int
    steps: int
    operators: int
    think: float
    work: float
    collectives: float
    moves: float
    copies: float
    side: float
    waits: float
    lead: float
    pause: float
    syncs: bool
    launches: bool
    hiccup: bool
    annotates: bool = False
    sends: bool = False
    gpus: int = 1


def style_of(rng: random.Random) -> Style:
    """Draw a style: bound by the host, by computing, by communication, or by nothing at all."""
    bound = rng.choice(("host", "device", "communication", "mixed"))
    think = {"host": 40.0, "device": 3.0, "communication": 4.0, "mixed": 12.0}[bound]
    talks = bound == "communication" or (bound != "device" and rng.random() < 0.5)
    return Style(
        ranks=rng.choice((1, 1, 1, 2, 3)) if talks else 1,
        steps=rng.randint(1, 6),
        operators=rng.randint(4, 30),
        think=think * rng.uniform(0.5, 2),
        work=rng.uniform(5, 60),
        collectives=rng.uniform(0.1, 0.4) if talks else 0.0,
        moves=rng.uniform(20, 400) if bound == "communication" else rng.uniform(5, 60),
        copies=rng.choice((0.0, 0.0, 0.1, 0.4)),
        side=rng.choice((0.0, 0.0, 0.2)),
        waits=rng.choice((0.0, 0.3, 1.0)),
        lead=rng.choice((0.0, 50.0, 3_000.0)),
        pause=rng.choice((0.0, 0.0, 200.0)),
        syncs=rng.random() < 0.6,
        launches=rng.random() < 0.85,
        hiccup=rng.random() < 0.2,
    )


@dataclass
class _Rank:
    """One rank as it goes on: the host's time, and when each stream is free, in µs."""

    number: int
    style: Style
    rng: random.Random
    now: float = 0.0
    free: dict[tuple[int, int], float] = field(default_factory=dict)
    talked: dict[int, float] = field(default_factory=dict)
    correlation: int = 100
    events: list[Event] = field(default_factory=list)

    def add(
        self,
        cat: str,
        name: str,
        start: float,
        length: float,
        tid: object,
        pid: int,
        **args: object,
    ) -> None:
        """Note a complete event."""
        times = {"ts": round(start, 3), "dur": round(length, 3)}
        event = {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, **times}
        self.events.append({**event, "args": args})

    def launch(
        self,
        cat: str,
        name: str,
        gpu: int,
        stream: int,
        length: float,
        after: float,
        **args: object,
    ) -> None:
        """Have the host launch a task that starts `after` a time (µs) at the earliest."""
        device = self.number * self.style.gpus + gpu
        call, took = CALLS[cat], self.rng.uniform(1, 4)
        self.correlation += 1
        numbers = {"correlation": self.correlation, "External id": self.correlation}
        begun = max(
            self.now + took + self.rng.uniform(1, 4), self.free.get((gpu, stream), 0.0) + 0.6, after
        )
        args = {"device": device, "stream": stream, **numbers, **args}
        self.add(cat, name, begun, length, stream, device, **args)
        if self.style.launches:
            self.add("cuda_runtime", call, self.now, took, 100, 100, **numbers)
            arrow = {"cat": "ac2g", "name": "ac2g", "id": self.correlation}
            source = {"pid": 100, "tid": 100, "ts": round(self.now, 3)}
            target = {"pid": device, "tid": stream, "ts": round(begun, 3)}
            self.events.append({"ph": "s", **arrow, **source})
            self.events.append({"ph": "f", "bp": "e", **arrow, **target})
        self.free[gpu, stream] = begun + length
        if stream == COMMUNICATION:
            self.talked[gpu] = begun + length
        self.now += took


def profile(seed: int) -> dict[str, dict[str, Any]]:
    """The files of a job, by name: one for each rank."""
    rng = random.Random(seed)
    gpus = 1 + (seed % 5 == 0)
    style = replace(style_of(rng), annotates=seed % 3 == 0, sends=seed % 2 == 0, gpus=gpus)
    base = rng.randint(10**18, 2 * 10**18) if rng.random() < 0.7 else None
    ranks = [
        _Rank(number, style, random.Random(rng.random()), rng.uniform(0, 30))
        for number in range(style.ranks)
    ]
    operators = list(_operators(style, random.Random(seed + 1)))
    if gpus > 1:
        # Each GPU computes: one that only copies or communicates is not counted.
        for place in (0, len(operators) - 1):
            operators[place] = ("kernel", COMPUTE, KERNELS[1], style.work, False)
    plans = [operators for _ in range(style.steps)]
    slow = (rng.randrange(style.steps), rng.randrange(style.operators)) if style.hiccup else None
    for number, plan in enumerate(plans):
        for rank in ranks:
            _run_step(rank, number, plan, slow)
    return {
        f"rank{rank.number}.pt.trace.json": _file(rank, rank.number, style, base) for rank in ranks
    }


def _operators(style: Style, rng: random.Random) -> Iterator[tuple[str, int, str, float, bool]]:
    """What each operator of a step launches: category, stream, name, µs, whether it waits."""
    for _ in range(style.operators):
        waits, drawn = rng.random() < style.waits, rng.random()
        if drawn < style.collectives:
            length = style.moves * rng.uniform(0.5, 1.5)
            yield "kernel", COMMUNICATION, rng.choice(COLLECTIVES), length, False
        elif drawn < style.collectives + style.copies:
            stream = rng.choice((COMPUTE, COPY))
            if rng.random() < 0.3:
                yield "gpu_memset", stream, "Memset (Device)", rng.uniform(0.8, 3), waits
            else:
                yield (
                    "gpu_memcpy",
                    stream,
                    rng.choice(COPIES),
                    style.work * rng.uniform(0.2, 3),
                    waits,
                )
        else:
            stream = SIDE if rng.random() < style.side else COMPUTE
            yield "kernel", stream, rng.choice(KERNELS), style.work * rng.uniform(0.3, 2), waits


def _run_step(
    rank: _Rank, number: int, plan: list[tuple[str, int, str, float, bool]],
    slow: tuple[int, int] | None,
) -> None:  # fmt: skip
    style, rng = rank.style, rank.rng
    begun = rank.now
    rank.now += style.pause + (style.lead if number == 0 else 0.0)
    for place, (cat, stream, name, length, waits) in enumerate(plan):
        start = rank.now
        rank.now += style.think * rng.uniform(0.2, 1)
        took = length * rng.uniform(0.97, 1.03) + (30_000.0 if (number, place) == slow else 0.0)
        talks = stream == COMMUNICATION
        # A collective sends what the compute stream has made.
        gpu = place * style.gpus // len(plan)
        if talks:
            # Collectives of one name on two GPUs of a process would be taken for one collective.
            gpu = COLLECTIVES.index(name) % style.gpus
        made, arrived = rank.free.get((gpu, COMPUTE), 0.0), rank.talked.get(gpu, 0.0)
        after = made if talks else arrived if waits else 0.0
        args: dict[str, object] = {}
        if talks and style.sends and style.ranks > 1 and place % 2:
            sender = place % style.ranks
            receiver = (sender + 1) % style.ranks
            if rank.number not in (sender, receiver):
                continue
            name = SEND_RECV
            args = {"Collective name": "send", "Dst Rank": receiver}
            if rank.number == receiver:
                args = {"Collective name": "recv", "Src Rank": sender}
        rank.launch(cat, name, gpu, stream, took, after, **args)
        rank.now += rng.uniform(0.2, 1)
        if style.launches:
            op = f"nccl:{name[13:]}" if talks else "aten::mm"
            rank.add("cpu_op", op, start, rank.now - start, 100, 100)
        if style.annotates:
            name = f"block ({'FBW'[place % 3]}{place // 3})"
            rank.add("user_annotation", name, start, rank.now - start, 100, 100)
    if style.syncs:
        done = max(rank.free.values(), default=0.0)
        waited = max(1.0, done - rank.now)
        if style.launches:
            rank.add("cuda_runtime", "cudaDeviceSynchronize", rank.now, waited, 100, 100)
        rank.now += waited + 1
    length = rank.now - begun
    rank.add("user_annotation", f"ProfilerStep#{number + 5}", begun, length, 100, 100)
    rank.now += 0.5


def _file(rank: _Rank, number: int, style: Style, base: int | None) -> dict[str, Any]:
    """A rank's file, with the headers that the profiler writes."""
    first = rank.number * style.gpus
    devices = range(first, first + style.gpus)
    streams = [(device, tid, f"stream {tid}") for device in devices for tid in (COMPUTE, COPY)]
    named = [(100, 100, "python"), *streams]
    names = [
        {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "ts": 0, "args": {"name": name}}
        for pid, tid, name in named
    ]
    window = {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans",
              "tid": "PyTorch Profiler", "ts": 0.0, "dur": round(rank.now, 3)}  # fmt: skip
    shown = {"ph": "i", "s": "g", "name": "Iteration Start: PyTorch Profiler", "pid": "Traces",
             "tid": "Trace PyTorch Profiler", "ts": 0.0}  # fmt: skip
    file: dict[str, Any] = {
        "schemaVersion": 1,
        "deviceProperties": [
            {"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85_045_870_592,
             "computeMajor": 9, "computeMinor": 0, "numSms": 132}
        ],
        "cuda_runtime_version": 12_040,
        "with_flops": 0,
        "record_shapes": 0,
        "trace_id": f"{number:032X}",
        "displayTimeUnit": "ms",
        "traceEvents": [*rank.events, *names, window, shown],
        "traceName": f"rank{number}.pt.trace.json",
    }  # fmt: skip
    if style.collectives:
        file["distributedInfo"] = {
            "backend": "nccl", "rank": number, "world_size": style.ranks, "pg_count": 1,
            "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl",
                           "ranks": list(range(style.ranks))}],
            "nccl_version": "2.20.5",
        }  # fmt: skip
    if base is not None:
        file["baseTimeNanoseconds"] = base
    return file
