"""Measures how much longer a training step takes when it is recorded."""

from __future__ import annotations

import statistics
import tempfile
import time
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import nn

from core.check.measured import RecordingCost
from core.plan.devices import HOST, device_kind
from core.recorder.session import record

STEPS = 12
ROUNDS = 4
WIDTH = 512
ROWS = 64
BLOCKS = 6


def recording_cost(device: str) -> RecordingCost:
    """Train a model alternately with and without recording; return median durations of steps."""
    place = torch.device(device)
    blocks: list[nn.Module] = []
    for _ in range(BLOCKS):
        blocks.append(nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU()))
    model = nn.Sequential(*blocks).to(place)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    x = torch.rand(ROWS, WIDTH, device=place)
    plain: list[float] = []
    recorded: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        _train(model, optimizer, x, nullcontext())
        for _ in range(ROUNDS):
            plain += _train(model, optimizer, x, nullcontext())
            recorded += _train(model, optimizer, x, record(model, optimizer, out=folder))
    middle = statistics.median(plain)
    scatter = statistics.median(abs(step - middle) for step in plain)
    return RecordingCost(
        device=device,
        plain=middle,
        recorded=statistics.median(recorded),
        scatter=scatter,
    )


def _train(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    x: torch.Tensor,
    context: AbstractContextManager[object],
) -> list[float]:
    """Return the duration of each step but the first two, in ns."""
    durations = []
    with context:
        for _ in range(STEPS):
            begun = time.perf_counter_ns()
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
            if device_kind(x.device.type) is not HOST:
                torch.accelerator.synchronize(x.device)
            durations.append(float(time.perf_counter_ns() - begun))
    return durations[2:]
