"""Micro-batches under no_sync, of which the last one reduces the gradients."""

import contextlib

import torch
from harness import batches, finish, host, net, recording, stamped, start, told
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel

MICROBATCHES = 3

start()
model = net()
wrapped = DistributedDataParallel(model)
optimizer = stamped(torch.optim.SGD)(wrapped.parameters(), lr=0.05)
with recording(wrapped, optimizer):
    for number, (x, target) in enumerate(batches(24)):
        is_last = number % MICROBATCHES == MICROBATCHES - 1
        with contextlib.nullcontext() if is_last else wrapped.no_sync():
            loss = mse_loss(wrapped(x), target) / MICROBATCHES
            loss.backward()
        told(loss)
        if is_last:
            optimizer.step()
            optimizer.zero_grad()
            host()
finish(model, model.state_dict(), optimizer.state_dict())
