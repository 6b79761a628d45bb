"""Accelerate: prepared model, optimizer, loader and schedule, with gradient accumulation."""

import torch
from accelerate import Accelerator
from harness import batches, finish, host, net, recording, stamped, start, told
from torch.nn.functional import mse_loss

start()
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = net()
optimizer = stamped(torch.optim.AdamW)(model.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.LinearLR(optimizer)
prepared = accelerator.prepare(model, optimizer, batches(32), schedule)
wrapped, wrapper, data, schedule = prepared
with recording(wrapped, wrapper):
    for x, target in data:
        with accelerator.accumulate(wrapped):
            loss = mse_loss(wrapped(x), target)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(wrapped.parameters(), 1.0)
            wrapper.step()
            schedule.step()
            wrapper.zero_grad()
        told(loss)
        if accelerator.sync_gradients:
            host()
finish(accelerator.unwrap_model(wrapped).state_dict(), optimizer.state_dict())
