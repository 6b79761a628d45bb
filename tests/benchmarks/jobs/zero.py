"""ZeroRedundancyOptimizer, whose optimizer's state is divided among the ranks."""

import torch
from harness import batches, finish, host, net, recording, stamped, start, told
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.functional import mse_loss
from torch.nn.parallel import DistributedDataParallel

start()
model = net()
wrapped = DistributedDataParallel(model)
kind = stamped(ZeroRedundancyOptimizer)
optimizer = kind(wrapped.parameters(), optimizer_class=torch.optim.AdamW, lr=1e-3)
with recording(wrapped, optimizer):
    for x, target in batches():
        optimizer.zero_grad()
        loss = mse_loss(wrapped(x), target)
        loss.backward()
        optimizer.step()
        told(loss)
        host()
finish(model, model.state_dict(), optimizer.optim.state_dict())
