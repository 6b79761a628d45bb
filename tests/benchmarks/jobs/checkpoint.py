"""Every block is recomputed in the backward, with hooks on saved tensors."""

import torch
from harness import WIDTH, Block, batches, finish, host, probe, recording, stamped, start, told
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(WIDTH, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(4))
        self.head = nn.Linear(WIDTH, 10)

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return self.head(x)


start()
model = probe(Model(), "blocks.1")
wrapped = DistributedDataParallel(model)
optimizer = stamped(torch.optim.AdamW)(wrapped.parameters(), lr=1e-3)
with recording(wrapped, optimizer):
    for x, target in batches():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(wrapped(x), target)
        loss.backward()
        optimizer.step()
        told(loss)
        host()
finish(model, model.state_dict(), optimizer.state_dict())
