"""Compares steps of Bubblescope's engine with the same steps on torch's own engines."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch import nn

from core.check.measured import Measured, NotMeasured, PeerStep
from core.engine.failures import RunStopped
from core.engine.hardware import rank_backend
from core.engine.machine_check.runs import (
    RUN_SECONDS,
    device_pairs,
    file_stem,
    run_name,
    run_on,
    run_stream,
    step_lengths,
    stop_after,
)
from core.engine.messages import Outcome
from core.engine.models.workload import build_workload, make_optimizer
from core.engine.torchrun.launch import run_torchrun
from core.message import message
from core.plan.devices import Hardware
from core.plan.launching import Hosts, check_launch, check_plans
from core.plan.planning import plan_run
from core.plan.specification import Specification
from core.recording.recording import open_recording, read_stream

STEPS = 8
WARMUP = 3
DATA_PARALLEL = "nn.DataParallel"
PIPELINING = "torch.distributed.pipelining"
SCHEDULES = ("1f1b", "gpipe")
"""The schedules that are compared; only two, because each torchrun takes seconds to start."""


def peer_measurements(
    hardware: Hardware, folder: str
) -> Iterator[tuple[str, Callable[[], Measured]]]:
    """Yield the name of each comparison, and a function that makes it.

    Recordings of torch's engine are saved in `folder`, unless it is "".
    """
    yield "dp", partial(data_parallel, hardware)
    for schedule in SCHEDULES:
        yield f"pipeline {schedule}", partial(pipelining, schedule, hardware, folder)


def data_parallel(hardware: Hardware) -> Measured:
    """Compare `dp` on two accelerators with nn.DataParallel."""
    devices = hardware.devices[1:3]
    if len(devices) < 2:
        reason = message("{peer} needs two accelerators", peer=DATA_PARALLEL)
        return NotMeasured(PeerStep.__name__, "dp", reason)
    specification = _timed_run("dp", devices)
    ours = step_lengths(read_stream(run_stream(specification, hardware)))
    theirs = _data_parallel_steps(plan_run(specification, hardware).specification, devices)
    return _compared(run_name(specification), DATA_PARALLEL, ours, theirs)


def _data_parallel_steps(specification: Specification, devices: Sequence[str]) -> list[float]:
    """Return the ns of each measured step with nn.DataParallel; between steps devices are idle."""
    workload = build_workload(specification)
    places = [torch.device(device) for device in devices]
    inner = nn.Sequential(*workload.blocks).to(places[0])
    model = nn.DataParallel(inner, places)
    optimizer = make_optimizer(specification, list(model.parameters()))
    assert optimizer is not None
    lengths = []
    for batch in workload.batches(specification):
        x, target = (tensor.to(places[0]) for tensor in batch)
        _wait_for(places)
        begun = time.perf_counter_ns()
        optimizer.zero_grad()
        workload.loss(model(x), target).backward()
        optimizer.step()
        _wait_for(places)
        lengths.append(float(time.perf_counter_ns() - begun))
    return lengths[specification.warmup :]


def _wait_for(devices: Sequence[torch.device]) -> None:
    for device in devices:
        torch.accelerator.synchronize(device)


def pipelining(schedule: str, hardware: Hardware, folder: str) -> Measured:
    """Compare a schedule with the same one of torch.distributed.pipelining under torchrun."""
    devices = device_pairs(hardware)[-1]
    specification = _timed_run("pipeline", devices, schedule)
    name = run_name(specification)
    with tempfile.TemporaryDirectory(prefix="bubblescope-") as own:
        out = str(Path(folder or own, f"torchrun-{file_stem(name)}"))
        theirs = _torchrun_steps(specification, hardware, out)
    ours = step_lengths(read_stream(run_stream(specification, hardware)))
    return _compared(name, PIPELINING, ours, theirs)


def _torchrun_steps(specification: Specification, hardware: Hardware, out: str) -> list[float]:
    """Return the ns of each measured step of a job under torchrun, which records to `out`.

    Raises PlanError if it is refused, RuntimeError if it fails.
    """
    launched = plan_run(specification, hardware)
    lanes = list(launched.lanes)
    check_launch(launched.specification, lanes, Hosts(), out)
    check_plans(launched.specification, launched.plans.values())
    rank_backend(lanes)
    with stop_after(RUN_SECONDS) as stop:
        ended = run_torchrun(
            specification=launched.specification,
            lanes=len(lanes),
            hosts=Hosts(),
            out=out,
            on_line=lambda line: None,
            stop=stop,
        )
        if ended.outcome is Outcome.STOPPED:
            raise RunStopped
    if ended.outcome is not Outcome.FINISHED:
        raise RuntimeError(ended.text)
    return step_lengths(open_recording(out).trace)


def _timed_run(strategy: str, devices: Sequence[str], schedule: str | None = None) -> Specification:
    return replace(run_on(strategy, devices, schedule), steps=STEPS, warmup=WARMUP)


def _compared(name: str, peer: str, ours: list[float], theirs: list[float]) -> PeerStep:
    scatter = max(_scatter(ours), _scatter(theirs))
    return PeerStep(
        run=name,
        peer=peer,
        ours=statistics.median(ours),
        theirs=statistics.median(theirs),
        scatter=scatter,
    )


def _scatter(lengths: list[float]) -> float:
    """Return the median deviation from the median."""
    middle = statistics.median(lengths)
    return statistics.median(abs(length - middle) for length in lengths)
