"""Half precision with a gradient scaler, which leaves out updates with infinite gradients."""

import contextlib
from collections import Counter

import pytest

from core.plan.task import Kind
from core.recording.recording import open_recording

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from bubblescope import record  # noqa: E402

STEPS, SKIPPED = 6, (2, 3)


def train(folder):
    """Train in half precision, recorded if there is a folder; return losses and parameters.

    The losses of the steps SKIPPED are infinite, so the scaler leaves their updates out.
    """
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cpu", init_scale=16.0)
    losses, scales = [], []
    with record(model, optimizer, folder) if folder else contextlib.nullcontext():
        for step in range(STEPS):
            optimizer.zero_grad()
            x = torch.full((2, 8), 1.0 + step)
            with torch.autocast("cpu", dtype=torch.float16):
                loss = nn.functional.mse_loss(model(x), torch.ones(2, 4))
            if step in SKIPPED:
                loss = loss * float("inf")
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.item())
            scales.append(scaler.get_scale())
    return losses, scales, [parameter.detach().clone() for parameter in model.parameters()]


def test_half_precision_with_a_scaler_is_recorded_and_trains_as_without(tmp_path):
    losses, scales, parameters = train(None)
    assert scales == [16, 16, 8, 4, 4, 4]
    recorded = train(tmp_path)
    assert recorded[:2] == (losses, scales)
    for one, other in zip(recorded[2], parameters, strict=True):
        assert torch.equal(one, other)
    trace = open_recording(tmp_path).trace
    assert trace.steps == list(range(STEPS - len(SKIPPED)))
    # Nothing ends a step whose update is left out, so its passes belong to the next one.
    batches = [1, 1, 1 + len(SKIPPED), 1]
    for step, count in zip(trace.steps, batches, strict=True):
        kinds = Counter(span.kind for span in trace if span.step == step)
        expected = {Kind.FORWARD: 3, Kind.LOSS: 1, Kind.BACKWARD: 3}
        assert kinds == {kind: count * n for kind, n in expected.items()} | {Kind.STEP: 1}
