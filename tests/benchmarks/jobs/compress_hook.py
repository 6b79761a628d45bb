"""Gradients compressed to float16 by a communication hook of the job's own."""

import torch
from harness import batches, finish, host, net, recording, stamped, start, told
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel

start()
model = net()
wrapped = DistributedDataParallel(model)
wrapped.register_comm_hook(None, fp16_compress_hook)
optimizer = stamped(torch.optim.SGD)(wrapped.parameters(), lr=0.05)
with recording(wrapped, optimizer):
    for x, target in batches():
        optimizer.zero_grad()
        loss = mse_loss(wrapped(x), target)
        loss.backward()
        optimizer.step()
        told(loss)
        host()
finish(model, model.state_dict(), optimizer.state_dict())
