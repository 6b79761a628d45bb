"""FSDP2 by tensor parallel: a mesh of two by two ranks."""

import torch
from harness import batches, finish, host, net, recording, stamped, start, told
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)  # fmt: skip
from torch.nn.functional import mse_loss

start()
mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "model"))
model = net()
for block in model.blocks:
    plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
    parallelize_module(block, mesh["model"], plan)
    fully_shard(block, mesh=mesh["data"])
fully_shard(model, mesh=mesh["data"])
optimizer = stamped(torch.optim.AdamW)(model.parameters(), lr=1e-3, foreach=False)
with recording(model, optimizer):
    for x, target in batches():
        optimizer.zero_grad()
        loss = mse_loss(model(x), target)
        loss.backward()
        optimizer.step()
        told(loss)
        host()
finish({name: value.to_local() for name, value in model.state_dict().items()})
