"""Tensor parallel by DTensor: each block's layers are divided among the ranks."""

import torch
from harness import RANK, WORLD, batches, finish, host, net, recording, stamped, start, told
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)  # fmt: skip
from torch.nn.functional import mse_loss

start()
mesh = init_device_mesh("cpu", (WORLD,))
model = net()
for block in model.blocks:
    parallelize_module(block, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
optimizer = stamped(torch.optim.SGD)(model.parameters(), lr=0.05)
with recording(model, optimizer):
    for x, target in batches():
        optimizer.zero_grad()
        loss = mse_loss(model(x), target)
        loss.backward()
        optimizer.step()
        told(loss)
        host()
states = model.state_dict().items()
finish(RANK, {n: v.to_local() if hasattr(v, "to_local") else v for n, v in states})
