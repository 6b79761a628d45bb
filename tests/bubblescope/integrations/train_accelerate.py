"""Trains in a loop with Accelerate, without and with a recording, and with slow places."""

import contextlib

import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState, GradientState
from parts import OUT, ROWS, STEPS, Rows, Slow, blocks, report, sleep_in
from torch import nn
from torch.utils.data import DataLoader, default_collate

import bubblescope as bs


def collate(rows):
    sleep_in("loader")
    return default_collate(rows)


def optimizers_of(model, count):
    """Return one optimizer of all parameters, or one for the body and one for the head."""
    if count == 1:
        return [torch.optim.AdamW(model.parameters(), lr=1e-3)]
    head = torch.optim.SGD(model[-1].parameters(), lr=0.1)
    return [torch.optim.AdamW(model[:-1].parameters(), lr=1e-3), head]


def between_steps(run, accelerator, model):
    """Evaluate and save, outside of the steps."""
    with contextlib.nullcontext() if run is None else run.paused():
        sleep_in("evaluation")
        sleep_in("checkpoint")
        accelerator.save_model(model, OUT / "checkpoints")


def train(name, place="", optimizers=1, **options):
    Slow.place = place
    torch.manual_seed(1)
    for state in (AcceleratorState, GradientState):  # options of an earlier Accelerator
        state._reset_state()
    accelerator = Accelerator(cpu=True, **options)
    inner = nn.Sequential(*blocks())
    data = DataLoader(Rows(STEPS * ROWS), ROWS, collate_fn=collate)
    prepared = accelerator.prepare(inner, data, *optimizers_of(inner, optimizers))
    model, data, *updating = prepared
    recording = contextlib.nullcontext()
    if not name.startswith("plain"):
        recording = bs.record(model, updating[0], out=OUT / name)
    losses = []
    with recording as run:
        for x, target in data:
            with accelerator.accumulate(model):
                output = model(x)
                sleep_in("script")
                loss = nn.functional.cross_entropy(output, target)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 0.5)
                for optimizer in updating:
                    optimizer.step()
                    optimizer.zero_grad()
            losses.append(loss.item())
            if accelerator.sync_gradients:
                between_steps(run, accelerator, model)
    return losses


losses = {name: train(name) for name in ("plain", "recorded")}
for place in ("loader", "forward", "backward", "evaluation", "checkpoint", "script"):
    losses[place] = train(place, place)
mixed = {"gradient_accumulation_steps": 2, "mixed_precision": "bf16"}
for name in ("plain-mixed", "mixed"):
    losses[name] = train(name, **mixed)
for name in ("plain-two", "two"):
    losses[name] = train(name, optimizers=2)
report(losses)
