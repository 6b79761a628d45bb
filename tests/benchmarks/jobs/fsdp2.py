"""fully_shard (FSDP2): blocks and model are divided among the ranks."""

import torch
from harness import batches, finish, host, net, recording, stamped, start, told
from torch.distributed.fsdp import fully_shard
from torch.nn.functional import mse_loss

start()
model = net()
for block in model.blocks:
    fully_shard(block)
fully_shard(model)
optimizer = stamped(torch.optim.AdamW)(model.parameters(), lr=1e-3)
with recording(model, optimizer):
    for x, target in batches():
        optimizer.zero_grad()
        loss = mse_loss(model(x), target)
        loss.backward()
        optimizer.step()
        told(loss)
        host()
finish({name: value.to_local() for name, value in model.state_dict().items()})
